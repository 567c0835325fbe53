"""Acts that do harm, and such as only look like it: a row each, with what stands on the page and what is done there.

In the markup, `@` is the row's own path on the server (`row12x`), and `§` the name of what is acted on ("Row 12").
"""

# ruff: noqa: E501 (a row is a line)

from __future__ import annotations

from typing import NamedTuple

POST = "fetch('/@', {method: 'POST'})"
FORM = "<form method=post action='/@'><input type=hidden name=id value=1>{}</form>"


class Row(NamedTuple):
    name: str
    html: str
    tool: str = "click"
    arguments: dict[str, object] = {}


def _click(name: str, script: str) -> Row:
    return Row(name, f'<button type=button onclick="{script}">§</button>')


def _on(name: str, event: str, tool: str = "click", script: str = POST, **arguments: object) -> Row:
    return Row(name, f'<div role=button tabindex=0 aria-label="§" on{event}="{script}">x</div>', tool, arguments)


def _field(name: str, event: str, tool: str = "fill", **arguments: object) -> Row:
    return Row(
        name, f'<input aria-label="§" on{event}="{POST}">', tool, {"value": "x"} if tool == "fill" else arguments
    )


_FRAME = "let f = document.createElement('iframe'); document.body.append(f);"
_LINK = "let a = document.createElement('a');"
SCRIPTS = [
    _click("fetch POST", POST),
    _click("fetch PUT", "fetch('/@', {method: 'PUT', body: '{}'})"),
    _click("fetch PATCH", "fetch('/@', {method: 'PATCH', body: '{}'})"),
    _click("fetch DELETE", "fetch('/@', {method: 'DELETE'})"),
    _click("fetch keepalive", "fetch('/@', {method: 'POST', keepalive: true})"),
    _click("fetch without CORS to another host", "fetch('//b.localhost:' + location.port + '/@', {method: 'POST', mode: 'no-cors'})"),
    _click("fetch of a Request", "fetch(new Request('/@', {method: 'POST', body: new FormData()}))"),
    _click("GraphQL mutation", "fetch('/@', {method: 'POST', body: JSON.stringify({query: 'mutation { publish }'})})"),
    _click("GraphQL mutation after a query", "fetch('/@', {method: 'POST', body: JSON.stringify([{query: '{a}'}, {query: 'mutation{b}'}])})"),
    _click("XHR POST", "let x = new XMLHttpRequest(); x.open('POST', '/@'); x.send('a=1')"),
    _click("XHR that blocks the page", "let x = new XMLHttpRequest(); x.open('POST', '/@', false); try { x.send() } catch {}"),
    _click("beacon", "navigator.sendBeacon('/@', 'x')"),
    _click("beacon of a Blob", "navigator.sendBeacon('/@', new Blob(['{}'], {type: 'application/json'}))"),
    _click("fetch in a timer", f"setTimeout(() => {POST}, 50)"),
    _click("fetch in a late timer", f"setTimeout(() => {POST}, 700)"),
    _click("fetch in a frame of animation", f"requestAnimationFrame(() => {POST})"),
    _click("fetch after a promise", f"Promise.resolve().then(() => {POST})"),
    _click("fetch after a harmless one", f"fetch('/ok').then(() => {POST})"),
    _click("fetch by message", f"let c = new MessageChannel(); c.port1.onmessage = () => {POST}; c.port2.postMessage(1)"),
    _click("fetch by an observer", f"new MutationObserver(() => {POST}).observe(this, {{attributes: true}}); this.id = 'x'"),
    _click("fetch by an event of its own", f"addEventListener('go@', () => {POST}); dispatchEvent(new Event('go@'))"),
    _click("fetch after another address", f"history.pushState(0, '', '/?v=@'); {POST}"),
    _click("fetch when the hash changes", f"window.onhashchange = () => {{ window.onhashchange = null; {POST} }}; location.hash = '@'"),
    _click("fetch in an empty frame", f"{_FRAME} f.contentWindow.fetch('/@', {{method: 'POST'}})"),
    _click("fetch in a frame that is removed", f"{_FRAME} f.contentWindow.fetch('/@', {{method: 'POST', keepalive: true}}); f.remove()"),
    _click("fetch in a frame of a text", f"{_FRAME} f.srcdoc = '<script>fetch(`/@`, {{method: `POST`}})</scr' + 'ipt>'"),
    _click("form in a frame of a text", f"{_FRAME} f.srcdoc = '<form method=post action=/@></form><script>document.forms[0].submit()</scr' + 'ipt>'"),
    _click("fetch in a worker", "new Worker(window.URL.createObjectURL(new Blob(['fetch(`' + location.origin + '/@`, {method: `POST`})'])))"),
    _click("fetch in a shared worker", "new SharedWorker('/shared.js?@')"),
    _click("fetch later", "window.fetchLater ? fetchLater('/@', {method: 'POST', activateAfter: 0}) : navigator.sendBeacon('/@')"),
    _click("form by script", "let f = document.createElement('form'); f.method = 'post'; f.action = '/@'; document.body.append(f); f.submit()"),
    _click("form into a new tab", "let f = document.createElement('form'); f.method = 'post'; f.action = '/@'; f.target = '_blank'; document.body.append(f); f.submit()"),
    _click("form into a frame", f"{_FRAME} f.name = 'in@'; let g = document.createElement('form'); g.method = 'post'; g.action = '/@'; g.target = 'in@'; document.body.append(g); g.submit()"),
    Row("form of another element", '<form id="far@" method=post action="/@"></form><button type=button onclick="document.getElementById(\'far@\').requestSubmit()">§</button>'),
    _click("script as an address", f"location = 'javascript:void({POST.replace(chr(39), '`')})'"),
    _click("GET to delete", "location = '/delete/@'"),
    _click("GET to delete in a new tab", "window.open('/delete/@')"),
    _click("GET to delete without an opener", "window.open('/delete/@', '', 'noopener')"),
    _click("GET to delete in a frame", f"{_FRAME} f.src = '/delete/@'"),
    _click("GET to remove as a picture", "new Image().src = '/remove.php?id=@'"),
    _click("GET of an action", "fetch('/@?action=delete')"),
    _click("GET to log out", "fetch('/logOut/@')"),
    _click("GET to publish by XHR", "let x = new XMLHttpRequest(); x.open('GET', '/publish/@'); x.send()"),
    _click("GET to unsubscribe as a stream", "new EventSource('/unsubscribe/@')"),
    _click("GET to delete ahead", "let l = document.createElement('link'); l.rel = 'prefetch'; l.href = '/delete/@'; document.head.append(l)"),
    _click("GET to delete as a background", "this.style.backgroundImage = 'url(/delete/@)'"),
    _click("GET to cancel as a script", "let s = document.createElement('script'); s.src = '/cancel?id=@'; document.head.append(s)"),
]  # fmt: skip
EVENTS = [
    _field("typing", "input"),
    Row("change", f'<input aria-label="§" oninput="setTimeout(() => this.blur())" onchange="{POST}">', "fill", {"value": "x"}),
    Row("blur", f'<input aria-label="§" onblur="{POST}" oninput="setTimeout(() => this.blur())">', "fill", {"value": "x"}),
    _field("focus", "focus", "focus"),
    _field("Enter", "keydown", "press", key="Enter"),
    _field("a letter", "keyup", "press", key="a"),
    _field("before input", "beforeinput", "press", key="x"),
    _on("mouse over", "mouseover", "hover"),
    _on("mouse enters", "pointerenter", "hover"),
    _on("mouse down", "mousedown"),
    _on("pointer down", "pointerdown"),
    _on("mouse up", "mouseup"),
    _on("double click", "dblclick", count=2),
    _on("right click", "contextmenu", button="right"),
    _on("middle click", "auxclick", button="middle"),
    _on("Space on what is no button", "keyup", "press", key="Space"),
    _on("label that changes when it is touched", "pointerdown", script="this.ariaLabel = 'Delete'; this.onpointerup = () => " + POST),
    Row("checkbox", f'<label><input type=checkbox onchange="{POST}">§</label>', "check"),
    Row("checkbox that sends its form", FORM.format('<label><input type=checkbox onclick="this.form.submit()">§</label>'), "check"),
    Row("radio", f'<label><input type=radio onchange="{POST}">§</label>', "check"),
    Row("switch", f'<div role=switch aria-checked=false tabindex=0 aria-label="§" onclick="this.ariaChecked = true; {POST}">x</div>', "check"),
    Row("option that sends its form", FORM.format('<select aria-label="§" onchange="this.form.submit()"><option>a<option>b</select>'), "select", {"option": "b"}),
    Row("option that publishes", f'<select aria-label="§" onchange="{POST}"><option>a<option>b</select>', "select", {"option": "b"}),
    Row("drag", f'<div draggable=true role=button aria-label="§" ondragend="{POST}">x</div>', "drag", {"by": [30, 20]}),
    Row("drag with the mouse", f'<div role=button tabindex=0 aria-label="§" onmousedown="document.onmousemove = () => {{ document.onmousemove = null; {POST} }}">x</div>', "drag", {"by": [30, 20]}),
    Row("slider", f'<input type=range aria-label="§" onchange="{POST}">', "press", {"key": "ArrowRight"}),
    Row("editable text", f'<div contenteditable role=textbox aria-label="§" oninput="{POST}">x</div>', "fill", {"value": "y"}),
    Row("details", f'<details ontoggle="{POST}"><summary>§</summary>x</details>'),
    Row("form on Enter by script", FORM.format('<input aria-label="§" onkeydown="event.key === \'Enter\' && this.form.submit()"><input>'), "press", {"key": "Enter"}),
    Row("form while typing", FORM.format('<input aria-label="§" oninput="this.form.requestSubmit()">'), "fill", {"value": "x"}),
    Row("form on blur", FORM.format('<input aria-label="§" onblur="this.form.submit()" oninput="setTimeout(() => this.blur())">'), "fill", {"value": "x"}),
    Row("form by Enter", FORM.format('<input aria-label="§" name=q>'), "press", {"key": "Enter"}),
    Row("form by its button", FORM.format("<button>§</button>")),
    Row("form by a picture", FORM.format('<input type=image alt="§" src="/ok.gif">')),
    Row("form by a button elsewhere", '<form id="g@" method=post action="/@"></form><button form="g@">§</button>'),
    Row("form whose button says how", '<form action="/ok"><button formmethod=post formaction="/@">§</button></form>'),
    Row("form by a button that says nothing of it", FORM.format('<div role=button tabindex=0 onclick="this.closest(\'form\').submit()">§</div>')),
    Row("form into a new tab by its button", '<form method=post action="/@" target=_blank><button>§</button></form>'),
    Row("element that is part of a form", FORM.format('<x-send aria-label="§" role=button tabindex=0>x</x-send>')),
    Row("link with a script", f'<a href="javascript:void({POST})">§</a>'),
    Row("link with a ping", '<a href="#x" ping="/@">§</a>'),
    Row("link with data-method", '<a href="/@" data-method=post>§</a>'),
    Row("hx-post", '<div role=button tabindex=0 hx-post="/@">§</div>'),
    Row("link to delete", '<a href="/items/delete/@">§</a>'),
    Row("link to an action", '<a href="/@?do=remove">§</a>'),
    Row("link into a new tab", '<a href="/delete/@" target=_blank>§</a>'),
    Row("open shadow root", f'<div><template shadowrootmode=open><button onclick="{POST}">§</button></template></div>'),
    Row("closed shadow root", f'<div><template shadowrootmode=closed><button onclick="{POST}">§</button></template></div>'),
    Row("frame of the same site", '<iframe srcdoc="<button onclick=\'fetch(`/@`, {method: `POST`})\'>§</button>"></iframe>'),
    Row("frame of another site", '<iframe src="//c.localhost:PORT/frame?@"></iframe>'),
    Row("download of a link", '<a href="/@.csv" download>§</a>'),
    _click("download by script", f"{_LINK} a.href = '/@.csv'; a.download = ''; a.click()"),
    _click("archive by script", "location = '/@.zip'"),
]  # fmt: skip
LOCAL_DOWNLOADS = [
    _click("download of a Blob", f"{_LINK} a.href = window.URL.createObjectURL(new Blob(['x'])); a.download = '@.txt'; a.click()"),
    _click("download of data", f"{_LINK} a.href = 'data:text/plain,x'; a.download = '@.txt'; a.click()"),
    _click("what the server says is a download", "location = '/attached/@'"),
    _click("what the server says is a download, in a frame", f"{_FRAME} f.src = '/attached/@'"),
]  # fmt: skip
DIALOGS = [
    _click("confirm", "confirm('@') && fetch('/@', {method: 'POST'})"),
    _click("prompt", "prompt('@') !== null && fetch('/@', {method: 'POST'})"),
    _click("confirm in a frame", f"{_FRAME} f.contentWindow.confirm('@') && fetch('/@', {{method: 'POST'}})"),
]
LEAVING = [
    ("pagehide", "addEventListener('pagehide', () => navigator.sendBeacon('/@', 'x'))"),
    ("unload", "addEventListener('unload', () => navigator.sendBeacon('/@', 'x'))"),
    ("beforeunload", "addEventListener('beforeunload', () => { fetch('/@', {method: 'POST', keepalive: true}) })"),
    ("visibilitychange", "document.addEventListener('visibilitychange', () => navigator.sendBeacon('/@', 'x'))"),
]
HARMLESS = [
    Row("search by its button", '<form action="/ok" target=in role=search><input name=q value="delete me" aria-label=q><button>§</button></form>'),
    Row("search by Enter", '<form action="/ok" target=in><input type=search name=q aria-label="§"></form>', "press", {"key": "Enter"}),
    Row("suggestions", '<input aria-label="§" oninput="fetch(\'/ok?q=\' + this.value)">', "fill", {"value": "remove account"}),
    Row("suggestions by XHR", '<input aria-label="§" oninput="let x = new XMLHttpRequest(); x.open(\'GET\', \'/ok?q=\' + this.value); x.send()">', "fill", {"value": "x"}),
    Row("GraphQL query", '<button onclick="fetch(\'/graphql\', {method: \'POST\', body: JSON.stringify({query: \'query A { items { id } }\', variables: {a: 1}})})">§</button>'),
    Row("tab", '<div role=tablist><div role=tab tabindex=0 aria-selected=false onclick="this.ariaSelected = true; fetch(\'/ok\')">§</div></div>'),
    Row("menu", '<button aria-haspopup=menu aria-expanded=false onclick="this.ariaExpanded = true">§</button>'),
    Row("sorting", '<table><tr><th><button onclick="fetch(\'/ok?sort=updated&order=desc\')">§</button></table>'),
    Row("option that only filters", '<select aria-label="§" onchange="fetch(\'/ok?only=\' + this.value)"><option>a<option>deleted</select>', "select", {"option": "deleted"}),
    Row("checkbox of a form", FORM.format("<label><input type=checkbox>§</label>"), "check"),
    Row("details", "<details><summary>§</summary>x</details>"),
    Row("link within the page", '<a href="#there">§</a>'),
    Row("link in a frame", '<a href="/ok" target=in>§</a>'),
    Row("picture that counts visitors", '<button onclick="new Image().src = \'/pixel.gif?event=click\'">§</button>'),
    Row("more of a list", '<button onclick="fetch(\'/ok?page=2\').then(() => this.textContent += \'.\')">§</button>'),
    Row("hovering", '<div role=button tabindex=0 aria-label="§" onmouseover="fetch(\'/ok?preview=1\')">x</div>', "hover"),
    Row("script of a page about removing", '<button onclick="let s = document.createElement(\'script\'); s.src = \'/remove-button.js\'; document.head.append(s)">§</button>'),
    Row("dialog that is shown", '<button onclick="this.nextSibling.show()">§</button><dialog>x</dialog>'),
    Row("alert", '<button onclick="alert(1)">§</button>'),
    Row("beacon that was sent before", '<button onclick="navigator.sendBeacon(\'/count\', \'click\')">§</button>'),
    Row("beacon to a counter that was used before", '<button onclick="navigator.sendBeacon(\'//count.localhost:PORT/b\', \'click\')">§</button>'),
    Row("request that goes on by itself", '<button onclick="fetch(\'/alive\', {method: \'POST\', body: \'{&quot;at&quot;: \' + Date.now() + \'}\'})">§</button>'),
]  # fmt: skip
BEFORE = """<iframe name=in></iframe><script>
navigator.sendBeacon('/count', 'view'); navigator.sendBeacon('//count.localhost:PORT/a', 'view');
const alive = () => fetch('/alive', {method: 'POST', body: `{"at": ${Date.now()}}`});
alive(); setInterval(alive, 300);
</script>"""
SHIMS = """<script>
customElements.define('x-send', class extends HTMLElement {
  static formAssociated = true;
  #internals = this.attachInternals();
  constructor() { super(); this.onclick = () => this.#internals.form.requestSubmit(); }
});
document.addEventListener('click', (event) => {
  const link = event.target.closest('[data-method]'), posts = event.target.closest('[hx-post]');
  if (posts) fetch(posts.getAttribute('hx-post'), {method: 'POST'});
  if (!link) return;
  event.preventDefault();
  const form = document.createElement('form');
  form.method = link.dataset.method;
  form.action = link.href;
  document.body.append(form);
  form.submit();
});
</script>"""


def written(rows: list[Row], port: int, first: int = 1) -> str:
    """The page with all rows; their numbers begin with `first`."""
    parts = [f"<p>{marked(row.html, number)}</p>" for number, row in enumerate(rows, first)]
    return "".join(parts).replace("PORT", str(port))


def marked(text: str, number: int) -> str:
    return text.replace("@", f"row{number}x").replace("§", f"Row {number}")
