"""The figures in a text, by their meaning: numbers with their units, dates, times of day, long numbers in groups.

`14.50€/month` and `€ 14,50 per month` are the same figure, `2026-11-22` and `Nov 22nd, 2026` the same date. Texts must
be normalised by `normalise` of grounding.py: lower case, plain dashes, single spaces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal

import msgspec

Kind = Literal["number", "date", "time", "digits"]


class Figure(msgspec.Struct, frozen=True):
    """A figure in a text from `start` to `end`, including its unit.

    `values` are all its possible meanings, since 1.299 may be 1299 or a little over one: numbers, dates as (year or 0,
    month, day or 0), times as minutes of the day, or strings of digits. `unit` and `per` may be "".
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

    def shows(self, claim: Figure) -> bool:
        """Whether this figure, on a page, supports a claim. A unit that only one of the two has is no contradiction."""
        if self.kind != claim.kind:
            return False
        match self.kind:
            case "date":
                return any(_same_date(mine, theirs) for mine in self.values for theirs in claim.values)
            case "digits":
                return any(_same_digits(mine, theirs) for mine in self.values for theirs in claim.values)
        values = self.values if claim.unit else self.values | self.bare
        return not values.isdisjoint(claim.values) and _agree(self.unit, claim.unit) and _agree(self.per, claim.per)


def _table(words: str) -> dict[str, str]:
    """Each spelling, mapped to the first spelling in its line."""
    return {each: line.split()[0] for line in words.strip().split("\n") for each in line.split()}


