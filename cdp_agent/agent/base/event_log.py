"""The event log of a run: its events, in order, for whoever follows the run."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cdp_agent.action_log import LogLine
from cdp_agent.agent.base.usage import UsageMeter
from cdp_agent.event import Stamp
from cdp_agent.events import Event
from cdp_agent.security.secrets import Secrets

if TYPE_CHECKING:
    from cdp_agent.telemetry import RunSpan
    from cdp_agent.trace.recorder import Recorder


class EventLog:
    """The events of one run, with its secrets masked."""

    def __init__(self, usage: UsageMeter, secrets: Secrets) -> None:
        self.queue: asyncio.Queue[Event | None] = asyncio.Queue()
        """The events in order, then None."""
        self._usage = usage
        self.secrets = secrets
        self.recorder: Recorder | None = None
        """Writes the events into the run's trace, None without one."""
        self.span: RunSpan | None = None
        """The run's span in OpenTelemetry, None without telemetry."""

    @property
    def stamp(self) -> Stamp:
        """The time and step for an event that happens now: `log.emit(AgentStatus(**log.stamp, message="…"))`."""
        return {"timestamp": time.time(), "step": self._usage.steps}

    def emit(self, event: Event) -> None:
        """Adds an event to the log, with the run's secrets masked."""
        self._usage.events += 1
        masked = self.secrets.masked(event)
        self.queue.put_nowait(masked)
        if self.recorder is not None:
            self.recorder.event(masked)

    def record_action(self, action: str, log: Sequence[LogLine]) -> None:
        """Writes the log of an action into the run's trace, if there is one."""
        if self.recorder is not None:
            self.recorder.action_log(action, self.secrets.masked(log), self._usage.steps)
