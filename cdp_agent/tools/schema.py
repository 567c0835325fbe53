"""A struct's JSON Schema in the subset that all providers take: inline, without null alternatives."""

from __future__ import annotations

from typing import Any

import msgspec


def parameters_of(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """The JSON Schema of a struct as one object: no `$ref`, and an optional field is simply not required."""
    schema = msgspec.json.schema(struct)
    definitions = schema.pop("$defs", {})
    flat: dict[str, Any] = _inline(schema, definitions)
    flat.pop("description", None)  # the struct's docstring speaks to programmers, the tool's to models
    flat.setdefault("required", [])
    return flat


def _inline(schema: Any, definitions: dict[str, Any]) -> Any:
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
        if key not in ("title", "discriminator")  # which names definitions that are inline now
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
