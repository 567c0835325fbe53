"""A picture of the page, for models that see and for people.

https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-captureScreenshot
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from cdp_agent.cdp import page as cdp_page

from .world import deadline

if TYPE_CHECKING:
    from .page import Page

TIMEOUT_S = 20.0
LONGEST_PX = 16_384
"""Chrome's limit for one texture: what is below repeats what is above."""


class Markup(msgspec.Struct, frozen=True):
    """What `outerHtml` in page/js answers; `wrong`: why the selector is none."""

    html: str | None
    wrong: str


async def screenshot(page: Page, *, full_page: bool = False) -> bytes:
    """A PNG of the viewport, or of the whole page up to LONGEST_PX, in CSS pixels times the device's scale.

    Nothing is drawn into the page. Raises PageUnresponsive, BrowserError.
    """
    session = (await page.frames()).root.session
    async with deadline(session, TIMEOUT_S):
        clip = None
        if full_page:
            size = (await session.send(cdp_page.GetLayoutMetrics())).css_content_size
            clip = cdp_page.Viewport(
                x=0, y=0, width=min(size.width, LONGEST_PX), height=min(size.height, LONGEST_PX), scale=1
            )
        taken = await session.send(
            cdp_page.CaptureScreenshot(format="png", clip=clip, capture_beyond_viewport=full_page or None)
        )
    return taken.data
