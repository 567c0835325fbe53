"""Whether the values of each extracted row stand together on the page, as in a row of a table or in a card.

A value that is somewhere on the page may still be that of another row. Where a row is, its name tells: the field that
tells rows apart best. Each other field is in the line of the name, as in tables, or between it and the next name, or
the one before, as in cards. Which of these holds is seen from where the field's values are at all, so that it is known
even if all of them were mixed up. A heading may have a value for all rows below it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import pairwise

import msgspec

from .grounding import SourcePage, Ungrounded, is_one_word
from .keywords import subschemas
from .leaves import leaves
from .places import ValuePlaces, label_of

_MOST = 0.8
"""The share of a field's values, or of the rows, by which it is seen where a field is."""
_SLOT_SHARE = 0.95
"""The share of a field's values that stand somewhere in its column, or after its label."""
_FEW = 4
"""A name in more places tells nothing of where its row is."""
_LONGEST_CARD = 50  # lines
_COMMON = 0.5
"""A value that more of the rows have may be that of all of them, which stands above them."""
_SIDES = ("line", "after", "before")
_LINE_BEFORE_OTHERS = 1.05
_Range = tuple[int, int]
_NAME = re.compile(r"[^\W_]+")
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


_SOME = re.compile(
    r"[<>]|\d|\b(?:first|last|latest|newest|next|top|best|cheapest|only|just|some|few|except|without|whose|which"
    r"|(?:that|who) (?:are|have|has|is|were)|under|over|below|above|between|before|after|since|until|up to"
    r"|at (?:most|least)|\w+er than|(?:less|more) than|two|three|four|five|ten|erste\w*|nur|unter|über|bis)\b",
    re.IGNORECASE,
)


class RowsChecked(msgspec.Struct, frozen=True):
    """What is wrong with the rows of a value.

    `misplaced` are values that stand elsewhere on the page than the rest of their row; `repeated` are the paths of rows
    that are given more often than the page has them; `left_out` says of how many rows of a table only some are given.
    """

    misplaced: list[Ungrounded]
    repeated: list[str]
    left_out: list[str]


class _Leaf(msgspec.Struct, frozen=True):
    path: str
    value: str | int | float
    field: str
    row: int
    places: list[int]


class _Row(msgspec.Struct, frozen=True):
    number: int
    path: str
    value: dict[str, object]
    leaves: list[_Leaf]


def asks_for_some(description: str, schema: object) -> bool:
    """Whether perhaps only some rows are wanted: "the first ten", "under 20 €", at most 50 by the schema."""
    limits = ("maxItems" in part for _, part in subschemas(schema) if isinstance(part, dict))
    return _SOME.search(description) is not None or any(limits)


def check_rows(value: object, page: SourcePage) -> RowsChecked:
    """Checks all lists of objects in a JSON value against the page that it was extracted from."""
    checked = RowsChecked([], [], [])
    places = ValuePlaces(page)
    regions: dict[str, list[_Range]] = {}
    for objects in _lists(value).values():
        if len(objects) > 1:
            rows = [
                _row(number, path, row, places, _around(path, regions)) for number, (path, row) in enumerate(objects)
            ]
            check = _Check(rows, places)
            check.add_to(checked)
            regions |= check.regions
    if isinstance(value, dict):
        checked.misplaced.extend(_at_labels_of_others(value, places))
    by_path = {value.path: value for value in checked.misplaced}  # those of a nested row are also of the one around it
    return RowsChecked(list(by_path.values()), checked.repeated, checked.left_out)


def _at_labels_of_others(record: dict[str, object], places: ValuePlaces) -> list[Ungrounded]:
    """The values of one record that stand after the label of another field, where another's is after theirs."""
    values = {name: leaf for name, leaf in record.items() if isinstance(leaf, str | int | float)}
    slots = {name: list(places.by_slot(leaf)) for name, leaf in values.items() if not isinstance(leaf, bool)}
    return [Ungrounded(f"$.{name}", values[name]) for name in _crossed(slots)]


