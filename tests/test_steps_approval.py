"""Decisions: each kind, and those that come late, twice, malformed or never."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from cdp_agent.decisions import (
    ActionProposed,
    Approve,
    Ask,
    Decision,
    Edit,
    Execute,
    PlanProposed,
    QuestionAsked,
    Reject,
    Respond,
    Retry,
    Reword,
    Skip,
    StepFailed,
    Stop,
)
from cdp_agent.steps.approval.approval import ApprovalQueue, Submit, calling
from tests.tables import table

PLAN = PlanProposed(id=1, steps=["Click Save"])
ACTION = ActionProposed(id=1, number=1, step="Click Save", tool="click", arguments={"ref": "E1"})
QUESTION = QuestionAsked(id=1, question="Which city?")
FAILED = StepFailed(id=1, number=1, step="Click Save", error="It is gone.", retries_left=2)


async def no_face(ask: Ask, submit: Submit) -> None:
    await asyncio.Event().wait()


def saying(decision: object) -> Callable[[Ask], object]:
    return lambda ask: decision


@table(
    ("ask", "decision", "data"),
    [
        (PLAN, Approve(), {"decision": "approve"}),
        (PLAN, Reject("Oslo"), {"decision": "reject", "correction": "Oslo"}),
        (PLAN, Edit(["Click Send"]), {"decision": "edit", "steps": ["Click Send"]}),
        (PLAN, Stop(), {"decision": "stop"}),
        (ACTION, Execute(), {"decision": "execute"}),
        (ACTION, Skip(), {"decision": "skip"}),
        (ACTION, Reword("Click Send"), {"decision": "reword", "step": "Click Send"}),
        (QUESTION, Respond("Oslo"), {"decision": "answer", "text": "Oslo"}),
        (FAILED, Retry(), {"decision": "retry"}),
        (FAILED, Reword("Click Send"), {"decision": "reword", "step": "Click Send"}),
    ],
)
async def test_each_decision_counts_as_a_struct_and_as_data(ask: Ask, decision: Decision, data: object) -> None:
    for handed_in in (decision, data):
        desk = ApprovalQueue(calling(saying(handed_in)), timeout_s=5)
        assert desk.next_id == 1
        assert await desk.decide(ask) == decision


async def test_a_callback_may_be_async() -> None:
    async def approve(ask: Ask) -> Decision:
        return Approve()

    assert await ApprovalQueue(calling(approve), timeout_s=5).decide(PLAN) == Approve()


async def test_a_decision_that_never_comes_stops() -> None:
    assert await ApprovalQueue(no_face, timeout_s=0.01).decide(PLAN) == Stop("Nobody decided within 0.01 s.")


async def test_nobody_who_could_decide_stops() -> None:
    async def gone(ask: Ask, submit: Submit) -> None:
        return

    assert await ApprovalQueue(gone, timeout_s=5).decide(PLAN) == Stop("Nobody is there to decide.")


async def test_what_does_not_count_is_answered_and_changes_nothing() -> None:
    told: list[str] = []
    answers: list[str | None] = []

    async def clumsy(ask: Ask, submit: Submit) -> None:
        for given in ("approve", {}, {"decision": "yes"}, {"decision": "edit", "steps": "x"}, Execute(), Edit([" "])):
            answers.append(submit(ask.id, given))
        answers.append(submit(ask.id + 1, Approve()))
        answers.append(submit(ask.id, Edit(["Click Send"])))
        answers.append(submit(ask.id, Approve()))

    desk = ApprovalQueue(clumsy, timeout_s=5, notice=told.append)
    ask = PlanProposed(id=desk.next_id, steps=["Click Save"])

    assert await desk.decide(ask) == Edit(["Click Send"])
    assert answers[-1] == "Question 1 is decided already."
    assert answers[-2] is None
    assert answers[-3] == "There is no question 2."
    assert answers[4:6] == [
        "execute is no answer to this. It can be approve, reject, edit, stop.",
        "A plan without steps cannot be carried out: stop instead.",
    ]
    assert all(answer is not None and "It can be approve, reject, edit, stop." in answer for answer in answers[:4])
    assert told == [f"A decision was refused: {answer}" for answer in answers if answer is not None]


async def test_a_step_is_not_tried_again_once_its_tries_are_spent() -> None:
    answers: list[str | None] = []

    async def insistent(ask: Ask, submit: Submit) -> None:
        answers.extend([submit(ask.id, Retry()), submit(ask.id, Skip())])

    spent = StepFailed(id=1, number=1, step="Click Save", error="It is gone.", retries_left=0)

    assert await ApprovalQueue(insistent, timeout_s=5).decide(spent) == Skip()
    assert answers == ["It was tried again often enough: reword the step, skip it or stop.", None]


async def test_a_late_decision_is_told_that_it_is_over() -> None:
    desk = ApprovalQueue(no_face, timeout_s=0.01)
    await desk.decide(PlanProposed(id=desk.next_id, steps=["Click Save"]))

    assert desk.submit(1, Approve()) == "Question 1 is over."


async def test_a_callback_without_a_decision_stops() -> None:
    found = await ApprovalQueue(calling(lambda _: None), timeout_s=5).decide(PLAN)

    assert isinstance(found, Stop)
    assert found.why.startswith("What approves gave no decision: ")


async def test_an_error_of_a_callback_is_its_callers() -> None:
    def broken(ask: Ask) -> Decision:
        raise KeyError("x")

    with pytest.raises(KeyError):
        await ApprovalQueue(calling(broken), timeout_s=5).decide(PLAN)
