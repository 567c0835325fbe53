"""What a receipt says of what an action did, in a real page."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from threading import Event
from urllib.parse import urljoin

import msgspec
import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cdp_agent.errors import NotInteractable
from cdp_agent.page.actions.actions import ELEMENT_GONE
from cdp_agent.page.activity.network import RequestFailure
from cdp_agent.page.frames.frames import FrameTree
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.receipts import effects
from cdp_agent.page.receipts.budget import MEANWHILE_TOKENS, REST
from cdp_agent.page.receipts.compared import without_value
from cdp_agent.page.receipts.receipts import NewTab, OtherTab, Receipt
from cdp_agent.page.snapshot.budget import tokens
from cdp_agent.page.tab.dialog_policy import DialogPolicy
from cdp_agent.page.tab.dialogs import Dialog, dialogs_answered

from .conftest import Serve, held
from .writing import opened, show


async def ref(page: Page, name: str) -> str:
    snapshot = await page.snapshot()
    return next(each.ref for each in snapshot.refs.values() if each.name == name)


async def click(page: Page, name: str) -> Receipt:
    return await page.click(await ref(page, name))


Act = Callable[[Page], Awaitable[Receipt]]
CART = """<button onclick="this.textContent = 'Cart (1)'; out.textContent = '1 item'; gone.remove()">Cart (0)</button>
<div role=status id=out></div><button id=gone>Sign in</button>"""
COUNTED = """<textarea aria-label=Note oninput="o.textContent = this.value.length">Old
lines</textarea><output id=o>None</output>"""
COPIED = """<textarea aria-label=Note oninput="copy.value = this.value"></textarea>
<textarea id=copy aria-label=Copy></textarea>"""
SEARCHED = """<form onsubmit="setTimeout(() => { out.textContent = `for ${q.value}` }, 400); return false">
<input id=q aria-label=Q></form><p id=out></p>"""


def clicking(name: str) -> Act:
    return lambda page: click(page, name)


def filling(name: str, text: str, *, submit: bool = False) -> Act:
    async def act(page: Page) -> Receipt:
        return await page.fill(await ref(page, name), text, submit=submit)

    return act


async def checking_ok(page: Page) -> Receipt:
    return await page.check(await ref(page, "Ok"))


TOLD: dict[str, tuple[str, Act, str]] = {
    "nothing": ("<button>Idle</button>", clicking("Idle"), 'clicked E1 button "Idle"\nno change seen within 1 s'),
    "lines": (
        CART,
        clicking("Cart (0)"),
        'clicked E1 button "Cart (0)"\nchanged:\n  ~ - button "Cart (0)" → "Cart (1)" [ref=E1]\n'
        '  + - status: 1 item\n  - - button "Sign in" [ref=E2]',
    ),
    "a value once": ("<input aria-label=Name>", filling("Name", "Ada"), 'filled E1 textbox "Name"\nvalue: "Ada"'),
    "the lines of a field once": (
        COUNTED,
        filling("Note", "one\n  two\n\n| four"),
        'filled E1 textbox "Note"\nchanged:\n  ~ - status (now 17, before None)\nvalue: "one\\n  two\\n\\n| four"',
    ),
    "the lines of another field": (
        COPIED,
        filling("Note", "one\ntwo"),
        'filled E1 textbox "Note"\nchanged:\n  ~ - textbox "Copy" [ref=E2] (now of several lines, before empty)\n'
        '  + | one\n  + | two\nvalue: "one\\ntwo"',
    ),
    "a focus that went elsewhere": (
        "<button onclick='name_.focus()'>Edit</button><input id=name_ aria-label=Name>",
        clicking("Edit"),
        'clicked E1 button "Edit"\nfocus: textbox "Name" [ref=E2]',
    ),
    "what was so before, and is not waited for": (
        "<input type=checkbox checked aria-label=Ok>",
        checking_ok,
        'checked E1 checkbox "Ok"\n(it was checked before)',
    ),
    "Enter, and what came of it": (
        SEARCHED,
        filling("Q", "tea", submit=True),
        'filled E1 textbox "Q"\n(Enter was pressed)\nchanged:\n  + - paragraph: for tea\nvalue: "tea"',
    ),
    "Enter without an effect": (
        "<form onsubmit='return false'><input aria-label=Q></form>",
        filling("Q", "tea", submit=True),
        'filled E1 textbox "Q"\n(Enter was pressed)\nvalue: "tea"\nno change seen within 1 s',
    ),
}


@pytest.mark.parametrize(("content", "act", "text"), TOLD.values(), ids=TOLD)
async def test_a_receipt_tells_what_came_of_an_action(content: str, act: Act, text: str, sheet: Page) -> None:
    await show(sheet, content)

    receipt = await act(sheet)

    assert receipt.text == text
    assert receipt.nothing_changed or "no change seen" not in text


CHANGES_BY_ITSELF = "<button>Go</button><label><input type=checkbox>Quiet</label><p>one</p>"


async def test_what_has_no_name_is_told_as_its_line_tells_it(sheet: Page) -> None:
    acts = "onclick='out.textContent += 1'"
    await show(
        sheet,
        f"""<button class='btn-save css-9o949r' {acts}></button><button data-testid=save aria-expanded=false {acts}>
        </button><button aria-expanded=false {acts}></button><p id=out></p>""",
    )
    await sheet.snapshot()

    told = [(await sheet.click(f"E{1 + at}")).text.split("\n")[0] for at in range(3)]

    assert told == [
        "clicked E1 button [class=btn-save]",
        "clicked E2 button [testid=save]",
        "clicked E3 button",
    ]


async def test_facts_are_there_for_programs(sheet: Page) -> None:
    await show(sheet, "<button onclick='this.disabled = true'>Once</button>")

    receipt = await click(sheet, "Once")

    facts = msgspec.structs.replace(receipt, acted_ms=0, settled_ms=0, log=())
    assert facts == Receipt(
        action="click",
        ref="E1",
        target='button "Once"',
        changed=['~ - button "Once" [ref=E1] (now [disabled])'],
    )
    assert receipt.acted_ms > 0
    assert receipt.settled_ms > 0


async def test_a_fragment_is_no_other_document(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<a href='#part'>jump</a>")
    address = page.url

    receipt = await click(page, "jump")

    assert (receipt.navigated_to, receipt.same_document) == (f"{address}#part", True)
    assert receipt.text == f'clicked E1 link "jump"\nthe address is now {address}#part'


async def test_the_history_api_changes_the_address(page: Page, serve: Serve) -> None:
    await opened(page, serve, """<button onclick="history.pushState(0, '', '/cart')">cart</button>""")

    receipt = await click(page, "cart")

    assert receipt.text.endswith("/cart")
    assert receipt.same_document


async def test_what_a_page_shows_at_its_own_pace_at_an_address_is_told(page: Page, serve: Serve) -> None:
    await opened(
        page,
        serve,
        """<button onclick="navigation.navigate('#there')">Go</button><p id=out>here</p><script>
        const shown = () => new Promise((done) => setTimeout(() => done(out.textContent = 'there'), 200))
        navigation.addEventListener('navigate',
          (event) => event.intercept({ handler: shown, focusReset: 'manual' }), { once: true })</script>""",
    )

    receipt = await click(page, "Go")

    assert receipt.same_document
    assert receipt.changed == ["~ - paragraph (now there, before here)"]


async def test_a_page_that_asks_to_be_printed_is_told(sheet: Page) -> None:
    await show(sheet, "<button onclick='print()'>Print</button>")

    receipt = await click(sheet, "Print")

    assert receipt.changed == ["~ the page asked to be printed: pdf writes it to a file"]


async def test_a_dialog_is_told_with_its_answer(sheet: Page) -> None:
    await show(sheet, "<button onclick=\"confirm('Delete it?')\">Delete</button>")

    with dialogs_answered(DialogPolicy.all("accept")):
        receipt = await click(sheet, "Delete")

    assert receipt.dialogs == [Dialog("confirm", "Delete it?", sheet.url, "accept")]
    assert receipt.text == 'clicked E1 button "Delete"\ndialog confirm "Delete it?" was accepted'


async def test_requests_that_failed_are_told(page: Page, serve: Serve) -> None:
    refused = serve("no", path="/api", status=500)
    await opened(page, serve, f"<button onclick=\"fetch('{refused}', {{method: 'POST'}})\">Send</button>")

    receipt = await click(page, "Send")

    assert receipt.failed_requests == [RequestFailure("POST", refused, status=500)]
    assert receipt.text == f'clicked E1 button "Send"\nfailed: POST {refused} 500\nno change seen within 1 s'


async def test_a_failed_picture_is_no_news(page: Page, serve: Serve) -> None:
    missing = serve("", status=404, content_type="image/png")
    await opened(page, serve, f"<button onclick=\"document.body.append(new Image()).src = '{missing}'\">Show</button>")

    assert (await click(page, "Show")).failed_requests == []


async def test_a_key_says_where_it_went(sheet: Page) -> None:
    await show(sheet, "<input aria-label=First><input aria-label=Second>")
    await sheet.focus(await ref(sheet, "First"))

    receipt = await sheet.press("Tab")

    assert receipt.text == 'pressed Tab\nfocus: textbox "Second" [ref=E2]'


async def test_what_happened_between_two_actions_is_not_the_second_ones_doing(sheet: Page) -> None:
    await show(sheet, "<button>Idle</button><p id=out></p>")
    button = await ref(sheet, "Idle")
    await sheet.evaluate("out.textContent = 'changed by the page itself'")

    assert (await sheet.click(button)).changed == []


async def test_an_action_that_is_refused_leaves_no_watching_behind(sheet: Page) -> None:
    await show(sheet, "<button disabled>Off</button>")
    button = await ref(sheet, "Off")

    with pytest.raises(NotInteractable):
        await sheet.click(button)

    world = await (await tab_of(sheet).frames()).root.world()
    assert (await world.call("changes"))["count"] == 0


async def test_a_value_that_the_page_writes_otherwise_later_is_told(sheet: Page) -> None:
    writes = "setTimeout(() => { this.value = this.value.toUpperCase() }, 20)"
    await show(sheet, f"<input aria-label=Name oninput='{writes}'>")

    await sheet.snapshot()

    receipt = await sheet.fill("E1", "tea")

    assert "TEA" in receipt.text


async def test_what_is_done_at_once_is_not_waited_for(sheet: Page) -> None:
    counting = "<button onclick='out.textContent = +out.textContent + 1'>Add</button><p id=out>0</p>"
    await show(sheet, f"{counting}<input aria-label=Name>")

    counted = [await click(sheet, "Add") for _ in range(3)]
    focused = await click(sheet, "Name")
    filled = await filling("Name", "Ada")(sheet)

    assert [each.watched_s for each in (*counted, focused, filled)] == [None] * 5
    assert "no change" not in filled.text


async def test_what_a_search_finds_is_told_and_not_only_the_button_that_clears_it(sheet: Page) -> None:
    acts = "x.hidden = false; setTimeout(() => out.textContent = 'found', 200)"
    field = f'<input aria-label="Search pages" oninput="{acts}"><button id=x hidden>Clear</button>'
    await show(sheet, f"{field}<p id=out>all</p>")

    receipt = await sheet.fill(await ref(sheet, "Search pages"), "tea")

    assert receipt.changed == ['+ - button "Clear" [ref=E2]', "~ - paragraph (now found, before all)"]


async def test_a_key_that_does_nothing_says_so_and_one_that_comes_late_is_told(sheet: Page) -> None:
    script = "addEventListener('keydown', (e) => e.key === 'b' && setTimeout(() => { out.textContent = 'late' }, 500))"
    await show(sheet, f"<p id=out></p><script>{script}</script>")
    await sheet.snapshot()

    idle, late = await sheet.press("a"), await sheet.press("b")

    assert idle.text == "pressed a\nno change seen within 1 s"
    assert late.changed == ["+ - paragraph: late"]


async def test_a_button_that_is_replaced_while_it_is_pressed_gets_no_click_and_that_is_told(sheet: Page) -> None:
    then = "addEventListener('mousedown', () => setTimeout(again), {once: true})"
    again = "const again = () => { out.innerHTML = '<button onclick=\"log.textContent += 1\">Open</button>' }"
    await show(sheet, f"<div id=out></div><p id=log></p><script>{again}; again(); {then}</script>")

    lost, done = await click(sheet, "Open"), await click(sheet, "Open")

    assert (lost.note, done.note) == (ELEMENT_GONE, "")
    assert await sheet.evaluate("log.textContent") == "1"


async def test_hovering_waits_for_what_comes_after_the_looks_under_the_mouse(sheet: Page) -> None:
    opens = "this.className = 'active'; setTimeout(() => { menu.hidden = false }, 300)"
    await show(sheet, f'<button onmouseenter="{opens}">File</button><ul id=menu hidden><li>Print</ul>')

    receipt = await sheet.hover(await ref(sheet, "File"))

    assert receipt.changed == ["+ - listitem: Print"]


async def test_hovering_tells_of_classes_under_the_mouse_where_nothing_else_comes(sheet: Page) -> None:
    await show(sheet, "<p style='height: 99px'></p><button onmouseenter=\"this.className = 'active'\">File</button>")

    receipt = await sheet.hover(await ref(sheet, "File"))

    assert receipt.changed == ['~ - button "File" [ref=E1]: class now "active"']


async def test_a_double_click_on_what_the_first_click_renders_anew_is_no_lost_click(sheet: Page) -> None:
    acts = "onclick=\"if (event.detail == 1) this.innerHTML += ''\" ondblclick='o.textContent = 2'"
    await show(sheet, f"<div {acts}><b tabindex=0>Cell</b></div><p id=o>1</p>")

    receipt = await sheet.click(await ref(sheet, "Cell"), count=2)

    assert (receipt.note, receipt.changed[0]) == ("", "~ - paragraph (now 2, before 1)")


async def test_looks_of_what_is_not_shown_are_not_told(sheet: Page) -> None:
    icon = "<svg width=16 height=16><path d=M0></path></svg>"
    acts = "b.className = 'selected'; b.innerHTML += ' '; o.textContent = 2"
    await show(
        sheet,
        f"""<p id=o>1</p><div id=m><button id=b aria-label=Large>{icon}</button></div>
        <button onclick="{acts}">Go</button>""",
    )
    await sheet.snapshot()
    await sheet.evaluate("m.hidden = true")

    receipt = await click(sheet, "Go")

    assert receipt.changed == ["~ - paragraph (now 2, before 1)"]


async def test_a_class_of_what_nobody_knows_is_told_alone(sheet: Page) -> None:
    acts = "onclick=\"d.className = 'box-active'; {}\""
    buttons = f"<button {acts.format('')}>A</button><button {acts.format('o.textContent = 2')}>B</button>"
    await show(sheet, f"<div id=d></div><p id=o>1</p>{buttons}")
    one = await click(sheet, "A")
    await sheet.evaluate("d.className = ''")

    second = await click(sheet, "B")

    assert (one.changed, second.changed) == (['~ - div: class now "box-active"'], ["~ - paragraph (now 2, before 1)"])


async def test_a_server_that_answers_without_a_page_is_told(page: Page, serve: Serve) -> None:
    serve("", path="/save", status=204)
    await opened(page, serve, "<form action=/save method=post><button>Save</button></form>")

    receipt = await click(page, "Save")
    requests = [str(each) for each in (await page.requests()).requests]

    assert receipt.note == f"the server answered POST {urljoin(page.url, '/save')} with 204: it gives no new page"
    assert [each for each in requests if "ERR_ABORTED" in each] == []


async def test_what_changed_since_the_last_receipt_is_told_by_the_next(sheet: Page) -> None:
    await show(sheet, CHANGES_BY_ITSELF)
    go, box = await ref(sheet, "Go"), await ref(sheet, "Quiet")
    await sheet.check(box)

    await sheet.evaluate(
        "document.querySelector('input').checked = false; document.querySelector('p').textContent = 'two'"
    )
    receipts = [await sheet.focus(go), await sheet.focus(box)]

    assert receipts[0].meanwhile == [
        f'~ - checkbox "Quiet" [ref={box}] (no longer [checked])',
        "~ - paragraph (now two, before one)",
    ]
    assert "changed before that:\n  ~ - checkbox" in receipts[0].text
    assert receipts[1].meanwhile == []


async def test_what_counts_on_is_told_once(sheet: Page) -> None:
    body = "<p>0</p><p>still</p><button onclick='count()'>Go</button>"
    script = "window.count = () => { const p = document.querySelector('p'); p.textContent = +p.textContent + 1 }"
    await show(sheet, f"{body}<script>{script}</script>")
    go = await ref(sheet, "Go")

    await sheet.evaluate("count()")
    receipt = await sheet.click(go)

    assert (receipt.meanwhile, receipt.changed) == ([], ["~ - paragraph (now 2, before 1)"])


async def test_what_a_snapshot_told_is_not_told_as_changed_since(sheet: Page) -> None:
    await show(sheet, CHANGES_BY_ITSELF)
    go = await ref(sheet, "Go")
    await sheet.focus(go)

    await sheet.evaluate("document.querySelector('p').remove()")
    await sheet.snapshot()

    assert (await sheet.focus(go)).meanwhile == []


async def test_of_much_that_changed_since_some_lines_are_told(sheet: Page) -> None:
    await show(sheet, CHANGES_BY_ITSELF)
    go = await ref(sheet, "Go")

    await sheet.evaluate("for (let i = 0; i < 99; i++) document.body.append(document.createElement('button'))")
    meanwhile = (await sheet.focus(go)).meanwhile

    assert tokens("\n".join(meanwhile)) <= MEANWHILE_TOKENS
    assert meanwhile[0].startswith("+ - button [ref=E3]")
    assert meanwhile[-2:] == ["+ - button [ref=E101]", REST]


async def test_a_snapshot_within_a_budget_makes_no_changes(sheet: Page) -> None:
    await show(sheet, CHANGES_BY_ITSELF + "<p>words</p><hr>" * 100)
    go = await ref(sheet, "Go")
    await sheet.snapshot(budget_tokens=300)

    assert (await sheet.focus(go)).meanwhile == []


async def test_what_scrolling_brought_is_not_told_as_changed_before(sheet: Page) -> None:
    more = "<script>addEventListener('scroll', () => document.body.append('two'), {once: true})</script>"
    await show(sheet, f"<button>Go</button><p style='height:3000px'>one</p>{more}")
    go = await ref(sheet, "Go")

    await sheet.scroll()

    assert (await sheet.focus(go)).meanwhile == []


async def test_a_navigation_is_told_instead_of_lines(page: Page, serve: Serve) -> None:
    goal = serve("<title>Goal</title><p>here")
    await page.goto(serve(f"<a href='{goal}'>go</a>"))

    receipt = await click(page, "go")

    assert receipt.text == f'clicked E1 link "go"\nnavigated to {goal} "Goal"'
    assert page.url == goal


async def test_a_download_is_told_with_its_place(page: Page, serve: Serve) -> None:
    file = serve("1234", headers={"Content-Disposition": "attachment; filename=report.csv"}, content_type="text/csv")
    await page.goto(serve(f"<a href='{file}'>report</a>"))

    receipt = await click(page, "report")

    (download,) = receipt.downloads
    assert download.path is not None
    assert Path(download.path).read_text() == "1234"  # noqa: ASYNC240
    assert (
        receipt.text
        == f'clicked E1 link "report"\ndownloaded report.csv (4 bytes) to {download.path}: read_file reads it'
    )


async def test_what_a_slow_request_brings_belongs_to_the_action(
    page: Page, serve: Serve, httpserver: HTTPServer
) -> None:
    asked = Event()

    def answer(request: Request) -> Response:
        asked.wait(0.4)  # longer than any quiet window
        return Response("42 results")

    httpserver.expect_request("/search").respond_with_handler(answer)
    script = "fetch('/search').then((r) => r.text()).then((t) => (out.textContent = t))"
    await opened(page, serve, f'<button onclick="{script}">Search</button><p id=out></p>')

    assert (await click(page, "Search")).changed == ["+ - paragraph: 42 results"]


async def test_a_page_that_answers_with_an_error_is_told_once(page: Page, serve: Serve) -> None:
    missing = serve("<title>Not here</title>", status=404)

    receipt = await page.goto(missing)

    assert receipt.text == f'went to {missing}\nnavigated to {missing} "Not here" (HTTP 404)'


async def test_changes_in_an_iframe_on_another_site_are_told(page: Page, serve: Serve) -> None:
    inner = serve("<button onclick=\"this.textContent = 'Paid'\">Pay</button>", other_site=True)
    await page.goto(serve(f"<iframe title=Payment src='{inner}'></iframe>"))
    pay = await ref(page, "Pay")

    receipt = await page.click(pay)

    assert receipt.changed == [f'~ - button "Pay" → "Paid" [ref={pay}]']


LED = {
    "a link": "<a href='{}' target=named>a link</a>",
    "a form": "<form action='{}' method=post target=named><button>a form</button></form>",
    "a script": """<button onclick="window.open('{}', 'named')">a script</button>""",
}


async def test_another_tab_is_told_of_as_it_comes_is_led_elsewhere_and_goes(
    page: Page, serve: Serve, httpserver: HTTPServer, subtests: pytest.Subtests
) -> None:
    closing = "<button onclick='window.close()'>Close itself</button>"
    goals = {way: serve(f"<title>By {way}</title>{closing}") for way in LED}
    ways = "".join(LED[way].format(goal) for way, goal in goals.items())
    write = "w = window.open('', 'named'); w.document.write('<title>Written</title>hello'); w.document.close()"
    opens = f"""<button onclick="{write}">Open</button>"""
    await page.goto(serve(f"{opens}<button>Idle</button>{ways}"))
    with subtests.test("a popup without an address is named by its title"):
        opened = await click(page, "Open")
        assert [(tab.url, tab.title) for tab in opened.new_tabs] == [("about:blank", "Written")]
    (popup,) = page.popups

    with subtests.test("where somebody else leads it meanwhile, that is not the click's doing"):
        await page.evaluate("(window.clicked = new Promise(done => addEventListener('click', done)), 1)")
        with held(httpserver, "/slow", "<title>Slow</title>") as answered:
            clicking = asyncio.ensure_future(click(page, "Idle"))
            await page.evaluate("clicked.then(() => 1)")
            going = asyncio.ensure_future(popup.goto(httpserver.url_for("/slow")))
            idle = await clicking
            answered.set()
            await going
        assert idle.other_tabs == []

    for way, goal in goals.items():
        with subtests.test("it is led elsewhere", way=way):
            led = await click(page, way)
            assert led.other_tabs == [OtherTab(popup.target_id, goal, f"By {way}")]
            assert led.text.split("\n")[1:] == [f'another tab navigated: "By {way}" {goal}']

    with subtests.test("it closes itself"):
        gone = await click(popup, "Close itself")
        assert gone.closed
        assert gone.text.split("\n")[1:] == ["the tab is closed"]


async def test_a_new_tab_is_named_and_told_of_when_it_is_closed_from_another_one(page: Page, serve: Serve) -> None:
    goal = serve("<title>Goal</title><p>here")
    link = f"<a href='{goal}' target=named rel=opener>go</a>"
    await page.goto(serve(f"""{link}<button onclick="window.open('', 'named').close()">Close</button>"""))

    named = await click(page, "go")
    closed = await click(page, "Close")

    assert named.new_tabs == [NewTab(page.popups[0].target_id, goal, "Goal")]
    assert named.text == f'clicked E1 link "go"\nnew tab: "Goal" {goal}'
    assert closed.text == f'clicked E2 button "Close"\nanother tab was closed: "Goal" {goal}'


SUGGESTING = [
    "role=combobox", "type=search", "aria-autocomplete=list", "aria-haspopup=dialog", "autocomplete=off", "id=filter",
]  # fmt: skip


@pytest.mark.parametrize("field", SUGGESTING)
async def test_the_list_that_a_page_shows_for_what_was_filled_in_a_while_ago_is_told(
    field: str, sheet: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cdp_agent.page.receipts.action_runner.SUGGESTIONS_S", 2.0)
    late = "setTimeout(() => out.innerHTML ||= '<button>Bergen</button>', 200)"
    await show(sheet, f'<input aria-label=City {field} oninput="{late}"><div id=out></div>')

    receipt = await sheet.fill(await ref(sheet, "City"), "Ber")

    assert receipt.changed == ['+ - button "Bergen" [ref=E2]']


async def test_what_comes_after_the_page_was_read_is_told_by_its_line(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = effects.effects_now

    async def look_late(tree: FrameTree, *, looks: bool, hovered: bool) -> effects.RecordedEffects:
        await page.evaluate("out.textContent = 'late'; c.getContext('2d').fillRect(0, 0, 9, 9)")
        return await look(tree, looks=looks, hovered=hovered)

    monkeypatch.setattr(effects, "effects_now", look_late)
    await opened(page, serve, "<button>Go</button><p id=out></p><canvas id=c></canvas>")

    first = await click(page, "Go")
    assert first.changed == ["+ - paragraph: late", "~ - canvas [ref=E2]: its picture changed"]
    assert (await page.click("E1")).meanwhile == []


DRAWN_ON = """<canvas id=c></canvas><script>const i = new Image(); i.src = '{}'
    i.onload = () => {{ c.getContext('2d').drawImage(i, 0, 0); top.document.title = 'drawn' }}</script>"""
"""A canvas that no script may read, once the picture of another site is on it."""
DRAWN = """new Promise((done) => {
    const look = () => { if (document.title == 'drawn') done(1); else setTimeout(look, 5) }
    look()
})"""


@pytest.mark.parametrize("above_px", [0, 5000], ids=["in view", "out of view"])
async def test_a_canvas_in_a_frame_of_the_same_site_is_not_called_unchanged(
    above_px: int, page: Page, serve: Serve
) -> None:
    svg = "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"
    frame = serve(DRAWN_ON.format(serve(svg, other_site=True, content_type="image/svg+xml")))
    draw = "frames[0].c.getContext(`2d`).fillRect(0, 0, 50, 50)"
    content = f"<button onclick='{draw}'>Draw</button><p style='height:{above_px}px'></p>"
    await page.goto(serve(f"{content}<iframe src='{frame}'></iframe>"))
    await page.evaluate(DRAWN)

    receipt = await click(page, "Draw")

    if above_px:
        assert receipt.note == "whether the picture of a canvas out of view changed could not be seen: scroll to it"
    else:
        assert receipt.changed == ["~ canvas: its picture changed"]


async def test_a_canvas_in_a_frame_that_cannot_be_compared_is_told(page: Page, serve: Serve) -> None:
    svg = "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"
    picture = serve(svg, content_type="image/svg+xml")
    script = f"""const i = new Image(); i.src = '{picture}'
        i.onload = () => {{ c.getContext('2d').drawImage(i, 0, 0); b.textContent = 'Draw' }}"""
    draw = "c.getContext(`2d`).fillRect(0, 0, 50, 50)"
    frame = f"<button id=b onclick='{draw}'>Wait</button><canvas id=c></canvas><script>{script}</script>"
    await page.goto(serve(f"<button>Idle</button><iframe src='{serve(frame, other_site=True)}'></iframe>"))
    await page.wait_for(text="Draw")

    receipt = await click(page, "Draw")

    assert receipt.note == "whether the picture of a canvas in a frame changed could not be seen: take a screenshot"


async def test_a_canvas_of_webgl_is_noticed_too(page: Page, serve: Serve) -> None:
    draw = "g.clearColor(1, 0, 0, 1); g.clear(g.COLOR_BUFFER_BIT)"
    script = "const g = c.getContext('webgl'); if (!g) document.title = 'none'"
    await page.goto(serve(f"<button onclick='{draw}'>Draw</button><canvas id=c></canvas><script>{script}</script>"))
    if await page.evaluate("document.title") == "none":
        pytest.skip("no WebGL in this Chrome")

    assert "its picture changed" in (await click(page, "Draw")).text


@pytest.mark.parametrize(("value", "told"), [("one\ntwo", True), ("one\nTWO", False)])
def test_lines_of_the_field_itself_stay_where_they_are_others_than_its_value(value: str, told: bool) -> None:
    empty, filled = '- textbox "Note" [ref=E1]', '- textbox "Note" [ref=E1]:\n  | one\n  | TWO'

    assert without_value(empty, filled, "E1", value) == (empty, filled if told else empty)


async def test_what_else_changed_about_a_field_is_told_beside_its_value(sheet: Page) -> None:
    checks = "this.ariaInvalid = !this.value.includes('@')"
    await show(sheet, f'<textarea aria-label=Note>First</textarea><input aria-label=Mail oninput="{checks}">')
    note, mail = await ref(sheet, "Note"), await ref(sheet, "Mail")

    lines = await sheet.fill_form({note: "One\nTwo", mail: "ada"})
    one_line = await sheet.fill_form({note: "One", mail: "ada@example.org"})

    assert lines.changed == [f'~ - textbox "Mail" [ref={mail}] (now [invalid])']
    assert one_line.changed == [f'~ - textbox "Mail" [ref={mail}] (no longer [invalid])']


MARKED = '<div id=card>{}</div><button onclick="card.className = `selected`">Go</button>'
ICON = "<svg width=16 height=16><path d=M0></path></svg>"
TOAST = """<p>Like this</p><button id=b>Go</button><script>b.onclick = () => {
  const toast = document.createElement('section');
  toast.innerHTML = '<p>Stored</p><div>3 rows</div><div>Like this</div>';
  document.body.append(toast);
  setTimeout(() => toast.remove(), 50);
}</script>"""
REPLACED = """<p id=list></p><button id=b>Go</button><script>
const [first, other] = ['Tea', 'Milk'].map((textContent) => Object.assign(new Text(), {{ textContent }}));
b.onclick = () => {{ list.append(first); setTimeout(() => {{ {} }}, 50) }}</script>"""
FILTERS = """<p id=left></p><ul id=filters></ul><button id=b>Go</button><script>
b.onclick = () => {
  left.innerHTML = '<strong>1</strong> item left'
  filters.innerHTML = '<li><a href=#1 class=selected>All</a><li><a href=#2>Active</a>'
  const [all, active] = filters.querySelectorAll('a')
  all.classList.remove('selected')
  active.classList.add('selected')
}
b.onclick()</script>"""
FOR_SCREEN_READERS = "position: absolute; width: 1px; height: 1px; overflow: hidden"
CLICKED = {
    "what an icon font draws, by its title": (
        """<style>button::before { content: '\\e852' }</style>
        <button title=Go onclick="className = 'selected'"></button>""",
        ['~ - button "Go" [ref=E1]: class now "selected"'],
    ),
    "what has no name, by its heading": (
        MARKED.format("<p>1815</p><h3>Ada Lovelace</h3><p>Mathematician</p>"),
        ['~ - div "Ada Lovelace": class now "selected"'],
    ),
    "what has no name, by its first block": (
        MARKED.format("<div><div>Ada <b>Love</b>lace</div><div>1815</div></div>"),
        ['~ - div "Ada Lovelace": class now "selected"'],
    ),
    "what has no name, by its text before a block": (
        MARKED.format("<style>b { color: red }</style>Ada<div>1815</div>"),
        ['~ - div "Ada": class now "selected"'],
    ),
    "what has no name, by what is seen of it": (
        MARKED.format("<div hidden><h3>Export</h3></div><p style='display: none'>Import</p>Ada"),
        ['~ - div "Ada": class now "selected"'],
    ),
    "an icon that is drawn anew, by what it is in": (
        f"<button aria-label=Go onclick='this.innerHTML += ` `'>{ICON}</button>",
        ['~ - button "Go" [ref=E1]: its icon redrawn'],
    ),
    "what came and went, block by block without what is still there": (TOAST, ["~ came and went: Stored | 3 rows"]),
    "what is replaced by another, which did not come and go": (
        REPLACED.format("first.remove(); list.append(other)"),
        ["+ - paragraph: Milk"],
    ),
    "what another is put beside before it goes": (
        REPLACED.format("list.append(other); first.remove()"),
        ["+ - paragraph: Milk"],
    ),
    "what became bold in an editor, as its text alone": (
        """<div id=t contenteditable><p>Ada Berg</p></div>
        <button onclick="t.firstChild.innerHTML = 'Ada <b>Berg</b>'">Go</button>""",
        ["~ - textbox [ref=E1] (now Ada **Berg**, before Ada Berg)"],
    ),
    "no marks and classes of what was rendered anew": (FILTERS, ["~ rendered anew: E1 is E4, E2 is E5"]),
    "no scrolling of what only screen readers have": (
        f"""<div id=d style="{FOR_SCREEN_READERS}"><p style="height: 50px">Words</p></div><p id=o>1</p>
        <button onclick="d.scrollTop = 20; o.textContent = 2">Go</button>""",
        ["~ - paragraph (now 2, before 1)"],
    ),
    # as tables of React do to learn of a new size
    "no scrolling of what nobody sees": (
        """<div id=d style="visibility: hidden; height: 9px; overflow: auto"><p style="height: 50px"></div><p id=o>1</p>
        <button onclick="d.scrollTop = 20; o.textContent = 2">Go</button>""",
        ["~ - paragraph (now 2, before 1)"],
    ),
}


@pytest.mark.parametrize(("content", "changed"), CLICKED.values(), ids=CLICKED)
async def test_what_a_click_changed_is_told(content: str, changed: list[str], sheet: Page) -> None:
    await show(sheet, content)

    receipt = await click(sheet, "Go")

    assert receipt.changed == changed


RENDERED_ANEW = """<div id=root></div><script>let on = {0}; function render() {{
  root.innerHTML = `<label><input type=checkbox ${{on ? 'checked' : ''}}>Notify</label>`
  root.firstChild.firstChild.onchange = () => {{ on = {1}; render() }}
}}; render()</script>"""


async def test_a_box_that_is_rendered_anew_is_told_as_it_is_then(sheet: Page) -> None:
    await show(sheet, RENDERED_ANEW.format("false", "true"))

    receipt = await sheet.check(await ref(sheet, "Notify"))

    assert receipt.note == "the page rendered it anew: it is checked"


async def test_a_box_that_is_rendered_anew_unchecked_is_an_error(sheet: Page) -> None:
    await show(sheet, RENDERED_ANEW.format("false", "false"))

    with pytest.raises(NotInteractable, match="is not checked: the page rendered it anew"):
        await sheet.check(await ref(sheet, "Notify"))


async def test_a_page_that_went_elsewhere_by_itself_is_told_by_the_next_receipt(page: Page, serve: Serve) -> None:
    await page.goto(serve(CHANGES_BY_ITSELF))
    await page.snapshot()
    goal = serve("<title>Goal</title><button>There</button>")

    await page.evaluate(f"location.assign({goal!r})")
    while page.url != goal:
        await tab_of(page).activity.wait_for_event(5)
    receipt = await page.press("Tab")

    assert receipt.meanwhile == [f'~ the page went to {goal} "Goal": snapshot it']
