"""Answers to short questions that code reads off the page: which of them no model has to judge."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cdp_agent.agent.judge.claims import check
from cdp_agent.agent.judge.verified import reading
from cdp_agent.browser import Browser
from cdp_agent.events import AgentProcessing, AgentStatus, TaskStarted, TaskValidated
from cdp_agent.page.page import Page
from fixtures.replay import forced_tool, tool_call
from tests.agents import of, play, result_of
from tests.conftest import Serve
from tests.test_agent_claims_held_out import FOLDER

KETTLE = """<title>Kettle</title><h1>Camp kettle</h1><p>€ 39.00<dl><dt>Weight<dd>480 g</dl>"""
PRICE = "What does the Camp kettle cost?"
FAILED = tool_call(
    "validate_task", {"task_assessment": "No.", "completion_quality": "failed", "feedback": "There is no such kettle."}
)


def questions(name: str) -> Iterator[tuple[str, bool, str, str]]:
    page = ""
    for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        mark, _, text = line.partition(" ")
        if mark == "#":
            page = (FOLDER / "pages" / f"{text}.txt").read_text(encoding="utf-8")
        else:
            question, _, answer = text.partition(" | ")
            yield page, mark == "+", question, answer


def is_verified(page: str, question: str, answer: str) -> bool:
    first, _, text = page.partition("\n")
    return check(answer, page, user_words=question).is_shown and bool(
        reading(question, answer, text, first.removeprefix("Address: "))
    )


@pytest.mark.parametrize("name", ["questions", "questions_held_out"])
def test_no_false_answer_goes_without_a_judge(name: str) -> None:
    rows = list(questions(name))
    false = [(question, answer) for page, is_true, question, answer in rows if not is_true]
    passed = [
        (question, answer)
        for page, is_true, question, answer in rows
        if not is_true and is_verified(page, question, answer)
    ]

    assert len(false) >= 60
    assert passed == []


@pytest.mark.parametrize("name", ["questions", "questions_held_out"])
def test_most_true_answers_need_no_judge(name: str) -> None:
    rows = [(page, question, answer) for page, is_true, question, answer in questions(name) if is_true]

    assert sum(is_verified(*row) for row in rows) >= len(rows) // 2


async def test_one_question_about_one_page_asks_the_model_once(browser: Browser, page: Page, serve: Serve) -> None:
    done = tool_call("done", {"result": "The Camp kettle costs € 39."})

    events, server = await play(browser, page, [done], task=PRICE, url=serve(KETTLE), plan="auto")

    assert [event.operation for event in of(events, AgentProcessing)] == ["action"]
    assert len(server.requests) == 1
    assert of(events, TaskStarted)[0].plan == ""
    (status,) = of(events, AgentStatus)
    assert status.message.startswith("The answer was verified by code: http://")
    assert status.message.endswith(" shows it, and no other, in - paragraph: € 39.00")
    assert of(events, TaskValidated)[0].assessment == "Code read the answer off the page; no model judged it."
    result = result_of(events)
    assert (result.success, result.answer, result.validation) == (True, "The Camp kettle costs € 39.", "verified")


@pytest.mark.parametrize("plan", ["auto", "always", "never"])
async def test_an_answer_about_what_is_not_there_is_judged(
    browser: Browser, page: Page, serve: Serve, plan: str
) -> None:
    done = tool_call("done", {"result": "The Velvet kettle costs € 39."})

    events, server = await play(
        browser, page, [done, FAILED] * 2, task="What does the Velvet kettle cost?", url=serve(KETTLE), plan=plan
    )

    assert sum(forced_tool(request) == "validate_task" for request in server.requests) == 2
    result = result_of(events)
    assert (result.success, result.validation) == (False, "forced")


@pytest.mark.parametrize("plan", ["always", "never"])
async def test_only_a_run_that_may_leave_it_out_is_not_judged(
    browser: Browser, page: Page, serve: Serve, plan: str
) -> None:
    done = tool_call("done", {"result": "€ 39"})

    _, server = await play(browser, page, [done], task=PRICE, url=serve(KETTLE), plan=plan)

    asked = [forced_tool(request) for request in server.requests]
    assert asked == [*(["create_plan"] if plan == "always" else []), None, "validate_task"]


async def test_an_answer_after_an_act_is_judged(browser: Browser, page: Page, serve: Serve) -> None:
    calls = [tool_call("fill", {"ref": "{{ref:textbox Note}}", "value": "x"}), tool_call("done", {"result": "€ 39"})]

    _, server = await play(browser, page, calls, task=PRICE, url=serve(f"{KETTLE}<input aria-label=Note>"), plan="auto")

    assert forced_tool(server.requests[-1]) == "validate_task"
