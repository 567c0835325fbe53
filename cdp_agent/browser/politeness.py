"""How agents, sessions and batches limit their load on origins: visitors at once, time between documents, robots.txt.

A task or a session is a visitor of one origin at a time, that of the page in its tab. It leaves that origin before it
waits for another one, so that no two wait for each other.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Protocol
from uuid import uuid4

from cdp_agent.extras import missing_extra
from cdp_agent.page.frames.deadline import Pause
from cdp_agent.page.policy.limits import limited
from cdp_agent.page.policy.rules import RequestRules
from cdp_agent.security.origins import origin_of

if TYPE_CHECKING:
    import httpx
    from protego import Protego

    from cdp_agent.cdp import fetch
    from cdp_agent.page.policy.unsafe import RequestKind

AGENT = "cdp-agent"
"""Our name in robots.txt files (the product token of RFC 9309)."""
_ROBOTS_WITHIN_S = 10.0
_MOST_ROBOTS_BYTES = 500 << 10  # https://www.rfc-editor.org/rfc/rfc9309#name-limits


class Pacing(Protocol):
    """Decides when a document may be requested."""

    async def visit(self, visitor: str, origin: str, url: str) -> str | None:
        """Waits until the visitor may open the address. Returns None, or why it never may, as in `Blocked.why`."""

    async def leave(self, visitor: str) -> None:
        """Records that the visitor is on no page any more."""


class Politeness:
    """Limits for all agents and sessions that it is given to: `Agent(browser, politeness=Politeness(robots=True))`.

    `per_origin`: how many of them at once may be on pages of one origin; `delay_s`: the seconds between two requests
    for a document to one origin. `robots`: what an origin's robots.txt does not allow is not opened, and its
    Crawl-delay is observed.
    """

    def __init__(self, *, per_origin: int | None = None, delay_s: float = 0.0, robots: bool = False) -> None:
        """Raises SetupError where robots.txt files are to be read and the library for that is not installed."""
        self._most = per_origin
        self._delay_s = delay_s
        self._robots = Robots() if robots else None
        self._at: dict[str, str] = {}
        """The origin that each visitor is at."""
        self._next_s: dict[str, float] = {}
        """The time from which the next document may be requested from an origin."""
        self._turns: dict[str, asyncio.Lock] = {}
        """For each origin, a lock that its visitors take in turn to request a document."""
        self._left = asyncio.Condition()

    async def visit(self, visitor: str, origin: str, url: str) -> str | None:
        """See `Pacing`."""
        delay_s = self._delay_s
        if self._robots is not None:
            if not await self._robots.allows(origin, url):
                return "does not allow that address to robots (robots.txt)"
            delay_s = max(delay_s, await self._robots.delay_s(origin))
        async with self._left:
            if self._at.get(visitor) != origin:
                self._at.pop(visitor, None)
                self._left.notify_all()
                await self._left.wait_for(lambda: self._has_room(origin))
                self._at[visitor] = origin
        if delay_s > 0:
            async with self._turns.setdefault(origin, asyncio.Lock()):
                await asyncio.sleep(self._next_s.get(origin, 0.0) - time.monotonic())
                self._next_s[origin] = time.monotonic() + delay_s
        return None

    async def leave(self, visitor: str) -> None:
        """See `Pacing`."""
        async with self._left:
            if self._at.pop(visitor, None) is not None:
                self._left.notify_all()

    def _has_room(self, origin: str) -> bool:
        return self._most is None or sum(each == origin for each in self._at.values()) < self._most

    async def close(self) -> None:
        if self._robots is not None:
            await self._robots.close()


class Visitor:
    """The `Gate` of one who is paced: each request for the document of a tab waits for its turn."""

    def __init__(self, name: str, pacing: Pacing) -> None:
        self.pause = Pause()
        self._name = name
        self._pacing = pacing

    async def refusal(self, event: fetch.RequestPaused, kind: RequestKind | None, *, document: bool) -> str | None:
        """See `Gate`."""
        with self.pause.asking():
            if not document or (origin := origin_of(event.request.url)) is None:
                return None
            return await self._pacing.visit(self._name, str(origin), event.request.url)

    async def leave(self) -> None:
        """Ends the visit."""
        await self._pacing.leave(self._name)


@contextlib.asynccontextmanager
async def visiting(politeness: Politeness | None) -> AsyncIterator[None]:
    """A block in which the tabs that this task opens or passes to `limit` visit origins politely; None: without it."""
    if politeness is None:
        yield
        return
    visitor = Visitor(uuid4().hex, politeness)
    try:
        async with limited(RequestRules(gate=visitor)):
            yield
    finally:
        await visitor.leave()


class Robots:
    """The robots.txt files of origins, read once each: https://www.rfc-editor.org/rfc/rfc9309."""

    def __init__(self, transport: httpx.AsyncBaseTransport | None = None) -> None:
        """Raises SetupError when the library that reads them is not installed."""
        if importlib.util.find_spec("protego") is None:
            raise missing_extra("Reading robots.txt needs more than is installed", "batch")
        import httpx  # late: 0.1 s, and few batches ask for it

        self._client = httpx.AsyncClient(
            transport=transport, timeout=_ROBOTS_WITHIN_S, follow_redirects=True, headers={"User-Agent": AGENT}
        )
        self._read: dict[str, asyncio.Task[Protego]] = {}

    async def allows(self, origin: str, url: str) -> bool:
        """Whether we may open the address. Never, if the origin cannot be reached or answers with a server error."""
        return bool((await self._of(origin)).can_fetch(url, AGENT))

    async def delay_s(self, origin: str) -> float:
        """The Crawl-delay of the origin in seconds, 0 for none."""
        return float((await self._of(origin)).crawl_delay(AGENT) or 0.0)

    async def close(self) -> None:
        for task in self._read.values():
            task.cancel()
        await asyncio.gather(*self._read.values(), return_exceptions=True)
        await self._client.aclose()

    async def _of(self, origin: str) -> Protego:
        if origin not in self._read:
            self._read[origin] = asyncio.ensure_future(self._fetched(origin))
        return await asyncio.shield(self._read[origin])

    async def _fetched(self, origin: str) -> Protego:
        import httpx  # late: as above
        from protego import Protego  # late: an extra

        nothing, all_of_it = "User-agent: *\nDisallow: /", ""
        try:
            answer = await self._client.get(f"{origin}/robots.txt")
        except httpx.HTTPError:
            return Protego.parse(nothing)  # "unreachable" of RFC 9309, 2.3.1.4
        if answer.status_code >= 500:
            return Protego.parse(nothing)
        if answer.status_code >= 400:
            return Protego.parse(all_of_it)
        return Protego.parse(answer.content[:_MOST_ROBOTS_BYTES].decode("utf-8", "replace"))
