"""A Chrome that does not answer, and pages whose process ends: said so, soon, and nobody else is blamed."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest

from cdp_agent.browser import Browser
from cdp_agent.errors import BrowserError
from cdp_agent.page.frames.responsiveness import CHROME_UNRESPONSIVE
from cdp_agent.page.page import Page
from tests.conftest import Serve

FORM = "<title>Form</title><button>Send</button><input aria-label=Name><p>Text</p>"


EATING = "<script>let eaten = []; for (;;) eaten.push(new Array(1e7).fill(Math.random()))</script>"


@pytest.fixture(scope="module")
async def small() -> AsyncIterator[Browser]:
    """One whose pages have little memory."""
    async with Browser.launch(args=["--js-flags=--max-old-space-size=64"]) as browser:
        yield browser


@contextmanager
def stopped(browser: Browser) -> Iterator[None]:
    process = browser._instance.process
    assert process is not None
    assert process.pid is not None
    os.kill(process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process.pid, signal.SIGCONT)


class At(NamedTuple):
    """Where an act is done; `refs` are those of the page's elements by their roles."""

    browser: Browser
    page: Page
    url: str
    refs: dict[str, str]


ACTS: dict[str, Callable[[At], Coroutine[Any, Any, object]]] = {
    "goto": lambda at: at.page.goto(at.url),
    "reload": lambda at: at.page.reload(),
    "snapshot": lambda at: at.page.snapshot(),
    "click": lambda at: at.page.click(at.refs["button"]),
    "fill": lambda at: at.page.fill(at.refs["textbox"], "Ada"),
    "wait_for": lambda at: at.page.wait_for(text="Never", timeout_s=30),
    "evaluate": lambda at: at.page.evaluate("1"),
    "new_page": lambda at: at.browser.new_page(),
}
READING = ("snapshot", "wait_for", "evaluate", "new_page")
"""These go on in one tab at the same time."""


async def test_a_chrome_that_is_stopped_is_told_of_within_ten_seconds_and_goes_on_afterwards(
    small: Browser, serve: Serve
) -> None:
    url = serve(FORM)
    told: dict[str, str] = {}
    read = await small.new_page(url)
    acting = [name for name in ACTS if name not in READING]
    opened = f"{acting}.map(name => new Promise(done => open({url!r}, name).onload = () => done()))"
    await read.evaluate(f"Promise.all({opened})")
    assert len(read.popups) == len(acting)  # in one process with it, which costs less than one each
    pages = {**dict.fromkeys(READING, read), **dict(zip(acting, read.popups, strict=True))}
    before = {page: await page.snapshot() for page in dict.fromkeys(pages.values())}

    async def act(name: str) -> None:
        try:
            page = pages[name]
            refs = {element.role: ref for ref, element in before[page].refs.items()}
            await ACTS[name](At(small, page, url, refs))
        except BrowserError as error:
            told[name] = str(error)

    with stopped(small):
        began = time.monotonic()
        await asyncio.gather(*map(act, ACTS))
        took = time.monotonic() - began
    after = [(await page.snapshot()).text for page in before]

    assert took < 10
    assert told == dict.fromkeys(ACTS, CHROME_UNRESPONSIVE)
    assert after == [snapshot.text for snapshot in before.values()]


async def test_a_page_whose_process_ends_is_told_as_that_and_left(small: Browser, subtests: pytest.Subtests) -> None:
    page = await small.new_page()
    for url in ("chrome://crash", f"data:text/html,{EATING}"):
        with subtests.test(url[:20]):
            receipt = await page.goto(url)
            after = await page.goto("data:text/html,<p>Hello</p>")

            assert (receipt.note, receipt.settled) == (
                "its process ended, as it does when it runs out of memory: go elsewhere, or try again",
                "the page crashed",
            )
            assert (after.note, after.settled) == ("", "quiet")


@pytest.mark.usefixtures("told_sooner")
async def test_an_address_of_chromes_own_without_a_page_is_no_servers_doing(small: Browser) -> None:
    page = await small.new_page()

    receipt = await page.goto("chrome://hang")

    assert receipt.note == "Chrome had nothing to show: the page stays as it was"
    assert receipt.settled == "the page does not answer: its own script keeps it busy"
