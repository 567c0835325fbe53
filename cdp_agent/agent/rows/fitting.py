"""Rows in the form that an answer has to have: fields by their columns, numbers in place of their texts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from cdp_agent.agent.rows.named import ChosenRows
from cdp_agent.agent.rows.values import boolean, numbers
from cdp_agent.agent.rows.where import squashed
from cdp_agent.errors import InvalidArguments
from cdp_agent.extract.shape import at_reference
from cdp_agent.tools.as_csv import text_of

_NUMERIC = {"number", "integer"}
_DIGIT = re.compile(r"\d")


def as_answer(chosen: ChosenRows, schema: dict[str, Any], others: Mapping[str, Any]) -> object:
    """The chosen rows as JSON data for a list, or for an object with one list beside the properties `others`.

    Raises InvalidArguments for a schema of another kind, or with a required property that no column fits.
    """
    form = _Form(schema)
    place = form.list_and_elements()
    if place is None:
        raise InvalidArguments("done: the answer is no list of rows: give it as `result`.")
    name, items = place
    elements = form.elements(chosen, items)
    return elements if name is None else {**others, name: elements}


def takes_rows(schema: dict[str, Any]) -> bool:
    """Whether a schema is for a list, or for an object with one list."""
    return _Form(schema).list_and_elements() is not None


class _Form:
    """A schema, with what its references lead to."""

    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root

    def list_and_elements(self) -> tuple[str | None, dict[str, Any]] | None:
        """The property that is the only list, None for the value itself, and the schema of its elements."""
        whole = self._resolved(self._root)
        properties = whole.get("properties", {}) if "array" not in self._kinds(whole) else {None: whole}
        inner = {name: self._resolved(schema) for name, schema in properties.items()}
        lists = [name for name, schema in inner.items() if "array" in self._kinds(schema)]
        return (lists[0], self._resolved(inner[lists[0]].get("items"))) if len(lists) == 1 else None

    def _resolved(self, schema: object) -> dict[str, Any]:
        while isinstance(schema, dict) and str(schema.get("$ref", "")).startswith("#/"):
            schema = at_reference(self._root, schema["$ref"])
        return schema if isinstance(schema, dict) else {}

    def _kinds(self, schema: dict[str, Any]) -> set[str]:
        """The types that a value may have."""
        choices = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
        own = schema.get("type", ())
        return {own} if isinstance(own, str) else {*own}.union(*(self._kinds(self._resolved(one)) for one in choices))

    def elements(self, chosen: ChosenRows, items: dict[str, Any]) -> list[Any]:
        """The rows as such elements of a list."""
        properties, required = items.get("properties", {}), items.get("required", ())
        if not properties and len(chosen.columns) == 1 and self._kinds(items) - {"object"}:
            return self._converted(chosen, chosen.columns[0], items)
        names = _by_property(chosen, properties, required) if properties else {name: name for name in chosen.columns}
        values = [self._converted(chosen, name, self._resolved(properties.get(field))) for field, name in names.items()]
        return [
            {
                field: value
                for field, value in zip(names, row, strict=True)
                if value not in (None, "") or field in required or field not in properties
            }
            for row in zip(*values, strict=True)
        ]

    def _converted(self, chosen: ChosenRows, name: str, schema: dict[str, Any]) -> list[Any]:
        """The values of a column as what the schema asks for; what is nothing such stays as it is."""
        kinds, values = self._kinds(schema), [row[name] for row in chosen.rows]
        if "string" in kinds:
            return [value if value is None and "null" in kinds else text_of(value) for value in values]
        meanings: Sequence[Any] = values
        if kinds & _NUMERIC:
            meanings = numbers(values)
        elif "boolean" in kinds:
            meanings = [boolean(value) for value in values]
        elif "array" in kinds:
            meanings = [value if isinstance(value, list) else [value] if value else [] for value in values]
        return [  # "n/a" is null where that may be, but a text with a figure may be a number that was not understood
            value if meaning is None and ("null" not in kinds or _DIGIT.search(text_of(value))) else meaning
            for value, meaning in zip(values, meanings, strict=True)
        ]


def _by_property(chosen: ChosenRows, properties: Mapping[str, Any], required: Sequence[str]) -> dict[str, str]:
    """The properties that there are columns for, each with its column. Raises InvalidArguments for a missing one."""
    by_name = {squashed(name): name for name in chosen.columns}
    for name in required:
        if squashed(name) not in by_name:
            raise InvalidArguments(
                f"done: no column is called {name!r}, which the answer needs. Say which it is, as in columns: "
                f'["COLUMN as {name}"]. The columns are {", ".join(map(repr, chosen.source.read.columns))}.'
            )
    return {name: by_name[squashed(name)] for name in properties if squashed(name) in by_name}
