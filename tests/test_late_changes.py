"""A click tells what came of it, late or odd as that may be; and says so where nothing came.

Each row is a page with a button "Go", what the button does, how many ms later, and what the receipt must then tell
("": that nothing was seen).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.receipts import observed
from cdp_agent.page.receipts.watch import Watch
from tests.acting import ref
from tests.conftest import Serve
from tests.listing import counted_from
from tests.writing import write

NOTHING = "no change seen within 1 s"


class Row(NamedTuple):
    does: str
    after_ms: int
    told: str
    body: str = "<p id=out></p>"


CANVAS = "<canvas id=c width=300 height=150></canvas>"
DRAW = "c.getContext('2d').fillRect(10, 10, 40, 1)"
SVG = "<svg id=s width=200 height=100><path id=w d='M0 0'></path></svg>"
WIRE = (
    "const p = document.createElementNS('http://www.w3.org/2000/svg', 'path'); p.setAttribute('d', 'M0 0L90 90');"
    "s.append(p)"
)
WORKER = "new Worker(URL.createObjectURL(new Blob(['onmessage = (e) => setTimeout(() => postMessage(1), e.data)'])))"
TICKS = """new Promise((done) => {
    let at = 0, times = 0
    new MutationObserver((_, observer) => {
        if (performance.now() - at < 60) return // timers that come late come together, and count once
        at = performance.now()
        if (++times === 4) done(observer.disconnect())
    }).observe(clock, {childList: true})
})"""
CLOCK = "<p id=clock>0</p><script>let n = 0; setInterval(() => {{ clock.textContent = ++n }}, {0})</script>"
OPEN = "<div id=h></div><script>r = h.attachShadow({mode: 'open'}); r.innerHTML = '<p id=i>one</p>'</script>"
CLOSED = "<div id=h></div><script>r = h.attachShadow({mode: 'closed'}); r.innerHTML = '<p id=i>one</p>'</script>"
FRAME = "<iframe id=f srcdoc='<p>one</p>'></iframe>"
BOX = "<div id=b style='height:50px;overflow:auto'><p style='height:900px'>long</p></div>"
SHEET = "const s = new CSSStyleSheet(); s.replaceSync('{0}'); document.adoptedStyleSheets = [s]"
RULES = "<style id=t></style><p id=out>text</p>"
EDITOR = "<div id=e contenteditable><p>one</p></div>"

ROWS = {
    "text at once": Row("out.textContent = 'done'", 0, "done"),
    "text after 150 ms": Row("out.textContent = 'done'", 150, "done"),
    "text after 900 ms": Row("out.textContent = 'done'", 900, "done"),
    "an element": Row("document.body.append(document.createElement('button'))", 150, "+ - button"),
    "an element that goes": Row("out.remove()", 150, "paragraph", "<p id=out>here</p>"),
    "an attribute": Row("out.setAttribute('aria-label', 'New')", 150, "New", "<div role=group id=out>x</div>"),
    "a state": Row("out.setAttribute('aria-pressed', 'true')", 150, "pressed", "<button id=out>B</button>"),
    "a class that means something": Row(
        "out.className = 'card selected'", 150, 'now "selected"', "<p id=out class=card>x</p>"
    ),
    "a class that is taken away": Row(
        "out.className = ''", 0, 'no longer "has-error"', "<p id=out class=has-error>x</p>"
    ),
    "a class of the button itself": Row(
        "document.querySelector('button').className = 'is-active'", 0, 'now "is-active"'
    ),
    "a class that only colours": Row(
        "out.className = 'css-1x2'", 150, "looks changed", "<style>.css-1x2 {color: red}</style><p id=out>x</p>"
    ),
    "a style": Row("out.style.color = 'red'", 150, "looks changed (color", "<p id=out>x</p>"),
    "a style of the page": Row("document.body.style.background = 'black'", 150, "looks changed (background"),
    "a word made bold": Row("out.innerHTML = 'a <b>word</b>'", 150, 'b: now "word"', "<p id=out>a word</p>"),
    "a style that hides": Row("out.style.display = 'none'", 150, "paragraph", "<p id=out>x</p>"),
    "a rule that hides": Row("t.sheet.insertRule('#out {display: none}')", 150, "paragraph", RULES),
    "a rule that is edited": Row(
        "t.sheet.cssRules[0].style.color = 'red'", 150, "looks changed", "<style id=t>p {color: blue}</style><p>x</p>"
    ),
    "a rule that is edited, for what is far down": Row(
        "t.sheet.cssRules[1].style.color = 'red'",
        150,
        "style rules changed",
        "<style id=t>p {color: blue} b {color: green}</style>" + "<p>x</p>" * 300 + "<b>y</b>",
    ),
    "a rule that stays, for what is far down": Row(
        "t.sheet.cssRules[1].style.color = 'green'",
        150,
        "",
        "<style id=t>p {color: blue} b {color: green}</style>" + "<p>x</p>" * 300 + "<b>y</b>",
    ),
    "an animation": Row(
        "out.animate([{opacity: 0}, {opacity: 1}], 3000)", 150, "looks changed (opacity", "<p id=out>x</p>"
    ),
    "a value after 900 ms": Row("out.value = 'typed'", 900, "typed", "<input id=out aria-label=Name>"),
    "a box that is ticked": Row("out.checked = true", 150, "checked", "<input type=checkbox id=out aria-label=Ok>"),
    "an option that is chosen": Row(
        "out.selectedIndex = 1", 150, "Two", "<select id=out aria-label=List><option>One<option>Two</select>"
    ),
    "a box that scrolls": Row("b.scrollTop = 400", 150, "scrolled to 400", BOX),
    "the page that scrolls": Row(
        "scrollTo(0, 500)", 700, "the page: scrolled to 500", "<p style='height:5000px'>x</p>"
    ),
    "a selection": Row(
        "getSelection().selectAllChildren(out)", 150, 'selected: "some words"', "<p id=out>some words</p>"
    ),
    "the focus": Row("out.focus()", 150, "focus: textbox", "<input id=out aria-label=Name>"),
    "the title": Row("document.title = 'New'", 150, "New"),
    "the address": Row("history.pushState(0, '', '/elsewhere')", 150, "the address is now"),
    "a drawn line": Row(DRAW, 0, "- canvas [ref=E2]: its picture changed", CANVAS),
    "what a grid says for screen readers once it is drawn": Row(
        f"{DRAW}; setTimeout(() => out.ariaSelected = 'true', 250)",
        0,
        "(now [selected])",
        "<canvas id=c><div role=grid><div role=row><div role=gridcell id=out tabindex=-1 aria-selected=false>mug</div>"
        "</div></div></canvas>",
    ),
    "a wire": Row(WIRE, 150, "~ - img [ref=E2]: redrawn", SVG),
    "a wire that moves": Row("w.setAttribute('d', 'M0 0L50 50')", 150, "path", SVG),
    "an editor": Row("e.firstChild.textContent = 'two'", 150, "two", EDITOR),
    "an editor's bold word": Row("e.firstChild.innerHTML = '<b>one</b>'", 150, "one", EDITOR),
    "an open shadow root": Row("r.getElementById('i').textContent = 'two'", 150, "two", OPEN),
    "a closed shadow root": Row("r.getElementById('i').textContent = 'two'", 150, "two", CLOSED),
    "a shadow root that comes": Row(
        "h.attachShadow({mode: 'open'}).innerHTML = '<p>two</p>'", 150, "two", "<div id=h></div>"
    ),
    "a worker": Row(
        "worker.postMessage(150)",
        0,
        "done",
        f"<p id=out></p><script>worker = {WORKER}\nworker.onmessage = () => {{ out.textContent = 'done' }}</script>",
    ),
    "an answer": Row("fetch('/').then((r) => r.text()).finally(() => { out.textContent = 'done' })", 150, "done"),
    "details": Row("out.open = true", 150, "inside", "<details id=out><summary>More</summary>inside</details>"),
    "a popover": Row("out.showPopover()", 150, "inside", "<div id=out popover>inside</div>"),
    "a modal dialog": Row("out.showModal()", 150, "inside", "<dialog id=out>inside</dialog>"),
    "a dialog": Row("alert('Saved')", 150, 'dialog alert "Saved"'),
    "a toast that goes": Row(
        "out.textContent = 'Saved it'; setTimeout(() => { out.textContent = '' }, 40)", 150, "Saved it"
    ),
    "after a ripple": Row(
        "out.textContent = 'done'",
        150,
        "done",
        "<p id=out></p><script>document.querySelector('button').onmousedown = ({target}) => {"
        " const s = target.appendChild(document.createElement('span')); s.className = 'ripple';"
        " setTimeout(() => s.remove(), 200) }</script>",
    ),
    "nothing": Row("0", 0, ""),
    "nothing but the same again, and a script's own data": Row(
        "out.firstChild.innerHTML = 'same'; out.lastChild.value = 'x';"
        " localStorage.x = 1; window.y = 2; document.querySelector('button').dataset.z = 3",
        100,
        "",
        "<div id=out><p>same</p><input aria-label=Name value=x></div>",
    ),
    "a spinner that turned before": Row(
        "0", 0, "", "<style>@keyframes t {to {rotate: 1turn}}</style><p style='animation: t 1s infinite'>x</p>"
    ),
    "hovering alone": Row("0", 0, "", "<style>button:hover {color: red} button:active {opacity: .9}</style>"),
}
ON_ITS_OWN = {
    "a sheet that is adopted": Row(SHEET.format("p {color: red}"), 150, "looks changed", "<p>x</p>"),
    "a sheet that hides": Row(SHEET.format("p {display: none}"), 150, "paragraph", "<p>x</p>"),
    "another page": Row("location = 'about:blank?2'", 150, "navigated to"),
    "a frame": Row("f.contentDocument.body.innerHTML = '<p>two</p>'", 150, "two", FRAME),
    "a frame that comes": Row(
        "document.body.insertAdjacentHTML('beforeend', `<iframe srcdoc='<p>two</p>'></iframe>`)", 150, "two"
    ),
    "a channel": Row(
        "const c = new BroadcastChannel('x'); setTimeout(() => c.postMessage(1), 150)",
        0,
        "done",
        "<p id=out></p><script>new BroadcastChannel('x').onmessage = () => { out.textContent = 'done' }</script>",
    ),
    "a new tab": Row("open('about:blank')", 150, "new tab"),
    "beside a clock": Row("out.textContent = 'done'", 700, "done", CLOCK.format(130) + "<p id=out></p>"),
    "beside a fast clock": Row("out.textContent = 'done'", 500, "done", CLOCK.format(20) + "<p id=out></p>"),
}
"""What has frames, or leaves something in the window or elsewhere: a page of its own for each."""


TURNS = 2
"""So many tests share the rows: one alone would take long, as each row waits."""


@pytest.mark.parametrize("turn", range(TURNS))
async def test_what_comes_late_or_oddly_is_told(page: Page, serve: Serve, turn: int, subtests: pytest.Subtests) -> None:
    await page.goto(serve(""))
    for what in list(ROWS)[turn::TURNS]:
        with subtests.test(what):
            await write(page, _content(ROWS[what]))

            await _expect(page, ROWS[what])


@pytest.mark.parametrize("row", ON_ITS_OWN.values(), ids=ON_ITS_OWN)
async def test_what_comes_late_in_a_page_of_its_own_is_told(page: Page, serve: Serve, row: Row) -> None:
    await page.goto(serve(_content(row)))

    await _expect(page, row)


def _content(row: Row) -> str:
    later = f"setTimeout(() => {{ {row.does} }}, {row.after_ms})" if row.after_ms else row.does
    script = f"<script>document.querySelector('button').onclick = () => {{ {later} }}</script>"
    return f"<title>Page</title><button>Go</button>{row.body}{script}"


async def _expect(page: Page, row: Row) -> None:
    first = tab_of(page).refs.next
    button = await ref(page, "Go")
    if "clock" in row.body:  # it is known by what it does while nobody acts
        await page.evaluate(TICKS)

    receipt = await page.click(button)

    if row.told:
        assert row.told in counted_from(first, receipt.text)
        assert NOTHING not in receipt.text
    else:
        assert receipt.nothing_changed or receipt.watched_s, receipt.text
        assert [line for line in receipt.changed if "looks changed" not in line or '"Go"' not in line] == []


COUNT = "setTimeout(() => { out.textContent = `done ${++n}` }, 100)"
STILL = "<p id=out>done 0</p><script>let n = 0</script>"
TICKED = "<p id=clock>0</p><script>let n = 0; function tick() { clock.textContent = ++n }</script>"


async def test_a_late_number_is_an_effect_where_all_was_still_before(page: Page, serve: Serve) -> None:
    await page.goto(serve(f'<title>Page</title><button onclick="{COUNT}">Go</button>{STILL}'))
    button = await ref(page, "Go")
    await page.evaluate("new Promise((done) => setTimeout(done, 1200))")

    receipts = [await page.click(button), await page.click(button)]

    assert [each.changed for each in receipts] == [
        ["~ - paragraph (now done 1, before done 0)"],
        ["~ - paragraph (now done 2, before done 1)"],
    ]
    assert [each.watched_s for each in receipts] == [None, None]  # nothing more is waited for


@pytest.mark.parametrize(("owner", "step"), [(Watch, "look"), (observed, "read")], ids=["looking", "reading"])
async def test_a_clock_hides_no_late_effect(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch, owner: Any, step: str
) -> None:
    """It ticks when the page is at rest after the click, and ends no waiting: it was seen to go before."""
    await page.goto(serve(f"<title>Page</title><button>Go</button><p id=out></p>{TICKED}"))
    button = await ref(page, "Go")
    await page.evaluate("tick()")
    do, wait = getattr(owner, step), Watch.wait_for_change

    async def ticking(of: Any, *asked: Any, **options: Any) -> Any:
        if "beginEffects" not in asked:
            await page.evaluate("n === 1 && tick()")
        return await do(of, *asked, **options)

    async def effecting(watch: Watch, timeout_s: float) -> None:
        await page.evaluate("out.textContent = 'done'")
        await wait(watch, timeout_s)

    monkeypatch.setattr(owner, step, ticking)
    monkeypatch.setattr(Watch, "wait_for_change", effecting)
    receipt = await page.click(button)

    assert "+ - paragraph: done" in receipt.changed


STATUS = """<title>Page</title><button onclick="n.textContent = `saved ${'abcdefg'[i++]}`">Save</button>
<button onclick="for (const at of [4, 5, 6]) setTimeout(() => { n.textContent = 'connecting'.slice(at) }, 100 * at)">
Start</button><p id=n>offline</p><script>let i = 0</script>"""


async def test_a_status_that_is_at_rest_again_ends_the_waiting_of_a_click(page: Page, serve: Serve) -> None:
    await page.goto(serve(STATUS))
    save = await ref(page, "Save")
    await page.click(await ref(page, "Start"))
    await page.evaluate("new Promise((done) => setTimeout(done, 1800))")

    receipts = [await page.click(save) for _ in range(4)]

    assert [each.watched_s for each in receipts] == [None] * 4  # none waited for more
    assert receipts[-1].changed == ["~ - paragraph (now saved d, before saved c)"]


TOLD_LATE = "new Event('scroll')"
SCROLLERS = {
    "the page": f"<button onclick=\"document.dispatchEvent({TOLD_LATE})\">Go</button><p style='height:5000px'>x</p>",
    "what is around the button": (
        "<div style='height:90px;overflow:auto'><p style='height:900px'>x</p>"
        f'<button onclick="this.parentNode.dispatchEvent({TOLD_LATE})">Go</button></div>'
    ),
}


@pytest.mark.parametrize("content", SCROLLERS.values(), ids=SCROLLERS)
async def test_a_scroll_from_before_the_click_that_the_page_hears_of_late_is_no_effect(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    """It hears of it with the next frame: of one by aiming, or by what was there before and is shorter now."""
    monkeypatch.setattr("cdp_agent.page.receipts.action_runner.EFFECT_S", 0.2)
    await page.goto(serve(content))

    receipt = await page.click(await ref(page, "Go"))

    assert (receipt.changed, receipt.watched_s) == ([], 0.2)
