"""The rules of a tab and the tabs that it opens, put in force on each of their sessions before anything runs there."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec

from cdp_agent.cdp import fetch, network
from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp.connection import Session, retrieve_exception
from cdp_agent.cdp.types import Empty
from cdp_agent.errors import BlockedByPolicy
from cdp_agent.page import js
from cdp_agent.page.frames.deadline import Pause, set_pause

from .held_sockets import HeldSockets
from .holding import Hold
from .interception import Interception
from .judge import TabGroup, gate_of, hold_of, refusal_of, violation_of
from .policy_registry import PolicyRegistry
from .rules import Blocked, RequestRules

if TYPE_CHECKING:
    from cdp_agent.page.activity.activity import Activity

    from .holding import Withheld


_NO_HOLD = Hold()


class _Watched(msgspec.Struct, eq=False):
    """What is in force on a session of a tab, of a frame, or of a dedicated worker."""

    is_worker: bool = False
    interception: Interception | None = None
    hears_of_sockets: bool = False
    """Whether its WebSocketCreated events are followed."""
    removal: asyncio.Future[cdp_page.AddedScript] | None = None
    """Adds the script that removes interfaces from its documents, see `_remove_interfaces`."""


class RequestPolicy:
    """The policy of a tab and its popups.

    In a Chrome of ours, requests are held on the browser's session. There Chrome does not hold the requests of
    documents that exist already, so these are held on the sessions of the tabs.
    """

    def __init__(
        self, registry: PolicyRegistry, rules: RequestRules | None, context: str | None, *, is_foreign: bool
    ) -> None:
        """`rules` are those of the tab's browser context, of that id, in addition to the browser's.

        `is_foreign`: a tab of somebody else, to which neither apply.
        """
        table = registry.table
        tab_rules = [*table.rules_of_ours, *([] if rules is None else [rules])]
        self.group = TabGroup(table.browser_rules, () if is_foreign else tab_rules, context)
        self.is_foreign = is_foreign
        self._lists_spare_this_tab = is_foreign and any(each.has_origin_lists for each in table.rules_of_ours)
        self._registry = registry
        self._on_browser_session = table.all_ours
        self._sessions: dict[Session, _Watched] = {}
        self._sockets = HeldSockets(lambda: self.hold, self.group, self._limit_all_sockets)
        registry.add_sockets(self._sockets)
        self._retired: list[RequestRules] = []
        self._lingering: list[RequestRules] = []
        """The rules of runs that are over, whose late effects are still held, see `linger`."""

    @property
    def rules(self) -> list[RequestRules]:
        """All rules of these tabs."""
        return self.group.rules

    @property
    def tab_rules(self) -> list[RequestRules]:
        """Those that apply to these tabs alone."""
        return self.group.tab_rules

    @property
    def hold(self) -> Hold:
        """The Hold of these tabs; one that holds nothing if there is none."""
        return hold_of(self.tab_rules) or _NO_HOLD

    def hold_sockets(self) -> None:
        """Begins an act: what WebSockets send from now on waits, see held_sockets.py."""
        self._sockets.begin()

    def release_sockets(self) -> None:
        """Lets what WebSockets send leave again."""
        self._sockets.end()

    def take_withheld(self) -> list[Withheld]:
        """The effects that were not allowed since the last call."""
        return self.hold.take()

    def take(self) -> list[Blocked]:
        """The requests of these tabs that were not sent since the last call."""
        return self.group.ledger.take()

    @property
    def ends_with_its_tabs(self) -> bool:
        """Whether the rules are in force only while the tab is open."""
        return bool(self.tab_rules) and not self._on_browser_session

    def add_tab(self, target_id: str, url: str, activity: Activity) -> None:
        """Adds a tab, before its sessions are watched, with its present address and its activity."""
        self.group.activities[target_id] = activity
        self._registry.add_tab(self.group, target_id, url)

    def remove_tab(self, target_id: str) -> None:
        """Removes a closed tab. The same rules apply to the last requests of its pages, which come later."""
        self._registry.remove_tab(self.group, target_id)

    def watch(self, session: Session, *, is_tab: bool) -> None:
        """Puts the rules in force on the session of a tab or of a frame. To be called before anything may run there."""
        group, registry = self.group, self._registry
        watched = self._add(session, is_tab=is_tab)
        if self._on_browser_session:
            session.on(cdp_page.FrameAttached, lambda event: registry.add_frame(group, event.frame_id))
        elif self.tab_rules:
            self._intercept(session, watched)
        self._remove_interfaces(session, watched)
        self._visit_present(session)
        session.on(network.RequestWillBeSent, self._sent)
        session.on(cdp_page.FrameNavigated, self._navigated)
        self._limit_sockets(session, watched)
        if (pause := self._pause) is not None:
            set_pause(session, pause)

    def watch_worker(self, session: Session, target_id: str, *, is_inner: bool) -> None:
        """Puts the rules in force on a dedicated worker.

        Its parent's session holds its requests, but not its WebSockets. On the session of the browser, it counts as a
        frame of its own. `is_inner`: it is none of a document in the tab's own process. To be called before it may run.
        """
        if self._on_browser_session:
            self._registry.add_frame(self.group, target_id)
        self._limit_sockets(session, self._add(session, is_worker=True, is_inner=is_inner))

    async def enforce(self, rules: RequestRules) -> None:
        """Adds rules for all tabs of this policy. Raises BrowserError."""
        await self.hand_over()
        if rules in self._retired:
            self._retired.remove(rules)  # the next run has the same rules
            return
        remaining = list(self.tab_rules)
        if rules.hold is not None:
            for former in list(self._retired):
                if former.hold is not None:
                    rules.hold.take_over(former.hold)
                    self._retired.remove(former)
                    remaining.remove(former)
        await self._change([*remaining, rules])

    def retire(self, rules: RequestRules) -> None:
        """Notes that the run of these rules is over. They stay in force until `drop_retired_rules`.

        The run's pages still contain what was entered into them.
        """
        self._retired.append(rules)

    def linger(self, rules: RequestRules) -> None:
        """Notes that the run of a Hold is over: late effects of its acts are not let out until `hand_over`.

        The tab's pages, and timers that its acts set, are there until they are left.
        """
        assert rules.hold is not None
        rules.hold.lingers = True
        self._lingering.append(rules)

    async def hand_over(self) -> None:
        """Ends the lingering Holds, since somebody else acts in the tab from now on. Raises BrowserError."""
        if not self._lingering:
            return
        self._end_lingering()
        lingering, self._lingering = self._lingering, []
        for rules in lingering:
            if rules.hold is not None and rules.hold.refuses:
                self.retire(rules)
            else:
                await self.lift(rules)

    def _end_lingering(self) -> None:
        for rules in self._lingering:
            if rules.hold is not None:
                rules.hold.lingers = False
        self.release_sockets()

    async def lift(self, rules: RequestRules) -> None:
        """Removes rules. Raises BrowserError."""
        remaining = list(self.tab_rules)
        remaining.remove(rules)
        await self._change(remaining)

    @property
    def has_retired_rules(self) -> bool:
        """Whether there are rules of runs that are over."""
        return bool(self._retired)

    async def drop_retired_rules(self) -> None:
        """Lifts the rules of runs that are over. To be called when none of their pages is left. Raises BrowserError."""
        remaining = list(self.tab_rules)
        for rules in self._retired:
            remaining.remove(rules)
        self._retired = []
        self._registry.free(self.group)
        await self._change(remaining)

    def names_scheme(self, scheme: str) -> bool:
        """Whether `allow` names a scheme, as in `file://`."""
        return any(pattern.scheme == scheme for rules in self.rules for pattern in rules.allow or ())

    def check(self, url: str) -> None:
        """Raises BlockedByPolicy for an address that may not be opened."""
        if refusal := refusal_of(self.rules, url, "Document", tab=True):
            raise BlockedByPolicy(str(Blocked(url, refusal.why)))

    def check_covered(self) -> None:
        """Raises BlockedByPolicy in somebody else's tab if our tabs are under origin lists: they do not apply there."""
        if self._lists_spare_this_tab and not self.tab_rules:
            raise BlockedByPolicy(
                "The tab is its user's, and the lists of what may be loaded hold in tabs that we opened alone: nothing "
                "is done here. Open its address in a new tab."
            )

    @property
    def _pause(self) -> Pause | None:
        """The pause of the timeouts of the tabs, None if there is none."""
        waiting = hold_of(self.tab_rules) or gate_of(self.tab_rules)
        return None if waiting is None else waiting.pause

    async def _change(self, rules: list[RequestRules]) -> None:
        self.group.tab_rules = rules
        answers = []
        self._forget_closed()
        for session, watched in self._sessions.items():
            if not watched.is_worker:
                answers.append(self._intercept(session, watched))
                self._remove_interfaces(session, watched)
                self._visit_present(session)
            if self._sockets.may_change:
                self._limit_sockets(session, watched)
            set_pause(session, self._pause)
        await asyncio.gather(*answers, return_exceptions=True)  # a tab may close meanwhile
        await self._registry.rules_changed()

    def _add(
        self, session: Session, *, is_tab: bool = False, is_worker: bool = False, is_inner: bool = False
    ) -> _Watched:
        self._forget_closed()
        watched = self._sessions[session] = _Watched(is_worker)
        self._sockets.watch(session, is_tab=is_tab, is_inner_worker=is_inner)
        return watched

    def _forget_closed(self) -> None:
        sessions = self._sessions.items()
        self._sessions = {session: watched for session, watched in sessions if session.closed_because is None}

    def _intercept(self, session: Session, watched: _Watched) -> asyncio.Future[Empty]:
        if watched.interception is None:
            session.on(fetch.RequestPaused, lambda event: self._visit(event.resource_type, event.request.url))
            watched.interception = Interception(session, self._registry.table, self.group)
        return watched.interception.enforce(self.tab_rules)

    def _remove_interfaces(self, session: Session, watched: _Watched) -> None:
        """Removes interfaces whose requests Chrome cannot hold for single tabs; without lists, restores them.

        They are WebRTC by TCP, WebTransport, `fetchLater` and background fetch, see removed_interfaces.js. A Chrome
        that is launched with a list of origins is kept from them by its command line. Pages that got hold of them
        before the list was in force keep them, and workers keep WebTransport (Chrome runs nothing of ours in a worker
        that waits to begin). They are restored in future documents only.
        """
        if any(rules.has_origin_lists for rules in self.tab_rules):
            if watched.removal is None:
                script = js.removed_interfaces()
                add = cdp_page.AddScriptToEvaluateOnNewDocument(source=script, run_immediately=True)
                watched.removal = session.post(add)
                watched.removal.add_done_callback(retrieve_exception)  # the session may be gone again already
            return
        added, watched.removal = watched.removal, None
        if added is not None and added.done() and not added.cancelled() and added.exception() is None:
            session.tell(cdp_page.RemoveScriptToEvaluateOnNewDocument(identifier=added.result().identifier))

    def _visit_present(self, session: Session) -> None:
        """Notes the documents that exist already, in somebody else's Chrome. Does not wait: the page may hang."""

        def note_all(node: cdp_page.FrameTreeNode) -> None:
            self._registry.note_visit(self.group, node.frame.url)
            for child in node.child_frames:
                note_all(child)

        def received(answer: asyncio.Future[cdp_page.FrameTreeResult]) -> None:
            if not answer.cancelled() and answer.exception() is None:  # else the tab is gone
                note_all(answer.result().frame_tree)

        if self.tab_rules and not self._on_browser_session:
            session.post(cdp_page.GetFrameTree()).add_done_callback(received)

    def _sent(self, event: network.RequestWillBeSent) -> None:
        """Notes a document by its request, which Chrome reports before the workers that the document starts."""
        self._visit(event.type, event.request.url)
        if self._on_browser_session and self.tab_rules:
            self.group.requests.add(event.request_id)

    def _navigated(self, event: cdp_page.FrameNavigated) -> None:
        self._registry.note_visit(self.group, event.frame.url)
        if self._lingering and event.frame.parent_id is None and len(self.group.open_tabs) == 1:
            self._end_lingering()  # the page is left, with all that acts set up in it

    def _visit(self, resource_type: str | None, url: str) -> None:
        if resource_type == "Document":
            self._registry.note_visit(self.group, url)

    def _limit_all_sockets(self) -> None:
        for session, watched in self._sessions.items():
            self._limit_sockets(session, watched)
        self._registry.limit_sockets(self._sockets)

    def _limit_sockets(self, session: Session, watched: _Watched) -> None:
        conditions = self._sockets.conditions(self.rules)
        if not watched.hears_of_sockets:
            if not conditions:
                return
            watched.hears_of_sockets = True
            session.on(network.WebSocketCreated, lambda event: self._record_socket(event.url))
        session.tell(network.EmulateNetworkConditionsByRule(matched_network_conditions=conditions))

    def _record_socket(self, url: str) -> None:
        if (blocked := violation_of(self.rules, url)) is not None:
            self.group.ledger.record(blocked)
