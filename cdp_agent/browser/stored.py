"""Cookies and local storage that go into a browser context, or out of it."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager

from cdp_agent.cdp.connection import Session
from cdp_agent.page.page import Page
from cdp_agent.page.storage_state import OriginState, StorageState, Visitor, cookies_of, set_cookies, write_state

NewPage = Callable[..., Awaitable[Page]]
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
