"""The tabs of a Chrome as they open and close.

New pages wait for us (`Target.setAutoAttach` with `waitForDebuggerOnStart`), so that we are subscribed before anything
runs in them. Other means were tried and are too late for a popup that calls `alert` in its first script: then Chrome
shows the dialog itself, and only a person can close it. We detach from somebody else's tabs at once.

The events about a tab that we asked for arrive before the answer with its id. Until that answer, new tabs without an
opener are kept undecided, so that a tab that a person opened is not mistaken for ours.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

import msgspec

from cdp_agent.browser.attach.tab_closer import TabCloser
from cdp_agent.cdp import runtime, target
from cdp_agent.cdp.chrome_limit import chrome_limit
from cdp_agent.cdp.connection import Connection
from cdp_agent.cdp.known_errors import is_ending
from cdp_agent.cdp.types import Empty
from cdp_agent.errors import BrowserError, PageClosed, ProtocolError, SetupError
from cdp_agent.page.frames.recent import RecentSet
from cdp_agent.page.page import Page
from cdp_agent.page.snapshot.lines import shortened
from cdp_agent.page.tab.tab import Tab

_MOST_LISTED = 10
_PAGES = [target.FilterEntry(type="page")]


C = TypeVar("C")
"""A browser context of ours."""


class TabOwner(Protocol[C]):
    """Knows which browser context a tab belongs to. A tab without a context is somebody else's."""

    def make_tab(self, info: target.TargetInfo, opener: Tab | None, context: C | None) -> Tab:
        """Creates the object for a new tab; `opener` is the tab that opened it."""

    def context_of(self, info: target.TargetInfo) -> C | None:
        """The context of a tab that neither we nor one of our tabs opened; None if it is somebody else's."""

    def note_address(self, url: str, context: C | None) -> None:
        """Records that a tab of the context has shown that address."""


class _Undecided(msgspec.Struct):
    """A tab that appeared while we wait for one of ours. `session_id` is set once Chrome has attached to it."""

    info: target.TargetInfo
    session_id: str | None = None


