"""10,000 tabs on paper: how many nodes it takes, what breaks first, what it costs. A simulation of what was measured.

python -m bench.scale [--tabs N] [--inputs FILE] [--node-gb X] [--node-cores N] [--node-price X] [--mtbf-h X]
    [--seed N] [--json FILE]

The inputs are those of `python -m bench.batch FILE --tasks 200`: CPU seconds and memory of a task, and how long it
takes alone; without --inputs, those below, which such a run gave. Tasks come to an end after a time that varies as
measured tasks do (log-normal), wait for models for a part of it, and share a node's cores when they want one: that is
stepped through in seconds. A node dies now and then (--mtbf-h); its tasks begin again elsewhere.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from pathlib import Path

import msgspec

from bench.batch import Part, read
from bench.options import keep, options
from bench.report import table

_SPARE = 0.15
"""Of memory and cores, which nobody plans for."""
_CHROME_MB = 180.0
"""Of a Chrome without tabs, and what every tab shares of it; eight tasks share one."""
_TASKS_PER_CHROME = 8
_FILES_PER_TAB, _FILES = 12, 1_048_576
_PROCESSES_PER_TAB, _PROCESSES = 1.6, 32_768


class Inputs(msgspec.Struct, frozen=True):
    """Of one task of 14 steps, as measured: `memory_mb` is what one more adds, `seconds` how long it takes alone."""

    cpu_s: float
    memory_mb: float
    seconds: float
    variation: float = 0.35
    """Of how long a task takes: the standard deviation of its logarithm."""


class Node(msgspec.Struct, frozen=True):
    """A machine of a cluster; `price` is US dollars an hour."""

    cores: int
    gb: float
    price: float


class Outcome(msgspec.Struct, frozen=True):
    """What a cluster of so many nodes did. `tasks_h`: tasks done in an hour."""

    nodes: int
    tabs_per_node: int
    limited_by: str
    tasks_h: float
    busy: float
    task_s: float
    repeated: float
    dollars_per_1000: float


def limits(inputs: Inputs, node: Node, waits: float) -> dict[str, float]:
    """How many tabs a node bears by each of its means; `waits` is the part of a task's time that a model takes."""
    usable_mb = node.gb * 1024 * (1 - _SPARE)
    wall_s = inputs.seconds / (1 - waits)
    return {
        "memory": usable_mb / (inputs.memory_mb + _CHROME_MB / _TASKS_PER_CHROME),
        "CPU": node.cores * (1 - _SPARE) * wall_s / inputs.cpu_s,
        "processes": _PROCESSES / _PROCESSES_PER_TAB,
        "open files": _FILES / _FILES_PER_TAB,
    }


def simulate(
    tabs: int, inputs: Inputs, node: Node, waits: float, mtbf_h: float, seed: int, hours: float = 1.0
) -> Outcome:
    """An hour of a cluster that is as large as `limits` says, in steps of a second."""
    chance = random.Random(seed)
    borne = limits(inputs, node, waits)
    limited_by = min(borne, key=lambda name: borne[name])
    per_node = max(1, math.floor(borne[limited_by]))
    nodes = math.ceil(tabs / per_node)
    done = repeated = 0
    busy_s = task_s = 0.0
    sample = min(nodes, 5)  # nodes do not know of each other: a few of them stand for all
    for _ in range(sample):
        left = [_work(inputs, waits, chance, begun=chance.random()) for _ in range(min(per_node, tabs))]
        for _second in range(round(hours * 3600)):
            if chance.random() < 1 / (mtbf_h * 3600):
                repeated += len(left)
                left = [_work(inputs, waits, chance) for _ in left]
            wanting = [work for work in left if work.wants_cpu]
            share = min(1.0, node.cores / len(wanting)) if wanting else 1.0
            busy_s += min(len(wanting), node.cores)
            for place, work in enumerate(left):
                work.go_on(share)
                if work.over:
                    done += 1
                    task_s += work.took_s
                    left[place] = _work(inputs, waits, chance)
    tasks_h = done / sample * nodes / hours
    price = nodes * node.price
    return Outcome(
        nodes=nodes,
        tabs_per_node=per_node,
        limited_by=limited_by,
        tasks_h=tasks_h,
        busy=busy_s / (sample * node.cores * hours * 3600),
        task_s=task_s / max(done, 1),
        repeated=repeated / max(done, 1),
        dollars_per_1000=1000 * price / max(tasks_h, 1),
    )


