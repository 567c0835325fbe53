"""WebRTC and WebTransport, by what reaches a socket of UDP and one of TCP: under a list of origins, nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from cdp_agent.browser import Browser
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.policy.limits import limit, limited
from cdp_agent.page.policy.rules import rules_of
from tests.detached import DetachedChrome
from tests.web import Web, running

ALLOWED = ["good.localhost", "other.localhost"]
_CALLS = """<script>
const call = async (Peer) => {
  const peer = new Peer({iceServers: [
    {urls: "stun:127.0.0.1:@U"}, {urls: "stun:evil.localhost:@U"},
    {urls: "turn:127.0.0.1:@U?transport=udp", username: "secret", credential: "secret"},
    {urls: "turn:127.0.0.1:@T?transport=tcp", username: "secret", credential: "secret"}]});
  (window.peers ??= []).push(peer);
  peer.createDataChannel("x");
  await peer.setLocalDescription(await peer.createOffer());
  await peer.setRemoteDescription({type: "answer", sdp: ["v=0", "o=- 1 2 IN IP4 127.0.0.1", "s=-", "t=0 0",
    "a=group:BUNDLE 0", "m=application 9 UDP/DTLS/SCTP webrtc-datachannel", "c=IN IP4 0.0.0.0", "a=ice-ufrag:secret",
    "a=ice-pwd:abcdefghijklmnopqrstuvwx", "a=fingerprint:sha-256 " + Array(32).fill("AA").join(":"), "a=setup:active",
    "a=mid:0", "a=sctp-port:5000", "a=candidate:1 1 udp 2122260223 127.0.0.1 @U typ host generation 0",
    "a=candidate:2 1 tcp 1518280447 127.0.0.1 @T typ host tcptype passive generation 0", ""].join("\\r\\n")}); };
const quietly = (what) => { try { what()?.catch?.(() => 0); } catch {} };
const frame = document.createElement("iframe");
document.documentElement.append(frame);
for (const Peer of [window.RTCPeerConnection, window.webkitRTCPeerConnection, frame.contentWindow.RTCPeerConnection])
  quietly(() => call(Peer));
const transport = "new WebTransport('https://127.0.0.1:@U/secret').ready.catch(() => 0)";
quietly(() => eval(transport));
quietly(() => frame.contentWindow.eval(transport));
const workers = () => {
quietly(() => new Worker(URL.createObjectURL(new Blob([transport]))));
quietly(() => new Worker("/worker.js"));
quietly(() => new SharedWorker("/worker.js"));
if (self === top) quietly(() => navigator.serviceWorker.register("/worker.js")); };
@W
</script>"""
_AROUND = """<iframe src="OTHER/calls"></iframe><iframe srcdoc="CALLS"></iframe>
<script>if (self === top) window.open("/calls");</script>"""

HAS = "['RTCPeerConnection' in window, 'fetchLater' in window]"


class Sockets(asyncio.DatagramProtocol):
    """One of each kind, and how many packets and connections came to them."""

    def __init__(self) -> None:
        self.packets = 0
        self.connections = 0
        self.udp = self.tcp = 0

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        self.packets += 1

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        writer.close()

    def put(self, web: Web, *, workers: bool = False) -> str:
        """The address of a page that calls them from everywhere."""
        calls = _CALLS.replace("@W", "workers();" if workers else "")
        calls = calls.replace("@U", str(self.udp)).replace("@T", str(self.tcp))
        transport = f"new WebTransport('https://127.0.0.1:{self.udp}/secret').ready.catch(() => 0)"
        web.put("good", "/worker.js", transport, "text/javascript")
        web.put("good", "/calls", calls)
        web.put("other", "/calls", calls)
        around = _AROUND.replace("OTHER", web.origin("other")).replace("CALLS", calls.replace('"', "&quot;"))
        return web.put("good", "/", around + calls)


@pytest.fixture
async def web() -> AsyncIterator[Web]:
    async with running() as web:
        yield web


@pytest.fixture
async def sockets() -> AsyncIterator[Sockets]:
    sockets = Sockets()
    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: sockets, local_addr=("127.0.0.1", 0)
    )
    server = await asyncio.start_server(sockets.connected, "127.0.0.1", 0)
    sockets.udp, sockets.tcp = transport.get_extra_info("sockname")[1], server.sockets[0].getsockname()[1]
    yield sockets
    transport.close()
    server.close()


async def all_called(page: Page) -> None:
    """Waits for as long as everything takes that gets out where nothing holds it, and a good while more."""
    await page.evaluate("new Promise(done => setTimeout(done, 2500))", timeout_s=10)
    for each in [*page.popups, page]:
        await each.close()


async def test_without_rules_it_gets_out(browser: Browser, web: Web, sockets: Sockets) -> None:
    page = await browser.new_page()
    sockets.put(web)
    await page.goto(web.origin("good") + "/calls")
    async with asyncio.timeout(10):
        while not (sockets.packets and sockets.connections):
            await page.evaluate("new Promise(done => setTimeout(done, 50))")
    await page.close()


async def test_in_a_chrome_of_ours_none_gets_out(web: Web, sockets: Sockets) -> None:
    async with Browser.launch(allow=ALLOWED) as browser:
        page = await browser.new_page()
        await page.goto(sockets.put(web, workers=True))
        await all_called(page)

    assert (sockets.packets, sockets.connections) == (0, 0)


async def test_in_the_chrome_of_a_user_none_gets_out_of_our_tabs(
    web: Web, sockets: Sockets, detached: DetachedChrome
) -> None:
    async with Browser.connect(detached.endpoint, allow=ALLOWED) as browser:
        page = await browser.new_page()
        await page.goto(sockets.put(web))
        await all_called(page)

    assert (sockets.packets, sockets.connections) == (0, 0)


async def test_in_a_run_none_gets_out_and_afterwards_a_tab_has_it_again(
    browser: Browser, web: Web, sockets: Sockets
) -> None:
    page = await browser.new_page()
    await page.goto(web.origin("good"))
    async with limited(rules_of(allow=ALLOWED)):
        await limit(tab_of(page).request_policy)
        gone = await page.evaluate(HAS)
        await page.goto(sockets.put(web))
        await page.evaluate("new Promise(done => setTimeout(done, 2500))", timeout_s=10)
    for each in page.popups:
        await each.close()
    await page.goto(web.origin("good") + "/afterwards")
    had = await page.evaluate(HAS)
    await page.close()

    assert (sockets.packets, sockets.connections) == (0, 0)
    assert (gone, had) == ([False, False], [True, True])
