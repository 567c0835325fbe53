"""Dragging with the mouse: for pages that handle mouse events themselves, and for HTML drag and drop.

When the page starts an HTML drag, Chrome hands it to us instead of the system, and we continue it with drag events.
https://chromedevtools.github.io/devtools-protocol/tot/Input/#method-setInterceptDrags
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.cdp import input as cdp_input
from cdp_agent.cdp.connection import Session
from cdp_agent.errors import InvalidArguments
from cdp_agent.page.frames.deadline import Deadline
from cdp_agent.page.frames.world import CALL_TIMEOUT_S, deadline
from cdp_agent.page.receipts.action_runner import perform
from cdp_agent.page.receipts.receipts import Outcome, Receipt
from cdp_agent.page.refs.locate import Located, Position, locate
from cdp_agent.page.tab.tab import Tab

from . import mouse
from .actionability import DEADLINE_S, Aimed, aim, element_label, input_session, missed_error

_STEPS = 8
_START_PX = (3.0, 6.0)
_HANDED_OVER_WITHIN_S = 0.5
_MAY_BE_HANDED_OVER_WITHIN_S = 0.1
"""How long to wait for an HTML drag where it is not known whether the element is draggable."""
_HELD_OVER_S = 0.05
"""How long to hold before the drop: some pages determine the drop target only in a timer or a frame."""


class Offset(msgspec.Struct, frozen=True):
    """A distance to the right and down from the start of the drag, in CSS pixels."""

    x: float
    y: float


class _Point(msgspec.Struct, frozen=True):
    x: float
    y: float


async def drag_ref(
    tab: Tab,
    ref: str,
    to_ref: str | None,
    *,
    by: Position | None,
    position: Position | None,
    to_position: Position | None,
    hold_s: float,
) -> Receipt:
    """Drags the element of `ref` to that of `to_ref`, or by an offset. Raises as `Page.drag`."""
    if (to_ref is None) == (by is None):
        raise InvalidArguments("Give the drag either the element to drop it on or how far to drag it (by), not both.")

    async def do(at: Located) -> Outcome:
        to = Offset(*by) if by is not None else (await locate(tab, str(to_ref))).at(to_position)
        return await drag(at.at(position), to, hold_s=hold_s)

    detail = f"by {by[0]:g}, {by[1]:g}" if by is not None else f"to {to_ref}"
    return await perform(tab, "drag", ref, do, detail=detail, more_s=2 * hold_s)


async def drag(at: Located, to: Located | Offset, *, hold_s: float = 0.0) -> Outcome:
    """Presses the left button on the element, moves in steps to the other one (or by an offset), and releases it there.

    `hold_s`: how long to hold still after the press, and again before the release. However this ends, even if
    cancelled, no button stays pressed. Raises NotInteractable for either element, DocumentGone, PageUnresponsive.
    """
    near: Aimed | None = None
    if isinstance(to, Located):
        near = await aim(to, place=True)  # if both fit into view, the target is scrolled into view before the press
    session = input_session(at.frame)
    draggable, before = await asyncio.gather(at.world.call("isDraggable", at.local, returning=bool), _place(at))
    hand = _Hand(session)
    await session.send(cdp_input.SetInterceptDrags(enabled=True))
    try:
        async with session.expect(cdp_input.DragIntercepted) as handed_over:
            hand.handed_over = handed_over
            start = await _press(at, hand)
            await asyncio.sleep(hold_s)
            way = (
                (to.x, to.y) if isinstance(to, Offset) else (near.x - start.x, near.y - start.y) if near else (0.0, 0.0)
            )
            await _begin(hand, way)
            end = await _end(start, to)
            await _carry(hand, end, draggable)
            await at.world.call("nextTwoFrames")
            await asyncio.sleep(hold_s)
            await hand.let_go(elsewhere=isinstance(to, Located) and to.frame is not at.frame)
            await at.world.call("nextTwoFrames")
    except BaseException:
        hand.cancel_now()
        raise
    finally:
        session.tell(cdp_input.SetInterceptDrags(enabled=False))
    note = _moved(before, await _place(at))
    return Outcome(note=note, had_effect=bool(note))


async def drag_along(session: Session, path: Sequence[tuple[float, float]], *, modifiers: int = 0) -> None:
    """Presses the left button at the first point, moves along the path, and releases the button at the last point.

    However this ends, no button stays pressed. Raises PageUnresponsive.
    """
    points = [_Point(*each) for each in path]
    hand = _Hand(session, modifiers)
    await session.send(cdp_input.SetInterceptDrags(enabled=True))
    try:
        async with session.expect(cdp_input.DragIntercepted) as hand.handed_over:
            await hand.press_at(points[0])
            first = points[1]
            await _begin(hand, (first.x - points[0].x, first.y - points[0].y))
            for point in points[1:]:
                await _carry(hand, point, draggable=point is first, wait_s=_MAY_BE_HANDED_OVER_WITHIN_S)
            await hand.let_go(elsewhere=False)
    except BaseException:
        hand.cancel_now()
        raise
    finally:
        session.tell(cdp_input.SetInterceptDrags(enabled=False))


async def _place(at: Located) -> list[float]:
    """The position of the element in its container; empty if it is gone."""
    return await at.world.call("placeInParent", at.local, returning=list[float])


def _moved(before: list[float], after: list[float]) -> str:
    right, down = (round(now - was) for was, now in zip(before, after, strict=True)) if before and after else (0, 0)
    return f"it moved by {right}, {down}" if right or down else ""


class _Hand:
    """The mouse during a drag, and whether its left button is pressed."""

    def __init__(self, session: Session, modifiers: int = 0) -> None:
        self.session = session
        self.modifiers = modifiers
        self.at = self.start = _Point(0.0, 0.0)
        self.pressed = False
        self.handed_over: asyncio.Future[cdp_input.DragIntercepted] | None = None
        """Done when the page has begun an HTML drag: from then on, drag events are sent instead of mouse events."""

    @property
    def drags(self) -> bool:
        return self.handed_over is not None and self.handed_over.done()

    async def press(self, point: Aimed) -> None:
        """Presses the button on the element, and releases it again if the press missed."""
        self.at = self.start = _Point(point.x, point.y)
        self.pressed = True
        if not await mouse.press_down(self.session, point.x, point.y, point.answers[0]):
            await mouse.release_without_click(self.session, point.x, point.y)
            self.pressed = False

    async def press_at(self, point: _Point) -> None:
        self.at = self.start = point
        await mouse.move_to(self.session, point.x, point.y, modifiers=self.modifiers)
        self.pressed = True
        await mouse.press_at(self.session, point.x, point.y, modifiers=self.modifiers)

    async def move(self, point: _Point) -> None:
        self.at = point
        await mouse.move_to(self.session, point.x, point.y, held=True, modifiers=self.modifiers)

    async def release(self) -> None:
        await mouse.release(self.session, self.at.x, self.at.y)
        self.pressed = False

    async def let_go(self, *, elsewhere: bool) -> None:
        """Drops at the mouse's position. `elsewhere`: whether that is in another process than the start of the drag."""
        if self.handed_over is not None and self.handed_over.done():
            log_line("input", "drops at {:.0f},{:.0f}, in the drag that the page began", self.at.x, self.at.y)
            await _drop(self.session, self.handed_over.result().data, self.start, self.at, elsewhere=elsewhere)
        await self.release()

    def cancel_now(self) -> None:
        """Ends an interrupted drag without waiting and without a drop."""
        if not self.pressed:
            return
        if self.handed_over is not None and self.handed_over.done() and not self.handed_over.cancelled():
            data = self.handed_over.result().data
            self.session.tell(cdp_input.DispatchDragEvent(type="dragCancel", x=self.start.x, y=self.start.y, data=data))
        self.session.tell(mouse.released(self.at.x, self.at.y))
        self.pressed = False


