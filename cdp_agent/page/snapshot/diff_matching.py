"""Matches lines of the old page with lines of the new one where no ref does."""

from __future__ import annotations

import bisect
import itertools
from collections import Counter
from collections.abc import Iterator

from cdp_agent.patterns import pattern

from .diff_tree import CARET, TreeLine
from .lines import parts_of, without_ref

_WORD = pattern(r"\w+")


def longest_increasing(numbers: list[int]) -> set[int]:
    """The indices of a longest increasing subsequence of the numbers."""
    if all(one < other for one, other in itertools.pairwise(numbers)):
        return set(range(len(numbers)))
    ends: list[int] = []  # the smallest last number of an increasing subsequence of length 1, 2, 3 …
    last: list[int] = []
    before: list[int] = []
    for index, number in enumerate(numbers):
        length = bisect.bisect_left(ends, number)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [number]
        last[length : length + 1] = [index]
    rise, index = set(), last[-1]
    while index >= 0:
        rise.add(index)
        index = before[index]
    return rise


def outermost(line: TreeLine, wanted: set[int]) -> Iterator[tuple[TreeLine, TreeLine, bool]]:
    """The outermost lines in `wanted` (ids), each with the sibling before it, or with its parent and True if first."""
    above, inside = line, True
    for child in line.below:
        if id(child) in wanted:
            yield child, above, inside
        else:
            yield from outermost(child, wanted)
        above, inside = child, False


class Neighbours:
    """The neighbours of lines below a line that exists in both trees."""

    def __init__(self, old: TreeLine, new: TreeLine) -> None:
        self._old, self._new = old.below, new.below
        self._at = {id(line): at for lines in (self._old, self._new) for at, line in enumerate(lines)}
        self._had, self._has = ({line.subtree_id for line in lines} for lines in (self._old, self._new))

    def have_other_neighbours(self, gone: TreeLine, come: TreeLine) -> bool:
        """Whether two lines with refs and the same text have different neighbours, of which one is in both trees.

        In rows of a control with a text next to it, only that text distinguishes the controls.
        """
        return any(self._have_other_neighbours(gone, come, step) for step in (-1, 1))

    def _have_other_neighbours(self, gone: TreeLine, come: TreeLine, step: int) -> bool:
        was, now = self._beside(self._old, gone, step), self._beside(self._new, come, step)
        if (was and now and was.subtree_id == now.subtree_id) or was is now is None:
            return False
        return (was is not None and was.subtree_id in self._has) or (now is not None and now.subtree_id in self._had)

    def _beside(self, lines: list[TreeLine], line: TreeLine, step: int) -> TreeLine | None:
        at = self._at[id(line)] + step
        return lines[at] if 0 <= at < len(lines) else None

    def texts_in_place(
        self, left_old: list[TreeLine], left_new: list[TreeLine], was: dict[int, TreeLine]
    ) -> dict[int, TreeLine]:
        """The old counterparts of new lines without refs, by `id`: they share words and follow the same line."""
        left_ids = set(map(id, left_old))
        counterparts: dict[int, TreeLine] = {}
        for line in left_new:
            before = self._beside(self._new, line, -1)
            above = before and (counterparts.get(id(before)) or was.get(id(before)))
            if before and (above is None or id(above) not in self._at):
                continue
            at = self._at[id(above)] + 1 if above else 0
            gone = self._old[at] if at < len(self._old) else None
            if gone is None or id(gone) not in left_ids or gone.ref or line.ref or gone.role != line.role:
                continue
            words = set(_WORD.findall(gone.text)) & set(_WORD.findall(line.text)) - {line.role}
            if words and is_same_thing(gone, line):
                counterparts[id(line)] = gone
        return counterparts


def unmatched(
    old: list[TreeLine], new: list[TreeLine], was: dict[int, TreeLine]
) -> tuple[list[TreeLine], list[TreeLine]]:
    """The lines of both lists that have no counterpart yet."""
    taken = {id(line) for line in was.values()}
    return [line for line in old if id(line) not in taken], [line for line in new if id(line) not in was]


