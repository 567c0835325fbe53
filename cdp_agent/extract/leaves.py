"""The values in JSON data that a page is to show, by the schema: what the schema itself lists is the caller's word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from .shape import at_reference

_PARTS = ("allOf", "anyOf", "oneOf")
_CONDITIONS = ("if", "then", "else")


class Leaf(msgspec.Struct, frozen=True):
    """A string or number in JSON data, or the key of a map, with its path. `beside`: the object that it is in."""

    path: str
    value: str | int | float
    beside: object = None


def leaves(value: object, path: str = "$") -> Iterator[tuple[str, str | int | float]]:
    """The strings and numbers in a JSON value, each with its path; keys are not included."""
    return ((leaf.path, leaf.value) for leaf in _leaves(value, path, [], None, None))


def leaves_to_show(value: object, schema: object) -> Iterator[Leaf]:
    """The strings and numbers in a JSON value that the schema does not have itself, and the keys that it leaves open.

    It has itself what `enum`, `const` and `default` list at their place, thus also the tags of unions. It leaves open
    keys such as the names to which prices are mapped.
    """
    return _leaves(value, "$", [schema], schema, value)


def _leaves(value: object, path: str, schemas: list[object], root: object, beside: object) -> Iterator[Leaf]:
    own = list(_applying(schemas, root, set()))
    if any(_lists(schema, value) for schema in own):
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            of_key = [schema["properties"][key] for schema in own if key in schema.get("properties", ())]
            if not of_key and (of_key := [part for schema in own for part in _of_open_key(schema, key)]):
                names = _applying([schema.get("propertyNames") for schema in own], root, set())
                if not any(_lists(schema, key) for schema in names):
                    yield Leaf(f"{path}.{key}", key)
            yield from _leaves(inner, f"{path}.{key}", of_key, root, value)
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            of_element = [part for schema in own for part in _of_element(schema, index)]
            yield from _leaves(inner, f"{path}[{index}]", of_element, root, beside)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield Leaf(path, value, beside)


def _applying(schemas: list[object], root: object, seen: set[int]) -> Iterator[dict[str, Any]]:
    """The schemas, and all that may apply to the same value: those that they refer to, their alternatives and parts."""
    for schema in schemas:
        if isinstance(schema, dict) and id(schema) not in seen:
            seen.add(id(schema))
            yield schema
            inner = [part for name in _PARTS for part in schema.get(name, ())]
            inner += [schema[name] for name in _CONDITIONS if name in schema]
            if isinstance(root, dict) and str(schema.get("$ref", "")).startswith("#"):
                inner.append(at_reference(root, schema["$ref"]))
            yield from _applying(inner, root, seen)


def _lists(schema: dict[str, Any], value: object) -> bool:
    listed = [*schema.get("enum", ()), *(schema[name] for name in ("const", "default") if name in schema)]
    return any(value == choice and isinstance(value, bool) == isinstance(choice, bool) for choice in listed)


def _of_open_key(schema: dict[str, Any], key: str) -> Iterator[object]:
    yield from (part for name, part in schema.get("patternProperties", {}).items() if re.search(name, key))
    if isinstance(schema.get("additionalProperties"), dict):
        yield schema["additionalProperties"]


def _of_element(schema: dict[str, Any], index: int) -> Iterator[object]:
    items = schema.get("items")
    first = schema.get("prefixItems") or (items if isinstance(items, list) else [])
    if index < len(first):
        yield first[index]
    else:
        yield schema.get("additionalItems") if isinstance(items, list) else items
