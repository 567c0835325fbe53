"""One connection to Chrome: ids, pending calls, flat sessions, events.

There are no timeouts here and no background tasks: the transport pushes each message in, and the answer or event in
it is delivered in the same iteration of the event loop. Deadlines are the caller's (`asyncio.timeout`); the answer to
a cancelled call is ignored.

Flat sessions: https://chromedevtools.github.io/devtools-protocol/tot/Target/#method-attachToTarget
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import math
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, TypeVar

import msgspec

from cdp_agent.errors import BrowserError, InvalidArguments, PageClosed, PageUnresponsive, ProtocolError, SessionClosed
from cdp_agent.patterns import pattern

from . import protocol_log
from .target import DetachedFromTarget
from .transport import Transport
from .types import Command, Event, event_decoder, result_decoder

log = logging.getLogger(__name__)

R = TypeVar("R")
E = TypeVar("E", bound=Event)


class _Request(msgspec.Struct, omit_defaults=True, rename="camel"):
    id: int
    method: str
    params: Command[object]
    session_id: str = ""


class _Refusal(msgspec.Struct):
    code: int
    message: str
    data: msgspec.Raw = msgspec.Raw()


class _Message(msgspec.Struct, rename="camel"):
    id: int = 0
    method: str = ""
    params: msgspec.Raw = msgspec.Raw(b"{}")
    result: msgspec.Raw = msgspec.Raw()
    error: _Refusal | None = None
    session_id: str = ""


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_Message).decode
# What decoding raises for lone surrogates, unexpected types or endless nesting in what a page sends.
_NEAR_S = 0.02
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
# Strings of pages may contain half of a surrogate pair, which Chrome sends as it is.
_LONE_SURROGATE = pattern(
    rb"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
_ID = pattern(rb'\s*\{\s*"id"\s*:\s*(\d{1,18})\b')


class _Pending(msgspec.Struct):
    session: Session
    command: Command[object]
    future: asyncio.Future[Any]
    sent_at: float
    """In the time of `time.perf_counter`."""


class Session:
    """A session of a target: sends it commands and delivers its events. The browser's own session has the id ""."""

    def __init__(self, connection: Connection, session_id: str) -> None:
        self.connection = connection
        self.id = session_id
        self.is_tab = False
        """Whether this is the session of a whole tab: when it is closed, so is the tab."""
        self.closed_because: str | None = None
        self.stalled_because: str | None = None
        """Why commands get no answers at present, or None: set by `fail`, reset by `resume`."""
        self.unresponsive = False
        """Whether a deadline passed and no answer has come since. Set and reset by callers with deadlines, not here."""
        self.blocked_because: PageUnresponsive | None = None
        """The error that says what must be done before commands are answered again. Set and reset by callers."""
        self.inputs_sent = 0
        """The number of events of the mouse and the keyboard that were sent."""
        self.mouse_events_sent = 0
        self._handlers: dict[str, dict[object, Callable[[msgspec.Raw], None]]] = {}
        self._expected: set[asyncio.Future[Any]] = set()

    async def send(self, command: Command[R]) -> R:
        """Sends a command and returns Chrome's answer. Raises ProtocolError, SessionClosed or BrowserError.

        If it is cancelled, the command has still been sent, and its answer is ignored.
        """
        return await self.post(command)

    def post(self, command: Command[R]) -> asyncio.Future[R]:
        """Sends a command now, and returns a future of its answer: for several commands without waiting in between."""
        self.inputs_sent += command.is_input
        self.mouse_events_sent += command.is_mouse
        return self.connection._post(self, command)

    def tell(self, command: Command[object]) -> None:
        """Sends a command and ignores its answer: for event handlers. An error is only logged, at debug level."""
        self.post(command).add_done_callback(_log_refusal)

    def on(self, event: type[E], handler: Callable[[E], None]) -> Callable[[], None]:
        """Calls `handler` with every such event of this session, until the returned function is called."""
        decode = event_decoder(event).decode
        key = object()
        handlers = self._handlers.setdefault(event.method, {})
        handlers[key] = lambda params: handler(decode(params))

        def stop() -> None:
            handlers.pop(key, None)

        return stop

    @contextlib.asynccontextmanager
    async def expect(
        self, event: type[E], matches: Callable[[E], bool] = lambda _: True
    ) -> AsyncIterator[asyncio.Future[E]]:
        """A future of the next event of this type for which `matches` is true; subscribes before the block begins.

        The future fails with SessionClosed or BrowserError when the session ends first.
        """

        def take(received: E) -> None:
            if not arrived.done() and matches(received):
                arrived.set_result(received)

        with self.future(event.method) as arrived:
            stop = self.on(event, take)
            try:
                yield arrived
            finally:
                stop()

    @contextlib.contextmanager
    def future(self, awaited: str) -> Iterator[asyncio.Future[Any]]:
        """A future that the caller fulfils; it fails with SessionClosed or BrowserError when the session ends first.

        It is cancelled at the end of the block.
        """
        if (ended := self.connection._closed_error(self, awaited)) is not None:
            raise ended
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._expected.add(future)
        try:
            yield future
        finally:
            self._expected.discard(future)
            if future.done() and not future.cancelled():
                future.exception()  # so that asyncio does not log it as never retrieved
            future.cancel()

    def fail(self, reason: str, *, closed: bool = True) -> None:
        """Fails all pending calls and expected events with SessionClosed (PageClosed for the closed session of a tab).

        With `closed`, later calls fail in the same way; without, they are sent: see `resume`.
        """
        if closed:
            self.closed_because = reason
            self._handlers.clear()  # a closed tab may be kept in memory, but not what its handlers refer to
        self.stalled_because = reason
        self.connection._fail(self, self.closed if closed else lambda method: SessionClosed(method, reason))

    def closed(self, method: str) -> SessionClosed:
        """The error for a call of `method` after the session was closed."""
        return PageClosed(method) if self.is_tab else SessionClosed(method, self.closed_because or "")

    def resume(self) -> None:
        """Notes that the target answers again, after a failure that did not close it."""
        self.stalled_because = self.closed_because

    def _handle(self, method: str, params: msgspec.Raw) -> None:
        for handler in list(self._handlers.get(method, {}).values()):
            try:
                handler(params)
            except _UNREADABLE as error:
                log.warning("an event that cannot be read: %s: %s", method, error)
            except Exception:  # a defect of any kind must not cost the messages that come after it
                log.exception("an event that was not taken in: %s", method)

    def _fail_expected(self, error: Callable[[str], BaseException]) -> None:
        for future in list(self._expected):
            if not future.done():
                future.set_exception(error("an awaited event"))


