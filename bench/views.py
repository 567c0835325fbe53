"""What pages cost in tokens: their lines as programs read them, and as the agent's model is shown them.

Each page is looked at whole, without a budget, by an observer of its own. Those given with --url are gone through one
after the other by the same observer, so that the later ones come without what was shown of the one before.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from statistics import median

import msgspec

from bench import raw
from bench.chrome import running_chrome
from bench.drivers.process import DriverProcess, starting
from bench.options import keep, options
from bench.pages import Served, named, opened, serve_all
from bench.peers import TOKENIZERS, tokenizer
from bench.report import Machine, table, this_machine
from cdp_agent import Browser, Page
from cdp_agent.agent.observation.observer import Observer
from cdp_agent.page.snapshot.lines import heading, with_short_refs
from cdp_agent.security.fence import fence

PAGES = ["mail", "todo", "kitchen", "notebook", "admin", "reference"]
_NO_BUDGET = 10_000_000
Tokens = dict[str, int]
"""The number of tokens of a text by each way of counting."""


class Row(msgspec.Struct, frozen=True):
    page: str
    lines: Tokens
    """Of the lines that programs read."""
    short_refs: Tokens
    """Of the same lines with `E12` in place of `[ref=E12]`."""
    view: Tokens


class Result(msgspec.Struct, frozen=True):
    machine: Machine
    rows: list[Row]
    not_measured: dict[str, str]


class Counters:
    """Counts tokens with the tokenizers of two makers of models."""

    def __init__(self, stack: ExitStack) -> None:
        self._processes: dict[str, DriverProcess] = {
            name: stack.enter_context(starting(tokenizer(name))) for name in TOKENIZERS
        }

    def count(self, text: str) -> Tokens:
        counted = {name: int(process.do("count", text=text)["tokens"]) for name, process in self._processes.items()}
        return {"chars/4": len(text) // 4, **counted}


async def look(counters: Counters, observer: Observer, page: Page, name: str) -> Row:
    seen = await observer.observe(page)
    snapshot = await page.snapshot()
    lines = "The page now:\n" + fence(f"{heading(snapshot.url, snapshot.title)}\n\n{snapshot.text}", "page")
    return Row(
        name, counters.count(lines), counters.count(with_short_refs(lines)), counters.count(seen.view or "nothing new")
    )


async def _of_served(counters: Counters, endpoint: str, served: Served) -> Row:
    with opened(endpoint, served) as (tab, _):
        url = tab.evaluate("location.href")
        async with await Browser.connect(endpoint) as browser:
            page = next(page for page in browser.pages if page.url == url)
            return await look(counters, Observer(_NO_BUDGET), page, served.page.name)


async def _of_addresses(counters: Counters, endpoint: str, urls: Sequence[str]) -> list[Row]:
    async with await Browser.connect(endpoint) as browser:
        page, observer = await browser.new_page(), Observer(_NO_BUDGET)
        rows = []
        for url in urls:
            await page.goto(url)
            rows.append(await look(counters, observer, page, url))
        return rows


def run(pages: Sequence[str], urls: Sequence[str], chrome: str) -> Result:
    with ExitStack() as stack:
        counters = Counters(stack)
        served, not_measured = stack.enter_context(serve_all(named(pages) if pages else []))
        endpoint = chrome or stack.enter_context(running_chrome())
        rows = []
        for one in served:
            print(f"{one.page.name} …", file=sys.stderr)
            rows.append(asyncio.run(_of_served(counters, endpoint, one)))
        rows += asyncio.run(_of_addresses(counters, endpoint, urls)) if urls else []
        return Result(this_machine(raw.version(endpoint)), rows, not_measured)


def written(result: Result) -> str:
    """The table for people."""
    ways = list(result.rows[0].lines)
    heads = ["page", *(f"lines, {way}" for way in ways), *(f"view, {way}" for way in ways)]
    heads += [f"`E12` saves, {way}" for way in ways[1:]] + [f"view saves, {way}" for way in ways]
    rows = [
        [
            row.page,
            *(f"{row.lines[way]:,}" for way in ways),
            *(f"{row.view[way]:,}" for way in ways),
            *(f"{_saved(row, row.short_refs, way):.1f} %" for way in ways[1:]),
            *(f"{_saved(row, row.view, way):.1f} %" for way in ways),
        ]
        for row in result.rows
    ]
    medians = [median(_saved(row, row.short_refs, way) for row in result.rows) for way in ways[1:]]
    medians += [median(_saved(row, row.view, way) for row in result.rows) for way in ways]
    rows.append(["**median**", *[""] * (2 * len(ways)), *(f"{share:.1f} %" for share in medians)])
    notes = [
        f"Tokens: {', '.join(f'{name} by {package}' for name, package in TOKENIZERS.items())}. Lines: as programs read "
        "them, `[ref=E12]`. View: as the agent's model is shown the same page.",
        *(f"Not measured: {name}: {why}" for name, why in result.not_measured.items()),
        str(result.machine),
    ]
    return "\n\n".join([table(heads, rows), *notes])


def _saved(row: Row, tokens: Tokens, way: str) -> float:
    return 100 * (1 - tokens[way] / row.lines[way])


def main() -> None:
    parser: argparse.ArgumentParser = options(__doc__)
    parser.add_argument("--page", action="append", help="only pages of the benchmark whose name has this in it")
    parser.add_argument("--url", action="append", default=[], help="a page that is served already, in place of those")
    parser.add_argument(
        "--chrome", default="", help="the endpoint of a Chrome that is logged in, in place of a new one"
    )
    arguments = parser.parse_args()
    result = run([] if arguments.url else arguments.page or PAGES, arguments.url, arguments.chrome)
    keep(result, arguments.json)
    print(written(result))


if __name__ == "__main__":
    main()
