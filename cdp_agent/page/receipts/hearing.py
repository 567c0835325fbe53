"""Whether a page can have heard of an act, by what Chrome says: who listens, and whether any script of the page runs.

If nobody listens for what a key or the focus causes, and no script has run for a while before the act nor since, then
nothing of the page follows from the act, and one frame is enough. Chrome sums up how long scripts have run
(`ScriptDuration`), timers, frames, messages and observers included, but not our calls, only our listeners, which are
there during the input. It does not tell of listeners of extensions, so this is not asked in somebody else's Chrome.

No timer is foreseen: `IdleDeadline.timeRemaining()` promised 49 ms in pages with a timer every 40 ms.
"""

from __future__ import annotations

import asyncio
import math
from weakref import WeakKeyDictionary

from cdp_agent.cdp import performance, runtime
from cdp_agent.cdp.connection import retrieve_exception
from cdp_agent.cdp.types import Empty
from cdp_agent.errors import ActionError, ProtocolError
from cdp_agent.page.frames.frames import FrameTree
from cdp_agent.page.frames.world import Handle, World, answer_of, deadline
from cdp_agent.page.snapshot.listeners import MOUSE, ask_listeners, listeners_of, object_of
from cdp_agent.page.tab.tab import Tab

# fmt: off
_BY_MOUSE = MOUSE | {
    "mousemove", "mouseover", "mouseout", "mouseenter", "mouseleave", "pointermove", "pointerover", "pointerout",
    "pointerenter", "pointerleave", "pointercancel", "gotpointercapture", "lostpointercapture", "touchmove",
    "touchcancel", "wheel", "mousewheel", "drag", "dragstart", "dragend", "dragenter", "dragover", "dragleave",
}
_UNRELATED = frozenset({
    "load", "DOMContentLoaded", "readystatechange", "error", "unhandledrejection", "rejectionhandled", "message",
    "messageerror", "storage", "online", "offline", "visibilitychange", "pageshow", "pagehide", "beforeunload",
    "unload", "resize", "popstate", "hashchange", "submit", "reset", "copy", "cut", "paste", "beforeprint",
    "afterprint",
})
"""Events that neither keys nor the focus cause."""
# fmt: on
_ROOTS = ("window", "document")
_ASK_TIMEOUT_S = 5.0


class _Document:
    """What was heard of a document so far."""

    def __init__(self) -> None:
        self.roots: list[Handle] = []
        """See `Hearing._roots`; empty until asked for."""
        self.listens = False
        """Whether somebody listens for what keys or the focus cause; not asked again then."""
        self._ran_s = math.nan
        """How long scripts had run when Chrome was last asked."""
        self._asked_at = 0.0
        """When that was, by Chrome's clock, in seconds."""
        self.still_since = 0.0
        """Since when none has run, but for our listeners during an act that nobody could hear; by the same clock."""

    @property
    def still_s(self) -> float:
        """How long no script had run when Chrome was last asked."""
        return self._asked_at - self.still_since

    def note(self, answer: performance.Metrics) -> bool:
        """Notes what Chrome answered. Returns whether no script has run since the answer before."""
        metrics = {metric.name: metric.value for metric in answer.metrics}  # none of a document that is being replaced
        self._asked_at = metrics.get("Timestamp", 0.0)
        before, self._ran_s = self._ran_s, metrics.get("ScriptDuration", math.nan)
        is_still = self._ran_s == before
        if not is_still:
            self.still_since = self._asked_at
        return is_still


_documents: WeakKeyDictionary[World, _Document] = WeakKeyDictionary()


