"""Determines which of several similar elements is the one that was meant, after a re-render of the page.

It is recognized by its own keys (id, data-id, href …), by those of its row, by the row's text or heading, or by its
position among the same number of elements in rows with unchanged text. If anything contradicts that, no element is
chosen: better none than a wrong one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

import msgspec

from cdp_agent.page.snapshot.lines import indent_of, read_line, ref_of, without_focus, without_ref
from cdp_agent.patterns import pattern

_ROWS = pattern(r" *- (row|listitem|article|option|treeitem|menuitem)\b")
_HEADINGS = ("heading", "rowheader")
_CHANGING = pattern(r"\W*\d+([:.,/]\d+)+\S*|\S*[$€£¥%]\S*")
"""Times, dates and prices, which change while the row stays the same."""


class Identity(msgspec.Struct, frozen=True):
    """What identifies an element, see js/names/identity.js."""

    row: int
    nth: int
    of: int
    is_row: bool
    own: list[str]
    around: list[str]
    inside: list[str]
    heading: str
    words: list[str]
    beside: list[str] = []

    @property
    def row_words(self) -> list[str]:
        """The text in the row, or else the text around it."""
        return self.words or self.beside

    @property
    def is_bare(self) -> bool:
        """Whether the element was removed from the page on its own, so that its place is not known."""
        return not (self.row_words or self.around or self.inside)

    def keys(self, kind: str) -> set[str]:
        """The keys of a kind: `own`, `around` or `inside`."""
        return set(getattr(self, kind))


class Identities(msgspec.Struct, frozen=True):
    """The identities of similar elements before and after a re-render; None if an element is no longer known."""

    were: list[Identity | None]
    are: list[Identity | None]


class Lookup(msgspec.Struct, frozen=True):
    """The search for an element among all similar ones: as they were, in page order, and as they are now."""

    was: Identity
    were: list[Identity]
    are: dict[int, Identity]
    """The identities as they are now, by index."""
    fresh: dict[int, Identity]
    """The candidates: new elements."""

    @property
    def which(self) -> int:
        """The index of `was` in `were`, by object identity, since other items may be equal."""
        return next(index for index, each in enumerate(self.were) if each is self.was)

    @property
    def others(self) -> list[Identity]:
        """The items of `were` in other rows."""
        return [each for each in self.were if each.row != self.was.row]

    @property
    def is_alone(self) -> bool:
        """Whether there was only one such element, not in a list, and there is only one now."""
        return len(self.were) == len(self.are) == 1 and not self.was.is_row


def successor(which: int, identities: Identities, fresh: Sequence[bool], *, renamed: bool) -> int | None:
    """The index in `identities.are` of the successor of `identities.were[which]`, None if it is not certain.

    `fresh`: for each of `identities.are`, whether it is new. `renamed`: the names differ, so that only keys count.
    """
    was = identities.were[which]
    assert was is not None  # else there is nothing to compare
    there = {index: each for index, each in enumerate(identities.are) if each is not None}
    able = {index: each for index, each in there.items() if fresh[index]}
    lookup = Lookup(was, [each for each in identities.were if each is not None], there, able)
    for kind in ("own", "around", "inside"):
        if keys := _unique_keys(lookup, kind):
            keyed = _with_keys(lookup, kind, keys)
            if keyed:
                return keyed[0] if len(keyed) == 1 and not _contradicts(lookup, kind, keys, keyed[0]) else None
    return None if renamed else _by_words(lookup)


def _unique_keys(lookup: Lookup, kind: str) -> set[str]:
    """The keys that no other element had; in a row, or without other elements, only those that look unique."""
    was = lookup.was
    rivals = lookup.others if kind != "own" else [each for each in lookup.were if each is not was]
    theirs = set[str]().union(*(each.keys(kind) for each in rivals))
    keys = {key for key in was.keys(kind) - theirs if not _is_row_number(lookup, kind, key)}
    if (rivals and not was.is_row) or (kind == "own" and lookup.is_alone):
        return keys
    differing = {key.partition("=")[0] for key in theirs}
    parts = ((key, *key.partition("=")[::2]) for key in keys)
    return {key for key, name, value in parts if name.endswith(" href") or re.search(r"\d", value) or name in differing}


def _is_row_number(lookup: Lookup, kind: str, key: str) -> bool:
    """Whether the key is only the row's number, from 0 or 1, which the next row takes over when it moves up."""
    number = re.search(r"\d+(?=\D*$)", key)
    if number is None:
        return False
    alike = re.compile(f"{re.escape(key[: number.start()])}(\\d+){re.escape(key[number.end() :])}")
    places = [index if kind == "own" else identity.row for index, identity in enumerate(lookup.were)]
    numbers = {
        at: int(match[1])
        for at, identity in zip(places, lookup.were, strict=True)
        for match in map(alike.fullmatch, identity.keys(kind))
        if match is not None
    }
    at, start = places[lookup.which], int(number[0])
    while numbers.get(at - 1) == start - 1:
        at, start = at - 1, start - 1
    return start in (0, 1)


