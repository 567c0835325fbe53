"""The rules of a tab and of the tabs that it opens: put on each of their sessions before anything runs there.

What only those need who have rules is imported when there are some: it takes as long as a snapshot.
"""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakValueDictionary

from cdp_agent.cdp import fetch, network, runtime, target
from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp.connection import Session
from cdp_agent.errors import BlockedByPolicy
from cdp_agent.page.frames.recent import Recent
from cdp_agent.page.frames.standstill import Standstill, put_on
from cdp_agent.security.origins import origin_of

from .interception import Interception, Outcome, Verdict, refusal_of, socket_conditions
from .rules import Blocked, RequestRules
from .unheld import Unheld
from .unsafe import unsafe_kind

if TYPE_CHECKING:
    from cdp_agent.page.activity.activity import Activity

    from .holding import Hold, Withheld
    from .interception import Gate

_log = logging.getLogger(__name__)
_LONGEST_ORIGIN = 300
_REMEMBERED = 1_000
_passing: set[asyncio.Task[Outcome | None]] = set()
"""What waits at gates: asyncio itself would forget it."""
WORKERS = [target.FilterEntry(type="worker"), target.FilterEntry(exclude=True)]


class Above(Protocol):
    """What sees to the rules of a whole browser."""

    async def changed(self) -> None:
        """The narrow rules of a guard became others."""

    def came(self, frame_id: str) -> None:
        """It is known from now on whose frame that is."""

    def visited(self, context: str | None, origin: str) -> None:
        """A document of that origin was asked for in a tab that has narrow rules, the first one there.

        `context` is the tab's browser context.
        """

    def left(self, guard: RequestPolicy, frames: list[str], rules: list[RequestRules]) -> None:
        """The documents of frames are gone, or all its tabs; those rules they had."""

    def freed(self, guard: RequestPolicy, requests: Recent, rules: list[RequestRules]) -> None:
        """The documents of its tabs are gone, which go on without those rules. `requests` are theirs, by their ids."""


