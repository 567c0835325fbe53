"""Holds what WebSockets send while a `Hold` is in force, until somebody has allowed it.

`Fetch` does not see messages. Network conditions let none of them leave, while what comes in does, and the event of a
message that waits tells of it. Any change of the conditions lets go of all that waits in a session, so they change
only while nothing waits that is undecided or refused. After a refusal nothing leaves any more: Chrome can drop no
single message, but drops all with their document, if the session of the conditions outlives it. That of a frame in
another process does not, nor that of a worker which another one started, and shared and service workers outlive the
page. So a refusal ends all of these.
https://chromedevtools.github.io/devtools-protocol/tot/Network/#method-emulateNetworkConditionsByRule
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, WeakSet

import msgspec

from cdp_agent.cdp import inspector, network, runtime, target
from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp.connection import Session, retrieve_exception
from cdp_agent.page import js

from .interception import condition, exact_pattern, socket_conditions
from .judge import violation_of
from .unsafe import without_query

if TYPE_CHECKING:
    from .holding import Hold
    from .judge import TabGroup
    from .rules import RequestRules

_WAITS = "an earlier message was not approved, and all later ones wait until the page is left"
_ENDED = "its frame was emptied, or its worker ended: what waits there would leave with it"
_STOPPED = 0.001
"""What may leave, in bytes per second: 0 would mean no limit."""


class HeldSockets:
    """The WebSockets of a tab and its popups, and of all workers: they keep to the same conditions, so they are one."""

    def __init__(self, hold: Callable[[], Hold], group: TabGroup, limit: Callable[[], None]) -> None:
        """`hold` returns the Hold in force in these tabs, `limit` puts `conditions` in force on all their sessions."""
        self._hold, self.group, self._limit = hold, group, limit
        self._is_holding = False
        self._allowed: set[str] = set()
        """The addresses of the connections that may send in this act."""
        self._undecided = 0
        self._urls: WeakKeyDictionary[Session, dict[str, str]] = WeakKeyDictionary()
        """The addresses of the connections of each session, without queries, by request id."""
        self._roots: WeakKeyDictionary[Session, str] = WeakKeyDictionary()
        """The outermost frame of each session, where it is known."""
        self._loaders: WeakKeyDictionary[Session, str] = WeakKeyDictionary()
        """The loader ids of their documents."""
        self._inner_workers: WeakSet[Session] = WeakSet()
        self._site_workers: WeakKeyDictionary[Session, str] = WeakKeyDictionary()
        """The target ids of shared and service workers."""
        self._stopped: WeakSet[Session] = WeakSet()
        """Where a message waits that was refused, until its document is left."""

    def watch(
        self, session: Session, *, is_tab: bool = False, is_inner_worker: bool = False, site_worker_id: str = ""
    ) -> None:
        """Subscribes to the events of a session of these tabs, of a frame or of a worker.

        `is_inner_worker`: that of a worker which belongs to another, or to a frame in another process.
        `site_worker_id` is the target id of a shared or service worker.
        """
        if is_inner_worker:
            self._inner_workers.add(session)
        if site_worker_id:
            self._site_workers[session] = site_worker_id
            session.on(inspector.TargetCrashed, lambda _: self._released(session))  # a service worker was stopped
            session.tell(inspector.Enable())
        session.on(network.WebSocketCreated, lambda event: self._created(session, event))
        session.on(network.WebSocketFrameSent, lambda event: self._sent(session, event))
        session.on(network.WebSocketClosed, lambda event: self._closed(session, event.request_id))
        session.on(cdp_page.FrameNavigated, lambda event: self._navigated(session, event.frame, is_tab=is_tab))

    def conditions(self, rules: Sequence[RequestRules]) -> list[network.NetworkConditions]:
        """What lets nothing leave but what connections send that are allowed to; the first match counts.

        No connection comes about that `rules` refuse.
        """
        if not self._is_holding or "" in self._allowed:  # "": it was there before us, so its address is not known
            return socket_conditions(rules)
        allowed = [exact_pattern(url) for url in sorted(self._allowed) if violation_of(rules, url) is None]
        return [*map(condition, allowed), *socket_conditions(rules, upload=_STOPPED)]

    @property
    def may_change(self) -> bool:
        """Whether nothing waits that is undecided or was refused."""
        return not self._undecided and not self._is_stopped

    @property
    def _is_stopped(self) -> bool:
        """Whether a message that was refused waits. One of a session that has ended is gone with it."""
        return any(session.closed_because is None for session in self._stopped)

    def begin(self) -> None:
        """Begins an act: what is sent from now on waits."""
        self._is_holding, self._allowed = True, set()
        self._change()

    def end(self) -> None:
        """Lets messages leave again, unless one that waits was refused."""
        self._is_holding = False
        self._change()

    def _change(self) -> None:
        if self.may_change:
            self._limit()

    def _created(self, session: Session, event: network.WebSocketCreated) -> None:
        self._urls.setdefault(session, {})[event.request_id] = without_query(event.url)

    def _closed(self, session: Session, request_id: str) -> None:
        self._urls.get(session, {}).pop(request_id, None)

    def _navigated(self, session: Session, frame: cdp_page.FrameInfo, *, is_tab: bool) -> None:
        """With a session's document, all that waits there is gone."""
        if frame.parent_id is None or not (is_tab or session in self._roots):  # the first, where a frame has a session
            self._roots[session] = frame.id
        if frame.id != self._roots.get(session):
            return
        self._loaders[session] = frame.loader_id
        self._urls.pop(session, None)
        self._released(session)

    def _released(self, session: Session) -> None:
        """Notes that nothing waits in a session any more: what it did went with its document or worker."""
        if session in self._stopped:
            self._stopped.discard(session)
            self._change()

    def _sent(self, session: Session, event: network.WebSocketFrameSent) -> None:
        url, hold = self._urls.get(session, {}).get(event.request_id, ""), self._hold()
        if self._is_stopped:
            hold.withhold(url, _WAITS)
            return
        payload = msgspec.json.decode(event.response.payload_data, type=str)
        loader = self._loaders.get(session, "")
        tab = self.group.tab_of_document(loader)
        verdict = hold.message(url, payload, loader, tab, self.group.beside(tab))
        if not self._is_holding or url in self._allowed:
            return
        if isinstance(verdict, bool):
            self._decided(session, url, allowed=verdict)
            return
        self._undecided += 1
        verdict.add_done_callback(
            lambda done: self._answered(session, url, allowed=not done.cancelled() and done.result())
        )

    def _answered(self, session: Session, url: str, *, allowed: bool) -> None:
        self._undecided -= 1
        if allowed:
            self._allowed.add(url)
        self._decided(session, url, allowed=allowed)

    def _decided(self, session: Session, url: str, *, allowed: bool) -> None:
        if not allowed:
            self._stopped.add(session)
            self._end_sender(session, url)
        self._change()

    def _end_sender(self, session: Session, url: str) -> None:
        """Ends the document or worker, unless its session outlives it."""
        frame_id = None if session.is_tab else self._roots.get(session)
        if frame_id is not None:
            session.post(cdp_page.Navigate(url="about:blank", frame_id=frame_id)).add_done_callback(retrieve_exception)
        elif (target_id := self._site_workers.get(session)) is not None:
            session.connection.browser.tell(target.CloseTarget(target_id=target_id))
        elif session in self._inner_workers:
            session.tell(runtime.Evaluate(expression=js.close_worker()))
        else:
            return
        self._hold().withhold(url, _ENDED)
