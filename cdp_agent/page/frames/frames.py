"""The frames of a tab that a script in the frame around them cannot enter.

A `Frame` here is the tab itself, an out-of-process iframe (each with a session of its own), or an iframe of another
origin in its parent's process (with its parent's session). Iframes of the parent's origin need no `Frame`: the parent's
world enters them. Higher layers never ask in which process a frame is.

https://chromedevtools.github.io/devtools-protocol/tot/Target/#method-setAutoAttach
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence

from cdp_agent.cdp import inspector, network, runtime, target
from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp.connection import Session, retrieve_exception
from cdp_agent.cdp.types import Empty
from cdp_agent.errors import DocumentGone, PageUnresponsive, ProtocolError
from cdp_agent.patterns import pattern

from .world import (
    CALL_TIMEOUT_S,
    CRASHED,
    World,
    ask_for_world,
    deadline,
    is_preloaded,
    next_document_has_functions,
    preload,
)

# Workers and worklets wait for a debugger even if the filter excludes them, and then indefinitely. So all are included
# and released as they attach, except those that outlive the page: they do not wait, and releasing would end them.
_AUTO_ATTACHED = [
    *(target.FilterEntry(type=each, exclude=True) for each in ("page", "tab", "service_worker", "shared_worker")),
    target.FilterEntry(),
]
WORKERS = [target.FilterEntry(type="worker"), target.FilterEntry(exclude=True)]
ARRIVAL_TIMEOUT_S = 2.0
SLOW_SERVER_TIMEOUT_S = 15.0
"""How long a server may take to answer after an action navigated to it; later calls then stop the navigation."""
_STOPS_WITHIN_S = 1.0
_STATIC_CHECK_TIMEOUT_S = 1.0
_SCRIPTS_IN_MARKUP = pattern(r"""<script|[\s"'/]on[a-z]+\s*=|http-equiv\s*=\s*["']?refresh""", re.IGNORECASE)

Prepare = Callable[[Session, bool], Sequence[asyncio.Future[Empty]]]
"""Subscribes on a new session and sets it up before anything runs there; returns futures of Chrome's answers.

The second argument says whether it is the session of the tab.
"""


class Frame:
    """A frame with a world of its own: its session, and the world in its present document."""

    def __init__(
        self, frame_id: str, session: Session, parent: Frame | None, url: str, is_answered: Callable[[str], bool]
    ) -> None:
        self.id = frame_id
        self.session = session
        self.parent = parent
        self.url = url
        self.is_static: bool | None = None
        """Whether no script can run in the present document, see `is_static_document`; None if not known yet."""
        self.owners: dict[int, str] = {}
        """Which frame each iframe element of this frame's documents contains: local id → frame id."""
        self.navigating_to: str | None = None
        """The address that it is navigating to, else None. Meanwhile Chrome holds back all commands for the frame."""
        self.is_reported_slow = False
        """Whether a receipt has reported that the server does not answer: the navigation may then be stopped."""
        self.has_workers = False
        """Whether its document has had a worker, which may be working unnoticed."""
        self._is_answered = is_answered
        self._has_functions = False
        """Whether our functions came with the present document."""
        self._loader_id = ""
        self._world: asyncio.Task[World] | None = None
        self._world_asked: asyncio.Future[cdp_page.IsolatedWorld] | None = None
        """What was asked ahead: the world of the next document, or of the present one if that has come meanwhile."""
        self._document: asyncio.Future[runtime.Evaluated] | None = None
        self._navigation_began_at = 0.0
        self._navigation_waiters: set[asyncio.Future[None]] = set()

    def is_in(self, outer: Frame) -> bool:
        """Whether it is this frame, or one in it."""
        return self is outer or (self.parent is not None and self.parent.is_in(outer))

    async def wait_for_navigation(self, timeout_s: float) -> None:
        """Waits while the frame navigates to another document, at most until `timeout_s` after the navigation began.

        A navigation that a receipt has reported as slow is stopped after SLOW_SERVER_TIMEOUT_S if the server has not
        answered. Raises PageUnresponsive when the frame is still navigating then, SessionClosed or BrowserError when it
        is gone.
        """
        if await self._navigation_ends_by(
            self._navigation_began_at + (SLOW_SERVER_TIMEOUT_S if self.is_reported_slow else timeout_s)
        ):
            return
        if self.is_reported_slow and not self._is_answered(self._loader_id):
            self.session.tell(cdp_page.StopLoading())
            if await self._navigation_ends_by(asyncio.get_running_loop().time() + _STOPS_WITHIN_S):
                return
        raise PageUnresponsive(self._navigating_message())

    async def wait_for_reported_navigation(self) -> None:
        """As `wait_for_navigation`, but only for a navigation that a receipt has reported. Raises PageUnresponsive."""
        if self.is_reported_slow:
            await self.wait_for_navigation(SLOW_SERVER_TIMEOUT_S)

    async def _navigation_ends_by(self, until: float) -> bool:
        """Whether the navigation ends by `until`. Raises PageClosed, SessionClosed, BrowserError if the frame ends."""
        while self.navigating_to is not None:
            with self.session.future("Page.frameNavigated") as waiter:
                self._navigation_waiters.add(waiter)
                waiter.add_done_callback(self._navigation_waiters.discard)
                await asyncio.wait([waiter], timeout=max(0.0, until - asyncio.get_running_loop().time()))
                if not waiter.done():
                    return False
                if waiter.exception() is None:
                    return True
                # The frame crashed, and the next document may still come; or it is gone, which the next turn raises.
        return True

    def _navigating_message(self) -> str:
        if self._is_answered(self._loader_id):
            return (
                f"It is still on its way to {self.navigating_to}: an answer has come, but the page that is to be left"
                " is still there. Wait, reload it or go elsewhere."
            )
        return f"It is still loading {self.navigating_to}: no answer has come yet. Wait, or go elsewhere."

    def note_navigation(self, url: str | None, loader_id: str = "") -> None:
        """Notes that a navigation began, or, with None, that it ended, with or without another document."""
        self.navigating_to = url
        self.is_reported_slow = False
        self._loader_id = loader_id
        self._navigation_began_at = asyncio.get_running_loop().time()
        for waiter in self._navigation_waiters if url is None else ():
            if not waiter.done():
                waiter.set_result(None)

    async def owner(self) -> tuple[Frame, World, int] | None:
        """The frame, world and local id of the iframe element that contains this frame; None for the tab's own frame.

        Raises DocumentGone when that element is gone, and what `world` raises.
        """
        parent = self.parent
        if parent is None:
            return None
        world = await parent.world()
        for local, frame_id in parent.owners.items():
            if frame_id == self.id:
                return parent, world, local
        raise DocumentGone("The frame has no place in its page any more: take a new snapshot.")

    @property
    def present_world(self) -> World | None:
        """The world of the present document, None if there is none yet."""
        task = self._world
        if task is None or not task.done() or task.cancelled() or task.exception() is not None:
            return None
        return None if task.result().gone else task.result()

    async def world(self) -> World:
        """The world of the present document, created on first use. Raises as World.create, and PageUnresponsive."""
        await self.wait_for_reported_navigation()
        while True:
            task = self._world_task()
            try:
                if task.done():
                    return task.result()
                async with deadline(self.session, CALL_TIMEOUT_S):  # the task may have begun long ago
                    return await asyncio.shield(task)
            except asyncio.CancelledError:
                current = asyncio.current_task()
                if self._world is task or (current is not None and current.cancelling()):
                    raise
                # The document was replaced meanwhile (see forget_document): continue with the present one.

    def prepare_world(self) -> None:
        """Begins to create the world of the present document ahead of its use, or of the next one; does not wait."""
        if self.navigating_to is None:
            self._world_task()
        else:
            self.ask_for_next_world()

    def ask_for_next_world(self) -> None:
        """Asks Chrome for the world of the document that a navigation of the tab leads to, which was sent before."""
        if self.parent is None and (self._world_asked is None or self._world_asked.done()):
            self._world_asked = ask_for_world(self.session, self.id)

    def document(self) -> asyncio.Future[runtime.Evaluated]:
        """The present document as an object of the page's own world; only for a frame with a session of its own."""
        answer = self._document
        if answer is None or (answer.done() and (answer.cancelled() or answer.exception() is not None)):
            answer = self._document = self.session.post(runtime.Evaluate(expression="document"))
            answer.add_done_callback(retrieve_exception)  # raised where it is awaited
        return answer

    @property
    def has_own_session(self) -> bool:
        """Whether it is the outermost frame of its session."""
        return self.parent is None or self.parent.session is not self.session

    def _world_task(self) -> asyncio.Task[World]:
        task = self._world
        if task is None or (task.done() and (task.cancelled() or task.exception() or task.result().gone)):
            made, self._world_asked = self._world_asked or ask_for_world(self.session, self.id), None
            creating = World.create(self.session, self.id, made, has_functions=self._has_functions)
            task = self._world = asyncio.ensure_future(creating)
            self._has_functions = False  # if it turns out otherwise, the next is given them
            task.add_done_callback(retrieve_exception)  # whoever asked for it may have been cancelled
            self.owners = {}
            if self.has_own_session:
                self.document()
        return task

    def forget_document(self, *, next_is_new: bool = False) -> None:
        """Forgets the world and everything else about the document, which was replaced, by a new one or by none yet."""
        task, self._world = self._world, None
        self._has_functions = next_is_new and next_document_has_functions(self.session)
        if self._world_asked is not None and self._world_asked.done():  # of the document that is gone
            self._world_asked = None
        self._document = None
        self.is_static = None
        self.owners = {}
        self.has_workers = False
        if task is None:
            return
        task.cancel()
        if task.done() and not task.cancelled() and task.exception() is None:
            task.result().gone = True


class FrameTree:
    """All frames of a tab that need a world, kept up to date by events; `root` is the tab."""

    def __init__(
        self,
        session: Session,
        target_id: str,
        prepare: Prepare,
        *,
        watch_worker: Callable[[Session, str, Session], None],
        is_answered: Callable[[str], bool],
    ) -> None:
        """`watch_worker` subscribes on the session of a new dedicated worker; it gets its target id and parent, too.

        `is_answered` returns, by loader id, whether the request for a document was answered, or there was none."""
        self.root = Frame(target_id, session, None, "about:blank", is_answered)
        self._frames: dict[str, Frame] = {target_id: self.root}
        self._prepare = prepare
        self._watch_worker = watch_worker
        self._is_answered = is_answered
        self._arrivals: dict[str, asyncio.Future[Frame]] = {}
        self.unread_documents = 0
        """How many documents came in unread frames that share a parent's process, see `find_frame`."""

    async def start(self) -> None:
        """Follows the tab's frames from now on. Raises ProtocolError, SessionClosed, BrowserError."""
        await asyncio.gather(*self._subscribe(self.root))

    def all(self) -> list[Frame]:
        """All known frames, each after its parent."""
        return list(self._frames.values())

    def session_of(self, frame_id: str) -> Session | None:
        """The session of a frame's process; None if the frame is not known yet."""
        frame = self._frames.get(frame_id)
        return None if frame is None else frame.session

    async def find_frame(self, parent: Frame, frame_id: str, timeout_s: float = ARRIVAL_TIMEOUT_S) -> Frame | None:
        """The frame of that id in a document of `parent`; None if its process does not appear within `timeout_s`.

        Chrome sends no event for a frame that shares the parent's process: such a frame is found by creating a world in
        it. Raises PageUnresponsive, BrowserError.
        """
        if known := self._frames.get(frame_id):
            return known
        arrived = self._arrivals.setdefault(frame_id, asyncio.get_running_loop().create_future())
        frame = Frame(frame_id, parent.session, parent, "", self._is_answered)
        try:
            await frame.world()
        except DocumentGone:  # it is not in this process
            return await self._arrival(frame_id, arrived, timeout_s)
        self._arrivals.pop(frame_id, None)
        return self._frames.setdefault(frame_id, frame)

    async def _arrival(self, frame_id: str, arrived: asyncio.Future[Frame], timeout_s: float) -> Frame | None:
        await asyncio.wait([arrived], timeout=timeout_s)
        if arrived.done():
            return arrived.result()
        self._arrivals.pop(frame_id, None)
        return None

    def terminate_hanging_scripts(self) -> None:
        """Ends scripts of frames that hang: in a process shared with other tabs they would run on without the frame."""
        for session in {each.session for each in self.all()} - {self.root.session}:
            if session.unresponsive:
                session.tell(runtime.TerminateExecution())

    def _subscribe(self, frame: Frame) -> list[asyncio.Future[Empty]]:
        session = frame.session
        session.on(target.AttachedToTarget, lambda event: self._attached(frame, event))
        session.on(target.DetachedFromTarget, lambda event: self._detached(event.session_id))
        session.on(cdp_page.FrameNavigated, lambda event: self._navigated(frame, event))
        session.on(cdp_page.FrameDetached, lambda event: self._removed(session, event.frame_id))
        session.on(cdp_page.NavigatedWithinDocument, lambda event: self._moved(frame, event))
        session.on(cdp_page.FrameStartedNavigating, self._started)
        session.on(cdp_page.FrameStoppedLoading, lambda event: self._navigation_ended(event.frame_id))
        session.on(inspector.TargetCrashed, lambda _: self._crashed(frame))
        session.on(inspector.TargetReloadedAfterCrash, lambda _: session.resume())
        return [
            *self._prepare(session, frame is self.root),
            session.post(cdp_page.Enable()),
            session.post(inspector.Enable()),
            session.post(
                target.SetAutoAttach(
                    auto_attach=True, wait_for_debugger_on_start=True, flatten=True, filter=_AUTO_ATTACHED
                )
            ),
            session.post(runtime.RunIfWaitingForDebugger()),
        ]

    def _attached(self, parent: Frame, event: target.AttachedToTarget) -> None:
        info = event.target_info
        session = parent.session.connection.session(event.session_id)
        if info.type == "worker":
            parent.has_workers = True
            self._worker_attached(parent.session, event)
            return
        if info.type != "iframe":
            session.tell(runtime.RunIfWaitingForDebugger())
            parent.session.tell(target.DetachFromTarget(session_id=event.session_id))
            return
        if (before := self._frames.get(info.target_id)) is not None:  # the frame changes process
            self._drop(before)
        frame = Frame(info.target_id, session, parent, info.url, self._is_answered)
        self._frames[info.target_id] = frame
        if is_preloaded(parent.session):
            preload(session)
        for answer in self._subscribe(frame):
            answer.add_done_callback(retrieve_exception)  # the frame may be gone again already
        arrived = self._arrivals.pop(info.target_id, None)
        if arrived is not None and not arrived.done():
            arrived.set_result(frame)

    def _worker_attached(self, parent: Session, event: target.AttachedToTarget) -> None:
        """Follows a dedicated worker and those that it starts: its requests and sockets are reported there only."""
        session = parent.connection.session(event.session_id)
        self._watch_worker(session, event.target_info.target_id, parent)
        session.on(target.AttachedToTarget, lambda inner: self._worker_attached(session, inner))
        session.tell(
            target.SetAutoAttach(auto_attach=True, wait_for_debugger_on_start=True, flatten=True, filter=WORKERS)
        )
        session.tell(runtime.RunIfWaitingForDebugger())

    def _detached(self, session_id: str) -> None:
        for frame in self.all():
            if frame.session.id == session_id:
                self._drop(frame)

    def _removed(self, session: Session, frame_id: str) -> None:
        """Handles a frame that left this process, for good or for another process, which another event reports."""
        frame = self._frames.get(frame_id)
        if frame is not None and frame.session is session and frame.parent is not None:
            self._drop(frame)

    def _drop(self, frame: Frame) -> None:
        """Removes a frame and all frames in it."""
        frame.forget_document()
        frame.note_navigation(None)
        self._frames.pop(frame.id, None)
        for inner in self.all():
            if inner.parent is frame:
                self._drop(inner)

    def _started(self, event: cdp_page.FrameStartedNavigating) -> None:
        frame = self._frames.get(event.frame_id)
        if frame is not None and "ameDocument" not in event.navigation_type:
            frame.note_navigation(event.url, event.loader_id)

    def _navigation_ended(self, frame_id: str) -> None:
        if (frame := self._frames.get(frame_id)) is not None:
            frame.note_navigation(None)

    def _navigated(self, root: Frame, event: cdp_page.FrameNavigated) -> None:
        """`root` is the frame that the session belongs to; the event may be of any frame in its process."""
        info = event.frame
        self._navigation_ended(info.id)
        frame = self._frames.get(info.id)
        if frame is None:
            self.unread_documents += 1
        if frame is None or frame.session is not root.session:
            return
        for inner in self.all():
            if inner.parent is frame and inner.session is frame.session:
                self._drop(inner)
        if frame is root:
            frame.url = info.url + info.url_fragment
            frame.forget_document(next_is_new=event.type == "Navigation")  # else it is shown again
        else:  # the parent's world may be able to enter its next document
            self._drop(frame)
            self.unread_documents += 1

    def _moved(self, frame: Frame, event: cdp_page.NavigatedWithinDocument) -> None:
        if event.frame_id == frame.id:
            frame.url = event.url

    def _crashed(self, frame: Frame) -> None:
        for inner in self.all():
            if inner.parent is frame:
                self._drop(inner)
        frame.forget_document()
        frame.session.fail(CRASHED, closed=False)


async def is_static_document(frame: Frame, world: World, request_id: str) -> bool:
    """Whether no script can run in a tab's only document: once loaded, it changes only by the user's actions.

    Only the source shows this for certain, since a script may have removed itself. The result is remembered for each
    document. `request_id`: the id of the request for it. Raises PageUnresponsive, DocumentGone, BrowserError.
    """
    if frame.is_static is None:
        seems = await world.call("seemsScriptless", returning=bool, timeout_s=_STATIC_CHECK_TIMEOUT_S)
        frame.is_static = seems and await _is_sent_without_scripts(world, request_id)
    return frame.is_static


async def _is_sent_without_scripts(world: World, request_id: str) -> bool:
    """Whether the server sent the document without scripts; False if Chrome no longer has the response."""
    try:
        async with deadline(world.session, _STATIC_CHECK_TIMEOUT_S):
            sent = await world.session.send(network.GetResponseBody(request_id=request_id))
    except ProtocolError:
        return False
    return not sent.base64_encoded and _SCRIPTS_IN_MARKUP.search(sent.body) is None
