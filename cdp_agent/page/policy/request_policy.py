"""The rules of a tab and the tabs that it opens, put in force on each of their sessions before anything runs there."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar
from weakref import WeakValueDictionary

from cdp_agent.cdp import fetch, network, runtime, target
from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp.connection import Session, retrieve_exception
from cdp_agent.cdp.types import Empty
from cdp_agent.errors import BlockedByPolicy
from cdp_agent.page.frames.deadline import Pause, set_pause
from cdp_agent.page.frames.recent import RecentSet
from cdp_agent.security.origins import origin_of

from .interception import FailReason, Interception, Verdict, refusal_of, socket_conditions
from .removed_interfaces import RemovedInterfaces
from .rules import Blocked, RequestRules
from .unsafe import unsafe_kind

if TYPE_CHECKING:
    from cdp_agent.page.activity.activity import Activity

    from .holding import Gate, Hold, Withheld

_log = logging.getLogger(__name__)
T = TypeVar("T")

_LONGEST_ORIGIN = 300
_REMEMBERED = 1_000
_passing: set[asyncio.Task[FailReason | None]] = set()
"""The tasks that wait at gates: asyncio itself keeps only weak references."""
WORKERS = [target.FilterEntry(type="worker"), target.FilterEntry(exclude=True)]


class PolicyOwner(Protocol):
    """The owner of the policies of a whole browser, which they notify of changes."""

    async def rules_changed(self) -> None:
        """The `tab_rules` of a policy have changed."""

    def frame_added(self, frame_id: str) -> None:
        """The frame is now known to belong to a policy."""

    def origin_visited(self, context: str | None, origin: str) -> None:
        """A tab with `tab_rules` has requested its first document of that origin.

        `context` is the tab's browser context.
        """

    def documents_gone(self, policy: RequestPolicy, frames: list[str], rules: list[RequestRules]) -> None:
        """The documents of these frames, or all tabs of the policy, are gone; `rules` applied to them."""

    def rules_lifted(self, policy: RequestPolicy, requests: RecentSet, rules: list[RequestRules]) -> None:
        """The policy's tabs are now free of `rules`. `requests` has the ids of requests of their former documents."""


