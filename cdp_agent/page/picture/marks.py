"""Where the elements are that a picture of the tab shows: in all frames, and only those that are on top.

The pages are only asked where their elements are. What is painted, is painted onto the picture: see paint.py.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import msgspec

from cdp_agent.errors import ActionError
from cdp_agent.page.frames.frames import Frame, FrameTree
from cdp_agent.page.frames.world import CALL_TIMEOUT_S, World
from cdp_agent.page.snapshot.refs import parse_ref
from cdp_agent.page.tab.tab import Tab

TIMEOUT_S = 10.0
"""So long the tab's own page may take to answer whatever is asked for a picture."""
FRAME_TIMEOUT_S = 2.0
"""A frame that has not answered by then is left out, and covered as a whole where something is to be covered."""


class Box(msgspec.Struct, frozen=True):
    """A rectangle in CSS pixels of the tab's viewport."""

    left: float
    top: float
    right: float
    bottom: float

    def moved(self, x: float, y: float) -> Box:
        """The same, so far to the right and down."""
        return Box(self.left + x, self.top + y, self.right + x, self.bottom + y)


class ViewportPlace(msgspec.Struct, frozen=True):
    """How large the viewport is, and where on the page, in CSS pixels: what `viewportPlace` in page/js answers."""

    width: float
    height: float
    left: float
    top: float


class Mark(msgspec.Struct, frozen=True):
    """What is seen of the element of a ref: a box, or several for what goes over several lines."""

    ref: str
    boxes: list[Box]


class _Point(msgspec.Struct, frozen=True):
    x: float
    y: float


class _Found(msgspec.Struct, frozen=True):
    """What `marksOf` and `marksThrough` in page/js answer; the id is local to the element's own world."""

    id: int
    point: _Point
    boxes: list[Box]


async def viewport_place(world: World, timeout_s: float = CALL_TIMEOUT_S) -> ViewportPlace:
    """Of the tab's own world. Raises PageUnresponsive, DocumentGone, BrowserError."""
    return await world.call("viewportPlace", returning=ViewportPlace, timeout_s=timeout_s)


async def locate_marks(tab: Tab, refs: Iterable[str]) -> list[Mark]:
    """Where the elements of these refs are seen; iframes, and what is outside, hidden or covered, are left out.

    So are frames that do not answer. Raises PageUnresponsive or DocumentGone for the tab itself, BrowserError.
    """
    by_world: dict[World, list[int]] = {}
    for ref in refs:
        if (found := tab.refs.locate(parse_ref(ref))) is not None:
            by_world.setdefault(found[0], []).append(found[1])
    tree = await tab.frames()
    asked = [
        (frame, world, by_world[world])
        for frame in tree.all()
        if (world := frame.present_world) is not None and world in by_world
    ]
    answers = await asyncio.gather(*(_marks(tree, *each) for each in asked), return_exceptions=True)
    marks: list[Mark] = []
    for (frame, world, _), answer in zip(asked, answers, strict=True):
        if isinstance(answer, ActionError) and frame.parent is not None:
            continue
        if isinstance(answer, BaseException):
            raise answer
        marks += [Mark(f"E{tab.refs.number(world, each.id)}", each.boxes) for each in answer]
    return marks


async def _marks(tree: FrameTree, frame: Frame, world: World, ids: list[int]) -> list[_Found]:
    """In the tab's viewport: out of the frame and of those around it, one after another."""
    found = await world.call("marksOf", ids, returning=list[_Found], timeout_s=time_for(frame))
    while found and (holder := await tree.owner_of(frame)) is not None:
        frame, world, owner = holder
        found = await world.call("marksThrough", owner, found, returning=list[_Found], timeout_s=time_for(frame))
    return found


def time_for(frame: Frame) -> float:
    """So long it may take to answer what is asked for a picture."""
    return TIMEOUT_S if frame.parent is None else FRAME_TIMEOUT_S
