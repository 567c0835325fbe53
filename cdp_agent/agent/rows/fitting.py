"""Rows in the form that an answer has to have: fields by their columns, numbers in place of their texts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cdp_agent.agent.rows.named import ChosenRows
from cdp_agent.agent.rows.values import meanings
from cdp_agent.errors import InvalidArguments
from cdp_agent.extract.cells import MISSING, LeafSchema, leaves_of, put
from cdp_agent.extract.shape import kinds_of, resolved
from cdp_agent.page.data.cell_texts import Unfit
from cdp_agent.page.data.naming import squashed
from cdp_agent.tools.as_csv import text_of

_DIGIT = re.compile(r"\d")


def as_answer(chosen: ChosenRows, schema: dict[str, Any], others: Mapping[str, Any]) -> object:
    """The chosen rows as JSON data for a list, or for an object with one list beside the properties `others`.

    Raises InvalidArguments for a schema of another kind, for a required property that no column fits, and for a cell
    that is no value of its property.
    """
    place = _list_and_elements(schema)
    if place is None:
        raise InvalidArguments("done: the answer is no list of rows: give it as `result`.")
    name, items = place
    elements = _elements(chosen, items, schema)
    return elements if name is None else {**others, name: elements}


def takes_rows(schema: dict[str, Any]) -> bool:
    """Whether a schema is for a list, or for an object with one list."""
    return _list_and_elements(schema) is not None


def _list_and_elements(root: dict[str, Any]) -> tuple[str | None, dict[str, Any]] | None:
    """The property that is the only list, None for the value itself, and the schema of its elements."""
    whole = resolved(root, root)
    properties = {None: whole} if "array" in kinds_of(whole) else whole.get("properties", {})
    inner = {name: resolved(schema, root) for name, schema in properties.items()}
    lists = [name for name, schema in inner.items() if "array" in kinds_of(schema)]
    return (lists[0], resolved(inner[lists[0]].get("items"), root)) if len(lists) == 1 else None


def _elements(chosen: ChosenRows, items: dict[str, Any], root: dict[str, Any]) -> list[Any]:
    """The rows as such elements of a list."""
    leaves = leaves_of(items, root)
    if not leaves and len(chosen.columns) == 1 and kinds_of(items) - {"object"}:
        return _converted(chosen, chosen.columns[0], LeafSchema(items, kinds_of(items), required=True))
    if not leaves:
        return chosen.rows
    names = _by_property(chosen, leaves)
    elements: list[dict[str, Any]] = [{} for _ in chosen.rows]
    for path, name in names.items():
        for element, value in zip(elements, _converted(chosen, name, leaves[path]), strict=True):
            if value is not MISSING and (value not in (None, "") or leaves[path].required):
                put(element, path, value)
    return elements


def _converted(chosen: ChosenRows, name: str, leaf: LeafSchema) -> list[Any]:
    """The values of a column as what the schema asks for. Raises InvalidArguments for one that is nothing such."""
    values = [row[name] for row in chosen.rows]
    if not leaf.kinds and leaf.choices is None:  # of any type
        return values
    if "string" in leaf.kinds:
        values = [value if value is None and "null" in leaf.kinds else text_of(value) for value in values]
    elif "array" in leaf.kinds:
        values = [value if isinstance(value, list) else [value] if value else [] for value in values]
    return [_fit(name, value, meaning, leaf) for value, meaning in zip(values, meanings(values, leaf), strict=True)]


def _fit(name: str, value: object, meaning: object, leaf: LeafSchema) -> object:
    if not isinstance(meaning, Unfit):
        return meaning
    if "null" in leaf.kinds and not _DIGIT.search(text_of(value)):
        return None  # "n/a", but a text with a figure may be a number that was not understood
    raise InvalidArguments(f"done: of the column {name!r}, {text_of(value)!r} {meaning.why}: extract it.")


def _by_property(chosen: ChosenRows, leaves: Mapping[str, LeafSchema]) -> dict[str, str]:
    """The properties that there are columns for, each with its column. Raises InvalidArguments for a missing one."""
    by_name = {squashed(name): name for name in chosen.columns}
    for path, leaf in leaves.items():
        if leaf.required and squashed(path) not in by_name:
            raise InvalidArguments(
                f"done: no column is called {path!r}, which the answer needs. Say which it is, as in columns: "
                f'["COLUMN as {path}"]. The columns are {", ".join(map(repr, chosen.source.read.columns))}.'
            )
    return {path: by_name[squashed(path)] for path in leaves if squashed(path) in by_name}
