"""The meaning of the texts in a column: numbers with their units, dates, yes and no."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

from cdp_agent.extract.figure import Figure, is_currency
from cdp_agent.extract.figures import figures
from cdp_agent.extract.grounding import normalise
from cdp_agent.tools.as_csv import text_of

Date = tuple[int, int, int]
_LONGEST = 100
_PLAIN = re.compile(r"\s*-?\d{1,15}(?:\.(?:\d{1,2}|\d{4,15}))?\s*")
_STRUCK = re.compile(r"~~.*?~~")
_BEFORE = re.compile(r"[^\w-]*(-?)[^\w-]*")
_DECIMAL = re.compile(r"\d([.,])(?!\d{3}(?!\d))\d+(?!.*\d)")
"""A sign before another number of digits than three, which can only be a decimal sign."""
_MEANINGS = {"yes": True, "true": True, "✓": True, "✔": True, "no": False, "false": False, "✗": False, "✘": False}


def folded(value: object) -> str:
    """A value as it is compared: without regard to letter case and white space."""
    return " ".join(text_of(value).split()).casefold()


def boolean(value: object) -> bool | None:
    """Whether a value says yes or no; None if neither."""
    return value if isinstance(value, bool) else _MEANINGS.get(folded(value))


def numbers(values: Sequence[object]) -> list[int | float | None]:
    """The numbers of a column, None for a cell that is not one number with its unit: `$ 1,234.50` is 1234.5.

    Whether 1.299 is a little over one is told by the other cells, or by a currency: no price has three decimals.
    """
    decimal_signs = {match[1] for value in values if (match := _DECIMAL.search(_short(value)))}
    return [
        value
        if isinstance(value, int | float) and not isinstance(value, bool)
        else _number(_short(value), decimal_signs)
        for value in values
    ]


def dates(values: Sequence[object]) -> list[Date | None]:
    """The dates of a column as (year, month, day), None for a cell that does not name exactly one day."""
    return [_date(figures(normalise(_short(value)))) for value in values]


def _short(value: object) -> str:
    """A value as text, "" for one that is too long for a number or a date."""
    text = "" if isinstance(value, bool) else text_of(value)
    return text if len(text) <= _LONGEST else ""


def _date(shown: list[Figure]) -> Date | None:
    days = [cast(Date, day) for figure in shown if figure.kind == "date" for day in figure.values]  # of this kind
    return days[0] if len(days) == 1 and all(days[0]) else None


def _number(text: str, decimal_signs: set[str]) -> int | float | None:
    if _PLAIN.fullmatch(text):
        return _plain(float(text))
    text = normalise(_STRUCK.sub("", text))
    shown = figures(text)
    before = _BEFORE.fullmatch(text, 0, shown[0].start) if len(shown) == 1 else None
    if before is None or shown[0].kind != "number":
        return None
    meanings = sorted(cast(frozenset[float], shown[0].values))  # of this kind
    is_small = len(meanings) > 1 and shown[0].unit != "%" and _is_decimal(text, shown[0], decimal_signs)
    number = meanings[0 if is_small else -1]
    return _plain(-abs(number) if before[1] else number)


def _is_decimal(text: str, figure: Figure, decimal_signs: set[str]) -> bool:
    """Whether the sign before three digits, as in 1.299, separates decimals."""
    numeral = text[figure.start : figure.end]
    if decimal_signs:
        return any(sign in numeral for sign in decimal_signs)
    return "." in numeral and not is_currency(figure.unit)


def _plain(number: float) -> int | float:
    return int(number) if number.is_integer() else number
