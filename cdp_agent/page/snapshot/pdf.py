"""The text of a PDF that a tab or a frame shows.

Chrome shows a PDF in a viewer of its own, whose drawing no script can read. The bytes are those that Chrome has loaded
(`Page.getResourceContent`): nothing is requested again. The package pypdf reads them, which the extra `files` installs.
"""

from __future__ import annotations

import asyncio
import base64
import time
from importlib.util import find_spec
from io import BytesIO
from weakref import WeakKeyDictionary

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.cdp import page as cdp_page
from cdp_agent.errors import ProtocolError
from cdp_agent.extras import install_command
from cdp_agent.page.frames.frames import Frame
from cdp_agent.page.frames.world import World

from .lines import in_line

LARGEST = 50_000_000
"""In bytes. Larger files are not read: that would take most of a minute."""
READING_S = 6.0
"""How long the pages of a PDF may take to read, in all, before the rest is left out."""
WAITING_S = 12.0
"""How long a single page may keep the reader waiting."""


class PdfText(msgspec.Struct, frozen=True):
    """The lines of each page, and why pages are missing; "" if none is."""

    pages: list[list[str]]
    unread: str = ""


_texts: WeakKeyDictionary[World, PdfText] = WeakKeyDictionary()


def text_of_pdf(world: World) -> PdfText | None:
    """The text of the PDF that a world's document shows; None for other documents."""
    return _texts.get(world)


async def read_pdf(frame: Frame, world: World, address: str) -> None:
    """Reads the PDF that the frame shows, if that was not done yet. Raises SessionClosed, BrowserError."""
    if world not in _texts:
        text = await _read(frame, address)
        log_line("reading", "a PDF of {} pages{}", len(text.pages), f", {text.unread}" if text.unread else "")
        _texts[world] = text


async def _read(frame: Frame, address: str) -> PdfText:
    if find_spec("pypdf") is None:
        return PdfText([], f"to read it, {install_command('files')}")
    try:
        content = await frame.session.send(cdp_page.GetResourceContent(frame_id=frame.id, url=address))
    except ProtocolError as error:
        if "not cached" not in error.message:
            raise
        return PdfText([], "Chrome did not keep the file (no-store): the viewer's button Download saves it")
    if len(content.content) > LARGEST * 4 // 3:
        return PdfText([], f"the file has more than {LARGEST // 1_000_000} MB")
    try:
        async with asyncio.timeout(WAITING_S):
            return await asyncio.to_thread(_extract, content.content)
    except TimeoutError:
        return PdfText([], f"a page of it took more than {WAITING_S:g} s")


def _extract(content: str) -> PdfText:
    from pypdf import PasswordType, PdfReader  # an extra, and slow to import
    from pypdf.errors import PyPdfError

    pages: list[list[str]] = []
    until = time.monotonic() + READING_S
    try:
        reader = PdfReader(BytesIO(base64.b64decode(content)))
        if reader.is_encrypted and reader.decrypt("") is PasswordType.NOT_DECRYPTED:
            return PdfText([], "it is encrypted")
        count = len(reader.pages)
        for page in reader.pages:
            if time.monotonic() > until:
                return PdfText(pages, f"pages {len(pages) + 1} to {count} were not read within {READING_S:g} s")
            pages.append([line for line in map(in_line, page.extract_text().splitlines()) if line])
    except (PyPdfError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        # Files may be broken in any way, and pypdf fails in as many.
        return PdfText(pages, f"page {len(pages) + 1} could not be read: {error}")
    return PdfText(pages, "" if any(pages) else "its pages are pictures without text: take a screenshot")
