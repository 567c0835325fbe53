"""What the tabs of a browser context are given."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from cdp_agent.browser.launch.proxy import ChromeProxy, Proxy, chrome_proxy
from cdp_agent.cdp import target
from cdp_agent.cdp.connection import Session
from cdp_agent.page.tab.dialogs import DialogPolicy
from cdp_agent.page.tab.settings import PageSettings

if TYPE_CHECKING:
    from cdp_agent.page.storage_state import StorageState
    from cdp_agent.page.tab.settings import Given, Viewport


class ContextOptions(msgspec.Struct, frozen=True, kw_only=True):
    """They stay the same when the Chrome is exchanged for another one. Where one is None, nothing is set."""

    dialogs: DialogPolicy = msgspec.field(default_factory=DialogPolicy)
    settings: PageSettings = msgspec.field(default_factory=PageSettings)
    proxy: ChromeProxy | None = None
    state: StorageState | None = None
    downloads: str | None = None
    """The folder where they go."""
    isolated: bool = False
    """With cookies and storage of its own, which end with it."""

    @staticmethod
    def of(
        *,
        viewport: Viewport | tuple[int, int] | None,
        dialogs: DialogPolicy | None,
        downloads: str | os.PathLike[str] | None,
        proxy: str | Proxy | None,
        storage_state: str | os.PathLike[str] | None,
        settings: Given,
        isolated: bool = False,
    ) -> ContextOptions:
        """What was given, checked and read. Raises SetupError."""
        found = state = None
        if proxy is not None:
            found = chrome_proxy(proxy)
        if storage_state is not None:
            from cdp_agent.page.storage_state import read_state  # late: 10 ms, which Chrome would be begun later by

            state = read_state(storage_state)
        credentials = None if found is None else found.credentials
        return ContextOptions(
            dialogs=dialogs or DialogPolicy(),
            settings=PageSettings.of(viewport, proxy_credentials=credentials, **settings),
            proxy=found,
            state=state,
            downloads=None if downloads is None else os.fspath(downloads),
            isolated=isolated,
        )

    @property
    def needs_isolation(self) -> bool:
        """It has what would be everybody's in a browser context that others use, too."""
        return self.proxy is not None or self.state is not None

    async def create(self, browser: Session) -> str:
        """A browser context of its own in Chrome, which goes when we disconnect; its id."""
        proxy = self.proxy
        created = await browser.send(
            target.CreateBrowserContext(
                dispose_on_detach=True,
                proxy_server=None if proxy is None else proxy.server,
                proxy_bypass_list=None if proxy is None else proxy.bypass,
            )
        )
        return created.browser_context_id
