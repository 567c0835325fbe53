"""The agent's loop: begins the run, then takes turns until an answer is accepted or a limit is reached.

Between two turns the page may be handed over to the user; the model is then told how it has changed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, nullcontext
from typing import TYPE_CHECKING

import msgspec

from cdp_agent.agent.model import prompts
from cdp_agent.agent.model.budget import OverBudget, out_of_time
from cdp_agent.agent.rows.handing_over import handing_over, looking
from cdp_agent.agent.startup import begin, resume
from cdp_agent.agent.state import checkpoint
from cdp_agent.agent.state.checkpoint import Checkpoint
from cdp_agent.agent.state.planner import plan_if_long, revising
from cdp_agent.agent.state.recovery import observe, tell_endpoints
from cdp_agent.agent.state.run import End, Run
from cdp_agent.agent.steps_tool import STEPS
from cdp_agent.agent.toolset import TypedDone
from cdp_agent.agent.turn import take_last_turn, take_turn
from cdp_agent.browser.politeness import visiting
from cdp_agent.decisions import AskUser, Paused
from cdp_agent.errors import ActionError, BrowserError, ModelError, ProtocolError, SetupError
from cdp_agent.events import (
    Event,
    TaskAborted,
    TaskCompleted,
    TaskMetrics,
    TaskMetricsIncremental,
    TaskSetup,
)
from cdp_agent.outcome import TaskError
from cdp_agent.page.frames.deadline import Deadline
from cdp_agent.page.page import tab_of
from cdp_agent.page.policy.limits import limited
from cdp_agent.security.quoting import visible

if TYPE_CHECKING:
    from cdp_agent.page.page import Page
    from cdp_agent.steps.approval.run_approval import RunApproval

_STOPS_WITHIN_S = 0.8


RunFlow = Callable[[Run, "Page | None"], Awaitable[None]]
"""Carries out a run until its `end` is set. By default, a single model takes turn after turn."""


class Loop:
    """Carries out one run. `page` is the tab to begin in, None for a new one; `resumed` is the checkpoint to resume.

    `approval`: what a run of one model has to be allowed; None for everything, and in a `flow`, which has its own.
    """

    def __init__(
        self,
        run: Run,
        page: Page | None = None,
        stop: asyncio.Event | None = None,
        resumed: Checkpoint | None = None,
        flow: RunFlow | None = None,
        approval: RunApproval | None = None,
    ) -> None:
        self._run = run
        self._page = page
        self._stop = stop
        self._resumed = resumed
        self._flow = flow or self._take_turns
        self._approval = approval

    async def events(self) -> AsyncGenerator[Event, None]:
        """Carries out the run and yields its events; the last one is `TaskCompleted`.

        When `stop` is set the run ends within a second, with a result. When the task that waits for an event is
        cancelled, the run ends as fast, and `CancelledError` is raised. Raises SetupError when the trace cannot be
        written; all other failures are in the result.
        """
        run = self._run
        run.begin_trace()
        run.begin_span()
        working = asyncio.create_task(self._work())
        working.add_done_callback(lambda _: run.log.queue.put_nowait(None))
        watching = asyncio.create_task(self._cancel_on_stop(working))
        try:
            try:
                while (event := await run.log.queue.get()) is not None:
                    yield event
                if not working.cancelled():
                    working.result()
            finally:
                watching.cancel()
                working.cancel()
                await asyncio.wait([working, watching], timeout=_STOPS_WITHIN_S)
            end = run.end = run.end or End(error=TaskError("aborted", "The run was stopped.", "user"))
            if end.error is not None and end.error.code == "aborted":
                run.emit(TaskAborted(**run.stamp, reason=end.error.message))
            run.emit(TaskMetrics(**run.stamp, stats=run.usage.stats(events_to_come=2)))
            completed = TaskCompleted(**run.stamp, result=run.result(end))
            run.emit(completed)
            run.end_span(completed.result)
        finally:
            run.end_span(None)
            if run.watcher is not None:
                await run.watcher.close()
        while not run.log.queue.empty():
            if (last := run.log.queue.get_nowait()) is not None:
                yield last

    async def _cancel_on_stop(self, working: asyncio.Task[None]) -> None:
        if self._stop is not None:
            await self._stop.wait()
            working.cancel()

    async def _work(self) -> None:
        with nullcontext() if self._run.log.span is None else self._run.log.span.current():
            await self._carry_out()

    async def _carry_out(self) -> None:
        run = self._run
        run.emit(
            TaskSetup(
                **run.stamp,
                task=run.task.text,
                provider=run.models.endpoint.provider if run.models.has_model else "",
                model=run.models.endpoint.model if run.models.has_model else "",
                url=run.task.url,
                guardrails=run.task.guardrails,
                browser=run.browser.version.product,
                vision=run.options.vision,
                has_data=run.task.input_data is not None,
            )
        )
        tell_endpoints(run)
        try:
            run.deadline = Deadline(run.time_left_s, error=lambda: OverBudget(out_of_time(run.limits)))
            polite = visiting(run.politeness)
            async with limited(run.options.rules), polite, run.deadline, AsyncExitStack() as stack:
                if run.models.has_model:
                    run.models.client = await stack.enter_async_context(run.models.client_of())
                await self._flow(run, self._page)
        except OverBudget as over:
            run.end = run.end or End(error=over.error)
        except ModelError as error:
            run.fail("failed", str(error), "model")
        except (BrowserError, ProtocolError) as error:
            run.fail("failed", str(error), "browser")
        except SetupError as error:  # the checkpoint cannot be written
            run.fail("failed", str(error))
        _note_status(run)
        if run.watcher is not None:
            await run.watcher.end()
        self._forget_checkpoint()

    async def _take_turns(self, run: Run, page: Page | None) -> None:
        # Runs by steps need neither tool: they have their own plan, and the verifier gives their answer.
        if run.options.replan:
            run.tools["revise_plan"] = revising(run)
        form = run.task.form
        run.tools["done"] = handing_over(run.tools["done"] if form is None else TypedDone.of(form), run.rows, form)
        run.tools.setdefault("read_rows", looking(run.rows))
        if run.options.toolset == "own":
            run.tools.setdefault(STEPS.name, STEPS)
        async with nullcontext() if self._approval is None else self._approval.holding():
            await (begin(run, page) if self._resumed is None else resume(run, self._resumed))
            while run.end is None:
                if not await pause_for_user(run, self._approval):
                    break
                await plan_if_long(run)
                if run.end is not None:
                    break
                run.begin_step()
                await take_turn(run)
                run.check_limits()
                if (limit := run.limit_reached) is not None:
                    await take_last_turn(run, limit)
                await checkpoint.keep(run)
                run.emit(TaskMetricsIncremental(**run.stamp, stats=run.usage.stats()))

    def _forget_checkpoint(self) -> None:
        run = self._run
        if run.options.checkpoint is not None and run.end is not None and run.end.error is None:
            checkpoint.forget(run.options.checkpoint)


def _note_status(run: Run) -> None:
    """Notes in the run's error the status of the page at which it ended; where all pages were errors, it has failed."""
    if run.end is None or "tabs" not in vars(run):
        return
    tabs = [tab_of(page).activity for page in run.tabs.visited]
    status, error = tab_of(run.tabs.page).activity.error_status, run.end.error
    if status is None:
        return
    if error is None and all(tab.requests.had_only_errors for tab in tabs if tab.document.number):
        error = TaskError("failed", f"No page was shown: {run.tabs.page.url} came with {status}.", "browser")
    if error is not None:
        error = msgspec.structs.replace(error, http_status=status.status, retry_after_s=status.retry_after_s)
        run.end = msgspec.structs.replace(run.end, error=error)


