"""A server whose every byte, and every silence, is a test's."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

EVENTS = b'data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'

Answer = Callable[[int, asyncio.StreamWriter], Awaitable[None]]


def response(body: bytes, status: str = "200 OK", extra: str = "", content_type: str = "text/event-stream") -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n{extra}\r\n"
    return head.encode() + body


class Server:
    """Reads each request whole, then does with the socket what the test's `answer(n, writer)` does."""

    def __init__(self, answer: Answer) -> None:
        self.requests: list[bytes] = []
        self.connections = 0
        self.base_url = ""
        self._answer = answer

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while not writer.is_closing():
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                self.requests.append(head + await reader.readexactly(length))
                await self._answer(len(self.requests), writer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def serve(answer: Answer) -> AsyncIterator[Server]:
    server = Server(answer)
    listener = await asyncio.start_server(server.handle, "127.0.0.1", 0)
    server.base_url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/v1"
    try:
        yield server
    finally:
        listener.close()


def always(data: bytes) -> Answer:
    async def answer(number: int, writer: asyncio.StreamWriter) -> None:
        writer.write(data)

    return answer


def in_turn(*answers: bytes) -> Answer:
    """These, one for each request, the last one for ever; an empty one closes the connection."""

    async def answer(number: int, writer: asyncio.StreamWriter) -> None:
        data = answers[min(number, len(answers)) - 1]
        if data:
            writer.write(data)
        else:
            writer.close()

    return answer
