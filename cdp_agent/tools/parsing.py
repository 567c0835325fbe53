"""Reading what a model meant: the one place that is lenient about the form of arguments."""

from __future__ import annotations

import re
from typing import Any

import msgspec

REF_PATTERN = "^E[1-9][0-9]*$"
_REF = re.compile(r"""[\[({<"'`\s]*(?:ref\s*[=:]\s*)?["']?[eE]?([1-9][0-9]*)[\])}>"'`\s]*""")


def read_object(text: str) -> dict[str, Any]:
    """The JSON object in a model's text: bare, quoted as a string, or the first one within other words.

    Raises ValueError with the place where reading it ended.
    """
    if not text.strip():
        return {}
    try:
        found = msgspec.json.decode(text)
        if isinstance(found, str):
            found = msgspec.json.decode(found)
    except msgspec.DecodeError as error:
        inner = _first_object(text)
        if inner is None:
            raise ValueError(f"the arguments are not JSON ({error})") from error
        found = msgspec.json.decode(inner)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise ValueError(f"the arguments must be a JSON object, not {type(found).__name__}")
    return found


def coerce(found: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """The same arguments with names and values in the form that the schema asks for, where that is plain."""
    properties: dict[str, Any] = schema["properties"]
    names = {_squash(name): name for name in properties}
    result = {}
    for name, value in found.items():
        known = names.get(_squash(name), name)
        if known not in properties:
            result[name] = value
        elif value is not None or known in schema["required"]:
            result[known] = _coerce_value(value, properties[known])
    return result


def _squash(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _coerce_value(value: Any, schema: dict[str, Any]) -> Any:
    kind = schema.get("type")
    if kind == "array":
        return _coerce_list(value, schema.get("items", {}))
    if kind == "string" and isinstance(value, bool | int | float):
        value = msgspec.json.encode(value).decode()
    if not isinstance(value, str):
        return value
    if kind == "object":
        return read_object(value)
    if schema.get("pattern") == REF_PATTERN:
        match = _REF.fullmatch(value)
        return f"E{match[1]}" if match else value
    if "enum" in schema:
        return next((each for each in schema["enum"] if str(each).lower() == value.strip().lower()), value)
    return value


def _coerce_list(value: Any, items: dict[str, Any]) -> Any:
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = msgspec.json.decode(value)
        except msgspec.DecodeError:
            value = [value]
    elif not isinstance(value, list | tuple):
        value = [value]
    return [_coerce_value(each, items) for each in value]


def _first_object(text: str) -> str | None:
    """The first balanced {...} that is JSON, such as one in a Markdown fence or with text after it."""
    start = text.find("{")
    while start >= 0:
        end = _end_of_object(text, start)
        if end is None:
            return None
        candidate = text[start:end]
        try:
            msgspec.json.decode(candidate)
        except msgspec.DecodeError:
            start = text.find("{", start + 1)
        else:
            return candidate
    return None


def _end_of_object(text: str, start: int) -> int | None:
    depth, quoted, escaped = 0, False, False
    for index in range(start, len(text)):
        char = text[index]
        if quoted:
            quoted = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"':
            quoted = True
        elif char in "{}":
            depth += 1 if char == "{" else -1
            if depth == 0:
                return index + 1
    return None
