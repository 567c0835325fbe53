"""Which of our figures became worse than they were, by more than both spread."""

from __future__ import annotations

import msgspec

from bench.peers import FLOOR, US
from bench.report import Spread, geometric_mean, number

from .figures import Figure, Figures

LEAST_PART = 0.03
"""Less than this part more is no change, even where nothing spreads (characters, sizes)."""


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


def worse(before: list[Figure], now: list[Figure]) -> list[Worse]:
    """Those of ours that both runs have. Less is better in all of them."""
    known = Figures(before)
    found = []
    for figure in now:
        was = known.of(*figure.key)
        if figure.side == US and was is not None and _rose(was, figure.spread):
            found.append(Worse(figure.measure, figure.page, figure.unit, was, figure.spread))
    return found


def worse_than(side: str, figures: list[Figure]) -> list[Worse]:
    """Those of ours that were better on another side of the same run, such as an older state of this project."""
    return worse([msgspec.structs.replace(each, side=US) for each in figures if each.side == side], figures)


def machine_factor(before: list[Figure], now: list[Figure]) -> float:
    """How much slower the floor was: what the machine, and not we, has to do with it."""
    known = Figures(before)
    ratios = [
        figure.spread.median / was.median
        for figure in now
        if figure.side == FLOOR and figure.unit == "ms" and (was := known.of(*figure.key)) and was.median
    ]
    return geometric_mean(ratios) if ratios else 1.0


def _rose(was: Spread, now: Spread) -> bool:
    """Each median is beyond all that the other run saw."""
    beyond = now.median > was.most and was.median < now.least
    return beyond and now.median > was.median * (1 + LEAST_PART)
