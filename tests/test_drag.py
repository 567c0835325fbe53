"""Dragging works for pages that follow the mouse and for HTML's drag and drop, also across frames."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import msgspec
import pytest

from cdp_agent.errors import InvalidArguments, NotInteractable
from cdp_agent.page.actions.actions import click
from cdp_agent.page.actions.drag import drag
from cdp_agent.page.page import Page
from tests.acting import at, in_frame, ref, until_named
from tests.conftest import Serve
from tests.writing import opened

BOX = "position:absolute;width:50px;height:50px;background:red"
FOLLOW = """<script>
var moves = 0, held = false;
s.onmousedown = (event) => { held = true; event.preventDefault() };
onmouseup = () => held = false;
onmousemove = (event) => {
  if (!held) return;
  moves++; s.style.left = event.pageX - 25 + "px"; s.style.top = event.pageY - 25 + "px"
}</script>"""


def following(top: int) -> str:
    """A box that follows the mouse while it is held, and a target so far down."""
    return f"""<!doctype html><div id=s role=button tabindex=0 aria-label=Source style="{BOX}"></div>
<div role=button tabindex=0 aria-label=Target style="{BOX};left:400px;top:{top}px"></div>{FOLLOW}"""


SOURCE = f"""<div id=s draggable=true role=button tabindex=0 aria-label=Source style="{BOX}"
ondragstart="event.dataTransfer.setData('text', 'cargo')" ondragend="document.title = 'over'"></div>"""
TARGET = f"""<div id=t role=button tabindex=0 aria-label=Target style="{BOX};left:200px"
ondragover="event.preventDefault()" onclick="this.title = 'hit'"
ondrop="event.preventDefault(); this.textContent = event.dataTransfer.getData('text')"></div>"""


@pytest.mark.parametrize("top", [200, 2000], ids=["in view", "far down"])
async def test_drag_with_the_mouse(page: Page, serve: Serve, top: int) -> None:
    await opened(page, serve, following(top))

    await drag(await at(page, "Source"), await at(page, "Target"))

    assert await page.evaluate("[s.offsetLeft, s.offsetTop, moves > 5, held]") == [400, top, True, False]


async def test_drag_and_drop_of_html(page: Page, serve: Serve) -> None:
    await opened(page, serve, SOURCE + TARGET)

    await drag(await at(page, "Source"), await at(page, "Target"))

    assert await page.evaluate("[t.textContent, document.title]") == ["cargo", "over"]


async def test_what_a_page_holds_its_drop_for_is_looked_at_now_and_then_only(page: Page, serve: Serve) -> None:
    over = "var over = false, look = null"
    over += "; t.addEventListener('dragover', () => look ??= setTimeout(() => { over = true }, 20))"
    drop = "t.ondrop = (event) => { event.preventDefault(); t.textContent = over ? 'met' : 'lost' }"
    await opened(page, serve, f"{SOURCE}{TARGET}<script>{over}; {drop}</script>")

    await drag(await at(page, "Source"), await at(page, "Target"))

    assert await page.evaluate("t.textContent") == "met"


async def test_drag_into_and_out_of_a_frame_of_another_process(page: Page, serve: Serve) -> None:
    inner = (SOURCE + TARGET).replace("aria-label=", "aria-label=Inner")
    url = serve(inner, other_site=True)
    frame = f"<iframe src='{url}' style='position:absolute;top:100px;left:50px'></iframe>"
    await page.goto(serve(SOURCE + TARGET + frame))
    await until_named(page, "InnerTarget")

    await drag(await at(page, "Source"), await at(page, "InnerTarget"))
    await click(await at(page, "InnerTarget"))

    assert await page.evaluate("[t.textContent, document.title]") == ["", "over"]
    assert await in_frame(page, "[t.textContent, t.title, document.title]") == ["cargo", "hit", ""]

    await drag(await at(page, "InnerSource"), await at(page, "Target"))
    await click(await at(page, "Target"))

    assert await page.evaluate("[t.textContent, t.title]") == ["cargo", "hit"]
    assert await in_frame(page, "document.title") == "over"


async def test_drag_presses_nothing_when_the_target_cannot_be_reached(page: Page, serve: Serve) -> None:
    cover = "<div role=dialog aria-label=Terms style='position:fixed;inset:100px 0 0 100px;background:blue'></div>"
    await opened(page, serve, following(200) + cover)

    with pytest.raises(NotInteractable, match='is covered by dialog "Terms": close it first'):
        await drag(await at(page, "Source"), msgspec.structs.replace(await at(page, "Target"), wait_s=0.5))

    assert await page.evaluate("held") is False


async def test_a_press_of_a_drag_that_meets_another_element_makes_no_click(page: Page, serve: Serve) -> None:
    other = "<button id=other style='position:absolute;left:0;top:0;width:60px;height:60px'>Go</button>"
    gives_way = "<script>s.onmouseover = () => s.style.top = '100px'; addEventListener('click', note, true)</script>"
    note = "<script>var clicks = [], note = (event) => clicks.push(event.target.id)</script>"
    await opened(page, serve, note + other + following(200) + gives_way)

    await drag(await at(page, "Source"), await at(page, "Target"))

    assert await page.evaluate("[s.offsetLeft, s.offsetTop, held]") == [400, 200, False]
    assert "other" not in await page.evaluate("clicks")


async def test_drag_onto_an_outline_that_the_mouse_does_not_see(page: Page, serve: Serve) -> None:
    box = "<svg width=300 height=200><rect x=200 y=50 width=60 height=60 fill=none stroke=black /></svg>"
    button = "<button style='position:absolute;left:0;top:150px'>Go</button>"
    told = "<script>onmouseup = (event) => document.title = event.target.nodeName + [event.x, event.y]</script>"
    await opened(page, serve, box + button + told)

    await page.drag(await ref(page, "Go"), (await page.find("rect")).elements[0].ref)

    assert await page.evaluate("document.title") == "svg238,87"


async def test_drag_goes_just_past_the_middle(page: Page, serve: Serve) -> None:
    boxes = "".join(f"<button style='{BOX};left:{left}px;top:100px'>{left}</button>" for left in (0, 200))
    await opened(page, serve, f"{boxes}<script>onmouseup = (event) => document.title = event.x</script>")

    ends = []
    for start, end in (("0", "200"), ("200", "0")):
        await drag(await at(page, start), await at(page, end))
        ends.append(await page.evaluate("document.title"))

    assert ends == ["225", "24"]


async def test_drag_by_so_many_pixels_tells_how_far_it_moved(page: Page, serve: Serve) -> None:
    await opened(page, serve, following(200))
    await page.evaluate("s.style.left = s.style.top = '100px'")

    receipt = await page.drag(await ref(page, "Source"), by=(60, -40), position=(25, 25))

    assert await page.evaluate("[s.offsetLeft, s.offsetTop]") == [160, 60]
    assert receipt.text.splitlines()[:2] == ['dragged E1 button "Source" by 60, -40', "(it moved by 60, -40)"]


async def test_what_is_hidden_after_a_drag_is_not_told_to_have_moved(page: Page, serve: Serve) -> None:
    await opened(page, serve, following(200))
    await page.evaluate("void (s.onmouseup = () => s.hidden = true)")

    receipt = await page.drag(await ref(page, "Source"), by=(60, 40))

    assert receipt.note == ""


async def test_what_moved_by_a_drag_is_not_waited_for_any_longer(page: Page, serve: Serve) -> None:
    await opened(
        page,
        serve,
        """<button id=s style="position: relative">Source</button><script>
        s.onpointerdown = ({ pointerId }) => s.setPointerCapture(pointerId)
        s.onpointermove = ({ clientX, buttons }) => { if (buttons) s.style.left = `${clientX - 20}px` }</script>""",
    )

    receipt = await page.drag(await ref(page, "Source"), by=(100, 0))

    assert receipt.text.splitlines()[1].startswith("(it moved by ")
    assert "no change" not in receipt.text


async def test_drag_says_that_it_wants_one_goal(page: Page, serve: Serve) -> None:
    await opened(page, serve, following(200))
    source = await ref(page, "Source")

    for goals in ({}, {"to_ref": source, "by": (1, 1)}):
        with pytest.raises(InvalidArguments, match="either the element to drop it on or how far"):
            await page.drag(source, **goals)  # type: ignore[arg-type]  # as a caller without types would


async def test_drag_in_a_drawing_from_a_point_to_a_point(page: Page, serve: Serve) -> None:
    drawing = """<svg width=500 height=300 style='margin:20px'><g id=n transform='translate(10,10)'>
        <text y=20>Node</text>
        <rect width=80 height=40 fill=none pointer-events=all onmousedown='held = this.parentNode' /></g>
        <circle id=port cx=300 cy=200 r=6 onmouseup='document.title = "wired"' onclick='0'><title>Port</title></circle>
        </svg>"""
    follow = """<script>var held = null; addEventListener('mousemove', (event) => held?.setAttribute('transform',
        `translate(${event.clientX - 28 - 10},${event.clientY - 28 - 10})`));
        addEventListener('mouseup', () => held = null)</script>"""
    await opened(page, serve, drawing + follow)
    node = await ref(page, "Node")

    moved = await page.drag(node, by=(100, 50), position=(10, 10))
    await page.drag(await ref(page, "Port"), node, to_position=(75, 35))
    await page.drag(node, await ref(page, "Port"))

    assert moved.note == "it moved by 100, 50"
    assert await page.evaluate("document.title") == "wired"


FAR_LIST = """<div id=box style='height:200px;overflow:auto;width:200px'><div style='height:2000px;position:relative'>
<div role=button tabindex=0 aria-label=Source id=s style='height:30px;background:red'></div>
<div role=button tabindex=0 aria-label=Target id=t style='position:absolute;top:1500px;height:30px;width:100%'></div>
</div></div>
<script>s.onmousedown = () => document.title = 'down'; addEventListener('mousemove', () => document.title += '.');
box.onscroll = () => document.title += '|';
t.onmouseup = () => document.title += 'dropped'</script>"""


async def test_a_target_out_of_view_is_brought_into_view_while_the_button_is_held(page: Page, serve: Serve) -> None:
    await opened(page, serve, FAR_LIST)

    await page.drag(await ref(page, "Source"), await ref(page, "Target"))

    title = await page.evaluate("document.title")
    assert title.endswith("dropped")
    assert title.index("down") < title.index("|")  # held
    assert title.index(".", title.index("down")) < title.rindex("|")  # and moved a little before it scrolled


async def test_a_position_out_of_view_is_brought_into_view(page: Page, serve: Serve) -> None:
    await opened(
        page,
        serve,
        """<div style='height:200px;width:300px;overflow:auto'>
        <svg id=v width=4000 height=4000 tabindex=0></svg></div>
        <script>v.onmouseup = (event) => document.title = [event.offsetX, event.offsetY]</script>""",
    )
    drawing = await ref(page, "", "img")

    await page.drag(drawing, drawing, position=(10, 10), to_position=(3000, 2500))
    dropped = await page.evaluate("document.title")
    await page.click(drawing, position=(20, 30))

    assert [dropped, await page.evaluate("document.title")] == ["3000,2500", "20,30"]


async def test_a_drag_is_held_at_both_ends(page: Page, serve: Serve) -> None:
    times = """<script>var began, moved = null; s.onpointerdown = () => began = performance.now();
    addEventListener('pointermove', (event) => { if (event.buttons) moved ??= performance.now() - began;
      last = performance.now() });
    addEventListener('pointerup', () => document.title = [moved > 250, performance.now() - last > 250])</script>"""
    await opened(page, serve, following(200) + times)

    await page.drag(await ref(page, "Source"), by=(90, 90), hold_s=0.3)

    assert await page.evaluate("document.title") == "true,true"


async def test_a_thin_wire_is_hit_where_it_runs(page: Page, serve: Serve) -> None:
    wire = "<path d='M5 5C400 5 5 290 395 290' fill=none stroke=black stroke-width=3 onclick='document.title = 1' />"
    group = "<g aria-label=Link><line x1=5 y1=290 x2=20 y2=120 stroke=black onclick='document.title += 2' /></g>"
    await opened(page, serve, f"<svg width=400 height=300>{wire}{group}</svg>")

    await page.click((await page.find("path")).elements[0].ref)
    await page.click(await ref(page, "Link"))

    assert await page.evaluate("document.title") == "12"


NOTED = """<script>document.title = ''; for (const type of ['mousedown', 'mouseup', 'dragend', 'drop'])
  addEventListener(type, () => document.title += type + ',', true)</script>"""


async def interrupted(doing: Coroutine[Any, Any, Any], page: Page, when: str) -> None:
    """Cancels what is being done as soon as the page says so."""
    task = asyncio.create_task(doing)
    until = f"new Promise((done) => {{ const look = () => ({when}) ? done(1) : setTimeout(look, 5); look() }})"
    await page.evaluate(until, timeout_s=20)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("hold_s", [5.0, 0.0], ids=["while it is held still", "while it moves"])
async def test_a_cancelled_drag_leaves_no_button_pressed(hold_s: float, page: Page, serve: Serve) -> None:
    await opened(page, serve, following(200) + NOTED)
    source = await ref(page, "Source")

    await interrupted(page.drag(source, by=(400, 100), hold_s=hold_s), page, "held && (moves > 2 || document.title)")
    await page.hover(await ref(page, "Target"))

    assert await page.evaluate("[document.title, held]") == ["mousedown,mouseup,", False]


SCROLLS_AT_ITS_EDGE = """<div id=list style="height:200px;width:300px;overflow:auto">
<div style="height:4000px">Rows</div></div><script>
let held = false, y = 0; list.onpointerdown = () => held = true; addEventListener('pointerup', () => held = false);
addEventListener('pointermove', (event) => y = event.clientY);
const step = () => { if (held && y > 60) list.scrollTop++; requestAnimationFrame(step) }; step()</script>"""


async def test_a_drag_that_is_cancelled_while_the_page_scrolls_leaves_no_button_pressed(
    page: Page, serve: Serve
) -> None:
    await page.goto(serve(SCROLLS_AT_ITS_EDGE + NOTED))
    rows = (await page.find("#list > div")).elements[0].ref

    await interrupted(page.drag(rows, by=(0, 150), position=(20, 20), hold_s=1.5), page, "list.scrollTop > 5")

    assert await page.evaluate("[document.title, held]") == ["mousedown,mouseup,", False]


async def test_a_cancelled_drag_of_html_drops_nothing(page: Page, serve: Serve) -> None:
    began = "<script>addEventListener('dragstart', () => document.title += 'dragstart,')</script>"
    await opened(page, serve, SOURCE + TARGET + NOTED + began)
    source, target = await ref(page, "Source"), await ref(page, "Target")

    await interrupted(page.drag(source, target, hold_s=0.2), page, "document.title.includes('dragstart')")
    await page.click(target)

    assert await page.evaluate("[t.textContent, t.title, document.title.includes('drop')]") == ["", "hit", False]


async def test_a_page_that_leaves_in_the_middle_of_a_drag_gets_no_held_button(page: Page, serve: Serve) -> None:
    after = serve("<button onmousemove='document.title += event.buttons'>Next</button>")
    leave = f"<script>onmousemove = () => {{ if (held && ++moves > 3) location = '{after}' }}</script>"
    await opened(page, serve, following(200) + leave)

    receipt = await page.drag(await ref(page, "Source"), await ref(page, "Target"))
    await page.hover(await ref(page, "Next"))

    assert receipt.navigated_to == after
    assert set(await page.evaluate("document.title")) == {"0"}


async def test_an_element_that_vanishes_in_the_middle_of_a_drag_is_let_go_of(page: Page, serve: Serve) -> None:
    vanish = "<script>onmousemove = () => { if (held && ++moves > 3) s.remove() }</script>"
    await opened(page, serve, following(200) + vanish + NOTED)

    receipt = await page.drag(await ref(page, "Source"), await ref(page, "Target"))

    assert await page.evaluate("[document.title, held]") == ["mousedown,mouseup,", False]
    assert receipt.note == ""
