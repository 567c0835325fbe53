"""A tab as such: its sessions and frames, what is known of it and what goes on in it. What can be done: see page.py."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any

import msgspec

from cdp_agent.cdp import emulation, inspector, runtime, target
from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp.connection import Session
from cdp_agent.cdp.known_errors import is_target_gone, is_too_deep
from cdp_agent.errors import ActionError, BrowserError, PageClosed, PageUnresponsive, ProtocolError, ScriptError
from cdp_agent.page.activity.activity import Activity
from cdp_agent.page.frames.frames import FrameTree
from cdp_agent.page.frames.standstill import timeout
from cdp_agent.page.frames.world import CALL_TIMEOUT_S, World, deadline
from cdp_agent.page.policy.request_policy import RequestPolicy
from cdp_agent.page.snapshot import snapshot as snapshots
from cdp_agent.page.snapshot.refs import RefTable
from cdp_agent.page.snapshot.snapshot import Seen, Snapshot

from .asked_tabs import AskedTabs
from .dialogs import DialogPolicy, DialogWatcher
from .downloads import DownloadWatcher
from .drawing import drawing
from .emulate import emulate
from .settings import PageSettings

if TYPE_CHECKING:
    from cdp_agent.page.policy.holding import Hold

ATTACH_TIMEOUT_S = 2.0
CLOSE_TIMEOUT_S = 5.0
SILENCE_TIMEOUT_S = 0.5
CLOSE_AGAIN_S = 1.2
"""A navigation may begin just after it was told to stop. To ask sooner would keep a tab that hangs: Chrome ends it when
0.5 s passed since it was asked last."""
REMEMBERED_READINGS = 40
REMEMBERED_LENGTH = 2_000_000
"""In characters; of larger pages the last few readings are remembered all the same."""
LEAST_REMEMBERED = 6
_CLOSED_POPUPS = 5


class Kept(msgspec.Struct, frozen=True):
    """A large page as it was read after an action, good for as long as its worlds do not change (`counts`)."""

    snapshot: Snapshot
    counts: dict[World, int]


class LastTold(msgspec.Struct, frozen=True):
    """What somebody was told of a page: the number of its document, and its text, where that is known whole."""

    document: int
    text: str | None


class Tab:
    """A tab of a Chrome. It is attached to at its first use, so that a page costs nothing until it is asked for."""

    def __init__(
        self,
        browser: Session,
        info: target.TargetInfo,
        *,
        dialogs: DialogPolicy,
        downloads: DownloadWatcher,
        opener: Tab | None = None,
        settings: PageSettings | None = None,
        guard: RequestPolicy | None = None,
        theirs: bool = False,
        alone: bool = False,
    ) -> None:
        """`theirs`: somebody else opened it. Nothing is set there, dialogs are answered only while we act.

        `alone`: in a Chrome that we launched, where no extension has scripts in a page.
        """
        self.target_id = info.target_id
        self.number = 0
        """Which one it is of all the tabs that the browser has had, from 1."""
        self.title = info.title
        self.opener = opener
        self.popups: list[Tab] = []
        """Those that it opened, in order; of those closed meanwhile the last few."""
        self.handle: object = None
        """What programs have of it, once they do: see `page_of` in page.py."""
        self.guard = guard or RequestPolicy()
        """What the tab, and those that it opens, may load."""
        self.theirs = theirs
        self.alone = alone
        self.dialogs = DialogWatcher(
            dialogs, self._hold, self._go_on, lambda: self._acts or not self.theirs, self._session_of
        )
        self.downloads = downloads.of_page(self._has_frame, self._hold)
        self.refs = RefTable()
        self.history: deque[Seen] = deque(maxlen=REMEMBERED_READINGS)
        """What was read of the page lately, the latest at the end."""
        self.renewed: dict[int, int] = {}
        """Of refs whose elements were rendered anew: those of the elements that took their places."""
        self.told: set[int] = set()
        """Refs that were given out other than by a reading, such as those of a search."""
        self.read_took_s = 0.0
        """How long the last complete reading took."""
        self.kept: Kept | None = None
        self.shown: LastTold | None = None
        """What was told of the page last."""
        self.activity = Activity(info.target_id, info.url)
        self._read_last = 0
        """The number of the document that was read last."""
        self.reading_ahead: asyncio.Task[None] | None = None
        """See `read_ahead`."""
        self._ahead_of = 0
        """The number of the document that was read ahead last."""
        self.reached = False
        """The page's process has answered us once: one that hung before we came has not."""
        self.acting = asyncio.Lock()
        """Held by who acts, or waits for something: a receipt is its own."""
        self._acts = False
        self._until_done = contextlib.ExitStack()
        """What ends with what is being done in it."""
        self.draws = False
        """Chrome draws it for as long as something is being done in it."""
        self._is_behind = False
        """Chrome was seen to draw no frames of it, as behind another tab."""
        self.mouse_is_down = False
        """The left button was pressed and is to be let go by another action."""
        self._has_focus = False
        """Chrome was told to show its pages the focus, whatever has it."""
        self.guard.add_tab(info.target_id, info.url, self.activity)
        self._browser = browser
        given = settings or PageSettings()
        self.settings = given.for_theirs() if theirs else given
        self.asked = AskedTabs()
        """The new tabs that its pages ask for."""
        self._is_gone = False
        """Chrome has told that there is no such tab any more."""
        self._session: Session | None = None
        self._attached: asyncio.Task[FrameTree] | None = None
        self._following: asyncio.Task[None] | None = None
        """What puts the settings in force."""
        self._closing: asyncio.Task[None] | None = None
        self.reading = asyncio.Lock()
        """Held by whoever lets worlds give ids: the next free one is told beforehand."""

    @property
    def closed(self) -> bool:
        """It is no tab any more. Chrome ends its session first, and tells later that the tab is gone."""
        return self._is_gone or (self._session is not None and self._session.closed_because is not None)

    def add_popup(self, opened: Tab) -> None:
        """This one opened that tab."""
        self.popups.append(opened)
        closed = [each for each in self.popups if each.closed]
        if len(closed) > _CLOSED_POPUPS:
            self.popups.remove(closed[0])

    def popups_after(self, number: int) -> list[Tab]:
        """Those that came after the tab of that number, see `last_popup`."""
        return [each for each in self.popups if each.number > number]

    @property
    def last_popup(self) -> int:
        """The number of the tab that this one opened last, 0 for none."""
        return self.popups[-1].number if self.popups else 0

    async def frames(self) -> FrameTree:
        """The frames of the tab, attached to at the first call.

        Raises PageClosed, PageUnresponsive while it shows a dialog that is its user's to answer, BrowserError.
        """
        if self._closing is not None and not self._closing.done() and asyncio.current_task() is not self._closing:
            await asyncio.wait([self._closing])
        if self.closed and self._attached is None:
            raise PageClosed("Target.attachToTarget")
        tree = await asyncio.shield(self.attach())
        self.dialogs.check()  # Chrome tells whoever attaches of one that is open
        return tree

    @contextlib.asynccontextmanager
    async def act(self) -> AsyncIterator[None]:
        """The block acts in the tab, which one does at a time. Raises PageClosed, BlockedByPolicy.

        A tab of somebody else has the focus from then on, as far as its pages know: they heed no input without.
        """
        async with self.acting:
            self.check_open()
            if self.theirs:
                self.guard.check_holds()
                self._emulate_focus((await self.frames()).root.session)
            self._acts = True
            try:
                with contextlib.ExitStack() as self._until_done:
                    if self._is_behind:
                        self.draw((await self.frames()).root.session)
                    yield
            finally:
                self._acts = self.draws = False

    def draw(self, session: Session) -> None:
        """It is behind another tab: while something is being done in it, now and later, Chrome draws all its frames."""
        self._is_behind = self.draws = True
        self._until_done.enter_context(drawing(session))

    @contextlib.asynccontextmanager
    async def own_session(self) -> AsyncIterator[Session]:
        """Another session on the tab, for what would be in the way of others on its own; it is let go afterwards.

        Raises PageClosed, BrowserError.
        """
        self.check_open()
        attaching = target.AttachToTarget(target_id=self.target_id, flatten=True)
        session = self._browser.connection.session((await self._browser.send(attaching)).session_id)
        try:
            yield session
        finally:
            if session.closed_because is None:
                self._browser.tell(target.DetachFromTarget(session_id=session.id))

    def check_open(self) -> None:
        """Raises PageClosed for a tab that is none any more."""
        if self.closed:
            raise PageClosed

    @property
    def acts(self) -> bool:
        """Something is being done in it."""
        return self._acts

    async def set_up(self, timeout_s: float) -> None:
        """Waits, at most so long, until all that is set is in force: a tab that goes elsewhere before may lose it.

        Chrome hands on to the next process what the one before has answered. Raises SetupError for a locale or time
        zone that Chrome does not know, ProtocolError, BrowserError.
        """
        if self._following is not None:
            await asyncio.wait([self._following], timeout=timeout_s)
            if self._following.done():
                await self._following

    @property
    def is_attached(self) -> bool:
        return self._attached is not None

    def attach(self, session_id: str | None = None) -> asyncio.Task[FrameTree]:
        """Begins to follow the tab, on the session that Chrome made for it by itself, or on a new one."""
        task = self._attached
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = self._attached = asyncio.ensure_future(self._attach(session_id))
            task.add_done_callback(lambda done: done.cancelled() or done.exception())  # told to whoever uses the tab
        return task

    async def close(self) -> None:
        """See `Page.close`."""
        await asyncio.shield(self.begin_closing())

    def begin_closing(self) -> asyncio.Task[None]:
        """Begins what `close` waits for. An error is that of the task, and is told to whoever awaits it alone."""
        if self._closing is None or self._closing.done():
            self._closing = asyncio.ensure_future(self._close())
            self._closing.add_done_callback(lambda done: done.cancelled() or done.exception())
        return self._closing

    async def _close(self) -> None:
        def is_ours(event: target.TargetDestroyed) -> bool:
            return event.target_id == self.target_id

        if self.guard.leaves_with_its_tabs and self._attached is not None:
            await self.silence()
        async with self._browser.expect(target.TargetDestroyed, is_ours) as destroyed:
            try:
                async with self._close_timeout():
                    while not destroyed.done():
                        self._end_what_holds_it_up()
                        # Chrome forgets that it was asked when the tab goes on to another page meanwhile.
                        await self._browser.send(target.CloseTarget(target_id=self.target_id))
                        await asyncio.wait([destroyed], timeout=CLOSE_AGAIN_S)
            except TimeoutError as error:
                raise PageUnresponsive(f"The tab did not close within {CLOSE_TIMEOUT_S:g} s.") from error
            except ProtocolError as error:
                if not is_target_gone(error):
                    raise
                self.forget()

    def forget(self) -> None:
        """It was closed: what was read of it is of no use. The tab itself is remembered by the one that opened it."""
        self._is_gone = True
        for each in self.related:
            each._is_behind = False  # one of them is in front now
        self.guard.remove_tab(self.target_id)
        self.history.clear()
        self.shown = None
        self.kept = None
        self.activity.wake()

    @property
    def related(self) -> list[Tab]:
        """The open tabs that opened this one or were opened by it, over others too: they keep to the same rules."""
        first: Tab = self
        while first.opener is not None:
            first = first.opener
        found = [first]
        for each in found:  # grows meanwhile
            found += each.popups
        return [each for each in found if each is not self and not each.closed]

    def _close_timeout(self) -> AbstractAsyncContextManager[None]:
        """The page may ask whether to stay, and somebody be asked about that."""
        tree = self._known_frames
        return timeout(self._browser if tree is None else tree.root.session, CLOSE_TIMEOUT_S)

    async def silence(self) -> None:
        """No script of its pages runs any more: what one would send as it goes would not meet the rules."""
        sessions = {frame.session for frame in (await self.frames()).all()}
        answers = [each.post(emulation.SetScriptExecutionDisabled(value=True)) for each in sessions]
        for answer in answers:
            answer.add_done_callback(lambda done: done.cancelled() or done.exception())
        await asyncio.wait(answers, timeout=SILENCE_TIMEOUT_S)

    def _end_what_holds_it_up(self) -> None:
        """A tab on its way to a server that does not answer would be closed only when it does.

        Chrome waits no longer for a page that loops in `beforeunload`, but its process would go on looping.
        """
        if (tree := self._known_frames) is not None:
            session = tree.root.session
            session.tell(cdp_page.StopLoading())
            if session.silent and not self.related:  # else it may be another tab's script
                session.tell(runtime.TerminateExecution())
            tree.end_hanging()

    async def read(self, budget_tokens: int | None = None, *, frame_timeout_s: float | None = None) -> Snapshot:
        """What `snapshot` gives, for use inside an action: nobody is shown it. `frame_timeout_s`: see `take` there."""
        tree = await self.frames()
        async with self.reading:
            begun = time.monotonic()
            taken = await snapshots.take(tree, self.refs, budget_tokens=budget_tokens, frame_timeout_s=frame_timeout_s)
            self._remember(Seen(taken, self.refs.next))
        if budget_tokens is None:
            self.read_took_s = time.monotonic() - begun
        self.title = taken.title
        return taken

    def show(self, text: str | None) -> None:
        """Somebody is told of the present document, and that it says `text`."""
        self.shown = LastTold(self.activity.document.number, text)

    def forget_shown(self) -> None:
        """What was told of the page is to be no measure of what comes next, but for which document that was."""
        if self.shown is not None:
            self.shown = LastTold(self.shown.document, None)

    def read_ahead(self) -> None:
        """Begins to read a new document that only its rest is waited for, where the one before it was read.

        Whoever reads it then waits for what has changed since, and for no more.
        """
        number = self.activity.document.number
        if self.history and self._read_last == number - 1 and self._ahead_of != number:
            self._ahead_of = number
            self.reading_ahead = asyncio.ensure_future(self._read_ahead())

    async def _read_ahead(self) -> None:
        with contextlib.suppress(ActionError, BrowserError):  # the reading that follows is told the same
            tree = await self.frames()
            async with self.reading:
                await snapshots.take(tree, self.refs)

    def _remember(self, seen: Seen) -> None:
        if self._read_last != self.activity.document.number:  # of refs that were of a document that has gone
            self._read_last = self.activity.document.number
            self.told = {number for number in self.told if self.refs.locate(number) is not None}
            self.renewed = {was: now for was, now in self.renewed.items() if self.refs.locate(now) is not None}
        if self.history and self.history[-1].snapshot.text == seen.snapshot.text:
            self.history.pop()
        self.history.append(seen)
        length = sum(len(each.snapshot.text) for each in self.history)
        while length > REMEMBERED_LENGTH and len(self.history) > LEAST_REMEMBERED:
            length -= len(self.history.popleft().snapshot.text)

    async def evaluate(self, expression: str, *, timeout_s: float = CALL_TIMEOUT_S) -> Any:
        """See `Page.evaluate`."""
        tree = await self.frames()
        tree.root.still = False
        async with deadline(tree.root.session, timeout_s):
            try:
                answer = await tree.root.session.send(
                    runtime.Evaluate(expression=expression, return_by_value=True, await_promise=True)
                )
            except ProtocolError as error:
                if is_too_deep(error):
                    raise ScriptError("The value is nested too deep to be told. Ask for a part of it.") from error
                raise
        if answer.exception_details is not None:
            thrown = answer.exception_details.exception
            raise ScriptError((thrown and thrown.description) or answer.exception_details.text)
        return msgspec.json.decode(answer.result.value) if bytes(answer.result.value) else None

    @property
    def url(self) -> str:
        """The address that the tab shows."""
        return self.activity.document.url

    def update(self, info: target.TargetInfo) -> None:
        """What Chrome tells of the tab from outside: address and title."""
        self.title = info.title
        if not self.is_attached:
            self.activity.document.url = info.url

    def _hold(self) -> Hold | None:
        return self.guard.hold

    def _go_on(self) -> None:
        """The page has opened a dialog when the next one was about to be shown: each waits for the other for ever.

        Chrome lets nobody answer it then, but a navigation that begins anew takes the place of the one that waits.
        """
        tree = self._known_frames
        if tree is not None and tree.root.leaving_for is not None:
            tree.root.session.tell(cdp_page.Navigate(url=tree.root.leaving_for))

    def _session_of(self, frame_id: str) -> Session | None:
        return None if (tree := self._known_frames) is None else tree.session_of(frame_id)

    @property
    def _known_frames(self) -> FrameTree | None:
        """Those that are attached to, without waiting for them."""
        task = self._attached
        return task.result() if task and task.done() and not task.cancelled() and not task.exception() else None

    def _has_frame(self, frame_id: str) -> bool:
        """Whether a download that began there is its doing: in a frame of it, or of a tab that it only opened."""
        if frame_id == self.target_id or frame_id in self.activity.frame_ids:
            return True
        return any(popup._has_frame(frame_id) for popup in self.popups if not popup.acting.locked())

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
            keep_worker=self.guard.watch_worker,
            is_answered=self.activity.requests.is_answered,
        )
        if not self.theirs:
            self._emulate_focus(session)
        following = self._following = asyncio.ensure_future(tree.start())
        following.add_done_callback(lambda done: self._followed(done, session))
        session.on(inspector.TargetReloadedAfterCrash, lambda _: self._catch_up(session))
        # A tab that hangs answers none of them, and one that has crashed fails them; both can still be sent elsewhere.
        await asyncio.wait([following], timeout=ATTACH_TIMEOUT_S)
        if following.done() and session.stalled_because == session.closed_because:
            await following
        return tree

    def _emulate_focus(self, session: Session) -> None:
        if not self._has_focus:
            self._has_focus = True
            session.tell(emulation.SetFocusEmulationEnabled(enabled=True))

    def _followed(self, following: asyncio.Future[Any], session: Session) -> None:
        if not following.cancelled() and following.exception() is None:
            self.reached = True
            self._catch_up(session)

    def _catch_up(self, session: Session) -> None:
        """A navigation may change the process before the old one was told to tell us: then nobody tells of it."""
        document = self.activity.document.number

        def know(answer: asyncio.Future[cdp_page.FrameTreeResult]) -> None:
            told_meanwhile = self.activity.document.number != document
            if answer.cancelled() or answer.exception() is not None:
                return
            self.activity.know_frames(answer.result().frame_tree)
            if not told_meanwhile:
                self.activity.catch_up(answer.result().frame_tree.frame)

        session.tell(cdp_page.Enable())
        session.post(cdp_page.GetFrameTree()).add_done_callback(know)

    def _prepare(self, session: Session, is_tab: bool) -> Sequence[asyncio.Future[Any]]:
        """Subscribes to what must not be missed on a new session, and sets it up, before anything runs there."""
        self.dialogs.watch(session)
        self.activity.watch(session)
        self.asked.watch(session)
        self.guard.watch(session)
        return () if self.theirs else emulate(self.settings, session, is_tab=is_tab)
