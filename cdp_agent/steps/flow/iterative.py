"""One step at a time: the planner looks at the page, chooses the next step, and looks again."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import msgspec

from cdp_agent.decisions import Stop
from cdp_agent.errors import ActionError, BrowserError, SessionClosed
from cdp_agent.events import AgentStatus, TaskStarted, TaskValidationError
from cdp_agent.step_events import StepChosen
from cdp_agent.steps.flow.orchestrator import next_move
from cdp_agent.steps.flow.plan_first import INTERRUPTED, answered
from cdp_agent.steps.flow.step_runner import Done, Failed, StepOutcome, do_step
from cdp_agent.steps.flow.verifier import verify

if TYPE_CHECKING:
    from cdp_agent.steps.flow.step_run import StepRun

_ONCE = ("fill", "select", "check", "uncheck", "goto", "upload", "focus")
"""Tools that have no further effect when they are called again in the same way."""
_MAY_GO_ON = ("wait", "wait_for", "scroll", "reload")
"""Tools that may be called again even though the page has not changed."""
_REPEATED = (
    "The step was not carried out again, for nothing on the page has changed since it was: {step}\n"
    "Choose another one, or say that nothing is left to do, or that it cannot be done. The same again ends the task."
)
_log = logging.getLogger(__name__)
_NOT_DONE = "You said that nothing was left to do. It was looked at, and this is missing: {message}"


class PreviousStep(msgspec.Struct, frozen=True):
    """The previous step, with its outcome and the state of the page (see `_state`) before and after it."""

    step: str
    outcome: StepOutcome
    before: str | None
    after: str | None
    warned: bool = False
    """Whether the planner was told that this step is not carried out again."""

    def is_repeated_by(self, step: str, now: str | None) -> bool:
        """Whether `step` repeats this step on a page (`now`) that has not changed since, so that it has no effect.

        A step that makes progress each time, such as a click on "Next", changes the page.
        """
        if now is None or now != self.after or _words(step) != _words(self.step):
            return False
        match self.outcome:
            case Done(output):
                return output.tool not in _MAY_GO_ON and (output.tool in _ONCE or self.before == self.after)
            case Failed():
                return True
            case _:
                return False


async def carry_out_step_by_step(step_run: StepRun) -> None:
    """Chooses and carries out steps until nothing is left to do, a limit is reached, or somebody stops the run."""
    run = step_run.run
    run.emit(TaskStarted(**run.stamp, task=run.task.text, success_criteria="", plan="", url=run.task.url))
    await go_on_step_by_step(step_run)


async def go_on_step_by_step(step_run: StepRun) -> None:
    """Like `carry_out_step_by_step`, for a run that has begun already."""
    run = step_run.run
    if step_run.at_risk:
        step_run.done.append(f"{step_run.begun}. {step_run.at_risk}: {INTERRUPTED}")
        step_run.at_risk = ""
    last: PreviousStep | None = None
    while run.end is None:
        await step_run.pause_for_user()
        if run.end is not None:
            break
        move = await next_move(step_run)
        if move.ask_user:
            reply = await step_run.approvals.answer(move.ask_user)
            if not isinstance(reply, Stop):
                step_run.notes.append(answered(move.ask_user, reply))
        elif move.impossible:
            run.give_up(move.message)
        elif not move.needs_action:
            step_run.notes += await _conclude(step_run, move.message)
        else:
            number = step_run.begun + 1
            step = (move.action or "").strip()
            before = await _state(step_run)
            if last is not None and last.is_repeated_by(step, before):
                _refuse_repetition(step_run, step, warned=last.warned)
                last = msgspec.structs.replace(last, warned=True)
                continue
            run.emit(
                StepChosen(**run.stamp, number=number, instruction=step, message=move.message, reasoning=move.reasoning)
            )
            if step_run.settings.rules.otherwise == "ask":  # the approver sees the step
                run.addresses.learn(step)
            else:
                run.addresses.learn_sites(step)
            _, outcome = await do_step(step_run, number, step)
            last = PreviousStep(step, outcome, before, await _state(step_run) if run.end is None else None)


def _refuse_repetition(step_run: StepRun, step: str, *, warned: bool) -> None:
    """Tells the planner that the step is not carried out again; if it was told so before (`warned`), ends the run."""
    run = step_run.run
    run.usage.failed()
    run.emit(AgentStatus(**run.stamp, message=f"Not carried out again, for nothing has changed since: {step}"))
    if warned:
        run.fail("stuck", f"The planner chose the same step again and again, and nothing had changed: {step}")
    step_run.notes.append(_REPEATED.format(step=step))
    run.check_limits()


async def _state(step_run: StepRun) -> str | None:
    """The page's target, address and snapshot as one text, to compare; None if the page cannot be read."""
    page = step_run.run.tabs.page
    try:
        return f"{page.target_id} {page.url}\n{(await page.snapshot()).text}"
    except (ActionError, SessionClosed, BrowserError) as error:
        _log.debug("the page could not be read, which the next look finds out itself: %s", error)
        return None


def _words(step: str) -> str:
    return " ".join(step.casefold().split()).rstrip(".")


async def _conclude(step_run: StepRun, answer: str) -> list[str]:
    """Ends the run if the answer is accepted or finally refused; else returns what is missing, for the planner."""
    run = step_run.run
    verdict = await verify(step_run, answer)
    if verdict.task_completed:
        run.end = verdict.end
        return []
    run.usage.failed()
    run.emit(TaskValidationError(**run.stamp, attempt=run.validations, quality=None, feedback=verdict.message))
    if run.validations >= run.limits.max_validations:
        run.end = verdict.end
    run.check_limits()
    return [_NOT_DONE.format(message=verdict.message)]
