"""Pictures of a part of the tab: an element, or any box."""

from __future__ import annotations

import msgspec

from cdp_agent.cdp import page as cdp_page
from cdp_agent.errors import NotInteractable
from cdp_agent.page.frames.world import World, deadline
from cdp_agent.page.refs.locate import Located
from cdp_agent.page.tab.drawing import capture
from cdp_agent.page.tab.tab import Tab

from .marks import Box
from .paint import Picture, paint
from .redactions import Spans
from .screenshot import LONGEST_PX, TIMEOUT_S, cover


class _Extent(msgspec.Struct, frozen=True):
    """What `viewportPlace` in page/js answers, in CSS pixels."""

    width: float
    height: float
    left: float
    top: float


async def take_element(tab: Tab, at: Located, *, hidden: Spans | None = None) -> Picture:
    """The element as a PNG, in CSS pixels times the device's scale; it is scrolled to where it is not all in view.

    What covers it is seen too. Raises NotInteractable for one that has no place, StaleRef, PageUnresponsive.
    """
    tree = await tab.frames()
    frame, world = at.frame, at.world
    boxes = await world.call("boxToPicture", at.local, returning=list[Box])
    await world.call("nextFrame")  # what was scrolled to may be drawn only now
    boxes = await world.call("boxToPicture", at.local, returning=list[Box])
    while boxes and (holder := await tree.owner_of(frame)) is not None:
        frame, world, owner = holder
        await world.call("boxToPicture", owner, returning=list[Box])  # brings the frame into view
        boxes = await world.call("coversThrough", owner, boxes, returning=list[Box])
    if not boxes:
        raise NotInteractable(at.ref, "hidden", f"{at.ref} has no place on the page, so there is no picture of it.")
    return await take_part(tab, boxes[0], scale=1.0, hidden=hidden)


async def take_part(
    tab: Tab, box: Box, *, scale: float, hidden: Spans | None = None, longest_px: int | None = None
) -> Picture:
    """That box of the viewport as a PNG, `scale` pixels for one of the device, also where it goes beyond it.

    `longest_px`, `hidden` and errors: see `take_picture`.
    """
    root = (await tab.frames()).root
    world = await root.world()
    extent = await _extent(world)
    beyond = box.left < 0 or box.top < 0 or box.right > extent.width or box.bottom > extent.height
    left, top = box.left + extent.left, box.top + extent.top
    width, height = min(box.right - box.left, LONGEST_PX), min(box.bottom - box.top, LONGEST_PX)
    shot = cdp_page.CaptureScreenshot(
        format="png",
        clip=cdp_page.Clip(x=left, y=top, width=width, height=height, scale=scale),
        capture_beyond_viewport=beyond or None,
    )

    async def taken() -> bytes:
        async with deadline(root.session, TIMEOUT_S):
            return await capture(root.session, shot)

    masks: list[Box] = []
    silent: list[Box] = []
    if hidden is None:
        image = await taken()
    else:
        image, masks, drawn, silent = await cover(tab, hidden, taken, in_page=beyond)
        if beyond:
            drawn, silent = ([_moved(each, -extent.left, -extent.top) for each in boxes] for boxes in (drawn, silent))
        masks += drawn
    masks, silent = ([_moved(each, -box.left, -box.top) for each in boxes] for boxes in (masks, silent))
    return await paint(world, image, width=width, masks=masks, silent=silent, format="png", longest_px=longest_px)


def _moved(box: Box, x: float, y: float) -> Box:
    return Box(box.left + x, box.top + y, box.right + x, box.bottom + y)


async def _extent(world: World) -> _Extent:
    return await world.call("viewportPlace", returning=_Extent)
