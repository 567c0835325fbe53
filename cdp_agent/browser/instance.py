"""One running Chrome. When it is lost, Browser replaces it as a whole with the next one."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from cdp_agent.browser.attach.connecting import Attempt
from cdp_agent.browser.attach.tab_closer import TabCloser
from cdp_agent.cdp import browser as cdp_browser
from cdp_agent.cdp import target
from cdp_agent.cdp.chrome_limit import chrome_limit
from cdp_agent.cdp.connection import Connection, Session
from cdp_agent.cdp.system_info import GetProcessInfo
from cdp_agent.cdp.types import Empty
from cdp_agent.errors import BrowserError
from cdp_agent.page.page import Page, page_of
from cdp_agent.page.policy.limits import limit
from cdp_agent.page.policy.policy_registry import PolicyRegistry
from cdp_agent.page.policy.request_policy import RequestPolicy
from cdp_agent.page.snapshot.refs import RefCounter
from cdp_agent.page.storage_state import OriginState, StorageState, StorageVisitor, cookies_of, set_cookies, write_state
from cdp_agent.page.tab.downloads import DownloadWatcher
from cdp_agent.page.tab.drawing import DrawnTabs
from cdp_agent.page.tab.settings import PageSettings
from cdp_agent.page.tab.tab import Tab
from cdp_agent.security.origins import origin_of

from .context_options import ContextOptions
from .liveness import Liveness
from .targets import Targets, find_page

if TYPE_CHECKING:
    from cdp_agent.browser.launch.launcher import ChromeProcess

_CLOSE_TABS_S = 1.0
_SET_UP_WITHIN_S = 20.0
"""A blank page never hangs, but on a machine under load it may be slow."""
_NewPage = Callable[..., Awaitable[Page]]
"""The type of Browser.new_page."""


class Instance:
    """A Chrome that we are connected to: its process if we started it, its tabs and browser contexts."""

    version: cdp_browser.Version

    def __init__(
        self,
        connection: Connection,
        options: ContextOptions | None = None,
        *,
        process: ChromeProcess | None = None,
        in_windows: bool = True,
        closer: TabCloser | None = None,
    ) -> None:
        """`options` are those of Chrome's default browser context. `process` is given for a Chrome that we started.

        `in_windows`: whether a person may see its tabs.

        `closer` closes our tabs in any other Chrome when we are killed, or when the connection is lost.
        """
        options = options or ContextOptions()
        self.connection = connection
        self.process = process
        self.in_windows = in_windows
        self._closer = closer
        if closer is not None:
            connection.closed.add_done_callback(lambda _: closer.end())
        self.ref_counter = RefCounter()
        """Counts the refs of all tabs."""
        self.attempts: list[Attempt] = []
        """The endpoints that were tried; the connection is to the last one."""
        self.policies = PolicyRegistry(connection, options.settings.rules, all_ours=process is not None)
        self.targets: Targets[OpenContext] = Targets(connection, self, closer)
        self.default = OpenContext(self, options)
        self._contexts = [self.default]
        self._liveness = Liveness(connection, (lambda: None) if process is None else process.cpu_s)

    @property
    def session(self) -> Session:
        """The session of the browser itself, for commands that are about no page."""
        return self.connection.browser

    @property
    def is_watched(self) -> bool:
        """Whether this is somebody else's Chrome with windows, in which that person may be working."""
        return self.process is None and "Headless" not in self.version.user_agent

    async def start(self) -> None:
        """Starts tracking the tabs, and applies the settings. Raises BrowserError, ProtocolError."""
        await self.policies.begin()
        await self.default.create()
        version = self.session.post(cdp_browser.GetVersion())
        answers: list[Awaitable[object]] = [
            version,
            *self.default.set_up(),
            *self.targets.follow(),
        ]
        if self.process is not None:
            processes = self.session.post(GetProcessInfo())
            answers.append(processes)
        await asyncio.gather(*answers)
        self.version = version.result()
        if self.process is not None:
            await self.process.identify(processes.result().process_info)
        self._liveness.start()
        await self.default.load()

    async def open_context(self, options: ContextOptions) -> OpenContext:
        """Opens another browser context, with its own tabs, settings and rules. Raises BrowserError, ProtocolError."""
        context = OpenContext(self, options)
        self._contexts.append(context)
        try:
            if options.settings.rules is not None:
                await self.policies.add(options.settings.rules)
            await context.create()
            await asyncio.gather(*context.set_up())
            await context.load()
        except BaseException:
            self._contexts.remove(context)
            context.dispose()
            raise
        return context

    async def close_context(self, context: OpenContext) -> None:
        """Closes our tabs in a context, and disposes of it in Chrome. Raises BrowserError."""
        await self._close(context.ours)
        context.dispose()
        self._contexts.remove(context)
        if context.options.settings.rules is not None:
            await self.policies.remove(context.options.settings.rules)

    async def end(self) -> None:
        """Ends a Chrome that we started; in any other, closes the tabs that we opened, and disconnects."""
        self._liveness.stop()
        try:
            if self.process is None:
                await self._close([tab for tab in self.targets.tabs.values() if tab.target_id in self.targets.ours])
                await self._end_workers()
        finally:
            if self.process is not None:
                self.session.tell(cdp_browser.Close())
                if self.policies.in_force:  # rules apply only while we are connected, so Chrome has to end first
                    await asyncio.wait([self.connection.closed], timeout=self.process.grace_s)
            await self.connection.close()
            if self._closer is not None:
                self._closer.end()
                await self._closer.ended()
            if self.process is not None:
                await self.process.close(grace_s=self.process.grace_s)

    def make_tab(self, info: target.TargetInfo, opener: Tab | None, context: OpenContext | None) -> Tab:
        """See targets.TabOwner."""
        owner = context or self.default
        options = owner.options
        rules = None if context in (None, self.default) else options.settings.rules
        return Tab(
            self.session,
            info,
            dialogs=options.dialogs if opener is None else opener.dialog_policy,
            downloads=owner.downloads,
            drawn=owner.drawn,
            opener=opener,
            settings=options.settings,
            request_policy=RequestPolicy(self.policies, rules, info.browser_context_id, is_foreign=context is None)
            if opener is None
            else opener.request_policy,
            refs=self.ref_counter,
            siblings=lambda: owner.tabs,
            is_foreign=context is None,
            in_own_chrome=self.process is not None,
        )

    def context_of(self, info: target.TargetInfo) -> OpenContext | None:
        """See targets.TabOwner."""
        isolated = [each for each in self._contexts if each.id is not None and each.id == info.browser_context_id]
        if isolated:
            return isolated[0]
        return self.default if self.process is not None else None

    def note_address(self, url: str, context: OpenContext | None) -> None:
        """See targets.TabOwner."""
        if url.startswith(("http://", "https://")):
            (context or self.default).origins.add("/".join(url.split("/", 3)[:3]))

    def context_of_download(self, frame_id: str) -> OpenContext | None:
        """The context of the tab that began the download; None if the download is somebody else's.

        A download in somebody else's tab is theirs, unless one of our actions is under way there.
        """
        for tab in self.targets.tabs.values():
            if tab.downloads.has_frame(frame_id):
                context = self.targets.contexts.get(tab.target_id)
                return self.default if context is None and tab.is_acting else context
        return self.default if self.process is not None else None

    async def _end_workers(self) -> None:
        shown = {str(origin_of(tab.url)) for tab in self.targets.tabs.values()}
        with contextlib.suppress(TimeoutError):  # a Chrome that hangs must not hold us up
            async with asyncio.timeout(_CLOSE_TABS_S):
                await self.policies.end_workers(shown)

    async def _close(self, tabs: list[Tab]) -> None:
        try:
            async with asyncio.timeout(_CLOSE_TABS_S):
                await asyncio.gather(*(tab.close() for tab in tabs), return_exceptions=True)
        except TimeoutError:
            pass  # a tab that will not close must not hold us up
        finally:
            for tab in tabs:
                # The answer was lost, or the wait timed out: close the tab anyway.
                if tab.target_id in self.targets.tabs:
                    self.session.tell(target.CloseTarget(target_id=tab.target_id))


