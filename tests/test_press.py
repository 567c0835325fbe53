"""The mouse button stays down until the page has answered the press, as a hand's does."""

from __future__ import annotations

import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.browser import Browser
from cdp_agent.page.actions import actions
from cdp_agent.page.actions.actions import ELEMENT_MOVED
from cdp_agent.page.actions.mouse import HELD_S, Button
from cdp_agent.page.page import Page
from cdp_agent.page.receipts.receipts import Outcome
from tests.acting import at, ref
from tests.conftest import BUSY, Serve, held
from tests.writing import show

# What a field does with its text when it is left, and how.
SAVED = {
    "in two timers": "setTimeout(() => setTimeout(save))",
    "in the next frame": "requestAnimationFrame(save)",
    "after two frames": "requestAnimationFrame(() => requestAnimationFrame(save))",
    "after a frame and a message": "requestAnimationFrame(() => { const c = new MessageChannel();"
    " c.port1.onmessage = save; c.port2.postMessage(0) })",
    "by a worker": "worker.postMessage(amount.value)",
    "after 40 ms": "setTimeout(save, 40)",
}


def budget(how: str) -> str:
    return f"""<input id=amount aria-label=Amount><button id=add>Add</button><p id=out>none</p>
        <script>
        let saved = '0.00'
        const save = () => {{ saved = amount.value }}
        const worker = new Worker(URL.createObjectURL(new Blob(['onmessage = (e) => postMessage(e.data)'])))
        worker.onmessage = save
        amount.onblur = () => {{ {how} }}
        add.onclick = () => {{ out.textContent = `saved ${{saved}}` }}
        </script>"""


def entered(field: str, value: str) -> str:
    """A script that leaves the field of that id as it is when somebody has filled it in."""
    return f"{field}.focus(), {field}.value = '{value}'"


async def test_a_field_that_is_left_is_worked_off_before_the_click(sheet: Page, subtests: pytest.Subtests) -> None:
    await show(sheet, "")
    for when, how in SAVED.items():
        with subtests.test(when):
            await show(sheet, budget(how))
            await sheet.evaluate(entered("amount", "12.50"))

            await actions.click(await at(sheet, "Add"))

            assert await sheet.evaluate("out.textContent") == "saved 12.50"


async def test_what_the_press_sets_off_is_done_before_the_click(sheet: Page, subtests: pytest.Subtests) -> None:
    await show(sheet, "")
    for event, when in [("pointerdown", "in two timers"), ("mousedown", "after a frame and a message")]:
        with subtests.test(event, when=when):
            await show(
                sheet,
                f"""<button id=go>Go</button><p id=out></p><script>
                let ready = 'too early'; const save = () => {{ ready = 'ready' }}
                go.on{event} = () => {{ {SAVED[when]} }}; go.onclick = () => {{ out.textContent = ready }}
                </script>""",
            )

            await actions.click(await at(sheet, "Go"))

            assert await sheet.evaluate("out.textContent") == "ready"


async def test_rendering_that_goes_on_is_waited_for(sheet: Page) -> None:
    """For as long as a button is held at the most: on a machine under load that is no more than a frame or two."""
    await show(
        sheet,
        """<button onclick="log.textContent += ' clicked'">Go</button><p id=log></p><script>
            var held
            let n = 0, down
            const go = document.querySelector('button')
            const step = () => { log.textContent += ++n; if (n < 4) requestAnimationFrame(step) }
            go.onmousedown = ({timeStamp}) => { down = timeStamp; requestAnimationFrame(step) }
            go.onmouseup = ({timeStamp}) => { held = timeStamp - down }</script>""",
    )

    await sheet.click(await ref(sheet, "Go"))

    assert await sheet.evaluate("log.textContent") == "1234 clicked" or await sheet.evaluate("held") >= 900 * HELD_S


async def test_a_button_that_the_press_pushes_down_is_clicked_all_the_same(sheet: Page) -> None:
    await show(
        sheet,
        """<input id=named onblur="error.hidden = false"><p id=error hidden style="height:90px">Too short</p>
            <button id=send onclick="this.textContent = 'Sent'">Send</button>""",
    )
    await sheet.evaluate("named.focus()")

    await actions.click(await at(sheet, "Send"))

    assert await sheet.evaluate("[error.hidden, send.textContent]") == [False, "Sent"]


NO_CLICK = {
    "covered": "cover.hidden = false",
    "disabled": "this.disabled = true",
    "moved where it cannot be seen": "this.style.marginLeft = '-5000px'",
    "what was under the mouse is replaced": "this.innerHTML = '<b>Go</b>'",
    "another element gets the mouse": "document.body.setPointerCapture(event.pointerId)",
}


async def test_a_press_of_which_no_click_came_is_told(sheet: Page, subtests: pytest.Subtests) -> None:
    await show(sheet, "")
    for why, pressed in NO_CLICK.items():
        with subtests.test(why):
            await show(
                sheet,
                f"""<button onpointerdown="{pressed}" onclick="out.textContent = 'clicked'"><b>Go</b></button>
                <p id=out></p><div id=cover hidden style="position:fixed;inset:0;background:#fff"></div>""",
            )

            outcome = await actions.click(await at(sheet, "Go"))

            assert outcome == Outcome(note=ELEMENT_MOVED, unclicked=True)
            assert await sheet.evaluate("out.textContent") == ""


async def test_a_menu_that_opens_under_the_right_button_was_asked_for(sheet: Page) -> None:
    await show(
        sheet,
        """<button onmousedown="cover.hidden = false">Go</button>
        <div id=cover hidden style="position:fixed;inset:0;background:#fff">Cut</div>""",
    )

    receipt = await sheet.click(await ref(sheet, "Go"), button="right")

    assert (receipt.note, "Cut" in receipt.text) == ("", True)


