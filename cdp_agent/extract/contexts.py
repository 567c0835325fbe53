"""What stands around a line of a page and says what its figures mean: table headers, terms, headings, names of groups.

The lines are those of snapshots and of Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from cdp_agent.page.snapshot.lines import ITEMS

_ROLE = re.compile(
    r"^(\s*)(?:[+~=-] +)?- (?:row|cell|gridcell|columnheader|rowheader|listitem|text|paragraph|term|definition|link"
    r"|button|heading|img|generic|group|status|strong|emphasis|caption|option|treeitem|article|region|list|table|grid"
    r'|figure)(?=:|$| ["\[→])'
)
"""The role with which a line of a snapshot begins: our own word, not the page's."""
_MARK = re.compile(r"^(\s*)(?:[-*+•>]|\d+[.)]|#{1,6}|:)\s+")
_STATES = re.compile(r" \[[a-z]+(?:=[^\]]*)?\]")
_ADDRESS = re.compile(r"(?:→ |\]\(|\w+://)\S*")
TABLE_RULE = re.compile(r"^\s*\|?[\s:|-]*-{3}[\s:|-]*$")
_TITLE = re.compile(r"^\s*(?:#{1,6} |- heading )")
_TERM = re.compile(r"^\s*- (?:term|rowheader|columnheader)\b")
_ROW = re.compile(r"^\s*- row\b")
_ITEM = re.compile(rf"^\s*- (?:{'|'.join(ITEMS)})\b")
_SEPARATOR = " \n "
_NUMBERS = ("", "#", "no", "no.", "nr", "nr.", "id", "number")
"""Heads of columns that number the things that the table's caption names."""
_FEW_CELLS = 3
"""A row with fewer cells is a label and its value."""
_DEEPEST = 1_000_000
_STEP = 2
"""Spaces by which what is inside of a line is indented."""
_WORD = re.compile(r"[^\W\d_]+")
SAYS_LITTLE = frozenset(
    """
    available current different existing further left new other remaining same times total
    """.split()  # noqa: SIM905  # words, not a list of strings
)
"""Adjectives that any thing that is counted may have."""


class PlacedLine(msgspec.Struct, frozen=True):
    """A line of a page. `text` is what the page says in it; `header`: the heads of its cells, or of all its table's.

    `around`: the names of what it is in, and the term that it defines; `before`: the line before it and the heading
    above it, which tell what a line without words of its own is about. `cells`: the texts of the row or item that it is
    in; `is_cell`: that is a row.
    """

    raw: str
    text: str
    header: tuple[str, ...] = ()
    around: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    is_cell: bool = False


def text_of(line: str) -> str:
    """What the page says in a line: without addresses, roles, states and marks of lists."""
    text = _ADDRESS.sub(" ", line)
    without_role = _ROLE.sub(r"\1", text)
    text = without_role if without_role != text else _MARK.sub(r"\1", text)
    return _STATES.sub("", text).strip().removeprefix(":").strip()


def placed(lines: Iterable[str]) -> Iterator[PlacedLine]:
    """The lines with what stands around them, in order."""
    inside: list[tuple[int, str]] = []
    heading = before = term = ""
    header: tuple[str, ...] = ()
    items: list[tuple[int, tuple[str, ...]]] = []
    header_depth = at_cell = 0
    row_depth = _DEEPEST
    read = [(line, text_of(line), len(line) - len(line.lstrip(" "))) for line in lines if not TABLE_RULE.match(line)]
    for place, (line, text, depth) in enumerate(read):
        while inside and inside[-1][0] >= depth:
            inside.pop()
        while items and items[-1][0] >= depth:
            items.pop()
        is_row, cells = bool(_ROW.match(line)), tuple(cells_of(text))
        if is_row or depth <= row_depth:
            row_depth, at_cell = depth if is_row and not text else _DEEPEST, 0
        if _ITEM.match(line):
            items.append((depth, cells if text else tuple(_texts_below(read, place, direct=is_row))))
        item = items[-1][1] if items else cells
        is_cell = is_row or depth > row_depth
        if depth < header_depth or (depth == header_depth and not is_row and len(cells) < 2):
            header = ()
        heads = header
        if depth == row_depth + _STEP:
            heads = header[at_cell : at_cell + len(cells)] if len(header) == len(item) else header
            at_cell += len(cells)
        around = (*(name for _, name in inside), *filter(None, [term]))
        yield PlacedLine(line, text, heads, around, tuple(filter(None, (before, heading))), item, is_cell)
        if not header and len(row := item if is_cell else cells) > 1:
            header, header_depth = row, min(depth, row_depth)
        if text:
            inside.append((depth, text))
            before = text
        term = text if _TERM.match(line) else ""
        heading = text if _TITLE.match(line) else heading


def _texts_below(read: Sequence[tuple[str, str, int]], place: int, *, direct: bool) -> Iterator[str]:
    """The cells of the lines inside of the line at `place`; `direct`: without those that are inside of these."""
    for at in range(place + 1, len(read)):
        _, text, depth = read[at]
        inner = depth - read[place][2]
        if inner <= 0:
            return
        if inner == _STEP if direct else text:
            yield from cells_of(text)


def about(line: PlacedLine, start: int, end: int) -> tuple[str, str]:
    """What a figure in the normalised text of a line, from `start` to `end`, is beside, and what stands around it.

    In a row these are the other words of its cell, the head of its column, and the row's first cell. Around a figure
    alone in its line there are also the line before it and the heading.
    """
    if "|" not in line.text and not line.header:
        beside = f"{line.text[:start]} {line.text[end:]}"
        return beside, _SEPARATOR.join([*line.around, *(() if has_words(beside) else line.before)])
    cells = cells_of(line.text)
    begins, ends = line.text.rfind("|", 0, start) + 1, line.text.find("|", end)
    beside = f"{line.text[begins:start]} {line.text[end : ends if ends >= 0 else None]}"
    if not line.header:
        return beside, _SEPARATOR.join([*line.around, *(cells if len(cells) < _FEW_CELLS else cells[:1])])
    if len(line.header) != len(cells):
        return beside, _SEPARATOR.join(line.header)
    head = line.header[line.text.count("|", 0, start) - line.text.startswith("|")]
    return beside, _SEPARATOR.join([head, *line.cells[:1], *(line.around if head.casefold() in _NUMBERS else ())])


def cells_of(text: str) -> list[str]:
    """The cells of a row, or the text itself."""
    if "|" not in text:
        return [text]
    row = text.strip()
    return [cell.strip() for cell in (row.strip("|") if row.startswith("|") else row).split("|")]


def has_words(text: str) -> bool:
    """Whether a text has words that tell what it is about."""
    return any(word not in SAYS_LITTLE for word in _WORD.findall(text))
