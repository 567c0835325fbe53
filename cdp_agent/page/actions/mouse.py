"""The mouse: real input events at points of the tab's viewport.

https://chromedevtools.github.io/devtools-protocol/tot/Input/#method-dispatchMouseEvent
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Literal

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.cdp import input as cdp_input
from cdp_agent.cdp import runtime
from cdp_agent.cdp.connection import Session
from cdp_agent.cdp.types import Empty
from cdp_agent.errors import DocumentGone
from cdp_agent.page.frames.world import World, answer_of, deadline

Button = Literal["left", "right", "middle"]
HANDLED_WITHIN_S = 5.0
"""How long the page's listeners may take: Chrome answers an input event when they have returned."""
HELD_S = 0.08
"""The longest time between press and release, which waits until the page has answered the press (js/act/press.js)."""
_MASK: dict[Button, int] = {"left": 1, "right": 2, "middle": 4}


class PressAnswer(msgspec.Struct, frozen=True):
    """The page's answer to one press that hits its element; requested before the press."""

    world: World
    response: asyncio.Future[runtime.Evaluated]
    """A PressResult from `pressAnswered` in page/js."""


class PressResult(msgspec.Struct, frozen=True):
    """Whether a press missed its element, else how far that has moved since (CSS pixels), as below a new message."""

    missed: bool = False
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

    After a press that missed its element, the button is released without a click, and not pressed again.
    `modifiers` are the bits of the keys that are held down (keys.MODIFIERS).

    Chrome answers a lone move only with the next frame, but a press at once, so the move is not awaited separately.
    """
    log_line("input", "clicks at {:.0f},{:.0f}, {} button{}", x, y, button, f", {count} times" if count > 1 else "")
    sent = [session.post(_event("mouseMoved", x, y, modifiers=modifiers))]
    for click in range(1, count + 1):
        pressed = session.post(_event("mousePressed", x, y, button=button, held=True, count=click, modifiers=modifiers))
        try:
            result = await _answered(session, pressed, answers[click - 1]) if answers else PressResult()
        except BaseException:
            session.tell(_event("mouseReleased", x, y, button=button, count=click, modifiers=modifiers))
            for each in sent:
                each.cancel()
            raise
        sent.append(pressed)
        if result.missed:
            log_line("input", "let the button go without a click, since the press missed")
            sent += _post_release_without_click(session, x, y, button)
            break
        at = x + result.x, y + result.y
        if result.x or result.y:
            log_line("input", "released at {:.0f},{:.0f}, where the press had moved the element", *at)
        sent.append(session.post(_event("mouseReleased", *at, button=button, count=click, modifiers=modifiers)))
    async with deadline(session, HANDLED_WITHIN_S):
        await asyncio.gather(*sent)


async def move_to(session: Session, x: float, y: float, *, held: bool = False, modifiers: int = 0) -> None:
    """Moves to the point (`held`: with the left button down); returns when the page has received it, in a frame."""
    async with deadline(session, HANDLED_WITHIN_S):
        button: Button | None = "left" if held else None
        log_line("input", "moved the mouse to {:.0f},{:.0f}", x, y)
        await session.send(_event("mouseMoved", x, y, button=button, held=held, modifiers=modifiers))


async def press_at(session: Session, x: float, y: float, *, modifiers: int = 0) -> None:
    """Presses the left button at the point, and keeps it down; returns when the page has received the event."""
    log_line("input", "pressed the left button at {:.0f},{:.0f}", x, y)
    async with deadline(session, HANDLED_WITHIN_S):
        await session.send(_event("mousePressed", x, y, button="left", held=True, count=1, modifiers=modifiers))


async def turn_wheel(session: Session, x: float, y: float, right: float, down: float) -> None:
    """Turns the wheel at the point by `right` and `down` CSS pixels; returns when the page has received the event."""
    log_line("input", "turned the wheel at {:.0f},{:.0f} by {:.0f},{:.0f} px", x, y, right, down)
    async with deadline(session, HANDLED_WITHIN_S):
        await session.send(cdp_input.DispatchMouseEvent(type="mouseWheel", x=x, y=y, delta_x=right, delta_y=down))


async def press_down(session: Session, x: float, y: float, answer: PressAnswer) -> bool:
    """Moves to the point, presses the left button and keeps it down; returns whether the press hit its element."""
    log_line("input", "pressed the left button at {:.0f},{:.0f}", x, y)
    moved = session.post(_event("mouseMoved", x, y))
    try:
        pressed = session.post(_event("mousePressed", x, y, button="left", held=True, count=1))
        result = await _answered(session, pressed, answer)
        await moved
    finally:
        moved.cancel()
    return not result.missed


async def release(session: Session, x: float, y: float) -> None:
    """Releases the left button at the point."""
    log_line("input", "released the left button at {:.0f},{:.0f}", x, y)
    async with deadline(session, HANDLED_WITHIN_S):
        await session.send(released(x, y))


async def release_without_click(session: Session, x: float, y: float) -> None:
    """Releases the left button at the point after a press that missed its element: no click follows."""
    log_line("input", "released the left button without a click, since the press missed")
    async with deadline(session, HANDLED_WITHIN_S):
        await asyncio.gather(*_post_release_without_click(session, x, y, "left"))


def _post_release_without_click(session: Session, x: float, y: float, button: Button) -> list[asyncio.Future[Empty]]:
    """Releases after another press with click count 0, so there is no click; but a right press would open a menu."""
    again = [_event("mousePressed", x, y, button=button, held=True)] if button != "right" else []
    return [session.post(each) for each in (*again, _event("mouseReleased", x, y, button=button))]


def released(x: float, y: float) -> cdp_input.DispatchMouseEvent:
    """The event that releases the left button at the point, for callers that cannot wait."""
    return _event("mouseReleased", x, y, button="left", count=1)


async def _answered(session: Session, pressed: asyncio.Future[Empty], answer: PressAnswer) -> PressResult:
    async with deadline(session, HANDLED_WITHIN_S):
        await pressed
    await asyncio.wait([answer.response], timeout=HELD_S)
    if not answer.response.done():
        log_line("wait", "the page has not answered the press within {:.0f} ms", HELD_S * 1000)
        try:  # a slow page is asked for the element's present position, since the release goes there
            return await answer.world.call("pressResultSoFar", returning=PressResult, timeout_s=HANDLED_WITHIN_S)
        except DocumentGone:
            return PressResult()
    if answer.response.cancelled() or answer.response.exception() is not None:
        return PressResult()  # the page has gone elsewhere
    return answer_of("pressAnswered", answer.response.result(), PressResult)


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