def _crossed(slots: dict[str, list[str]]) -> list[str]:
    """The fields that are in slots with names of other fields, while another one is in the slot with their own name."""
    labels = {field: {label_of(slot) for slot in slots[field] if slot} for field in slots}
    named = {field: {name for name in slots if any(_names(label, name) for label in labels[field])} for field in slots}
    taken = set[str]().union(*named.values())
    return [field for field in slots if named[field] and field not in named[field] and field in taken]


def _names(label: str, field: str) -> bool:
    """Whether a label on the page says what the name of a field does: "Page count" and `page_count`."""
    words, wanted = (_NAME.findall(text.casefold()) for text in (label, _CAPITAL.sub(" ", field)))
    return len(words) == len(wanted) and all(map(is_one_word, words, wanted))


def _around(path: str, regions: dict[str, list[_Range]]) -> list[_Range]:
    """The lines of the row that a nested row is in."""
    ends = [at + 1 for at, char in enumerate(path) if char == "]"]
    return next((regions[path[:end]] for end in reversed(ends) if path[:end] in regions), [])


def _lists(value: object) -> dict[str, list[tuple[str, dict[str, object]]]]:
    """The objects in lists, by the names of the fields on the way to them; those of all rows around them together."""
    lists: defaultdict[str, list[tuple[str, dict[str, object]]]] = defaultdict(list)

    def add(value: object, path: str, field: str) -> None:
        if isinstance(value, dict):
            for name, inner in value.items():
                add(inner, f"{path}.{name}", f"{field}.{name}")
        elif isinstance(value, list | tuple):
            for index, element in enumerate(value):
                if isinstance(element, dict):
                    lists[field].append((f"{path}[{index}]", element))
                add(element, f"{path}[{index}]", f"{field}[]")

    add(value, "$", "$")
    return lists


def _row(number: int, path: str, row: dict[str, object], places: ValuePlaces, around: list[_Range]) -> _Row:
    """A row with its values that are on the page; `around`: the lines of the row that it is in."""
    own: list[_Leaf] = []
    for at, leaf in leaves(row, path):
        where = places.of(leaf)
        near = [place for first, end in around for place in where[bisect_left(where, first) : bisect_left(where, end)]]
        own += [_Leaf(at, leaf, _field(at, path), number, near or where)] if where else []
    return _Row(number, path, row, own)


def _field(path: str, row_path: str) -> str:
    """The field of a leaf, without its numbers in lists: `.tags[]`."""
    return "[]".join(part.partition("]")[2] if n else part for n, part in enumerate(path[len(row_path) :].split("[")))


class _Standing(msgspec.Struct, frozen=True):
    """On which side of the names of the rows a field stands, in which slot, and which of its values do not.

    `side`: one of _SIDES, "heading", or "" if it cannot be told.
    """

    side: str
    slot: str
    misplaced: list[_Leaf]


