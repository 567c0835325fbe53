"""The figures in a text, by their meaning: numbers with their units, dates, times of day, long numbers in groups.

`14.50€/month` and `€ 14,50 per month` are the same figure, `2026-11-22` and `Nov 22nd, 2026` the same date. Texts must
be normalised by `normalise` of grounding.py: lower case, plain dashes, single spaces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from msgspec.structs import replace

from .figure import CURRENCIES, LEAST_DIGITS, UNITS, UNSEPARATED, WORD_ENDS, Figure, either, is_currency, unit_called
from .moments import dates, dotted_times, durations, times

SCALES = {"k": 1e3, "thousand": 1e3, "tsd": 1e3, "lakh": 1e5, "m": 1e6, "mn": 1e6, "mio": 1e6, "million": 1e6}
SCALES |= {"millions": 1e6, "millionen": 1e6, "crore": 1e7, "b": 1e9, "bn": 1e9, "billion": 1e9, "billions": 1e9}
SCALES |= {"mrd": 1e9, "milliarden": 1e9, "milliards": 1e9, "trillion": 1e12, "万": 1e4, "萬": 1e4, "만": 1e4}
SCALES |= {"億": 1e8, "亿": 1e8, "억": 1e8, "cr": 1e7, "millones": 1e6, "miljoner": 1e6, "millioner": 1e6}
_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBER_WORD = re.compile(rf"\b({'|'.join(_WORDS)})\b")
_MAY_HAVE_FIGURES = re.compile(rf"\d|\b(?:{'|'.join(_WORDS)}|noon|midday|midnight)\b")
_FRACTION = re.compile(r"(?<![\d/.,])(?:(\d{1,4})[ -])?([1-9])/([2-9]|1[026])(?![\d/])")
_GROUPS = re.compile(r"(?<![\w.,])\+?\(?\d[\d ()./-]{5,}\d(?![\w])")
_YEAR_DIGITS = 4
_LONGEST_SIGN = 12
_IS_UNSEPARATED = re.compile(f"[{UNSEPARATED}]")

_NUMBER = re.compile(
    rf"(?:(?<!\w)(?P<before>{either(CURRENCIES)})(?P<dash>[ -])?)?"
    r"(?P<numeral>\d(?:[\d.,'_]|(?<=\d)\s(?=\d{3}(?!\d)))*)"
    r"(?:\s?[x×·]\s?10\^(?P<power>-?\d\d?)|\^(?P<cents>\d\d)(?!\d))?"
    rf"(?:\s?(?P<scale>{either(SCALES)})(?![^\W\d_€$£¥])\.?)?(?:,-|\.-)?"
    rf"(?:[\s-]?(?P<after>{either(CURRENCIES | UNITS)}){WORD_ENDS})?"
    rf"(?:\s?(?:/\s?|per |a |an |pr\.? |pro )(?P<per>{either(UNITS)})(?![^\W\d_])|\s(?P<ly>month|year|week|hour)ly)?"
)
_CURRENCY_BEFORE = re.compile(rf"(?<!\w)({either(CURRENCIES)})[ -]?$")
_MINUS = re.compile(rf"(?:(?:^|[\s|(:*/{UNSEPARATED}])-|[▼↓▾]\s?|\b(?:minus|down)\s)(?:(?:{either(CURRENCIES)})\s?)?$")
_BRACKET = re.compile(rf"\((?:{either(CURRENCIES)})?\s?$")
_GROUPED = re.compile(
    r"(?P<whole>[1-9]\d{0,2}(?P<mark>[.,'_ ])(?:\d{2,3}(?P=mark))*\d{3})(?:(?!(?P=mark))[.,](?P<rest>\d+))?"
)
_VERSION = re.compile(r"\d+(?:\.\d+){2,}(?!\d)")
_RANGE = re.compile(r"\s?(?:-|to|and|or|bis|und|til|og|x|×)\s?")
_NAMED = re.compile(r"[^\W\d_]-$")
_SIGNIFICANT = 14  # digits in which numbers must agree


def figures(text: str) -> list[Figure]:
    """The figures of a claim, in order. A number preceded by letters (E137, v2, FX-12) is a name, not a figure."""
    days = list(dates(text))
    taken = _blank(text, days)
    lengths = list(durations(taken, certain=True))
    taken = _blank(taken, lengths)
    moments = [*times(taken, by_name=False), *dotted_times(taken, certain=True)]
    numbers = _of_one_range(text, list(_numbers(_blank(taken, moments), _readings)))
    ends = {number.end for number in numbers}
    numbers = [number for number in numbers if number.start - 1 in ends or not _NAMED.search(text, 0, number.start)]
    return sorted([*days, *moments, *lengths, *numbers], key=lambda figure: figure.start)


def all_figures(text: str) -> list[Figure]:
    """All figures that a line of a page may contain: adjacent numbers are read in every way, as are dates."""
    if not _MAY_HAVE_FIGURES.search(text):
        return []
    numbers = _of_one_range(text, list(_numbers(text, _all_readings)))
    numbers += [_with_currency_before(text, number) for number in numbers if not number.unit]  # 4 NOK 549
    moments = [*dates(text), *times(text)]
    parts = [_as_part(number, moments) for number in numbers] if moments else numbers
    lengths = durations(text, certain=False)
    return [*moments, *dotted_times(text, certain=False), *lengths, *parts, *_in_words(text), *long_numbers(text)]


def long_numbers(text: str) -> Iterator[Figure]:
    """Telephone, card and account numbers, regardless of how their digits are grouped."""
    for match in _GROUPS.finditer(text):
        digits = only_digits(match[0].replace("(0)", ""))  # not dialled after a country code
        if len(digits) >= LEAST_DIGITS:
            yield Figure("digits", frozenset((digits,)), *match.span())


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


def _in_words(text: str) -> Iterator[Figure]:
    """Small numbers as words, and fractions: `two`, `1 1/2`."""
    for match in _NUMBER_WORD.finditer(text):
        yield Figure("number", frozenset({_WORDS.index(match[1]) + 2.0}), *match.span())
    for match in _FRACTION.finditer(text):
        yield Figure("number", frozenset({rounded(int(match[1] or 0) + int(match[2]) / int(match[3]))}), *match.span())


def _with_currency_before(text: str, number: Figure) -> Figure:
    match = _CURRENCY_BEFORE.search(text, 0, number.start)
    return replace(number, unit=CURRENCIES[match[1]]) if match else number


def _as_part(number: Figure, moments: list[Figure]) -> Figure:
    is_part = any(each.start <= number.start and number.end <= each.end for each in moments)
    is_year = number.end - number.start == _YEAR_DIGITS and not number.unit
    return replace(number, part=True) if is_part and not is_year else number


def _numbers(text: str, read: Callable[[str], Iterator[float]]) -> Iterator[Figure]:
    for match in _NUMBER.finditer(text):
        before = text[match.start() - 1 : match.start()]
        if not match["before"] and (before == "_" or (before.isalpha() and not _IS_UNSEPARATED.match(before))):
            continue
        numeral = match["numeral"]
        if not (bare := set(read(numeral))):
            if version := _VERSION.match(numeral):
                yield Figure("version", frozenset({version[0]}), match.start(), match.start() + version.end())
            continue
        readings = bare
        if match["cents"]:
            readings = {float(f"{only_digits(numeral)}.{match['cents']}")}
        elif match["power"]:
            readings = {float(f"{reading}e{match['power']}") for reading in bare}
        unit = unit_called(match["before"] or match["after"] or "")
        if scale := match["scale"]:
            scaled = {each * SCALES[scale] for each in readings}
            if scale in UNITS and not unit and match["numeral"][-1:].isdigit():
                unit = UNITS[scale]  # "5 m" may be metres as well as millions
                scaled |= readings
            readings = scaled
        if unit == "%":
            readings |= {each / 100 for each in readings}
        per = UNITS.get(match["per"] or match["ly"] or "", "")
        end = match.end() if match[0][-1] not in ".,' _" else match.end() - 1
        values, left = (frozenset(rounded(each) for each in some) for some in (readings, bare - readings))
        figure = Figure("number", values, match.start(), end, unit, per, left)
        yield replace(figure, negative=match["dash"] == "-" or _is_negative(text, figure))


def _is_negative(text: str, number: Figure) -> bool:
    """Whether a minus is before a number, or brackets are around an amount: `-5`, `€ -5`, `▼ 5`, `(5)`."""
    near = max(0, number.start - _LONGEST_SIGN)
    in_brackets = text[number.end : number.end + 1] == ")" and (number.unit in ("", "%") or is_currency(number.unit))
    return bool(_MINUS.search(text, near, number.start) or (in_brackets and _BRACKET.search(text, near, number.start)))


def _of_one_range(text: str, numbers: list[Figure]) -> list[Figure]:
    """The numbers, where both ends of a range get the unit that one of them has: `$5-10`, `5 to 10 kg`."""
    for at in range(len(numbers) - 1):
        low, high = numbers[at], numbers[at + 1]
        if _RANGE.fullmatch(text, low.end, high.start):
            unit, per = low.unit or high.unit, low.per or high.per
            numbers[at] = replace(low, unit=low.unit or unit, per=low.per or per)
            numbers[at + 1] = replace(high, unit=high.unit or unit, per=high.per or per)
    return numbers


def _all_readings(numeral: str) -> Iterator[float]:
    """The values of a numeral that may be one number or several adjacent ones: `2025 345`, `1,2,3`."""
    yield from _readings(numeral)
    if re.search("[ ']|,.*,", numeral) and not _GROUPED.fullmatch(numeral.strip(".,'_ ")):
        for part in re.split("[ ,']", numeral):
            if any(char.isdigit() for char in part):
                yield from _readings(part)


def _readings(numeral: str) -> Iterator[float]:
    """The values of a numeral: a point may group digits or begin a fraction. `1.2.3` and `192.168.0.1` have none."""
    digits = numeral.strip(".,'_ ")
    if grouped := _GROUPED.fullmatch(digits):
        yield float(f"{only_digits(grouped['whole'])}.{grouped['rest'] or 0}")
    whole, mark, fraction = digits, "", ""
    if at := max(digits.rfind("."), digits.rfind(",")) + 1:
        whole, mark, fraction = digits[: at - 1], digits[at - 1], digits[at:]
    if not (grouped and (grouped["rest"] or not mark)) and whole.isdigit() and (fraction.isdigit() or not mark):
        yield float(f"{whole}.{fraction or 0}")
