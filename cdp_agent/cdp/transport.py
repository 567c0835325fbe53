"""The transports of messages: a pipe to a Chrome that we launched, or (websocket.py) a WebSocket to a running one.

Both push whole messages to the receiver, in the iteration of the event loop in which their last byte arrives, and send
without waiting, so that event handlers can send too. All messages of one iteration are sent by a single write in the
next: each write wakes a thread of Chrome, which takes as long as most commands.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Protocol

LONGEST_MESSAGE = 256 * 2**20
"""In bytes. Without a limit, a page could fill our memory with a message of any length."""
_BEGINNING, _FIRST_PARTS = 1000, 8

Receive = Callable[[bytes], None]
Lost = Callable[[str], None]


class Transport(Protocol):
    """Carries messages. `start` is called first; `lost` is called with the reason when no more can arrive.

    A pipe may call `lost` twice, once for each direction.
    """

    def start(self, receive: Receive, lost: Lost) -> None: ...
    def send(self, message: bytes) -> None: ...
    async def close(self) -> None: ...


class PipeTransport:
    """`--remote-debugging-pipe`: JSON messages that end with a zero byte, one pipe for each direction.

    content/browser/devtools/devtools_pipe_handler.cc
    """

    def __init__(self, reading: asyncio.ReadTransport, writing: asyncio.WriteTransport, ends: _PipeEnds) -> None:
        self._reading = reading
        self._writing = writing
        self._ends = ends
        self._unsent: list[bytes] = []

    @classmethod
    async def open(cls, read_fd: int, write_fd: int) -> PipeTransport:
        """Takes over two file descriptors: one to read Chrome's messages from, and one to write ours to."""
        loop = asyncio.get_running_loop()
        ends = _PipeEnds()
        reading, _ = await loop.connect_read_pipe(lambda: ends, os.fdopen(read_fd, "rb", buffering=0))
        writing, _ = await loop.connect_write_pipe(lambda: _WriteEnd(ends), os.fdopen(write_fd, "wb", buffering=0))
        return cls(reading, writing, ends)

    def start(self, receive: Receive, lost: Lost) -> None:
        self._ends.start(receive, lost)

    def send(self, message: bytes) -> None:
        if not self._unsent:
            asyncio.get_running_loop().call_soon(self._write)
        self._unsent += (message, b"\0")

    def _write(self) -> None:
        unsent, self._unsent = self._unsent, []
        self._writing.write(b"".join(unsent))

    async def close(self) -> None:
        self._write()
        self._reading.close()
        self._writing.close()


class _PipeEnds(asyncio.Protocol):
    """Splits the incoming bytes at the zero bytes. Messages that arrive before `start` are kept until then.

    Only the beginning of a message that is too long is passed on: it contains the id of the call, which then fails.
    """

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._length = 0
        self._early: list[bytes] = []
        self._receive: Receive = self._early.append
        self._lost: Lost | None = None
        self._lost_because: str | None = None

    def start(self, receive: Receive, lost: Lost) -> None:
        self._receive, self._lost = receive, lost
        for message in self._early:
            receive(message)
        if self._lost_because is not None:
            lost(self._lost_because)

    def data_received(self, data: bytes) -> None:
        head, *rest = data.split(b"\0")
        self._take(head)
        for part in rest:
            message = b"".join(self._parts)
            self._parts, self._length = [], 0
            self._take(part)
            self._receive(message)

    def _take(self, part: bytes) -> None:
        self._length += len(part)
        if self._length > LONGEST_MESSAGE:
            self._parts = [b"".join([*self._parts[:_FIRST_PARTS], part][:_FIRST_PARTS])[:_BEGINNING]]
        else:
            self._parts.append(part)

    def connection_lost(self, exc: Exception | None) -> None:
        self.lose(f"its pipe broke: {exc}" if exc else "it closed its pipe")

    def lose(self, reason: str) -> None:
        self._lost_because = reason
        if self._lost is not None:
            self._lost(reason)


class _WriteEnd(asyncio.BaseProtocol):
    """The writing direction: nothing arrives here, but its end is as early a sign as any that Chrome is gone."""

    def __init__(self, ends: _PipeEnds) -> None:
        self._ends = ends

    def connection_lost(self, exc: Exception | None) -> None:
        self._ends.lose("it no longer reads from its pipe")
