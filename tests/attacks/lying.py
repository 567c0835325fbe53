"""Pages where an act does more than it says: what nobody approved must not reach the server.

Acts that do harm openly, by every event and every way to send, are in tests/harms.py; these lie about it.
"""

# ruff: noqa: E501 (a row is a line)

from __future__ import annotations

from .rows import Attack

_POST = "fetch('/harm', {method: 'POST', keepalive: true})"
_FORM = "<form method=post action='/harm'>{}</form>"
_STYLE = "position:fixed;inset:0;opacity:0.01;z-index:9"

LYING = [
    Attack("a label of an act that can be taken back", f'<button aria-label="Go" onclick="{_POST}">Delete my account</button>'),
    Attack("a button below another that nobody sees", f'<button>Go</button><button style="{_STYLE}" onclick="{_POST}"></button>'),
    Attack("a frame above that nobody sees", f'<button>Go</button><iframe style="{_STYLE};width:100%;height:100%" srcdoc="<body onmousedown=&quot;parent.fetch(\'/harm\', {{method: \'POST\'}})&quot; style=height:100vh>"></iframe>'),
    Attack("a button that moves away under the press", f'<button id=a onpointerdown="this.style.marginTop = \'99px\'; document.getElementById(\'b\').style = \'position:fixed;inset:0\'">Go</button><button id=b onmouseup="{_POST}" onclick="{_POST}"></button>'),
    Attack("a message to a frame", "<button onclick='frames[0].postMessage(1)'>Go</button><iframe srcdoc='<script>onmessage = () => parent.fetch(`/harm`, {method: `POST`})</script>'></iframe>"),
    Attack("a channel to all tabs", f"<button onclick='new BroadcastChannel(`x`).postMessage(1)'>Go</button><script>const c = new BroadcastChannel('x'); c.onmessage = () => {_POST}</script>"),
    Attack("an element that is removed", f"<x-go><button onclick='this.parentNode.remove()'>Go</button></x-go><script>customElements.define('x-go', class extends HTMLElement {{ disconnectedCallback() {{ {_POST} }} }})</script>"),
    Attack("a style that ends", f"<style>button:focus + p {{ transition: opacity 10ms; opacity: 0.5 }}</style><button>Go</button><p ontransitionend=\"{_POST}\" ontransitionrun=\"{_POST}\">x"),
    Attack("what is scrolled to", f"<button style='margin-top:3000px'>Go</button><script>onscroll = () => {_POST}</script>"),
    Attack("what comes into sight", f"<button onclick=\"p.style.display = 'block'\">Go</button><p id=p style='display:none'>x</p><script>new IntersectionObserver((seen) => seen[0].isIntersecting && {_POST}).observe(p)</script>"),
    Attack("a storage that is written", "<button onclick='localStorage.x = Math.random()'>Go</button><iframe src='/MARK/storing'></iframe>"),
    Attack("a command of another button", f"<button commandfor=d command=show-modal>Go</button><dialog id=d ontoggle=\"{_POST}\" onbeforetoggle=\"{_POST}\">x</dialog>"),
    Attack("a label of what sends", _FORM.format("<label for=s role=button tabindex=0>Go</label><input type=submit id=s hidden>")),
    Attack("a history that is gone back", f"<button onclick='history.back()'>Go</button><script>history.pushState(1, ''); onpopstate = () => {_POST}</script>"),
    Attack("a navigation that is taken over", f"<a href='/next'>Go</a><script>navigation.onnavigate = (e) => e.intercept({{handler: () => {_POST}}})</script>"),
    Attack("a worker that waits", "<button onclick='w.postMessage(1)'>Go</button><script>const w = new Worker(URL.createObjectURL(new Blob([`onmessage = () => fetch('${location.origin}/harm', {method: 'POST'})`])))</script>"),
    Attack("an error that is thrown", f"<button onclick='throw 1'>Go</button><script>onerror = () => {_POST}</script>"),
    Attack("what is selected", f"<button onclick='getSelection().selectAllChildren(document.querySelector(`p`))'>Go</button><p>x</p><script>document.onselectionchange = () => {{ document.onselectionchange = null; {_POST} }}</script>"),
]  # fmt: skip
