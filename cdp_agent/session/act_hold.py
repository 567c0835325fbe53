"""Holds what the acts of a session cause, from the first act that somebody wants to be asked about to its end.

It lasts longer than a call: a page may send something seconds after the call that set it off.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from cdp_agent.page.frames.deadline import Pause
from cdp_agent.page.page import tab_of
from cdp_agent.page.policy.holding import Act, Held, Hold
from cdp_agent.page.policy.limits import TabLimits
from cdp_agent.page.policy.rules import RequestRules

if TYPE_CHECKING:
    from cdp_agent.page.page import Page
    from cdp_agent.session.calls import BeginAct, Call


class ActHold:
    """The `Hold` of one session, and the tabs that it is in force in: those in which the session acts."""

    def __init__(self) -> None:
        self._hold = Hold()
        self._limits = TabLimits(RequestRules(hold=self._hold))
        self._is_begun = False

    @property
    def pause(self) -> Pause:
        """What pauses the deadlines of calls while somebody is asked about an effect."""
        return self._hold.pause

    @property
    def begin_unasked(self) -> BeginAct | None:
        """Begins the act of a caller who is not to be asked, such as a person; None as long as nothing is held."""
        return _begin_unasked if self._is_begun else None

    @asynccontextmanager
    async def act(self, act: Act, page: Page, pages: Sequence[Page]) -> AsyncIterator[None]:
        """Inside the block, and until the next act, effects in these `pages` are attributed to the act.

        The rules apply to `page` and to the tabs that are opened inside the block. Raises BrowserError.
        """
        self._is_begun = True
        tab = tab_of(page)
        await tab.frames()
        with self._limits.block():
            await self._limits.apply_to(tab.request_policy)
            await self._limits.begin(act, (tab_of(each).request_policy for each in pages))
            yield

    async def end(self) -> None:
        """Refuses what is still undecided, and holds nothing any more, except for what was refused before."""
        await self._hold.end()
        await self._limits.end()


async def _begin_unasked(_: Call, __: Page) -> Act:
    return Act(_allowed)


async def _allowed(_: Held) -> bool:
    return True
