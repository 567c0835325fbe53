"""Clicks, hovering, focus and check boxes meet what they are meant for, or say what is in the way."""

from __future__ import annotations

import msgspec
import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.errors import InvalidArguments, NotInteractable
from cdp_agent.page.actions import actions, mouse
from cdp_agent.page.page import Page
from cdp_agent.page.receipts.receipts import Outcome
from cdp_agent.page.refs.locate import Located
from tests.acting import LOGGING, WATCHING, at, in_frame, log, ref, until_named
from tests.conftest import Serve, held
from tests.listing import counted_from
from tests.writing import opened, show

CLICKS = ["mousedown b", "click b"]
MET = {
    "far down with smooth scrolling": (
        "<style>html {scroll-behavior: smooth}</style><div style='height:5000px'></div><button id=b>Go</button>"
    ),
    "in a scroller": (
        "<div style='overflow:auto;height:100px;width:100px'><div style='height:800px'></div>"
        "<button id=b>Go</button></div>"
    ),
    "under a sticky header": (
        "<div style='position:fixed;top:0;height:60px;width:100%;background:red'>Head</div>"
        "<div style='height:1500px'></div>"
        "<button id=b>Go</button><div style='height:3000px'></div><script>scrollTo(0, 1510)</script>"
    ),
    "a link over two lines": (
        "<div style='width:70px;font:16px monospace'>aaaa <a id=b aria-label=Go href='#x'>wwww wwwww</a> bb</div>"
    ),
    "display: contents": "<button id=b style='display:contents'>Go</button>",
    "no height": "<a id=b href='#' style='display:block;height:0'>Go</a>",
    "a ring, empty in its middle": (
        "<svg width=200 height=200><path id=b role=button aria-label=Go tabindex=0"
        " d='M 10 10 L 190 10 L 190 190 L 10 190 Z"
        " M 30 30 L 30 170 L 170 170 L 170 30 Z'/></svg>"
    ),
    "an image map": (
        "<img usemap=#m src='data:image/gif;base64,R0lGODlhAQABAAAAACw=' width=100 height=100>"
        "<map name=m><area id=b shape=circle coords=60,60,20 href=#x alt=Go></map>"
    ),
    "a card with a link in its middle": (
        "<div id=b tabindex=0 role=button aria-label=Go style='width:200px;height:100px;position:relative'>"
        "<a href='#y' style='position:absolute;left:60px;top:30px;width:80px;height:40px;background:red'>X</a></div>"
    ),
    "moving at first": (
        "<style>@keyframes m {from {margin-left: 0} to {margin-left: 300px}}</style>"
        "<button id=b style='animation: m .4s linear'>Go</button>"
    ),
    "moving for ever": (
        "<style>@keyframes m {from {margin-left: 0} to {margin-left: 800px}}</style>"
        "<button id=b style='animation: m 10s linear infinite alternate'>Go</button>"
    ),
    "enabled late": "<button id=b disabled>Go</button><script>setTimeout(() => b.disabled = false, 200)</script>",
    "covered at first": (
        "<button id=b>Go</button><div id=o style='position:fixed;inset:0;background:red'></div>"
        "<script>setTimeout(() => o.remove(), 200)</script>"
    ),
}


async def test_click_meets(sheet: Page, subtests: pytest.Subtests) -> None:
    await show(sheet, f"<!doctype html>{LOGGING}")
    for where, content in MET.items():
        with subtests.test(where):
            await show(sheet, content)

            await actions.click(await at(sheet, "Go"))

            assert await log(sheet) == CLICKS


async def test_click_waits_for_what_has_just_begun_to_move(sheet: Page) -> None:
    """It is where it was until the animation has had its first frame, and goes far with the next."""
    moves = "<style>@keyframes m {from {margin-left: 0} to {margin-left: 300px}}</style>"
    await show(sheet, f"{moves}<button id=b>Go</button>{LOGGING}")
    target = await at(sheet, "Go")

    for _ in range(6):
        begin = "b.style.animation = 'none'; b.offsetWidth; b.style.animation = 'm .1s cubic-bezier(0, 1, 0, 1)'"
        await sheet.evaluate(begin)
        await actions.click(target)

    assert await log(sheet) == CLICKS * 6


GIVES_WAY = (
    "<div style='height:40px'></div><button id=other style='position:absolute;left:0;top:0'>Go</button>"
    "<button id=b style='position:absolute;left:0;top:0' onmouseover='b.style.left = `200px`'>Go away</button>"
)


