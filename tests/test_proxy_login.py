"""A proxy that asks for a user and a password gets those that were given, and nobody else does."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from cdp_agent.browser import Browser
from cdp_agent.errors import NavigationFailed
from tests.detached import DetachedChrome
from tests.web import running

LOGIN = f"Basic {base64.b64encode(b'ada:s3cret word').decode()}"


class Proxy:
    """Answers everything itself, once it is told who asks."""

    def __init__(self) -> None:
        self.port = 0
        self.asked: list[tuple[str, str | None]] = []
        """First line and credentials of each request."""

    @property
    def url(self) -> str:
        """With what it wants to be told."""
        return f"http://ada:s3cret%20word@127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
                headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
                given = headers.get("proxy-authorization")
                self.asked.append((first, given))
                if given == LOGIN:
                    body = "<title>by proxy</title>"
                    answer = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n{body}"
                else:
                    asks = "Proxy-Authenticate: Basic realm=x\r\nContent-Length: 0"
                    answer = f"HTTP/1.1 407 Login\r\n{asks}\r\n\r\n"
                writer.write(answer.encode())
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def proxy() -> AsyncIterator[Proxy]:
    found = Proxy()
    server = await asyncio.start_server(found.serve, "127.0.0.1", 0)
    found.port = server.sockets[0].getsockname()[1]
    try:
        yield found
    finally:
        server.close()


@pytest.mark.whole_chrome
async def test_the_proxy_of_a_chrome_of_ours_is_told_who_asks() -> None:
    async with proxy() as through, Browser.launch(proxy=through.url, allow=["shop.test"]) as browser:
        page = await browser.new_page("http://shop.test/cart")
        title = await page.evaluate("document.title")

    assert title == "by proxy"
    assert ("GET http://shop.test/cart HTTP/1.1", LOGIN) in through.asked


async def test_the_proxy_of_tabs_of_ours_is_told_who_asks(detached: DetachedChrome) -> None:
    async with proxy() as through, Browser.connect(detached.endpoint, proxy=through.url) as browser:
        page = await browser.new_page("http://shop.test/cart")
        title = await page.evaluate("document.title")

    assert title == "by proxy"
    assert ("GET http://shop.test/cart HTTP/1.1", LOGIN) in through.asked


@pytest.mark.whole_chrome  # the headless shell shows the empty page that comes with the refusal
async def test_a_login_that_is_not_taken_is_given_once(browser: Browser) -> None:
    async with (
        proxy() as through,
        await browser.new_context(proxy=f"http://ada:wrong@127.0.0.1:{through.port}") as context,
    ):
        with pytest.raises(NavigationFailed):
            await context.new_page("http://shop.test/cart")

        tried = [given for first, given in through.asked if first == "GET http://shop.test/cart HTTP/1.1"]

    assert len([given for given in tried if given is not None]) == 1


async def test_a_site_that_asks_for_a_login_does_not_get_that_of_the_proxy(browser: Browser) -> None:
    async with running() as web, proxy() as through:
        web.put("good", "/", "Login", status=401, WWW_Authenticate="Basic realm=x")
        async with await browser.new_context(proxy=through.url) as context:
            page = await context.new_page()
            receipt = await page.goto(web.origin("good"))  # this machine is reached without the proxy

    assert receipt.status == 401
    assert web.paths("good")[:1] == ["/"]
    assert [path for path in web.asked if path == ("good", "/")] == [("good", "/")]
