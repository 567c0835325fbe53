"""Parts of a browser, each with its own tabs, settings, rules, downloads and storage."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cdp_agent.browser import Browser
from cdp_agent.browser.context import BrowserContext
from cdp_agent.cdp import storage, target
from cdp_agent.errors import BlockedByPolicy, BrowserError, ProtocolError, SetupError
from cdp_agent.page.page import Page
from cdp_agent.page.tab.settings import Viewport
from tests.acting import ref
from tests.agents import CLICK, DONE, FILL, SHOP, play, result_of
from tests.conftest import Serve, new_tab
from tests.detached import DetachedChrome, start_detached, stop_detached

SEEN = "[innerWidth, navigator.userAgent, navigator.language, document.cookie, localStorage.getItem('kept')]"
KEEPS = "<script>document.cookie = 'kept=1; max-age=1000'; localStorage.setItem('kept', '1')</script>"


@pytest.fixture(params=["launched", "attached"])
async def whole(request: pytest.FixtureRequest, browser: Browser, detached: DetachedChrome) -> AsyncIterator[Browser]:
    """A browser that others work in, too."""
    if request.param == "attached":
        async with Browser.connect(detached.endpoint) as connected:
            yield connected
        return
    yield browser
    for context in browser.contexts:
        await context.close()


attached = pytest.mark.parametrize("whole", ["attached"], indirect=True)


def _seen_with(width: int, agent: str, language: str) -> list[object]:
    return [width, agent, language, "", None]


@attached
async def test_each_has_settings_and_storage_of_its_own(whole: Browser, serve: Serve) -> None:
    url, keeps = serve("<p>here</p>"), serve(KEEPS)
    usual = await whole.new_page(url)
    before = await usual.evaluate(SEEN)
    first = await whole.new_context(viewport=(400, 300), user_agent="First/1", locale="de-DE")
    second = await whole.new_context(viewport=Viewport(500, 300), user_agent="Second/1", locale="fr-FR")
    one, two = await first.new_page(keeps), await second.new_page(url)
    await one.goto(url)

    assert await one.evaluate(SEEN) == [400, "First/1", "de-DE", "kept=1", "1"]
    assert await two.evaluate(SEEN) == _seen_with(500, "Second/1", "fr-FR")
    await usual.goto(url)
    assert await usual.evaluate(SEEN) == before
    assert (first.pages, second.pages) == ([one], [two])
    assert usual in whole.pages
    assert not {one, two} & set(whole.pages)
    assert whole.contexts == [first, second]

    await whole.session.send(target.CreateTarget(url="about:blank", browser_context_id=second.id))  # by nobody of ours
    assert [each.url for each in second.pages] in ([url, "about:blank"], [url, ""])  # not told yet


@attached
async def test_one_that_is_not_isolated_has_its_own_settings_and_the_browsers_storage(
    whole: Browser, serve: Serve
) -> None:
    usual = await whole.new_page(serve(KEEPS))
    context = await whole.new_context(isolated=False, user_agent="Own/1")

    page = await context.new_page(serve("<p>here</p>"))

    assert await page.evaluate("[navigator.userAgent, document.cookie]") == ["Own/1", "kept=1"]
    assert await usual.evaluate("navigator.userAgent === 'Own/1'") is False
    assert (context.pages, context.id) == ([page], None)
    await page.evaluate("document.cookie = 'kept=; max-age=0'; localStorage.clear()")


@attached
async def test_a_popup_belongs_to_the_one_that_its_opener_is_in(whole: Browser, serve: Serve) -> None:
    first = await whole.new_context(isolated=False, user_agent="First/1")
    second = await whole.new_context(isolated=False, user_agent="Second/1")
    opener = await first.new_page(serve(f"<a target=_blank rel=noopener href='{serve('<p>popup</p>')}'>Open</a>"))

    await opener.click(await ref(opener, "Open"))

    popup = await new_tab(opener)
    assert await popup.evaluate("navigator.userAgent") == "First/1"
    assert (first.pages, second.pages) == ([opener, popup], [])
    assert popup not in whole.pages
    assert first.opened(popup)


@attached
async def test_tabs_that_are_opened_at_a_time_are_each_in_their_own(whole: Browser, serve: Serve) -> None:
    widths = [400, 500]
    contexts = [await whole.new_context(isolated=False, viewport=(width, 300)) for width in widths]
    url = serve("<p>here</p>")

    pages = await asyncio.gather(*(each.new_page(url) for each in contexts for _ in range(2)))

    assert [await each.evaluate("innerWidth") for each in pages] == [width for width in widths for _ in range(2)]
    assert [set(each.pages) for each in contexts] == [set(pages[:2]), set(pages[2:])]


async def test_rules_hold_in_the_one_that_they_were_given_to(whole: Browser, serve: Serve) -> None:
    there = serve("<title>there</title>", other_site=True)
    sending = f"fetch('{there}', {{mode: 'no-cors'}}).then(() => 'sent', () => 'refused')"
    asking = serve(f"<script>{sending}.then(told => document.title = told)</script>")
    bound = await whole.new_context(allow=["127.0.0.1"])
    free = await whole.new_context()
    pages = {each: await each.new_page(asking) for each in (bound, free, whole)}
    told = {bound: "refused", free: "sent", whole: "sent"}

    for context, page in pages.items():
        await page.wait_for(idle=True)
        assert await page.evaluate("document.title") == told[context]
    with pytest.raises(BlockedByPolicy):
        await pages[bound].goto(there)
    await pages[whole].goto(there)


async def test_what_the_browser_refuses_is_refused_in_each(serve: Serve) -> None:
    there = serve("<p>there</p>", other_site=True)
    async with Browser.launch(deny=["localhost"]) as browser:
        page = await (await browser.new_context(allow=["localhost", "127.0.0.1"])).new_page()
        closed = browser.session.connection.closed

        with pytest.raises(BlockedByPolicy):
            await page.goto(there)

    assert closed.result() != "closed by us"  # its rules held until it had ended


async def test_with_the_last_one_under_rules_they_end(whole: Browser, serve: Serve) -> None:
    context = await whole.new_context(deny=["localhost"])
    await context.new_page(serve("<p>here</p>"))

    await context.close()

    page = await whole.new_page(serve("<title>there</title>", other_site=True))
    assert await page.evaluate("document.title") == "there"


async def _downloaded(page: Page, link: str) -> Path:
    receipt = await page.click(await ref(page, link))
    (download,) = receipt.downloads
    assert download.path is not None
    return Path(download.path)


@pytest.mark.whole_chrome
@pytest.mark.parametrize(
    ("whole", "isolated"),
    [("launched", True), ("attached", False)],
    indirect=["whole"],
    ids=["launched, isolated", "attached, shared"],
)
async def test_downloads_go_to_the_folder_of_each(whole: Browser, serve: Serve, tmp_path: Path, isolated: bool) -> None:
    file = serve(b"report", content_type="application/octet-stream", path="/report.bin")
    url = serve(f"<a href='{file}'>Report</a>")
    places = []
    for name in ("first", "second"):
        context = await whole.new_context(isolated=isolated, downloads=tmp_path / name)
        places.append(await _downloaded(await context.new_page(url), "Report"))
        assert [each.path for each in context.downloads.take()] == []

    assert places == [tmp_path / "first" / "report.bin", tmp_path / "second" / "report.bin"]
    assert [each.read_bytes() for each in places] == [b"report"] * 2
    assert whole.downloads.take() == []


@attached
async def test_a_saved_state_comes_into_another_one(whole: Browser, serve: Serve, tmp_path: Path) -> None:
    first = await whole.new_context()
    await first.new_page(serve(KEEPS))
    await first.save_storage_state(tmp_path / "state.json")

    second = await whole.new_context(storage_state=tmp_path / "state.json")

    page = await second.new_page(serve("<p>here</p>"))
    assert await page.evaluate("[document.cookie, localStorage.getItem('kept')]") == ["kept=1", "1"]
    usual = await whole.session.send(storage.GetCookies())
    assert [each.name for each in usual.cookies if each.name == "kept"] == []


@attached
async def test_closed_it_leaves_no_tab_and_nothing_stored(whole: Browser, serve: Serve) -> None:
    context = await whole.new_context()
    page = await context.new_page(serve(KEEPS + "<script>onbeforeunload = () => 'stay'</script>"))

    await context.close()

    assert page.closed
    assert whole.contexts == []
    for call in (context.new_page(), context.reopen()):
        with pytest.raises(BrowserError, match="The browser context was closed"):
            await call
    with pytest.raises(ProtocolError, match=r"(?i)browser ?context"):
        await whole.session.send(target.CreateTarget(url="about:blank", browser_context_id=context.id))
    targets = (await whole.session.send(target.GetTargets())).target_infos
    assert page.target_id not in [each.target_id for each in targets]


@attached
async def test_a_tab_that_was_kept_stays_when_it_is_closed(whole: Browser) -> None:
    context = await whole.new_context(isolated=False)
    kept, other = await context.new_page(), await context.new_page()
    context.keep(kept)

    await context.close()

    assert (kept.closed, other.closed) == (False, True)
    await kept.close()


@attached
async def test_what_would_be_everybodys_needs_one_of_its_own(whole: Browser, tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="isolated=True"):
        await whole.new_context(isolated=False, proxy="127.0.0.1:9")


async def test_each_is_there_again_in_the_next_chrome(detached: DetachedChrome, serve: Serve) -> None:
    first = await start_detached()
    try:
        async with Browser.connect([first.endpoint, detached.endpoint]) as browser:
            contexts = [await browser.new_context(user_agent=f"Agent/{number}") for number in range(2)]
            page = await contexts[0].new_page()
            await stop_detached(first)
            with pytest.raises(BrowserError):
                await page.evaluate("1")

            await asyncio.gather(*(each.reopen() for each in contexts))

            pages = [await each.new_page(serve("<p>here</p>")) for each in contexts]
            told = [await each.evaluate("navigator.userAgent") for each in pages]
            assert told == ["Agent/0", "Agent/1"]
            assert browser.attempts[-1].index == 1
    finally:
        await stop_detached(first)


@attached
async def test_an_agent_works_in_one(whole: Browser, serve: Serve) -> None:
    context = await whole.new_context(user_agent="Own/1")
    page = await context.new_page(serve(SHOP))

    events, _ = await play(context, page, [FILL, CLICK, DONE], tools=())

    assert result_of(events).success
    assert context.pages == [page]


@attached
async def test_it_is_closed_at_the_end_of_its_block(whole: Browser) -> None:
    async with await whole.new_context() as context:
        page = await context.new_page()

    assert page.closed
    assert isinstance(whole, BrowserContext)