_UNITS = _table("""
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
    h hr hrs hour hours std stunde stunden timer
    min mins minute minutes minuten minutt minutter
    s sec secs second seconds sekunde sekunden sekund sekunder
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
_AMBIGUOUS_UNITS = {"pound": ("lb", "£")}
"""Units whose name is ambiguous, with the units that it may mean."""
_CURRENCIES = _table("""
    € eur euro euros
    $ usd cad aud nzd dollar dollars us$ ca$ a$
    £ gbp
    ¥ jpy cny rmb yen yuan 円 元
    kr nok sek dkk kroner kronor
    chf
    ₹ inr rs rs. rupees
    ₽ rub
    ₩ krw
    ₺ try
    ₴ uah
    ₪ ils
    ₫ vnd
    ฿ thb
    zł pln
    kč czk
    r$ brl
    mx$ mxn
""")
SCALES = {"k": 1e3, "thousand": 1e3, "tsd": 1e3, "lakh": 1e5, "m": 1e6, "mn": 1e6, "mio": 1e6, "million": 1e6}
SCALES |= {"millions": 1e6, "millionen": 1e6, "crore": 1e7, "b": 1e9, "bn": 1e9, "billion": 1e9, "billions": 1e9}
SCALES |= {"mrd": 1e9, "milliarden": 1e9, "trillion": 1e12, "万": 1e4, "萬": 1e4, "億": 1e8, "亿": 1e8}
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar janvier enero gennaio janeiro januari",
            "february feb februar février febrero febbraio fevereiro februari",
            "march mar märz mars marzo março maart mrz",
            "april apr avril abril aprile",
            "may mai mayo maggio maio mei maj",
            "june jun juni juin junio giugno junho",
            "july jul juli juillet julio luglio julho",
            "august aug août agosto augustus augusti",
            "september sep sept septembre septiembre settembre setembro",
            "october oct oktober okt octobre octubre ottobre outubro",
            "november nov novembre noviembre novembro",
            "december dec dezember dez desember des décembre diciembre dicembre dezembro",
        ),
        1,
    )
    for name in names.split()
}


def _either(words: dict[str, str] | dict[str, int] | dict[str, float]) -> str:
    """A pattern for any of the words, the longest first."""
    return "|".join(re.escape(each) for each in sorted(words, key=len, reverse=True))


IDEOGRAPHS = "\u2e80-\uff0f"  # scripts that do not separate words from figures
_WORD_ENDS = rf"(?:(?![^\W\d_])|(?=[{IDEOGRAPHS}]))"
_MONTH = rf"(?:{_either(_MONTHS)})(?![^\W\d_])\.?"
_ORDINAL = r"(?:st|nd|rd|th|\.|º|er)?"
_YEAR = r"(?:1[5-9]|20|21)\d\d"
_DATES = [
    re.compile(rf"(?<![\d/.-])(?P<y>{_YEAR})(?P<mark>[-/.])(?P<m>\d\d?)(?P=mark)(?P<d>\d\d?)(?!\d)"),
    re.compile(
        rf"(?<!\d)(?<!\d\.)(?P<d>\d\d?){_ORDINAL}(?: of| de)?[ -]?(?P<name>{_MONTH})"
        rf"(?:(?:,| de)?[ -]?(?P<y>{_YEAR}))?(?!\d)"
    ),
    re.compile(rf"(?<!\w)(?P<name>{_MONTH}) ?(?P<d>\d\d?){_ORDINAL}(?:,? (?P<y>{_YEAR}))?(?![\d:])"),
    re.compile(rf"(?<!\w)(?P<name>{_MONTH})(?: de)? (?P<y>{_YEAR})(?!\d)"),
    re.compile(rf"(?<!\d)(?P<y>{_YEAR}) ?年 ?(?P<m>\d\d?) ?月(?: ?(?P<d>\d\d?) ?日)?"),
    re.compile(rf"(?<![\d.])(?P<a>\d\d?)(?P<mark>[/.-])(?P<b>\d\d?)(?P=mark)(?P<y>{_YEAR}|\d\d)(?![\d.]\d|\d)"),
]
_TIME = re.compile(
    r"(?<![\d:.,])(?P<h>[01]?\d|2[0-4])(?:[:h]|\.(?=[0-5]\d\s?[ap]\.?m))(?P<m>[0-5]\d)(?::\d\d(?:\.\d+)?z?)?(?:\s?(?P<half>[ap])\.?m\b)?(?![\d:])"
)
_DOTTED = re.compile(r"(?<![\d.,€$£¥])(?P<h>[01]?\d|2[0-3])\.(?P<m>[0-5]\d)(?P<half>)(?![\d.,]*\d|\s?[%€$£¥])")
_OF_DAY = re.compile(
    r"\b(?:at|by|from|until|till|to|opens|closes|um|ab|bis|von|kl\.?|klokka|klokken) $|^\s?(?:uhr|o'clock)\b"
)
"""What stands before or behind a time: without it, a claimed 7.30 is a number."""
_TWELVE = re.compile(
    r"(?<![\d:.,])(?P<h>1[0-2]|0?[1-9])(?:\s?(?P<half>[ap])\.?m\b|(?P<m>)(?=\s?(?:-|to|and|until)\s?\d\d?(?::\d\d)?\s?[ap]\.?m\b))"
)
_GROUPS = re.compile(r"(?<![\w.,])\+?\(?\d[\d ()./-]{5,}\d(?![\w])")
LEAST_DIGITS = 7
_YEAR_DIGITS = 4
_LONGEST_PREFIX = 4  # digits of a country code and a trunk prefix

_NUMBER = re.compile(
    rf"(?:(?<!\w)(?P<before>{_either(_CURRENCIES)})[ -]?)?"
    r"(?P<numeral>\d(?:[\d.,'_]|(?<=\d)\s(?=\d{3}(?!\d)))*)(?:\^(?P<cents>\d\d)(?!\d))?"
    rf"(?:\s?(?P<scale>{_either(SCALES)})(?![^\W\d_€$£¥]))?(?:,-|\.-)?"
    rf"(?:[\s-]?(?P<after>{_either(_CURRENCIES | _UNITS)}){_WORD_ENDS})?"
    rf"(?:\s?(?:/\s?|per |a |an |pr\.? |pro )(?P<per>{_either(_UNITS)})(?![^\W\d_])|\s(?P<ly>month|year|week|hour)ly)?"
)
_CURRENCY_BEFORE = re.compile(rf"(?<!\w)({_either(_CURRENCIES)})[ -]?$")
_GROUPED = re.compile(r"\d{1,3}(?:[.,'_\s]\d{2,3})*[.,'_\s]\d{3}")
_RANGE = re.compile(r"\s?(?:-|to|and|or|bis|und|til|og|x|×)\s?")
_NAMED_UNIT = re.compile(rf"(?<![^\W\d_])({_either(_CURRENCIES | _UNITS)}){_WORD_ENDS}")
_NAMED = re.compile(r"[^\W\d_]-$")
_SIGNIFICANT = 9  # digits in which numbers must agree


def figures(text: str) -> list[Figure]:
    """The figures of a claim, in order. A number preceded by letters (E137, v2, FX-12) is a name, not a figure."""
    dates = list(_dates(text))
    taken = _blank(text, dates)
    times = [*_times(taken), *_dotted_times(taken, certain=True)]
    numbers = _of_one_range(text, list(_numbers(_blank(taken, times), _readings)))
    ends = {number.end for number in numbers}
    numbers = [number for number in numbers if number.start - 1 in ends or not _NAMED.search(text, 0, number.start)]
    return sorted([*dates, *times, *numbers], key=lambda figure: figure.start)


def all_figures(text: str) -> list[Figure]:
    """All figures that a line of a page may contain: adjacent numbers are read in every way, as are dates."""
    numbers = _of_one_range(text, list(_numbers(text, _all_readings)))
    numbers += [_with_currency_before(text, number) for number in numbers if not number.unit]  # 4 NOK 549
    moments = [*_dates(text), *_times(text)]
    parts = [_as_part(number, moments) for number in numbers] if moments else numbers
    return [*moments, *_dotted_times(text, certain=False), *parts, *long_numbers(text)]


def long_numbers(text: str) -> Iterator[Figure]:
    """Telephone, card and account numbers, regardless of how their digits are grouped."""
    for match in _GROUPS.finditer(text):
        digits = only_digits(match[0])
        if len(digits) >= LEAST_DIGITS:
            yield Figure("digits", frozenset((digits,)), *match.span())


def units_in(text: str) -> frozenset[str]:
    """The units and currencies that a text names."""
    return frozenset(_CURRENCIES.get(match[1]) or _UNITS[match[1]] for match in _NAMED_UNIT.finditer(text))


def is_currency(unit: str) -> bool:
    """Whether a figure of this unit is an amount of money."""
    return unit in _CURRENCIES


def rounded(number: float) -> float:
    """The absolute value, rounded to _SIGNIFICANT digits, but not beyond the range of floats."""
    try:
        return float(f"{abs(number):.{_SIGNIFICANT}g}")
    except OverflowError:
        return abs(number)


def only_digits(text: str) -> str:
    return "".join(char for char in text if char.isdigit())


def _blank(text: str, figures: list[Figure]) -> str:
    for each in figures:
        text = f"{text[: each.start]}{'|' * (each.end - each.start)}{text[each.end :]}"
    return text


def _dates(text: str) -> Iterator[Figure]:
    end = 0
    matches = [match for pattern in _DATES for match in pattern.finditer(text)]
    for match in sorted(matches, key=lambda each: (each.start(), -each.end())):
        if match.start() >= end and (days := frozenset(_days(match.groupdict()))):
            end = match.end()
            yield Figure("date", days, match.start(), end)


def _days(parts: dict[str, str | None]) -> Iterator[tuple[int, int, int]]:
    """The possible dates of a match: the order of day and month in 4/3/2025 is not known."""
    year = int(parts.get("y") or 0)
    year += 2000 if 0 < year < 100 else 0
    if (name := parts.get("name")) is not None:
        orders = [(_MONTHS[name.rstrip(".")], int(parts.get("d") or 0))]
    elif (first := parts.get("a")) is not None:
        orders = [(int(parts["b"] or 0), int(first)), (int(first), int(parts["b"] or 0))]
    else:
        orders = [(int(parts["m"] or 0), int(parts["d"] or 0))]
    for month, day in orders:
        if 1 <= month <= 12 and day <= 31 and (day or name or parts.get("d", "") is None):
            yield year, month, day


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


def _times(text: str) -> Iterator[Figure]:
    for pattern in (_TIME, _TWELVE):
        for match in pattern.finditer(text):
            parts = match.groupdict()
            hour, half = int(parts["h"]), parts["half"]
            at = hour % 12 + 12 * (half == "p") if half else hour
            minutes = at * 60 + int(parts.get("m") or 0)
            afternoon_too = not half and 1 <= hour < 12 and not parts["h"].startswith("0")
            values = {minutes, minutes + 720} if afternoon_too else {minutes}
            yield Figure("time", frozenset(values), *match.span())


def _with_currency_before(text: str, number: Figure) -> Figure:
    match = _CURRENCY_BEFORE.search(text, 0, number.start)
    return msgspec.structs.replace(number, unit=_CURRENCIES[match[1]]) if match else number


def _dotted_times(text: str, *, certain: bool) -> Iterator[Figure]:
    """Times such as 7.30, which may be numbers; those that are `certain`, by the word before or behind them."""
    for match in _DOTTED.finditer(text):
        if not certain or _OF_DAY.search(text, 0, match.start()) or _OF_DAY.search(text[match.end() :]):
            yield from _times(f"{'|' * match.start()}{match['h']}:{match['m']}")


def _as_part(number: Figure, moments: list[Figure]) -> Figure:
    is_part = any(each.start <= number.start and number.end <= each.end for each in moments)
    is_year = number.end - number.start == _YEAR_DIGITS and not number.unit
    return msgspec.structs.replace(number, part=True) if is_part and not is_year else number


def _numbers(text: str, read: Callable[[str], Iterator[float]]) -> Iterator[Figure]:
    for match in _NUMBER.finditer(text):
        before = text[match.start() - 1 : match.start()]
        if not match["before"] and (before == "_" or (before.isalpha() and before < IDEOGRAPHS[0])):
            continue
        numeral = match["numeral"]
        bare = readings = set(read(numeral))
        if match["cents"]:
            readings = {float(f"{only_digits(numeral)}.{match['cents']}")}
        unit = match["before"] or match["after"] or ""
        unit = _CURRENCIES.get(unit) or _UNITS.get(unit, "")
        if scale := match["scale"]:
            scaled = {each * SCALES[scale] for each in readings}
            if (
                scale in _UNITS
                and not unit
                and match["numeral"][-1:].isdigit()
                and match.string[match.start("scale") - 1] == " "
            ):
                unit = _UNITS[scale]  # "5 m" may be metres as well as millions
                scaled |= readings
            readings = scaled
        if unit == "%":
            readings |= {each / 100 for each in readings}
        per = _UNITS.get(match["per"] or match["ly"] or "", "")
        end = match.end() if match[0][-1] not in ".,' _" else match.end() - 1
        values, left = (frozenset(rounded(each) for each in some) for some in (readings, bare - readings))
        yield Figure("number", values, match.start(), end, unit, per, left)


def _of_one_range(text: str, numbers: list[Figure]) -> list[Figure]:
    """The numbers, where both ends of a range get the unit that one of them has: `$5-10`, `5 to 10 kg`."""
    for at in range(len(numbers) - 1):
        low, high = numbers[at], numbers[at + 1]
        if _RANGE.fullmatch(text, low.end, high.start):
            unit, per = low.unit or high.unit, low.per or high.per
            numbers[at] = msgspec.structs.replace(low, unit=low.unit or unit, per=low.per or per)
            numbers[at + 1] = msgspec.structs.replace(high, unit=high.unit or unit, per=high.per or per)
    return numbers


def _agree(mine: str, theirs: str) -> bool:
    if mine == theirs or not mine or not theirs:
        return True
    return theirs in _AMBIGUOUS_UNITS.get(mine, ()) or mine in _AMBIGUOUS_UNITS.get(theirs, ())


def _all_readings(numeral: str) -> Iterator[float]:
    """The values of a numeral that may be one number or several adjacent ones: `12 345`, `1,2,3`."""
    yield from _readings(numeral)
    if " " in numeral or (numeral.count(",") > 1 and not _GROUPED.fullmatch(numeral)):
        for part in re.split("[ ,]", numeral):
            if any(char.isdigit() for char in part):
                yield from _readings(part)


def _readings(numeral: str) -> Iterator[float]:
    digits = numeral.strip(".,'_ ")
    whole, mark, fraction = "", "", digits
    for index in range(len(digits) - 1, -1, -1):
        if digits[index] in ".,":
            whole, mark, fraction = digits[:index], digits[index], digits[index + 1 :]
            break
    if not mark or whole.count(mark) or _GROUPED.fullmatch(digits):
        yield float(only_digits(digits))
    if mark and not whole.count(mark):
        yield float(f"{only_digits(whole) or '0'}.{only_digits(fraction) or '0'}")
