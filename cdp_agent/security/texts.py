"""All the texts in a value of structs, lists and dicts, and the same value with others in their place."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeVar

import msgspec

_T = TypeVar("_T")


def with_texts(value: _T, change: Callable[[str, str], str], name: str = "", *, is_row: bool = False) -> _T:
    """The same value with `change(text, name)` in place of each text; the value itself if nothing changes.

    The name is that of the field or key that holds the text, also in a list; in a list inside of a list, such as a row
    of a table (`is_row`), with the place in it. Keys are texts, too; bytes are not. Numbers count as texts, except in
    fields that are to hold numbers; a list of integers counts as one text.
    """
    result: object = value
    match value:
        case str():
            result = change(value, name)
        case int() | float() if not isinstance(value, bool):
            written = _written(value)
            new_text = change(written, name)
            result = value if new_text == written else new_text
        case msgspec.Struct():
            old = {field: getattr(value, field) for field in value.__struct_fields__}
            for field in [field for field, was in old.items() if isinstance(was, int | float)]:
                if field not in _untyped_fields(type(value)):
                    del old[field]
            new = {field: new for field, was in old.items() if (new := with_texts(was, change, field)) is not was}
            result = msgspec.structs.replace(value, **new) if new else value
        case list() | tuple() if value and not is_row and all(type(entry) is int for entry in value):
            written = " ".join(map(str, value))  # characters, perhaps
            new_text = change(written, name)
            result = value if new_text == written else type(value)([new_text])
        case list() | tuple():
            names = [f"{name}[{place}]" for place in range(len(value))] if is_row else [name] * len(value)
            items = [with_texts(entry, change, its, is_row=True) for entry, its in zip(value, names, strict=True)]
            changed = any(new is not old for new, old in zip(items, value, strict=True))
            result = type(value)(items) if changed else value
        case dict():
            pairs = {
                with_texts(key, change, "") if isinstance(key, str) else key: with_texts(entry, change, str(key))
                for key, entry in value.items()
            }
            changed = any(
                new is not old for new, old in zip([*pairs, *pairs.values()], [*value, *value.values()], strict=False)
            )
            result = pairs if changed else value
    return result  # type: ignore[return-value]  # of the same type in every case


def _written(number: float) -> str:
    """The number as text; one such as 75.0 as it is in JavaScript."""
    return str(int(number)) if isinstance(number, int) or number.is_integer() else repr(number)


@cache
def _untyped_fields(kind: type[msgspec.Struct]) -> frozenset[str]:
    """The fields of the struct that may hold anything, in which a number may be one from a page."""
    annotations = [getattr(base, "__annotations__", {}) for base in kind.__mro__]
    return frozenset(name for each in annotations for name, holds in each.items() if "Any" in str(holds))
