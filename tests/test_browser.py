"""Launching and connecting; tabs, popups, crashes and hangs."""

from __future__ import annotations

import asyncio
import socket

import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.browser import Browser
from cdp_agent.browser.attach.endpoints import address_of
from cdp_agent.cdp import input as cdp_input
from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp import runtime, target
from cdp_agent.cdp.connection import Connection
from cdp_agent.errors import ActionError, BlockedByPolicy, BrowserError, NavigationFailed, PageUnresponsive
from cdp_agent.page.page import Page, tab_of
from tests.acting import ref
from tests.conftest import LOOP, Serve, new_tab
from tests.detached import DetachedChrome, start_detached, stop_detached


def _same_tab(browser: Browser, page: Page) -> Page:
    """The tab as another client sees it."""
    return next(each for each in browser.pages if each.target_id == page.target_id)


async def test_a_page_has_the_viewport_and_the_focus(page: Page) -> None:
    assert await page.evaluate("[innerWidth, innerHeight, document.hasFocus(), document.visibilityState]") == [
        1280,
        800,
        True,
        "visible",
    ]


async def test_a_tab_closes_while_it_goes_elsewhere(browser: Browser) -> None:
    for _ in range(3):  # Chrome forgets that it is to close the tab in about every third
        page = await browser.new_page()
        await page.evaluate("setTimeout(() => { location.href = 'data:text/html,' }), 1")
        await page.close()
        assert page not in browser.pages


async def test_pages_are_those_that_are_open_and_a_call_to_one_that_is_closed_says_so(browser: Browser) -> None:
    before = browser.pages
    first, second = await browser.new_page(), await browser.new_page()
    assert browser.pages == [*before, first, second]
    waiting = asyncio.ensure_future(first.evaluate("new Promise(() => {})"))
    await first.evaluate("1")

    await first.close()

    assert browser.pages == [*before, second]
    assert first.closed
    for call in (waiting, first.evaluate("1")):
        with pytest.raises(ActionError):
            await call
    await first.close()


async def test_a_new_page_that_cannot_be_opened_leaves_no_tab(browser: Browser, httpserver: HTTPServer) -> None:
    before = browser.pages
    with socket.create_server(("127.0.0.1", 0)) as silent:
        unanswered = f"http://127.0.0.1:{silent.getsockname()[1]}/"

        with pytest.raises(NavigationFailed, match="ERR_UNSAFE_PORT"):
            await browser.new_page("http://127.0.0.1:1/")
        async with await browser.new_context(isolated=False, deny=["localhost"], navigation_timeout_s=0.3) as limited:
            with pytest.raises(BlockedByPolicy):
                await limited.new_page(httpserver.url_for("/").replace("127.0.0.1", "localhost"))
            with pytest.raises(ActionError, match="within"):
                await limited.new_page(unanswered)
            assert [page.url for page in limited.pages] == []

    assert browser.pages == before


async def test_a_new_page_that_is_cancelled_while_a_server_is_waited_for_leaves_no_tab(browser: Browser) -> None:
    before = browser.pages
    with socket.create_server(("127.0.0.1", 0)) as silent:
        opening = asyncio.create_task(browser.new_page(f"http://127.0.0.1:{silent.getsockname()[1]}/"))
        reached, _ = await asyncio.to_thread(silent.accept)

        opening.cancel()
        await asyncio.wait([opening])

        with reached:
            async with asyncio.timeout(3):
                while browser.pages != before:
                    await before[0].evaluate("new Promise(done => setTimeout(done, 10))")


async def test_a_browser_can_be_awaited(detached: DetachedChrome) -> None:
    browser = await Browser.connect(detached.endpoint)
    await browser.close()
    await browser.close()

    with pytest.raises(BrowserError, match="Chrome is gone: closed by us"):
        await browser.new_page()


async def test_connect_leaves_the_chrome_as_it_was(detached: DetachedChrome, serve: Serve) -> None:
    """Their tabs are attached to at first use; a tab belongs to whom its opener does."""
    async with Browser.connect(detached.endpoint) as owner:
        theirs = await owner.new_page(serve("<title>theirs</title>"))
        async with Browser.connect(detached.endpoint) as browser:
            page = _same_tab(browser, theirs)
            assert not tab_of(page).is_attached
            assert await page.evaluate("document.title") == "theirs"
            ours = await browser.new_page(serve("<title>ours</title>"))
            assert {each.title for each in browser.pages} >= {"theirs", "ours"}
            for opener in (ours, page):
                await opener.evaluate("window.open('about:blank') && 1")
                await new_tab(opener)
        popup = await new_tab(theirs)

        assert theirs in owner.pages
        assert "ours" not in [each.title for each in owner.pages]
        assert await theirs.evaluate("document.title") == "theirs"
        assert await popup.evaluate("location.href") == "about:blank"


OPENERS = {
    "script": "<button onclick=\"window.open('POPUP')\">script</button>",
    "noopener": "<a href='POPUP' target='_blank' rel='noopener'>noopener</a>",
}


async def test_a_new_tab_is_followed_and_named(page: Page, browser: Browser, serve: Serve) -> None:
    popup = serve("<title>Offers</title><p>cheap</p>", path="/offers")
    await page.goto(serve("".join(OPENERS.values()).replace("POPUP", popup)))
    refs = {each.name: each.ref for each in (await page.snapshot()).refs.values()}

    for opener in OPENERS:
        receipt = await page.click(refs[opener])

        told = [(tab.url, tab.title) for tab in receipt.new_tabs]
        assert told == [(popup, "Offers")], opener
        tab = page.popups[-1]
        assert tab.opener is page
        assert [each for each in browser.pages if each in (page, tab)] == [page, tab]
        await tab.close()


