"""The grid of a table, with spanned cells written out and one header row, and tables in Markdown.

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


class GridCell(msgspec.Struct, gc=False):
    """A cell in the columns from `start` to before `end`; `element` is what it was written from."""

    start: int
    end: int
    text: str
    element: Element

    @property
    def is_header(self) -> bool:
        return self.element.tag == "th"


class GridRow(msgspec.Struct, gc=False):
    """A row with its cells by their columns; `head`: it is a header of columns; `place`: its `aria-rowindex`, or 0."""

    cells: list[GridCell]
    head: bool
    place: int

    def is_group(self, columns: int) -> bool:
        """Whether it has but one cell in place of `columns`, so that it heads the rows below it."""
        return len(self.cells) == 1 < columns


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
    grid = filled_grid(rows, write)
    if not grid:
        return ""
    starts = starts_of(grid)
    lines = [columns_of(row, starts) for row in grid]
    heads = heads_of(grid, len(starts))
    used = max(len(line) for line in lines)
    header = joined_header(lines[:heads], used)
    return "\n".join([row_line(header), row_line(["---"] * used), *(row_line(line) for line in lines[heads:])])


def filled_grid(rows: list[Element], write: Write) -> list[GridRow]:
    """The rows of a table in which any cell has a text."""
    return [row for row in _grid(rows, write) if any(cell.text for cell in row.cells)]


def starts_of(grid: list[GridRow]) -> list[int]:
    """The columns where any cell begins: those that a table is written with."""
    return sorted({cell.start for row in grid for cell in row.cells})


def heads_of(grid: list[GridRow], columns: int) -> int:
    """How many rows at the beginning are headers of the columns."""
    heads = 0
    while heads < len(grid) and grid[heads].head and not (heads and grid[heads].is_group(columns)):
        heads += 1  # but a row of one cell below a header heads the rows that follow it
    return heads


def _grid(rows: list[Element], write: Write) -> list[GridRow]:
    """The rows with each cell at its columns. Cells that span several rows are in each of them."""
    reaching: list[tuple[int, GridCell]] = []  # (remaining rows, cell)
    grid: list[GridRow] = []
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
            cell = GridCell(at, at + width, write(element), element)
            cells.append(cell)
            down = int(element.get("r", "1"))
            if down != 1:
                reaching.append((len(rows) if down == 0 else down - 1, cell))
            at += width
        cells.sort(key=lambda cell: cell.start)
        grid.append(GridRow(cells, row.get("h") is not None or _is_head(cells), int(row.get("i", "0"))))
    return grid


def _is_head(cells: list[GridCell]) -> bool:
    """Whether a row has headers alone, but for an empty corner."""
    first = 1 if len(cells) > 1 and not cells[0].text else 0
    return bool(cells) and all(cell.is_header for cell in cells[first:])


def columns_of(row: GridRow, starts: list[int]) -> list[str]:
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


def joined_header(heads: list[list[str]], columns: int) -> list[str]:
    """The header rows as one; a text that several have for a column is there once."""
    header = []
    for column in range(columns):
        texts = [head[column] for head in heads if column < len(head) and head[column]]
        header.append(" / ".join(dict.fromkeys(texts)))
    return header


def cell_text(text: str) -> str:
    """The text of a cell in one line."""
    return text.replace("\n", "<br>").replace("|", "\\|")


def row_line(texts: list[str]) -> str:
    """A row of cells that are in one line each."""
    return f"| {' | '.join(texts)} |"
