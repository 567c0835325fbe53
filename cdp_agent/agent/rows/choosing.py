"""Which of the rows that have a name a model means: by a condition, in an order, and with what columns."""

from __future__ import annotations

import re
from typing import Any

from cdp_agent.agent.rows.named import ChosenRows, RowsArguments, RunRows
from cdp_agent.agent.rows.values import dates, folded, numbers
from cdp_agent.agent.rows.where import fitting
from cdp_agent.errors import InvalidArguments
from cdp_agent.tools.data import column_named
from cdp_agent.tools.rows import Row

_RENAMED = re.compile(r"\s*(.+?)\s+as\s+(.+?)\s*", re.IGNORECASE)
_FALLING = re.compile(r"\s+(?:asc|(desc))\s*$", re.IGNORECASE)


def choose(named: RunRows, args: RowsArguments) -> ChosenRows:
    """The rows that the arguments ask for. Raises InvalidArguments."""
    source = named.get(args.rows)
    if source is None:
        there_are = "There are:" if named else "read_table, read_records and extract give rows a name."
        raise InvalidArguments("\n".join([f"There are no rows {args.rows!r}. {there_are}", *named.lines]))
    columns, rows = source.read.columns, source.read.rows
    parts = [f"{len(rows):,} rows"]
    constants: list[Any] = []
    if args.where:
        rows, constants = fitting(args.where, columns, rows)
        parts = [f"{len(rows):,} of {parts[0]}", f"where {args.where}"]
    if args.order_by:
        rows = _ordered(rows, args.order_by, columns)
        parts.append(f"by {args.order_by}")
    count = len(rows)
    if args.limit is not None and args.limit < count:
        constants = [*constants, args.limit]
        parts.append(f"the first {args.limit:,}")
    fields = _fields(args.columns, columns)
    chosen = [{field: row[column] for field, column in fields.items()} for row in rows[: args.limit]]
    return ChosenRows(source, list(fields), chosen, count, f"{source.name}: {', '.join(parts)}", constants)


def _fields(chosen: list[str] | None, columns: list[str]) -> dict[str, str]:
    """The names that the columns get, each with its column."""
    fields: dict[str, str] = {}
    for text in chosen or columns:
        renamed = None if text in columns else _RENAMED.fullmatch(text)
        column = column_named(renamed[1] if renamed else text, columns)
        fields[renamed[2] if renamed else column] = column
    return fields


def _ordered(rows: list[Row], order_by: str, columns: list[str]) -> list[Row]:
    """The rows by a column's numbers or dates, or else its texts; those without any come last."""
    direction = None if order_by in columns else _FALLING.search(order_by)
    name = column_named(order_by[: direction.start()] if direction else order_by, columns)
    values = [row[name] for row in rows]
    keys: list[Any] = (numbers(values) or dates(values) or [[folded(value) or None for value in values]])[0]
    filled = [at for at, key in enumerate(keys) if key is not None]
    filled.sort(key=keys.__getitem__, reverse=direction is not None and direction[1] is not None)
    return [rows[at] for at in filled] + [row for row, key in zip(rows, keys, strict=True) if key is None]
