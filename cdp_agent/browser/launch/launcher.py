"""A Chrome that we started: reached when it listens, and ended so that nothing of it outlives us."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from cdp_agent.browser.launch import supervisor
from cdp_agent.cdp.system_info import Process
from cdp_agent.cdp.transport import Lost, PipeTransport, Receive, Transport
from cdp_agent.errors import BrowserError

from .advice import ADVICE, advice_on
from .starting import StartedChrome

T = TypeVar("T")

CLEAN_UP_S = 6.0
_TEMPORARY_GRACE_S = 1.0
_GIVEN_PROFILE_GRACE_S = 5.0
_EXPLANATION_S = 5.0
"""How long to wait for the reason why Chrome ended, which is reported after the clean-up: seconds under load."""
_SHOWN_LINES = 12
_OF_SIGNALS = range(129, 193)
"""A shell whose child was killed by a signal exits with 128 plus the number of the signal."""


class Exit(msgspec.Struct, frozen=True):
    """How a Chrome that we started ended: its exit status (negative for a signal) and the end of its stderr."""

    status: int | None
    stderr: str

    def __str__(self) -> str:
        if self.status is None:
            how = "it was ended"
        elif self.status < 0 or self.status in _OF_SIGNALS:
            how = f"killed by signal {-self.status if self.status < 0 else self.status - 128}"
        else:
            how = f"exit status {self.status}"
        # On a machine without D-Bus, such as a container, Chrome logs many harmless errors about it.
        lines = [line for line in self.stderr.splitlines() if "dbus/" not in line]
        return "\n".join([how, *lines[-_SHOWN_LINES:]])


_UNSUPERVISED = Exit(None, "its supervisor was killed")


class ChromeProcess:
    """A Chrome that we started. It ends when `close` is called, or when our process ends in any way."""

    def __init__(self, started: StartedChrome) -> None:
        self.program = started.program
        self.profile = started.profile
        self.temporary = started.temporary
        self.pid: int | None = None
        """The id of its main process; until `identify`, the id of the program that was started."""
        self._group: int | None = None
        """The id of the program that was started, which leads the process group of this Chrome."""
        loop = asyncio.get_running_loop()
        self._started: asyncio.Future[None] = loop.create_future()
        self.listening: asyncio.Future[str] = loop.create_future()
        """The address of its DevTools WebSocket, when it was started with a port."""
        self.ended: asyncio.Future[Exit] = loop.create_future()
        self._process = started.process
        # A daemon thread, so that neither the event loop nor the interpreter waits for Chrome when it ends.
        threading.Thread(target=self._follow, args=(loop,), name="cdp_agent-chrome", daemon=True).start()

    @property
    def grace_s(self) -> float:
        """How long Chrome may take to end by itself, in seconds: longer where a given profile has to be saved first."""
        return _TEMPORARY_GRACE_S if self.temporary else _GIVEN_PROFILE_GRACE_S

    def cpu_s(self) -> float | None:
        """The processor time that its main process has used, in seconds; None where that cannot be read.

        https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
        """
        try:
            with open(f"/proc/{self.pid}/stat", encoding="ascii", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            return None
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    async def identify(self, processes: Sequence[Process]) -> None:
        """Finds the main process in Chrome's list: the program that was started may be a script, as on Debian."""
        await self._started
        pid = next(each.id for each in processes if each.type == "browser")
        if sys.platform != "win32" and pid != self.pid:
            with contextlib.suppress(ProcessLookupError):  # it runs in another PID namespace
                if os.getpgid(pid) == self._group:
                    self.pid = pid

    async def listens(self, timeout_s: float) -> str | None:
        """The address of its DevTools WebSocket, once it listens; None if Chrome ends first or the time runs out."""
        either: list[asyncio.Future[str] | asyncio.Future[Exit]] = [self.listening, self.ended]
        await asyncio.wait(either, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        return self.listening.result() if self.listening.done() else None

    async def close(self, *, grace_s: float = 0.0) -> Exit:
        """Waits `grace_s` for Chrome to end by itself, then ends its processes and removes its temporary profile."""
        try:
            await asyncio.wait([self.ended], timeout=grace_s)
        finally:
            self._drop_lifeline()
        await asyncio.wait([self.ended], timeout=CLEAN_UP_S)
        end = self.ended.result() if self.ended.done() else _UNSUPERVISED
        if self._group is not None and end is _UNSUPERVISED:
            await asyncio.to_thread(supervisor.clean_up, self._group, self.profile, temporary=self.temporary)
        return end

    def _drop_lifeline(self) -> None:
        assert self._process.stdin is not None  # a pipe, see starting.py
        with contextlib.suppress(BrokenPipeError):  # the supervisor has ended
            self._process.stdin.close()

    def _follow(self, loop: asyncio.AbstractEventLoop) -> None:
        def tell(act: Callable[..., None], *values: object) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
                loop.call_soon_threadsafe(act, *values)

        assert self._process.stdout is not None  # a pipe, see starting.py
        end = _UNSUPERVISED
        for line in self._process.stdout:
            word, _, value = line.decode(errors="replace").rstrip("\n").partition(" ")
            if word == "started":
                self.pid = self._group = int(value)
                tell(_settle, self._started, None)
            elif word == "listening":
                tell(_settle, self.listening, value)
            elif word == "ended":
                tail = self._process.stdout.read().decode(errors="replace").strip()
                end = Exit(int(value) if value else None, tail)
        self._process.wait()
        self._process.stdout.close()
        tell(_settle, self.ended, end)


def _settle(future: asyncio.Future[T], value: T) -> None:
    if not future.done():
        future.set_result(value)


async def launch(started: StartedChrome, timeout_s: float) -> tuple[ChromeProcess, Transport]:
    """The process, and a transport to it; Chrome reads what is sent when it is ready. Raises BrowserError."""
    chrome = ChromeProcess(started)
    try:
        if started.pipe is not None:
            return chrome, _Supervised(await PipeTransport.open(*started.pipe), chrome)
        from cdp_agent.cdp.websocket import WebSocketTransport  # late: 19 ms, and only here

        url = await wait_until_listening(chrome, timeout_s)
        return chrome, _Supervised(await WebSocketTransport.open(url), chrome)
    except BaseException:
        await chrome.close()
        raise


class _Supervised:
    """The transport of a Chrome that we started. When it is lost, the reason says how Chrome ended, with its stderr."""

    def __init__(self, transport: Transport, chrome: ChromeProcess) -> None:
        self._transport = transport
        self._chrome = chrome

    def start(self, receive: Receive, lost: Lost) -> None:
        def explain(reason: str) -> None:
            loop = asyncio.get_running_loop()
            giving_up = loop.call_later(_EXPLANATION_S, lost, reason)

            def tell(ended: asyncio.Future[Exit]) -> None:
                giving_up.cancel()
                lost(str(ended.result()))

            self._chrome.ended.add_done_callback(tell)

        self._transport.start(receive, explain)

    def send(self, message: bytes) -> None:
        self._transport.send(message)

    async def close(self) -> None:
        await self._transport.close()


async def wait_until_listening(chrome: ChromeProcess, timeout_s: float) -> str:
    """The address of its DevTools WebSocket. Raises BrowserError with the end of Chrome's stderr."""
    if (url := await chrome.listens(timeout_s)) is not None:
        return url
    raise await failed_to_start(chrome, f"did not answer within {timeout_s:g} s")


async def failed_to_start(chrome: ChromeProcess, what: str) -> BrowserError:
    """Ends a Chrome that did not start, and returns the error, with its exit status and stderr.

    `what` is the problem for the message, unless Chrome ended by itself.
    """
    what = "ended at once" if chrome.ended.done() else what
    end = await chrome.close()
    advice = advice_on(end.stderr, chrome.program)
    return BrowserError(f"Chrome {what}: {end}{ADVICE if advice else ''}{advice}")
