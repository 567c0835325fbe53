"""The standard input and output as streams of the SDK's server, by the event loop alone.

The SDK's own go through threads, three times for a call, which costs as much as all the rest of it.
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
from typing import Any, Self

from anyio import ClosedResourceError, EndOfStream
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

_LONGEST_LINE = 256 << 20
_LAST_ANSWERS_S = 5.0
_log = logging.getLogger(__name__)


async def serve_stdio(served: Server[Any]) -> None:
    """Serves one client at the standard input and output, until it goes away."""
    options = served.create_initialization_options()
    if not (_is_piped(0) and _is_piped(1)):
        async with stdio_server() as (received, sent):
            await served.run(received, sent, options)
        return
    async with _opened() as (lines, answers):
        await served.run(lines, answers, options)


def _is_piped(descriptor: int) -> bool:
    """Whether an event loop can wait for it, and that troubles nobody: a terminal is its user's, too."""
    kind = os.fstat(descriptor).st_mode
    return sys.platform != "win32" and (stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind))


@asynccontextmanager
async def _opened() -> AsyncIterator[tuple[_Received, _Sent]]:
    loop = asyncio.get_running_loop()
    with _taken(0, os.open(os.devnull, os.O_RDONLY)) as received, _taken(1, os.dup(2)) as sent:
        reader = asyncio.StreamReader(limit=_LONGEST_LINE)
        coming, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(received, "rb", buffering=0, closefd=False)
        )
        going, protocol = await loop.connect_write_pipe(
            lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()),
            os.fdopen(sent, "wb", buffering=0, closefd=False),
        )
        writer = asyncio.StreamWriter(going, protocol, None, loop)
        try:
            yield _Received(reader), _Sent(writer)
        finally:
            coming.close()
            writer.close()
            try:
                async with asyncio.timeout(_LAST_ANSWERS_S):
                    await writer.wait_closed()
            except ConnectionError as error:
                _log.debug("the client is gone: %r", error)
            except TimeoutError:  # it reads no more
                going.abort()


@contextmanager
def _taken(descriptor: int, instead: int) -> Iterator[int]:
    """The descriptor for us alone: what handlers and children print or read meanwhile goes to `instead`."""
    ours = os.dup(descriptor)
    blocks = os.get_blocking(ours)
    os.dup2(instead, descriptor)
    os.close(instead)
    try:
        yield ours
    finally:
        os.set_blocking(ours, blocks)  # it is whoever has started us that it is shared with
        os.dup2(ours, descriptor)
        os.close(ours)


class _Stream:
    async def aclose(self) -> None:
        """They are closed by whoever opened them."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class _Received(_Stream):
    """Messages of the client, or what is wrong with a line."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader

    async def receive(self) -> SessionMessage | Exception:
        try:
            line = await self._reader.readline()
            if not line:
                raise EndOfStream
            return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
        except ValueError as error:  # it is no message, or longer than any
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
        """Raises ClosedResourceError when the client is gone."""
        try:
            self._writer.write(item.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
            await self._writer.drain()
        except ConnectionError as error:
            raise ClosedResourceError from error
