"""Dragging with the mouse: for pages that follow the mouse by themselves, and for HTML's own drag and drop.

When the page starts a drag of HTML's, Chrome is told to hand it over instead of giving it to the system, and it goes on
with drag events. https://chromedevtools.github.io/devtools-protocol/tot/Input/#method-setInterceptDrags
"""

from __future__ import annotations

import asyncio
import math
from typing import Literal

import msgspec

from cdp_agent.cdp import input as cdp_input
from cdp_agent.cdp.connection import Session

from . import mouse
from .aim import DEADLINE_S, Aimed, aim, input_session, missed, told
from .locate import Located
from .receipts import Outcome
from .world import CALL_TIMEOUT_S, deadline

_STEPS = 8
_START_PX = 6.0
_HANDED_OVER_WITHIN_S = 0.5


class Offset(msgspec.Struct, frozen=True):
    """So many CSS pixels to the right and down from where the drag starts."""

    x: float
    y: float


class _Point(msgspec.Struct, frozen=True):
    x: float
    y: float


async def drag(at: Located, to: Located | Offset) -> Outcome:
    """Presses the left button on the element, moves to the other one (or by an offset) in steps, and lets go there.

    Raises NotInteractable for either of them, DocumentGone, PageUnresponsive.
    """
    if isinstance(to, Located):
        await aim(to, place=True)  # where both can be seen, it is scrolled into view before anything is pressed
    session = input_session(at.frame)
    draggable = await at.world.call("isDraggable", at.local, returning=bool)
    await session.send(cdp_input.SetInterceptDrags(enabled=True))
    try:
        async with session.expect(cdp_input.DragIntercepted) as handed_over:
            start = await _press(at)
            try:
                end = await _end(start, to)
            except BaseException:
                await mouse.release(session, start.x, start.y)
                raise
            await _move(session, _Point(start.x, start.y), end, draggable, handed_over)
            if handed_over.done():
                elsewhere = isinstance(to, Located) and to.frame is not at.frame
                await _drop(session, handed_over.result().data, _Point(start.x, start.y), end, elsewhere=elsewhere)
            await mouse.release(session, end.x, end.y)
    finally:
        session.tell(cdp_input.SetInterceptDrags(enabled=False))
    return Outcome()


async def _press(at: Located) -> Aimed:
    loop = asyncio.get_running_loop()
    ends = loop.time() + at.patience(DEADLINE_S)
    session = input_session(at.frame)
    while True:
        start = await aim(at, guard="press", wait_s=max(0.1, ends - loop.time()))
        await mouse.press_down(session, start.x, start.y)
        landing = await start.landing()
        if landing.state == "met":
            return start
        await mouse.release(session, start.x, start.y)
        if loop.time() > ends:
            raise missed(at, await told(at), landing)


async def _end(start: Aimed, to: Located | Offset) -> _Point:
    if isinstance(to, Offset):
        return _Point(start.x + to.x, start.y + to.y)
    aimed = await aim(to, place=True)
    if to.position is not None:
        return _Point(aimed.x, aimed.y)
    return _Point(_just_past(start.x, aimed.x), _just_past(start.y, aimed.y))


def _just_past(start: float, middle: float) -> float:
    """Sorted lists make room once the mouse has passed the middle of an item; what it is told are whole pixels."""
    if start == middle:
        return middle
    return math.ceil(middle) - (1 if start > middle else 0)


async def _move(
    session: Session,
    start: _Point,
    end: _Point,
    draggable: bool,
    handed_over: asyncio.Future[cdp_input.DragIntercepted],
) -> None:
    """Moves on a line, each step waited for: moves that come together are one to the page, and drags need several."""
    length = max(abs(end.x - start.x), abs(end.y - start.y), 1.0)
    first = _between(start, end, min(1.0, _START_PX / length))
    for step in (first, *(_between(start, end, each / _STEPS) for each in range(1, _STEPS + 1)), end):
        await mouse.move_to(session, step.x, step.y, held=True)
        if step is not first and draggable and not handed_over.done():
            await asyncio.wait([handed_over], timeout=_HANDED_OVER_WITHIN_S)
            draggable = False
        if handed_over.done():
            return


async def _drop(session: Session, data: cdp_input.DragData, start: _Point, end: _Point, *, elsewhere: bool) -> None:
    near = _between(start, end, 0.95)
    kinds: list[tuple[Literal["dragEnter", "dragOver", "drop", "dragCancel"], _Point]] = [
        ("dragEnter", end if elsewhere else near),
        ("dragOver", end),
        ("dragOver", end),
        ("drop", end),
    ]
    if elsewhere:
        # A drop in another process does not end the drag where it began, and the mouse would be dead there.
        kinds.append(("dragCancel", start))
    async with deadline(session, CALL_TIMEOUT_S):
        for kind, point in kinds:
            await session.send(cdp_input.DispatchDragEvent(type=kind, x=point.x, y=point.y, data=data))


def _between(start: _Point, end: _Point, share: float) -> _Point:
    return _Point(start.x + (end.x - start.x) * share, start.y + (end.y - start.y) * share)
