"""What happened in a run, numbered from 1, for any number of readers, each at its own pace."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator

import msgspec

MOST_BYTES = 32 << 20
DROPPED = "events:dropped"


class NumberedEvent(msgspec.Struct, frozen=True):
    """`data` is the event as JSON; `kind` is its `type`."""

    number: int
    kind: str
    data: bytes


class EventsDropped(msgspec.Struct, frozen=True):
    """What a reader gets in the place of events that it came too late for: the numbers of the first and the last."""

    first: int
    last: int


class NumberedLog:
    """Holds what happened as long as it is not more than `most_bytes`; then the oldest go.

    A reader that is slow costs nothing but its place: nobody waits for it.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._held: deque[NumberedEvent] = deque()
        self._more = asyncio.Event()
        self.size = 0
        """Bytes that are held."""
        self.last = 0
        """The number of the last event."""
        self.closed = False

    @property
    def first(self) -> int:
        """The number of the oldest event that is held."""
        return self.last - len(self._held) + 1

    def add(self, kind: str, data: bytes) -> None:
        self.last += 1
        self._held.append(NumberedEvent(self.last, kind, data))
        self.size += len(data)
        while self.size > self._most_bytes and len(self._held) > 1:
            self.size -= len(self._held.popleft().data)
        self._wake()

    def close(self) -> None:
        """Nothing more comes: readers end when they have read it all."""
        self.closed = True
        self._wake()

    async def after(self, number: int) -> AsyncGenerator[NumberedEvent, None]:
        """What came after that event, and what comes, until the log is closed."""
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
