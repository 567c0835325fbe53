"""What the refs on a screenshot cost, over a plain one.

python -m bench.marks [--only PART …] [--rounds 10] [--json FILE] [--keep FOLDER]

In turns, in one tab of a Chrome of 1280 x 800: a plain screenshot (PNG), the same with marks (which reads the page
first), and the picture that a model is given each turn (JPEG; the page was read before). Milliseconds, medians.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Sequence
from pathlib import Path

import msgspec

from bench.options import keep, options
from bench.pages import Served, named, serve_all
from bench.report import Machine, Spread, spread, table, this_machine
from cdp_agent import Browser, Page
from cdp_agent.page.page import tab_of
from cdp_agent.page.picture.marks import locate_marks
from cdp_agent.page.picture.screenshot import take_picture
from cdp_agent.page.snapshot.lines import refs_in

_PAGES = ["mail task", "admin table", "reference page"]


class Row(msgspec.Struct, frozen=True):
    page: str
    refs: int
    marked: int
    plain_ms: Spread
    with_marks_ms: Spread
    for_model_ms: Spread
    picture_kb: float


class Result(msgspec.Struct, frozen=True):
    machine: Machine
    rows: list[Row]


async def measure(page: Page, served: Served, rounds: int) -> tuple[Row, bytes]:
    await page.goto(served.url)
    if served.page.prepare:
        await page.evaluate(served.page.prepare)
    ready = f"new Promise(done => {{ (function ask() {{ ({served.page.ready}) ? done() : setTimeout(ask, 50) }})() }})"
    await page.evaluate(ready, timeout_s=120)
    plain, marked, model = [], [], []
    for _ in range(rounds + 1):
        refs = refs_in((await page.snapshot()).text)
        plain.append(await _ms(page.screenshot()))
        marked.append(await _ms(page.screenshot(marks=True)))
        model.append(await _ms(take_picture(tab_of(page), refs)))
    picture = await take_picture(tab_of(page), refs)
    found = await locate_marks(tab_of(page), refs)
    row = Row(
        page=served.page.name,
        refs=len(refs),
        marked=len(found),
        plain_ms=spread(plain[1:]),
        with_marks_ms=spread(marked[1:]),
        for_model_ms=spread(model[1:]),
        picture_kb=len(picture.data) / 1000,
    )
    return row, picture.data


async def _ms(work: Awaitable[object]) -> float:
    began = time.perf_counter()
    await work
    return (time.perf_counter() - began) * 1000


async def measure_all(parts: Sequence[str], rounds: int) -> tuple[Result, dict[str, bytes]]:
    """And the pictures, by the names of the pages."""
    rows, pictures = [], {}
    with serve_all(named(parts)) as (pages, _):
        async with Browser.launch(viewport=(1280, 800)) as browser:
            page = await browser.new_page()
            for served in pages:
                row, pictures[row.page] = await measure(page, served, rounds)
                rows.append(row)
    return Result(this_machine(browser.version.product), rows), pictures


def main() -> None:
    parser = options(__doc__, rounds=10)
    parser.add_argument("--only", nargs="+", default=_PAGES)
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    result, pictures = asyncio.run(measure_all(arguments.only, arguments.rounds))
    if arguments.keep is not None:
        arguments.keep.mkdir(parents=True, exist_ok=True)
        for name, data in pictures.items():
            (arguments.keep / f"{name.replace(' ', '-')}.jpeg").write_bytes(data)
    keep(result, arguments.json)
    rows = [
        [
            each.page,
            f"{each.marked} of {each.refs:,}",
            str(each.plain_ms),
            str(each.with_marks_ms),
            str(each.for_model_ms),
            f"{each.picture_kb:.0f}",
        ]
        for each in result.rows
    ]
    heads = ["page", "refs seen", "plain", "with marks", "for a model", "its KB"]
    print(f"{result.machine}\n\n{table(heads, rows)}")


if __name__ == "__main__":
    main()
