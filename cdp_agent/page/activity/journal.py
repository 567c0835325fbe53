"""What the pages of a tab write to the console and ask servers for, on all its sessions, for whoever wants to read it.

Nothing of it is written down before somebody asks. https://chromedevtools.github.io/devtools-protocol/tot/Console/
"""

from __future__ import annotations

import asyncio
import time
from collections import deque

import msgspec

from cdp_agent.cdp import console, log, network, runtime
from cdp_agent.cdp.connection import Session
from cdp_agent.cdp.types import Empty
from cdp_agent.page.snapshot.lines import in_line, shortened

MOST_KEPT = 500
_LONGEST_TEXT = 1_000


class LoggedRequest(msgspec.Struct):
    """A request, and what became of it so far: `status` and `mime_type` of the answer, or Chrome's `error`."""

    method: str
    url: str
    began: float
    status: int | None = None
    mime_type: str = ""
    error: str = ""
    took_ms: float | None = None

    def __str__(self) -> str:
        if self.error:
            came = self.error
        else:
            came = "no answer yet" if self.status is None else f"{self.status} {in_line(self.mime_type)}".strip()
        took = "" if self.took_ms is None else f" {self.took_ms:.0f} ms"
        return f"{self.method} {in_line(shortened(self.url))} → {came}{took}"


class Journal:
    """The latest MOST_KEPT of either that nobody has read yet."""

    def __init__(self) -> None:
        self._messages: deque[str] = deque(maxlen=MOST_KEPT)
        self._requests: deque[LoggedRequest] = deque(maxlen=MOST_KEPT)
        self._running: dict[str, LoggedRequest] = {}

    def watch(self, session: Session) -> asyncio.Future[tuple[Empty, Empty]]:
        """Writes down what Chrome tells there from now on, and by the time of the answer what the console has already.

        To be called once for a session.
        """
        session.on(console.MessageAdded, self._written)
        session.on(runtime.ExceptionThrown, self._thrown)
        session.on(log.EntryAdded, self._logged)
        session.on(network.RequestWillBeSent, self._sent)
        session.on(network.ResponseReceived, self._answered)
        session.on(network.LoadingFinished, lambda event: self._end(event.request_id))
        session.on(network.LoadingFailed, lambda event: self._end(event.request_id, event.error_text))
        answer = asyncio.gather(session.post(console.Enable()), session.post(runtime.Enable()))
        answer.add_done_callback(lambda done: done.cancelled() or done.exception())  # the session may have gone
        return answer

    def take_messages(self, most: int = MOST_KEPT) -> list[str]:
        """The latest console messages since the last call, oldest first, a line each."""
        taken = list(self._messages)
        self._messages.clear()
        return taken[-most:]

    def take_requests(self, most: int = MOST_KEPT) -> list[str]:
        """The latest requests since the last call, oldest first, a line each."""
        taken = [str(each) for each in self._requests]
        self._requests.clear()
        return taken[-most:]

    def _written(self, event: console.MessageAdded) -> None:
        message = event.message
        where = f" ({in_line(shortened(message.url))}:{message.line or 0})" if message.url else ""
        self._messages.append(f"{message.level}: {in_line(shortened(message.text, _LONGEST_TEXT))}{where}")

    def _thrown(self, event: runtime.ExceptionThrown) -> None:
        thrown = event.exception_details
        said = (thrown.exception and thrown.exception.description) or ""
        words = f"{thrown.text} {said}" if said else thrown.text
        where = f" ({in_line(shortened(thrown.url))}:{thrown.line_number + 1})" if thrown.url else ""
        self._messages.append(f"error: {in_line(shortened(words, _LONGEST_TEXT))}{where}")

    def _logged(self, event: log.EntryAdded) -> None:
        self._messages.append(f"{event.entry.source}: {in_line(shortened(event.entry.text, _LONGEST_TEXT))}")

    def _sent(self, event: network.RequestWillBeSent) -> None:
        if event.redirect_response is not None and (led_here := self._running.get(event.request_id)) is not None:
            led_here.status = event.redirect_response.status
            self._end(event.request_id)
        request = LoggedRequest(event.request.method, event.request.url, time.monotonic())
        self._running[event.request_id] = request
        self._requests.append(request)
        if len(self._running) > MOST_KEPT:
            del self._running[next(iter(self._running))]

    def _answered(self, event: network.ResponseReceived) -> None:
        if (request := self._running.get(event.request_id)) is not None:
            request.status, request.mime_type = event.response.status, event.response.mime_type

    def _end(self, request_id: str, error: str = "") -> None:
        if (request := self._running.pop(request_id, None)) is not None:
            request.error = error
            request.took_ms = (time.monotonic() - request.began) * 1000