class _Work:
    """A task under way: its steps want the CPU and wait in turn."""

    def __init__(self, cpu_s: float, wall_s: float, phase: float) -> None:
        self.took_s = 0.0
        self._cpu_left_s = cpu_s
        self._wants = cpu_s / wall_s
        self._phase = phase

    @property
    def wants_cpu(self) -> bool:
        return (self.took_s * 0.618 + self._phase) % 1.0 < self._wants

    @property
    def over(self) -> bool:
        return self._cpu_left_s <= 0

    def go_on(self, share: float) -> None:
        """A second in which it gets that share of a core when it wants one."""
        if self.wants_cpu:
            self._cpu_left_s -= share
        self.took_s += 1


def _work(inputs: Inputs, waits: float, chance: random.Random, begun: float = 0.0) -> _Work:
    times = chance.lognormvariate(-(inputs.variation**2) / 2, inputs.variation)
    cpu_s, wall_s = inputs.cpu_s * times, inputs.seconds / (1 - waits) * times
    return _Work(cpu_s * (1 - begun), wall_s, chance.random())


def inputs_from(file: Path) -> Inputs:
    """Those that a run of bench.batch has written down, of the ways one at once and eight at once."""
    ways: dict[str, list[Part]] = {}
    for each in read(file):
        ways.setdefault(each.way, []).append(each)
    one, most = ways["1"], ways["8"]
    added_mb = (max(each.most_mb for each in most) - max(each.most_mb for each in one)) / 7
    return Inputs(_a_task(most, "cpu_s"), added_mb, _a_task(one, "seconds"))


def _a_task(parts: Sequence[Part], name: str) -> float:
    return float(sum(getattr(each, name) for each in parts)) / sum(each.tasks for each in parts)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = options(__doc__)
    parser.add_argument("--tabs", type=int, default=10_000)
    parser.add_argument("--inputs", type=Path, metavar="FILE", help="of bench.batch")
    parser.add_argument("--node-cores", type=int, default=16)
    parser.add_argument("--node-gb", type=float, default=64.0)
    parser.add_argument("--node-price", type=float, default=0.68, metavar="X", help="US dollars an hour")
    parser.add_argument("--mtbf-h", type=float, default=200.0, help="hours between two deaths of a node")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    inputs = inputs_from(given.inputs) if given.inputs else MEASURED
    node = Node(given.node_cores, given.node_gb, given.node_price)
    print(f"Inputs: {inputs.cpu_s:.2f} CPU s and {inputs.memory_mb:.0f} MB a task, {inputs.seconds:.1f} s alone\n")
    rows, outcomes = [], []
    for name, waits in (("steps without a model", 0.0), ("a model takes half", 0.5), ("a model takes 90 %", 0.9)):
        found = simulate(given.tabs, inputs, node, waits, given.mtbf_h, given.seed)
        outcomes.append(found)
        bears = ", ".join(f"{means} {number:,.0f}" for means, number in limits(inputs, node, waits).items())
        rows.append(
            [
                name,
                f"{found.nodes:,}",
                f"{found.tabs_per_node:,} ({found.limited_by})",
                bears,
                f"{found.tasks_h:,.0f}",
                f"{found.task_s:.0f}",
                f"{found.busy:.0%}",
                f"{found.dollars_per_1000:.2f}",
            ]
        )
    heads = ["", "nodes", "tabs a node", "bears, by", "tasks an hour", "s a task", "busy", "$ for 1,000 tasks"]
    print(table(heads, rows))
    keep(outcomes, given.json)


MEASURED = Inputs(cpu_s=3.10, memory_mb=117.0, seconds=4.8)

if __name__ == "__main__":
    main()
