"""Mouse actions at points of the viewport, and held keys: for callers that look at a picture of the page.

Points are in CSS pixels from the top left corner of the viewport. There is no scrolling, aiming or waiting first: a
press hits the element that is at the point.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Literal

from cdp_agent.cdp.connection import Session
from cdp_agent.errors import InvalidArguments
from cdp_agent.page.picture.marks import viewport_place
from cdp_agent.page.receipts.action_runner import perform_without_element
from cdp_agent.page.receipts.receipts import Outcome, Receipt
from cdp_agent.page.tab.tab import Tab

from . import drag, mouse
from .actions import click_detail
from .keyboard import held_down, is_mac
from .keys import find_key, parse_chord
from .mouse import Button

LONGEST_HOLD_S = 30.0
NOTCH_PX = 100.0
"""How many CSS pixels Chrome scrolls for one notch of a wheel."""
_POINT_S = 0.1
"""How much longer a drag may take for each point of its path."""
_WHEEL = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}

Point = tuple[float, float]


async def click_at(
    tab: Tab, at: Point, *, button: Button = "left", count: int = 1, modifiers: Sequence[str] = ()
) -> Receipt:
    """Clicks at the point `count` times. Raises InvalidArguments for one outside the viewport, PageUnresponsive."""
    check_modifiers(modifiers)
    session = await _session(tab, at)

    async def do() -> Outcome:
        async with held_down(session, modifiers) as bits:
            await mouse.click_at(session, *at, button=button, count=count, modifiers=bits)
        return Outcome()

    detail = " ".join(filter(None, (f"at {_coordinates(at)}", click_detail(button, count, modifiers))))
    return await perform_without_element(tab, "click", do, detail=detail)


async def move_to(tab: Tab, to: Point) -> Receipt:
    """Moves the mouse to the point, with the left button down after `press_at`. Raises as `click_at`."""
    session = await _session(tab, to)

    async def do() -> Outcome:
        await mouse.move_to(session, *to, held=tab.mouse_is_down)
        return Outcome()

    return await perform_without_element(tab, "move", do, detail=_coordinates(to), expects_effect=False)


async def press_at(tab: Tab, at: Point) -> Receipt:
    """Presses the left button at the point and keeps it down until `release_at`. Raises as `click_at`."""
    session = await _session(tab, at)

    async def do() -> Outcome:
        await mouse.move_to(session, *at)
        tab.mouse_is_down = True
        await mouse.press_at(session, *at)
        return Outcome()

    return await perform_without_element(tab, "press_at", do, detail=_coordinates(at), expects_effect=False)


async def release_at(tab: Tab, at: Point) -> Receipt:
    """Releases the left button at the point. Raises as `click_at`."""
    session = await _session(tab, at)

    async def do() -> Outcome:
        was_down, tab.mouse_is_down = tab.mouse_is_down, False
        await mouse.move_to(session, *at, held=was_down)
        await mouse.release(session, *at)
        return Outcome(note="" if was_down else "it was not down")

    return await perform_without_element(tab, "release_at", do, detail=_coordinates(at), expects_effect=False)


async def drag_along(tab: Tab, path: Sequence[Point], *, modifiers: Sequence[str] = ()) -> Receipt:
    """Presses the left button at the first point, moves along the path, and releases the button at the last point.

    Raises InvalidArguments for fewer than two points, else as `click_at`.
    """
    check_modifiers(modifiers)
    if len(path) < 2:
        raise InvalidArguments("A drag needs two points at least: where it begins and where it ends.")
    session = await _session(tab, *path)

    async def do() -> Outcome:
        async with held_down(session, modifiers) as bits:
            await drag.drag_along(session, path, modifiers=bits)
        return Outcome()

    return await perform_without_element(
        tab,
        "drag",
        do,
        detail=f"from {_coordinates(path[0])} to {_coordinates(path[-1])}",
        more_s=len(path) * _POINT_S,
    )


async def turn_wheel(
    tab: Tab, at: Point, direction: Literal["up", "down", "left", "right"], *, pixels: float
) -> Receipt:
    """Turns the wheel at the point, which scrolls the box there. Raises as `click_at`."""
    session = await _session(tab, at)
    right, down = _WHEEL[direction]

    async def do() -> Outcome:
        await mouse.turn_wheel(session, *at, right * pixels, down * pixels)
        return Outcome()

    return await perform_without_element(tab, "wheel", do, detail=f"{direction} by {pixels:g} px at {_coordinates(at)}")


async def hold_keys(tab: Tab, keys: Sequence[str], seconds: float) -> Receipt:
    """Presses the keys together, holds them for `seconds`, and releases them in any case.

    Raises InvalidArguments for a key that does not exist and for more than LONGEST_HOLD_S, PageUnresponsive.
    """
    if not keys:
        raise InvalidArguments("Give at least one key to hold.")
    if not 0 <= seconds <= LONGEST_HOLD_S:
        raise InvalidArguments(f"Keys are held for 0 to {LONGEST_HOLD_S:g} seconds, not for {seconds:g}.")
    for key in keys:
        find_key(key)
    session = (await tab.frames()).root.session

    async def do() -> Outcome:
        async with held_down(session, keys):
            await asyncio.sleep(seconds)
        return Outcome()

    return await perform_without_element(
        tab, "hold", do, detail=f"{'+'.join(keys)} for {seconds:g} s", expects_effect=False, more_s=seconds
    )


async def keys_of(tab: Tab, chord: str) -> list[str]:
    """The names of the keys of a chord such as "ctrl+shift+a", as `hold_keys` takes them. Raises InvalidArguments."""
    found = parse_chord(chord, mac=await is_mac((await tab.frames()).root))
    return [*found.modifiers, found.key.key]


def check_modifiers(names: Sequence[str]) -> None:
    """Raises InvalidArguments for keys that cannot be held during a mouse action."""
    for name in names:
        parse_chord(f"{name}+a", mac=False)


async def viewport_of(tab: Tab) -> Point:
    """Width and height of the viewport in CSS pixels. Raises PageUnresponsive, DocumentGone, BrowserError."""
    place = await viewport_place(await (await tab.frames()).root.world())
    return place.width, place.height


async def _session(tab: Tab, *points: Point) -> Session:
    """The session for input events. Raises InvalidArguments for a point outside the viewport."""
    width, height = await viewport_of(tab)
    for x, y in points:
        if not (0 <= x < width and 0 <= y < height):
            raise InvalidArguments(
                f"{_coordinates((x, y))} is outside of the viewport, which is {width:g} x {height:g}."
            )
    return (await tab.frames()).root.session


def _coordinates(point: Point) -> str:
    return f"{point[0]:g}, {point[1]:g}"
