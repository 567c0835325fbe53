"""The tabs of a Chrome as they come and go.

New pages wait for us (`Target.setAutoAttach` with `waitForDebuggerOnStart`), so that we are subscribed before anything
runs in it. Other means were tried and come too late for a popup that alerts in its first script: then Chrome shows the
dialog itself, and nothing but a person closes it. The tabs of somebody else are let go at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from cdp_agent.cdp import runtime, target
from cdp_agent.cdp.connection import Connection
from cdp_agent.cdp.known_errors import opens_no_tabs
from cdp_agent.errors import BrowserError, ProtocolError, SetupError
from cdp_agent.page.frames.recent import Recent
from cdp_agent.page.page import Page
from cdp_agent.page.snapshot.lines import shortened

_MOST_LISTED = 10
_PAGES = [target.FilterEntry(type="page")]

MakePage = Callable[[target.TargetInfo, Page | None], Page]
"""The page of a tab, and the one that opened it."""


class Targets:
    """Follows the tabs. `all_ours`: nobody else opens tabs there, so that every new one is attached to."""

    def __init__(self, connection: Connection, make: MakePage, *, all_ours: bool) -> None:
        self.pages: dict[str, Page] = {}
        self.ours: set[str] = set()
        """The tabs that are closed with us when the Chrome is not ours."""
        self.origins: set[str] = set()
        """Those that tabs have shown, "https://example.com"."""
        self._connection = connection
        self._make = make
        self._all_ours = all_ours
        self._arrivals: dict[str, asyncio.Future[Page]] = {}
        self._gone = Recent()
        """Chrome may tell of a session of a tab after it told of the tab's end."""
        self._creating = 0
        self._count = 0

    def follow(self) -> list[asyncio.Future[Any]]:
        """Begins; Chrome's answers, which come after it has told of the tabs that there are."""
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

    def open_pages(self) -> list[Page]:
        """In the order in which they came."""
        return [page for page in self.pages.values() if not page.closed]

    def find(self, named: str) -> Page:
        """See Browser.find_page."""
        return find_page(list(self.pages.values()), named)

    async def create(self, command: target.CreateTarget) -> Page:
        """A new tab. Raises BrowserError, ProtocolError."""
        self._creating += 1
        creating = self._connection.browser.post(command)
        try:
            created = await asyncio.shield(creating)
            self.ours.add(created.target_id)
            return await self._arrival(created.target_id)
        except asyncio.CancelledError:
            creating.add_done_callback(self._close_unwanted)
            raise
        except ProtocolError as error:
            if opens_no_tabs(error):
                raise BrowserError("Chrome opens no more tabs: it is about to end.") from error
            raise
        finally:
            self._creating -= 1

    def _close_unwanted(self, creating: asyncio.Future[target.CreatedTarget]) -> None:
        """The tab that came although whoever asked for it was cancelled."""
        if not creating.cancelled() and creating.exception() is None:
            target_id = creating.result().target_id
            self._arrivals.pop(target_id, None)
            self._connection.browser.tell(target.CloseTarget(target_id=target_id))

    def _appeared(self, info: target.TargetInfo) -> None:
        self._saw(info.url)
        if (
            info.target_id not in self.pages
            and info.target_id not in self._gone
            and not info.url.startswith("devtools://")
        ):
            self._add(info)

    def _attached(self, event: target.AttachedToTarget) -> None:
        if event.target_info.type != "page":
            return  # the browser itself, which those attach to who watch over workers
        self._appeared(event.target_info)
        page = self.pages.get(event.target_info.target_id)
        if page is not None and page.is_attached:
            return  # this event tells of the session that we asked for
        if page is not None and (self._all_ours or self._creating or page.opener):
            page.attach(event.session_id)
            return
        session = self._connection.session(event.session_id)
        session.tell(runtime.RunIfWaitingForDebugger())
        self._connection.browser.tell(target.DetachFromTarget(session_id=event.session_id))

    def _add(self, info: target.TargetInfo) -> None:
        opener = self._opener(info)
        page = self.pages[info.target_id] = self._make(info, opener)
        self._count += 1
        page.number = self._count
        if opener is not None:
            opener.add_popup(page)
            if opener.target_id in self.ours:
                self.ours.add(info.target_id)
        arrived = self._arrivals.pop(info.target_id, None)
        if arrived is not None and not arrived.done():
            arrived.set_result(page)

    def _opener(self, info: target.TargetInfo) -> Page | None:
        """The page of ours that opened it. Chrome tells it of scripts and `target=_blank`, not of a middle click."""
        if info.opener_id is not None:
            opener = self.pages.get(info.opener_id)
            return opener if opener is not None and opener.is_attached else None
        return next((page for page in self.pages.values() if page.asked_for_tab(info.url)), None)

    def _saw(self, url: str) -> None:
        if url.startswith(("http://", "https://")):
            self.origins.add("/".join(url.split("/", 3)[:3]))

    def _changed(self, info: target.TargetInfo) -> None:
        self._saw(info.url)
        if page := self.pages.get(info.target_id):
            page.update(info)

    def _destroyed(self, target_id: str) -> None:
        self._gone.add(target_id)
        self.ours.discard(target_id)
        if page := self.pages.pop(target_id, None):
            page.forget()

    async def _arrival(self, target_id: str) -> Page:
        if page := self.pages.get(target_id):
            return page
        arrived = self._arrivals.setdefault(target_id, asyncio.get_running_loop().create_future())
        either: list[asyncio.Future[Any]] = [arrived, self._connection.closed]
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not arrived.done():
            raise BrowserError(f"Chrome is gone: {self._connection.closed.result()}")
        return arrived.result()


def find_page(pages: Sequence[Page], named: str) -> Page:
    """The only one of the pages that is named so, see Browser.find_page."""
    words = named.casefold()
    found = [page for page in pages if page.target_id == named] or [
        page for page in pages if words in page.title.casefold() or words in page.url.casefold()
    ]
    if len(found) == 1:
        return found[0]
    listed = [f"{page.title!r} at {shortened(page.url)} ({page.target_id})" for page in (found or pages)[:_MOST_LISTED]]
    how_many = f"{len(found)} tabs fit" if found else "No tab fits"
    told = [f"{how_many} {named!r}: name one by its id, or by more of its title or address.", *listed]
    if len(found or pages) > _MOST_LISTED:
        told.append(f"and {len(found or pages) - _MOST_LISTED} more")
    raise SetupError("\n".join(told))
