"""Carries out one step: resolves it, gets approval where needed, calls the tool, and records the outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from cdp_agent.agent.batch import Batch
from cdp_agent.agent.model import prompts
from cdp_agent.agent.observation.stuck_detector import Stuck
from cdp_agent.agent.state import checkpoint, recovery
from cdp_agent.decisions import Execute, Reword, Skip
from cdp_agent.errors import ActionError, BlockedByPolicy, BrowserError, DialogOpen, InvalidArguments
from cdp_agent.events import FirewallBlocked, TaskMetricsIncremental
from cdp_agent.page.receipts.receipts import Receipt
from cdp_agent.providers.base import ToolCall
from cdp_agent.step_events import StepDone, StepNotDone, StepResolved, StepSkipped
from cdp_agent.steps.approval.approvals import StepAct
from cdp_agent.steps.approval.risk import Risk, risk_of
from cdp_agent.steps.flow.executor import ResolvedStep, resolve_step
from cdp_agent.steps.flow.outputs import first_line
from cdp_agent.steps.resolve.call import Output
from cdp_agent.steps.resolve.resolve import Unclear
from cdp_agent.tools.base import Answer, Observation, facts

if TYPE_CHECKING:
    from cdp_agent.steps.flow.step_run import StepRun


class Done(msgspec.Struct, frozen=True):
    """The step was carried out."""

    output: Output


class Skipped(msgspec.Struct, frozen=True):
    """The step was skipped, as decided."""


class Failed(msgspec.Struct, frozen=True):
    """The step was not carried out. `can_retry`: a retry does no harm and may help."""

    error: str
    can_retry: bool = True
    candidates: tuple[str, ...] = ()


class Ended(msgspec.Struct, frozen=True):
    """The run ends here."""


StepOutcome = Done | Skipped | Failed | Ended


async def do_step(step_run: StepRun, number: int, instruction: str, attempt: int = 1) -> tuple[str, StepOutcome]:
    """Carries out a step; returns its words, which may have been reworded, and its outcome.

    Raises ModelError, OverBudget, BrowserError.
    """
    run, step_run.begun = step_run.run, number
    run.begin_step()
    outcome: StepOutcome | str = instruction
    while isinstance(outcome, str):  # the step was reworded
        instruction = outcome
        outcome = await _attempt(step_run, number, instruction)
    _record_outcome(step_run, number, instruction, attempt, outcome)
    run.check_limits()
    await checkpoint.keep(run)
    run.emit(TaskMetricsIncremental(**run.stamp, stats=run.usage.stats()))
    return instruction, outcome


async def _attempt(step_run: StepRun, number: int, instruction: str) -> StepOutcome | str:
    run = step_run.run
    resolved: ResolvedStep | Unclear | None = None
    try:
        resolved = await resolve_step(step_run, instruction)
        if isinstance(resolved, Unclear):
            run.usage.failed()
            candidates = tuple(node.described_with_location for node in resolved.candidates)
            return Failed(str(resolved), can_retry=False, candidates=candidates)
        risk = await risk_of(resolved.parsed, run.tabs.page)
        run.emit(
            StepResolved(
                **run.stamp,
                number=number,
                instruction=instruction,
                by=resolved.by,
                why=resolved.why,
                tool=resolved.call.tool,
                arguments=resolved.parsed.as_json(),
                about=resolved.call.about,
                risks=list(risk.kinds),
                reasoning=resolved.reasoning,
            )
        )
        decision = await step_run.approvals.act(number, instruction, resolved.call, risk)
    except BlockedByPolicy as error:
        run.usage.failed()
        run.emit(FirewallBlocked(**run.stamp, action=_name(resolved), message=str(error)))
        return Failed(str(error), can_retry=False)
    except ActionError as error:
        run.usage.failed()
        return Failed(str(error), can_retry=not isinstance(error, DialogOpen))
    except BrowserError as error:
        await recovery.recover(run, error)
        return Failed(f"The browser went away before it was done, and was opened again: {error}")
    match decision:
        case Execute():
            if not resolved.parsed.tool.read_only:
                act = StepAct(number, instruction, resolved.call, approved=bool(risk.kinds))
                await step_run.approval.begin(act, risk)
            return await _carry_out(step_run, number, instruction, resolved, risk)
        case Skip():
            return Skipped()
        case Reword(step):
            return step
        case _:
            return Ended()


async def _carry_out(
    step_run: StepRun, number: int, instruction: str, resolved: ResolvedStep, risk: Risk
) -> StepOutcome:
    run = step_run.run
    if risk.kinds and run.options.checkpoint is not None:  # if the process ends now, the step is not repeated unasked
        step_run.at_risk = instruction
        await checkpoint.keep(run)
    arguments = msgspec.json.encode(resolved.parsed.as_json()).decode()
    batch = Batch(run, (ToolCall(f"step_{number}", resolved.parsed.tool.name, arguments),), of_steps=True)
    await batch.run()
    if batch.lost is not None:
        await recovery.recover(run, batch.lost)
        return Failed(prompts.CHROME_LOST, can_retry=not risk.kinds)
    if batch.stuck is Stuck.END:
        run.fail("stuck", "Turn after turn nothing new was seen or told: the run does not get any further.")
    if batch.tab_note is not None:
        step_run.notes.append(batch.tab_note)
    outcome = batch.outcomes[0]
    match outcome:
        case Observation(text, Receipt(unclicked="idle" | "acted")):
            return Failed(text, can_retry=False)
        case Observation(value=Receipt() as receipt) if receipt.error_status is not None:
            came = f"{receipt.navigated_to} came with {receipt.error_status}"
            return Failed(f"{run.secrets.mask(came)}: it is open, and can be read.", can_retry=False)
        case Observation():
            output = _output(step_run, number, resolved.parsed.tool.name, outcome)
            step_run.outputs.append(output)
            if isinstance(outcome.value, Receipt):
                step_run.receipts.append(outcome.value)
            return Done(output)
        case Answer(result):  # from a terminal tool of the user's
            return Failed(result, can_retry=False)
        case error:
            can_retry = not isinstance(error, BlockedByPolicy | InvalidArguments)
            return Failed(
                str(error), can_retry=can_retry and resolved.call.tool != "wait_for"
            )  # that tool has already waited


def _output(step_run: StepRun, number: int, tool: str, outcome: Observation) -> Output:
    """The output of the step, with the address of the page afterwards."""
    run, page = step_run.run, step_run.run.tabs.page
    found: dict[str, object] = facts(outcome.value) if outcome.value is not None else {}
    where = {"tab": f"t{page.number}", "url": page.url, "title": page.title}
    return Output(number, tool, outcome.text, run.secrets.masked({**where, **found}), run.secrets.mask(page.url))


def _record_outcome(step_run: StepRun, number: int, instruction: str, attempt: int, outcome: StepOutcome) -> None:
    run = step_run.run
    step_run.at_risk = ""
    if isinstance(outcome, Done | Skipped):
        step_run.last_completed = number
    match outcome:
        case Done(output):
            done = StepDone(**run.stamp, number=number, instruction=instruction, tool=output.tool, output=output.text)
            run.emit(done)
            step_run.done.append(f"{number}. {instruction}: done ({output.tool}). {first_line(output.text)}")
        case Skipped():
            run.emit(StepSkipped(**run.stamp, number=number, instruction=instruction))
            step_run.done.append(f"{number}. {instruction}: skipped by the user.")
        case Failed(error):
            run.emit(
                StepNotDone(
                    **run.stamp,
                    number=number,
                    instruction=instruction,
                    error=error,
                    attempt=attempt,
                    candidates=list(outcome.candidates),
                )
            )
            step_run.done.append(f"{number}. {instruction}: failed. {first_line(error)}")
        case Ended():
            pass


def _name(resolved: ResolvedStep | Unclear | None) -> str:
    return resolved.call.tool if isinstance(resolved, ResolvedStep) else ""
