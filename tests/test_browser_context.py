"""Parts of a browser, each with its own tabs, settings, rules, downloads and storage."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cdp_agent.browser import Browser
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


@attached
async def test_each_has_settings_and_storage_of_its_own_until_it_is_closed(
    whole: Browser, serve: Serve, tmp_path: Path
) -> None:
    url, keeps = serve("<p>here</p>"), serve(KEEPS + "<script>onbeforeunload = () => 'stay'</script>")
    usual = await whole.new_page(url)
    before = await usual.evaluate(SEEN)
    async with await whole.new_context(viewport=(400, 300), user_agent="First/1", locale="de-DE") as first:
        one = await first.new_page(keeps)
        assert await one.evaluate(SEEN) == [400, "First/1", "de-DE", "kept=1", "1"]
        await first.save_storage_state(tmp_path / "state.json")
        second = await whole.new_context(viewport=Viewport(500, 300), user_agent="Second/1", locale="fr-FR")
        third = await whole.new_context(storage_state=tmp_path / "state.json")
        two, three = await second.new_page(url), await third.new_page(url)

        assert await two.evaluate(SEEN) == [500, "Second/1", "fr-FR", "", None]
        assert (await three.evaluate(SEEN))[3:] == ["kept=1", "1"]
        await usual.goto(url)
        assert await usual.evaluate(SEEN) == before
        assert (first.pages, second.pages, third.pages) == ([one], [two], [three])
        assert usual in whole.pages
        assert not {one, two, three} & set(whole.pages)
        assert whole.contexts == [first, second, third]
        # By nobody of ours:
        await whole.session.send(target.CreateTarget(url="about:blank", browser_context_id=second.id))
        assert [each.url for each in second.pages] in ([url, "about:blank"], [url, ""])  # not told yet

    assert one.closed
    assert whole.contexts == [second, third]
    for call in (first.new_page(), first.reopen()):
        with pytest.raises(BrowserError, match="The browser context was closed"):
            await call
    with pytest.raises(ProtocolError, match=r"(?i)browser ?context"):
        await whole.session.send(target.CreateTarget(url="about:blank", browser_context_id=first.id))
    targets = (await whole.session.send(target.GetTargets())).target_infos
    assert one.target_id not in [each.target_id for each in targets]
    usual_cookies = await whole.session.send(storage.GetCookies())
    assert [each.name for each in usual_cookies.cookies if each.name == "kept"] == []


@attached
async def test_those_that_are_not_isolated_have_their_own_tabs_and_settings_and_the_browsers_storage(
    whole: Browser, serve: Serve
) -> None:
    usual = await whole.new_page(serve(KEEPS))
    agents = ["First/1", "Second/1"]
    first, second = [await whole.new_context(isolated=False, user_agent=agent) for agent in agents]
    url = serve(f"<a target=_blank rel=noopener href='{serve('<p>popup</p>')}'>Open</a>")

    pages = await asyncio.gather(*(each.new_page(url) for each in (first, second)))
    await pages[0].click(await ref(pages[0], "Open"))
    popup = await new_tab(pages[0])

    kept = "document.cookie.match(/kept=[^;]*/)[0]"  # other servers of this host have cookies there, too
    told = [await each.evaluate(f"[navigator.userAgent, {kept}]") for each in (*pages, popup)]
    assert told == [["First/1", "kept=1"], ["Second/1", "kept=1"], ["First/1", "kept=1"]]
    assert await usual.evaluate(f"{agents}.includes(navigator.userAgent)") is False
    assert (first.pages, second.pages, first.id) == ([pages[0], popup], [pages[1]], None)
    assert popup not in whole.pages
    assert first.opened(popup)
    await usual.evaluate("document.cookie = 'kept=; max-age=0'; localStorage.clear()")

    first.keep(popup)
    await first.close()

    assert (pages[0].closed, popup.closed) == (True, False)
    await popup.close()


@attached
async def test_rules_hold_in_the_one_that_they_were_given_to_until_it_is_closed(whole: Browser, serve: Serve) -> None:
    there = serve("<title>there</title>", other_site=True)
    sending = f"fetch('{there}', {{mode: 'no-cors'}}).then(() => 'sent', () => 'refused')"
    asking = serve(f"<script>{sending}.then(told => document.title = told)</script>")
    bound = await whole.new_context(allow=["127.0.0.1"])
    pages = {each: await each.new_page(asking) for each in (bound, whole)}
    told = {bound: "refused", whole: "sent"}

    for context, page in pages.items():
        await page.wait_for(idle=True)
        assert await page.evaluate("document.title") == told[context]
    with pytest.raises(BlockedByPolicy):
        await pages[bound].goto(there)
    await pages[whole].goto(there)
    await bound.close()

    await pages[whole].goto(asking)
    await pages[whole].goto(there)
    assert await pages[whole].evaluate("document.title") == "there"


async def _downloaded(page: Page, link: str) -> Path:
    receipt = await page.click(await ref(page, link))
    (download,) = receipt.downloads
    assert download.path is not None
    return Path(download.path)


@pytest.mark.whole_chrome
@attached
async def test_downloads_go_to_the_folder_of_each(whole: Browser, serve: Serve, tmp_path: Path) -> None:
    file = serve(b"report", content_type="application/octet-stream", path="/report.bin")
    url = serve(f"<a href='{file}'>Report</a>")
    places = []
    for name, isolated in (("first", False), ("second", True)):
        context = await whole.new_context(isolated=isolated, downloads=tmp_path / name)
        places.append(await _downloaded(await context.new_page(url), "Report"))
        assert [each.path for each in context.downloads.take()] == []

    assert places == [tmp_path / name / "report.bin" for name in ("first", "second")]
    assert [each.read_bytes() for each in places] == [b"report"] * 2
    assert whole.downloads.take() == []


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
