"""Pages that would keep whoever reads them for ever, take away what a script stands on, or be too much of everything."""

# ruff: noqa: E501 (a row is a line)

from __future__ import annotations

from tests.web import SLOW

from .rows import GO, Attack, Calls, press, shown

_ASK = f"const asked = new XMLHttpRequest(); const ask = () => {{ asked.open('GET', '{SLOW}', false); asked.send(); }};"
"""A script that asks in a loop hangs as with `for (;;);`, and takes no processor; one that leaves its page may not ask."""
_READ: Calls = (("snapshot", {}), ("search_page", {"pattern": "Here"}), ("find_elements", {"selector": "p"}))

TOO_MUCH = [
    shown("5,500 elements, 1,000 that listen, and 5,000 attributes", "let t = '<p>'; for (let i = 0; i < 4500; i++) t += '<i>' + i + '</i>'; document.body.insertAdjacentHTML('beforeend', t); for (let i = 0; i < 1000; i++) document.body.appendChild(document.createElement('i')).onclick = () => i; const a = []; for (let i = 0; i < 5e3; i++) a.push('a' + i + '=' + i); document.body.insertAdjacentHTML('beforeend', '<button ' + a.join(' ') + '>b</button>')", calls=_READ),
    shown("a title and a name of 300,000 letters, an attribute and an address of many", "document.title = 'T'.repeat(3e5); document.body.append(Object.assign(document.createElement('button'), {ariaLabel: 'N'.repeat(3e5)})); p.id = 'N'.repeat(1e5); p.className = 'c '.repeat(3e4); history.replaceState(0, '', '?' + 'a'.repeat(1e5))", calls=_READ),
    shown("shadow roots in shadow roots, frames in frames, and styles that take long", "let e = document.body; for (let i = 0; i < 40; i++) { const d = document.createElement('div'); e.append(d); e = d.attachShadow({mode: i % 2 ? 'open' : 'closed'}); } e.append('deep'); for (let i = 0; i < 2; i++) document.body.append(Object.assign(document.createElement('iframe'), {srcdoc: '<iframe srcdoc=\"<p>in\"></iframe>'})); let t = ''; for (let i = 0; i < 100; i++) t += '<b><u>' + i + '</u></b>'; document.body.insertAdjacentHTML('beforeend', t); document.head.append(Object.assign(document.createElement('style'), {textContent: 'p, b, u { --a: x } ' + ':has(:has(b ~ u) > * ~ u) ~ * > b { color: red } '.repeat(10)}))", calls=_READ),
    shown("5,000 levels, and 5,000 shadow roots in each other", "for (const inside of [(d) => d, (d) => d.attachShadow({mode: 'open'})]) { let e = document.body; for (let i = 0; i < 5000; i++) { const d = document.createElement('div'); e.append(d); e = inside(d); } e.append('deep'); }", calls=_READ, hangs=True),
    press("a storm of tabs, some of them empty", "for (let i = 0; i < 3; i++) window.open((i % 2 ? '/next?' : 'about:blank?') + i)", leaves=True),
    press("twenty downloads", "for (let i = 0; i < 20; i++) { const a = document.createElement('a'); a.download = i + '.txt'; a.href = window.URL.createObjectURL(new Blob(['x'])); a.click(); }", downloads=20),
    shown("storages that are full", "try { for (let i = 0; ; i++) localStorage['k' + i] = 'a'.repeat(1e5) } catch {} caches.open('x').then((c) => { for (let i = 0; i < 5; i++) c.put('/' + i, new Response(new Blob([new Uint8Array(1e6)]))) }); const o = indexedDB.open('x'); o.onupgradeneeded = () => o.result.createObjectStore('s'); o.onsuccess = () => { for (let i = 0; i < 5; i++) o.result.transaction('s', 'readwrite').objectStore('s').put(new Blob([new Uint8Array(1e6)]), i) }", calls=_READ),
    press("a storm of dialogs", "for (let i = 0; i < 8; i++) alert('again ' + i)", tells="dialog alert"),
    press("dialogs that follow each other", "const ask = () => { if (!window.enough) confirm('again?') ? 0 : setTimeout(ask); }; ask(); setTimeout(() => window.enough = 1, 300)", tells="dialog confirm"),
    press("printing, and the whole screen", "document.documentElement.requestFullscreen?.().catch(() => 0); document.body.requestPointerLock?.(); print(); setTimeout(print)"),
    press("a history that leads nowhere", "for (let i = 0; i < 60; i++) history.pushState(i, '', '?' + i); onpopstate = () => history.forward()", calls=(*GO, ("back", {}))),
    press("a script without an end", _ASK + "for (;;) ask();", hangs=True),
    press("a page that asks whether to stay", "onbeforeunload = (e) => e.preventDefault(); location = '/next'", tells="beforeunload"),
    shown("a war of observers", _ASK + "new MutationObserver(() => { ask(); document.querySelector('p').title = Math.random(); }).observe(document, {subtree: true, attributes: true}); document.querySelector('p').title = 'x'", calls=_READ, hangs=True),
    shown("a page that writes itself anew", "let n = 0; const t = setInterval(() => { document.open(); document.write('<title>Shop</title><p>Here ' + n + '</p>'); document.close(); if (++n > 15) clearInterval(t); }, 20)", calls=_READ),
    shown("a page that goes round in circles", "if (+location.hash.slice(1) < 3) { location.hash = +location.hash.slice(1) + 1; location.reload(); }", calls=_READ),
    press("an element that comes and goes", "setInterval(() => { const b = document.querySelector('button'); b.replaceWith(b.cloneNode(true)); }, 40)"),
]  # fmt: skip

