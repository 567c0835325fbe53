"""Screenshots for people and for models with vision. All places that show a secret while one is taken are covered.

https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-captureScreenshot
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, Generic, NamedTuple, TypeVar

from cdp_agent.cdp import page as cdp_page
from cdp_agent.errors import ActionError
from cdp_agent.page.frames.world import deadline
from cdp_agent.page.snapshot.lines import refs_in
from cdp_agent.page.tab.drawing import capture
from cdp_agent.page.tab.tab import Tab

from .drawn import find_drawn, watch_text
from .marks import FRAME_TIMEOUT_S, Box, Mark, ViewportPlace, locate_marks, timeout_for, viewport_place
from .paint import Format, Picture, paint
from .redactions import Spans, locate_text

T = TypeVar("T")
TIMEOUT_S = 20.0
LONGEST_SIDE_PX = 16_384
"""Chrome's limit for one texture: beyond it, pictures repeat their beginning."""


async def screenshot(tab: Tab, *, full_page: bool = False, marks: bool = False, hidden: Spans | None = None) -> bytes:
    """A PNG of the viewport, or of the whole page up to LONGEST_SIDE_PX, in CSS pixels times the device's scale.

    With `marks`, each interactive element in the picture is marked by a box and its ref. Nothing is drawn into the
    page. `hidden`: see `take_picture`. Raises ActionError for a tab that never had a page, PageUnresponsive,
    DocumentGone, BrowserError.
    """
    if not marks and hidden is None:
        return await _capture(tab, full_page=full_page)
    refs = refs_in((await tab.read(frame_timeout_s=FRAME_TIMEOUT_S)).text) if marks else ()
    picture = await take_picture(tab, refs, hidden=hidden, full_page=full_page, format="png", for_models=False)
    return picture.data


async def take_picture(
    tab: Tab,
    refs: Iterable[str] = (),
    *,
    hidden: Spans | None = None,
    full_page: bool = False,
    format: Format = "jpeg",
    for_models: bool = True,
    longest_px: int | None = None,
) -> Picture:
    """A picture with marks around those `refs` that it shows. `longest_px` and `for_models`: see `paint`.

    Text in which `hidden` finds something is painted over, and so are fields for secrets: wherever they were from
    before the picture was taken until after it, since the page may move. A frame that does not answer is covered as a
    whole, with a text that says so; if the tab itself does not answer, there is no picture. Raises ActionError for a
    tab that never had a page, PageUnresponsive, DocumentGone, BrowserError.
    """
    root = (await tab.frames()).root
    world = await root.world()

    async def taken() -> tuple[bytes, list[Mark], ViewportPlace]:
        # Concurrently, since the page keeps changing.
        return await asyncio.gather(
            _capture(tab, full_page=full_page, to_be_painted=True),
            locate_marks(tab, refs, whole=full_page),
            viewport_place(world, timeout_for(root)),
        )

    masks: list[Box] = []
    drawn: list[Box] = []
    unresponsive: list[Box] = []
    if hidden is None:
        image, marks, place = await taken()
    else:
        (image, marks, place), masks, drawn, unresponsive = await cover(tab, hidden, taken, in_page=full_page)
    width = place.width
    if full_page:
        size = (await _metrics(tab)).css_content_size
        width, drawn_area = size.width, Box(0, 0, size.width, min(size.height, LONGEST_SIDE_PX))
        masks = [box.moved(place.left, place.top) for box in masks]
        marks = [Mark(each.ref, [box.moved(place.left, place.top) for box in each.boxes]) for each in marks]
        marks = [each for each in marks if each.boxes[0].overlaps(drawn_area)]
    return await paint(
        world,
        image,
        width=width,
        marks=marks,
        masks=masks + drawn,
        unresponsive=unresponsive,
        format=format,
        for_models=for_models,
        longest_px=longest_px,
    )


async def _capture(tab: Tab, *, full_page: bool, to_be_painted: bool = False) -> bytes:
    session = (await tab.frames()).root.session
    if not tab.url and not tab.activity.navigating():  # Chrome would wait forever for a document to draw
        raise ActionError("There is nothing to take a picture of: no page was ever opened in this tab. Close it.")
    clip = None
    beyond = False
    if full_page:
        metrics = await _metrics(tab)
        size, view = metrics.css_content_size, metrics.css_visual_viewport
        # Beyond the viewport, Chrome resizes the page for the picture: the page is notified, and out-of-process frames
        # are blank until they have been redrawn.
        beyond = view.scale != 1 or size.width > view.client_width or size.height > view.client_height
        clip = cdp_page.Clip(
            x=0, y=0, width=min(size.width, LONGEST_SIDE_PX), height=min(size.height, LONGEST_SIDE_PX), scale=1
        )
    async with deadline(session, TIMEOUT_S):
        return await capture(
            session,
            cdp_page.CaptureScreenshot(
                format="png",
                clip=clip,
                capture_beyond_viewport=beyond or None,
                optimize_for_speed=to_be_painted or None,
            ),
        )


async def _metrics(tab: Tab) -> cdp_page.LayoutMetrics:
    session = (await tab.frames()).root.session
    async with deadline(session, TIMEOUT_S):
        return await session.send(cdp_page.GetLayoutMetrics())


class Covered(NamedTuple, Generic[T]):
    """The result of a capture, and the boxes to be covered in it."""

    taken: T
    found: list[Box]
    """The boxes that our scripts found, in CSS pixels of the viewport."""
    drawn: list[Box]
    """The boxes from Chrome's layout, in CSS pixels of the viewport, or of the page with `in_page`."""
    unresponsive: list[Box]
    """The boxes of frames that do not answer, in the same coordinates as `drawn`."""


async def cover(
    tab: Tab, spans: Spans, take: Callable[[], Coroutine[Any, Any, T]], *, in_page: bool = False
) -> Covered[T]:
    """The result of `take`, and the boxes of all text in which `spans` finds something, from before it until after it.

    Raises what `locate_text`, `watch_text` and `take` raise: there is no picture if it is not known what to cover.
    """
    before = await locate_text(tab, spans)
    taken, drawn, unresponsive = await watch_text(tab, spans, take, in_page=in_page, unresponsive=before.unresponsive)
    after = await locate_text(tab, spans)
    if late := after.unresponsive - unresponsive.keys():
        unresponsive |= (await find_drawn(tab, lambda _: [], in_page=in_page, unresponsive=late)).unresponsive
    return Covered(taken, before.boxes + after.boxes, drawn, list(unresponsive.values()))
