"""The mouse: real input events at points of the tab's viewport.

https://chromedevtools.github.io/devtools-protocol/tot/Input/#method-dispatchMouseEvent
"""

from __future__ import annotations

import asyncio
from typing import Literal

from cdp_agent.cdp import input as cdp_input
from cdp_agent.cdp.connection import Session

from .world import deadline

Button = Literal["left", "right", "middle"]
HANDLED_WITHIN_S = 5.0
"""Chrome answers when the page's listeners are through."""
_MASK: dict[Button, int] = {"left": 1, "right": 2, "middle": 4}


async def click_at(session: Session, x: float, y: float, *, button: Button = "left", count: int = 1) -> None:
    """Moves there and presses `count` times in quick succession, all sent at once.

    A lone move is answered with the next frame, the press at once: so the move is not waited for by itself.
    """
    events = [_event("mouseMoved", x, y)]
    for click in range(1, count + 1):
        events.append(_event("mousePressed", x, y, button=button, held=True, count=click))
        events.append(_event("mouseReleased", x, y, button=button, count=click))
    async with deadline(session, HANDLED_WITHIN_S):
        await asyncio.gather(*(session.post(event) for event in events))


async def move_to(session: Session, x: float, y: float, *, held: bool = False) -> None:
    """Moves there; returns when the page has got the move, in its next frame. `held`: with the left button down."""
    async with deadline(session, HANDLED_WITHIN_S):
        await session.send(_event("mouseMoved", x, y, button="left" if held else None, held=held))


async def press_down(session: Session, x: float, y: float) -> None:
    """Moves there, presses the left button and keeps it down."""
    events = [_event("mouseMoved", x, y), _event("mousePressed", x, y, button="left", held=True, count=1)]
    async with deadline(session, HANDLED_WITHIN_S):
        await asyncio.gather(*(session.post(event) for event in events))


async def release(session: Session, x: float, y: float) -> None:
    """Lets the left button go there."""
    async with deadline(session, HANDLED_WITHIN_S):
        await session.send(_event("mouseReleased", x, y, button="left", count=1))


def _event(
    kind: Literal["mouseMoved", "mousePressed", "mouseReleased"],
    x: float,
    y: float,
    *,
    button: Button | None = None,
    held: bool = False,
    count: int = 0,
) -> cdp_input.DispatchMouseEvent:
    return cdp_input.DispatchMouseEvent(
        type=kind,
        x=x,
        y=y,
        button=button or "none",
        buttons=_MASK[button] if button and held else 0,
        click_count=count,
    )
