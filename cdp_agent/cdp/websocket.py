"""A WebSocket to a Chrome that runs. Its own file, because a Chrome that we launch needs none of its imports.

https://www.rfc-editor.org/rfc/rfc6455
"""

from __future__ import annotations

import asyncio
import base64
import os
import socket
import ssl
from collections.abc import Mapping
from urllib.parse import urlsplit

from cdp_agent.errors import BrowserError

from .transport import Lost, Receive
from .websocket_frames import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, BadFrame, FrameReader, encode_frame

_KEEP_ALIVE = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 25_000}
"""Seconds, and milliseconds for the last."""
_LONGEST_HEAD = 65_536
_NORMAL = (1000).to_bytes(2)
_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # of the standard, section 1.3


class WebSocketTransport:
    """A DevTools WebSocket, without compression, pings of our own or a limit on a message's size."""

    def __init__(self, transport: asyncio.Transport, ends: _Socket) -> None:
        self._transport = transport
        self._socket = ends

    @classmethod
    async def open(cls, url: str, headers: Mapping[str, str] | None = None) -> WebSocketTransport:
        """Connects and shakes hands. Raises BrowserError when the other side is no DevTools WebSocket."""
        try:
            address = urlsplit(url)
            port = address.port
        except ValueError:
            raise BrowserError("not a WebSocket address") from None
        if address.scheme not in ("ws", "wss") or not address.hostname:
            raise BrowserError("not a WebSocket address")
        secure = address.scheme == "wss"
        try:
            transport, ends = await asyncio.get_running_loop().create_connection(
                _Socket, address.hostname, port or (443 if secure else 80), ssl=True if secure else None
            )
        except OSError as error:
            raise BrowserError(f"cannot connect: {without_place(error)}") from error
        _keep_alive(transport)
        target = f"{address.path or '/'}{'?' if address.query else ''}{address.query}"
        try:
            await ends.shake_hands(target, {"Host": address.netloc.rpartition("@")[2], **(headers or {})})
        except BaseException:
            transport.abort()
            raise
        return cls(transport, ends)

    def start(self, receive: Receive, lost: Lost) -> None:
        self._socket.start(receive, lost)

    def send(self, message: bytes) -> None:
        self._transport.write(encode_frame(TEXT, message))

    async def close(self) -> None:
        if not self._transport.is_closing():
            self._transport.write(encode_frame(CLOSE, _NORMAL))
            self._transport.close()


class _Socket(asyncio.Protocol):
    """Joins frames to messages."""

    _transport: asyncio.Transport

    def __init__(self) -> None:
        self._open: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._expected = ""
        self._head = b""
        self._frames = FrameReader()
        self._parts: list[bytes] = []
        self._early: list[bytes] = []
        self._receive: Receive = self._early.append
        self._lost: Lost | None = None
        self._lost_because: str | None = None

    async def shake_hands(self, target: str, headers: Mapping[str, str]) -> None:
        """Section 4.1."""
        key = base64.b64encode(os.urandom(16))
        sent = {
            **headers,
            "Connection": "Upgrade",
            "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": key.decode(),
        }
        lines = [f"GET {target} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items()), "", ""]
        self._transport.write("\r\n".join(lines).encode())
        import hashlib  # now, while Chrome is busy

        self._expected = base64.b64encode(hashlib.sha1(key + _GUID, usedforsecurity=False).digest()).decode()
        await self._open

    def start(self, receive: Receive, lost: Lost) -> None:
        self._receive, self._lost = receive, lost
        for message in self._early:
            receive(message)
        if self._lost_because is not None:
            lost(self._lost_because)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if not self._open.done():
            self._head += data
            head, end, data = self._head.partition(b"\r\n\r\n")
            if end or len(head) > _LONGEST_HEAD:
                self._shaken(head.decode("latin-1"))
        if data and self._open.done() and self._open.exception() is None:
            self._read(data)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._lost_because is None:
            self._lost_because = f"the connection broke: {without_place(exc)}" if exc else "it closed the connection"
        if not self._open.done():
            self._open.set_exception(BrowserError(f"no DevTools WebSocket there: {self._lost_because}"))
        if self._lost is not None:
            self._lost(self._lost_because)

    def _read(self, data: bytes) -> None:
        try:
            for opcode, final, payload in self._frames.feed(data):
                if opcode in (TEXT, BINARY, CONTINUATION):
                    self._parts.append(payload)
                    if final:
                        message = payload if len(self._parts) == 1 else b"".join(self._parts)
                        self._parts = []
                        self._receive(message)
                elif opcode == PING:
                    self._transport.write(encode_frame(PONG, payload))
                elif opcode == CLOSE:
                    self._transport.write(encode_frame(CLOSE, payload[:2]))
                    self._transport.close()
        except BadFrame:
            self._lost_because = "it sent what is no frame of a WebSocket"
            self._transport.abort()

    def _shaken(self, head: str) -> None:
        status, *lines = head.split("\r\n")
        fields = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        if status.split(" ")[:2] != ["HTTP/1.1", "101"]:
            told = status[:100] if status.startswith("HTTP/") else "its answer is not HTTP"
            self._open.set_exception(BrowserError(f"Chrome refused the WebSocket: {told}"))
        elif fields.get("sec-websocket-accept") != self._expected:
            self._open.set_exception(BrowserError("Chrome refused the WebSocket: its answer is not to our request"))
        else:
            self._open.set_result(None)


def _keep_alive(transport: asyncio.Transport) -> None:
    """Has the system ask whether the other side is still there: one that lost its power or network says nothing."""
    connected = transport.get_extra_info("socket")
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEP_ALIVE.items():
        if hasattr(socket, name):  # not on every system
            connected.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def without_place(error: Exception) -> str:
    """What went wrong, without the host and port that asyncio names."""
    number = error.errno if isinstance(error, OSError) and not isinstance(error, ssl.SSLError) else None
    if number is not None and number > 0:
        return os.strerror(number)
    return getattr(error, "strerror", None) or str(error)
