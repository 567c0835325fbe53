"""Which of our figures became worse than they were, by more than what is noise.

A figure is worse when its median is more than 5 % above the one before, and when nothing in which the two medians may
lie is common to both (`Spread.bounds`). A run has hundreds of figures, so that some of them are so by chance: what is
compared within a run is measured again, and is worse only if it is so again. Between days the machine may have
changed: times are set against how much longer the floor took. Memory of Chrome is Chrome's, and is not judged.
"""

from __future__ import annotations

import msgspec

from bench.peers import FLOOR, US
from bench.report import Spread, geometric_mean, number

from . import figures
from .figures import Figure, Figures

LEAST_PART = 0.05
"""Less than this part more is no change."""
LEAST_VALUES = 3
"""Fewer times than this tell nothing; sizes and counts are the same each time."""

_TIMES = ("ms", "µs")
_OF_CHROME = (figures.ORDERS_CHROME, figures.ORDERS_MOST)


class Worse(msgspec.Struct, frozen=True):
    measure: str
    page: str
    unit: str
    before: Spread
    now: Spread

    def __str__(self) -> str:
        where = f", {self.page}" if self.page else ""
        times = f", {number(self.now.median / self.before.median)} times" if self.before.median else ""
        return f"{self.measure}{where}: {self.before} → {self.now} {self.unit}".rstrip() + times


def worse(before: list[Figure], now: list[Figure], slower: float = 1.0) -> list[Worse]:
    """Those of ours that both runs have. Less is better in all of them.

    `slower` is how many times as long as before the machine takes for the same.
    """
    known = Figures(before)
    found = []
    for figure in now:
        was = known.of(*figure.key)
        if figure.side == US and was is not None and _rose(was, figure, slower if figure.unit in _TIMES else 1.0):
            found.append(Worse(figure.measure, figure.page, figure.unit, was, figure.spread))
    return found


def worse_than(side: str, measured: list[Figure]) -> list[Worse]:
    """Those of ours that were better on another side of the same run, such as an older state of this project."""
    return worse([msgspec.structs.replace(each, side=US) for each in measured if each.side == side], measured)


def machine_factor(before: list[Figure], now: list[Figure]) -> float:
    """How much slower the floor was: what the machine, and not we, has to do with it."""
    known = Figures(before)
    ratios = [
        figure.spread.median / was.median
        for figure in now
        if figure.side == FLOOR and figure.unit == "ms" and (was := known.of(*figure.key)) and was.median
        if figure.spread.median
    ]
    return geometric_mean(ratios) if ratios else 1.0


def _rose(was: Spread, figure: Figure, slower: float) -> bool:
    now = figure.spread
    if figure.measure in _OF_CHROME or (figure.unit in _TIMES and min(was.n, now.n) < LEAST_VALUES):
        return False
    apart = now.bounds[0] > was.bounds[1] * slower
    return apart and now.median > was.median * slower * (1 + LEAST_PART)
