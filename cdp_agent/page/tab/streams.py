"""What Chrome gives piece by piece, since it may be long.

https://chromedevtools.github.io/devtools-protocol/tot/IO/
"""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator

from cdp_agent.cdp import io
from cdp_agent.cdp.connection import Session
from cdp_agent.page.frames.world import deadline

_PIECE = 1_000_000
_PIECE_TIMEOUT_S = 20.0


async def pieces(session: Session, handle: str) -> AsyncIterator[bytes]:
    """The bytes of a stream, a megabyte at a time. It is closed at the end, also when not all of it was read.

    Raises PageUnresponsive, ProtocolError, BrowserError.
    """
    try:
        while True:
            async with deadline(session, _PIECE_TIMEOUT_S):
                chunk = await session.send(io.Read(handle=handle, size=_PIECE))
            yield base64.b64decode(chunk.data) if chunk.base64_encoded else chunk.data.encode()
            if chunk.eof:
                return
    finally:
        session.tell(io.Close(handle=handle))
