"""Values that a page wrote to its console, as text, from the previews that Chrome makes of objects.

https://chromedevtools.github.io/devtools-protocol/tot/Runtime/#type-ObjectPreview
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from cdp_agent.cdp.runtime import EntryPreview, ObjectPreview, PropertyPreview, RemoteObject
from cdp_agent.patterns import pattern

_DIRECTIVE = pattern(r"%[sdifoOc%]")
"""https://console.spec.whatwg.org/#formatting-specifiers"""
_INTEGER = pattern(r"\s*([+-]?\d+)")
_NUMBERS = {
    "%d": _INTEGER,
    "%i": _INTEGER,
    "%f": pattern(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)", re.IGNORECASE),
}
"""What is read of a value, as `parseInt` and `parseFloat` do."""
_PLAIN_KINDS = ("Object", "Array")
_LEFT_OUT = "…"


def written(values: Sequence[RemoteObject]) -> str:
    """The values as a console prints them: the first may say in its directives where others go."""
    rest = list(values)
    parts: list[str] = []
    if rest and rest[0].type == "string":
        parts.append(_DIRECTIVE.sub(lambda match: _directed(match[0], rest), value_text(rest.pop(0))))
    return " ".join([*parts, *map(value_text, rest)])


def _directed(directive: str, values: list[RemoteObject]) -> str:
    if directive == "%%":
        return "%"
    if not values:
        return directive
    text = value_text(values.pop(0))
    if directive == "%c":
        return ""  # it is a style
    if reading := _NUMBERS.get(directive):
        number = reading.match(text)
        return number[1] if number else "NaN"
    return text


def value_text(value: RemoteObject, *, whole: bool = False) -> str:
    """A single value; a string as it is, and an error with the place where it was made. `whole`: with all its stack."""
    if value.preview is not None and value.subtype != "error":
        return _object(value.preview)
    if value.description is not None:
        message, at, stack = value.description.partition("\n    at ")
        return (
            f"{message}{at}{stack.partition(chr(10))[0]}"
            if value.subtype == "error" and not whole
            else value.description
        )
    plain = msgspec.json.decode(value.value) if bytes(value.value) else value.unserializable_value or value.type
    return plain if isinstance(plain, str) else msgspec.json.encode(plain).decode()


def _object(preview: ObjectPreview) -> str:
    kind = preview.description
    if preview.type == "function":
        return kind.partition("{")[0].strip() or "function"
    if preview.subtype in ("error", "regexp", "date", "node"):
        return kind.partition("\n")[0]
    if preview.entries:
        return f"{kind} {{{_listed(map(_entry, preview.entries), preview)}}}"
    if preview.subtype in ("array", "typedarray"):
        items = [_property(item) for item in preview.properties if item.name.isdigit()]
        name = kind.partition("(")[0]
        return f"{'' if name in _PLAIN_KINDS else name + ' '}[{_listed(items, preview)}]"
    if preview.type != "object":
        return kind
    named = (f"{item.name}: {_property(item)}" for item in preview.properties)
    return f"{'' if kind in _PLAIN_KINDS else kind + ' '}{{{_listed(named, preview)}}}"


def _listed(items: Iterable[str], preview: ObjectPreview) -> str:
    return ", ".join([*items, *([_LEFT_OUT] if preview.overflow else [])])


def _entry(entry: EntryPreview) -> str:
    value = _in_quotes(entry.value)
    return value if entry.key is None else f"{_in_quotes(entry.key)} => {value}"


def _in_quotes(preview: ObjectPreview) -> str:
    return f'"{preview.description}"' if preview.type == "string" else _object(preview)


def _property(item: PropertyPreview) -> str:
    if item.value_preview is not None:
        return _object(item.value_preview)
    if item.type == "string":
        return f'"{item.value}"'
    if item.type == "accessor":
        return "(…)"
    return item.value or item.type
