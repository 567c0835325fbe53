"""A WebSocket to a running Chrome, in its own file because a Chrome that we launch needs none of its imports.

The protocol (handshake, masking, frames, closing) is websockets' Sans-I/O client:
https://websockets.readthedocs.io/en/stable/reference/sansio/client.html. This file moves the bytes.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import ssl
from collections.abc import Mapping
from typing import cast

from websockets.client import ClientProtocol
from websockets.exceptions import InvalidMessage, InvalidStatus, InvalidURI
from websockets.frames import CTRL_OPCODES, Frame
from websockets.http11 import Response
from websockets.protocol import State
from websockets.uri import WebSocketURI, parse_uri

from cdp_agent.errors import BrowserError

from .transport import Lost, Receive

_KEEP_ALIVE = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 25_000}
"""Socket options: the first two in seconds, TCP_KEEPCNT a number of probes, the last in milliseconds."""
_NO_LOG = logging.Logger("websocket", logging.CRITICAL)  # websockets would log whole messages, and so the pages' text
_NORMAL = 1000


class WebSocketTransport:
    """A DevTools WebSocket, without compression, pings of our own or a limit on a message's size."""

    def __init__(self, ends: _Socket) -> None:
        self._socket = ends

    @classmethod
    async def open(cls, url: str, headers: Mapping[str, str] | None = None) -> WebSocketTransport:
        """Connects, and completes the handshake. Raises BrowserError when `url` is not that of a DevTools WebSocket."""
        try:
            uri = parse_uri(url)
        except (InvalidURI, ValueError):
            raise BrowserError("not a WebSocket address") from None
        try:
            transport, ends = await asyncio.get_running_loop().create_connection(
                lambda: _Socket(uri), uri.host, uri.port, ssl=True if uri.secure else None
            )
        except OSError as error:
            raise BrowserError(f"cannot connect: {without_host(error)}") from error
        _keep_alive(transport)
        try:
            await ends.shake_hands(headers or {})
        except BaseException:
            transport.abort()
            raise
        return cls(ends)

    def start(self, receive: Receive, lost: Lost) -> None:
        self._socket.start(receive, lost)

    def send(self, message: bytes) -> None:
        self._socket.send(message)

    async def close(self) -> None:
        self._socket.close()


class _Socket(asyncio.Protocol):
    """Carries the protocol's bytes, and joins its frames into messages."""

    _transport: asyncio.Transport

    def __init__(self, uri: WebSocketURI) -> None:
        self._protocol = ClientProtocol(uri, max_size=None, logger=_NO_LOG)
        self._open: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._unsent = False
        """Whether messages wait to be written in the next iteration of the event loop."""
        self._parts: list[bytes] = []
        self._early: list[bytes] = []
        self._receive: Receive = self._early.append
        self._lost: Lost | None = None
        self._lost_because: str | None = None

    async def shake_hands(self, headers: Mapping[str, str]) -> None:
        request = self._protocol.connect()
        for name, value in headers.items():
            if name in request.headers:
                del request.headers[name]  # otherwise a second value would be added
            request.headers[name] = value
        self._protocol.send_request(request)
        self._write()
        await self._open

    def start(self, receive: Receive, lost: Lost) -> None:
        self._receive, self._lost = receive, lost
        for message in self._early:
            receive(message)
        if self._lost_because is not None:
            lost(self._lost_because)

    def send(self, message: bytes) -> None:
        if self._protocol.state is State.OPEN:  # else `lost` reports that
            self._protocol.send_text(message)
            if not self._unsent:
                self._unsent = True
                asyncio.get_running_loop().call_soon(self._write)

    def close(self) -> None:
        if self._protocol.state is State.OPEN:
            self._protocol.send_close(_NORMAL)
            self._write()
        self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's has its methods but not its class

    def data_received(self, data: bytes) -> None:
        self._protocol.receive_data(data)
        self._take()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._lost_because is None:
            self._lost_because = f"the connection broke: {without_host(exc)}" if exc else "it closed the connection"
        self._protocol.receive_eof()  # the end may complete a response
        self._take()
        if not self._open.done():
            self._open.set_exception(BrowserError(f"no DevTools WebSocket there: {self._lost_because}"))
        if self._lost is not None:
            self._lost(self._lost_because)

    def _take(self) -> None:
        protocol = self._protocol
        for event in protocol.events_received():
            if isinstance(event, Frame):
                self._take_frame(event)
            elif not self._open.done() and protocol.handshake_exc is None:
                self._open.set_result(None)
        refused = protocol.handshake_exc
        if refused is not None and not self._open.done() and not isinstance(refused.__cause__, EOFError):
            self._open.set_exception(_refusal(refused))
        self._write()
        if protocol.parser_exc is not None and self._lost_because is None:
            self._lost_because = "it sent what is no frame of a WebSocket"
            self._transport.abort()
        elif protocol.close_rcvd is not None:
            self._transport.close()

    def _take_frame(self, frame: Frame) -> None:
        if frame.opcode in CTRL_OPCODES:
            return
        self._parts.append(bytes(frame.data))
        if frame.fin:
            message = b"".join(self._parts)
            self._parts = []
            self._receive(message)

    def _write(self) -> None:
        self._unsent = False
        data = b"".join(self._protocol.data_to_send())
        if data and not self._transport.is_closing():
            self._transport.write(data)


def _refusal(error: Exception) -> BrowserError:
    if isinstance(error, InvalidStatus):
        response: Response = error.response
        return BrowserError(
            f"Chrome refused the WebSocket: HTTP/1.1 {response.status_code} {response.reason_phrase}"[:150]
        )
    if isinstance(error, InvalidMessage):
        return BrowserError("Chrome refused the WebSocket: its answer is not HTTP")
    return BrowserError("Chrome refused the WebSocket: its answer is not to our request")


def _keep_alive(transport: asyncio.Transport) -> None:
    """Turns on TCP keep-alive: a machine that lost power or network does not close its connections."""
    connected = transport.get_extra_info("socket")
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEP_ALIVE.items():
        if hasattr(socket, name):  # not on every system
            connected.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def without_host(error: Exception) -> str:
    """The message of a connection error, without the host and port that asyncio puts into it."""
    number = error.errno if isinstance(error, OSError) and not isinstance(error, ssl.SSLError) else None
    if number is not None and number > 0:
        return os.strerror(number)
    return getattr(error, "strerror", None) or str(error)
