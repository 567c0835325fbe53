"""Nothing stays open that we opened in somebody else's Chrome, however we end."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator

import pytest

from cdp_agent.browser import Browser
from cdp_agent.browser.attach.endpoints import address_of
from cdp_agent.cdp import target
from cdp_agent.cdp.connection import Connection
from tests.conftest import new_tab
from tests.detached import DetachedChrome, closing_tabs

pytestmark = pytest.mark.chrome

WITHIN_S = 15.0

VICTIM = """
import asyncio, sys
from cdp_agent.browser import Browser

async def main(endpoint, websocket_url):
    async with Browser.connect(endpoint) as browser, Browser.connect(websocket_url) as other:
        await other.new_page("data:text/html,<title>other</title>")
        page = await browser.new_page("data:text/html,<title>ours</title>")
        await page.evaluate("window.open('about:blank') && 1")
        while not page.popups:
            await page.evaluate("new Promise(done => setTimeout(done, 10))")
        context = await browser.new_context()
        await context.new_page("data:text/html,<title>apart</title>")
        browser.keep(await browser.new_page("data:text/html,<title>kept</title>"))
        print("there", flush=True)
        await asyncio.sleep(600)

asyncio.run(main(*sys.argv[1:]))
"""


def _victim(chrome: DetachedChrome) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", VICTIM, chrome.endpoint, chrome.websocket_url]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


@pytest.fixture
async def person(detached: DetachedChrome) -> AsyncIterator[Connection]:
    """Somebody else in that Chrome, who closes all tabs that are left after the test."""
    with closing_tabs(detached.endpoint):
        connection = Connection(await address_of(detached.endpoint).connect({}))
        yield connection
        await connection.close()


async def tabs(person: Connection) -> list[str]:
    """The titles of those that are open."""
    found = await person.browser.send(target.GetTargets(filter=[target.FilterEntry(type="page")]))
    return sorted(each.title for each in found.target_infos)


async def become(person: Connection, titles: list[str]) -> bool:
    """Whether no other tabs are left, in the end."""
    deadline = time.monotonic() + WITHIN_S
    while (found := await tabs(person)) != titles:
        if time.monotonic() > deadline:
            pytest.fail(f"open: {found}")
        await asyncio.sleep(0.05)
    return True


async def test_killed_we_leave_none_of_our_tabs(detached: DetachedChrome, person: Connection) -> None:
    """Of either browser."""
    before = await tabs(person)
    await person.browser.send(target.CreateTarget(url="data:text/html,<title>theirs</title>"))
    with _victim(detached) as process:
        assert process.stdout is not None  # a pipe
        assert process.stdout.readline() == b"there\n"
        assert {"ours", "apart", "other"} <= set(await tabs(person))

        process.kill()

    assert await become(person, sorted([*before, "kept", "theirs"]))


async def test_cut_off_we_leave_none_of_our_tabs(detached: DetachedChrome, person: Connection) -> None:
    before = await tabs(person)
    async with Browser.connect(detached.endpoint) as browser:
        page = await browser.new_page("data:text/html,<title>ours</title>")
        await page.evaluate("window.open('about:blank') && 1")
        await new_tab(page)
        kept = await browser.new_page("data:text/html,<title>kept</title>")
        browser.keep(kept)

        await browser.session.connection.close()

        assert await become(person, sorted([*before, "kept"]))