async def pause_for_user(run: Run, approval: RunApproval | None) -> bool:
    """If `run.pause` is set, waits until the user hands the page back. Returns False when they end the run.

    For runs of one model, without a planner.
    """
    handed_back = await wait_for_user(run, run.ask_user, approval)
    if handed_back is None:
        return run.end is None
    message, notes = handed_back
    seen, recovery_notes = await observe(run, [], whole=False)
    if seen.same:
        notes.append(prompts.UNCHANGED)
    run.history.add_user_message(prompts.handed_back(message, [*notes, *recovery_notes]), seen.view)
    await run.vision.add_picture(run.tabs.page, run.observer.refs)
    return True


async def wait_for_user(
    run: Run, ask_user: AskUser | None, approval: RunApproval | None
) -> tuple[str, list[str]] | None:
    """If `run.pause` is set, waits until the user hands the page back. Returns their message and notes on changed tabs.

    What the user does in the page is not asked about. None when `run.pause` is not set, when there is no user to ask,
    or when the user ends the run.
    """
    if run.pause is None or ask_user is None or not run.pause.is_set():
        return None
    page = run.tabs.page
    try:
        async with nullcontext() if approval is None else approval.lifted():
            message = await ask_user(Paused(id=0, url=page.url, title=visible(page.title), tab=f"t{page.number}"))
    except ActionError:
        return None  # the run was ended meanwhile
    run.pause.clear()
    moved = await run.tabs.follow()
    return str(message or ""), [moved] if moved else []
