"""A tab as such: its sessions and frames, its state and its activity. What can be done in it is in page.py."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.cdp import emulation, inspector, target
from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp.connection import Session, retrieve_exception
from cdp_agent.cdp.types import Empty
from cdp_agent.errors import PageClosed, PageUnresponsive
from cdp_agent.page.activity.activity import Activity
from cdp_agent.page.frames.deadline import pause_of_act
from cdp_agent.page.frames.frames import FrameTree
from cdp_agent.page.frames.responsiveness import is_responsive
from cdp_agent.page.policy.request_policy import RequestPolicy
from cdp_agent.page.snapshot.file_text import close_file
from cdp_agent.page.snapshot.refs import RefCounter

from . import closing
from .dialog_policy import DialogPolicy
from .dialogs import CLOSING, DialogWatcher, open_error
from .downloads import DownloadWatcher
from .drawing import DrawnTabs
from .emulate import emulate
from .popups import Popups
from .read_tab import ReadTab
from .requested_tabs import RequestedTabs
from .running_act import RunningActs
from .settings import PageSettings
from .shown import LastShown
from .unsent import Unsent

if TYPE_CHECKING:
    from cdp_agent.page.policy.holding import Hold

ATTACH_TIMEOUT_S = 2.0
OWN_SESSION_S = 20.0


class Tab(ReadTab):
    """A tab of a Chrome. We attach to it at its first use, so that it costs nothing before."""

    number = 0
    """Its number among all tabs that the browser has had, from 1."""
    page_object: object = None
    """The `Page` of this tab, once there is one: see `page_of` in page.py."""
    has_answered = False
    """Whether the page's process has ever answered us: a page that hung before we attached has not."""
    mouse_is_down = False
    """Whether the left button is down, for a later action to release."""
    _is_acting = False
    _has_focus = False
    """Whether focus emulation is on."""
    _is_gone = False
    """Whether Chrome has reported the end of the tab."""

    def __init__(
        self,
        browser: Session,
        info: target.TargetInfo,
        *,
        dialogs: DialogPolicy,
        downloads: DownloadWatcher,
        drawn: DrawnTabs,
        request_policy: RequestPolicy,
        opener: Tab | None = None,
        settings: PageSettings | None = None,
        refs: RefCounter | None = None,
        siblings: Callable[[], Sequence[Tab]] = tuple,
        is_foreign: bool = False,
        in_own_chrome: bool = False,
    ) -> None:
        """`refs` counts the refs of the browser. `siblings` gives the open tabs of the tab's browser context.

        `is_foreign`: somebody else opened it, so no settings apply, and its dialogs are answered only while we act.

        `in_own_chrome`: we launched the Chrome: no extension runs scripts in pages, nobody sees what Chrome asks."""
        super().__init__(Activity(info.target_id, info.url, in_own_chrome=in_own_chrome), info.title, refs)
        self.target_id = info.target_id
        self.opener = opener
        self.popups = Popups[Tab]()
        self.request_policy = request_policy
        """The rules of the tab and of those that it opens."""
        self.is_foreign = is_foreign
        self.in_own_chrome = in_own_chrome
        self.dialog_policy = dialogs
        """How its dialogs are answered, unless an action that runs has a policy of its own."""
        self.unsent = Unsent(lambda: self.activity.document.number, is_ours=self.is_ours)
        self.dialogs = DialogWatcher(
            self._dialog_policy,
            self._hold,
            self._navigate_again,
            lambda: self._is_acting or not self.is_foreign,
            self._session_of,
            self._pause_acts,
            self.unsent.when_left,
        )
        self.acts = RunningActs(lambda: partial(setattr, self, "shown", self.shown))
        self.downloads = downloads.of_page(self._has_frame, self._hold)
        self.siblings = siblings
        self.action_lock = asyncio.Lock()
        """Held during an action or a wait, so that receipts do not mix."""
        self.request_policy.add_tab(info.target_id, info.url, self.activity)
        self._drawn = drawn
        drawn.add(info.target_id)
        self._browser = browser
        settings = settings or PageSettings()
        self.settings = settings.for_foreign_tab() if is_foreign else settings
        self.requested_tabs = RequestedTabs()
        """The new tabs that its pages ask for."""
        self._session: Session | None = None
        self._attached: asyncio.Task[FrameTree] | None = None
        self._setup: asyncio.Task[None] | None = None
        """The task that puts the settings in force."""
        self._closing: asyncio.Task[None] | None = None

    @property
    def closed(self) -> bool:
        """Whether the tab was closed. Chrome ends its session first, and reports the end of the tab later."""
        return self._is_gone or (self._session is not None and self._session.closed_because is not None)

    async def frames(self) -> FrameTree:
        """The frames of the tab, attached to at the first call.

        Raises PageClosed, PageUnresponsive while the tab shows a dialog that is left to its user, BrowserError.
        """
        if self._closing is not None and not self._closing.done() and asyncio.current_task() is not self._closing:
            await asyncio.wait([self._closing])
        if self.closed and self._attached is None:
            raise PageClosed("Target.attachToTarget")
        tree = await asyncio.shield(self.attach())
        if (act := pause_of_act.get()) is not None:
            await act.wait_until_answered()
        else:
            await self._check_dialogs(tree.root.session)  # when we attach, Chrome reports a dialog that is open
        return tree

    async def _check_dialogs(self, session: Session) -> None:
        """Raises DialogOpen while a dialog is open, during which the page answers no calls."""
        if (dialog := self.dialogs.open) is not None:
            raise open_error(dialog, of_person=self.dialogs.is_of_person)
        for each in self.related:  # such a tab may share the process, which waits as a whole
            if (dialog := each.dialogs.open) is not None and not await is_responsive(session):
                dialog = msgspec.structs.replace(dialog, tab=each.id)
                raise open_error(dialog, of_person=each.dialogs.is_of_person)

    def _dialog_policy(self) -> DialogPolicy:
        own = (act.dialogs for tab in (self, *self.related) for act in tab.acts)
        return next(filter(None, own), self.dialog_policy)

    @property
    def is_ours(self) -> bool:
        """Whether we opened it, in a Chrome of ours: nobody else enters anything there."""
        return self.in_own_chrome and not self.is_foreign

    def _pause_acts(self) -> None:
        """Pauses the actions here and in related tabs while a dialog is open in one of them."""
        tabs = (self, *self.related)
        is_open = any(each.dialogs.open is not None for each in tabs)
        for act in [act for each in tabs for act in each.acts]:
            (act.stop if is_open else act.go_on)()

    @property
    def id(self) -> str:
        """The id by which callers name the tab: t2."""
        return f"t{self.number}"

    async def decided(self) -> None:
        """Waits while the present action waits for a decision: on an effect that is held, or on a dialog."""
        if (act := pause_of_act.get()) is not None:
            await act.wait_until_answered()
        await self.request_policy.hold.decided()

    @contextlib.asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """A block that has the tab to itself, for an action or a wait. Raises PageClosed."""
        if self.action_lock.locked():
            log_line("wait", "another action has the tab: waits for its end")
        async with self.action_lock:
            self.check_open()
            if (act := self.acts.present) is not None:
                act.had_turn = True
            yield

    @contextlib.asynccontextmanager
    async def act(self) -> AsyncIterator[None]:
        """A block that acts in the tab; only one runs at a time. Raises PageClosed, BlockedByPolicy.

        Turns on focus emulation in somebody else's tab, which stays on: without it pages may ignore input.
        """
        async with self.turn():
            if self.is_foreign:
                self.request_policy.check_covered()
                self._emulate_focus((await self.frames()).root.session)
            self._is_acting = True
            if (tree := self._known_frames) is not None and tree.root.present_world is not None:
                close_file(tree.root.present_world)
            try:
                async with self.drawn():
                    yield
            finally:
                self._is_acting = False

    @contextlib.asynccontextmanager
    async def drawn(self) -> AsyncIterator[FrameTree]:
        """A block during which Chrome draws all frames of the tab, also behind another. Raises as `frames`."""
        tree = await self.frames()
        with self._drawn.work_in(tree.root.session):
            yield tree

    @contextlib.asynccontextmanager
    async def own_session(self) -> AsyncIterator[Session]:
        """A separate session on the tab, for commands that would interfere with others; detached after the block.

        Raises PageClosed, PageUnresponsive, BrowserError.
        """
        self.check_open()
        attaching = self._browser.post(target.AttachToTarget(target_id=self.target_id, flatten=True))
        try:
            await asyncio.wait([attaching], timeout=OWN_SESSION_S)
            if not attaching.done():
                raise PageUnresponsive(f"Chrome began no further session with the tab within {OWN_SESSION_S:g} s.")
            yield self._browser.connection.session(attaching.result().session_id)
        finally:
            attaching.add_done_callback(self._detach)  # also where the answer comes later

    def _detach(self, attaching: asyncio.Future[target.AttachedSession]) -> None:
        if not attaching.cancelled() and attaching.exception() is None:
            session = self._browser.connection.session(attaching.result().session_id)
            if session.closed_because is None:
                self._browser.tell(target.DetachFromTarget(session_id=session.id))

    def check_open(self) -> None:
        """Raises PageClosed if the tab was closed."""
        if self.closed:
            raise PageClosed

    @property
    def is_acting(self) -> bool:
        """Whether an action is running in the tab."""
        return self._is_acting

    async def set_up(self, timeout_s: float) -> None:
        """Waits, at most `timeout_s`, until all settings are in force: a navigation before that may lose them.

        Chrome passes on to the next process only settings that the former one has confirmed. Raises SetupError for a
        locale or time zone that Chrome does not know, ProtocolError, BrowserError.
        """
        if self._setup is not None:
            await asyncio.wait([self._setup], timeout=timeout_s)
            if self._setup.done():
                await self._setup

    @property
    def is_attached(self) -> bool:
        return self._attached is not None

    def attach(self, session_id: str | None = None) -> asyncio.Task[FrameTree]:
        """Begins to follow the tab, on the session that Chrome attached by itself, or on a new one."""
        task = self._attached
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = self._attached = asyncio.ensure_future(self._attach(session_id))
            task.add_done_callback(retrieve_exception)  # raised when the tab is used
        return task

    async def close(self) -> None:
        """See `Page.close`."""
        await asyncio.shield(self.begin_closing())

    def begin_closing(self) -> asyncio.Task[None]:
        """Begins to close the tab; `close` waits for the returned task. Only awaiting the task raises its error."""
        if self._closing is None or self._closing.done():
            self._closing = asyncio.ensure_future(self._close())
            self._closing.add_done_callback(retrieve_exception)
        return self._closing

    async def _close(self) -> None:
        self.dialog_policy = CLOSING
        self.dialogs.answer("dismiss", None)
        tree, ends = self._known_frames, self.request_policy.ends_with_its_tabs
        if not await closing.close(self._browser, self.target_id, tree, lambda: self.related, ends_scripts=ends):
            self.forget()

    def forget(self) -> None:
        """Frees the memory of a closed tab, to which its opener still refers."""
        self._is_gone = True
        self._drawn.remove(self.target_id, self._session)
        self.dialogs.forget()
        self.request_policy.remove_tab(self.target_id)
        self.history.clear()
        self.shown = LastShown()
        self.activity.wake()

    @property
    def related(self) -> list[Tab]:
        """The open tabs that opened this one or were opened by it, directly or indirectly. They have the same rules."""
        first: Tab = self
        while first.opener is not None:
            first = first.opener
        found = [first]
        for each in found:  # grows meanwhile
            found += each.popups
        return [each for each in found if each is not self and not each.closed]

    @property
    def url(self) -> str:
        """The address that the tab shows."""
        return self.activity.document.url

    def update(self, info: target.TargetInfo) -> None:
        """Takes in the tab's address and title from Chrome's target events."""
        self.title = info.title
        if not self.is_attached:
            self.activity.document.url = info.url

    def _hold(self) -> Hold:
        return self.request_policy.hold

    def _navigate_again(self) -> None:
        """Navigates again when a page opened a dialog just as it was to be replaced, so that each waits for the other.

        Chrome accepts no answer to the dialog then, but a new navigation replaces the one that waits.
        """
        tree = self._known_frames
        if tree is not None and tree.root.navigating_to is not None:
            tree.root.session.tell(cdp_page.Navigate(url=tree.root.navigating_to))

    def _session_of(self, frame_id: str) -> Session | None:
        return None if (tree := self._known_frames) is None else tree.session_of(frame_id)

    @property
    def _known_frames(self) -> FrameTree | None:
        """The frames if we are attached, without waiting; else None."""
        task = self._attached
        return task.result() if task and task.done() and not task.cancelled() and not task.exception() else None

    def _has_frame(self, frame_id: str) -> bool:
        """Whether a download in that frame is this tab's: it is a frame of the tab, or of a popup without an action."""
        if frame_id == self.target_id or frame_id in self.activity.frame_ids:
            return True
        return any(popup._has_frame(frame_id) for popup in self.popups if not popup.action_lock.locked())

    async def _attach(self, session_id: str | None) -> FrameTree:
        if session_id is None:
            attached = await self._browser.send(target.AttachToTarget(target_id=self.target_id, flatten=True))
            session_id = attached.session_id
        session = self._session = self._browser.connection.session(session_id)
        session.is_tab = True
        self.activity.watch_root(session)
        tree = FrameTree(
            session,
            self.target_id,
            self._prepare,
            watch_worker=self._watch_worker,
            is_answered=self.activity.requests.is_answered,
        )
        if not self.is_foreign:
            self._emulate_focus(session)
        following = self._setup = asyncio.ensure_future(tree.start())
        following.add_done_callback(lambda done: self._followed(done, session))
        session.on(inspector.TargetReloadedAfterCrash, lambda _: self._catch_up(session))
        # A hanging tab does not answer, and in a crashed one the commands fail; both can still navigate.
        await asyncio.wait([following], timeout=ATTACH_TIMEOUT_S)
        if following.done() and session.stalled_because == session.closed_because:
            await following
        return tree

    def _emulate_focus(self, session: Session) -> None:
        if not self._has_focus:
            self._has_focus = True
            session.tell(emulation.SetFocusEmulationEnabled(enabled=True))

    def _followed(self, following: asyncio.Future[None], session: Session) -> None:
        if not following.cancelled() and following.exception() is None:
            self.has_answered = True
            self._catch_up(session)

    def _catch_up(self, session: Session) -> None:
        """Takes in the present document: a navigation may change the process before the old one sends events."""
        document = self.activity.document.number

        def know(answer: asyncio.Future[cdp_page.FrameTreeResult]) -> None:
            changed_meanwhile = self.activity.document.number != document
            if answer.cancelled() or answer.exception() is not None:
                return
            self.activity.add_frames(answer.result().frame_tree)
            if not changed_meanwhile:
                self.activity.catch_up(answer.result().frame_tree.frame)

        session.tell(cdp_page.Enable())
        session.post(cdp_page.GetFrameTree()).add_done_callback(know)

    def _watch_worker(self, session: Session, target_id: str, parent: Session) -> None:
        self.activity.requests.watch(session)
        self.request_policy.watch_worker(session, target_id, is_inner=not parent.is_tab)

    def _prepare(self, session: Session, is_tab: bool) -> Sequence[asyncio.Future[Empty]]:
        """Subscribes to events on a new session and sets it up, before anything runs there."""
        self.dialogs.watch(session)
        self.activity.watch(session)
        self.requested_tabs.watch(session)
        self.request_policy.watch(session, is_tab=is_tab)
        ours = self.in_own_chrome
        return () if self.is_foreign else emulate(self.settings, session, is_tab=is_tab, in_own_chrome=ours)
