"""A tab that was closed is said to be closed by every call, at once, and by one class."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from cdp_agent.browser import Browser
from cdp_agent.browser.instance import Instance
from cdp_agent.cdp import target
from cdp_agent.errors import ActionError, PageClosed, SessionClosed
from cdp_agent.page.page import Page, tab_of
from tests.conftest import Serve
from tests.fake_chrome import FakeChrome
from tests.raw_server import silence, talking

FORM = "<title>Form</title><button>Send</button><input><select><option>Oslo</select><input type=file>"
AT_ONCE_S = 2.0

CALLS: dict[str, Callable[[Page], Awaitable[object]]] = {
    "goto": lambda page: page.goto("about:blank"),
    "back": lambda page: page.back(),
    "forward": lambda page: page.forward(),
    "reload": lambda page: page.reload(),
    "snapshot": lambda page: page.snapshot(),
    "markdown": lambda page: page.markdown(),
    "search": lambda page: page.search("Send"),
    "find": lambda page: page.find("button"),
    "schema": lambda page: page.schema(),
    "html": lambda page: page.html(),
    "clean_html": lambda page: page.clean_html(),
    "screenshot": lambda page: page.screenshot(),
    "evaluate": lambda page: page.evaluate("1"),
    "click": lambda page: page.click("E1"),
    "hover": lambda page: page.hover("E1"),
    "focus": lambda page: page.focus("E1"),
    "drag": lambda page: page.drag("E1", "E2"),
    "fill": lambda page: page.fill("E2", "text"),
    "select": lambda page: page.select("E3", "Oslo"),
    "upload": lambda page: page.upload("E4", [__file__]),
    "press": lambda page: page.press("Enter"),
    "type": lambda page: page.type("text"),
    "scroll": lambda page: page.scroll(),
    "wait_for": lambda page: page.wait_for(text="Never"),
}


async def _close_as_its_user_does(page: Page, browser: Browser) -> None:
    async with browser.session.expect(target.TargetDestroyed) as destroyed:
        await browser.session.send(target.CloseTarget(target_id=page.target_id))
        await destroyed


async def test_every_call_says_that_the_tab_was_closed(
    browser: Browser, page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    await page.goto(serve(FORM))
    await page.snapshot()
    await _close_as_its_user_does(page, browser)
    before = browser.pages

    for name, call in CALLS.items():
        with subtests.test(name):
            with pytest.raises(PageClosed) as caught:
                async with asyncio.timeout(AT_ONCE_S):
                    await call(page)

            assert str(caught.value) == "The tab was closed: go on in another one, or open a new one."
            assert isinstance(caught.value, (ActionError, SessionClosed))
            assert browser.pages == before


@pytest.mark.parametrize("name", ["evaluate", "wait_for", "goto"])
async def test_a_call_that_is_under_way_ends_with_the_tab(
    browser: Browser, page: Page, serve: Serve, name: str
) -> None:
    await page.goto(serve(FORM))
    async with talking(silence) as port:
        slow: dict[str, Callable[[], Awaitable[object]]] = {
            "evaluate": lambda: page.evaluate("new Promise(() => {})"),
            "wait_for": lambda: page.wait_for(text="Never"),
            "goto": lambda: page.goto(f"http://127.0.0.1:{port}/"),
        }
        waiting = asyncio.ensure_future(slow[name]())
        await page.evaluate("1")

        await _close_as_its_user_does(page, browser)

        with pytest.raises(PageClosed):
            async with asyncio.timeout(AT_ONCE_S):
                await waiting


async def test_a_reading_that_waits_for_the_next_page_ends_with_the_tab(
    browser: Browser, page: Page, serve: Serve
) -> None:
    await page.goto(serve(FORM))
    async with talking(silence) as port:
        await page.evaluate(f"setTimeout(() => location.href = 'http://127.0.0.1:{port}/')")
        root = (await tab_of(page).frames()).root
        while root.navigating_to is None:
            await tab_of(page).activity.wait_for_event(AT_ONCE_S)
        waiting = asyncio.ensure_future(page.snapshot())
        await asyncio.sleep(0)

        await _close_as_its_user_does(page, browser)

        with pytest.raises(PageClosed):
            async with asyncio.timeout(AT_ONCE_S):
                await waiting


async def test_a_tab_is_closed_as_soon_as_its_session_is() -> None:
    """Chrome tells that the tab is gone a little later."""
    info = {"targetId": "T", "type": "page", "title": "", "url": "about:blank", "attached": False}
    answers: dict[str, dict[str, Any] | None] = {
        "Target.attachToTarget": {"result": {"sessionId": "S"}},
        "Page.navigate": None,
    }
    asked_to_go = asyncio.Event()

    def answer(asked: dict[str, Any]) -> dict[str, Any] | None:
        if asked["method"] == "Page.navigate":
            asked_to_go.set()
        return answers.get(asked["method"], {"result": {}})

    chrome = FakeChrome(answer)
    browser = Browser(Instance(chrome.connect()))
    browser._instance.targets.follow()
    chrome.tell(method="Target.targetCreated", params={"targetInfo": info})
    (page,) = browser.pages
    going = asyncio.ensure_future(page.goto("http://127.0.0.1/"))
    await asked_to_go.wait()

    chrome.tell(method="Target.detachedFromTarget", params={"sessionId": "S", "targetId": "T"})

    with pytest.raises(PageClosed):
        async with asyncio.timeout(AT_ONCE_S):
            await going
    assert page.closed
    assert browser.pages == []