class RequestPolicy:
    """`wide` are rules that hold for the whole browser, `narrow` those that hold here alone.

    `from_above`: requests are held on the session of the browser; there, Chrome does not hold those of documents that
    it has already, so that for these the sessions of tabs do.
    """

    def __init__(
        self,
        wide: RequestRules | None = None,
        narrow: Sequence[RequestRules] = (),
        above: Above | None = None,
        *,
        from_above: bool = False,
        context: str | None = None,
        bound_elsewhere: bool = False,
    ) -> None:
        """`context`: the browser context of its tabs. `bound_elsewhere`: the tabs that we opened are under lists."""
        self.wide = wide
        self.context = context
        self.narrow: list[RequestRules] = list(narrow)
        self.tabs = Recent()
        """The tabs' ids, which are the ids of their root frames."""
        self.frames = Recent()
        self._requests = Recent()
        """Of its documents, by their ids: those sent as rules end may come when they have ended."""
        self._visited = Recent()
        """The addresses of the documents that were asked for here, as far as they tell the origin."""
        self._above = above
        self._open: set[str] = set()
        self._from_above = from_above
        self._bound_elsewhere = bound_elsewhere
        self._sessions: list[Session] = []
        """Of the tabs and the frames in them; `_watched` are those and their workers."""
        self._interceptions: dict[Session, Interception] = {}
        self._watched: list[Session] = []
        self._listening: set[Session] = set()
        """To what sockets the sessions open."""
        self._blocked: list[Blocked] = []
        self._ended: list[RequestRules] = []
        self._unheld: Unheld | None = None
        self._activities: WeakValueDictionary[str, Activity] = WeakValueDictionary()

    @property
    def hold(self) -> Hold | None:
        """What waits here until somebody has allowed it."""
        return hold_of(self.narrow)

    @property
    def activities(self) -> list[Activity]:
        """Of the tabs."""
        return list(self._activities.values())

    def activity_of(self, frame_id: str) -> Activity | None:
        """What goes on in the tab that has, or had, that frame."""
        found = self._activities.get(frame_id)
        return found or next((each for each in self.activities if frame_id in each.frame_ids), None)

    @property
    def stood_s(self) -> float:
        """For how long times stood still here, since somebody was asked."""
        standstill = standstill_of(self.narrow)
        return 0.0 if standstill is None else standstill.stood_s

    @property
    def withholds(self) -> bool:
        """Something that was not allowed is still to be told."""
        return bool(self.narrow) and self.hold is not None and self.hold.untold

    def take_withheld(self) -> list[Withheld]:
        """What was not allowed since the last call."""
        return self.hold.take() if self.narrow and self.hold is not None else []

    async def decided(self) -> None:
        """Waits while something that is held here is asked about."""
        if self.narrow and self.hold is not None:
            await self.hold.decided()

    @property
    def rules(self) -> list[RequestRules]:
        """All that hold here."""
        return self.narrow if self.wide is None else [self.wide, *self.narrow]

    @property
    def idle(self) -> bool:
        """None of its tabs is open."""
        return not self._open

    @property
    def leaves_with_its_tabs(self) -> bool:
        """The rules are only in force for as long as there is the tab."""
        return bool(self.narrow) and not self._from_above

    def came_to(self, origin: str) -> bool:
        """Whether a document of that origin was asked for here. "None", that of nobody, may be anybody's.

        No in the tabs of a user that nobody has pointed at.
        """
        if not self._sessions:
            return False
        return origin == "None" or self._visited.full or any(_origin(each) == origin for each in self._visited)

    def visit(self, url: str) -> None:
        """A document was asked for here. Chrome writes addresses so that the origin ends with the third slash."""
        start = "/".join(url.split("/", 3)[:3])[:_LONGEST_ORIGIN]
        new = start not in self._visited
        self._visited.add(start)
        if new and self.narrow and self._above is not None:
            self._above.visited(self.context, _origin(start))

    def add_tab(self, target_id: str, url: str, activity: Activity) -> None:
        """A tab whose sessions will be watched, the address that it has, and what goes on in it."""
        self.tabs.add(target_id)
        self._open.add(target_id)
        self._activities[target_id] = activity
        self.visit(url)
        if self._above is not None:
            self._above.came(target_id)

    def remove_tab(self, target_id: str) -> None:
        """A tab that was closed. What its pages send as they go comes later, and keeps to the same rules."""
        if target_id in self._open:
            self._open.remove(target_id)
            if self.idle and self._above is not None:
                self._above.left(self, [*self.tabs, *self.frames], self.narrow)

    def watch(self, session: Session) -> None:
        """A session of a tab, or of a frame in it. To be called before anything may run there."""
        self._forget_closed()
        self._sessions.append(session)
        if self._from_above:
            session.on(cdp_page.FrameAttached, lambda event: self._add_frame(event.frame_id))
        elif self.narrow:
            seen(self._interception(session).enforce(self.narrow))
        self._hold_the_rest(session)
        self._visit_present(session)
        session.on(network.RequestWillBeSent, self._sent)
        session.on(cdp_page.FrameNavigated, lambda event: self.visit(event.frame.url))
        self._watched.append(session)
        self._limit_sockets(session)
        if (standstill := standstill_of(self.narrow)) is not None:
            put_on(session, standstill)

    def watch_worker(self, session: Session, target_id: str) -> bool:
        """A dedicated worker: the session that it belongs to holds its requests, but its WebSockets are its own.

        Seen from above, it is a frame of its own. Whether it is to be kept attached to. To be called before it may run.
        """
        if self._from_above:
            self._add_frame(target_id)
        if not self.rules:
            return False
        if not socket_conditions(self.rules):
            return False
        self._forget_closed()
        self._watched.append(session)
        session.tell(network.Enable())
        session.on(target.AttachedToTarget, lambda event: self._watch_inner(session, event))
        session.tell(
            target.SetAutoAttach(auto_attach=True, wait_for_debugger_on_start=True, flatten=True, filter=WORKERS)
        )
        self._limit_sockets(session)
        return True

    async def enforce(self, rules: RequestRules) -> None:
        """More rules, from now on, in all tabs that are watched. Raises BrowserError."""
        if rules in self._ended:
            self._ended.remove(rules)  # the next run has the same
            return
        left = list(self.narrow)
        if rules.hold is not None:
            for former in [each for each in self._ended if each.hold is not None]:
                rules.hold.take_over(former.hold)
                self._ended.remove(former)
                left.remove(former)
        await self._change([*left, rules])

    def outlive(self, rules: RequestRules) -> None:
        """The run that set them is over. What its pages were told, or refused, they know: they hold on until `free`."""
        self._ended.append(rules)

    async def lift(self, rules: RequestRules) -> None:
        """Takes rules away again. Raises BrowserError."""
        left = list(self.narrow)
        left.remove(rules)
        await self._change(left)

    @property
    def outlived(self) -> bool:
        """There are rules of runs that are over."""
        return bool(self._ended)

    async def free(self) -> None:
        """Lifts the rules of runs that are over. To be called when none of their pages is left. Raises BrowserError."""
        left = list(self.narrow)
        for each in self._ended:
            left.remove(each)
        self._ended = []
        if self._above is not None:
            self._above.left(self, list(self.frames), self.narrow)
            self._above.freed(self, self._requests, self.narrow)
        self.frames, self._requests = Recent(), Recent()
        await self._change(left)

    def names(self, scheme: str) -> bool:
        """Whether `allow` names a scheme, as in `file://`."""
        return any(pattern.scheme == scheme for rules in self.rules for pattern in rules.allow or ())

    def check(self, url: str) -> None:
        """Raises BlockedByPolicy for an address that may not be opened."""
        if not self.rules:
            return
        if refused := refusal_of(self.rules, url, "Document", tab=True):
            raise BlockedByPolicy(str(Blocked(url, refused.why)))

    def check_holds(self) -> None:
        """Raises BlockedByPolicy in a tab of somebody else, where the lists that bind our tabs do not hold."""
        if self._bound_elsewhere and not self.narrow:
            raise BlockedByPolicy(
                "The tab is its user's, and the lists of what may be loaded hold in tabs that we opened alone: nothing "
                "is done here. Open its address in a new tab."
            )

    def record(self, blocked: Blocked) -> None:
        """Something was not sent on behalf of these tabs."""
        self._blocked.append(blocked)
        del self._blocked[:-_REMEMBERED]

    def take(self) -> list[Blocked]:
        """What was not sent since the last call."""
        taken, self._blocked = self._blocked, []
        return taken

    async def _change(self, rules: list[RequestRules]) -> None:
        self.narrow = rules
        answers: list[asyncio.Future[Any]] = []
        self._forget_closed()
        for session in self._sessions:
            answers += self._interception(session).enforce(rules)
            self._hold_the_rest(session)
            self._visit_present(session)
        for session in self._watched:
            self._limit_sockets(session)
            put_on(session, standstill_of(rules))
        seen(answers)
        await asyncio.gather(*answers, return_exceptions=True)  # a tab may go meanwhile
        if self._above is not None:
            await self._above.changed()

    def _add_frame(self, frame_id: str) -> None:
        self.frames.add(frame_id)
        if self._above is not None:
            self._above.came(frame_id)

    def _forget_closed(self) -> None:
        self._sessions = [each for each in self._sessions if each.closed_because is None]
        self._watched = [each for each in self._watched if each.closed_because is None]
        self._interceptions = {each: kept for each, kept in self._interceptions.items() if each in self._sessions}
        self._listening &= set(self._watched)
        if self._unheld is not None:
            self._unheld.forget_closed()

    def _interception(self, session: Session) -> Interception:
        if session not in self._interceptions:
            self._interceptions[session] = Interception(session, self._judge)
        return self._interceptions[session]

    def _hold_the_rest(self, session: Session) -> None:
        """Of a document that is there, as far as it has not taken hold of it; of those to come, all."""
        if any(each.bound for each in self.narrow):
            self._unheld = self._unheld or Unheld()
            self._unheld.take_from(session)
        elif self._unheld is not None:
            self._unheld.give_back(session)

    def _visit_present(self, session: Session) -> None:
        """The documents that came before we did, in a tab of somebody else. Waits for nothing: the page may hang."""

        def visit(node: cdp_page.FrameTreeNode) -> None:
            self.visit(node.frame.url)
            for child in node.child_frames:
                visit(child)

        def told(answer: asyncio.Future[cdp_page.FrameTreeResult]) -> None:
            if not answer.cancelled() and answer.exception() is None:  # else the tab has gone
                visit(answer.result().frame_tree)

        if self.narrow and not self._from_above:
            session.post(cdp_page.GetFrameTree()).add_done_callback(told)

    def _sent(self, event: network.RequestWillBeSent) -> None:
        """Chrome tells of a document's request before of a worker that the document starts; of the document, later."""
        if event.type == "Document":
            self.visit(event.request.url)
        if self._from_above and self.narrow:
            self._requests.add(event.request_id)

    def _limit_sockets(self, session: Session) -> None:
        if not self.rules and session not in self._listening:
            return
        conditions = socket_conditions(self.rules)
        if session not in self._listening:
            if not conditions:
                return
            self._listening.add(session)
            session.on(network.WebSocketCreated, lambda event: self._socket(event.url))
        session.tell(network.EmulateNetworkConditionsByRule(matched_network_conditions=conditions))

    def _watch_inner(self, worker: Session, event: target.AttachedToTarget) -> None:
        inner = worker.connection.session(event.session_id)
        self.watch_worker(inner, event.target_info.target_id)
        inner.tell(runtime.RunIfWaitingForDebugger())

    def _judge(self, event: fetch.RequestPaused) -> Verdict:
        if event.resource_type == "Document":
            self.visit(event.request.url)
        return judge(self, self.narrow, event, tab=event.frame_id in self.tabs)

    def _socket(self, url: str) -> None:
        if (refused := refusal_of(self.rules, url)) and refused.violates:
            self.record(Blocked(url, refused.why))


