"""Rows as values of a type of the caller's: structs of msgspec, dataclasses, typed dictionaries, models of pydantic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from types import NoneType
from typing import Any, TypeVar, get_args, get_type_hints

import msgspec

from cdp_agent.errors import InvalidArguments

from .cell_texts import BOOLEANS, MARKS, Unfit, Value, Written, as_number, text_of_cell, written
from .naming import squashed

Row = TypeVar("Row")
NewRow = TypeVar("NewRow")

_NUMERIC = {int, float, Decimal}
_MOST_NAMED = 3


def typed(rows: Sequence[Mapping[str, Value]], as_type: type[Row]) -> list[Row]:
    """The rows as values of the type. A field is that of the same name, whatever its case, spaces and underscores.

    For a number, what stands around it, as a currency, and separators of thousands are left out. Of "." and ",", that
    begins decimals by which most numbers of the column can be read; "." if it does not tell. An empty text is None
    where the type allows it, else the field's default. Raises InvalidArguments that names the rows that do not fit,
    with their values.
    """
    columns = {squashed(name): name for row in rows[::-1] for name in list(row)[::-1]}
    fields = {name: _Field(hint, columns.get(squashed(name), ""), rows) for name, hint in _hints(as_type).items()}
    values, problems = list[Row](), list[str]()
    for number, row in enumerate(rows, 1):
        read = {name: field.value(row[field.column]) for name, field in fields.items() if field.column in row}
        try:
            values.append(
                _converted({name: value for name, value in read.items() if value is not msgspec.UNSET}, as_type)
            )
        except ValueError as error:  # msgspec's, and pydantic's
            problems.append(f"row {number}, {' '.join(str(error).split())}: {dict(row)!r}")
    if problems:
        more = f", and {len(problems) - _MOST_NAMED:,} more" if len(problems) > _MOST_NAMED else ""
        message = f"{len(problems):,} of {len(rows):,} rows do not fit {as_type.__name__}"
        raise InvalidArguments(f"{message}: {'; '.join(problems[:_MOST_NAMED])}{more}.")
    return values


def _hints(as_type: type) -> dict[str, Any]:
    """The type of each field, by the name under which it is read."""
    hints = get_type_hints(as_type)
    if issubclass(as_type, msgspec.Struct):
        return {field.encode_name: hints[field.name] for field in msgspec.structs.fields(as_type)}
    models: Mapping[str, Any] = getattr(as_type, "model_fields", {})
    return {models[name].alias or name if name in models else name: hint for name, hint in hints.items()}


def _converted(values: Mapping[str, object], as_type: type[Row]) -> Row:
    validate = getattr(as_type, "model_validate", None)
    result: Row = msgspec.convert(values, as_type, strict=False) if validate is None else validate(values)
    return result


class _Field:
    """A field of the type, with the column that it is read from, "" if there is none."""

    def __init__(self, hint: object, column: str, rows: Sequence[Mapping[str, Value]]) -> None:
        self.column = column
        self._types = {hint, *get_args(hint)}
        self._is_list = any(kind is list or getattr(kind, "__origin__", None) is list for kind in self._types)
        texts = (text for row in rows if _NUMERIC & self._types and isinstance(text := row.get(column, ""), str))
        numerals = [numeral for text in texts if isinstance(numeral := written(text_of_cell(text)), Written)]
        self._mark = max(MARKS, key=lambda mark: sum(bool(self._written(numeral, mark)) for numeral in numerals))

    def value(self, text: Value) -> object:
        """What the type is given for a text: a number or boolean in its place, where it wants one."""
        if isinstance(text, list) or self._is_list:
            return text if isinstance(text, list) else [text] if text else []
        if not text.strip():
            return None if NoneType in self._types else text if str in self._types else msgspec.UNSET
        if str in self._types:
            return text
        if bool in self._types:
            return BOOLEANS.get(text.casefold(), text)
        return self._number(text) if _NUMERIC & self._types else text

    def _number(self, text: str) -> str:
        """The only number in a text as Python writes it; the text itself if it has none, or several."""
        numeral = written(text_of_cell(text))
        return text if isinstance(numeral, Unfit) else self._written(numeral, self._mark) or text

    def _written(self, numeral: Written, mark: str) -> str:
        """A number as Python writes it; "" if it is none of those that the field takes."""
        text = numeral.number(mark)
        if not text or _NUMERIC & self._types != {int}:
            return text
        number = as_number(text)
        return str(number) if isinstance(number, int) else ""
