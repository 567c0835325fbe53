"""The mouse: real input events at points of the tab's viewport.

https://chromedevtools.github.io/devtools-protocol/tot/Input/#method-dispatchMouseEvent
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Literal

import msgspec

from cdp_agent.cdp import input as cdp_input
from cdp_agent.cdp import runtime
from cdp_agent.cdp.connection import Session
from cdp_agent.cdp.types import Empty
from cdp_agent.errors import DocumentGone
from cdp_agent.page.frames.world import World, answer_of, deadline

Button = Literal["left", "right", "middle"]
HANDLED_WITHIN_S = 5.0
"""Chrome answers an input event when the page's listeners have returned."""
HELD_S = 0.08
"""The longest time between press and release: until the page has answered the press (js/act/press.js), at most."""
_MASK: dict[Button, int] = {"left": 1, "right": 2, "middle": 4}


class PressAnswer(msgspec.Struct, frozen=True):
    """How the page answers one press that meets its element; it is asked before the press."""

    world: World
    response: asyncio.Future[runtime.Evaluated]
    """From `pressAnswered` in page/js."""


class Moved(msgspec.Struct, frozen=True):
    """How far the pressed element has moved since the press, in CSS pixels, as when a message pushes it down."""

    x: float = 0.0
    y: float = 0.0


async def click_at(
    session: Session,
    x: float,
    y: float,
    *,
    button: Button = "left",
    count: int = 1,
    modifiers: int = 0,
    answers: Sequence[PressAnswer] = (),
) -> None:
    """Moves to the point and clicks `count` times. With `answers`, each press is held until the page has answered it.

    `modifiers` are the bits of the keys that are held down (keys.MODIFIERS).

    Chrome answers a move alone with the next frame, and a press at once: so the move is not waited for by itself.
    """
    sent = [session.post(_event("mouseMoved", x, y, modifiers=modifiers))]
    for click in range(1, count + 1):
        pressed = session.post(_event("mousePressed", x, y, button=button, held=True, count=click, modifiers=modifiers))
        try:
            moved = await _answered(session, pressed, answers[click - 1]) if answers else Moved()
        except BaseException:
            session.tell(_event("mouseReleased", x, y, button=button, count=click, modifiers=modifiers))
            for each in sent:
                each.cancel()
            raise
        at = x + moved.x, y + moved.y
        up = _event("mouseReleased", *at, button=button, count=click, modifiers=modifiers)
        sent += [pressed, session.post(up)]
    async with deadline(session, HANDLED_WITHIN_S):
        await asyncio.gather(*sent)


async def move_to(session: Session, x: float, y: float, *, held: bool = False, modifiers: int = 0) -> None:
    """Moves to the point (`held`: with the left button down); returns when the page has received that, in a frame."""
    async with deadline(session, HANDLED_WITHIN_S):
        button: Button | None = "left" if held else None
        await session.send(_event("mouseMoved", x, y, button=button, held=held, modifiers=modifiers))


async def press_at(session: Session, x: float, y: float, *, modifiers: int = 0) -> None:
    """Presses the left button at the point, and keeps it down; returns when the page has received the event."""
    async with deadline(session, HANDLED_WITHIN_S):
        await session.send(_event("mousePressed", x, y, button="left", held=True, count=1, modifiers=modifiers))


async def turn_wheel(session: Session, x: float, y: float, right: float, down: float) -> None:
    """Turns the wheel at the point by `right` and `down` CSS pixels; returns when the page has received the event."""
    async with deadline(session, HANDLED_WITHIN_S):
        await session.send(cdp_input.DispatchMouseEvent(type="mouseWheel", x=x, y=y, delta_x=right, delta_y=down))


async def press_down(session: Session, x: float, y: float, answer: PressAnswer) -> None:
    """Moves there, presses the left button and keeps it down; returns when the page has answered the press."""
    moved = session.post(_event("mouseMoved", x, y))
    try:
        await _answered(session, session.post(_event("mousePressed", x, y, button="left", held=True, count=1)), answer)
        await moved
    finally:
        moved.cancel()


async def release(session: Session, x: float, y: float) -> None:
    """Releases the left button at the point."""
    async with deadline(session, HANDLED_WITHIN_S):
        await session.send(released(x, y))


def released(x: float, y: float) -> cdp_input.DispatchMouseEvent:
    """The event that releases the left button at the point, for callers that cannot wait."""
    return _event("mouseReleased", x, y, button="left", count=1)


async def _answered(session: Session, pressed: asyncio.Future[Empty], answer: PressAnswer) -> Moved:
    async with deadline(session, HANDLED_WITHIN_S):
        await pressed
    await asyncio.wait([answer.response], timeout=HELD_S)
    if not answer.response.done():
        try:  # a slow page is asked where the element is now, since the release goes there
            return await answer.world.call("pressMoved", returning=Moved, timeout_s=HANDLED_WITHIN_S)
        except DocumentGone:
            return Moved()
    if answer.response.cancelled() or answer.response.exception() is not None:
        return Moved()  # the page has gone elsewhere
    return answer_of("pressAnswered", answer.response.result(), Moved)


def _event(
    kind: Literal["mouseMoved", "mousePressed", "mouseReleased"],
    x: float,
    y: float,
    *,
    button: Button | None = None,
    held: bool = False,
    count: int = 0,
    modifiers: int = 0,
) -> cdp_input.DispatchMouseEvent:
    return cdp_input.DispatchMouseEvent(
        type=kind,
        x=x,
        y=y,
        button=button or "none",
        buttons=_MASK[button] if button and held else 0,
        click_count=count,
        modifiers=modifiers or None,
    )
