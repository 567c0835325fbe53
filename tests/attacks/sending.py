"""Ways of a page to send something of consequence after an act, each of which is to be asked about, and not to arrive.

Rows as in tests/harms.py; the page has `put` as its server. What lies below `/here/` is served, and counts as nothing.
`sends` is 0 where a headless shell sends nothing.
"""

# ruff: noqa: E501 (a row is a line)

from __future__ import annotations

from collections.abc import Sequence

from tests.harms import POST, Row
from tests.web import Web

_FRAME = "let f = document.createElement('iframe'); document.body.append(f);"
_IN_FRAME = "<iframe name='in@'></iframe>"


def _click(name: str, script: str, before: str = "", *, alone: bool = False, sends: int = 1) -> Row:
    return Row(name, f'{before}<button type=button onclick="{script}">§</button>', alone=alone, sends=sends)


def _get(name: str, url: str) -> Row:
    return _click(name, f"fetch('{url}', {{mode: 'no-cors'}})")


def _image(name: str, url: str) -> Row:
    return _click(name, f"new Image().src = '{url}'")


def _style(name: str, style: str) -> Row:
    return _click(name, f"this.style.{style}")


def _adds(name: str, html: str) -> Row:
    return _click(name, f"this.insertAdjacentHTML('afterend', `{html}`)")


def _links(name: str, how: str, *, sends: int = 1) -> Row:
    return _click(name, f"document.head.append(Object.assign(document.createElement('link'), {{{how}}}))", sends=sends)


def _graphql(name: str, body: str, url: str = "/graphql/@", headers: str = "'Content-Type': 'application/json'") -> Row:
    return _click(name, f"fetch('{url}', {{method: 'POST', headers: {{{headers}}}, body: {body}}})")


def _talks(name: str, script: str, before: str) -> Row:
    """`before` opens a WebSocket as the page loads, whose address the question names."""
    return Row(name, f'<script>{before}</script><button type=button onclick="{script}">§</button>')


_QUERY = "{method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({query: '{a}'})}"
"""What is sent like this reads, as long as it goes where it was sent."""
_HTML = "new Blob(['<script>fetch(`' + location.origin + '/@`, {method: `POST`, mode: `no-cors`})</scr' + 'ipt>'], {type: 'text/html'})"