class OpenContext:
    """A browser context of one running Chrome: its tabs, their settings and its downloads."""

    def __init__(self, instance: Instance, options: ContextOptions) -> None:
        self.instance = instance
        self.options = options
        self.id: str | None = None
        """Its `browserContextId` if it is isolated, else None."""
        self.origins: set[str] = set()
        """The origins that its tabs have shown, such as "https://example.com"."""
        self.closed = False
        self.drawn = DrawnTabs(in_windows=instance.in_windows)
        self._window: asyncio.Future[target.CreatedTarget] | None = None
        self.downloads = DownloadWatcher(
            options.downloads, lambda frame_id: instance.context_of_download(frame_id) is self
        )

    @property
    def pages(self) -> list[Page]:
        """See Browser.pages."""
        return [page_of(tab) for tab in self.tabs]

    @property
    def tabs(self) -> list[Tab]:
        """The open tabs. Those of Chrome's default context include tabs that other people opened."""
        return [each for each in self._all if not each.closed]

    @property
    def _all(self) -> list[Tab]:
        """All tabs, including those whose sessions have ended, so that nothing can be done in them any more."""
        targets, first = self.instance.targets, self.instance.default
        return [
            tab
            for tab in targets.tabs.values()
            if targets.contexts.get(tab.target_id, first) is self and tab.target_id not in self._blank
        ]

    @property
    def _blank(self) -> list[str]:
        """A list with the id of the blank tab in front of ours (see `_ensure_window`); empty if there is none."""
        window = self._window
        if window is None or not window.done() or window.exception() is not None:
            return []
        return [window.result().target_id]

    @property
    def ours(self) -> list[Tab]:
        """The tabs that we opened, and the popups of such tabs."""
        return [tab for tab in self._all if tab.target_id in self.instance.targets.ours]

    def find(self, named: str) -> Page:
        """See Browser.find_page."""
        return find_page(self.pages, named)

    async def create(self) -> None:
        """Creates the context in Chrome, if it is isolated. Raises BrowserError, ProtocolError."""
        if self.options.isolated:
            self.id = await self.options.create(self.instance.session)

    def set_up(self) -> list[asyncio.Future[Empty]]:
        """Sets up downloads and permissions, and returns futures of Chrome's answers. Call it once."""
        instance, session = self.instance, self.instance.session
        answers: list[asyncio.Future[Empty]] = []
        alone = instance.process is not None or self.id is not None
        if self.downloads.folder is None and instance.process is not None:
            self.downloads.save_in(os.path.join(instance.process.profile, "Downloads", self.id or ""))
        if self.id is not None or self is instance.default:
            answers.append(self.downloads.watch(session, self.id, shared=not alone))
        else:
            self.downloads.listen(session)
        # In a shared context the permission would also apply to the user's own tabs.
        if self.options.settings.geolocation is not None and alone:
            place = cdp_browser.PermissionDescriptor(name="geolocation")
            granted = cdp_browser.SetPermission(permission=place, setting="granted", browser_context_id=self.id)
            answers.append(session.post(granted))
        return answers

    async def load(self) -> None:
        """Sets the initial cookies and local storage from the options."""
        if self.options.state is not None:
            self.origins |= await _load_storage(self.new_page, self.instance.session, self.id, self.options.state)

    async def save(self, path: str | os.PathLike[str]) -> None:
        """See Browser.save_storage_state."""
        await _save_storage(self.new_page, self.instance.session, self.id, self.origins, path)

    async def new_page(self, url: str = "about:blank", *, background: bool = False) -> Page:
        """See Browser.new_page."""
        if self.closed:
            raise BrowserError("The browser context was closed.")
        instance = self.instance
        async with chrome_limit("open a tab"):
            if self.id is not None and instance.is_watched:
                await self._ensure_window()
            tab = await instance.targets.create(
                target.CreateTarget(
                    url="about:blank",
                    background=background or not instance.process or None,
                    browser_context_id=self.id,
                ),
                self,
            )
        try:
            async with chrome_limit("open a tab"):
                await tab.frames()
                if self.options.settings != PageSettings():
                    await tab.set_up(_SET_UP_WITHIN_S)
                await limit(tab.request_policy)
            if url != "about:blank":
                await page_of(tab).goto(url)
        except asyncio.CancelledError:
            tab.begin_closing()
            raise
        except BaseException:
            await asyncio.wait([tab.begin_closing()])
            raise
        return page_of(tab)

    async def _ensure_window(self) -> None:
        """Opens a minimized window with a blank tab in front, behind which our tabs are opened.

        A window that is not minimized covers other windows even without taking the focus. The front tab of a window
        raises the window when it shows a dialog or calls `focus()`; a tab behind it does not (Chromium 156, X11).
        """
        tabs = self.instance.targets.tabs
        if self._window is None or (self._window.done() and tabs.keys().isdisjoint(self._blank)):
            blank = target.CreateTarget(
                url="about:blank",
                background=True,
                browser_context_id=self.id,
                new_window=True,
                window_state="minimized",
            )
            self._window = self.instance.session.post(blank)
        await asyncio.shield(self._window)

    def dispose(self) -> None:
        """Ends the context without waiting for Chrome. An isolated one is disposed of with everything it stored."""
        self.closed = True
        self.downloads.stop()
        if self.id is not None:
            self.instance.session.tell(target.DisposeBrowserContext(browser_context_id=self.id))