@pytest.mark.parametrize("button", ["left", "middle"])
async def test_a_press_that_meets_another_element_makes_no_click_even_for_listeners_of_the_window(
    sheet: Page, button: mouse.Button
) -> None:
    await show(sheet, f"{GIVES_WAY}{LOGGING}")

    await actions.click(await at(sheet, "Go away"), button=button, count=2)

    kind = "click" if button == "left" else "auxclick"
    twice = ["mousedown b", f"{kind} b"] * 2
    assert await log(sheet) == [*twice, *["dblclick b"] * (button == "left")]


async def test_click_waits_until_it_is_shown(sheet: Page) -> None:
    await show(sheet, f"<button id=b>Go</button>{LOGGING}")
    target = await at(sheet, "Go")
    await sheet.evaluate("b.style.display = 'none'; setTimeout(() => b.style = '', 200)")

    await actions.click(target)

    assert await log(sheet) == CLICKS


async def test_click_with_other_buttons_and_counts(sheet: Page) -> None:
    await show(sheet, f"<button id=b>Go</button>{LOGGING}")
    target = await at(sheet, "Go")

    await actions.click(target, count=2)
    assert await log(sheet) == [*CLICKS, *CLICKS, "dblclick b"]
    await actions.click(target, button="right")
    assert await log(sheet) == ["mousedown b", "contextmenu b", "auxclick b"]
    await actions.click(target, button="middle")
    assert await log(sheet) == ["mousedown b", "auxclick b"]


async def test_click_in_a_closed_shadow_root(sheet: Page) -> None:
    content = "<div id=h></div><script>h.attachShadow({mode: 'closed'}).innerHTML = '<button>Deep</button>'</script>"
    await show(sheet, content + LOGGING)

    await actions.click(await at(sheet, "Deep"))

    assert await log(sheet) == ["mousedown h", "click h"]


FRAMES = {
    "transformed": "transform:rotate(25deg) scale(.6);border:9px solid;margin:60px",
    "zoomed": "zoom:1.7;padding:7px;border:3px solid",
}
NOTING = """<script>const all = new Promise((done) => {
  const clicked = [];
  onmessage = (event) => clicked.push(event.data) === 4 && done(clicked);
})</script>"""


REFUSED = {
    "a dialog": (
        "<button>Go</button><div role=dialog aria-label=Cookies style='position:fixed;inset:0;background:red'>"
        "<button>Accept</button></div>",
        "covered",
        'Button E1 "Go" is covered by dialog "Cookies": close it first (it has button E2 "Accept").',
    ),
    "something without a role": (
        "<button>Go</button><div class='veil' style='position:fixed;inset:0;background:red'>Loading</div>",
        "covered",
        'Button E1 "Go" is covered by div.veil "Loading": deal with that first.',
    ),
    "something that shows nothing": (
        "<button>Go</button><div class=layer style='position:fixed;inset:0'><h2 hidden>May</h2>"
        "<div style='visibility:hidden'>Mon</div></div>",
        "covered",
        'Button E1 "Go" is covered by div.layer: it says nothing. '
        "It may go by itself, with Escape, or with a click on it.",
    ),
    "an open list": (
        "<button>Go</button>"
        "<div role=listbox aria-label=Fruit style='position:fixed;inset:0;background:red'>Pear</div>",
        "covered",
        'Button E1 "Go" is covered by listbox E2 "Fruit": press Escape first, which closes it.',
    ),
    "what is lifted out of a form": (
        "<button>Go</button><form><div class=picker style='position:absolute;inset:0;background:red'>Hue</div></form>",
        "covered",
        'Button E1 "Go" is covered by div.picker "Hue": deal with that first.',
    ),
    "a calendar that is still open": (
        "<button>Go</button><div class=picker style='position:absolute;inset:0;width:99px;height:99px;background:red'>"
        "<br><br><button>Prev</button></div>",
        "covered",
        'Button E1 "Go" is covered by div.picker "Prev": if it popped up, Escape or a click beside it may close it; '
        'else deal with it first (it has button E2 "Prev").',
    ),
    "the label of a radio button that is clipped": (
        "<label><span style='position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)'><input "
        "type=radio></span>Go</label><div role=dialog aria-label=Day style='position:fixed;inset:0;background:red'>"
        "<button>Done</button></div>",
        "covered",
        'Radio E1 "Go" is covered by dialog "Day": close it first (it has button E2 "Done").',
    ),
    "a layer over a canvas": (
        "<canvas aria-label=Go></canvas><div class=layer style='position:absolute;inset:0'></div>",
        "covered",
        'Canvas E1 "Go" is covered by div.layer: act on that in its place if it is a layer of the canvas, '
        "else deal with it first.",
    ),
    "disabled": ("<button disabled>Go</button>", "disabled", 'Button E1 "Go" is disabled.'),
    "aria-disabled": ("<div aria-disabled=true><button>Go</button></div>", "disabled", 'Button E1 "Go" is disabled.'),
    "outside": (
        "<button style='position:fixed;left:-500px'>Go</button>",
        "outside",
        'Button E1 "Go" is outside of the page\'s visible area, and no scrolling brings it in.',
    ),
    "a file field": (
        "<input type=file aria-label=Go>",
        "wrong_element",
        'Button E1 "Go" opens a file chooser: give it files with upload.',
    ),
    "without mouse events": (
        "<button id=b style='pointer-events:none'>Go</button>",
        "hidden",
        'Button E1 "Go" is not shown: it takes no mouse events.',
    ),
    "in a canvas": (
        "<canvas><button>Go</button></canvas>",
        "hidden",
        'Button E2 "Go" is not shown: canvas E1 "Go" paints it. Press keys in it, or click the canvas with at: its '
        "place there, as a screenshot shows it.",
    ),
}


