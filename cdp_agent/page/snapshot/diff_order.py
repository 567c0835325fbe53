"""Which row or item is the first one of a table or a list now: after sorting, filtering, or going to another page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from .diff_matching import longest_increasing
from .diff_places import name_of, whole_text
from .diff_tree import TreeLine
from .lines import quoted

NOUNS = {"row": "row", "listitem": "item", "treeitem": "item", "article": "article"}
"""The roles of the lines that make up a table, a list, a tree or a feed, and the words for them."""
_FEW = 3
"""From this number on, items that read otherwise in their old place are other items."""


class Reordered(msgspec.Struct, frozen=True):
    """A list with another first item: the line that reports it, and the items whose moves it reports."""

    line: str
    moved: list[TreeLine]


def reordered(old: TreeLine, new: TreeLine, counterparts: Mapping[int, TreeLine]) -> Reordered | None:
    """What became of a list of which several items came, went or moved, if its first item is another one now.

    `counterparts` are the old lines of new ones, by `id`. A first item that stayed may be the header of the others, so
    the one below it is named.
    """
    heads = [row for row in new.below if _is_header(row)]
    are_heads = {id(row) for row in (*heads, *(counterparts.get(id(row), row) for row in heads))}
    had, has = ([row for row in each.below if row.role in NOUNS and id(row) not in are_heads] for each in (old, new))
    first = 0
    while had[first : first + 1] and has[first : first + 1] and had[first].subtree_id == has[first].subtree_id:
        first += 1
    if first > 1 or first >= len(has) or first >= len(had):
        return None
    at = {id(item): index for index, item in enumerate(had)}
    remained = [item for item in has if id(counterparts.get(id(item))) in at]
    moved = _moved(remained, [at[id(counterparts[id(item)])] for item in remained])
    counts = {
        "moved": len(moved) or _permuted(had, has),
        "came": len(has) - len(remained),
        "went": len(had) - len(remained),
    }
    changed = sum(item.subtree_id != counterparts[id(item)].subtree_id for item in remained)
    if not counts["moved"] and changed >= _FEW:
        counts["changed"] = changed
    if max(counts.values()) < 2 or whole_text(had[first]) == whole_text(has[first]):
        return None
    noun = NOUNS[has[first].role]
    is_now = f"is now {quoted(whole_text(has[first]))}"
    if first and heads:
        is_now = f"is still {quoted(whole_text(has[0]))}, the next one {is_now}"
    elif first:
        is_now = f"below {quoted(whole_text(has[0]))} {is_now}"
    (count, what), *rest = [(count, what) for what, count in counts.items() if count]
    told = ", ".join([f"{count} {noun}{'s'[: count > 1]} {what}", *(f"{count} {what}" for count, what in rest)])
    head = f"~ - {new.role}{f' {quoted(name)}' if (name := name_of(new)) else ''}: " if new.role else "~ "
    return Reordered(f"{head}first {noun} {is_now} ({told})", moved)


def _is_header(row: TreeLine) -> bool:
    return row.role == "row" and any(each.role == "columnheader" for each in row.below)


def _moved(items: list[TreeLine], order: Sequence[int]) -> list[TreeLine]:
    """The items that moved: all that have another place, if none came or went and more than one was moved."""
    stayed = longest_increasing(list(order))
    moved = [item for index, item in enumerate(items) if index not in stayed]
    if len(moved) > 1 and sorted(order) == list(range(len(order))):
        return [item for index, item in enumerate(items) if order[index] != index]
    return moved


def _permuted(had: list[TreeLine], has: list[TreeLine]) -> int:
    """How many items read otherwise in their place, if all texts are those of before in another order."""
    before, after = ([item.subtree_id for item in items] for items in (had, has))
    same = Counter(before) == Counter(after)
    return sum(one != other for one, other in zip(before, after, strict=True)) if same else 0