def _with_keys(lookup: Lookup, kind: str, keys: set[str]) -> list[int]:
    """The indices in `are` of elements with any of the keys; empty unless a candidate is among them."""
    have = [index for index, each in lookup.are.items() if keys & each.keys(kind)]
    if kind != "own" and len({lookup.are[index].row for index in have}) == 1:
        have = [index for index in have if _same_nth(lookup.was, lookup.are[index])]
    return have if any(index in lookup.fresh for index in have) else []


def _contradicts(lookup: Lookup, kind: str, keys: set[str], index: int) -> bool:
    """Whether the row's text shows that its key now belongs to another row, as happens with keys that only count."""
    now, was = lookup.are[index], lookup.was
    if kind == "own" and (lookup.is_alone or any(" href=" in key for key in keys & now.keys(kind))):
        return False
    if kind == "inside" and _conflict(lookup, kind, now):
        return True
    if now.words == was.words:
        return False
    if any(each.words == was.words for each in lookup.are.values() if each.row != now.row):
        return True
    mine, its = _stable_words(was), _stable_words(now)
    shared = len(mine & its) + (0 if kind == "inside" else 0.5)
    closer = (each for each in lookup.others if _stable_words(each) != mine)
    return bool(mine) and (not mine & its or any(len(_stable_words(each) & its) >= shared for each in closer))


def _conflict(lookup: Lookup, kind: str, candidate: Identity, *, counted: bool = True) -> bool:
    """Whether `candidate` has another key instead of a unique one. Without `counted`, numbered ids do not count."""
    was, its = lookup.was.keys(kind), candidate.keys(kind)
    lost = _unique_keys(lookup, kind) - its
    for key in lost:
        name, _, value = key.partition("=")
        is_counted = name.endswith((" id", " for")) and re.search(r"\d", value) is not None
        if (counted or not is_counted) and any(each.startswith(f"{name}=") for each in its - was):
            return True
    return False


def _by_words(lookup: Lookup) -> int | None:
    def able(counted: bool) -> dict[int, Identity]:
        kinds = ("own", "around", "inside")
        return {
            index: candidate
            for index, candidate in lookup.fresh.items()
            if _same_nth(lookup.was, candidate)
            and not any(_conflict(lookup, kind, candidate, counted=counted) for kind in kinds)
        }

    ways: tuple[Callable[[Identity], object], ...] = (
        lambda each: (each.row_words, each.heading) if each.row_words else "",
        lambda each: each.heading,
        lambda each: (_first(each), sorted(_stable_row_words(each))) if _stable_row_words(each) else "",
    )
    # In a block with several of them, only their order tells them apart, so that nothing else may have changed.
    for way in ways if lookup.was.is_row or lookup.was.of == 1 else ways[:1]:
        words = way(lookup.was)
        if not words or any(way(each) == words for each in lookup.others):
            continue
        there = {each.row for each in lookup.are.values() if way(each) == words}
        indices = [index for index, each in able(counted=False).items() if way(each) == words]
        if len(there) == len(indices) == 1 and _may_be_same(lookup.was, lookup.are[indices[0]]):
            return indices[0]
    if lookup.is_alone:
        indices = [index for index, each in able(counted=False).items() if _keeps_its_text(lookup.was, each)]
        return indices[0] if indices else None
    return _nth(lookup, able(counted=True))


def _may_be_same(was: Identity, now: Identity) -> bool:
    """Whether both may be the same; not if the heading may be that of a list, and no text below it is left."""
    below, its = (_stable_words(each) - stable_words(each.heading) for each in (was, now))
    return was.is_row or not below or bool(below & its)


