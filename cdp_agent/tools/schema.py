"""A struct's JSON Schema in the subset that all providers take: inline, without null alternatives."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec
from msgspec import inspect


def parameters_of(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """The JSON Schema of a struct as one object: no `$ref`, and an optional field is simply not required."""
    schema = msgspec.json.schema(struct)
    definitions = schema.pop("$defs", {})
    flat: dict[str, Any] = _inline(schema, definitions)
    flat.pop("description", None)  # the struct's docstring speaks to programmers, the tool's to models
    flat.setdefault("required", [])
    return flat


def brief_parameters_of(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """Like `parameters_of`, with only types, choices, and the descriptions that are marked as always needed."""
    described = {field.encode_name for field in inspect.type_info(struct).fields if _is_always_described(field.type)}  # type: ignore[attr-defined]
    return _brief_object(parameters_of(struct), described)


def _brief_object(schema: dict[str, Any], described: Collection[str]) -> dict[str, Any]:
    properties = {name: _brief(each, described=name in described) for name, each in schema["properties"].items()}
    required = {"required": schema["required"]} if schema.get("required") else {}
    return {"type": "object", "properties": properties, **required}


def _is_always_described(kind: inspect.Type) -> bool:
    return isinstance(kind, inspect.Metadata) and bool((kind.extra or {}).get("always"))


def _brief(schema: dict[str, Any], *, described: bool) -> dict[str, Any]:
    if "properties" in schema:  # models do well without the optional properties
        return _brief_object({**schema, "properties": _required(schema)}, ())
    kept = ("type", "enum", "anyOf", *(["description"] if described else []))
    brief = {key: value for key, value in schema.items() if key in kept}
    if isinstance(schema.get("items"), dict) and schema["items"]:
        brief["items"] = _brief(schema["items"], described=False)
    if schema.get("additionalProperties") not in (None, False):
        brief["additionalProperties"] = schema["additionalProperties"]
    return brief


def result_of(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """The JSON Schema of a tool's result: only the types of the fields that are always present."""
    schema = parameters_of(struct)
    found: dict[str, Any] = _without_words({**schema, "properties": _required(schema)})
    return found


def _required(schema: dict[str, Any]) -> dict[str, Any]:
    return {name: each for name, each in schema["properties"].items() if name in schema.get("required", ())}


def _without_words(schema: object) -> Any:
    if isinstance(schema, list):
        return [_without_words(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: _without_words(part) for name, part in value.items()}
        if key == "properties"
        else _without_words(value)
        for key, value in schema.items()
        if key not in ("description", "default")
    }


def _inline(schema: object, definitions: dict[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_inline(part, definitions) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        others = {key: value for key, value in schema.items() if key != "$ref"}
        schema = {**definitions[name], **others}
    result = {
        key: ({name: _inline(part, definitions) for name, part in value.items()})
        if key == "properties"
        else _inline(value, definitions)
        for key, value in schema.items()
        if key not in ("title", "discriminator")  # which refers to definitions that are now inline
    }
    return _without_null(result)


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    if "anyOf" in schema:
        choices = [choice for choice in schema["anyOf"] if choice != {"type": "null"}]
        if len(choices) == 1:
            others = {key: value for key, value in schema.items() if key != "anyOf"}
            schema = {**choices[0], **others}
    if "default" in schema and schema["default"] is None:
        schema = {key: value for key, value in schema.items() if key != "default"}
    if "enum" in schema and "type" not in schema and all(isinstance(each, str) for each in schema["enum"]):
        schema = {"type": "string", **schema}
    return schema
