"""Reads a TOML file, and changes values in it while keeping comments, order and layout (tomlkit)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import tomlkit
from tomlkit.exceptions import ConvertError, TOMLKitError
from tomlkit.items import AoT, Comment, InlineTable, Item, Key, Table

from cdp_agent.errors import SetupError

_Part = tuple[Key | None, Item]
"""A part of a document: a key with its value, or white space or a comment without a key."""


def keys(text: str) -> dict[str, tuple[object, int, bool]]:
    """The top-level keys, each with its value, its line from 1, and whether it is a table of several lines.

    Raises ValueError.
    """
    try:
        document = tomlkit.parse(text)
    except TOMLKitError as error:
        ended = "'\\x00'" in str(error)  # tomlkit's name for the end of the text, at a meaningless position
        raise ValueError("it ends in the middle of a value" if ended else str(error)) from error
    values = document.unwrap()
    entries: dict[str, tuple[object, int, bool]] = {}
    line = 1
    for key, item in document.body:
        if key is not None:
            entries.setdefault(key.key, (values[key.key], line, _is_table(item)))
        line += _written([(key, item)]).count("\n")
    return entries


def changed(text: str, values: Mapping[str, object]) -> str:
    """The text with these values for its top-level keys; new keys are added before the tables, None removes a key.

    Raises SetupError for a value that TOML cannot represent.
    """
    for name, value in values.items():
        document = tomlkit.parse(text)
        if value is None:
            document.pop(name, None)
        elif name in document:
            document[name] = _item(value)
        else:
            place = _end_of_top(document.body)
            before = _written(document.body[:place])
            line = tomlkit.document().add(name, _item(value)).as_string()
            apart = "\n" if before and not before.endswith("\n") else ""
            text = before + apart + line + _written(document.body[place:])
            continue
        text = document.as_string()
    return text


def _end_of_top(parts: list[_Part]) -> int:
    """The index after the last value, or that of the first table or the comment that introduces it."""
    tables = [index for index, (key, item) in enumerate(parts) if key is not None and _is_table(item)]
    values = [index for index, (key, item) in enumerate(parts) if key is not None and not _is_table(item)]
    if values:
        return values[-1] + 1
    index = tables[0] if tables else len(parts)
    while tables and index and isinstance(parts[index - 1][1], Comment):
        index -= 1
    return index


def _is_table(item: Item) -> bool:
    return isinstance(item, Table | AoT)


def _written(parts: Iterable[_Part]) -> str:
    document = tomlkit.document()
    document.body.extend(parts)
    return document.as_string()


def _item(value: object) -> Item:
    """The value as TOML on one line: lists and tables are written inline, never as tables of the file."""
    match value:
        case dict():
            table: InlineTable = tomlkit.inline_table()
            table.update({str(name): _item(each) for name, each in value.items()})
            return table
        case list() | tuple():
            array = tomlkit.array()
            for each in value:
                array.append(_item(each))
            return array
    try:
        item: Item = tomlkit.item(value)
    except ConvertError:
        raise SetupError(f"{value!r} cannot be written in TOML.") from None
    return item
