"""What a figure in a text is, and the units that numbers have."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

import msgspec

Kind = Literal["number", "date", "time", "duration", "version", "digits"]
LEAST_DIGITS = 7
_LONGEST_PREFIX = 4  # digits of a country code and a trunk prefix
_DEGREES = ("°c", "°f")


class Figure(msgspec.Struct, frozen=True):
    """A figure in a text from `start` to `end`, including its unit.

    `values` are all its possible meanings, since 1.299 may be 1299 or a little over one: numbers, dates as (year or 0,
    month, day or 0), times as minutes of the day, durations as (months, seconds), or strings: versions, digits.
    `unit` and `per` may be "".
    """

    kind: Kind
    values: frozenset[object]
    start: int
    end: int
    unit: str = ""
    per: str = ""
    bare: frozenset[object] = frozenset()
    """The numbers without the scale that follows them, such as "million"."""
    part: bool = False
    """Whether it is a number within a date or a time, and no year: nothing that is counted."""
    negative: bool = False
    """Whether a number has a minus before it, or is in brackets, as losses are."""
    second: int | None = None
    zone: int | None = None
    """The zone of a time in minutes east of UTC, if the text names it."""

    def shows(self, claim: Figure) -> bool:
        """Whether this figure, on a page, supports a claim. A unit that only one of the two has is no contradiction."""
        if self.kind != claim.kind:
            return False
        match self.kind:
            case "date":
                return any(_same_date(mine, theirs) for mine in self.values for theirs in claim.values)
            case "digits":
                return any(_same_digits(mine, theirs) for mine in self.values for theirs in claim.values)
            case "number":
                values = self.values if claim.unit else self.values | self.bare
                return not values.isdisjoint(claim.values) and self._has_sign_of(claim) and self._has_units_of(claim)
        return not self.values.isdisjoint(claim.values) and all(
            None in pair or pair[0] == pair[1] for pair in ((self.zone, claim.zone), (self.second, claim.second))
        )

    def _has_sign_of(self, claim: Figure) -> bool:
        """Whether a negative number is claimed of one. What has a minus may be claimed without, as a discount is."""
        return self.negative if claim.negative else not (self.negative and self.unit in _DEGREES)

    def _has_units_of(self, claim: Figure) -> bool:
        return is_same_unit(self.unit, claim.unit) and is_same_unit(self.per, claim.per)


def _same_date(mine: object, theirs: object) -> bool:
    """Whether a date on a page supports a claimed one: a day must be the same if claimed, a year if both have one."""
    assert isinstance(mine, tuple)  # figures of the kind "date"
    assert isinstance(theirs, tuple)
    (year, month, day), (other_year, other_month, other_day) = mine, theirs
    return (
        month == other_month
        and (not other_day or day == other_day)
        and year in (other_year, 0, year * (not other_year))
    )


def _same_digits(mine: object, theirs: object) -> bool:
    """Whether two numbers are the same, apart from a country code."""
    short, long = sorted((str(mine).lstrip("0"), str(theirs).lstrip("0")), key=len)
    return len(short) >= LEAST_DIGITS and long.endswith(short) and len(long) - len(short) <= _LONGEST_PREFIX


def _table(words: str) -> dict[str, str]:
    """Each spelling, mapped to the first spelling in its line."""
    return {each: line.split()[0] for line in words.strip().split("\n") for each in line.split()}


UNITS = _table("""
    kg kgs kilo kilos kilogram kilograms
    g gram grams
    mg milligram milligrams
    t tonne tonnes ton tons
    lb lbs
    pound pounds
    oz ounce ounces
    km kilometre kilometres kilometer kilometers
    m metre metres meter meters
    cm centimetre centimetres centimeter centimeters
    mm millimetre millimetres millimeter millimeters
    mi mile miles
    ft foot feet
    l litre litres liter liters
    ml millilitre millilitres milliliter milliliters
    m2 sqm m²
    km2 km²
    m3 m³
    km3 km³
    h hr hrs hour hours std stunde stunden timer heure heures 時間 小时 小時 시간
    min mins minute minutes minuten minutt minutter 分钟 分鐘 分間
    s sec secs second seconds sekunde sekunden sekund sekunder 秒
    ms millisecond milliseconds
    day days d tag tage tagen dag dager
    week weeks wk woche wochen uke uker veckor
    month months mo mth monat monate monaten måned måneder
    year years yr yrs jahr jahre jahren år
    night nights
    person people persons guest guests
    gb gigabyte gigabytes gib ギガバイト
    mb megabyte megabytes mib メガバイト
    kb kilobyte kilobytes kib キロバイト
    tb terabyte terabytes tib テラバイト
    kwh
    kw kilowatt kilowatts
    w watt watts
    v volt volts
    hz hertz
    ghz
    mhz
    px pixel pixels
    °c ℃ celsius
    °f ℉ fahrenheit
    % percent prozent prosent pct
