"""Paints onto a picture: boxes with labels around elements, and masks over text to redact.

This is done on a canvas in our isolated world, which is not part of the document: the page cannot see it, and nothing
has to be removed afterwards. Pictures for models are made no larger than models use them:

* Anthropic shrinks pictures longer than 1568 px or with more than about 1.15 million pixels, and counts width x height
  / 750 tokens: https://docs.anthropic.com/en/docs/build-with-claude/vision
* OpenAI counts patches of 32 px, or tiles of 512 px of a picture whose shorter side was made 768 px:
  https://platform.openai.com/docs/guides/images-vision
* Google counts 258 tokens for each tile of at most 768 px: https://ai.google.dev/gemini-api/docs/tokens

All of them take JPEG and PNG, and so do local servers, which often take no WebP.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from typing import Literal

import msgspec

from cdp_agent.page.frames.world import World

from .marks import TIMEOUT_S, Box, Mark

Format = Literal["png", "jpeg"]

LONGEST_PX = 1568
MOST_PIXELS = 1_150_000
QUALITY = 0.85
_UNLIMITED = 1 << 30


class Picture(msgspec.Struct, frozen=True):
    """An encoded picture, with its format and size."""

    data: bytes
    format: Format
    width_px: int
    height_px: int


class _Painted(msgspec.Struct, frozen=True):
    """The result of `paint` in page/js."""

    data: bytes
    width: int
    height: int


def share_for_models(width: float, height: float) -> float:
    """The scale (at most 1) at which models use a picture of that size in pixels: 1 if it is small enough."""
    return min(1.0, LONGEST_PX / max(width, height), math.sqrt(MOST_PIXELS / (width * height)))


async def paint(
    world: World,
    image: bytes,
    *,
    width: float,
    marks: Sequence[Mark] = (),
    masks: Sequence[Box] = (),
    unresponsive: Sequence[Box] = (),
    format: Format = "png",
    for_models: bool = False,
    longest_px: int | None = None,
) -> Picture:
    """The image with masks painted on it, and then a box and the ref of each mark.

    `unresponsive`: boxes that are covered with a text which says that a frame there does not answer. `width` is the
    width of the image in CSS pixels, the unit of the boxes. `for_models` scales it down to what models use, and
    `longest_px` limits its longest side. The canvas is in `world`. Raises PageUnresponsive, DocumentGone, BrowserError;
    there is no picture then, so that nothing unmasked is shown.
    """
    options = {
        "width": width,
        "marks": [{"label": each.ref, "boxes": each.boxes} for each in marks],
        "masks": masks,
        "silent": unresponsive,
        "type": f"image/{format}",
        "quality": QUALITY,
        "longest": longest_px or (LONGEST_PX if for_models else _UNLIMITED),
        "pixels": MOST_PIXELS if for_models else _UNLIMITED,
    }
    source = base64.b64encode(image).decode()
    painted = await world.call("paint", source, options, returning=_Painted, timeout_s=TIMEOUT_S)
    return Picture(painted.data, format, painted.width, painted.height)
