"""Waiting for a page to change, by its worlds' own word and by Chrome's events, so that nothing polls."""

from __future__ import annotations

import asyncio
import contextlib

from cdp_agent.errors import ActionError
from cdp_agent.page.frames.world import World

from .tab import Tab

BACKSTOP_S = 1.0
"""How often to look for what has no event, such as a value that a script has set."""
Counts = list[tuple[World, int]]
"""The number of changes in each world when it was looked at."""


async def next_change(tab: Tab, counts: Counts, within_s: float = BACKSTOP_S) -> None:
    """Returns when a world has changed more often than that, something happens in the tab, or the time is over."""
    events: list[asyncio.Future[None]] = [tab.activity.next_event()]
    events += [asyncio.ensure_future(_changed(world, count)) for world, count in counts]
    try:
        await asyncio.wait(events, timeout=within_s, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for event in events:
            event.cancel()
        await asyncio.gather(*events, return_exceptions=True)


async def _changed(world: World, count: int) -> None:
    with contextlib.suppress(ActionError):  # replaced or hanging: the next look finds out
        await world.call("changedSince", count, timeout_s=2 * BACKSTOP_S)
