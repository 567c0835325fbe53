"""Actions that pause while a dialog is open, so that their caller can answer it and then get their result."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack
from typing import Any, Generic, TypeVar

from cdp_agent.action_log import ActionLog, written_to
from cdp_agent.cdp.connection import retrieve_exception
from cdp_agent.errors import CdpAgentError
from cdp_agent.page.frames.deadline import Pause, pause_of_act

from .dialogs import policy_of_call

T = TypeVar("T")

REMEMBERED_LOGS = 10
"""How many of a tab's last actions are remembered with their logs."""


class RunningAct(Generic[T]):
    """An action in a task of its own. While a dialog waits for an answer, its deadlines are paused; then it goes on."""

    def __init__(self, act: Coroutine[Any, Any, T], log: ActionLog) -> None:
        self.pause = Pause()
        self.log = log
        self.so_far: Callable[[], object] = lambda: None
        """Returns what is known of the result while the action waits."""
        self.as_receipt: Callable[[Any], object] = lambda result: result
        """The receipt of the result, for a caller who answers the dialog."""
        self.dialogs = policy_of_call.get()
        """How dialogs are answered while it runs, in place of the tab's policy."""
        self.had_turn = False
        """Whether it has, or had, the tab to itself."""
        self.stops = 0
        """How many dialogs have stopped it."""
        self.is_awaited = False
        """Whether somebody waits for its result."""
        self._stopped = asyncio.Event()
        self._asking = ExitStack()
        running = pause_of_act.set(self.pause)
        try:
            with written_to(log):
                self.task = asyncio.ensure_future(act)
        finally:
            pause_of_act.reset(running)
        self.task.add_done_callback(retrieve_exception)  # raised by `result`, unless nobody ever answers

    @property
    def is_stopped(self) -> bool:
        """Whether it waits for the answer to a dialog."""
        return self._stopped.is_set()

    async def result(self) -> T | None:
        """Its result; None if it stopped at a dialog, and has to be asked again after the answer.

        Raises what the action raises, with its log. If cancelled, the action is cancelled too.
        """
        self.is_awaited = True
        stopped = asyncio.ensure_future(self._stopped.wait())
        try:
            await asyncio.wait([self.task, stopped], return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            await self.cancel()
            raise
        finally:
            stopped.cancel()
            self.is_awaited = False
        if not self.task.done():
            return None
        try:
            return self.task.result()
        except CdpAgentError as error:
            self.log.write("act", "failed: {}", type(error).__name__)
            error.log = self.log.lines
            raise

    async def cancel(self) -> None:
        """Cancels the action, and waits for its cleanup."""
        self.go_on()
        self.task.cancel()
        await asyncio.wait([self.task])

    def stop(self) -> None:
        """Pauses it: a dialog is open."""
        if not self.is_stopped:
            self.log.write("dialog", "a dialog is open: the action is paused until it is answered")
            self.stops += 1
            self._asking.enter_context(self.pause.asking())
            self._stopped.set()

    def go_on(self) -> None:
        """Ends the pause: no dialog is open any more."""
        if self.is_stopped:
            self.log.write("dialog", "no dialog is open any more: the action goes on")
        self._stopped.clear()
        self._asking.close()


class RunningActs:
    """The actions of a tab that run, or that wait for their turn or for the answer to a dialog.

    `state` is called when one begins, and returns a function that restores what the caller had been shown by then. That
    is called if a person answered its dialog, so that nobody was told what came of the action.
    """

    def __init__(self, state: Callable[[], Callable[[], None]]) -> None:
        self._uncollected: RunningAct[Any] | None = None
        """The last action, if it ended after a person had answered its dialog."""
        self._state = state
        self.logs: deque[ActionLog] = deque(maxlen=REMEMBERED_LOGS)
        """The logs of the last actions, oldest first."""
        self._acts: list[RunningAct[Any]] = []

    def __iter__(self) -> Iterator[RunningAct[Any]]:
        return iter(tuple(self._acts))

    def begin(self, act: Coroutine[Any, Any, T], action: str, ref: str | None = None) -> RunningAct[T]:
        """Begins an action; its log is called by the name `action`, and the ref of its element."""
        self.logs.append(ActionLog(action, ref))
        running, restore = RunningAct(act, self.logs[-1]), self._state()

        def ended(_: asyncio.Task[T]) -> None:
            self._acts.remove(running)
            if not running.is_awaited:
                self._uncollected = running
                restore()

        self._uncollected = None
        self._acts.append(running)
        running.task.add_done_callback(ended)
        return running

    def take_uncollected(self) -> RunningAct[Any] | None:
        """The action that goes on, or ended, since somebody else answered its dialog; after that it is forgotten."""
        ended, self._uncollected = self._uncollected, None
        return next((each for each in self._acts if not each.is_awaited), ended)

    @property
    def present(self) -> RunningAct[Any] | None:
        """The action that the present task belongs to."""
        return next((each for each in self._acts if each.pause is pause_of_act.get()), None)
