"""Figures as Markdown: medians with their spread, on which machine, by which command."""

from __future__ import annotations

import datetime
import math
import os
import platform
import statistics
import sys
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path

import msgspec


class Spread(msgspec.Struct, frozen=True, omit_defaults=True):
    """Milliseconds (or whatever was measured): the median, the least and the most of `n`.

    The median itself is as good as certainly between `low` and `high`: see `bounds`.
    """

    median: float
    least: float
    most: float
    n: int
    low: float | None = None
    high: float | None = None

    @property
    def bounds(self) -> tuple[float, float]:
        """Results from before they were written down have the least and the most."""
        return (self.least if self.low is None else self.low, self.most if self.high is None else self.high)

    def __str__(self) -> str:
        return f"{number(self.median)} ({number(self.least)}–{number(self.most)})"


def spread(values: Sequence[float], turns: Sequence[int] = ()) -> Spread:
    """`turns` are the turns in which the values were measured.

    The bounds of the median are those that hold in 19 of 20 cases whatever the values' distribution is (the values of
    the ranks n/2 ± √n), and as wide as the medians of the turns differ: what others do on the machine lasts, so that
    the values of one turn resemble each other more than those of two.
    """
    ordered, n = sorted(values), len(values)
    reach = math.sqrt(n)
    low, high = ordered[max(0, math.floor(n / 2 - reach))], ordered[min(n - 1, math.ceil(n / 2 + reach) - 1)]
    by_turn: dict[int, list[float]] = {}
    for turn, value in zip(turns, values, strict=False):
        by_turn.setdefault(turn, []).append(value)
    medians = [statistics.median(each) for each in by_turn.values()]
    return Spread(statistics.median(ordered), ordered[0], ordered[-1], n, min([low, *medians]), max([high, *medians]))


def geometric_mean(values: Sequence[float]) -> float:
    return math.exp(statistics.fmean(math.log(value) for value in values))


def number(value: float) -> str:
    """Three digits at most that mean something, thousands set apart."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Markdown; every column but the first is set to the right."""
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


class Machine(msgspec.Struct, frozen=True):
    """Where and with what a run was made."""

    day: str
    cpu: str
    cores: int
    memory_gb: int
    system: str
    python: str
    chrome: str
    versions: dict[str, str]
    command: str

    def __str__(self) -> str:
        libraries = ", ".join(f"{name} {number}" for name, number in self.versions.items())
        return (
            f"`{self.command}`, {self.day}: {self.cores} cores ({self.cpu}), {self.memory_gb} GB, {self.system}, "
            f"Python {self.python}, {self.chrome}; {libraries}"
        )


def this_machine(chrome: str, *, program: str = "", **peers: str) -> Machine:
    """`program` is what was called; by default the module that runs."""
    return Machine(
        day=datetime.date.today().isoformat(),
        cpu=_cpu(),
        cores=os.cpu_count() or 0,
        memory_gb=round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        system=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        chrome=chrome,
        versions={"cdp_agent": version("cdp-agent"), **peers},
        command=" ".join([program or f"python -m bench.{Path(sys.argv[0]).stem}", *sys.argv[1:]]),
    )


def _cpu() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())
