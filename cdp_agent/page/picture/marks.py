"""The positions of elements in a picture of the tab: in all frames, and only of elements that are not covered.

The pages only report positions. The marks are painted onto the picture: see paint.py.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import msgspec

from cdp_agent.errors import ActionError
from cdp_agent.page.frames.frames import Frame
from cdp_agent.page.frames.world import CALL_TIMEOUT_S, World
from cdp_agent.page.snapshot.refs import parse_ref
from cdp_agent.page.tab.tab import Tab

TIMEOUT_S = 10.0
"""How long the tab's own page may take to answer each call for a picture."""
FRAME_TIMEOUT_S = 2.0
"""How long a frame may take. After that it is left out, or covered as a whole if text is to be redacted."""


class Box(msgspec.Struct, frozen=True):
    """A rectangle in CSS pixels of the tab's viewport."""

    left: float
    top: float
    right: float
    bottom: float

    def moved(self, x: float, y: float) -> Box:
        """The box moved to the right and down."""
        return Box(self.left + x, self.top + y, self.right + x, self.bottom + y)

    def overlaps(self, other: Box) -> bool:
        """Whether the boxes have a part in common."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


class ViewportPlace(msgspec.Struct, frozen=True):
    """The size of the viewport and its position on the page in CSS pixels, the result of `viewportPlace` in page/js."""

    width: float
    height: float
    left: float
    top: float


class Mark(msgspec.Struct, frozen=True):
    """The visible part of a ref's element: one box, or several if it spans lines."""

    ref: str
    boxes: list[Box]


class _Point(msgspec.Struct, frozen=True):
    x: float
    y: float


class _Found(msgspec.Struct, frozen=True):
    """The result of `marksOf` and `marksThrough` in page/js; the id is local to the element's own world."""

    id: int
    point: _Point
    boxes: list[Box]


async def viewport_place(world: World, timeout_s: float = CALL_TIMEOUT_S) -> ViewportPlace:
    """The viewport of the tab whose root frame has this world. Raises PageUnresponsive, DocumentGone, BrowserError."""
    return await world.call("viewportPlace", returning=ViewportPlace, timeout_s=timeout_s)


async def locate_marks(tab: Tab, refs: Iterable[str], *, whole: bool = False) -> list[Mark]:
    """The marks of the elements of these refs, without iframes and elements that are out of view, hidden or covered.

    `whole`: also those of the page that are out of the viewport; whether something covers these is not known.
    Frames that do not answer are left out. Raises PageUnresponsive or DocumentGone for the tab itself, BrowserError.
    """
    by_world: dict[World, list[int]] = {}
    for ref in refs:
        if (place := tab.refs.locate(parse_ref(ref))) is not None:
            by_world.setdefault(place[0], []).append(place[1])
    tree = await tab.frames()
    worlds = [
        (frame, world, by_world[world])
        for frame in tree.all()
        if (world := frame.present_world) is not None and world in by_world
    ]
    answers = await asyncio.gather(*(_marks(*each, whole=whole) for each in worlds), return_exceptions=True)
    marks: list[Mark] = []
    for (frame, world, _), answer in zip(worlds, answers, strict=True):
        if isinstance(answer, ActionError) and frame.parent is not None:
            continue
        if isinstance(answer, BaseException):
            raise answer
        marks += [Mark(f"E{tab.refs.number(world, each.id)}", each.boxes) for each in answer]
    return marks


async def _marks(frame: Frame, world: World, ids: list[int], *, whole: bool) -> list[_Found]:
    """The marks of one world in the tab's viewport, mapped outwards through the frames around it."""
    beyond = whole and frame.parent is None  # of a frame only what is in it now is in the picture
    marks = await world.call("marksOf", ids, beyond, returning=list[_Found], timeout_s=timeout_for(frame))
    while marks and (holder := await frame.owner()) is not None:
        frame, world, owner = holder
        beyond = whole and frame.parent is None
        timeout_s = timeout_for(frame)
        marks = await world.call("marksThrough", owner, marks, beyond, returning=list[_Found], timeout_s=timeout_s)
    return marks


def timeout_for(frame: Frame) -> float:
    """How long a frame may take to answer a call for a picture, in seconds."""
    return TIMEOUT_S if frame.parent is None else FRAME_TIMEOUT_S
