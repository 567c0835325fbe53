"""Decides who may send requests to our servers: the middleware in front of everything that is served over HTTP.

Any page that a person opens can send requests to servers on their machine. If its host name resolves to 127.0.0.1
("DNS rebinding"), it can also read the answers. `Host` and `Origin` reveal such requests; a token keeps out other users
and programs on the machine. See
https://modelcontextprotocol.io/specification/2026-07-28/basic/transports#security-warning.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import re
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from contextlib import suppress
from http import HTTPStatus
from typing import Any

from cdp_agent.errors import NO_ROOM

LOOPBACK = ("localhost", "127.0.0.1", "::1")
"""The names of a server that only its own machine can reach."""
MAX_BODY_BYTES = 4 << 20
BODY_TIMEOUT_S = 30.0
SEND_TIMEOUT_S = 60.0
REST_S = 10.0
"""How long the rest of a refused request is read and discarded."""

_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::([0-9]{0,5}))?")
"""https://www.rfc-editor.org/rfc/rfc9110#section-7.2, without what no server of ours is called."""
_LAST_PORT = 65_535

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]


class HttpGuard:
    """An ASGI application that passes permitted requests on to `app`, each with its whole body.

    `streamed` returns the maximum number of body bytes for a request whose body the application reads itself, piece by
    piece; None for all other requests.

    A request is refused if it

    * names a host that is not in `hosts` (421); the port is ignored, since a tunnel changes it;
    * comes from a page whose `Origin` is neither that of the named host nor in `origins`, such as
      "https://app.example" (403);
    * does not send `token` as `Authorization: Bearer TOKEN` (401), unless `token` is None or the path is one of
      `public_paths`;
    * has a body of more than `max_body_bytes` (413), or one that takes longer than `body_timeout_s` (408).

    WebSockets are refused in the same way, before they are accepted. When a client reads nothing of its answer for
    `send_timeout_s`, the application gets a TimeoutError. Refusals are JSON: {"error": {"type", "message"}}.
    """

    def __init__(
        self,
        app: AsgiApp,
        *,
        token: str | None,
        hosts: Collection[str] = LOOPBACK,
        origins: Collection[str] = (),
        public_paths: Collection[str] = (),
        max_body_bytes: int = MAX_BODY_BYTES,
        streamed: Callable[[Scope], int | None] = lambda scope: None,
        body_timeout_s: float = BODY_TIMEOUT_S,
        send_timeout_s: float = SEND_TIMEOUT_S,
    ) -> None:
        self._app = app
        self._token = None if token is None else token.encode()
        self._hosts = {each.strip("[]").lower() for each in hosts}
        self._origins = {each.rstrip("/").lower() for each in origins}
        self._public_paths = frozenset(public_paths)
        self._max_body_bytes = max_body_bytes
        self._streamed = streamed
        self._body_timeout_s = body_timeout_s
        self._send_timeout_s = send_timeout_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)  # the start and the end of the server
            return
        refusal = self._refusal(scope)
        if refusal is None and scope["type"] == "http" and (most := self._streamed(scope)) is not None:
            if _length(scope) > most:
                refusal = _too_long(most)
            receive = self._in_time_received(receive)
        elif refusal is None and scope["type"] == "http":
            try:
                async with asyncio.timeout(self._body_timeout_s):
                    receive = await self._with_whole_body(scope, receive)
            except TimeoutError:
                refusal = _Refusal(HTTPStatus.REQUEST_TIMEOUT, "The body of the request took too long.")
            except _Refusal as error:
                refusal = error
            except _Disconnected:
                return
        if refusal is None:
            refusal = await self._served(scope, receive, self._in_time(send))
        if refusal is None:
            return
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": str(refusal)})
        else:
            await _refuse(refusal, receive, send)

    async def _served(self, scope: Scope, receive: Receive, send: Send) -> _Refusal | None:
        """Passes the request on. Returns a refusal for one that had no answer when the disk had no room for it."""
        is_answered = False

        async def send_noted(message: Message) -> None:
            nonlocal is_answered
            is_answered = True
            await send(message)

        try:
            await self._app(scope, receive, send_noted)
        except OSError as error:
            if is_answered or error.errno not in NO_ROOM:
                raise
            return _Refusal(HTTPStatus.INSUFFICIENT_STORAGE, f"The server cannot store this: {error.strerror}.")
        return None

    def _refusal(self, scope: Scope) -> _Refusal | None:
        host, origin = _only(scope, b"host"), _only(scope, b"origin")
        if host is None or _name_of(host) not in self._hosts:
            return _Refusal(HTTPStatus.MISDIRECTED_REQUEST, "This server does not go by the name in `Host`.")
        if origin is not None and not self._is_admitted(origin.lower(), host.lower()):
            return _Refusal(HTTPStatus.FORBIDDEN, "Requests from pages of this origin are not allowed.")
        if self._token is None or scope["path"] in self._public_paths:
            return None
        shown = (_only(scope, b"authorization") or "").partition(" ")
        if shown[0].lower() != "bearer" or not hmac.compare_digest(shown[2].strip().encode(), self._token):
            return _Refusal(HTTPStatus.UNAUTHORIZED, "Send the server's token, as `Authorization: Bearer TOKEN`.")
        return None

    def _is_admitted(self, origin: str, host: str) -> bool:
        return origin in self._origins or origin in (f"http://{host}", f"https://{host}")

    async def _with_whole_body(self, scope: Scope, receive: Receive) -> Receive:
        """A `receive` that returns the body in one piece, then goes on as before. Raises _Refusal, _Disconnected."""
        if _length(scope) > self._max_body_bytes:
            raise _too_long(self._max_body_bytes)
        body, more = bytearray(), True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise _Disconnected
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > self._max_body_bytes:
                raise _too_long(self._max_body_bytes)
        held: list[Message] = [{"type": "http.request", "body": bytes(body), "more_body": False}]

        async def receive_whole() -> Message:
            return held.pop() if held else await receive()

        return receive_whole

    def _in_time_received(self, receive: Receive) -> Receive:
        """A `receive` that reports a client that stops sending its body as disconnected."""
        whole = False

        async def receive_in_time() -> Message:
            nonlocal whole
            if whole:
                return await receive()
            try:
                async with asyncio.timeout(self._body_timeout_s):
                    message = await receive()
            except TimeoutError:
                return {"type": "http.disconnect"}
            whole = not message.get("more_body", False)
            return message

        return receive_in_time

    def _in_time(self, send: Send) -> Send:
        async def send_in_time(message: Message) -> None:
            async with asyncio.timeout(self._send_timeout_s):
                await send(message)

        return send_in_time


