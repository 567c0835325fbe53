"""A scripted CDP endpoint, for what a real Chrome will not do on demand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from cdp_agent.cdp.connection import Connection
from cdp_agent.cdp.transport import Lost, Receive

Answer = Callable[[dict[str, Any]], dict[str, Any] | None]


class FakeChrome:
    """A transport whose other end is a function: it gets each message and returns the answer's fields, or None."""

    def __init__(self, answer: Answer = lambda message: None) -> None:
        self.received: list[dict[str, Any]] = []
        self._answer = answer

    def connect(self) -> Connection:
        return Connection(self)

    def tell(self, **message: Any) -> None:
        """An event or an answer, as Chrome would send it."""
        self._receive(msgspec.json.encode(message))

    def tell_raw(self, message: bytes) -> None:
        self._receive(message)

    def vanish(self, reason: str) -> None:
        self._lost(reason)

    def start(self, receive: Receive, lost: Lost) -> None:
        self._receive, self._lost = receive, lost

    def send(self, message: bytes) -> None:
        asked = msgspec.json.decode(message)
        self.received.append(asked)
        answer = self._answer(asked)
        if answer is not None:
            self.tell(id=asked["id"], **answer)

    async def close(self) -> None:
        return None
