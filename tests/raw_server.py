"""A server that does with each connection what a test's function does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from websockets.utils import accept_key

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def talking(talk: Talk, *, port: int = 0) -> AsyncIterator[int]:
    """Its port on 127.0.0.1; 0: any that is free. What a connection does is ended with it."""
    running: set[asyncio.Task[None]] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        running.add(task)
        try:
            await talk(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the other side left, or the test is over
        finally:
            running.discard(task)
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", port)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in running:
            task.cancel()


async def silence(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Takes the connection and never says anything."""
    await asyncio.Event().wait()


def tunnel_to(port: int) -> Talk:
    """All that is said is passed on to a server on 127.0.0.1, and its answers back."""

    async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        while data := await source.read(65_536):
            sink.write(data)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", port)
        pumps = [asyncio.ensure_future(pump(reader, back)), asyncio.ensure_future(pump(there, writer))]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in pumps:
                each.cancel()
            back.close()
            writer.transport.abort()

    return talk


def saying(answer: bytes) -> Talk:
    """The same to each request, then nothing more."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()

    return talk


async def switch(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, beyond: bytes = b"") -> None:
    """Answers the handshake of a WebSocket, with `beyond` in the same piece."""
    request = (await reader.readuntil(b"\r\n\r\n")).decode()
    key = request.partition("Sec-WebSocket-Key: ")[2].split("\r\n")[0]
    head = (
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Accept: {accept_key(key)}\r\n\r\n"
    )
    writer.write(head.encode() + beyond)
    await writer.drain()
