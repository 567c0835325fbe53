"""What stands between a task and its pages: its acts and requests are known of, and paced, before anything is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdp_agent.agent.base.act_log import LoggedAct
from cdp_agent.jobs.politeness import Pacing
from cdp_agent.jobs.states import JobState
from cdp_agent.page.frames.standstill import Standstill
from cdp_agent.page.policy.unsafe import RequestKind, is_certain, outline_of, place_of
from cdp_agent.security.origins import origin_of

if TYPE_CHECKING:
    from cdp_agent.cdp import fetch
    from cdp_agent.page.page import Page


class TaskWatch:
    """Of one attempt: the `ActLog` of its run, and the `Gate` that its requests pass.

    An act of which it is known beforehand that it cannot be taken back is written down before it is carried out; where
    that shows by what the act sends, it is written down before that is sent. What pages send by themselves, before the
    first act or again and again, is not the doing of an act.
    """

    def __init__(self, visitor: str, state: JobState, pacing: Pacing) -> None:
        self.standstill = Standstill()
        self.refused: str | None = None
        """Why an address was not opened, if one was not."""
        self._visitor = visitor
        self._state = state
        self._pacing = pacing
        self._act: LoggedAct | None = None
        self._acted = False
        self._usual: set[str] = set()

    async def begin(self, act: LoggedAct, page: Page) -> None:
        """See `ActLog`."""
        if act.risks:
            await self._state.begin_act(str(act))
        self._act, self._acted = act, True

    async def end(self) -> None:
        """See `ActLog`."""
        self._act = None
        self._state.end_act()

    async def passes(self, event: fetch.RequestPaused, kind: RequestKind | None, *, document: bool) -> bool:
        """See `Gate`."""
        with self.standstill.asking():
            if kind not in (None, "downloads"):
                await self._note(event, kind)
            if not document or (origin := origin_of(event.request.url)) is None:
                return True
            refused = await self._pacing.visit(self._visitor, str(origin), event.request.url)
        self.refused = refused or self.refused
        return refused is None

    async def leave(self) -> None:
        """The attempt is over."""
        await self._pacing.leave(self._visitor)

    async def _note(self, event: fetch.RequestPaused, kind: RequestKind) -> None:
        request = event.request
        certain = is_certain(request, event.resource_type, kind)
        key = f"{request.method} {place_of(request.url)} {outline_of(request)}"
        if event.resource_type == "Ping" or (key in self._usual and not certain):
            return
        sent = f"{request.method} {place_of(request.url)}"
        if self._act is not None:
            await self._state.begin_act(f"{self._act}, which sent {sent}")
        elif self._acted and certain:
            await self._state.begin_act(sent)
            self._state.end_act()
        else:
            self._usual.add(key)