def matched_by_contents(left_old: list[TreeLine], left_new: list[TreeLine]) -> dict[int, TreeLine]:
    """The old counterparts of new lines, by `id`: lines of the same role that contained most of what is in them.

    That are elements with the same ref, and lines without one whose text occurs once in either. A column that got the
    last item of another one is not that one: a name that is on both pages stays with its line.
    """
    named = set(map(role_and_name, left_old)) & set(map(role_and_name, left_new))
    shared = _only_ones(left_old) & _only_ones(left_new)
    holders = {key: line for line in left_old for key in _contents(line, shared)}
    was: dict[int, TreeLine] = {}
    taken: set[int] = set()
    for line in left_new if holders else ():
        held = [holders[key] for key in _contents(line, shared) if key in holders]
        if not held:
            continue
        ((most, _),) = Counter(map(id, held)).most_common(1)
        holder = next(each for each in held if id(each) == most)
        names = {role_and_name(holder), role_and_name(line)}
        if holder.role == line.role and most not in taken and (len(names) == 1 or not names & named):
            was[id(line)] = holder
            taken.add(most)
    return was


def _contents(line: TreeLine, only_ones: set[int]) -> Iterator[str | int]:
    """The refs on and below a line, and the `subtree_id` of those below it that are in `only_ones`."""
    for inner in line.all():
        if inner.ref:
            yield inner.ref
        elif inner is not line and inner.subtree_id in only_ones:
            yield inner.subtree_id


def _only_ones(lines: list[TreeLine]) -> set[int]:
    """The `subtree_id` of each line with a text and without a ref that occurs once below the lines."""
    counts = Counter(each.subtree_id for line in lines for each in line.all() if _has_words(each))
    return {subtree for subtree, count in counts.items() if count == 1}


def _has_words(line: TreeLine) -> bool:
    return line.ref is None and line.role != "|" and line.text != f"- {line.role}"


def unwrapped(line: TreeLine, other: TreeLine) -> list[TreeLine]:
    """The lines below `line`; a wrapper without text is replaced by its contents if some of these are below `other`.

    Snapshots leave out wrappers around a single thing, so a wrapper that comes or goes is no change.
    """
    refs = {each.ref for each in other.below if each.ref}
    texts = {each.subtree_id for each in other.below if _has_words(each) or (each.below and each.ref is None)}

    def contents(wrapper: TreeLine) -> list[TreeLine]:
        if wrapper.ref is not None or wrapper.text != f"- {wrapper.role}":
            return [wrapper]
        inner = [line for below in wrapper.below for line in contents(below)]
        return inner if any(line.ref in refs or line.subtree_id in texts for line in inner) else [wrapper]

    return [each for below in line.below for each in contents(below)]


def own_words(line: TreeLine) -> str:
    """The text of the line itself, without its ref and the state of a caret or selection."""
    said = parts_of(without_ref(line.text))
    if said is None or not CARET.search(line.text):
        return without_ref(line.text)
    role, name, states, rest = said
    return f"- {role}{name}" + "".join(f" {each}" for each in states if not CARET.match(f" {each}")) + rest


def role_and_name(line: TreeLine) -> object:
    """The role and name of a line; for a line without a name, a value that equals no other."""
    said = parts_of(line.text)
    return (line.role, said[1]) if said and said[1] else id(line)


def is_same_thing(was: TreeLine, now: TreeLine) -> bool:
    """Whether an old and a new line of the same role in the same place are the same thing, changed.

    Lines without refs are, unless both have subtrees and their texts differ; a line with a ref is if both have the same
    name.
    """
    if was.ref or now.ref:
        old, new = parts_of(was.text), parts_of(now.text)
        return bool(old and new and old[1] and old[1] == new[1])
    return not (was.below and now.below) or was.text == now.text


def are_apart(gone: TreeLine, come: TreeLine, old: TreeLine, new: TreeLine, was: dict[int, TreeLine]) -> bool:
    """Whether two texts without a common word have different neighbours. `was`: the old counterparts of new lines."""
    if gone.role != "text" or set(_WORD.findall(gone.text)) & set(_WORD.findall(come.text)) != {"text"}:
        return False
    i, j = old.below.index(gone), new.below.index(come)
    if i == j == 0 or (i and j and was.get(id(new.below[j - 1])) is old.below[i - 1]):
        return False
    next_old, next_new = old.below[i + 1 : i + 2], new.below[j + 1 : j + 2]
    return not (next_old and next_new and was.get(id(next_new[0])) is next_old[0])
