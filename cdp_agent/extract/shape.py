"""The form of an answer: how a schema is put to a provider, and how the answers to parts of a page become one."""

from __future__ import annotations

from typing import Any

import msgspec

WRAPPER = "result"
_OF_A_LIST = frozenset(("minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains"))
_DEFINITIONS = ("$defs", "definitions")


def as_object(source: Any) -> tuple[dict[str, Any], bool]:
    """The schema as that of an object, which is all that providers take; True when its values are in `WRAPPER` then."""
    if isinstance(source, dict):
        source = {key: value for key, value in source.items() if key != "$schema"}
        if source.get("type") == "object":
            return source, False
        if (inner := _struct_of(source)) is not None:
            return inner, False
    definitions = {key: source[key] for key in _DEFINITIONS if isinstance(source, dict) and key in source}
    rest = {key: value for key, value in source.items() if key not in definitions} if definitions else source
    inside = f"#/properties/{WRAPPER}"
    moved = rest if isinstance(rest, dict) and "$id" in rest else _moved(rest, inside)
    definitions = {key: _moved(value, inside) for key, value in definitions.items()}
    wrapped = {"type": "object", "properties": {WRAPPER: moved}, "required": [WRAPPER], "additionalProperties": False}
    return {**wrapped, **definitions}, True


def list_in(source: Any) -> str | None:
    """Where the list of a list-shaped schema is: "" for the whole, else a property; None for other shapes."""
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
    """The schema for a part of a page: what holds for the whole list need not hold there."""
    if not where:
        return {key: value for key, value in source.items() if key not in _OF_A_LIST}
    return {**source, "properties": {where: part_of(source["properties"][where], "")}}


def merged(values: list[Any], where: str) -> Any:
    """The lists of all parts in one, each element once."""
    found: list[Any] = []
    seen: set[bytes] = set()
    for value in values:
        for element in value if not where else value.get(where, []):
            if (key := _identity(element)) not in seen:
                seen.add(key)
                found.append(element)
    return {where: found} if where else found


def _struct_of(source: dict[str, Any]) -> dict[str, Any] | None:
    """What `{"$ref": "#/$defs/X", "$defs": …}` means, if it is an object. So msgspec describes a struct."""
    reference, definitions = source.get("$ref"), source.get("$defs")
    if source.keys() != {"$ref", "$defs"} or not isinstance(reference, str) or not isinstance(definitions, dict):
        return None
    named = definitions.get(reference.removeprefix("#/$defs/"))
    if not isinstance(named, dict) or named.get("type") != "object":
        return None
    return {**named, "$defs": definitions}


def _moved(schema: Any, inside: str) -> Any:
    """The schema with references that still lead to the same places once it stands at `inside`."""
    if isinstance(schema, list):
        return [_moved(each, inside) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: value if key in ("const", "enum") else _moved(value, inside) for key, value in schema.items()}
    reference = found.get("$ref")
    if reference == "#" or (
        isinstance(reference, str)
        and reference.startswith("#/")
        and not reference.startswith(tuple(f"#/{key}/" for key in _DEFINITIONS))
    ):
        found["$ref"] = inside + reference[1:]
    return found


def _identity(element: Any) -> bytes:
    return msgspec.json.encode(_plain(element), order="sorted")


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return " ".join(value.casefold().split())
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value
