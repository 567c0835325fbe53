"""Pauses timeouts while a person is asked, since their time to decide is not a delay of the page."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from contextvars import ContextVar
from weakref import WeakKeyDictionary

import msgspec

from cdp_agent.cdp.connection import Session


class _Stopped(msgspec.Struct):
    """A stopped timeout: the seconds that were left, and how many pauses stop it."""

    left_s: float
    pauses: int = 1


_stopped: WeakKeyDictionary[asyncio.Timeout, _Stopped] = WeakKeyDictionary()


class TimeoutPause:
    """Pauses the timeouts of one run, or of one action, while any question about it is open."""

    def __init__(self) -> None:
        self._open = 0
        self._since = 0.0
        self._paused_s = 0.0
        self._timeouts: set[asyncio.Timeout] = set()
        self._over = asyncio.Event()
        self._over.set()

    @property
    def paused_s(self) -> float:
        """How long the timeouts have been paused in total, in seconds."""
        return self._paused_s + (_now() - self._since if self._open else 0.0)

    @contextlib.contextmanager
    def asking(self) -> Iterator[None]:
        """A block in which a question is open."""
        self._open += 1
        if self._open == 1:
            self._since = _now()
            self._over.clear()
            for each in self._timeouts:
                _stop(each)
        try:
            yield
        finally:
            self._open -= 1
            if not self._open:
                self._paused_s += _now() - self._since
                self._over.set()
                for each in self._timeouts:
                    _let_go(each)

    async def wait_until_answered(self) -> None:
        """Waits until no question is open."""
        await self._over.wait()

    def add(self, timeout: asyncio.Timeout) -> None:
        """Adds a timeout, which is paused from now on while a question is open."""
        self._timeouts.add(timeout)
        if self._open:
            _stop(timeout)

    def discard(self, timeout: asyncio.Timeout) -> None:
        self._timeouts.discard(timeout)


def _stop(timeout: asyncio.Timeout) -> None:
    if (stopped := _stopped.get(timeout)) is not None:
        stopped.pauses += 1
    elif (when := timeout.when()) is not None and not timeout.expired():
        _stopped[timeout] = _Stopped(when - _now())
        timeout.reschedule(None)


def _let_go(timeout: asyncio.Timeout) -> None:
    if (stopped := _stopped.get(timeout)) is None:
        return
    stopped.pauses -= 1
    if not stopped.pauses:
        del _stopped[timeout]
        if not timeout.expired():
            timeout.reschedule(_now() + stopped.left_s)


_by_session: WeakKeyDictionary[Session, TimeoutPause] = WeakKeyDictionary()
pause_of_act: ContextVar[TimeoutPause | None] = ContextVar("pause_of_act", default=None)
"""The pause of the action that the present task belongs to; see tab/running_act.py."""


def set_timeout_pause(session: Session, pause: TimeoutPause | None) -> None:
    """Sets the pause that pauses the timeouts of calls on the session from now on; None for none."""
    if pause is None:
        _by_session.pop(session, None)
    else:
        _by_session[session] = pause


def timeout_pauses_of(session: Session) -> list[TimeoutPause]:
    """The pauses that pause the timeouts of the present task's calls on the session."""
    return [each for each in (_by_session.get(session), pause_of_act.get()) if each is not None]


@contextlib.asynccontextmanager
async def timeout(session: Session, timeout_s: float) -> AsyncIterator[None]:
    """`asyncio.timeout`, paused while somebody is asked on behalf of the session, or about the present action."""
    async with asyncio.timeout(timeout_s) as limit:
        pauses = timeout_pauses_of(session)
        for each in pauses:
            each.add(limit)
        try:
            yield
        finally:
            for each in pauses:
                each.discard(limit)


def _now() -> float:
    return asyncio.get_running_loop().time()
