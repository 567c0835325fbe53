"""Pictures of the viewport for models that point at pixels, and of a part of it: an element, or any box.

A viewport that is larger than models use is scaled down. Models point at pixels of that picture, which `ViewScale`
converts to CSS pixels. A part of the viewport is enlarged, and its box is given in pixels of the whole picture.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from cdp_agent.cdp import page as cdp_page
from cdp_agent.errors import InvalidArguments, NotInteractable
from cdp_agent.page.frames.world import deadline
from cdp_agent.page.refs.locate import Located, locate
from cdp_agent.page.tab.drawing import capture
from cdp_agent.page.tab.limit import call_limit
from cdp_agent.page.tab.tab import Tab

from .marks import Box, viewport_place
from .paint import LONGEST_PX, Picture, paint, share_for_models
from .redactions import Spans
from .screenshot import LONGEST_SIDE_PX, TIMEOUT_S, cover, screenshot, take_picture

MOST_ENLARGED = 4.0


class ViewScale(msgspec.Struct, frozen=True):
    """The size of the viewport in CSS pixels, and the scale of its picture: `share` is pixels per CSS pixel."""

    width: float
    height: float
    share: float

    def point(self, x: float, y: float) -> tuple[float, float]:
        """The position of a pixel of the picture, in CSS pixels of the viewport."""
        return x / self.share, y / self.share


async def view_of(tab: Tab) -> ViewScale:
    """The scale of pictures of the tab's viewport. Raises PageUnresponsive, DocumentGone, BrowserError."""
    place = await viewport_place(await (await tab.frames()).root.world())
    return ViewScale(place.width, place.height, share_for_models(place.width, place.height))


async def take_view(tab: Tab, *, hidden: Spans | None = None) -> Picture:
    """A PNG of the viewport, at the scale of `view_of`. `hidden` and errors: see `take_picture`."""
    view = await view_of(tab)
    longest = round(max(view.width, view.height) * view.share)
    return await take_picture(tab, hidden=hidden, format="png", longest_px=longest)


async def take(
    tab: Tab,
    *,
    full_page: bool = False,
    marks: bool = False,
    ref: str | None = None,
    region: Sequence[float] | None = None,
    hidden: Spans | None = None,
) -> bytes:
    """A PNG of the viewport, of the whole page, of an element or of a region. Errors: see `Page.screenshot`."""
    if (ref is not None or region is not None) and (full_page or marks or None not in (ref, region)):
        raise InvalidArguments("Give ref or region alone: full_page and marks are for pictures of the page.")
    async with call_limit(tab):
        if ref is not None:
            return (await take_element(tab, await locate(tab, ref), hidden=hidden)).data
        if region is not None:
            return (await zoom_to(tab, region, hidden=hidden)).data
        return await screenshot(tab, full_page=full_page, marks=marks, hidden=hidden)


async def zoom_to(tab: Tab, region: Sequence[float], *, hidden: Spans | None = None) -> Picture:
    """Like `zoom`, with left, top, right and bottom in CSS pixels. Errors: see `zoom`."""
    if len(region) != 4:
        raise InvalidArguments(f"region is left, top, right and bottom, not {len(region)} numbers.")
    view = await view_of(tab)
    left, top, right, bottom = (each * view.share for each in region)
    return await _zoom(tab, view, left, top, right, bottom, hidden)


async def zoom(
    tab: Tab, left: float, top: float, right: float, bottom: float, *, hidden: Spans | None = None
) -> Picture:
    """A PNG of a part of the viewport, enlarged up to MOST_ENLARGED times. Its sides are in pixels of `take_view`.

    Raises InvalidArguments for a box that is not in the viewport; other errors: see `take_picture`.
    """
    return await _zoom(tab, await view_of(tab), left, top, right, bottom, hidden)


async def _zoom(
    tab: Tab, view: ViewScale, left: float, top: float, right: float, bottom: float, hidden: Spans | None
) -> Picture:
    (x, y), (end_x, end_y) = view.point(left, top), view.point(right, bottom)
    end_x, end_y = min(end_x, view.width), min(end_y, view.height)
    if not (0 <= x < end_x and 0 <= y < end_y):
        raise InvalidArguments(
            f"[{left:g}, {top:g}, {right:g}, {bottom:g}] is no part of the picture, which is "
            f"{view.width * view.share:.0f} x {view.height * view.share:.0f}: give left, top, right and bottom."
        )
    box = Box(x, y, end_x, end_y)
    width, height = end_x - x, end_y - y
    enlarged = min(MOST_ENLARGED, LONGEST_PX / max(width, height))
    enlarged *= share_for_models(width * enlarged, height * enlarged)
    longest = round(max(width, height) * enlarged)
    return await take_part(tab, box, scale=enlarged, hidden=hidden, longest_px=longest)


async def take_element(tab: Tab, at: Located, *, hidden: Spans | None = None) -> Picture:
    """A PNG of the element, in CSS pixels times the device's scale. If it is not all in view, it is scrolled into view.

    Anything that covers it is visible too. Raises NotInteractable if it has no layout, StaleRef, PageUnresponsive.
    """
    frame, world = at.frame, at.world
    boxes = await world.call("boxForScreenshot", at.local, returning=list[Box])
    await world.call("nextFrame")  # after scrolling, the element may be drawn only now
    boxes = await world.call("boxForScreenshot", at.local, returning=list[Box])
    while boxes and (holder := await frame.owner()) is not None:
        frame, world, owner = holder
        await world.call("boxForScreenshot", owner, returning=list[Box])  # brings the frame into view
        boxes = await world.call("boxesFromFrame", owner, boxes, returning=list[Box])
    if not boxes:
        raise NotInteractable(at.ref, "hidden", f"{at.ref} has no place on the page, so there is no picture of it.")
    return await take_part(tab, boxes[0], scale=1.0, hidden=hidden)


async def take_part(
    tab: Tab, box: Box, *, scale: float, hidden: Spans | None = None, longest_px: int | None = None
) -> Picture:
    """A PNG of a box of the viewport, with `scale` pixels per device pixel. The box may extend beyond the viewport.

    `longest_px`, `hidden` and errors: see `take_picture`.
    """
    root = (await tab.frames()).root
    world = await root.world()
    viewport = await viewport_place(world)
    beyond = box.left < 0 or box.top < 0 or box.right > viewport.width or box.bottom > viewport.height
    left, top = box.left + viewport.left, box.top + viewport.top
    width, height = min(box.right - box.left, LONGEST_SIDE_PX), min(box.bottom - box.top, LONGEST_SIDE_PX)
    shot = cdp_page.CaptureScreenshot(
        format="png",
        clip=cdp_page.Clip(x=left, y=top, width=width, height=height, scale=scale),
        capture_beyond_viewport=beyond or None,
    )

    async def taken() -> bytes:
        async with deadline(root.session, TIMEOUT_S):
            return await capture(root.session, shot)

    masks: list[Box] = []
    unresponsive: list[Box] = []
    if hidden is None:
        image = await taken()
    else:
        image, masks, drawn, unresponsive = await cover(tab, hidden, taken, in_page=beyond)
        if beyond:
            drawn, unresponsive = (
                [each.moved(-viewport.left, -viewport.top) for each in boxes] for boxes in (drawn, unresponsive)
            )
        masks += drawn
    masks, unresponsive = ([each.moved(-box.left, -box.top) for each in boxes] for boxes in (masks, unresponsive))
    return await paint(
        world, image, width=width, masks=masks, unresponsive=unresponsive, format="png", longest_px=longest_px
    )
