"""The rows in a value, such as a tool's result or an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from cdp_agent.tools.data import RecordsRead, TablesRead

Row = dict[str, Any]


class Rows(msgspec.Struct, frozen=True):
    """Rows with their columns. `of` says what they are the rows of.

    `is_shown`: the page shows all that is in them. `is_whole`: it is not known to have more of them.
    """

    columns: list[str]
    rows: list[Row]
    of: str = ""
    is_shown: bool = True
    is_whole: bool = True


def rows_of(value: object) -> Rows | None:
    """The rows that a tool's value holds; None if it is another value, or several tables."""
    from cdp_agent.extract import Extraction  # late: httpx and regex take 40 ms

    match value:
        case TablesRead([table]):
            caption = f" {table.caption!r}" if table.caption else ""
            is_whole = table.total == len(table.rows) and table.more is None
            return Rows(table.columns, list(table.rows), f"table {table.ref}{caption}", is_whole=is_whole)
        case RecordsRead(fields, records):
            is_whole = value.more is None and value.total in (None, len(records))
            return Rows(fields, list(records), "what repeats on the page", is_whole=is_whole)
        case Extraction():
            rows = rows_in(msgspec.to_builtins(value.value))
            facts = {"is_shown": not (value.ungrounded or value.misplaced), "is_whole": not value.notices}
            return rows and msgspec.structs.replace(rows, of="what a model extracted", **facts)
    return None


def rows_in(data: object) -> Rows | None:
    """The rows of JSON data: a list, or an object with one list; None for other data.

    Elements that are no objects have the column "value".
    """
    lists = [inner for inner in data.values() if isinstance(inner, list)] if isinstance(data, Mapping) else [data]
    elements = lists[0] if len(lists) == 1 else None
    if not isinstance(elements, list):
        return None
    objects = [element if isinstance(element, Mapping) else {"value": element} for element in elements]
    columns = list(dict.fromkeys(name for element in objects for name in element))
    return Rows(columns, [{name: element.get(name) for name in columns} for element in objects])
