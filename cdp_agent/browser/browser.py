"""A Chrome: one that we start and end, or a running one that is left as it was."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cdp_agent.browser.attach.connecting import AUTO, Connecting
from cdp_agent.browser.attach.tab_closer import HttpEndpoint, TabCloser
from cdp_agent.browser.launch.chrome import LaunchOptions
from cdp_agent.browser.launch.proxy import Proxy
from cdp_agent.cdp.connection import Connection
from cdp_agent.cdp.transport import Transport
from cdp_agent.errors import BrowserError, ProtocolError, SetupError
from cdp_agent.page import js
from cdp_agent.page.tab.dialog_policy import DialogPolicy
from cdp_agent.page.tab.settings import Viewport

from .context import BrowserContext, Open, ReplaceableChrome
from .context_options import ContextOptions, launch_options
from .opening import Opens

if TYPE_CHECKING:
    from typing import Unpack

    from cdp_agent.browser.launch.starting import StartedChrome
    from cdp_agent.page.tab.settings import SettingsKeywords

    from .instance import Instance, OpenContext


class Browser(BrowserContext):
    """A browser: use `async with Browser.launch() as browser`, or `await Browser.launch()` and `await browser.close()`.

    The object stays the same when `reopen` replaces the Chrome behind it. It is also Chrome's default browser context:
    its `pages` include tabs that other people opened there.
    """

    def __init__(self, instance: Instance, open_again: Open | None = None) -> None:
        """`open_again` opens the next Chrome when this one is gone; None if it cannot be replaced."""
        super().__init__(ReplaceableChrome(instance, open_again), instance.default)
        self._contexts: list[BrowserContext] = []

    @property
    def _instance(self) -> Instance:
        return self._chrome.instance

    @property
    def _context(self) -> OpenContext:
        return self._instance.default

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
        **settings: Unpack[SettingsKeywords],
    ) -> Opening:
        """A Chrome of our own, of which nothing is left once it is closed, or once this process ends in any way.

        Without a `profile` it gets a temporary one. `args` are added to its command line, `env` to its environment,
        which has only what Chrome may need of ours, such as DISPLAY and proxies. `viewport` is in CSS pixels (None: the
        size of the window). Downloads go to a folder inside the profile, or to `downloads`. `storage_state` is a file
        of cookies and local storage, as `save_storage_state` writes it. For the other settings, see `PageSettings`.
        Raises SetupError for an invalid setting, and BrowserError, with the end of Chrome's stderr, when it does not
        start within `timeout_s`.
        """
        options, chosen = launch_options(
            headless=headless,
            executable=executable,
            profile=profile,
            args=args,
            env=env,
            viewport=viewport,
            downloads=downloads,
            dialogs=dialogs,
            proxy=proxy,
            storage_state=storage_state,
            **settings,
        )
        return _Launching(options, chosen, timeout_s)

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
        **settings: Unpack[SettingsKeywords],
    ) -> Opening:
        """A running Chrome at `http(s)://host:port` or `ws(s)://…`; several are tried in order, for `timeout_s` each.

        "auto" is the Chrome that the user works with, found in its usual profile folder or in `profile`. `headers` are
        sent with the requests to the endpoint. The Chrome is never ended: only tabs that we opened are closed, and they
        stay in the background. Settings apply to these tabs and their popups: all other tabs keep their size, focus,
        dialogs and downloads, and no rules apply to them. When a page asks for its `geolocation`, Chrome asks its user.
        With a `proxy` or a `storage_state`, our tabs are in their own browser context, like a private window. When the
        Chrome is lost, `reopen` tries the next endpoint. Raises SetupError for an endpoint that is not an address, and
        BrowserError, which says what happened at each endpoint.
        """
        endpoints = [endpoint] if isinstance(endpoint, str) else list(endpoint)
        chosen = ContextOptions.of(
            viewport=viewport,
            dialogs=dialogs,
            downloads=downloads,
            proxy=proxy,
            storage_state=storage_state,
            settings=settings,
            isolated=proxy is not None or storage_state is not None,
        )
        connecting = Connecting(endpoints, headers or {}, timeout_s, profile)

        async def begin(transport: Transport, endpoint: HttpEndpoint | None) -> Instance:
            from .instance import Instance  # late: not needed before there is a Chrome

            closer = None if endpoint is None else TabCloser(endpoint)
            instance = Instance(Connection(transport), chosen, closer=closer)
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
    def contexts(self) -> list[BrowserContext]:
        """The open contexts that `new_context` created."""
        self._contexts = [each for each in self._contexts if not each.closed]
        return list(self._contexts)

    async def new_context(
        self,
        *,
        isolated: bool = True,
        viewport: Viewport | tuple[int, int] | None = None,
        downloads: str | os.PathLike[str] | None = None,
        dialogs: DialogPolicy | None = None,
        proxy: str | Proxy | None = None,
        storage_state: str | os.PathLike[str] | None = None,
        **settings: Unpack[SettingsKeywords],
    ) -> BrowserContext:
        """Opens a browser context with its own tabs, settings, rules and downloads, on the same connection.

        `isolated`: with its own cookies and storage, like a private window. Otherwise it shares those of the browser,
        and takes neither `proxy` nor `storage_state`. `viewport` is in CSS pixels (None: that of the browser). The
        rules of the browser apply here too. Raises SetupError for an invalid setting, BrowserError.
        """
        options = ContextOptions.of(
            viewport=viewport or self._context.options.settings.viewport,
            dialogs=dialogs,
            downloads=downloads,
            proxy=proxy,
            storage_state=storage_state,
            settings=settings,
            isolated=isolated,
        )
        if options.needs_isolation and not isolated:
            raise SetupError("A proxy and a storage state are for a context of their own: give isolated=True.")
        context = BrowserContext(self._chrome, await self._instance.open_context(options))
        self._contexts = [*self.contexts, context]  # without those that were closed meanwhile
        return context

    async def reopen(self) -> None:
        """See BrowserContext.reopen."""
        await self._chrome.reopen(self._instance)

    async def close(self) -> None:
        """Ends a Chrome that we started; in any other, closes the tabs that we opened, and disconnects."""
        await self._chrome.close()


class Opening(Opens[Browser]):
    """A Browser that is being opened: `await` it, or use it in `async with`, which closes it at the end."""

    def __init__(self, open_: Open) -> None:
        super().__init__()
        self._open = open_

    def begin(self, started: StartedChrome | None = None) -> None:
        """Starts a Chrome of our own now, so that it comes up before it is awaited. Raises BrowserError.

        `started` is one that was started already, with the same settings.
        """

    def cancel(self) -> None:
        """Ends a Chrome that `begin` started and that was not awaited."""

    async def _opened(self) -> Browser:
        return Browser(await self._open(), self._open)


class _Launching(Opening):
    """Launches a Chrome of our own, and the next one each time that the browser is reopened."""

    def __init__(self, options: LaunchOptions, chosen: ContextOptions, timeout_s: float) -> None:
        super().__init__(self._launched)
        self._options = options
        self._chosen = chosen
        self._timeout_s = timeout_s
        self._begun: StartedChrome | None = None

    def begin(self, started: StartedChrome | None = None) -> None:
        from cdp_agent.browser.launch.starting import start  # late: 3 ms, not needed to connect to a running Chrome

        self._begun = started or start(self._options)

    def cancel(self) -> None:
        if self._begun is not None:
            self._begun.forget()
            self._begun = None

    async def _launched(self) -> Instance:
        """Raises BrowserError."""
        from cdp_agent.browser.launch.launcher import failed_to_start, launch  # late, as above
        from cdp_agent.browser.launch.starting import start

        started, self._begun = self._begun or start(self._options), None
        process, transport = await launch(started, self._timeout_s)
        from .instance import Instance  # late: Chrome comes up meanwhile

        js.make_ready()
        instance = Instance(Connection(transport), self._chosen, process=process, in_windows=not self._options.headless)
        try:
            async with asyncio.timeout(self._timeout_s):
                await instance.start()
        except TimeoutError as error:
            raise await failed_to_start(process, f"did not answer within {self._timeout_s:g} s") from error
        except (BrowserError, ProtocolError) as error:
            raise await failed_to_start(process, f"cannot be talked to, {error}") from error
        except BaseException:
            await process.close()
            raise
        return instance
