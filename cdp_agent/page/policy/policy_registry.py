"""The rules of a browser: the owner of the table of who may send what, and of what is held on the browser's session.

In a Chrome of ours, every request, including the first, is held on the browser's own session and judged by the frame
that sent it. In somebody else's Chrome, requests are held only on the sessions of our tabs. Shared workers and service
workers belong to no tab: rules of some tabs apply to the workers of the sites that these tabs have visited. We attach
to them from the browser, on a session that is used for nothing else. The rules end with the last of the tabs; then
service workers that ran under lists are stopped, so that they lose their memory and start anew.

`Fetch` holds the requests of a shared worker only if it was enabled before the worker's script arrived. The script does
not wait for us, and from a `blob:` or `data:` address or a service worker it arrives at once. So the worker's process
is also told to block what lists of origins refuse (`Network.setBlockedURLs`), and sockets, also of service workers, are
refused by network conditions. Both apply once the process has answered, and the worker does not run before. They apply
to redirects too, and in a worker that began before there were rules.

Network conditions would stop requests as well, but Chrome passes them to the network service while it already lets the
worker run: under load the first request was faster. Sockets take the same path as the conditions, after them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING
from weakref import WeakSet

import msgspec

from cdp_agent.cdp import fetch, network, runtime, target
from cdp_agent.cdp.connection import Connection, Session, retrieve_exception
from cdp_agent.cdp.types import Empty
from cdp_agent.page.frames.frames import WORKERS
from cdp_agent.security.origins import origin_of

from .interception import Interception, blocked_urls, socket_conditions
from .judge import Site, SiteWorker, TabGroup, Table, distinct, hold_of, violation_of

if TYPE_CHECKING:
    from .held_sockets import HeldSockets
    from .rules import RequestRules

_LAST_WORDS_S = 10.0
_OUTLIVING = [
    target.FilterEntry(type="service_worker"),
    target.FilterEntry(type="shared_worker"),
    target.FilterEntry(exclude=True),
]


class _Attached(msgspec.Struct, eq=False):
    """A worker that we are attached to by `session`, from the session `parent`. `is_new`: it has not run before."""

    worker: SiteWorker
    session: Session
    parent: Session
    kind: str
    is_new: bool
    interception: Interception
    ready: asyncio.Future[Empty] | None = None
    """With rules for what it sends, done when the worker's process has answered, and knows them; else None."""
    sockets: HeldSockets | None = None
    """What holds its WebSockets."""


