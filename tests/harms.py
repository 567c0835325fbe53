"""Acts that do harm, and such as only look like it: a row each, with what stands on the page and what is done there.

In the markup, `@` is the row's own path on the server (`row12x`), and `§` the name of what is acted on ("Row 12").
"""

# ruff: noqa: E501 (a row is a line)

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

POST = "fetch('/@', {method: 'POST'})"
FORM = "<form method=post action='/@'><input type=hidden name=id value=1>{}</form>"


class Row(NamedTuple):
    """`alone`: by an act of its own. All others are clicked by a script of the page, one after the other, in one act."""

    name: str
    html: str
    tool: str = "click"
    arguments: dict[str, object] = {}
    alone: bool = True
    sends: int = 1
    """So many requests, each to an address of its own."""


def _click(name: str, script: str, *, alone: bool = False) -> Row:
    return Row(name, f'<button type=button onclick="{script}">§</button>', alone=alone)


def _posts(events: str) -> str:
    """Attributes: a request for each of the events."""
    return " ".join(f"on{event}=\"fetch('/@-{event}', {{method: 'POST'}})\"" for event in events.split())


def _on(name: str, events: str, tool: str = "click", **arguments: object) -> Row:
    html = f'<div role=button tabindex=0 aria-label="§" {_posts(events)}>x</div>'
    return Row(name, html, tool, arguments, sends=len(events.split()))