def _nth(lookup: Lookup, able: dict[int, Identity]) -> int | None:
    """The index of the element at the same position, if the texts of all rows are unchanged."""
    were = [(each.row_words, each.nth) for each in lookup.were]
    are = [(each.row_words, each.nth) for each in lookup.are.values()]
    index = list(lookup.are)[lookup.which] if were == are else None
    return index if index in able else None


def _keeps_its_text(was: Identity, now: Identity) -> bool:
    """Whether its whole text is still there, or it neither had nor has a text."""
    before, after = _letters(was.row_words), _letters(now.row_words)
    return before == after or (before != [] and not Counter(before) - Counter(after))


def is_another(was: Identity, now: Identity, were: Sequence[Identity]) -> bool:
    """Whether nothing is left of the text that only this row had."""
    others = set[str]().union(*(_stable_words(each) for each in were if each.row != was.row))
    mine, its = _stable_words(was) - others, _stable_words(now)
    return bool(mine) and bool(its) and not mine & its


def _same_nth(one: Identity, other: Identity) -> bool:
    return (one.nth, one.of) == (other.nth, other.of)


def _first(each: Identity) -> str:
    """The first of the row's texts that contains a letter."""
    return next((words for words in each.row_words if re.search(r"[^\W\d]", words)), "")


def _stable_words(each: Identity) -> set[str]:
    return stable_words(" ".join(each.words))


def _stable_row_words(each: Identity) -> set[str]:
    return stable_words(" ".join(each.row_words))


def stable_words(text: str) -> set[str]:
    """The words of a text without times, dates and prices."""
    return {word for word in text.split() if re.search(r"\w", word) and not _CHANGING.fullmatch(word)}


def _letters(words: Sequence[str]) -> list[str]:
    """The words with a letter or with four or more digits, which are a name and no count."""
    return [word for word in " ".join(words).split() if re.search(r"[^\W\d]|\d{4}", word)]


def without_numbers(name: str) -> str:
    """A name without its numbers; "" if it has nothing else."""
    return " ".join(_letters([name]))


def identities_in(text: str, refs: Sequence[str]) -> list[Identity]:
    """The identities of elements in page order, as far as a snapshot's text shows them."""
    lines = text.split("\n")
    at = [line_index_of(lines, ref) for ref in refs]
    rows: list[tuple[int, int]] = [_row(lines, each) for each in at]
    identities: list[Identity] = []
    for index, (first, end) in zip(at, rows, strict=True):
        inside = [each for each in at if first <= each < end]
        around = [lines[i] for i in range(first, end) if i not in inside]
        named = [line for line in map(read_line, around) if line is not None]
        heading = next((line.name for line in named if line.role in _HEADINGS and line.name), "")
        identities.append(
            Identity(
                row=rows.index((first, end)),
                nth=inside.index(index),
                of=len(inside),
                is_row=_ROWS.match(lines[first]) is not None,
                own=_targets([lines[index]]),
                around=[],
                inside=_targets(around),
                heading=heading,
                words=[without_marks(line).strip().removeprefix("- ") for line in around],
            )
        )
    return identities


def _row(lines: list[str], at: int) -> tuple[int, int]:
    """The range of lines of the row that a line is in; without a row, that of its siblings."""
    first = at
    for above in range(at, -1, -1):
        if above == at or indent_of(lines[above]) < indent_of(lines[first]):
            first = above
            if _ROWS.match(lines[first]):
                return first, _end(lines, first + 1, indent_of(lines[first]) + 1)
    depth = indent_of(lines[at])
    first = at
    while first > 0 and indent_of(lines[first - 1]) >= depth:
        first -= 1
    return first, _end(lines, at + 1, depth)


def _end(lines: list[str], at: int, depth: int) -> int:
    while at < len(lines) and indent_of(lines[at]) >= depth:
        at += 1
    return at


def _targets(lines: Sequence[str]) -> list[str]:
    return [f"a href={line.target}" for line in map(read_line, lines) if line is not None and line.target]


def line_index_of(lines: Sequence[str], ref: str) -> int:
    """The index of the line with the ref."""
    return next(index for index, line in enumerate(lines) if f"[ref={ref}]" in line and ref_of(line) == ref)


def without_marks(line: str) -> str:
    """A line without its ref and the mark of the focus."""
    return without_ref(without_focus(line))
