"""The rules of a tab and of the tabs that it opens, put in force on each of their sessions before anything runs there.

Modules that only rules need are imported when there are rules: that takes as long as a snapshot.
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
"""The tasks that wait at gates: asyncio itself keeps only weak references."""
WORKERS = [target.FilterEntry(type="worker"), target.FilterEntry(exclude=True)]


class Above(Protocol):
    """The owner of the guards, which knows the rules of a whole browser."""

    async def changed(self) -> None:
        """The narrow rules of a guard have changed."""

    def came(self, frame_id: str) -> None:
        """The frame is known from now on to belong to a guard."""

    def visited(self, context: str | None, origin: str) -> None:
        """A tab with narrow rules has requested its first document of that origin.

        `context` is the tab's browser context.
        """

    def left(self, guard: RequestPolicy, frames: list[str], rules: list[RequestRules]) -> None:
        """The documents of these frames, or all tabs of the guard, are gone; `rules` are those that they had."""

    def freed(self, guard: RequestPolicy, requests: Recent, rules: list[RequestRules]) -> None:
        """The guard's tabs go on without `rules`. `requests` has the ids of requests of their former documents."""


class RequestPolicy:
    """The guard of a tab and its popups. `wide` rules apply to the whole browser, `narrow` ones to these tabs.

    `from_above`: requests are held on the session of the browser. Chrome does not hold there the requests of documents
    that exist already, so these are held on the sessions of the tabs.
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
        """`context`: the browser context of its tabs. `bound_elsewhere`: lists apply to other tabs, which we opened."""
        self.wide = wide
        self.context = context
        self.narrow: list[RequestRules] = list(narrow)
        self.tabs = Recent()
        """The tabs' ids, which are the ids of their root frames."""
        self.frames = Recent()
        self._requests = Recent()
        """The ids of its documents' requests: those that are sent while rules end may be reported after their end."""
        self._visited = Recent()
        """The beginnings of the addresses of requested documents, as far as the origin."""
        self._above = above
        self._open: set[str] = set()
        self._from_above = from_above
        self._bound_elsewhere = bound_elsewhere
        self._sessions: list[Session] = []
        """The sessions of the tabs and their frames; `_watched` has those of their workers too."""
        self._interceptions: dict[Session, Interception] = {}
        self._watched: list[Session] = []
        self._listening: set[Session] = set()
        """The sessions whose WebSocketCreated events are followed."""
        self._blocked: list[Blocked] = []
        self._ended: list[RequestRules] = []
        self._unheld: Unheld | None = None
        self._activities: WeakValueDictionary[str, Activity] = WeakValueDictionary()

    @property
    def hold(self) -> Hold | None:
        """The Hold of these tabs, if any."""
        return hold_of(self.narrow)

    @property
    def activities(self) -> list[Activity]:
        """The activities of the tabs."""
        return list(self._activities.values())

    def activity_of(self, frame_id: str) -> Activity | None:
        """The activity of the tab that has, or had, that frame."""
        found = self._activities.get(frame_id)
        return found or next((each for each in self.activities if frame_id in each.frame_ids), None)

    @property
    def stood_s(self) -> float:
        """How long timeouts have stood still here because somebody was asked, in seconds."""
        standstill = standstill_of(self.narrow)
        return 0.0 if standstill is None else standstill.stood_s

    @property
    def withholds(self) -> bool:
        """Whether `take_withheld` has something to give."""
        return bool(self.narrow) and self.hold is not None and self.hold.untold

    def take_withheld(self) -> list[Withheld]:
        """What was not allowed since the last call."""
        return self.hold.take() if self.narrow and self.hold is not None else []

    async def decided(self) -> None:
        """Waits while a question about something held here is open."""
        if self.narrow and self.hold is not None:
            await self.hold.decided()

    @property
    def rules(self) -> list[RequestRules]:
        """All rules of these tabs."""
        return self.narrow if self.wide is None else [self.wide, *self.narrow]

    @property
    def idle(self) -> bool:
        """Whether none of its tabs is open."""
        return not self._open

    @property
    def leaves_with_its_tabs(self) -> bool:
        """Whether the rules are in force only while the tab is open."""
        return bool(self.narrow) and not self._from_above

    def came_to(self, origin: str) -> bool:
        """Whether a document of that origin was requested here. The opaque origin, "None", may be anybody's.

        False for tabs of a user in which nothing was done.
        """
        if not self._sessions:
            return False
        return origin == "None" or self._visited.full or any(_origin(each) == origin for each in self._visited)

    def visit(self, url: str) -> None:
        """Notes the request of a document. In Chrome's form of addresses the origin ends at the third slash."""
        start = "/".join(url.split("/", 3)[:3])[:_LONGEST_ORIGIN]
        new = start not in self._visited
        self._visited.add(start)
        if new and self.narrow and self._above is not None:
            self._above.visited(self.context, _origin(start))

    def add_tab(self, target_id: str, url: str, activity: Activity) -> None:
        """Adds a tab, before its sessions are watched, with its present address and its activity."""
        self.tabs.add(target_id)
        self._open.add(target_id)
        self._activities[target_id] = activity
        self.visit(url)
        if self._above is not None:
            self._above.came(target_id)

    def remove_tab(self, target_id: str) -> None:
        """Removes a closed tab. The last requests of its pages come later, and the same rules apply to them."""
        if target_id in self._open:
            self._open.remove(target_id)
            if self.idle and self._above is not None:
                self._above.left(self, [*self.tabs, *self.frames], self.narrow)

    def watch(self, session: Session) -> None:
        """Puts the rules in force on the session of a tab or of a frame. To be called before anything may run there."""
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
        """Puts the rules in force on a dedicated worker. Returns whether to stay attached to it.

        Its parent's session holds its requests, but not its WebSockets. On the session of the browser, it counts as a
        frame of its own. To be called before it may run.
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
        """Adds rules for all tabs of this guard. Raises BrowserError."""
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
        """The run of these rules is over, but its pages still know what they were told: the rules stay until `free`."""
        self._ended.append(rules)

    async def lift(self, rules: RequestRules) -> None:
        """Removes rules. Raises BrowserError."""
        left = list(self.narrow)
        left.remove(rules)
        await self._change(left)

    @property
    def outlived(self) -> bool:
        """Whether there are rules of runs that are over."""
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
        """Raises BlockedByPolicy in somebody else's tab if our tabs are under lists, which do not apply there."""
        if self._bound_elsewhere and not self.narrow:
            raise BlockedByPolicy(
                "The tab is its user's, and the lists of what may be loaded hold in tabs that we opened alone: nothing "
                "is done here. Open its address in a new tab."
            )

    def record(self, blocked: Blocked) -> None:
        """Notes a request of these tabs that was not sent."""
        self._blocked.append(blocked)
        del self._blocked[:-_REMEMBERED]

    def take(self) -> list[Blocked]:
        """The requests that were not sent since the last call."""
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
        """Removes or restores the interfaces in unheld.py, in present documents and future ones."""
        if any(each.bound for each in self.narrow):
            self._unheld = self._unheld or Unheld()
            self._unheld.take_from(session)
        elif self._unheld is not None:
            self._unheld.give_back(session)

    def _visit_present(self, session: Session) -> None:
        """Notes the documents that were there before us, in somebody else's tab. Does not wait: the page may hang."""

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
        """Notes a document by its request, which Chrome reports before the workers that the document starts."""
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
    """The first Hold of the rules, one of a run that is not over if there is any; else None."""
    holds = [each.hold for each in rules if each.hold is not None]
    return min(holds, key=lambda hold: hold.over, default=None)


