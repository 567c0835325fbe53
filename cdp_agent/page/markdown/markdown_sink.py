"""The blocks of Markdown, and the sink that collects them while the elements of a container are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from xml.etree.ElementTree import Element

import msgspec

from .main_content import LeftOut
from .markdown_links import Links, place_of, target_of
from .markdown_text import escape, paragraph

CONTAINERS = frozenset("h1 h2 h3 h4 h5 h6 ul ol li dl dt dd q pre table tr td th hr sum opt sec fr rf ef".split())  # noqa: SIM905


class Block(msgspec.Struct, gc=False):
    """A paragraph, a heading, a list, a table, …: the lines between two empty lines.

    `kind` is "p" for plain lines, "h" heading, "l" list, "t" table, "c" code, "m" menu, "" other. `rank` is 0 for the
    main content, higher for content around it. Each part of a block that is cut needs the block's first `head` lines
    and its last line, `tail`. Blocks with the same number of a `record` belong together; 0 is none.
    """

    text: str
    kind: str
    rank: int
    head: int = 0
    tail: str = ""
    record: int = 0


def list_item(blocks: list[Block], marker: str) -> str:
    """An item of a list: its first line after the marker, the rest indented under it. "" if it is empty."""
    if not blocks:
        return ""
    text = blocks[0].text
    if len(blocks) == 1 and "\n" not in text:  # by far the most common case
        return marker + text.lstrip(" ")
    for block in blocks[1:]:
        text += ("\n" if block.kind == "l" else "\n\n") + block.text
    return marker + indented(text, len(marker)).lstrip(" ")


def indented(text: str, width: int) -> str:
    """The text with all lines that are not empty indented by `width` spaces."""
    if "\n" not in text:
        return " " * width + text
    return "\n".join(" " * width + line if line else "" for line in text.split("\n"))


def compact(blocks: list[Block]) -> list[Block]:
    """The blocks, with consecutive plain lines and simple lists joined into one line, as in a menu or a footer."""
    joined: list[Block] = []
    for block in blocks:
        line = _one_line(block)
        if line is None:
            joined.append(block)
        elif joined and joined[-1].kind == "m":
            joined[-1].text += " · " + line
        else:
            joined.append(Block(line, "m", block.rank))
    return joined


def _one_line(block: Block) -> str | None:
    if block.kind in ("p", "m"):
        return None if "\n" in block.text else block.text
    lines = block.text.split("\n")
    if block.kind == "l" and all(line.startswith("- ") for line in lines):
        return " · ".join(line[2:] for line in lines)
    return None


Remote = Callable[[int], tuple[list[Block], str] | str]


class Source(msgspec.Struct, frozen=True):
    """The state that all sinks of one document share.

    `remote` takes the id of an iframe element, and returns the blocks and the URL of its frame in another session, or
    the reason why there are none. Parts that could not be read are added to `unreadable`, with the reason. `folder` is
    the beginning of the addresses that are written without it. `left_out` counts what is around the main content; None
    if that is written, too.
    """

    writers: Mapping[str, Callable[[Sink, Element], None]]
    remote: Remote
    unreadable: list[tuple[str, str]]
    folder: str
    links: Links
    left_out: LeftOut | None

    def place_of(self, target: str) -> str:
        """What stands for an address after the text of its link."""
        return place_of(target, self.links)

    def target_of(self, link: Element) -> str:
        """The address that a link leads to."""
        return target_of(link, self.folder)


class Sink:
    """Collects the blocks of one container; `parts` are those of the line that is being written.

    An inline sink writes lines only, and keeps the "\\n" between them in `parts`.
    """

    __slots__ = ("_is_inline", "blocks", "parts", "rank", "source")

    def __init__(self, source: Source, rank: int, *, is_inline: bool = False) -> None:
        self.source = source
        self.rank = rank
        self.blocks: list[Block] = []
        self.parts: list[str] = []
        self._is_inline = is_inline

    def flow(self, element: Element) -> None:
        """Writes everything in an element: texts, inline elements, blocks."""
        writers = self.source.writers
        if text := element.text:
            self._put_text(text)
        for child in element:
            writers[child.tag](self, child)
            if text := child.tail:
                self._put_text(text)

    def put(self, inline: str) -> None:
        """Adds Markdown to the line; "\\n" in it ends the line."""
        if "\n" not in inline or self._is_inline:
            self.parts.append(inline)
            return
        first, *others = inline.split("\n")
        self.parts.append(first)
        for other in others:
            self.flush()
            self.parts.append(other)

    def flush(self) -> None:
        """Ends the line that is being written."""
        if not self.parts:
            return
        text = paragraph("".join(self.parts))
        self.parts.clear()
        if text:
            self.blocks.append(Block(text, "p", self.rank))

    def add(self, text: str, kind: str, head: int = 0, tail: str = "") -> None:
        """Adds a block, unless it is empty."""
        self.flush()
        if text:
            self.blocks.append(Block(text, kind, self.rank, head, tail))

    def inner(self, element: Element) -> list[Block]:
        """The blocks inside a container."""
        if not len(element) and "\n" not in (text := element.text or ""):  # by far the most common case
            line = paragraph(escape(text))
            return [Block(line, "p", self.rank)] if line else []
        sink = Sink(self.source, self.rank)
        sink.flow(element)
        sink.flush()
        return sink.blocks

    def blocks_of_element(self, element: Element) -> list[Block]:
        """The blocks that an element is written as."""
        sink = Sink(self.source, self.rank)
        self.source.writers[element.tag](sink, element)
        sink.flush()
        return sink.blocks

    def inline(self, element: Element) -> str:
        """The content of an element that contains no blocks, with lines separated by "\\n"."""
        if not len(element):
            return escape(element.text or "")
        sink = Sink(self.source, self.rank, is_inline=True)
        sink.flow(element)
        return "".join(sink.parts)

    def _put_text(self, text: str) -> None:
        if text == " ":  # between two elements
            self.parts.append(text)
            return
        if "\n" not in text or self._is_inline:
            self.parts.append(escape(text))
            return
        first, *others = text.split("\n")
        if first:
            self.parts.append(escape(first))
        for other in others:
            self.flush()
            if other:
                self.parts.append(escape(other))


def holds_blocks(element: Element) -> bool:
    """Whether an element that is not a block itself contains one, at any depth."""
    return len(element) > 0 and any(each.tag in CONTAINERS for each in element.iter())


def text_of(element: Element) -> str:
    """The whole text in an element, unescaped."""
    return "".join(element.itertext())
