"""The cell of a table in a row and a column, each told by its number or by what it says."""

from __future__ import annotations

import re

from cdp_agent.steps.intents import Target
from cdp_agent.steps.outline import Node, Outline
from cdp_agent.steps.roles import AREAS, CELLS
from cdp_agent.steps.words import mentions, normal

_NUMBER = re.compile(r"(?:number |no\. |#)?(\d+)")


def cell_at(target: Target, page: Outline) -> list[Node]:
    """The cells that can be meant: one of each table that has such a row and such a column."""
    tables = [node for node in page.nodes if node.role in AREAS["table"]]
    return [cell for table in tables for cell in _cells(table, target.near or "", target.column or "")]


def _cells(table: Node, row: str, column: str) -> list[Node]:
    rows = [node for node in table.below if node.role == "row"]
    if not rows:
        return []
    heads = [normal(said) for said in _texts(rows[0])]
    places = [place for place, said in enumerate(heads) if said == normal(column)] or _number(column)
    body = rows[1:] if any(heads) else rows
    numbers = _number(row)
    meant = [each for each in body if any(mentions(row, said) == 1.0 for said in _texts(each))]
    if not meant and numbers and numbers[0] < len(body):
        meant = [body[numbers[0]]]
    found = [_cell(each, place) for each in meant for place in places]
    return [cell for cell in found if cell is not None]


def _number(words: str) -> list[int]:
    found = _NUMBER.fullmatch(normal(words))
    return [int(found[1]) - 1] if found and int(found[1]) > 0 else []


def _texts(row: Node) -> list[str]:
    """What each of its cells says: those that are only text stand first in the line itself."""
    said = [part.strip() for part in row.text.split("|")] if row.text else []
    if said and not said[-1] and row.children:
        said.pop()
    return said + [each.name or each.text or each.words for each in row.children]


def _cell(row: Node, place: int) -> Node | None:
    """The cell, or the one thing in it; None where nothing there can be used."""
    first = len(_texts(row)) - len(row.children)
    if not first <= place < first + len(row.children):
        return None
    cell = row.children[place - first]
    if cell.ref is not None:
        return cell
    inside = [node for node in cell.below if node.ref] if cell.role in CELLS else []
    return inside[0] if len(inside) == 1 else None
