"""What a page shows as being under way: it is waited for, and told if it goes on."""

from __future__ import annotations

import pytest

from cdp_agent.page.page import Page
from cdp_agent.page.receipts import stability
from cdp_agent.page.receipts.receipts import Receipt

from .acting import ref
from .conftest import Serve
from .writing import show

BUSY_MS = 250
"""Longer than an act without an effect in between lasts, and than what keeps still counts as quiet."""

MARKS = {
    "a text": ("out.textContent = 'Saving…'", "out.textContent = 'done'"),
    "a text with three dots": ("out.textContent = 'Sending to 3 people...'", "out.textContent = 'done'"),
    "a text in pieces": ("out.append('processing', ' | ', '0.5', 's')", "out.textContent = 'done'"),
    "a text of another language": ("out.textContent = 'Wird geladen …'", "out.textContent = 'done'"),
    "a single word": ("out.textContent = 'Processing'", "out.textContent = 'done'"),
    "work and what it is on": ("out.textContent = 'Generating response'", "out.textContent = 'done'"),
    "an asking to wait": ("out.innerHTML = '<h3>Processing your order, please wait</h3>'", "out.textContent = 'done'"),
    "an hourglass": ("out.textContent = '⏳'", "out.textContent = 'done'"),
    "a title": ("document.title = 'Saving… | Notes'", "document.title = 'Sheet'; out.textContent = 'done'"),
    "a cursor": ("document.body.style.cursor = 'wait'", "document.body.style.cursor = ''; out.textContent = 'done'"),
    "a drawing that turns": (
        'out.innerHTML = \'<svg width=20 height=20><path d="M0 0h9"><animateTransform attributeName=transform'
        " type=rotate to=360 dur=1s repeatCount=indefinite /></path></svg>'",
        "out.textContent = 'done'",
    ),
    "the dots of one who types": ("out.innerHTML = '<b class=dot></b>'.repeat(3)", "out.textContent = 'done'"),
    "a text that was hidden": ("wait.hidden = false", "wait.hidden = true; out.textContent = 'done'"),
    "a label": ("out.innerHTML = '<img alt=\"Running...\">'", "out.textContent = 'done'"),
    "aria-busy": ("out.ariaBusy = true", "out.ariaBusy = false; out.textContent = 'done'"),
    "a progress bar": ("out.innerHTML = '<progress></progress>'", "out.textContent = 'done'"),
    "a bar of ARIA": ("out.innerHTML = '<i role=progressbar>_</i>'", "out.textContent = 'done'"),
    "a spinner": ("out.innerHTML = '<b class=spinner-border>_</b>'", "out.textContent = 'done'"),
    "something that turns": ("out.innerHTML = '<b class=x1>_</b>'", "out.textContent = 'done'"),
    "a class around it": ("box.className = 'on'", "box.className = ''; out.textContent = 'done'"),
    "a shadow root": ("shadow.innerHTML = 'Loading…'", "shadow.innerHTML = ''; out.textContent = 'done'"),
    "a frame": (
        "frame.contentDocument.body.textContent = 'Loading…'",
        "frame.contentDocument.body.textContent = ''; out.textContent = 'done'",
    ),
    "its label": ("go.textContent = 'Saving…'", "go.textContent = 'Go'; out.textContent = 'done'"),
    "its label in any language": (
        "go.textContent = 'Tallennetaan…'",
        "go.textContent = 'Go'; out.textContent = 'done'",
    ),
    "its label while disabled": (
        "go.disabled = true; go.textContent = 'Saving'",
        "go.disabled = false; go.textContent = 'Go'; out.textContent = 'done'",
    ),
    "its class": ("go.className = 'btn is-loading'", "go.className = 'btn'; out.textContent = 'done'"),
    "its label while it can be used": (
        "go.textContent = 'Saving changes'",
        "go.textContent = 'Go'; out.textContent = 'done'",
    ),
    "its label for those who do not see it": (
        "go.ariaLabel = 'Sending…'",
        "go.ariaLabel = null; out.textContent = 'done'",
    ),
    "the label of another control": (
        "act.textContent = 'Sharing…'",
        "act.textContent = 'Share'; out.textContent = 'done'",
    ),
    "another button in its place": (
        "go.outerHTML = '<button id=go disabled>Saving…</button>'",
        "document.querySelector('button').textContent = 'Go'; out.textContent = 'done'",
    ),
}
"""What the click does, beside a text that changes at once, and what ends it."""

PAGE = """<style>
    @keyframes turn { to { transform: rotate(1turn) } } @keyframes pulse { to { opacity: .5 } }
    .x1 { display: inline-block; animation: turn 1s infinite } .spinner-border { animation: pulse 1s infinite }
    .dot { display: inline-block; width: 6px; height: 6px; animation: pulse 1s infinite }
    #box .overlay { display: none } #box.on .overlay { display: block }
    </style><button id=go>Go</button><p id=said>Nothing yet</p>
    <a id=act href=#>Share</a><p id=out></p><p id=wait hidden>Please wait</p>
    <div id=box><b class="overlay spinner-border">_</b></div><div id=host></div><iframe id=frame></iframe>
    <script>var shadow = host.shadowRoot || host.attachShadow({mode: 'open'});
    go.onclick = () => { said.textContent = `Clicked`; %s; setTimeout(() => { %s }, %d) }</script>"""


async def act(page: Page, does: str, ends: str, after_ms: int = BUSY_MS) -> Receipt:
    await show(page, PAGE % (does, ends, after_ms))
    return await page.click(await ref(page, "Go"))


