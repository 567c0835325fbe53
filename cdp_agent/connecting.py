"""Several endpoints, tried in order; what came of each is told by its number.

An address may hold a token: it appears in no message, no event and no log.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

import msgspec

from cdp_agent.cdp.transport import Transport
from cdp_agent.errors import BrowserError, ProtocolError

T = TypeVar("T")


class Attempt(msgspec.Struct, frozen=True):
    """An endpoint that was tried: `index` from 0, of `total`. `error` says why it was not to be had."""

    index: int
    total: int
    error: str | None = None


class Connecting:
    """The way to the first of several endpoints that answers; after it was lost, on to the one after it."""

    def __init__(self, endpoints: Sequence[str], headers: Mapping[str, str], timeout_s: float) -> None:
        self._endpoints = endpoints
        self._headers = headers
        self._timeout_s = timeout_s
        self._next = 0

    async def connect(self, begin: Callable[[Transport], Awaitable[T]]) -> tuple[T, list[Attempt]]:
        """What `begin` makes of the connection, and what was tried: each endpoint once, from where we are in the list.

        Raises SetupError when one is no address, before any is tried, and BrowserError when none can be had.
        """
        # Late: a Chrome of our own needs none of this, and importing it takes 20 ms.
        from .endpoints import address_of, without_address

        total = len(self._endpoints)
        addresses = [address_of(each, f"Endpoint {n} of {total}") for n, each in enumerate(self._endpoints, 1)]
        attempts = []
        for index in [(self._next + step) % total for step in range(total)]:
            try:
                async with asyncio.timeout(self._timeout_s):
                    begun = await begin(await addresses[index].connect(self._headers))
                attempts.append(Attempt(index, total))
                self._next = (index + 1) % total
                return begun, attempts
            except TimeoutError:
                failure = f"no answer within {self._timeout_s:g} s"
            except (BrowserError, ProtocolError) as error:
                failure = without_address(str(error), addresses[index], self._headers)
            attempts.append(Attempt(index, total, failure))
        raise BrowserError(_told(attempts))


def _told(attempts: Sequence[Attempt]) -> str:
    if len(attempts) == 1:
        return f"No Chrome could be reached: {attempts[0].error}"
    lines = [f"Endpoint {each.index + 1} of {each.total}: {each.error}" for each in attempts]
    return "\n".join(["No Chrome could be reached.", *lines])
