"""Makes Chrome draw a tab that is behind another one, without bringing it to the front."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from weakref import WeakKeyDictionary

import msgspec

from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp.connection import Session, retrieve_exception
from cdp_agent.cdp.types import Empty


class _Cast(msgspec.Struct):
    begun: asyncio.Future[Empty]
    wanted: int = 0
    """How many blocks need the screencast."""


_casts: WeakKeyDictionary[Session, _Cast] = WeakKeyDictionary()


@contextlib.contextmanager
def drawing(session: Session) -> Iterator[asyncio.Future[Empty]]:
    """Makes Chrome draw all frames while the block runs; yields a future of its answer.

    For a tab behind another it draws one frame a second at most, so that animations do not end and screenshots are not
    taken. During a screencast it draws all frames; the pictures of the screencast are not used.
    """
    cast = _casts.get(session)
    if cast is None:
        command = cdp_page.StartScreencast(format="jpeg", quality=1, max_width=16, max_height=16)
        cast = _casts[session] = _Cast(session.post(command))
        cast.begun.add_done_callback(retrieve_exception)  # raised where it is awaited
    cast.wanted += 1
    try:
        yield cast.begun
    finally:
        cast.wanted -= 1
        if not cast.wanted:
            del _casts[session]
            session.tell(cdp_page.StopScreencast())


async def capture(session: Session, shot: cdp_page.CaptureScreenshot) -> bytes:
    """Takes a screenshot of a tab, even behind another. Raises ProtocolError, SessionClosed, BrowserError.

    Chrome takes it with the tab's next frame, for which it would wait indefinitely if it did not draw the tab.
    """
    with drawing(session) as begun:
        _, taken = await asyncio.gather(begun, session.post(shot))
    return taken.data
