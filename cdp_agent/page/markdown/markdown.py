"""A page as Markdown: everything that a reader sees, in all frames, for reading a page as a whole.

The isolated worlds write what a reader sees as small XML documents, concurrently (page/js/read/html.js). These become
Markdown here, each in place of its frame. If it is cut to a token budget, its last line says what was left out.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree

import msgspec

from cdp_agent.page.frames.world import World
from cdp_agent.page.snapshot.budget import left_out_line, tokens
from cdp_agent.page.snapshot.frame_part import FramePart
from cdp_agent.page.snapshot.pdf import text_of_pdf
from cdp_agent.page.snapshot.reading import Reading, Readings, read_all
from cdp_agent.page.tab.tab import Tab

from .markdown_pieces import split
from .markdown_sink import Block, Remote
from .markdown_text import escape
from .markdown_writer import blocks_of

_LEFT_OUT_TOKENS = 80
_MOST_NAMED = 5
_LONGEST_NAME = 60  # characters
_CHARACTERS_A_TOKEN = 4
_LONGEST_TOKEN = 12  # characters, white space included, on the average of any page
_LINK_TARGET = re.compile(r"\]\([^()\s]*\)")
_NO_MARKS = str.maketrans("", "", "[]`*\\")


class _MarkdownPart(FramePart, frozen=True, kw_only=True):
    """The result of `readable` in page/js."""

    html: str
    url: str
    title: str


class Markdown(msgspec.Struct, frozen=True):
    """A page as Markdown, in blocks; `unreadable` names the parts that could not be read, and why."""

    url: str
    title: str
    blocks: list[Block]
    unreadable: list[tuple[str, str]]

    @property
    def text(self) -> str:
        """The whole text."""
        return join(self.blocks)

    def within(self, budget_tokens: int) -> str:
        """The text cut to `budget_tokens`, the main content first; the last line says what was left out."""
        return fit(self.blocks, budget_tokens)

    def pieces(self, most_tokens: int) -> list[list[Block]]:
        """The blocks in pieces of at most `most_tokens`, each of which makes sense by itself: see `split`."""
        return split(self.blocks, most_tokens)


async def take(tab: Tab) -> Markdown:
    """The page as Markdown, all frames in document order.

    Raises PageUnresponsive or DocumentGone when the tab itself cannot be read, BrowserError.
    """
    tree = await tab.frames()
    ahead: dict[World, _Written] = {}

    def write_ahead(world: World, part: _MarkdownPart) -> None:
        if not part.remote:  # else what is in other frames is needed first
            unreadable: list[tuple[str, str]] = []
            ahead[world] = _Written(part.html, blocks_in(part.html, lambda _: ([], ""), unreadable), unreadable)

    async with tab.reading_lock:
        return write(await read_all(tree, tab.refs, "readable", _MarkdownPart, {}, meanwhile=write_ahead), ahead)


class _Written(msgspec.Struct, frozen=True):
    """The blocks of a document without frames of other worlds, written while Chrome still answered questions."""

    html: str
    blocks: list[Block]
    unreadable: list[tuple[str, str]]


def write(readings: Readings[_MarkdownPart], ahead: dict[World, _Written]) -> Markdown:
    unreadable: list[tuple[str, str]] = []

    def blocks(reading: Reading[_MarkdownPart]) -> list[Block]:
        pdf, part = _blocks_of_pdf(reading, unreadable), reading.part
        written = ahead.get(reading.world)
        if written is not None and written.html is part.html:
            unreadable.extend(written.unreadable)
            return pdf + written.blocks

        def remote(local: int) -> tuple[list[Block], str] | str:
            child = readings.child(reading, local)
            return child if isinstance(child, str) else (blocks(child), child.part.url)

        return pdf + blocks_in(part.html, remote, unreadable)

    part = readings.root.part
    return Markdown(part.url, part.title, blocks(readings.root), unreadable)


def together(pages: list[Markdown]) -> Markdown:
    """Several pages as one, at the address of the first."""
    if len(pages) == 1:
        return pages[0]
    blocks = [block for page in pages for block in page.blocks]
    unreadable = [part for page in pages for part in page.unreadable]
    return msgspec.structs.replace(pages[0], blocks=blocks, unreadable=unreadable)


def _blocks_of_pdf(reading: Reading[_MarkdownPart], unreadable: list[tuple[str, str]]) -> list[Block]:
    """The text of the PDF that the document shows, if it shows one."""
    pdf = text_of_pdf(reading.world)
    if pdf is None:
        return []
    if pdf.unread:
        unreadable.append(("the text of the PDF", pdf.unread))
    blocks: list[Block] = []
    for number, page in enumerate(pdf.pages, 1):
        blocks += [Block(f"## Page {number}", "h", 0), Block("\n".join(map(escape, page)), "", 0)]
    return blocks


def blocks_in(html: str, remote: Remote, unreadable: list[tuple[str, str]]) -> list[Block]:
    """The blocks of what page/js/read/html.js wrote; see `Source` for `remote` and `unreadable`."""
    return blocks_of(parse(html), remote, unreadable)


def parse(html: str) -> ElementTree.Element:
    """The XML document that page/js/read/html.js wrote, parsed."""
    return ElementTree.fromstring(html)


def join(blocks: list[Block]) -> str:
    """The blocks as one text."""
    return "\n\n".join(block.text for block in blocks)


def fit(blocks: list[Block], budget_tokens: int) -> str:
    """The blocks that fit the budget, the main content before the rest; the last line says what was left out."""
    whole = join(blocks)
    if len(whole) <= budget_tokens * _LONGEST_TOKEN and tokens(whole) <= budget_tokens:
        return whole
    room = budget_tokens - _LEFT_OUT_TOKENS
    fitting: dict[int, str] = {}
    for index in sorted(range(len(blocks)), key=lambda each: blocks[each].rank):
        text = blocks[index].text
        cost = tokens(text) + 1 if len(text) <= room * _LONGEST_TOKEN else room + 1
        if cost > room:
            if part := _beginning(blocks[index], room):
                fitting[index] = part
            break
        fitting[index] = text
        room -= cost
    while True:
        text = _write(blocks, fitting)
        if tokens(text) <= budget_tokens:
            return text
        if not fitting:
            return "…" if budget_tokens < tokens(short := left_out_line([_amount(blocks, fitting)])) else short
        fitting.popitem()


def _closed(lines: list[str], tail: str) -> str:
    return "\n".join([*lines, tail] if tail else lines)


def _beginning(block: Block, room: int) -> str:
    """The first lines of a block, as many as fit; "" if none does."""
    lines = block.text.split("\n")
    used = block.head
    cost = tokens("\n".join([*lines[:used], block.tail])) + 2
    while used < len(lines) - bool(block.tail) and (cost := cost + tokens(lines[used]) + 1) <= room:
        used += 1
    return _closed(lines[:used], block.tail) if used > block.head else ""


def _write(blocks: list[Block], fitting: dict[int, str]) -> str:
    texts: list[str] = []
    for index in range(len(blocks)):
        if index in fitting:
            texts.append(fitting[index])
        elif not texts or texts[-1] != "…":
            texts.append("…")
    if texts and texts[-1] == "…":
        texts.pop()
    names = [_name(block) for index, block in enumerate(blocks) if index not in fitting and block.kind == "h"]
    named = ", ".join(names[:_MOST_NAMED]) + (
        f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    )
    notes = [_amount(blocks, fitting)]
    if named:
        notes.append(f"the sections {named}" if len(names) > 1 else f"the section {named}")
    around = sum(1 for index, block in enumerate(blocks) if index not in fitting and block.rank)
    if around:
        notes.append("what is around the main content" if around > 1 else "a block around the main content")
    texts.append(left_out_line(notes))
    return "\n\n".join(texts)


def _amount(blocks: list[Block], fitting: dict[int, str]) -> str:
    whole = sum(len(block.text) for block in blocks)
    characters = whole - sum(len(text) for text in fitting.values())
    cut = sum(1 for index, text in fitting.items() if text != blocks[index].text)
    out = len(blocks) - len(fitting)
    parts = [f"{out} of {len(blocks)} blocks"] if out else []
    if cut:
        parts.append(f"the end of {cut} more" if out else "the end of a block")
    return f"{' and '.join(parts)}, about {max(characters, 0) // _CHARACTERS_A_TOKEN:,} tokens"


def _name(block: Block) -> str:
    text = _LINK_TARGET.sub("]", block.text.lstrip("# ")).translate(_NO_MARKS)
    return f'"{text if len(text) <= _LONGEST_NAME else text[: _LONGEST_NAME - 1] + "…"}"'
