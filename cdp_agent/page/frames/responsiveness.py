"""Finds out whether a page's process answers, and whether the page or Chrome itself hangs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from weakref import WeakKeyDictionary

import msgspec

from cdp_agent.cdp import browser as cdp_browser
from cdp_agent.cdp import runtime
from cdp_agent.cdp.connection import Session, retrieve_exception
from cdp_agent.errors import BrowserError, PageUnresponsive, ProtocolError

from .deadline import Deadline

ANSWERS_WITHIN_S = 1.0
_SHORTEST_WAIT_S = 0.1
_LOOK_EVERY_S = 0.1
_CHROME_ANSWERS_WITHIN_S = 30.0
"""When Chrome sends nothing at all, liveness.py fails the calls sooner."""
CHROME_UNRESPONSIVE = (
    "Chrome does not answer: its process was stopped, or hangs. Let it go on, or end it and open the browser anew."
)

_deadlines: WeakKeyDictionary[Session, set[Deadline]] = WeakKeyDictionary()


class _Probe(msgspec.Struct):
    asked: asyncio.Future[runtime.Evaluated]
    """The question to the page's process that may still be unanswered."""
    gave_up_at: float = float("-inf")
    """When waiting for the answer was last given up."""


_probes: WeakKeyDictionary[Session, _Probe] = WeakKeyDictionary()


def running_deadlines(session: Session) -> set[Deadline]:
    """The running deadlines of calls that wait for answers on the session."""
    return _deadlines.setdefault(session, set())


def mark_blocked(session: Session, by: PageUnresponsive) -> None:
    """Marks the session as blocked until `mark_unblocked`. Calls inside a `deadline` fail at once, unless paused."""
    session.blocked_because = by
    for running in running_deadlines(session):
        running.end_now()


def mark_unblocked(session: Session) -> None:
    """Undoes `mark_blocked`."""
    session.blocked_because = None


def ask(session: Session) -> asyncio.Future[runtime.Evaluated]:
    """Asks the page's process something that it answers in a third of a millisecond, if at all."""
    answer = session.post(runtime.Evaluate(expression="1"))
    answer.add_done_callback(retrieve_exception)  # a refusal is an answer, too
    return answer


async def is_responsive(session: Session) -> bool:
    """Whether the page's process answers."""
    return await is_answered(session, ask(session), ANSWERS_WITHIN_S)


async def is_responsive_again(session: Session) -> bool:
    """Whether a page's process that did not answer before answers now.

    The earlier question stays open. It is awaited for no longer than the time since it was last given up: one action
    asks several times, and would wait a second each time.
    """
    now = asyncio.get_running_loop().time
    probe = _probes.get(session)
    if probe is None or probe.asked.done():
        probe = _probes[session] = _Probe(ask(session))
    left_alone_s = now() - probe.gave_up_at
    if await is_answered(
        session, asyncio.shield(probe.asked), min(max(left_alone_s, _SHORTEST_WAIT_S), ANSWERS_WITHIN_S)
    ):
        return True
    probe.gave_up_at = now()
    return False


async def is_answered(session: Session, answer: Awaitable[object], within_s: float) -> bool:
    """Whether the page's process answers in time; sets `unresponsive`. Raises BrowserError if Chrome hangs, too."""
    try:
        async with Deadline.on(session, within_s):
            await answer
    except TimeoutError:
        session.unresponsive = True
        await check_chrome(session)
        return False
    except ProtocolError:
        pass  # that is an answer, too
    session.unresponsive = False
    return True


async def check_chrome(session: Session) -> None:
    """Raises BrowserError if not only the page hangs, but Chrome itself neither answers nor sends anything."""
    connection = session.connection
    answer = connection.browser.post(cdp_browser.GetVersion())
    answer.add_done_callback(retrieve_exception)
    messages, until = connection.messages_received, asyncio.get_running_loop().time() + _CHROME_ANSWERS_WITHIN_S
    while not answer.done() and connection.messages_received == messages:
        if asyncio.get_running_loop().time() > until:
            raise BrowserError(CHROME_UNRESPONSIVE)
        await asyncio.wait([answer], timeout=_LOOK_EVERY_S)
    if answer.done():
        answer.result()
