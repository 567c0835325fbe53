"""What a run gives: figures, each of one measure, of one side, on one page."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from bench.report import Machine, Spread

# The measures by name, so that marks, tables and plots mean the same.
FIRST = "first snapshot"
REPEATED = "snapshot"
CHANGED = "snapshot after a change"
WITHIN = "snapshot within 10,000 tokens"
CHARACTERS = "characters of a snapshot"
TOKENS = "tokens of a snapshot"
ELEMENTS = "elements"
INTERACTIVE = "interactive elements"
MISSING = "interactive elements missing"
WALK = "bare walk inside the page"
EVALUATE = "evaluate"
CLICK = "click"
FILL = "fill"
FORM = "form of 6 fields"
SETTLING = ", settling"
COLD_START = "process start to first snapshot"
IMPORT = "import"
MEMORY = "peak memory"
INSTALLED = "installed"
PACKAGES = "packages"
TABS = "tabs at once, per tab"
TABS_RATIO = "tabs at once, per tab against one alone"
TURN = "a turn of the agent's loop"
TURN_TOKENS = "prompt tokens of a turn"
ORDER = "an order, 8 at once"
ORDER_CPU = "CPU of an order, Chrome's too"
ORDERS_FAILED = "orders that failed"
ORDERS_MEMORY = "memory without Chrome's"
ORDERS_CHROME = "memory of Chrome"
ORDERS_GROWTH = "memory without Chrome's, against halfway"
ORDERS_MOST = "most memory of all, Chrome's too"


class Figure(msgspec.Struct, frozen=True):
    """`unit` is ms, MB, or "" for a plain number; less is better in all. `page` is "" where there is none."""

    measure: str
    page: str
    side: str
    unit: str
    spread: Spread

    @property
    def key(self) -> tuple[str, str, str]:
        return self.measure, self.page, self.side


class Result(msgspec.Struct, frozen=True):
    """A run. `not_measured` says what is missing, and why."""

    machine: Machine
    sides: list[str]
    not_measured: list[str]
    figures: list[Figure]


class Figures:
    """Those of a run, to look one up."""

    def __init__(self, figures: Iterable[Figure]) -> None:
        self._by_key = {figure.key: figure for figure in figures}

    def of(self, measure: str, page: str, side: str) -> Spread | None:
        figure = self._by_key.get((measure, page, side))
        return figure.spread if figure else None

    def pages(self, measure: str) -> list[str]:
        """On which pages this was measured, in the order of the run."""
        return list(dict.fromkeys(page for name, page, _ in self._by_key if name == measure))

    def all(self) -> list[Figure]:
        return list(self._by_key.values())
