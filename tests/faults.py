"""Faults between us and a Chrome, put in where a certain command is sent: what each does, and when."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec

from cdp_agent.cdp.transport import Lost, Receive
from cdp_agent.cdp.websocket import WebSocketTransport

_NOBODYS = 1_000_000_000
"""The id of a command of whose answer nobody knows."""
_NOISE = (
    b"\xff{]",
    b"",
    b"null",
    b'{"method":"Page.frameNavigated","params":{"frame":7}}',
    b'{"id":%d,"error":{"code":-32601,"message":"Of nobody"}}' % _NOBODYS,
    b'{"method":"Target.detachedFromTarget","params":{"sessionId":""}}',
    b'{"method":"Inspector.targetCrashed","params":{}}',
)
_MARK = "function(...args) { return this."


class Moment(msgspec.Struct, frozen=True):
    """The first command of that method, and, of a call in the page, of that function."""

    method: str
    function: str = ""


class _Sent(msgspec.Struct):
    id: int
    method: str
    params: dict[str, object] = {}
    session_id: str = msgspec.field(default="", name="sessionId")


class Faulty:
    """A transport with one fault in it, at the moment that it is armed for."""

    def __init__(self, inner: WebSocketTransport) -> None:
        self.moment: Moment | None = None
        self.fault: Callable[[Faulty, _Sent, bytes], None] = Faulty.passes
        self.reached = asyncio.Event()
        """The moment came."""
        self.receive: Receive = lambda _: None
        self.lost: Lost = lambda _: None
        self.inner = inner
        self.twice = b""

    def start(self, receive: Receive, lost: Lost) -> None:
        self.receive, self.lost = receive, lost
        self.inner.start(self._came, lost)

    def send(self, message: bytes) -> None:
        sent = msgspec.json.decode(message, type=_Sent)
        if self.moment is None or self.reached.is_set() or not self._is_meant(sent, self.moment):
            self.inner.send(message)
            return
        self.reached.set()
        self.fault(self, sent, message)

    async def close(self) -> None:
        await self.inner.close()

    def arm(self, moment: Moment, fault: Callable[[Faulty, _Sent, bytes], None]) -> None:
        self.moment, self.fault, self.twice = moment, fault, b""
        self.reached.clear()

    def strike(self, session_id: str) -> None:
        """The fault now, whatever is or is not being sent; it is about that session."""
        self.reached.set()
        self.fault(self, _Sent(0, "", session_id=session_id), b"")

    def tell(self, **message: object) -> None:
        """Comes as if Chrome had sent it."""
        asyncio.get_running_loop().call_soon(self.receive, msgspec.json.encode(message))

    def passes(self, sent: _Sent, message: bytes) -> None:
        if message:
            self.inner.send(message)

    def _came(self, message: bytes) -> None:
        self.receive(message)
        if self.twice and message.startswith(self.twice):
            self.receive(message)

    def _is_meant(self, sent: _Sent, moment: Moment) -> bool:
        declared = str(sent.params.get("functionDeclaration", ""))
        called = f"{_MARK}{moment.function}" if moment.function else ""
        return sent.method == moment.method and called in declared  # a call by the id of a world has it inside


def refused(faulty: Faulty, sent: _Sent, message: bytes) -> None:
    faulty.tell(id=sent.id, error={"code": -32000, "message": "Not allowed"})


def misshapen(faulty: Faulty, sent: _Sent, message: bytes) -> None:
    faulty.tell(id=sent.id, result=[{"product": 7}])


def unanswered(faulty: Faulty, sent: _Sent, message: bytes) -> None:
    """For ever: whoever waits is cancelled."""


def gone(faulty: Faulty, sent: _Sent, message: bytes) -> None:
    faulty.inner._socket._transport.abort()


def detached(faulty: Faulty, sent: _Sent, message: bytes) -> None:
    faulty.passes(sent, message)
    faulty.tell(method="Target.detachedFromTarget", params={"sessionId": sent.session_id})


def crashed(faulty: Faulty, sent: _Sent, message: bytes) -> None:
    faulty.passes(sent, message)
    faulty.tell(method="Inspector.targetCrashed", sessionId=sent.session_id, params={})


def process_ended(faulty: Faulty, sent: _Sent, message: bytes) -> None:
    """That of the page."""
    crash = {"id": _NOBODYS, "method": "Page.crash", "sessionId": sent.session_id}
    faulty.inner.send(msgspec.json.encode(crash))
    faulty.passes(sent, message)


def noisy(faulty: Faulty, sent: _Sent, message: bytes) -> None:
    for noise in _NOISE:
        faulty.receive(noise)
    faulty.passes(sent, message)


def answered_twice(faulty: Faulty, sent: _Sent, message: bytes) -> None:
    faulty.twice = b'{"id":%d,' % sent.id
    faulty.inner.send(message)


FAULTS: dict[str, Callable[[Faulty, _Sent, bytes], None]] = {
    each.__name__: each
    for each in (refused, misshapen, unanswered, gone, detached, crashed, process_ended, noisy, answered_twice)
}
OF_A_TAB = ("detached", "crashed", "process_ended")
AT_ANY_TIME = ("gone", *OF_A_TAB, "noisy")
"""Those that need no command to be put in the place of."""
ALIKE_EVERYWHERE = ("misshapen", "noisy", "answered_twice", "crashed")
"""The connection takes the first for refused and passes over the next two; a process that ended is told as the last."""
