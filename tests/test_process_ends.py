"""Processes of Chrome that end in the middle of something: what is told of that, and what is not touched by it."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import pytest

from cdp_agent.browser import Browser
from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp import system_info
from cdp_agent.errors import PageUnresponsive
from cdp_agent.page.page import Page, tab_of
from tests.acting import ref
from tests.conftest import Serve
from tests.raw_server import talking

pytestmark = pytest.mark.slow

FORM = "<title>Form</title><button onclick=\"document.title='Sent'\">Send</button><p>Text</p>"
IN_VAIN_S = 20.0
ENDED = "The page's process crashed: reload it or go elsewhere."


async def end_process(page: Page) -> None:
    """That of the tab's document, and waits until Chrome has told of it."""
    tab = tab_of(page)
    (await tab.frames()).root.session.tell(cdp_page.Crash())
    while not tab.activity.crashed:
        await tab.activity.wait_for_event(IN_VAIN_S)


async def process_of(browser: Browser, page: Page) -> int:
    """The process that shows the page: the one that computes when the page does."""

    async def times() -> dict[int, float]:
        infos = (await browser.session.send(system_info.GetProcessInfo())).process_info
        return {each.id: each.cpu_time for each in infos if each.type == "renderer"}

    before = await times()
    await page.evaluate("(() => { let sum = 0; for (let n = 0; n < 3e7; n++) sum += n; return sum })()", timeout_s=60)
    return max((spent - before.get(process, 0), process) for process, spent in (await times()).items())[1]


async def test_waiting_ends_with_the_process(page: Page, serve: Serve) -> None:
    await page.goto(serve(FORM))
    wanted: list[dict[str, Any]] = [
        {"text": "Never", "gone": "Text", "selector": "#never"},
        {"url": "never"},
        {"idle": 30},
    ]
    waiting = []
    for each in wanted:
        before = set(tab_of(page).activity._waiting)
        waiting.append(asyncio.ensure_future(page.wait_for(**each, timeout_s=IN_VAIN_S)))
        while tab_of(page).activity._waiting <= before:  # noqa: ASYNC110 (no event tells that it has begun)
            await asyncio.sleep(0)

    await end_process(page)

    came = await asyncio.gather(*waiting, return_exceptions=True)
    assert [(type(each), str(each)) for each in came] == [(PageUnresponsive, ENDED)] * len(wanted)
    assert (await page.reload()).settled == "quiet"
    assert "- paragraph: Text" in (await page.snapshot()).text


async def test_a_page_is_opened_although_the_process_of_the_one_before_it_ends(
    browser: Browser, page: Page, serve: Serve
) -> None:
    asked, ended = asyncio.Event(), asyncio.Event()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        asked.set()
        await ended.wait()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nThere")
        await writer.drain()

    async with talking(talk) as port:
        url = f"http://localhost:{port}/"
        await page.goto(serve(FORM))
        process = await process_of(browser, page)
        going = asyncio.ensure_future(page.goto(url))
        await asked.wait()
        os.kill(process, 9)
        while not tab_of(page).activity.crashed:
            await tab_of(page).activity.wait_for_event(IN_VAIN_S)
        ended.set()
        receipt = await going
        text = (await page.snapshot()).text

    assert (receipt.navigated_to, receipt.settled, receipt.note) == (url, "quiet", "")
    assert text == "- text: There"


async def test_a_frame_whose_process_ended_holds_up_nothing(page: Page, serve: Serve) -> None:
    inner = serve("<button>Inner</button>", other_site=True)
    await page.goto(serve(f"{FORM}<iframe title=Frame src='{inner}'></iframe>"))
    before = await page.snapshot()
    frame = next(each for each in (await tab_of(page).frames()).all() if each.parent is not None)
    frame.session.tell(cdp_page.Crash())
    while frame.session.stalled_because is None:
        await tab_of(page).activity.wait_for_event(IN_VAIN_S)

    receipt = await page.click("E1")

    assert 'button "Inner"' in before.text
    assert (receipt.settled, receipt.changed[:1]) == ("quiet", ['~ title: "Form" → "Sent"'])
    assert [each.why for each in (await page.snapshot()).omitted] == [ENDED]


async def test_processes_that_serve_all_pages_come_again(serve: Serve) -> None:
    url = serve(FORM)
    async with Browser.launch() as browser:
        page, other = await browser.new_page(), await browser.new_page(url)
        before = (await other.snapshot()).text
        await page.goto(url)
        button = await ref(page, "Send")
        infos = (await browser.session.send(system_info.GetProcessInfo())).process_info
        serving = [each for each in infos if each.type not in ("browser", "renderer")]  # of the network, say

        for each in serving:
            os.kill(each.id, 9)
        receipt = await page.click(button)
        again = await page.goto(url)

        assert "GPU" in {each.type for each in serving} != {"GPU"}
        assert receipt.changed[:1] == ['~ title: "Form" → "Sent"']
        assert (again.navigated_to, again.status, again.settled) == (url, 200, "quiet")
        assert (await page.screenshot())[:4] == b"\x89PNG"
        assert (await other.snapshot()).text == before
