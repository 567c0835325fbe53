"""Lenient parsing of a model's arguments: the one place that accepts other spellings of names and forms of values."""

from __future__ import annotations

from typing import Any

import msgspec

from cdp_agent.patterns import pattern
from cdp_agent.providers.base import REF_PATTERN
from cdp_agent.providers.shared.json_reading import decode, read_object

_REF = pattern(r"""[\[({<"'`\s]*(?:ref\s*[=:]\s*)?["']?[eE]?([1-9][0-9]*)[\])}>"'`\s]*""")

_ELEMENT = pattern(REF_PATTERN)
_NUMBERS = pattern(r"[\s,]+")


def coerce(arguments: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """The arguments with names and values converted to what the schema asks for, where that is unambiguous."""
    properties: dict[str, Any] = schema["properties"]
    names = {_squash(name): name for name in properties}
    result = {}
    for name, value in arguments.items():
        parameter = names.get(_squash(name), name)
        if parameter not in properties:
            result[name] = value
        elif value is not None or parameter in schema["required"]:
            result[parameter] = _coerce_value(value, properties[parameter])
    return result


def is_ref(value: str) -> bool:
    """Whether the text can only be a ref, in any accepted spelling."""
    return _REF.fullmatch(value) is not None


def is_element(value: str) -> bool:
    """Whether the text can only be meant as a ref or a locator."""
    return is_ref(value) or _ELEMENT.fullmatch(value) is not None


def _squash(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _coerce_value(value: object, schema: dict[str, Any]) -> Any:
    kind = schema.get("type")
    if kind == "array":
        return _coerce_list(value, schema.get("items", {}))
    if isinstance(value, dict) and "properties" in schema:
        return coerce(value, schema)
    if kind == "string" and isinstance(value, bool | int | float):
        value = msgspec.json.encode(value).decode()
    if not isinstance(value, str):
        return value
    if kind == "object":
        return read_object(value)
    if schema.get("pattern") == REF_PATTERN:
        match = _REF.fullmatch(value)
        return f"E{match[1]}" if match else value.strip().removeprefix("- ")
    if "enum" in schema:
        return next((each for each in schema["enum"] if str(each).lower() == value.strip().lower()), value)
    return value


def _coerce_list(value: Any, items: dict[str, Any]) -> Any:
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = decode(value)
        except ValueError:
            value = [value]
    elif not isinstance(value, list | tuple):
        value = [value]
    if items.get("type") in ("integer", "number"):  # "10, 20", as people type several numbers
        value = [part for each in value for part in (_NUMBERS.split(each) if isinstance(each, str) else [each])]
    return [_coerce_value(each, items) for each in value]
