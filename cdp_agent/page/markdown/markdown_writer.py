"""Converts the XML document that page/js/read/html.js writes to Markdown; its elements are explained there."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from .main_content import LeftOut, count_in
from .markdown_links import Links
from .markdown_sink import Block, Remote, Sink, Source, compact, holds_blocks, indented, list_item, text_of
from .markdown_tables import cell_text, is_data, is_regular, pipe_table
from .markdown_text import HARD_BREAK, code, code_block, escape, link, paragraph, quoted, wrap

_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
_AROUND = {"nav": 2, "footer": 2, "header": 1, "aside": 1}
_COMPACT = ("nav", "footer")
_MARKS = {"b": ("**", "**"), "i": ("*", "*"), "s": ("~~", "~~"), "sup": ("<sup>", "</sup>"), "sub": ("<sub>", "</sub>")}
_RADIO = {"1": "(x)", "0": "( )", "-": "(-)"}
_CHECK = {"1": "[x]", "0": "[ ]", "-": "[-]"}


def blocks_of(
    document: Element,
    remote: Remote,
    unreadable: list[tuple[str, str]],
    links: Links = "full",
    left_out: LeftOut | None = None,
) -> list[Block]:
    """The blocks of one world's document in order; see `Source` for the other arguments."""
    sink = Sink(Source(_WRITERS, remote, unreadable, document.get("b", ""), links, left_out), 0)
    sink.flow(document)
    sink.flush()
    return sink.blocks


def write_heading(sink: Sink, element: Element) -> None:
    sink.flush()
    blocks = sink.inner(element)
    lines: list[str] = []
    while blocks and blocks[0].kind == "p":
        lines.append(blocks.pop(0).text.replace("  \n", " "))
    text = " ".join(lines)
    if text.startswith("**") and text.endswith("**") and "**" not in text[2:-2]:
        text = text[2:-2]  # a heading is bold by itself
    sink.add(f"{_HEADINGS[element.tag]} {text}" if text else "", "h")
    sink.blocks += blocks


def write_list(sink: Sink, element: Element) -> None:
    sink.flush()
    number, step = int(element.get("s", "1")), -1 if element.get("r") else 1
    if step < 0 and element.get("s") is None:
        number = sum(1 for child in element if child.tag == "li")
    items: list[str] = []
    sink.add(_text_outside_items(element.text), "p")
    for child in element:
        if child.tag in ("ul", "ol") and items:  # a list between items belongs to the previous item
            items[-1] += "".join("\n" + indented(block.text, 2) for block in sink.blocks_of_element(child))
        else:
            if child.tag == "li":  # in a field, "v" is no number
                number = int(child.get("v", number))
            marker = f"{number}. " if element.tag == "ol" else "- "
            if item := list_item(sink.inner(child) if child.tag == "li" else sink.blocks_of_element(child), marker):
                items.append(item)
            number += step if child.tag == "li" else 0
        if child.tail != " " and (text := _text_outside_items(child.tail)):
            items.append("\n" + indented(text, len(marker)) + "\n")
    sink.add("\n".join(items).rstrip("\n"), "l")


def _text_outside_items(text: str | None) -> str:
    """Text in a list that is in none of its items."""
    return paragraph(escape(text.replace("\n", " "))) if text and not text.isspace() else ""


def write_item(sink: Sink, element: Element) -> None:
    _item(sink, list_item(sink.inner(element), "- "))


def write_option(sink: Sink, element: Element) -> None:
    _item(sink, f"- {_CHECK[element.get('s', '0')]} {escape(element.text or '')}")


def _item(sink: Sink, text: str) -> None:
    """Adds an item without a list around it; consecutive ones form one list."""
    sink.flush()
    if text and sink.blocks and sink.blocks[-1].kind == "l":
        sink.blocks[-1].text += "\n" + text
    else:
        sink.add(text, "l")


def write_definitions(sink: Sink, element: Element) -> None:
    sink.flush()
    if not _is_of_terms(element):
        sink.flow(element)
        sink.flush()
        return
    entries: list[str] = []
    for child in _terms(element):
        blocks = sink.inner(child)
        if child.tag == "dt" or not entries:
            entries.append(" ".join(block.text for block in blocks))
        elif item := list_item(blocks, ": "):
            entries[-1] += "\n" + item
    sink.add("\n\n".join(entry for entry in entries if entry), "")


