"""Connecting to the first of several endpoints that answers. The result for each endpoint is reported by its number.

An address may contain a token, so it appears in no message, event or log.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol, TypeVar
from urllib.parse import urlsplit

import msgspec

from cdp_agent.cdp.transport import Transport
from cdp_agent.errors import BrowserError, ProtocolError

from .tab_closer import HttpEndpoint
from .user_profiles import folders_of, listening

AUTO = "auto"
"""The endpoint that means the Chrome of this machine's user."""

T = TypeVar("T")


def canonical(endpoint: str) -> str:
    """An address in a form that is the same for all addresses of one Chrome, including that of its WebSocket.

    Text that is not an address is returned unchanged.
    """
    try:
        parts = urlsplit(endpoint if "://" in endpoint else f"http://{endpoint}")
        port = parts.port
    except ValueError:
        return endpoint
    if endpoint == AUTO or not parts.hostname:
        return endpoint
    secure = parts.scheme in ("https", "wss")
    is_chrome = parts.scheme in ("ws", "wss") and parts.path.startswith("/devtools/browser/")
    scheme = ("https" if secure else "http") if is_chrome else parts.scheme
    path = "" if is_chrome else parts.path.rstrip("/")
    user = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
    host = "127.0.0.1" if parts.hostname == "localhost" else parts.hostname
    query = f"?{parts.query}" if parts.query else ""
    return f"{scheme}://{user}{host}:{port or (443 if secure else 80)}{path}{query}"


def same_chromes(endpoints: Sequence[str], profile: str | os.PathLike[str] | None) -> list[str]:
    """The endpoints in `canonical` form; AUTO becomes the address at which the user's Chrome listens, if it does."""
    return [canonical(_address_of_auto(profile) if each == AUTO else each) for each in endpoints]


def _address_of_auto(profile: str | os.PathLike[str] | None) -> str:
    try:
        return listening(folders_of(profile))
    except BrowserError:
        return AUTO  # connecting to it raises an error with the reason


class Attempt(msgspec.Struct, frozen=True):
    """An endpoint that was tried: `index`, from 0, of `total`. `error` is why it failed, None if it did not."""

    index: int
    total: int
    error: str | None = None


class EndpointSource(Protocol):
    """How a Chrome is reached.

    `timeout_s` is its own time limit, and `too_late` the message when that has passed; None for the defaults.
    """

    timeout_s: float | None

    @property
    def too_late(self) -> str | None: ...
    async def connect(self, headers: Mapping[str, str]) -> Transport: ...
    def http_endpoint(self, headers: Mapping[str, str]) -> HttpEndpoint | None:
        """Where the Chrome may answer to /json/…; None if it does not. Call it after `connect`."""

    def without_address(self, text: str, headers: Mapping[str, str]) -> str: ...


class Connecting:
    """Connects to the first of several endpoints that answers; the next call starts with the endpoint after that."""

    def __init__(
        self,
        endpoints: Sequence[str],
        headers: Mapping[str, str],
        timeout_s: float,
        profile: str | os.PathLike[str] | None,
    ) -> None:
        self._endpoints = endpoints
        self._profile = profile
        self._headers = headers
        self._timeout_s = timeout_s
        self._next = 0

    async def connect(self, begin: Callable[[Transport, HttpEndpoint | None], Awaitable[T]]) -> tuple[T, list[Attempt]]:
        """The result of `begin`, which gets the connection, and the endpoints that were tried, each at most once.

        It starts after the endpoint that was connected to last, and goes through the list once. Raises SetupError when
        one is not an address, before any is tried; BrowserError when none can be reached.
        """
        total = len(self._endpoints)
        sources = [self._source(each, f"Endpoint {n} of {total}") for n, each in enumerate(self._endpoints, 1)]
        attempts = []
        for index in [(self._next + step) % total for step in range(total)]:
            source = sources[index]
            try:
                async with asyncio.timeout(source.timeout_s or self._timeout_s):
                    transport = await source.connect(self._headers)
                    begun = await begin(transport, source.http_endpoint(self._headers))
                attempts.append(Attempt(index, total))
                self._next = (index + 1) % total
                return begun, attempts
            except TimeoutError:
                failure = source.too_late or f"no answer within {self._timeout_s:g} s"
            except (BrowserError, ProtocolError) as error:
                failure = source.without_address(str(error), self._headers)
            attempts.append(Attempt(index, total, failure))
        raise BrowserError(_failure_message(attempts))

    def _source(self, endpoint: str, name: str) -> EndpointSource:
        if endpoint == AUTO:
            from .user_chrome import UserChrome  # late: 19 ms with websockets, which a Chrome of ours does not need

            return UserChrome(self._profile)
        from .endpoints import address_of  # late: as above

        return address_of(endpoint, name)


def _failure_message(attempts: Sequence[Attempt]) -> str:
    if len(attempts) == 1:
        return f"No Chrome could be reached: {attempts[0].error}"
    lines = [f"Endpoint {each.index + 1} of {each.total}: {each.error}" for each in attempts]
    return "\n".join(["No Chrome could be reached.", *lines])
