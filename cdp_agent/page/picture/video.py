"""Videos of a tab, recorded by Chrome as AV1 in an MP4 file, even of a tab behind another, and through crashes.

Each is recorded on its own session, since Chrome takes no screenshots of a background tab on a session that records.
Nothing can be redacted in a video, so it shows secrets that the page shows.
https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-startScreenRecording
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp.connection import Session
from cdp_agent.errors import ActionError, CdpAgentError, InvalidArguments, ProtocolError, SetupError
from cdp_agent.page.frames.world import deadline
from cdp_agent.page.tab.drawing import capture
from cdp_agent.page.tab.saving import absolute_path, new_file, read_stream, write_error
from cdp_agent.page.tab.tab import Tab
from cdp_agent.security import files

TIMEOUT_S = 20.0
_FASTEST = 60
_NO_METHOD = -32601
_log = logging.getLogger(__name__)


class VideoRecording(msgspec.Struct):
    """A video that is written to `path`; `size` is in bytes, 0 until the recording has ended."""

    path: str
    size: int = 0


@asynccontextmanager
async def record_video(
    tab: Tab, path: str | os.PathLike[str], *, max_width: int | None, max_height: int | None, frame_rate: int
) -> AsyncIterator[VideoRecording]:
    """See `Page.record_video`."""
    whole = absolute_path(path)
    if not whole.lower().endswith(".mp4"):
        raise InvalidArguments(f"{os.fspath(path)} is no .mp4 file, which is what Chrome records.")
    if not 1 <= frame_rate <= _FASTEST:
        raise InvalidArguments(f"frame_rate is from 1 to {_FASTEST} a second, not {frame_rate}.")
    recording = VideoRecording(whole)
    async with tab.own_session() as session:
        await _start(session, max_width, max_height, frame_rate)
        with new_file(whole) as file:
            await _draw(tab)
            try:
                yield recording
            except BaseException:
                try:
                    recording.size = await _fetch(tab, session, whole, file)
                except CdpAgentError as error:  # the caller gets the first error
                    _log.warning("%s", error)
                raise
            recording.size = await _fetch(tab, session, whole, file)


async def _start(session: Session, max_width: int | None, max_height: int | None, frame_rate: int) -> None:
    async with deadline(session, TIMEOUT_S):
        try:
            await session.send(
                cdp_page.StartScreenRecording(max_width=max_width, max_height=max_height, frame_rate=frame_rate)
            )
        except ProtocolError as error:
            if error.code == _NO_METHOD:
                raise SetupError("This Chrome records no videos: take a newer one, such as 156.") from error
            raise


async def _draw(tab: Tab) -> None:
    """Makes Chrome draw the page once: otherwise the video of a static page has no frame until the page changes.

    There is no clip: capturing a part changes the size of the video, and one began with a black frame.
    """
    session = (await tab.frames()).root.session
    async with deadline(session, TIMEOUT_S):
        await capture(session, cdp_page.CaptureScreenshot(format="jpeg", quality=1))


async def _draw_end(tab: Tab) -> None:
    """Makes Chrome draw the page as it is now, since the latest changes would be missing at the end of the video.

    Twice, since the recorder takes a frame a while after it was drawn: on a busy machine one was sometimes missing.
    """
    try:
        for _ in range(2):
            await _draw(tab)
    except (ActionError, ProtocolError) as error:
        _log.debug("the page is gone or hangs, so there is no more of it to be seen: %s", error)


async def _fetch(tab: Tab, session: Session, path: str, file: int) -> int:
    """Ends the recording, and writes the video into the file; returns its size in bytes."""
    size = 0
    await _draw_end(tab)
    try:
        async with deadline(session, TIMEOUT_S):
            handle = (await session.send(cdp_page.StopScreenRecording())).stream
        async for piece in read_stream(session, handle):
            await asyncio.to_thread(files.write_all, file, piece)
            size += len(piece)
    except (ActionError, ProtocolError) as error:
        if not tab.closed:
            raise
        raise ActionError(f"There is no video in {path}: its tab was closed before the recording ended.") from error
    except OSError as error:
        os.ftruncate(file, 0)  # so that no part of it stays: see `new_file`
        raise write_error(path, error) from error
    return size
