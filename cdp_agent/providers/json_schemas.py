"""Which JSON Schemas OpenAI enforces while it writes; any other one it would refuse, if told to be strict.

https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
"""

from __future__ import annotations

from typing import Any

_ALLOWED = frozenset(
    (
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "enum",
        "const",
        "anyOf",
        "$ref",
        "$defs",
        "title",
        "description",
    )
)


def can_be_strict(schema: Any) -> bool:
    """Whether every object in it is closed and has all its properties required, and nothing else is said."""
    if not isinstance(schema, dict) or not schema.keys() <= _ALLOWED:
        return False
    kind = schema.get("type")
    properties = schema.get("properties", {})
    if kind == "object" or properties or (isinstance(kind, list) and "object" in kind):
        if schema.get("additionalProperties") is not False or set(schema.get("required", ())) != set(properties):
            return False
    elif not schema.keys() & {"type", "enum", "const", "anyOf", "$ref"}:
        return False
    inner = [*properties.values(), *schema.get("$defs", {}).values(), *schema.get("anyOf", ())]
    if "items" in schema:
        inner.append(schema["items"])
    return all(can_be_strict(each) for each in inner)
