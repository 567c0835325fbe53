"""One step at a time: the planner looks, says what is next, and looks again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdp_agent.agent.run import End
from cdp_agent.decisions import Stop
from cdp_agent.events import TaskStarted, TaskValidationError
from cdp_agent.outcome import TaskError
from cdp_agent.step_events import StepChosen
from cdp_agent.steps.doing import do_step
from cdp_agent.steps.flow import INTERRUPTED, answered
from cdp_agent.steps.orchestrator import capture, next_move
from cdp_agent.steps.verifier import verify

if TYPE_CHECKING:
    from cdp_agent.steps.work import Work

_NOT_DONE = "You said that nothing was left to do. It was looked at, and this is missing: {message}"


async def carry_out_step_by_step(work: Work) -> None:
    """Chooses and carries out steps until nothing is left to do, a limit is reached, or somebody stops it."""
    run = work.run
    run.tell(TaskStarted, task=run.task.text, success_criteria="", plan="", url=run.task.url)
    await go_on_step_by_step(work)


async def go_on_step_by_step(work: Work) -> None:
    """The same, from where it stands."""
    run = work.run
    if work.at_risk:
        work.done.append(f"{work.begun}. {work.at_risk}: {INTERRUPTED}")
        work.at_risk = ""
    while run.end is None:
        move = await next_move(work, await capture(work), work.notes)
        if move.ask_user:
            reply = await work.approvals.answer(move.ask_user)
            if not isinstance(reply, Stop):
                work.notes.append(answered(move.ask_user, reply))
        elif not move.needs_action:
            work.notes += await _conclude(work, move.message)
        else:
            number = work.begun + 1
            step = (move.action or "").strip()
            run.tell(StepChosen, number=number, instruction=step, message=move.message, reasoning=move.reasoning)
            if work.settings.rules.otherwise == "ask":  # whoever decides on the act sees it
                run.addresses.learn(step)
            else:
                run.addresses.learn_sites(step)
            await do_step(work, number, step)


async def _conclude(work: Work, answer: str) -> list[str]:
    """Ends the run when it is done, or when it was not for the last time; else what is missing."""
    run = work.run
    verdict = await verify(work, answer)
    if verdict.task_completed:
        run.end = End(verdict.answer, validation="passed")
        return []
    run.tally.failed()
    run.tell(TaskValidationError, attempt=run.validations, quality=None, feedback=verdict.message)
    if run.validations >= run.limits.max_validations:
        run.end = End(verdict.answer, TaskError("failed", verdict.message), "forced")
    run.check_limits()
    return [_NOT_DONE.format(message=verdict.message)]
