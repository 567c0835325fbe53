"""Which box to scroll: the nearest one that scrolls, through the frames."""

from __future__ import annotations

from typing import Literal

import msgspec

from cdp_agent.page.frames.frames import Frame
from cdp_agent.page.frames.world import World
from cdp_agent.page.refs.locate import Located
from cdp_agent.page.tab.tab import Tab

Axis = Literal["x", "y"]
_AXES = {"x": "sideways", "y": "up or down"}


class Scroller(msgspec.Struct, frozen=True):
    """A box that scrolls: its world, its local id and its name."""

    frame: Frame
    world: World
    id: int
    label: str


class _Box(msgspec.Struct, frozen=True):
    first: int
    end: int
    id: int
    label: str
    into: int
    others: list[str]
    why: Literal["", "locked", "fits"]


async def box_of(tab: Tab, at: Located | None, axis: Axis) -> Scroller | str:
    """The nearest box that scrolls, from the element (or the page) outwards through the frames; or why none does."""
    frame: Frame = at.frame if at is not None else (await tab.frames()).root
    local = at.local if at is not None else 0
    why, others, enters = "fits", list[str](), True
    while True:
        world = await frame.world()
        async with tab.reading_lock:
            options = {"next": tab.refs.next_ids(world), "id": local, "axis": axis, "enters": enters}
            box = await world.call("scrollBox", options, returning=_Box)
            tab.refs.claim(world, box.first, box.end)
        if box.id:
            return Scroller(frame, world, box.id, tab.refs.write(world, box.label))
        if box.into and (inner := await _frame_in(tab, frame, box.into)) is not None:
            frame, local, enters = inner, 0, False
            continue
        why, enters = box.why or why, False
        others += [tab.refs.write(world, label) for label in box.others]
        owner = await frame.owner()
        if owner is None:
            break
        frame, _, local = owner
    if why == "locked":
        return (
            "the page's scrolling is locked (overflow: hidden), perhaps by a dialog: close it, or give the ref of a box"
        )
    way = _AXES[axis]
    if at is None:
        return f"nothing on the page scrolls {way}"
    return f"nothing around {at.ref} scrolls {way}" + (f"; but these do: {', '.join(others)}" if others else "")


async def _frame_in(tab: Tab, frame: Frame, local: int) -> Frame | None:
    """The frame of another process inside an iframe element; None if it cannot be read."""
    if local not in frame.owners:
        await tab.read()  # finds out which frame each iframe contains
    tree = await tab.frames()
    return next((inner for inner in tree.all() if inner.id == frame.owners.get(local)), None)
