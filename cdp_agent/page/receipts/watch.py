"""Watches the documents of a tab from the beginning of an action: what has changed in them, and what is under way."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from cdp_agent.action_log import log_line
from cdp_agent.cdp import runtime
from cdp_agent.errors import ActionError, PageUnresponsive
from cdp_agent.page.activity.under_way import UnderWay
from cdp_agent.page.frames.deadline import Deadline
from cdp_agent.page.frames.frames import Frame, FrameTree
from cdp_agent.page.frames.world import World, deadline, preload
from cdp_agent.page.tab.hanging import UnloadWatchdog
from cdp_agent.page.tab.tab import Tab

from .changes import NONE, Changes
from .hearing import Hearing, note_scripts

LOAD_S = 2.0
_BUSY_LOOK_S = 0.2
"""How often to look whether the page is still busy: styles that hide a mark cause no event."""
_ASK_TIMEOUT_S = 5.0
_LONGEST_WAY_S = 2.0

Along = Callable[[bool], None]
"""Is called whenever the page was asked whether it is at rest, and, with True, has answered that it is."""


class Watch:
    """Watches a page from the beginning of an action. Call `start` before it, then `settle` (stability.py)."""

    def __init__(self, tab: Tab, tree: FrameTree) -> None:
        self.tab = tab
        self.tree = tree
        self.requests = tab.activity.requests.mark()
        self.document = tab.activity.document.number
        self.url = tab.activity.document.url
        self.frames_loading = set(tab.activity.frames_navigating())
        """The ids of frames that were loading already."""
        self.last_popup = tab.popups.last
        self.tabs_requested = tab.requested_tabs.count
        """How many tabs its pages had asked for."""
        self.others = {
            other: other.activity.document.number
            for other in tab.related
            if not (other.action_lock.locked() or other.activity.navigating())
        }
        """The number of the document in each tab that opened this one or was opened by it, if nobody acts there."""
        self._inputs_sent = tree.root.session.inputs_sent
        preload(tree.root.session)
        self.worlds: dict[World, Changes] = {}
        """The worlds that are watched, each with its changes as of the last look."""
        self._before: dict[World, Changes] = {}
        """The same as of the beginning."""
        self.begun = time.monotonic()
        self.latest = NONE
        """The last result of `look`."""
        self._titled: tuple[World, str] | None = None
        """The world of the tab's own document as of the last look, and its title then."""
        self.busy: Frame | None = None
        """A frame that did not answer the last look."""
        self.clock = Deadline.on(tree.root.session, None)
        self.watchdog = UnloadWatchdog(tab, self.clock)
        self.hearing: Hearing | None = None
        """Whether the page can hear of the act; None if nobody asked."""
        self.awaits_server = False
        """Whether the tab is navigating and the server does not answer: Chrome answers no calls then."""

    @classmethod
    async def start(cls, tab: Tab) -> Watch:
        """Begins to watch the tab. Raises BrowserError."""
        watch = cls(tab, await tab.frames())
        await watch.begin()
        return watch

    @property
    def way_s(self) -> float:
        """How long a command's way to Chrome and its answer's way back take at least: a remote Chrome is far away."""
        return min(self.tree.root.session.connection.shortest_answer_s, _LONGEST_WAY_S)

    @property
    def title(self) -> str | None:
        """The title of the present document, as of the last look; None if that was at another document, or none."""
        world, title = self._titled or (None, None)
        return title if world is self.tree.root.present_world else None

    @property
    def navigated(self) -> bool:
        """Whether the tab has another document than when the watching began."""
        return self.tab.activity.document.number != self.document

    @property
    def has_sent_input(self) -> bool:
        """Whether the mouse or the keyboard was used in the tab since the watching began."""
        return self.tree.root.session.inputs_sent > self._inputs_sent

    @property
    def lacks_input(self) -> bool:
        """Whether input was sent and all documents answered the last look, but none has had any since the beginning."""
        return self.has_sent_input and self.busy is None and not self.navigated and self.latest.inputs == 0

    @property
    def unreadable_frames(self) -> bool:
        """Whether any frame with a world of its own had canvases that no script may read when the watching began."""
        root = self.tree.root.present_world
        return any(changes.unreadable for world, changes in self._before.items() if world is not root)

    @property
    def anything_happened(self) -> bool:
        """Whether anything but a change of the page has happened since the watching began."""
        tab = self.tab
        return (
            tab.activity.requests.any_since(self.requests)
            or tab.activity.document.url != self.url
            or tab.popups.last > self.last_popup
            or tab.dialogs.has_unreported
            or tab.activity.app_requests.has_unreported
            or tab.downloads.has_unreported
        )

    def pending(self, waited_s: float) -> list[UnderWay]:
        """What is under way since the watching began, after this many seconds of waiting."""
        activity = self.tab.activity
        pending = activity.requests.pending(self.requests)
        for frame_id, url in activity.frames_navigating().items():
            if frame_id not in self.frames_loading and not any(item.name.endswith(url) for item in pending):
                pending.append(UnderWay("loading", url))
        if not activity.document.loaded and self.navigated and waited_s < LOAD_S:
            pending.append(UnderWay("loading", activity.document.url, LOAD_S - waited_s))
        if self.navigated and (address := activity.forwards_to()):
            pending.append(UnderWay("loading", address))
        if self.tab.requested_tabs.expects(len(self.tab.popups.after(self.last_popup))):
            pending.append(UnderWay("loading", "a new tab"))
        pending += [UnderWay("busy", mark, _BUSY_LOOK_S) for mark in self.latest.busy]
        return pending

    async def begin(self, *, effects: bool = False, enters: bool = False) -> None:
        """Begins to watch. Raises BrowserError.

        `effects`: also records effects of an action, see effects.py; `enters`: it only enters or focuses something.
        """
        is_near = self.tree.root.session.connection.is_near
        self.hearing = Hearing.of(self.tab, self.tree) if is_near and enters else None
        looking = self.look("beginEffects" if effects else "changes")
        await (looking if self.hearing is None else asyncio.gather(looking, self.hearing.begin()))
        self._before = dict(self.worlds)

    def stop(self, *, gave_up: bool = False) -> None:
        """Ends the watching without waiting for anything. `gave_up`: what changes now never stops."""
        self.tab.activity.requests.channels.rested()
        for world in self.worlds:
            if not world.gone:
                world.tell("stopWatching", gave_up)
        note_scripts(self.tab, self.tree)
        self.worlds = {}

    async def wait_for_change(self, timeout_s: float) -> None:
        """Waits for the next change in any world or the next event of the tab, at most `timeout_s`."""
        asking: list[asyncio.Future[runtime.Evaluated] | asyncio.Future[None]] = [
            world.ask("changedSince", changes.count) for world, changes in self.worlds.items() if not world.gone
        ]
        asking.append(self.tab.activity.next_event())
        try:
            await asyncio.wait(asking, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for question in asking:
                question.cancel()

    async def look(self, function: str = "changes", along: Along = lambda _: None) -> Changes:
        """The changes in all worlds together. A world that is new, replaced or unresponsive counts as just changed.

        `along`: see `settle`.
        """
        self.busy = None
        looks = [self._changes_in(frame, function, self._ask(frame, function)) for frame in self.tree.all()]
        along(False)
        self.latest = Changes.of_all(await asyncio.gather(*looks))
        return self.latest

    def _ask(self, frame: Frame, function: str) -> tuple[World, asyncio.Future[runtime.Evaluated]] | None:
        """Asks a frame at once for its changes, before anything that is asked later; None if it has no world yet."""
        world = frame.present_world
        if world is None or frame.navigating_to is not None or frame.session.unresponsive:
            return None
        if self._is_to_be_begun(world, function):
            return None
        return world, world.ask(function, self._is_new(world))

    def _is_new(self, world: World) -> bool:
        """Whether the document came after the watching began: all that is busy there counts."""
        return world not in self._before and (self.navigated or bool(self._before))

    def _is_to_be_begun(self, world: World, function: str) -> bool:
        """Whether a new document is to be watched from now on: an answer would tell nothing, and cost a way to it."""
        return function == "changes" and world not in self.worlds and self._is_new(world)

    async def _changes_in(
        self, frame: Frame, function: str, question: tuple[World, asyncio.Future[runtime.Evaluated]] | None
    ) -> Changes:
        if frame.navigating_to is not None:
            return Changes(1e9, 0, 0)  # it answers nothing now, see Frame; `_pending` waits for it
        try:
            async with deadline(frame.session, _ASK_TIMEOUT_S):
                world = await frame.world()
            if self._is_to_be_begun(world, function):
                world.tell(function, True)
                self.worlds[world] = NONE
                return NONE
            answer = question[1] if question and question[0] is world else world.ask(function, self._is_new(world))
            changes = await world.answer(function, answer, returning=Changes, timeout_s=_ASK_TIMEOUT_S)
            self.worlds[world] = changes
            if frame.parent is None:
                self._titled = world, changes.title
            return changes.since(self._before.get(world, NONE))
        except PageUnresponsive:
            if frame.session.stalled_because is None:
                self.busy = self.busy or frame
                log_line("frame", "{} does not answer", frame.url)
            elif frame.parent is not None:
                return Changes(1e9, 0, 0)  # its process ended: nothing changes there
        except ActionError:
            pass  # it is being replaced, which is reported as a navigation
        return Changes(0, 0, 0)
