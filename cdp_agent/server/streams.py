"""Events as they are sent: server-sent events, https://html.spec.whatwg.org/multipage/server-sent-events.html."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Coroutine, Mapping
from contextlib import aclosing
from typing import Any, TypeVar

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from cdp_agent.server.event_log import NumberedEvent

T = TypeVar("T")
PING_S = 15.0
_PING = b": ping\n\n"
_log = logging.getLogger(__name__)


def as_sse(event: NumberedEvent) -> bytes:
    """An event with its number as id. JSON that msgspec writes has no line breaks."""
    return b"id: %d\nevent: %b\ndata: %b\n\n" % (event.number, event.kind.encode(), event.data)


class EventStream(Response):
    """Sends pieces as they come, and something every few seconds, so that whoever is between knows that we are there.

    It ends with `pieces`, or when the client left; then `pieces` is closed.
    """

    media_type = "text/event-stream"

    def __init__(self, pieces: AsyncGenerator[bytes, None], headers: Mapping[str, str] | None = None) -> None:
        self.background = None
        self.status_code = 200
        self._pieces = pieces
        # Proxies are to pass on each event at once.
        self.init_headers({"Cache-Control": "no-cache", "X-Accel-Buffering": "no", **(headers or {})})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with aclosing(self._pieces) as pieces:
            gone = asyncio.ensure_future(disconnected(receive))
            following: asyncio.Future[bytes | None] = asyncio.ensure_future(anext(pieces, None))
            try:
                await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
                while True:
                    await asyncio.wait((gone, following), timeout=PING_S, return_when=asyncio.FIRST_COMPLETED)
                    if gone.done():
                        return
                    piece = following.result() if following.done() else _PING
                    if piece is None:
                        break
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
                    if following.done():
                        following = asyncio.ensure_future(anext(pieces, None))
                await send({"type": "http.response.body", "body": b"", "more_body": False})
            except TimeoutError:
                _log.info("a reader of events took nothing for too long, and was given up")
            finally:
                gone.cancel()
                following.cancel()
                await asyncio.wait((gone, following))


async def while_there(receive: Receive, doing: Coroutine[Any, Any, T]) -> T | None:
    """What is done for a client, whose request was read; given up when it leaves, and None then."""
    acting, leaving = asyncio.ensure_future(doing), asyncio.ensure_future(disconnected(receive))
    try:
        await asyncio.wait((acting, leaving), return_when=asyncio.FIRST_COMPLETED)
        return acting.result() if acting.done() else None
    finally:
        for each in (acting, leaving):
            each.cancel()
        await asyncio.wait((acting, leaving))


async def disconnected(receive: Receive) -> None:
    """Returns when the client is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
