"""Writes files made from a page: readable by the user alone, replacing existing ones.

Long contents are read from Chrome in pieces: https://chromedevtools.github.io/devtools-protocol/tot/IO/
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

from .limit import call_limit
from .tab import Tab

_PIECE = 1_000_000
_PIECE_TIMEOUT_S = 20.0


class HarSaved(msgspec.Struct, frozen=True):
    """A HAR file that was written to `path`, with its number of `requests` and its `size` in bytes.

    `left_out` lists what is not in it, and why.
    """

    path: str
    requests: int
    size: int
    left_out: list[str]


async def save(path: str | os.PathLike[str], content: bytes) -> str:
    """Writes the file, and returns its absolute path. Raises InvalidArguments if it cannot be written."""
    whole = absolute_path(path)
    try:
        await asyncio.to_thread(files.write, Path(whole), content)
    except OSError as error:
        raise write_error(whole, error) from error
    return whole


async def har_content(
    tab: Tab,
    *,
    bodies: bool = True,
    credentials: bool = False,
    mask: Callable[[str], str] | None = None,
    max_body_bytes: int = 10_000_000,
) -> tuple[bytes, int, list[str]]:
    """A HAR file of the tab's requests, the number of requests, and what was left out; see `har_file.HarOptions`."""
    from cdp_agent.page.activity import har_file  # late: few need it, and it brings the email package along

    options = har_file.HarOptions(bodies, credentials, mask, max_body_bytes)
    async with call_limit(tab):
        session = (await tab.frames()).root.session
        har, left_out = await har_file.har_of(tab.activity, session, tab.title, options)
    return await asyncio.to_thread(har_file.written, har, mask), len(har.log.entries), left_out


@contextmanager
def new_file(path: str) -> Iterator[int]:
    """A new, empty file in place of an existing one, open for writing. It is removed if it is still empty at the end.

    Raises InvalidArguments if it cannot be opened.
    """
    try:
        handle = files.create(Path(path))
    except OSError as error:
        raise write_error(path, error) from error
    try:
        yield handle
    finally:
        is_empty = os.fstat(handle).st_size == 0
        os.close(handle)
        if is_empty:
            os.unlink(path)


def absolute_path(path: str | os.PathLike[str]) -> str:
    """The absolute path, with `~` expanded."""
    return os.path.abspath(os.path.expanduser(os.fspath(path)))


def write_error(path: str, error: OSError) -> InvalidArguments:
    """The error for a file that could not be written."""
    return InvalidArguments(f"{path} was not written: {error.strerror or error}.")


async def read_stream(session: Session, handle: str) -> AsyncIterator[bytes]:
    """The bytes of a stream, a megabyte at a time. The stream is closed at the end, even if not all of it was read.

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
