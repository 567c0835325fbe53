"""What a locator costs over a ref, by the lines of a snapshot.

python -m bench.locators [--only PART …] [--rounds 5] [--json FILE] [--check]

Of each page, up to 40 lines that no other line is like are taken as locators (`button "Save"`), in random order, and
their elements found by ref and by locator in turns; then by a row around, by text and by CSS. Milliseconds, medians.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import time
from collections import Counter
from collections.abc import Awaitable, Sequence

import msgspec

from bench.options import finish, keep, options
from bench.pages import GROWTH, PAGES, BenchPage, Served, serve_all
from bench.report import Machine, table, this_machine
from cdp_agent import Browser, Page
from cdp_agent.page.locators import matching
from cdp_agent.page.locators.query import Find, Query, words
from cdp_agent.page.page import tab_of
from cdp_agent.page.refs.locate import locate
from cdp_agent.page.snapshot.lines import read_line

_MOST_LINES = 40
_WANTED_MS = {"mail task": 3.0, GROWTH[38_000].name: 20.0}


class Row(msgspec.Struct, frozen=True):
    page: str
    elements: int
    lines: int
    found: int
    """Of how many lines the locator means the line's own element, and no other."""
    ref_ms: float
    role_ms: float
    text_ms: float
    css_ms: float


class Result(msgspec.Struct, frozen=True):
    machine: Machine
    rows: list[Row]


async def measure(page: Page, served: Served, rounds: int) -> Row:
    await page.goto(served.url, timeout_s=120)
    if served.page.prepare:
        await page.evaluate(served.page.prepare)
    ready = f"new Promise(done => {{ (function ask() {{ ({served.page.ready}) ? done() : setTimeout(ask, 50) }})() }})"
    await page.evaluate(ready, timeout_s=120)
    text = (await page.snapshot()).text
    lines = [
        line for line in map(read_line, text.split("\n")) if line is not None and line.ref and (line.name or line.text)
    ]
    alike = Counter((line.role, line.name or line.text) for line in lines)
    lines = [line for line in lines if alike[line.role, line.name or line.text] == 1]
    random.Random(7).shuffle(lines)
    by_ref, by_role, by_text, by_css, found = [], [], [], [], 0
    tab = tab_of(page)
    for line in lines[:_MOST_LINES]:
        name, ref = line.name or line.text or "", line.ref or ""
        role = Query((Find("role", line.role, words(name, exact=True)),))
        others = [
            Query((Find("text", words=words(name, exact=True)),)),
            Query((Find("css", "main a:first-child"),)),
        ]
        found += [element.ref for element in await matching.matches(tab, role)] == [ref]
        for _ in range(rounds):
            by_ref.append(await _ms(locate(tab, ref)))
            by_role.append(await _ms(matching.matches(tab, role)))
            by_text.append(await _ms(matching.matches(tab, others[0])))
            by_css.append(await _ms(matching.matches(tab, others[1])))
    count = await page.evaluate("document.querySelectorAll('*').length")
    medians = [statistics.median(times) for times in (by_ref, by_role, by_text, by_css)]
    return Row(served.page.name, count, len(lines[:_MOST_LINES]), found, *medians)


async def _ms(work: Awaitable[object]) -> float:
    began = time.perf_counter()
    await work
    return (time.perf_counter() - began) * 1000


async def measure_all(pages: Sequence[BenchPage], rounds: int) -> Result:
    with serve_all(pages) as (served_pages, _):
        async with Browser.launch() as browser:
            page = await browser.new_page()
            rows = [await measure(page, served, rounds) for served in served_pages]
    return Result(this_machine(browser.version.product), rows)


def main() -> None:
    parser = options(__doc__, rounds=5, check=True)
    parser.add_argument("--only", nargs="+", default=["mail task", "admin table", "reference page", "38,000"])
    arguments = parser.parse_args()
    pages = [page for page in [*PAGES, *GROWTH.values()] if any(part in page.name for part in arguments.only)]
    result = asyncio.run(measure_all(pages, arguments.rounds))
    keep(result, arguments.json)
    rows = [
        [row.page, f"{row.elements:,}", f"{row.found} of {row.lines}"]
        + [f"{ms:.1f}" for ms in (row.ref_ms, row.role_ms, row.text_ms, row.css_ms)]
        for row in result.rows
    ]
    heads = ["page", "elements", "lines found", "ref", "role and name", "text", "CSS"]
    print(f"{result.machine}\n\n{table(heads, rows)}")
    over = [row for row in result.rows if row.role_ms - row.ref_ms > _WANTED_MS.get(row.page, 1e9)]
    finish([f"{row.page}: {row.role_ms - row.ref_ms:.1f} ms over a ref" for row in over], check=arguments.check)


if __name__ == "__main__":
    main()
