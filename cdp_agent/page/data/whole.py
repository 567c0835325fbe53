"""A page read once for both: as Markdown that knows where records begin, and as the rows that code can take from it."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from xml.etree.ElementTree import Element

import msgspec

from cdp_agent.page.markdown import markdown
from cdp_agent.page.markdown.markdown import Markdown, write
from cdp_agent.page.snapshot.file_text import content_of
from cdp_agent.page.snapshot.refs import RefTable
from cdp_agent.page.tab.tab import Tab

from .cell_texts import Value
from .document import Documents, read_documents
from .files import named_rows
from .grouping import PAIR, ROWS
from .records import Alike, Record, alike_of, records_of
from .tables import GROUP, PageTable, tables_of

_CAPTION = "caption of the table"
_OF_TABLES = frozenset({"tr", "td", "th"})
_IN_BLOCKS = frozenset({"tr", "td", "th", "li", "dt", "dd", "opt"})
"""What is a line or an item of a block of Markdown, and no blocks of its own."""


Cells = dict[str, Value]


class RowSource(msgspec.Struct, frozen=True):
    """Rows that code can take: those of a table, of all tables with the same columns, or what repeats.

    `apart`: the texts of the rows that are none of these, such as sums in a table's foot and headings between rows.
    """

    name: str
    columns: list[str]
    rows: list[Cells]
    apart: list[str]


class WholePage(msgspec.Struct, frozen=True):
    """The page as Markdown, and its `sources` of rows, the longest first."""

    markdown: Markdown
    sources: list[RowSource]


async def read_whole(tab: Tab) -> WholePage:
    """The page with all its frames.

    Raises PageUnresponsive or DocumentGone when the tab itself cannot be read, BrowserError.
    """
    return await whole_of(await read_documents(tab), tab.refs)


async def whole_of(documents: Documents, refs: RefTable) -> WholePage:
    """The page of which these are the documents, that are used up by it."""
    # In a thread: of thousands of rows that takes half a second, in which nothing else would go on.
    return await asyncio.to_thread(_whole, documents, refs)


def together(pages: list[WholePage]) -> WholePage:
    """Several pages as one: rows with the same columns are those of one source."""
    by_columns: dict[tuple[str, ...], RowSource] = {}
    for source in (source for page in pages for source in page.sources):
        first = by_columns.setdefault((*source.columns, "" if len(pages) > 1 else source.name), source)
        if first is not source:
            first.rows.extend(source.rows)
            first.apart.extend(source.apart)
    sources = sorted(by_columns.values(), key=lambda source: -len(source.rows))
    return WholePage(markdown.together([page.markdown for page in pages]), sources)


def _whole(documents: Documents, refs: RefTable) -> WholePage:
    if (file := content_of(documents.readings.root.world)) is not None:
        named = [(table.name or file.name, *named_rows(table)) for table in file.tables]
        sources = [RowSource(name, columns, list(map(dict, rows)), []) for name, columns, rows in named]
        return WholePage(write(documents.readings, refs), sorted(sources, key=lambda source: -len(source.rows)))
    alike = [found for document in documents.all if (found := alike_of(document)) is not None]
    sources = sorted(_sources(documents, alike), key=lambda source: -len(source.rows))
    _mark(documents, alike)
    return WholePage(write(documents.readings, refs, parsed=documents.trees), sources)


def _sources(documents: Documents, alike: list[Alike]) -> list[RowSource]:
    tables: defaultdict[tuple[str, ...], list[PageTable]] = defaultdict(list)
    for document in documents.all:
        for read in tables_of(document, document.root.iter("table")):
            tables[tuple(name for name in read.table.columns if name != GROUP)].append(read.table)
    sources = [_source_of(same) for same in tables.values()]
    for number, records in enumerate(alike, 1):
        if not (sources and records.elements[0].tag in _OF_TABLES):
            rows = records_of(records, [])
            sources.append(RowSource(f"records {number}", rows.fields, list(map(_as_cells, rows)), []))
    return sources


def _as_cells(record: Record) -> Cells:
    """A record with texts, and lists of these: records within it are a text each."""
    return {
        name: [" ".join(map(str, part.values())) if isinstance(part, dict) else part for part in value]
        if isinstance(value, list)
        else value
        for name, value in record.items()
    }


def _source_of(tables: list[PageTable]) -> RowSource:
    """Tables with the same columns as one, with what each is called in a column."""
    columns = list(dict.fromkeys(name for table in tables for name in table.columns))
    empty: Cells = dict.fromkeys(columns, "")
    rows: list[Cells] = [{**empty, **row} for table in tables for row in table.rows]
    if len(tables) > 1 and any(table.caption for table in tables):
        columns.append(_CAPTION)
        captions = (table.caption for table in tables for _ in table.rows)
        for row, caption in zip(rows, captions, strict=True):
            row[_CAPTION] = caption
    name = f"table {tables[0].ref}" if len(tables) == 1 else f"tables {', '.join(table.ref for table in tables)}"
    return RowSource(name, columns, rows, [text for table in tables for text in table.apart])


def _mark(documents: Documents, alike: list[Alike]) -> None:
    """Makes of the documents what is written as Markdown, with each record of several blocks in an element `rec`."""
    elements = (element for found in alike for element in found.elements if element.get("t") not in (PAIR, ROWS))
    numbers = {id(element): number for number, element in enumerate(elements, 1) if element.tag not in _IN_BLOCKS}
    documents.put_together()
    for root in documents.trees.values():
        _without_groups(root, numbers)


def _without_groups(element: Element, records: Mapping[int, int]) -> None:
    """Puts what is in elements without a meaning of their own (`g`) into what these are in."""
    children = list(element)
    for child in children:
        _without_groups(child, records)
    if not any(child.tag == "g" or id(child) in records for child in children):
        return
    element[:] = []
    for child in children:
        tail, child.tail = child.tail, None
        if id(child) in records:
            record = Element("rec", {"n": str(records[id(child)])})
            record.append(child)
            element.append(record)
            _without_groups(record, {})
        elif child.tag == "g":
            _add_text(element, child.text)
            element.extend(child)
        else:
            element.append(child)
        _add_text(element, tail)


def _add_text(element: Element, text: str | None) -> None:
    """Adds a text to the end of an element."""
    if not text:
        return
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text
