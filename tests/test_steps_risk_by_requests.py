"""What does harm is asked about before a server hears of it, however it is set off; what only looks like it is not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from cdp_agent.browser import Browser
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.policy.holding import Act, Held, Hold
from cdp_agent.page.policy.policy_registry import limited
from cdp_agent.page.policy.rules import RequestRules
from cdp_agent.steps.approval.risk import risk_of
from cdp_agent.tools import BUILT_IN
from cdp_agent.tools.base import Context
from tests.harms import (
    BEFORE,
    DIALOGS,
    EVENTS,
    HARMLESS,
    LEAVING,
    LOCAL_DOWNLOADS,
    POST,
    SCRIPTS,
    SHIMS,
    Row,
    marked,
    written,
)
from tests.web import Web, running

ROWS = [*SCRIPTS, *EVENTS]
_ROWS_OF_A_PAGE = 20
_FRAME_OF_ANOTHER_SITE = next(number for number, row in enumerate(ROWS, 1) if row.name == "frame of another site")


class Desk:
    """Refuses everything and takes it down; what `asked` holds is "before" by the words, else what was held."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.hold = Hold(self._refuse)
        self.held: list[Held] = []
        self.before: set[int] = set()
        self._changed = asyncio.Event()

    async def _refuse(self, held: Held, label: Any) -> bool:
        self.held.append(held)
        self._changed.set()
        return False

    def asked(self, number: int) -> list[Held]:
        mark = f"row{number}x"
        return [each for each in self.held if mark in each.url or mark in each.message]

    async def do(self, page: Page, number: int, row: Row, shown: str = "") -> str:
        """Does it, unless its risk is known before; what came of it. `shown` is the page as it was read before."""
        shown = shown or (await page.snapshot()).text
        line = next(line for line in shown.splitlines() if f'"Row {number}"' in line and "[ref=" in line)
        ref = line.partition("[ref=")[2].partition("]")[0]
        tool = BUILT_IN[row.tool]
        given = {"from_ref" if row.tool == "drag" else "ref": ref} | row.arguments
        arguments = tool.parse(given)
        if (await risk_of(tool, arguments, page)).kinds:
            self.before.add(number)
            return ""
        self.begin(number)
        return (await tool.run(arguments, Context(page, self.browser))).text  # type: ignore[union-attr]

    def begin(self, label: Any) -> None:
        self.hold.begin(Act(label), [tab_of(each).activity for each in self.browser.pages])

    async def wait_for(self, numbers: Sequence[int]) -> None:
        """What is set off late has its time."""
        until = asyncio.get_running_loop().time() + 5
        while not all(number in self.before or self.asked(number) for number in numbers):
            self._changed.clear()
            left_s = until - asyncio.get_running_loop().time()
            if left_s <= 0:
                return
            await asyncio.wait([asyncio.ensure_future(self._changed.wait())], timeout=left_s)


@pytest.fixture(scope="module")
async def web() -> AsyncIterator[Web]:
    async with running() as web:
        web.put("a", "/shared.js", "fetch('/' + location.search.slice(1), {method: 'POST'})", "text/javascript")
        yield web


@pytest.fixture(scope="module")
async def harmed(shared_browser: Browser, web: Web) -> Desk:
    """All rows were tried, some on each page: the longer the page, the more does each act cost."""
    desk = Desk(shared_browser)
    inner = marked(f'<button onclick="{POST}">§</button>', _FRAME_OF_ANOTHER_SITE)
    web.put("c", "/frame", inner)
    numbers = range(1, len(ROWS) + 1)
    async with limited(RequestRules(hold=desk.hold)):
        page = await shared_browser.new_page()
        for first in numbers[::_ROWS_OF_A_PAGE]:
            rows = ROWS[first - 1 :][:_ROWS_OF_A_PAGE]
            await page.goto(web.put("a", f"/{first}", SHIMS + written(rows, web.port, first)))
            shown = (await page.snapshot()).text
            for number, row in enumerate(rows, first):
                await desk.do(page, number, row, shown)
            await desk.wait_for(numbers[first - 1 :][:_ROWS_OF_A_PAGE])
        await desk.hold.end()
        for opened in [page, *page.popups]:
            await opened.close()
    return desk


@pytest.mark.parametrize("number", range(1, len(ROWS) + 1), ids=[row.name for row in ROWS])
async def test_harm_is_asked_about_and_does_not_reach_the_server(harmed: Desk, web: Web, number: int) -> None:
    assert number in harmed.before or harmed.asked(number)
    assert [
        each
        for each in web.methods
        if f"row{number}x" in each[1] and "/frame" not in each[1] and "/shared" not in each[1]
    ] == []


async def test_what_watches_over_workers_is_no_tab(browser: Browser) -> None:
    tabs = browser.pages
    async with limited(RequestRules(hold=Desk(browser).hold)):
        page = await browser.new_page()
        assert browser.pages == [*tabs, page]
        await page.close()