def _is_of_terms(element: Element) -> bool:
    """Whether everything in a definition list is in its terms and definitions."""
    if _text_outside_items(element.text):
        return False
    for child in element:
        if _text_outside_items(child.tail) or (
            child.tag not in ("dt", "dd") and (child.tag == "dl" or not _is_of_terms(child))
        ):
            return False
    return len(element) > 0 or element.tag == "dl"


def _terms(element: Element) -> Iterator[Element]:
    """The terms and definitions of a list, at any depth, but not those of a nested list."""
    for child in element:
        if child.tag in ("dt", "dd"):
            yield child
        if child.tag != "dl":
            yield from _terms(child)


def write_quote(sink: Sink, element: Element) -> None:
    text = "\n\n".join(block.text for block in sink.inner(element))
    sink.add("\n".join(f"> {line}".rstrip() for line in text.split("\n")) if text else "", "")


def write_code_block(sink: Sink, element: Element) -> None:
    lines = [line.rstrip() for line in text_of(element).split("\n")]
    text = "\n".join(lines).strip("\n")
    if text:
        block = code_block(text, element.get("l", ""))
        sink.add(block, "c", head=1, tail=block.rpartition("\n")[2])
        _links_in_code(sink, element)


def _links_in_code(sink: Sink, element: Element) -> None:
    """Names the links in a block of code after it, each once; those around numbers are to lines of the code."""
    links: dict[str, str] = {}
    for each in element.iter("a"):
        text, place = " ".join(text_of(each).split()), sink.source.place_of(sink.source.target_of(each))
        if place and text and not text.isdigit():
            links.setdefault(place, link(code(text), place))
    sink.add(f"Links in this code: {', '.join(links.values())}" if links else "", "p")


def write_rule(sink: Sink, element: Element) -> None:
    sink.add("---", "")


def write_summary(sink: Sink, element: Element) -> None:
    text = " ".join(block.text.lstrip("# ") for block in sink.inner(element))
    state = "▾" if element.get("o") else "▸"
    sink.add(f"{state} {text}{_how_to_open(element)}" if text else "", "p")


def write_closed(sink: Sink, element: Element) -> None:
    sink.put(_how_to_open(element))


def _how_to_open(element: Element) -> str:
    """For what hides a part of the page; the number after the mark becomes a ref: see `RefTable.write`."""
    return f" (closed: click \x01{element.get('i')})" if element.get("i") else ""


def write_table(sink: Sink, element: Element) -> None:
    sink.flush()
    rows = element.findall("tr")
    if not rows or not is_regular(element):
        sink.flow(element)
        return
    caption = element.find("cap")
    if caption is not None:
        sink.blocks += sink.inner(caption)
    if is_data(element, rows):
        sink.add(pipe_table(rows, lambda cell: _cell(sink, cell)), "t", head=2)
    else:
        for row in rows:
            _layout_row(sink, row)


def _layout_row(sink: Sink, row: Element) -> None:
    cells = [sink.inner(cell) for cell in row]
    if all(len(cell) < 2 and all(block.kind == "p" for block in cell) for cell in cells):
        sink.add(" ".join(cell[0].text for cell in cells if cell), "p")
    else:
        sink.blocks += [block for cell in cells for block in cell]


def _cell(sink: Sink, element: Element) -> str:
    """A cell of a table as one line."""
    texts: list[str] = []
    for block in sink.inner(element):
        if block.kind == "c":
            texts += [code(line) for line in block.text.split("\n")[1:-1] if line.strip()]
        else:
            texts.append(block.text.replace("  \n", "<br>"))
    return cell_text("<br>".join(texts))


def write_stray_row(sink: Sink, element: Element) -> None:
    sink.flush()
    sink.flow(element)
    sink.flush()


def write_stray_cell(sink: Sink, element: Element) -> None:
    sink.put(" ")
    sink.flow(element)
    sink.put(" ")


