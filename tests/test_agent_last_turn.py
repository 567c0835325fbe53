"""At a limit the model gets one more turn to say what it found, and giving up is judged like an answer."""

from __future__ import annotations

import pytest

from cdp_agent.agent.base.options import Options
from cdp_agent.agent.base.task import Limits, Task
from cdp_agent.agent.state.run import Run
from cdp_agent.browser import Browser
from cdp_agent.events import AgentAction
from cdp_agent.page.page import Page
from cdp_agent.providers.services import endpoint
from cdp_agent.tools import DEFAULT
from fixtures.replay import tool_call
from tests.agents import CLICK, DONE, FILL, SHOP, WAIT, of, play, result_of, said, told
from tests.test_agent_validator import COMPLETE, PARTIAL, judged

PLAN = tool_call("create_plan", {"success_criteria": "It is found.", "plan": "1. Look."})
ABORT = tool_call("abort", {"reason": "Sold out."})


@pytest.mark.parametrize(
    ("limits", "says"),
    [
        (Limits(max_steps=2), "The task was not finished within 2 steps."),
        (Limits(max_tokens_total=520), "It took 330 of 520 tokens (max_tokens_total): too little for another turn."),
    ],
    ids=["steps", "tokens"],
)
async def test_an_answer_of_the_last_turn_that_is_accepted_is_a_success(
    limits: Limits, says: str, browser: Browser, page: Page
) -> None:
    events, server = await play(browser, page, [PLAN, FILL, CLICK, DONE, COMPLETE], content=SHOP, limits=limits)

    assert said(server, 3) == (
        f"This is your last turn: {says} Nothing more can be done in the browser. Call done with what was found, "
        "saying what is missing, or abort if nothing was."
    )
    result = result_of(events)
    assert (result.success, result.answer, result.validation) == (True, "Found tea.", "passed")


@pytest.mark.parametrize(
    ("replies", "answer"),
    [([DONE, PARTIAL], "Found tea."), ([ABORT], "Sold out."), ([FILL], None), ([], None)],
    ids=["an answer that is not accepted", "giving up", "an act", "a provider that fails"],
)
async def test_what_the_last_turn_says_else_is_kept_beside_the_limit(
    replies: list[bytes], answer: str | None, browser: Browser, page: Page
) -> None:
    events, _ = await play(browser, page, [PLAN, WAIT, *replies], content=SHOP, limits=Limits(max_steps=1))

    result = result_of(events)
    assert result.error is not None
    assert (result.success, result.answer, result.error.code) == (False, answer, "max_steps")
    assert [event.action for event in of(events, AgentAction)] == ["wait"]


@pytest.mark.parametrize(("answering_s", "ends"), [(0, False), (40, True)], ids=["a tool", "the model"])
async def test_a_tools_time_is_not_kept_for_a_last_turn(answering_s: float, ends: bool, browser: Browser) -> None:
    where = endpoint("openai-compatible/m", base_url="http://127.0.0.1:1", environment={})
    run = Run(browser, where, DEFAULT, Options(limits=Limits(max_seconds=100)), Task("Wait"))
    run.usage.clock -= 40
    run.usage.answering_s = answering_s

    run.check_limits()

    assert (run.end is not None) == ends


async def test_the_model_is_told_when_few_turns_are_left(browser: Browser, page: Page) -> None:
    _, server = await play(browser, page, [PLAN, WAIT, FILL, CLICK, DONE], content=SHOP, limits=Limits(max_steps=6))

    assert ["You have 5 turns left." in told(server, turn)[-1] for turn in (2, 3, 4)] == [True, False, False]


async def test_giving_up_too_early_is_not_accepted(browser: Browser, page: Page) -> None:
    events, server = await play(browser, page, [PLAN, ABORT, PARTIAL, FILL, ABORT, COMPLETE], content=SHOP)

    assert told(server, 2) == [
        "The task goes on: it is not shown that it cannot be done.\n"
        '<untrusted label="feedback">\nThe price is missing.\n</untrusted>'
    ]
    assert "The agent gives the task up, since:" in judged(server.requests)[0]["messages"][-1]["content"]
    result = result_of(events)
    assert (result.success, result.answer, result.stats.steps) == (False, "Sold out.", 3)
