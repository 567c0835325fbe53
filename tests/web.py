"""Several hosts on one port (every name under `.localhost` is this machine), and what was asked of each, as a log."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

Answer = tuple[int, dict[str, str], str]
_MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
SLOW = "/slow-loop"
"""Any host answers that a little later: a page that asks for it again and again hangs, and takes no processor."""
_KINDS = {"js": "text/javascript", "css": "text/css", "gif": "image/gif", "woff": "font/woff", "mp4": "video/mp4"}


class Web:
    """`put` says what a host answers for a path; anything else is answered with a small page or an empty file."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.methods: list[tuple[str, str]] = []
        """Method and path of each request; "SOCKET" of each WebSocket, "MESSAGE" and the text of its messages."""
        self.asked: list[tuple[str, str]] = []
        """Host and path of each request, and of each socket; a proxy is asked for whole addresses."""
        self._answers: dict[tuple[str, str], Answer] = {}
        self._held: dict[tuple[str, str], asyncio.Event] = {}

    def origin(self, name: str) -> str:
        return f"http://{name}.localhost:{self.port}"

    def put(
        self, name: str, path: str, content: str, kind: str = "text/html", status: int = 200, **headers: str
    ) -> str:
        """Its address. Headers are written with underscores."""
        lines = {"Content-Type": kind} | {key.replace("_", "-"): value for key, value in headers.items()}
        self._answers[name, path] = (status, lines, content)
        return f"{self.origin(name)}{path}"

    def redirect(self, name: str, path: str, to: str) -> str:
        return self.put(name, path, "", status=302, Location=to)

    def hold(self, name: str, path: str) -> asyncio.Event:
        """That path is answered once the event is set."""
        return self._held.setdefault((name, path), asyncio.Event())

    def paths(self, name: str) -> list[str]:
        """What that host was asked for, each once, in order."""
        return sorted({path for host, path in self.asked if host == name})

    def paths_below(self, name: str) -> list[str]:
        """The same of that host and all whose names end with its."""
        return sorted({path for host, path in self.asked if f".{host}".endswith(f".{name}")})

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await self._answer(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").strip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        await reader.readexactly(int(headers.get("content-length", 0)))
        name = headers["host"].partition(":")[0].removesuffix(".").removesuffix(".localhost")
        path = first.split(" ")[1]
        is_socket = headers.get("upgrade") == "websocket"
        self.methods.append(("SOCKET" if is_socket else first.split(" ")[0], path))
        self.asked.append((name, path))
        if is_socket:
            digest = hashlib.sha1((headers["sec-websocket-key"] + _MAGIC).encode()).digest()
            accepted = f"Sec-WebSocket-Accept: {base64.b64encode(digest).decode()}"
            switched = "HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            writer.write(f"{switched}{accepted}\r\n\r\n".encode())
            await writer.drain()
            while True:
                self.methods.append(("MESSAGE", await _message(reader)))
        if (held := self._held.get((name, path))) is not None:
            await held.wait()
        if path == SLOW:
            await asyncio.sleep(0.2)
        status, extra, content = self._answers.get((name, path.partition("?")[0])) or _usual(path)
        extra = {"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*"} | extra
        told = "".join(f"{key}: {value}\r\n" for key, value in extra.items())
        body = content.encode()
        writer.write(f"HTTP/1.1 {status} OK\r\n{told}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await writer.drain()


async def _message(reader: asyncio.StreamReader) -> str:
    """The next message of a WebSocket; those of the tests are short. https://www.rfc-editor.org/rfc/rfc6455#section-5.2"""
    size = (await reader.readexactly(2))[1] & 127
    key, payload = await reader.readexactly(4), await reader.readexactly(size)
    return bytes(byte ^ key[place % 4] for place, byte in enumerate(payload)).decode("utf-8", "replace")


def _usual(path: str) -> Answer:
    kind = _KINDS.get(path.partition("?")[0].rpartition(".")[2])
    return (200, {"Content-Type": kind}, "") if kind else (200, {"Content-Type": "text/html"}, "<title>Served</title>")


@asynccontextmanager
async def running() -> AsyncIterator[Web]:
    web = Web(0)
    server = await asyncio.start_server(web.serve, "127.0.0.1", 0)
    web.port = server.sockets[0].getsockname()[1]
    try:
        yield web
    finally:
        server.close()