class RequestPolicy:
    """The policy of a tab and its popups. `browser_rules` apply to the whole browser, `tab_rules` to these tabs alone.

    `on_browser_session`: requests are held on the browser's session. There Chrome does not hold the requests of
    documents that exist already, so these are held on the sessions of the tabs.
    """

    def __init__(
        self,
        browser_rules: RequestRules | None = None,
        tab_rules: Sequence[RequestRules] = (),
        owner: PolicyOwner | None = None,
        *,
        on_browser_session: bool = False,
        context: str | None = None,
        lists_spare_this_tab: bool = False,
    ) -> None:
        """`context`: the browser context of its tabs. `lists_spare_this_tab`: lists are for tabs that we opened."""
        self.browser_rules = browser_rules
        self.context = context
        self.tab_rules: list[RequestRules] = list(tab_rules)
        self.tabs = RecentSet()
        """The tabs' ids, which are the ids of their root frames."""
        self.frames = RecentSet()
        self._requests = RecentSet()
        """The ids of its documents' requests: those that are sent while rules end may be reported later."""
        self._visited = RecentSet()
        """The origins of requested documents, as the beginnings of their addresses."""
        self._owner = owner
        self._open: set[str] = set()
        self._on_browser_session = on_browser_session
        self._lists_spare_this_tab = lists_spare_this_tab
        self._sessions: list[Session] = []
        """The sessions of the tabs and their frames; `_watched` has those of their workers too."""
        self._interceptions: dict[Session, Interception] = {}
        self._watched: list[Session] = []
        self._listening: set[Session] = set()
        """The sessions whose WebSocketCreated events are followed."""
        self._blocked: list[Blocked] = []
        self._retired: list[RequestRules] = []
        self._removed_interfaces: RemovedInterfaces | None = None
        self._activities: WeakValueDictionary[str, Activity] = WeakValueDictionary()

    @property
    def hold(self) -> Hold | None:
        """The Hold of these tabs, if any."""
        return hold_of(self.tab_rules)

    @property
    def activities(self) -> list[Activity]:
        """The activities of the tabs."""
        return list(self._activities.values())

    def activity_of(self, frame_id: str) -> Activity | None:
        """The activity of the tab that contains, or contained, that frame."""
        found = self._activities.get(frame_id)
        return found or next((each for each in self.activities if frame_id in each.frame_ids), None)

    @property
    def has_withheld(self) -> bool:
        """Whether `take_withheld` would return anything."""
        return bool(self.tab_rules) and self.hold is not None and self.hold.has_withheld

    def take_withheld(self) -> list[Withheld]:
        """The effects that were not allowed since the last call."""
        return self.hold.take() if self.tab_rules and self.hold is not None else []

    async def decided(self) -> None:
        """Waits while a question about an effect that is held here is open."""
        if self.tab_rules and self.hold is not None:
            await self.hold.decided()

    @property
    def rules(self) -> list[RequestRules]:
        """All rules of these tabs."""
        return self.tab_rules if self.browser_rules is None else [self.browser_rules, *self.tab_rules]

    @property
    def idle(self) -> bool:
        """Whether none of its tabs is open."""
        return not self._open

    @property
    def ends_with_its_tabs(self) -> bool:
        """Whether the rules are in force only while the tab is open."""
        return bool(self.tab_rules) and not self._on_browser_session

    def has_visited(self, origin: str) -> bool:
        """Whether a document of that origin was requested here. The opaque origin, "None", may be any document's.

        False for a user's tabs in which nothing was done.
        """
        if not self._sessions:
            return False
        return origin == "None" or self._visited.full or any(_origin(each) == origin for each in self._visited)

    def note_visit(self, url: str) -> None:
        """Notes the request of a document. In Chrome's form of addresses the origin ends at the third slash."""
        start = "/".join(url.split("/", 3)[:3])[:_LONGEST_ORIGIN]
        new = start not in self._visited
        self._visited.add(start)
        if new and self.tab_rules and self._owner is not None:
            self._owner.origin_visited(self.context, _origin(start))

    def add_tab(self, target_id: str, url: str, activity: Activity) -> None:
        """Adds a tab, before its sessions are watched, with its present address and its activity."""
        self.tabs.add(target_id)
        self._open.add(target_id)
        self._activities[target_id] = activity
        self.note_visit(url)
        if self._owner is not None:
            self._owner.frame_added(target_id)

    def remove_tab(self, target_id: str) -> None:
        """Removes a closed tab. The same rules apply to the last requests of its pages, which come later."""
        if target_id in self._open:
            self._open.remove(target_id)
            if self.idle and self._owner is not None:
                self._owner.documents_gone(self, [*self.tabs, *self.frames], self.tab_rules)

    def watch(self, session: Session) -> None:
        """Puts the rules in force on the session of a tab or of a frame. To be called before anything may run there."""
        self._forget_closed()
        self._sessions.append(session)
        if self._on_browser_session:
            session.on(cdp_page.FrameAttached, lambda event: self._add_frame(event.frame_id))
        elif self.tab_rules:
            retrieve_exceptions(self._interception(session).enforce(self.tab_rules))
        self._remove_interfaces(session)
        self._visit_present(session)
        session.on(network.RequestWillBeSent, self._sent)
        session.on(cdp_page.FrameNavigated, lambda event: self.note_visit(event.frame.url))
        self._watched.append(session)
        self._limit_sockets(session)
        if (pause := _pause_of(self.tab_rules)) is not None:
            set_pause(session, pause)

    def watch_worker(self, session: Session, target_id: str) -> bool:
        """Puts the rules in force on a dedicated worker. Returns whether to stay attached to it.

        Its parent's session holds its requests, but not its WebSockets. On the session of the browser, it counts as a
        frame of its own. To be called before it may run.
        """
        if self._on_browser_session:
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
        """Adds rules for all tabs of this policy. Raises BrowserError."""
        if rules in self._retired:
            self._retired.remove(rules)  # the next run has the same rules
            return
        left = list(self.tab_rules)
        if rules.hold is not None:
            for former in list(self._retired):
                if former.hold is not None:
                    rules.hold.take_over(former.hold)
                    self._retired.remove(former)
                    left.remove(former)
        await self._change([*left, rules])

    def retire(self, rules: RequestRules) -> None:
        """Notes that the run of these rules is over. They stay in force until `drop_retired_rules`.

        The run's pages still contain what was entered into them.
        """
        self._retired.append(rules)

    async def lift(self, rules: RequestRules) -> None:
        """Removes rules. Raises BrowserError."""
        left = list(self.tab_rules)
        left.remove(rules)
        await self._change(left)

    @property
    def has_retired_rules(self) -> bool:
        """Whether there are rules of runs that are over."""
        return bool(self._retired)

    async def drop_retired_rules(self) -> None:
        """Lifts the rules of runs that are over. To be called when none of their pages is left. Raises BrowserError."""
        left = list(self.tab_rules)
        for each in self._retired:
            left.remove(each)
        self._retired = []
        if self._owner is not None:
            self._owner.documents_gone(self, list(self.frames), self.tab_rules)
            self._owner.rules_lifted(self, self._requests, self.tab_rules)
        self.frames, self._requests = RecentSet(), RecentSet()
        await self._change(left)

    def names_scheme(self, scheme: str) -> bool:
        """Whether `allow` names a scheme, as in `file://`."""
        return any(pattern.scheme == scheme for rules in self.rules for pattern in rules.allow or ())

    def check(self, url: str) -> None:
        """Raises BlockedByPolicy for an address that may not be opened."""
        if not self.rules:
            return
        if refused := refusal_of(self.rules, url, "Document", tab=True):
            raise BlockedByPolicy(str(Blocked(url, refused.why)))

    def check_covered(self) -> None:
        """Raises BlockedByPolicy in somebody else's tab if our tabs are under origin lists: they do not apply there."""
        if self._lists_spare_this_tab and not self.tab_rules:
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
        self.tab_rules = rules
        answers: list[asyncio.Future[Empty]] = []
        self._forget_closed()
        for session in self._sessions:
            answers += self._interception(session).enforce(rules)
            self._remove_interfaces(session)
            self._visit_present(session)
        for session in self._watched:
            self._limit_sockets(session)
            set_pause(session, _pause_of(rules))
        retrieve_exceptions(answers)
        await asyncio.gather(*answers, return_exceptions=True)  # a tab may close meanwhile
        if self._owner is not None:
            await self._owner.rules_changed()

    def _add_frame(self, frame_id: str) -> None:
        self.frames.add(frame_id)
        if self._owner is not None:
            self._owner.frame_added(frame_id)

    def _forget_closed(self) -> None:
        self._sessions = [each for each in self._sessions if each.closed_because is None]
        self._watched = [each for each in self._watched if each.closed_because is None]
        self._interceptions = {each: kept for each, kept in self._interceptions.items() if each in self._sessions}
        self._listening &= set(self._watched)
        if self._removed_interfaces is not None:
            self._removed_interfaces.forget_closed()

    def _interception(self, session: Session) -> Interception:
        if session not in self._interceptions:
            self._interceptions[session] = Interception(session, self._judge)
        return self._interceptions[session]

    def _remove_interfaces(self, session: Session) -> None:
        """Removes the interfaces in removed_interfaces.py from all documents, or restores them in future ones."""
        if any(each.has_origin_lists for each in self.tab_rules):
            self._removed_interfaces = self._removed_interfaces or RemovedInterfaces()
            self._removed_interfaces.remove_from(session)
        elif self._removed_interfaces is not None:
            self._removed_interfaces.restore_in(session)

    def _visit_present(self, session: Session) -> None:
        """Notes the documents that exist already, in somebody else's Chrome. Does not wait: the page may hang."""

        def note_all(node: cdp_page.FrameTreeNode) -> None:
            self.note_visit(node.frame.url)
            for child in node.child_frames:
                note_all(child)

        def received(answer: asyncio.Future[cdp_page.FrameTreeResult]) -> None:
            if not answer.cancelled() and answer.exception() is None:  # else the tab is gone
                note_all(answer.result().frame_tree)

        if self.tab_rules and not self._on_browser_session:
            session.post(cdp_page.GetFrameTree()).add_done_callback(received)

    def _sent(self, event: network.RequestWillBeSent) -> None:
        """Notes a document by its request, which Chrome reports before the workers that the document starts."""
        if event.type == "Document":
            self.note_visit(event.request.url)
        if self._on_browser_session and self.tab_rules:
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
            self.note_visit(event.request.url)
        return judge(self, self.tab_rules, event, tab=event.frame_id in self.tabs)

    def _socket(self, url: str) -> None:
        if (refused := refusal_of(self.rules, url)) and refused.violates:
            self.record(Blocked(url, refused.why))


