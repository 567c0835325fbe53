"""Which parts of JSON Schema each provider accepts: the one place that knows which keywords it would refuse.

Leaving keywords out makes a schema more permissive, never stricter, and replies are checked against the whole schema
later. One exception: objects are closed for Anthropic, which accepts no others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_COMMON = {
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "anyOf",
    "$ref",
    "$defs",
    "title",
    "description",
}
_OPENAI = _COMMON | {"const"}
_ANTHROPIC = _COMMON | {"const", "allOf", "default", "format", "definitions"}
_ANTHROPIC_FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}
_GEMINI = _COMMON | {"$id", "$anchor", "format", "prefixItems", "minItems", "maxItems", "minimum", "maximum", "oneOf"}
# Without these, a closed object would be stricter, or a value would not be constrained at all.
_NOT_TO_LEAVE_OUT = {"patternProperties", "propertyNames", "unevaluatedProperties", "$dynamicRef"}

_OF_ONE = ("items", "additionalProperties")
_OF_LIST = ("anyOf", "oneOf", "allOf", "prefixItems")
_OF_NAMED = ("properties", "$defs", "definitions")


def can_be_strict(schema: object) -> bool:
    """Whether OpenAI can enforce the schema in strict mode, which refuses any other.

    Every object has to be closed, with all its properties required, and only certain keywords are allowed:
    https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
    """
    if not isinstance(schema, dict) or not schema.keys() <= _OPENAI:
        return False
    properties = schema.get("properties", {})
    if _is_object(schema):
        if schema.get("additionalProperties") is not False or set(schema.get("required", ())) != set(properties):
            return False
    elif not schema.keys() & {"type", "enum", "const", "anyOf", "$ref"}:
        return False
    inner = [*properties.values(), *schema.get("$defs", {}).values(), *schema.get("anyOf", ())]
    if "items" in schema:
        inner.append(schema["items"])
    return all(can_be_strict(each) for each in inner)


def for_gemini(schema: object) -> Any:
    """The schema with the keywords that Gemini knows.

    https://ai.google.dev/api/generate-content#FIELDS.response_json_schema
    """
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:  # next to which Gemini accepts only names that begin with $
        return {name: value for name, value in _within(schema, for_gemini).items() if name.startswith("$")}
    reduced = {name: value for name, value in schema.items() if name in _GEMINI}
    if "const" in schema:
        reduced["enum"] = [schema["const"]]
    if not all(isinstance(each, str | int | float) and not isinstance(each, bool) for each in reduced.get("enum", ())):
        del reduced["enum"]
    return _within(reduced, for_gemini)


def for_anthropic(schema: object) -> dict[str, Any] | None:
    """The schema with the keywords that Anthropic can enforce, None if it cannot enforce the schema.

    https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
    """
    try:
        return _for_anthropic(schema) if isinstance(schema, dict) and not _is_recursive(schema) else None
    except _Inexpressible:
        return None


class _Inexpressible(Exception):
    """A schema needs a keyword that the provider does not have."""


def _for_anthropic(schema: object) -> dict[str, Any]:
    if not isinstance(schema, dict) or schema.keys() & _NOT_TO_LEAVE_OUT:
        raise _Inexpressible
    reduced = {name: value for name, value in schema.items() if name in _ANTHROPIC}
    if schema.get("minItems") in (0, 1):
        reduced["minItems"] = schema["minItems"]
    if "oneOf" in schema:
        reduced["anyOf"] = [*reduced.get("anyOf", ()), *schema["oneOf"]]
    if not reduced.keys() & {"type", "enum", "const", "anyOf", "allOf", "$ref"}:
        raise _Inexpressible
    if reduced.get("format") not in _ANTHROPIC_FORMATS:
        reduced.pop("format", None)
    if dropped := [name for name in schema if name not in reduced and name not in ("oneOf", "$schema")]:
        note = f"{{{', '.join(f'{name}: {schema[name]}' for name in dropped)}}}"
        reduced["description"] = f"{schema['description']}\n\n{note}" if "description" in schema else note
    if _is_object(schema):
        if reduced.pop("additionalProperties", False) is not False:
            raise _Inexpressible
        return {**_within(reduced, _for_anthropic), "additionalProperties": False}
    reduced.pop("additionalProperties", None)
    return _within(reduced, _for_anthropic)


def _is_object(schema: dict[str, Any]) -> bool:
    kind = schema.get("type")
    return kind == "object" or "properties" in schema or (isinstance(kind, list) and "object" in kind)


def _within(schema: dict[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """The schema with each schema in it changed."""
    changed = dict(schema)
    for name, value in schema.items():
        if name in _OF_ONE:
            changed[name] = change(value)
        elif name in _OF_LIST:
            changed[name] = [change(subschema) for subschema in value]
        elif name in _OF_NAMED:
            changed[name] = {key: change(subschema) for key, subschema in value.items()}
    return changed


def _is_recursive(schema: dict[str, Any]) -> bool:
    """Whether a definition refers back to itself."""
    definitions: dict[str, Any] = {
        f"#/{where}/{name}": value
        for where in ("$defs", "definitions")
        for name, value in schema.get(where, {}).items()
    }
    leads_to = {name: set(_references(value)) for name, value in definitions.items()}
    for start, next_ones in leads_to.items():
        reached: set[str] = set()
        ahead = set(next_ones)
        while ahead:
            reached |= ahead
            ahead = {each for name in ahead for each in leads_to.get(name, ())} - reached
        if start in reached:
            return True
    return "#" in _references(schema)


def _references(schema: object) -> list[str]:
    if isinstance(schema, dict):
        own = [schema["$ref"]] if isinstance(schema.get("$ref"), str) else []
        return own + [each for value in schema.values() for each in _references(value)]
    return [each for value in schema for each in _references(value)] if isinstance(schema, list) else []
