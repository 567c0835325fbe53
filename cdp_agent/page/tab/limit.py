"""The one limit of a call: all its stages share it, whatever each of them may take by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from types import TracebackType

from cdp_agent.action_log import log_line
from cdp_agent.cdp.connection import Session
from cdp_agent.errors import ActionError, PageUnresponsive
from cdp_agent.page.frames.timeout_pause import timeout

from .tab import Tab

CALL_S = 30.0
"""The limit of a call that has no other."""
REPORT_S = 2.0
"""How much longer a call may take to report what it did, or why it failed."""
_GIVEN_UP = (
    "It was not finished within {:g} s and was given up: the page keeps itself or Chrome busy. Whether it had an effect"
    " is not known. Take a new snapshot, reload the page or go elsewhere."
)


class Limit:
    """Ends the block REPORT_S after `seconds`, not counting the time in which somebody is asked.

    A block that does not end by then raises PageUnresponsive, or what `error` returns.
    """

    def __init__(self, tab: Tab, seconds: float = CALL_S, *, error: Callable[[], ActionError] | None = None) -> None:
        self.seconds = seconds
        self._tab = tab
        self._error = error or (lambda: PageUnresponsive(_GIVEN_UP.format(seconds)))
        self._ends = 0.0
        self._session: Session
        self._timeout: AbstractAsyncContextManager[None]

    @property
    def left_s(self) -> float:
        """How many seconds are left for everything but the report."""
        return max(0.0, self._ends - self._now())

    def stage(self, *, more_s: float) -> AbstractAsyncContextManager[None]:
        """A block that raises TimeoutError `more_s` after the limit, so that what follows has the rest of REPORT_S."""
        return timeout(self._session, max(0.0, self._ends + more_s - self._now()))

    async def __aenter__(self) -> Limit:
        self._session = (await self._tab.frames()).root.session
        self._ends = self._now() + self.seconds
        self._timeout = timeout(self._session, self.seconds + REPORT_S)
        await self._timeout.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._timeout.__aexit__(kind, error, trace)
        except TimeoutError as expired:
            log_line("decision", "given up {:g} s after its limit of {:g} s", REPORT_S, self.seconds)
            raise self._error() from expired

    def _now(self) -> float:
        return asyncio.get_running_loop().time() - self._tab.paused_s
