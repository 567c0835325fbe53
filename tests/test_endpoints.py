"""The way to a Chrome that runs: several endpoints, faults of all kinds, and addresses that nobody gets to see."""

from __future__ import annotations

import asyncio
import logging
import socket
import traceback
from contextlib import AsyncExitStack

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cdp_agent.browser import Browser
from cdp_agent.browser.attach.connecting import Attempt, canonical
from cdp_agent.browser.attach.endpoints import address_of
from cdp_agent.errors import BrowserError, CdpAgentError, SetupError
from tests.detached import DetachedChrome
from tests.raw_server import Talk, saying, silence, talking, tunnel_to

pytestmark = pytest.mark.whole_chrome


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


@pytest.mark.parametrize(
    ("written", "is_of"),
    [
        ("localhost:9222", "http://127.0.0.1:9222"),
        ("HTTP://LocalHost:9222/", "http://127.0.0.1:9222"),
        ("ws://127.0.0.1:9222/devtools/browser/1-2-3", "http://127.0.0.1:9222"),
        ("https://chrome.example/a/?token=T", "https://chrome.example:443/a?token=T"),
        ("wss://anna:1@chrome.example:443/a", "wss://anna:1@chrome.example:443/a"),
        ("auto", "auto"),
        ("http://[", "http://["),
    ],
)
def test_an_address_has_one_spelling(written: str, is_of: str) -> None:
    assert canonical(written) == canonical(is_of) == is_of


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
        "Endpoint 4 of 4: Chrome refused the WebSocket: HTTP/1.1 500 INTERNAL SERVER ERROR",
    ]


@pytest.mark.parametrize("scheme", ["http", "ws"])
async def test_connect_waits_for_no_longer_than_it_may(scheme: str) -> None:
    async with talking(silence) as port:
        with pytest.raises(BrowserError, match=r"no answer within 0\.2 s"):
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


def _http(body: bytes, *, status: bytes = b"200 OK", head: bytes = b"") -> bytes:
    return b"HTTP/1.1 %b\r\n%bContent-Length: %d\r\n\r\n%b" % (status, head, len(body), body)


