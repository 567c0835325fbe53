"""The tables and grids of a page, read by code: columns by their headers, and a row for each of theirs.

Cells that span rows or columns are in each of them, several header rows become one. A grid that draws only a part of
its rows says how many there are by `aria-rowcount`, and where each is by `aria-rowindex`
(https://www.w3.org/TR/wai-aria-1.2/#aria-rowcount); one that keeps pinned columns apart has each row in parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from xml.etree.ElementTree import Element

import msgspec

from cdp_agent.page.files.contents import FileContent
from cdp_agent.page.markdown.markdown_tables import (
    GridRow,
    columns_of,
    filled_grid,
    heads_of,
    is_data,
    joined_header,
    starts_of,
)

from .counting import MoreRows
from .document import DataDocument, Documents, text_of
from .files import named_rows
from .more_rows import AllRows, Surroundings
from .naming import LINK, distinct
from .typed import Row, typed

GROUP = "group"
"""The column for the headings that stand between the rows of a table, each above the rows that it is about."""


class PageTable(msgspec.Struct, frozen=True):
    """A table of the page: `rows` by its `columns`, and a column "NAME link" for the links in the column NAME.

    `total` is how many rows there are by its own account, or by a text beside it, of which these may be a part; None if
    it says that it does not know. `more` is what leads to others.
    A table of a file has no `ref`; of more than 100,000 rows only the first are here. `apart`: the texts of its rows
    that are none of `rows`: headings between these, and the foot.
    """

    caption: str
    columns: list[str]
    rows: list[dict[str, str]]
    ref: str
    total: int | None
    frame_url: str
    more: MoreRows | None = None
    apart: list[str] = []

    def rows_as(self, as_type: type[Row]) -> list[Row]:
        """The rows as values of a type, as `Page.records` gives them. Raises InvalidArguments."""
        return typed(self.rows, as_type)


class Tables(list[PageTable]):
    """The tables in document order; `unread` says which frames could not be read, and why.

    `notices`, if several pages were read: how many, why no more, and what of them was left out.
    """

    unread: list[str]
    notices: list[str]

    def __init__(self, tables: Iterable[PageTable], unread: list[str], notices: list[str]) -> None:
        super().__init__(tables)
        self.unread = unread
        self.notices = notices


class ReadTable(msgspec.Struct, frozen=True):
    """A table as it was read: `places` are those that its rows say to have in the whole one, 0 for none.

    `headings` are those of rows that are none of `table`.
    """

    table: PageTable
    places: list[int]
    headings: list[int]
    shown: AllRows


def of_file(file: FileContent) -> list[PageTable]:
    """The tables of a file."""
    return [
        PageTable(table.name or file.name, *named_rows(table), ref="", total=table.total, frame_url="")
        for table in file.tables
    ]


def tables_in(documents: Documents) -> list[ReadTable]:
    """The tables with data in the documents."""
    return [read for document in documents.all for read in tables_of(document, document.scope.iter("table"))]


def tables_of(document: DataDocument, elements: Iterable[Element]) -> Iterator[ReadTable]:
    """Those of the elements that are tables with data."""
    surroundings = Surroundings(document)
    for element in elements:
        rows = list(_rows_of(element))
        if rows and is_data(element, rows) and (table := _table(surroundings, element, rows)) is not None:
            yield table


def _rows_of(element: Element) -> Iterator[Element]:
    """The rows of a table with their cells alone, but not those of a table inside.

    Grids keep both in boxes, some of which are tables themselves.
    """
    for child in element:
        if child.tag == "tr":
            row = Element("tr", child.attrib)
            row.extend(_cells_of(child))
            yield row
        elif child.tag != "cap" and (child.tag != "table" or child.get("k") == "layout"):
            yield from _rows_of(child)


def _cells_of(element: Element) -> Iterator[Element]:
    for child in element:
        if child.tag in ("td", "th"):
            yield child
        else:
            yield from _cells_of(child)


def _table(surroundings: Surroundings, element: Element, rows: list[Element]) -> ReadTable | None:
    document, joined = surroundings.document, _joined_parts(rows)
    whole = [row for row in joined if not row.get("f")]
    grid = filled_grid(whole, text_of)
    if not grid:
        return None
    starts = starts_of(grid)
    heads = heads_of(grid, len(starts))
    lines = [columns_of(row, starts) for row in grid]
    names = _names(joined_header(lines[:heads], len(starts)))
    header = lines[heads - 1] if heads else None
    records: list[dict[str, str]] = []
    places: list[int] = []
    group: dict[str, str] = {}
    apart: list[str] = []
    for row, texts in zip(grid[heads:], lines[heads:], strict=True):
        if row.is_group(len(starts)):
            group = {GROUP: row.cells[0].text}
            apart.append(row.cells[0].text)
        elif texts != header:  # which may be repeated further down
            records.append({**group, **dict(zip(names, texts, strict=False)), **_links(document, row, names, starts)})
            places.append(row.place)
    cells = [cell.element for row in grid[heads:-1] or grid for cell in row.cells]
    shown = surroundings.of(cells, len(records), _total(element, whole))
    if records and shown.way is not None and any(shown.way in cell.element.iter() for cell in grid[-1].cells):
        records.pop()  # its last row is the pager
    columns = _columns(names, records) if records else names
    caption = element.find("cap")
    table = PageTable(
        "" if caption is None else text_of(caption).replace("\n", " "),
        columns,
        [{name: record.get(name, "") for name in columns} for record in records],
        document.ref(element, "i"),
        None if element.get("t") == "-1" else max(shown.total or 0, len(records)),
        document.frame_url,
        shown.more,
        apart + [" | ".join(filter(None, map(text_of, row))) for row in joined if row.get("f")],
    )
    places = places[: len(records)]
    headings = list({row.place for row in grid}.difference(places))
    return ReadTable(table, places, headings, shown)


def _joined_parts(rows: list[Element]) -> list[Element]:
    """The rows in the order of their `aria-rowindex`, if all have one; those with the same one are parts of one row."""
    if not all(row.get("i") for row in rows):
        return rows
    joined: list[Element] = []
    for _, same in groupby(sorted(rows, key=_index), key=_index):
        row, *others = same
        for other in others:
            row.extend(other)
        if all(cell.get("i") for cell in row):
            row[:] = sorted(row, key=_index)
        joined.append(row)
    return joined


def _index(element: Element) -> int:
    return int(element.get("i", "0"))


def _names(header: list[str]) -> list[str]:
    """A name for each column. One without a header is called by its place."""
    return distinct([" ".join(text.split()) or f"column {place}" for place, text in enumerate(header, 1)])


def _links(document: DataDocument, row: GridRow, names: list[str], starts: list[int]) -> dict[str, str]:
    links: dict[str, str] = {}
    for cell in row.cells:
        link = next(cell.element.iter("a"), None)
        if link is not None and cell.start in starts:
            links[LINK.format(names[starts.index(cell.start)])] = document.target_of(link)
    return links


def _columns(names: list[str], records: list[dict[str, str]]) -> list[str]:
    """The columns that have something in any row, each with its links beside it."""
    used = {name for record in records for name, text in record.items() if text}
    ordered = [GROUP, *(column for name in names for column in (name, LINK.format(name)))]
    return [name for name in ordered if name in used or (name in names and not name.startswith("column "))]


def _total(element: Element, rows: list[Element]) -> int:
    """How many rows the table says to have, without its headers: these are counted by `aria-rowcount` as well."""
    heads = sum(1 for row in rows if row.get("i") and all(cell.tag == "th" for cell in row))
    return int(element.get("t", "0")) - heads