class Targets(Generic[C]):
    """Tracks the tabs of a Chrome."""

    def __init__(self, connection: Connection, owner: TabOwner[C], closer: TabCloser | None = None) -> None:
        """`closer` closes our tabs when we are killed."""
        self.tabs: dict[str, Tab] = {}
        """All tabs by id, in the order in which they appeared, including those whose sessions have ended."""
        self.contexts: dict[str, C] = {}
        """The contexts of our tabs, by tab id."""
        self.ours: set[str] = set()
        """The ids of the tabs to close when we disconnect from a Chrome that is not ours."""
        self._connection = connection
        self._owner = owner
        self._closer = closer
        self._arrivals: dict[str, asyncio.Future[Tab]] = {}
        self._created: dict[str, C] = {}
        """The contexts of tabs that we asked for and that no event has reported yet, by tab id."""
        self._undecided: dict[str, _Undecided] = {}
        self._gone = RecentSet()
        """The ids of tabs that are gone: Chrome may report a session of a tab after the end of the tab."""
        self._creating = 0
        self._count = 0

    def follow(self) -> list[asyncio.Future[Empty]]:
        """Starts tracking the tabs. The returned futures are done after the events of all existing tabs."""
        session = self._connection.browser
        session.on(target.TargetCreated, lambda event: self._appeared(event.target_info))
        session.on(target.TargetInfoChanged, lambda event: self._changed(event.target_info))
        session.on(target.TargetDestroyed, lambda event: self._destroyed(event.target_id))
        session.on(target.AttachedToTarget, self._attached)
        return [
            session.post(target.SetDiscoverTargets(discover=True, filter=_PAGES)),
            session.post(
                target.SetAutoAttach(auto_attach=True, wait_for_debugger_on_start=True, flatten=True, filter=_PAGES)
            ),
        ]

    async def renew(self) -> None:
        """See BrowserContext.renew_titles."""
        async with chrome_limit("list its tabs"):
            targets = await self._connection.browser.send(target.GetTargets())
        for info in targets.target_infos:
            if tab := self.tabs.get(info.target_id):
                tab.update(info)

    def claim(self, target_id: str) -> None:
        """Marks a tab as one to close when we disconnect."""
        self.ours.add(target_id)
        if self._closer is not None:
            self._closer.add(target_id)

    def release(self, target_id: str) -> None:
        """Undoes `claim`, for a tab that is to stay open or is closed."""
        if target_id in self.ours:
            self.ours.remove(target_id)
            if self._closer is not None:
                self._closer.discard(target_id)

    async def create(self, command: target.CreateTarget, context: C) -> Tab:
        """Opens a tab. Raises PageClosed when it is closed before it has appeared, BrowserError, ProtocolError."""
        self._creating += 1
        creating = self._connection.browser.post(command)
        creating.add_done_callback(lambda done: self._on_created(done, context))
        try:
            created = await asyncio.shield(creating)
            tab = await self._arrival(created.target_id)
            tab.activity.document.url = tab.url or command.url  # headless shells report no address
            return tab
        except asyncio.CancelledError:
            creating.add_done_callback(self._close_unwanted)
            raise
        except ProtocolError as error:
            if is_ending(error):
                raise BrowserError(
                    "Chrome opens no more tabs: it is about to end, or a program that has none."
                ) from error
            raise

    def _on_created(self, creating: asyncio.Future[target.CreatedTarget], context: C) -> None:
        """Handles the answer with the new tab's id. Once no answer is pending, the undecided tabs are not ours."""
        self._creating -= 1
        if not creating.cancelled() and creating.exception() is None:
            target_id = creating.result().target_id
            self.claim(target_id)
            if (waiting := self._undecided.pop(target_id, None)) is not None:
                self._decide(waiting, context)
            elif target_id not in self.tabs:
                self._created[target_id] = context
        if not self._creating:
            undecided, self._undecided = list(self._undecided.values()), {}
            for each in undecided:
                self._decide(each, None)

    def _decide(self, waiting: _Undecided, context: C | None) -> None:
        self._add(waiting.info, context)
        if waiting.session_id is not None:
            self._attach_or_release(waiting.info.target_id, waiting.session_id)

    def _close_unwanted(self, creating: asyncio.Future[target.CreatedTarget]) -> None:
        """Closes a tab that was opened although the call for it was cancelled."""
        if not creating.cancelled() and creating.exception() is None:
            target_id = creating.result().target_id
            self._arrivals.pop(target_id, None)
            self._created.pop(target_id, None)
            self._connection.browser.tell(target.CloseTarget(target_id=target_id))

    def _appeared(self, info: target.TargetInfo) -> None:
        if info.target_id in self.tabs or info.target_id in self._gone or info.url.startswith("devtools://"):
            return
        if (undecided := self._undecided.get(info.target_id)) is not None:
            undecided.info = info
        elif (context := self._created.pop(info.target_id, None)) is not None:
            self._add(info, context)
        elif self._creating and info.opener_id is None:
            self._undecided[info.target_id] = _Undecided(info)
        else:
            self._add(info, None)

    def _attached(self, event: target.AttachedToTarget) -> None:
        if event.target_info.type != "page":
            return  # the browser target, to which the policy attaches to watch workers
        self._appeared(event.target_info)
        if (undecided := self._undecided.get(event.target_info.target_id)) is not None:
            undecided.session_id = event.session_id
        else:
            self._attach_or_release(event.target_info.target_id, event.session_id)

    def _attach_or_release(self, target_id: str, session_id: str) -> None:
        """Attaches one of our tabs to the session that Chrome made for it; detaches from any other tab."""
        tab = self.tabs.get(target_id)
        if tab is not None and tab.is_attached:
            return  # this is the session that we asked for
        if tab is not None and (not tab.is_foreign or (tab.opener is not None and tab.opener.is_acting)):
            tab.attach(session_id)
            return
        session = self._connection.session(session_id)
        session.tell(runtime.RunIfWaitingForDebugger())
        self._connection.browser.tell(target.DetachFromTarget(session_id=session_id))

    def _add(self, info: target.TargetInfo, context: C | None) -> None:
        """Adds a tab; `context` is given for one that we asked for."""
        opener = self._opener(info)
        if context is None and opener is not None:
            context = self.contexts.get(opener.target_id)
        context = context or self._owner.context_of(info)
        if context is not None:
            self.contexts[info.target_id] = context
        self._owner.note_address(info.url, context)
        tab = self.tabs[info.target_id] = self._owner.make_tab(info, opener, context)
        self._count += 1
        tab.number = self._count
        if opener is not None:
            opener.popups.add(tab)
            if opener.target_id in self.ours:
                self.claim(info.target_id)
        arrived = self._arrivals.pop(info.target_id, None)
        if arrived is not None and not arrived.done():
            arrived.set_result(tab)

    def _opener(self, info: target.TargetInfo) -> Tab | None:
        """The tab that opened this one. Chrome reports it for scripts and `target=_blank`, not for a middle click."""
        if info.opener_id is not None:
            opener = self.tabs.get(info.opener_id)
            return opener if opener is not None and opener.is_attached else None
        return next((tab for tab in self.tabs.values() if tab.requested_tabs.take(info.url)), None)

    def _changed(self, info: target.TargetInfo) -> None:
        self._owner.note_address(info.url, self.contexts.get(info.target_id))
        if tab := self.tabs.get(info.target_id):
            tab.update(info)

    def _destroyed(self, target_id: str) -> None:
        self._gone.add(target_id)
        self.release(target_id)
        self.contexts.pop(target_id, None)
        self._undecided.pop(target_id, None)
        if arrived := self._arrivals.pop(target_id, None):
            arrived.cancel()
        if tab := self.tabs.pop(target_id, None):
            tab.forget()

    async def _arrival(self, target_id: str) -> Tab:
        if tab := self.tabs.get(target_id):
            return tab
        if target_id in self._gone:
            raise PageClosed("Target.createTarget")
        arrived = self._arrivals.setdefault(target_id, asyncio.get_running_loop().create_future())
        either: list[asyncio.Future[Tab] | asyncio.Future[str]] = [arrived, self._connection.closed]
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not arrived.done():
            raise BrowserError(f"Chrome is gone: {self._connection.closed.result()}")
        if arrived.cancelled():
            raise PageClosed("Target.createTarget")
        return arrived.result()


def find_page(pages: Sequence[Page], named: str) -> Page:
    """The only page that `named` matches; see BrowserContext.find_page."""
    words = named.casefold()
    matches = [page for page in pages if page.target_id == named] or [
        page for page in pages if words in page.title.casefold() or words in page.url.casefold()
    ]
    if len(matches) == 1:
        return matches[0]
    listed = [
        f"{page.title!r} at {shortened(page.url)} ({page.target_id})" for page in (matches or pages)[:_MOST_LISTED]
    ]
    how_many = f"{len(matches)} tabs fit" if matches else "No tab fits"
    lines = [f"{how_many} {named!r}: name one by its id, or by more of its title or address.", *listed]
    if len(matches or pages) > _MOST_LISTED:
        lines.append(f"and {len(matches or pages) - _MOST_LISTED} more")
    raise SetupError("\n".join(lines))
