"""How a box moves, and when what the scrolling loads is there.

Neither timers nor observers of a page can be seen. So a wait ends by what can: requests, changes in the box, its
extent, what says that it is loading, and whether anything is drawn at this place. Where it goes no further, the wait is
as long as pages take to begin to load more: that an end is the end shows only then.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.errors import ActionError
from cdp_agent.page.frames.deadline import Deadline
from cdp_agent.page.query.passed import note_passed
from cdp_agent.page.receipts.stability import QUIET, settle
from cdp_agent.page.receipts.watch import Watch
from cdp_agent.page.tab.tab import Tab

from .box import Axis, Scroller

SEARCH_S = 30.0
"""How long a scroll goes on at most."""
DEBOUNCED_S = 0.25
"""How long after a scroll pages begin to load: many wait for 200 ms without another event."""
BLANK_S = 1.2
"""How long a list may take to draw its rows where it was scrolled to."""
END_S = 1.4
"""How long it may take until more comes at an end: debounced by 200 ms, after a timer of 1 s."""
LOADING_S = 6.0
"""How long without a change what says that it is loading is waited for."""
_LONGEST_S = 12.0
_PROBES = 2
"""For so many screens of a search the pause is DEBOUNCED_S, which shows whether the box draws late, and how late."""
_MOST_IN_VAIN = 2
"""After so many waits in vain in a row, the next screens are not waited for that look the same."""
_BLANK = 0.5
"""A larger share of the view without anything drawn is waited for."""
_FILLED = 0.05
"""With a smaller share without anything, the view was full already: other texts there mean that it draws late."""
BLANK_IN_SEARCH = 0.25
"""The same where every row counts: less than the part of a screen that the next one shows once more."""


class Screen(msgspec.Struct, frozen=True):
    """See screenOf in js/act/screen.js. Positions are in CSS pixels from the top or the left end."""

    position: float
    shown: float
    content: float
    snaps: bool
    blank: float
    loading: list[str]
    awaited: bool
    """Whether any of `loading` has not been waited for in vain before."""
    words: int
    """A fingerprint of the texts in view."""
    idle_ms: float

    @property
    def at_start(self) -> bool:
        """Whether it is scrolled to its top, or its left end."""
        return self.position <= 1

    @property
    def at_end(self) -> bool:
        """Whether it is scrolled to its bottom, or its right end."""
        return self.position + self.shown >= self.content - 1.5

    def is_last(self, sign: int) -> bool:
        """Whether nothing is left in that direction; with 0 for none, False."""
        return self.at_end if sign > 0 else self.at_start if sign < 0 else False


class Movement:
    """A box that is being scrolled."""

    def __init__(self, tab: Tab, box: Scroller, axis: Axis, watch: Watch, most_blank: float) -> None:
        self.box = box
        self.limit = Deadline.on(box.world.session, SEARCH_S)
        self.note = ""
        """Why the last wait ended before the page was at rest; "" if it did not."""
        self.left_blank = 0
        """How many screens stayed empty."""
        self._tab = tab
        self._axis = axis
        self._most_blank = most_blank
        self._watch = watch
        self._requests = watch.requests = tab.activity.requests.mark_with_running()
        self._blank_in_vain = 0
        self._loading_in_vain = 0
        self._moved_at = 0.0
        self._probes = 0
        self._late_s = 0.0
        """How long after a move its texts have changed at most, though nothing said that they would; 0 if never."""

    @classmethod
    @asynccontextmanager
    async def of(cls, tab: Tab, box: Scroller, axis: Axis, *, most_blank: float = _BLANK) -> AsyncIterator[Movement]:
        """A block in which the page is watched while the box is scrolled. Raises BrowserError.

        `most_blank`: where nothing is drawn in a larger share of the view, the rows are waited for.
        """
        movement = cls(tab, box, axis, await Watch.start(tab), most_blank)
        await note_passed(tab)
        try:
            yield movement
        finally:
            movement._watch.stop()
            tab.forget_shown()  # lists that render only visible rows have different ones by now, and feeds more

    async def screen(self) -> Screen:
        """What it shows now. Raises ActionError if it has left the page."""
        screens = await self.box.world.call("screenOf", self.box.id, self._axis, returning=list[Screen])
        if not screens:
            raise ActionError(f"{self.box.label} left the page while it was scrolled: take a new snapshot.")
        return screens[0]

    async def move(self, px: float) -> float:
        """Scrolls by `px`, or as far as it goes, in one move; returns how far."""
        self._moved_at = time.perf_counter()
        moved = await self.box.world.call("moveBox", self.box.id, self._axis, px, returning=float)
        log_line("input", "scrolled {} by {:.0f} px of {:.0f}", self.box.label, moved, px)
        return moved

    async def next_screen(self, sign: int, share: float) -> tuple[float, Screen]:
        """Scrolls by a share of the view; returns how far that went, and what is there once all of it is drawn.

        That takes no wait where nothing loads and the box has not been seen to draw late: see `rest`.
        """
        moved = await self.move(sign * share * (await self.screen()).shown)
        screen = await self.screen()
        why, _ = self._awaited(screen, sign, pause_s=0.0)
        pause_s = DEBOUNCED_S if self._probes < _PROBES else self._late_s
        if why or self._tab.activity.requests.pending(self._requests):
            screen = await self.rest(0, pause_s=0.0)
        elif pause_s:
            self._probes += 1
            first, screen = screen, await self.rest(0, pause_s=pause_s, unlike=screen.words)
            if first.blank < _FILLED and screen.words != first.words:
                self._late_s = max(self._late_s, min(time.perf_counter() - self._moved_at, DEBOUNCED_S))
        else:
            log_line("reading", "at {:.0f} px of {:.0f}: nothing is awaited", screen.position, screen.content)
        self.left_blank += self._is_blank(screen)
        return moved, screen

    async def rest(
        self, sign: int, *, is_last: bool = False, pause_s: float = DEBOUNCED_S, unlike: int | None = None
    ) -> Screen:
        """What it shows once what the scrolling in this direction loads is there, and nothing has come for `pause_s`.

        `is_last`: it has not moved. `unlike`: the pause is over once other texts than these are in view. What was still
        going on at the end of the wait is in `note`. Raises BrowserError.
        """
        begun = changed_at = time.perf_counter()
        first = screen = await self.screen()
        while True:
            self.note = await self._settle()
            before, screen = screen, await self.screen()
            now = time.perf_counter()
            if screen.content != before.content or screen.position != before.position:
                changed_at = now
            changed_at = max(changed_at, now - screen.idle_ms / 1000)
            if unlike is not None and screen.words != unlike:
                pause_s = 0.0
            ends_here = screen.is_last(sign) or (is_last and screen.content == first.content)
            why, awaited_s = self._awaited(screen, sign, pause_s=pause_s, is_last=ends_here)
            left_s = min(changed_at + awaited_s - now, begun + _LONGEST_S - now, self.limit.remaining())
            if self.note or left_s <= 0:
                break
            log_line(
                "wait", "at {:.0f} px: {}, {:.0f} ms more at most", screen.position, why or "a pause", left_s * 1000
            )
            await self._watch.wait_for_change(left_s)
        await self._note_rest(screen, why, time.perf_counter() - begun)
        return screen

    def _awaited(self, screen: Screen, sign: int, *, pause_s: float, is_last: bool = False) -> tuple[str, float]:
        """What is waited for, "" for nothing in particular, and how long it must have been quiet for that."""
        if self.box.frame.is_static:
            return "", 0.0
        if screen.awaited and self._loading_in_vain < _MOST_IN_VAIN:
            return f"loading: {', '.join(screen.loading)}", LOADING_S
        if is_last:
            return "whether more comes at this end", END_S
        if self._is_blank(screen) and self._blank_in_vain < _MOST_IN_VAIN:
            return "nothing is drawn in a part of the view", BLANK_S
        return "", pause_s

    def _is_blank(self, screen: Screen) -> bool:
        return screen.blank > self._most_blank

    async def _settle(self) -> str:
        settled = await settle(self._watch, keep=True)
        if settled == QUIET:
            await self._watch.look()
            return ""
        # What keeps changing is not waited for at the next place.
        self._watch.stop(gave_up=True)
        self._watch = await Watch.start(self._tab)
        self._watch.requests = self._requests
        return settled

    async def _note_rest(self, screen: Screen, why: str, waited_s: float) -> None:
        is_blank = self._is_blank(screen)
        self._blank_in_vain = self._blank_in_vain + 1 if is_blank else 0
        self._loading_in_vain = self._loading_in_vain + 1 if screen.awaited else 0
        if screen.loading:
            self.note = self.note or f"still loading: {', '.join(screen.loading)}"
        if screen.loading or is_blank:
            await self.box.world.call("giveUpScreen", self.box.id, self._axis)
        outcome = self.note or (f"given up: {why}" if screen.awaited or is_blank else "at rest")
        log_line(
            "wait", "{:.0f} ms at {:.0f} px of {:.0f}: {}", waited_s * 1000, screen.position, screen.content, outcome
        )
