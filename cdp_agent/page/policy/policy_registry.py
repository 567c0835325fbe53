"""The rules of a browser: the owner of the table of who may send what, and of what is held for it.

In a Chrome of ours, every request, including the first, is held on the browser's own session and judged by the frame
that sent it. In somebody else's Chrome, requests are held only on the sessions of our tabs. The rules of tabs end with
the last of the tabs; then service workers that ran under lists are stopped, so that they lose their memory and start
anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cdp_agent.cdp import fetch
from cdp_agent.cdp.connection import Connection, retrieve_exception

from .interception import Interception
from .judge import TabGroup, Table, distinct
from .site_workers import SiteWorkers

if TYPE_CHECKING:
    from .rules import RequestRules

_LAST_WORDS_S = 10.0


class PolicyRegistry:
    """The rules of a browser's tabs. `rules` apply to tabs that we opened; with `all_ours`, to the whole Chrome."""

    def __init__(self, connection: Connection, rules: RequestRules | None, *, all_ours: bool) -> None:
        self.table = Table(rules, all_ours=all_ours)
        self._workers = SiteWorkers(connection, self.table)
        connection.browser.on(fetch.RequestPaused, self._note_document)
        self._interception = Interception(connection.browser, self.table)
        self._changes: set[asyncio.Task[None]] = set()

    async def begin(self) -> None:
        """Puts the browser's rules in force, before the first tab may run. Raises ProtocolError, BrowserError."""
        if self.table.browser_rules:
            await self._interception.enforce(self._all_rules)
        await self._workers.update()

    async def add(self, rules: RequestRules) -> None:
        """Adds the rules of a browser context. To be called before its first tab opens. Raises as `begin`."""
        self.table.context_rules.append(rules)
        await self.rules_changed()

    async def remove(self, rules: RequestRules) -> None:
        """Removes the rules of a browser context that is gone, with its tabs. Raises as `begin`."""
        self.table.context_rules.remove(rules)
        await self.rules_changed()

    async def end_workers(self, shown: set[str]) -> None:
        """See SiteWorkers.end."""
        await self._workers.end(shown)

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
        """Notes the request of a document: the rules of its tab apply to the workers of its site from now on."""
        if (site := group.note_visit(url)) is not None:
            self._workers.site_visited(site)

    @property
    def in_force(self) -> bool:
        """Whether there are any rules."""
        return bool(self._all_rules)

    async def rules_changed(self) -> None:
        """Puts the present rules in force on the browser's session and in workers. Raises as `begin`."""
        if self.table.all_ours:
            await self._interception.enforce(self._all_rules)
        for worker in self._workers.stop_freed():
            self.table.leave([worker.target_id], rules := self.table.rules_of(worker))
            self._forget_later(rules)
        await self._workers.update()

    @property
    def _all_rules(self) -> list[RequestRules]:
        """The rules of open tabs, and of the workers and documents that outlive their tabs."""
        leaving = [rules for former in self.table.leaving_rules for rules in former]
        return distinct([*self.table.rules, *self._workers.origin_lists, *leaving])

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
