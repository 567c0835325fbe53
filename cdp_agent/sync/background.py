"""The event loop behind `cdp_agent.sync`: one per process, in its own thread, so that it works anywhere.

A caller waits in the calling thread, where its callbacks (`on_event`, `approve`) are called, too.
"""

from __future__ import annotations

import asyncio
import atexit
import contextvars
import os
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final, TypeVar

from cdp_agent.errors import SetupError

if TYPE_CHECKING:
    from cdp_agent.browser.opening import Closes

T = TypeVar("T")
V = TypeVar("V")

CLOSE_AT_EXIT_S = 5.0
_LOOKS_FOR_SIGNALS_S = 0.5
_OWN_THREAD = (
    "A call of cdp_agent.sync would wait for itself: it was made in the thread of its event loop, as in a tool of "
    "yours. Await the classes of cdp_agent there."
)
_END: Final = object()


class Background:
    """The loop and its thread."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, name="cdp_agent.sync", daemon=True)
        self.open: set[Closes] = set()
        """The browsers and sessions that are open."""
        self.runs: set[AsyncGenerator[object, None]] = set()
        """The event generators that were begun and have not ended."""
        self.thread.start()

    def end(self) -> None:
        """Ends the runs that are left, closes what is open, and stops the loop; called at interpreter exit."""
        if not self.thread.is_alive():
            return

        async def close() -> None:
            for run in list(self.runs):
                await run.aclose()
            if closing := [asyncio.ensure_future(each.close()) for each in self.open]:
                await asyncio.wait(closing, timeout=CLOSE_AT_EXIT_S)

        Caller(self).wait(close())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()


_starting = threading.Lock()
_background: Background | None = None


def background() -> Background:
    """The background loop of this process, started when it is first needed."""
    global _background
    with _starting:
        if _background is None:
            _background = Background()
            atexit.register(_background.end)
        return _background


def _forget() -> None:
    """Resets the state in a forked process, which has no thread of its parent."""
    global _background, _starting
    _background, _starting = None, threading.Lock()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_forget)

_caller: contextvars.ContextVar[Caller] = contextvars.ContextVar("caller")


class Caller:
    """A thread that waits for a coroutine in the loop, and meanwhile calls the callbacks that it passed."""

    def __init__(self, behind: Background | None = None) -> None:
        self.background = behind or background()
        self._inbox: SimpleQueue[object] = SimpleQueue()
        self._context = contextvars.copy_context()
        self._context.run(_caller.set, self)

    def wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Runs the coroutine in the loop and returns its result, or raises its exception.

        An interrupt (Ctrl-C) cancels the coroutine, and is raised once it has ended. Raises SetupError in the loop's
        own thread.
        """
        if threading.current_thread() is self.background.thread:
            coroutine.close()
            raise SetupError(_OWN_THREAD)
        loop = self.background.loop
        ended = threading.Event()
        task: asyncio.Task[T] | None = None

        def begin() -> None:
            nonlocal task
            task = loop.create_task(coroutine, context=self._context)
            task.add_done_callback(end)

        def end(done: asyncio.Task[T]) -> None:
            ended.set()
            self._inbox.put(done)

        def cancel() -> None:
            if task is not None:
                task.cancel()
            else:  # interrupted before the loop began it
                coroutine.close()
                ended.set()

        try:
            loop.call_soon_threadsafe(begin)
            while (item := self._next()) is not task or task is None:
                if callable(item):
                    item()
        except BaseException:
            loop.call_soon_threadsafe(cancel)
            ended.wait()
            if task is not None and not task.cancelled():
                task.exception()  # retrieved: the interrupt is raised instead
            raise
        return task.result()

    def _next(self) -> object:
        """The next item. It waits in short turns: Python misses a signal that comes just as a wait begins."""
        while True:
            try:
                return self._inbox.get(timeout=_LOOKS_FOR_SIGNALS_S)
            except Empty:
                continue

    def post(self, function: Callable[[], object]) -> None:
        """Queues the function to be called in this thread the next time it waits, after those queued before."""
        self._inbox.put(function)

    async def ask(self, function: Callable[[], T]) -> T:
        """Calls the function in the waiting thread and returns its result, or raises its exception."""
        loop = self.background.loop
        answered: asyncio.Future[T] = loop.create_future()

        def answer() -> None:
            try:
                value = function()
            except Exception as error:  # noqa: BLE001 (the caller's function may raise anything)
                loop.call_soon_threadsafe(_unless_done(answered.set_exception, answered), error)
            else:
                loop.call_soon_threadsafe(_unless_done(answered.set_result, answered), value)

        self.post(answer)
        return await answered


def _unless_done(setting: Callable[[V], None], future: asyncio.Future[T]) -> Callable[[V], None]:
    """`setting`, but without effect once the future is done: after the time limit nobody waits for an answer."""
    return lambda value: None if future.done() else setting(value)


def waiting() -> Caller:
    """The caller on whose behalf the current task runs; to be called in the loop."""
    return _caller.get()


def call(coroutine: Coroutine[Any, Any, T]) -> T:
    """Waits for a coroutine in the loop; see `Caller.wait`."""
    return Caller().wait(coroutine)


def read(function: Callable[[], T]) -> T:
    """Calls a function in the loop's thread, where nothing changes meanwhile, and returns its result."""

    async def once() -> T:
        return function()

    return call(once())


def iterate(events: AsyncGenerator[T, None]) -> Generator[T, None, None]:
    """The items of an async generator, one at a time. Stopping early closes the generator, as `aclose` does."""
    caller = Caller()

    async def step() -> T | object:
        return await anext(events, _END)

    caller.background.runs.add(events)
    try:
        while (event := caller.wait(step())) is not _END:
            yield event  # type: ignore[misc]  # all but the end are events
    finally:
        _close(caller, events)


def _close(caller: Caller, events: AsyncGenerator[object, None]) -> None:
    """Closes the generator, unless it ended with the loop."""

    async def close() -> None:
        caller.background.runs.discard(events)
        await events.aclose()

    if threading.current_thread() is caller.background.thread:  # garbage-collected there
        caller.background.loop.create_task(close())
    elif caller.background.thread.is_alive():
        caller.wait(close())
