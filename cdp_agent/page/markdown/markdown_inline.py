"""How what stands within a line is written: links, marks on text, pictures, code, fields."""

from __future__ import annotations

from lxml.etree import _Element as Element

from .markdown_sink import Sink, holds_blocks, text_of
from .markdown_text import HARD_BREAK, code, destination, escape, link, quoted, wrap

_MARKS = {"b": ("**", "**"), "i": ("*", "*"), "s": ("~~", "~~"), "sup": ("<sup>", "</sup>"), "sub": ("<sub>", "</sub>")}
_RADIO = {"1": "(x)", "0": "( )", "-": "(-)"}
CHECK = {"1": "[x]", "0": "[ ]", "-": "[-]"}


def write_mark(sink: Sink, element: Element) -> None:
    if holds_blocks(element):
        sink.flow(element)
    else:
        sink.put(wrap(sink.inline(element), *_MARKS[element.tag]))


def write_link(sink: Sink, element: Element) -> None:
    """Where a link holds blocks, the first line of text in it is what leads there."""
    target = element.get("h", "")
    if not holds_blocks(element):
        sink.put(link(sink.inline(element), target))
        return
    sink.flush()
    blocks = sink.inner(element)
    for block in blocks:
        if block.kind in ("p", "h"):
            hashes, space, text = block.text.partition(" ") if block.kind == "h" else ("", "", block.text)
            block.text = hashes + space + link(text.replace("  \n", HARD_BREAK), target)
            break
    sink.blocks += blocks


def write_image(sink: Sink, element: Element) -> None:
    sink.put(f"![{escape(element.get('a', ''))}]({destination(element.get('s', ''))})")


def write_code(sink: Sink, element: Element) -> None:
    text = element.text or ""
    for child in element:
        if child.tag == "a":
            sink.put(code(text))
            sink.put(link(code(text_of(child)), child.get("h", "")))
            text = ""
        else:
            text += text_of(child)
        text += child.tail or ""
    sink.put(code(text))


def write_break(sink: Sink, element: Element) -> None:
    sink.parts.append(HARD_BREAK)


def write_field(sink: Sink, element: Element) -> None:
    name, value, placeholder = element.get("n"), element.get("v"), element.get("p")
    words = element.get("t", "input")
    if name:
        words += f" {quoted(name)}"
    if placeholder:
        words += f" placeholder {quoted(placeholder)}"
    sink.put(f" [{words}: {value}] " if value else f" [{words}] ")


def write_box(sink: Sink, element: Element) -> None:
    marks = _RADIO if "radio" in element.get("t", "") else CHECK
    sink.put(f" {marks[element.get('s', '0')]} {escape(element.get('n', ''))} ")


WRITERS = {
    "a": write_link,
    "img": write_image,
    "c": write_code,
    "br": write_break,
    "f": write_field,
    "x": write_box,
    **dict.fromkeys(_MARKS, write_mark),
}
