"""Traces the calls of a session as a run in a trace's folder: each call is a step, whoever makes it."""

from __future__ import annotations

import itertools
import logging
import time
from collections.abc import Sequence

import msgspec

from cdp_agent.action_log import LogLine
from cdp_agent.event import Stamp
from cdp_agent.events import AgentAction, AgentStep, BrowserActionCompleted, Event, TaskCompleted, TaskSetup
from cdp_agent.outcome import AgentResult, Stats
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.snapshot.snapshot import Snapshot
from cdp_agent.page.tab.tab import Tab
from cdp_agent.session.calls import Call, ToolOutcome
from cdp_agent.session.session import Session
from cdp_agent.tools.base import facts
from cdp_agent.tools.picturing import Screenshot
from cdp_agent.trace.options import TraceOptions
from cdp_agent.trace.recorder import Recorder
from cdp_agent.trace.watcher import Watcher

_log = logging.getLogger(__name__)


def trace_session(session: Session, options: TraceOptions, name: str = "") -> None:
    """Writes the calls of the session from now on into a new folder, until the session is closed.

    `name` becomes part of the folder's name. A session that is traced already is left as it is. Raises SetupError if
    the folder cannot be created.
    """
    if session.watcher is None:
        session.watcher = SessionTrace(session, options, name)


class SessionTrace:
    """Traces the calls of a session, as its `CallWatcher`. A call waits at most 0.25 s for the picture before it."""

    def __init__(self, session: Session, options: TraceOptions, name: str) -> None:
        """Raises SetupError."""
        words = f"session {name}".strip()
        self._secrets = session.secrets
        self._recorder = Recorder(options, self._secrets.mask(words), _log.warning)
        self._tabs: list[Tab] = []
        """The tabs that calls were made in, in the order of their last calls."""
        self._watcher = Watcher(self._recorder, self._secrets, lambda: self._tabs)
        self._numbers = itertools.count(1)
        self._began, self._clock = time.time(), time.monotonic()
        self._calls = self._errors = self._events = 0
        self.write_event(TaskSetup(**self._recorder.stamp, task=f"Calls in the {words}", provider="", model=""))

    def call(self, name: str) -> TracedCall:
        """See `CallWatcher`."""
        return TracedCall(self, name)

    def begin(self, page: Page | None) -> int:
        """Begins a step, and starts to look at the tab. Returns the step's number."""
        number = next(self._numbers)
        self.write_event(AgentStep(timestamp=time.time(), step=number))
        if page is not None:
            tab = tab_of(page)
            self._tabs = [*(each for each in self._tabs if each is not tab and not each.closed), tab]
            self._watcher.look()
        return number

    async def mark_targets(self, call: Call) -> None:
        """Before a call: waits for the picture, and writes the positions of the call's elements in it."""
        await self._watcher.acts([(call.name, ref) for ref in call.refs])

    def count_call(self, *, failed: bool) -> None:
        self._calls += 1
        self._errors += failed

    def write_event(self, event: Event) -> None:
        """Writes an event, with secrets masked."""
        self._events += 1
        self._recorder.event(self._secrets.masked(event))

    def write_log(self, action: str, log: Sequence[LogLine], step: int) -> None:
        """Writes the log of a call's action, if it made one."""
        self._recorder.action_log(action, self._secrets.masked(log), step)

    async def close(self) -> None:
        """Looks at the tabs a last time, and ends the trace."""
        await self._watcher.end()
        stats = Stats(
            steps=self._calls,
            actions=self._calls,
            errors=self._errors,
            generations=0,
            input_tokens=0,
            output_tokens=0,
            cached_tokens=0,
            events=self._events + 1,
            started=self._began,
            duration_s=round(time.monotonic() - self._clock, 3),
        )
        result: AgentResult[None] = AgentResult(success=True, answer=None, error=None, stats=stats)
        self.write_event(TaskCompleted(**self._recorder.stamp, result=result))
        await self._watcher.close()


class TracedCall:
    """Traces one call, as a `WatchedCall`."""

    def __init__(self, trace: SessionTrace, name: str) -> None:
        self._trace = trace
        self._name = name
        self._number: int | None = None
        self._is_recorded = False

    def enters(self, page: Page) -> None:
        """See `WatchedCall`."""
        self._number = self._trace.begin(page)

    async def acts(self, call: Call) -> None:
        """See `WatchedCall`."""
        self._tell_action(call.name, call.as_json() | ({} if call.url is None else {"url": call.url}))
        await self._trace.mark_targets(call)

    def ended(self, outcome: ToolOutcome) -> None:
        """See `WatchedCall`."""
        if not self._is_recorded:
            self._tell_action(self._name, {})
        value = outcome.value
        is_structured = value is not None and not isinstance(value, Snapshot | Screenshot)
        self._trace.count_call(failed=outcome.error is not None)
        self._trace.write_log(self._name, outcome.log, self._stamp["step"])
        self._trace.write_event(
            BrowserActionCompleted(
                **self._stamp,
                action=self._name,
                success=outcome.error is None,
                text=outcome.text,
                duration_s=outcome.duration_ms / 1000,
                facts=facts(value) if is_structured and isinstance(value, msgspec.Struct) else None,
            )
        )

    def _tell_action(self, name: str, arguments: dict[str, object]) -> None:
        self._name, self._is_recorded = name, True
        self._trace.write_event(AgentAction(**self._stamp, action=name, arguments=arguments))

    @property
    def _stamp(self) -> Stamp:
        if self._number is None:
            self._number = self._trace.begin(None)
        return {"timestamp": time.time(), "step": self._number}
