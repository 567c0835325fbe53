"""The HTTP server in front of the application: uvicorn, with timeouts for clients that neither send nor read."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import socket
from types import FrameType
from typing import Protocol

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from cdp_agent.errors import SetupError
from cdp_agent.security.http_guard import Message, Receive, Scope, Send

HEAD_TIMEOUT_S = 20
LONGEST_HEAD = 64 << 10
LAST_ANSWER_S = 0.5
"""How long a client whose side of the connection has ended is waited for: it has left, or reads its answer."""
UNREAD_TIMEOUT_S = 60
"""How long a client may read nothing of the data sent to it before its connection is closed."""
MOST_CONNECTIONS = 1000
_END_TIMEOUT_S = 2
_MOST_OF_A_MESSAGE = 1 << 20
_ENDING = json.dumps(
    {
        "error": {
            "type": "ServiceUnavailable",
            "message": "The server is about to end, and gave this up: how much of it was done is not known.",
        }
    }
).encode()


class _Protocol(HttpToolsProtocol):
    """Closes a connection whose client sends no complete request head in time, or one that is too long."""

    def __init__(self, *args: object, **keywords: object) -> None:
        super().__init__(*args, **keywords)  # type: ignore[arg-type]  # as uvicorn gives them
        self._head_timer: asyncio.TimerHandle | None = None
        self._head_bytes = 0
        self._leaving: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in HttpToolsProtocol
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._head_timer is None:
            return
        self._head_bytes += len(data)
        if self._head_bytes > LONGEST_HEAD and not self.transport.is_closing():
            self.send_400_response(f"The head of a request may have {LONGEST_HEAD:,} bytes.")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._head_timer is None:
            self._wait_for_head()

    def on_header(self, name: bytes, value: bytes) -> None:
        # httptools keeps white space after a value, against https://www.rfc-editor.org/rfc/rfc9110#section-5.5.
        super().on_header(name, value.rstrip(b" \t"))

    def on_headers_complete(self) -> None:
        self._stop_waiting()
        super().on_headers_complete()

    def eof_received(self) -> bool:  # type: ignore[override]  # uvicorn's says nothing, which means no
        """Whether the connection stays open: a client may end its side behind a request, as `nc -N` does.

        One that leaves does the same: it is waited for as long as an answer at once takes, and not while it is being
        sent something, which it may have enough of.
        """
        if self.cycle is None or self.cycle.response_started:
            return False
        self._leaving = self.loop.call_later(LAST_ANSWER_S, self.transport.close)
        return True

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._leaving is not None and not self.pipeline:
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        if self._leaving is not None:
            self._leaving.cancel()
        super().connection_lost(exc)

    def _wait_for_head(self) -> None:
        self._head_bytes = 0
        self._head_timer = self.loop.call_later(HEAD_TIMEOUT_S, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None


class ServedApp(Protocol):
    """An ASGI application that has something to finish before the server ends."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None: ...

    async def drain(self) -> None: ...


class _Answered:
    """The application, with an error as the answer to each request that it has not answered when the server ends."""

    def __init__(self, app: ServedApp) -> None:
        self._app = app
        self._unanswered: set[asyncio.Future[None]] = set()
        self._is_ending = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_noted(message: Message) -> None:
            self._unanswered.discard(answering)
            await send(message)

        answering = asyncio.ensure_future(self._app(scope, receive, send_noted))
        self._unanswered.add(answering)
        try:
            await answering
        except asyncio.CancelledError:
            if not self._is_ending or answering not in self._unanswered:
                raise
            await send(
                {"type": "http.response.start", "status": 503, "headers": [(b"content-type", b"application/json")]}
            )
            await send({"type": "http.response.body", "body": _ENDING})
        finally:
            self._unanswered.discard(answering)

    async def drain(self) -> None:
        """Drains the application, and answers what it leaves unanswered."""
        await self._app.drain()
        self._is_ending = True
        for answering in self._unanswered:
            answering.cancel()


class HttpServer(uvicorn.Server):
    """Serves the application until it is stopped; then runs are stopped, and their last events sent."""

    def __init__(self, app: ServedApp) -> None:
        self._app = _Answered(app)
        self._is_asked_to_end = False
        super().__init__(
            uvicorn.Config(
                self._app,
                http=_Protocol,
                ws="websockets-sansio",
                ws_max_size=_MOST_OF_A_MESSAGE,
                lifespan="on",
                access_log=False,
                log_config=None,
                proxy_headers=False,
                server_header=False,
                limit_concurrency=MOST_CONNECTIONS,
                timeout_graceful_shutdown=_END_TIMEOUT_S,
            )
        )

    @property
    def state(self) -> ServerState:
        """The current connections and requests."""
        return self.server_state

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The first signal stops the server gracefully, the second at once. Neither is raised again afterwards."""
        self.force_exit = self.should_exit = self._is_asked_to_end
        self._is_asked_to_end = True

    async def on_tick(self, counter: int) -> bool:
        """Whether the server ends. It does when the application is drained: streams of other libraries end with it."""
        if self._is_asked_to_end and not self.should_exit:
            await self._app.drain()
            self.should_exit = True
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._app.drain()
        await super().shutdown(sockets)


def listening_at(host: str, port: int) -> socket.socket:
    """A socket that listens at this address; port 0: any free port. Raises SetupError if it cannot listen."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is explicit, since asyncio turns Nagle's algorithm off only for sockets known to be TCP.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Accepted sockets inherit these options, so that a vanished client is noticed.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_TIMEOUT_S * 1000)
        if hasattr(socket, "TCP_KEEPIDLE"):
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, UNREAD_TIMEOUT_S)
        listener.bind((host, port))
        listener.listen(socket.SOMAXCONN)
    except OSError as error:
        listener.close()
        raise SetupError(f"The server cannot listen at {host}:{port}: {error.strerror or error}.") from error
    return listener


def address_of(host: str, listener: socket.socket) -> str:
    """The URL of the server, with the host as it was given: http://127.0.0.1:8765."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{listener.getsockname()[1]}"


def check_token(token: str | None, host: str, instead: str) -> None:
    """Raises SetupError for a server without a token that other machines can reach; the message advises `instead`."""
    if token is None and not _is_loopback(host):
        raise SetupError(
            f"At {host} others can reach the server: give it a token (CDP_AGENT_SERVER_TOKEN), or {instead}."
        )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
