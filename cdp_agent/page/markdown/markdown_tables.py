"""The tables of a page as Markdown tables, with spanned cells written out and one header row.

https://github.github.com/gfm/#tables-extension-
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from xml.etree.ElementTree import Element

import msgspec

Write = Callable[[Element], str]

_MOST_REPEATS = 20
_MOST_COLUMNS = 1000  # https://html.spec.whatwg.org/multipage/tables.html#attributes-common-to-td-and-th-elements
_NOT_DATA = frozenset("h1 h2 h3 h4 h5 h6 table ul ol dl pre q hr sec fr rf".split())  # noqa: SIM905


class _Cell(msgspec.Struct, gc=False):
    start: int
    end: int
    text: str
    header: bool


class _Row(msgspec.Struct, gc=False):
    cells: list[_Cell]
    head: bool


def is_data(table: Element, rows: list[Element]) -> bool:
    """Whether a <table> is for data, not layout: by its attribute, else by headers, else by columns of plain cells."""
    kind = table.get("k")
    if kind is not None:
        return kind == "data"
    if table.find("cap") is not None or any(row.get("h") or row.find("th") is not None for row in rows):
        return not any(row.find(".//table") is not None for row in rows)
    filled = [row for row in rows if len(row)]
    if len(filled) < 2 or any(len(row) < 2 for row in filled):
        return False
    return all(each is table or each.tag not in _NOT_DATA for each in table.iter())


def is_regular(table: Element) -> bool:
    """Whether everything in a table is in its cells (and its caption): grids by role may contain anything."""
    if table.text and table.text.strip():
        return False
    for child in table:
        if child.tail and child.tail.strip():
            return False
        if child.tag == "tr":
            if not is_regular(child):
                return False
        elif child.tag not in ("td", "th", "cap"):
            return False
    return True


def pipe_table(rows: list[Element], write: Write) -> str:
    """The table, with its header rows joined into one. A table without any gets an empty one, as Markdown requires."""
    grid = [row for row in _grid(rows, write) if any(cell.text for cell in row.cells)]
    if not grid:
        return ""
    starts = sorted({cell.start for row in grid for cell in row.cells})
    lines = [_columns(row, starts) for row in grid]
    heads = 0
    while heads < len(grid) and grid[heads].head and not (heads and len(grid[heads].cells) == 1 < len(starts)):
        heads += 1  # but a row of one cell below a header heads the rows that follow it
    used = max(len(line) for line in lines)
    header = _joined(lines[:heads], used)
    return "\n".join([_line(header), _line(["---"] * used), *(_line(line) for line in lines[heads:])])


def _grid(rows: list[Element], write: Write) -> list[_Row]:
    """The rows with each cell at its columns. Cells that span several rows are in each of them."""
    reaching: list[tuple[int, _Cell]] = []  # (remaining rows, cell)
    grid: list[_Row] = []
    for row in rows:
        cells = [cell for _, cell in reaching]
        taken = sorted((cell.start, cell.end) for cell in cells)
        reaching = [(left - 1, cell) for left, cell in reaching if left > 1]
        at = 0
        for element in row:
            if element.tag not in ("td", "th"):
                continue
            width = min(max(int(element.get("c", "1")), 1), _MOST_COLUMNS)
            for start, end in taken:
                if start < at + width and at < end:
                    at = end
            cell = _Cell(at, at + width, write(element), element.tag == "th")
            cells.append(cell)
            down = int(element.get("r", "1"))
            if down != 1:
                reaching.append((len(rows) if down == 0 else down - 1, cell))
            at += width
        cells.sort(key=lambda cell: cell.start)
        grid.append(_Row(cells, row.get("h") is not None or (bool(cells) and all(cell.header for cell in cells))))
    return grid


def _columns(row: _Row, starts: list[int]) -> list[str]:
    """The texts in the columns where any cell begins. A cell across several is repeated, except a row's only cell."""
    texts = [""] * len(starts)
    for cell in row.cells:
        first, end = bisect_left(starts, cell.start), bisect_left(starts, cell.end)
        once = len(row.cells) == 1 or end - first > _MOST_REPEATS
        for column in range(first, first + 1 if once else end):
            texts[column] = cell.text
    while texts and not texts[-1]:
        texts.pop()  # Markdown adds missing cells
    return texts


def _joined(heads: list[list[str]], columns: int) -> list[str]:
    header = []
    for column in range(columns):
        texts = [head[column] for head in heads if column < len(head) and head[column]]
        header.append(" / ".join(dict.fromkeys(texts)))
    return header


def _line(texts: list[str]) -> str:
    return f"| {' | '.join(texts)} |"
