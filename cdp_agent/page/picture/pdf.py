"""The page as a PDF, as it would be printed.

https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-printToPDF
"""

from __future__ import annotations

import asyncio
import os
from typing import Literal

import msgspec

from cdp_agent.cdp import dom_snapshot
from cdp_agent.cdp import page as cdp_page
from cdp_agent.errors import ActionError, BlockedByPolicy, InvalidArguments, ProtocolError
from cdp_agent.page.frames.world import deadline
from cdp_agent.page.tab.saving import read_stream, save
from cdp_agent.page.tab.tab import Tab

from .redactions import Spans, locate_text

PaperFormat = Literal["letter", "legal", "tabloid", "ledger", "a0", "a1", "a2", "a3", "a4", "a5", "a6"]

TIMEOUT_S = 60.0
_CM_AN_INCH = 2.54
_INCHES: dict[str, tuple[float, float]] = {
    "letter": (8.5, 11),
    "legal": (8.5, 14),
    "tabloid": (11, 17),
    "ledger": (17, 11),
    "a0": (33.1, 46.8),
    "a1": (23.4, 33.1),
    "a2": (16.54, 23.4),
    "a3": (11.7, 16.54),
    "a4": (8.27, 11.7),
    "a5": (5.83, 8.27),
    "a6": (4.13, 5.83),
}
_SHOWS_SECRET = "The page holds a secret, which nothing could cover in a PDF: take a screenshot, where it is covered."
_MAY_SHOW_SECRET = "A frame of the page does not answer: it may hold a secret, which nothing could cover in a PDF."


class PdfOptions(msgspec.Struct, frozen=True):
    """The options of `Page.pdf`."""

    format: PaperFormat = "a4"
    landscape: bool = False
    scale: float = 1.0
    margin_cm: float = 1.0
    print_background: bool = True
    page_ranges: str = ""
    header_template: str = ""
    footer_template: str = ""
    prefer_css_page_size: bool = False
    outline: bool = False


async def print_pdf(
    tab: Tab, options: PdfOptions, path: str | os.PathLike[str] | None = None, *, hidden: Spans | None = None
) -> bytes:
    """The PDF, also written to `path` if one is given.

    Raises InvalidArguments, BlockedByPolicy if `hidden` finds something, PageUnresponsive.
    """
    if options.format not in _INCHES:
        raise InvalidArguments(f"format is {', '.join(_INCHES)}, not {options.format!r}.")
    session = (await tab.frames()).root.session
    if hidden is not None:
        await _check_no_secret(tab, hidden)
    width, height = _INCHES[options.format]
    margin = options.margin_cm / _CM_AN_INCH
    printing = cdp_page.PrintToPdf(
        landscape=options.landscape,
        display_header_footer=bool(options.header_template or options.footer_template),
        print_background=options.print_background,
        scale=options.scale,
        paper_width=width,
        paper_height=height,
        margin_top=margin,
        margin_bottom=margin,
        margin_left=margin,
        margin_right=margin,
        page_ranges=options.page_ranges,
        # Chrome replaces an empty template by the date, the title, the URL and the page number.
        header_template=options.header_template or "<span></span>",
        footer_template=options.footer_template or "<span></span>",
        prefer_css_page_size=options.prefer_css_page_size,
        generate_document_outline=options.outline,
        generate_tagged_pdf=True,
        transfer_mode="ReturnAsStream",
    )
    async with deadline(session, TIMEOUT_S):
        try:
            handle = (await session.send(printing)).stream
        except ProtocolError as error:
            if isinstance(error, ActionError):  # the tab was closed
                raise
            raise InvalidArguments(f"Chrome does not print that: {error.message}.") from error
    content = b"".join([piece async for piece in read_stream(session, handle)])
    if path is not None:
        await save(path, content)
    return content


async def _check_no_secret(tab: Tab, hidden: Spans) -> None:
    """Raises BlockedByPolicy if a secret is anywhere in the documents: style sheets for print may show hidden text."""
    found = await locate_text(tab, hidden)
    if found.unresponsive:
        raise BlockedByPolicy(_MAY_SHOW_SECRET)
    if found.boxes:
        raise BlockedByPolicy(_SHOWS_SECRET)
    sessions = {frame.session for frame in (await tab.frames()).all()}
    asked = [each.send(dom_snapshot.CaptureSnapshot(computed_styles=[])) for each in sessions]
    if any(hidden("\n".join(document.strings)) for document in await asyncio.gather(*asked)):
        raise BlockedByPolicy(_SHOWS_SECRET)