def gate_of(rules: Sequence[RequestRules]) -> Gate | None:
    """The Gate of the rules, if any."""
    return next((each.gate for each in rules if each.gate is not None), None)


def standstill_of(rules: Sequence[RequestRules]) -> Standstill | None:
    """What stops the timeouts of the tabs, None if nothing does."""
    waiting = hold_of(rules) or gate_of(rules)
    return None if waiting is None else waiting.standstill


def _at_gate(
    gate: Gate, guard: RequestPolicy | None, event: fetch.RequestPaused, held: Verdict, *, tab: bool
) -> Verdict:
    """The verdict of the gate, after `held` has let the request pass."""
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
    """The verdict on a request. The sender's guard records a refusal. `tab`: its frame is the root frame of a tab."""
    tab = tab and event.resource_type == "Document"
    refused = refusal_of(rules, event.request.url, event.resource_type, tab=tab)
    if refused is None:
        sender = guard.activity_of(event.frame_id) if guard is not None else None
        held = None if (hold := hold_of(rules)) is None else hold.judge(event, sender, document=tab)
        return held if (gate := gate_of(rules)) is None else _at_gate(gate, guard, event, held, tab=tab)
    if refused.violates and guard is not None:
        guard.record(Blocked(event.request.url, refused.why, tab))
    # "Aborted" leaves the tab where it is; with the other reason it would show Chrome's error page.
    return "Aborted" if tab else "BlockedByClient"


def seen(answers: Sequence[asyncio.Future[Any]]) -> None:
    """Marks the errors of these futures as retrieved: a session may end at any time."""
    for answer in answers:
        answer.add_done_callback(lambda done: done.cancelled() or done.exception())
