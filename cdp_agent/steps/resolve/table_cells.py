"""Finds rows of tables and entries of lists by number, position or text, and the cells in them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cdp_agent.page.snapshot.lines import CELLS
from cdp_agent.steps.language.intents import Target
from cdp_agent.steps.language.kinds import AREAS, ordinal_at_beginning
from cdp_agent.steps.language.words import mention_score, normal
from cdp_agent.steps.resolve.outline import OutlineNode

_NUMBER = re.compile(r"(?:number |no\. |#)?(\d+)")
_ENTRIES = ("listitem", "article", "treeitem")


def rows_in(words: str, nodes: Sequence[OutlineNode]) -> list[OutlineNode]:
    """The rows of the tables among `nodes` that the words mean; if none, the entries with exactly this text."""
    rows = [row for table in nodes if table.role in AREAS["table"] for row in _rows(words, table)]
    if rows:
        return rows
    entries = [node for node in nodes if node.role in _ENTRIES and any(_says(words, each) for each in node.descendants)]
    return [node for node in entries if not any(node in other.ancestors for other in entries)]


def cell_at(target: Target, nodes: Sequence[OutlineNode]) -> list[OutlineNode]:
    """The cells that can be meant: one for each table with such a row and column. A plain-text cell has no ref."""
    cells = [
        _cell(row, place)
        for table in nodes
        if table.role in AREAS["table"]
        for place in _places(target.column or "", table)
        for row in _rows(target.near or "", table, target.column or "")
    ]
    return [cell for cell in cells if cell is not None]


def cell_pattern(cell: OutlineNode) -> str:
    """A regular expression for `Page.search` that finds a plain-text cell at its place in the row; "" if none does."""
    row = cell.parent
    parts = row.parts if row else []
    index = next((index for index, each in enumerate(cells_of(row)) if each.name == cell.name), -1) if row else -1
    if not cell.name or not 0 <= index < len(parts) or parts.count(cell.name) > 1:
        return ""
    before = re.escape(" | ".join([*parts[:index], ""]).lstrip())
    after = re.escape(" | ".join(["", *parts[index + 1 :]]).rstrip())
    return rf"(?<=^{before}){re.escape(cell.name)}(?={after}(?:$| \|))"


def _places(column: str, table: OutlineNode) -> list[int]:
    heads = _heads(table)
    return [index for index, said in enumerate(heads) if said == normal(column)] or _number(column)


def _heads(table: OutlineNode) -> list[str]:
    rows = [node for node in table.descendants if node.role == "row"]
    return [normal(said) for said in _texts(rows[0])] if rows else []


def _rows(words: str, table: OutlineNode, column: str = "") -> list[OutlineNode]:
    """The rows with that number or order, else those with such a cell; "Invoice 12" means 12 in the column Invoice."""
    heads = _heads(table)
    rows = [node for node in table.descendants if node.role == "row"]
    body = rows[1:] if rows and (normal(column) in heads or _is_header(rows)) else rows
    saying = [row for row in body if any(mention_score(words, said) == 1.0 for said in _texts(row))]
    if numbers := _number(words):
        named = [row for row in saying if mention_score(words, _texts(row)[0]) == 1.0]
        placed = body[numbers[0] : numbers[0] + 1]
        return placed + [row for row in named if row not in placed]
    order, rest = ordinal_at_beginning(f"{words} row")
    if order and rest == "row":
        return body[order - 1 :][:1] if order > 0 else body[order:][:1]
    return saying or [
        row
        for index, head in enumerate(heads)
        if head and normal(words).startswith(f"{head} ")
        for row in body
        if normal(words) == " ".join([head, *map(normal, _texts(row)[index : index + 1])])
    ]


def is_header(row: OutlineNode) -> bool:
    """Whether the row is the header row of its table."""
    table = next((node for node in row.ancestors if node.role in AREAS["table"]), None)
    rows = [node for node in table.descendants if node.role == "row"] if table is not None else []
    return bool(rows) and rows[0] is row and _is_header(rows)


def _is_header(rows: Sequence[OutlineNode]) -> bool:
    """Whether the first row is a header row: it has column headers, no refs, or roles unlike those of the next row."""
    first, second = (
        [node.role for node in row.descendants if node.ref] for row in (rows[0], rows[min(1, len(rows) - 1)])
    )
    return not first or first != second or "columnheader" in first


def _says(words: str, node: OutlineNode) -> bool:
    return any(mention_score(words, said) == 1.0 for said in (node.name, *node.parts))


def _number(words: str) -> list[int]:
    found = _NUMBER.fullmatch(normal(words))
    return [int(found[1]) - 1] if found and int(found[1]) > 0 else []


def _texts(row: OutlineNode) -> list[str]:
    return [each.name or each.text or each.words for each in cells_of(row)]


def cells_of(row: OutlineNode) -> list[OutlineNode]:
    """The cells of the row, or the only element in each. Plain-text cells have no ref; "a | b" is a line with two."""
    cells = [_plain(row, part) for part in row.parts] if row.text else []
    for child in row.children:
        cells += [_plain(row, part) for part in child.parts] if child.role == "text" else [child]
    return cells


def _plain(row: OutlineNode, text: str) -> OutlineNode:
    return OutlineNode("cell", text, "", "", {}, None, row.depth + 1, row.order, row)


def _cell(row: OutlineNode, index: int) -> OutlineNode | None:
    """The cell or, if it has children, the only element with a ref in it; None if there are several, or none."""
    cell = next(iter(cells_of(row)[index : index + 1]), None)
    if cell is None or cell.ref is not None or not cell.children:
        return cell
    inside = [node for node in cell.descendants if node.ref] if cell.role in CELLS else []
    return inside[0] if len(inside) == 1 else None
