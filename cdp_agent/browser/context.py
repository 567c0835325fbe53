"""A browser context: its own tabs, settings and rules, on the connection of the browser."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING
from weakref import WeakSet

from cdp_agent.browser.attach.connecting import Attempt
from cdp_agent.cdp import browser as cdp_browser
from cdp_agent.cdp.connection import Session
from cdp_agent.errors import BrowserError, SetupError
from cdp_agent.page.tab.downloads import DownloadWatcher

if TYPE_CHECKING:
    from cdp_agent.page.page import Page

    from .instance import Instance, OpenContext

Open = Callable[[], Awaitable["Instance"]]
"""Starts a Chrome, or connects to one. Raises BrowserError, SetupError."""


class ReplaceableChrome:
    """The present Chrome, and how to open the next one when it is lost; shared by a browser and its contexts."""

    def __init__(self, instance: Instance, open_again: Open | None) -> None:
        self.instance = instance
        self.closed = False
        self._open_again = open_again
        self._reopening = asyncio.Lock()

    async def reopen(self, gone: Instance) -> None:
        """Opens the next Chrome in place of `gone`, unless that has been done. Raises BrowserError, SetupError."""
        async with self._reopening:
            if self.closed or self._open_again is None:
                raise BrowserError("The browser was closed.")
            if self.instance is not gone:
                return
            await gone.end()
            self.instance = await self._open_again()
            self.instance.ref_counter.skip_to(gone.ref_counter.next)
            if self.closed:  # while it was opened
                await self.instance.end()
                raise BrowserError("The browser was closed.")

    async def close(self) -> None:
        if not self.closed:
            self.closed = True
            await self.instance.end()


_contexts: WeakSet[BrowserContext] = WeakSet()
"""All contexts of this process that are still referenced."""


def context_of(page: Page) -> BrowserContext:
    """The browser or browser context that the tab belongs to. Raises SetupError for a closed tab."""
    for context in list(_contexts):
        if not context.closed and page in context.pages:
            return context
    raise SetupError("The tab is closed, or its browser is: give one that is open.")


class BrowserContext:
    """A browser context: use it in `async with await browser.new_context(…)`, or call `await context.close()`.

    The popups of its tabs belong to it too. It shares nothing with other contexts except the rules of the whole browser
    (and, where it is not isolated, cookies and storage). An Agent takes it in place of a Browser.
    """

    def __init__(self, chrome: ReplaceableChrome, context: OpenContext) -> None:
        self._chrome = chrome
        self._opened = context
        _contexts.add(self)

    @property
    def _context(self) -> OpenContext:
        """This context in the Chrome where it was last opened."""
        return self._opened

    @property
    def version(self) -> cdp_browser.Version:
        """The product and version of the Chrome, and the version of its protocol."""
        return self._context.instance.version

    @property
    def attempts(self) -> list[Attempt]:
        """The endpoints that were tried when the browser was opened; the connection is to the last one."""
        return self._context.instance.attempts

    @property
    def downloads(self) -> DownloadWatcher:
        """The downloads of all tabs of this context; those that an action began are also in its receipt."""
        return self._context.downloads

    @property
    def pages(self) -> list[Page]:
        """The open tabs, in the order in which they were opened. A tab costs nothing until it is used."""
        return self._context.pages

    async def new_page(self, url: str = "about:blank", *, background: bool = False) -> Page:
        """Opens a tab that shows `url`, in the background if asked to or if the Chrome is somebody else's.

        Raises what Page.goto raises, and SetupError for a locale or time zone that Chrome does not know. When it fails
        or is cancelled, no tab is left.
        """
        return await self._context.new_page(url, background=background)

    def find_page(self, named: str) -> Page:
        """The open tab with the id `named`, or the only one whose title or address contains that text.

        Raises SetupError, which lists the tabs that match, or the open ones if none does.
        """
        return self._context.find(named)

    async def renew_titles(self) -> None:
        """Updates the titles of the tabs. Chrome sends no event when a page changes its title after loading.

        Sends Target.getTargets. Raises PageUnresponsive where a page keeps Chrome busy, BrowserError.
        """
        await self._context.instance.targets.renew()

    async def save_storage_state(self, path: str | os.PathLike[str]) -> None:
        """Writes the cookies, and the local storage of the origins that tabs have shown, to a file (mode 600).

        The format is Playwright's `storageState`. Raises SetupError when the file cannot be written, BrowserError.
        """
        await self._context.save(path)

    @property
    def session(self) -> Session:
        """The session of the browser itself, for commands that are about no page."""
        return self._context.instance.session

    @property
    def next_ref(self) -> int:
        """The number of the next ref of an element, in whichever tab of the browser and its contexts it is given."""
        return self._context.instance.ref_counter.next

    def skip_refs_to(self, number: int) -> None:
        """Has no ref below this number be given from now on, since somebody may remember such refs."""
        self._context.instance.ref_counter.skip_to(number)

    @property
    def id(self) -> str | None:
        """Its `browserContextId`, for commands such as Storage.getCookies; None for Chrome's default context."""
        return self._context.id

    @property
    def is_ours(self) -> bool:
        """Whether we started this Chrome, and so will end it."""
        return self._context.instance.process is not None

    def opened(self, page: Page) -> bool:
        """Whether we, or one of our tabs, opened the tab."""
        return page.target_id in self._context.instance.targets.ours

    def keep(self, page: Page) -> None:
        """Keeps the tab open when we disconnect from a Chrome that is not ours."""
        self._context.instance.targets.release(page.target_id)

    @property
    def gone(self) -> str | None:
        """Why the Chrome is gone, or None while we are connected to it."""
        closed = self._context.instance.connection.closed
        return closed.result() if closed.done() else None

    @property
    def pid(self) -> int | None:
        """The id of the main process of a Chrome that we started; None for any other Chrome."""
        return None if self._context.instance.process is None else self._context.instance.process.pid

    @property
    def profile(self) -> str | None:
        """The profile folder of a Chrome that we started; None for any other Chrome."""
        return None if self._context.instance.process is None else self._context.instance.process.profile

    async def listening(self, timeout_s: float = 30.0) -> str:
        """The WebSocket address of a Chrome that we started with `--remote-debugging-port` in `args`, once it listens.

        Raises BrowserError when it does not listen within `timeout_s`, or is not ours.
        """
        if (process := self._context.instance.process) is None:
            raise BrowserError("This Chrome was not started here: where it listens is not known.")
        if (url := await process.listens(timeout_s)) is None:
            raise BrowserError(f"Chrome does not listen on a port within {timeout_s:g} s: something else may.")
        return url

    async def reopen(self) -> None:
        """Opens the browser again as it was opened before, after its Chrome was lost. The old tabs do not come back.

        Concurrent calls get the same new Chrome. Raises BrowserError, also when the browser was closed on purpose; it
        can be called again after a failure.
        """
        if self._opened.closed:
            raise BrowserError("The browser context was closed.")
        await self._chrome.reopen(self._opened.instance)
        self._opened = await self._chrome.instance.open_context(self._opened.options)

    @property
    def closed(self) -> bool:
        """Whether it was closed, so that no tab can be opened in it any more."""
        return self._context.closed

    async def close(self) -> None:
        """Closes the tabs that we opened in the context. Everything that an isolated context stored is deleted."""
        if not self._opened.closed:
            await self._opened.instance.close_context(self._opened)

    async def __aenter__(self) -> BrowserContext:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
