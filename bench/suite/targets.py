"""What we want each figure to be: the marks, as data, and whether they are met."""

from __future__ import annotations

import msgspec

from bench.peers import FLOOR, PLAYWRIGHT_PYTHON, US

from . import figures
from .figures import Figures


class Mark(msgspec.Struct, frozen=True):
    """Ours on this page ("": on every page where it was measured) is to be `most` at most.

    With `against`, ours divided by that side's.
    """

    measure: str
    page: str
    most: float
    unit: str = "ms"
    against: str = ""


class Judged(msgspec.Struct, frozen=True):
    mark: Mark
    page: str
    value: float | None
    """None: not measured."""
    floor: float | None
    """The same of the floor, where it has it."""

    @property
    def met(self) -> bool | None:
        return None if self.value is None else self.value <= self.mark.most


LARGE = "documentation, 38,000"
MARKS = [
    Mark(figures.REPEATED, "mail task", 1.0),
    Mark(figures.REPEATED, "short admin table", 3),  # the mark was set on an admin table of 300 elements
    Mark(figures.REPEATED, "admin table", 3),
    Mark(figures.REPEATED, "notebook app", 5.5),
    Mark(figures.REPEATED, "documentation, 8,000", 40),
    Mark(figures.REPEATED, LARGE, 330),
    Mark(figures.REPEATED, "documentation, 75,000", 600),
    Mark(figures.REPEATED, "200 + 50 iframes", 70),
    Mark(figures.REPEATED, "20,000 table rows", 1_000),
    Mark(figures.CHANGED, LARGE, 40),
    Mark(figures.WITHIN, LARGE, 200),
    Mark(figures.CHARACTERS, "", 0.5, "", PLAYWRIGHT_PYTHON.name),
    Mark(figures.MISSING, "", 0, ""),
    Mark(figures.EVALUATE, "small form", 0.4),
    Mark(figures.CLICK, "small form", 2.5),
    Mark(figures.FILL, "small form", 2.5),
    Mark(figures.COLD_START, "small form", 130),
    Mark(figures.MEMORY, "small form", 40, "MB"),
    Mark(figures.MEMORY, LARGE, 60, "MB"),
    Mark(figures.IMPORT, "", 80),
    Mark(figures.INSTALLED, "", 30, "MB"),
    Mark(figures.TABS_RATIO, "32 tabs", 1.5, ""),
]


def judge(found: Figures) -> list[Judged]:
    """Every mark, once for each page that it is for."""
    judged = []
    for mark in MARKS:
        pages = [mark.page] if mark.page else found.pages(mark.measure) or [""]
        judged += [
            Judged(mark, page, _value(found, mark, page, US), _value(found, mark, page, FLOOR)) for page in pages
        ]
    return judged


def _value(found: Figures, mark: Mark, page: str, side: str) -> float | None:
    measured = found.of(mark.measure, page, side)
    if measured is None:
        return None
    if not mark.against:
        return measured.median
    theirs = found.of(mark.measure, page, mark.against)
    return measured.median / theirs.median if theirs else None
