"""A proxy for the browser: how it is written, and that requests go through it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from cdp_agent.browser import Browser
from cdp_agent.browser.launch.proxy import ChromeProxy, Proxy, chrome_proxy
from cdp_agent.errors import SetupError
from tests.detached import DetachedChrome
from tests.tables import table

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<title>by proxy</title>"


@contextmanager
def _proxy() -> Iterator[tuple[int, list[str]]]:
    """A proxy that answers everything itself; its port, and the first line of each request."""
    asked: list[str] = []

    def serve() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return  # closed
            with connection:
                request = connection.recv(65_536)
                if request:
                    asked.append(request.split(b"\r\n")[0].decode())
                    connection.sendall(ANSWER)

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1], asked
        server.shutdown(socket.SHUT_RDWR)


async def test_pages_come_through_the_proxy_but_for_hosts_to_bypass() -> None:
    with _proxy() as (port, asked), _proxy() as (direct, asked_directly):
        proxy = Proxy(f"http://127.0.0.1:{port}", bypass=("127.0.0.1",))
        async with Browser.launch(proxy=proxy) as browser:
            page = await browser.new_page("http://shop.test/cart")
            assert await page.evaluate("document.title") == "by proxy"
            await page.goto(f"http://127.0.0.1:{direct}/")

    assert "GET http://shop.test/cart HTTP/1.1" in asked
    # Chrome asks for things of its own, too.
    assert [each for each in asked if str(direct) in each] == []
    assert asked_directly[0] == "GET / HTTP/1.1"


async def test_pages_of_a_chrome_that_runs_come_through_the_proxy(detached: DetachedChrome) -> None:
    with _proxy() as (port, asked):
        async with Browser.connect(detached.endpoint, proxy=f"http://127.0.0.1:{port}") as browser:
            page = await browser.new_page("http://shop.test/cart")
            assert await page.evaluate("document.title") == "by proxy"

    assert "GET http://shop.test/cart HTTP/1.1" in asked


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("proxy.test:3128", ChromeProxy("http://proxy.test:3128", None, None)),
        ("https://proxy.test", ChromeProxy("https://proxy.test:443", None, None)),
        ("socks5://[::1]:1080", ChromeProxy("socks5://[::1]:1080", None, None)),
        ("http://ada:p%40ss@proxy.test:8080/", ChromeProxy("http://proxy.test:8080", None, ("ada", "p@ss"))),
        (
            Proxy("proxy.test:1", bypass=("*.test", "<-loopback>"), username="ada", password="x"),
            ChromeProxy("http://proxy.test:1", "*.test;<-loopback>", ("ada", "x")),
        ),
    ],
    ids=["bare", "https", "socks5", "credentials", "apart"],
)
def test_a_proxy_is_told_to_chrome_as_it_wants_it(given: str | Proxy, told: ChromeProxy) -> None:
    assert chrome_proxy(given) == told


@table(
    ("given", "told"),
    [
        ("", "The proxy has no host: write http://host:port"),
        (3128, "The proxy is of the type int: write http://host:port"),
        ("ftp://proxy.test", "no proxy of the kind 'ftp': write http://host:port"),
        ("http://proxy.test:http", "port of the proxy http://proxy.test is no number"),
        ("http://proxy.test:70000", "port of the proxy http://proxy.test is no number"),
        ("http://proxy.test:0", "port of the proxy http://proxy.test is 0"),
        ("ada:secret", "port of the proxy http://ada is no number"),
        ("http://ada:secret@proxy.test/path", "The proxy http://proxy.test has more than a host and a port"),
        ("http://ada:secret@proxy test:1", "no host can have: 'proxy test'"),
        ("socks5://ada:secret@proxy.test:1080", "Chrome cannot log in to a SOCKS proxy"),
        (Proxy("proxy.test", password="secret"), "a password but no user"),
    ],
)
def test_what_is_no_proxy_is_refused_before_chrome_starts(given: str | Proxy, told: str) -> None:
    with pytest.raises(SetupError, match=told) as caught:
        Browser.launch(executable="/nowhere", proxy=given)

    assert "secret" not in str(caught.value) + repr(given if isinstance(given, Proxy) else "")