def note_scripts(tab: Tab, tree: FrameTree) -> None:
    """Asks how long scripts have run so far, to be compared with when the next act begins; does not wait."""
    world = _only_world(tab, tree)
    if world is None or world.gone or (world in _documents and _documents[world].listens):
        return
    session, document = world.session, _documents.get(world)

    def note(answer: asyncio.Future[performance.Metrics]) -> None:
        if not answer.cancelled() and answer.exception() is None:
            _documents[world].note(answer.result())

    def count(enabled: asyncio.Future[Empty]) -> None:
        if not enabled.cancelled() and enabled.exception() is None:
            session.post(performance.GetMetrics()).add_done_callback(note)

    if document is None:
        _documents[world] = _Document()
        session.post(performance.Enable()).add_done_callback(count)  # the other is answered at once, before this one
    else:
        session.post(performance.GetMetrics()).add_done_callback(note)


def _only_world(tab: Tab, tree: FrameTree) -> World | None:
    """The world of a tab's only document, if Chrome may tell all about its scripts: no extension runs any in it."""
    alone = tab.in_own_chrome and len(tree.all()) == 1 and not tab.related and tree.root.navigating_to is None
    return tree.root.present_world if alone else None


class Hearing:
    """What is known about whether a document can hear of an act."""

    def __init__(self, world: World, document: _Document) -> None:
        self._world, self._document = world, document
        self._mouse_events_sent = world.session.mouse_events_sent
        self._types: frozenset[str] | None = None
        """What the document listens for; None if that is not known."""
        self._still_s = 0.0
        """How long no script had run when the act began."""

    @classmethod
    def of(cls, tab: Tab, tree: FrameTree) -> Hearing | None:
        """None where it is not known what ran before, or somebody listens anyway."""
        world = _only_world(tab, tree)
        document = None if world is None else _documents.get(world)
        return None if world is None or document is None or document.listens else cls(world, document)

    async def begin(self) -> None:
        """Asks who listens, before the act. Raises BrowserError."""
        session = self._world.session
        counting = session.post(performance.GetMetrics())
        counting.add_done_callback(retrieve_exception)
        try:
            async with deadline(session, _ASK_TIMEOUT_S):
                listeners = listeners_of(await ask_listeners(session, await self._roots()))
                types = frozenset(listener.type for of_root in listeners for listener in of_root)
                if not types <= _UNRELATED | _BY_MOUSE:
                    self._document.listens = True
                    return
                self._document.note(await counting)
        except (ActionError, ProtocolError):
            return  # it is being replaced, or hangs, which is reported elsewhere
        self._types, self._still_s = types, self._document.still_s

    async def _roots(self) -> list[Handle]:
        """The document's window and itself, as objects of the page's own world."""
        session, document = self._world.session, self._document
        if not document.roots:
            answers = await asyncio.gather(*(session.post(runtime.Evaluate(expression=name)) for name in _ROOTS))
            document.roots = [object_of(name, answer) for name, answer in zip(_ROOTS, answers, strict=True)]
        return document.roots

    async def could_not(self, still_s: float) -> bool:
        """Whether the document cannot have heard of the act, unless a script runs from now on.

        None may have run for `still_s` before the act. Raises BrowserError.
        """
        session, document = self._world.session, self._document
        unrelated = _UNRELATED if session.mouse_events_sent > self._mouse_events_sent else _UNRELATED | _BY_MOUSE
        if self._types is None or not self._types <= unrelated:
            return False
        try:
            async with deadline(session, _ASK_TIMEOUT_S):
                alone, metrics = await asyncio.gather(
                    self._world.ask("isAlone"), session.send(performance.GetMetrics())
                )
        except (ActionError, ProtocolError):
            return False
        still_since = document.still_since
        document.note(metrics)
        could_not = self._still_s >= still_s and answer_of("isAlone", alone, bool)
        if could_not:
            document.still_since = still_since  # what has run was ours
        return could_not

    async def has_been_still(self) -> bool:
        """Whether no script has run since `could_not` was asked. Raises BrowserError.

        Chrome answers at once and counts what is over, so the page itself has to have answered something before.
        """
        try:
            async with deadline(self._world.session, _ASK_TIMEOUT_S):
                return self._document.note(await self._world.session.send(performance.GetMetrics()))
        except (ActionError, ProtocolError):
            return False
