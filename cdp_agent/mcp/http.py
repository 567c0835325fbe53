"""The server over streamable HTTP, for several clients at once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.middleware.cors import CORSMiddleware

from cdp_agent.mcp.plain import PlainCall, PlainCalls
from cdp_agent.mcp.serving import BrowserServer
from cdp_agent.security.http_guard import AsgiApp, HttpGuard, Message, Receive, Scope, Send
from cdp_agent.server.streams import disconnected

PATH = "/mcp"
_PING_S = 15.0
"""How often a client gets a ping during a call, since proxies may close silent connections."""
_PLAIN_HEADERS = {
    b"content-type": b"application/json",
    b"accept": b"application/json, text/event-stream",
    b"mcp-protocol-version": b"2026-07-28",
    b"mcp-method": b"tools/call",
}


class McpApp:
    """The ASGI application; see `HttpGuard` for who may call it.

    `stateless`: requests of revisions before 2026-07-28 are independent of each other, too. Several servers can then
    share the requests, but none can ask the client's user anything.
    """

    def __init__(
        self,
        served: Server[object],
        *,
        token: str | None,
        hosts: Sequence[str],
        origins: Sequence[str] = (),
        stateless: bool = False,
    ) -> None:
        unguarded: AsgiApp = served.streamable_http_app(
            streamable_http_path=PATH,
            stateless_http=stateless,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the guard does this
        )
        if isinstance(served, BrowserServer):
            unguarded = _PlainCallRouter(unguarded, served.plain_calls)
        guarded: AsgiApp = HttpGuard(unguarded, token=token, hosts=hosts, origins=origins)
        if origins:  # preflight requests of pages come without the token
            guarded = CORSMiddleware(
                guarded,
                allow_origins=origins,
                allow_methods=["GET", "POST", "DELETE"],
                allow_headers=["*"],
                expose_headers=["Mcp-Session-Id"],
            )
        self._app = guarded

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)

    async def drain(self) -> None:
        """Does nothing: calls under way are cancelled with their requests."""


class _PlainCallRouter:
    """Answers plain calls, and passes every other request to the application of the SDK."""

    def __init__(self, app: AsgiApp, plain: PlainCalls) -> None:
        self._app = app
        self._plain = plain

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _may_be_plain(scope):
            await self._app(scope, receive, send)
            return
        whole = await receive()  # the guard passes the body in one piece
        call = self._plain.read(whole.get("body", b""))
        if isinstance(call, PlainCall) and (b"mcp-name", call.params.name.encode()) in scope["headers"]:
            await self._answer(call, receive, send)
            return
        held = [whole]

        async def receive_again() -> Message:
            return held.pop() if held else await receive()

        await self._app(scope, receive_again, send)

    async def _answer(self, call: PlainCall, receive: Receive, send: Send) -> None:
        """Responds with JSON, or, if the call takes long, with an event stream that contains pings and the reply."""
        answering, leaving = (
            asyncio.ensure_future(self._plain.answer(call)),
            asyncio.ensure_future(disconnected(receive)),
        )
        both: list[asyncio.Future[bytes] | asyncio.Future[None]] = [answering, leaving]
        streams = False
        try:
            while not (await asyncio.wait(both, timeout=_PING_S, return_when=asyncio.FIRST_COMPLETED))[0]:
                if not streams:
                    await send(_head(b"text/event-stream", (b"cache-control", b"no-cache, no-transform")))
                    streams = True
                await send({"type": "http.response.body", "body": b": ping\r\n\r\n", "more_body": True})
            if answering.done():
                answer = answering.result()
                if streams:
                    answer = b"event: message\r\ndata: %b\r\n\r\n" % answer
                else:
                    await send(_head(b"application/json", (b"content-length", b"%d" % len(answer))))
                await send({"type": "http.response.body", "body": answer})
        finally:
            for each in both:
                each.cancel()
            await asyncio.wait(both)


def _may_be_plain(scope: Scope) -> bool:
    """Whether the head of a request may be that of a plain call."""
    if scope["type"] != "http" or scope["method"] != "POST" or scope["path"] != PATH:
        return False
    headers = dict(scope["headers"])
    return (
        len(headers) == len(scope["headers"])  # none is repeated
        and _PLAIN_HEADERS.items() <= headers.items()
        and not any(each.startswith(b"mcp-param-") for each in headers)
    )


def _head(kind: bytes, header: tuple[bytes, bytes]) -> Message:
    return {"type": "http.response.start", "status": 200, "headers": [(b"content-type", kind), header]}
