"""Refs: the handles by which models and programs refer to elements, across all tabs of a browser and their frames.

A world numbers its elements itself, so that it can return finished text. If two worlds choose the same numbers, those
of the later one are shifted. A number is never given to a second element, and never written into the page. Refs do not
keep a world in memory: it is freed with its document.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from weakref import WeakKeyDictionary, ref

import msgspec

from cdp_agent.errors import InvalidArguments
from cdp_agent.page.frames.world import World

_REF = r"\[?(?:ref=)?[eE](\d{1,9})\]?"
_ANY_REF = re.compile(r"\[?(?:ref=)?[eE]\d+\]?")
_REF_OF_LINE = re.compile(r"\[ref=(E\d{1,9})\]")
_SHOWN = 60
_MOST_GONE = 40
"""How many ranges of gone documents are known as such: there are numbers of other tabs between them."""
_MARK = re.compile("\x01(\\d+)")


class _Range(msgspec.Struct, frozen=True):
    """The local ids `first` … `end - 1` of a world have the numbers `first + shift` … `end - 1 + shift`."""

    first: int
    end: int
    shift: int
    world: ref[World]

    @property
    def start(self) -> int:
        return self.first + self.shift


class ElementRef(msgspec.Struct, frozen=True):
    """An element with a ref, as a snapshot describes it."""

    ref: str
    role: str
    name: str
    frame_url: str


class RefCounter:
    """Counts the refs of all tabs of a browser, also when its Chrome is replaced: what a model remembers of one tab
    or Chrome names nothing in another."""

    def __init__(self) -> None:
        self.next = 1
        """The lowest number that no element has had."""

    def skip_to(self, number: int) -> None:
        """Leaves out the numbers below this one."""
        self.next = max(self.next, number)


class RefTable:
    """Maps the numbers of refs to elements of the worlds of a tab."""

    def __init__(self, counter: RefCounter | None = None) -> None:
        """`counter` is that of the tab's browser."""
        self._counter = counter or RefCounter()
        self._by_number: list[_Range] = []
        self._by_world: WeakKeyDictionary[World, list[_Range]] = WeakKeyDictionary()

    @property
    def next(self) -> int:
        """The lowest number that no element of the browser has had."""
        return self._counter.next

    def claim(self, world: World, first: int, end: int) -> None:
        """Gives numbers to the local ids that a world has newly assigned: [first, end)."""
        if end <= first:
            return
        shift = max(0, self.next - first)
        self._counter.next = end + shift
        self._add(_Range(first, end, shift, ref(world)), world)

    def next_ids(self, world: World) -> tuple[int, int]:
        """The `next` argument of calls that may assign ids, see `reserveIds` in page/js."""
        ranges = self._by_world.get(world, [])
        return self.next, ranges[-1].end if ranges else 1

    def was_given(self, number: int) -> bool:
        """Whether an element has, or had, that number."""
        return self._range(number) is not None

    def locate(self, number: int) -> tuple[World, int] | None:
        """The world and local id behind a number; None if it was never given to an element, or the document is gone."""
        found = self._range(number)
        if found is None or (world := found.world()) is None:
            return None
        return world, number - found.shift

    def number(self, world: World, local: int) -> int:
        """The number for a claimed local id."""
        return _number(self._by_world.get(world, []), local)

    def write(self, world: World, text: str) -> str:
        """The text of a world with its marked local ids replaced by refs."""
        ranges = self._by_world.get(world, [])
        if all(each.shift == 0 for each in ranges):
            return text.replace("\x01", "E")
        return _MARK.sub(lambda mark: f"E{_number(ranges, int(mark[1]))}", text)

    def _range(self, number: int) -> _Range | None:
        index = bisect_right(self._by_number, number, key=lambda each: each.start) - 1
        if index < 0 or number >= self._by_number[index].end + self._by_number[index].shift:
            return None
        return self._by_number[index]

    def _add(self, added: _Range, world: World) -> None:
        ranges = self._by_world.setdefault(world, [])
        last = ranges[-1] if ranges else None
        if last is not None and last is self._by_number[-1] and (last.end, last.shift) == (added.first, added.shift):
            ranges[-1] = self._by_number[-1] = _Range(last.first, added.end, last.shift, last.world)
            return
        if not ranges:
            self._join_gone()
        ranges.insert(bisect_right(ranges, added.first, key=lambda each: each.first), added)
        self._by_number.insert(bisect_right(self._by_number, added.start, key=lambda each: each.start), added)

    def _join_gone(self) -> None:
        """Joins the ranges of documents that are gone: of these numbers only their existence matters.

        The oldest are forgotten, as are the readings that showed them.
        """
        joined: list[_Range] = []
        for range_ in self._by_number:
            last = joined[-1] if joined else None
            if range_.world() is None and last is not None and last.world() is None and last.end == range_.start:
                joined[-1] = msgspec.structs.replace(last, end=range_.end + range_.shift)
            else:
                joined.append(range_ if range_.world() is not None else _gone(range_))
        gone = [range_ for range_ in joined if range_.world() is None]
        self._by_number = [range_ for range_ in joined if range_ not in gone[:-_MOST_GONE]]


def _gone(range_: _Range) -> _Range:
    """The range of a world that is gone, as numbers of refs in place of local ids."""
    return _Range(range_.start, range_.end + range_.shift, 0, range_.world)


def _number(ranges: list[_Range], local: int) -> int:
    index = bisect_right(ranges, local, key=lambda each: each.first) - 1
    if index < 0 or local >= ranges[index].end:
        raise KeyError(f"local id {local} was not claimed")
    return local + ranges[index].shift


def ref_in(text: str) -> str | None:
    """The ref that a text is, as `parse_ref` reads it, or that a line of a snapshot has."""
    if _ANY_REF.fullmatch(text.strip()):
        return text
    match = _REF_OF_LINE.search(text)
    return match and match[1]


def parse_ref(text: str) -> int:
    """12 for "E12" (also "e12", "ref=E12", "[ref=E12]", as models write it). Raises InvalidArguments."""
    match = re.fullmatch(_REF, text.strip()) if isinstance(text, str) else None  # a program may pass None
    if match is None:
        given = str(text)[:_SHOWN]
        raise InvalidArguments(f'"{given}" is no ref. A ref is E and a number, as in [ref=E12] of the snapshot.')
    return int(match[1])
