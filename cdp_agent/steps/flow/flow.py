"""The course of a run by steps, which `Loop` carries out: from the page where it begins to its end."""

from __future__ import annotations

from collections.abc import Mapping, MutableSequence, Sequence
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import msgspec

from cdp_agent.agent.loop import Course
from cdp_agent.agent.observation.browser_state import go_back_to
from cdp_agent.agent.startup import arrive
from cdp_agent.agent.state.checkpoint import Checkpoint, restore
from cdp_agent.agent.state.run import End, Run
from cdp_agent.decisions import AskUser
from cdp_agent.errors import SetupError
from cdp_agent.providers.services import Endpoint, endpoint
from cdp_agent.steps.approval.approval import Approver
from cdp_agent.steps.approval.settings import Approve, StepOptions, StepSettings
from cdp_agent.steps.flow.iterative import carry_out_step_by_step, go_on_step_by_step
from cdp_agent.steps.flow.plan_first import begin, carry_out, carry_out_plan, finish_plan
from cdp_agent.steps.flow.step_run import Progress, Said, StepRun

if TYPE_CHECKING:
    from cdp_agent.page.page import Page
    from cdp_agent.providers.client import Client


def planned(settings: StepSettings, said: MutableSequence[Said]) -> Course:
    """A course in which a planner finds the steps; `said` is the earlier conversation, to which this run is added."""

    async def go(run: Run, page: Page | None) -> None:
        async with AsyncExitStack() as stack:
            work = StepRun(run, settings, tuple(said), await _executor(run, settings, stack))
            await stack.enter_async_context(work.holding())
            if not await arrive(run, page):
                return
            await (carry_out_plan(work) if settings.flow == "plan" else carry_out_step_by_step(work))
            said.append(Said("User", run.task.text))
            if run.end is not None:
                told = run.end.answer or (run.end.error.message if run.end.error is not None else "")
                said.append(Said("You", told if isinstance(told, str) else msgspec.json.encode(told).decode()))

    return go


def given(settings: StepSettings, steps: Sequence[str]) -> Course:
    """A course of given steps, without a planner; the answer is the output of the last one."""

    async def go(run: Run, page: Page | None) -> None:
        async with AsyncExitStack() as stack:
            work = StepRun(run, settings, (), await _executor(run, settings, stack), given=True)
            await stack.enter_async_context(work.holding())
            run.addresses.learn("\n".join(steps))
            if not await arrive(run, page):
                return
            await begin(work, list(steps))
            await _finish_given(work)

    return go


def resumed(settings: StepSettings, saved: Checkpoint, progress: Progress) -> Course:
    """A course that carries out the rest of a run whose process died, in new tabs."""
    by_hand = progress.flow == "given"

    async def go(run: Run, page: Page | None) -> None:
        async with AsyncExitStack() as stack:
            work = StepRun(run, settings, progress.said, await _executor(run, settings, stack), given=by_hand)
            await stack.enter_async_context(work.holding())
            restore(run, saved)
            run.tabs, _ = await go_back_to(run.browser, run.place)
            work.take_up(progress)
            if by_hand:
                await _finish_given(work)
            elif settings.flow == "iterative":
                await go_on_step_by_step(work)
            else:
                await (finish_plan(work) if work.steps else carry_out_plan(work))

    return go


async def _finish_given(work: StepRun) -> None:
    await carry_out(work)
    if work.run.end is None:
        work.run.end = End(work.outputs[-1].text if work.outputs else "")


async def _executor(run: Run, settings: StepSettings, stack: AsyncExitStack) -> Client | None:
    if settings.executor is None:
        return None
    return await stack.enter_async_context(run.models.client_of(settings.executor))


def rest_of(
    saved: Checkpoint,
    *,
    base_url: str | None,
    approve: Approve | None,
    approver: Approver | None,
    ask_user: AskUser | None,
    approval_timeout_s: float,
    environment: Mapping[str, str],
) -> Course:
    """A course that carries out the rest of a saved run. The approver is passed again; without `approve` the run keeps
    its rules.

    Raises SetupError.
    """
    try:
        progress = msgspec.convert(saved.by_steps, Progress)
    except msgspec.ValidationError as error:
        raise SetupError(f"The checkpoint cannot be read: {error}.") from error
    settings = StepOptions(
        approve=progress.rules if approve is None else approve,
        approver=approver,
        ask_user=ask_user,
        flow="iterative" if progress.flow == "iterative" else "plan",
        approval_timeout_s=approval_timeout_s,
        planner_page=progress.planner_page,
        executor=_executor_of(progress, saved, base_url, environment),
    ).settings(by_hand=progress.flow == "given")
    return resumed(settings, saved, progress)


def _executor_of(
    progress: Progress, saved: Checkpoint, base_url: str | None, environment: Mapping[str, str]
) -> Endpoint | None:
    if progress.executor is None:
        return None
    address = progress.executor_base_url
    if base_url is not None and address == saved.base_url:  # both have moved
        address = base_url
    return endpoint(progress.executor, base_url=address, environment=environment)
