"""Finds the boxes of text to redact in a picture of the tab, which paint.py paints over.

The secrets are not sent to the pages: the text of the pages is searched here, and scripts then return the boxes of the
matches. A box covers the whole text node or field that contains a match. Text that no script can read is found by
drawn.py; text inside images and canvases is not found.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from cdp_agent.errors import ActionError, PageUnresponsive
from cdp_agent.page.frames.frames import Frame
from cdp_agent.page.frames.world import World
from cdp_agent.page.snapshot.frame_part import FramePart
from cdp_agent.page.snapshot.lines import units_of
from cdp_agent.page.snapshot.reading import Reading, read_all
from cdp_agent.page.tab.tab import Tab

from .marks import FRAME_TIMEOUT_S, Box, timeout_for

Spans = Callable[[str], list[tuple[int, int]]]


class _TextPart(FramePart, frozen=True, kw_only=True):
    text: str


class TextFound(NamedTuple):
    """The boxes of text to redact, and the frames that did not answer, which may contain more."""

    boxes: list[Box]
    unresponsive: frozenset[Frame]


async def locate_text(tab: Tab, spans: Spans) -> TextFound:
    """The boxes of all text in which `spans` finds something, in all frames, in CSS pixels of the tab's viewport.

    They include visible fields that are for secrets by their markup (one-time codes, card data). Raises
    PageUnresponsive, DocumentGone, BrowserError, if it cannot be determined what to redact.
    """
    tree = await tab.frames()
    async with tab.reading_lock:
        readings = await read_all(tree, tab.refs, "visibleText", _TextPart, {}, frame_timeout_s=FRAME_TIMEOUT_S)
    try:
        answers = await asyncio.gather(*(_boxes(each, spans) for each in readings.by_frame.values()))
    finally:
        for reading in readings.by_frame.values():
            reading.world.tell("forgetSearchedText")
    unresponsive = {each for each in tree.all() if each.id in readings.failures}
    unresponsive |= {each for each in answers if isinstance(each, Frame)}
    return TextFound([box for boxes in answers if isinstance(boxes, list) for box in boxes], frozenset(unresponsive))


async def _boxes(reading: Reading[_TextPart], spans: Spans) -> list[Box] | Frame:
    """The boxes of one world in the tab's viewport; or its frame or one around it, if that does not answer."""
    frame: Frame = reading.frame
    world: World = reading.world
    try:
        asked = [units_of(reading.part.text, start, end) for start, end in spans(reading.part.text)]
        boxes = await world.call("secretBoxes", asked, returning=list[Box], timeout_s=timeout_for(frame))
        while boxes and (holder := await frame.owner()) is not None:
            frame, world, owner = holder
            boxes = await world.call("boxesFromFrame", owner, boxes, returning=list[Box], timeout_s=timeout_for(frame))
    except PageUnresponsive:
        if frame.parent is None:
            raise
        return frame
    except ActionError:
        if reading.frame.parent is None:
            raise
        return []  # the frame has just gone
    return boxes
