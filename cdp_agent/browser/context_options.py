"""What the tabs of a browser context are given, and cookies and local storage that go into it or out of it."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import msgspec

from cdp_agent.browser.launch.proxy import ChromeProxy, Proxy, chrome_proxy
from cdp_agent.cdp import target
from cdp_agent.cdp.connection import Session
from cdp_agent.page.storage_state import (
    OriginState,
    StorageState,
    Visitor,
    cookies_of,
    read_state,
    set_cookies,
    write_state,
)
from cdp_agent.page.tab.dialogs import DialogPolicy
from cdp_agent.page.tab.settings import PageSettings

if TYPE_CHECKING:
    from cdp_agent.page.page import Page
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


NewPage = Callable[..., Awaitable["Page"]]
"""Browser.new_page."""


async def load(new_page: NewPage, browser: Session, context: str | None, state: StorageState) -> set[str]:
    """Puts cookies and local storage where our tabs find them; the origins that have some."""
    if state.origins:
        async with _visitor(new_page, browser) as visitor:
            for each in state.origins:
                await visitor.write(each)
    # Not before that tab is gone: with the last tab of a profile Chrome forgets the cookies of its session.
    await set_cookies(browser, state.cookies, context)
    return {each.origin for each in state.origins}


async def save(
    new_page: NewPage, browser: Session, context: str | None, origins: Iterable[str], path: str | os.PathLike[str]
) -> None:
    """Writes all cookies, and the local storage of these origins. Raises SetupError."""
    cookies = await cookies_of(browser, context)
    found = []
    async with _visitor(new_page, browser) as visitor:
        for origin in sorted(origins):
            if items := await visitor.read(origin):
                found.append(OriginState(origin, items))
    write_state(path, StorageState(cookies, found))


@asynccontextmanager
async def _visitor(new_page: NewPage, browser: Session) -> AsyncIterator[Visitor]:
    """A tab for a moment, that sees the storage of any origin."""
    page = await new_page(background=True)
    try:
        yield await Visitor.of_tab(browser, page.target_id)
    finally:
        await page.close()
