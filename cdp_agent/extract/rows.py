"""Whether the values of each extracted row stand together on the page, as in a row of a table or in a card.

A value that is somewhere on the page may still be that of another row. In a table all values of a row are in one line
of the page's text. A card has several: each field is between the line with the card's name and that of the next one, or
that of the one before, as with most cards. A heading may have a value for all rows below it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import msgspec

from .grounding import SourcePage, Ungrounded
from .leaves import leaves

_LEAST_SHARE = 0.5
_ON_A_SIDE = 0.8
"""The share of a field's values by which it stands after, or before, the names of the cards."""
_TOO_MANY = 200
"""A value in as many lines tells nothing of where its row is."""
_LONGEST_CARD = 50  # lines
_COMMON = 0.5
"""A value that more of the rows have is that of all of them, which may stand above them: it is not looked for."""


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
    lines: frozenset[int]
    places: list[int]


class _Row(msgspec.Struct, frozen=True):
    path: str
    leaves: list[_Leaf]


def check_rows(value: object, page: SourcePage) -> RowsChecked:
    """Checks all lists of objects in a JSON value against the page that it was extracted from."""
    checked = RowsChecked([], [], [])
    for path, rows in _lists(value, "$"):
        _check([_row(f"{path}[{number}]", row, page) for number, row in enumerate(rows)], page, checked)
    return checked


def _lists(value: object, path: str) -> Iterator[tuple[str, list[dict[str, object]]]]:
    """The lists of objects, from the outermost on; what is in an object belongs to its row."""
    if isinstance(value, list) and len(value) > 1 and all(isinstance(element, dict) for element in value):
        yield path, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _lists(inner, f"{path}.{name}")


def _row(path: str, row: dict[str, object], page: SourcePage) -> _Row:
    looked_up = ((at, leaf, page.lines_with(leaf)) for at, leaf in leaves(row, path))
    on_page = [
        _Leaf(at, leaf, at.removeprefix(path), lines, page.places_of(leaf)) for at, leaf, lines in looked_up if lines
    ]
    return _Row(path, sorted(on_page, key=lambda leaf: len(leaf.lines)))


def _check(rows: list[_Row], page: SourcePage, checked: RowsChecked) -> None:
    rows = _without_what_all_have(rows)
    named = _named_by(rows)
    heads = _heads(rows, named, page)
    rows = [_without_what_heads(row, named, heads) for row in rows]
    together = [frozenset.intersection(*(leaf.lines for leaf in row.leaves)) if row.leaves else None for row in rows]
    several = [lines for lines, row in zip(together, rows, strict=True) if lines is not None and len(row.leaves) > 1]
    if several and sum(map(bool, several)) >= _LEAST_SHARE * len(several):
        for row, lines in zip(rows, together, strict=True):
            if lines is not None and not lines:
                checked.misplaced.extend(Ungrounded(leaf.path, leaf.value) for leaf in _outside(row))
        _count(rows, together, page, checked)
    elif several:
        _check_cards(rows, named, checked)


def _heads(rows: list[_Row], named: str, page: SourcePage) -> dict[str, list[int]]:
    """For each field where the headings are that have one of its values, and are no names of rows."""
    heads: defaultdict[str, set[int]] = defaultdict(set)
    headings = page.headings - {_place_of(row, named) for row in rows}
    for field, value in {(leaf.field, leaf.value) for row in rows for leaf in row.leaves}:
        heads[field] |= headings.intersection(page.places_of(value))
    return {field: sorted(places) for field, places in heads.items() if places}


def _without_what_heads(row: _Row, named: str, heads: dict[str, list[int]]) -> _Row:
    """The row without values that the last heading above it has."""
    place = _place_of(row, named)
    if place is None or not heads:
        return row
    own: list[_Leaf] = []
    for leaf in row.leaves:
        at = bisect_left(heads.get(leaf.field, []), place)
        if leaf.field == named or not at or not _is_in(leaf.places, heads[leaf.field][at - 1]):
            own.append(leaf)
    return _Row(row.path, own)


def _without_what_all_have(rows: list[_Row]) -> list[_Row]:
    counts = Counter((leaf.field, leaf.value) for row in rows for leaf in row.leaves)
    most = max(_COMMON * len(rows), 1)
    return [_Row(row.path, [leaf for leaf in row.leaves if counts[leaf.field, leaf.value] <= most]) for row in rows]


def _outside(row: _Row) -> list[_Leaf]:
    """The values that are not in the line with most of the row's."""
    line = _line_with_most(row)
    return [leaf for leaf in row.leaves if line not in leaf.lines]


def _line_with_most(row: _Row) -> int:
    fewest = min(row.leaves, key=lambda leaf: len(leaf.lines)).lines
    counts = Counter(line for leaf in row.leaves for line in leaf.lines if len(leaf.lines) < _TOO_MANY)
    return max(counts or fewest, key=lambda line: (counts[line], line in fewest))