async def _press(at: Located, hand: _Hand) -> Aimed:
    limit = Deadline.on(at.frame.session, at.ready_timeout_s(DEADLINE_S))
    while True:
        start = await aim(at, intercept="press", wait_s=max(0.1, limit.remaining()))
        await hand.press(start)
        hit = await start.hit_result()
        if hit.state == "met":
            return start
        if limit.expired:
            raise missed_error(at, await element_label(at), hit)
        log_line("retry", "presses again")


async def _end(start: Aimed, to: Located | Offset) -> _Point:
    if isinstance(to, Offset):
        return _Point(start.x + to.x, start.y + to.y)
    aimed = await aim(to, place=True)
    if to.position is not None:
        return _Point(aimed.x, aimed.y)
    return _Point(_just_past(start.x, aimed.x), _just_past(start.y, aimed.y))


def _just_past(start: float, middle: float) -> float:
    """A whole pixel just beyond `middle`: sortable lists make room once the mouse has passed the middle of an item."""
    if start == middle:
        return middle
    return math.ceil(middle) - (1 if start > middle else 0)


async def _begin(hand: _Hand, way: tuple[float, float]) -> None:
    """Moves the first pixels, which distinguish a drag from a click. Only then is the target scrolled into view."""
    length = max(abs(way[0]), abs(way[1]), 1.0)
    for px in _START_PX:
        share = min(1.0, px / length)
        await hand.move(_Point(hand.start.x + way[0] * share, hand.start.y + way[1] * share))


async def _carry(hand: _Hand, end: _Point, draggable: bool, wait_s: float = _HANDED_OVER_WITHIN_S) -> None:
    """Moves in a line, awaiting each step: the page needs several moves, and gets those sent together as one."""
    begun = hand.at
    for step in range(1, _STEPS + 1):
        if hand.drags:
            break
        await hand.move(_between(begun, end, step / _STEPS))
        if step == 1 and draggable and hand.handed_over is not None:
            await asyncio.wait([hand.handed_over], timeout=wait_s)
    if not hand.drags:
        await hand.move(end)
    hand.at = end


async def _drop(session: Session, data: cdp_input.DragData, start: _Point, end: _Point, *, elsewhere: bool) -> None:
    near = _between(start, end, 0.95)
    kinds: list[tuple[cdp_input.DragKind, _Point]] = [
        ("dragEnter", end if elsewhere else near),
        ("dragOver", end),
        ("dragOver", end),
        ("drop", end),
    ]
    if elsewhere:
        # A drop in another process does not end the drag in the first one, which would get no more mouse events.
        kinds.append(("dragCancel", start))
    async with deadline(session, CALL_TIMEOUT_S):
        for kind, point in kinds:
            if kind == "drop":
                await asyncio.sleep(_HELD_OVER_S)
            await session.send(cdp_input.DispatchDragEvent(type=kind, x=point.x, y=point.y, data=data))


def _between(start: _Point, end: _Point, share: float) -> _Point:
    return _Point(start.x + (end.x - start.x) * share, start.y + (end.y - start.y) * share)
