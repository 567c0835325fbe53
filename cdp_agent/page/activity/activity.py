"""The navigations and requests of a page, from the events of all its sessions, for code that waits for them.

Handlers only update state and wake waiting tasks. https://chromedevtools.github.io/devtools-protocol/tot/Page/
"""

from __future__ import annotations

import asyncio

import msgspec

from cdp_agent.cdp import inspector, network
from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp.connection import Session
from cdp_agent.page.frames.deadline import loop_time
from cdp_agent.page.frames.recent import RecentSet

from .app_requests import AppRequests
from .console import Console
from .network import ErrorStatus, Requests

REQUESTED_ONLY_S = 0.5
"""A requested navigation that has not begun after this time never does: a policy or a handler prevented it."""
_SRCDOC = "about:srcdoc"
_FORMS = 20
_NAVIGABLE_SCHEMES = frozenset({"http", "https", "about", "blob", "javascript"})
"""The schemes that pages may navigate to: if such a navigation does not begin, the page itself cancelled it."""


_SOON_S = 5.0
"""What a page goes on to later than this is not waited for."""


class Document(msgspec.Struct):
    """The tab's current document: its `number` (0 for the tab's first document), and how far it has loaded."""

    number: int
    url: str
    loader_id: str
    ready: bool = False
    loaded: bool = False
    failed: bool = False
    """Whether it is Chrome's error page in place of the intended document."""
    ready_at: float = 0.0
    """When it was parsed (DOMContentLoaded), in seconds on the clock of CDP's network events; 0 if not known."""
    loaded_at: float = 0.0


class _Navigation(msgspec.Struct):
    url: str
    begun: bool
    since: float
    loader_id: str = ""


