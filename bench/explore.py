"""search_page, find_elements and markdown beside Playwright doing the same: the same Chrome, the same tab, in turns.

Ours reads all frames and shadow roots, and each thing found has a ref to act on; Playwright reads the main frame.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import msgspec

from bench import markdown, raw
from bench.cache import NotFetched, python_in, python_packages
from bench.chrome import running_chrome
from bench.drivers.process import PLAYWRIGHT, DriverFailed, DriverProcess, driving
from bench.options import finish, keep, options
from bench.pages import Served, named, opened, serve_all
from bench.peers import HTML2TEXT, MARKDOWNIFY
from bench.report import Machine, Spread, number, spread, table, this_machine

WORDS = {"mail task": "Bettine", "reference page": "iterable", "index page": "module"}
"""A word that the page has, for each of markdown.PAGES."""
LINKS = {"selector": "a", "attribute": "href", "most": 20}
FIND = {"mail task": {"selector": "div", "attribute": "class", "most": 20}}
"""What is looked for on a page that has no links; on all others LINKS."""
CATASTROPHIC = "(a+)+$"
ADD_A_RUN = "document.body.append(Object.assign(document.createElement('p'), {textContent: 'a'.repeat(5000) + 'b'}))"
"""What makes the pattern catastrophic: no real page has so long a run."""
REFUSED_WITHIN_MS = 300.0
TOO_LONG = "takes too long"


class Search(msgspec.Struct, frozen=True):
    """Milliseconds. `text` is the page's text searched in Python, for orientation: it gives no elements."""

    page: str
    elements: int
    word: str
    ours: Spread
    playwright: Spread
    text: Spread
    our_total: int
    playwright_total: int
    text_total: int


class Find(msgspec.Struct, frozen=True):
    """Milliseconds. `playwright` is count() and evaluate_all(), `at_once` one evaluate_all() for both."""

    page: str
    elements: int
    selector: str
    ours: Spread
    playwright: Spread
    at_once: Spread
    our_total: int
    playwright_total: int
    same: bool
    """Whether the addresses of the first ones are the same."""


class Refused(msgspec.Struct, frozen=True):
    """How long a pattern that cannot be matched in any time took until it was refused, and with what words."""

    page: str
    pattern: str
    ms: Spread
    error: str


class Result(msgspec.Struct, frozen=True):
    machine: Machine
    searches: list[Search]
    finds: list[Find]
    refused: list[Refused]
    markdown: list[markdown.Row]
    not_measured: dict[str, str]
    below: list[str]


def measure(endpoint: str, served: Served, rounds: int) -> tuple[Search, Find, Refused]:
    ours = [sys.executable, "-m", "bench.drivers.our_explore"]
    theirs = [str(python_in(python_packages(PLAYWRIGHT))), "-m", "bench.drivers.playwright_explore"]
    with (
        opened(endpoint, served) as (tab, elements),
        driving(ours, endpoint) as us,
        driving(theirs, endpoint) as them,
    ):
        for driver in (us, them):
            driver.do("attach", url=tab.evaluate("location.href"))
        name = served.page.name
        searched = _search(us, them, name, elements, rounds)
        found = _find(us, them, name, elements, rounds)
        tab.evaluate(ADD_A_RUN)
        return searched, found, _refuse(us, name, rounds)


def _search(us: DriverProcess, them: DriverProcess, page: str, elements: int, rounds: int) -> Search:
    asked = {"word": WORDS[page]}
    first = us.do("search", **asked), them.do("search", **asked), them.do("search_text", **asked)
    ours, playwright, text = [], [], []
    for _ in range(rounds):
        ours.append(us.do("search", **asked)["ms"])
        playwright.append(them.do("search", **asked)["ms"])
        text.append(them.do("search_text", **asked)["ms"])
    return Search(
        page=page,
        elements=elements,
        word=asked["word"],
        ours=spread(ours),
        playwright=spread(playwright),
        text=spread(text),
        our_total=first[0]["total"],
        playwright_total=first[1]["total"],
        text_total=first[2]["total"],
    )


def _find(us: DriverProcess, them: DriverProcess, page: str, elements: int, rounds: int) -> Find:
    asked = FIND.get(page, LINKS)
    mine, theirs = us.do("find", **asked), them.do("find", **asked)
    them.do("find_at_once", **asked)
    ours, playwright, at_once = [], [], []
    for _ in range(rounds):
        ours.append(us.do("find", **asked)["ms"])
        playwright.append(them.do("find", **asked)["ms"])
        at_once.append(them.do("find_at_once", **asked)["ms"])
    # A link without an address has none for us, and "" for Playwright's users, who read the property.
    values = [[each or "" for each in answer["values"]] for answer in (mine, theirs)]
    return Find(
        page=page,
        elements=elements,
        selector=str(asked["selector"]),
        ours=spread(ours),
        playwright=spread(playwright),
        at_once=spread(at_once),
        our_total=mine["total"],
        playwright_total=theirs["total"],
        same=values[0] == values[1],
    )