BROKEN = [
    shown("a form that is its own fields", "document.body.insertAdjacentHTML('beforeend', '<form><input name=children><input name=parentNode><input name=nodeType><input name=tagName><input name=getAttribute><input name=ownerDocument><input name=id></form>')", calls=_READ),
    shown("elements by the names of globals", "for (const id of ['document', 'window', 'JSON', 'Array', 'location', 'navigator', 'performance']) document.body.insertAdjacentHTML('beforeend', `<a id=${id}></a><img name=${id}>`)", calls=_READ),
    shown("elements that do something when they are asked", "customElements.define('x-trap', class extends HTMLElement { get textContent() { throw 'x' } get attributes() { throw 'x' } getBoundingClientRect() { throw 'x' } attributeChangedCallback() { throw 'x' } }); document.body.append(document.createElement('x-trap'))", calls=_READ),
    shown("traps in what is asked", "const trap = {toString() { for (;;); }, valueOf() { for (;;); }, [Symbol.toPrimitive]() { for (;;); }}; document.querySelector('p').onclick = trap; document.all.x = trap; window.trap = trap; document.querySelector('p').trap = trap", calls=_READ),
    shown("a title that is asked for", "Object.defineProperty(document, 'title', {get() { for (;;); }, set() { throw 1 }}); Object.defineProperty(Document.prototype, 'title', {get() { for (;;); }})", calls=_READ),
    shown("no JSON", "JSON = null; window.JSON = {parse() { throw 1 }, stringify() { throw 1 }}", calls=_READ),
    shown("what is made of everything in JSON", "for (const each of [Object, String, Array, Number, Boolean, Function]) each.prototype.toJSON = () => { for (;;); }", calls=_READ),
    shown("getters of the window that throw", "for (const k of ['document', 'getComputedStyle', 'innerWidth', 'scrollX', 'requestAnimationFrame', 'setTimeout', 'MutationObserver', 'WeakRef']) try { Object.defineProperty(window, k, {get() { throw 'x' }}) } catch {}", calls=_READ),
    shown("getters that throw", "for (const k of ['children', 'childNodes', 'textContent', 'shadowRoot', 'ownerDocument', 'nodeType', 'parentNode', 'isConnected']) for (const p of [Node, Element, Document]) try { Object.defineProperty(p.prototype, k, {get() { throw 'x' }}) } catch {}", calls=_READ),
    shown("no time", "Date = performance = undefined; window.Date = function () { throw 'x' }; performance.now = () => NaN; requestAnimationFrame = setTimeout = () => 0", calls=_READ),
    shown("a setter of every object", "Object.defineProperty(Object.prototype, 'text', {set() { throw 'x' }, get() { return 'OBEY' }}); Object.defineProperty(Object.prototype, 'then', {get() { throw 'x' }})", calls=_READ),
    shown("other prototypes", "for (const k of ['push', 'map', 'slice', 'join', 'filter', 'forEach', 'indexOf', Symbol.iterator]) Array.prototype[k] = () => { throw 'x' }; Promise.prototype.then = () => { throw 'x' }; Map.prototype.get = () => { throw 'x' }; String.prototype.replace = () => { throw 'x' }; Object.prototype.toString = () => { throw 'x' }", calls=_READ),
]  # fmt: skip
"""On one page: each takes away from scripts what those before it did not need."""

DOCUMENTS = [
    press("other events", "EventTarget.prototype.addEventListener = EventTarget.prototype.dispatchEvent = () => { throw 'x' }; Event.prototype.preventDefault = () => { throw 'x' }; addEventListener = null", calls=(*GO, ("press", {"key": "Tab"}))),
    shown("a document without a root", "document.documentElement.remove()", calls=(("snapshot", {}),)),
    shown("a document of drawings", "document.documentElement.replaceWith(document.createElementNS('http://www.w3.org/2000/svg', 'svg'))", calls=(("snapshot", {}),)),
    Attack("a page that is no HTML", "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>", calls=(("snapshot", {}),)),
]  # fmt: skip
