"""What we want each figure to be: the marks, as data, each with its reason, and whether they are met.

A time alone says as much of the machine as of us. So a time is held against what nobody can go below on the machine
(the floor), or against the fastest peer in the same run; a fixed one is for what a person or a program waits for.
"""

from __future__ import annotations

import msgspec

from bench.peers import FLOOR, PEERS, PLAYWRIGHT_PYTHON, US

from . import figures
from .figures import Figures

FASTEST = "the fastest peer"
BESIDE_WORDS = "Playwright, beside the words"
"""Playwright's, both without the words of the page that are seen, which are the floor's."""
_PEERS = [peer.name for peer in PEERS if peer.name not in (US, FLOOR)]


class Mark(msgspec.Struct, frozen=True):
    """Ours on these pages (none: on every page where it was measured) is to be `most` at most.

    With `against`, ours divided by that side's.
    """

    measure: str
    pages: tuple[str, ...]
    most: float
    unit: str = ""
    against: str = ""
    why: str = ""


class Judged(msgspec.Struct, frozen=True):
    """`page` is the one where the value is highest, of so many on which it was measured."""

    mark: Mark
    pages: int
    page: str
    value: float
    missed: tuple[str, ...]
    """The pages on which it is above the mark."""

    @property
    def met(self) -> bool:
        return not self.missed


LARGE = "documentation, 38,000"
LARGER = "documentation, 75,000"
FORM = "small form"
_SMALL = ("mail task", "short admin table", "kitchen sink")
_FIRST = (*_SMALL, "notebook app")
_LONG = ("admin table", LARGE, LARGER, "20,000 table rows")
DEMO_SHOP = "the demo shop"
LAST_ORDERS = "after the last orders"
MARKS = [
    Mark(figures.REPEATED, (), 1, "", FASTEST, "What has not changed is not read again; the peers read all of it."),
    Mark(
        figures.REPEATED,
        (*_FIRST, FORM),
        3,
        "",
        FLOOR,
        "The floor is two calls, and leaves out what only Chrome can tell: nodes that no script sees, who listens, "
        "what custom elements say of themselves.",
    ),
    Mark(figures.REPEATED, _LONG, 1, "", FLOOR, "The floor reads the page again, and we need not."),
    Mark(
        figures.REPEATED,
        ("API explorer",),
        15,
        "ms",
        "",
        "Other pages of its size take 6 to 9.",
    ),
    Mark(
        figures.REPEATED, ("200 + 50 iframes",), 50, "ms", "", "Each frame may have changed, and 50 are of other sites."
    ),
    Mark(figures.FIRST, _FIRST, 1, "", FASTEST, "Every navigation needs one, so it is what a task waits for most."),
    Mark(figures.FIRST, _SMALL, 40, "ms", "", "agent-browser and puppeteer-core take 9 to 44 for these."),
    Mark(figures.CHANGED, (LARGE,), 1, "", FLOOR, "Only what changed is read."),
    Mark(figures.WITHIN, (LARGE,), 200, "ms", "", "The page is cut for the budget in Python; the floor has none."),
    Mark(
        figures.CHARACTERS,
        (),
        0.5,
        "",
        BESIDE_WORDS,
        "A model pays for each. The words of a page are in every snapshot, and on a page of little else they are most "
        "of any; what can be less is all beside them.",
    ),
    Mark(figures.MISSING, (), 0, "", "", "What a model is not shown it cannot use."),
    Mark(figures.EVALUATE, (FORM,), 2, "", FLOOR, "One call as the floor's, but out of an event loop."),
    Mark(
        figures.CLICK,
        (FORM,),
        2,
        "",
        FLOOR,
        "Chrome itself takes the floor's time for three mouse events, which grows with the machine's load; ours looks "
        "first whether the place is the element's.",
    ),
    Mark(figures.FILL, (FORM,), 1, "", FASTEST, "The floor has the focus already, and checks nothing."),
    Mark(figures.FORM, (FORM,), 1, "", FASTEST, "Six fields and a click, which no task gets around."),
    Mark(figures.COLD_START, (FORM,), 1.2, "", FLOOR, "The floor is Python's start, a connection and a walk."),
    Mark(figures.IMPORT, ("",), 100, "ms", "", "Each command of the shell and each test waits for it."),
    Mark(figures.MEMORY, (FORM,), 40, "MB", "", "The floor, which is Python and a connection, takes 26."),
    Mark(figures.MEMORY, (LARGE,), 60, "MB", "", "The floor takes 30 with the text alone."),
    Mark(
        figures.INSTALLED,
        ("",),
        40,
        "MB",
        "",
        "jsonschema-rs, which checks answers, is 10 of it, our own code, compiled, is 8.",
    ),
    Mark(figures.TABS_RATIO, ("32 tabs",), 1.5, "", "", "Tabs do not wait for each other."),
    Mark(figures.ORDER, (), 1, "", FASTEST, "A task by its agent, beside a plain loop over Playwright."),
    Mark(figures.ORDERS_FAILED, (), 0, "", "", "Each order is placed once, and told as what it is."),
    Mark(figures.ORDERS_GROWTH, (LAST_ORDERS,), 1.05, "", "", "What a task has taken it gives back."),
]


def judge(measured: Figures) -> list[Judged]:
    """Every mark of which something was measured."""
    judged = []
    for mark in MARKS:
        values = {page: _value(measured, mark, page) for page in mark.pages or measured.pages(mark.measure)}
        known = {page: value for page, value in values.items() if value is not None}
        if known:
            worst = max(known, key=lambda page: known[page])
            missed = tuple(page for page, value in known.items() if value > mark.most)
            judged.append(Judged(mark, len(known), worst, known[worst], missed))
    return judged


def _value(measured: Figures, mark: Mark, page: str) -> float | None:
    ours = measured.of(mark.measure, page, US)
    if ours is None:
        return None
    if not mark.against:
        return ours.median
    if mark.against == FASTEST:
        theirs = [each.median for name in _PEERS if (each := measured.of(mark.measure, page, name))]
        return ours.median / min(theirs) if theirs else None
    words = measured.of(mark.measure, page, FLOOR) if mark.against == BESIDE_WORDS else None
    side = PLAYWRIGHT_PYTHON.name if mark.against == BESIDE_WORDS else mark.against
    other = measured.of(mark.measure, page, side)
    if other is None:
        return None
    less = words.median if words else 0.0
    return (ours.median - less) / (other.median - less)
