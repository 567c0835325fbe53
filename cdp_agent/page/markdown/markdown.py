"""A page as Markdown: everything that a reader sees, in all frames, for reading a page as a whole.

The isolated worlds write what a reader sees as small XML documents, concurrently (page/js/read/html.js). These become
Markdown here, each in place of its frame. If it is cut to a token budget, its last line says what was left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import get_args
from xml.etree import ElementTree

import msgspec

from cdp_agent.errors import InvalidArguments
from cdp_agent.page.files.contents import FileContent
from cdp_agent.page.frames.world import World
from cdp_agent.page.snapshot.budget import LONGEST_TOKEN, left_out_line, tokens
from cdp_agent.page.snapshot.file_text import content_of, what_of
from cdp_agent.page.snapshot.frame_part import FramePart
from cdp_agent.page.snapshot.lines import in_line
from cdp_agent.page.snapshot.reading import Reading, Readings, read_all
from cdp_agent.page.snapshot.refs import RefTable
from cdp_agent.page.tab.tab import Tab

from .main_content import LeftOut, described, prose_in, set_apart
from .markdown_links import Links, numbered, with_list
from .markdown_sink import Block, Remote
from .markdown_tables import cell_text, row_line
from .markdown_text import code_block, escape
from .markdown_writer import blocks_of

_LEFT_OUT_TOKENS = 80
_MOST_ROWS = 5_000
"""Of a table of a file."""
_MOST_NAMED = 5
_LONGEST_NAME = 60  # characters
_CHARACTERS_A_TOKEN = 4
_LINK_TARGET = re.compile(r"\](?:\([^()\s]*\)|\x0e\d+\x0f)")
_NO_MARKS = str.maketrans("", "", "[]`*\\")


class ReadablePart(FramePart, frozen=True, kw_only=True):
    """The result of `readable` in page/js: `html` is explained in page/js/read/html.js."""

    html: str
    url: str
    inner: bool
    """Whether it is the document of a frame in the one that was asked."""
    title: str


class Writing(msgspec.Struct, frozen=True):
    """How a page is written: see `Page.markdown`. `ranks`: blocks around the main content have ranks above 0."""

    main: bool = False
    links: Links = "full"
    ranks: bool = False


_WHOLE = Writing()


class Markdown(msgspec.Struct, frozen=True):
    """A page as Markdown, in blocks; `unreadable` names the parts that could not be read, and why.

    `around` says what is around the main content, if only that was asked for. `numbers` are those of the addresses, if
    links have numbers.
    """

    url: str
    title: str
    blocks: list[Block]
    unreadable: list[tuple[str, str]]
    around: str = ""
    numbers: dict[str, int] = {}

    @property
    def text(self) -> str:
        """The whole text; the last line says what is around it, if that was left out."""
        return with_list(_with_note(join(self.blocks), self.around), self.numbers)

    def within(self, budget_tokens: int) -> str:
        """The text cut to `budget_tokens`, the main content first; the last line says what was left out."""
        room = budget_tokens
        while True:
            text = with_list(fit(self.blocks, room, self.around), self.numbers)
            cost = tokens(text) if self.numbers else 0
            if cost <= budget_tokens or room <= 0:
                return text
            room = room * budget_tokens // cost  # the list of addresses has to fit, too


async def take(tab: Tab, writing: Writing = _WHOLE) -> Markdown:
    """The page as Markdown, all frames in document order.

    Raises InvalidArguments, PageUnresponsive or DocumentGone when the tab itself cannot be read, BrowserError.
    """
    if writing.links not in get_args(Links):
        raise InvalidArguments(f"links is {', '.join(get_args(Links))}, not {writing.links!r}.")
    tree = await tab.frames()
    ahead: dict[World, _Written] = {}

    def write_ahead(world: World, part: ReadablePart) -> None:
        if not part.remote:  # else what is in other frames is needed first
            ahead[world] = _written(part, writing, lambda _: ([], ""), lambda _: 0)

    async with tab.reading_lock:
        asked = {"boxes": writing.main or writing.ranks}
        readings = await read_all(tree, tab.refs, "readable", ReadablePart, asked, meanwhile=write_ahead)
        return write(readings, tab.refs, writing, ahead=ahead)


class _Written(msgspec.Struct, frozen=True):
    """The blocks of a document, with those of the frames in it; one without frames of other worlds is written ahead,
    while Chrome still answers questions."""

    html: str
    blocks: list[Block]
    unreadable: list[tuple[str, str]]
    left_out: LeftOut


def _written(
    part: ReadablePart,
    writing: Writing,
    remote: Remote,
    prose_of_frame: Callable[[int], int],
    parsed: ElementTree.Element | None = None,
) -> _Written:
    document = parse(part.html) if parsed is None else parsed
    written = _Written(part.html, [], [], LeftOut())
    if writing.main or writing.ranks:
        set_apart(document, part.url, part.title, prose_of_frame)
    left_out = written.left_out if writing.main else None
    written.blocks.extend(blocks_of(document, remote, written.unreadable, writing.links, left_out))
    return written


def write(
    readings: Readings[ReadablePart],
    refs: RefTable,
    writing: Writing = _WHOLE,
    *,
    ahead: Mapping[World, _Written] = MappingProxyType({}),
    parsed: Mapping[World, ElementTree.Element] = MappingProxyType({}),
) -> Markdown:
    """The page as Markdown; what of it is written `ahead`, or `parsed`, is taken as it is."""
    unreadable: list[tuple[str, str]] = []
    left_out = LeftOut()

    def blocks(reading: Reading[ReadablePart]) -> list[Block]:
        file = content_of(reading.world)
        if file is not None:  # in place of its viewer, or of the page that it was opened from
            return _blocks_of_file(file, unreadable)

        def remote(local: int) -> tuple[list[Block], str] | str:
            child = readings.child(reading, local)
            return child if isinstance(child, str) else (blocks(child), child.part.url)

        def prose_of_frame(local: int) -> int:
            child = readings.child(reading, local)
            return 0 if isinstance(child, str) else prose_in(parse(child.part.html))

        written = ahead.get(reading.world)
        if written is None or written.html is not reading.part.html:
            parsed_here = parsed.get(reading.world)
            written = _written(reading.part, writing, remote, prose_of_frame, parsed_here)
        unreadable.extend(written.unreadable)
        left_out.update(written.left_out)
        for block in written.blocks:
            if "\x01" in block.text:
                block.text = refs.write(reading.world, block.text)
        return written.blocks

    all_blocks, numbers = blocks(readings.root), dict[str, int]()
    if writing.links == "numbered":
        for block in all_blocks:
            block.text = numbered(block.text, numbers)
    part = readings.root.part
    return Markdown(part.url, part.title, all_blocks, unreadable, described(left_out), numbers)


def together(pages: list[Markdown]) -> Markdown:
    """Several pages as one, at the address of the first."""
    if len(pages) == 1:
        return pages[0]
    blocks = [block for page in pages for block in page.blocks]
    unreadable = [part for page in pages for part in page.unreadable]
    return msgspec.structs.replace(pages[0], blocks=blocks, unreadable=unreadable)


def _blocks_of_file(file: FileContent, unreadable: list[tuple[str, str]]) -> list[Block]:
    """A file, and at its end what of it was not read."""
    unread = [(what_of(file), file.unread)] if file.unread else []
    blocks: list[Block] = []
    if file.kind == "pdf":
        for name, page in zip(file.page_names, file.parts, strict=True):
            blocks.append(Block(f"## {name}", "h", 0))
            blocks.append(Block("\n".join(map(escape, map(in_line, page.splitlines()))), "", 0))
    elif file.parts:
        text = code_block("\n".join(file.parts), "")
        blocks.append(Block(text, "c", 0, head=1, tail=text.rpartition("\n")[2]))
    else:
        for table in file.tables:
            if table.name:
                blocks.append(Block(f"## {escape(table.name)}", "h", 0))
            shown = table.rows[:_MOST_ROWS]
            header, *rows = ([cell_text(escape(text)) for text in row] for row in (table.columns, *shown))
            lines = map(row_line, [header, ["---"] * len(header), *rows])
            blocks.append(Block("\n".join(lines), "t", 0, head=2))
            if (left_out := (table.total or 0) - len(shown)) > 0:
                unread.append((f"{left_out:,} more of the rows", "read_file and tables() have them"))
    unreadable.extend(unread)
    return blocks + [Block(f"[Not read: {what}: {why}]", "p", 0) for what, why in unread]


def parse(html: str) -> ElementTree.Element:
    """The XML document that page/js/read/html.js wrote, parsed."""
    return ElementTree.fromstring(html)


def join(blocks: list[Block]) -> str:
    """The blocks as one text."""
    return "\n\n".join(block.text for block in blocks)


def fit(blocks: list[Block], budget_tokens: int, around: str = "") -> str:
    """The blocks that fit the budget, the main content before the rest; the last line says what was left out.

    `around` is what was left out before.
    """
    whole = _with_note(join(blocks), around)
    if len(whole) <= budget_tokens * LONGEST_TOKEN and tokens(whole) <= budget_tokens:
        return whole
    room = budget_tokens - _LEFT_OUT_TOKENS
    fitting: dict[int, str] = {}
    for index in sorted(range(len(blocks)), key=lambda each: blocks[each].rank):
        text = blocks[index].text
        cost = tokens(text) + 1 if len(text) <= room * LONGEST_TOKEN else room + 1
        if cost > room:
            if part := _beginning(blocks[index], room):
                fitting[index] = part
            break
        fitting[index] = text
        room -= cost
    while True:
        text = _write(blocks, fitting, around)
        if tokens(text) <= budget_tokens:
            return text
        if not fitting:
            return "…" if budget_tokens < tokens(short := left_out_line([_amount(blocks, fitting)])) else short
        fitting.popitem()


def _with_note(text: str, around: str) -> str:
    return f"{text}\n\n{left_out_line([around])}" if around else text


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


def _write(blocks: list[Block], fitting: dict[int, str], around: str) -> str:
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
    ranked = sum(1 for index, block in enumerate(blocks) if index not in fitting and block.rank)
    if ranked:
        notes.append("what is around the main content" if ranked > 1 else "a block around the main content")
    if around:
        notes.append(around)
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
