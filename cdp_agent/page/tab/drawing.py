"""Has Chrome draw a tab that is behind another one, where it stays."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary

import msgspec

from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp.connection import Session


class _Cast(msgspec.Struct):
    begun: asyncio.Future[Any]
    wanted: int = 0
    """By how many."""


_casts: WeakKeyDictionary[Session, _Cast] = WeakKeyDictionary()


@contextlib.contextmanager
def drawing(session: Session) -> Iterator[asyncio.Future[Any]]:
    """Chrome draws all frames while the block runs; gives its answer to that, which may be awaited.

    Of a tab behind another it draws one a second at most, in which nothing fades out and no picture is taken. While
    there is a screencast it draws them all; the cast's own frames are not looked at.
    """
    cast = _casts.get(session)
    if cast is None:
        command = cdp_page.StartScreencast(format="jpeg", quality=1, max_width=16, max_height=16)
        cast = _casts[session] = _Cast(session.post(command))
        cast.begun.add_done_callback(lambda done: done.cancelled() or done.exception())  # told to whoever awaits it
    cast.wanted += 1
    try:
        yield cast.begun
    finally:
        cast.wanted -= 1
        if not cast.wanted:
            del _casts[session]
            session.tell(cdp_page.StopScreencast())


async def capture(session: Session, shot: cdp_page.CaptureScreenshot) -> bytes:
    """The picture. The tab stays where it is. Raises ProtocolError, SessionClosed, BrowserError.

    Chrome takes a picture with the next frame of a tab, and would wait for ever for one that it does not draw.
    """
    with drawing(session) as begun:
        _, taken = await asyncio.gather(begun, session.post(shot))
    return taken.data
