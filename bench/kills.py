"""Many tasks over a Ray cluster, and something of it killed again and again: is there one result each, and one order?

python -m bench.kills [--tasks N] [--kills N] [--concurrency N] [--only VICTIM …] [--json FILE] [--check]

Each task orders something in a shop that counts. Killed in turn, whenever so many results more have come, are the
process of the batch (which is begun again with --resume), the process of Ray's that carries tasks out on a node, a
Chrome, and a whole node of the three, but for the first one, which holds what Ray knows; another node takes its place.
A task that was in the middle of ordering may have the error `interrupted`; then its order is there once or not at all.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from bench.cache import NotFetched
from bench.options import finish, keep, options
from bench.report import Machine, table, this_machine
from bench.usage import tree_of
from cdp_agent.extras import install_command
from tests.counting_shop import CountingShop

VICTIMS = ("batch", "worker", "chrome", "node")
_STEPS = (
    "Open {url}/offer?who={who}",
    "Click 'Buy'",
    "Wait until 'Thank you' appears",
    "Click 'Details'",
    "Read the page",
)
_WAITS_S = 120.0


class Kill(msgspec.Struct, frozen=True):
    """What was killed, and how many orders and results there were then."""

    victim: str
    orders: int
    results: int
    at_s: float


class Result(msgspec.Struct, frozen=True):
    """`orders`: how many tasks have so many orders; `errors`: how many tasks have which code of error."""

    machine: Machine
    tasks: int
    results: int
    ok: int
    errors: dict[str, int]
    orders: dict[int, int]
    wrong: list[str]
    kills: list[Kill]
    seconds: float


class Batch:
    """The command, begun again by `go_on` after it was killed."""

    def __init__(self, folder: Path, shop: CountingShop, tasks: int, concurrency: int, address: str) -> None:
        self.results = folder / "results.jsonl"
        names = [f"c{number}" for number in range(tasks)]
        lines = [{"id": who, "steps": [each.format(url=shop.url, who=who) for each in _STEPS]} for who in names]
        (folder / "tasks.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in lines))
        words = ["batch", str(folder / "tasks.jsonl"), "-o", str(self.results), "--ray", address, "--retries", "3"]
        self._command = [sys.executable, "-m", "cdp_agent", *words, "--concurrency", str(concurrency)]
        self._log = folder / "batch.log"
        self._process = self._begin()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def go_on(self) -> None:
        self._process = self._begin("--resume")

    def check(self) -> None:
        """It has to be running."""
        if self._process.poll() is not None:
            sys.exit(f"the batch ended with {self._process.returncode}:\n{self._log.read_text()[-2000:]}")

    def wait(self) -> None:
        self._process.wait()

    def _begin(self, *more: str) -> subprocess.Popen[bytes]:
        with self._log.open("ab") as log:
            return subprocess.Popen([*self._command, *more], stdout=log, stderr=log)


class Nodes:
    """Three nodes on loopback."""

    def __init__(self, cluster: Any) -> None:
        self._cluster = cluster
        self.address = str(cluster.address)
        for _ in range(2):
            cluster.add_node(num_cpus=2)

    def kill(self, victim: str, chance: random.Random) -> bool:
        """Kills one of those that carry tasks out, or a Chrome or node of theirs; False while there is none."""
        nodes = [(node, pid) for node in self._cluster.list_all_nodes()[1:] for pid in _workers(node)]
        if not nodes:
            return False
        node, worker = chance.choice(nodes)
        if victim == "node":
            self._cluster.remove_node(node, allow_graceful=False)
            self._cluster.add_node(num_cpus=2)
            return True
        pids = [worker] if victim == "worker" else _found(worker, _is_chrome)
        if not pids:
            return False
        with suppress(ProcessLookupError):  # it ended by itself: the next one is looked for
            os.kill(chance.choice(pids), signal.SIGKILL)
            return True
        return False


def _workers(node: Any) -> list[int]:
    return [
        pid for kind in node.all_processes.values() for each in kind for pid in _found(each.process.pid, _is_worker)
    ]


def _found(root: int, is_it: Callable[[bytes], bool]) -> list[int]:
    found = []
    for pid in tree_of(root):
        with suppress(OSError):  # it ended
            if is_it(Path(f"/proc/{pid}/cmdline").read_bytes()):
                found.append(pid)
    return found


def _is_worker(command: bytes) -> bool:
    return command.startswith(b"ray::NodeWorker")


def _is_chrome(command: bytes) -> bool:
    return b"--remote-debugging-p" in command and b"--type=" not in command and b"chrom" in command.split(b"\0")[0]


@contextmanager
def nodes() -> Iterator[Nodes]:
    """Raises NotFetched without Ray."""
    try:
        from ray.cluster_utils import Cluster  # nothing else here needs it
    except ImportError as error:
        raise NotFetched(f"Ray is not installed: {install_command('ray')}") from error
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2})
    try:
        yield Nodes(cluster)
    finally:
        cluster.shutdown()


def measure(tasks: int, kills: int, concurrency: int, victims: Sequence[str], seed: int) -> Result:
    """Tells of each kill as it is done."""
    began, done, chance = time.monotonic(), list[Kill](), random.Random(seed)
    with tempfile.TemporaryDirectory() as folder, CountingShop(answers_after_s=0.1) as shop, nodes() as cluster:
        batch = Batch(Path(folder), shop, tasks, concurrency, cluster.address)
        for number in range(kills):
            _wait_for(partial(_have_come, batch.results, (number + 1) * tasks // (kills + 1)), batch)
            victim = victims[number % len(victims)]
            if victim == "batch":
                batch.kill()
            else:
                _wait_for(partial(cluster.kill, victim, chance), batch)
            now = time.monotonic() - began
            done.append(Kill(victim, len(shop.ordered), len(_lines(batch.results)), round(now, 1)))
            print(f"{now:.0f} s: {victim} killed after {done[-1].results} results", file=sys.stderr)
            if victim == "batch":
                batch.go_on()
        batch.wait()
        results = _lines(batch.results)
        ordered = dict(shop.ordered)
    names = [f"c{number}" for number in range(tasks)]
    return Result(
        machine=this_machine("the Chrome that is found"),
        tasks=tasks,
        results=len(results),
        ok=sum(each["ok"] for each in results),
        errors=dict(Counter(each["error"]["code"] for each in results if each["error"])),
        orders=dict(Counter(ordered.get(name, 0) for name in names)),
        wrong=list(_wrong(names, results, ordered)),
        kills=done,
        seconds=round(time.monotonic() - began, 1),
    )


def _have_come(path: Path, results: int) -> bool:
    return len(_lines(path)) >= results


def _wait_for(holds: Callable[[], bool], batch: Batch) -> None:
    """Ends the program when that does not come to hold, or the batch ends before."""
    until = time.monotonic() + _WAITS_S
    while not holds():
        batch.check()
        if time.monotonic() > until:
            sys.exit(f"nothing went on for {_WAITS_S:g} s")
        time.sleep(0.05)


def _lines(path: Path) -> list[dict[str, Any]]:
    """The whole ones: what the batch writes just now is left out."""
    if not path.exists():
        return []
    content = path.read_bytes()
    return [json.loads(line) for line in content[: content.rfind(b"\n") + 1].splitlines()]


def _wrong(names: Sequence[str], results: Sequence[dict[str, Any]], ordered: dict[str, int]) -> Iterator[str]:
    times = Counter(each["id"] for each in results)
    for name in names:
        if times[name] != 1:
            yield f"{name} has {times[name]} results"
        if ordered.get(name, 0) > 1:
            yield f"{name} was ordered {ordered[name]} times: {[each for each in results if each['id'] == name]}"
    for each in results:
        if each["ok"] and ordered.get(each["id"], 0) != 1:
            yield f"{each['id']} is ok, and has no order"
        elif not each["ok"] and each["error"]["code"] != "interrupted":
            yield f"{each['id']} failed: {each['error']}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = options(__doc__, check=True)
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--concurrency", type=int, default=6)
    parser.add_argument("--only", nargs="+", choices=VICTIMS, default=VICTIMS, help="kill only these")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    result = measure(given.tasks, given.kills, given.concurrency, given.only, given.seed)
    keep(result, given.json)
    print(f"{result.machine}\n")
    rows = [[each.victim, str(each.orders), str(each.results), f"{each.at_s:.0f}"] for each in result.kills]
    print(table(["killed", "after orders", "and results", "at s"], rows))
    errors = ", ".join(f"{count} {code}" for code, count in result.errors.items()) or "none failed"
    orders = ", ".join(f"{count} have {times}" for times, count in sorted(result.orders.items()))
    print(f"\n{result.results} results of {result.tasks} tasks: {result.ok} ok, {errors}; of the orders: {orders}.")
    finish(result.wrong, check=given.check)


if __name__ == "__main__":
    main()
