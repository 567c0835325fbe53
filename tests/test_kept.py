"""A large page is read only where it changed, and reads exactly as if it had been read anew."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from bench.fuzz.run import PAGE as LONG_PAGE
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.snapshot import budget, style_rules
from cdp_agent.page.snapshot import snapshot as snapshots
from cdp_agent.page.snapshot.reading import read_all
from cdp_agent.page.snapshot.snapshot import SnapshotPart

from .conftest import Serve
from .writing import write

PAGE = LONG_PAGE.replace("i < 140", "i < 5")
"""With all that a change may change elsewhere, and little beside that."""
WITHIN = 1_010
FILLER = "".join(f"<li>Filler {n} <a href=/{n}>more</a>{'<i></i>' * 8}" for n in range(11))
"""As much as it takes for a page to be kept, most of it with nothing to say."""

UNUSED = "".join(f".unused{n}::before {{ content: none }}" for n in range(500))
_UNUSED_RULES = "const rules = document.styleSheets[0].cssRules"

REMEMBERED = {
    "rules for classes that nothing has": (
        f"<style>{UNUSED}.unused {{ color: red }}</style><p id=p>said</p>{'<i></i>' * 80}",
        [
            f"{_UNUSED_RULES}; rules[1].style.content = '\"one \"'; p.firstChild.data = 'other'",
            "p.className = 'unused1'",
            f"{_UNUSED_RULES}; rules[1].style.content = '\"two \"'",
            f"{_UNUSED_RULES}; p.className = ''; rules[2].style.content = '\"three \"'",
            f"{_UNUSED_RULES}; rules[2].selectorText = 'p::before'",
            f"{_UNUSED_RULES}; rules[2].selectorText = '.unused2::before'",
            f"{_UNUSED_RULES}; rules[500].insertRule('p:not(&)::before {{ content: \"four \" }}')",
            f"{_UNUSED_RULES}; rules[500].deleteRule(0)",
        ],
    ),
    "what rules say of a class that comes later": (
        f"<style>{UNUSED}.late {{ cursor: pointer; text-transform: uppercase; & i::after {{ content: 'in' }} }}"
        " .late + p { display: none } .late:hover + p, .last + ol li::before { content: 'x'; display: block }</style>"
        f"<p id=p><i></i>said <b>so</b></p><p>beside</p>{'<i></i>' * 80}",
        [
            "p.className = 'late'",
            "p.className = ''",
            "document.querySelector('b').className = 'late unused7'",
            "document.styleSheets[0].cssRules[501].style.display = 'inline'",
            "document.querySelectorAll('p')[1].className = 'last'",
        ],
    ),
    "a box that lies over its face": (
        f"<ol>{FILLER}</ol><p id=p style='position: relative'><span"
        " style='cursor: pointer; display: inline-block; width: 20px; height: 20px'></span><input type=checkbox"
        " style='position: absolute; top: 0; left: auto; right: 0; width: 20px; height: 20px'></p>",
        ["p.lastChild.style.left = 0", "p.style.textIndent = '300px'"],
    ),
    "a list in its control that takes clicks once it is open": (
        f"<ol>{FILLER}</ol><style>.pick, .pick li {{ cursor: pointer }} .pick ul {{ pointer-events: none }}"
        " .open ul { pointer-events: auto }</style><div id=p class=pick tabindex=0>Choose<ul><li>One<li>Two</ul></div>",
        ["p.classList.add('open')", "p.classList.remove('open')", "p.lastChild.style.pointerEvents = 'auto'"],
    ),
    "the handle of a slider that has a cursor": (
        f"<ol>{FILLER}</ol><style>.move {{ cursor: move }}</style><div style='cursor: pointer' id=p onclick=0><i"
        " style='display: block; width: 9px; height: 9px; background: red' onmousedown=0></i></div>",
        [
            "p.firstChild.className = 'move'",
            "p.style.cursor = 'move'",
            "p.style.cursor = 'pointer'",
            "p.firstChild.className = ''",
        ],
    ),
    "a popover after what goes": (
        f"<ol>{FILLER}</ol><div id=p popover><ul><li><button>Edit</button></li></ul></div>",
        ["p.showPopover()", "p.hidePopover()", "document.querySelector('ol').remove()", "p.showPopover()"],
    ),
    "a popover before what comes": (
        "<main></main><div id=p popover><ul><li><button>Edit</button></li></ul></div>",
        [
            "p.showPopover()",
            "p.hidePopover()",
            "document.querySelector('main').innerHTML = '<p>one</p><p>two</p>'",
            "p.showPopover()",
        ],
    ),
    "a paragraph that a cell says": (
        "<main></main><table><tr><th>A<th>B<tr><td id=p><p>said</p><button>Edit</button><td>1</table>",
        [
            "document.querySelector('button').hidden = true",
            "document.querySelector('main').innerHTML = '<p>one</p><p>two</p>'",
            "document.querySelector('button').hidden = false",
        ],
    ),
    "a paragraph that an item says": (
        "<main></main><ul><li>one<li id=p><p>said <b>so</b></p></ul>",
        [
            "p.append(Object.assign(document.createElement('button'), {textContent: 'Edit'}))",
            "p.lastChild.remove()",
            "document.querySelector('main').innerHTML = '<p>one</p><p>two</p>'",
            "p.prepend(Object.assign(document.createElement('button'), {textContent: 'Edit'}))",
        ],
    ),
    "what is hidden and changed then": (
        "<div id=p popover><p>before</p><button>Edit</button></div>",
        [
            "p.showPopover()",
            "p.hidePopover()",
            "p.querySelector('p').textContent = 'after'; p.querySelector('button').textContent = 'Copy'",
            "document.querySelector('li').append('!')",
            "p.showPopover()",
        ],
    ),
    "what is hidden while something around it changes": (
        "<style>.off b { display: none }</style><div id=around><div id=p popover><p>one <b>two</b> three</p>"
        "<ul><li>one<li>two</ul></div></div>",
        ["p.showPopover()", "p.hidePopover()", "around.className = 'off'", "p.showPopover()"],
    ),
    "a caption named by another": (
        "<i id=p hidden>Prices</i><table><caption hidden aria-labelledby=p>Goods<tr><th>A<th>B<tr><td>1<td>2</table>",
        ["p.textContent = 'Costs'"],
    ),
    "a hidden caption with a field in it": (
        "<table><caption hidden>Goods <input id=p value=one></caption><tr><th>A<th>B<tr><td>1<td>2</table>",
        ["p.value = 'two'"],
    ),
    "a list that is one for as long as something names it": (
        "<i id=p>named</i><ul role=none aria-labelledby=p><li>one<li>two</ul>",
        ["p.remove()"],
    ),
    "a header that is in no row": (
        "<table><tr><th>A<th>B<tr><th>C<td>1</table><p>one</p><div id=p><i>two</i></div>",
        ["p.append(document.querySelectorAll('th')[2])", "p.append(document.querySelector('td'))"],
    ),
    "headers that what is beside them, or below, makes such": (
        "<table><tr><th>A <button>B</button><td id=p>1<tr><td>1<td>2</table>"
        "<table id=t><tr><th>C <button>D</button></table>",
        ["p.textContent = ''", "t.insertRow().insertCell()"],
    ),
    "what has the focus": (
        "<section id=p tabindex=-1 aria-label=S><p>one</p><ul><li>one<li>two</ul></section>",
        ["p.focus()", "p.blur()"],
    ),
    "what the keys of a list are on": (
        "<div tabindex=0 role=combobox id=p aria-label=C>one</div>"
        "<div role=listbox id=l><i role=option>one</i><i role=option>two</i></div>",
        [
            "p.focus(); p.ariaActiveDescendantElement = l.lastChild",
            "p.ariaActiveDescendantElement = l.firstChild",
            "p.blur()",
        ],
    ),
    "a sheet for other media": (
        "<style media=print>#p { display: none }</style><p id=p>said <b>so</b></p>",
        ["document.styleSheets[0].media.mediaText = ''"],
    ),
    "what a rule makes inert": (
        "<style>p { color: red }</style><p><button>one</button></p>",
        [
            "document.styleSheets[0].cssRules[0].style.interactivity = 'inert'",
            "document.styleSheets[0].cssRules[0].style.interactivity = ''",
        ],
    ),
    "the part that a component names": (
        "<label for=p>Name</label><div id=p></div>",
        [
            "p.attachShadow({mode: 'open'}).innerHTML = '<input id=one><input id=two>'",
            "p.shadowRoot.referenceTarget = 'one'",
            "p.shadowRoot.referenceTarget = 'two'",
        ],
    ),
    "an option by itself": ("<ul><option id=p>one</option></ul>", ["p.selected = true"]),
    "a variable in a style of its own": (
        "<style>.switch + div { --shown: none }</style><p id=p></p><div><span style='display: var(--shown)'>one</span>"
        " two</div>",
        ["p.className = 'switch'"],
    ),
    "a variable in a style that came later": (
        "<style>.switch + div { --shown: none }</style><p id=p></p><div><span>one</span> two</div>",
        ["document.querySelector('span').style.display = 'var(--shown)'", "p.className = 'switch'"],
    ),
    "a variable that a rule sets to something else": (
        "<style>:root { --shown: inline; --said: 'before' } span { display: var(--shown) }"
        " span::before { content: var(--said) } p { --mode: off }"
        " @container style(--mode: on) { i { display: none } }</style>"
        "<div><span>one</span> two</div><p><i>three</i></p>",
        [
            "document.styleSheets[0].cssRules[0].style.setProperty('--shown', 'none')",
            "document.styleSheets[0].cssRules[0].style.setProperty('--shown', 'block')",
            "document.styleSheets[0].cssRules[0].style.setProperty('--said', '\"after\"')",
            "document.styleSheets[0].cssRules[3].style.setProperty('--mode', 'on')",
            "document.styleSheets[0].cssRules[3].style.removeProperty('--mode')",
            "document.styleSheets[0].cssRules[0].style.removeProperty('--shown')",
        ],
    ),
    "a rule for what is in the page as a whole": (
        "<style>:scope > body p::before { content: 'said' }</style><p id=p>one <a href=/two>two</a></p>",
        ["p.title = 'new'"],
    ),
    "many elements at once": (
        "<style>i::before { content: 'said' } b[id] { cursor: pointer } u { text-decoration: line-through }</style>"
        "<div id=p>" + "<p aria-hidden=false><i>one</i> <b id=b>two</b> <u>three</u></p>" * 60 + "</div>",
        ["p.className = 'new'", "p.title = 'new'"],
    ),
    "if()": (
        "<style>.on + div { --mode: on } span { display: if(style(--mode: on): none; else: inline) }</style>"
        "<p id=p></p><div><span>one</span> two</div>",
        ["p.className = 'on'", "p.className = ''"],
    ),
    "a function": (
        "<style>@function --fn() { result: var(--shown); } .on + div { --shown: none } span { display: --fn() }</style>"
        "<p id=p></p><div><span>one</span> two</div>",
        ["p.className = 'on'", "document.querySelector('style').sheet.deleteRule(0)"],
    ),
    "a picture in place of an element": (
        "<style>.new { color: red }</style><div class=new>one <a href=/x>two</a></div><h2 class=new>three</h2>",
        [
            "document.styleSheets[0].insertRule('.new { content: linear-gradient(red, blue) / \"said\" }', 1)",
            "document.styleSheets[0].cssRules[1].style.content = 'linear-gradient(red, blue) / \"otherwise\"'",
            "document.styleSheets[0].cssRules[1].style.content = 'linear-gradient(red, blue)'",
            "document.styleSheets[0].cssRules[1].style.content = ''",
            "document.querySelector('.new').style.content = 'linear-gradient(red, blue) / \"by itself\"'",
            "document.querySelector('.new').style.content = ''",
        ],
    ),
    "a property that is registered": (
        "<style>span { display: var(--registered) }</style><div><span>one</span> two</div>",
        ["CSS.registerProperty({name: '--registered', syntax: '*', inherits: true, initialValue: 'none'})"],
    ),
    "what comes to own others": (
        "<div id=p role=group aria-label=Around></div><p id=one>one <button>Edit</button></p>",
        ["", "p.setAttribute('aria-owns', 'one')", "", "p.removeAttribute('aria-owns')"],
    ),
    "a style that comes to let the mouse pass": (
        "<p id=p><button>one</button> two</p>",
        ["", "p.style.pointerEvents = 'none'", "", "p.style.pointerEvents = ''"],
    ),
    "an element that comes to be a popover": (
        "<div><div id=p><button>one</button> two</div></div>",
        ["", "p.popover = 'manual'", "", "p.showPopover()", "", "p.hidePopover()", "p.removeAttribute('popover')"],
    ),
    "an icon that becomes a drawing with what is around": (
        "<div id=p style='width: 20px'><svg width=100% viewBox='0 0 9 9'><text>one</text><rect width=9 height=9 />"
        "</svg></div>",
        ["", "p.style.width = '300px'", "", "p.style.width = '20px'"],
    ),
    "the symbol that an icon uses": (
        "<div role=button tabindex=0><svg width=20 height=20><use class=one href='#a'></use></svg></div>",
        [
            "",
            "document.querySelector('use').href.baseVal = '#b'",
            "",
            "document.querySelector('use').href.baseVal = '#c'",
        ],
    ),
    "the colour of what has no name": (
        "<style>:root { --a: red } div[role] { background: var(--a); width: 9px; height: 9px }</style>"
        "<div role=button tabindex=0></div>",
        ["", "document.documentElement.style.setProperty('--a', 'lime')", ""],
    ),
    "what listens and comes to take room": (
        "<style>.in { width: 100%; height: 100% }</style>"
        "<div id=p style='width: 0'><div class=in onclick=0></div></div>",
        ["", "p.style.width = p.style.height = '50px'", "", "p.style.width = 0"],
    ),
    "a button that has a label": (
        "<main></main><button id=p>Go</button>",
        [
            "document.querySelector('main').innerHTML = '<label for=p>Name</label>'",
            "document.querySelector('label').textContent = 'Other'",
            "document.querySelector('label').htmlFor = 'q'",
            "document.querySelector('label').htmlFor = 'p'",
            "document.querySelector('label').remove()",
        ],
    ),
    "a label that comes to be one": (
        "<label for=later>Name</label><main></main>",
        ["", "document.querySelector('main').innerHTML = '<input id=later>'", "", "later.remove()"],
    ),
    "an element that a text fills and leaves empty": (
        "<style>b:empty + i { display: none }</style><p><b id=p></b><i>said</i></p>",
        ["", "p.textContent = 'one'", "", "p.textContent = 'two'", "p.textContent = ''", "p.append('three')"],
    ),
    "a field without a label": (
        f"<ol>{FILLER}</ol><form id=p><input required><textarea>said</textarea><select><option>one<option>one</select>"
        "<select multiple><option>three<option>four</select><progress value=1 max=9></progress><input readonly"
        " aria-labelledby=b></form><i id=b>named</i>",
        [
            "p[0].value = 'a word'; p[1].value = 'more'",
            "p[2].selectedIndex = 1; p[3][1].selected = true",
            "p[2][0].label = 'first'; p[3][0].hidden = true",
            "p.prepend(document.createElement('style')); p.firstChild.sheet.insertRule('option { }')",
            "p.firstChild.sheet.cssRules[0].style.display = 'none'",
            "p.firstChild.sheet.deleteRule(0)",
            "p[2].size = 2",
            "p.querySelector('progress').value = 7",
            "b.firstChild.data = 'renamed'",
            "p[0].focus(); p[1].setSelectionRange(0, 2)",
            "p[0].blur(); p.inert = true",
            "p.inert = false; p[4].style.visibility = 'hidden'",
        ],
    ),
    "the language of the page": (
        "<style>p:lang(de)::before { content: 'DE ' }</style><p>one</p>",
        [
            "document.head.insertAdjacentHTML('beforeend', '<i><meta http-equiv=content-language content=de></i>')",
            "document.querySelector('meta').content = 'en'",
            "document.head.insertAdjacentHTML('beforeend', '<meta http-equiv=content-language content=de>');"
            " document.head.lastChild.remove()",
        ],
    ),
}


async def test_what_is_remembered_is_not_told_where_it_is_no_longer_so(
    page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    await page.goto(serve(""))
    for name, (content, changes) in REMEMBERED.items():
        await write(page, f"<!doctype html><body>{content}<ol>{FILLER}</ol>")
        await page.snapshot()

        for change in changes:
            if not change:  # it is read once more
                await page.snapshot()
                continue
            await page.evaluate(f"(() => {{ {change} }})()")

            with subtests.test(name, change=change):
                assert (await page.snapshot()).text.split("\n") == (await _read_anew(page)).split("\n")


async def test_a_reading_within_a_budget_tells_what_is_there_now(page: Page, serve: Serve) -> None:
    await page.goto(serve(PAGE))
    await page.snapshot()

    await page.evaluate("document.querySelector('h2').textContent = 'changed'; scrollTo(0, 300)")

    within = (await page.snapshot(budget_tokens=WITHIN)).text
    assert '"changed"' in within
    assert within.split("\n") == (await _read_anew_within(page)).split("\n")


UNTOLD = {
    "a state that decides what is shown beside it": "document.querySelector('[type=checkbox]').click()",
    "a value": "document.querySelector('#name').value = 'Bea'",
    "the focus": "document.querySelector('#where').focus()",
    "what is open on top": "document.querySelector('[popover]').showPopover()",
    "a cell beside a header": "document.querySelector('th').parentNode.append(document.createElement('td'))",
    "what fills the cell beside a header": "document.querySelector('table').rows[0].outerHTML = '<tr><th>A<td>'",
    "a label elsewhere": "document.querySelector('label').textContent = 'First name'",
    "what names a group": "document.querySelector('#named').textContent = 'renamed'",
    "an earlier tooltip of the same words": "document.querySelector('.headerlink').title = ''",
    "a rule that hid already": "document.querySelector('style').sheet.cssRules[3].style.display = 'none'",
    "the paint of an empty neighbour": "document.querySelector('.switchable').className = 'lit'",
    "the paint of what was painted": "document.querySelector('.lit').className = ''",
    "a tick": "document.querySelector('.choice').checked = true",
    "half a tick": "document.querySelector('.choice').indeterminate = true",
    "what disables a box to tick": "document.querySelector('.choices').disabled = true",
    "a label of a box to tick": "document.querySelector('.choice').id = 'named'",
    "a closed shadow root": "document.querySelector('#host').attachShadow({mode: 'closed'}).innerHTML = '<p>inside'",
    "a shadow root": "document.querySelector('h2').attachShadow({mode: 'open'}).innerHTML = '<slot></slot>!'",
    "a listener": "document.querySelector('.below').addEventListener('click', () => 0)",
    "text that makes an element not empty": "document.querySelector('p:empty').append('full')",
    "a class before something": "document.querySelector('.toggle').classList.add('open')",
    "what an element holds": "document.querySelector('.star').remove()",
    "a variable of a neighbour": "document.querySelector('.switch').className = ''",
}


async def test_what_changes_elsewhere_is_seen(page: Page, serve: Serve, subtests: pytest.Subtests) -> None:
    await page.goto(serve(PAGE))
    for _ in range(2):
        await page.snapshot()
    for name, change in UNTOLD.items():
        await page.evaluate(f"(() => {{ {change} }})()")

        with subtests.test(name):
            assert (await page.snapshot()).text.split("\n") == (await _read_anew(page)).split("\n")


RULES = """
  const { sheet } = document.querySelector('style');
  const rule = (selector) => [...sheet.cssRules].find((each) => (each.selectorText ?? '') === selector)"""
AS_BEFORE = "document.adoptedStyleSheets = []; void (document.querySelector('style').textContent += ' ')"
"""Has the page the sheet that it came with."""
CHANGES_OF_RULES = {
    "a rule in the place of the first": "sheet.deleteRule(0); sheet.insertRule('li::before { content: \"- \" }', 0)",
    "a pointer by an old rule": "rule('.plain').style.cssText = 'cursor: pointer'",
    "a pointer once the mouse is there": "sheet.insertRule('.plain:hover { cursor: pointer }')",
    "a rule in a media rule": "[...sheet.cssRules].at(-1).insertRule('h3::after { content: \"!\" }')",
    "a rule": "rule('.hand').style.display = 'none'",
    "a rule that set as much before": "rule('.plain').style.cssText = 'display: none; opacity: 1'",
    "a rule's selector": "rule('.hidden').selectorText = '.plain'",
    "a rule in a rule": "rule('.flex').insertRule('a { display: none }')",
    "the width that rules are for": "rule('').media.mediaText = '(min-width: 1px)'",
    "a rule in the place of another": "sheet.deleteRule(0); sheet.insertRule('h1 { display: none }', 0)",
    "a rule's sheet": "sheet.disabled = true",
    "a sheet more": "document.adoptedStyleSheets.push(new CSSStyleSheet());"
    " document.adoptedStyleSheets[0].replaceSync('h1 { display: none }')",
}


@pytest.mark.parametrize("many", [1000, 1], ids=["few rules, walked over", "many, recalculations counted"])
async def test_a_change_of_rules_is_seen_that_no_mutation_tells(
    many: int, page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    monkeypatch.setattr(style_rules, "MANY", many)
    parts = _watched(monkeypatch)
    await page.goto(serve(PAGE))
    for name, change in CHANGES_OF_RULES.items():
        await page.evaluate(AS_BEFORE)
        for _ in range(4 if many == 1 else 1):  # so many until no recalculation has come since
            before = (await page.snapshot()).text
        are_same = parts[-1].same_rules

        await page.evaluate(f"(() => {{ {RULES}; {change} }})()")

        after = (await page.snapshot()).text
        with subtests.test(name):
            assert are_same is (many == 1)
            assert after.split("\n") == (await _read_anew(page)).split("\n")
            assert after != before


CHANGES_ELSEWHERE = {
    "comes": "insertRule('.q::before { content: \"before \" }')",
    "is set": "cssRules[1].style.content = '\"before \"'",
    "selects another": "cssRules[2].selectorText = '.q::before'",
    "is exchanged": "deleteRule(1), it.insertRule('.q::before { content: \"before \" }', 1)",
}
WHERE = {"a shadow root": "host.shadowRoot", "a frame": "document.querySelector('iframe').contentDocument"}


async def test_a_change_of_many_rules_elsewhere_is_seen(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    monkeypatch.setattr(style_rules, "MANY", 1)
    parts = _watched(monkeypatch)
    rules = ".q { color: red } .q::before { color: red } .r::before { content: 'before ' }"
    inner = f"<style>{rules}</style><p class=q>inner</p>"
    content = f'<iframe srcdoc="{inner}"></iframe><div id=host></div><ol>{FILLER}</ol>'
    await page.goto(serve(f"<!doctype html><style>p {{ color: blue }}</style>{content}"))
    await page.evaluate(f"void (host.attachShadow({{mode: 'open'}}).innerHTML = `{inner}`)")
    for where, root in WHERE.items():
        for name, change in CHANGES_ELSEWHERE.items():
            for each in WHERE.values():
                await page.evaluate(f"void ({each}.querySelector('style').textContent += ' ')")
            for _ in range(5):
                before = (await page.snapshot()).text
            are_same = parts[-1].same_rules

            await page.evaluate(f"{{ const it = {root}.styleSheets[0]; it.{change} }}")

            with subtests.test(name, where=where):
                assert are_same
                assert "before inner" not in before
                assert (await page.snapshot()).text.count("before inner") == 1


async def test_what_the_size_of_a_container_hides_is_seen_where_the_rest_is_kept(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = ".box { container-type: inline-size; flex: 1 } @container (max-width: 300px) { .wide { display: none } }"
    row = "<div style='display: flex; width: 600px'><b id=b>Beside</b><div class=box><p class=wide>Wide</p></div></div>"
    await page.goto(serve(f"<!doctype html><style>{rules}</style>{row}<ol>{FILLER}</ol>"))
    parts = _watched(monkeypatch)
    before = (await page.snapshot()).text

    await page.evaluate("b.style.paddingLeft = '400px'")
    after = (await page.snapshot()).text

    assert parts[-1].edits is not None
    assert ("paragraph: Wide" in before, "paragraph: Wide" in after) == (True, False)


async def test_only_the_lines_that_changed_are_told(page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    await page.goto(
        serve("<!doctype html><ul>" + "".join(f"<li><a href=/{n}>Item {n}</a> of many" for n in range(300)))
    )
    parts = _watched(monkeypatch)
    before = (await page.snapshot()).text.split("\n")

    await page.evaluate("document.querySelectorAll('a')[140].textContent = 'changed'")
    after = (await page.snapshot()).text.split("\n")

    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert len(changed) == 1
    assert '"changed"' in changed[0][1]
    assert parts[-1].edits is not None
    assert sum(len(edit) for edit in parts[-1].edits if isinstance(edit, str)) < 200


async def test_a_table_of_fields_is_kept(page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    fields = "<tr><td>Amount<td><input value=1><td><select><option>one<option>two</select>" * 1200
    await page.goto(serve(f"<!doctype html><table>{fields}</table>"))
    await page.snapshot()
    parts = _watched(monkeypatch)

    await page.evaluate("document.querySelectorAll('input')[700].value = 'changed'")
    lines = (await page.snapshot()).text.split("\n")

    assert [": changed" in line for line in lines].count(True) == 1
    assert parts[-1].edits is not None
    assert sum(len(edit) for edit in parts[-1].edits if isinstance(edit, str)) < 500


BLIND = "markChange(currentCache, record, target, type);"


async def test_a_kept_reading_that_differs_is_repaired_and_logged_without_its_text(
    page: Page,
    serve: Serve,
    change_script: Callable[[str, str], None],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    change_script(BLIND, "")
    monkeypatch.setattr(snapshots, "CHECKS", 1)
    await page.goto(serve(f"<!doctype html><h1>Confidential</h1><p>before</p><ol>{FILLER}</ol>"))
    await page.snapshot()

    await page.evaluate("document.querySelector('p').textContent = 'after'")
    repaired = await page.snapshot()
    after = await page.snapshot()

    assert "paragraph: after" in repaired.text
    assert after.text == repaired.text == await _read_anew(page)
    assert [(each.name, each.levelname, each.getMessage()) for each in caplog.records if "cdp_agent" in each.name] == [
        (
            "cdp_agent.page.snapshot.snapshot",
            "ERROR",
            "Defect: a page of 25 lines differs from what was kept of it in line 2, which is paragraph and was kept "
            "as paragraph. What the page says is given.",
        )
    ]


async def test_a_kept_reading_that_is_right_stays_kept_when_it_is_checked(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(snapshots, "CHECKS", 1)
    parts = _watched(monkeypatch)
    await page.goto(serve(PAGE))

    for number in range(3):
        await page.evaluate(f"document.querySelector('h2').textContent = 'changed {number}'")
        assert f'"changed {number}"' in (await page.snapshot()).text

    assert [(part.checked, part.edits is not None) for part in parts[-2:]] == [(True, True), (True, True)]
    assert not [each for each in caplog.records if "cdp_agent" in each.name]


async def test_two_readings_at_once_tell_the_same(page: Page, serve: Serve) -> None:
    await page.goto(serve(PAGE))
    await page.snapshot()
    await page.evaluate("document.querySelector('h2').textContent = 'changed'")

    one, other = await asyncio.gather(page.snapshot(), page.snapshot())

    assert one.text == other.text == await _read_anew(page)


async def test_an_answer_that_got_lost_makes_the_next_reading_a_full_one(page: Page, serve: Serve) -> None:
    await page.goto(serve(PAGE))
    await page.snapshot()
    world = await (await tab_of(page).frames()).root.world()
    lost: dict[str, Any] = {"next": tab_of(page).refs.next_ids(world), **snapshots._base(world)}
    await page.evaluate("document.querySelector('h2').textContent = 'changed'")
    await world.call("snapshot", lost)

    text = (await page.snapshot()).text

    assert '"changed"' in text
    assert text == await _read_anew(page)


async def test_a_small_page_with_many_rules_is_kept_once_they_stay_the_same(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = "".join(f".a{n} b {{ color: red; margin: 0 }}" for n in range(600))
    await page.goto(serve(f"<style>{rules}</style><p class=a1>one <b>two</b></p><ol>{FILLER}"))
    parts = _watched(monkeypatch)

    for change in [
        "0",
        "0",
        "0",
        "document.styleSheets[0].cssRules[1].style.cssText = 'display: none; margin: 0'",
        "0",
    ]:
        await page.evaluate(change)
        assert (await page.snapshot()).text == await _read_anew(page)

    assert [part.edits is not None for part in parts] == [False, False, True, False, False]


def _watched(monkeypatch: pytest.MonkeyPatch) -> list[SnapshotPart]:
    """What the worlds answer from now on, but for what does not stand."""
    parts: list[SnapshotPart] = []
    whole = snapshots._whole

    def watch(world: Any, part: SnapshotPart, stands: bool) -> SnapshotPart:
        if stands:
            parts.append(msgspec.structs.replace(part))
        return whole(world, part, stands)

    monkeypatch.setattr(snapshots, "_whole", watch)
    return parts


async def _read_anew(page: Page, *, marks: bool = False) -> str:
    """The text by a reading that uses nothing of what is kept, and changes nothing of it."""
    tab = tab_of(page)
    options = {"base": None, "places": marks}
    readings = await read_all(await tab.frames(), tab.refs, "snapshot", SnapshotPart, options)
    return snapshots._Composer(readings, tab.refs, marks).text(readings.root)


async def _read_anew_within(page: Page) -> str:
    return budget.fit(await _read_anew(page, marks=True), WITHIN, [])
