"""What is asked of Chrome together with a reading, so that its answers need no time of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

import msgspec

from cdp_agent.cdp.connection import retrieve_exception
from cdp_agent.cdp.memory import DomCounters, GetDomCounters
from cdp_agent.cdp.performance import GetMetrics
from cdp_agent.page.frames.world import CALL_TIMEOUT_S, World, deadline

T = TypeVar("T")


class ChromeCounters(msgspec.Struct, frozen=True):
    """Chrome's counters for the whole process; style recalculations are counted for the session's frames only."""

    documents: int
    nodes: int
    js_event_listeners: int
    style_recalculations: int | None = None
    """None where they were not asked for."""


class ProcessCounts:
    """The counters of Chrome's processes, asked once for all worlds of a process that are read at the same moment.

    They may be counted a moment before or after a world of another frame in that process is read. No closed root is
    missed by that: if the counts are others than before, the world is searched once they have come, and only if they
    are the same are the next ones compared with these.
    """

    def __init__(self) -> None:
        self._asked: dict[str, asyncio.Future[DomCounters]] = {}

    def ask(self, world: World) -> asyncio.Future[DomCounters]:
        """The counters of the world's process; another world may end before they come, and they with it."""
        if not self._asked:
            asyncio.get_running_loop().call_soon(self._asked.clear)
        counters = self._asked.get(world.isolate)
        if counters is None:
            counters = self._asked[world.isolate] = ask_counters(world)
        return counters


def ask_counters(world: World) -> asyncio.Future[DomCounters]:
    """Asks for the counters of the world's process; they need not be awaited."""
    counters = world.session.post(GetDomCounters())
    counters.add_done_callback(retrieve_exception)
    return counters


async def counters_of(world: World, counters: asyncio.Future[DomCounters]) -> ChromeCounters:
    """Chrome's counters as they were asked for together with a reading that is over. Raises as `answered`."""
    if not _has_come(counters):  # they were asked for another world, which is gone, navigates or is slower
        counters = ask_counters(world)
    answer = await answered(world, counters)
    return ChromeCounters(answer.documents, answer.nodes, answer.js_event_listeners)


async def counters_after(world: World) -> ChromeCounters:
    """Chrome's counters, asked for after a reading, with style recalculations. Raises as `answered`."""
    async with deadline(world.session, CALL_TIMEOUT_S):
        metrics = (await world.session.send(GetMetrics())).metrics
    found = {each.name: int(each.value) for each in metrics}
    return ChromeCounters(found["Documents"], found["Nodes"], found["JSEventListeners"], found["RecalcStyleCount"])


async def answered(world: World, query: asyncio.Future[T]) -> T:
    """The answer to a query that was sent with a reading; it usually comes before the reading's.

    Raises DocumentGone, PageUnresponsive, BrowserError.
    """
    if _has_come(query):
        return query.result()
    async with deadline(world.session, CALL_TIMEOUT_S):
        return await query


def _has_come(query: asyncio.Future[T]) -> bool:
    return query.done() and not query.cancelled() and query.exception() is None


async def any_at_once(steps: Sequence[Coroutine[Any, Any, bool]]) -> bool:
    """Whether any of the steps, which are done at the same time, returns true."""
    if len(steps) == 1:  # a task would add a tenth to the time of reading a small page
        return await steps[0]
    return any(await asyncio.gather(*steps))
