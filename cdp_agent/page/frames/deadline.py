"""The deadline of a call, whose time stands still while a person is asked, or while a dialog of the page is open."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from types import TracebackType
from typing import Self
from weakref import WeakKeyDictionary, WeakSet

from cdp_agent.action_log import log_line
from cdp_agent.cdp.connection import Session


class Pause:
    """Stops the time of all its deadlines while any question is open that they wait for: of a run, or of an action."""

    def __init__(self) -> None:
        self._open = 0
        self._deadlines: WeakSet[Deadline] = WeakSet()
        self._over = asyncio.Event()
        self._over.set()

    @contextlib.contextmanager
    def asking(self) -> Iterator[None]:
        """A block in which a question is open."""
        self._open += 1
        if self._open == 1:
            self._over.clear()
            for deadline in self._deadlines:
                deadline._stop()
        try:
            yield
        finally:
            self._open -= 1
            if not self._open:
                self._over.set()
                for deadline in self._deadlines:
                    deadline._go_on()

    async def wait_until_answered(self) -> None:
        """Waits until no question is open."""
        if self._open:
            log_line("wait", "for the answer to a question")
            await self._over.wait()

    def _add(self, deadline: Deadline) -> None:
        self._deadlines.add(deadline)
        if self._open:
            deadline._stop()


class Deadline:
    """Is `seconds` from now, not counting the time in which it is paused; None: never.

    It is paused inside `paused`, and while a question of one of its `pauses` is open. `async with` cancels the block at
    the deadline, and raises TimeoutError, or what `error` returns. All times are in seconds.
    """

    def __init__(self, seconds: float | None, *pauses: Pause, error: Callable[[], Exception] | None = None) -> None:
        self.seconds = math.inf if seconds is None else seconds
        self._pauses = pauses
        self._error = error
        self._began = loop_time()
        self._paused_s = 0.0
        self._stops = 0
        self._stopped_at = 0.0
        self._timer: asyncio.Timeout | None = None
        for pause in pauses:
            pause._add(self)

    @classmethod
    def on(cls, session: Session, seconds: float | None, *, error: Callable[[], Exception] | None = None) -> Deadline:
        """A deadline that is paused while somebody is asked on behalf of the session, or about the present action."""
        pauses = [pause for pause in (_by_session.get(session), pause_of_act.get()) if pause is not None]
        return cls(seconds, *pauses, error=error)

    def later(self, more_s: float, *, error: Callable[[], Exception] | None = None) -> Deadline:
        """The deadline `more_s` after this one, paused together with it."""
        return Deadline(self.seconds - self.elapsed() + more_s, *self._pauses, error=error)

    @property
    def paused_s(self) -> float:
        """For how long it was paused."""
        return self._paused_s + (loop_time() - self._stopped_at if self._stops else 0.0)

    def elapsed(self) -> float:
        """How much of its time is over."""
        return loop_time() - self._began - self.paused_s

    def remaining(self) -> float:
        """How much of its time is left, 0 if none is."""
        return max(0.0, self.seconds - self.elapsed())

    @property
    def expired(self) -> bool:
        """Whether its time is over."""
        return not self.remaining()

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """A block during which it is paused."""
        self._stop()
        try:
            yield
        finally:
            self._go_on()

    def end_now(self) -> None:
        """Ends the block as if the time were over, unless it is paused."""
        if self._timer is not None and not self._stops and not self._timer.expired():
            self._timer.reschedule(loop_time())

    async def __aenter__(self) -> Self:
        self._timer = asyncio.timeout_at(self._when())
        await self._timer.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        timer, self._timer = self._timer, None
        assert timer is not None
        try:
            await timer.__aexit__(kind, error, trace)
        except TimeoutError as timeout:
            if self._error is None:
                raise
            raise self._error() from timeout

    def _when(self) -> float | None:
        """When it is, by the loop's clock, if it goes on without a pause; None while it is paused."""
        return None if self._stops or math.isinf(self.seconds) else loop_time() + self.seconds - self.elapsed()

    def _stop(self) -> None:
        self._stops += 1
        if self._stops == 1:
            self._stopped_at = loop_time()
            self._reschedule()

    def _go_on(self) -> None:
        self._stops -= 1
        if not self._stops:
            self._paused_s += loop_time() - self._stopped_at
            self._reschedule()

    def _reschedule(self) -> None:
        if self._timer is not None and not self._timer.expired():
            self._timer.reschedule(self._when())


_by_session: WeakKeyDictionary[Session, Pause] = WeakKeyDictionary()
pause_of_act: ContextVar[Pause | None] = ContextVar("pause_of_act", default=None)
"""The pause of the action that the present task belongs to; see tab/running_act.py."""


def set_pause(session: Session, pause: Pause | None) -> None:
    """Sets what pauses the deadlines of calls on the session from now on; None for nothing."""
    if pause is None:
        _by_session.pop(session, None)
    else:
        _by_session[session] = pause


def loop_time() -> float:
    """The time by the clock of the event loop, in seconds."""
    return asyncio.get_running_loop().time()
