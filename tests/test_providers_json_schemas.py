"""Which schemas OpenAI is told to enforce strictly."""

from __future__ import annotations

from typing import Any

import pytest

from cdp_agent.providers.json_schemas import can_be_strict

TEXT = {"type": "string"}


def closed(**properties: Any) -> dict[str, Any]:
    required = list(properties)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


@pytest.mark.parametrize(
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
