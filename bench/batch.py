"""Many tasks at once: how many a minute, what they take of the machine, and whether all of them are right.

python -m bench.batch [--tasks N] [--concurrency N …] [--ray] [--single N] [--json FILE]

Each task buys two mugs in the demo shop by 14 steps, in its customer's name, as `cdp-agent batch` runs them; the shop
counts the orders. Beside that as single runs, `cdp-agent do` one after another. CPU and memory are those of the
command and all processes below it, Chrome's too, looked at four times a second: what a process does after the last look
is not counted. With --ray, a cluster of two nodes on loopback is begun first, and is not counted.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from bench.options import finish, keep, options
from bench.report import Machine, table, this_machine
from bench.soak import tree_mb, tree_of
from fixtures.shop import ShopServer

ROOT = Path(__file__).parent.parent
STEPS = [
    line
    for line in (ROOT / "fixtures/shop.steps").read_text("utf-8").splitlines()
    if line.strip() and not line.startswith("#")
]
_LOOKS_EVERY_S = 0.25


class Throughput(msgspec.Struct, frozen=True):
    """What so many tasks took in one way. `right`: those whose result is ok and whose order the shop has once."""

    way: str
    tasks: int
    right: int
    seconds: float
    cpu_s: float
    most_mb: float

    @property
    def per_minute(self) -> float:
        return 60 * self.tasks / self.seconds


class Result(msgspec.Struct, frozen=True):
    machine: Machine
    ways: list[Throughput]


class _Usage(threading.Thread):
    """Looks at a process and all below it until it has ended."""

    def __init__(self, root: int) -> None:
        super().__init__(daemon=True)
        self.most_mb = 0.0
        self._root = root
        self._ticks: dict[int, int] = {}
        self._over = threading.Event()

    @property
    def cpu_s(self) -> float:
        return sum(self._ticks.values()) / os.sysconf("SC_CLK_TCK")

    def run(self) -> None:
        while not self._over.wait(_LOOKS_EVERY_S):
            self.most_mb = max(self.most_mb, tree_mb(self._root))
            for pid in tree_of(self._root):
                with suppress(OSError, IndexError):  # it ended
                    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                    self._ticks[pid] = int(fields[11]) + int(fields[12])

    def end(self) -> None:
        self._over.set()
        self.join()


def tasks_of(shop: ShopServer, count: int) -> list[dict[str, Any]]:
    """A task for each customer."""
    return [
        {"id": n, "url": shop.url, "steps": [step.replace("Ada Berg", f"Customer {n}") for step in STEPS]}
        for n in range(count)
    ]


def measured(way: str, command: Sequence[str], shop: ShopServer, tasks: int, results: Path) -> Throughput:
    """Runs the command, and holds its results against the shop's orders."""
    before, began = len(shop.orders), time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    usage = _Usage(process.pid)
    usage.start()
    process.wait()
    seconds = time.monotonic() - began
    usage.end()
    names = [order.name for order in shop.orders[before:]]
    ok = [each["id"] for line in results.read_text().splitlines() if (each := json.loads(line))["ok"]]
    right = sum(names.count(f"Customer {number}") == 1 for number in ok)
    return Throughput(way, tasks, right, seconds, usage.cpu_s, usage.most_mb)


def in_batches(shop: ShopServer, folder: Path, count: int, concurrency: int, ray: str | None = None) -> Throughput:
    """All tasks by one command."""
    way = f"{'Ray, ' if ray else ''}{concurrency} at once"
    tasks, results = folder / "tasks.jsonl", folder / f"{way}.jsonl"
    tasks.write_text("".join(json.dumps(each) + "\n" for each in tasks_of(shop, count)))
    words = ["batch", str(tasks), "-o", str(results), "--concurrency", str(concurrency), "--quiet"]
    command = [sys.executable, "-m", "cdp_agent", *words, *(["--ray", ray] if ray else [])]
    return measured(way, command, shop, count, results)


def one_by_one(shop: ShopServer, folder: Path, count: int) -> Throughput:
    """A command for each task, one after another, as a script would do it."""
    results, script = folder / "single.jsonl", folder / "single.sh"
    lines = []
    for task in tasks_of(shop, count):
        file = folder / f"{task['id']}.steps"
        file.write_text("\n".join(task["steps"]))
        done = json.dumps({"id": task["id"], "ok": True})
        lines.append(
            f"{sys.executable} -m cdp_agent do {file} --url {shop.url} --once -q && echo '{done}' >> {results}"
        )
    script.write_text("\n".join(lines))
    results.touch()
    return measured("single runs", ["sh", str(script)], shop, count, results)


@contextmanager
def ray_cluster() -> Iterator[str]:
    """Two nodes; the address."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 4})
    cluster.add_node(num_cpus=4)
    yield str(cluster.address)
    cluster.shutdown()


def main(arguments: Sequence[str] | None = None) -> None:
    parser = options(__doc__, check=True)
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--concurrency", type=int, nargs="+", default=[1, 4, 8])
    parser.add_argument("--single", type=int, default=20, metavar="N", help="so many as single runs; 0: none")
    parser.add_argument("--ray", action="store_true", help="over a cluster as well, as many at once as the most above")
    given = parser.parse_args(arguments)
    with ShopServer() as shop, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ways = [in_batches(shop, folder, given.tasks, concurrency) for concurrency in given.concurrency]
        if given.ray:
            with ray_cluster() as address:
                ways.append(in_batches(shop, folder, given.tasks, max(given.concurrency), address))
        if given.single:
            ways.append(one_by_one(shop, folder, given.single))
    result = Result(this_machine("the Chrome that is found"), ways)
    keep(result, given.json)
    rows = [
        [
            each.way,
            f"{each.right} of {each.tasks}",
            f"{each.seconds:.1f}",
            f"{each.per_minute:.1f}",
            f"{each.cpu_s / each.tasks:.2f}",
            f"{each.most_mb:,.0f}",
        ]
        for each in ways
    ]
    print(f"{result.machine}\n")
    print(table(["way", "right", "seconds", "a minute", "CPU s a task", "most MB"], rows))
    wrong = [f"{each.way}: {each.right} of {each.tasks} are right" for each in ways if each.right < each.tasks]
    finish(wrong, check=given.check)


if __name__ == "__main__":
    main()
