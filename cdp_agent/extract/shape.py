"""The shape of an answer: how a schema is sent to a provider, and how the answers for parts of a page are merged."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote

import msgspec

from cdp_agent.page.data.cell_texts import as_number

WRAPPER = "result"
_OF_A_LIST = frozenset(("minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains"))
_DEFINITIONS = ("$defs", "definitions")
_MOST_REFERENCES = 20
"""How many may lead to each other."""
DEEPEST_PATH = 8
"""How deep in a schema, which may refer to itself, lists and fields are looked for."""
NUMERIC = {"number", "integer"}
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
    found = closed_object({WRAPPER: inner})
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
    """The target of a reference within a schema, a JSON pointer (RFC 6901); None if it is elsewhere."""
    target: Any = root
    for step in filter(None, reference.removeprefix("#").split("/")):
        key = unquote(step).replace("~1", "/").replace("~0", "~")
        target = target[int(key)] if isinstance(target, list) else target.get(key) if isinstance(target, dict) else None
    return target


def with_numbers(value: Any, schema: Any, root: Any) -> Any:
    """The value with numbers in the place of their texts ("12.50"), wherever the schema wants a number and no text."""
    schema = resolved(schema, root)
    if isinstance(value, list):
        return [with_numbers(element, schema.get("items"), root) for element in value]
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        return {name: with_numbers(inner, properties.get(name), root) for name, inner in value.items()}
    kinds = kinds_of(schema)
    is_number = isinstance(value, str) and "string" not in kinds and kinds & NUMERIC and _NUMBER.fullmatch(value)
    return as_number(value) if is_number else value


class Lists(msgspec.Struct, frozen=True):
    """The lists in a schema by their paths, of which () is the value itself, and how many elements each may have.

    `part` is the schema for a part of a page: the lists alone, without constraints on the whole of one, which a part
    need not meet. `rest` is that of all else, None if there is nothing else.
    """

    most: dict[tuple[str, ...], int | None]
    part: dict[str, Any]
    rest: dict[str, Any] | None

    def joined(self, answers: list[Any], rest: Any) -> Any:
        """The whole: the lists of all answers joined. Equal elements are kept, as the page may have them twice."""
        whole: Any = rest
        for path, most in self.most.items():
            elements = [element for answer in answers for element in _inside(answer, path)][:most]
            if not path:
                return elements
            target = whole = {} if whole is None else whole
            for name in path[:-1]:
                target = target.setdefault(name, {})
            target[path[-1]] = elements
        return whole

    def count(self, answer: Any) -> int:
        """How many elements an answer has in all lists."""
        return sum(len(_inside(answer, path)) for path in self.most)


def lists_in(source: object) -> Lists | None:
    """The lists in a schema, which are no parts of others; None if there is none."""
    if not isinstance(source, dict):
        return None
    most: dict[tuple[str, ...], int | None] = {}
    part, rest = _taken_apart(source, source, (), most, set())
    return Lists(most, _with_definitions(part, source), rest and _with_definitions(rest, source)) if part else None


def _taken_apart(
    schema: Any,
    root: dict[str, Any],
    path: tuple[str, ...],
    most: dict[tuple[str, ...], int | None],
    met: set[str],
) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """A schema with its lists alone, and without them.

    What is referred to is looked into once, `met`: there may be as many ways through references as atoms in the world.
    """
    inner = resolved(schema, root)
    reference = schema.get("$ref") if isinstance(schema, dict) else None
    if inner.get("type") == "array":
        limit = inner.get("maxItems")
        most[path] = limit if isinstance(limit, int) else None
        return {key: value for key, value in inner.items() if key not in _OF_A_LIST}, None
    is_known = inner.get("type") == "object" and "properties" in inner and not inner.get("patternProperties")
    if not is_known or reference in met or len(path) > DEEPEST_PATH:
        return None, schema
    if isinstance(reference, str):
        met.add(reference)
    parts: dict[str, Any] = {}
    rests: dict[str, Any] = {}
    for name, value in inner["properties"].items():
        part, rest = _taken_apart(value, root, (*path, name), most, met)
        parts |= {name: part} if part is not None else {}
        rests |= {name: rest} if rest is not None else {}
    required = [name for name in inner.get("required", ()) if name in rests]
    return (
        closed_object(parts) if parts else None,
        {**inner, "properties": rests, "required": required} if rests or not parts else None,
    )


def closed_object(properties: dict[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    """The schema of an object that has these properties and no others; all are required, unless some are named."""
    required = list(properties) if required is None else required
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def list_of(element: dict[str, Any]) -> dict[str, Any]:
    """The schema of a list."""
    return {"type": "array", "items": element}


def _with_definitions(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    return schema | {name: root[name] for name in (*_DEFINITIONS, "$schema") if name in root}


def _inside(value: Any, path: tuple[str, ...]) -> list[Any]:
    for name in path:
        value = value.get(name, []) if isinstance(value, dict) else []
    return value if isinstance(value, list) else []


def resolved(schema: Any, root: dict[str, Any]) -> dict[str, Any]:
    """A schema without a reference, and as one, if it is of several types, or of one alternative and null."""
    plain = _referred(schema, root)
    alternatives = [_referred(one, root) for one in plain.get("anyOf") or plain.get("oneOf") or ()]
    others = [one for one in alternatives if one != {"type": "null"}]
    if others and (len(others) == 1 < len(alternatives) or all(one.keys() == {"type"} for one in others)):
        return {**others[0], "type": sorted(frozenset().union(*map(kinds_of, alternatives)))}
    return plain


def _referred(schema: Any, root: dict[str, Any]) -> dict[str, Any]:
    """What a schema is, or refers to; {} if that is no schema, or in a circle."""
    for _ in range(_MOST_REFERENCES):
        reference = schema.get("$ref") if isinstance(schema, dict) else None
        if not isinstance(reference, str) or not reference.startswith("#/"):
            break
        schema = at_reference(root, reference)
    else:
        return {}
    return schema if isinstance(schema, dict) else {}


def kinds_of(schema: dict[str, Any]) -> frozenset[str]:
    """The types that a schema allows, none if it does not say."""
    kinds = schema.get("type", ())
    return frozenset([kinds] if isinstance(kinds, str) else kinds)


def _struct_of(source: dict[str, Any]) -> dict[str, Any] | None:
    """The object schema for `{"$ref": "#/$defs/X", "$defs": …}`, which is how msgspec describes a struct; else None."""
    reference, definitions = source.get("$ref"), source.get("$defs")
    if source.keys() != {"$ref", "$defs"} or not isinstance(reference, str) or not isinstance(definitions, dict):
        return None
    named = definitions.get(reference.removeprefix("#/$defs/"))
    if not isinstance(named, dict) or named.get("type") != "object":
        return None
    return {**named, "$defs": definitions}
