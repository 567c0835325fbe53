"""Dragging works for pages that follow the mouse and for HTML's drag and drop, also across frames."""

from __future__ import annotations

import pytest

from cdp_agent.errors import NotInteractable
from cdp_agent.page.actions import click
from cdp_agent.page.drag import Offset, drag
from cdp_agent.page.page import Page
from tests.acting import at, in_frame, ref, until_named
from tests.conftest import Serve

BOX = "position:absolute;width:50px;height:50px;background:red"
FOLLOW = """<script>
let moves = 0, held = false;
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
    await page.goto(serve(following(top)))

    await drag(await at(page, "Source"), await at(page, "Target"))

    assert await page.evaluate("[s.offsetLeft, s.offsetTop, moves > 5, held]") == [400, top, True, False]


async def test_drag_by_an_offset(page: Page, serve: Serve) -> None:
    await page.goto(serve(following(200)))
    before = await page.evaluate("[s.offsetLeft, s.offsetTop]")

    await drag(await at(page, "Source"), Offset(100, 30))

    assert await page.evaluate("[s.offsetLeft, s.offsetTop]") == [before[0] + 100, before[1] + 30]


async def test_drag_and_drop_of_html(page: Page, serve: Serve) -> None:
    await page.goto(serve(SOURCE + TARGET))

    await drag(await at(page, "Source"), await at(page, "Target"))

    assert await page.evaluate("[t.textContent, document.title]") == ["cargo", "over"]


async def test_drag_into_a_frame_of_another_process(page: Page, serve: Serve) -> None:
    url = serve(TARGET, other_site=True)
    await page.goto(serve(f"{SOURCE}<iframe src='{url}' style='position:absolute;top:100px;left:50px'></iframe>"))
    await until_named(page, "Target")

    await drag(await at(page, "Source"), await at(page, "Target"))
    await click(await at(page, "Target"))

    assert await page.evaluate("document.title") == "over"
    assert await in_frame(page, "[t.textContent, t.title]") == ["cargo", "hit"]


async def test_drag_out_of_a_frame_of_another_process(page: Page, serve: Serve) -> None:
    url = serve(SOURCE, other_site=True)
    await page.goto(serve(f"{TARGET}<iframe src='{url}' style='position:absolute;top:100px;left:50px'></iframe>"))
    await until_named(page, "Source")

    await drag(await at(page, "Source"), await at(page, "Target"))
    await click(await at(page, "Target"))

    assert await page.evaluate("[t.textContent, t.title]") == ["cargo", "hit"]
    assert await in_frame(page, "document.title") == "over"


async def test_drag_presses_nothing_when_the_target_cannot_be_reached(page: Page, serve: Serve) -> None:
    cover = "<div role=dialog aria-label=Terms style='position:fixed;inset:100px 0 0 100px;background:blue'></div>"
    await page.goto(serve(following(200) + cover))

    with pytest.raises(NotInteractable, match='is covered by dialog E3 "Terms": close it first'):
        await drag(await at(page, "Source"), await at(page, "Target"))

    assert await page.evaluate("held") is False


async def test_drag_onto_an_outline_that_the_mouse_does_not_see(page: Page, serve: Serve) -> None:
    box = "<svg width=300 height=200><rect x=200 y=50 width=60 height=60 fill=none stroke=black /></svg>"
    button = "<button style='position:absolute;left:0;top:150px'>Go</button>"
    told = "<script>onmouseup = (event) => document.title = event.target.nodeName + [event.x, event.y]</script>"
    await page.goto(serve(box + button + told))

    await page.drag(await ref(page, "Go"), (await page.find("rect")).elements[0].ref)

    assert await page.evaluate("document.title") == "svg238,87"


async def test_drag_goes_just_past_the_middle(page: Page, serve: Serve) -> None:
    boxes = "".join(f"<button style='{BOX};left:{left}px;top:100px'>{left}</button>" for left in (0, 200))
    await page.goto(serve(f"{boxes}<script>onmouseup = (event) => document.title = event.x</script>"))

    ends = []
    for start, end in (("0", "200"), ("200", "0")):
        await drag(await at(page, start), await at(page, end))
        ends.append(await page.evaluate("document.title"))

    assert ends == ["225", "24"]


async def test_drag_from_one_position_to_another(page: Page, serve: Serve) -> None:
    note = "(event) => document.title += '(' + [event.offsetX, event.offsetY] + ')'"
    told = f"<script>onmousedown = onmouseup = {note}</script>"
    await page.goto(serve(f"<canvas width=300 height=200></canvas>{told}"))
    canvas = (await page.find("canvas")).elements[0].ref

    await page.drag(canvas, canvas, position=(10, 190), to_position=(290, 5))

    assert await page.evaluate("document.title") == "(10,190)(290,5)"
