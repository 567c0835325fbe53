"""The way to a Chrome that runs: several endpoints, faults of all kinds, and addresses that nobody gets to see."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cdp_agent.browser import Browser
from cdp_agent.detached import DetachedChrome
from cdp_agent.errors import BrowserError, SetupError


@contextmanager
def _deaf_server() -> Iterator[int]:
    """A port that takes connections and never says anything."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize("scheme", ["http", "ws", "host and port"])
async def test_connect_takes_each_kind_of_address(detached: DetachedChrome, scheme: str) -> None:
    endpoint = {
        "http": detached.endpoint,
        "ws": detached.websocket_url,
        "host and port": detached.endpoint.removeprefix("http://"),
    }[scheme]

    async with Browser.connect(endpoint) as browser:
        page = await browser.new_page()
        assert await page.evaluate("1 + 1") == 2


async def test_connect_tries_several_in_order(detached: DetachedChrome) -> None:
    async with Browser.connect(["http://127.0.0.1:1", detached.endpoint]) as browser:
        assert browser.version.product.startswith("Chrome/")


async def test_connect_tells_what_happened_at_each(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/json/version").respond_with_data("hello")
    forbidden = "/forbidden/json/version"
    httpserver.expect_request(forbidden).respond_with_data("Host header is not allowed", status=403)
    endpoints = [
        "http://127.0.0.1:1",
        httpserver.url_for("/"),
        httpserver.url_for("/forbidden"),
        httpserver.url_for("/").replace("http", "ws") + "devtools/browser/x",
    ]

    with pytest.raises(BrowserError) as caught:
        await Browser.connect(endpoints)

    assert str(caught.value).splitlines() == [
        "No Chrome could be reached.",
        "Endpoint 1 of 4: nothing listens there. Start Chrome with --remote-debugging-port=9222 and its own "
        "--user-data-dir, or use `cdp-agent chrome start`.",
        "Endpoint 2 of 4: no Chrome: it answered /json/version with 'hello'",
        "Endpoint 3 of 4: it answered 403 FORBIDDEN: Host header is not allowed",
        "Endpoint 4 of 4: Chrome refused the WebSocket: server rejected WebSocket connection: HTTP 500",
    ]


@pytest.mark.parametrize("scheme", ["http", "ws"])
async def test_connect_waits_for_no_longer_than_it_may(scheme: str) -> None:
    with _deaf_server() as port, pytest.raises(BrowserError, match=r"no answer within 0\.2 s"):
        await Browser.connect(f"{scheme}://127.0.0.1:{port}", timeout_s=0.2)


async def test_connect_sends_the_headers(httpserver: HTTPServer) -> None:
    seen: list[str | None] = []

    def answer(request: Request) -> Response:
        seen.append(request.headers.get("Authorization"))
        return Response(status=401)

    httpserver.expect_request("/json/version").respond_with_handler(answer)

    with pytest.raises(BrowserError, match="it answered 401"):
        await Browser.connect(httpserver.url_for(""), headers={"Authorization": "Bearer key"})

    assert seen == ["Bearer key"]


@pytest.mark.parametrize("endpoint", ["ftp://host", "", "http://", "http://host:port"])
async def test_connect_refuses_what_is_no_address(endpoint: str) -> None:
    with pytest.raises(SetupError, match="is no address of a Chrome"):
        await Browser.connect(endpoint)
