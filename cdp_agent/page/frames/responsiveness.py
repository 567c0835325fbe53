"""Finds out whether a page's process answers, and whether the page hangs or Chrome itself."""

from __future__ import annotations

import asyncio
from typing import Any
from weakref import WeakKeyDictionary

import msgspec

from cdp_agent.cdp import browser as cdp_browser
from cdp_agent.cdp import runtime
from cdp_agent.cdp.connection import Session
from cdp_agent.errors import BrowserError, ProtocolError

from .standstill import timeout

ANSWERS_WITHIN_S = 1.0
_LOOK_S = 0.1
_CHROME_ANSWERS_WITHIN_S = 30.0
"""When Chrome sends nothing at all, liveness.py fails the calls sooner."""
CHROME_SILENT = (
    "Chrome does not answer: its process was stopped, or hangs. Let it go on, or end it and open the browser anew."
)

_waiting: WeakKeyDictionary[Session, set[asyncio.Timeout]] = WeakKeyDictionary()


class _Silence(msgspec.Struct):
    asked: asyncio.Future[Any]
    """What the page's process was asked, and has not answered yet."""
    refused_at: float = float("-inf")
    """When it had been waited for in vain."""


_silences: WeakKeyDictionary[Session, _Silence] = WeakKeyDictionary()


def waiting_for(session: Session) -> set[asyncio.Timeout]:
    """The running timeouts of calls that wait for answers of the session."""
    return _waiting.setdefault(session, set())


def hold_up(session: Session, by: str) -> None:
    """Marks the session as held up until `let_go`. Calls inside a `deadline` fail now, not at their timeouts."""
    session.held_up_by = by
    for each in waiting_for(session):
        if not each.expired():
            each.reschedule(asyncio.get_running_loop().time())


def let_go(session: Session) -> None:
    """Undoes `hold_up`."""
    session.held_up_by = None


async def answers(session: Session) -> bool:
    """Whether the page's process answers; takes a third of a millisecond when it does."""
    return await _is_answered(session, session.post(runtime.Evaluate(expression="1")), ANSWERS_WITHIN_S)


async def answers_again(session: Session) -> bool:
    """Whether a page's process that was silent has time for us now.

    What it was asked before stays open, and is waited for no longer than it was left alone since: one act asks several
    times, and would wait a second each time.
    """
    now = asyncio.get_running_loop().time
    silence = _silences.get(session)
    if silence is None or silence.asked.done():
        silence = _silences[session] = _Silence(session.post(runtime.Evaluate(expression="1")))
        silence.asked.add_done_callback(lambda done: done.cancelled() or done.exception())  # for whoever awaits it
    left_alone_s = now() - silence.refused_at
    if await _is_answered(session, asyncio.shield(silence.asked), min(max(left_alone_s, _LOOK_S), ANSWERS_WITHIN_S)):
        return True
    silence.refused_at = now()
    return False


async def _is_answered(session: Session, asked: asyncio.Future[Any], within_s: float) -> bool:
    """Whether the page's process answers in time; sets `silent`. Raises BrowserError where Chrome does not answer."""
    try:
        async with timeout(session, within_s):
            await asked
    except TimeoutError:
        session.silent = True
        await check_chrome(session)
        return False
    except ProtocolError:
        pass  # that is an answer, too
    session.silent = False
    return True


async def check_chrome(session: Session) -> None:
    """Raises BrowserError when not only the page hangs, but Chrome itself does not answer."""
    try:
        async with asyncio.timeout(_CHROME_ANSWERS_WITHIN_S):
            await session.connection.browser.send(cdp_browser.GetVersion())
    except TimeoutError as error:
        raise BrowserError(CHROME_SILENT) from error
