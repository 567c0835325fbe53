"""The meaning of the values in a column, which are texts of a page or what a model extracted."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, TypeGuard

from cdp_agent.errors import InvalidArguments
from cdp_agent.extract.cells import DATES, NUMBERS, LeafSchema, values_of
from cdp_agent.page.data.cell_texts import BOOLEANS, Unfit, Value
from cdp_agent.tools.as_csv import text_of


def folded(value: object) -> str:
    """A value as it is compared: without regard to letter case and white space."""
    return " ".join(text_of(value).split()).casefold()


def boolean(value: object) -> bool | None:
    """Whether a value says yes or no; None if neither."""
    return value if isinstance(value, bool) else BOOLEANS.get(folded(value))


def numbers(*columns: Sequence[object]) -> list[list[int | float | None]] | None:
    """The numbers of columns that are written alike: `$ 1,234.50` is 1234.5; None if one of them has none.

    A cell is None that is not one number with its unit. Raises InvalidArguments for a number that is not clear, as one
    in another unit, or 1.299, which may be 1299, if no other cell tells.
    """
    read = iter(meanings(list(chain(*columns)), NUMBERS))
    split = [[_number(next(read)) for _ in column] for column in columns]
    if not all(any(number is not None for number in column) for column in split):
        return None
    for value, number in zip(chain(*columns), chain(*split), strict=True):
        if isinstance(number, Unfit):
            raise InvalidArguments(f"{text_of(value)!r} {number.why}: extract gives rows with numbers.")
    return split


def dates(*columns: Sequence[object]) -> list[list[str | None]] | None:
    """The dates of columns by ISO 8601, None for a cell that does not name exactly one day; None if one has none."""
    read = [[day if isinstance(day, str) else None for day in meanings(column, DATES)] for column in columns]
    return read if all(any(column) for column in read) else None


def meanings(values: Sequence[object], leaf: LeafSchema) -> list[Any]:
    """What the texts among the values are as such of the schema, MISSING or Unfit; other values stay as they are."""
    texts: dict[str, Value] = {text_of(value): value for value in values if _is_text(value)}
    read = dict(zip(texts, values_of(list(texts.values()), leaf, {}, {}), strict=True))
    return [read[text_of(value)] if _is_text(value) else value for value in values]


def _is_text(value: object) -> TypeGuard[Value]:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(part, str) for part in value))


def _number(meaning: Any) -> Any:
    """A number, or one that is not clear; else None."""
    is_number = isinstance(meaning, int | float) and not isinstance(meaning, bool)
    return meaning if is_number or (isinstance(meaning, Unfit) and meaning.is_number) else None