class _Check:
    """The check of one list of rows."""

    def __init__(self, rows: list[_Row], places: ValuePlaces) -> None:
        self._rows = rows
        self._places = places
        self._named = self._named_by()
        names = {leaf.row: leaf.places for row in rows for leaf in row.leaves if self._is_name(leaf)}
        self._names = names
        self._order = sorted({place for where in names.values() for place in where})
        gaps = [after - before for before, after in pairwise(self._order)]
        self._last_card = 2 * max(gaps, default=_LONGEST_CARD)
        self.regions: dict[str, list[_Range]] = {}
        """The lines of the rows that have rows in them, by their paths."""

    def add_to(self, checked: RowsChecked) -> None:
        fields: defaultdict[str, list[_Leaf]] = defaultdict(list)
        for row in self._rows:
            for leaf in row.leaves:
                if leaf.field != self._named and leaf.row in self._names:
                    fields[leaf.field].append(leaf)
        standing = {field: self._plain(values) for field, values in fields.items()}
        sides = Counter(one.side for one in standing.values() if one is not None and one.side in _SIDES)
        usual = sides.most_common(1)[0][0] if sides else ""
        seen = {field: one or self._mixed_up(fields[field], usual) for field, one in standing.items()}
        crossed = _crossed({field: [one.slot] for field, one in seen.items()})
        checked.misplaced.extend(Ungrounded(leaf.path, leaf.value) for field in crossed for leaf in fields[field])
        for one in seen.values():
            checked.misplaced.extend(Ungrounded(leaf.path, leaf.value) for leaf in one.misplaced)
        nested = [one.side for field, one in seen.items() if "[]" in field and one.side in _SIDES]
        if nested:
            self.regions = {
                row.path: self._regions(row.number, nested[0]) for row in self._rows if row.number in self._names
            }
        self._count_repeated(seen, checked)
        if sum(one.side == "line" for one in seen.values()) >= len(seen) / 2:
            self._count_left_out(checked)

    def _named_by(self) -> str:
        """The first field that tells the rows apart: nearly all have a value of their own that is in a few places."""
        rows_with: defaultdict[str, Counter[str | int | float]] = defaultdict(Counter)
        for row in self._rows:
            for leaf in row.leaves:
                if "[]" not in leaf.field and len(leaf.places) <= _FEW:
                    rows_with[leaf.field][leaf.value] += 1
        apart = {field: len(values) for field, values in rows_with.items()}
        most = max(apart.values(), default=0)
        return next((field for field, count in apart.items() if count >= _SLOT_SHARE * most), "")

    def _is_name(self, leaf: _Leaf) -> bool:
        return leaf.field == self._named and len(leaf.places) <= _FEW

    def _plain(self, values: list[_Leaf]) -> _Standing | None:
        """Where most values of a field stand: under headings, in the lines of the names, or beside; None if nowhere."""
        not_headed = self._not_headed(values)
        if len(not_headed) <= (1 - _MOST) * len(values):
            return _Standing("heading", "", not_headed)
        for slot in self._slots(values):
            inside = self._inside(values, slot)
            inside["line"] *= _LINE_BEFORE_OTHERS
            side = max(inside, key=lambda side: inside[side])
            if inside[side] >= _MOST * len(values):
                return _Standing(side, slot, self._outside(values, slot, side))
        return None

    def _mixed_up(self, values: list[_Leaf], usual: str) -> _Standing:
        """Where a field stands of which most values are elsewhere: where rows have one of its values, thus of others.

        `usual`: the side of most other fields.
        """
        if [leaf.value for leaf in values] == list(range(1, len(values) + 1)):  # they count the rows
            return _Standing("", "", [])
        few = sum(len(leaf.places) <= _FEW for leaf in values) >= _MOST * len(values)
        for slot in self._slots(values):
            shown, inside = self._shown(values, slot), self._inside(values, slot)
            enough = len(values) * (_MOST if slot.endswith("=") or few else _SLOT_SHARE)
            sides = [
                side
                for side in inside
                if sum(_any_in(shown, self._regions(leaf.row, side)) for leaf in values) >= enough
            ]
            if sides and (slot or few):
                side = max(sides, key=lambda side: inside[side] + (len(values) / 2 if side == usual else 0))
                return _Standing(side, slot, self._outside(values, slot, side))
        return _Standing("", "", [])

    def _inside(self, values: list[_Leaf], slot: str) -> dict[str, float]:
        """How many values are in their rows, for each side on which rows may have them.

        If values stand before the first name and none after the last, they are not after their names, and vice versa.
        """
        shown = self._shown(values, slot)
        before = _any_in(shown, [(0, self._order[0])])
        after = _any_in(shown, [self._region(self._order[-1], "after")])
        sides = [side for side in _SIDES if before == after or side != ("after" if before else "before")]
        return {side: float(sum(self._is_in(leaf, slot, side) for leaf in values)) for side in sides}

    def _shown(self, values: list[_Leaf], slot: str) -> list[int]:
        """Where any of the values are."""
        different = {(leaf.value, id(leaf.places)): leaf for leaf in values}.values()
        return sorted({place for leaf in different for place in self._within(leaf, slot)})

    def _outside(self, values: list[_Leaf], slot: str, side: str) -> list[_Leaf]:
        """The values that are not in their rows.

        If the row has no other value of the field, one counts that stands above it, or that most rows have.
        """
        counts = Counter(leaf.value for leaf in values)
        shown = self._shown(values, slot)

        def may_be_above(leaf: _Leaf) -> bool:
            if _any_in(shown, self._regions(leaf.row, side)):
                return False
            above = {shown[at - 1] for place in self._names[leaf.row] if (at := bisect_left(shown, place))}
            return counts[leaf.value] > max(_COMMON * len(values), 1) or not above.isdisjoint(leaf.places)

        return [leaf for leaf in values if not self._is_in(leaf, slot, side) and not may_be_above(leaf)]

    def _is_in(self, leaf: _Leaf, slot: str, side: str) -> bool:
        return _any_in(self._within(leaf, slot), self._regions(leaf.row, side))

    def _not_headed(self, values: list[_Leaf]) -> list[_Leaf]:
        """The values of a field that the last heading above their row does not have, of those that headings have."""
        heads = self._places.headings.difference(self._order)
        above = [place for place in self._shown(values, "") if place in heads]
        rows = {leaf.row: {bisect_left(above, place) for place in self._names[leaf.row]} for leaf in values}
        return [leaf for leaf in values if not any(at and above[at - 1] in leaf.places for at in rows[leaf.row])]

    def _slots(self, values: list[_Leaf]) -> list[str]:
        """The columns or labels in which nearly all values of a field stand, the most likely first, then "" for any."""
        counts: Counter[str] = Counter()
        for leaf in values:
            counts.update(self._places.by_slot(leaf.value).keys())
        shared = [slot for slot, count in counts.items() if count >= _SLOT_SHARE * len(values)]
        return [*sorted(shared, key=lambda slot: (slot.endswith("="), counts[slot], len(slot)), reverse=True), ""]

    def _within(self, leaf: _Leaf, slot: str) -> list[int]:
        """The places of a value in a slot, or all if it is not there at all."""
        in_slot = self._places.by_slot(leaf.value).get(slot, []) if slot else []
        return in_slot or leaf.places

    def _regions(self, row: int, side: str) -> list[_Range]:
        return [self._region(place, side) for place in self._names[row]]

    def _region(self, place: int, side: str) -> _Range:
        """The lines of a row whose name is there, from the first to before the last."""
        at = bisect_left(self._order, place)
        first, end = place, place + 1
        if side == "before":
            first = self._order[at - 1] + 1 if at else 0
        if side == "after":
            end = self._order[at + 1] if at + 1 < len(self._order) else place + self._last_card
        return first, end

    def _count_repeated(self, standing: dict[str, _Standing], checked: RowsChecked) -> None:
        """Tells of rows that are given more often than they are there."""
        counts: Counter[bytes] = Counter()
        for row in self._rows:
            if row.number in self._names:
                same = msgspec.json.encode(row.value)
                counts[same] += 1
                if counts[same] > 1 and counts[same] > self._times_there(row, standing):
                    checked.repeated.append(row.path)

    def _count_left_out(self, checked: RowsChecked) -> None:
        """Tells of a table, or of tables with the same columns, that have more rows."""
        taken = {place for places in self._names.values() for place in places}
        tables = [table for table in self._places.tables if not taken.isdisjoint(table)]
        most = max(tables, key=lambda table: len(taken.intersection(table)), default=[])
        alike = [table for table in tables if self._places.columns_at(table[0]) == self._places.columns_at(most[0])]
        unseen = len(self._rows) - len(self._names)  # rows whose names are in too many places
        shown, there = sum(len(taken.intersection(table)) for table in alike) + unseen, sum(map(len, alike))
        if shown < there:
            of = "table are" if len(alike) == 1 else "tables are"
            checked.left_out.append(f"{shown:,} of the {there:,} rows of the {of} in the result.")

    def _times_there(self, row: _Row, standing: dict[str, _Standing]) -> int:
        """In how many of the places of its name the row has its other values as well; at least one."""
        others = [(leaf, standing[leaf.field]) for leaf in row.leaves if leaf.field in standing]
        beside = [(leaf, one) for leaf, one in others if one.side in _SIDES]
        return max(
            1,
            sum(
                all(_any_in(self._within(leaf, one.slot), [self._region(place, one.side)]) for leaf, one in beside)
                for place in self._names[row.number]
            ),
        )


def _any_in(places: list[int], ranges: Iterable[_Range]) -> bool:
    return any(bisect_left(places, first) < bisect_left(places, end) for first, end in ranges)
