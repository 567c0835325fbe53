"""The agent's loop: plan, then look, ask, act and tell, until the answer stands or a limit is reached."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

import msgspec

from cdp_agent.agent import checkpoint, planner, prompts, recovery
from cdp_agent.agent.asking import ask
from cdp_agent.agent.batch import Batch
from cdp_agent.agent.checkpoint import Checkpoint
from cdp_agent.agent.place import BLANK, go_back_to, place_of
from cdp_agent.agent.run import End, Run
from cdp_agent.agent.sight import Seen
from cdp_agent.agent.stagnation import Stuck
from cdp_agent.agent.tabs import Tabs
from cdp_agent.errors import ActionError, BrowserError, ContextTooLong, ModelError, ProtocolError, SetupError
from cdp_agent.events import (
    AgentReasoned,
    AgentStatus,
    AgentStep,
    AiGenerationError,
    Event,
    HistoryShrunk,
    TaskAborted,
    TaskCompleted,
    TaskError,
    TaskSetup,
    TaskStarted,
)
from cdp_agent.page.receipts import Receipt
from cdp_agent.providers.base import Assistant, Reply, Request, ToolSpec

if TYPE_CHECKING:
    from cdp_agent.page.page import Page

_STOPS_WITHIN_S = 0.8


class Loop:
    """Carries one run out. `page` is where it begins, None for a tab of its own; `resumed` is where it stood before."""

    def __init__(
        self,
        run: Run,
        page: Page | None = None,
        stop: asyncio.Event | None = None,
        resumed: Checkpoint | None = None,
    ) -> None:
        self._run = run
        self._page = page
        self._stop = stop
        self._resumed = resumed
        self._specs = tuple(ToolSpec(each.name, each.description, each.parameters) for each in run.tools.values())

    async def events(self) -> AsyncGenerator[Event, None]:
        """The run as it happens; `TaskCompleted` is the last. Raises only what is a bug of ours.

        When whoever waits for an event is cancelled, or `stop` is set, the run ends within a second, with a result.
        """
        run = self._run
        working = asyncio.create_task(self._work())
        working.add_done_callback(lambda _: run.events.put_nowait(None))
        watching = asyncio.create_task(self._cancel_on_stop(working))
        try:
            while (event := await self._next(working)) is not None:
                yield event
            if working.done() and not working.cancelled():
                working.result()
        finally:
            watching.cancel()
            working.cancel()
            await asyncio.wait([working, watching], timeout=_STOPS_WITHIN_S)
        end = run.end = run.end or End(error=TaskError("aborted", "The run was stopped.", "user"))
        if end.error is not None and end.error.code == "aborted":
            run.tell(TaskAborted, reason=end.error.message)
        run.tell(TaskCompleted, result=run.result(end))
        while not run.events.empty():
            if (last := run.events.get_nowait()) is not None:
                yield last

    async def _next(self, working: asyncio.Task[None]) -> Event | None:
        """The next event. Being cancelled here stops the work instead, which is what ends the run."""
        try:
            return await self._run.events.get()
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if working.done() or working.cancelling() or task is None:
                raise
            task.uncancel()  # it is answered with a result
            working.cancel()
            await asyncio.wait([working], timeout=_STOPS_WITHIN_S)
            return None

    async def _cancel_on_stop(self, working: asyncio.Task[None]) -> None:
        if self._stop is not None:
            await self._stop.wait()
            working.cancel()

    async def _work(self) -> None:
        from cdp_agent.providers.client import Client  # httpx takes long to import: only a run needs it

        run = self._run
        run.tell(
            TaskSetup,
            task=run.task.text,
            provider=run.endpoint.provider,
            model=run.endpoint.model,
            url=run.task.url,
            guardrails=run.task.guardrails,
        )
        try:
            async with Client(run.endpoint) as client:
                run.client = client
                await (self._begin() if self._resumed is None else self._go_on(self._resumed))
                while run.end is None:
                    run.tally.steps += 1
                    run.tell(AgentStep)
                    await self._turn()
                    run.check_limits()
                    await self._keep()
        except ModelError as error:
            run.fail("failed", str(error), "model")
        except (BrowserError, ProtocolError) as error:
            run.fail("failed", str(error), "browser")
        except SetupError as error:  # the folder of the checkpoint
            run.fail("failed", str(error))
        if run.options.checkpoint is not None and run.end is not None and run.end.error is None:
            checkpoint.forget(run.options.checkpoint)

    async def _begin(self) -> None:
        """Makes the plan, goes to where the run begins, and tells the model its task."""
        run = self._run
        plan = run.plan = await planner.make_plan(run)
        url = run.task.url or plan.url
        run.tell(
            TaskStarted,
            task=run.task.text,
            success_criteria=plan.success_criteria,
            plan=plan.plan,
            action_items=plan.action_items,
            url=url,
        )
        words = prompts.task(run.task.text, run.task.input_data, plan.text, _form_text(run))
        run.addresses.learn(f"{words}\n{url or ''}")
        try:
            run.tabs = Tabs(run.browser, self._page or await run.browser.new_page())
            await self._start(url, words)
        except BrowserError as error:
            await recovery.recover(run, error)
            await self._start(url, words)
        await self._keep()

    async def _start(self, url: str | None, words: str) -> None:
        """Goes to where the run begins, and tells the model its task."""
        run = self._run
        if url is not None and not await self._open(url):
            return
        seen = Seen(None)
        if run.tabs.page.url != BLANK:
            seen = await run.sight.look(run.tabs.page)
            run.saw(seen)
        run.history.say(words, seen.view)

    async def _keep(self) -> None:
        """Takes down where the run is."""
        run = self._run
        try:
            run.place = await place_of(run.browser, run.tabs)
        except BrowserError:
            return  # the next action finds out, and where it was before is known
        if run.options.checkpoint is not None:
            checkpoint.save(run, run.options.checkpoint)

    async def _go_on(self, resumed: Checkpoint) -> None:
        """Puts the run and its tabs where they were, and tells the model."""
        run = self._run
        checkpoint.restore(run, resumed)
        run.tabs, missing = await go_back_to(run.browser, run.place)
        run.history.say(prompts.resumed(at_page=run.tabs.page.url != BLANK, missing=len(missing)))
        if run.tabs.page.url != BLANK:
            seen, _ = await self._see([], whole=True)
            run.history.show(seen.view or "")

    async def _open(self, url: str) -> bool:
        """Goes to the first address, again if that may help."""
        run = self._run
        for left in range(run.limits.first_navigation_retries, -1, -1):
            try:
                await run.tabs.page.goto(url)
                return True
            except ActionError as error:
                if left:
                    run.tell(AgentStatus, message=f"The first page is tried again: {error}")
                    continue
                run.fail("failed", f"The first page could not be opened: {error}")
        return False

    async def _turn(self) -> None:
        """One reply of the model, and what it asks for."""
        run = self._run
        reply = await self._ask()
        # Some providers refuse a message without any content.
        run.history.hear(Assistant(reply.text or ("" if reply.tool_calls else "(nothing)"), reply.tool_calls))
        if thought := (reply.reasoning or reply.text).strip():
            run.tell(AgentReasoned, reasoning=thought)
        if not reply.tool_calls:
            run.history.say(prompts.CUT_OFF if reply.finish_reason == "length" else prompts.NO_TOOL_CALL)
            run.tell(AiGenerationError, kind="NoToolCall", message="The model called no tool; it is asked again.")
            run.tally.failed()
            return
        batch = Batch(run, reply.tool_calls)
        await batch.run()
        refusal = None
        if batch.answer is not None:
            refusal = await self._conclude(batch.answer.result, success=batch.answer.success)
            if refusal is None:
                return
        if batch.stuck is Stuck.END:
            run.fail("stuck", "The same state came back five times: the run does not get any further.")
        await self._answer(batch, refusal)

    async def _ask(self) -> Reply:
        """The model's next reply, to a conversation that is as short as it must be."""
        run = self._run
        if run.history.tokens > run.limits.history_tokens:
            await self._shrink()
        try:
            return await ask(run, self._request(), "action")
        except ContextTooLong:  # the provider's word on what the model takes
            await self._shrink()
            return await ask(run, self._request(), "action")

    def _request(self) -> Request:
        return Request(self._run.endpoint.model, self._run.history.messages(), self._specs, "required")

    async def _shrink(self) -> None:
        """Leaves a line of each old observation, and shows the page as it is now."""
        run = self._run
        before = run.history.tokens
        run.history.shrink()
        run.sight.forget()
        if run.tabs.page.url != BLANK:
            seen, notes = await self._see([], whole=True)
            run.history.show("\n\n".join([*notes, seen.view or ""]))
        run.tell(HistoryShrunk, tokens_before=before, tokens_after=run.history.tokens)

    async def _conclude(self, answer: str, *, success: bool) -> str | None:
        """Ends the run with this answer, or says why it is not accepted."""
        run = self._run
        if success:
            from cdp_agent.agent import validator  # what it compares with takes long to import

            return await validator.conclude(run, answer)
        run.end = End(answer, TaskError("aborted", answer))
        return None

    async def _answer(self, batch: Batch, refusal: str | None) -> None:
        """Tells the model what came of its calls, and what it does not know yet of the page."""
        run = self._run
        told, notes = batch.told(refusal), []
        if batch.lost is not None:
            notes.append(await recovery.recover(run, batch.lost))
        seen = None
        if batch.snapshot is not None:
            seen = await run.sight.see(run.tabs.page, batch.snapshot)
            run.saw(seen)
        elif batch.acted or batch.stuck is Stuck.SHOW:
            seen, lost = await self._see(batch.receipts, whole=batch.stuck is Stuck.SHOW)
            notes += lost
        if seen is not None and seen.same:
            notes.append(prompts.UNCHANGED)
        if batch.stuck in (Stuck.TELL, Stuck.SHOW):
            notes.append(prompts.STUCK_TOLD if batch.stuck is Stuck.TELL else prompts.STUCK_SHOWN)
            run.tell(AgentStatus, message=f"The same state came back {int(batch.stuck)} times.")
        if notes:
            last = told.pop()
            told.append(msgspec.structs.replace(last, text="\n".join([last.text, *notes])))
        run.history.answer(told, seen.view if seen is not None else None)

    async def _see(self, receipts: list[Receipt], *, whole: bool) -> tuple[Seen, list[str]]:
        """What there is to see, also when Chrome went away meanwhile; what is to be said of that."""
        run = self._run
        notes = []
        try:
            seen = await run.sight.look(run.tabs.page, receipts, whole=whole)
        except BrowserError as error:
            notes.append(await recovery.recover(run, error))
            seen = await run.sight.look(run.tabs.page)
        run.saw(seen)
        return seen, notes


def _form_text(run: Run) -> str:
    form = run.task.form
    return "" if form is None else msgspec.json.format(msgspec.json.encode(form.source), indent=1).decode()
