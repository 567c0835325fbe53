"""An action that pauses while a dialog is open, so that its caller can answer the dialog and then get its result."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from cdp_agent.cdp.connection import retrieve_exception
from cdp_agent.page.frames.timeout_pause import TimeoutPause, pause_of_act

if TYPE_CHECKING:
    from .tab import Tab

T = TypeVar("T")


class RunningAct(Generic[T]):
    """An action in a task of its own. While a dialog of its tab, or of one that opened it or was opened by it, waits
    for an answer, its timeouts are paused; afterwards it goes on where it was.
    """

    def __init__(self, tab: Tab, act: Coroutine[Any, Any, T]) -> None:
        self.pause = TimeoutPause()
        self.so_far: Callable[[], object] = lambda: None
        """Returns what is known of the result while the action waits."""
        self.as_receipt: Callable[[Any], object] = lambda result: result
        """The receipt of the result, for a caller who answers the dialog."""
        self.had_turn = False
        """Whether it has, or had, the tab to itself."""
        self._stopped = asyncio.Event()
        self._asking = ExitStack()
        running = pause_of_act.set(self.pause)
        try:
            self.task = asyncio.ensure_future(act)
        finally:
            pause_of_act.reset(running)
        tab.acts.append(self)
        self.task.add_done_callback(lambda _: tab.acts.remove(self))
        self.task.add_done_callback(retrieve_exception)  # raised by `result`, unless nobody ever answers

    @property
    def is_stopped(self) -> bool:
        """Whether it waits for the answer to a dialog."""
        return self._stopped.is_set()

    async def result(self) -> T | None:
        """Its result; None if it stopped at a dialog, and has to be asked again after the answer.

        Raises what the action raises. If cancelled, the action is cancelled too.
        """
        stopped = asyncio.ensure_future(self._stopped.wait())
        try:
            await asyncio.wait([self.task, stopped], return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            await self.cancel()
            raise
        finally:
            stopped.cancel()
        return self.task.result() if self.task.done() else None

    async def cancel(self) -> None:
        """Cancels the action, and waits for its cleanup."""
        self.go_on()
        self.task.cancel()
        await asyncio.wait([self.task])

    def stop(self) -> None:
        """Pauses it: a dialog is open."""
        if not self.is_stopped:
            self._asking.enter_context(self.pause.asking())
            self._stopped.set()

    def go_on(self) -> None:
        """Ends the pause: no dialog is open any more."""
        self._stopped.clear()
        self._asking.close()


async def stop_for_dialogs(tab: Tab, act: Coroutine[Any, Any, T]) -> RunningAct[T]:
    """Begins an action that stops at dialogs. Raises DialogOpen if one is open already, PageClosed, BrowserError."""
    try:
        tab.check_open()
        await tab.frames()
    except BaseException:
        act.close()
        raise
    return RunningAct(tab, act)
