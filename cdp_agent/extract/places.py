"""Where on a page values stand: in which lines, and in which column of a table or after which label."""

from __future__ import annotations

import re
from collections import defaultdict

from .grounding import SourcePage

_LABEL = re.compile(r"(?:[#>*+-] )?(?:#+ )?([^\W\d][^:|]{0,40}): ")
_START = re.compile(r"([#>+: -]*)(\S*)")
_RUN = re.compile(r"[^\W\d_]+|\d+")
_TABLE_RULE = re.compile(r"\|(?: --- \|)+")
_HEADING = re.compile(r"#{1,6} |\*\*[^*]+\*\*$|\| [^|]+ \|$")
_COLUMN_PARTS = 3  # nothing, the head and the number; then the label in the row, if there is one
_WORD = re.compile(r"\w")


class ValuePlaces:
    """The lines of a page by the values in them. A place is the number of a line in the text, from 0."""

    def __init__(self, page: SourcePage) -> None:
        self._page = page
        self._lines = page.all_lines
        self._slots: dict[tuple[type, str | int | float], dict[str, list[int]]] = {}
        self.headings = {at for at, line in enumerate(self._lines) if _HEADING.match(line)}
        """The headings of sections, those in bold, and rows of one cell."""
        self.tables: list[list[int]] = []
        """The rows of the page's tables, without headers and rows that head others."""
        self._heads: dict[int, list[str]] = {}
        self._read_tables()

    def columns_at(self, place: int) -> list[str]:
        """The heads of the columns of the table that a row is in."""
        return self._heads[place]

    def of(self, value: str | int | float) -> list[int]:
        """The places of a value, in order."""
        return self.by_slot(value)[""]

    def by_slot(self, value: str | int | float) -> dict[str, list[int]]:
        """The places of a value by their columns and labels, with "=" after them where it is all that stands there.

        Those under "" are all its places.
        """
        key = (type(value), value)
        if key not in self._slots:
            slots: defaultdict[str, set[int]] = defaultdict(set)
            slots[""] = {place for line in self._page.lines_with(value) or () for place in self._page.places[line]}
            for line, start, end in self._page.spans_of(value):
                text = self._page.normalised[line]
                for place in self._page.places[line]:
                    for slot in self._slots_at(place, text, start, end):
                        slots[slot].add(place)
            self._slots[key] = {slot: sorted(places) for slot, places in slots.items()}
        return self._slots[key]

    def _slots_at(self, place: int, text: str, start: int, end: int) -> list[str]:
        if (heads := self._heads.get(place)) is not None:
            cells = text.strip("|").split("|")
            at = text.count("|", 0, start) - 1
            first, last = text.rfind("|", 0, start) + 1, text.find("|", end)
            alone = "=" if not _WORD.search(text[first:start] + text[end:last]) else ""
            column = f"|{heads[at] if at < len(heads) else ''}|{at}"
            return [column + alone, *([f"{column}|{cells[0].strip()}{alone}"] if len(cells) == 2 and at else [])]
        if (label := _LABEL.match(text)) and start >= label.end():
            rest, name = text[label.end() : start] + text[end:], label[1]
        else:
            marks, word = _START.findall(text)[0] if not text.startswith(": ") else (self._term(place), "")
            rest, name = text[len(marks) : start] + text[end:], f"{marks}{_RUN.sub(_kind, word)}"
        return [name + ("=" if not _WORD.search(rest) else "")]

    def _term(self, place: int) -> str:
        """The term that a line of definitions, which begins with a colon, belongs to."""
        while place > 0 and self._lines[place].startswith(": "):
            place -= 1
        return self._lines[place]

    def _read_tables(self) -> None:
        heads: list[str] | None = None
        for at, line in enumerate(self._lines):
            if _TABLE_RULE.fullmatch(line):
                self.tables.append([])
                heads = [cell.strip() for cell in self._lines[at - 1].strip("|").split("|")]
            elif heads is not None and line.startswith("| "):
                self._heads[at] = heads
                self.tables[-1] += [] if at in self.headings else [at]
            else:
                heads = None


def label_of(slot: str) -> str:
    """The head of the column, or the label, by which a slot is named."""
    column = slot.removesuffix("=").split("|")
    return column[0] or column[-1 if len(column) > _COLUMN_PARTS else 1]


def _kind(match: re.Match[str]) -> str:
    return "0" if match[0][0].isdigit() else "a"
