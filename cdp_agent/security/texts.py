"""All the texts in a value of structs, lists and dicts, and the same value with others in their place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec

_T = TypeVar("_T")


def with_texts(value: _T, change: Callable[[str, str], str], name: str = "") -> _T:
    """The same value with `change(text, name)` in place of each text; the value itself if nothing changes.

    The name is that of the field or key that holds the text, also in a list. Keys are texts, too; bytes are not. A list
    of integers counts as a text of numbers, which may be those of characters.
    """
    result: object = value
    match value:
        case str():
            result = change(value, name)
        case msgspec.Struct():
            old = {each: getattr(value, each) for each in value.__struct_fields__}
            new = {each: new for each, was in old.items() if (new := with_texts(was, change, each)) is not was}
            result = msgspec.structs.replace(value, **new) if new else value
        case list() | tuple() if value and all(type(each) is int for each in value):
            written = " ".join(map(str, value))  # characters, perhaps
            new_text = change(written, name)
            result = value if new_text == written else type(value)([new_text])
        case list() | tuple():
            items = [with_texts(each, change, name) for each in value]
            changed = any(new is not old for new, old in zip(items, value, strict=True))
            result = type(value)(items) if changed else value
        case dict():
            pairs = {
                with_texts(key, change, "") if isinstance(key, str) else key: with_texts(each, change, str(key))
                for key, each in value.items()
            }
            changed = any(
                new is not old for new, old in zip([*pairs, *pairs.values()], [*value, *value.values()], strict=False)
            )
            result = pairs if changed else value
    return result  # type: ignore[return-value]  # of the same type in every case
