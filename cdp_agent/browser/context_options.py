"""The settings of a browser context, and those with which its Chrome is launched.

Without asyncio, like launch/starting.py.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from cdp_agent.browser.launch.chrome import LaunchOptions
from cdp_agent.browser.launch.proxy import ChromeProxy, Proxy, chrome_proxy
from cdp_agent.cdp import target
from cdp_agent.errors import SetupError
from cdp_agent.page.tab.dialog_policy import DialogPolicy
from cdp_agent.page.tab.settings import PageSettings, Viewport, viewport_of

if TYPE_CHECKING:
    from typing import Unpack

    from cdp_agent.cdp.connection import Session
    from cdp_agent.page.storage_state import StorageState
    from cdp_agent.page.tab.settings import SettingsKeywords


class ContextOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a browser context, kept when its Chrome is replaced. A setting that is None is not applied."""

    dialogs: DialogPolicy = msgspec.field(default_factory=DialogPolicy)
    settings: PageSettings = msgspec.field(default_factory=PageSettings)
    proxy: ChromeProxy | None = None
    state: StorageState | None = None
    downloads: str | None = None
    """The folder for downloads."""
    isolated: bool = False
    """Whether the context has its own cookies and storage, which are deleted with it."""

    @staticmethod
    def of(
        *,
        viewport: Viewport | tuple[int, int] | None,
        dialogs: DialogPolicy | None,
        downloads: str | os.PathLike[str] | None,
        proxy: str | Proxy | None,
        storage_state: str | os.PathLike[str] | None,
        settings: SettingsKeywords,
        isolated: bool = False,
    ) -> ContextOptions:
        """The options for the arguments of `Browser.launch` or a similar call, with files read. Raises SetupError."""
        if not isinstance(dialogs, DialogPolicy | None):
            raise SetupError(f"dialogs is a DialogPolicy, such as DialogPolicy.all('dismiss'), not {dialogs!r}.")
        parsed_proxy = state = None
        if proxy is not None:
            parsed_proxy = chrome_proxy(proxy)
        if storage_state is not None:
            from cdp_agent.page.storage_state import read_state  # late: 10 ms, which would delay the start of Chrome

            state = read_state(storage_state)
        credentials = None if parsed_proxy is None else parsed_proxy.credentials
        return ContextOptions(
            dialogs=dialogs or DialogPolicy(),
            settings=PageSettings.of(viewport, proxy_credentials=credentials, **settings),
            proxy=parsed_proxy,
            state=state,
            downloads=None if downloads is None else os.fspath(downloads),
            isolated=isolated,
        )

    @property
    def needs_isolation(self) -> bool:
        """Whether there are settings that would also apply to other people's tabs in a shared browser context."""
        return self.proxy is not None or self.state is not None

    async def create(self, browser: Session) -> str:
        """Creates a browser context in Chrome, and returns its id. Chrome disposes of it when we disconnect."""
        proxy = self.proxy
        command = target.CreateBrowserContext(
            dispose_on_detach=True,
            proxy_server=None if proxy is None else proxy.server,
            proxy_bypass_list=None if proxy is None else proxy.bypass,
        )
        from cdp_agent.cdp.chrome_limit import chrome_limit  # late: asyncio is not needed to start a Chrome

        async with chrome_limit("open a context"):
            created = await browser.send(command)
        return created.browser_context_id


def launch_options(
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
    **settings: Unpack[SettingsKeywords],
) -> tuple[LaunchOptions, ContextOptions]:
    """How to start Chrome, and the settings of its default context, for the keywords of `Browser.launch`.

    Raises SetupError.
    """
    size = viewport_of(viewport)
    chosen = ContextOptions.of(
        viewport=size if headless or isinstance(viewport, Viewport) else None,
        dialogs=dialogs,
        downloads=downloads,
        proxy=proxy,
        storage_state=storage_state,
        settings=settings,
    )
    options = LaunchOptions(
        headless=headless,
        executable=executable,
        profile=None if profile is None else os.fspath(profile),
        args=tuple(args),
        env=env,
        window=LaunchOptions().window if size is None else (size.width, size.height),
    )
    return options.with_settings(chosen.settings, chosen.proxy), chosen