async def test_what_a_page_sends_as_it_is_left_is_held(browser: Browser, web: Web) -> None:
    desk = Desk(browser)
    async with limited(RequestRules(hold=desk.hold)):
        page = await browser.new_page()
        for number, (name, script) in enumerate(LEAVING, 1001):
            elsewhere = f"{web.origin('a' if number % 2 else 'b')}/next-{name}"
            content = f'<a href="{elsewhere}">§</a><script>{script}</script>'
            await page.goto(web.put("a", f"/leave-{name}", marked(content, number)))
            await desk.do(page, number, Row(name, ""))
        await page.close()
        numbers = range(1001, 1001 + len(LEAVING))
        await desk.wait_for(numbers)
        await desk.hold.end()

    assert [name for number, (name, _) in zip(numbers, LEAVING, strict=True) if not desk.asked(number)] == []
    assert [each for each in web.methods if each[0] != "GET" and "row10" in each[1]] == []


async def test_downloads_that_no_request_tells_of_are_ended(browser: Browser, web: Web) -> None:
    desk = Desk(browser)
    folder = browser.downloads.folder
    assert folder is not None
    for number in range(2001, 2001 + len(LOCAL_DOWNLOADS)):
        web.put("a", f"/attached/row{number}x", "x", Content_Disposition=f"attachment; filename=row{number}x.txt")
    async with limited(RequestRules(hold=desk.hold)):
        page = await browser.new_page(web.put("a", "/downloads", written(LOCAL_DOWNLOADS, web.port, 2001)))
        shown = (await page.snapshot()).text
        told = [await desk.do(page, number, row, shown) for number, row in enumerate(LOCAL_DOWNLOADS, 2001)]
        await desk.hold.end()
        await page.close()

    assert ["not sent: the download of" in each for each in told] == [True] * len(LOCAL_DOWNLOADS)
    assert list(folder.glob("row200*")) == []


async def test_dialogs_are_not_accepted_unasked(browser: Browser, web: Web) -> None:
    desk = Desk(browser)
    async with limited(RequestRules(hold=desk.hold)):
        page = await browser.new_page(web.put("a", "/dialogs", written(DIALOGS, web.port, 3001)))
        shown = (await page.snapshot()).text
        told = [await desk.do(page, number, row, shown) for number, row in enumerate(DIALOGS, 3001)]
        await desk.hold.end()
        await page.close()

    assert ["was dismissed" in each for each in told] == [True] * len(DIALOGS)
    assert [each for each in web.methods if "row300" in each[1]] == []


async def test_a_page_that_asks_whether_to_stay_is_not_left_unasked(browser: Browser, web: Web) -> None:
    stays = (
        "<input aria-label=Text><a href=/gone>Row 4001</a><script>onbeforeunload = (e) => e.preventDefault()</script>"
    )
    desk = Desk(browser)
    async with limited(RequestRules(hold=desk.hold)):
        page = await browser.new_page(web.put("a", "/stays", stays))
        await desk.do(page, 4001, Row("", "", "press", {"key": "x"}))
        await desk.do(page, 4001, Row("", ""))
        await desk.hold.end()

    assert [each.what for each in desk.held] == ["beforeunload"]
    assert page.url.endswith("/stays")
    await page.close()


@pytest.mark.parametrize("how", ["reload", "back"])
async def test_going_back_to_what_was_posted_asks(browser: Browser, web: Web, how: str) -> None:
    desk = Desk(browser)
    web.put("a", f"/posted-{how}", "<p>Done", Cache_Control="no-store")
    start = web.put("a", f"/start-{how}", f"<form id=f method=post action=/posted-{how}><input name=q value=1></form>")
    async with limited(RequestRules(hold=desk.hold)):
        page = await browser.new_page(start)
        await page.evaluate("f.submit()")
        await page.wait_for(text="Done")
        if how == "back":
            await page.goto(f"{web.origin('b')}/elsewhere")
        sent = len([each for each in web.methods if each[0] == "POST"])
        desk.begin(how)
        await BUILT_IN[how].run(BUILT_IN[how].parse({}), Context(page, browser))
        await desk.hold.end()

    assert [str(each) for each in desk.held] == [f"POST {web.origin('a')}/posted-{how}"]
    assert len([each for each in web.methods if each[0] == "POST"]) == sent
    await page.close()


async def test_what_only_looks_like_harm_is_not_asked_about(browser: Browser, web: Web) -> None:
    desk = Desk(browser)
    async with limited(RequestRules(hold=desk.hold)):
        html = BEFORE.replace("PORT", str(web.port)) + written(HARMLESS, web.port, 5001)
        page = await browser.new_page(web.put("a", "/harmless", html))
        shown = (await page.snapshot()).text
        told = [await desk.do(page, number, row, shown) for number, row in enumerate(HARMLESS, 5001)]
        await desk.hold.linger()
        await desk.hold.end()
        await page.close()

    assert [HARMLESS[number - 5001].name for number in desk.before] == []
    assert [str(each) for each in desk.held] == []
    assert all(told)
