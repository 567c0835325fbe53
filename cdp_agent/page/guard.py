"""The rules of a tab and of the tabs that it opens: put on each of their sessions before anything runs there.

What only those need who have rules is imported when there are some: it takes as long as a snapshot.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp import runtime, target
from cdp_agent.cdp.connection import Session

if TYPE_CHECKING:
    from cdp_agent.cdp import fetch

    from .interception import Interception, Outcome
    from .rules import Blocked, Rules

_LONGEST_ORIGIN = 300
WORKERS = [target.FilterEntry(type="worker"), target.FilterEntry(exclude=True)]


class Guard:
    """`wide` are rules that hold for the whole browser, `narrow` those that hold here alone.

    `from_above`: requests are held on the session of the browser; there, Chrome does not hold those of documents that
    it has already, so that for these the sessions of tabs do. `changed` is awaited when the narrow rules become others.
    """

    def __init__(
        self,
        wide: Rules | None = None,
        narrow: Rules | None = None,
        changed: Callable[[], Awaitable[None]] | None = None,
        *,
        from_above: bool = False,
    ) -> None:
        self.wide = wide
        self.narrow: list[Rules] = [] if narrow is None else [narrow]
        self.tabs: set[str] = set()
        """The tabs' ids, which are the ids of their root frames."""
        self.frames: set[str] = set()
        self._visited: set[str] = set()
        """The addresses of the documents that were asked for here, as far as they tell the origin."""
        self._changed = changed
        self._from_above = from_above
        self._sessions: list[Session] = []
        """Of the tabs and the frames in them; `_watched` are those and their workers."""
        self._interceptions: dict[Session, Interception] = {}
        self._watched: list[Session] = []
        self._listening: set[Session] = set()
        """To what sockets the sessions open."""
        self._blocked: list[Blocked] = []

    @property
    def rules(self) -> list[Rules]:
        """All that hold here."""
        return self.narrow if self.wide is None else [self.wide, *self.narrow]

    @property
    def leaves_with_its_tabs(self) -> bool:
        """The rules are only in force for as long as there is the tab."""
        return bool(self.narrow) and not self._from_above

    @property
    def visited(self) -> set[str]:
        """The origins whose documents were asked for here."""
        from .origins import origin_of

        return {str(origin_of(each)) for each in self._visited}

    def add_tab(self, target_id: str, url: str) -> None:
        """A tab whose sessions will be watched, and the address that it has."""
        self.tabs.add(target_id)
        self._visit(url)

    def watch(self, session: Session) -> None:
        """A session of a tab, or of a frame in it. To be called before anything may run there."""
        self._sessions.append(session)
        if self._from_above:
            session.on(cdp_page.FrameAttached, lambda event: self.frames.add(event.frame_id))
        elif self.narrow:
            _seen(self._interception(session).enforce(self.narrow))
        session.on(cdp_page.FrameNavigated, lambda event: self._visit(event.frame.url))
        self._watched.append(session)
        self._limit_sockets(session)

    def watch_worker(self, session: Session) -> bool:
        """A dedicated worker: the session that it belongs to holds its requests, but its WebSockets are its own.

        Whether it is to be kept attached to. To be called before it may run.
        """
        if not self.rules:
            return False
        from cdp_agent.cdp import network

        from .interception import websocket_conditions

        if not websocket_conditions(self.rules):
            return False
        self._watched.append(session)
        session.tell(network.Enable())
        session.on(target.AttachedToTarget, lambda event: self._watch_inner(session, event))
        session.tell(
            target.SetAutoAttach(auto_attach=True, wait_for_debugger_on_start=True, flatten=True, filter=WORKERS)
        )
        self._limit_sockets(session)
        return True

    async def enforce(self, rules: Rules) -> None:
        """More rules, from now on, in all tabs that are watched. Raises BrowserError."""
        await self._change([*self.narrow, rules])

    async def lift(self, rules: Rules) -> None:
        """These rules no longer. Raises BrowserError."""
        await self._change([each for each in self.narrow if each is not rules])

    def check(self, url: str) -> None:
        """Raises BlockedByPolicy for an address that may not be opened."""
        if not self.rules:
            return
        from cdp_agent.errors import BlockedByPolicy

        from .interception import refusal_of
        from .rules import Blocked

        if refused := refusal_of(self.rules, url, "Document", tab=True):
            raise BlockedByPolicy(str(Blocked(url, refused.why)))

    def record(self, blocked: Blocked) -> None:
        """Something was not sent on behalf of these tabs."""
        self._blocked.append(blocked)

    def take(self) -> list[Blocked]:
        """What was not sent since the last call."""
        taken, self._blocked = self._blocked, []
        return taken

    async def _change(self, rules: list[Rules]) -> None:
        self.narrow = rules
        answers: list[asyncio.Future[Any]] = []
        for session in self._sessions:
            if session.closed_because is None:
                answers += self._interception(session).enforce(rules)
        for session in self._watched:
            if session.closed_because is None:
                self._limit_sockets(session)
        _seen(answers)
        await asyncio.gather(*answers, return_exceptions=True)  # a tab may go meanwhile
        if self._changed is not None:
            await self._changed()

    def _interception(self, session: Session) -> Interception:
        from .interception import Interception

        if session not in self._interceptions:
            self._interceptions[session] = Interception(session, self._judge)
        return self._interceptions[session]

    def _visit(self, url: str) -> None:
        """Chrome writes addresses so that the origin ends with the third slash."""
        self._visited.add("/".join(url.split("/", 3)[:3])[:_LONGEST_ORIGIN])

    def _limit_sockets(self, session: Session) -> None:
        if not self.rules and session not in self._listening:
            return
        from cdp_agent.cdp import network

        from .interception import websocket_conditions

        conditions = websocket_conditions(self.rules)
        if session not in self._listening:
            if not conditions:
                return
            self._listening.add(session)
            session.on(network.WebSocketCreated, lambda event: self._socket(event.url))
        session.tell(network.EmulateNetworkConditionsByRule(matched_network_conditions=conditions))

    def _watch_inner(self, worker: Session, event: target.AttachedToTarget) -> None:
        inner = worker.connection.session(event.session_id)
        self.watch_worker(inner)
        inner.tell(runtime.RunIfWaitingForDebugger())

    def _judge(self, event: fetch.RequestPaused) -> Outcome | None:
        if event.resource_type == "Document":
            self._visit(event.request.url)
        return judge(self, self.narrow, event, tab=event.frame_id in self.tabs)

    def _socket(self, url: str) -> None:
        from .interception import refusal_of
        from .rules import Blocked

        if (refused := refusal_of(self.rules, url)) and refused.violates:
            self.record(Blocked(url, refused.why))


def judge(guard: Guard | None, rules: Sequence[Rules], event: fetch.RequestPaused, *, tab: bool) -> Outcome | None:
    """What becomes of a request; the guard of whoever sent it is told. `tab`: its frame is that of a tab."""
    from .interception import refusal_of
    from .rules import Blocked

    tab = tab and event.resource_type == "Document"
    refused = refusal_of(rules, event.request.url, event.resource_type, tab=tab)
    if refused is None:
        return None
    if refused.violates and guard is not None:
        guard.record(Blocked(event.request.url, refused.why, tab))
    # A tab that may not go there stays where it is; for the other reason it would show Chrome's page for errors.
    return "Aborted" if tab else "BlockedByClient"


def _seen(answers: Sequence[asyncio.Future[Any]]) -> None:
    """A session may go as fast as it came."""
    for answer in answers:
        answer.add_done_callback(lambda done: done.cancelled() or done.exception())
