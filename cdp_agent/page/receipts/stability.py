"""Waits until the effects of an action have settled, judged by the DOM and the requests, not for a fixed time.

Time is measured here, not in the page: timers and frames of a background tab run late or never.
"""

from __future__ import annotations

import asyncio
import time

from cdp_agent.action_log import log_line
from cdp_agent.errors import ActionError
from cdp_agent.page.activity.under_way import UnderWay, still
from cdp_agent.page.frames.frames import SLOW_SERVER_TIMEOUT_S, is_static_document
from cdp_agent.page.frames.responsiveness import check_chrome, is_responsive
from cdp_agent.page.tab.hanging import NEW_PAGE_HANGS, OLD_PAGE_HANGS, stop_loading

from .changes import Changes
from .hearing import Hearing
from .watch import Along, Watch

QUIET = "quiet"
QUIET_S = 0.06
"""How long nothing may change: more than three frames, since effects of timers of 0, promises and frames take two."""
STATIC_QUIET_S = 0.02
"""The same for a page without scripts: one frame, in which styles take effect and an autofocus field gets the focus."""
PATIENCE_S = 0.15
"""How long an effect may take to begin, after an action whose only purpose is to have one."""
ANIMATIONS_S = 0.6
FRAME_S = 0.017
"""One frame: an animation is over with the frame that follows its end."""
CHANGES_S = 2.0
EMPTY_S = 3.0
"""How long an application that has loaded its scripts may show nothing."""
REQUESTS_S = 6.0
"""How long anything may be under way: requests, answers over sockets and streams, what the page shows as busy."""
NAVIGATION_S = 15.0
UNANSWERED_S = 5.0
"""If a server has not answered within this time, that is reported, since nothing more is known until it does."""
_MOST_DOCUMENTS = 20
"""How many documents in a row are waited for: logins take a few, but a page may reload itself endlessly."""
_READ_AHEAD_S = 5.0
_ASK_EVERY_S = 1.0
_HANGS_S = 5.0
"""A loading page that has not answered for this long hangs; the start of large applications takes less."""
_BUSY = "{} does not answer: its own script keeps it busy"
BUSY = _BUSY.format("the page")
_HELD_UP = "{} does not answer: it waits for its dialog to be answered"
_QUICK_S, _SLOWEST_S = 0.005, 0.5
_NO_TIME_S = 0.001
_LONGER_WAY = 1.1
"""How much longer a way may take than another: what is asked too early is asked once more."""
_WAYS_OF_READING = 3
_READ_WITHIN_S = 0.03
"""How long the reading takes that follows once a page has settled."""
_SLOW_SERVER = (
    f"on its way to {{}}, whose server has not answered in {UNANSWERED_S:g} s. What comes next waits for it until"
    f" {SLOW_SERVER_TIMEOUT_S:g} s are over, and stops the loading then"
)


async def settle(
    watch: Watch,
    *,
    patient: bool = False,
    navigation_s: float = NAVIGATION_S,
    keep: bool = False,
    along: Along = lambda _: None,
) -> str:
    """Waits until the page is quiet; returns "quiet", or why the wait ended.

    `patient`: waits a little longer if nothing happens at all. Ends the watching, unless `keep`: then the caller ends
    it with `stop`. `along` may ask the page more at once: after "quiet", what it asked since its last call with False
    was answered by the page at rest. Raises BrowserError.
    """
    why, begun = QUIET, time.perf_counter()
    try:
        why = await _Wait(watch, patient, navigation_s, along).until_quiet()
        quiet = f" for {min(watch.latest.idle_ms, 60_000):.0f} ms" if why == QUIET and watch.worlds else ""
        log_line("wait", "{:.0f} ms for the page to rest: {}{}", (time.perf_counter() - begun) * 1000, why, quiet)
    finally:
        if not keep:
            watch.stop(gave_up=why != QUIET)
    return why


