"""Tabs that are worked in are drawn at their full rate, whatever is in front of them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cdp_agent.browser import Browser
from cdp_agent.cdp.connection import Session
from cdp_agent.cdp.page import StartScreencast
from cdp_agent.cdp.types import Command
from cdp_agent.page.page import Page
from tests.acting import SOON_MS, TEN_FRAMES, ref
from tests.conftest import Serve, new_tab

pytestmark = pytest.mark.whole_chrome  # a headless shell has no tabs in front of others


async def test_a_tab_that_was_left_draws_all_frames_when_its_user_is_back(page: Page, serve: Serve) -> None:
    count = "<button onclick='n.textContent++'>Count</button><b id=n>0</b>"
    await page.goto(serve(f"<a href={serve('In front')} target=_blank>Open</a>{count}"))
    await page.click(await ref(page, "Open"))
    in_front = page.popups[-1]
    await in_front.snapshot()
    for _ in range(3):
        await page.click(await ref(page, "Count"))

    assert await page.evaluate(TEN_FRAMES) < SOON_MS


async def test_whatever_tabs_are_open_each_draws_all_frames_in_turn(browser: Browser, page: Page, serve: Serve) -> None:
    plain = serve("<p>Plain")
    await page.goto(serve("<p>Opener"))
    tabs = [page]
    for features in ("", "width=300,height=200"):
        await page.evaluate(f"void window.open('{plain}', '', '{features}')")
        tabs.append(await new_tab(page))
        await tabs[-1].wait_for(text="Plain")
    tabs += [await browser.new_page(plain), await browser.new_page(plain, background=True)]
    await page.evaluate("void setTimeout(() => alert('Done'))")

    took_ms = [await tab.evaluate(TEN_FRAMES) for tab in tabs]

    assert max(took_ms) < SOON_MS


async def test_tabs_that_are_worked_in_at_the_same_time_draw_all_frames(
    browser: Browser, page: Page, serve: Serve
) -> None:
    await page.goto(serve("<p>Behind"))
    others = [await browser.new_page(serve("<p>Behind as well")), await browser.new_page(serve("<p>In front"))]

    took_ms = await asyncio.gather(*(tab.evaluate(TEN_FRAMES) for tab in (page, *others)))

    assert max(took_ms) < SOON_MS


async def test_a_frame_of_another_site_is_drawn_with_its_tab(browser: Browser, page: Page, serve: Serve) -> None:
    script = f"<script>onclick = () => {TEN_FRAMES}.then(ms => out.textContent = ms < {SOON_MS})</script>"
    inner = serve(f"<button>Draw</button><p id=out></p>{script}", other_site=True)
    await page.goto(serve(f"<iframe src={inner}></iframe>"))
    await browser.new_page(serve("<p>In front"))

    await page.click(await ref(page, "Draw"))

    await page.wait_for(text="true", timeout_s=8)


async def test_a_tab_that_is_alone_is_drawn_without_a_screencast(
    browser: Browser, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, post = [], Session.post

    def noted(session: Session, command: Command[Any]) -> asyncio.Future[Any]:
        begun.extend([session] if isinstance(command, StartScreencast) else [])
        return post(session, command)

    monkeypatch.setattr(Session, "post", noted)
    async with await browser.new_context() as context:
        alone = await context.new_page(serve("<button>Save</button>"))
        await alone.click(await ref(alone, "Save"))
        assert not begun

        second = await context.new_page(serve("<button>Save</button>"))
        begun.clear()
        for tab in (alone, alone, second, second):
            await tab.click(await ref(tab, "Save"))
        assert len(begun) == 2
        assert await alone.evaluate(TEN_FRAMES) < SOON_MS