def impatient(target: Located) -> Located:
    """It is waited for only a moment: what is in the way stays there."""
    return msgspec.structs.replace(target, wait_s=0.1)


async def test_click_says_what_is_in_the_way(sheet: Page, subtests: pytest.Subtests) -> None:
    await show(sheet, LOGGING)
    for what, (content, why, message) in REFUSED.items():
        with subtests.test(what):
            first = await show(sheet, content)
            target = impatient(await at(sheet, "Go"))

            with pytest.raises(NotInteractable) as refused:
                await actions.click(target)

            assert (refused.value.why, counted_from(first, str(refused.value))) == (why, message)
            assert await log(sheet) == []


async def test_click_says_of_what_has_been_hidden_what_to_do(sheet: Page) -> None:
    first = await show(
        sheet, "<details open id=d><summary>More</summary><button>Go</button></details><button id=b>Stay</button>"
    )
    in_what_was_shut, by_itself = await at(sheet, "Go"), await at(sheet, "Stay")
    await sheet.evaluate("d.open = false; b.style.display = 'none'")

    with pytest.raises(NotInteractable) as refused:
        await actions.click(impatient(in_what_was_shut))
    with pytest.raises(NotInteractable) as refused_too:
        await actions.click(impatient(by_itself))

    assert counted_from(first, str(refused.value)) == (
        'Button E2 "Go" is not shown: it is in summary E1 "More", which is closed.'
    )
    assert counted_from(first, str(refused_too.value)) == (
        'Button E3 "Stay" is not shown: open what it is in, or wait for it. Take a new snapshot.'
    )


async def test_click_says_how_to_go_on_with_what_opens_outside_of_the_page(sheet: Page) -> None:
    await show(sheet, "<select aria-label=Go><option>a<option>b</select>")

    outcome = await actions.click(await at(sheet, "Go"))

    assert outcome == Outcome(note="its options are not in the page: choose one with select")


async def test_hover_opens_a_menu(sheet: Page) -> None:
    await show(
        sheet, "<style>#m {display: none} #b:hover + #m {display: block}</style><button id=b>Go</button><p id=m>Menu"
    )

    await actions.hover(await at(sheet, "Go"))

    assert await sheet.evaluate("m.checkVisibility()") is True


async def test_focus_of_a_wrapper_goes_to_the_field_in_it(sheet: Page) -> None:
    await show(sheet, "<div role=group aria-label=Name onclick='0'><input id=i></div>")

    outcome = await actions.focus(await at(sheet, "Name"))

    assert outcome == Outcome(note=f"the focus is on textbox {await ref(sheet, '', 'textbox')} in it")
    assert await sheet.evaluate("document.activeElement.id") == "i"


async def test_focus_says_that_something_takes_none(sheet: Page) -> None:
    await show(sheet, "<h1 onclick='0'>Title</h1>")

    with pytest.raises(NotInteractable, match="takes no focus: click it"):
        await actions.focus(await at(sheet, "Title"))


