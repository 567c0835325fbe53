"""Reads lines of the standard input without blocking the event loop."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager

try:
    import termios
except ImportError:  # on Windows
    termios = None  # type: ignore[assignment]  # checked where it is used

_PIECE = 65_536
_HANDOVER_S = 0.05


class Lines:
    """Reads in a thread from the first `next` on, since a blocking read of the standard input cannot be cancelled."""

    def __init__(self, descriptor: int = 0) -> None:
        self._descriptor = descriptor
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._thread: threading.Thread | None = None
        self._ended = False

    async def next(self) -> str | None:
        """The next line without its line break, None when there are no more. Canceling is safe: no line is lost."""
        if self._ended:
            return None
        if self._thread is None:
            loop = asyncio.get_running_loop()
            self._thread = threading.Thread(target=self._read, args=(loop,), daemon=True)
            self._thread.start()
        line = await self._lines.get()
        self._ended = line is None
        return line

    @property
    def are_typed(self) -> bool:
        """Whether the lines are typed at a terminal."""
        return os.isatty(self._descriptor)

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Inside the block a terminal does not show what is typed."""
        if termios is None or not self.are_typed:
            yield
            return
        before = termios.tcgetattr(self._descriptor)
        silent = [*before[:3], before[3] & ~termios.ECHO, *before[4:]]
        termios.tcsetattr(self._descriptor, termios.TCSADRAIN, silent)
        try:
            yield
        finally:
            termios.tcsetattr(self._descriptor, termios.TCSADRAIN, before)

    async def drop_typed_ahead(self) -> None:
        """Drops what a person at a terminal has typed so far, since it cannot be an answer to the next question."""
        if not self.are_typed:
            return
        if termios is not None:
            termios.tcflush(self._descriptor, termios.TCIFLUSH)
        await asyncio.sleep(_HANDOVER_S)  # the thread may have read a line that it has not handed over yet
        while not self._lines.empty():
            self._ended = self._lines.get_nowait() is None

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        rest = b""
        while piece := self._piece():
            *whole, rest = (rest + piece).split(b"\n")
            for line in whole:
                self._put(loop, line.decode(errors="replace").rstrip("\r"))
        if rest:
            self._put(loop, rest.decode(errors="replace"))
        self._put(loop, None)

    def _piece(self) -> bytes:
        try:
            # Not sys.stdin: at the end of the process its lock would still be held.
            return os.read(self._descriptor, _PIECE)
        except OSError:  # the descriptor is closed
            return b""

    def _put(self, loop: asyncio.AbstractEventLoop, line: str | None) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(self._lines.put_nowait, line)


class LineListener:
    """Reads lines while no question is open, and passes each to `take`."""

    def __init__(self, lines: Lines, take: Callable[[str], None]) -> None:
        self._lines = lines
        self._take = take
        self._is_listening = False
        self._task: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Inside the block, lines are read and passed on."""
        self._is_listening = True
        self._begin()
        try:
            yield
        finally:
            self._is_listening = False
            await self._end()

    @asynccontextmanager
    async def suspended(self) -> AsyncIterator[None]:
        """Inside the block, no lines are read, since they answer a question."""
        await self._end()
        try:
            yield
        finally:
            self._begin()

    def _begin(self) -> None:
        if self._is_listening:
            self._task = asyncio.ensure_future(self._listen())

    async def _end(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            self._task = None

    async def _listen(self) -> None:
        while (line := await self._lines.next()) is not None:
            self._take(line)
