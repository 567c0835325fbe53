"""The shape of an answer: how a schema is sent to a provider, and how the answers for parts of a page are merged."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote

WRAPPER = "result"
_OF_A_LIST = frozenset(("minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains"))
_DEFINITIONS = ("$defs", "definitions")
_NUMERIC = {"number", "integer"}
_NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,15})?")


def as_object(source: object) -> dict[str, Any]:
    """An object schema, the only kind that providers accept. Other schemas are wrapped, as its property `WRAPPER`."""
    if isinstance(source, dict):
        source = {key: value for key, value in source.items() if key != "$schema"}
        if source.get("type") == "object":
            return dict(source)
        if (inner := _struct_of(source)) is not None:
            return inner
    return as_argument(source)


def as_argument(source: object) -> dict[str, Any]:
    """The schema of the arguments of a tool call: an object in which the value is the property `WRAPPER`.

    Everything that `source` refers to is moved into `$defs`, so that the result can be embedded in a larger schema.
    """
    definitions: dict[str, Any] = {}
    inner = source
    if isinstance(source, dict) and "$id" not in source:  # references are relative to an `$id`
        inner = _defined(_struct_of(source) or source, source, definitions)
    found = {"type": "object", "properties": {WRAPPER: inner}, "required": [WRAPPER], "additionalProperties": False}
    return {**found, "$defs": definitions} if definitions else found


def _defined(schema: object, root: dict[str, Any], definitions: dict[str, Any]) -> Any:
    """The schema with every reference pointing to an entry of `definitions`, to which the targets are added."""
    if isinstance(schema, list):
        return [_defined(item, root, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    rewritten = {
        key: value if key in ("const", "enum") else _defined(value, root, definitions)
        for key, value in schema.items()
        if key != "$schema" and not (key in _DEFINITIONS and isinstance(value, dict))
    }
    reference = rewritten.get("$ref")
    if isinstance(reference, str) and (reference == "#" or reference.startswith("#/")):
        name = reference.rpartition("/")[2].lstrip("#") or "value"
        rewritten["$ref"] = f"#/$defs/{name}"
        if name not in definitions:
            definitions[name] = {}  # it may refer to itself
            definitions[name] = _defined(at_reference(root, reference), root, definitions)
    return rewritten


def at_reference(root: dict[str, Any], reference: str) -> Any:
    """The target of a reference within a schema."""
    target: Any = root
    for step in filter(None, reference.removeprefix("#").split("/")):
        key = unquote(step).replace("~1", "/").replace("~0", "~")
        target = target[int(key)] if isinstance(target, list) else target[key]
    return target


def with_numbers(value: Any, schema: Any, root: Any) -> Any:
    """The value with numbers in the place of their texts ("12.50"), wherever the schema wants a number and no text."""
    if not isinstance(schema, dict):
        return value
    if isinstance(reference := schema.get("$ref"), str) and reference.startswith("#/"):
        schema = at_reference(root, reference)
    if isinstance(value, list):
        return [with_numbers(element, schema.get("items"), root) for element in value]
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        return {name: with_numbers(inner, properties.get(name), root) for name, inner in value.items()}
    kinds = schema.get("type")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if isinstance(value, str) and "string" not in kinds and _NUMBER.fullmatch(value) and _NUMERIC & set(kinds):
        number = float(value)
        return int(number) if number.is_integer() else number
    return value


def list_property(source: object) -> str | None:
    """The property that is the list in a schema for a list, "" if the value itself is; None for other schemas."""
    if not isinstance(source, dict):
        return None
    if source.get("type") == "array":
        return ""
    properties = source.get("properties", {})
    if source.get("type") == "object" and len(properties) == 1 and not source.get("patternProperties"):
        (name, value), *_ = properties.items()
        if isinstance(value, dict) and value.get("type") == "array":
            return str(name)
    return None


def part_of(source: dict[str, Any], where: str) -> dict[str, Any]:
    """The schema for a part of a page, without constraints on the whole list, which a part need not meet."""
    if not where:
        return {key: value for key, value in source.items() if key not in _OF_A_LIST}
    return {**source, "properties": {where: part_of(source["properties"][where], "")}}


def most_elements(source: dict[str, Any], where: str) -> int | None:
    """How many elements the list may have, if the schema says so."""
    schema = source["properties"][where] if where else source
    most = schema.get("maxItems")
    return most if isinstance(most, int) else None


def merged(values: list[Any], where: str, most: int | None = None) -> Any:
    """The lists of all parts joined, `most` elements at most; equal ones are kept, as the page may have them twice."""
    elements = [element for value in values for element in (value if not where else value.get(where, []))][:most]
    return {where: elements} if where else elements


def _struct_of(source: dict[str, Any]) -> dict[str, Any] | None:
    """The object schema for `{"$ref": "#/$defs/X", "$defs": …}`, which is how msgspec describes a struct; else None."""
    reference, definitions = source.get("$ref"), source.get("$defs")
    if source.keys() != {"$ref", "$defs"} or not isinstance(reference, str) or not isinstance(definitions, dict):
        return None
    named = definitions.get(reference.removeprefix("#/$defs/"))
    if not isinstance(named, dict) or named.get("type") != "object":
        return None
    return {**named, "$defs": definitions}
