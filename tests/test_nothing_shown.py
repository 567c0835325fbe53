"""A page without a word on it: that it shows nothing is said, rather than nothing at all."""

from __future__ import annotations

from cdp_agent.browser import Browser
from cdp_agent.page.snapshot.snapshot import NOTHING
from cdp_agent.session import Session
from tests.conftest import Serve


async def test_that_a_page_shows_nothing_is_said(browser: Browser, serve: Serve) -> None:
    session = Session(browser, page=await browser.new_page(serve("<script>throw new Error('broken')</script>")))

    told = await session.call("snapshot", {})

    assert (told.text, told.error) == (NOTHING, None)
    assert "broken" in (await session.call("read_console", {})).text
