"""The effects of an action that no line of the snapshot shows, in all worlds: see js/activity/effects.js."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec

from cdp_agent.cdp import page as cdp_page
from cdp_agent.errors import ActionError, ProtocolError
from cdp_agent.page.frames.frames import FrameTree
from cdp_agent.page.frames.world import World, deadline
from cdp_agent.page.snapshot.refs import RefTable
from cdp_agent.page.tab.drawing import capture

_PICTURE_S = 3.0


class Effect(msgspec.Struct, frozen=True):
    """One effect, in words; `weak` when the mouse or the focus alone may cause it."""

    text: str
    weak: bool


class Causes(msgspec.Struct, frozen=True):
    """How many changes had which cause, see js/activity/journal.js: the action, the page by itself, or unknown."""

    action: int = 0
    page: int = 0
    unknown: int = 0

    def __add__(self, other: Causes) -> Causes:
        return Causes(self.action + other.action, self.page + other.page, self.unknown + other.unknown)


class Effects(msgspec.Struct, frozen=True):
    """The effects in one world, or in all."""

    effects: list[Effect] = []
    causes: Causes = Causes()
    log: list[str] = []
    """The latest changes with their causes, in words."""

    def lines(self, *, weak: bool) -> list[str]:
        """The weak or the other effects, as lines of a receipt."""
        return [f"~ {effect.text}" for effect in self.effects if effect.weak is weak]


class Pictures(msgspec.Struct, frozen=True):
    """Screenshots of the canvases that no script may read, and where they are."""

    boxes: list[tuple[float, float, float, float]] = []
    seen: list[bytes] = []
    out_of_view: bool = False
    """Whether there are more such canvases outside the viewport."""


async def pictures(tree: FrameTree) -> Pictures:
    """The pictures in the root frame's world, including same-site frames; empty if scripts may read all canvases.

    Raises BrowserError.
    """
    world = tree.root.present_world
    if world is None or tree.root.navigating_to is not None:
        return Pictures()
    try:
        places = await world.call("unreadableCanvases", returning=list[tuple[float, float, float, float] | None])
        boxes = [box for box in places if box is not None]
        seen = []
        for x, y, width, height in boxes:
            clip = cdp_page.Clip(x=x, y=y, width=width, height=height, scale=1)
            async with deadline(world.session, _PICTURE_S):
                shot = cdp_page.CaptureScreenshot(format="png", clip=clip, optimize_for_speed=True)
                seen.append(await capture(world.session, shot))
    except (ActionError, ProtocolError):
        return Pictures()  # it is being replaced, or hangs, which is reported elsewhere
    return Pictures(boxes, seen, None in places)


RecordedEffects = Sequence[tuple[World, Effects]]
"""The effects in each world, as its script tells them: with local ids instead of refs."""


async def effects_now(tree: FrameTree, *, looks: bool, hovered: bool) -> RecordedEffects:
    """The effects so far. `looks`: also compares styles, which takes longest.

    `hovered`: the action only moves the mouse, so changes of classes under it are weak. Raises BrowserError.
    """
    worlds = _worlds(tree)
    return list(zip(worlds, await asyncio.gather(*(_of_world(world, looks, hovered) for world in worlds)), strict=True))


def with_refs(recorded: RecordedEffects, refs: RefTable) -> Effects:
    """All of them, once a reading has claimed the ids that elements got until then."""
    return Effects(
        [
            msgspec.structs.replace(effect, text=refs.write(world, effect.text))
            for world, of_world in recorded
            for effect in of_world.effects
        ],
        sum((of_world.causes for _, of_world in recorded), Causes()),
        [refs.write(world, line) for world, of_world in recorded for line in of_world.log],
    )


async def _of_world(world: World, looks: bool, hovered: bool) -> Effects:
    if world.session.unresponsive:
        return Effects()  # the reading before this has waited for it
    try:
        return await world.call("effectsNow", looks, hovered, returning=Effects)
    except (ActionError, ProtocolError):
        return Effects()  # it is being replaced, or hangs, which is reported elsewhere


def _worlds(tree: FrameTree) -> list[World]:
    worlds = (frame.present_world for frame in tree.all() if frame.navigating_to is None)
    return [world for world in worlds if world is not None]
