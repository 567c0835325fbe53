"""The README's numbers, out of the results of our reference machine: `python -m bench.suite.readme` renews them."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bench.drivers.process import ROOT
from bench.peers import FLOOR, PLAYWRIGHT_PYTHON, US
from bench.report import Spread, number, table

from . import figures
from .figures import Figures, Result
from .targets import LARGE, judge

REFERENCE = ROOT / "bench/results/bench.json"
README = ROOT / "README.md"
BEGIN = "<!-- The numbers of bench/results/bench.json; renewed by `python -m bench.suite.readme`. -->"
END = "<!-- End of the numbers. -->"
_SIZES = (LARGE, "documentation, 75,000")
"""Of the pages that grow, those that are shown."""
_ROWS = [
    (figures.FIRST, "mail task", "first snapshot of a document, mail task, ms"),
    (figures.FIRST, LARGE, "first snapshot of a document, 38,000 elements, ms"),
    (figures.CHANGED, LARGE, "snapshot after a change, 38,000 elements, ms"),
    (figures.EVALUATE, "small form", "evaluate, ms"),
    (figures.CLICK, "small form", "click, settling apart, ms"),
    (figures.FILL, "small form", "fill, settling apart, ms"),
    (figures.FORM, "small form", "form of six fields, settling apart, ms"),
    (figures.COLD_START, "small form", "process start to first snapshot, attached, ms"),
    (figures.IMPORT, "", "import, ms"),
    (figures.MEMORY, "small form", "peak memory, small page, MB"),
    (figures.MEMORY, LARGE, "peak memory, 38,000 elements, MB"),
    (figures.INSTALLED, "", "installed, with dependencies, MB"),
    (figures.PACKAGES, "", "packages"),
    (figures.TABS, "32 tabs", "32 tabs at once: snapshot and click, ms a tab"),
]


def block(result: Result) -> str:
    """Both tables and what they were measured with, without the markers."""
    found = Figures(result.figures)
    sides = [side for side in result.sides if side != FLOOR]
    pages = [page for page in found.pages(figures.REPEATED) if not page.startswith("documentation") or page in _SIZES]
    rows = [_snapshot_row(found, sides, page) for page in pages]
    more = [
        [title, *(_short(found.of(measure, page, side)) for side in sides)]
        for measure, page, title in _ROWS
        if found.of(measure, page, US)
    ]
    judged = judge(found)
    met = sum(each.met is True for each in judged)
    return "\n\n".join(
        [
            table(["snapshot of, ms", "elements", *sides, f"characters, {PLAYWRIGHT_PYTHON.name} = 1"], rows),
            table(["", *sides], more),
            f"{met} of {len(judged)} marks are met; all figures with their spread, the marks, the floor and the plots "
            f"are in [bench/results](bench/results/bench.md). {result.machine}.",
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


def _snapshot_row(found: Figures, sides: list[str], page: str) -> list[str]:
    elements = found.of(figures.ELEMENTS, page, "")
    ours = found.of(figures.CHARACTERS, page, US)
    theirs = found.of(figures.CHARACTERS, page, PLAYWRIGHT_PYTHON.name)
    return [
        page,
        f"{elements.median:,.0f}" if elements else "",
        *(_short(found.of(figures.REPEATED, page, side)) for side in sides),
        f"{ours.median / theirs.median:.2f}" if ours and theirs else "–",
    ]


def _short(value: Spread | None) -> str:
    return number(value.median) if value else "–"


def main() -> None:
    README.write_text(renewed(README.read_text(encoding="utf-8"), read()), encoding="utf-8")


if __name__ == "__main__":
    main()
