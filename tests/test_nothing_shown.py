"""A page without a word on it: that it shows nothing is said, rather than nothing at all."""

from __future__ import annotations

import base64

import pytest

from cdp_agent.browser import Browser
from cdp_agent.page.page import Page
from cdp_agent.page.snapshot.snapshot import NOTHING
from cdp_agent.session import Session
from tests.conftest import Serve


async def test_that_a_page_shows_nothing_is_said(browser: Browser, serve: Serve) -> None:
    session = Session(browser, page=await browser.new_page(serve("<script>throw new Error('broken')</script>")))

    told = await session.call("snapshot", {})

    assert (told.text, told.error) == (NOTHING, None)
    assert "broken" in (await session.call("read_console", {})).text


GIF = "R0lGODlhAQABAAAAACwAAAAAAQABAAA="
PICTURE = f'<img src="data:image/gif;base64,{GIF}" alt="" width=90 height=90>'


@pytest.mark.parametrize("budget_tokens", [None, 500])
async def test_that_a_page_shows_pictures_alone_is_said(page: Page, serve: Serve, budget_tokens: int | None) -> None:
    await page.goto(serve(f"{PICTURE}<p hidden>{PICTURE}</p><svg width=9 height=9><circle r=4 /></svg>"))

    snapshot = await page.snapshot(budget_tokens=budget_tokens)

    assert snapshot.text_or_note == "… left out: pictures without a name (2): a screenshot shows them"


async def test_a_picture_that_is_opened_by_itself_is_told(page: Page, serve: Serve) -> None:
    await page.goto(serve(base64.b64decode(GIF), content_type="image/gif"))

    assert (await page.snapshot()).text_or_note == "… left out: pictures without a name (1): a screenshot shows them"
