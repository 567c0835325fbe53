"""Runs of one model with `approve`: what is asked, what the model is told, and what ends the run."""

from __future__ import annotations

from typing import Any

import pytest

from cdp_agent.browser import Browser
from cdp_agent.decisions import ActionProposed, Ask, Decision, Execute, Reword, Skip, Stop
from cdp_agent.errors import SetupError
from cdp_agent.page.page import Page, tab_of
from cdp_agent.steps.approval.policy import Rule, Rules
from fixtures.replay import tool_call
from tests.agents import DONE, play, result_of, scripted, told
from tests.web import Web, running

NEXT = """<button onclick="fetch('/save', {method: 'POST'}).then(() => said.textContent = 'Saved', () => 0)">Next
</button>
<button onclick="fetch('/order', {method: 'POST'})">Buy now</button><p id=said>Nothing yet</p>"""
CLICK = tool_call("click", {"ref": "{{ref:button Next}}"})
BUY = tool_call("click", {"ref": "{{ref:button Buy now}}"})


def posted(web: Web) -> list[str]:
    return [path for method, path in web.methods if method == "POST"]


class Person:
    def __init__(self, *decisions: Decision) -> None:
        self._left = list(decisions)
        self.asked: list[str] = []

    async def __call__(self, ask: Ask) -> Decision:
        assert isinstance(ask, ActionProposed)
        self.asked.append(ask.question)
        return self._left.pop(0)


async def test_without_approve_nothing_is_asked_or_held(browser: Browser, page: Page) -> None:
    async with running() as web:
        events, _ = await play(browser, page, [CLICK, DONE], url=web.put("a", "/", NEXT))

        assert posted(web) == ["/save"]
    assert result_of(events).success
    assert tab_of(page).request_policy.rules == []


async def test_steps_end_where_not_all_of_an_act_was_allowed(browser: Browser, page: Page) -> None:
    steps = tool_call("steps", {"steps": ["Click Next", "Click 'Buy now'"]})
    async with running() as web:
        _, server = await play(browser, page, [steps, DONE], url=web.put("a", "/", NEXT), approve=Person(Skip()))

        assert posted(web) == []
    answer = told(server, 2)[0]
    assert "1. Click Next: done in part. " in answer
    assert f"not sent: POST {web.origin('a')}/save: it was not approved" in answer
    assert "Not run after that: 2." in answer


async def test_the_model_is_told_what_was_refused_and_goes_on(browser: Browser, page: Page) -> None:
    person = Person(Skip(), Skip())
    async with running() as web:
        url = web.put("a", "/", NEXT)
        events, server = await play(browser, page, [CLICK, BUY, DONE], url=url, approve=person)

        assert posted(web) == []
    assert f"not sent: POST {web.origin('a')}/save: it was not approved" in told(server, 2)[-1]
    assert "The user did not allow it, and it was not done." in told(server, 3)[-1]
    assert person.asked == [
        f'Send POST {web.origin("a")}/save? It sends. By the page {url}. Last act: click button "Next".',
        'Allow click: button "Buy now"? It pays.',
    ]
    assert result_of(events).success


async def test_what_is_allowed_by_its_name_is_not_asked_about_again(browser: Browser, page: Page) -> None:
    person = Person(Execute())
    async with running() as web:
        await play(browser, page, [BUY, DONE], url=web.put("a", "/", NEXT), approve=person)

        assert posted(web) == ["/order"]
    assert len(person.asked) == 1


async def test_the_model_is_told_what_is_wanted_instead(browser: Browser, page: Page) -> None:
    async with running() as web:
        url = web.put("a", "/", NEXT)
        _, server = await play(browser, page, [BUY, DONE], url=url, approve=Person(Reword("Only look")))

        assert posted(web) == []
    assert "The user wants something else instead: Only look" in told(server, 2)[-1]


@pytest.mark.parametrize("call", [CLICK, BUY])
async def test_stopping_sends_nothing_and_ends_the_run(browser: Browser, page: Page, call: bytes) -> None:
    async with running() as web:
        events, _ = await play(browser, page, [call, DONE], url=web.put("a", "/", NEXT), approve=Person(Stop()))

        assert posted(web) == []
    assert (error := result_of(events).error) is not None
    assert (error.code, error.where) == ("aborted", "user")


async def test_without_anybody_to_ask_the_run_ends_and_says_what_would_allow_it(browser: Browser, page: Page) -> None:
    async with running() as web:
        events, _ = await play(browser, page, [CLICK, DONE], url=web.put("a", "/", NEXT), approve="auto")

        assert posted(web) == []
    assert (error := result_of(events).error) is not None
    assert f'"allow tool=click origin={web.origin("a")} risk=sends"' in error.message


@pytest.mark.parametrize(("verdict", "reached"), [("allow", ["/save"]), ("deny", [])])
async def test_a_rule_decides(browser: Browser, page: Page, verdict: Any, reached: list[str]) -> None:
    async with running() as web:
        rules = Rules((Rule(verdict, risk="sends"),))
        events, _ = await play(browser, page, [CLICK, DONE], url=web.put("a", "/", NEXT), approve=rules)

        assert posted(web) == reached
    assert result_of(events).success


def test_asking_nobody_is_an_error(browser: Browser) -> None:
    with pytest.raises(SetupError, match="somebody to ask"), scripted(browser, [DONE], approve="ask"):
        pass
