"""Rows of several pages as one: each page gives those that the ones before did not have.

Rows are the same if they have the same place in their set (`aria-rowindex`, `aria-posinset`), else if what a page
begins with is what the page before ended with. Equal rows elsewhere are different rows.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Hashable, Sequence
from xml.etree.ElementTree import Element

import msgspec

from .document import DataDocument, Documents
from .grouping import group_parts
from .more_rows import AllRows, Surroundings
from .records import Alike, Record, Records, alike_of, records_of
from .tables import PageTable, ReadTable, tables_in

_LEAST_COMMON = 0.5
"""The share of columns that a table has in common with its next page."""
NOTHING_NEW = "nothing new came"
NOT_JOINED = "the rows there do not go on from those before, so some between may be missing"


class Joined:
    """The rows of the pages so far. `shown` is what the last page says of all rows."""

    def __init__(self, shown: AllRows) -> None:
        self.shown = shown
        self.total = shown.total or 0
        """The most that any page said that there are."""
        self.repeated = 0
        """How many rows a page had from the one before, not counting those that stayed where more were loaded."""
        self.drawn = self.new = 0
        """How many rows the last page had, and how many of them were new."""
        self._keys: list[Hashable] = []
        self._places: set[int] = set()

    def add(self, documents: Documents, *, replaces: bool) -> str:
        """Adds what is new in the documents; why nothing is, or "".

        `replaces`: they are another page, not the same one with other rows drawn.
        """
        raise NotImplementedError

    @property
    def count(self) -> int:
        """How many rows there are so far."""
        return len(self._keys)

    def start_again(self, documents: Documents) -> None:
        """Takes the rows in the documents in the place of all."""
        self._keys.clear()
        self._places.clear()
        self._clear()
        self.add(documents, replaces=True)

    def _clear(self) -> None:
        raise NotImplementedError

    def _set_shown(self, shown: AllRows) -> None:
        self.shown = shown
        self.total = max(self.total, shown.total or 0)

    def _new(
        self, keys: Sequence[Hashable], places: Sequence[int] | None, headings: Sequence[int] = (), *, replaces: bool
    ) -> list[int] | None:
        """Which of the rows are new, None if that cannot be told.

        `places` are theirs in their set, if all have one, and `headings` those of headings between them.
        """
        if places is not None and not replaces:
            new = self._following(places, headings)
            is_joined = bool(new) or self._places.issuperset(places)
        else:
            overlap = _overlap(self._keys, keys)
            once = {key for key, count in Counter(self._keys).items() if count == 1}
            if replaces and once.isdisjoint(keys[:overlap]):
                overlap = 0  # rows that come again and again tell nothing
            new = list(range(overlap, len(keys)))
            is_joined = replaces or overlap > 0
        if not is_joined:
            return None
        self.drawn, self.new = len(keys), len(new)
        if replaces:
            self.repeated += len(keys) - len(new)
        self._keys += [keys[number] for number in new]
        self._places |= {places[number] for number in new} if places is not None else set()
        return new

    def _following(self, places: Sequence[int], headings: Sequence[int]) -> list[int]:
        """Which of the rows with these places go on from those before, without a gap."""
        last, new = max(self._places, default=0), list[int]()
        numbers = {place: number for number, place in enumerate(places)}
        for place in sorted({*places, *headings}):
            if place > last + 1:
                break
            last = max(last, place)
            if place in numbers and place not in self._places:
                new.append(numbers[place])
        return new


class JoinedTable(Joined):
    """A table of several pages."""

    def __init__(self, first: ReadTable) -> None:
        super().__init__(first.shown)
        self._first = first.table
        self._columns = list(first.table.columns)
        self._rows: list[tuple[int, dict[str, str]]] = []
        self._take(first, replaces=True)

    def add(self, documents: Documents, *, replaces: bool) -> str:
        tables = [read for read in tables_in(documents) if self._likeness(read.table) >= _LEAST_COMMON]
        if not tables:
            self.shown = AllRows()
            return "there is no table with these columns"
        read = max(tables, key=lambda read: self._likeness(read.table))
        return self._take(read, replaces=replaces)

    def _clear(self) -> None:
        self._rows.clear()

    def result(self) -> PageTable:
        """All rows as one table: in the order of their places, if all have one."""
        rows = self._rows
        if all(place for place, _ in rows) and len({place for place, _ in rows}) == len(rows):
            rows = sorted(rows, key=lambda row: row[0])
        total = self._first.total if self._first.total is None else max(self.total, len(rows))
        return msgspec.structs.replace(
            self._first,
            columns=self._columns,
            rows=[{name: row.get(name, "") for name in self._columns} for _, row in rows],
            total=total,
            more=self.shown.more,
        )

    def _take(self, read: ReadTable, *, replaces: bool) -> str:
        table, places = read.table, read.places
        self._set_shown(read.shown)
        self._columns += [name for name in table.columns if name not in self._columns]
        keys = [tuple(row.items()) for row in table.rows]
        new = self._new(keys, places if all(places) else None, read.headings, replaces=replaces)
        self._rows += [(places[number], table.rows[number]) for number in new or ()]
        return NOT_JOINED if new is None else "" if new else NOTHING_NEW

    def _likeness(self, table: PageTable) -> float:
        """How much a table is like this one; most of all, it is this one."""
        if table.ref == self._first.ref:
            return 2.0
        common = len(set(table.columns) & set(self._columns))
        return common / max(len(set(table.columns) | set(self._columns)), 1)


class JoinedRecords(Joined):
    """Records of several pages: what the box around them holds on the next is put behind what it holds on the first."""

    def __init__(self, first: Alike) -> None:
        surroundings = Surroundings(first.document)
        elements = [node.element for node in first.nodes]
        super().__init__(surroundings.of_elements(elements))
        self._document = first.document
        self._box = surroundings.common(elements)
        self._way = [self._box, *surroundings.around(self._box)][::-1]
        self._box[:] = _items(self._box, self.shown)
        self._new([_key(child) for child in self._box], _places(list(self._box)), replaces=True)

    def add(self, documents: Documents, *, replaces: bool) -> str:
        document = next((document for document in documents.all if document.place == self._document.place), None)
        if document is not None:
            group_parts(document)
        box = None if document is None else _same_place(document.root, self._way)
        if document is None or box is None or not len(box):
            self.shown = AllRows()
            return "nothing like the records is there"
        self._set_shown(Surroundings(document).of_elements(list(box)))
        children = _items(box, self.shown)
        new = self._new([_key(child) for child in children], _places(children), replaces=replaces)
        for number in new or ():
            _make_absolute(children[number], document)
            self._box.append(children[number])
        return NOT_JOINED if new is None else "" if new else NOTHING_NEW

    def _clear(self) -> None:
        self._box[:] = []

    def result(self, unread: list[str]) -> Records[Record]:
        """All records."""
        alike = alike_of(self._document)
        assert alike is not None, "the first page had records"
        records = records_of(alike, unread)
        records.total, records.more = self.total or None, self.shown.more
        return records


def _items(box: Element, shown: AllRows) -> list[Element]:
    """The elements in a box that show anything, but for that with its pager."""
    return [child for child in box if shown.way not in child.iter() and any(map(_content, child.iter()))]  # type: ignore[operator]  # it may be None


def _content(element: Element) -> str:
    return (element.text or "").strip() or element.get("s", element.get("v", ""))


def _places(items: list[Element]) -> list[int] | None:
    places = [int(item.get("pos", "0")) for item in items]
    return places if all(places) else None


def _key(element: Element) -> Hashable:
    """All that an item shows."""
    parts = element.iter()
    return tuple((part.tag, (part.text or "").strip(), part.get("h"), part.get("r"), part.get("s")) for part in parts)


def _overlap(before: Sequence[Hashable], keys: Sequence[Hashable]) -> int:
    """How many rows at the end of those before are those at the beginning of the others."""
    lengths = range(min(len(before), len(keys)), 0, -1)
    return next((length for length in lengths if before[-length:] == keys[:length]), 0)


def _same_place(root: Element, way: Sequence[Element]) -> Element | None:
    """The element at the end of the like way in another document: at each level the one with most classes in common."""
    element = root
    for before, wanted in itertools.pairwise(way):
        places = {id(child): place for place, child in enumerate(before)}
        alike = [(place, child) for place, child in enumerate(element) if _kind(child) == _kind(wanted)]
        if not alike:
            return None
        classes, at = _classes(wanted), places[id(wanted)]
        _, element = max(alike, key=lambda found: (len(_classes(found[1]) & classes), -abs(found[0] - at)))
    return element


def _kind(element: Element) -> tuple[str, ...]:
    return (element.tag, element.get("t", ""), element.get("k", ""))


def _classes(element: Element) -> set[str]:
    return set(element.get("class", "").split())


def _make_absolute(element: Element, document: DataDocument) -> None:
    """Makes addresses in the element such that they are right in another document."""
    for link in element.iter("a"):
        if "r" in link.attrib:
            link.set("h", document.folder + link.attrib.pop("r"))