async def test_a_tab_of_a_middle_click_or_a_click_is_followed_in_the_chrome_of_a_user(
    detached: DetachedChrome, serve: Serve
) -> None:
    link = serve("<title>Offers</title>")
    opener = f"<a href='{link}' target=_blank style='position:fixed; inset:0'>Open</a>"
    async with Browser.connect(detached.endpoint) as browser:
        page = await browser.new_page(serve(opener))
        session = (await tab_of(page).frames()).root.session
        for kind in ("mousePressed", "mouseReleased"):
            await session.send(cdp_input.DispatchMouseEvent(type=kind, x=50, y=50, button="middle", click_count=1))

        tab = await new_tab(page)

        await tab.wait_for(url=link)
        assert await tab.evaluate("document.title") == "Offers"
        await tab.close()

        receipt = await page.click(await ref(page, "Open"))

        assert [(each.url, each.title) for each in receipt.new_tabs] == [(link, "Offers")]


async def test_a_new_page_does_not_take_the_place_of_the_tab_in_front(detached: DetachedChrome) -> None:
    person = Connection(await address_of(detached.endpoint).connect({}))
    front = await person.browser.send(target.CreateTarget(url="about:blank"))
    attached = await person.browser.send(target.AttachToTarget(target_id=front.target_id, flatten=True))
    async with Browser.connect(detached.endpoint) as browser:
        page = await browser.new_page()

        assert await page.evaluate("[document.visibilityState, document.hasFocus()]") == ["visible", True]
        looking = person.session(attached.session_id)
        told = await looking.send(runtime.Evaluate(expression="document.visibilityState"))
        assert bytes(told.result.value) == b'"visible"'
    await person.browser.send(target.CloseTarget(target_id=front.target_id))
    await person.close()


async def test_tabs_that_others_open_while_we_open_some_are_left_alone(detached: DetachedChrome, serve: Serve) -> None:
    person = Connection(await address_of(detached.endpoint).connect({}))
    async with Browser.connect(detached.endpoint, user_agent="Ours/1", dialogs=None) as browser:
        url = serve("<p>here</p>")
        opening = [asyncio.ensure_future(browser.new_page(url)) for _ in range(2)]
        tabs = await asyncio.gather(*(person.browser.send(target.CreateTarget(url=url)) for _ in range(2)))
        ours = await asyncio.gather(*opening)

        assert [await each.evaluate("navigator.userAgent") for each in ours] == ["Ours/1"] * 2
        for each in tabs:
            attached = await person.browser.send(target.AttachToTarget(target_id=each.target_id, flatten=True))
            theirs = person.session(attached.session_id)
            told = await theirs.send(runtime.Evaluate(expression="navigator.userAgent"))
            assert b"Ours/1" not in bytes(told.result.value)
            assert not tab_of(browser.find_page(each.target_id)).is_attached
            await person.browser.send(target.CloseTarget(target_id=each.target_id))
    await person.close()


async def test_the_end_of_a_chrome_ends_all_calls_and_holds_up_no_end_of_ours() -> None:
    chrome = await start_detached()
    try:
        async with Browser.connect(chrome.endpoint) as browser:
            page = await browser.new_page()
            waiting = asyncio.ensure_future(page.evaluate("new Promise(() => {})"))
            await page.evaluate("1")

            await stop_detached(chrome)

            for call in (waiting, page.evaluate("1"), browser.new_page()):
                with pytest.raises(BrowserError, match="Chrome is gone: it closed the connection"):
                    await call
            began = asyncio.get_running_loop().time()

        assert asyncio.get_running_loop().time() - began < 15
    finally:
        await stop_detached(chrome)


async def test_a_tab_that_crashed_says_so_and_can_be_left_also_where_it_did_before_we_came(
    detached: DetachedChrome, serve: Serve
) -> None:
    async with Browser.connect(detached.endpoint) as owner:
        theirs = await owner.new_page()
        waiting = asyncio.ensure_future(theirs.evaluate("new Promise(() => {})"))
        await theirs.evaluate("1")

        (await tab_of(theirs).frames()).root.session.tell(cdp_page.Crash())

        for call in (waiting, theirs.snapshot()):
            with pytest.raises(PageUnresponsive, match="crashed"):
                await call
        async with Browser.connect(detached.endpoint) as browser:
            page = _same_tab(browser, theirs)
            with pytest.raises(PageUnresponsive, match="crashed"):
                await page.snapshot()

            await page.goto(serve("<title>free</title>"))

            assert await page.evaluate("document.title") == "free"


@pytest.mark.usefixtures("held_loop")
async def test_a_tab_that_hung_before_we_came_can_be_left(detached: DetachedChrome, serve: Serve) -> None:
    async with Browser.connect(detached.endpoint) as owner:
        theirs = await owner.new_page(serve("<p>hangs soon</p>"))
        with pytest.raises(PageUnresponsive, match=r"did not answer within 0\.2 s"):
            await theirs.evaluate(f"(() => {{ {LOOP} }})()", timeout_s=0.2)
        async with Browser.connect(detached.endpoint) as browser:
            page = _same_tab(browser, theirs)

            await page.goto(serve("<title>free</title>", other_site=True))

            assert await page.evaluate("document.title") == "free"