FORMS = [
    Row("form that a button elsewhere makes another", f'{_IN_FRAME}<form id="f@" action="/here/x"></form><button form="f@" formaction="/@" formmethod=post formtarget="in@">§</button>', alone=False),
    Row("form of plain text that reads as JSON", f'{_IN_FRAME}<form method=post action="/@" enctype="text/plain" target="in@"><input type=hidden name=\'{{"pay": 5, "x": "\' value=\'"}}\'><button>§</button></form>', alone=False),
    Row("form of a dialog whose button posts", f'{_IN_FRAME}<dialog open><form method=dialog action="/@" target="in@"><button formmethod=post>§</button></form></dialog>', alone=False),
    Row("form of a dialog that listens", f'<dialog open><form method=dialog onsubmit="{POST}"><button>§</button></form></dialog>', alone=False),
    Row("form in parts with names that end their line", f'{_IN_FRAME}<form method=post action="/@" enctype="multipart/form-data" target="in@"><input type=hidden name=\'a"; x="\' value=1><button>§</button></form>', alone=False),
    Row("form by GET that overrides its method", f'{_IN_FRAME}<form action="/@" target="in@"><input type=hidden name=_method value=delete><button>§</button></form>', alone=False),
    Row("form by GET that saves in a frame", f'{_IN_FRAME}<form action="/profile/@" target="in@"><input type=hidden name=email value=x><button name=save value=1>§</button></form>', alone=False),
    Row("form by GET that saves in a new tab", '<form action="/profile/@" target=_blank><input type=hidden name=email value=x><button name=save value=1>§</button></form>'),
    Row("form into a tab that has no opener", '<form method=post action="/@" target=_blank rel=noopener><button>§</button></form>'),
    Row("form as a picture that says where", f'{_IN_FRAME}<form id="p@" target="in@"></form><input type=image form="p@" formmethod=post formaction="/@" src="/here/x.gif" alt=x id="i@"><button onclick="document.getElementById(\'i@\').click()">§</button>', alone=False),
    Row("form whose field is called submit", f'{_IN_FRAME}<form id="n@" method=post action="/@" target="in@"><input type=hidden name=submit></form><button onclick="HTMLFormElement.prototype.submit.call(document.getElementById(\'n@\'))">§</button>', alone=False),
    Row("label of what sends", f'{_IN_FRAME}<form method=post action="/@" target="in@"><input type=submit id="l@" hidden></form><label for="l@"><button onclick="this.parentNode.click()">§</button></label>', alone=False),
    _click("link of a drawing", "this.insertAdjacentHTML('afterend', `<svg><a href=/delete/@ target=in@><text>x</text></a></svg>`); this.nextSibling.firstChild.dispatchEvent(new MouseEvent('click'))", _IN_FRAME),
    Row("area with a ping", f'{_IN_FRAME}<map name="m@"><area id="r@" href="/here/x" target="in@" ping="/@"></map><button onclick="document.getElementById(\'r@\').click()">§</button>', alone=False),
    Row("link with pings to several hosts", '<a href="#x" ping="//b.localhost:PORT/@-b //c.localhost:PORT/@-c">§</a>', alone=False, sends=2),
]  # fmt: skip
FRAMES = [
    _click("frame of data", f"{_FRAME} f.src = 'data:text/html,' + encodeURIComponent('<script>fetch(`' + location.origin + '/@`, {{method: `POST`, mode: `no-cors`}})</scr' + 'ipt>')"),
    _click("frame of a Blob", f"{_FRAME} f.src = window.URL.createObjectURL({_HTML})"),
    _click("frame of a script", f"{_FRAME} f.src = 'javascript:fetch(`/@`, {{method: `POST`}})'"),
    _click("frame in a sandbox", f"let f = document.createElement('iframe'); f.sandbox = 'allow-scripts'; f.src = window.URL.createObjectURL({_HTML}); document.body.append(f)"),
    _click("form in a sandbox", "let f = document.createElement('iframe'); f.sandbox = 'allow-scripts allow-forms'; f.srcdoc = '<form method=post action=/@></form><script>document.forms[0].submit()</scr' + 'ipt>'; document.body.append(f)"),
    _click("frame that is written", f"{_FRAME} f.contentDocument.write('<script>fetch(`/@`, {{method: `POST`}})</scr' + 'ipt>')"),
    _click("frame in a frame, of three sites", f"{_FRAME} f.src = '//b.localhost:PORT/here/nested?@'"),
    _click("frame that goes on by itself", f"{_FRAME} f.srcdoc = '<meta http-equiv=refresh content=0;url=/delete/@>'"),
    _click("frame that its server sends on later", f"{_FRAME} f.src = '/here/refresh/@'"),
    _click("object of a page", "let o = document.createElement('object'); o.data = '/here/posts?@'; document.body.append(o)"),
    _click("embedded page", "let o = document.createElement('embed'); o.src = '/here/posts?@'; document.body.append(o)"),
    _click("beacon of a frame that is removed", f"{_FRAME} f.contentWindow.navigator.sendBeacon('/@', 'x'); f.remove()"),
    _click("request of a frame as it is removed", f"{_FRAME} f.contentWindow.onpagehide = () => navigator.sendBeacon('/@', 'x'); f.remove()"),
    _click("report of what a policy forbids", f"{_FRAME} f.src = '/here/reports/@'"),
    _click("redirect of a fetch", "fetch('/here/302/@')"),
    _click("redirect that keeps a body (307)", f"fetch('/here/307/@', {_QUERY})"),
    _click("redirect that keeps a body (308)", f"fetch('/here/308/@', {_QUERY})"),
    _click("redirect of an XHR that keeps a body", "let x = new XMLHttpRequest(); x.open('POST', '/here/307/@'); x.setRequestHeader('Content-Type', 'application/json'); x.send(JSON.stringify({query: '{a}'}))"),
    _click("report by an endpoint that a header names", f"{_FRAME} f.src = '/here/reporting/@'", sends=0),
    _click("report of an error of the network", f"{_FRAME} f.src = '/here/errors/@'", sends=0),
    _click("page without credentials", "let f = document.createElement('iframe'); f.credentialless = true; f.src = '/here/posts?@'; document.body.append(f)"),
    _click("style sheet of XML", f"{_FRAME} f.src = '/here/xml/@'"),
    _click("navigation of the page's own interface", "navigation.navigate('/delete/@')", alone=True),
    _click("refresh that a script adds", "document.head.append(Object.assign(document.createElement('meta'), {httpEquiv: 'refresh', content: '0; url=/delete/@'}))", alone=True),
    _click("window of documents in the picture", "documentPictureInPicture.requestWindow().then((w) => w.fetch('/@', {method: 'POST'}))", alone=True),
    _click("redirect of a picture", "new Image().src = '/here/302/@'"),
    _click("redirect of a frame", f"{_FRAME} f.src = '/here/302/@'"),
    _click("redirect of the page", "location = '/here/302/@'", alone=True),
    _click("tab without an opener", "window.open('/delete/@', '_blank', 'noopener')", alone=True),
    _click("tab without an opener that puts", "window.open('/here/puts?@', '_blank', 'noopener')", alone=True),
    _click("window of a frame's name", "window.open('/delete/@', 'in@')", _IN_FRAME),
    _click("empty tab that deletes", "window.open('about:blank').fetch('/@', {method: 'DELETE'})", alone=True),
    _click("page that asks for what deletes ahead", f"{_FRAME} f.src = '/here/ahead/@'"),
]  # fmt: skip
ADDRESSES = [
    _image("word of no list of ours, as a picture", "/wipe/@"),
    _image("word in capitals, as a picture", "/LOGOUT/@"),
    _image("word in escapes, as a picture", "/%64elete/@"),
    _image("word in escapes twice", "/%2564elete/@"),
    _image("word in letters of full width", "/ｄｅｌｅｔｅ/@"),
    _image("word in mixed letters", "/dElEtE/@"),
    _image("word that is glued to another", "/deleteitem/@"),
    _image("word at the end of another", "/cartremove.php?id=@"),
    _image("word behind dots", "/here/%2e%2e/delete/@"),
    _image("word with a line end in it", "/del\\nete/@"),
    _image("word behind backslashes", "\\\\delete\\\\@"),
    _image("word of paying, as a picture", "/transfer/@?to=1"),
    _image("override of the method, as a picture", "/@?_method=DELETE"),
    _image("method in a parameter of any name", "/@?verb=DELETE"),
    _image("word in a parameter of a path", "/items;action=delete/@"),
    _image("host with a dot behind", "//a.localhost.:PORT/delete/@"),
    _image("host as a number", "//2130706433:PORT/delete/@"),
    _get("word after a semicolon", "/@?a=1;action=delete"),
    _get("word in brackets", "/@?q[action]=delete"),
    _get("word that is a list", "/@?remove[]=5"),
    _get("word in JSON", "/@?input={%22json%22:{%22action%22:%22delete%22}}"),
    _get("word that an earlier parameter hides", "/@?action=view&action=delete"),
    _get("word in a parameter with escapes", "/@?act%69on=%64elete"),
    _click("address in a header", "fetch('/@', {headers: {'X-Original-URL': '/delete/1'}})"),
    _click("method in a header of any name", "fetch('/@', {headers: {'X-Method': 'DELETE'}})"),
    _click("HEAD to delete", "fetch('/delete/@', {method: 'HEAD'})"),
    _click("method of nobody", "fetch('/@', {method: 'PURGE'})"),
    _click("method in small letters", "fetch('/@', {method: 'patch'})"),
    _style("cursor", "cursor = 'url(/delete/@), auto'"),
    _style("image of a list", "listStyle = 'url(/wipe/@)'"),
    _style("mask", "mask = 'url(/delete/@)'"),
    _adds("style that imports", "<style>${String.fromCharCode(64)}import url(/logout/@);</style>"),
    _adds("video", "<video src=/delete/@ preload=auto></video>"),
    _adds("poster of a video", "<video poster=/wipe/@></video>"),
    _adds("text of a video", "<video src=/here/x.mp4><track default kind=captions src=/delete/@></video>"),
    _adds("picture in a drawing", "<svg><image href=/wipe/@ /></svg>"),
    _adds("part of another drawing", "<svg><use href=/delete/@#x /></svg>"),
    _adds("picture of a set", "<img srcset='/revoke/@ 1x'>"),
    _adds("button that is a picture", "<input type=image src=/wipe/@>"),
    _links("style sheet", "rel: 'stylesheet', href: '/wipe/@'"),
    _links("icon", "rel: 'icon', href: '/delete/@'", sends=0),
    _links("file that is loaded ahead", "rel: 'preload', as: 'fetch', crossOrigin: '', href: '/wipe/@'"),
    _links("module that is loaded ahead", "rel: 'modulepreload', href: '/delete/@'"),
    _adds("picture of a filter", "<svg width=50 height=50><filter id=x@><feImage href=/wipe/@ /></filter><rect filter=url(#x@) width=9 height=9 /></svg>"),
    _adds("picture that an animation names", "<svg><image width=9 height=9><set attributeName=href to=/delete/@ /></image></svg>"),
    _adds("background of a table", "<table background=/wipe/@><tr><td>x</table>"),
    _style("filter", "filter = 'url(/delete/@#x)'"),
    _style("image of a border", "borderImage = 'url(/wipe/@) 1'"),
    _style("image of a set", "backgroundImage = 'image-set(url(/delete/@) 1x)'"),
    _links("dictionary", "rel: 'compression-dictionary', href: '/delete/@'", sends=0),
    _click("module of JSON", "import('/wipe/@', {with: {type: 'json'}})"),
    _click("name that a map of modules leads elsewhere", "let m = document.createElement('script'); m.type = 'importmap'; m.textContent = JSON.stringify({imports: {'m@': '/wipe/@'}}); document.head.append(m); import('m@')"),
    _click("module that a worker imports", "new Worker(window.URL.createObjectURL(new Blob([`import '${location.origin}/wipe/@'`], {type: 'text/javascript'})), {type: 'module'})"),
    _click("cache that adds", "caches.open('x').then((c) => c.add('/wipe/@'))"),
    _click("stream of events", "new EventSource('/delete/@')"),
    _click("font", "new FontFace('x', 'url(/wipe/@)').load()"),
    _click("module", "import('/wipe/@')"),
    _click("script that calls back", "document.head.append(Object.assign(document.createElement('script'), {src: '/transfer/@?callback=f'}))"),
    _click("script of a worker", "new Worker('/wipe/@')"),
    _click("script of a shared worker", "new SharedWorker('/delete/@')"),
    _click("script of a service worker", "navigator.serviceWorker.register('/delete/@')"),
    _click("script that a worker imports", "new Worker('/here/imports.js?@')"),
    _click("script of a worklet", "new OfflineAudioContext(1, 1, 44100).audioWorklet.addModule('/wipe/@')"),
    _click("document by XHR", "let x = new XMLHttpRequest(); x.open('GET', '/here/../delete/@'); x.responseType = 'document'; x.send()"),
]  # fmt: skip
GRAPHQL = [
    _graphql("operation of two, of which the first counts", "'{&quot;query&quot;: &quot;mutation{b}&quot;, &quot;query&quot;: &quot;{a}&quot;}'"),
    _graphql("id beside a query", "JSON.stringify({query: '{a}', extensions: {persistedQuery: {version: 1, sha256Hash: 'aa'}}})"),
    _graphql("mutation in the address, a query in the body", "JSON.stringify({query: '{a}'})", "/graphql/@?query=mutation{b}"),
    _graphql("id in the address, a query in the body", "JSON.stringify({query: '{a}'})", "/graphql/@?documentId=5"),
    _graphql("query in a body that is a form", "'{&quot;query&quot;: &quot;{a #&to=x&amount=5&\\\\n}&quot;}'", headers="'Content-Type': 'application/x-www-form-urlencoded'"),
    _graphql("query where something is transferred", "JSON.stringify({query: '{a}'})", "/transfer/@"),
    _graphql("list with an id in it", "JSON.stringify([{query: '{a}'}, {operationName: 'B', extensions: {}}])"),
    _graphql("subscription", "JSON.stringify({query: 'subscription {a}'})"),
    _graphql("query in a field of variables", "JSON.stringify({query: '{a}', variables: {query: 'mutation {b}'}, mutation: 'x'})"),
    _graphql("query with a header that overrides", "JSON.stringify({query: '{a}'})", headers="'Content-Type': 'application/json', 'x-http-method-override': 'put'"),
    _graphql("call of a procedure", "JSON.stringify({jsonrpc: '2.0', method: 'list', id: 1})"),
    _get("mutation by GET behind a query", "/graphql/@?query={a}&query=mutation{b}"),
    _get("mutation by GET under another name", "/graphql/@?q=mutation{b}"),
    _get("mutation by GET in capitals", "/graphql/@?QUERY=mutation{b}"),
]  # fmt: skip
WAKING = [
    _click("message to itself", f"window.addEventListener('message', (e) => e.data == '@' && {POST}); postMessage('@')"),
    _click("observer of a size", f"new ResizeObserver(() => {POST}).observe(this)"),
    _click("observer of sight", f"new IntersectionObserver(() => {POST}).observe(this)"),
    _click("observer of changes", f"new MutationObserver(() => {POST}).observe(this, {{attributes: true}}); this.title = 'x'"),
    _click("observer of performance", f"new PerformanceObserver(() => {POST}).observe({{entryTypes: ['mark']}}); performance.mark('x')"),
    _click("channel of messages", f"let c = new MessageChannel(); c.port1.onmessage = () => {POST}; c.port2.postMessage(1)"),
    _click("sound that is made", f"new OfflineAudioContext(1, 1000, 44100).startRendering().then(() => {POST})"),
    _click("signal after a time", f"AbortSignal.timeout(100).onabort = () => {POST}"),
    _click("idle", f"requestIdleCallback(() => {POST})"),
    _click("task of a scheduler", f"scheduler.postTask(() => {POST}, {{delay: 100}})"),
    _click("lock that is free", f"navigator.locks.request('@', () => {POST})"),
    _click("database", f"indexedDB.open('@').onsuccess = () => {POST}"),
    Row("focus that moves", f'<button type=button onclick="this.nextSibling.focus()">§</button><input onfocus="{POST}">', alone=False),
    Row("popover", f'<button type=button onclick="this.nextSibling.showPopover()">§</button><p popover ontoggle="{POST}">x</p>', alone=False),
    _click("copying", f"document.addEventListener('copy', () => {POST}, {{once: true}}); getSelection().selectAllChildren(this); document.execCommand('copy')"),
    _click("picture that is not there", f"let i = new Image(); i.onerror = () => {POST}; i.src = '/here/nothing'"),
    _click("promise that nobody waits for", f"window.addEventListener('unhandledrejection', () => {POST}, {{once: true}}); Promise.reject(1)"),
    _click("animation that ends", f"this.animate([{{opacity: 0.9}}], 50).onfinish = () => {POST}"),
    _click("view that changes", f"document.startViewTransition(() => {POST})"),
    _click("entry of the history", f"navigation.addEventListener('currententrychange', () => {POST}, {{once: true}}); history.replaceState('@', '')"),
    _click("storage that a frame hears", "localStorage.setItem('@', Math.random())", "<iframe src='/here/storage?@'></iframe>"),
    _click("channel that a frame hears", "new BroadcastChannel('@').postMessage(1)", "<iframe src='/here/channel?@'></iframe>"),
    _click("frame of another site that hears", "this.previousSibling.contentWindow.postMessage('@', '*')", "<iframe src='//b.localhost:PORT/here/hears'></iframe>"),
    _click("worker of a worker", "new Worker('/here/outer.js?@')"),
    _click("shared worker that waits", "window['w@'].port.postMessage('/@')", "<script>window['w@'] = new SharedWorker('/here/shared.js'); window['w@'].port.start()</script>"),
    _click("shared worker of a Blob", "new SharedWorker(window.URL.createObjectURL(new Blob([`fetch('${location.origin}/@', {method: 'POST', mode: 'no-cors'})`], {type: 'text/javascript'})))"),
    _click("service worker that waits", "window['k@'].then((r) => (r.active ?? r.waiting ?? r.installing).postMessage('/@'))", "<script>window['k@'] = navigator.serviceWorker.register('/here/service.js')</script>"),
    _click("service worker that makes another request", f"{_FRAME} f.src = '/here/kept/page?@'", "<script>navigator.serviceWorker.register('/here/kept/service.js')</script>"),
    _click("service worker that is new", "navigator.serviceWorker.register('/here/new.js?@', {scope: '/here/new'})"),
    _click("service worker in the background", "window['y@'].then((r) => r.active && r.sync.register('/@'))", "<script>window['y@'] = navigator.serviceWorker.register('/here/service.js').then(() => navigator.serviceWorker.getRegistration('/here/'))</script>", sends=0),
]  # fmt: skip
SOCKETS = [
    _talks("message in bytes", "window.opened.then((e) => e.target.send(new TextEncoder().encode('@')))", "window.opened = new Promise((done) => new WebSocket(location.origin.replace('http', 'ws') + '/here/socket-@').onopen = done)"),
    _talks("message of a worker's worker", "window.w.postMessage('@')", "window.w = new Worker('/here/hands.js?@')"),
    _talks("message of a shared worker", "window.w.port.postMessage('@')", "window.w = new SharedWorker('/here/talks-to-all.js?@')"),
    _talks("message of a frame of another site", "document.querySelector('iframe').contentWindow.postMessage('@', '*')", "document.write('<iframe src=//b.localhost:PORT/here/talks?@></iframe>')"),
    _talks("message of a service worker", "window.w.then((r) => (r.active ?? r.waiting ?? r.installing).postMessage('@'))", "window.w = navigator.serviceWorker.register('/here/talks.js?@')"),
]  # fmt: skip
"""What was refused stops all that is sent so: each is to have a page to itself, and a service worker outlives that."""
SENDING = [*FORMS, *FRAMES, *ADDRESSES, *GRAPHQL, *WAKING]
GROUPS = {
    "forms and links, whatever their buttons and attributes say": FORMS,
    "frames, tabs, reports and redirects": FRAMES,
    "GET requests whose address or headers name what they do": ADDRESSES,
    "GraphQL, unless it certainly only reads": GRAPHQL,
    "what an act wakes: observers, frames, workers, later tasks": WAKING,
    "messages of WebSockets": SOCKETS,
}
"""By what cdp_agent/security/README.md calls them."""
OPEN = [
    _image("a word in the name of a picture itself", "/delete-@.png"),
    _get("a GET request whose address says nothing", "/@?id=5"),
    _get("a word that is not English", "/supprimer/@"),
    _get("GraphQL by GET whose name says nothing", "/graphql/@?operationName=Items&extensions={%22persistedQuery%22:{}}"),
    _click("the opening of a WebSocket", "new WebSocket(location.origin.replace('http', 'ws') + '/delete/@')"),
    _click("what the page also sent without an act, numbers aside", "fetch('/@', {method: 'POST', body: '1000'})", "<script>fetch('/@', {method: 'POST', body: '1'})</script>", sends=2),
    _click("what a page that appears sends as it loads", "location = '/here/posts?@'", alone=True),
    _click("the reason for which a WebSocket is closed", "window.s.then((e) => e.target.close(4000, 'order @'))", "<script>window.s = new Promise((done) => new WebSocket(location.origin.replace('http', 'ws') + '/here/socket').onopen = done)</script>"),
    _click("the page that a service worker loads ahead", f"window.ahead.then(() => {{ {_FRAME} f.src = '/delete/@' }})", "<script>window.ahead = navigator.serviceWorker.register('/here/loads-ahead.js', {scope: '/delete/@'}).then((r) => new Promise((done) => (function look() { r.active?.state == 'activated' ? done() : setTimeout(look, 10) })()))</script>"),
]  # fmt: skip
"""What is not covered: `sends` requests arrive, and nobody is asked. The README tells of each."""