def write_section(sink: Sink, element: Element) -> None:
    sink.flush()
    kind, is_around, left_out = element.get("k", ""), element.get("o") is not None, sink.source.left_out
    if is_around and left_out is not None:
        left_out.update(count_in(element))
        return
    inner = Sink(sink.source, max(sink.rank, _AROUND.get(kind, int(is_around))))
    inner.flow(element)
    inner.flush()
    sink.blocks += compact(inner.blocks) if kind in _COMPACT else inner.blocks


def write_record(sink: Sink, element: Element) -> None:
    """Writes one of several like elements, whose blocks are not to be torn apart."""
    first = len(sink.blocks)
    sink.flow(element)
    if (element.tail or "").startswith("\n"):
        sink.flush()
    for block in sink.blocks[first:]:
        block.record = int(element.get("n", "0"))


def write_frame(sink: Sink, element: Element) -> None:
    _frame(sink, sink.inner(element), element.get("n", ""), element.get("u", ""))


def write_remote_frame(sink: Sink, element: Element) -> None:
    content = sink.source.remote(int(element.get("i", "0")))
    if isinstance(content, str):
        _no_frame(sink, element.get("n", ""), "", content)
    else:
        _frame(sink, content[0], element.get("n", ""), content[1])


def write_empty_frame(sink: Sink, element: Element) -> None:
    _no_frame(sink, element.get("n", ""), element.get("u", ""), element.get("e", ""))


def _frame(sink: Sink, blocks: list[Block], name: str, url: str) -> None:
    called = f" {quoted(name)}" if name else ""
    if blocks or not url.startswith("about:"):
        sink.add(f"[Frame{called} {url}]", "")
    if not blocks:
        return
    for block in blocks:
        block.rank = max(block.rank, sink.rank)
    sink.blocks += blocks
    sink.add(f"[End of frame{called}]", "")


def _no_frame(sink: Sink, name: str, url: str, why: str) -> None:
    what = " ".join(["Frame", *([quoted(name)] if name else []), *([url] if url else [])])
    sink.source.unreadable.append((what, why))
    sink.add(f"[{what} could not be read: {why}]", "")


def write_mark(sink: Sink, element: Element) -> None:
    if holds_blocks(element):
        sink.flow(element)
    else:
        sink.put(wrap(sink.inline(element), *_MARKS[element.tag]))


def write_link(sink: Sink, element: Element) -> None:
    """Writes a link; if it contains blocks, its first line of text becomes the link."""
    target = sink.source.place_of(sink.source.target_of(element))
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
    name, source = escape(element.get("a", "")), element.get("s", "")
    place = sink.source.place_of(source) if source else "()" if sink.source.links == "full" else ""
    if name or place:
        sink.put(f"![{name}]{place}")


def write_code(sink: Sink, element: Element) -> None:
    text = element.text or ""
    for child in element:
        if child.tag == "a":
            sink.put(code(text))
            sink.put(link(code(text_of(child)), sink.source.place_of(sink.source.target_of(child))))
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
    if source := element.get("s"):
        sink.put(f" [{words}]{sink.source.place_of(source)} ")
        return
    if placeholder:
        words += f" placeholder {quoted(placeholder)}"
    sink.put(f" [{words}: {value}] " if value else f" [{words}] ")


def write_box(sink: Sink, element: Element) -> None:
    marks = _RADIO if "radio" in element.get("t", "") else _CHECK
    sink.put(f" {marks[element.get('s', '0')]} {escape(element.get('n', ''))} ")


_WRITERS = {
    **dict.fromkeys(_HEADINGS, write_heading),
    **dict.fromkeys(("ul", "ol"), write_list),
    **dict.fromkeys(("li", "dt", "dd"), write_item),
    **dict.fromkeys(("cap", "tr"), write_stray_row),
    **dict.fromkeys(("td", "th"), write_stray_cell),
    "opt": write_option,
    "dl": write_definitions,
    "q": write_quote,
    "pre": write_code_block,
    "hr": write_rule,
    "sum": write_summary,
    "cl": write_closed,
    "table": write_table,
    "sec": write_section,
    "rec": write_record,
    "fr": write_frame,
    "rf": write_remote_frame,
    "ef": write_empty_frame,
    "a": write_link,
    "img": write_image,
    "c": write_code,
    "br": write_break,
    "f": write_field,
    "x": write_box,
    **dict.fromkeys(_MARKS, write_mark),
}