class Activity:
    """The navigations, requests and console of a tab and its frames; `wait_for_event` waits for the next event."""

    def __init__(self, root_frame_id: str, url: str, *, in_own_chrome: bool = False) -> None:
        self.document = Document(0, url, "", ready=True, loaded=True)
        self.requests = Requests(self._notify)
        self.console = Console()
        self.app_requests = AppRequests(in_own_chrome=in_own_chrome)
        self.crashed = False
        self.stuck = False
        """Whether a hanging page could be neither left nor terminated: it stays until it stops hanging by itself."""
        self.navigations_begun = 0
        """How many navigations of the tab have begun."""
        self.before_action = (0, url)
        """Number and URL of the tab's document when the last action began."""
        self.frame_ids = RecentSet()
        """The ids of the tab's current and former frames: a download may begin in a frame that is removed at once."""
        self._root = root_frame_id
        self._loaders: dict[str, str] = {}
        """The loader ids of the documents in the tab's frames, by frame id."""
        self.previous_loaders: frozenset[str] = frozenset()
        """Those of the previous document and of the documents in its frames."""
        self._forms = RecentSet(_FORMS)
        """The latest addresses that forms were sent to by GET."""
        self._navigations: dict[str, _Navigation] = {}
        self._scheduled: dict[str, cdp_page.FrameScheduledNavigation] = {}
        """Navigations that pages have requested and that have not begun, by frame id."""
        self._waiting: set[asyncio.Future[None]] = set()
        self.event_count = 0
        """The number of events so far. Passed to `wait_for_event` as `since`, it ensures that no event is missed."""

    def watch(self, session: Session) -> None:
        """Subscribes to the session's events. Must be called before anything may run on the session."""
        session.on(cdp_page.FrameAttached, lambda event: self.frame_ids.add(event.frame_id))
        session.on(cdp_page.FrameRequestedNavigation, self._requested)
        session.on(cdp_page.FrameScheduledNavigation, self._schedule)
        session.on(cdp_page.FrameClearedScheduledNavigation, lambda event: self._unschedule(event.frame_id))
        session.on(cdp_page.FrameStartedNavigating, self._started)
        session.on(cdp_page.FrameNavigated, self._committed)
        session.on(cdp_page.FrameStoppedLoading, lambda event: self._stopped(event.frame_id))
        session.on(cdp_page.FrameDetached, self._detached)
        session.on(cdp_page.NavigatedWithinDocument, self._moved)
        session.on(cdp_page.JavascriptDialogOpening, lambda _: self.wake())
        session.on(inspector.TargetCrashed, lambda _: self._notify())
        session.on(network.RequestWillBeSent, self.app_requests.sent)
        self.requests.watch(session)

    def watch_root(self, session: Session) -> None:
        """Subscribes to the loading of the tab's document, and to its crashes, on the tab's own session."""
        session.on(cdp_page.DomContentEventFired, lambda event: self._reached(ready=True, at=event.timestamp))
        session.on(cdp_page.LoadEventFired, lambda event: self._reached(loaded=True, at=event.timestamp))
        session.on(inspector.TargetCrashed, lambda _: self._crash())

    def catch_up(self, info: cdp_page.FrameInfo) -> None:
        """Records the tab's current document, whose events may have been missed."""
        self.crashed = False
        url = info.url + info.url_fragment
        going = self._navigation(self._root)
        if going is not None and going.url != url:
            return  # that navigation's events are still to come
        if info.loader_id != self.document.loader_id and (self.document.loader_id or url != self.document.url):
            self._committed(cdp_page.FrameNavigated(frame=info, type="Navigation"))
        self._reached(ready=True, loaded=True)

    @property
    def loaders(self) -> frozenset[str]:
        """The loader ids of all documents in the tab, including those of frames."""
        return frozenset(self._loaders.values())

    @property
    def error_status(self) -> ErrorStatus | None:
        """The HTTP status of the tab's document if it is an error, 400 or more."""
        return self.requests.error_status(self.document.loader_id)

    @property
    def coming_loader(self) -> str:
        """The loader id of the document that the tab is navigating to; "" if it is not."""
        navigation = self._navigation(self._root)
        return navigation.loader_id if navigation is not None else ""

    def is_of_form(self, url: str) -> bool:
        """Whether a form of the tab was sent to that address by GET."""
        return url.partition("#")[0] in self._forms

    def add_frames(self, tree: cdp_page.FrameTreeNode) -> None:
        """Records the frames that existed before we subscribed to their events."""
        self.frame_ids.add(tree.frame.id)
        self._loaders.setdefault(tree.frame.id, tree.frame.loader_id)
        for child in tree.child_frames:
            self.add_frames(child)

    def navigating(self) -> str | None:
        """The URL that the tab is navigating to, or whose document is not parsed yet; None otherwise."""
        navigation = self._navigation(self._root)
        if navigation is not None:
            return navigation.url
        return None if self.document.ready else self.document.url

    def forwards_to(self) -> str:
        """The URL that the tab's document soon goes on to by itself, by a `<meta http-equiv=refresh>`; "" for none.

        A page that reloads itself goes nowhere.
        """
        event = self._scheduled.get(self._root)
        if event is None or event.reason != "metaTagRefresh" or event.delay > _SOON_S:
            return ""
        return "" if event.url == self.document.url else event.url

    def unload_wait_s(self) -> float:
        """How many seconds the next document has been waiting only for the current page to unload; 0 if it is not."""
        navigation = self._navigation(self._root)
        if navigation is None or not navigation.begun:
            return 0.0
        return max(0.0, loop_time() - max(navigation.since, self.requests.answered_at(navigation.loader_id)))

    def waits_for_server(self) -> bool:
        """Whether the tab is navigating to a URL whose server has not answered."""
        navigation = self._navigation(self._root)
        return navigation is not None and not self.requests.is_answered(navigation.loader_id)

    def frames_navigating(self) -> dict[str, str]:
        """The URLs that the tab's frames, except the root, are navigating to, by frame id."""
        found = {frame_id: self._navigation(frame_id) for frame_id in list(self._navigations) if frame_id != self._root}
        return {frame_id: each.url for frame_id, each in found.items() if each is not None}

    async def wait_for_event(self, timeout_s: float | None, *, since: int | None = None) -> bool:
        """Waits for the next event, or for event number `since` + 1. False if it did not come within `timeout_s`."""
        if since is not None and since != self.event_count:
            return True
        waiting = self.next_event()
        try:
            await asyncio.wait([waiting], timeout=timeout_s)
            return waiting.done()
        finally:
            waiting.cancel()

    def next_event(self) -> asyncio.Future[None]:
        """A future that is done at the next event. Callers that stop waiting for it must cancel it."""
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(waiting)
        waiting.add_done_callback(self._waiting.discard)
        return waiting

    def wake(self) -> None:
        """Wakes waiting tasks for something other than a navigation or network event."""
        self._notify()

    def _navigation(self, frame_id: str) -> _Navigation | None:
        navigation = self._navigations.get(frame_id)
        if navigation is not None and not navigation.begun and loop_time() - navigation.since > REQUESTED_ONLY_S:
            del self._navigations[frame_id]
            return None
        return navigation

    def _requested(self, event: cdp_page.FrameRequestedNavigation) -> None:
        if event.disposition == "currentTab" and event.frame_id not in self._navigations:
            self._navigations[event.frame_id] = _Navigation(event.url, False, loop_time())
        if event.reason == "formSubmissionGet":
            self._forms.add(event.url.partition("#")[0])
        self._notify()

    def _schedule(self, event: cdp_page.FrameScheduledNavigation) -> None:
        self._scheduled[event.frame_id] = event

    def _unschedule(self, frame_id: str) -> None:
        """Detects refusals by Chrome, which have no event. Pages only cancel navigations to _NAVIGABLE_SCHEMES."""
        scheduled = self._scheduled.pop(frame_id, None)
        if scheduled is None or scheduled.url.partition(":")[0].lower() in _NAVIGABLE_SCHEMES:
            return
        self._navigations.pop(frame_id, None)
        if frame_id == self._root and scheduled.reason.startswith("formSubmission"):
            # Chrome has stopped parsing the document for this navigation, and sends no event.
            self.document.ready = self.document.loaded = True
        self.requests.refused(scheduled.url)

    def _started(self, event: cdp_page.FrameStartedNavigating) -> None:
        self._scheduled.pop(event.frame_id, None)
        if not event.navigation_type.startswith(("sameDocument", "historySameDocument")):
            self.navigations_begun += event.frame_id == self._root
            self._navigations[event.frame_id] = _Navigation(event.url, True, loop_time(), event.loader_id)
        self._notify()

    def _committed(self, event: cdp_page.FrameNavigated) -> None:
        info = event.frame
        self.frame_ids.add(info.id)
        self._navigations.pop(info.id, None)
        if info.id == self._root:
            failed = info.unreachable_url is not None and info.unreachable_url != ""
            url = info.unreachable_url if failed and info.unreachable_url else info.url + info.url_fragment
            # A document from the back/forward cache is complete at once, and has no loading events.
            restored = event.type == "BackForwardCacheRestore"
            number = self.document.number + 1
            self.document = Document(number, url, info.loader_id, ready=restored, loaded=restored, failed=failed)
            self.previous_loaders, self._loaders = self.loaders, {}
            self.crashed = self.stuck = False
            self._navigations = {}
            self.requests.forget_before(info.loader_id)
        self._loaders[info.id] = info.loader_id
        self._notify()

    def _stopped(self, frame_id: str) -> None:
        self._navigations.pop(frame_id, None)
        if frame_id == self._root:
            self.document.ready = self.document.loaded = True
        self._notify()

    def _detached(self, event: cdp_page.FrameDetached) -> None:
        going = self._navigations.get(event.frame_id)
        if event.reason == "remove":
            self._navigations.pop(event.frame_id, None)
            self._loaders.pop(event.frame_id, None)
        elif going is not None and going.url == _SRCDOC:
            # The frame moved to another process, as sandboxed ones do, before we were attached there to get its events.
            del self._navigations[event.frame_id]
            self._loaders[event.frame_id] = going.loader_id
        self._notify()

    def _moved(self, event: cdp_page.NavigatedWithinDocument) -> None:
        if event.frame_id == self._root:
            self.document.url = event.url
        self._notify()

    def _reached(self, *, ready: bool = True, loaded: bool = False, at: float = 0.0) -> None:
        if loaded:
            self.document.loaded_at = self.document.loaded_at or at
        else:
            self.document.ready_at = self.document.ready_at or at
        self.document.ready = self.document.ready or ready
        self.document.loaded = self.document.loaded or loaded
        self._notify()

    def _crash(self) -> None:
        # The tab's own navigation continues if another process runs it; if it ended too, Chrome has sent that event.
        self._navigations = {frame: each for frame, each in self._navigations.items() if frame == self._root}
        self.crashed, self.stuck = True, False
        self._notify()

    def _notify(self) -> None:
        self.event_count += 1
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)
