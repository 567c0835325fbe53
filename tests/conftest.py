"""What most tests need: one real Chrome for all of them, a new tab for each, and pages on two sites."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import AsyncIterator, Iterator
from typing import Protocol
from urllib.parse import urlsplit

import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.browser import Browser
from cdp_agent.detached import DetachedChrome, start_detached, stop_detached
from cdp_agent.page.page import Page

os.environ["CDP_AGENT_CONFIG"] = os.devnull  # a developer's own settings decide no test


class Serve(Protocol):
    """Puts content on the test's server; returns its address.

    `other_site` gives the address on another host: a frame with it is cross-site, hence out of process.
    """

    def __call__(
        self,
        content: str | bytes,
        *,
        path: str | None = None,
        other_site: bool = False,
        content_type: str = "text/html; charset=utf-8",
        headers: dict[str, str] | None = None,
        status: int = 200,
    ) -> str: ...


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    """One Chrome for all tests. Those that end or wreck it launch their own.

    It always has a tab: a window for each test, gone with it, costs Chrome three times as much.
    """
    async with Browser.launch() as browser:
        await browser.new_page()
        yield browser


@pytest.fixture(scope="session")
def detached() -> Iterator[DetachedChrome]:
    """A Chrome that is not ours, to connect to."""
    chrome = asyncio.run(start_detached())
    yield chrome
    asyncio.run(stop_detached(chrome))


@pytest.fixture
async def page(browser: Browser) -> AsyncIterator[Page]:
    """A new tab; it and the tabs that it opened are closed afterwards."""
    before = set(browser.pages)
    page = await browser.new_page()
    yield page
    for opened in [each for each in browser.pages if each not in before]:
        await opened.close()
    browser.downloads.take()


@pytest.fixture(scope="session")
def make_httpserver() -> Iterator[HTTPServer]:
    """pytest-httpserver's own fixture, with a thread for each request: Chrome asks for many things at once."""
    server = HTTPServer(host="127.0.0.1", port=0, threaded=True)
    server.start()
    yield server
    server.clear()
    if server.is_running():
        server.stop()


@pytest.fixture
def serve(httpserver: HTTPServer) -> Serve:
    """See `Serve`."""
    numbers = itertools.count(1)

    def put(
        content: str | bytes,
        *,
        path: str | None = None,
        other_site: bool = False,
        content_type: str = "text/html; charset=utf-8",
        headers: dict[str, str] | None = None,
        status: int = 200,
    ) -> str:
        path = path or f"/page-{next(numbers)}.html"
        httpserver.expect_request(path).respond_with_data(
            content, status=status, headers=headers, content_type=content_type
        )
        return on_other_site(httpserver.url_for(path)) if other_site else httpserver.url_for(path)

    return put


def on_other_site(url: str) -> str:
    """The same page on the other host, to which Chrome gives another process."""
    host = {"127.0.0.1": "localhost", "localhost": "127.0.0.1"}[urlsplit(url).hostname or ""]
    return urlsplit(url)._replace(netloc=f"{host}:{urlsplit(url).port}").geturl()


async def new_tab(page: Page) -> Page:
    """The tab that the page opened last, or opens next."""
    async with asyncio.timeout(5):
        while not page.popups:
            await page.evaluate("new Promise(done => setTimeout(done, 10))")
    return page.popups[-1]
