"""How the loop's cost is counted. Running it: python -m bench.loop."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bench.loop import FIELDS, Prompts, form_replies, prompts
from cdp_agent.page.snapshot.budget import tokens
from fixtures.replay import reply, tool_call


def turn(*texts: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text} for text in texts]}


@pytest.mark.parametrize(("most", "turns"), [(1, 7), (3, 3), (6, 2)])
def test_a_form_takes_as_many_replies_as_its_calls_do(most: int, turns: int) -> None:
    assert len(form_replies(most)) == turns


def test_all_of_the_form_is_in_the_replies() -> None:
    calls = [("fill", {"ref": f"{{{{ref:textbox {name}}}}}", "value": name}) for name in FIELDS]
    click = ("click", {"ref": "{{ref:button Send}}"})

    assert form_replies(6) == [reply(*calls, click), tool_call("done", {"result": "Sent"})]


def test_what_a_request_begins_with_as_the_one_before_is_not_read_anew() -> None:
    counted = prompts("ours", [turn("one", "two"), turn("one", "two", "three"), turn("one", "2", "three")])

    one, two, three, other = map(tokens, ("one", "two", "three", "2"))
    assert counted == Prompts("ours", 3 * one + 2 * two + 2 * three + other, one + two + three + (other + three))


def test_clipped_only_the_newest_page_is_whole() -> None:
    page = 'told\nThe page now:\n<untrusted label="page">' + "word " * 50
    turns = [turn("task", page, page)]

    clipped = prompts("clipped", turns, clipped=True)

    assert clipped.tokens == sum(map(tokens, ("task", "told\n", page)))


def test_a_message_without_words_counts_by_its_calls() -> None:
    calls = [{"function": {"name": "click", "arguments": "{}"}}]

    counted = prompts("calls", [{"messages": [{"role": "assistant", "content": None, "tool_calls": calls}]}])

    assert counted.tokens == tokens(json.dumps(calls))
