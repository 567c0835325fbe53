"""The flows of runs by steps, which `Loop` carries out: planned, with given steps, or resumed."""

from __future__ import annotations

from collections.abc import Mapping, MutableSequence, Sequence
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import msgspec

from cdp_agent.agent.base.options import AgentOptions
from cdp_agent.agent.loop import RunFlow
from cdp_agent.agent.observation.browser_state import reopen_tabs
from cdp_agent.agent.startup import open_first_page
from cdp_agent.agent.state.checkpoint import Checkpoint, restore
from cdp_agent.agent.state.run import End, Run
from cdp_agent.errors import SetupError
from cdp_agent.providers.services import Endpoint, endpoint
from cdp_agent.steps.approval.settings import StepSettings, step_settings
from cdp_agent.steps.flow.iterative import carry_out_step_by_step, go_on_step_by_step
from cdp_agent.steps.flow.plan_first import begin, carry_out, carry_out_plan, finish_plan
from cdp_agent.steps.flow.step_run import Progress, Said, StepRun

if TYPE_CHECKING:
    from cdp_agent.page.page import Page
    from cdp_agent.providers.client import Client


def planned_flow(settings: StepSettings, conversation: MutableSequence[Said]) -> RunFlow:
    """The flow of a run with a planner; its request and answer are appended to `conversation`, the earlier one."""

    async def go(run: Run, page: Page | None) -> None:
        async with AsyncExitStack() as stack:
            step_run = StepRun(run, settings, tuple(conversation), await _executor(run, settings, stack))
            await stack.enter_async_context(step_run.approval.holding())
            if not await open_first_page(run, page):
                return
            await (carry_out_plan(step_run) if settings.flow == "plan" else carry_out_step_by_step(step_run))
            conversation.append(Said("User", run.task.text))
            if run.end is not None:
                answer = run.end.answer or (run.end.error.message if run.end.error is not None else "")
                conversation.append(
                    Said("You", answer if isinstance(answer, str) else msgspec.json.encode(answer).decode())
                )

    return go


def given_flow(settings: StepSettings, steps: Sequence[str]) -> RunFlow:
    """The flow of a run with given steps, without a planner; the answer is the output of the last step."""

    async def go(run: Run, page: Page | None) -> None:
        async with AsyncExitStack() as stack:
            step_run = StepRun(run, settings, (), await _executor(run, settings, stack), steps_given=True)
            await stack.enter_async_context(step_run.approval.holding())
            run.addresses.learn("\n".join(steps))
            if not await open_first_page(run, page):
                return
            await begin(step_run, list(steps))
            await _finish_given(step_run)

    return go


def resumed_flow(settings: StepSettings, saved: Checkpoint, progress: Progress) -> RunFlow:
    """The flow that carries out the rest of a run whose process died, in new tabs."""
    by_hand = progress.flow == "given"

    async def go(run: Run, page: Page | None) -> None:
        async with AsyncExitStack() as stack:
            step_run = StepRun(run, settings, progress.said, await _executor(run, settings, stack), steps_given=by_hand)
            await stack.enter_async_context(step_run.approval.holding())
            restore(run, saved)
            run.tabs, _ = await reopen_tabs(run.browser, run.browser_state)
            step_run.restore(progress)
            if by_hand:
                await _finish_given(step_run)
            elif settings.flow == "iterative":
                await go_on_step_by_step(step_run)
            else:
                await (finish_plan(step_run) if step_run.steps else carry_out_plan(step_run))

    return go


async def _finish_given(step_run: StepRun) -> None:
    await carry_out(step_run)
    run = step_run.run
    if run.end is None and (dialog := run.tabs.page.dialog) is not None:
        run.fail("failed", f"The last step is not over: {dialog.question}.")
    if run.end is None:
        run.end = End(step_run.outputs[-1].text if step_run.outputs else "")


async def _executor(run: Run, settings: StepSettings, stack: AsyncExitStack) -> Client | None:
    if settings.executor is None:
        return None
    return await stack.enter_async_context(run.models.client_of(settings.executor))


def saved_flow(saved: Checkpoint, agent_options: AgentOptions, environment: Mapping[str, str]) -> RunFlow:
    """The flow that carries out the rest of a saved run.

    Approvers are not saved, so they come again in `agent_options`; without `approve` the run keeps its rules. Raises
    SetupError.
    """
    try:
        progress = msgspec.convert(saved.by_steps, Progress)
    except msgspec.ValidationError as error:
        raise SetupError(f"The checkpoint cannot be read: {error}.") from error
    options = msgspec.structs.replace(
        agent_options,
        approve=progress.rules if agent_options.approve is None else agent_options.approve,
        flow="iterative" if progress.flow == "iterative" else "plan",
        planner_page=progress.planner_page,
    )
    executor = _executor_of(progress, saved, agent_options.base_url, environment)
    return resumed_flow(step_settings(options, executor, by_hand=progress.flow == "given"), saved, progress)


def _executor_of(
    progress: Progress, saved: Checkpoint, base_url: str | None, environment: Mapping[str, str]
) -> Endpoint | None:
    if progress.executor is None:
        return None
    address = progress.executor_base_url
    if base_url is not None and address == saved.base_url:  # both models had this address
        address = base_url
    return endpoint(progress.executor, base_url=address, environment=environment)
