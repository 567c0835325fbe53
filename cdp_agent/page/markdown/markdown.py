"""A page as Markdown: all that a reader sees of all its frames, for whoever reads the whole of it.

Every world writes what a reader sees as a small document (page/js/read/html.js), all at the same time; here they become
Markdown, each in the place of its frame.
"""

from __future__ import annotations

import msgspec
from lxml import etree

from cdp_agent.page.snapshot.frame_part import FramePart
from cdp_agent.page.snapshot.reading import Reading, Readings, read_all
from cdp_agent.page.tab.tab import Tab

from .markdown_blocks import Block
from .markdown_fit import fit, join
from .markdown_pieces import split
from .markdown_writer import blocks_of

_PARSER = etree.XMLParser(
    huge_tree=True, resolve_entities=False
)  # pages are nested as deeply, and as large, as they like


class _MarkdownPart(FramePart, frozen=True, kw_only=True):
    """What `readable` in page/js answers."""

    html: str
    url: str
    title: str


class Markdown(msgspec.Struct, frozen=True):
    """A page as Markdown, in blocks; `unreadable` has what could not be read, and why."""

    url: str
    title: str
    blocks: list[Block]
    unreadable: list[tuple[str, str]]

    @property
    def text(self) -> str:
        """All of it."""
        return join(self.blocks)

    def within(self, budget_tokens: int) -> str:
        """At most so many tokens of it, the main content first; the last line says what was left out."""
        return fit(self.blocks, budget_tokens)

    def pieces(self, most_tokens: int) -> list[str]:
        """All of it in pieces of at most so many tokens, each by itself of use: see markdown_pieces.py."""
        return split(self.blocks, most_tokens)


async def take(tab: Tab) -> Markdown:
    """The page as Markdown, all frames in document order.

    Raises PageUnresponsive or DocumentGone when the tab itself cannot be read, BrowserError.
    """
    tree = await tab.frames()
    async with tab.reading:
        return write(await read_all(tree, tab.refs, "readable", _MarkdownPart, {}))


def write(readings: Readings[_MarkdownPart]) -> Markdown:
    unreadable: list[tuple[str, str]] = []
    blocks = _blocks(readings, readings.root, unreadable)
    part = readings.root.part
    return Markdown(part.url, part.title, blocks, unreadable)


def _blocks(
    readings: Readings[_MarkdownPart], reading: Reading[_MarkdownPart], unreadable: list[tuple[str, str]]
) -> list[Block]:
    def remote(local: int) -> tuple[list[Block], str] | str:
        child = readings.child(reading, local)
        return child if isinstance(child, str) else (_blocks(readings, child, unreadable), child.part.url)

    return blocks_of(parse(reading.part.html), remote, unreadable)


def parse(html: str) -> etree._Element:
    """The document that page/js/read/html.js wrote."""
    return etree.fromstring(html, _PARSER)