@functools.lru_cache(_REMEMBERED)
def _origin(url: str) -> str:
    return str(origin_of(url))


def hold_of(rules: Sequence[RequestRules]) -> Hold | None:
    """The first of the runs' that hold something; of those that are over, only where there is no other."""
    holds = [each.hold for each in rules if each.hold is not None]
    return min(holds, key=lambda hold: hold.over, default=None)


def gate_of(rules: Sequence[RequestRules]) -> Gate | None:
    """What requests pass behind the rules, if anything."""
    return next((each.gate for each in rules if each.gate is not None), None)


def standstill_of(rules: Sequence[RequestRules]) -> Standstill | None:
    """What the times of the tabs stand still with."""
    waiting = hold_of(rules) or gate_of(rules)
    return None if waiting is None else waiting.standstill


def _at_gate(
    gate: Gate, guard: RequestPolicy | None, event: fetch.RequestPaused, held: Verdict, *, tab: bool
) -> Verdict:
    """The verdict, and then the gate's."""
    kind = unsafe_kind(event.request, event.resource_type)
    if isinstance(held, str) or not (tab or kind):
        return held
    refused: Outcome = "Aborted" if tab else "BlockedByClient"

    async def pass_() -> Outcome | None:
        verdict = await held if held is not None else None
        if verdict is not None:
            return verdict
        if (why := await gate.refusal(event, kind, document=tab)) is None:
            return None
        if guard is not None:
            guard.record(Blocked(event.request.url, why, tab))
        return refused

    verdict: asyncio.Future[Outcome | None] = asyncio.get_running_loop().create_future()
    passing = asyncio.ensure_future(pass_())

    _passing.add(passing)

    def give(done: asyncio.Task[Outcome | None]) -> None:
        _passing.discard(done)
        failed = done.cancelled() or done.exception() is not None
        if failed and not done.cancelled():
            _log.error("a gate failed, so that nothing passes it", exc_info=done.exception())
        if not verdict.done():
            verdict.set_result(refused if failed else done.result())

    passing.add_done_callback(give)
    return verdict


def judge(
    guard: RequestPolicy | None, rules: Sequence[RequestRules], event: fetch.RequestPaused, *, tab: bool
) -> Verdict:
    """What becomes of a request; the guard of whoever sent it is told. `tab`: its frame is that of a tab."""
    tab = tab and event.resource_type == "Document"
    refused = refusal_of(rules, event.request.url, event.resource_type, tab=tab)
    if refused is None:
        sender = guard.activity_of(event.frame_id) if guard is not None else None
        held = None if (hold := hold_of(rules)) is None else hold.judge(event, sender, document=tab)
        return held if (gate := gate_of(rules)) is None else _at_gate(gate, guard, event, held, tab=tab)
    if refused.violates and guard is not None:
        guard.record(Blocked(event.request.url, refused.why, tab))
    # A tab that may not go there stays where it is; for the other reason it would show Chrome's page for errors.
    return "Aborted" if tab else "BlockedByClient"


def seen(answers: Sequence[asyncio.Future[Any]]) -> None:
    """A session may go as fast as it came."""
    for answer in answers:
        answer.add_done_callback(lambda done: done.cancelled() or done.exception())
