"""Many tasks at once: how many a minute, what they take of the machine, and whether all of them are right.

python -m bench.batch FILE [--tasks N] [--only 1|4|8|ray|single …] [--apps NAME …] [--part N] [--check]

The tasks are by steps, as `cdp-agent batch` runs them: orders in the demo shop, and the files of tests/steps at their
programs, in turn. They run one, four and eight at once, eight at once over a Ray cluster of two nodes on loopback, and
as single runs, `cdp-agent do` one after another. What a task leaves at its program is held against its result.

Each part that is over is a line of FILE. The same command goes on where FILE ends, also with another --only or more
--tasks, so that it can be ended at any time; --part N makes parts of so many tasks (single runs: 10, else all of them).

CPU and memory are those of the command and all processes below it, Chrome's and the cluster's too, looked at four times
a second: what a process does after the last look is not counted. The programs' own are not in it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec

from bench.cache import NotFetched
from bench.options import finish
from bench.report import table, this_machine
from bench.step_apps import APPS, Kind, kinds_of
from bench.usage import Usage
from cdp_agent.extras import install_command

_SINGLE_PART = 10
_RAY_AT_ONCE = 8
WAYS = {"1": "1 at once", "4": "4 at once", "8": "8 at once", "ray": "Ray, 8 at once", "single": "single runs"}


class Part(msgspec.Struct, frozen=True):
    """What so many tasks took in one way, from the `first` one on.

    `right`: those whose result is ok, and that left at their program what they should, once. `wrong` names the others.
    """

    way: str
    apps: tuple[str, ...]
    first: int
    tasks: int
    right: int
    seconds: float
    cpu_s: float
    most_mb: float
    wrong: tuple[str, ...] = ()
    machine: str = ""


class Bench:
    """The programs that run, and how many tasks they were given so far: no two tasks have the same number."""

    def __init__(self, apps: Sequence[str], kinds: Sequence[Kind], folder: Path) -> None:
        self._apps = tuple(apps)
        self._kinds = kinds
        self._folder = folder
        self._given = 0

    def part(self, way: str, first: int, count: int) -> Part:
        """Carries out so many tasks; the first is of the kind whose turn it is then. Raises NotFetched without Ray."""
        numbers = range(self._given, self._given + count)
        self._given += count
        kinds = {number: self._kinds[(first + place) % len(self._kinds)] for place, number in enumerate(numbers)}
        results = self._folder / f"{numbers.start}.jsonl"
        with ExitStack() as stack:
            ray, roots = stack.enter_context(ray_cluster()) if way == "ray" else (None, [])
            command = self._single(kinds, results) if way == "single" else self._batch(kinds, results, way, ray)
            began = time.monotonic()
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            usage = Usage(process.pid, *roots)
            process.wait()
            seconds = time.monotonic() - began
            usage.end()
        wrong = tuple(wrong_in(results, kinds))
        return Part(
            way=way,
            apps=self._apps,
            first=first,
            tasks=count,
            right=count - len(wrong),
            seconds=round(seconds, 2),
            cpu_s=round(usage.cpu_s, 2),
            most_mb=usage.most_mb,
            wrong=wrong,
            machine=str(this_machine("the Chrome that is found")),
        )

    def _batch(self, kinds: dict[int, Kind], results: Path, way: str, ray: str | None) -> list[str]:
        """One command for all of them."""
        tasks = results.with_suffix(".tasks")
        lines = [json.dumps({"id": number, "steps": kind.steps(number)}) for number, kind in kinds.items()]
        tasks.write_text("".join(f"{line}\n" for line in lines))
        at_once = str(_RAY_AT_ONCE) if ray else way
        words = ["batch", str(tasks), "-o", str(results), "--concurrency", at_once, "--quiet"]
        return [sys.executable, "-m", "cdp_agent", *words, *(["--ray", ray] if ray else [])]

    def _single(self, kinds: dict[int, Kind], results: Path) -> list[str]:
        """A command for each of them, one after another, as a script would do it."""
        lines = []
        for number, kind in kinds.items():
            file = results.with_name(f"{number}.steps")
            file.write_text("\n".join(kind.steps(number)))
            done = json.dumps({"id": number, "ok": True})
            lines.append(f"{sys.executable} -m cdp_agent do {file} --once -q && echo '{done}' >> {results}")
        script = results.with_suffix(".sh")
        script.write_text("\n".join(lines))
        return ["sh", str(script)]


def wrong_in(results: Path, kinds: Mapping[int, Kind]) -> Iterator[str]:
    """What is wrong in results of tasks of these kinds, by their numbers."""
    lines = results.read_text("utf-8").splitlines() if results.exists() else []
    found: dict[int, list[dict[str, object]]] = defaultdict(list)
    for each in map(json.loads, lines):
        found[each["id"]].append(each)
    for number, kind in kinds.items():
        if len(found[number]) != 1:
            yield f"{kind.name}: {len(found[number])} results"
        elif not found[number][0]["ok"]:
            yield f"{kind.name}: {found[number][0]['error']}"
        elif kind.left is not None and (count := kind.left(number)) != 1:
            yield f"{kind.name}: its program has what it leaves {count} times"


@contextmanager
def ray_cluster() -> Iterator[tuple[str, list[int]]]:
    """Two nodes; the address, and the processes that everything in them is below. Raises NotFetched."""
    try:
        from ray.cluster_utils import Cluster  # what measures a cluster needs it, and nothing else here
    except ImportError as error:
        raise NotFetched(f"Ray is not installed: {install_command('ray')}") from error
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 4})
    try:
        cluster.add_node(num_cpus=4)
        nodes = cluster.list_all_nodes()
        yield (
            str(cluster.address),
            [each.process.pid for node in nodes for kind in node.all_processes.values() for each in kind],
        )
    finally:
        cluster.shutdown()


def read(file: Path) -> list[Part]:
    """The parts that are over."""
    return [msgspec.json.decode(line, type=Part) for line in file.read_bytes().splitlines()] if file.exists() else []


def shown(parts: Sequence[Part]) -> str:
    """A row for each way, all of its parts together."""
    rows = []
    for way, name in WAYS.items():
        of_way = [each for each in parts if each.way == way]
        tasks, seconds = sum(each.tasks for each in of_way), sum(each.seconds for each in of_way)
        if tasks:
            rows.append(
                [
                    name,
                    f"{sum(each.right for each in of_way)} of {tasks}",
                    f"{seconds:.1f}",
                    f"{60 * tasks / seconds:.1f}",
                    f"{sum(each.cpu_s for each in of_way) / tasks:.2f}",
                    f"{max(each.most_mb for each in of_way):,.0f}",
                ]
            )
    return table(["way", "right", "seconds", "a minute", "CPU s a task", "most MB"], rows)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, metavar="FILE", help="a line for each part that is over")
    parser.add_argument("--tasks", type=int, default=200, help="in each way")
    parser.add_argument("--only", nargs="+", choices=WAYS, default=list(WAYS), help="in these ways")
    parser.add_argument("--apps", nargs="+", choices=APPS, default=list(APPS), help="tasks of these programs")
    parser.add_argument("--part", type=int, metavar="N", help="tasks in a part")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a task is not right")
    given = parser.parse_args(arguments)
    apps = tuple(given.apps)
    if any(each.apps != apps for each in read(given.file)):
        parser.error(f"{given.file} is of other programs: give another FILE, or the same --apps")
    with kinds_of(apps) as kinds, tempfile.TemporaryDirectory() as folder, given.file.open("ab") as file:
        bench = Bench(apps, kinds, Path(folder))
        for way in given.only:
            while (done := sum(each.tasks for each in read(given.file) if each.way == way)) < given.tasks:
                left = given.tasks - done
                most = given.part or (_SINGLE_PART if way == "single" else left)
                part = bench.part(way, done, min(left, most))
                file.write(msgspec.json.encode(part) + b"\n")
                file.flush()
                print(f"{WAYS[way]}: {part.right} of {part.tasks} right in {part.seconds:.0f} s", file=sys.stderr)
    parts = read(given.file)
    print(f"{parts[-1].machine}\n\n{shown(parts)}")
    finish([f"{WAYS[each.way]}: {wrong}" for each in parts for wrong in each.wrong], check=given.check)


if __name__ == "__main__":
    main()
