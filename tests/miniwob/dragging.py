"""Drag and drop."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cdp_agent.page.query.find import FoundElement

from .play import Play, solves

SHAPES = {"rectangles": "rect", "circles": "circle", "triangles": "polygon"}


@solves("drag-box")
async def drag_the_small_box_into_the_large_one(play: Play) -> None:
    look = await play.look()
    await play.drag(look.one("generic", "s").ref, look.one("generic", "L").ref)
    await play.submit()


@solves("drag-sort-numbers")
async def sort_numbers_by_dragging(play: Play) -> None:
    for place in range(4):
        items = await play.find("#sortable li")
        numbers = [int(item.text) for item in items]
        smallest = min(range(place, len(numbers)), key=numbers.__getitem__)
        if smallest != place:
            await play.drag(items[smallest].ref, items[place].ref)
    await play.submit()


PLACES = {
    "top left": 0,
    "top center": 1,
    "top right": 2,
    "center left": 3,
    "center": 4,
    "center right": 5,
    "bottom left": 6,
    "bottom center": 7,
    "bottom right": 8,
}
STEPS = {"up": -3, "down": 3, "left": -1, "right": 1}


@solves("drag-items-grid")
async def drag_within_a_grid(play: Play) -> None:
    name, where = play.said(r"Drag (\S+) (?:to the )?(.*)\.").groups()
    items = (await play.look()).all("listitem")
    index = next(i for i, item in enumerate(items) if item.says == name)
    target = PLACES[where] if where in PLACES else index + STEPS[where.split()[0]]
    await play.drag(items[index].ref, items[target].ref)


def _wanted(play: Play, shapes: Iterable[FoundElement]) -> set[str]:
    """The refs of the shapes that the task names, by kind or by colour."""
    what = play.said(r"Drag all (\w+)")[1]
    return {each.ref for each in shapes if SHAPES.get(what) == each.tag or each.attributes["fill"] == what}


@solves("drag-shapes", "drag-shapes-2")
async def drag_shapes_into_boxes(play: Play) -> None:
    found = await play.find("svg rect, svg circle, svg polygon", "fill", "x")
    boxes = sorted((each for each in found if each.attributes["fill"] == "none"), key=lambda each: _x(each))
    shapes = [each for each in found if each.attributes["fill"] != "none"]
    wanted = _wanted(play, shapes)
    for shape in shapes:
        if shape.ref in wanted:
            await play.drag(shape.ref, boxes[0].ref)
        elif len(boxes) > 1:
            await play.drag(shape.ref, boxes[1].ref)
    await play.submit()


def _x(element: FoundElement) -> float:
    return float(element.attributes["x"] or 0)


@solves("drag-circle")
async def drag_the_circle(play: Play) -> None:
    drawing = (await play.find("svg"))[0].ref
    circle = (await play.find("svg circle", "cx", "cy"))[0]
    x, y = (float(circle.attributes[each] or 0) for each in ("cx", "cy"))
    ends = {"up": (x, 3), "down": (x, 127), "left": (3, y), "right": (157, y)}
    await play.drag(circle.ref, drawing, to_position=ends[play.said(r"Drag the circle (\w+)")[1]])
    await play.submit()


@solves("drag-cube")
async def turn_the_cube(play: Play) -> None:
    wanted = play.quoted[0]
    area = (await play.find("#area"))[0].ref
    for _ in range(60):
        sides = await play.find(".cube-image", "class")
        front = next(each.text for each in sides if "active" in str(each.attributes["class"]))
        if front == wanted:
            break
        # 1 and 6 are above and below the other four.
        upwards = wanted in "16" or front in "16"
        await play.drag(area, area, (60, 30), (60, 90) if upwards else (120, 30))
        await play.page.evaluate(_CUBE_STANDS_STILL)
    # It looks each 20 ms how far the mouse has come: a press so soon after the move to the button turns it once more.
    button = (await play.one("button", "Submit")).ref
    await play.call("hover", ref=button)
    await play.page.evaluate(_CUBE_STANDS_STILL)
    await play.click_on(button)


# Let go, it turns on for up to a second, by timers of 20 ms, which a busy machine may keep from running for so long
# that the page seems to have settled. Ours comes after those of the page that are due.
_CUBE_STANDS_STILL = """new Promise((done) => {
  const look = (last) => {
    const now = document.querySelector('.cube').style.transform;
    if (now === last) done();
    else setTimeout(look, 60, now);
  };
  look();
})"""


@solves("draw-line")
async def draw_a_line(play: Play) -> None:
    drawing = (await play.find("svg"))[0].ref
    dot = (await play.find("svg circle", "cx", "cy"))[0].attributes
    x, y = float(dot["cx"] or 0), float(dot["cy"] or 0)
    start, end = ((5, y), (145, y)) if "horizontal" in play.utterance else ((x, 5), (x, 105))
    await play.drag(drawing, drawing, start, end)
    await play.submit()


@solves("drag-items")
async def drag_to_the_nth_position(play: Play) -> None:
    name, where = play.said(r"Drag (\S+) (.*) position").groups()
    entries = await play.find("#sortable li")
    place = [entry.text for entry in entries].index(name)
    nth = re.search(r"(\d)", where)
    target = int(nth[1]) - 1 if nth else place + (-1 if "up" in where else 1)
    await play.drag(entries[place].ref, entries[target].ref)


WAYS = {"up": (0, -15), "down": (0, 15), "left": (-15, 0), "right": (15, 0)}


@solves("drag-single-shape")
async def drag_the_shape(play: Play) -> None:
    shape = (await play.find("svg .black-shape"))[0].ref
    await play.call("drag", from_ref=shape, by=WAYS[play.said(r"item (\w+)")[1]])
    await play.submit()


@solves("resize-textarea")
async def resize_the_text_area(play: Play) -> None:
    length = 15 if "larger" in play.utterance else -15
    by = (0, length) if "height" in play.utterance else (length, 0)
    handle = (await play.find(".ui-resizable-s" if by[1] else ".ui-resizable-e"))[0].ref
    await play.call("drag", from_ref=handle, by=by)
    await play.submit()
