"""Pauses timeouts while a person is asked, since their time to decide is not a delay of the page."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from weakref import WeakKeyDictionary

from cdp_agent.cdp.connection import Session


class TimeoutPause:
    """Pauses the timeouts of one run while any question of that run is open."""

    def __init__(self) -> None:
        self._open = 0
        self._since = 0.0
        self._paused_s = 0.0
        self._timeouts: dict[asyncio.Timeout, float] = {}
        """The running timeouts, each with the seconds that were left when it was paused."""
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
                self._stop(each)
        try:
            yield
        finally:
            self._open -= 1
            if not self._open:
                self._paused_s += _now() - self._since
                self._over.set()
                for each, left_s in self._timeouts.items():
                    if not each.expired():
                        each.reschedule(_now() + left_s)

    async def wait_until_answered(self) -> None:
        """Waits until no question is open."""
        await self._over.wait()

    def add(self, timeout: asyncio.Timeout) -> None:
        """Adds a timeout, which is paused from now on while a question is open."""
        self._timeouts[timeout] = 0.0
        if self._open:
            self._stop(timeout)

    def discard(self, timeout: asyncio.Timeout) -> None:
        self._timeouts.pop(timeout, None)

    def _stop(self, timeout: asyncio.Timeout) -> None:
        when = timeout.when()
        if when is not None and not timeout.expired():
            self._timeouts[timeout] = when - _now()
            timeout.reschedule(None)


_by_session: WeakKeyDictionary[Session, TimeoutPause] = WeakKeyDictionary()


def set_timeout_pause(session: Session, pause: TimeoutPause | None) -> None:
    """Sets the pause that pauses the timeouts of calls on the session from now on; None for none."""
    if pause is None:
        _by_session.pop(session, None)
    else:
        _by_session[session] = pause


def timeout_pause_of(session: Session) -> TimeoutPause | None:
    """The pause that pauses the timeouts of calls on the session, None if there is none."""
    return _by_session.get(session)


@contextlib.asynccontextmanager
async def timeout(session: Session, timeout_s: float) -> AsyncIterator[None]:
    """`asyncio.timeout`, paused while somebody is asked on behalf of the session."""
    async with asyncio.timeout(timeout_s) as limit:
        pause = timeout_pause_of(session)
        if pause is None:
            yield
            return
        pause.add(limit)
        try:
            yield
        finally:
            pause.discard(limit)


def _now() -> float:
    return asyncio.get_running_loop().time()