def _field(name: str, events: str, tool: str, more: str = "", **arguments: object) -> Row:
    return Row(name, f'<input aria-label="§" {_posts(events)} {more}>', tool, arguments, sends=len(events.split()))


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
    _click("form into a new tab", "let f = document.createElement('form'); f.method = 'post'; f.action = '/@'; f.target = '_blank'; document.body.append(f); f.submit()", alone=True),
    _click("form into a frame", f"{_FRAME} f.name = 'in@'; let g = document.createElement('form'); g.method = 'post'; g.action = '/@'; g.target = 'in@'; document.body.append(g); g.submit()"),
    _click("GET to delete", "location = '/delete/@'", alone=True),
    _click("GET to delete in a new tab", "window.open('/delete/@')", alone=True),
    _click("GET to delete in a frame", f"{_FRAME} f.src = '/delete/@'"),
    _click("GET to remove as a picture", "new Image().src = '/remove.php?id=@'"),
    _click("GET of an action", "fetch('/@?action=delete')"),
    _click("GET to log out", "fetch('/logOut/@')"),
    _click("GET to publish by XHR", "let x = new XMLHttpRequest(); x.open('GET', '/publish/@'); x.send()"),
    _click("GET to unsubscribe as a stream", "new EventSource('/unsubscribe/@')"),
    _click("GET to delete ahead", "let l = document.createElement('link'); l.rel = 'prefetch'; l.href = '/delete/@'; document.head.append(l)"),
    _click("GET to delete as a background", "this.style.backgroundImage = 'url(/delete/@)'"),
    _click("GET to cancel as a script", "let s = document.createElement('script'); s.src = '/cancel?id=@'; document.head.append(s)"),
    _click("GraphQL mutation beside a query", "fetch('/graphql/@', {method: 'POST', body: JSON.stringify({query: 'query A {a} mutation B {b}', operationName: 'B'})})"),
    _click("GraphQL mutation after a text that ends nothing", "fetch('/graphql/@', {method: 'POST', body: JSON.stringify({query: 'query A {a(x: &quot;}&quot;)} mutation B {b}'})})"),
    _click("GraphQL mutation by GET", "fetch('/graphql/@?query=' + encodeURIComponent('mutation {b}'))"),
    _click("GraphQL by its name alone, by GET", "fetch('/graphql/@?extensions=x&operationName=DeleteItem')"),
    _click("JSON that has a query, too", "fetch('/@', {method: 'POST', body: JSON.stringify({query: '{a}', amount: 5})})"),
    _click("GET that a header overrides", "fetch('/@', {headers: {'X-HTTP-Method-Override': 'DELETE'}})"),
    _click("GET that a parameter overrides", "fetch('/@?_method=PUT')"),
    _click("GET to delete with an ending of pages", "fetch('/delete/@.html')"),
    _click("GET to delete with an ending of pictures", "new Image().src = '/delete/@.png'"),
    _click("form that saves by GET", "let f = document.createElement('form'); f.action = '/profile/@'; f.innerHTML = '<input name=email><button name=save>x</button>'; document.body.append(f); f.lastChild.click()", alone=True),
]  # fmt: skip
EVENTS = [
    Row("entering text", f'<input aria-label="§" oninput="{POST}; setTimeout(() => this.blur())" {_posts("change blur")}>', "fill", {"value": "x"}, sends=3),
    _field("a letter", "focus keydown beforeinput keyup", "press", key="a"),
    _field("Enter", "keydown", "press", key="Enter"),
    _on("Space on what is no button", "keyup", "press", key="Space"),
    _on("hovering", "mouseover pointerenter", "hover"),
    _on("clicking", "mousedown pointerdown mouseup"),
    _on("double click", "dblclick", count=2),
    _on("right click", "contextmenu", button="right"),
    Row("label that changes when it is touched", f'<div role=button tabindex=0 aria-label="§" onpointerdown="this.ariaLabel = \'Delete\'; this.onpointerup = () => {POST}">x</div>'),
    Row("checkbox that sends its form", FORM.format('<label><input type=checkbox onchange="fetch(\'/@-too\', {method: \'POST\'}); this.form.submit()">§</label>'), "check", sends=2),
    Row("option that sends its form", FORM.format('<select aria-label="§" onchange="fetch(\'/@-too\', {method: \'POST\'}); this.form.submit()"><option>a<option>b</select>'), "select", {"option": "b"}, sends=2),
    Row("drag", f'<div draggable=true role=button aria-label="§" ondragend="{POST}">x</div>', "drag", {"by": [30, 20]}),
    Row("editable text", f'<div contenteditable role=textbox aria-label="§" oninput="{POST}">x</div>', "fill", {"value": "y"}),
    Row("details", f'<details ontoggle="{POST}"><summary>§</summary>x</details>'),
    Row("form while typing", FORM.format('<input aria-label="§" oninput="this.form.requestSubmit()">'), "fill", {"value": "x"}),
    Row("form by Enter", FORM.format('<input aria-label="§" name=q>'), "press", {"key": "Enter"}),
    Row("form by its button", FORM.format("<button>§</button>")),
    Row("form by a picture", FORM.format('<input type=image alt="§" src="/ok.gif">')),
    Row("form by a button elsewhere", '<form id="g@" method=post action="/@"></form><button form="g@">§</button>'),
    Row("form whose button says how", '<form action="/ok"><button formmethod=post formaction="/@">§</button></form>'),
    Row("form into a new tab by its button", '<form method=post action="/@" target=_blank><button>§</button></form>'),
    Row("element that is part of a form", FORM.format('<x-send aria-label="§" role=button tabindex=0>x</x-send>')),
    Row("link with a script", f'<a href="javascript:void({POST})">§</a>'),
    Row("link with a ping", '<a href="#x" ping="/@">§</a>', alone=False),
    Row("link with data-method", '<a href="/@" data-method=post>§</a>'),
    Row("hx-post", '<div role=button tabindex=0 hx-post="/@">§</div>', alone=False),
    Row("link to delete", '<a href="/items/delete/@">§</a>'),
    Row("link to an action", '<a href="/@?do=remove">§</a>'),
    Row("link into a new tab", '<a href="/delete/@" target=_blank>§</a>'),
    Row("closed shadow root", f'<div><template shadowrootmode=closed><button onclick="{POST}">§</button></template></div>'),
    Row("frame of another site", '<iframe src="//c.localhost:PORT/frame?@"></iframe>'),
    Row("download of a link", '<a href="/@.csv" download>§</a>'),
    _click("download by script", f"{_LINK} a.href = '/@.csv'; a.download = ''; a.click()"),
    _click("archive by script", "location = '/@.zip'", alone=True),
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
LEAVING = {
    "pagehide": "addEventListener('pagehide', () => navigator.sendBeacon('/@-pagehide', 'x'))",
    "unload": "addEventListener('unload', () => navigator.sendBeacon('/@-unload', 'x'))",
    "beforeunload": "addEventListener('beforeunload', () => { fetch('/@-beforeunload', {method: 'POST', keepalive: true}) })",
    "visibilitychange": "document.addEventListener('visibilitychange', () => navigator.sendBeacon('/@-visibilitychange', 'x'))",
    "fetchLater": "addEventListener('click', () => fetchLater('/@-fetchLater', {method: 'POST'}))",
}
HARMLESS = [
    Row("search by its button", '<form action="/ok" target=in role=search><input name=q value="delete me" aria-label=q><button>§</button></form>'),
    Row("search by Enter", '<form action="/ok" target=in><input type=search name=q aria-label="§"></form>', "press", {"key": "Enter"}),
    Row("suggestions", '<input aria-label="§" oninput="fetch(\'/ok?q=\' + this.value); let x = new XMLHttpRequest(); x.open(\'GET\', \'/ok?q=\' + this.value); x.send()">', "fill", {"value": "remove account"}),
    Row("GraphQL query", '<button onclick="fetch(\'/graphql\', {method: \'POST\', body: JSON.stringify({query: \'query A { items { id } }\', variables: {a: 1}})})">§</button>', alone=False),
    Row("tab", '<div role=tablist><div role=tab tabindex=0 aria-selected=false onclick="this.ariaSelected = true; fetch(\'/ok\')">§</div></div>', alone=False),
    Row("menu", '<button aria-haspopup=menu aria-expanded=false onclick="this.ariaExpanded = true">§</button>', alone=False),
    Row("sorting", '<table><tr><th><button onclick="fetch(\'/ok?sort=updated&order=desc\')">§</button></table>', alone=False),
    Row("option that only filters", '<select aria-label="§" onchange="fetch(\'/ok?only=\' + this.value)"><option>a<option>deleted</select>', "select", {"option": "deleted"}),
    Row("checkbox of a form", FORM.format("<label><input type=checkbox>§</label>"), "check"),
    Row("details", "<details><summary>§</summary>x</details>", alone=False),
    Row("link within the page", '<a href="#there">§</a>', alone=False),
    Row("link in a frame", '<a href="/ok" target=in>§</a>', alone=False),
    Row("picture that counts visitors", '<button onclick="new Image().src = \'/pixel.gif?event=click\'">§</button>', alone=False),
    Row("more of a list", '<button onclick="fetch(\'/ok?page=2\').then(() => this.textContent += \'.\')">§</button>', alone=False),
    Row("hovering", '<div role=button tabindex=0 aria-label="§" onmouseover="fetch(\'/ok?preview=1\')">x</div>', "hover"),
    Row("script of a page about removing", '<button onclick="let s = document.createElement(\'script\'); s.src = \'/remove-button.js\'; document.head.append(s)">§</button>', alone=False),
    Row("dialog that is shown", '<button onclick="this.nextSibling.show()">§</button><dialog>x</dialog>', alone=False),
    Row("alert", '<button onclick="alert(1)">§</button>'),
    Row("beacon that was sent before", '<button onclick="navigator.sendBeacon(\'/count\', \'click\')">§</button>', alone=False),
    Row("beacon to a counter that was used before", '<button onclick="navigator.sendBeacon(\'//count.localhost:PORT/b\', \'click\')">§</button>', alone=False),
    Row("request that goes on by itself", '<button onclick="fetch(\'/alive\', {method: \'POST\', body: \'{&quot;at&quot;: \' + Date.now() + \'}\'})">§</button>', alone=False),
    Row("GraphQL queries that name writing", '<button onclick="fetch(\'/graphql\', {method: \'POST\', body: JSON.stringify({query: \'# mutation {a}\\nfragment mutation on T {a(x: &quot;} mutation {&quot;)} query B($x: I = {a: [1]}) {...mutation}\'})})">§</button>', alone=False),
    Row("parts of pages about orders", '<button onclick="new Image().src = \'/order/5/photo.jpg?width=100\'; let s = document.createElement(\'script\'); s.src = \'/checkout/main.js?v=3\'; document.head.append(s); fetch(\'/ok?cancel_url=x\')">§</button>', alone=False),
    Row("pictures of what removes", '<button onclick="new Image().src = \'/icons/delete.svg\'; new Image().src = \'/remove-2.png\'">§</button>', alone=False),
]  # fmt: skip
_SHOWS = """<output id=shows></output><script>
for (const type of ['click', 'input', 'keyup', 'change', 'mouseover', 'pointerdown', 'dragend'])
  addEventListener(type, () => { shows.textContent = shows.textContent == 'One' ? 'Two' : 'One' }, true);
</script>"""
"""Every act has an effect that is seen: else one is waited for."""
BEFORE = f"""{_SHOWS}<iframe name=in></iframe><script>
navigator.sendBeacon('/count', 'view'); navigator.sendBeacon('//count.localhost:PORT/a', 'view');
const alive = () => fetch('/alive', {{method: 'POST', body: `{{"at": ${{Date.now()}}}}`}});
alive(); setInterval(alive, 300);
</script>"""
TOGETHER = "All of them"
_CLICKS = f"""<button onclick="for (const each of document.querySelectorAll(
  '.together :is(button, a, summary, [hx-post], [role=tab])')) each.click()">{TOGETHER}</button>"""
SHIMS = f"""{_SHOWS}<script>
customElements.define('x-send', class extends HTMLElement {{
  static formAssociated = true;
  #internals = this.attachInternals();
  constructor() {{ super(); this.onclick = () => this.#internals.form.requestSubmit(); }}
}});
document.addEventListener('click', (event) => {{
  const link = event.target.closest('[data-method]'), posts = event.target.closest('[hx-post]');
  if (posts) fetch(posts.getAttribute('hx-post'), {{method: 'POST'}});
  if (!link) return;
  event.preventDefault();
  const form = document.createElement('form');
  form.method = link.dataset.method;
  form.action = link.href;
  document.body.append(form);
  form.submit();
}});
</script>"""


def written(rows: Sequence[Row], port: int, first: int = 1) -> str:
    """The page with all rows; their numbers begin with `first`. What is called `TOGETHER` clicks those that are not alone."""
    parts = [
        f"<div{'' if row.alone else ' class=together'}>{marked(row.html, number)}</div>"
        for number, row in enumerate(rows, first)
    ]
    return _CLICKS + "".join(parts).replace("PORT", str(port))


def marked(text: str, number: int) -> str:
    return text.replace("@", f"row{number}x").replace("§", f"Row {number}")
