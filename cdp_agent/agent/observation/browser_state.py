"""The state of a run's browser (the tabs that it has been in, and the cookies), so that it can be restored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from cdp_agent.cdp import storage
from cdp_agent.cdp.known_errors import is_ending
from cdp_agent.errors import ActionError, BrowserError, ProtocolError
from cdp_agent.session.tabs import Tabs

if TYPE_CHECKING:
    from cdp_agent.browser.context import BrowserContext

BLANK = "about:blank"


class BrowserState(msgspec.Struct, frozen=True):
    """The tabs and cookies of a run.

    `tabs` are addresses, that of the current tab last. `cookies` are saved only for a Chrome that we started; somebody
    else's Chrome keeps its own.
    """

    tabs: list[str] = []
    cookies: list[storage.CookieParam] = []

    @property
    def url(self) -> str:
        return self.tabs[-1] if self.tabs else BLANK


async def read_browser_state(browser: BrowserContext, tabs: Tabs) -> BrowserState:
    """The current state of the browser. Raises BrowserError, ProtocolError."""
    cookies: list[storage.CookieParam] = []
    if browser.is_ours:
        try:
            response = await browser.session.send(storage.GetCookies(browser_context_id=browser.id))
        except ProtocolError as error:
            if is_ending(error):
                raise BrowserError("Chrome is about to end.") from error
            raise
        cookies = [_param(cookie) for cookie in response.cookies]
    return BrowserState([page.url for page in tabs.visited if not page.closed], cookies)


async def reopen_tabs(browser: BrowserContext, saved: BrowserState) -> tuple[Tabs, list[str]]:
    """Opens the tabs of a saved state in a browser; returns them, and the addresses that could not be opened.

    Raises BrowserError.
    """
    if saved.cookies and browser.is_ours:
        await browser.session.send(storage.SetCookies(cookies=saved.cookies, browser_context_id=browser.id))
    pages, missing = [], []
    for url in saved.tabs or [BLANK]:
        page = await browser.new_page()
        try:
            if url != BLANK:
                await page.goto(url)
        except ActionError:
            missing.append(url)
            if url is not saved.tabs[-1]:
                await page.close()
                continue
        pages.append(page)
    return Tabs(browser, *pages), missing


def _param(cookie: storage.Cookie) -> storage.CookieParam:
    return storage.CookieParam(
        name=cookie.name,
        value=cookie.value,
        domain=cookie.domain,
        path=cookie.path,
        secure=cookie.secure,
        http_only=cookie.http_only,
        same_site=cookie.same_site,
        expires=None if cookie.session else cookie.expires,
    )
