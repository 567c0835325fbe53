"""Launching and connecting; tabs, popups, crashes and hangs."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator

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


async def test_pages_are_those_that_are_open(browser: Browser, serve: Serve) -> None:
    before = browser.pages
    first = await browser.new_page(serve("<title>one</title>"))
    second = await browser.new_page()

    assert browser.pages == [*before, first, second]

    await first.close()

    assert browser.pages == [*before, second]
    assert first.closed
    await second.close()


async def test_a_tab_closes_while_it_goes_elsewhere(browser: Browser) -> None:
    for _ in range(5):  # Chrome forgets that it is to close the tab in about every third
        page = await browser.new_page()
        await page.goto("data:text/html,<p>Here")
        await page.evaluate("setTimeout(() => { location.href = 'about:blank' }), 1")
        await page.close()
        assert page not in browser.pages


async def test_a_call_to_a_closed_page_says_so(browser: Browser) -> None:
    page = await browser.new_page()
    waiting = asyncio.ensure_future(page.evaluate("new Promise(() => {})"))
    await page.evaluate("1")

    await page.close()

    for call in (waiting, page.evaluate("1")):
        with pytest.raises(ActionError):
            await call
    await page.close()


async def test_a_new_page_that_cannot_be_opened_leaves_no_tab(browser: Browser, httpserver: HTTPServer) -> None:
    before = browser.pages
    with socket.create_server(("127.0.0.1", 0)) as silent:
        unanswered = f"http://127.0.0.1:{silent.getsockname()[1]}/"

        with pytest.raises(NavigationFailed, match="ERR_UNSAFE_PORT"):
            await browser.new_page("http://127.0.0.1:1/")
        async with await browser.new_context(deny=["localhost"], navigation_timeout_s=0.3) as limited:
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


async def test_launch_can_be_awaited() -> None:
    browser = await Browser.launch()
    await browser.close()
    await browser.close()

    with pytest.raises(BrowserError, match="Chrome is gone: closed by us"):
        await browser.new_page()


async def test_connect_leaves_the_chrome_as_it_was(detached: DetachedChrome, serve: Serve) -> None:
    async with Browser.connect(detached.endpoint) as owner:
        theirs = await owner.new_page(serve("<title>theirs</title>"))
        async with Browser.connect(detached.endpoint) as browser:
            ours = await browser.new_page(serve("<title>ours</title>"))
            assert {page.title for page in browser.pages} >= {"theirs", "ours"}
            await ours.evaluate("window.open('about:blank') && 1")
            await new_tab(ours)

        assert theirs in owner.pages
        assert "ours" not in [page.title for page in owner.pages]
        assert await theirs.evaluate("document.title") == "theirs"


async def test_a_tab_that_a_page_of_theirs_opens_stays_when_we_leave(detached: DetachedChrome, serve: Serve) -> None:
    async with Browser.connect(detached.endpoint) as owner:
        theirs = await owner.new_page(serve("<title>theirs</title>"))
        async with Browser.connect(detached.endpoint) as browser:
            page = _same_tab(browser, theirs)
            await page.evaluate("window.open('about:blank') && 1")
            await new_tab(page)
        popup = await new_tab(theirs)

        assert await popup.evaluate("location.href") == "about:blank"


async def test_the_tabs_of_a_chrome_are_attached_to_at_first_use(detached: DetachedChrome, serve: Serve) -> None:
    async with Browser.connect(detached.endpoint) as owner:
        theirs = await owner.new_page(serve("<title>there before</title>"))
        async with Browser.connect(detached.endpoint) as browser:
            page = _same_tab(browser, theirs)
            assert not tab_of(page).is_attached
            assert await page.evaluate("document.title") == "there before"


OPENERS = {
    "script": "<button onclick=\"window.open('POPUP')\">script</button>",
    "noopener": "<a href='POPUP' target='_blank' rel='noopener'>noopener</a>",
    "form": "<form action='POPUP' target='_blank'><button>form</button></form>",
}


@pytest.fixture(params=["launched", "attached"])
async def some_browser(
    request: pytest.FixtureRequest, browser: Browser, detached: DetachedChrome
) -> AsyncIterator[Browser]:
    """One that we launched, and one that we connect to."""
    if request.param == "launched":
        yield browser
        return
    async with Browser.connect(detached.endpoint) as connected:
        yield connected


async def test_a_new_tab_is_followed_and_named(some_browser: Browser, serve: Serve) -> None:
    popup = serve("<title>Offers</title><p>cheap</p>", path="/offers")
    page = await some_browser.new_page(serve("".join(OPENERS.values()).replace("POPUP", popup)))

    for opener in OPENERS:
        receipt = await page.click(await ref(page, opener))

        told = [(tab.url.removesuffix("?"), tab.title) for tab in receipt.new_tabs]
        assert told == [(popup, "Offers")], opener
        tab = page.popups[-1]
        assert tab.opener is page
        assert [each for each in some_browser.pages if each in (page, tab)] == [page, tab]
        await tab.close()
    await page.close()


@pytest.mark.parametrize("some_browser", ["attached"], indirect=True)
async def test_a_tab_of_a_middle_click_is_followed(some_browser: Browser, serve: Serve) -> None:
    link = serve("<title>Offers</title>")
    page = await some_browser.new_page(serve(f"<a href='{link}' style='position:fixed; inset:0'>Open</a>"))
    session = (await tab_of(page).frames()).root.session
    for kind in ("mousePressed", "mouseReleased"):
        await session.send(cdp_input.DispatchMouseEvent(type=kind, x=50, y=50, button="middle", click_count=1))

    tab = await new_tab(page)

    await tab.wait_for(url=link)
    assert await tab.evaluate("document.title") == "Offers"
    await tab.close()
    await page.close()


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


async def test_tabs_that_others_open_are_left_alone(detached: DetachedChrome) -> None:
    async with Browser.connect(detached.endpoint) as person, Browser.connect(detached.endpoint) as browser:
        theirs = await person.new_page("data:text/html,<title>theirs</title>")

        assert await theirs.evaluate("document.title") == "theirs"
        assert not tab_of(_same_tab(browser, theirs)).is_attached


async def test_the_end_of_a_chrome_ends_all_calls() -> None:
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
    finally:
        await stop_detached(chrome)


async def test_many_tabs_do_not_hold_up_connecting(detached: DetachedChrome) -> None:
    async with Browser.connect(detached.endpoint) as owner:
        session = owner._instance.connection.browser
        tabs = await asyncio.gather(*(session.send(target.CreateTarget(url="about:blank")) for _ in range(6)))
        begun = asyncio.get_running_loop().time()

        async with Browser.connect(detached.endpoint) as browser:
            took = asyncio.get_running_loop().time() - begun

            assert len(browser.pages) >= len(tabs)
            assert took < 5
        for tab in tabs:
            await session.send(target.CloseTarget(target_id=tab.target_id))


async def test_a_crashed_page_says_so_and_can_be_left(page: Page, serve: Serve) -> None:
    url = serve("<title>well</title>")
    await page.goto(url)
    session = (await tab_of(page).frames()).root.session
    waiting = asyncio.ensure_future(page.evaluate("new Promise(() => {})"))
    await page.evaluate("1")

    session.tell(cdp_page.Crash())

    with pytest.raises(PageUnresponsive, match="crashed"):
        await waiting
    with pytest.raises(PageUnresponsive, match="crashed"):
        await page.snapshot()
    await page.goto(url)
    assert await page.evaluate("document.title") == "well"


async def test_a_tab_that_crashed_before_we_came_can_be_left(detached: DetachedChrome, serve: Serve) -> None:
    async with Browser.connect(detached.endpoint) as owner:
        theirs = await owner.new_page(serve("<p>crashes soon</p>"))
        (await tab_of(theirs).frames()).root.session.tell(cdp_page.Crash())
        with pytest.raises(PageUnresponsive, match="crashed"):
            await theirs.evaluate("new Promise(() => {})")
        async with Browser.connect(detached.endpoint) as browser:
            page = _same_tab(browser, theirs)
            with pytest.raises(PageUnresponsive, match="crashed"):
                await page.snapshot()

            await page.goto(serve("<title>free</title>"))

            assert await page.evaluate("document.title") == "free"


@pytest.mark.usefixtures("held_loop")
async def test_a_page_that_hangs_says_so_and_can_be_left(page: Page, serve: Serve) -> None:
    await page.goto(serve("<title>well</title>"))
    with pytest.raises(PageUnresponsive, match=r"did not answer within 0\.3 s"):
        await page.evaluate(f"(() => {{ {LOOP} }})()", timeout_s=0.3)

    await page.goto(serve("<title>elsewhere</title>", other_site=True))

    assert await page.evaluate("document.title") == "elsewhere"


@pytest.mark.usefixtures("held_loop")
async def test_a_tab_that_hung_before_we_came_can_be_left(detached: DetachedChrome, serve: Serve) -> None:
    async with Browser.connect(detached.endpoint) as owner:
        theirs = await owner.new_page(serve("<p>hangs soon</p>"))
        with pytest.raises(PageUnresponsive):
            await theirs.evaluate(f"(() => {{ {LOOP} }})()", timeout_s=0.2)
        async with Browser.connect(detached.endpoint) as browser:
            page = _same_tab(browser, theirs)

            await page.goto(serve("<title>free</title>", other_site=True))

            assert await page.evaluate("document.title") == "free"


async def test_an_iframe_on_another_site_is_out_of_process(page: Page, serve: Serve) -> None:
    inner = serve("<p>inner</p>", other_site=True)
    await page.goto(serve(f"<iframe src='{inner}'></iframe>"))

    assert [frame.url for frame in (await tab_of(page).frames()).all()][1:] == [inner]
