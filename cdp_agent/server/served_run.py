"""One run of the server: its events so far, its open question, and how callers control it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from cdp_agent.decisions import Ask, Continue, FormRequested, Paused, possible
from cdp_agent.events import Event
from cdp_agent.outcome import AgentResult
from cdp_agent.security.secrets import Secrets
from cdp_agent.server.bodies import RunInfo, RunRequest, RunStatus
from cdp_agent.server.browsers import OpenedContext
from cdp_agent.server.files import HeldFiles
from cdp_agent.server.streams import NumberedLog
from cdp_agent.server.tool_calls import ToolCaller
from cdp_agent.session.session import Session
from cdp_agent.session.tabs import tab_named
from cdp_agent.step_events import ApprovalAsked, ApprovalDecided
from cdp_agent.steps.approval.approval import Submit
from cdp_agent.tools.asking import withhold

_FIRST_WATCHER_S = 30.0
"""How long a run that stops without watchers waits for the first."""


class OpenQuestion:
    """An `Approver` whose decisions come in requests. It keeps the open question."""

    def __init__(self, pause: asyncio.Event) -> None:
        """`pause` is the event that pauses the run; if it is no longer set, a run that is about to pause goes on."""
        self.ask: Ask | None = None
        self._pause = pause
        self._submit: Submit | None = None
        self._last_id = 0
        self._can_be_decided = asyncio.Event()

    async def __call__(self, ask: Ask, submit: Submit) -> None:
        """Never returns: it is cancelled when the question is decided, or its time is up."""
        if isinstance(ask, Paused) and not self._pause.is_set():
            submit(ask.id, Continue())
        self.ask, self._submit, self._last_id = ask, submit, ask.id
        self._can_be_decided.set()
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self.close()

    def note_event(self, event: Event) -> None:
        """Takes an event of the run, since a client may answer a question as soon as it reads its event.

        The event may come before or after the call that asks the question.
        """
        if isinstance(event, ApprovalAsked) and event.ask.id > self._last_id:
            self.ask, self._last_id = event.ask, event.ask.id
            self._can_be_decided.clear()
        elif isinstance(event, ApprovalDecided) and event.id == self._last_id:
            self.close()

    def close(self) -> None:
        """Closes the open question."""
        self.ask = self._submit = None
        self._can_be_decided.set()

    async def decide(self, ask_id: int, decision: Mapping[str, object]) -> str | None:
        """Takes a decision as JSON data. Returns None if it counts, else why it does not."""
        if self.ask is not None:
            await self._can_be_decided.wait()
        if self._submit is None:
            return "No question is open."
        return self._submit(ask_id, decision)


class ServedRun:
    """One run, from its beginning until the server forgets it."""

    def __init__(
        self,
        run_id: str,
        request: RunRequest,
        files: HeldFiles,
        *,
        leave_grace_s: float,
        secrets: Secrets,
        has_user: bool,
    ) -> None:
        """`secrets` are for callers who act in its page while it is paused; `has_user`: somebody can be asked."""
        self.id = run_id
        self.request = request
        self.files = files
        self.log = NumberedLog()
        self.stop, self.pause = asyncio.Event(), asyncio.Event()
        self.question = OpenQuestion(self.pause)
        self.context: OpenedContext | None = None
        """The browser context of the run while it is carried out, else None."""
        self.began = time.time()
        self.ended: float | None = None
        self.ended_clock = 0.0
        """When it ended, in the time of `time.monotonic`."""
        self.result: AgentResult | None = None
        self._secrets = secrets
        self._has_user = has_user
        self._held: tuple[Paused, Session] | None = None
        self._grace_s = leave_grace_s
        self._watchers = 0
        self._stop_timer: asyncio.TimerHandle | None = None
        if request.on_disconnect == "stop":
            self._stop_in(_FIRST_WATCHER_S)

    @property
    def status(self) -> RunStatus:
        if self.ended is None:
            if self.question.ask is not None:
                return "waiting"
            return "pausing" if self.pause.is_set() else "running"
        if self.result is not None and self.result.success:
            return "succeeded"
        return "stopped" if self.stop.is_set() else "failed"

    @property
    def info(self) -> RunInfo:
        ask = self.question.ask
        return RunInfo(
            id=self.id,
            status=self.status,
            task=self.request.task if self.request.task is not None else "\n".join(self.request.steps),
            url=self.request.url,
            began=self.began,
            ended=self.ended,
            events=self.log.last,
            ask=ask,
            decisions=[] if ask is None else possible(ask),
            result=self.result,
        )

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Inside the block, the run has one more watcher: see `RunRequest.on_disconnect`."""
        self._watchers += 1
        self._cancel_stop()
        try:
            yield
        finally:
            self._watchers -= 1
            if not self._watchers and self.request.on_disconnect == "stop":
                self._stop_in(self._grace_s)

    async def decide(self, ask_id: int, decision: Mapping[str, Any]) -> str | None:
        """Takes a decision as JSON data. Returns None if it counts, else why it does not."""
        ask = self.question.ask
        problem = await self.question.decide(ask_id, decision)
        if problem is None and isinstance(ask, FormRequested) and "values" in decision:
            # A caller who acts in the page later may not be the one who filled in the form.
            withhold(self._secrets, decision["values"], {field.ref: field.field_type for field in ask.fields})
        return problem

    def ask_to_pause(self) -> str | None:
        """Pauses the run after its turn or its step. Returns None when it will pause, else why not."""
        if self.ended is not None:
            return "The run has ended."
        if not self._has_user:
            return (
                'This run cannot be paused, since nobody could let it go on: begin it with "interactive": true. '
                "It can be stopped."
            )
        self.pause.set()
        return None

    async def resume(self, text: str = "") -> str | None:
        """Resumes a run that is paused or about to be; its model gets `text`. Returns None if so, else why not."""
        if isinstance(ask := self.question.ask, Paused):
            return await self.decide(ask.id, {"decision": "continue", "text": text})
        if not self.pause.is_set() or text:
            return "The run is not paused."
        self.pause.clear()
        return None

    async def handed_over(self, caller: ToolCaller) -> tuple[Session, OpenedContext] | None:
        """A session in the page of the run, for a caller who acts in it while the run is paused; None if it is not."""
        ask, context = self.question.ask, self.context
        if not isinstance(ask, Paused) or context is None:
            return None
        if self._held is None or self._held[0] is not ask:
            page = await tab_named(context.browser, ask.tab)
            self._held = ask, caller.session(context, self.files, self._secrets, page)
        return self._held[1], context

    def end(self) -> None:
        """Stops the run, unless it has ended already."""
        if self.ended is None:
            self.stop.set()

    def mark_ended(self) -> None:
        """Closes the event log, since the run has ended: readers finish when they have read all."""
        self.ended, self.ended_clock = time.time(), time.monotonic()
        self.context = self._held = None
        self._cancel_stop()
        self.question.close()
        self.log.close()

    def _stop_in(self, seconds: float) -> None:
        if self.ended is None:
            self._stop_timer = asyncio.get_running_loop().call_later(seconds, self.end)

    def _cancel_stop(self) -> None:
        if self._stop_timer is not None:
            self._stop_timer.cancel()
            self._stop_timer = None