CHECKED = {
    "native": ("<input type=checkbox aria-label=Go id=b>", "b.checked"),
    "styled by its label": (
        "<label><input id=b type=checkbox style='opacity:0;position:absolute;width:0;height:0'>"
        "<span style='display:inline-block;width:20px;height:20px;background:red'></span>Go</label>",
        "b.checked",
    ),
    "hidden, by its label": ("<input id=b type=checkbox style='display:none'><label for=b>Go</label>", "b.checked"),
    "of no size, by what is around it": (
        "<p onclick='b.checked ^= 1'><input id=b type=checkbox aria-label=Go style='width:0;height:0;margin:0'>"
        "<span style='display:inline-block;width:20px;height:20px;background:red'></span></p>",
        "b.checked",
    ),
    "in a box of no size, by what listens around it": (
        "<style>.no{position:absolute;width:1px;height:1px;overflow:hidden;pointer-events:none}</style>"
        "<p id=p><span class=no><input id=b type=radio aria-label=Go></span><button>x</button> star</p>"
        "<script>p.addEventListener('click', (event) => { b.checked ||= event.target === p })</script>",
        "b.checked",
    ),
    "a switch": (
        "<div id=b role=switch tabindex=0 aria-checked=false"
        " onclick='this.ariaChecked = this.ariaChecked != `true`'>Go</div>",
        "b.ariaChecked == 'true'",
    ),
    "a mixed one that is unchecked first": (
        "<div id=b role=checkbox tabindex=0 aria-checked=mixed"
        " onclick='this.ariaChecked = this.ariaChecked == `mixed` ?"
        " `false` : `true`'>Go</div>",
        "b.ariaChecked == 'true'",
    ),
    "a button that is pressed later": (
        "<button id=b aria-pressed=false onclick='setTimeout(() => this.ariaPressed = true, 50)'>Go</button>",
        "b.ariaPressed == 'true'",
    ),
}


CHECKED_BEFORE = ("native", "a switch", "a button that is pressed later")


async def test_check_checks_once(sheet: Page, subtests: pytest.Subtests) -> None:
    await show(sheet, "")
    for what, (content, is_checked) in CHECKED.items():
        with subtests.test(what):
            await show(sheet, content)
            box = await at(sheet, "Go")

            first = await actions.check(box)

            assert (first.note, await sheet.evaluate(is_checked)) == ("", True)
            if what in CHECKED_BEFORE:
                assert (await actions.check(box)).note == "it was checked before"
                assert await sheet.evaluate(is_checked) is True


async def test_click_and_hover_at_a_position_of_the_element(sheet: Page) -> None:
    told = "<script>b.onclick = b.onmousemove = (event) => { log.push(event.offsetX + ' ' + event.offsetY) }</script>"
    await show(sheet, f"<div style='height:3000px'></div><canvas id=b width=300 height=200></canvas>{LOGGING}{told}")
    canvas = (await sheet.find("canvas")).elements[0].ref

    await sheet.hover(canvas, position=(10, 20))
    await sheet.click(canvas, position=(290, 150))

    assert await log(sheet) == ["10 20", "290 150", "mousedown b", "click b", "290 150"]


LAYERS = {
    "the box that scrolls a grid": "<div id=b style='{0};overflow:auto'><div style='height:9000px;pointer-events:none'>"
    "</div></div>",
    "a box around it": "<div style='{0}'><div id=b style='height:100%'></div></div>",
    "a second canvas": "<canvas id=b width=300 height=200 style='{0}'></canvas>",
    "a drawing's glass": "<div id=b tabindex=-1 style='{0};cursor:crosshair;background:#fff0'></div>",
}


@pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS)
async def test_a_click_on_a_canvas_goes_to_the_clear_layer_over_it(sheet: Page, layer: str) -> None:
    over = layer.format("position:absolute;left:0;top:0;width:300px;height:200px")
    picture = "<canvas aria-label=Map width=300 height=200></canvas>"
    await show(sheet, f"<div style='position:relative;width:300px'>{picture}{over}</div>{LOGGING}")
    canvas = (await sheet.find("[aria-label=Map]")).elements[0].ref

    receipt = await sheet.click(canvas, position=(50, 60))

    assert "click b" in await log(sheet)
    assert "which lies clear over it" in receipt.note


