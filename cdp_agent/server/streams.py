"""The events of a run: kept, and sent to any number of readers, each at its own pace.

Server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing

import msgspec
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

PING_S = 15.0
_PING = b": ping\n\n"
_log = logging.getLogger(__name__)
MOST_BYTES = 32 << 20
DROPPED = "events:dropped"


class NumberedEvent(msgspec.Struct, frozen=True):
    """An event with its number. `data` is the event as JSON; `kind` is its `type`."""

    number: int
    kind: str
    data: bytes


class EventsDropped(msgspec.Struct, frozen=True):
    """A reader gets this instead of events that are no longer kept: the numbers of the first and the last of them."""

    first: int
    last: int


class NumberedLog:
    """Keeps events, numbered from 1, up to `most_bytes`; then the oldest are dropped.

    Nobody waits for a slow reader: it only misses events that were dropped.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._held: deque[NumberedEvent] = deque()
        self._more = asyncio.Event()
        self.size = 0
        """The bytes of the events that are kept."""
        self.last = 0
        """The number of the last event."""
        self.closed = False

    @property
    def first(self) -> int:
        """The number of the oldest event that is kept."""
        return self.last - len(self._held) + 1

    def add(self, kind: str, data: bytes) -> None:
        self.last += 1
        self._held.append(NumberedEvent(self.last, kind, data))
        self.size += len(data)
        while self.size > self._most_bytes and len(self._held) > 1:
            self.size -= len(self._held.popleft().data)
        self._wake()

    def close(self) -> None:
        """Ends the log: readers finish when they have read all events."""
        self.closed = True
        self._wake()

    async def after(self, number: int) -> AsyncGenerator[NumberedEvent, None]:
        """The events after the one of that number, past and future, until the log is closed."""
        while True:
            more = self._more
            while number < self.last:
                if number + 1 < (first := self.first):
                    number, dropped = first - 1, EventsDropped(number + 1, first - 1)
                    yield NumberedEvent(number, DROPPED, msgspec.json.encode(dropped))
                    continue
                number += 1
                yield self._held[number - self.first]
            if self.closed:
                return
            await more.wait()

    def _wake(self) -> None:
        self._more.set()
        self._more = asyncio.Event()


def as_sse(event: NumberedEvent) -> bytes:
    """The event as a server-sent event, with its number as id. JSON from msgspec has no line breaks."""
    return b"id: %d\nevent: %b\ndata: %b\n\n" % (event.number, event.kind.encode(), event.data)


class EventStream(Response):
    """Sends pieces as they come, and a comment every few seconds, so that proxies do not close the connection.

    It ends with `pieces`, or when the client leaves; then `pieces` is closed.
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


async def disconnected(receive: Receive) -> None:
    """Returns when the client is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
