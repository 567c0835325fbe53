"""A Chrome: one that we start and end, or one that runs and is left as it was.

New pages wait for us (`Target.setAutoAttach` with `waitForDebuggerOnStart`), so that we are subscribed before anything
runs in it. Other means were tried and come too late for a popup that alerts in its first script: then Chrome shows the
dialog itself, and nothing but a person closes it. The tabs of somebody else are let go at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Mapping, Sequence
from typing import Any

from cdp_agent.cdp import browser as cdp_browser
from cdp_agent.cdp import runtime, target
from cdp_agent.cdp.connection import Connection, Session
from cdp_agent.errors import BrowserError, ProtocolError

from .chrome import LaunchOptions
from .launch import ChromeProcess, failed_to_start, launch
from .opening import Open, Opening
from .page.dialogs import DialogPolicy
from .page.downloads import DownloadWatcher
from .page.page import Page

_CLOSE_TABS_S = 1.0
_TEMPORARY_GRACE_S = 1.0
_GIVEN_PROFILE_GRACE_S = 5.0
_PAGES = [target.FilterEntry(type="page")]


class Browser:
    """`async with Browser.launch() as browser`, or `browser = await Browser.launch()` and `await browser.close()`."""

    version: cdp_browser.Version

    def __init__(
        self,
        connection: Connection,
        *,
        process: ChromeProcess | None,
        dialogs: DialogPolicy,
        downloads: DownloadWatcher,
        viewport: tuple[int, int] | None,
    ) -> None:
        self.downloads = downloads
        self._connection = connection
        self._process = process
        self._dialogs = dialogs
        self._viewport = viewport
        self._pages: dict[str, Page] = {}
        self._arrivals: dict[str, asyncio.Future[Page]] = {}
        self._ours: set[str] = set()
        """The tabs that are closed with us when the Chrome is not ours."""
        self._creating = 0
        self._closed = False
        self.opened_by: Open | None = None

    @staticmethod
    def launch(
        *,
        headless: bool = True,
        executable: str | None = None,
        profile: str | os.PathLike[str] | None = None,
        args: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        viewport: tuple[int, int] | None = (1280, 800),
        downloads: str | os.PathLike[str] | None = None,
        dialogs: DialogPolicy | None = None,
        timeout_s: float = 30.0,
    ) -> Opening:
        """A Chrome of our own: nothing of it is left when it is closed, or when this process ends in any way.

        Without a `profile` it gets a temporary one. `args` are added to its command line, `env` to its environment.
        `viewport` is in CSS pixels (None: as the window has it). Downloads go to a folder inside of the profile, or to
        `downloads`. Raises BrowserError, with what Chrome said, when it does not start within `timeout_s`.
        """
        options = LaunchOptions(
            headless=headless,
            executable=executable,
            profile=None if profile is None else os.fspath(profile),
            args=tuple(args),
            env=env,
            window=viewport or LaunchOptions().window,
        )

        async def open_() -> Browser:
            process, transport = await launch(options, timeout_s)
            folder = os.path.join(process.profile, "Downloads") if downloads is None else downloads
            browser = Browser(
                Connection(transport),
                process=process,
                dialogs=dialogs or DialogPolicy(),
                downloads=DownloadWatcher(folder),
                viewport=viewport if headless else None,
            )
            try:
                async with asyncio.timeout(timeout_s):
                    await browser._start()
            except (TimeoutError, BrowserError) as error:
                raise await failed_to_start(process, timeout_s) from error
            except BaseException:
                await process.close()
                raise
            return browser

        return Opening(open_)

    @staticmethod
    def connect(
        endpoint: str | Sequence[str],
        *,
        headers: Mapping[str, str] | None = None,
        timeout_s: float = 5.0,
        downloads: str | os.PathLike[str] | None = None,
        dialogs: DialogPolicy | None = None,
    ) -> Opening:
        """A Chrome that runs: `http(s)://host:port`, `ws(s)://…`, or several to be tried in order, `timeout_s` each.

        It is never ended; only tabs that we opened are closed. Its tabs keep focus, size and download folder, unless
        `downloads` is given. Raises BrowserError that tells what happened at each endpoint.
        """
        endpoints = [endpoint] if isinstance(endpoint, str) else list(endpoint)

        async def open_() -> Browser:
            # Late: a Chrome of our own needs none of this, and importing it takes 20 ms.
            from .endpoints import connect

            failures = []
            for each in endpoints:
                try:
                    async with asyncio.timeout(timeout_s):
                        transport = await connect(each, headers or {}, timeout_s)
                        browser = Browser(
                            Connection(transport),
                            process=None,
                            dialogs=dialogs or DialogPolicy(),
                            downloads=DownloadWatcher(downloads),
                            viewport=None,
                        )
                        await browser._start()
                        return browser
                except TimeoutError:
                    failures.append(f"{each}: no answer within {timeout_s:g} s")
                except (BrowserError, ProtocolError) as error:
                    failures.append(f"{each}: {error}")
            raise BrowserError("\n".join(["No Chrome could be reached.", *failures]))

        return Opening(open_)

    @property
    def pages(self) -> list[Page]:
        """The open tabs, in the order in which they came. They cost nothing until they are used."""
        return list(self._pages.values())

    async def new_page(self, url: str = "about:blank", *, background: bool = False) -> Page:
        """A new tab, in the background if asked or where the Chrome is somebody else's. Raises as Page.goto."""
        self._creating += 1
        try:
            created = await self._connection.browser.send(
                target.CreateTarget(url="about:blank", background=background or not self._process or None)
            )
            self._ours.add(created.target_id)
            page = await self._arrival(created.target_id)
        finally:
            self._creating -= 1
        await page.frames()
        if url != "about:blank":
            await page.goto(url)
        return page

    @property
    def session(self) -> Session:
        """The Chrome itself, for what no page has."""
        return self._connection.browser

    @property
    def is_ours(self) -> bool:
        """We started this Chrome, and end it."""
        return self._process is not None

    async def reopen(self) -> None:
        """Opens the browser again in the way it was opened, after its Chrome went away: all tabs are new ones.

        Raises BrowserError, also for one that was closed on purpose.
        """
        if self._closed or self.opened_by is None:
            raise BrowserError("The browser was closed.")
        await self.close()
        opened_by, again = self.opened_by, await self.opened_by()
        # Whoever holds this browser holds the new one: what Chrome tells the new one is known here, too.
        self.__dict__ = again.__dict__
        self.opened_by = opened_by

    def keep(self, page: Page) -> None:
        """The tab stays open when we leave a Chrome that is not ours."""
        self._ours.discard(page.target_id)

    async def close(self) -> None:
        """Ends a Chrome of ours; of another one, closes the tabs that we opened and disconnects."""
        if self._closed:
            return
        self._closed = True
        try:
            if self._process is None:
                await self._close_our_tabs()
        finally:
            if self._process is not None:
                self._connection.browser.tell(cdp_browser.Close())
            await self._connection.close()
            if self._process is not None:
                await self._process.close(
                    grace_s=_TEMPORARY_GRACE_S if self._process.temporary else _GIVEN_PROFILE_GRACE_S
                )

    async def _start(self) -> None:
        session = self._connection.browser
        session.on(target.TargetCreated, lambda event: self._appeared(event.target_info))
        session.on(target.TargetInfoChanged, lambda event: self._changed(event.target_info))
        session.on(target.TargetDestroyed, lambda event: self._destroyed(event.target_id))
        session.on(target.AttachedToTarget, self._attached)
        self.version, *_ = await asyncio.gather(
            session.post(cdp_browser.GetVersion()),
            self.downloads.watch(session),
            session.post(target.SetDiscoverTargets(discover=True, filter=_PAGES)),
            session.post(
                target.SetAutoAttach(auto_attach=True, wait_for_debugger_on_start=True, flatten=True, filter=_PAGES)
            ),
        )

    def _appeared(self, info: target.TargetInfo) -> None:
        if info.target_id not in self._pages and not info.url.startswith("devtools://"):
            self._add(info)

    def _attached(self, event: target.AttachedToTarget) -> None:
        self._appeared(event.target_info)
        page = self._pages.get(event.target_info.target_id)
        if page is not None and page.is_attached:
            return  # this event tells of the session that we asked for
        if page is not None and (self._process or self._creating or page.opener):
            page.attach(event.session_id)
            return
        session = self._connection.session(event.session_id)
        session.tell(runtime.RunIfWaitingForDebugger())
        self._connection.browser.tell(target.DetachFromTarget(session_id=event.session_id))

    def _add(self, info: target.TargetInfo) -> Page:
        opener = self._opener(info)
        page = Page(
            self._connection.browser,
            info,
            dialogs=self._dialogs,
            downloads=self.downloads,
            opener=opener,
            viewport=self._viewport,
        )
        self._pages[info.target_id] = page
        if opener is not None:
            opener.popups.append(page)
            if opener.target_id in self._ours:
                self._ours.add(info.target_id)
        arrived = self._arrivals.pop(info.target_id, None)
        if arrived is not None and not arrived.done():
            arrived.set_result(page)
        return page

    def _opener(self, info: target.TargetInfo) -> Page | None:
        """The page of ours that opened it. Chrome tells it of scripts and `target=_blank`, not of a middle click."""
        if info.opener_id is not None:
            opener = self._pages.get(info.opener_id)
            return opener if opener is not None and opener.is_attached else None
        return next((page for page in self._pages.values() if page.asked_for_tab(info.url)), None)

    def _changed(self, info: target.TargetInfo) -> None:
        if page := self._pages.get(info.target_id):
            page.update(info)

    def _destroyed(self, target_id: str) -> None:
        if page := self._pages.pop(target_id, None):
            page.closed = True

    async def _arrival(self, target_id: str) -> Page:
        if page := self._pages.get(target_id):
            return page
        arrived = self._arrivals.setdefault(target_id, asyncio.get_running_loop().create_future())
        either: list[asyncio.Future[Any]] = [arrived, self._connection.closed]
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not arrived.done():
            raise BrowserError(f"Chrome is gone: {self._connection.closed.result()}")
        return arrived.result()

    async def _close_our_tabs(self) -> None:
        pages = [page for page in self.pages if page.target_id in self._ours]
        # A tab that will not close, or a Chrome that is gone, must not keep us: we tried.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE_TABS_S):
                await asyncio.gather(*(page.close() for page in pages), return_exceptions=True)