async def test_what_says_that_it_is_busy_is_waited_for(sheet: Page, subtests: pytest.Subtests) -> None:
    for what, (does, ends) in MARKS.items():
        with subtests.test(what):
            receipt = await act(sheet, does, ends)

            assert ("done" in receipt.text, receipt.settled) == (True, "quiet"), receipt.text
            assert any("still busy" in line.text for line in receipt.log)


NO_MARKS = {
    "disabled for good": "go.disabled = true",
    "disabled for good, with another label": "go.disabled = true; go.textContent = 'Saved'",
    "a gerund that is no work": "go.textContent = 'Following'",
    "a title": "out.textContent = 'Something else…'",
    "a text that was cut off": "out.textContent = 'Running shoes for women and m…'",
    "a heading": "out.innerHTML = '<h2 title=\"Heading 2\">Meeting 12</h2>'",
    "the state of an order": "out.textContent = 'Order 7: '; out.insertAdjacentHTML('beforeend', '<b>Processing</b>')",
    "a state in a table": "out.innerHTML = '<table><tr><td>Order 7<td>Processing</table>'",
    "a state in a line": "out.innerHTML = '<div style=\"display: flex\"><i>Order 7</i><b>Processing</b></div>'",
    "what it costs": "out.textContent = 'Processing fee'",
    "a menu": "out.innerHTML = '<ul role=menu><li role=menuitem>Sharing…<li role=menuitem>Printing…</ul>'",
    "a menu of elements that show a hand": "out.innerHTML = '<div style=\"cursor: pointer\">Sharing…</div>'",
    "a list": "out.innerHTML = '<select size=2><option>Printing…<option>Sharing…</select>'",
    "a headline": "out.innerHTML = '<h3>Breaking: nothing happens…</h3><a href=#>Breaking: nothing happens…</a>'",
    "a headline in a text": "out.textContent = 'Breaking: nothing happens…'",
    "a place": "out.innerHTML = '<h3>Loading dock</h3><button>Loading dock</button>Loading dock'",
    "time that is left": "out.textContent = '⏳ 2 days left'",
    "a new title": "document.title = 'Processing'",
    "the label of a dialog": "out.innerHTML = '<button>Save as…</button><button>Open…</button>'",
    "something decorative": "out.innerHTML = '<b style=\"display: block; animation: pulse 1s infinite\">New</b>'",
    "a bar with a value": "out.innerHTML = '<progress value=3 max=5></progress>'",
    "out of view": "out.innerHTML = '<p style=\"margin-top: 3000px\">Loading more…</p>'",
    "an uploader": 'out.innerHTML = \'<b class="file-uploader" style="animation: pulse 1s infinite">Files</b>\'',
    "what is hidden": "out.innerHTML = '<p hidden>Loading…</p><p style=\"visibility: hidden\" aria-busy=true>x</p>'",
}


async def test_what_says_nothing_of_work_is_not_waited_for(sheet: Page, subtests: pytest.Subtests) -> None:
    for what, does in NO_MARKS.items():
        with subtests.test(what):
            receipt = await act(sheet, does, "")

            assert not [line.text for line in receipt.log if "still busy" in line.text]


async def test_a_share_is_waited_for_while_it_moves(sheet: Page) -> None:
    moves = """out.textContent = 'Rating 4.5/5'; let left = 4; const moves = () => {
        said.textContent = left ? `Packing ${99 - left}%` : 'Packed'; if (left--) setTimeout(moves, 200) }; moves()"""

    receipt = await act(sheet, moves, "")

    assert ("Packed" in receipt.text, receipt.settled) == (True, "quiet")


async def test_what_was_busy_before_the_act_is_not_waited_for(sheet: Page) -> None:
    await show(
        sheet, "<p aria-busy=true>Loading…</p><button onclick=\"out.textContent = 'done'\">Go</button><p id=out></p>"
    )

    receipt = await sheet.click(await ref(sheet, "Go"))

    assert (receipt.changed, receipt.settled) == (["+ - paragraph: done"], "quiet")


@pytest.mark.parametrize(
    ("does", "told"),
    [
        ("go.textContent = 'Saving…'", 'button "Saving…"'),
        ("out.ariaBusy = true", "p (aria-busy)"),
        ("out.innerHTML = '<i role=progressbar aria-label=Upload>_</i>'", 'progressbar "Upload"'),
        ("out.textContent = 'Uploading 3 files…'", '"Uploading 3 files…"'),
        ("out.innerHTML = '<b class=spinner-border>_</b>'", "a spinner"),
    ],
    ids=["label", "aria-busy", "progress bar", "text", "spinner"],
)
async def test_what_stays_busy_is_told(sheet: Page, monkeypatch: pytest.MonkeyPatch, does: str, told: str) -> None:
    monkeypatch.setattr(stability, "REQUESTS_S", 0.3)

    assert (await act(sheet, does, "", 0)).settled == f"still busy: {told}"


async def test_a_new_document_that_loads_something_is_waited_for(page: Page, serve: Serve) -> None:
    loads = f"setTimeout(() => {{ out.textContent = 'done' }}, {BUSY_MS})"

    receipt = await page.goto(serve(f"<h1>Shop</h1><p id=out>Loading…</p><script>{loads}</script>"))

    assert (receipt.settled, "paragraph: done" in (await page.snapshot()).text) == ("quiet", True)
