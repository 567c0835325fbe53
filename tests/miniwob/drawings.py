"""Drawings: SVG through find, a canvas through a screenshot."""

from __future__ import annotations

import cmath
import math

from cdp_agent.page.query.find import FoundElement

from .play import Play, solves
from .png import grey


@solves("ascending-numbers")
async def click_numbers_in_order(play: Play) -> None:
    await play.click("text", "1")
    # They are covered now, in the order in which they were.
    for box in (await play.look()).all("rect"):
        await play.click_on(box.ref)


@solves("click-pie", "click-pie-nodelay")
async def click_in_the_pie(play: Play) -> None:
    await play.click("text", "+")
    await play.click("text", play.quoted[0])


@solves("grid-coordinate")
async def click_a_point_of_the_grid(play: Play) -> None:
    x, y = (int(part) for part in play.said(r"\((-?\d),(-?\d)\)").groups())
    points = await play.find("circle", "cx", "cy")
    columns = sorted({_number(each, "cx") for each in points})
    rows = sorted({_number(each, "cy") for each in points}, reverse=True)
    at = {(_number(each, "cx"), _number(each, "cy")): each.ref for each in points}
    await play.click_on(at[columns[x + 2], rows[y + 2]])


def _number(element: FoundElement, attribute: str) -> float:
    return float(element.attributes[attribute] or 0)


@solves("right-angle")
async def add_a_point_for_a_right_angle(play: Play) -> None:
    points = await play.find("svg circle", "cx", "cy", "fill")
    at = {each.attributes["fill"]: complex(_number(each, "cx"), _number(each, "cy")) for each in points}
    arm = (at["black"] - at["blue"]) * 1j
    arm *= 30 / abs(arm)
    corners = [at["blue"] + arm, at["blue"] - arm]
    inside = next(each for each in corners if 2 < each.real < 148 and 2 < each.imag < 128)
    await play.click_on((await play.find("svg"))[0].ref, position=(inside.real, inside.imag))
    await play.submit()


@solves("identify-shape")
async def name_the_shape(play: Play) -> None:
    look = await play.look()
    shape = look.after(look.one("img"))[0]
    names = {"rect": "Rectangle", "circle": "Circle", "polygon": "Triangle"}
    await play.submit(names.get(shape.role) or ("Number" if shape.name.isdigit() else "Letter"))


@solves("visual-addition")
async def count_blocks(play: Play) -> None:
    await play.fill(str(len((await play.look()).all("generic", class_="addition-block"))))
    await play.submit()


@solves("count-sides")
async def count_the_sides_on_a_canvas(play: Play) -> None:
    rows = grey(await play.page.screenshot(), top=54, bottom=150, left=4, right=150)
    dark = [complex(x, y) for y, row in enumerate(rows) for x, value in enumerate(row) if value < 128]
    middle = sum(dark) / len(dark)
    reach = [0.0] * 120
    for point in dark:
        turn = int(cmath.phase(point - middle) / math.tau * 120) % 120
        reach[turn] = max(reach[turn], abs(point - middle))

    def swing(sides: int) -> float:
        return abs(sum(value * cmath.exp(-1j * math.tau * sides * i / 120) for i, value in enumerate(reach)))

    await play.submit(str(max(range(3, 8), key=swing)))


@solves("circle-center")
async def click_the_center(play: Play) -> None:
    circle = (await play.find("svg circle", "cx", "cy"))[0]
    await _mark(play, _place(circle))


@solves("find-midpoint")
async def click_between_two_points(play: Play) -> None:
    one, other = [_place(point) for point in await play.find("svg circle", "cx", "cy")]
    await _mark(play, (one + other) / 2)


@solves("bisect-angle")
async def click_on_the_bisector(play: Play) -> None:
    points = await play.find("svg circle", "cx", "cy", "fill")
    vertex = next(_place(point) for point in points if point.attributes["fill"] == "blue")
    arms = [_place(point) - vertex for point in points if point.attributes["fill"] == "black"]
    middle = sum(arm / abs(arm) for arm in arms)
    # As far as the nearer point, so that it lies in the drawing.
    await _mark(play, vertex + middle / abs(middle) * min(map(abs, arms)) * 0.7)


def _place(circle: FoundElement) -> complex:
    return complex(_number(circle, "cx"), _number(circle, "cy"))


async def _mark(play: Play, place: complex) -> None:
    await play.click_on((await play.find("svg"))[0].ref, position=(place.real, place.imag))
    await play.submit()


TAGS = {"rect": "rectangle", "circle": "circle", "polygon": "triangle"}


async def _shapes(play: Play, words: str) -> list[FoundElement]:
    """Those that a description such as "large red digit" is of."""
    *adjectives, what = words.split()
    shapes = await play.find("svg rect, svg circle, svg polygon, svg text", "fill", "width", "r", "points", "font-size")
    return [shape for shape in shapes if what in _kinds(shape) and set(adjectives) <= _adjectives(shape)]


def _kinds(shape: FoundElement) -> set[str]:
    if shape.tag != "text":
        return {"item", "shape", TAGS[shape.tag]}
    return {"item", "digit" if shape.text.isdigit() else "letter", shape.text}


def _adjectives(shape: FoundElement) -> set[str]:
    values = shape.attributes
    if shape.tag == "polygon":
        left, _, right = (float(point.split(",")[0]) for point in str(values["points"]).split())
        size = right - left
    elif shape.tag == "circle":
        size = 2 * _number(shape, "r")
    else:
        size = float(str(values["width" if shape.tag == "rect" else "font-size"]).removesuffix("px"))
    return {str(values["fill"]), "large" if size > 15 else "small"}


@solves("click-shape")
async def click_what_is_described(play: Play) -> None:
    await play.click_on((await _shapes(play, play.said(r"Click on an? (.*)")[1]))[0].ref)


@solves("count-shape")
async def count_what_is_described(play: Play) -> None:
    words = play.said(r"How many (.*) are there")[1]
    await play.submit(str(len(await _shapes(play, words.removesuffix("s")))))