@pytest.mark.parametrize(
    "style", ["background:#0005", "position:fixed", "border:0;width:2000px"], ids=["shade", "fixed", "page"]
)
async def test_what_hides_a_canvas_or_more_than_that_is_no_layer_of_it(sheet: Page, style: str) -> None:
    cover = f"<div id=b style='position:absolute;left:0;top:0;width:300px;height:200px;{style}'></div>"
    await show(sheet, f"<canvas aria-label=Map width=300 height=200></canvas>{cover}")
    canvas = impatient(await at(sheet, "Map"))

    with pytest.raises(NotInteractable, match="is covered by"):
        await actions.click(canvas.at((50, 50)))


async def test_click_at_a_position_says_what_covers_it(sheet: Page) -> None:
    cover = "<button style='position:absolute;left:0;top:0;width:100px;height:100px'>On top</button>"
    await show(sheet, f"<canvas aria-label=Map width=300 height=200></canvas>{cover}")
    canvas = impatient(await at(sheet, "Map"))

    with pytest.raises(NotInteractable, match=r'is covered by button E\d+ "On top"'):
        await actions.click(canvas.at((50, 50)))


async def test_check_leaves_the_other_options_of_a_list_chosen(sheet: Page) -> None:
    await show(sheet, f"<select id=s multiple><option>A<option selected>B<option selected>C</select>{LOGGING}")

    await actions.check(await at(sheet, "A"))
    await actions.uncheck(await at(sheet, "C"))

    assert await sheet.evaluate("Array.from(s.selectedOptions, (each) => each.text)") == ["A", "B"]
    assert await log(sheet) == ["input s", "change s", "input s", "change s"]


async def test_uncheck_of_a_radio_button_says_how(sheet: Page) -> None:
    first = await show(sheet, "<input type=radio checked aria-label=Go>")

    with pytest.raises(InvalidArguments) as refused:
        await actions.uncheck(await at(sheet, "Go"))

    assert str(refused.value) == f'Radio E{first} "Go" is unchecked by checking another one of its group.'


UNCHECKED = {
    "when clicked": ("onclick='return false'", "it was clicked, and stayed so"),
    "a moment later": ("onchange='setTimeout(() => { this.checked = false }, 20)'", ""),
}


async def test_a_box_that_does_not_stay_checked_is_an_error(sheet: Page, subtests: pytest.Subtests) -> None:
    for when, (handler, why) in UNCHECKED.items():
        with subtests.test(when):
            await show(sheet, f"<input type=checkbox aria-label=Go {handler}>")

            with pytest.raises(NotInteractable, match=f'"Go" is not checked: .*{why}'):
                await sheet.check(await ref(sheet, "Go"))


async def test_actions_leave_nothing_in_the_page(sheet: Page) -> None:
    await show(sheet, f"<button id=b>Go</button><input aria-label=F type=checkbox>{WATCHING}")

    await actions.click(await at(sheet, "Go"))
    await actions.hover(await at(sheet, "Go"))
    await actions.check(await at(sheet, "F"))

    assert await sheet.evaluate("[records, Reflect.ownKeys(window).length]") == [0, await sheet.evaluate("names")]


REINSERTED = {
    "in a page": "<div id=box><div id=b style='width:90px;height:40px;background:red' role=button>Go</div></div>",
    "in a drawing": "<svg id=box width=300 height=90><g id=b role=button>"
    "<rect width=90 height=40 /><text y=20>Go</text></g></svg>",
}


async def test_what_is_put_in_anew_whenever_the_mouse_comes_over_it_is_clicked(
    sheet: Page, subtests: pytest.Subtests
) -> None:
    script = "<script>b.onmouseover = () => box.append(b); b.onmouseup = () => told.textContent += 'up,'</script>"
    await show(sheet, "")
    for where, content in REINSERTED.items():
        with subtests.test(where):
            await show(sheet, f"{content}<p id=told></p>{script}")

            await actions.click(await at(sheet, "Go"))

            assert await sheet.evaluate("told.textContent") == "up,"


