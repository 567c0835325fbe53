"""From a ref to the element that it names, wherever it lives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from cdp_agent.errors import DocumentGone, StaleRef

from .frames import Frame
from .reading import READ_TIMEOUT_S
from .recover import last_to_show, replacement
from .refs import RefTable, parse_ref
from .world import CALL_TIMEOUT_S, World

if TYPE_CHECKING:
    from .tab import Tab


Position = tuple[float, float]
"""A place in an element: CSS pixels right of and below its left top corner."""


class Located(msgspec.Struct, frozen=True):
    """An element that is there: `local` is its number in `world`, `note` says when it was found again."""

    ref: str
    frame: Frame
    world: World
    local: int
    refs: RefTable
    """For what else is to be named: all refs of the page."""
    note: str = ""
    position: Position | None = None
    """Where in it the mouse is to go. None: its middle, or the middle of what is seen of it."""
    wait_s: float | None = None
    """How long an action waits for it to be ready, where the user has said that."""

    def at(self, position: Position | None) -> Located:
        """The same element, for the mouse to go to that position in it."""
        return msgspec.structs.replace(self, position=position)

    def patience(self, usual_s: float) -> float:
        """How long to wait for it to be ready, `usual_s` where the user has said nothing."""
        return usual_s if self.wait_s is None else self.wait_s

    def answered_within(self, usual_s: float) -> float:
        """How long a call may take that waits so long in the page."""
        return max(CALL_TIMEOUT_S, 2 * self.patience(usual_s))


async def locate(page: Tab, ref: str) -> Located:
    """The element behind a ref, found again by role, name and place when the page has rendered it anew.

    Raises InvalidArguments when `ref` is none, StaleRef when there is no such element any more (or ever was),
    PageUnresponsive, BrowserError.
    """
    number = parse_ref(ref)
    found = await _alive(page, number)
    if found is not None:
        return found
    name = f"E{number}"
    if page.refs.locate(number) is None:
        raise StaleRef(name, f"There is no {name}: {_given(page)}. Take a snapshot and use a ref that it shows.")
    before = last_to_show(name, list(page.history))
    await page.read()
    again = replacement(name, before, page.history[-1])
    found = await _alive(page, parse_ref(again))
    if found is None:
        raise StaleRef(name, f"{name} is gone, and the page keeps rendering anew: wait, then take a new snapshot.")
    return msgspec.structs.replace(found, note=f"{name} was rendered anew: it is {again} now")


async def _alive(page: Tab, number: int) -> Located | None:
    tree = await page.frames()
    await page.adopt_saved()
    known = page.refs.locate(number)
    if known is None:
        return None
    world, local = known
    frame = next((each for each in tree.all() if each.present_world is world), None)
    if frame is None:
        return None
    await frame.rest(READ_TIMEOUT_S)
    try:
        alive = await world.call("isAlive", local, returning=bool)
    except DocumentGone:
        return None
    found = Located(f"E{number}", frame, world, local, page.refs, wait_s=page.settings.action_timeout_s)
    return found if alive else None


def _given(page: Tab) -> str:
    return f"the refs go up to E{page.refs.next - 1}" if page.refs.next > 1 else "none was given yet"
