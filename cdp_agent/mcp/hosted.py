"""Calls in sessions that other processes hold, so that each call may go to a different server.

One connection to a session's process carries all calls, concurrently. It is opened with the first call and closed after
KEPT_S without any, so that a server that waits for clients keeps no process alive.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable

import msgspec

from cdp_agent.errors import BrowserError, SetupError
from cdp_agent.mcp.calls import CallReply, CallRequest, FilesRequest, SessionFile
from cdp_agent.session import runtime
from cdp_agent.session.client import HostConnection
from cdp_agent.session.messages import (
    CallAnswered,
    CallAsked,
    CallCancelled,
    ClientMessage,
    CommandEnded,
    Message,
    StderrText,
)
from cdp_agent.session.runtime import checked_name

KEPT_S = 10.0
"""How long a connection without calls is kept."""
_LONGEST_MESSAGE = 256 << 20
_MESSAGE, _REPLY = msgspec.json.Decoder(Message), msgspec.json.Decoder(CallReply)
"""Created once: creating a decoder takes longer than decoding a call with it."""

Connect = Callable[[str], HostConnection]
"""Connects to the process of the session of that name, starting it if necessary, and asks to make calls. It blocks.

Raises BrowserError, SetupError.
"""


def too_many_sessions(most: int) -> str:
    """The message for a client that would begin one session too many."""
    return (
        f"{most} sessions are open, and no more may be (--max-sessions): go on in one of yours, or wait until one was "
        "idle for long enough to be closed."
    )


class HostedCalls:
    """Calls in the sessions of this user, in their processes; `session` is the default for calls that name none."""

    def __init__(self, session: str, connect: Connect, max_sessions: int) -> None:
        self._session = session
        self._connect = connect
        self._max_sessions = max_sessions
        self._begun: set[str] = set()
        """The sessions that did not run when they were first called here."""
        self._links: dict[str, _Link] = {}
        self._opening: dict[str, asyncio.Lock] = {}

    async def call(self, request: CallRequest) -> CallReply:
        """See ToolCalls."""
        link = await self._link(request.session)
        return _REPLY.decode(await link.ask(request))

    async def files(self, request: FilesRequest) -> list[SessionFile]:
        """See ToolCalls."""
        link = await self._link(request.session)
        return msgspec.json.decode(await link.ask(request), type=list[SessionFile])

    async def _link(self, session: str | None) -> _Link:
        name = self._session if session is None else checked_name(session)
        async with self._opening.setdefault(name, asyncio.Lock()):
            link = self._links.get(name)
            if link is None or link.is_over:
                running = set(runtime.names(runtime.folder()))
                opening = {each for each, lock in self._opening.items() if lock.locked()} - {name}
                if name not in running and len(self._begun & running | opening) >= self._max_sessions:
                    raise SetupError(too_many_sessions(self._max_sessions))
                self._begun |= {name} - running
                link = self._links[name] = await _open_link(name, self._connect)
        return link

    async def close(self) -> None:
        """Cancels the calls under way; the sessions continue."""
        for link in self._links.values():
            await link.close()


async def _open_link(name: str, connect: Connect) -> _Link:
    connection = await asyncio.to_thread(connect, name)
    reader, writer = await asyncio.open_connection(sock=connection.detach(), limit=_LONGEST_MESSAGE)
    return _Link(reader, writer, connection.lost(name))


class _Link:
    """A connection to the process of one session."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, lost: BrowserError) -> None:
        self._writer = writer
        self._lost = lost
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[msgspec.Raw]] = {}
        self._stderr = ""
        self._close_timer: asyncio.TimerHandle | None = None
        self.is_over = False
        self._reading = asyncio.ensure_future(self._read_messages(reader))

    async def ask(self, request: CallRequest | FilesRequest) -> msgspec.Raw:
        """The answer, as JSON; cancelling also stops the call in the other process. Raises BrowserError, SetupError."""
        number = next(self._ids)
        answered: asyncio.Future[msgspec.Raw] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answered
        self._cancel_closing()
        try:
            self._send(CallAsked(number, msgspec.Raw(msgspec.json.encode(request))))
            return await answered
        except asyncio.CancelledError:
            self._send(CallCancelled(number))
            raise
        finally:
            self._waiting.pop(number, None)
            if not self._waiting and not self.is_over:
                self._close_timer = asyncio.get_running_loop().call_later(KEPT_S, self._disconnect)

    async def close(self) -> None:
        self._disconnect()
        await asyncio.wait([self._reading])

    def _cancel_closing(self) -> None:
        if self._close_timer is not None:
            self._close_timer.cancel()
            self._close_timer = None

    def _disconnect(self) -> None:
        self._cancel_closing()
        self.is_over = True
        self._writer.close()

    def _send(self, message: ClientMessage) -> None:
        if not self._writer.is_closing():
            self._writer.write(msgspec.json.encode(message) + b"\n")

    async def _read_messages(self, reader: asyncio.StreamReader) -> None:
        """Passes answers to the calls that wait for them, until the connection ends."""
        try:
            while line := await reader.readline():
                match _MESSAGE.decode(line):
                    case CallAnswered(id=number, reply=reply):
                        if (waiting := self._waiting.get(number)) is not None and not waiting.done():
                            waiting.set_result(reply.copy())
                    case StderrText(text=text):
                        self._stderr += text
                    case CommandEnded():
                        break
        except ConnectionError:
            self._stderr = ""  # the process went away
        finally:
            self._disconnect()
            why = SetupError(self._stderr.strip()) if self._stderr else self._lost
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_exception(why)
