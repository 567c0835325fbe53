"""A page that watches itself sees nothing of us, and cannot mislead us."""

from __future__ import annotations

import re

from cdp_agent.page.page import Page
from tests.conftest import Serve

CONTENT = """
<h1>Orders</h1>
<nav><a href="/open">Open</a> <a href="/closed">Closed</a></nav>
<form><label>Name <input id="name" value="Ada"></label>
<label><input type="checkbox" checked> Urgent</label>
<select aria-label="City"><option>Oslo<option selected>Bergen</select>
<button type="button" id="save">Save</button></form>
<div id="host"></div>
<iframe title="Inner" srcdoc="<button>Inside</button>"></iframe>
<script>
document.getElementById("host").attachShadow({mode: "closed"}).innerHTML = "<button>Hidden deep</button>";
</script>
"""

# Everything a script can replace, freeze or listen to. What sees a call of ours writes it down.
WATCHER = """
<script>
const seen = window.__seen = [];
const note = (what) => { seen[seen.length] = what; };
new MutationObserver((records) => note("mutations: " + records.length))
  .observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
for (const type of [Node, Element, HTMLElement, Document, ShadowRoot, EventTarget, HTMLInputElement, HTMLSelectElement,
                    HTMLIFrameElement, Range, Selection, MutationObserver, TreeWalker, CSSStyleDeclaration]) {
  for (const key of Object.getOwnPropertyNames(type.prototype)) {
    const own = Object.getOwnPropertyDescriptor(type.prototype, key);
    if (key === "constructor" || !own.configurable) continue;
    const trap = (original) => function (...args) { note(type.name + "." + key); return original.apply(this, args); };
    if (typeof own.value === "function") Object.defineProperty(type.prototype, key, {...own, value: trap(own.value)});
    else if (own.get) {
      Object.defineProperty(type.prototype, key, {...own, get: trap(own.get), set: own.set && trap(own.set)});
    }
  }
}
for (const name of ["getComputedStyle", "requestAnimationFrame", "setTimeout", "queueMicrotask"]) {
  const original = window[name];
  window[name] = function (...args) { note(name); return original.apply(this, args); };
}
document.querySelectorAll = document.querySelector = () => { note("querySelectorAll"); return []; };
JSON.stringify = JSON.parse = () => { note("JSON"); return "{}"; };
window.Map = window.WeakMap = window.Set = window.WeakRef = class { constructor() { note("Map"); } };
for (const name of ["push", "map", "join", "filter"]) {
  Array.prototype[name] = function () { seen[seen.length] = "Array"; return []; };
}
Object.defineProperty(Array.prototype, Symbol.iterator, {value: function* () { seen[seen.length] = "iterator"; }});
Object.defineProperty(Error, "prepareStackTrace", {get() { seen[seen.length] = "stack"; return undefined; }});
Object.defineProperty(Object.prototype, "get", {get() { seen[seen.length] = "get"; return undefined; }});
Object.freeze(Object.prototype); Object.freeze(Function.prototype); Object.freeze(Promise.prototype);
window.__names = 0; window.__names = Reflect.ownKeys(window).length;
</script>
"""


async def test_reading_and_acting_call_nothing_of_the_page_and_change_nothing_else(page: Page, serve: Serve) -> None:
    await page.goto(serve(CONTENT + WATCHER))
    refs = {ref.name: ref.ref for ref in (await page.snapshot()).refs.values()}
    markup = await page.evaluate("document.documentElement.outerHTML")
    before = await _seen(page)

    await page.search("orders")
    await page.markdown()
    await page.find("button", attributes=["id"])
    await page.scroll("down")
    await page.wait_for(text="Orders")
    await page.screenshot(marks=True)
    await page.schema()
    await page.clean_html()
    await page.wait_for(ref=refs["Save"])
    await page.hover(refs["Open"])
    await page.click(refs["Save"])
    await page.click(refs["Inside"])
    await page.click(refs["Hidden deep"])
    await page.fill(refs["Name"], "Grace")
    await page.select(refs["City"], "Oslo")
    await page.uncheck(refs["Urgent"])
    await page.press("Tab")
    snapshot = await page.snapshot()

    assert await _seen(page) == before
    assert await page.evaluate("document.documentElement.outerHTML") == markup
    assert await page.evaluate("Reflect.ownKeys(window).length === __names") is True
    assert 'textbox "Name" [ref=' in snapshot.text
    assert ": Grace" in snapshot.text

    before = await _seen(page)
    await page.evaluate("document.getElementById('save').setAttribute('class', 'x')")  # which it does see

    assert (await _seen(page))[len(before) :] == [
        "Document.getElementById",
        "Element.setAttribute",
        "mutations: 1",
    ]


async def _seen(page: Page) -> list[str]:
    """What the page noticed, told without any of the functions that it replaced."""
    told = await page.evaluate(
        "(() => { let text = ''; for (let i = 0; i < __seen.length; i++) text += __seen[i] + '\\n'; return text; })()"
    )
    return str(told).splitlines()


async def test_a_page_that_watches_itself_sees_nothing_and_reads_the_same(page: Page, serve: Serve) -> None:
    await page.goto(serve(CONTENT))
    plain = await page.snapshot()
    await page.goto(serve(CONTENT + WATCHER))
    before = await _seen(page)

    watched = [await page.snapshot(), await page.snapshot(budget_tokens=1000)]

    assert [snapshot.text.count("\n") for snapshot in watched] == [plain.text.count("\n")] * 2
    assert _without_refs(watched[0].text) == _without_refs(plain.text)
    assert await _seen(page) == before
    assert await page.evaluate("Reflect.ownKeys(window).length === __names") is True


def _without_refs(text: str) -> str:
    return re.sub(r"\[ref=E\d+\]", "[ref]", text)


async def test_a_strict_content_security_policy_neither_stops_us_nor_hears_of_us(page: Page, serve: Serve) -> None:
    policy = "default-src 'none'; script-src 'nonce-x'; require-trusted-types-for 'script'; trusted-types 'none'"
    script = "heard = []; document.addEventListener('securitypolicyviolation', (event) => heard.push(event.blockedURI))"
    await page.goto(
        serve(f"<script nonce=x>{script}</script><button>Go</button>", headers={"Content-Security-Policy": policy})
    )
    await page.snapshot()

    await page.click("E1")

    assert await page.evaluate("heard") == []