""")
CURRENCIES = _table("""
    eur € euro euros
    $ dollar dollars
    usd us$
    cad ca$ c$
    aud au$ a$
    nzd nz$
    sgd s$
    hkd hk$
    gbp £
    ¥ yen yuan
    jpy 円
    cny rmb 元
    kr kroner kronor
    nok
    sek
    dkk
    isk
    chf fr. sfr. franken
    inr ₹ rs rs. rupees
    rub ₽
    krw ₩ 원
    try ₺
    uah ₴
    ils ₪
    vnd ₫
    thb ฿
    php ₱
    pln zł
    czk kč
    brl r$
    mxn mx$
    zar
    aed
""")
_AMBIGUOUS_UNITS = {
    "pound": ("lb", "gbp"),
    "$": ("usd", "cad", "aud", "nzd", "sgd", "hkd"),
    "kr": ("nok", "sek", "dkk", "isk"),
    "¥": ("jpy", "cny"),
}
"""Units whose name is ambiguous, with the units that it may mean."""


def either(words: Iterable[str]) -> str:
    """A pattern for any of the words, the longest first."""
    return "|".join(re.escape(each) for each in sorted(words, key=len, reverse=True))


UNSEPARATED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\uff0f\U00020000-\U0003ffff"
"""For a class of characters: scripts that do not separate words from each other, or from figures."""
WORD_ENDS = rf"(?:(?![^\W\d_])|(?=[{UNSEPARATED}]))"
_CURRENCY = re.compile(rf"(?<![^\W\d_])(?:{either(CURRENCIES)}){WORD_ENDS}")
_NAMED_UNIT = re.compile(rf"(?<![^\W\d_])({either(CURRENCIES | UNITS)}){WORD_ENDS}")


def unit_called(name: str) -> str:
    """The unit or currency of this name, as the names of one unit share it; "" if it is none."""
    return CURRENCIES.get(name) or UNITS.get(name, "")


def units_in(text: str) -> frozenset[str]:
    """The units and currencies that a text names."""
    return frozenset(unit_called(match[1]) for match in _NAMED_UNIT.finditer(text))


def without_currencies(text: str) -> str:
    """The text without the currencies that it names."""
    return _CURRENCY.sub(" ", text)


def is_currency(unit: str) -> bool:
    """Whether a figure of this unit is an amount of money."""
    return unit in CURRENCIES


def is_same_unit(mine: str, theirs: str) -> bool:
    """Whether two units may be one; a figure without a unit ("") contradicts none."""
    if mine == theirs or not mine or not theirs:
        return True
    return theirs in _AMBIGUOUS_UNITS.get(mine, ()) or mine in _AMBIGUOUS_UNITS.get(theirs, ())


def is_among(unit: str, units: Iterable[str]) -> bool:
    """Whether a unit may be one of the units, as "$" may be "usd"."""
    return any(is_same_unit(unit, other) for other in units)
