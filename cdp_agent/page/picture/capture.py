"""A picture from Chrome, of a tab that is in front and of one that is not."""

from __future__ import annotations

import asyncio
from weakref import WeakKeyDictionary

from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp.connection import Session

_capturing: WeakKeyDictionary[Session, asyncio.Lock] = WeakKeyDictionary()
"""One picture of a tab at a time: the end of one's screencast would leave the next without frames."""


async def capture(session: Session, shot: cdp_page.CaptureScreenshot) -> bytes:
    """The picture. The tab stays where it is. Raises ProtocolError, SessionClosed, BrowserError.

    Chrome takes a picture with the next frame of a tab, and draws none of a tab that is behind another one, so that it
    would wait for ever. While there is a screencast it draws them all; the cast's own frames are not looked at.
    """
    async with _capturing.setdefault(session, asyncio.Lock()):
        casting = session.post(cdp_page.StartScreencast(format="jpeg", quality=1, max_width=16, max_height=16))
        taking = session.post(shot)
        try:
            _, taken = await asyncio.gather(casting, taking)
        finally:
            session.tell(cdp_page.StopScreencast())
    return taken.data