class _Refusal(Exception):
    """Why a request is refused."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


class _Disconnected(Exception):
    """The client is gone, so there is nobody to answer."""


def hosts_of(bind: str) -> tuple[str, ...]:
    """The host names of a server that listens at this address, except those that only its owner knows."""
    return LOOPBACK if bind in (*LOOPBACK, "", "0.0.0.0", "::") else (*LOOPBACK, bind)


async def _refuse(refusal: _Refusal, receive: Receive, send: Send) -> None:
    error = {"type": refusal.status.phrase.title().replace(" ", ""), "message": str(refusal)}
    body = json.dumps({"error": error}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    if refusal.status == HTTPStatus.UNAUTHORIZED:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": int(refusal.status), "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": True})
    with suppress(TimeoutError):
        async with asyncio.timeout(REST_S):
            # Many clients never see the answer if the connection is closed before everything they sent is read.
            while (await receive()).get("more_body", False):
                pass
    await send({"type": "http.response.body", "body": b""})


def _too_long(most: int) -> _Refusal:
    return _Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"The body may have {most:,} bytes at most.")


def _length(scope: Scope) -> int:
    """The length of the body as its header states it, 0 if that is missing."""
    length = _only(scope, b"content-length")
    return int(length) if length is not None and length.isdecimal() else 0


def _only(scope: Scope, name: bytes) -> str | None:
    """The header's value; None if it is missing, and "", which matches nothing, if it occurs twice."""
    values = [value.decode("latin-1") for key, value in scope["headers"] if key == name]
    if len(values) > 1:
        return ""
    return values[0] if values else None


def _name_of(host: str) -> str:
    """The host name in `Host`, without port and brackets; "" if it is invalid."""
    parts = _HOST.fullmatch(host.lower())
    return (parts[1] or parts[2]) if parts and int(parts[3] or 0) <= _LAST_PORT else ""