async def _load_storage(new_page: _NewPage, browser: Session, context: str | None, state: StorageState) -> set[str]:
    """Sets cookies and local storage, and returns the origins that have local storage."""
    if state.origins:
        async with _visitor(new_page, browser) as visitor:
            for each in state.origins:
                await visitor.write(each)
    # Only after that tab is closed: Chrome deletes session cookies when the last tab of a profile closes.
    await set_cookies(browser, state.cookies, context)
    return {each.origin for each in state.origins}


async def _save_storage(
    new_page: _NewPage, browser: Session, context: str | None, origins: Iterable[str], path: str | os.PathLike[str]
) -> None:
    """Writes all cookies, and the local storage of these origins, to a file. Raises SetupError."""
    cookies = await cookies_of(browser, context)
    states = []
    async with _visitor(new_page, browser) as visitor:
        for origin in sorted(origins):
            if items := await visitor.read(origin):
                states.append(OriginState(origin, items))
    write_state(path, StorageState(cookies, states))


@asynccontextmanager
async def _visitor(new_page: _NewPage, browser: Session) -> AsyncIterator[StorageVisitor]:
    """A temporary tab that reads and writes the local storage of any origin."""
    page = await new_page(background=True)
    try:
        yield await StorageVisitor.of_tab(browser, page.target_id)
    finally:
        await page.close()
