"""What each provider is sent of a JSON Schema."""

from __future__ import annotations

from typing import Any

import pytest

from cdp_agent.providers.shared.json_schemas import can_be_strict, for_anthropic, for_gemini
from tests.tables import table

TEXT = {"type": "string"}


def closed(**properties: Any) -> dict[str, Any]:
    required = list(properties)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


@table(
    ("schema", "strict"),
    [
        (closed(a=TEXT), True),
        (closed(a={"type": ["string", "null"]}, b={"enum": [1, 2]}), True),
        (closed(a={"type": "array", "items": closed(b=TEXT)}), True),
        ({**closed(a={"$ref": "#/$defs/t"}), "$defs": {"t": TEXT}}, True),
        (closed(a={"anyOf": [TEXT, closed(b=TEXT)]}), True),
        ({"type": "object", "properties": {"a": TEXT}, "required": ["a"]}, False),
        ({**closed(a=TEXT), "required": []}, False),
        (closed(a={"type": "string", "minLength": 1}), False),
        (closed(a={"type": "array", "items": {"type": "object"}}), False),
        (closed(a={}), False),
        (closed(a=True), False),
    ],
)
def test_only_what_the_provider_takes_is_strict(schema: dict[str, Any], strict: bool) -> None:
    assert can_be_strict(schema) is strict


@table(
    ("schema", "sent"),
    [
        ({"type": "string", "pattern": "^E", "minLength": 1, "default": "E1"}, {"type": "string"}),
        ({"const": "a"}, {"enum": ["a"]}),
        ({"enum": [1, None, "a"], "title": "A"}, {"title": "A"}),
        ({"const": True, "type": "boolean"}, {"type": "boolean"}),
        (
            {"type": "array", "items": {"oneOf": [TEXT, {"type": "integer", "exclusiveMinimum": 0}]}, "maxItems": 3},
            {"type": "array", "items": {"oneOf": [TEXT, {"type": "integer"}]}, "maxItems": 3},
        ),
        ({"$ref": "#/$defs/t", "description": "T"}, {"$ref": "#/$defs/t"}),
        (
            {"type": "object", "properties": {"pattern": {"$ref": "#/$defs/t"}}, "$defs": {"t": {"minLength": 1}}},
            {"type": "object", "properties": {"pattern": {"$ref": "#/$defs/t"}}, "$defs": {"t": {}}},
        ),
        (
            {"type": "object", "additionalProperties": {"type": "string", "pattern": "a"}},
            {"type": "object", "additionalProperties": TEXT},
        ),
        (True, True),
    ],
)
def test_gemini_gets_the_keywords_that_it_knows(schema: Any, sent: Any) -> None:
    assert for_gemini(schema) == sent


@table(
    ("schema", "sent"),
    [
        (
            {"type": "object", "properties": {"a": TEXT}},
            {"type": "object", "properties": {"a": TEXT}, "additionalProperties": False},
        ),
        (closed(a={"oneOf": [TEXT, {"type": "null"}]}), closed(a={"anyOf": [TEXT, {"type": "null"}]})),
        (
            closed(a={"type": "integer", "minimum": 1, "maximum": 3}),
            closed(a={"type": "integer", "description": "{minimum: 1, maximum: 3}"}),
        ),
        (
            closed(a={"type": "string", "format": "color", "description": "Its hue."}),
            closed(a={"type": "string", "description": "Its hue.\n\n{format: color}"}),
        ),
        (closed(a={"type": "string", "format": "date"}), closed(a={"type": "string", "format": "date"})),
        (
            closed(a={"type": "array", "items": TEXT, "minItems": 1, "maxItems": 3}),
            closed(a={"type": "array", "items": TEXT, "minItems": 1, "description": "{maxItems: 3}"}),
        ),
    ],
)
def test_anthropic_enforces_what_it_can_and_reads_the_rest(schema: dict[str, Any], sent: dict[str, Any]) -> None:
    assert for_anthropic(schema) == sent


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "additionalProperties": True},
        {"type": "object", "additionalProperties": TEXT},
        {"type": "object", "properties": {"a": {}}},
        {"type": "object", "properties": {"a": True}},
        {"type": "object", "properties": {}, "patternProperties": {"^a": TEXT}},
        {**closed(a={"$ref": "#/$defs/t"}), "$defs": {"t": closed(b={"$ref": "#/$defs/t"})}},
        {
            **closed(a={"$ref": "#/$defs/t"}),
            "$defs": {"t": closed(b={"$ref": "#/$defs/u"}), "u": {"$ref": "#/$defs/t"}},
        },
        closed(a={"$ref": "#"}),
    ],
    ids=["open", "a map", "anything", "true", "by pattern", "recursive", "in a circle", "itself"],
)
def test_what_anthropic_cannot_enforce_is_not_sent(schema: dict[str, Any]) -> None:
    assert for_anthropic(schema) is None
