"""Where pages show the figures of a claim, and whether they mean the same there: by units and the words beside."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property

import msgspec

from .contexts import PlacedLine, about, placed
from .figure import UNSEPARATED, Figure, is_among, units_in
from .figures import all_figures, figures, long_numbers
from .grounding import is_one_word, normalise, words_besides

_NEXT_CELL = re.compile(r"\s?\|\s?([^|\s]+)\s?(?=\||$)")
_ONE_QUANTITY = re.compile(r"\s?(?:/|-|of|out of|to|bis|von|av|til|x)\s?")
"""What connects the figures of one quantity, such as 4.6 out of 5."""
_STOP = re.compile(r"[,;·•|()]")
_BY_VALUE = ("number", "time")
_WORD = re.compile(r"[^\W\d_]+")
_IS_UNSEPARATED = re.compile(f"[{UNSEPARATED}]")


_AFTERNOON = frozenset[object](range(13 * 60, 24 * 60))
"""Times that are only written so where the hours go up to 24, or with "pm"."""


class Sighting(msgspec.Struct, frozen=True):
    """A line with the figures of a claim; "" for several lines. `same`: they mean there what the claim says."""

    line: str
    same: bool


class ShownLine:
    """A line of a page with its figures."""

    def __init__(self, line: PlacedLine) -> None:
        self.raw = line.raw
        self._line = line
        self._text = line.text
        self.figures = [self._with_unit_of_next_cell(figure) for figure in all_figures(line.text)]

    def _with_unit_of_next_cell(self, figure: Figure) -> Figure:
        match = _NEXT_CELL.match(self._text, figure.end)
        units = units_in(match[1]) if match and not figure.unit and figure.kind == "number" else ()
        return msgspec.structs.replace(figure, unit=next(iter(units))) if len(units) == 1 else figure

    def about(self, figure: Figure) -> tuple[str, str]:
        """What the figure is beside, up to the next other figure or stop, and what stands around the line."""
        own, around = about(self._line, figure.start, figure.end)
        before, after = 0, len(self._text)
        for other in self.figures:
            between = self._text[min(other.end, figure.end) : max(other.start, figure.start)]
            if not _ONE_QUANTITY.fullmatch(between):
                before = max(before, other.end) if other.end <= figure.start else before
                after = min(after, other.start) if other.start >= figure.end else after
        if before or after < len(self._text):
            lead = _STOP.split(self._text[before : figure.start])[-1]
            own = f"{lead} {_STOP.split(self._text[figure.end : after])[0]}"
        return own, around


class ShownFigures:
    """The figures in the text of one or more pages, without those in addresses."""

    def __init__(self, text: str) -> None:
        self._text = text

    def is_figure(self, claim: str) -> bool:
        """Whether a claim is figures and nothing else."""
        wanted = normalise(claim)
        claimed = figures(wanted) or list(long_numbers(wanted))
        return bool(claimed) and not words_besides(wanted, claimed)

    def sighting(self, claim: str, beside: Sequence[str] = ()) -> Sighting | None:
        """Where the figures of a claim are shown: the last line where they mean the same, else the last with them.

        They mean the same where their units are given, and one of the words `beside` the claim.
        """
        wanted = normalise(claim)
        return self._sighting(figures(wanted), beside) or self._sighting(list(long_numbers(wanted)), beside)

    def _sighting(self, claimed: list[Figure], beside: Sequence[str]) -> Sighting | None:
        if not claimed:
            return None
        other: Sighting | None = None
        seen_apart: set[Figure] = set()
        lines = self._lines
        for at in sorted(set[int]().union(*map(self._lines_with, claimed))):
            line, shown = lines[at]
            matching = {one: [each for each in shown if not each.part and each.shows(one)] for one in claimed}
            same = {one for one in claimed if any(self._means_same(one, each, line, beside) for each in matching[one])}
            if len(same) == len(matching):
                return Sighting(line.raw.strip(), same=True)
            if other is None and all(matching.values()):
                other = Sighting(line.raw.strip(), same=False)
            seen_apart |= same
        return Sighting("", same=True) if seen_apart.issuperset(claimed) else other

    def _means_same(self, claimed: Figure, shown: Figure, line: ShownLine, beside: Sequence[str]) -> bool:
        if beside and shown.unit == "%" != claimed.unit:  # 35% of them are not 35 of them
            return False
        if shown.kind == "number" and shown.values.isdisjoint(claimed.values):  # $12 is not $12 million
            return False
        unit, per = claimed.unit and not shown.unit, claimed.per and not shown.per
        if not (beside or unit or per):
            return True
        own, around = line.about(shown)
        context = f"{own} \n {normalise(around)}"
        units = units_in(context) if unit or per else frozenset()
        if (unit and not is_among(claimed.unit, units)) or (per and not is_among(claimed.per, units)):
            return False
        words = _WORD.findall(context)
        return not beside or any(
            one[:2] in context if _IS_UNSEPARATED.match(one) else any(is_one_word(one, word) for word in words)
            for one in beside
        )

    @cached_property
    def _lines(self) -> list[tuple[ShownLine, list[Figure]]]:
        """The lines with figures, the last one first."""
        lines = dict.fromkeys(line for line in placed(self._text.split("\n")) if any(map(str.isdigit, line.text)))
        shown = [ShownLine(msgspec.structs.replace(line, text=normalise(line.text))) for line in reversed(lines)]
        times = [figure for line in shown for figure in line.figures if figure.kind == "time"]
        if any(time.values <= _AFTERNOON for time in times):  # beside 19:30, 11:00 is not 11 pm
            for line in shown:
                line.figures = [_as_written(figure) for figure in line.figures]
        return [(line, line.figures) for line in shown]

    def _lines_with(self, claimed: Figure) -> set[int]:
        """The places in `_lines` of lines that may show a figure."""
        if claimed.kind not in _BY_VALUE:
            return self._places.get(claimed.kind, set())
        return set[int]().union(*(self._places.get(value, set()) for value in claimed.values))

    @cached_property
    def _places(self) -> dict[object, set[int]]:
        """The places in `_lines` by the numbers and times that they show, and by the kinds of other figures."""
        places: dict[object, set[int]] = defaultdict(set)
        for at, (_, shown) in enumerate(self._lines):
            for figure in shown:
                for value in figure.values | figure.bare if figure.kind in _BY_VALUE else (figure.kind,):
                    places[value].add(at)
        return places


def _as_written(figure: Figure) -> Figure:
    values = figure.values - _AFTERNOON if figure.kind == "time" else figure.values
    return msgspec.structs.replace(figure, values=values or figure.values)
