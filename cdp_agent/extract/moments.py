"""Dates, times of day and durations in a text, in the spellings of pages and in those of JSON Schema's formats."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta

from msgspec.structs import replace

from .figure import UNITS, UNSEPARATED, Figure, either

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar janvier enero gennaio janeiro januari января stycznia",
            "february feb februar février febrero febbraio fevereiro februari февраля lutego",
            "march mar märz mars marzo março maart mrz marts марта marca",
            "april apr avril abril aprile апреля kwietnia",
            "may mai mayo maggio maio mei maj мая maja",
            "june jun juni juin junio giugno junho июня czerwca",
            "july jul juli juillet julio luglio julho июля lipca",
            "august aug août agosto augustus augusti августа sierpnia",
            "september sep sept septembre septiembre settembre setembro сентября września",
            "october oct oktober okt octobre octubre ottobre outubro октября października",
            "november nov novembre noviembre novembro ноября listopada",
            "december dec dezember dez desember des décembre diciembre dicembre dezembro декабря grudnia",
        ),
        1,
    )
    for name in names.split()
}
_MONTH = rf"(?:{either(_MONTHS)})(?![^\W\d_])\.?"
_ORDINAL = r"(?:st|nd|rd|th|\.|º|er)?"
_YEAR = r"(?:1[5-9]|20|21)\d\d"
_TO = r"\s?(?:-|~|〜|to|and|bis|und|til|og|au|et|al|から)\s?"
_DATES = [
    re.compile(rf"(?<![\d/.-])(?P<y>{_YEAR})(?P<mark>[-/.])(?P<m>\d\d?)(?P=mark)(?P<d>\d\d?)(?:t(?=\d\d:)|(?!\d))"),
    re.compile(rf"(?<![\d/.-])(?P<y>{_YEAR})-(?P<m>0[1-9]|1[0-2])(?![\d-])"),
    re.compile(
        rf"(?<!\d)(?<!\d\.)(?:(?P<first>\d\d?){_ORDINAL}{_TO})?(?P<d>\d\d?){_ORDINAL}(?: of| de)?[ -]?"
        rf"(?P<name>{_MONTH})(?:(?:,| de)?[ -]?(?P<y>{_YEAR}))?(?!\d)"
    ),
    re.compile(
        rf"(?<!\w)(?P<name>{_MONTH}) ?(?:(?P<first>\d\d?){_ORDINAL}{_TO})?(?P<d>\d\d?){_ORDINAL}"
        rf"(?:,? (?P<y>{_YEAR}))?(?![\d:])"
    ),
    re.compile(rf"(?<!\w)(?P<name>{_MONTH})(?: de)? (?P<y>{_YEAR})(?!\d)"),
    re.compile(
        rf"(?<!\d)(?P<y>{_YEAR})\s?[年년]\s?(?P<m>\d\d?)\s?[月월]"
        rf"(?:\s?(?:(?P<first>\d\d?)\s?[日일]?{_TO})?(?P<d>\d\d?)\s?[日일])?"
    ),
    re.compile(rf"(?<!\d)(?P<m>\d\d?)\s?[月월]\s?(?:(?P<first>\d\d?)\s?[日일]?{_TO})?(?P<d>\d\d?)\s?[日일]"),
    re.compile(
        rf"(?<![\d.])(?:(?P<first>\d\d?)\.\s?-\s?)?"
        rf"(?P<a>\d\d?)(?P<mark>[/.-])(?P<b>\d\d?)(?P=mark)(?P<y>{_YEAR}|\d\d)(?![\d.]\d|\d)"
    ),
]
_ZONES = {"z": 0, "utc": 0, "gmt": 0, "wet": 0, "cet": 60, "bst": 60, "cest": 120, "eet": 120, "eest": 180, "msk": 180}
_ZONES |= {"hst": -600, "akst": -540, "akdt": -480, "pst": -480, "pdt": -420, "mst": -420, "mdt": -360, "cdt": -300}
_ZONES |= {"est": -300, "edt": -240, "hkt": 480, "sgt": 480, "jst": 540, "kst": 540, "aest": 600, "aedt": 660}
_ZONES |= {"nzst": 720, "nzdt": 780}
"""In minutes east of UTC, without names that several zones share, such as IST."""
_ZONE = (
    rf"(?:\.?\s?\(?(?P<zone>{either(_ZONES)})(?![^\W_])"
    r"|\s?(?P<offset>\+\d\d:?\d\d|(?:(?<=:\d\d:\d\d)|(?<=\.\d\d\d)|(?<=t\d\d:\d\d))-\d\d:?\d\d))?"
)
"""A minus after a time is that of a range, unless the time is written as in RFC 3339."""
_HALF = r"(?:\s?(?P<half>[ap])\.?m\b)"
_TIMES = [
    re.compile(
        r"(?<![\d:.,])(?P<h>[01]?\d|2[0-4])(?:[:h]|\.(?=[0-5]\d\s?[ap]\.?m))(?P<m>[0-5]\d)"
        rf"(?::(?P<s>\d\d)(?:\.\d+)?)?{_HALF}?{_ZONE}(?![\d:])"
    ),
    re.compile(
        rf"(?<![\d:.,])(?P<h>1[0-2]|0?[1-9])(?:{_HALF}"
        rf"|(?P<m>)(?=\s?(?:-|to|and|until)\s?\d\d?(?::\d\d)?\s?[ap]\.?m\b)){_ZONE}"
    ),
    re.compile(r"(?<![\d:.,])(?P<h>[01]?\d|2[0-3])\s?uhr(?: (?P<m>[0-5]\d)(?!\d))?"),
    re.compile(
        r"(?:(?P<am>午前|上午|오전)|(?P<pm>午後|下午|오후))?\s?(?<!\d)(?P<h>[01]?\d|2[0-3])\s?[時时点點시](?![間间간])"
        r"\s?(?:(?P<m>\d\d?)\s?[分분])?"
    ),
    re.compile(r"\b(?P<noon>noon|midday)\b|\bmidnight\b"),
]
_DOTTED = re.compile(r"(?<![\d.,€$£¥])(?P<h>[01]?\d|2[0-3])\.(?P<m>[0-5]\d)(?P<half>)(?![\d.,]*\d|\s?[%€$£¥])")
_OF_DAY = re.compile(
    r"\b(?:at|by|from|until|till|to|opens|closes|um|ab|bis|von|kl\.?|klokka|klokken) $|^\s?(?:uhr|o'clock)\b"
)
"""What stands before or behind a time: without it, a claimed 7.30 is a number."""
_LENGTHS = {"year": (12, 0), "month": (1, 0), "week": (0, 604_800), "day": (0, 86_400)}
_LENGTHS |= {"h": (0, 3_600), "min": (0, 60), "m": (0, 60), "s": (0, 1)}
"""The units of durations in months and seconds."""
_LENGTH_NAMES = {name: _LENGTHS[unit] for name, unit in UNITS.items() if unit in _LENGTHS and unit != "m"}
_LENGTH = re.compile(
    rf"(?<![\w.,])(?:(?P<low>\d+)\s?(?:-|to|bis)\s?)?(?P<n>\d+(?:[.,]\d+)?)[\s-]?(?P<unit>{either(_LENGTH_NAMES)}|m)"
    rf"(?:(?![^\W\d_])|(?=[{UNSEPARATED}]))"
)
_NEXT_LENGTH = re.compile(r",?\s?(?:(?:and|und|et|og)\s)?")
_CLOCK = re.compile(r"(?<![\d:.,])(\d{1,3}):([0-5]\d)(?::([0-5]\d))?(?![\d:])")
_ISO_DURATION = re.compile(
    r"(?<!\w)p(?=\d|t\d)(?:(?P<year>\d+)y)?(?:(?P<month>\d+)m)?(?:(?P<week>\d+)w)?(?:(?P<day>\d+)d)?"
    r"(?:t(?:(?P<h>\d+)h)?(?:(?P<min>\d+)m)?(?:(?P<s>\d+)(?:\.\d+)?s)?)?(?!\w)"
)


def dates(text: str) -> Iterator[Figure]:
    """The dates in a text; of a range of days in one month there are both ends."""
    end = 0
    matches = [match for pattern in _DATES for match in pattern.finditer(text)]
    for match in sorted(matches, key=lambda each: (each.start(), -each.end())):
        parts = match.groupdict()
        if match.start() < end or not (days := frozenset(_days(parts))):
            continue
        start, end = match.span()
        if first := parts.get("first"):
            middle = match.end("first")
            key = "d" if "d" in parts else "a"
            yield Figure("date", frozenset(_days({**parts, key: first})), start, middle)
            start = middle
        yield Figure("date", days, start, end)


def _days(parts: dict[str, str | None]) -> Iterator[tuple[int, int, int]]:
    """The possible dates of a match: the order of day and month in 4/3/2025 is not known."""
    year = int(parts.get("y") or 0)
    year += 2000 if 0 < year < 100 else 0
    if (name := parts.get("name")) is not None:
        orders = [(_MONTHS[name.rstrip(".")], int(parts.get("d") or 0))]
    elif (first := parts.get("a")) is not None:
        orders = [(int(parts["b"] or 0), int(first)), (int(first), int(parts["b"] or 0))]
    else:
        orders = [(int(parts["m"] or 0), int(parts.get("d") or 0))]
    for month, day in orders:
        if 1 <= month <= 12 and day <= 31 and (day or name or parts.get("d") is None):
            yield year, month, day


def times(text: str, *, by_name: bool = True) -> Iterator[Figure]:
    """The times of day in a text; `by_name`: also noon and midnight, which are words in names as well."""
    for pattern in _TIMES if by_name else _TIMES[:-1]:
        for match in pattern.finditer(text):
            parts = match.groupdict()
            half = parts.get("half") or (parts.get("am") and "a") or (parts.get("pm") and "p")
            hour = int(parts.get("h") or (12 if parts.get("noon") else 0))
            at = hour % 12 + 12 * (half == "p") if half else hour
            minutes = at * 60 + int(parts.get("m") or 0)
            afternoon_too = "half" in parts and not half and 1 <= hour < 12 and not parts["h"].startswith("0")
            values = {minutes, minutes + 720} if afternoon_too else {minutes}
            second = int(parts["s"]) if parts.get("s") else None
            yield Figure("time", frozenset(values), *match.span(), second=second, zone=_zone(parts))


def _zone(parts: dict[str, str | None]) -> int | None:
    if offset := parts.get("offset"):
        minutes = int(offset[1:3]) * 60 + int(offset[-2:])
        return -minutes if offset[0] == "-" else minutes
    return _ZONES.get(parts.get("zone") or "")


def dotted_times(text: str, *, certain: bool) -> Iterator[Figure]:
    """Times such as 7.30, which may be numbers; those that are `certain`, by the word before or behind them."""
    for match in _DOTTED.finditer(text):
        if not certain or _OF_DAY.search(text, 0, match.start()) or _OF_DAY.search(text[match.end() :]):
            yield from times(f"{'|' * match.start()}{match['h']}:{match['m']}")


def durations(text: str, *, certain: bool) -> Iterator[Figure]:
    """Durations as in ISO 8601, and in units of time; those that are `certain` have several units.

    Others may be single ("90 min"), or look like times ("1:30", of hours or of minutes).
    """
    for match in _ISO_DURATION.finditer(text):
        parts = [(_LENGTHS[unit], float(count)) for unit, count in match.groupdict().items() if count]
        yield Figure("duration", frozenset({_sum(parts)}), *match.span())
    lengths = list(_LENGTH.finditer(text))
    while lengths:
        run = [lengths.pop(0)]
        while lengths and _NEXT_LENGTH.fullmatch(text, run[-1].end(), lengths[0].start()):
            run.append(lengths.pop(0))
        if certain and len(run) == 1:
            continue
        if run[0]["unit"] != "m":  # else these are metres
            values = {_sum([(_length(match), _count(match["n"])) for match in run])}
            if run[0]["low"] and len(run) == 1:
                values.add(_sum([(_length(run[0]), _count(run[0]["low"]))]))
            yield Figure("duration", frozenset(values), run[0].start(), run[-1].end())
    for match in () if certain else _CLOCK.finditer(text):
        first, second, third = (int(part or 0) for part in match.groups())
        values = {(0, first * 3600 + second * 60 + third)} | ({(0, first * 60 + second)} if not match[3] else set())
        yield Figure("duration", frozenset(values), *match.span())


def _length(match: re.Match[str]) -> tuple[int, int]:
    return _LENGTH_NAMES.get(match["unit"], _LENGTHS["m"])


def _count(written: str) -> float:
    return float(written.replace(",", "."))


def _sum(parts: list[tuple[tuple[int, int], float]]) -> tuple[float, float]:
    """The months and seconds of several lengths, each with how many of them there are."""
    return sum(months * count for (months, _), count in parts), sum(seconds * count for (_, seconds), count in parts)


def in_zones(claimed: list[Figure], zones: frozenset[int]) -> Iterator[list[Figure]]:
    """The figures of a claim, then with its time, and its date, as they are in these other zones at that moment."""
    yield claimed
    timed = next((figure for figure in claimed if figure.zone is not None), None)
    if timed is None or timed.zone is None or len(timed.values) != 1:
        return
    for zone in zones - {timed.zone}:
        days, minutes = divmod(int(str(next(iter(timed.values)))) - timed.zone + zone, 24 * 60)
        moved = replace(timed, values=frozenset({minutes}), zone=zone)
        yield [moved if figure is timed else _days_later(figure, days) for figure in claimed]


def _days_later(figure: Figure, days: int) -> Figure:
    if figure.kind != "date" or not days:
        return figure
    values = frozenset(_moved(value, days) for value in figure.values if isinstance(value, tuple) and all(value))
    return replace(figure, values=values)


def _moved(day: tuple[int, int, int], days: int) -> tuple[int, int, int]:
    try:
        moved = date(*day) + timedelta(days)
    except ValueError:  # February 30
        return day
    return moved.year, moved.month, moved.day
