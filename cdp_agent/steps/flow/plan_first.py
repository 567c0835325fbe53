"""Plan first: a plan is made and approved, its steps are carried out in order, and a verdict follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdp_agent.agent.judge.validator import check_claims
from cdp_agent.agent.judge.verified import shows_subject
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
"""How often a failed step is tried again."""
_CORRECTED = "{plan}\nThe user rejects it: {correction}\nMake another one for the same page."
_ANSWERED = "You asked the user: {question}\nThe user answers: {answer}"
_NOT_ANSWERED = (
    "You asked the user: {question}\nThe user does not want to answer. Do without, or say that it cannot be done."
)
_DOES_NOT_FIT = "Your answer does not have the form that was asked for: {problems}. Give it again."


async def carry_out_plan(step_run: StepRun) -> None:
    """Makes a plan, carries out the approved steps, and ends the run with the verdict."""
    steps = await _agree_on_plan(step_run)
    if steps is None:
        return
    await begin(step_run, steps)
    await finish_plan(step_run)


async def finish_plan(step_run: StepRun) -> None:
    """Carries out the approved steps that are left, and ends the run with the verdict."""
    await carry_out(step_run)
    if step_run.run.end is None:
        step_run.run.end = (await verify(step_run)).end


async def begin(step_run: StepRun, steps: list[str]) -> None:
    """Records the approved steps: in the run, in an event, and in the checkpoint."""
    run, step_run.steps = step_run.run, steps
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


async def carry_out(step_run: StepRun) -> None:
    """Carries out the steps that are left, up to one that cannot be done; the outputs of those before it are kept."""
    for number, step in enumerate(step_run.steps, 1):
        if number <= step_run.last_completed:
            continue
        if step_run.run.end is None:
            await step_run.pause_for_user()
        if step_run.run.end is not None:
            return
        await _do_or_decide(step_run, number, step)


async def _do_or_decide(step_run: StepRun, number: int, instruction: str) -> None:
    """Carries out a step, again or reworded as decided, until it is done or skipped, or the run ends."""
    tried = 0
    outcome: StepOutcome
    while step_run.run.end is None:
        tried += 1
        code: ErrorCode = "failed"
        if step_run.at_risk:
            instruction, outcome, code = step_run.at_risk, Failed(INTERRUPTED, can_retry=False), "interrupted"
            step_run.at_risk = ""
        else:
            instruction, outcome = await do_step(step_run, number, instruction, tried)
        if not isinstance(outcome, Failed) or step_run.run.end is not None:
            return
        decision = await step_run.approvals.failure(
            number, instruction, outcome.error, retries_left=RETRIES + 1 - tried, can_retry=outcome.can_retry, code=code
        )
        match decision:
            case Retry():
                continue
            case Reword(step):
                instruction, tried = step, 0
            case _:
                if isinstance(decision, Skip):
                    step_run.run.emit(StepSkipped(**step_run.run.stamp, number=number, instruction=instruction))
                    step_run.last_completed = number
                    step_run.done.append(f"{number}. {instruction}: skipped by the user.")
                return


async def _agree_on_plan(step_run: StepRun) -> list[str] | None:
    """The approved steps; None when the run ends without any."""
    run = step_run.run
    notes: list[str] = []
    revision = 0
    while True:
        plan = await propose(step_run, notes)
        run.emit(
            StepsPlanned(
                **run.stamp, needs_steps=plan.needs_steps, steps=plan.steps, message=plan.message, revision=revision
            )
        )
        revision += 1
        if plan.ask_user:
            reply = await step_run.approvals.answer(plan.ask_user)
            if isinstance(reply, Stop):
                return None
            notes.append(answered(plan.ask_user, reply))
            continue
        if plan.impossible:
            run.give_up(plan.message)
            return None
        if not plan.needs_steps:
            if (problems := await _answer_at_once(step_run, plan)) is None:
                return None
            notes.append(problems)
            continue
        match await step_run.approvals.plan(plan.steps, plan.message):
            case Approve():
                # No page can have put an address into a plan that was made before any page was seen.
                seen = step_run.run.tabs.page.url != BLANK
                return _learn_addresses(
                    step_run, plan.steps, trusted=not seen or step_run.settings.rules.otherwise == "ask"
                )
            case Edit(steps):
                return _learn_addresses(step_run, steps, trusted=True)
            case Reject(correction):
                notes.append(_CORRECTED.format(plan=previous(plan), correction=correction))
            case _:
                return None


def answered(question: str, reply: Respond | Decline) -> str:
    """A question with its answer, as a note for the planner."""
    if isinstance(reply, Decline):
        return _NOT_ANSWERED.format(question=question)
    return _ANSWERED.format(question=question, answer=reply.text)


async def _answer_at_once(step_run: StepRun, plan: StepsArguments) -> str | None:
    """Ends the run with the plan's answer, or returns what is wrong with it.

    An answer that claims what no page showed, or to a question about what no page showed, is judged first.
    """
    run = step_run.run
    answer, problems = run.task.form.read(plan.message) if run.task.form is not None else (plan.message, [])
    run.validations += 1
    if problems and run.validations < run.limits.max_validations:
        return _DOES_NOT_FIT.format(problems=listed(problems))
    if problems:
        run.end = End(error=TaskError("failed", listed(problems)))
    elif check_claims(run, answer).unsupported or not shows_subject(run.task.text, run.evidence.text()):
        run.end = (await verify(step_run, plan.message)).end
    else:
        run.end = End(answer)
    return None


def _learn_addresses(step_run: StepRun, steps: list[str], *, trusted: bool) -> list[str]:
    """Returns the steps; their addresses may be opened from now on: all if `trusted`, else only main pages of sites."""
    stripped = [step.strip() for step in steps if step.strip()]
    text = "\n".join(stripped)
    if trusted:
        step_run.run.addresses.learn(text)
    else:
        step_run.run.addresses.learn_sites(text)
    return stripped