class _Wait:
    """One wait for a page to be quiet. Its times are those of `_now`."""

    def __init__(self, watch: Watch, patient: bool, navigation_s: float, along: Along) -> None:
        self._watch, self._tab, self._tree, self._activity = watch, watch.tab, watch.tree, watch.tab.activity
        self._patient = patient
        self._navigation_s = navigation_s
        self._along = along
        self._begun = self._since = self._resting = self._loaded_at = self._headed_at = self._alive_at = self._now()
        # _since: the start of the time for which the page must be quiet; _resting: when the tab was last seen
        # navigating; _loaded_at: when anything was last under way; _headed_at: when the current navigation was first
        # seen; _alive_at: when the page last answered
        self._heading_for = ""
        self._quiet_s = QUIET_S
        """How long nothing may change."""
        self._pending = ""
        """What was under way at the last look, in words."""
        self._unheard: Hearing | None = None
        """Set if the page cannot have heard of the act, unless a script runs meanwhile."""

    async def until_quiet(self) -> str:
        """See `settle`."""
        self._quiet_s = await self._present_quiet_s()
        why = ""
        while not why:
            await self._tab.decided()
            events = self._activity.event_count
            if ended := self._ended():
                return ended
            if address := self._activity.navigating():
                why = await self._wait_for_navigation(address, events)
            elif pending := self._watch.pending(self._now() - self._resting):
                why = await self._wait_for_pending(pending, events)
            else:
                await self._look_at_new_worlds()
                why = await self._wait_for_quiet()
        return why

    def _ended(self) -> str:
        """Why the wait has to end, "" if it does not."""
        if self._tab.closed:
            return "the tab was closed"
        if self._activity.crashed and not self._activity.navigating():
            return "the page crashed"
        if self._activity.document.number - self._watch.document > _MOST_DOCUMENTS:
            return "the page keeps going elsewhere by itself"
        return ""

    async def _wait_for_navigation(self, address: str, events: int) -> str:
        """Waits a little while the tab navigates to this address; returns "", or why the wait ends."""
        now = self._now()
        if address != self._heading_for:
            self._heading_for, self._headed_at = address, now
            log_line("navigation", "waits for {}", address)
        if now - self._begun > self._navigation_s:
            return await self._stop_loading(address)
        if now - self._headed_at > UNANSWERED_S and self._report_slow_server():
            return _SLOW_SERVER.format(address)
        if not await self._watch.watchdog.end_blocking_scripts():
            return OLD_PAGE_HANGS
        if await self._hangs():
            return BUSY
        self._prepare_worlds()
        left_s = self._begun + self._navigation_s - now + 0.001
        await self._activity.wait_for_event(min(left_s, _ASK_EVERY_S), since=events)
        self._since = self._resting = self._now()
        self._patient = False
        return ""

    async def _wait_for_pending(self, pending: list[UnderWay], events: int) -> str:
        """Waits a little for what is under way; returns "", or why the wait ends."""
        self._log_pending(pending)
        if self._now() - self._resting > REQUESTS_S:
            self._activity.requests.give_up(self._watch.requests)
            return still(pending)
        if await self._hangs():
            return BUSY
        self._prepare_worlds()
        left_s = min(item.left_s for item in pending)
        await self._activity.wait_for_event(min(_ASK_EVERY_S, max(left_s, _NO_TIME_S)), since=events)
        self._since = self._loaded_at = self._now()
        if self._watch.latest.busy:
            await self._watch.look()
        return ""

    def _log_pending(self, pending: list[UnderWay]) -> None:
        if (names := still(pending)) != self._pending:
            self._pending = names
            log_line("wait", "{}", names)

    async def _look_at_new_worlds(self) -> None:
        """Begins to watch documents that are new since the last look."""
        if all(f.navigating_to is not None or f.present_world in self._watch.worlds for f in self._tree.all()):
            return
        watched = len(self._watch.worlds)
        await self._watch.look()
        looked = self._now() + _LONGER_WAY * self._watch.way_s  # as if it had been answered
        self._quiet_s = await self._present_quiet_s()
        if self._quiet_s > STATIC_QUIET_S and len(self._watch.worlds) > watched:
            self._since = looked  # a new document: its quiet time counts from then on
        self._take_kept_functions(0 if self._quiet_s > STATIC_QUIET_S else _READ_WITHIN_S)
        if self._watch.navigated:
            self._tab.read_ahead(is_far=self._is_far)

    async def _wait_for_quiet(self) -> str:
        """Waits a little for a page that has loaded; returns "", QUIET, or why the wait ends."""
        now, way_s = self._now(), self._watch.way_s
        # The page's time of rest begins before the answer that we count from has come, and ends when it is asked.
        if (left_s := self._since + self._quiet_s - way_s - now) > 0:
            await self._activity.wait_for_event(left_s)
            return ""
        ahead = self._tab.reading_ahead
        if ahead is not None and not ahead.done() and not self._is_far:  # else the page would seem slow to answer
            await asyncio.wait([ahead], timeout=_READ_AHEAD_S)
            now = self._now()
        changes = await self._look()
        # If a page takes long to answer, it does so with everything, including its next step.
        took_s = self._now() - now - way_s
        slow_s = min(_SLOWEST_S, 2 * took_s) if took_s > _QUICK_S else 0.0
        if self._watch.busy is not None:
            who = "the page" if self._watch.busy.parent is None else f"the frame {self._watch.busy.url}"
            return (_BUSY if self._watch.busy.session.blocked_because is None else _HELD_UP).format(who)
        if changes.busy:
            return ""  # which is waited for like a request
        if self._patient and changes.count == 0 and not self._watch.anything_happened:
            self._quiet_s = PATIENCE_S
        rest_s = self._rest_s(changes, now, slow_s)
        if rest_s <= _NO_TIME_S:
            if not (changes.empty and self._watch.navigated):
                return QUIET
            if now - max(self._resting, self._loaded_at) > EMPTY_S:
                return "the page shows nothing yet"
            rest_s = self._quiet_s
        elif now - max(self._resting, self._loaded_at) > CHANGES_S:
            return "the page keeps changing"
        await self._activity.wait_for_event(max(rest_s - way_s, 0.0))
        return ""

    async def _look(self) -> Changes:
        """The changes so far; if anything has happened where nothing could, the full time of rest is due."""
        changes = await self._watch.look(along=self._along)
        if self._unheard is not None:
            if changes.count == 0:
                self._along(True)
            if changes.count or not await self._unheard.has_been_still():
                self._unheard, self._quiet_s = None, QUIET_S
        return changes

    def _rest_s(self, changes: Changes, now: float, slow_s: float) -> float:
        """How long the page still has to be quiet, `slow_s` more if it is slow; at most 0 if it was quiet enough."""
        if self._quiet_s == STATIC_QUIET_S and changes.count == 0:
            rest_s = 0.0  # nothing can have changed between its loading and the watching
        else:
            rest_s = self._quiet_s + slow_s - changes.idle_ms / 1000
        animations_s = ANIMATIONS_S + slow_s - (now - self._resting)
        if changes.animating_ms > 0 and animations_s > 0:
            return max(rest_s, min(changes.animating_ms / 1000 + FRAME_S, animations_s))
        return rest_s

    @property
    def _is_far(self) -> bool:
        """Whether Chrome is so far away that the ways of a reading alone take longer than the page is waited for."""
        return _WAYS_OF_READING * self._watch.way_s > QUIET_S

    def _prepare_worlds(self) -> None:
        """Begins to create worlds while their documents are loading."""
        for frame in self._tree.all():
            frame.prepare_world()

    def _take_kept_functions(self, after_s: float) -> None:
        """Where something was done before, the next document takes our functions for it after this time.

        During idle waiting, or once the page has been read.
        """
        loop = asyncio.get_running_loop()
        for world in self._watch.worlds:
            loop.call_later(after_s, world.take_kept_functions)

    async def _present_quiet_s(self) -> float:
        root = self._tree.root
        pays = self._tab.in_own_chrome and not self._is_far  # to ask, since one waits for less
        if not pays or root.navigating_to is not None or self._watch.busy is not None:
            return QUIET_S
        try:
            world = root.present_world
            is_static = world in self._watch.worlds and await is_static_document(
                root, world, self._activity.document.loader_id
            )
            hearing, self._unheard = self._watch.hearing, None
            if not is_static and hearing is not None and await hearing.could_not(QUIET_S):
                log_line("decision", "nobody in the page listens for that, and no script runs: one frame is enough")
                self._unheard = hearing
            return STATIC_QUIET_S if is_static or self._unheard is not None else QUIET_S
        except ActionError:
            return QUIET_S  # it is being replaced, or does not answer: the next look finds out

    async def _hangs(self) -> bool:
        """Whether the page hangs, not the server: Chrome has received it, but it has not answered for long."""
        now = self._now()
        if now - self._alive_at >= _ASK_EVERY_S:
            if self._tree.root.navigating_to is not None:
                await check_chrome(self._tree.root.session)
                self._alive_at = now
            elif await is_responsive(self._tree.root.session):
                self._alive_at = self._now()
        return self._now() - self._alive_at > _HANGS_S

    def _report_slow_server(self) -> bool:
        root = self._tree.root
        self._watch.awaits_server = root.is_reported_slow = (
            root.navigating_to is not None and self._activity.waits_for_server()
        )
        return self._watch.awaits_server

    async def _stop_loading(self, address: str) -> str:
        root = self._tree.root
        if root.navigating_to is None:
            return f"still loading: {address}"
        # Chrome holds back every command until the next document comes: unless that is stopped, nothing can be done.
        waits_for_server = self._activity.waits_for_server()
        stopped = await stop_loading(self._tab)
        if not waits_for_server:
            return OLD_PAGE_HANGS
        why = f"loading was stopped, since the server does not answer: {address}"
        return f"{why}; {NEW_PAGE_HANGS}" if stopped and not await is_responsive(root.session) else why

    def _now(self) -> float:
        """A clock, in seconds, which is paused while somebody is asked, or a dialog is open."""
        return self._watch.clock.elapsed()
