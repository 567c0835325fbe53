"""The standard input and output as streams for the SDK's server, on the event loop alone.

The SDK's own streams use threads, three times per call, which costs as much as the rest of the call.
"""

from __future__ import annotations

import asyncio
import logging
import os
import stat
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from types import TracebackType
from typing import Self

from anyio import ClosedResourceError, EndOfStream
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from cdp_agent.mcp.plain import CallCancellation, PlainCall, PlainCalls
from cdp_agent.mcp.serving import BrowserServer

_LONGEST_LINE = 256 << 20
_LAST_ANSWERS_S = 5.0
_log = logging.getLogger(__name__)


async def serve_stdio(served: Server[object]) -> None:
    """Serves one client over the standard input and output, until it disconnects."""
    options = served.create_initialization_options()
    if not (_is_piped(0) and _is_piped(1)):
        async with stdio_server() as (received, sent):
            await served.run(received, sent, options)
        return
    plain = served.plain_calls if isinstance(served, BrowserServer) else None
    async with _open_streams(plain) as (lines, answers):
        await served.run(lines, answers, options)


def _is_piped(descriptor: int) -> bool:
    """Whether the descriptor is a pipe or a socket, for which an event loop can wait; a terminal is the user's, too."""
    kind = os.fstat(descriptor).st_mode
    return sys.platform != "win32" and (stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind))


@asynccontextmanager
async def _open_streams(plain: PlainCalls | None) -> AsyncIterator[tuple[_Received, _Sent]]:
    loop = asyncio.get_running_loop()
    with _take_over(0, os.open(os.devnull, os.O_RDONLY)) as stdin, _take_over(1, os.dup(2)) as stdout:
        reader = asyncio.StreamReader(limit=_LONGEST_LINE)
        coming, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(stdin, "rb", buffering=0, closefd=False)
        )
        going, protocol = await loop.connect_write_pipe(
            lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()),
            os.fdopen(stdout, "wb", buffering=0, closefd=False),
        )
        writer = asyncio.StreamWriter(going, protocol, None, loop)
        sent = _Sent(writer)
        pending = None if plain is None else _PendingCalls(plain, sent)
        try:
            yield _Received(reader, pending), sent
        finally:
            if pending is not None:
                await pending.give_up()
            coming.close()
            writer.close()
            try:
                async with asyncio.timeout(_LAST_ANSWERS_S):
                    await writer.wait_closed()
            except ConnectionError as error:
                _log.debug("the client is gone: %r", error)
            except TimeoutError:  # the client no longer reads
                going.abort()


@contextmanager
def _take_over(descriptor: int, instead: int) -> Iterator[int]:
    """A private copy of the descriptor; other code and child processes use `instead` while the block runs."""
    ours = os.dup(descriptor)
    blocks = os.get_blocking(ours)
    os.dup2(instead, descriptor)
    os.close(instead)
    try:
        yield ours
    finally:
        os.set_blocking(ours, blocks)  # the mode is shared with the process that started us
        os.dup2(ours, descriptor)
        os.close(ours)


class _Stream:
    async def aclose(self) -> None:
        """Does nothing: the descriptors are closed where they were opened."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class _PendingCalls:
    """The calls under way that bypass the SDK."""

    def __init__(self, plain: PlainCalls, sent: _Sent) -> None:
        self._plain = plain
        self._sent = sent
        self._tasks: dict[int | str, asyncio.Task[None]] = {}

    def takes(self, line: bytes) -> bool:
        """Handles a line if it is a plain call or a cancellation of one, and then returns True: it is not passed on."""
        match self._plain.read(line):
            case PlainCall(id=number) as call:
                self._tasks[number] = asyncio.ensure_future(self._make(call))
            case CallCancellation(params=given) if given.request_id in self._tasks:
                self._tasks[given.request_id].cancel()
            case _:
                return False
        return True

    async def _make(self, call: PlainCall) -> None:
        try:
            await self._sent.write(await self._plain.answer(call))
        except ClosedResourceError:
            pass  # the client is gone
        finally:
            if self._tasks.get(call.id) is asyncio.current_task():
                del self._tasks[call.id]

    async def give_up(self) -> None:
        """Cancels all calls, and waits for them to end."""
        for each in (tasks := list(self._tasks.values())):
            each.cancel()
        if tasks:
            await asyncio.wait(tasks)


class _Received(_Stream):
    """The client's messages for the SDK; an invalid line is received as an error."""

    def __init__(self, reader: asyncio.StreamReader, pending: _PendingCalls | None) -> None:
        self._reader = reader
        self._pending = pending

    async def receive(self) -> SessionMessage | Exception:
        try:
            while (line := await self._reader.readline()) and self._pending is not None and self._pending.takes(line):
                pass
            if not line:
                raise EndOfStream
            return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
        except ValueError as error:  # not a message, or too long
            return error

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except EndOfStream:
            raise StopAsyncIteration from None


class _Sent(_Stream):
    """Messages to the client."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    async def send(self, item: SessionMessage) -> None:
        """Sends a message. Raises ClosedResourceError if the client is gone."""
        await self.write(item.message.model_dump_json(by_alias=True, exclude_unset=True).encode())

    async def write(self, message: bytes) -> None:
        """Sends a message in JSON. Raises ClosedResourceError if the client is gone."""
        try:
            self._writer.write(message + b"\n")
            await self._writer.drain()
        except ConnectionError as error:
            raise ClosedResourceError from error