async def _resets(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


FAULTS: dict[str, tuple[Talk, str]] = {
    "hangs": (silence, "no answer within 2 s"),
    "resets": (_resets, "cannot connect: Connection reset by peer"),
    "half an answer": (saying(b"HTTP/1.1 200 OK\r\nContent-Len"), "no Chrome: it does not speak HTTP"),
    "another protocol": (saying(b"SSH-2.0-OpenSSH_9.6\r\n\r\n"), "no Chrome: it does not speak HTTP"),
    "403": (saying(_http(b"no", status=b"403 Forbidden")), "it answered 403 Forbidden: no"),
    "no JSON": (saying(_http(b"<html>")), "no Chrome: it answered /json/version with '<html>'"),
    "no WebSocket": (
        saying(_http(b'{"webSocketDebuggerUrl": "ws://127.0.0.1/devtools/browser/1"}')),
        "Chrome refused the WebSocket: HTTP/1.1 200 OK",
    ),
}


@pytest.mark.parametrize(("talk", "told"), FAULTS.values(), ids=FAULTS.keys())
async def test_after_one_with_a_fault_the_next_is_taken(detached: DetachedChrome, talk: Talk, told: str) -> None:
    async with talking(talk) as port:
        endpoints = [f"http://127.0.0.1:{port}", detached.endpoint]
        async with Browser.connect(endpoints, timeout_s=2) as browser:
            assert browser.attempts == [Attempt(0, 2, told), Attempt(1, 2)]


@pytest.fixture
def tunnel(detached: DetachedChrome) -> Talk:
    """A way to that Chrome which can be shut, as if it had gone, and opened again."""
    return tunnel_to(int(detached.endpoint.rpartition(":")[2]))


async def test_when_one_goes_away_the_next_is_taken_and_then_the_first_again(tunnel: Talk) -> None:
    async with AsyncExitStack() as first, AsyncExitStack() as second, AsyncExitStack() as again:
        ports = [await each.enter_async_context(talking(tunnel)) for each in (first, second)]
        async with Browser.connect([f"http://127.0.0.1:{port}" for port in ports]) as browser:
            tried = [browser.attempts]
            await first.aclose()
            await browser.reopen()
            tried.append(browser.attempts)
            await again.enter_async_context(talking(tunnel, port=ports[0]))
            await browser.reopen()
            tried.append(browser.attempts)
            await (await browser.new_page()).snapshot()
            for each in (again, second):
                await each.aclose()
            with pytest.raises(BrowserError, match="Endpoint 2 of 2: nothing listens there"):
                await browser.reopen()

    assert tried == [[Attempt(0, 2)], [Attempt(1, 2)], [Attempt(0, 2)]]


async def test_what_could_not_be_opened_again_can_be_later(tunnel: Talk) -> None:
    async with AsyncExitStack() as before:
        port = await before.enter_async_context(talking(tunnel))
        async with Browser.connect(f"http://127.0.0.1:{port}") as browser:
            await before.aclose()
            for _ in range(2):
                with pytest.raises(BrowserError, match="nothing listens there"):
                    await browser.reopen()
            async with talking(tunnel, port=port):
                await browser.reopen()
                assert (await (await browser.new_page()).snapshot()).text == ""


async def test_a_connection_that_breaks_in_the_middle_of_a_call_ends_it(tunnel: Talk) -> None:
    async with AsyncExitStack() as opened:
        port = await opened.enter_async_context(talking(tunnel))
        async with Browser.connect(f"http://127.0.0.1:{port}") as browser:
            page = await browser.new_page()
            waiting = asyncio.ensure_future(page.evaluate("new Promise(() => {})"))
            await page.evaluate("1")

            await opened.aclose()

            with pytest.raises(BrowserError, match="Chrome is gone: "):
                await waiting


SECRET = "s3cr3t-token"
ADDRESSES = {
    "query": "http://127.0.0.1:{port}/chrome?token=s3cr3t-token",
    "path": "http://127.0.0.1:{port}/s3cr3t-token/",
    "user": "http://user:s3cr3t-token@127.0.0.1:{port}",
    "escaped": "http://127.0.0.1:{port}/?token=%73%33cr3t-token",
    "ws": "ws://127.0.0.1:{port}/s3cr3t-token?token=s3cr3t-token",
    "wss": "wss://127.0.0.1:{port}/?token=s3cr3t-token",
}


async def _echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    request = await reader.readuntil(b"\r\n\r\n")
    writer.write(_http(b"cannot " + request, status=b"404 Not " + request.split()[1]))
    await writer.drain()


@pytest.mark.parametrize("address", ADDRESSES.values(), ids=ADDRESSES.keys())
@pytest.mark.parametrize("talk", [_echo, silence, _resets], ids=["echoes", "hangs", "resets"])
async def test_no_address_is_told_to_anybody(
    address: str, talk: Talk, caplog: pytest.LogCaptureFixture, unused_tcp_port: int
) -> None:
    caplog.set_level(logging.DEBUG)
    async with talking(talk) as port:
        endpoints = [address.format(port=port), address.format(port=unused_tcp_port)]
        opening = Browser.connect(endpoints, headers={"X-Key": f"Bearer {SECRET}"}, timeout_s=0.2)
        with pytest.raises(BrowserError) as caught:
            await opening

    told = "".join(traceback.format_exception(caught.value, chain=True)) + repr(opening)
    told += "".join(str(record.getMessage()) for record in caplog.records if record.name != "asyncio")
    assert [each for each in (SECRET, str(port), "127.0.0.1") if each in told] == []


async def test_a_bad_address_among_several_is_told_by_its_number(detached: DetachedChrome) -> None:
    with pytest.raises(SetupError) as caught:
        await Browser.connect([detached.endpoint, f"ftp://{SECRET}@host"])

    assert str(caught.value) == "Endpoint 2 of 2 is no address of a Chrome: write http://host:port or ws://host:port/…"


async def test_query_user_and_headers_go_with_every_request() -> None:
    requests: list[bytes] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        requests.append(await reader.readuntil(b"\r\n\r\n"))
        body = b'{"webSocketDebuggerUrl": "ws://inner:1/devtools/browser/1"}'
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(body), body))
        await writer.drain()

    async with talking(talk) as port:
        endpoint = f"http://ada:p%40ss@127.0.0.1:{port}/chrome/?token=t&x=1"
        with pytest.raises(CdpAgentError):
            await Browser.connect(endpoint, headers={"X-Key": "k"}, timeout_s=0.5)

    asked, shaken = (request.decode().split("\r\n") for request in requests)
    assert asked[0] == "GET /chrome/json/version?token=t&x=1 HTTP/1.1"
    assert shaken[0] == "GET /devtools/browser/1?token=t&x=1 HTTP/1.1"
    for lines in (asked, shaken):
        assert {"Authorization: Basic YWRhOnBAc3M=", "X-Key: k", f"Host: 127.0.0.1:{port}"} <= set(lines)


async def test_a_connection_whose_other_side_is_gone_is_noticed_by_the_system(detached: DetachedChrome) -> None:
    transport = await address_of(detached.endpoint).connect({})
    connected = transport._socket._transport.get_extra_info("socket")

    assert connected.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
    await transport.close()
