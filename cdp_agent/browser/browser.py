"""A Chrome: one that we start and end, or one that runs and is left as it was."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cdp_agent.browser.attach.connecting import AUTO, Attempt, Connecting
from cdp_agent.cdp import browser as cdp_browser
from cdp_agent.cdp.connection import Connection, Session
from cdp_agent.cdp.transport import Transport
from cdp_agent.errors import BrowserError, ProtocolError
from cdp_agent.page.tab.dialogs import DialogPolicy
from cdp_agent.page.tab.downloads import DownloadWatcher
from cdp_agent.page.tab.settings import PageSettings, Viewport, viewport_of

from .context_options import ContextOptions

if TYPE_CHECKING:
    from typing import Unpack

    from cdp_agent.browser.launch.proxy import Proxy
    from cdp_agent.page.page import Page
    from cdp_agent.page.tab.settings import Given

    from .instance import Instance

Open = Callable[[], Awaitable["Instance"]]
"""Starts a Chrome, or connects to one. Raises BrowserError, SetupError."""


class Browser:
    """`async with Browser.launch() as browser`, or `browser = await Browser.launch()` and `await browser.close()`.

    Whoever holds it holds the Chrome that is there now: `reopen` exchanges what is behind it.
    """

    def __init__(self, instance: Instance, open_again: Open | None = None) -> None:
        """`open_again` gives the next Chrome when this one is gone; None: there is none to be had."""
        self._instance = instance
        self._open_again = open_again
        self._reopening = asyncio.Lock()
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
        from cdp_agent.browser.launch.chrome import LaunchOptions
        from cdp_agent.browser.launch.launcher import failed_to_start, launch

        size = viewport_of(viewport)
        own = ContextOptions.of(proxy, storage_state)
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

        async def open_() -> Instance:
            process, transport = await launch(options, timeout_s)
            # Late: Chrome comes up meanwhile.
            from .instance import Instance, InstanceOptions

            instance = Instance(
                Connection(transport),
                InstanceOptions(dialogs=dialogs or DialogPolicy(), settings=chosen, own=own),
                process=process,
                downloads=os.path.join(process.profile, "Downloads") if downloads is None else downloads,
            )
            try:
                async with asyncio.timeout(timeout_s):
                    await instance.start()
            except TimeoutError as error:
                raise await failed_to_start(process, f"did not answer within {timeout_s:g} s") from error
            except (BrowserError, ProtocolError) as error:
                raise await failed_to_start(process, f"cannot be talked to, {error}") from error
            except BaseException:
                await process.close()
                raise
            return instance

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
        own = ContextOptions.of(proxy, storage_state)
        chosen = PageSettings.of(viewport, proxy_credentials=own.credentials, **settings)
        connecting = Connecting(endpoints, headers or {}, timeout_s, profile)

        async def begin(transport: Transport) -> Instance:
            from .instance import Instance, InstanceOptions  # late: not needed before there is a Chrome

            given = InstanceOptions(
                dialogs=dialogs or DialogPolicy(), settings=chosen, own=own, new_windows=AUTO in endpoints
            )
            instance = Instance(Connection(transport), given, downloads=downloads)
            try:
                await instance.start()
            except BaseException:
                await instance.connection.close()
                raise
            return instance

        async def open_() -> Instance:
            instance, attempts = await connecting.connect(begin)
            instance.attempts = attempts
            return instance

        return Opening(open_)

    @property
    def version(self) -> cdp_browser.Version:
        """The Chrome's product and protocol."""
        return self._instance.version

    @property
    def attempts(self) -> list[Attempt]:
        """The endpoints that were tried when it was opened, the one that it is connected to last."""
        return self._instance.attempts

    @property
    def downloads(self) -> DownloadWatcher:
        """Those of all its tabs."""
        return self._instance.downloads

    @property
    def pages(self) -> list[Page]:
        """The open tabs, in the order in which they came. They cost nothing until they are used."""
        return self._instance.targets.open_pages()

    async def new_page(self, url: str = "about:blank", *, background: bool = False) -> Page:
        """A new tab that shows `url`, in the background if asked or where the Chrome is somebody else's.

        Raises as Page.goto, and SetupError for a locale or time zone that Chrome does not know. When it fails or is
        cancelled, no tab is left.
        """
        return await self._instance.new_page(url, background=background)

    def find_page(self, named: str) -> Page:
        """The open tab of that id, or the only one whose title or address holds these words.

        Raises SetupError with those that there are.
        """
        return self._instance.targets.find(named)

    async def save_storage_state(self, path: str | os.PathLike[str]) -> None:
        """Writes the cookies, and the local storage of the origins that tabs have shown, to a file (mode 600).

        The file is Playwright's. Raises SetupError when it cannot be written, BrowserError.
        """
        from .context_options import save

        instance = self._instance
        await save(instance.new_page, instance.session, instance.context, instance.targets.origins, path)

    @property
    def session(self) -> Session:
        """The Chrome itself, for what no page has."""
        return self._instance.session

    @property
    def is_ours(self) -> bool:
        """We started this Chrome, and end it."""
        return self._instance.process is not None

    @property
    def gone(self) -> str | None:
        """Why its Chrome is gone, None while it is there."""
        closed = self._instance.connection.closed
        return closed.result() if closed.done() else None

    @property
    def pid(self) -> int | None:
        """The main process of a Chrome that we started, None for another one."""
        return None if self._instance.process is None else self._instance.process.pid

    @property
    def profile(self) -> str | None:
        """The profile folder of a Chrome that we started, None for another one."""
        return None if self._instance.process is None else self._instance.process.profile

    async def listening(self, timeout_s: float = 30.0) -> str:
        """The WebSocket of a Chrome that we started with `--remote-debugging-port` among its `args`, once it is open.

        Raises BrowserError when it does not listen within `timeout_s`, or is not ours.
        """
        if (process := self._instance.process) is None:
            raise BrowserError("This Chrome was not started here: where it listens is not known.")
        either: list[asyncio.Future[Any]] = [process.listening, process.ended]
        await asyncio.wait(either, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        if not process.listening.done():
            raise BrowserError(f"Chrome does not listen on a port within {timeout_s:g} s: something else may.")
        return process.listening.result()

    async def reopen(self) -> None:
        """Opens the browser again in the way it was opened, after its Chrome went away: all tabs are new ones.

        Several that ask for it at a time get the same one. Raises BrowserError, also for one that was closed on
        purpose. Where it fails it can be asked for again.
        """
        gone = self._instance
        async with self._reopening:
            if self._closed or self._open_again is None:
                raise BrowserError("The browser was closed.")
            if self._instance is not gone:
                return  # somebody else did so meanwhile
            await gone.end()
            self._instance = await self._open_again()
            if self._closed:  # meanwhile
                await self._instance.end()
                raise BrowserError("The browser was closed.")

    def opened(self, page: Page) -> bool:
        """Whether we opened the tab, or a tab of ours did."""
        return page.target_id in self._instance.targets.ours

    def keep(self, page: Page) -> None:
        """The tab stays open when we leave a Chrome that is not ours."""
        self._instance.targets.ours.discard(page.target_id)

    async def close(self) -> None:
        """Ends a Chrome of ours; of another one, closes the tabs that we opened and disconnects."""
        if self._closed:
            return
        self._closed = True
        await self._instance.end()


class Opening:
    """A Browser to come: `await` it, or enter it as `async with`, which closes it."""

    def __init__(self, open_: Open) -> None:
        self._open = open_
        self._browser: Browser | None = None

    def __await__(self) -> Generator[Any, None, Browser]:
        return self._opened().__await__()

    async def __aenter__(self) -> Browser:
        self._browser = await self._opened()
        return self._browser

    async def __aexit__(self, *_: object) -> None:
        if self._browser is not None:
            await self._browser.close()

    async def _opened(self) -> Browser:
        return Browser(await self._open(), self._open)
