"""What a run by steps does, from the page where it begins to its end: the way of `Loop` through it."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import msgspec

from cdp_agent.agent.asking import client_of
from cdp_agent.agent.beginning import arrive
from cdp_agent.agent.loop import Course
from cdp_agent.agent.run import End
from cdp_agent.steps.flow import carry_out, carry_out_plan
from cdp_agent.steps.iterative import carry_out_step_by_step
from cdp_agent.steps.settings import StepSettings
from cdp_agent.steps.work import Said, Work

if TYPE_CHECKING:
    from cdp_agent.agent.run import Run
    from cdp_agent.page.page import Page
    from cdp_agent.providers.client import Client


def planned(settings: StepSettings, said: MutableSequence[Said]) -> Course:
    """A planner finds the steps; `said` is the conversation before, to which this run is added."""

    async def go(run: Run, page: Page | None) -> None:
        async with AsyncExitStack() as stack:
            executor = await _executor(run, settings, stack)
            if not await arrive(run, page):
                return
            work = Work(run, settings, tuple(said), executor)
            await (carry_out_plan(work) if settings.flow == "plan" else carry_out_step_by_step(work))
            said.append(Said("User", run.task.text))
            if run.end is not None:
                told = run.end.answer or (run.end.error.message if run.end.error is not None else "")
                said.append(Said("You", told if isinstance(told, str) else msgspec.json.encode(told).decode()))

    return go


def given(settings: StepSettings, steps: Sequence[str]) -> Course:
    """These steps, as whoever wrote them meant them; the answer is what the last one gave."""

    async def go(run: Run, page: Page | None) -> None:
        async with AsyncExitStack() as stack:
            executor = await _executor(run, settings, stack)
            run.addresses.learn("\n".join(steps))
            if not await arrive(run, page):
                return
            work = Work(run, settings, (), executor)
            await carry_out(work, list(steps))
            if run.end is None:
                run.end = End(work.outputs[-1].text if work.outputs else "")

    return go


async def _executor(run: Run, settings: StepSettings, stack: AsyncExitStack) -> Client | None:
    if settings.executor is None:
        return None
    return await stack.enter_async_context(client_of(run, settings.executor))
