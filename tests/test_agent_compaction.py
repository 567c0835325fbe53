"""What a model still knows when its window was full: the task, the plan, what was tried and what was found."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from bench.long_runs import long_run, shop_served
from cdp_agent.agent.model import prompts
from cdp_agent.agent.model.history import CallResult, History
from cdp_agent.browser import Browser
from cdp_agent.providers.base import Assistant, ToolCall, ToolResult

PAGES = 5
"""Four steps are taken on each."""


@pytest.fixture(scope="module")
def shop() -> Iterator[str]:
    with shop_served() as address:
        yield address


async def test_a_long_run_keeps_within_its_window_and_knows_what_it_found(browser: Browser, shop: str) -> None:
    known, last = await long_run(browser, shop, 6_000, pages=PAGES)

    assert (known.success, known.steps) == (True, 4 * PAGES + 1)
    assert known.largest_request < 6_000 * 1.1
    assert 1 < known.shrunk <= known.steps / 6
    least = dict.fromkeys(("find_elements", "search_page", "extract", "said"), PAGES) | {"only shown": 1}
    assert {way: count for way, count in least.items() if known.facts[way] < count} == {}
    assert known.with_source == known.facts
    assert "Task: Compare the kettles." in last
    went = re.findall(r"^- .* · goto .*/(\d+)\.html\"} → went to .*/(\d+)\.html$", last, re.MULTILINE)
    assert [said for said, done in went if said != done] == []
    assert len(set(went)) == len(went) > PAGES / known.shrunk  # what was tried before the record before, too


async def test_what_a_larger_window_has_room_for_stays_as_it_is(browser: Browser, shop: str) -> None:
    known, _ = await long_run(browser, shop, 100_000, pages=3)

    assert known.largest_request > 6_000 * 1.1
    assert known.shrunk == 0
    assert known.facts == dict.fromkeys(("find_elements", "search_page", "extract", "said", "only shown"), 3)
    assert known.with_source == known.facts


def test_a_condensed_conversation_is_the_task_the_record_and_the_last_turn() -> None:
    history = History("Be brief.")
    history.add_user_message("Task: tea", "The page now: …")
    for number in range(3):
        history.add_reply(Assistant(f"Say {number}", (ToolCall(f"c{number}", "click", "{}"),)))
        history.add_results([CallResult(f"c{number}", "<untrusted>\n" + "long " * 500 + "\n</untrusted>")])
    history.shrink()

    history.condense(f"{prompts.RECORD}\n\nonce", 100)
    history.condense(f"{prompts.RECORD}\n\ntwice", 100)

    texts = [str(each) for each in history.messages()]
    assert len(texts) == 4
    assert "Task: tea" in texts[1]
    assert "once" not in texts[1]
    assert history.record == "\n\ntwice"
    assert "Say 2" in texts[2]
    assert history.tokens < 400
    assert texts[3].count("<untrusted>") == texts[3].count("</untrusted>") == 1


def test_what_came_of_a_call_is_told_by_its_place_where_ids_are_used_again() -> None:
    history = History("Be brief.")
    history.add_user_message("Task: tea")
    for number in range(2):
        history.add_reply(Assistant(f"Say {number}", (ToolCall("call_1", "click", "{}"),)))
        history.add_results([CallResult("call_1", f"Done {number}")])

    assert history.turns == [
        (Assistant(f"Say {number}", (ToolCall("call_1", "click", "{}"),)), [ToolResult("call_1", f"Done {number}")])
        for number in range(2)
    ]
