"""Plan first: a plan that is agreed on, then its steps one after the other, then the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdp_agent.agent.observation.browser_state import BLANK
from cdp_agent.agent.state import checkpoint
from cdp_agent.agent.state.run import End
from cdp_agent.decisions import Approve, Decline, Edit, Reject, Respond, Retry, Reword, Skip, Stop
from cdp_agent.events import TaskStarted
from cdp_agent.extract.schema import listed
from cdp_agent.outcome import ErrorCode, TaskError
from cdp_agent.step_events import StepSkipped, StepsPlanned
from cdp_agent.steps.flow.orchestrator import StepsArguments, previous, propose
from cdp_agent.steps.flow.step_runner import Failed, StepOutcome, do_step
from cdp_agent.steps.flow.verifier import verify

if TYPE_CHECKING:
    from cdp_agent.steps.flow.step_run import StepRun

INTERRUPTED = "The process ended while this was carried out: whether it was done is not known."
RETRIES = 2
"""How often a step that failed is tried again."""
_CORRECTED = "{plan}\nThe user rejects it: {correction}\nMake another one for the same page."
_ANSWERED = "You asked the user: {question}\nThe user answers: {answer}"
_NOT_ANSWERED = (
    "You asked the user: {question}\nThe user does not want to answer. Do without, or say that it cannot be done."
)
_DOES_NOT_FIT = "Your answer does not have the form that was asked for: {problems}. Give it again."


async def carry_out_plan(work: StepRun) -> None:
    """Makes a plan, carries out the approved steps, and ends the run with the verdict."""
    steps = await _agree(work)
    if steps is None:
        return
    await begin(work, steps)
    await finish_plan(work)


async def finish_plan(work: StepRun) -> None:
    """Carries out the approved steps that are left, and ends the run with the verdict."""
    await carry_out(work)
    if work.run.end is None:
        verdict = await verify(work)
        error = None if verdict.task_completed else TaskError("failed", verdict.message)
        work.run.end = End(verdict.answer, error, "passed" if verdict.task_completed else "forced")


async def begin(work: StepRun, steps: list[str]) -> None:
    """Emits the event with the approved steps."""
    run, work.steps = work.run, steps
    run.emit(
        TaskStarted(
            **run.stamp,
            task=run.task.text,
            success_criteria="",
            plan="\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1)),
            action_items=steps,
            url=run.task.url,
        )
    )
    await checkpoint.keep(run)


async def carry_out(work: StepRun) -> None:
    """Carries out the steps that are left, up to one that cannot be done. The outputs of the others are kept."""
    for number, step in enumerate(work.steps, 1):
        if number <= work.over:
            continue
        if work.run.end is None:
            await work.hand_over()
        if work.run.end is not None:
            return
        await _do_or_decide(work, number, step)


async def _do_or_decide(work: StepRun, number: int, instruction: str) -> None:
    """Carries out a step, again or reworded as decided, until it is done or skipped, or the run ends."""
    tried = 0
    came: StepOutcome
    while work.run.end is None:
        tried += 1
        code: ErrorCode = "failed"
        if work.at_risk:
            instruction, came, code = work.at_risk, Failed(INTERRUPTED, again=False), "interrupted"
            work.at_risk = ""
        else:
            instruction, came = await do_step(work, number, instruction, tried)
        if not isinstance(came, Failed) or work.run.end is not None:
            return
        decision = await work.approvals.failure(
            number, instruction, came.error, retries_left=RETRIES + 1 - tried, again=came.again, code=code
        )
        match decision:
            case Retry():
                continue
            case Reword(step):
                instruction, tried = step, 0
            case _:
                if isinstance(decision, Skip):
                    work.run.emit(StepSkipped(**work.run.stamp, number=number, instruction=instruction))
                    work.over = number
                    work.done.append(f"{number}. {instruction}: skipped by the user.")
                return


async def _agree(work: StepRun) -> list[str] | None:
    """The steps that are to be carried out; None when the run ends without any."""
    run = work.run
    notes: list[str] = []
    revision = 0
    while True:
        plan = await propose(work, notes)
        run.emit(
            StepsPlanned(
                **run.stamp, needs_steps=plan.needs_steps, steps=plan.steps, message=plan.message, revision=revision
            )
        )
        revision += 1
        if plan.ask_user:
            reply = await work.approvals.answer(plan.ask_user)
            if isinstance(reply, Stop):
                return None
            notes.append(answered(plan.ask_user, reply))
            continue
        if plan.impossible:
            run.give_up(plan.message)
            return None
        if not plan.needs_steps:
            if (problems := _answer_at_once(work, plan)) is None:
                return None
            notes.append(problems)
            continue
        match await work.approvals.plan(plan.steps, plan.message):
            case Approve():
                # A plan that was made before any page was seen has in it what no page put there.
                seen = work.run.tabs.page.url != BLANK
                return _learnt(work, plan.steps, trusted=not seen or work.settings.rules.otherwise == "ask")
            case Edit(steps):
                return _learnt(work, steps, trusted=True)
            case Reject(correction):
                notes.append(_CORRECTED.format(plan=previous(plan), correction=correction))
            case _:
                return None


def answered(question: str, reply: Respond | Decline) -> str:
    """A question with its answer, as a note for the planner."""
    if isinstance(reply, Decline):
        return _NOT_ANSWERED.format(question=question)
    return _ANSWERED.format(question=question, answer=reply.text)


def _answer_at_once(work: StepRun, plan: StepsArguments) -> str | None:
    """Ends the run with the plan's answer, or returns what is wrong with it."""
    run = work.run
    answer, problems = run.task.form.read(plan.message) if run.task.form is not None else (plan.message, [])
    run.validations += 1
    if problems and run.validations < run.limits.max_validations:
        return _DOES_NOT_FIT.format(problems=listed(problems))
    run.end = End(error=TaskError("failed", listed(problems))) if problems else End(answer)
    return None


def _learnt(work: StepRun, steps: list[str], *, trusted: bool) -> list[str]:
    """The steps, after adding their addresses to those that may be opened: all if `trusted`, else only those of whole
    sites.
    """
    kept = [step.strip() for step in steps if step.strip()]
    text = "\n".join(kept)
    if trusted:
        work.run.addresses.learn(text)
    else:
        work.run.addresses.learn_sites(text)
    return kept