class PolicyRegistry:
    """The rules of a browser's tabs. `rules` apply to tabs that we opened; with `all_ours`, to the whole Chrome."""

    def __init__(self, connection: Connection, rules: RequestRules | None, *, all_ours: bool) -> None:
        self.table = Table(rules, all_ours=all_ours)
        self._connection = connection
        connection.browser.on(fetch.RequestPaused, self._note_document)
        self._interception = Interception(connection.browser, self.table)
        self._changes: set[asyncio.Task[None]] = set()
        self._changing = asyncio.Lock()
        self._session: Session | None = None
        """The session from which we attach to workers, while there are, or will be, rules for any."""
        self._workers: dict[str, _Attached] = {}
        """By session id, in the order of their arrival, parents first."""
        self._sockets: WeakSet[HeldSockets] = WeakSet()
        self._released: dict[str, Site] = {}
        """The workers without rules, from which we detached, by target id."""
        self._starting: set[asyncio.Future[Empty]] = set()
        """The pending commands that let waiting workers run."""

    async def begin(self) -> None:
        """Puts the browser's rules in force, before the first tab may run. Raises ProtocolError, BrowserError."""
        if self.table.browser_rules or self.table.rules_of_ours:
            await self.rules_changed()

    async def add(self, rules: RequestRules) -> None:
        """Adds the rules of a browser context. To be called before its first tab opens. Raises as `begin`."""
        self.table.context_rules.append(rules)
        await self.rules_changed()

    async def remove(self, rules: RequestRules) -> None:
        """Removes the rules of a browser context that is gone, with its tabs. Raises as `begin`."""
        self.table.context_rules.remove(rules)
        await self.rules_changed()

    async def end_workers(self, shown: set[str]) -> None:
        """Ends the shared workers that began under lists and outlive their pages (`extendedLifetime`).

        To be called when our tabs are closed and we are about to leave a Chrome that is not ours: their requests would
        no longer be held. Workers of origins in `shown`, which other people's tabs show and may use, are spared.
        """
        close = [
            target.CloseTarget(target_id=attached.worker.target_id)
            for attached in self._workers.values()
            if attached.kind == "shared_worker" and attached.is_new
            if attached.worker.origin_lists and attached.worker.site.origin not in shown
        ]
        # They may be gone with their pages.
        await asyncio.gather(*map(self._connection.browser.send, close), return_exceptions=True)

    def add_sockets(self, sockets: HeldSockets) -> None:
        """Adds what holds the WebSockets of a group, also those of workers at its sites."""
        self._sockets.add(sockets)

    def add_tab(self, group: TabGroup, target_id: str, url: str) -> None:
        """Adds a tab with its present address, before its sessions are watched."""
        self.table.add_tab(group, target_id)
        self._interception.frame_known(target_id)
        self.note_visit(group, url)

    def remove_tab(self, group: TabGroup, target_id: str) -> None:
        """Removes a closed tab. The same rules apply to the last requests of its pages, which come later."""
        if target_id not in group.open_tabs:
            return
        group.open_tabs.remove(target_id)
        if not group.open_tabs and (rules := self.table.remove(group)):
            self._forget_later(rules)
            self._change()

    def add_frame(self, group: TabGroup, frame_id: str) -> None:
        """Adds a frame, or a dedicated worker, of a tab."""
        self.table.add_frame(group, frame_id)
        self._interception.frame_known(frame_id)

    def free(self, group: TabGroup) -> None:
        """Notes that all tabs of a group are blank, and are about to be free of some of their rules."""
        self._forget_later(self.table.free(group))

    def note_visit(self, group: TabGroup, url: str) -> None:
        """Notes the request of a document: the rules of its tab apply to the workers of its site from now on.

        In somebody else's Chrome, attaches again to workers that had no rules.
        """
        if (site := group.note_visit(url)) is not None:
            for attached in self._workers.values():
                if attached.worker.site == site:
                    self._enforce(attached)
            self._reattach()

    @property
    def in_force(self) -> bool:
        """Whether there are any rules."""
        return bool(self._all_rules)

    async def rules_changed(self) -> None:
        """Puts the present rules in force on the browser's session and in workers. Raises as `begin`."""
        async with self._changing:
            if self.table.all_ours:
                await self._interception.enforce(self._all_rules)
            self._stop_freed()
            if self._session is None:
                if self._watches:
                    await self._attach()
                return
            await self._auto_attach(self._session)
            if self._watches or self._starting:
                self._reattach()
                await asyncio.gather(*map(self._enforce, self._workers.values()), return_exceptions=True)
            else:
                await self._detach(self._session)

    @property
    def _all_rules(self) -> list[RequestRules]:
        """The rules of open tabs, and of the workers and documents that outlive their tabs."""
        leaving = [rules for former in self.table.leaving_rules for rules in former]
        return distinct([*self.table.rules, *self._worker_lists, *leaving])

    def _note_document(self, event: fetch.RequestPaused) -> None:
        if event.resource_type == "Document" and (group := self.table.group_of(event.frame_id)) is not None:
            self.note_visit(group, event.request.url)

    def _forget_later(self, rules: Sequence[RequestRules]) -> None:
        def forget() -> None:
            self.table.forget(rules)
            self._change()

        asyncio.get_running_loop().call_later(_LAST_WORDS_S, forget)

    def _change(self) -> None:
        change = asyncio.ensure_future(self.rules_changed())
        self._changes.add(change)
        change.add_done_callback(self._changes.discard)
        change.add_done_callback(retrieve_exception)

    @property
    def _worker_lists(self) -> list[RequestRules]:
        """The lists that apply to workers which run now."""
        return distinct([rules for attached in self._workers.values() for rules in attached.worker.origin_lists])

    @property
    def _watches(self) -> bool:
        """Whether there are, or will be, rules for workers that belong to no tab."""
        return self.table.has_tab_rules or bool(self._worker_lists)

    def _stop_freed(self) -> None:
        """Ends service workers that ran under lists and now have no rules. Shared workers end with their pages."""
        freed = [
            attached
            for attached in self._workers.values()
            if attached.kind == "service_worker" and attached.worker.origin_lists
            if not self.table.rules_at(attached.worker.site)
        ]
        for attached in freed:
            self._connection.browser.tell(target.CloseTarget(target_id=attached.worker.target_id))
            # While a session is attached, a worker that was stopped restarts with the same target.
            attached.parent.tell(target.DetachFromTarget(session_id=attached.session.id))
            self._on_detached(attached.session.id)
            self.table.leave([attached.worker.target_id], rules := self.table.rules_of(attached.worker))
            self._forget_later(rules)

    async def _attach(self) -> None:
        attached = await self._connection.browser.send(target.AttachToBrowserTarget())
        session = self._session = self._connection.session(attached.session_id)
        session.on(target.AttachedToTarget, lambda event: self._on_attached(session, event))
        session.on(target.DetachedFromTarget, lambda event: self._on_detached(event.session_id))
        await self._auto_attach(session)

    async def _auto_attach(self, session: Session) -> None:
        """Makes new workers wait for us only if there are rules: one that waits while we detach would never run."""
        waits = self._watches
        await session.send(
            target.SetAutoAttach(auto_attach=True, wait_for_debugger_on_start=waits, flatten=True, filter=_OUTLIVING)
        )

    async def _detach(self, session: Session) -> None:
        self._session = None
        for session_id in list(self._workers):
            self._on_detached(session_id)
        self._released = {}
        await self._connection.browser.send(target.DetachFromTarget(session_id=session.id))

    def _on_attached(self, parent: Session, event: target.AttachedToTarget, inside: Site | None = None) -> None:
        """`inside`: the site of the worker that started this one, if any."""
        session, info = self._connection.session(event.session_id), event.target_info
        site = inside or Site(info.browser_context_id, str(origin_of(info.url.removeprefix("blob:"))))
        if not self.table.all_ours and not self.table.rules_at(site):
            self._released[info.target_id] = site
            running = self._let_run(session)
            running.add_done_callback(lambda _: parent.tell(target.DetachFromTarget(session_id=event.session_id)))
            return
        worker, is_new = SiteWorker(info.target_id, site), event.waiting_for_debugger
        interception = Interception(session, self.table, worker)
        attached = _Attached(worker, session, parent, info.type, is_new, interception)
        self._workers[session.id] = attached
        self.table.add_worker(worker)
        self._enforce(attached)
        session.on(target.AttachedToTarget, lambda inner: self._on_attached(session, inner, site))
        session.on(target.DetachedFromTarget, lambda inner: self._on_detached(inner.session_id))
        session.tell(
            target.SetAutoAttach(auto_attach=True, wait_for_debugger_on_start=True, flatten=True, filter=WORKERS)
        )
        if attached.ready is None:
            self._let_run(session)
            return
        self._starting.add(attached.ready)
        # The worker's limits are in force by then, see the module's docstring.
        attached.ready.add_done_callback(lambda _: self._let_run(session))
        attached.ready.add_done_callback(self._begun)

    def _let_run(self, session: Session) -> asyncio.Future[Empty]:
        """Lets a worker run. If its script has not arrived yet, we must stay attached until then, or it never runs."""
        running = session.post(runtime.RunIfWaitingForDebugger())
        running.add_done_callback(retrieve_exception)
        self._starting.add(running)
        running.add_done_callback(self._begun)
        return running

    def _begun(self, running: asyncio.Future[Empty]) -> None:
        self._starting.discard(running)
        if not self._starting and not self._watches and self._session is not None:
            self._change()

    def _enforce(self, attached: _Attached) -> asyncio.Future[Empty]:
        """Puts its rules in force. Returns a future of Chrome's answer, which does not depend on the worker."""
        worker, session = attached.worker, attached.session
        worker.origin_lists = self.table.lists_of(worker)
        rules, sockets = self.table.rules_of(worker), self._sockets_of(worker)
        if attached.sockets is None or attached.sockets.may_change:
            if sockets is not None and sockets is not attached.sockets:
                sockets.watch(session, site_worker_id=worker.target_id)
            attached.sockets = sockets
        if attached.ready is None and (sockets is not None or any(each.has_origin_lists for each in rules)):
            session.on(network.RequestWillBeSent, lambda sent: self._record(worker, sent.request_id, sent.request.url))
            session.on(network.WebSocketCreated, lambda made: self._record(worker, made.request_id, made.url))
            attached.ready = session.post(network.Enable())
            attached.ready.add_done_callback(lambda ready: self._limit(attached, ready, is_first=True))
        elif attached.ready is not None and attached.ready.done():
            self._limit(attached, attached.ready)
        return attached.interception.enforce(rules)

    def _sockets_of(self, worker: SiteWorker) -> HeldSockets | None:
        """What holds a worker's WebSockets: that of the first tabs under a Hold which were at its site."""
        groups = (group for group in self.table.groups_at(worker.site) if hold_of(group.tab_rules) is not None)
        return next((sockets for group in groups for sockets in self._sockets if sockets.group is group), None)

    def limit_sockets(self, sockets: HeldSockets) -> None:
        """Puts the present conditions of sockets in force in the workers of their sites."""
        for attached in self._workers.values():
            if attached.sockets is sockets and attached.ready is not None and attached.ready.done():
                self._limit(attached, attached.ready)

    def _limit(self, attached: _Attached, ready: asyncio.Future[Empty], *, is_first: bool = False) -> None:
        """`is_first`: nothing that it sent can wait, so its conditions may change."""
        if ready.cancelled() or ready.exception() is not None:
            return  # the worker is gone
        rules = self.table.rules_of(attached.worker)
        if attached.kind != "service_worker":  # Fetch holds theirs, and a stopped one would keep the blocked URLs
            attached.session.tell(network.SetBlockedURLs(url_patterns=blocked_urls(rules)))
        sockets = attached.sockets
        if is_first or sockets is None or sockets.may_change:
            conditions = socket_conditions(rules) if sockets is None else sockets.conditions(rules)
            attached.session.tell(network.EmulateNetworkConditionsByRule(matched_network_conditions=conditions))

    def _record(self, worker: SiteWorker, request_id: str, url: str) -> None:
        """Records a refused request or socket, which may never have been held, for each group that it may be of."""
        if (blocked := violation_of(self.table.rules_of(worker), url)) is not None:
            for group in self.table.groups_at(worker.site):
                group.ledger.record(blocked, request_id)

    def _on_detached(self, session_id: str) -> None:
        """Forgets a worker whose session ended, and those that it started."""
        gone = {session_id}
        for attached in self._workers.values():
            if attached.parent.id in gone:
                gone.add(attached.session.id)
        for attached in [self._workers.pop(name) for name in gone if name in self._workers]:
            self.table.remove_worker(attached.worker)

    def _reattach(self) -> None:
        for target_id in [name for name, site in self._released.items() if self.table.rules_at(site)]:
            del self._released[target_id]
            if self._session is not None:
                self._session.tell(target.AttachToTarget(target_id=target_id, flatten=True))