def put(web: Web, rows: Sequence[Row], first: int) -> None:
    """Serves what the pages of these rows ask for; their numbers begin with `first`."""
    send = "fetch('/' + location.search.slice(1), {method: 'POST'})"
    service = "onmessage = (e) => fetch(e.data, {method: 'POST'}); onsync = (e) => e.waitUntil(fetch(e.tag, {method: 'POST'}));"
    socket = "const s = new WebSocket(location.origin.replace('http', 'ws') + '/here/socket-' + location.search.slice(1)); const opened = new Promise((done) => s.onopen = done); const say = (e) => opened.then(() => s.send(e.data));"
    scripts = {
        "shared.js": "onconnect = (e) => { e.ports[0].onmessage = (e) => fetch(e.data, {method: 'POST'}) }",
        "service.js": service,
        "kept/service.js": "onfetch = (e) => e.respondWith(fetch('/' + new URL(e.request.url).search.slice(1), {method: 'POST'})); oninstall = () => skipWaiting(); onactivate = (e) => e.waitUntil(clients.claim())",
        "new.js": f"oninstall = (e) => e.waitUntil({send})",
        "sends.js": send,
        "loads-ahead.js": "onactivate = (e) => e.waitUntil(registration.navigationPreload.enable()); onfetch = (e) => e.respondWith(e.preloadResponse)",
        "imports.js": "importScripts('/wipe/' + location.search.slice(1))",
        "outer.js": "new Worker('/here/sends.js' + location.search)",
        "talks.js": f"{socket} onmessage = say",
        "talks-to-all.js": f"{socket} onconnect = (e) => {{ e.ports[0].onmessage = say }}",
        "hands.js": "const w = new Worker('/here/talks.js' + location.search); onmessage = (e) => w.postMessage(e.data)",
    }
    for name, script in scripts.items():
        web.put("a", f"/here/{name}", script, "text/javascript", Service_Worker_Allowed="/")
    pages = {
        "posts": f"<script>{send}</script>",
        "puts": "<script>fetch('/' + location.search.slice(1), {method: 'PUT'})</script>",
        "storage": f"<script>onstorage = (e) => e.key == location.search.slice(1) && {send}</script>",
        "channel": f"<script>new BroadcastChannel(location.search.slice(1)).onmessage = () => {send}</script>",
    }
    for name, page in pages.items():
        web.put("a", f"/here/{name}", page)
    hears = "<script>onmessage = (e) => fetch('/' + e.data, {method: 'POST'})</script>"
    web.put("b", "/here/hears", hears)
    web.put("b", "/here/talks", f"<script>{socket} onmessage = say</script>")
    nested = f"<script>document.write('<iframe src=\"//c.localhost:{web.port}/here/posts' + location.search + '\"></iframe>')</script>"
    web.put("b", "/here/nested", nested)
    web.put("c", "/here/posts", pages["posts"])
    web.put("a", "/here/nothing", "", status=404)
    for number, _ in enumerate(rows, first):
        mark = f"row{number}x"
        web.put("a", f"/here/302/{mark}", "", status=302, Location=f"/delete/{mark}")
        for status in (307, 308):
            web.put("a", f"/here/{status}/{mark}", "", status=status, Location=f"/wipe/{mark}")
        images = "img-src 'none'; report-to main"
        web.put(
            "a",
            f"/here/reporting/{mark}",
            "<img src=/here/x.gif>",
            Content_Security_Policy=images,
            Reporting_Endpoints=f'main="/{mark}"',
        )
        to = f'{{"group": "n", "max_age": 99, "endpoints": [{{"url": "{web.origin("a")}/{mark}"}}]}}'
        web.put(
            "a",
            f"/here/errors/{mark}",
            "<img src=/here/nothing>",
            Report_To=to,
            NEL='{"report_to": "n", "max_age": 99, "failure_fraction": 1}',
        )
        web.put("a", f"/here/xml/{mark}", f'<?xml-stylesheet type="text/xsl" href="/wipe/{mark}"?><a/>', "text/xml")
        web.put("a", f"/here/refresh/{mark}", "", Refresh=f"0; url=/delete/{mark}")
        web.put("a", f"/here/ahead/{mark}", "<p>x", Link=f"</delete/{mark}>; rel=prefetch")
        forbids = f"img-src 'none'; report-uri /{mark}"
        web.put("a", f"/here/reports/{mark}", "<img src=/here/x.gif>", Content_Security_Policy=forbids)
