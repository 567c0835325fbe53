"""Detects that Chrome itself no longer answers, because it is stopped or hangs, and fails all pending calls.

A Chrome of ours that is only slow on a busy machine is recognized by the processor time that it uses.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from cdp_agent.cdp import browser as cdp_browser
from cdp_agent.cdp.connection import Connection
from cdp_agent.page.frames.responsiveness import CHROME_UNRESPONSIVE

_EVERY_S = 0.5
_ASKED_AFTER = 4
_IDLE_GIVEN_UP_AFTER = 8
_GIVEN_UP_AFTER = 60
"""In checks, not in seconds: time in which our own process is held up does not count against Chrome."""


class Liveness:
    """Checks regularly that messages arrive while calls are pending. Call `start` once, and `stop` at the end.

    `cpu_s` returns the processor time that Chrome's main process has used, in seconds; None if it is not known.
    """

    def __init__(self, connection: Connection, cpu_s: Callable[[], float | None] = lambda: None) -> None:
        self._connection = connection
        self._cpu_s = cpu_s
        self._used_s: float | None = None
        self._idle = 0
        """The number of checks since Chrome was asked, or since it was last seen to use processor time after that."""
        self._messages_seen = 0
        self._looks = 0
        self._next: asyncio.TimerHandle | None = None

    def start(self) -> None:
        self._next = asyncio.get_running_loop().call_later(_EVERY_S, self._look)

    def stop(self) -> None:
        if self._next is not None:
            self._next.cancel()

    def _look(self) -> None:
        connection = self._connection
        if connection.closed.done():
            return
        if connection.messages_received != self._messages_seen or not connection.is_waiting:
            self._messages_seen, self._looks = connection.messages_received, 0
        else:
            self._looks += 1
        if self._looks == _ASKED_AFTER:
            connection.browser.tell(cdp_browser.GetVersion())  # a page may be slow to answer, the browser is not
            self._used_s, self._idle = self._cpu_s(), 0
        elif self._looks > _ASKED_AFTER:
            used_s = self._cpu_s()
            self._idle = 0 if used_s != self._used_s else self._idle + 1
            self._used_s = used_s
        if self._looks >= _GIVEN_UP_AFTER or (self._looks > _ASKED_AFTER and self._idle >= _IDLE_GIVEN_UP_AFTER):
            self._looks = 0
            connection.fail_pending(CHROME_UNRESPONSIVE)
        self.start()
