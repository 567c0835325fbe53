"""A page whose script never ends is noticed soon, and can be left."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest

from cdp_agent.browser import Browser
from cdp_agent.errors import PageUnresponsive
from cdp_agent.events import AgentStatus
from cdp_agent.page.page import Page
from fixtures.replay import tool_call
from tests.acting import ref
from tests.agents import DONE, of, play, result_of
from tests.conftest import Serve

HANGS = "<title>Hangs</title><button onclick='for (;;);'>Hang</button>"
HANGS_AGAIN = "<title>Hangs</title><button onclick='setInterval(() => { for (;;); })'>Hang</button>"


async def hang(page: Page, url: str) -> None:
    await page.goto(url)
    button = await ref(page, "Hang")
    with pytest.raises(PageUnresponsive, match="did not answer within 5 s"):
        await page.click(button)


async def test_that_it_still_hangs_is_told_at_once(page: Page, serve: Serve) -> None:
    await hang(page, serve(HANGS))
    began = time.monotonic()

    for _ in range(2):
        with pytest.raises(PageUnresponsive, match="still does not answer"):
            await page.snapshot()

    assert time.monotonic() - began < 5


@pytest.mark.parametrize("content", [HANGS, HANGS_AGAIN], ids=["a loop", "a loop that begins again"])
async def test_a_page_that_hangs_is_left_for_one_of_the_same_site(page: Page, serve: Serve, content: str) -> None:
    await page.goto(serve(content))
    button = await ref(page, "Hang")
    with suppress(PageUnresponsive):
        await page.click(button)
    with pytest.raises(PageUnresponsive):
        await page.snapshot()
    began = time.monotonic()

    receipt = await page.goto(serve("<p>Elsewhere"))

    assert receipt.settled == "quiet"
    assert "Elsewhere" in (await page.snapshot()).text
    assert time.monotonic() - began < 10


async def test_a_page_that_hangs_is_reloaded(page: Page, serve: Serve) -> None:
    await hang(page, serve(HANGS))

    await page.reload()

    assert "Hang" in (await page.snapshot()).text


async def test_a_model_is_told_within_ten_seconds_that_the_page_hangs(
    browser: Browser, page: Page, serve: Serve
) -> None:
    click = tool_call("click", {"ref": "{{ref:button Hang}}"})
    elsewhere = serve("<p>Elsewhere")
    go = tool_call("goto", {"url": elsewhere})

    events, _ = await play(browser, page, [click, go, DONE], task=f"Go to {elsewhere}", url=serve(HANGS))

    assert result_of(events).success
    times = [event.timestamp for event in events if event.__struct_config__.tag == "agent:step"]
    assert times[1] - times[0] < 10
    assert any("cannot be read" in event.message for event in of(events, AgentStatus))
