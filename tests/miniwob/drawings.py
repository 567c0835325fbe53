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


@solves("click-pie-nodelay")
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
