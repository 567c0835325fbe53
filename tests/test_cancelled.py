"""Calls that are cancelled leave the browser as it was; see bench/cancelling.py for what is looked at."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest

from bench.cancelling import cancel_calls
from cdp_agent.browser import Browser
from cdp_agent.browser.instance import Instance
from cdp_agent.errors import InvalidArguments, PageClosed, ProtocolError
from cdp_agent.page.activity.activity import Activity
from cdp_agent.page.frames.deadline import Deadline
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.receipts.action_runner import ActionRunner
from cdp_agent.page.receipts.receipts import Outcome
from tests.fake_chrome import FakeChrome
from tests.raw_server import talking

COUNT = 8
"""The full number: `python -m bench.cancelling 300`."""


async def test_a_browser_is_as_good_as_before_after_calls_that_were_cancelled() -> None:
    tried = await cancel_calls(COUNT, seed=1)

    assert tried.wrong == []
    assert sum(tried.cancelled.values()) + sum(tried.done.values()) == COUNT
    assert sum(tried.cancelled.values()) > 0


_CREATED = {"type": "page", "title": "", "url": "about:blank", "attached": False}


def fake_browser(chrome: FakeChrome) -> Browser:
    browser = Browser(Instance(chrome.connect()))
    browser._instance.targets.follow()
    return browser


def fake_pages(chrome: FakeChrome) -> list[Page]:
    browser = fake_browser(chrome)
    chrome.tell(method="Target.targetCreated", params={"targetInfo": {"targetId": "T", **_CREATED}})
    return browser.pages


async def test_a_tab_that_nobody_waits_for_any_more_is_closed_when_it_comes() -> None:
    chrome = FakeChrome()
    browser = fake_browser(chrome)
    opening = asyncio.create_task(browser.new_page())
    await asyncio.sleep(0)

    opening.cancel()
    await asyncio.wait([opening])
    asked = next(each for each in chrome.received if each["method"] == "Target.createTarget")
    chrome.tell(id=asked["id"], result={"targetId": "T"})
    await asyncio.sleep(0)

    assert chrome.received[-1]["method"] == "Target.closeTarget"
    assert chrome.received[-1]["params"] == {"targetId": "T"}


async def test_a_tab_that_was_still_being_set_up_is_closed_too() -> None:
    chrome = FakeChrome()
    browser = fake_browser(chrome)
    opening = asyncio.create_task(browser.new_page())
    await asyncio.sleep(0)
    chrome.tell(method="Target.targetCreated", params={"targetInfo": {"targetId": "T", **_CREATED}})
    chrome.tell(id=chrome.received[-1]["id"], result={"targetId": "T"})
    for _ in range(5):  # until it attaches
        await asyncio.sleep(0)
    assert chrome.received[-1]["method"] == "Target.attachToTarget"

    opening.cancel()
    await asyncio.wait([opening])

    assert chrome.received[-1]["method"] == "Target.closeTarget"


async def test_a_tab_that_has_gone_is_not_listed_again_for_a_late_event() -> None:
    chrome = FakeChrome()
    browser = fake_browser(chrome)
    info = {"targetId": "T", **_CREATED}
    chrome.tell(method="Target.targetCreated", params={"targetInfo": info})
    assert len(browser.pages) == 1

    chrome.tell(method="Target.targetDestroyed", params={"targetId": "T"})
    attached = {"sessionId": "S", "targetInfo": info, "waitingForDebugger": False}
    chrome.tell(method="Target.attachedToTarget", params=attached)

    assert browser.pages == []


async def test_closing_goes_on_when_whoever_waits_for_it_is_cancelled() -> None:
    def answer(message: dict[str, Any]) -> dict[str, Any] | None:
        return {"result": {"success": True}} if message["method"] == "Target.closeTarget" else None

    chrome = FakeChrome(answer)
    (page,) = fake_pages(chrome)
    closing = asyncio.create_task(page.close())
    await asyncio.sleep(0)

    closing.cancel()
    await asyncio.wait([closing])
    reading = asyncio.create_task(tab_of(page).frames())
    await asyncio.sleep(0)
    chrome.tell(method="Target.targetDestroyed", params={"targetId": "T"})
    await asyncio.wait([reading], timeout=1)

    assert page.closed
    with pytest.raises(PageClosed):
        reading.result()


async def test_a_tab_that_could_not_be_attached_to_is_tried_again_by_the_next_who_needs_it() -> None:
    refused = {"error": {"code": -32000, "message": "not now"}}
    chrome = FakeChrome(lambda asked: refused if asked["method"] == "Target.attachToTarget" else None)
    (page,) = fake_pages(chrome)

    for tried in (1, 2):
        with pytest.raises(ProtocolError, match="not now"):
            await tab_of(page).frames()
        assert [each["method"] for each in chrome.received].count("Target.attachToTarget") == tried


async def test_waiting_for_what_happens_is_no_task_that_could_be_left() -> None:
    activity = Activity("T", "about:blank")
    before = asyncio.all_tasks()

    waiting = activity.next_event()

    assert asyncio.all_tasks() == before
    waiting.cancel()
    await asyncio.sleep(0)
    assert not activity._waiting


async def test_a_page_does_not_load_on_when_its_navigation_was_cancelled(page: Page) -> None:
    begun, left = asyncio.Event(), asyncio.Event()

    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Here")
        begun.set()
        await reader.read()
        left.set()

    async with talking(endless) as port, asyncio.timeout(10):
        opening = asyncio.create_task(page.goto(f"http://127.0.0.1:{port}/"))
        await begun.wait()
        opening.cancel()
        await asyncio.wait([opening])

        await left.wait()


async def test_an_action_that_fails_just_as_it_is_cancelled_is_not_complained_of(page: Page) -> None:
    complaints = list[dict[str, Any]]()
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: complaints.append(context))
    begun, fails = asyncio.Event(), asyncio.Event()

    async def act() -> Outcome:
        begun.set()
        await fails.wait()
        raise InvalidArguments("It takes no such text.")

    recorder = await ActionRunner.start(tab_of(page), Deadline(None))
    acting = asyncio.create_task(recorder.until_left(act()))
    await begun.wait()

    fails.set()
    acting.cancel()
    await asyncio.wait([acting])

    assert acting.cancelled()
    del recorder, acting
    gc.collect(1)  # what is as young as this test
    assert complaints == []