HIT = {
    "label": "<label>Go<input type=checkbox></label>",
    "closed shadow root": "<x-go></x-go><script>document.querySelector('x-go').attachShadow({mode: 'closed'})"
    ".innerHTML = '<button>Go</button>'</script>",
    "passed through": "<button><span style='pointer-events:none'>Go</span></button>",
    "stopped": "<button onmousedown='event.preventDefault()' onclick='event.stopPropagation()'>Go</button>",
    "taken away by its click": "<button onclick='this.remove()'>Go</button>",
    "list": "<select size=2><option>Go<option>Stay</select>",
}


BUTTONS: dict[str, tuple[Button, ...]] = {"label": ("left", "middle"), "list": ("left", "right")}


async def test_of_a_click_that_came_nothing_else_is_told(sheet: Page, subtests: pytest.Subtests) -> None:
    await show(sheet, "")
    for what, body in HIT.items():
        for button in BUTTONS.get(what, ("left",)):
            with subtests.test(what, button=button):
                await show(sheet, body)

                assert await actions.click(await at(sheet, "Go"), button=button) == Outcome()


@pytest.mark.parametrize(
    ("shown", "nested"),
    [(f"show(); setTimeout(() => {{ {BUSY} }})", True), (f"setTimeout(() => {{ {BUSY} show() }})", False)],
    ids=["at once, in an iframe", "late"],
)
async def test_a_slow_page_says_where_the_pressed_button_is_before_it_is_let_go(
    page: Page, serve: Serve, httpserver: HTTPServer, shown: str, nested: bool
) -> None:
    button = "<button onclick=\"this.textContent = 'Sent'\">Send</button>"
    await page.goto(
        serve(
            f"""<input id=named onblur="leave()"><p id=error hidden style="height:90px">Too short</p>
            {f'<iframe src="{serve(button)}"></iframe>' if nested else button}
            <script>const show = () => {{ error.hidden = false }}; const leave = () => {{ {shown} }}</script>"""
        )
    )
    await page.evaluate(entered("named", "A"))

    with held(httpserver, "/busy", "", within_s=0.4):
        receipt = await page.click(await ref(page, "Send"))

    assert (receipt.note, '"Sent"' in (await page.snapshot()).text) == ("", True)


async def held_ms(page: Page) -> list[float]:
    """How long each press lasted, as the page saw it."""
    return list(await page.evaluate("presses.splice(0)"))


HOLDING = """<script>const presses = []; let down
addEventListener('mousedown', () => { down = performance.now() }, true)
addEventListener('mouseup', () => presses.push(performance.now() - down), true)</script>"""


async def test_each_press_of_a_click_is_held_and_none_for_long(page: Page, serve: Serve) -> None:
    await page.goto(serve(f"{HOLDING}<button ondblclick='this.title = 1'>Go</button>"))
    button = await ref(page, "Go")

    for count in (1, 2, 3):
        await page.click(button, count=count)

        held = await held_ms(page)
        assert len(held) == count
        assert all(2 < each < 200 for each in held)


async def test_a_page_that_never_rests_is_held_down_no_longer_than_a_hand_does(page: Page, serve: Serve) -> None:
    script = "const step = () => { noise.textContent = performance.now(); down && requestAnimationFrame(step) };"
    script += " addEventListener('mouseup', () => { down = 0 })"
    await page.goto(
        serve(f"{HOLDING}<p id=noise></p><button onmousedown='step()'>Go</button><script>{script}</script>")
    )

    await page.click(await ref(page, "Go"))

    (held,) = await held_ms(page)
    assert 40 < held < 300


async def test_a_tab_behind_another_holds_nobody_up(browser: Browser, page: Page, serve: Serve) -> None:
    await page.goto(serve(f"{HOLDING}<button>Go</button>"))
    button = await ref(page, "Go")
    front = await browser.new_page()

    receipt = await page.click(button)
    await front.close()

    assert receipt.acted_ms < 1000
    assert len(await held_ms(page)) == 1


async def test_a_press_that_opens_a_dialog_is_released(page: Page, serve: Serve) -> None:
    await page.goto(serve(f"{HOLDING}<button onmousedown='alert(1)'>Go</button>"))

    receipt = await page.click(await ref(page, "Go"))

    assert [each.kind for each in receipt.dialogs] == ["alert"]
    assert len(await held_ms(page)) == 1


async def test_a_press_that_leaves_the_page_is_no_error(page: Page, serve: Serve) -> None:
    goal = serve("<title>Goal</title>")
    await page.goto(serve(f"<button onmousedown=\"location = '{goal}'\">Go</button>"))

    assert (await page.click(await ref(page, "Go"))).navigated_to == goal


async def test_check_boxes_are_held_down_too(page: Page, serve: Serve) -> None:
    body = "<label><input type=checkbox onclick='out.textContent = saved'>Take it</label>"
    await page.goto(serve(budget("setTimeout(save, 5)") + body))
    await page.evaluate(entered("amount", "7"))

    await page.check(await ref(page, "Take it"))

    assert await page.evaluate("out.textContent") == "7"


async def test_a_frame_of_another_site_is_waited_for(page: Page, serve: Serve) -> None:
    inner = serve(budget(SAVED["in the next frame"]), other_site=True)
    await page.goto(serve(f"<iframe src='{inner}' width=500 height=300></iframe>"))
    await page.fill(await ref(page, "Amount"), "3")

    receipt = await page.click(await ref(page, "Add"))

    assert "saved 3" in receipt.text
