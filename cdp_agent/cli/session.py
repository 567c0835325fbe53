"""The Chrome and the tab that a command works with."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from cdp_agent.browser.attach.connecting import AUTO
from cdp_agent.browser.attach.endpoints import websocket_url
from cdp_agent.browser.browser import Browser
from cdp_agent.cli import state
from cdp_agent.config import Config, connect_keywords, launch_keywords, page_keywords
from cdp_agent.errors import BrowserError
from cdp_agent.page.page import Page
from cdp_agent.page.tab.saved_refs import SavedRefs

_CONNECT_S = 10.0
NONE_RUNS = "No Chrome runs for this command: begin with `cdp-agent chrome start` and `cdp-agent snapshot URL`."


class Chrome(msgspec.Struct, frozen=True):
    """A Chrome for one command. `key` names what is kept for the next, None where there is no next one."""

    browser: Browser
    key: str | None
    ours: bool


@asynccontextmanager
async def chrome(config: Config, *, may_launch: bool = True) -> AsyncIterator[Chrome]:
    """The Chrome that `cdp` names, else that of `chrome start`, else one for this command alone.

    Raises BrowserError.
    """
    if config.cdp:
        async with Browser.connect(config.cdp, **connect_keywords(config)) as browser:
            reached = config.cdp[browser.attempts[-1].index]
            yield Chrome(browser, await _key(reached, config), ours=False)
        return
    if started := state.started_chrome():
        try:
            browser = await Browser.connect(started.websocket_url, timeout_s=_CONNECT_S, **page_keywords(config))
        except BrowserError as error:
            state.check_ended(started, error)
            state.forget_chrome()
        else:
            async with _closing(browser):
                yield Chrome(browser, state.key_of(started.websocket_url), ours=True)
            return
    if not may_launch:
        raise BrowserError(NONE_RUNS)
    async with Browser.launch(**launch_keywords(config)) as browser:
        yield Chrome(browser, None, ours=True)


async def _key(endpoint: str, config: Config) -> str:
    if endpoint == AUTO:  # the user is asked for each connection: one is enough
        return state.key_of(endpoint)
    return state.key_of(await websocket_url(endpoint, config.cdp_headers, _CONNECT_S))


@asynccontextmanager
async def _closing(browser: Browser) -> AsyncIterator[None]:
    try:
        yield
    finally:
        await browser.close()


class Current(msgspec.Struct, frozen=True):
    """The tab that commands are in. `ours`: it may be led elsewhere, since no user opened it."""

    page: Page
    ours: bool


async def current_tab(chrome: Chrome, config: Config, *, take_over: bool) -> Current:
    """The tab that `tab` names; else that of the command before, with its refs; else the newest; else a new one.

    With `take_over` the tab is to be led elsewhere: one that the user opened, and has not named, is then left alone.
    Raises SetupError when there is no such tab.
    """
    saved = state.tab_of(chrome.key) if chrome.key else None
    pages = chrome.browser.pages
    named = _named(chrome.browser, config.tab) if config.tab else None
    wanted = named.target_id if named else saved.target_id if saved else None
    page = next((each for each in pages if each.target_id == wanted), None)
    if page is not None and saved is not None and page.target_id == saved.target_id:
        ours = chrome.ours or saved.ours or named is not None
        if refs := msgspec.json.decode(saved.refs, type=SavedRefs | None):
            page.import_refs(refs)
    else:
        page, ours = named or (pages[-1] if pages else None), chrome.ours or named is not None
    if page is None or (take_over and not ours):
        page, ours = await chrome.browser.new_page(), True
        chrome.browser.keep(page)
    return Current(page, ours)


def _named(browser: Browser, tab: str) -> Page:
    pages = browser.pages
    if tab.isdigit() and 1 <= int(tab) <= len(pages):
        return pages[int(tab) - 1]
    return browser.find_page(tab)


async def leave(chrome: Chrome, current: Current) -> None:
    """Writes down for the next command where this one ended."""
    if chrome.key is None:
        return
    if current.page.closed:
        state.forget_tab(chrome.key)
        return
    refs = msgspec.Raw(msgspec.json.encode(await current.page.export_refs()))
    state.save_tab(chrome.key, state.SavedTab(current.page.target_id, current.ours, refs))
