"""A Chrome: one that we start and end, or one that runs and is left as it was."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cdp_agent.cdp import browser as cdp_browser
from cdp_agent.cdp import target
from cdp_agent.cdp.connection import Connection, Session
from cdp_agent.cdp.transport import Transport
from cdp_agent.errors import BrowserError, ProtocolError

from .connecting import AUTO, Attempt, Connecting
from .opening import Open, Opening
from .own import OwnState
from .page.dialogs import DialogPolicy
from .page.downloads import DownloadWatcher
from .page.settings import PageSettings, Viewport

if TYPE_CHECKING:
    from typing import Unpack

    from .launch import ChromeProcess
    from .page.page import Page
    from .page.settings import Given
    from .proxy import Proxy

_CLOSE_TABS_S = 1.0


class Browser:
    """`async with Browser.launch() as browser`, or `browser = await Browser.launch()` and `await browser.close()`."""

    version: cdp_browser.Version

    def __init__(
        self,
        connection: Connection,
        *,
        process: ChromeProcess | None,
        dialogs: DialogPolicy | None,
        downloads: str | os.PathLike[str] | None,
        settings: PageSettings,
        own: OwnState | None = None,
    ) -> None:
        from .liveness import Liveness  # late: not needed before there is a Chrome
        from .page.guards import Guards
        from .targets import Targets

        self.downloads = DownloadWatcher(downloads)
        self.opened_by: Open | None = None
        self.attempts: list[Attempt] = []
        """The endpoints that were tried when it was opened, the one that it is connected to last."""
        self._connection = connection
        self._process = process
        self._dialogs = dialogs or DialogPolicy()
        self._settings = settings
        self._own = own or OwnState()
        self._context: str | None = None
        """The browser context that our tabs are in, None for the usual one."""
        self._guards = Guards(connection, settings.rules, all_ours=process is not None)
        self._targets = Targets(connection, self._make_page, all_ours=process is not None)
        self._liveness = Liveness(connection)
        self._new_windows = False
        self._closed = False

    @staticmethod
    def launch(
        *,
        headless: bool = True,
        executable: str | None = None,
        profile: str | os.PathLike[str] | None = None,
        args: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        viewport: Viewport | tuple[int, int] | None = (1280, 800),
        downloads: str | os.PathLike[str] | None = None,
        dialogs: DialogPolicy | None = None,
        proxy: str | Proxy | None = None,
        storage_state: str | os.PathLike[str] | None = None,
        timeout_s: float = 30.0,
        **settings: Unpack[Given],
    ) -> Opening:
        """A Chrome of our own: nothing of it is left when it is closed, or when this process ends in any way.

        Without a `profile` it gets a temporary one. `args` are added to its command line, `env` to its environment.
        `viewport` is in CSS pixels (None: as the window has it). Downloads go to a folder inside of the profile, or to
        `downloads`. `storage_state` is a file of cookies and local storage, as `save_storage_state` writes it. For what
        else pages are made to see, see `PageSettings`. Raises SetupError for a setting that makes no sense, and
        BrowserError, with what Chrome said, when it does not start within `timeout_s`.
        """
        # Late: whoever connects needs none of it.
        from .chrome import LaunchOptions
        from .launch import failed_to_start, launch

        size = viewport if viewport is None or isinstance(viewport, Viewport) else Viewport(*viewport)
        own = OwnState.of(proxy, storage_state)
        emulated = size if headless or isinstance(viewport, Viewport) else None
        chosen = PageSettings.of(emulated, proxy_credentials=own.credentials, **settings)
        options = LaunchOptions(
            headless=headless,
            executable=executable,
            profile=None if profile is None else os.fspath(profile),
            args=tuple(args),
            env=env,
            window=LaunchOptions().window if size is None else (size.width, size.height),
        ).telling(chosen, own.proxy)

        async def open_() -> Browser:
            process, transport = await launch(options, timeout_s)
            browser = Browser(
                Connection(transport),
                process=process,
                dialogs=dialogs,
                downloads=os.path.join(process.profile, "Downloads") if downloads is None else downloads,
                settings=chosen,
                own=own,
            )
            try:
                async with asyncio.timeout(timeout_s):
                    await browser._start()
            except TimeoutError as error:
                raise await failed_to_start(process, f"did not answer within {timeout_s:g} s") from error
            except (BrowserError, ProtocolError) as error:
                raise await failed_to_start(process, f"cannot be talked to, {error}") from error
            except BaseException:
                await process.close()
                raise
            return browser

        return Opening(open_)

    @staticmethod
    def connect(
        endpoint: str | Sequence[str] = AUTO,
        *,
        profile: str | os.PathLike[str] | None = None,
        headers: Mapping[str, str] | None = None,
        timeout_s: float = 5.0,
        viewport: Viewport | tuple[int, int] | None = None,
        downloads: str | os.PathLike[str] | None = None,
        dialogs: DialogPolicy | None = None,
        proxy: str | Proxy | None = None,
        storage_state: str | os.PathLike[str] | None = None,
        **settings: Unpack[Given],
    ) -> Opening:
        """A Chrome that runs: `http(s)://host:port`, `ws(s)://…`, or several to be tried in order, `timeout_s` each.

        "auto" is the Chrome that its user works with, found in its usual profile's folder or in `profile`; our tabs get
        windows of their own there. `headers` go with the requests to the endpoint. The Chrome is never ended, only tabs
        that we opened are closed. Its tabs keep focus, size and download folder, unless `viewport` or `downloads` are
        given. With a `proxy` or a `storage_state` our tabs are in a browser context of their own, as in a private
        window. When the Chrome goes away, `reopen` takes the next endpoint. Raises SetupError for what is no address,
        and BrowserError that tells what happened at each endpoint.
        """
        endpoints = [endpoint] if isinstance(endpoint, str) else list(endpoint)
        own = OwnState.of(proxy, storage_state)
        chosen = PageSettings.of(viewport, proxy_credentials=own.credentials, **settings)
        connecting = Connecting(endpoints, headers or {}, timeout_s, profile)

        async def begin(transport: Transport) -> Browser:
            browser = Browser(
                Connection(transport), process=None, dialogs=dialogs, downloads=downloads, settings=chosen, own=own
            )
            browser._new_windows = AUTO in endpoints
            try:
                await browser._start()
            except BaseException:
                await browser._connection.close()
                raise
            return browser

        async def open_() -> Browser:
            browser, attempts = await connecting.connect(begin)
            browser.attempts = attempts
            return browser

        return Opening(open_)

    @property
    def pages(self) -> list[Page]:
        """The open tabs, in the order in which they came. They cost nothing until they are used."""
        return [page for page in self._targets.pages.values() if not page.closed]

    async def new_page(self, url: str = "about:blank", *, background: bool = False) -> Page:
        """A new tab, in the background if asked or where the Chrome is somebody else's. Raises as Page.goto.

        Cancelled, it leaves no tab.
        """
        page = await self._targets.create(
            target.CreateTarget(
                url="about:blank",
                background=background or not self._process or None,
                browser_context_id=self._context,
                new_window=(self._new_windows and not background) or None,
            )
        )
        try:
            await page.frames()
            await self._guards.limit(page.guard)
            if url != "about:blank":
                await page.goto(url)
        except asyncio.CancelledError:
            self.session.tell(target.CloseTarget(target_id=page.target_id))
            raise
        return page

    def find_page(self, named: str) -> Page:
        """The open tab of that id, or the only one whose title or address holds these words.

        Raises SetupError with those that there are.
        """
        return self._targets.find(named)

    async def save_storage_state(self, path: str | os.PathLike[str]) -> None:
        """Writes the cookies, and the local storage of the origins that tabs have shown, to a file (mode 600).

        The file is Playwright's. Raises SetupError when it cannot be written, BrowserError.
        """
        from .own import save

        await save(self.new_page, self.session, self._context, self._targets.origins, path)

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

        Raises BrowserError, also for one that was closed on purpose. Where it fails it can be asked for again.
        """
        if self._closed or self.opened_by is None:
            raise BrowserError("The browser was closed.")
        await self._end()
        opened_by, again = self.opened_by, await self.opened_by()
        # Whoever holds this browser holds the new one: what Chrome tells the new one is known here, too.
        self.__dict__ = again.__dict__
        self.opened_by = opened_by

    def opened(self, page: Page) -> bool:
        """Whether we opened the tab, or a tab of ours did."""
        return page.target_id in self._targets.ours

    def keep(self, page: Page) -> None:
        """The tab stays open when we leave a Chrome that is not ours."""
        self._targets.ours.discard(page.target_id)

    async def close(self) -> None:
        """Ends a Chrome of ours; of another one, closes the tabs that we opened and disconnects."""
        if self._closed:
            return
        self._closed = True
        await self._end()

    async def _end(self) -> None:
        self._liveness.stop()
        try:
            if self._process is None:
                await self._close_our_tabs()
        finally:
            if self._process is not None:
                self._connection.browser.tell(cdp_browser.Close())
                if self._guards.in_force:  # they hold for as long as we are connected
                    await asyncio.wait([self._connection.closed], timeout=self._process.grace_s)
            await self._connection.close()
            if self._process is not None:
                await self._process.close(grace_s=self._process.grace_s)

    async def _start(self) -> None:
        session = self._connection.browser
        await self._guards.begin()
        if self._process is None and self._own != OwnState():
            self._context = await self._own.context(session)
        answers = [
            session.post(cdp_browser.GetVersion()),
            self.downloads.watch(session, self._context),
            *self._targets.follow(),
        ]
        if self._settings.geolocation is not None:
            granted = cdp_browser.GrantPermissions(permissions=["geolocation"], browser_context_id=self._context)
            answers.append(session.post(granted))
        self.version, *_ = await asyncio.gather(*answers)
        self._liveness.start()
        if self._own.state is not None:
            from .own import load

            self._targets.origins |= await load(self.new_page, session, self._context, self._own.state)

    def _make_page(self, info: target.TargetInfo, opener: Page | None) -> Page:
        from .page.page import Page

        return Page(
            self._connection.browser,
            info,
            dialogs=self._dialogs,
            downloads=self.downloads,
            opener=opener,
            settings=self._settings,
            guard=self._guards.make(None if opener is None else opener.guard),
        )

    async def _close_our_tabs(self) -> None:
        pages = [page for page in self.pages if page.target_id in self._targets.ours]
        try:
            async with asyncio.timeout(_CLOSE_TABS_S):
                await asyncio.gather(*(page.close() for page in pages), return_exceptions=True)
        except TimeoutError:
            pass  # a tab that will not close must not keep us
        finally:
            for page in pages:
                if not page.closed:  # the answer was lost, or nobody waits for it any more: the tab goes all the same
                    self.session.tell(target.CloseTarget(target_id=page.target_id))
