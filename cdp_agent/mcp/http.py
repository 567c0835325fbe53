"""The server over streamable HTTP, for several clients at once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.middleware.cors import CORSMiddleware

from cdp_agent.security.http_guard import AsgiApp, HttpGuard, Receive, Scope, Send

PATH = "/mcp"


class McpApp:
    """The ASGI application; see `HttpGuard` for who may call it.

    `stateless`: requests of revisions before 2026-07-28 are independent of each other, too. Several servers can then
    share the requests, but none can ask the client's user anything. `drain` is called when the server is to end: it
    makes the calls under way fail, so that they are answered.
    """

    def __init__(
        self,
        served: Server[object],
        *,
        token: str | None,
        hosts: Sequence[str],
        origins: Sequence[str] = (),
        stateless: bool = False,
        drain: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        unguarded: AsgiApp = served.streamable_http_app(
            streamable_http_path=PATH,
            stateless_http=stateless,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the guard does this
        )
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
        self._drain = drain

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)

    async def drain(self) -> None:
        if self._drain is not None:
            await self._drain()
