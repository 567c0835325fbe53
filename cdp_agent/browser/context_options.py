"""What our tabs have for themselves: a proxy, and cookies and local storage to begin with."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import msgspec

from cdp_agent.cdp import target
from cdp_agent.cdp.connection import Session

if TYPE_CHECKING:
    from cdp_agent.browser.launch.proxy import ChromeProxy, Proxy
    from cdp_agent.page.page import Page
    from cdp_agent.page.storage_state import StorageState, Visitor


class ContextOptions(msgspec.Struct, frozen=True):
    """None: what the Chrome has."""

    proxy: ChromeProxy | None = None
    state: StorageState | None = None

    @staticmethod
    def of(proxy: str | Proxy | None, storage_state: str | os.PathLike[str] | None) -> ContextOptions:
        """What was given, checked and read. Raises SetupError."""
        found = state = None
        if proxy is not None:
            from cdp_agent.browser.launch.proxy import chrome_proxy

            found = chrome_proxy(proxy)
        if storage_state is not None:
            from cdp_agent.page.storage_state import read_state

            state = read_state(storage_state)
        return ContextOptions(found, state)

    @property
    def credentials(self) -> tuple[str, str] | None:
        """The proxy's user and password."""
        return None if self.proxy is None else self.proxy.credentials

    async def context(self, browser: Session) -> str:
        """A new browser context, which goes when we disconnect."""
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
    from cdp_agent.page.storage_state import set_cookies

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
    from cdp_agent.page.storage_state import OriginState, StorageState, cookies_of, write_state

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
    from cdp_agent.page.storage_state import Visitor

    page = await new_page(background=True)
    try:
        yield await Visitor.of_tab(browser, page.target_id)
    finally:
        await page.close()
