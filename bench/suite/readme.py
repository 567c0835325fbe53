"""The README's numbers, out of the results of our reference machine: `python -m bench.suite.readme` renews them."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bench.drivers.process import ROOT
from bench.peers import PEERS, US
from bench.report import Spread, number, table

from . import figures
from .figures import Figures, Result
from .targets import DEMO_SHOP, FORM, LARGE, judge

REFERENCE = ROOT / "bench/results/bench.json"
README = ROOT / "README.md"
BEGIN = "<!-- The numbers of bench/results/bench.json; renewed by `python -m bench.suite.readme`. -->"
END = "<!-- End of the numbers. -->"
_ROWS = [
    (figures.REPEATED, "mail task", "snapshot again, 103 elements, ms"),
    (figures.REPEATED, "admin table", "snapshot again, 2,589 elements, ms"),
    (figures.REPEATED, LARGE, "snapshot again, 38,000 elements, ms"),
    (figures.FIRST, "mail task", "first snapshot of a document, 103 elements, ms"),
    (figures.FIRST, LARGE, "first snapshot of a document, 38,000 elements, ms"),
    (figures.CHANGED, LARGE, "snapshot after a change, 38,000 elements, ms"),
    (
        figures.CHARACTERS,
        "admin table",
        "characters of a snapshot, 2,589 elements (browser-use: what is near the view)",
    ),
    (figures.CLICK, FORM, "click, settling apart, ms"),
    (figures.FORM, FORM, "form of six fields, settling apart, ms"),
    (figures.COLD_START, FORM, "process start to first snapshot, attached, ms"),
    (figures.MEMORY, FORM, "peak memory, small page, MB"),
    (figures.INSTALLED, "", "installed, with dependencies, MB"),
    (figures.ORDER, DEMO_SHOP, "an order in a shop by an agent, 8 at once, ms"),
]


def block(result: Result) -> str:
    """The table and what it was measured with, without the markers."""
    found = Figures(result.figures)
    sides = [peer.name for peer in PEERS if peer.name in result.sides]
    rows = [
        [title, *(_short(found.of(measure, page, side)) for side in sides)]
        for measure, page, title in _ROWS
        if found.of(measure, page, US)
    ]
    judged = judge(found)
    return "\n\n".join(
        [
            table(["", *sides], rows),
            f"{sum(each.met for each in judged)} of {len(judged)} marks are met. All pages and figures with their "
            "spread, the marks with their reasons, and how costs grow are in [bench/results](bench/results/bench.md). "
            f"{result.machine}.",
        ]
    )


def renewed(readme: str, result: Result) -> str:
    """The README with the block between its markers. Raises ValueError when these are missing."""
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the README has no {BEGIN} … {END}")
    return f"{before}{BEGIN}\n{block(result)}\n{END}{after}"


def read(path: Path = REFERENCE) -> Result:
    return msgspec.json.decode(path.read_bytes(), type=Result)


def _short(value: Spread | None) -> str:
    return number(value.median) if value else "–"


def main() -> None:
    README.write_text(renewed(README.read_text(encoding="utf-8"), read()), encoding="utf-8")


if __name__ == "__main__":
    main()