async def test_a_box_that_the_page_unchecked_again_is_an_error(
    page: Page, serve: Serve, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    state_after = actions._state_after
    undo = "fetch('/undo').then(() => { this.checked = false })"

    async def answering(at: Located, local: int, wanted: str) -> str | None:
        state = await state_after(at, local, wanted)
        released.set()
        return state

    monkeypatch.setattr(actions, "_state_after", answering)
    with held(httpserver, "/undo", "") as released:
        await opened(page, serve, f'<input type=checkbox aria-label=C onchange="{undo}">')

        with pytest.raises(NotInteractable, match=r'"C" is not checked: the page changed it since\.'):
            await page.check(await ref(page, "C"))


async def test_what_is_scrolled_to_where_a_frame_of_another_process_was_is_clicked(page: Page, serve: Serve) -> None:
    at = "position: absolute; left: 0; width: 400px; height"
    frame = serve("<body style='height: 500px' onmousedown='parent.postMessage(1, \"*\")'>", other_site=True)
    await page.goto(
        serve(
            f"<iframe src='{frame}' style='{at}: 500px; top: 150px'></iframe><div style='height: 3000px'></div>"
            f"<button style='{at}: 40px; top: 1500px' onclick='this.textContent = `Done`'>Go</button>"
            "<script>onmessage = () => { document.title = 'the frame' }</script>"
        )
    )

    receipt = await page.click(await ref(page, "Go"))

    assert any("Done" in line for line in receipt.changed), receipt.text
    assert page.title != "the frame"


async def test_click_in_a_frame_of_the_same_and_of_another_process(page: Page, serve: Serve) -> None:
    told = "onclick='parent.postMessage(this.textContent, `*`)'"
    frames, names = "", [f"{style} {process}" for process in ("here", "elsewhere") for style in FRAMES]
    for name in names:
        style, process = name.split()
        inner = f"<!doctype html><div style='height:700px'></div><button {told}>{name}</button>"
        address = serve(inner, other_site=process == "elsewhere")
        frames += f"<iframe src='{address}' style='display:block;{FRAMES[style]}'></iframe>"
    await page.goto(serve(f"<!doctype html>{NOTING}<div style='height:1500px'></div>{frames}"))
    await until_named(page, names[-1])

    for name in names:
        await actions.click(await at(page, name))

    assert await page.evaluate("all") == names


async def test_click_says_that_a_page_takes_no_mouse_events_while_something_is_open(page: Page, serve: Serve) -> None:
    await opened(
        page,
        serve,
        "<body style='pointer-events:none'><button>Go</button><ul role=menu style='pointer-events:auto'>More</ul>",
    )

    with pytest.raises(NotInteractable) as refused:
        await actions.click(impatient(await at(page, "Go")))

    assert refused.value.why == "hidden"
    assert str(refused.value) == (
        'Button E1 "Go" is not shown: the page takes no mouse events while menu "More" is open: close that first, as '
        "with Escape."
    )


async def test_click_says_that_a_page_hides_what_the_mouse_comes_over(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<div onmouseenter='this.firstChild.hidden = true'><button>Layers</button></div>")

    with pytest.raises(NotInteractable, match='Button E1 "Layers" was put away by the page as the mouse came over it'):
        await actions.click(await at(page, "Layers"))


async def test_click_names_what_covers_a_frame_of_another_process(page: Page, serve: Serve) -> None:
    url = serve("<button onclick='document.title = 1'>Go</button>", other_site=True)
    cover = "<dialog open aria-label=Terms style='position:absolute;inset:0;margin:0;width:90%;height:90%'></dialog>"
    await page.goto(serve(f"<iframe src='{url}' style='position:absolute;top:0;left:0'></iframe>{cover}"))
    await until_named(page, "Go")

    with pytest.raises(NotInteractable, match=r'is covered by dialog.* "Terms": close it first') as refused:
        await actions.click(impatient(await at(page, "Go")))

    assert refused.value.why == "covered"
    assert await in_frame(page, "document.title") == ""


async def test_click_that_closes_its_page_is_done(page: Page, serve: Serve) -> None:
    await page.goto(serve("<a href='about:blank'>Go</a>"))

    assert await actions.click(await at(page, "Go")) == Outcome()


async def test_click_never_lands_on_what_jumps_in_between(page: Page, serve: Serve) -> None:
    decoy = "<button style='position:fixed;inset:0' onclick='log.push(`decoy`)'>Decoy</button>"
    jumping = (
        "setInterval(() => {b.style.left = Math.random() * 900 + 'px'; b.style.top = Math.random() * 600 + 'px'}, 1)"
    )
    button = "<button id=b style='position:fixed;width:60px;height:60px'>Go</button>"
    await page.goto(serve(f"{LOGGING}{decoy}{button}<script>{jumping}</script>"))

    await actions.click(await at(page, "Go"))

    noticed = await log(page)
    assert "mousedown b" in noticed
    assert "decoy" not in noticed
