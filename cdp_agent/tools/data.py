"""Tools that read rows by code: tables, what repeats on a page, and what it states for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from cdp_agent.errors import InvalidArguments
from cdp_agent.page.data.counting import counted
from cdp_agent.page.data.naming import squashed
from cdp_agent.page.files.contents import Section
from cdp_agent.page.snapshot.lines import quoted, unread_lines
from cdp_agent.tools.aliases import nearest
from cdp_agent.tools.as_csv import as_csv
from cdp_agent.tools.base import CHARS_A_TOKEN, Arguments, Context, Observation, Ref, tool

if TYPE_CHECKING:
    from cdp_agent.page.data.counting import MoreRows
    from cdp_agent.page.data.tables import PageTable

_SHOWN = 3
_IN_VIEW = 20
"""As many rows, and a model reads them in the view."""
_Columns = Annotated[list[str] | None, Meta(description="Only these, in this order.")]
_Pages = Annotated[int, Meta(ge=1, description="So many pages or screens.")]
_Csv = Annotated[bool, Meta(description="All rows as CSV, and nothing else.")]


class ReadTableArguments(Arguments, frozen=True):
    ref: Annotated[Ref | None, Meta(description="The table; without, all.")] = None
    columns: _Columns = None
    limit: Annotated[int, Meta(ge=0, description="How many rows; 0 for all.")] = 20
    pages: _Pages = 1
    csv: _Csv = False


class ReadRecordsArguments(Arguments, frozen=True):
    ref: Annotated[Ref | None, Meta(description="Only what repeats in this element.")] = None
    columns: _Columns = None
    limit: Annotated[Annotated[int, Meta(ge=0)] | None, Meta(description="How many records; 0 for all.")] = None
    pages: _Pages = 1
    csv: _Csv = False


class ReadFileArguments(Arguments, frozen=True):
    file: Annotated[str | None, Meta(description="Without, the one shown, else the last.")] = None
    sheet: Annotated[str | None, Meta(description="Of a workbook.")] = None
    offset: Annotated[int, Meta(ge=0, description="Rows, pages or lines to skip.")] = 0
    budget_tokens: Annotated[int, Meta(ge=100, description="At most.")] = 2_000


class ReadDataArguments(Arguments, frozen=True):
    pass


class TablesRead(msgspec.Struct, frozen=True):
    """The tables that were asked for; `unread` says which frames could not be read, and why, `notices` see `Tables`."""

    tables: list[PageTable]
    unread: list[str]
    notices: list[str] = []


class RecordsRead(msgspec.Struct, frozen=True):
    """The records with their `fields`; see `Records`."""

    fields: list[str]
    records: list[dict[str, Any]]
    unread: list[str]
    notices: list[str] = []
    total: int | None = None
    more: MoreRows | None = None


@tool(
    read_only=True,
    acts_if=lambda args: args.pages > 1,
    by_callers=False,
    by_executors=False,
    gives_rows=True,
    useful_if=lambda context: context.last_read.count("- row") > _IN_VIEW,
    gives="columns, counts and rows as CSV",
)
async def read_table(args: ReadTableArguments, context: Context) -> Observation:
    """Read a table as CSV. Without a ref: what tables there are, with three rows of each."""
    tables = await context.page.tables(args.ref, pages=args.pages)
    if args.ref is not None and not tables:
        raise InvalidArguments(f"There is no table with data in {args.ref}. Call read_table without a ref to list all.")
    shown = [_with_columns(table, args.columns) for table in tables]
    if args.csv:
        text = "\n".join(as_csv(table.columns, table.rows) for table in shown)
    else:
        is_one = args.ref or args.pages > 1 or [table.ref for table in shown] == [""]
        limit = args.limit if is_one else _SHOWN
        parts = [_table_text(table, limit) for table in shown] or ["There is no table with data on the page."]
        text = "\n\n".join([*parts, *tables.notices, *unread_lines(tables.unread)])
    text = text if args.csv else context.read(text)
    return Observation(text, TablesRead(shown, tables.unread, tables.notices), tuple(tables.notices))


@tool(
    read_only=True,
    acts_if=lambda args: args.pages > 1,
    by_default=False,
    by_executors=False,
    gives_rows=True,
    gives="fields, counts and records as CSV",
)
async def read_records(args: ReadRecordsArguments, context: Context) -> Observation:
    """Read what repeats on the page, such as cards or results: each as a row of CSV."""
    records = await context.page.records(args.ref, pages=args.pages)
    fields = _chosen(records.fields, args.columns)
    rows = [{name: record[name] for name in fields} for record in records]
    if args.csv:
        text = as_csv(fields, rows)
    elif rows:
        count = counted(len(rows), "records", records.total, records.more)
        head = f"{count}; {len(fields)} fields{_of(len(rows), args.limit or 0)}"
        csv = as_csv(fields, rows[: args.limit or None])
        text = "\n".join([head, csv, *records.notices, *unread_lines(records.unread)])
    else:
        text = "\n".join(["Nothing repeats on the page.", *unread_lines(records.unread)])
    notices = records.notices
    value = RecordsRead(fields, rows, records.unread, notices, records.total, records.more)
    return Observation(text if args.csv else context.read(text), value, tuple(notices))


@tool(
    read_only=True,
    by_callers=True,
    by_executors=False,
    useful_if=lambda context: "download" in context.tab.met or "read_file" in context.last_read,
    gives="a part of the file: rows as CSV, pages or lines",
)
async def read_file(args: ReadFileArguments, context: Context) -> Observation:
    """Read a downloaded or shown PDF, CSV, XLSX or text."""
    content = await context.page.read_file(args.file, offset=args.offset, sheet=args.sheet)
    texts = [_section_text(section, args.offset, args.budget_tokens) for section in content.sections()]
    texts += [f"Not read: {content.unread}."] if content.unread else []
    return Observation("\n\n".join(texts), content)


@tool(read_only=True, by_default=False, by_executors=False, gives="what the page states, as JSON")
async def read_data(args: ReadDataArguments, context: Context) -> Observation:
    """Read what the page states for programs: JSON-LD, microdata, meta, and the state of its scripts, as JSON."""
    data = await context.page.structured_data()
    return Observation(msgspec.json.format(msgspec.json.encode(data), indent=1).decode(), data)


def _section_text(section: Section, offset: int, budget_tokens: int) -> str:
    """As many of the parts as fit, at least the beginning of one, with how to get those that follow."""
    room, shown = budget_tokens * CHARS_A_TOKEN, list[str]()
    for part in section.parts:
        if shown and len(part) > room:
            break
        shown.append(part if len(part) <= room else f"{part[:room]}\n… cut here: {len(part) - room:,} characters more.")
        room -= len(part)
    end, total = offset + len(shown), section.total
    count = f"{'many' if total is None else f'{total:,}'} {section.unit}{'' if total == 1 else 's'}"
    which = f", {offset + 1:,} to {end:,}" if shown and (end != total or offset) else ""
    which += "" if shown or not offset else f", none after the first {offset:,}"
    more = f"… offset={end} reads on." if end != total and shown else ""
    return "\n".join(filter(None, [f"{section.name}: {count}{which}:", section.head, *shown, more]))


def _table_text(table: PageTable, limit: int) -> str:
    rows = table.rows[: limit or None]
    count = counted(len(table.rows), "rows", table.total, table.more)
    if table.total is None:
        count += " are here; the page does not say how many there are"
    elif table.total > len(table.rows) and not table.ref:
        count = f"{len(table.rows):,} of {table.total:,} rows are read: read_file has the others"
    head = " ".join(filter(None, ["Table", table.ref, quoted(table.caption) if table.caption else ""]))
    where = f", in the frame {table.frame_url}" if table.frame_url else ""
    return f"{head}{where}: {count}{_of(len(table.rows), limit)}\n{as_csv(table.columns, rows)}"


def _of(rows: int, limit: int) -> str:
    return f", the first {limit} of them" if 0 < limit < rows else ""


def _with_columns(table: PageTable, columns: Sequence[str] | None) -> PageTable:
    chosen = _chosen(table.columns, columns)
    rows = [{name: row[name] for name in chosen} for row in table.rows]
    return msgspec.structs.replace(table, columns=chosen, rows=rows)


def _chosen(names: list[str], columns: Sequence[str] | None) -> list[str]:
    return [column_named(column, names) for column in columns or names]


def column_named(name: str, columns: Sequence[str]) -> str:
    """The column of this name, however it is written: `unit_price` is "Unit price". Raises InvalidArguments."""
    column = name if name in columns else {squashed(column): column for column in reversed(columns)}.get(squashed(name))
    if column is None:
        hint = "".join(f" The nearest is {near!r}." for near in nearest(name, columns)[:1])
        raise InvalidArguments(f"There is no column {name!r}. There are: {', '.join(map(repr, columns))}.{hint}")
    return column
