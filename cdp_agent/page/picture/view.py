"""Pictures of the viewport for those who point at what they see: a pixel of the picture is where it seems to be.

A viewport that is larger than models look at is shown smaller, and what they point at is in its picture's pixels:
`ShownAs` brings that back to CSS pixels. A part of the viewport is shown enlarged, and pointed at in the pixels of the
whole picture.
"""

from __future__ import annotations

import msgspec

from cdp_agent.errors import InvalidArguments
from cdp_agent.page.tab.tab import Tab

from .marks import Box
from .paint import LONGEST_PX, Picture, share_for_models
from .part import take_part
from .redactions import Spans
from .screenshot import take_picture

MOST_ENLARGED = 4.0


class _Extent(msgspec.Struct, frozen=True):
    """What `viewportPlace` in page/js answers, in CSS pixels."""

    width: float
    height: float
    left: float
    top: float


class ShownAs(msgspec.Struct, frozen=True):
    """How the viewport is shown: `share` pixels of the picture for a CSS pixel."""

    width: float
    height: float
    share: float

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Where a pixel of the picture is, in CSS pixels of the viewport."""
        return x / self.share, y / self.share


async def view_of(tab: Tab) -> ShownAs:
    """How the tab's viewport is shown. Raises PageUnresponsive, DocumentGone, BrowserError."""
    extent = await _extent(tab)
    return ShownAs(extent.width, extent.height, share_for_models(extent.width, extent.height))


async def take_view(tab: Tab, *, hidden: Spans | None = None) -> Picture:
    """The viewport as a PNG, in the pixels of `view_of`. `hidden` and errors: see `take_picture`."""
    view = await view_of(tab)
    longest = round(max(view.width, view.height) * view.share)
    return await take_picture(tab, hidden=hidden, format="png", longest_px=longest)


async def zoom(
    tab: Tab, left: float, top: float, right: float, bottom: float, *, hidden: Spans | None = None
) -> Picture:
    """A part of the viewport as a PNG, enlarged up to MOST_ENLARGED times; the sides in pixels of `take_view`.

    Raises InvalidArguments for what is no part of it, else as `take_picture`.
    """
    view = await view_of(tab)
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


async def _extent(tab: Tab) -> _Extent:
    return await (await (await tab.frames()).root.world()).call("viewportPlace", returning=_Extent)