@functools.lru_cache(_REMEMBERED)
def _origin(url: str) -> str:
    return str(origin_of(url))


def hold_of(rules: Sequence[RequestRules]) -> Hold | None:
    """The newest Hold of the rules, if possible that of a run that is not over; None if there is none."""
    holds = [each.hold for each in reversed(rules) if each.hold is not None]
    return min(holds, key=lambda hold: hold.over, default=None)


def gate_of(rules: Sequence[RequestRules]) -> Gate | None:
    """The Gate of the rules, if any."""
    return next((each.gate for each in rules if each.gate is not None), None)


def _pause_of(rules: Sequence[RequestRules]) -> Pause | None:
    """What pauses the deadlines of calls in the tabs, None if nothing does."""
    waiting = hold_of(rules) or gate_of(rules)
    return None if waiting is None else waiting.pause


def _at_gate(
    gate: Gate, policy: RequestPolicy | None, event: fetch.RequestPaused, held: Verdict, *, tab: bool
) -> Verdict:
    """The verdict of the gate, once `held` has let the request pass."""
    kind = unsafe_kind(event.request, event.resource_type)
    if isinstance(held, str) or not (tab or kind):
        return held
    refused: FailReason = "Aborted" if tab else "BlockedByClient"

    async def pass_() -> FailReason | None:
        verdict = await held if held is not None else None
        if verdict is not None:
            return verdict
        if (why := await gate.refusal(event, kind, document=tab)) is None:
            return None
        if policy is not None:
            policy.record(Blocked(event.request.url, why, tab))
        return refused

    verdict: asyncio.Future[FailReason | None] = asyncio.get_running_loop().create_future()
    passing = asyncio.ensure_future(pass_())

    _passing.add(passing)

    def give(done: asyncio.Task[FailReason | None]) -> None:
        _passing.discard(done)
        failed = done.cancelled() or done.exception() is not None
        if failed and not done.cancelled():
            _log.error("a gate failed, so that nothing passes it", exc_info=done.exception())
        if not verdict.done():
            verdict.set_result(refused if failed else done.result())

    passing.add_done_callback(give)
    return verdict


def judge(
    policy: RequestPolicy | None, rules: Sequence[RequestRules], event: fetch.RequestPaused, *, tab: bool
) -> Verdict:
    """The verdict on a request. The sender's policy records a refusal. `tab`: its frame is the root frame of a tab."""
    tab = tab and event.resource_type == "Document"
    refused = refusal_of(rules, event.request.url, event.resource_type, tab=tab)
    if refused is None:
        sender = policy.activity_of(event.frame_id) if policy is not None else None
        held = None if (hold := hold_of(rules)) is None else hold.judge(event, sender, document=tab)
        return held if (gate := gate_of(rules)) is None else _at_gate(gate, policy, event, held, tab=tab)
    if refused.violates and policy is not None:
        policy.record(Blocked(event.request.url, refused.why, tab))
    # "Aborted" leaves the tab where it is; with the other reason it would show Chrome's error page.
    return "Aborted" if tab else "BlockedByClient"


def retrieve_exceptions(answers: Sequence[asyncio.Future[T]]) -> None:
    """Marks the errors of these futures as retrieved: a session may end at any time."""
    for answer in answers:
        answer.add_done_callback(retrieve_exception)
