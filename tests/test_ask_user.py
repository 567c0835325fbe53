"""A person in the loop of one model: what it asks, what it is told."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cdp_agent.browser import Browser
from cdp_agent.decisions import Ask, Decline, QuestionAsked, Respond, Stop, UserAnswer, UserAsk
from cdp_agent.page.page import Page
from cdp_agent.session import Session
from cdp_agent.step_events import ApprovalAsked, ApprovalDecided
from cdp_agent.steps.approval.approval import Submit
from fixtures.replay import tool_call
from tests.agents import SHOP, of, play, result_of, told
from tests.conftest import Serve

QUESTION = tool_call("ask_user", {"question": "Which tea?", "options": ["green", "black"]})
DONE = tool_call("done", {"result": "It was the green one."})


def offered(request: dict[str, Any]) -> set[str]:
    return {each["function"]["name"] for each in request["tools"]}


async def test_the_model_is_told_what_the_user_answers_as_the_users_own_word(browser: Browser, page: Page) -> None:
    asks: list[UserAsk] = []

    async def ask_user(ask: UserAsk) -> UserAnswer:
        asks.append(ask)
        return "the green one, see https://tea.example/green"

    events, server = await play(browser, page, [QUESTION, DONE], content=SHOP, ask_user=ask_user)

    assert result_of(events).success
    assert asks == [QuestionAsked(id=1, question="Which tea?", options=["green", "black"])]
    assert told(server, 2) == ["The user answers: the green one, see https://tea.example/green"]
    assert of(events, ApprovalAsked)[0].ask == asks[0]
    assert of(events, ApprovalDecided)[0].decision == Respond("the green one, see https://tea.example/green")


async def test_an_address_that_the_user_tells_may_be_opened(browser: Browser, page: Page, serve: Serve) -> None:
    elsewhere = serve("<title>Green tea</title><h1>Green tea</h1>")

    async def ask_user(ask: UserAsk) -> UserAnswer:
        return f"It is at {elsewhere}"

    replies = [QUESTION, tool_call("goto", {"url": elsewhere}), tool_call("done", {"result": "Green tea"})]
    events, _ = await play(browser, page, replies, content=SHOP, ask_user=ask_user)

    assert result_of(events).stats.errors == 0
    assert page.title == "Green tea"


async def test_who_declines_lets_the_model_go_on_without(browser: Browser, page: Page) -> None:
    async def ask_user(ask: UserAsk) -> UserAnswer:
        return None

    events, server = await play(browser, page, [QUESTION, DONE], content=SHOP, ask_user=ask_user)

    assert told(server, 2) == ["The user does not answer. Do without, or say what is missing."]
    assert of(events, ApprovalDecided)[0].decision == Decline()


async def test_without_anybody_to_ask_the_model_is_not_offered_it(browser: Browser, page: Page) -> None:
    _, server = await play(browser, page, [QUESTION, DONE], content=SHOP)

    assert offered(server.turns[0]).isdisjoint({"ask_user", "request_user_data"})
    assert "There is no tool 'ask_user'" in told(server, 2)[0]


async def test_what_is_not_answered_in_time_is_declined(browser: Browser, page: Page) -> None:
    async def ask_user(ask: UserAsk) -> UserAnswer:
        await asyncio.Event().wait()
        raise AssertionError("nobody ends the waiting")

    events, server = await play(
        browser, page, [QUESTION, DONE], content=SHOP, ask_user=ask_user, approval_timeout_s=0.2
    )

    assert told(server, 2) == ["The user does not answer. Do without, or say what is missing."]
    assert of(events, ApprovalDecided)[0].by == "timeout"


async def test_an_approver_is_asked_too_and_may_end_the_run(browser: Browser, page: Page) -> None:
    async def approver(ask: Ask, submit: Submit) -> None:
        submit(ask.id, Stop("Enough."))

    events, server = await play(browser, page, [QUESTION, DONE], content=SHOP, approver=approver)

    error = result_of(events).error
    assert error is not None
    assert (error.code, error.message, error.where) == ("aborted", "Enough.", "user")
    assert len(server.turns) == 1


@pytest.mark.parametrize("answer", [{"E1": "x"}, 3], ids=["values for a question", "a number"])
async def test_a_function_that_gives_something_else_is_told_so(browser: Browser, page: Page, answer: Any) -> None:
    async def ask_user(ask: UserAsk) -> UserAnswer:
        given: UserAnswer = answer
        return given

    events, _ = await play(browser, page, [QUESTION, DONE], content=SHOP, ask_user=ask_user)

    error = result_of(events).error
    assert error is not None
    assert error.message.startswith("ask_user gives a text or None, not ")


async def test_a_session_has_the_tools_where_somebody_is_there(browser: Browser) -> None:
    async def ask_user(ask: UserAsk) -> UserAnswer:
        await asyncio.sleep(0.3)
        return f"{ask.question}!" if isinstance(ask, QuestionAsked) else None

    asking = await Session(browser, ask_user=ask_user, timeout_s=5).call("ask_user", {"question": "Who"})
    alone = await Session(browser).call("ask_user", {"question": "Who"})

    assert (asking.text, asking.error) == ("The user answers: Who!", None)
    assert alone.error is not None


async def test_a_call_is_not_given_up_while_somebody_thinks(browser: Browser, page: Page) -> None:
    async def ask_user(ask: UserAsk) -> UserAnswer:
        await asyncio.sleep(0.6)
        return "green"

    outcome = await Session(browser, ask_user=ask_user, timeout_s=0.5).call("ask_user", {"question": "Which?"})

    assert outcome.text == "The user answers: green"
