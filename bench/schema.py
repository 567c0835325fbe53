"""What get_schema makes of real pages: how many elements of how many, in how many tokens, in what time.

python -m bench.schema [--only PART …] [--rounds 5] [--json FILE]

"listed by script" is what a script finds that asks for links, buttons, fields and roles in the tab's own document
(ChromePilot's way); in turns with it, in one tab, our snapshot and our schema. Milliseconds, medians.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Sequence
from typing import TypeVar

import msgspec

from bench.options import keep, options
from bench.pages import Served, named, serve_all
from bench.report import Machine, Spread, spread, table, this_machine
from cdp_agent import Browser, Page
from cdp_agent.page.snapshot.budget import tokens

_PAGES = ["mail task", "admin table", "notebook", "reference page", "frames"]
_LISTED = (
    "document.querySelectorAll('a,button,input,textarea,select,[role=button],[role=link],[role=tab],[role=menuitem],"
    "[role=checkbox],[role=radio],[role=textbox],[role=searchbox],[role=combobox],[onclick],[contenteditable],"
    "[tabindex]').length"
)
_T = TypeVar("_T")


class Row(msgspec.Struct, frozen=True):
    page: str
    listed: int
    raw: int
    elements: int
    tokens: int
    within_budget: int
    """How many elements 8,000 tokens hold."""
    snapshot_ms: Spread
    schema_ms: Spread


class Result(msgspec.Struct, frozen=True):
    machine: Machine
    rows: list[Row]


async def measure(page: Page, served: Served, rounds: int) -> Row:
    await page.goto(served.url)
    if served.page.prepare:
        await page.evaluate(served.page.prepare)
    ready = f"new Promise(done => {{ (function ask() {{ ({served.page.ready}) ? done() : setTimeout(ask, 50) }})() }})"
    await page.evaluate(ready, timeout_s=120)
    snapshots, schemas = [], []
    for _ in range(rounds + 1):
        snapshots.append((await _timed(page.snapshot()))[1])
        found, took = await _timed(page.schema())
        schemas.append(took)
    return Row(
        page=served.page.name,
        listed=await page.evaluate(_LISTED),
        raw=found.raw,
        elements=len(found.elements),
        tokens=tokens(found.text),
        within_budget=len((await page.schema(budget_tokens=8_000)).elements),
        snapshot_ms=spread(snapshots[1:]),
        schema_ms=spread(schemas[1:]),
    )


async def _timed(work: Awaitable[_T]) -> tuple[_T, float]:
    began = time.perf_counter()
    found = await work
    return found, (time.perf_counter() - began) * 1000


async def run(parts: Sequence[str], rounds: int) -> Result:
    with serve_all(named(parts)) as (pages, missing):
        for name, why in missing.items():
            print(f"{name}: {why}")
        async with Browser.launch(viewport=(1280, 800)) as browser:
            page = await browser.new_page()
            rows = [await measure(page, served, rounds) for served in pages]
            return Result(this_machine(browser.version.product), rows)


def written(result: Result) -> str:
    heads = ["page", "listed by script", "to act on", "in the schema", "tokens", "in 8,000", "snapshot", "schema"]
    rows = [
        [
            row.page,
            *(f"{each:,}" for each in (row.listed, row.raw, row.elements, row.tokens, row.within_budget)),
            str(row.snapshot_ms),
            str(row.schema_ms),
        ]
        for row in result.rows
    ]
    return f"{table(heads, rows)}\n\n{result.machine}"


def main() -> None:
    parser = options(__doc__, rounds=5)
    parser.add_argument("--only", nargs="+", default=_PAGES, metavar="PART", help="pages with this in their name")
    given = parser.parse_args()
    result = asyncio.run(run(given.only, given.rounds))
    print(written(result))
    keep(result, given.json)


if __name__ == "__main__":
    main()