def _count(rows: list[_Row], together: Sequence[frozenset[int] | None], page: SourcePage, checked: RowsChecked) -> None:
    """Tells of rows that are given more often than they are on the page, and of a table that has more."""
    counted: Counter[frozenset[int]] = Counter()
    for row, lines in zip(rows, together, strict=True):
        if lines and len(row.leaves) > 1:
            counted[lines] += 1
            if counted[lines] > sum(len(page.places[line]) for line in lines):
                checked.repeated.append(row.path)
    taken = {place for lines in counted for line in lines for place in page.places[line]}
    table = max(page.tables, key=lambda table: len(taken.intersection(table)), default=[])
    if (shown := len(taken.intersection(table))) and shown < len(table):
        checked.left_out.append(f"{shown:,} of the {len(table):,} rows of the table are in the result.")


def _check_cards(rows: list[_Row], named: str, checked: RowsChecked) -> None:
    places = {row.path: place for row in rows if (place := _place_of(row, named)) is not None}
    _count_cards([row for row in rows if row.path in places], checked)
    order = sorted(set(places.values()))
    fields: defaultdict[str, list[tuple[_Leaf, int]]] = defaultdict(list)
    for row in rows:
        for leaf in row.leaves if row.path in places else ():
            if leaf.field != named:
                fields[leaf.field].append((leaf, places[row.path]))
    regions = {follows: {place: _region(place, order, follows=follows) for place in order} for follows in (True, False)}
    usual = max((True, False), key=lambda follows: sum(_are_in(values, regions[follows]) for values in fields.values()))
    _end_at_others(regions, usual, fields.values())
    misplaced: list[_Leaf] = []
    for values in fields.values():
        side = usual if _are_in(values, regions[usual]) or not _are_in(values, regions[not usual]) else not usual
        misplaced += [leaf for leaf, place in values if not _has_between(leaf.places, regions[side][place])]
    if len(misplaced) <= _LEAST_SHARE * sum(map(len, fields.values())):
        checked.misplaced.extend(Ungrounded(leaf.path, leaf.value) for leaf in misplaced)


def _are_in(values: list[tuple[_Leaf, int]], regions: dict[int, tuple[int, int]]) -> bool:
    """Whether a field is on a side of the names: most of its values are."""
    inside = sum(_has_between(leaf.places, regions[place]) for leaf, place in values)
    return inside >= _ON_A_SIDE * len(values)


def _end_at_others(
    regions: dict[bool, dict[int, tuple[int, int]]], usual: bool, fields: Iterable[list[tuple[_Leaf, int]]]
) -> None:
    """Ends the regions on the other side of the names where the fields of the card beside are."""
    for values in fields:
        if not _are_in(values, regions[usual]):
            continue
        for leaf, place in values:
            first, end = regions[usual][place]
            inside = leaf.places[bisect_left(leaf.places, first) : bisect_left(leaf.places, end)]
            beside = end if usual else first - 1  # the name of the card after it, or before it
            if not inside or beside not in regions[not usual]:
                continue
            first, end = regions[not usual][beside]
            regions[not usual][beside] = (max(first, inside[0] + 1), end) if usual else (first, min(end, inside[-1]))


def _count_cards(rows: list[_Row], checked: RowsChecked) -> None:
    """Tells of cards with the same name, which is there once, that are the same in all else."""
    counted: set[frozenset[tuple[str, object]]] = set()
    for row in rows:
        values = frozenset((leaf.field, leaf.value) for leaf in row.leaves)
        if values in counted:
            checked.repeated.append(row.path)
        counted.add(values)


def _named_by(rows: list[_Row]) -> str:
    """The field that tells the rows apart best: the one of which most rows have a value that is in one place only."""
    alone = Counter(leaf.field for row in rows for leaf in row.leaves if len(leaf.lines) == 1)
    return alone.most_common(1)[0][0] if alone else ""


def _place_of(row: _Row, field: str) -> int | None:
    places = [place for leaf in row.leaves if leaf.field == field for place in leaf.places]
    return places[0] if len(places) == 1 else None


def _region(place: int, order: list[int], *, follows: bool) -> tuple[int, int]:
    """The lines of a card, from the first to before the last: those after its name, or those before it."""
    at = bisect_left(order, place)
    if not follows:
        return order[at - 1] + 1 if at else 0, place + 1
    if at + 1 < len(order):
        return place, order[at + 1]
    return place, place + 2 * max((after - before for before, after in pairwise(order)), default=_LONGEST_CARD)


def _is_in(places: list[int], place: int) -> bool:
    return _has_between(places, (place, place + 1))


def _has_between(places: list[int], region: tuple[int, int]) -> bool:
    return bisect_left(places, region[0]) < bisect_right(places, region[1] - 1)
