"""Looks for everything that a model took from a page in that page, so that an invented value is seen.

Letter case, white space, typography and punctuation make no difference, nor does the way a number, an amount of money
or a date is written.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import date
from typing import Any

import msgspec


class Ungrounded(msgspec.Struct, frozen=True):
    """A value that is nowhere on the page, and where in the result it stands (`$.flights[0].price`)."""

    path: str
    value: str | int | float


_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]|[*`~]|</?su[bp]>|\\\\(?=[!-/:-@\\[-`{-~])")
_BREAK = re.compile("<br>|  \n")
_TYPOGRAPHY = str.maketrans("‘’‚‛′“”„‟″«»–—−‐‑‒", '\'\'\'\'\'"""""""------')
_WORD = re.compile(r"\w+")
_SPACES = re.compile(r"\s+")
_HARD_SIGNS = re.compile(r"[^\w\s.,:;!?'\"()\[\]/|·•-]")
_MONEY = re.compile(
    r"[$€£¥₹₽₩₺₴₪₫฿¢]|\b(?:usd|eur|gbp|jpy|chf|cad|aud|nok|sek|dkk|inr|cny|rmb|pln|czk|brl|mxn|kr)\b\.?"
)
_NUMBER = re.compile(r"[-+]?\d(?:[\d.,'_]|\s(?=\d{3}(?!\d)))*")
_SCALED = re.compile(r"\s?(k|m|mn|mio|million|b|bn|billion|thousand|%)(?![a-z])")
_SCALES = {"k": 1e3, "thousand": 1e3, "%": 0.01, "b": 1e9, "bn": 1e9, "billion": 1e9}
_GROUPED = re.compile(r"\d{1,3}(?:[.,'_\s]\d{2,3})*[.,'_\s]\d{3}")
_ISO_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[t ].*)?")
_DIGITS = 9  # significant ones in which numbers must agree
_MONTHS = "january february march april may june july august september october november december".split()  # noqa: SIM905


def ungrounded(value: Any, text: str) -> list[Ungrounded]:
    """The strings and numbers in a JSON value that are not in the text (a page's Markdown), in order."""
    page = Page(text)
    return [Ungrounded(path, leaf) for path, leaf in _leaves(value, "$") if not page.says(leaf)]


class Page:
    """A page's text, prepared to be searched many times."""

    def __init__(self, text: str) -> None:
        self._text = normalise(text)
        self._words = f" {' '.join(_WORD.findall(self._text))} "
        self._numbers: set[str] | None = None

    def says(self, leaf: str | int | float) -> bool:
        """Whether the page has this string or number, however it is written."""
        if not isinstance(leaf, str):
            return self._has_number(float(leaf))
        wanted = normalise(leaf)
        if not wanted or self._has_text(wanted):
            return True
        amount = _MONEY.sub("", wanted).strip()
        if _NUMBER.fullmatch(amount):
            return any(self._has_number(reading) for reading in _readings(amount))
        return any(self._has_text(written) for written in _dates(wanted))

    def _has_text(self, wanted: str) -> bool:
        if self._has_exactly(wanted):
            return True
        if _HARD_SIGNS.search(wanted):  # C++ is not C
            return False
        words = _WORD.findall(wanted)
        return bool(words) and f" {' '.join(words)} " in self._words

    def _has_exactly(self, wanted: str) -> bool:
        """As it stands there, not within a longer word or number."""
        start = self._text.find(wanted)
        while start >= 0:
            end = start + len(wanted)
            if not (_joins(self._text[start - 1 : start], wanted[0]) or _joins(wanted[-1], self._text[end : end + 1])):
                return True
            start = self._text.find(wanted, start + 1)
        return False

    def _has_number(self, number: float) -> bool:
        if self._numbers is None:
            self._numbers = {_rounded(each) for each in _numbers(self._text)}
        return _rounded(number) in self._numbers or _rounded(-number) in self._numbers


def normalise(text: str) -> str:
    """Text without the marks of Markdown, in small letters, its typography plain, its white space single spaces."""
    text = unicodedata.normalize("NFKC", _UNSEEN.sub("", _BREAK.sub(" ", text))).translate(_TYPOGRAPHY)
    return _SPACES.sub(" ", text.casefold()).strip()


def _leaves(value: Any, path: str) -> Iterator[tuple[str, str | int | float]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from _leaves(inner, f"{path}[{index}]")
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield path, value


def _joins(left: str, right: str) -> bool:
    """Whether two characters belong to one word, in scripts that part their words."""
    return left.isalnum() and right.isalnum() and ord(left) < 0x2E80 and ord(right) < 0x2E80


def _rounded(number: float) -> str:
    return f"{number:.{_DIGITS}g}"


def _numbers(text: str) -> Iterator[float]:
    for match in _NUMBER.finditer(text):
        scaled = _SCALED.match(text, match.end())
        for reading in _all_readings(match[0]):
            yield reading
            if scaled:
                yield reading * _SCALES.get(scaled[1], 1e6)


def _all_readings(numeral: str) -> Iterator[float]:
    """What may be one number, or several that stand side by side: `12 345`, `1,2,3`."""
    yield from _readings(numeral)
    if " " in numeral or (numeral.count(",") > 1 and not _GROUPED.fullmatch(numeral)):
        for part in re.split("[ ,]", numeral):
            if any(char.isdigit() for char in part):
                yield from _readings(part)


def _readings(numeral: str) -> Iterator[float]:
    """What a numeral may mean: 1.299 is one thousand and something in Bergen, and one and something in Boston."""
    sign = -1.0 if numeral.startswith("-") else 1.0
    digits = numeral.strip("-+.,'_ ")
    whole, mark, fraction = "", "", digits
    for place in range(len(digits) - 1, -1, -1):
        if digits[place] in ".,":
            whole, mark, fraction = digits[:place], digits[place], digits[place + 1 :]
            break
    if not mark or whole.count(mark) or _GROUPED.fullmatch(digits):
        yield sign * float(_only_digits(digits))
    if mark and not whole.count(mark):
        yield sign * float(f"{_only_digits(whole) or '0'}.{_only_digits(fraction) or '0'}")


def _only_digits(text: str) -> str:
    return "".join(char for char in text if char.isdigit())


def _dates(text: str) -> Iterator[str]:
    """The ways in which a page may write a date that is given as 2025-03-04."""
    match = _ISO_DATE.fullmatch(text)
    if match is None:
        return
    try:
        day = date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        return
    name = _MONTHS[day.month - 1]
    yield day.isoformat()
    for month in (name, name[:3]):
        for number in (f"{day.day}", f"{day.day:02}", f"{day.day}{_ordinal(day.day)}"):
            yield f"{number} {month} {day.year}"
            yield f"{month} {number} {day.year}"
            yield f"{month} {number}"
            yield f"{number} {month}"
    for number, month in ((f"{day.day}", f"{day.month}"), (f"{day.day:02}", f"{day.month:02}")):
        for year in (f"{day.year}", f"{day.year % 100:02}"):
            yield f"{number} {month} {year}"
            yield f"{month} {number} {year}"
            yield f"{year} {month} {number}"


def _ordinal(number: int) -> str:
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number // 10 != 1 else 0, "th")
