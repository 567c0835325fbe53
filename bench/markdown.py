"""Our Markdown beside html2text and markdownify, which are given the markup by Playwright: one tab, in turns.

Only ours reads iframes and shadow roots, leaves out what is not seen, and has what is in the fields.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from bench import raw
from bench.cache import NotFetched
from bench.chrome import running_chrome
from bench.drivers.process import PLAYWRIGHT, DriverFailed, driving
from bench.options import finish, options
from bench.options import keep as keep_figures
from bench.pages import Served, named, opened, serve_all
from bench.peers import HTML2TEXT, MARKDOWNIFY, converters
from bench.report import Machine, Spread, number, spread, table, this_machine

PAGES = ("mail task", "reference page", "index page")
"""About 100, 8,000 and 35,000 elements."""
MOST_PYTHON_MS = 100.0
"""For each 10,000 elements."""


class Row(msgspec.Struct, frozen=True):
    """A page: times in milliseconds. `python` is the part of ours that Python itself takes (processor time)."""

    page: str
    elements: int
    ours: Spread
    python: Spread
    html2text: Spread
    markdownify: Spread
    content: Spread
    text: Spread
    our_characters: int
    html2text_characters: int
    markdownify_characters: int


class Result(msgspec.Struct, frozen=True):
    machine: Machine
    rows: list[Row]
    not_measured: dict[str, str]


def measure(endpoint: str, served: Served, rounds: int, keep: Path | None = None) -> Row:
    """One page by all of them."""
    ours = [sys.executable, "-m", "bench.drivers.our_markdown"]
    names = ("html2text", "markdownify", "content", "text")
    with (
        opened(endpoint, served) as (tab, elements),
        driving(ours, endpoint) as us,
        driving(converters(), endpoint) as them,
    ):
        for driver in (us, them):
            driver.do("attach", url=tab.evaluate("location.href"))
        first = us.do("markdown")["text"]
        texts = {name: them.do(name)["text"] for name in names}
        mine, python = [], []
        theirs: dict[str, list[float]] = {name: [] for name in names}
        for _ in range(rounds):
            answer = us.do("markdown")
            mine.append(answer["ms"])
            python.append(answer["python_ms"])
            for name in names:
                theirs[name].append(them.do(name)["ms"])
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
        for name, text in {"ours": first, **texts}.items():
            (keep / f"{served.page.name.replace(' ', '-')}.{name}.md").write_text(text, encoding="utf-8")
    return Row(
        page=served.page.name,
        elements=elements,
        ours=spread(mine),
        python=spread(python),
        html2text=spread(theirs["html2text"]),
        markdownify=spread(theirs["markdownify"]),
        content=spread(theirs["content"]),
        text=spread(theirs["text"]),
        our_characters=len(first),
        html2text_characters=len(texts["html2text"]),
        markdownify_characters=len(texts["markdownify"]),
    )


def shortfalls(rows: Sequence[Row]) -> list[str]:
    """Where we are not ahead, or slower than we claim."""
    below = []
    for row in rows:
        for name, theirs in (("html2text", row.html2text), ("markdownify", row.markdownify)):
            if theirs.median <= row.ours.median:
                below.append(f"{row.page}: {name} is as fast")
        if row.python.median > MOST_PYTHON_MS * max(row.elements / 10_000, 1):
            below.append(f"{row.page}: {number(row.python.median)} ms in Python for {row.elements:,} elements")
    return below


def markdown(rows: Sequence[Row]) -> str:
    """The rows as a table."""
    heads = ["page", "elements", "ours, ms", "of it Python", "html2text, ms", "markdownify, ms", "ahead"]
    heads += ["markup alone", "inner text alone", "characters", "html2text", "markdownify"]
    return table(
        heads,
        [
            [
                row.page,
                f"{row.elements:,}",
                str(row.ours),
                number(row.python.median),
                str(row.html2text),
                str(row.markdownify),
                f"**{row.html2text.median / row.ours.median:.1f}× {row.markdownify.median / row.ours.median:.1f}×**",
                number(row.content.median),
                number(row.text.median),
                f"{row.our_characters:,}",
                f"{row.html2text_characters:,}",
                f"{row.markdownify_characters:,}",
            ]
            for row in rows
        ],
    )


def run(pages: Sequence[str], rounds: int, keep: Path | None) -> Result:
    rows = []
    with serve_all(named(pages)) as (served, not_measured), running_chrome() as endpoint:
        for each in served:
            print(f"{each.page.name} …", file=sys.stderr)
            try:
                rows.append(measure(endpoint, each, rounds, keep))
            except (NotFetched, DriverFailed) as error:
                not_measured[each.page.name] = str(error)
        peers = dict(name.split("==") for name in (PLAYWRIGHT, HTML2TEXT, MARKDOWNIFY))
        machine = this_machine(raw.version(endpoint), **peers)
    return Result(machine, rows, not_measured)


def main() -> None:
    parser = options(__doc__, rounds=10, check=True)
    parser.add_argument("--page", action="append", help="pages whose name has this in it; may be repeated")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="write every text of each page there")
    arguments = parser.parse_args()
    result = run(arguments.page or PAGES, arguments.rounds, arguments.keep)
    keep_figures(result, arguments.json)
    print(markdown(result.rows) if result.rows else "Nothing was measured.")
    print(f"\nMedians of {arguments.rounds} after a first one (least–most), in turns. {result.machine}")
    below = shortfalls(result.rows) + [f"not measured: {name}: {why}" for name, why in result.not_measured.items()]
    finish(below, check=arguments.check)


if __name__ == "__main__":
    main()