def _refuse(us: DriverProcess, page: str, rounds: int) -> Refused:
    answers = [us.do("refuse", pattern=CATASTROPHIC) for _ in range(rounds + 1)]
    return Refused(page, CATASTROPHIC, spread([each["ms"] for each in answers]), answers[0]["error"])


def shortfalls(searches: Sequence[Search], finds: Sequence[Find], refused: Sequence[Refused]) -> list[str]:
    """Where we are not ahead, do not find the same, or let a pattern run on."""
    below = []
    for search in searches:
        if search.playwright.median <= search.ours.median:
            below.append(f"search, {search.page}: Playwright is as fast")
        if not search.our_total or search.our_total < search.playwright_total:
            below.append(f"search, {search.page}: {search.our_total} found, {search.playwright_total} by Playwright")
    for find in finds:
        for name, theirs in (("Playwright", find.playwright), ("Playwright in one call", find.at_once)):
            if theirs.median <= find.ours.median:
                below.append(f"find, {find.page}: {name} is as fast")
        if find.our_total != find.playwright_total or not find.same:
            below.append(f"find, {find.page}: not the same was found")
    for each in refused:
        if each.ms.most >= REFUSED_WITHIN_MS:
            below.append(f"{each.pattern}, {each.page}: {number(each.ms.most)} ms, not {REFUSED_WITHIN_MS:g}")
        if TOO_LONG not in each.error:
            below.append(f"{each.pattern}, {each.page}: not refused")
    return below


def written(result: Result) -> str:
    searches = [
        [
            f"{each.page}: “{each.word}”",
            f"{each.elements:,}",
            str(each.ours),
            str(each.playwright),
            f"**{each.playwright.median / each.ours.median:.1f}×**",
            number(each.text.median),
            f"{each.our_total:,}",
            f"{each.playwright_total:,}",
            f"{each.text_total:,}",
        ]
        for each in result.searches
    ]
    finds = [
        [
            f"{each.page}: `{each.selector}`",
            f"{each.elements:,}",
            str(each.ours),
            str(each.playwright),
            f"**{each.playwright.median / each.ours.median:.1f}×**",
            str(each.at_once),
            f"{each.at_once.median / each.ours.median:.1f}×",
            f"{each.our_total:,}",
        ]
        for each in result.finds
    ]
    heads = ["search_page", "elements", "ours, ms", "get_by_text, ms", "ahead", "inner text and re, ms"]
    refused = [[each.page, str(each.ms), each.error or "not refused"] for each in result.refused]
    find_heads = ["find_elements", "elements", "ours, ms", "count() and evaluate_all(), ms", "ahead"]
    parts = [
        table([*heads, "matches", "elements by get_by_text", "matches by re"], searches),
        table([*find_heads, "one evaluate_all(), ms", "ahead", "total"], finds),
        f"`{CATASTROPHIC}`, with a paragraph of 5,000 times “a” and a “b” at the end of the page:\n\n"
        + table(["page", "ms", "answer"], refused),
        markdown.markdown(result.markdown),
        f"Medians of {result.searches[0].ours.n} after a first one (least–most), in turns. {result.machine}",
    ]
    return "\n\n".join(parts)


def run(rounds: int) -> Result:
    measured: list[tuple[Search, Find, Refused]] = []
    rows: list[markdown.Row] = []
    with serve_all(named(markdown.PAGES)) as (pages, not_measured), running_chrome() as endpoint:
        for served in pages:
            print(f"{served.page.name} …", file=sys.stderr)
            try:
                measured.append(measure(endpoint, served, rounds))
                rows.append(markdown.measure(endpoint, served, rounds))
            except (NotFetched, DriverFailed) as error:
                not_measured[served.page.name] = str(error)
        peers = dict(name.split("==") for name in (PLAYWRIGHT, HTML2TEXT, MARKDOWNIFY))
        machine = this_machine(raw.version(endpoint), **peers)
    searches, finds = [each[0] for each in measured], [each[1] for each in measured]
    refused = [each[2] for each in measured]
    below = [*shortfalls(searches, finds, refused), *markdown.shortfalls(rows)]
    below += [f"not measured: {name}: {why}" for name, why in not_measured.items()]
    return Result(machine, searches, finds, refused, rows, not_measured, below)


def main() -> None:
    arguments = options(__doc__, rounds=10, check=True).parse_args()
    result = run(arguments.rounds)
    keep(result, arguments.json)
    print(written(result) if result.searches else "Nothing was measured.")
    finish(result.below, check=arguments.check)


if __name__ == "__main__":
    main()