class Connection:
    """All sessions of one Chrome over one transport. `browser` is the session of the browser itself."""

    def __init__(self, transport: Transport) -> None:
        self.closed: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.messages_received = 0
        """The number of messages that have arrived."""
        self.shortest_answer_s = math.inf
        """The shortest time in which a command was answered: the way to Chrome and back takes no longer."""
        self._transport = transport
        self._ids = itertools.count(1)
        self._pending: dict[int, _Pending] = {}
        self._sessions: dict[str, Session] = {}
        self.browser = self.session("")
        transport.start(self._receive, self._lost)

    def session(self, session_id: str) -> Session:
        """The session with that id. Call this before its first event: events of unknown sessions are dropped."""
        return self._sessions.setdefault(session_id, Session(self, session_id))

    @property
    def is_near(self) -> bool:
        """Whether Chrome is on this machine, or nearly: then to ask it costs less than what an answer may save."""
        return self.shortest_answer_s < _NEAR_S

    @property
    def is_waiting(self) -> bool:
        """Whether any call has no answer yet."""
        return bool(self._pending)

    def fail_pending(self, reason: str) -> None:
        """Fails all pending calls and expected events of all sessions with BrowserError. Later calls are sent."""
        for session in list(self._sessions.values()):
            self._fail(session, lambda _: BrowserError(reason))

    async def close(self) -> None:
        """Ends the connection; everything pending fails with BrowserError."""
        self._lost("closed by us")
        await self._transport.close()

    def _post(self, session: Session, command: Command[R]) -> asyncio.Future[R]:
        future: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        if (ended := self._closed_error(session, command.method)) is not None:
            future.set_exception(ended)
            return future
        number = next(self._ids)
        try:
            request = _encode(_Request(number, command.method, command, session.id))
        except UnicodeEncodeError as error:
            future.set_exception(InvalidArguments(lone_surrogate_message(error)))
            return future
        logs = protocol_log.is_on()
        self._pending[number] = _Pending(session, command, future, time.perf_counter())
        if logs:
            protocol_log.log_command(number, command.method, command, session.id)
        future.add_done_callback(lambda _: self._pending.pop(number, None))
        self._transport.send(request)
        return future

    def _receive(self, data: bytes) -> None:
        self.messages_received += 1
        try:
            message = _read(data)
        except _UNREADABLE as error:
            self._refuse_unreadable(data, error)
            return
        if message.id:
            self._receive_answer(message)
            return
        if protocol_log.is_on():
            protocol_log.log_event(message.method, bytes(message.params), message.session_id)
        session = self._sessions.get(message.session_id)
        if session is None:
            log.debug("event of an unknown session: %s", message.method)
            return
        session._handle(message.method, message.params)
        if message.method == DetachedFromTarget.method:
            self._detach(message.params)

    def _receive_answer(self, message: _Message) -> None:
        pending = self._pending.get(message.id)
        if protocol_log.is_on():
            content = bytes(message.result) if message.error is None else msgspec.json.encode(message.error)
            if pending is None:
                protocol_log.log_event(f"{message.id} (nobody waits for it any more)", content, message.session_id)
            else:
                answered = pending.command.method
                protocol_log.log_answer(message.id, answered, pending.sent_at, content, pending.session.id)
        if pending is None or pending.future.done():
            return  # the answer to a cancelled call
        self.shortest_answer_s = min(self.shortest_answer_s, time.perf_counter() - pending.sent_at)
        method = pending.command.method
        if message.error is not None:
            pending.future.set_exception(ProtocolError(method, message.error.code, message.error.message))
            return
        try:
            pending.future.set_result(result_decoder(type(pending.command)).decode(message.result))
        except _UNREADABLE as error:
            pending.future.set_exception(_unreadable(method, error))

    def _refuse_unreadable(self, data: bytes, error: Exception) -> None:
        """Fails the call that the message answers; an event that cannot be decoded is only logged."""
        number = _ID.match(data)
        pending = self._pending.get(int(number[1])) if number else None
        if pending is None:
            log.warning("a message that cannot be read: %r: %s", data[:200], error)
        elif not pending.future.done():
            pending.future.set_exception(_unreadable(pending.command.method, error))

    def _detach(self, params: msgspec.Raw) -> None:
        try:
            event = event_decoder(DetachedFromTarget).decode(params)
        except _UNREADABLE:
            return  # it names no session
        session = self._sessions.pop(event.session_id, None) if event.session_id else None  # "": the browser's own
        if session is not None:
            session.fail("the target is gone")

    def _closed_error(self, session: Session, awaited: str) -> BaseException | None:
        """The error for a call, or an expected event, on a session that has ended; None while it has not."""
        if self.closed.done():
            return BrowserError(f"Chrome is gone: {self.closed.result()}")
        return None if session.closed_because is None else session.closed(awaited)

    def _fail(self, session: Session, error: Callable[[str], BaseException]) -> None:
        for pending in [each for each in self._pending.values() if each.session is session]:
            if not pending.future.done():
                pending.future.set_exception(error(pending.command.method))
        session._fail_expected(error)

    def _lost(self, reason: str) -> None:
        if self.closed.done():
            return
        self.closed.set_result(reason)
        self.fail_pending(f"Chrome is gone: {reason}")


def _read(data: bytes) -> _Message:
    """The message, with U+FFFD in place of each lone surrogate."""
    try:
        return _decode(data)
    except msgspec.DecodeError:
        return _decode(_LONE_SURROGATE.sub(lambda found: rb"\ufffd" if found[1] else found[0], data))


def lone_surrogate_message(error: UnicodeEncodeError) -> str:
    """The message for a text with a lone surrogate, which UTF-8 cannot encode."""
    half = f"\\u{ord(error.object[error.start]):04x}"
    return f"The text holds {half} at {error.start}, half of a character, which cannot be sent: give the whole one."


def _unreadable(method: str, error: Exception) -> ProtocolError:
    refusal = ProtocolError(method, 0, f"the answer has another shape than we know: {error}")
    refusal.__cause__ = error
    return refusal


def retrieve_exception(future: asyncio.Future[R]) -> None:
    """A done callback for futures whose error is raised elsewhere or of no interest, so that asyncio logs nothing."""
    if not future.cancelled():
        future.exception()


def _log_refusal(future: asyncio.Future[R]) -> None:
    if not future.cancelled() and (error := future.exception()) is not None:
        log.debug("not awaited: %s", error)
