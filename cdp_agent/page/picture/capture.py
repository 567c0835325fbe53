"""A picture from Chrome, of a tab that is in front and of one that is not."""

from __future__ import annotations

import asyncio

from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp.connection import Session
from cdp_agent.page.tab.drawing import drawing


async def capture(session: Session, shot: cdp_page.CaptureScreenshot) -> bytes:
    """The picture. The tab stays where it is. Raises ProtocolError, SessionClosed, BrowserError.

    Chrome takes a picture with the next frame of a tab, and would wait for ever for one that it does not draw.
    """
    with drawing(session) as begun:
        _, taken = await asyncio.gather(begun, session.post(shot))
    return taken.data
