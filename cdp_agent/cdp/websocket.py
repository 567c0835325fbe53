"""A WebSocket to a Chrome that runs. Its own file, because a Chrome that we launch needs none of its imports."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import ssl
from collections.abc import Mapping

from websockets.client import ClientProtocol
from websockets.exceptions import InvalidURI
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.uri import parse_uri

from cdp_agent.errors import BrowserError

from .transport import Lost, Receive

_silent = logging.Logger(__name__, logging.CRITICAL)  # it would format every message for its debug log


_KEEP_ALIVE = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 25_000}
"""Seconds, and milliseconds for the last."""


class WebSocketTransport:
    """A DevTools WebSocket, without compression, keep-alive pings or a limit on a message's size.

    The protocol is websockets' Sans-I/O one, because its asyncio one can only send from a coroutine.
    https://websockets.readthedocs.io/en/stable/howto/sansio.html
    """

    def __init__(self, transport: asyncio.Transport, ends: _Socket) -> None:
        self._transport = transport
        self._socket = ends

    @classmethod
    async def open(cls, url: str, headers: Mapping[str, str] | None = None) -> WebSocketTransport:
        """Connects and shakes hands. Raises BrowserError when the other side is no DevTools WebSocket."""
        try:
            uri = parse_uri(url)
        except InvalidURI as error:  # which quotes the address, and that may be secret
            raise BrowserError("not a WebSocket address") from error
        protocol = ClientProtocol(uri, max_size=None, logger=_silent)
        try:
            transport, ends = await asyncio.get_running_loop().create_connection(
                lambda: _Socket(protocol), uri.host, uri.port, ssl=True if uri.secure else None
            )
        except OSError as error:
            raise BrowserError(f"cannot connect: {without_place(error)}") from error
        _keep_alive(transport)
        try:
            await ends.shake_hands(headers or {})
        except BaseException:
            transport.abort()
            raise
        return cls(transport, ends)

    def start(self, receive: Receive, lost: Lost) -> None:
        self._socket.start(receive, lost)

    def send(self, message: bytes) -> None:
        self._socket.send(message)

    async def close(self) -> None:
        self._socket.close()
        self._transport.close()


class _Socket(asyncio.Protocol):
    """Joins the frames of the Sans-I/O protocol to messages."""

    _transport: asyncio.Transport

    def __init__(self, protocol: ClientProtocol) -> None:
        self._protocol = protocol
        self._open: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._parts: list[bytes] = []
        self._early: list[bytes] = []
        self._receive: Receive = self._early.append
        self._lost: Lost | None = None
        self._lost_because: str | None = None

    async def shake_hands(self, headers: Mapping[str, str]) -> None:
        request = self._protocol.connect()
        for name, value in headers.items():
            request.headers[name] = value
        self._protocol.send_request(request)
        self._flush()
        await self._open

    def start(self, receive: Receive, lost: Lost) -> None:
        self._receive, self._lost = receive, lost
        for message in self._early:
            receive(message)
        if self._lost_because is not None:
            lost(self._lost_because)

    def send(self, message: bytes) -> None:
        self._protocol.send_text(message)
        self._flush()

    def close(self) -> None:
        if self._protocol.state is State.OPEN:
            self._protocol.send_close(1000)
            self._flush()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._protocol.receive_data(data)
        self._flush()
        for event in self._protocol.events_received():
            if not isinstance(event, Frame):
                self._shaken()
            elif event.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
                self._parts.append(bytes(event.data))
                if event.fin:
                    message = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
                    self._parts = []
                    self._receive(message)

    def connection_lost(self, exc: Exception | None) -> None:
        reason = f"the connection broke: {without_place(exc)}" if exc else "it closed the connection"
        if not self._open.done():
            self._open.set_exception(BrowserError(f"no DevTools WebSocket there: {reason}"))
        self._lost_because = reason
        if self._lost is not None:
            self._lost(reason)

    def _shaken(self) -> None:
        refusal = self._protocol.handshake_exc
        if self._open.done():
            return
        if refusal is None:
            self._open.set_result(None)
        else:
            self._open.set_exception(BrowserError(f"Chrome refused the WebSocket: {refusal}"))

    def _flush(self) -> None:
        for data in self._protocol.data_to_send():
            if data:
                self._transport.write(data)
            else:  # Sans-I/O's sign that our half is to be closed
                self._transport.close()


def _keep_alive(transport: asyncio.Transport) -> None:
    """Has the system ask whether the other side is still there: one that lost its power or network says nothing."""
    connected = transport.get_extra_info("socket")
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEP_ALIVE.items():
        if hasattr(socket, name):  # not on every system
            connected.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def without_place(error: Exception) -> str:
    """What went wrong, without the host and port that asyncio names."""
    if (
        isinstance(error, OSError)
        and not isinstance(error, ssl.SSLError)
        and error.errno is not None
        and error.errno > 0
    ):
        return os.strerror(error.errno)
    return getattr(error, "strerror", None) or str(error)
