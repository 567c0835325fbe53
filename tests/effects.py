"""What pages do that has consequences, each once: every face that asks is to be asked about the same.

In the markup, `@` is the row's own path on the server (`row3x`), and `§` the name of what is acted on ("Next3").
"""

# ruff: noqa: E501 (a row is a line)

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tests.web import Web

POST = "fetch('/@', {method: 'POST', body: new URLSearchParams({amount: 5})}).catch(() => 0)"
LATE = "Now it comes"
"""What the page shows when what is late comes."""
_STILL = "<style>p { height: 1em }</style>"
"""What comes late moves nothing: a click would be lost that is just on its way to what moves."""
_SHOWN = "said.textContent = 'This is @';"
_FRAME = "let f = document.createElement('iframe'); document.body.append(f);"


class Effect(NamedTuple):
    """`step` is the act in plain English, `tool` the same as a call on the element of this `role`, with `arguments`.

    `asks`: how often somebody is asked if all is allowed. `leaves`: it leads to another page, or to another tab.
    """

    name: str
    html: str
    step: str = "Click §"
    tool: str = "click"
    role: str = "button"
    arguments: dict[str, object] = {}
    asks: int = 1
    leaves: bool = False


def _click(name: str, script: str, *, asks: int = 1, leaves: bool = False) -> Effect:
    return Effect(name, f'<button type=button onclick="{_SHOWN} {script}">§</button>', asks=asks, leaves=leaves)


EFFECTS = [
    _click("timer of three seconds", f"setTimeout(() => {{ late.textContent = '{LATE}'; {POST} }}, 3000)"),
    _click("fetch", POST),
    _click("XHR that blocks the page", "let x = new XMLHttpRequest(); x.open('POST', '/@', false); try { x.send('a=1') } catch {}"),
    _click("beacon", "navigator.sendBeacon('/@', 'x')"),
    _click("message of a WebSocket", "let s = new WebSocket(location.origin.replace('http', 'ws') + '/@'); s.onopen = () => s.send('order @')"),
    _click("timer without delay", f"setTimeout(() => {POST})"),
    _click("timer of half a second", f"setTimeout(() => {POST}, 500)"),
    _click("frame of the same site", f"{_FRAME} f.srcdoc = '<script>fetch(`/@`, {{method: `POST`}}).catch(() => 0)</scr' + 'ipt>'"),
    _click("frame of another site", f"{_FRAME} f.src = '//b.localhost:' + location.port + '/frame?@'"),
    _click("worker", "new Worker(window.URL.createObjectURL(new Blob(['fetch(`' + location.origin + '/@`, {method: `POST`})'])))"),
    _click("picture whose address deletes", "new Image().src = '/remove.php?id=@'"),
    _click("file that a script saves", "let a = document.createElement('a'); a.href = '/@.zip'; a.download = ''; a.click()"),
    _click("question of the page, and what follows", f"if (confirm('Delete everything, @?')) {POST}", asks=2),
    Effect("choice", f'<select aria-label="§" onchange="{POST}"><option>One<option>Two</select>', "Select 'Two' in §", "select", "combobox", {"value": "Two"}),
    Effect("key", f'<input aria-label="§" onkeydown="if (event.key == \'Enter\') {{ {_SHOWN} {POST} }}">', "Press Enter in §", "press", "textbox", {"key": "Enter"}),
    Effect("field that sends itself", f'<input aria-label="§" oninput="if (this.value.length == 4) {POST}">', "Type '4711' into §", "fill", "textbox", {"value": "4711"}),
    _click("form that a script sends", "let f = document.createElement('form'); f.method = 'post'; f.action = '/@'; f.innerHTML = '<input name=amount value=5>'; document.body.append(f); f.submit()", leaves=True),
    _click("address that a script opens", "location = '/delete/@'", leaves=True),
    _click("popup", "window.open('/delete/@')", leaves=True),
    Effect("link whose address deletes", "<a href='/delete/@'>§</a>", role="link", leaves=True),
]  # fmt: skip


def mark(number: int) -> str:
    """What the addresses and texts of that effect hold, counted from 1."""
    return f"row{number}x"


def name_of(number: int) -> str:
    """The name of the element that is acted on."""
    return f"Next{number}"


def put(web: Web, effects: Sequence[Effect]) -> str:
    """The address of a page with all of them."""
    web.put("b", "/frame", "<script>fetch('/' + location.search.slice(1), {method: 'POST'}).catch(() => 0)</script>")
    rows = [each.html.replace("@", mark(n)).replace("§", name_of(n)) for n, each in enumerate(effects, 1)]
    return web.put(
        "a", "/page", "<p id=said></p><p id=late></p>" + _STILL + "".join(f"<div>{row}</div>" for row in rows)
    )


def reached(web: Web, number: int) -> list[str]:
    """What the server got of that effect."""
    got = [path for method, path in web.methods if mark(number) in path and method != "SOCKET"]
    return [path for path in got if not path.startswith("/frame")]
