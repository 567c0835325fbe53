"""Waits until what an action set in motion has come to rest: the DOM and the requests, not a fixed time.

The clock is ours: timers and frames of a tab in the background run late or never.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec

from cdp_agent.cdp import page as cdp_page
from cdp_agent.errors import ActionError

from .frames import Frame, FrameTree
from .world import World

if TYPE_CHECKING:
    from .page import Page

QUIET = "quiet"
QUIET_S = 0.06
"""So long nothing may change: more than three frames, and what timers of 0, promises and frames bring takes two."""
PATIENCE_S = 0.15
"""So long something may take to begin after an action that has no other sense than to begin something."""
ANIMATIONS_S = 0.6
FRAME_S = 0.017
"""An animation is over with the frame that follows its end."""
CHANGES_S = 2.0
REQUESTS_S = 6.0
LOAD_S = 2.0
NAVIGATION_S = 15.0
_ASK_TIMEOUT_S = 5.0
_SLOWEST_S = 0.5


class Changes(msgspec.Struct, frozen=True):
    """What `changes` in page/js answers."""

    idle_ms: float
    count: int
    animating_ms: float


class Watch:
    """What goes on in a page since an action began. `start` before acting, then `settle` once."""

    def __init__(self, page: Page, tree: FrameTree) -> None:
        self.requests = page.activity.requests.mark()
        self.document = page.activity.document.number
        self.url = page.activity.document.url
        self._elsewhere = set(page.activity.frames_navigating())
        """Frames that were loading already when it began."""
        self.popups = len(page.popups)
        self._page = page
        self._tree = tree
        self._activity = page.activity
        self.counts: dict[World, int] = {}
        """How often each world changed since it is watched, as of the last look."""
        self._before: dict[World, int] = {}
        self._busy = False

    @classmethod
    async def start(cls, page: Page) -> Watch:
        """Watches from now on. Raises BrowserError."""
        watch = cls(page, await page.frames())
        await watch.look()
        watch._before = dict(watch.counts)
        return watch

    @property
    def navigated(self) -> bool:
        """The tab has another document than when the watching began."""
        return self._activity.document.number != self.document

    async def settle(self, *, patient: bool = False, navigation_s: float = NAVIGATION_S, keep: bool = False) -> str:
        """Waits until the page is quiet; says "quiet", or why it waited no longer.

        `patient`: when nothing happens at all, a little longer. Ends the watching, unless it is to be kept for `look`.
        Raises BrowserError.
        """
        why = QUIET
        try:
            why = await self._settle(patient, navigation_s)
        finally:
            if why != QUIET or not keep:
                self.stop(gave_up=why != QUIET)
        return why

    def stop(self, *, gave_up: bool = False) -> None:
        """Ends the watching without waiting for anything."""
        for world in self.counts:
            if not world.gone:
                world.tell("stopWatching", gave_up)
        self.counts = {}

    async def _settle(self, patient: bool, navigation_s: float) -> str:
        begun = last = resting = self._now()
        quiet_s = QUIET_S
        while True:
            if self._page.closed:
                return "the tab was closed"
            if self._activity.crashed and not self._activity.navigating():
                return "the page crashed"
            now = self._now()
            if address := self._activity.navigating():
                if now - begun > navigation_s:
                    return self._stop_loading(address)
                await self._activity.stir(begun + navigation_s - now + 0.001)
                last = resting = self._now()
                patient = False
                continue
            if pending := self._pending(now - resting):
                if now - resting > REQUESTS_S:
                    self._activity.requests.give_up(self.requests)
                    return f"still loading: {', '.join(pending[:3])}"
                await self._activity.stir(min(REQUESTS_S, max(LOAD_S - (now - resting), QUIET_S)))
                last = self._now()
                continue
            if any(f.leaving_for is None and f.present_world not in self.counts for f in self._tree.all()):
                await self.look()  # a new document: its quiet is counted from now on
                now = self._now()
            if last + quiet_s > now:
                await self._activity.stir(last + quiet_s - now)
                continue
            changes = await self.look()
            # Where an answer takes long, everything does, the page's next step included.
            slow_s = min(_SLOWEST_S, 2 * (self._now() - now))
            if self._busy:
                return "the page is busy and does not answer"
            if patient and changes.count == 0 and not self._happened():
                quiet_s = PATIENCE_S
            rest_s = quiet_s + slow_s - changes.idle_ms / 1000
            animations_s = ANIMATIONS_S + slow_s - (now - resting)
            if changes.animating_ms > 0 and animations_s > 0:
                rest_s = max(rest_s, min(changes.animating_ms / 1000 + FRAME_S, animations_s))
            if rest_s <= 0.001:
                return QUIET
            if now - resting > CHANGES_S:
                return "the page keeps changing"
            await self._activity.stir(rest_s)

    def _stop_loading(self, address: str) -> str:
        root = self._tree.root
        if root.leaving_for is None:
            return f"still loading: {address}"
        # Chrome holds back every command until the next document comes: without an end to it, nothing can be done.
        root.session.tell(cdp_page.StopLoading())
        return f"loading was stopped, since the server does not answer: {address}"

    def _happened(self) -> bool:
        page = self._page
        return (
            page.activity.requests.any_since(self.requests)
            or page.activity.document.url != self.url
            or len(page.popups) > self.popups
            or page.dialogs.untold
            or page.downloads.untold
        )

    def _pending(self, waited_s: float) -> list[str]:
        pending = self._activity.requests.pending(self.requests)
        for frame_id, url in self._activity.frames_navigating().items():
            if frame_id not in self._elsewhere and not any(each.endswith(url) for each in pending):
                pending.append(url)
        if not self._activity.document.loaded and self.navigated and waited_s < LOAD_S:
            pending.append(self._activity.document.url)
        if self._page.expects_tab(len(self._page.popups) - self.popups):
            pending.append("a new tab")
        return pending

    async def look(self) -> Changes:
        """What changed in all worlds together; one that is new to the watching, or loading, did just now."""
        self._busy = False
        answers = await asyncio.gather(*(self._changes_in(frame) for frame in self._tree.all()))
        return Changes(
            min((each.idle_ms for each in answers), default=1e9),
            sum(each.count for each in answers),
            max((each.animating_ms for each in answers), default=0),
        )

    async def _changes_in(self, frame: Frame) -> Changes:
        if frame.leaving_for is not None:
            return Changes(1e9, 0, 0)  # it answers nothing now, see Frame; `_pending` waits for it
        try:
            world = await frame.world()
            changes = await world.call("changes", returning=Changes, timeout_s=_ASK_TIMEOUT_S)
            self.counts[world] = changes.count
            return msgspec.structs.replace(changes, count=changes.count - self._before.get(world, 0))
        except ActionError:  # it is being replaced, which is told as navigation; or it hangs
            self._busy = frame.present_world is not None
            return Changes(0, 0, 0)

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()
