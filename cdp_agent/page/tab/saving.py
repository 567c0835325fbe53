"""Files that are made of a page: for the user alone, in the place of what was there.

What may be long Chrome gives piece by piece: https://chromedevtools.github.io/devtools-protocol/tot/IO/
"""

from __future__ import annotations

import asyncio
import base64
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from cdp_agent.cdp import io
from cdp_agent.cdp.connection import Session
from cdp_agent.errors import InvalidArguments
from cdp_agent.page.frames.world import deadline
from cdp_agent.security import files

from .tab import Tab

_PIECE = 1_000_000
_PIECE_TIMEOUT_S = 20.0


class HarSaved(msgspec.Struct, frozen=True):
    """A HAR file of so many requests in `path`, `size` bytes long; `left_out` says what is not in it, and why."""

    path: str
    requests: int
    size: int
    left_out: list[str]


async def save(path: str | os.PathLike[str], content: bytes) -> str:
    """The whole path of the file, which has this content now. Raises InvalidArguments where it cannot be written."""
    whole = whole_path(path)
    try:
        await asyncio.to_thread(files.write, Path(whole), content)
    except OSError as error:
        raise not_written(whole, error) from error
    return whole


async def har_content(
    tab: Tab,
    *,
    bodies: bool = True,
    credentials: bool = False,
    mask: Callable[[str], str] | None = None,
    max_body_bytes: int = 10_000_000,
) -> tuple[bytes, int, list[str]]:
    """A HAR file of the tab's requests, how many are in it, and what is left out; see `har_file.HarOptions`."""
    from cdp_agent.page.activity import har_file  # late: few need it, and it brings the email package along

    options = har_file.HarOptions(bodies, credentials, mask, max_body_bytes)
    session = (await tab.frames()).root.session
    har, left_out = await har_file.har_of(tab.activity, session, tab.title, options)
    return await asyncio.to_thread(har_file.written, har, mask), len(har.log.entries), left_out


@contextmanager
def new_file(path: str) -> Iterator[int]:
    """A new and empty file in the place of what was there, open to be written. It is gone again where nothing was.

    Raises InvalidArguments where it cannot be.
    """
    try:
        handle = files.create(Path(path))
    except OSError as error:
        raise not_written(path, error) from error
    try:
        yield handle
    finally:
        is_empty = os.fstat(handle).st_size == 0
        os.close(handle)
        if is_empty:
            os.unlink(path)


def whole_path(path: str | os.PathLike[str]) -> str:
    """From where we are, `~` understood."""
    return os.path.abspath(os.path.expanduser(os.fspath(path)))


def not_written(path: str, error: OSError) -> InvalidArguments:
    """What is raised of a file that could not be written."""
    return InvalidArguments(f"{path} was not written: {error.strerror or error}.")


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
