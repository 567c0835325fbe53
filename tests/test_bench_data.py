"""What `python -m bench.data` calls right, told and wrong."""

from __future__ import annotations

from typing import Any

from bench import data
from cdp_agent.extract import Extraction
from cdp_agent.page.page import Page
from cdp_agent.providers.base import Usage
from tests.tables import table
from tests.writing import show

ROWS = data.rows_of(40)


@table("kind", list(data.PAGES))
async def test_extract_is_measured_without_anything_below_the_mark(kind: str, sheet: Page) -> None:
    await show(sheet, data.PAGES[kind](ROWS))

    results = [await data.measured(sheet, kind, ROWS, model, 4_000) for model in (data.MAPPING, "well", "lazily")]

    assert [(result.right, result.faults, result.told) for result in results] == [(40, 0, 0), (40, 0, 0), (30, 10, 10)]
    assert results[0].counts.calls == 1
    assert "| 40 | mapping | 4,000 | 40 |" in data.shown(results)


@table(
    ("elements", "more", "judged"),
    {
        "all of it": (ROWS, {}, (40, 0, 0, 0)),
        "one that is wrong": ([{**ROWS[0], "price": 0.5}, *ROWS[1:]], {}, (39, 1, 0, 0)),
        "half of it": (ROWS[:20], {"notices": ["20 of the 40 rows of the table are in the result."]}, (20, 20, 20, 0)),
        "twice": (ROWS * 2, {"notices": ["40 elements are given more often than on the page"]}, (40, 40, 40, 0)),
    },
)
def test_what_is_told(elements: list[data.Row], more: dict[str, Any], judged: tuple[int, int, int, int]) -> None:
    result = Extraction(elements, [], more.get("notices", []), 1, Usage())

    assert data.judged(result, ROWS) == judged
