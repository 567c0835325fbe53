"""The difference between two snapshot texts, for a model to read.

Two lines are the same if they have the same ref, wherever they are. Lines with different refs, or none, count as the
same if their whole subtrees have the same text in the same place, if they contain the same lines, or if each is the
only one of its role below its parent. A subtree that was added or removed is reported as a whole.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import cached_property

from cdp_agent.patterns import pattern

from .diff_matching import (
    Neighbours,
    are_apart,
    is_same_thing,
    longest_increasing,
    matched_by_contents,
    outermost,
    own_words,
    role_and_name,
    unmatched,
    unwrapped,
)
from .diff_order import NOUNS, reordered
from .diff_places import LinePlaces, changed_cells, name_of, text_of
from .diff_tree import TreeLine, differing_parts, parse
from .diff_words import (
    behind_changes,
    changed_line,
    cut,
    lines_changed,
    listed,
    short_line,
)
from .lines import ITEMS, has_focus, quoted, without_focus, without_ref

_MOST_MOVED = 3
_MOST_TRIED = 8
"""How many candidates at most are tried as the old counterpart of a line with a ref."""
_FEW_DISABLED = 8
"""Up to this number, lines that were disabled or enabled are reported one by one."""
_DISABLED = pattern(r" \(((?:now|no longer) \[disabled\])\)$")
_TARGET = pattern(r"(?<=\d\]) → [^\s:]+(?::[^\s:]+)*")
"""The address of a link, after its ref; it is left out for a removed link that its name tells apart."""
_DESCRIPTION = pattern(r'\[description="(?:[^"\\]|\\.)*"\]')


def changes(before: str, after: str) -> list[str]:
    """The lines that were added ("+ …") and changed ("~ …"), in the order of the page, then those removed ("- …").

    The lines below an added line are indented under it; those below a removed line are counted. What has other first
    rows or items comes first; moved lines, with their new places, and the refs of elements that were rendered anew come
    last. A line that reads like others comes with what tells it apart, ` in row "Ada"`. A move of the focus is no
    change.
    """
    if before == after:
        return []
    numbers: dict[tuple[object, ...], int] = {}
    old, new = (parse(lines, numbers) for lines in differing_parts(before, after))
    return _Comparison(old, new, LinePlaces(old, before), LinePlaces(new, after)).lines()


def focused(text: str) -> str | None:
    """The innermost line with the focus, without its indent; None when there is none."""
    innermost = None
    for line in text.split("\n") if "[focused]" in text else ():
        if has_focus(line):
            innermost = without_focus(line.strip()).removeprefix("- ").removesuffix(":")
    return innermost


class _Comparison:
    """Compares the new tree with the old one, and collects the differences."""

    def __init__(self, old: TreeLine, new: TreeLine, old_places: LinePlaces, new_places: LinePlaces) -> None:
        self._old, self._new = old, new
        self._old_places, self._new_places = old_places, new_places
        self._old_by_ref = {line.ref: line for line in old.all() if line.ref}
        self._new_by_ref = {line.ref: line for line in new.all() if line.ref}
        self._changes: list[str] = []
        self._added: list[tuple[int, TreeLine]] = []
        """The added subtrees, each with its place in `_changes`."""
        self._removed: list[TreeLine] = []
        self._renamed: list[tuple[str, str]] = []
        self._behind: dict[str, list[TreeLine]] = defaultdict(list)
        """Lines that something is in front of now, or no longer, by the words for it."""
        self._disabled: dict[str, list[tuple[int, str | None]]] = defaultdict(list)
        """Lines that were only disabled or enabled, by the words for it: their places in `_changes` and their refs."""
        self._kept: dict[int, TreeLine] = {}
        """The old counterparts of new lines, by the `id` of the new line."""
        self._lists: list[tuple[TreeLine, TreeLine]] = []
        """The old and the new line of what has items."""
        self._below(old, new)
        self._forget_moved()

    def lines(self) -> list[str]:
        lists = [reordered(old, new, self._kept) for old, new in self._lists]
        report: list[str] = [each.line for each in lists if each is not None]
        refs = {how: [ref for _, ref in lines if ref] for how, lines in self._disabled.items()}
        many = {how: lines for how, lines in self._disabled.items() if len(refs[how]) > _FEW_DISABLED}
        counted = {index for lines in many.values() for index, _ in lines}
        added = iter([*self._added, (len(self._changes) + 1, None)])
        alike = Counter(line.subtree_id for _, line in self._added)
        where, line = next(added)
        for index in range(len(self._changes) + 1):
            while where == index and line is not None:
                is_alone = alike[line.subtree_id] == 1 and not self._is_inserted(line)
                report += self._whole(line, 0, is_alone=is_alone)
                where, line = next(added)
            report += self._changes[index : index + 1] if index not in counted else []
        alike = Counter(line.subtree_id for line in self._removed)
        report += [self._gone(each, is_alone=alike[each.subtree_id] == 1) for each in self._removed]
        behind = [behind_changes(how, lines) for how, lines in sorted(self._behind.items())]
        disabled = [f"~ {how}: {listed(refs[how], len(lines))}" for how, lines in many.items()]
        ordered = {id(line) for each in lists if each is not None for line in each.moved}
        return [*report, *self._moved(ordered), *behind, *disabled, *self._rerendered()]

    def _is_inserted(self, line: TreeLine) -> bool:
        """Whether it is the only line that was added, a row or an item between others."""
        return len(self._added) == 1 and line.role in ITEMS and self._new_places.has_next(line)

    def _moved(self, ordered: set[int]) -> Iterator[str]:
        """The new places of the fewest lines whose moves explain the new order, without the lines inside them.

        Nor those in `ordered`, by `id`, which are reported otherwise.
        """
        moved = self._out_of_order()
        places = [each for each in outermost(self._new, moved) if id(each[0]) not in ordered] if moved else []
        if len(places) <= _MOST_MOVED:
            for line, above, inside in places:
                where = f"first in {self._short(above)}" if inside else f"after {self._short(above)}"
                place = f"now {where if above.role else 'first'}"
                yield f"~ - {self._short(line)} (moved{self._from_to(line)}, {place})"
        else:
            yield "~ " + cut(f"moved, now in this order: {', '.join(short_line(line) for line, *_ in places)}")

    def _out_of_order(self) -> set[int]:
        """The lines that moved, by `id`: those that are in another section, and the fewest of the others."""
        at = {id(line): index for index, line in enumerate(self._old.all())}
        kept = [line for line in self._new.all() if id(line) in self._kept]
        order = [at[id(self._kept[id(line)])] for line in kept]
        if len(longest_increasing(order)) == len(kept):
            return set()
        moved = {id(inner) for line in kept if self._is_in_other_section(line) for inner in line.all()}
        rest = [(number, line) for number, line in zip(order, kept, strict=True) if id(line) not in moved]
        stayed = longest_increasing([number for number, _ in rest])
        return moved | {id(line) for index, (_, line) in enumerate(rest) if index not in stayed}

    def _short(self, line: TreeLine) -> str:
        """A line in short; an item or a card that has no words by itself with those in it."""
        if line.role not in (*ITEMS, "generic") or not line.below or name_of(line) or text_of(line):
            return short_line(line)
        return self._new_places.label(line) + (f" [ref={line.ref}]" if line.ref else "")

    def _from_to(self, line: TreeLine) -> str:
        """The containers or sections between which a line has moved, ` from "To do" to "Done"`; "" if it is one."""
        was, now = self._sections(line)
        if was is None or now is None or self._kept.get(id(now)) is was or name_of(was) == name_of(now):
            return ""
        return f" from {quoted(name_of(was))} to {quoted(name_of(now))}"

    def _is_in_other_section(self, line: TreeLine) -> bool:
        """Whether it is in another section now, both of which are on both pages."""
        was, now = self._sections(line)
        return id(was) in self._kept_of_old and id(now) in self._kept and self._kept[id(now)] is not was

    def _sections(self, line: TreeLine) -> tuple[TreeLine | None, TreeLine | None]:
        return self._old_places.section(self._kept[id(line)]), self._new_places.section(line)

    def _below(self, old: TreeLine, new: TreeLine) -> None:
        """Compares the lines below `old` with those below its counterpart `new`."""
        old.below, new.below = unwrapped(old, new), unwrapped(new, old)
        if any(line.role in NOUNS for line in new.below):
            self._lists.append((old, new))
        was = self._same_below(old, new)
        taken = {id(line) for line in was.values()}
        self._removed += [each for each in old.below if id(each) not in taken and not self._is_there(each)]
        for line in new.below:
            before = was.get(id(line))
            if before is None:
                self._added.append((len(self._changes), line))
                self._inside_added(line)
                continue
            self._compare(before, line)
            self._below(before, line)

    def _same_below(self, old: TreeLine, new: TreeLine) -> dict[int, TreeLine]:
        """The old counterparts of lines below `new`, by `id`: matched by ref, contents, text, place or unique role."""
        was = {id(line): self._old_by_ref[line.ref] for line in new.below if line.ref in self._old_by_ref}
        left_old = [line for line in old.below if not self._is_there(line)]
        left_new = [line for line in new.below if id(line) not in was]
        was |= matched_by_contents(left_old, left_new)
        left_old, left_new = unmatched(left_old, left_new, was)
        if not left_old or not left_new:
            return was
        places = Neighbours(old, new)
        keys: list[Callable[[TreeLine], object]] = [
            lambda line: line.subtree_id,
            own_words,
            role_and_name,
            lambda line: line.role,
        ]
        for key in keys:
            waiting: dict[object, list[TreeLine]] = defaultdict(list)
            for line in left_old:
                waiting[key(line)].append(line)
            wanted = Counter(key(line) for line in left_new)
            for line in left_new:
                candidates = waiting[key(line)]
                alone = len(candidates) == 1 and wanted[key(line)] == 1
                for gone in candidates[: 1 if alone or not line.ref else _MOST_TRIED]:
                    if gone.subtree_id == line.subtree_id:
                        same = not (gone.ref and line.ref) or not places.have_other_neighbours(gone, line)
                    else:
                        same = alone and is_same_thing(gone, line) and not are_apart(gone, line, old, new, was)
                    if same:
                        was[id(line)] = gone
                        candidates.remove(gone)
                        break
            left_old, left_new = unmatched(left_old, left_new, was)
        return was | places.texts_in_place(left_old, left_new, was)

    def _is_there(self, line: TreeLine) -> bool:
        return line.ref is not None and line.ref in self._new_by_ref

    def _inside_added(self, line: TreeLine) -> None:
        """Compares lines that existed before and are now inside an added line."""
        for inner in line.below:
            if inner.ref in self._old_by_ref:
                before = self._old_by_ref[inner.ref]
                self._compare(before, inner)
                self._below(before, inner)
            else:
                self._inside_added(inner)

    def _compare(self, was: TreeLine, now: TreeLine) -> None:
        self._kept[id(now)] = was
        if was.behind != now.behind:
            self._behind[f"now {now.behind}" if now.behind else f"no longer {was.behind}"].append(now)
        if was.ref != now.ref and was.ref and now.ref:
            self._renamed.append((was.ref, now.ref))
            if without_ref(was.text) == without_ref(now.text):
                return
        change = self._changed(was, now) if was.text != now.text else ""
        if state := _DISABLED.search(change):
            self._disabled[state[1]].append((len(self._changes), now.ref))
        if change or was.value != now.value:  # the changed lines of the value follow
            self._changes.append(f"~ {change or cut(now.text) + lines_changed(was, now)}")

    def _changed(self, was: TreeLine, now: TreeLine) -> str:
        """The change of a line with its place; "" if it is none."""
        change = changed_cells(was, now, self._new_places)
        if change:
            return change
        elsewhere = self._only_described_elsewhere(was, now)
        words, place = self._new_places.of(now)
        if not place and (name_of(was) != name_of(now) or text_of(was) != text_of(now)):
            _, place = self._old_places.of(was)
            if not place and not words and not self._old_places.says_enough(was):
                place = self._new_places.near(now)
        return changed_line(was, now, elsewhere, words, place)

    def _only_described_elsewhere(self, was: TreeLine, now: TreeLine) -> set[str]:
        """The descriptions that the line gained or lost only because another line had them before, or has them now.

        A description of several elements is shown once, with the first of them, which may be a different one now.
        """
        had, has = (set(_DESCRIPTION.findall(line.text)) for line in (was, now))
        if had == has:
            return set()
        old_order, new_order = self._orders
        return {
            *(each for each in had - has if self._is_described_before(each, new_order, now)),
            *(each for each in has - had if self._is_described_before(each, old_order, was)),
        }

    @cached_property
    def _orders(self) -> tuple[dict[int, tuple[int, str]], dict[int, tuple[int, str]]]:
        """For each line of the old and the new tree, its position and its text."""
        old, new = (
            {id(line): (index, line.text) for index, line in enumerate(root.all())} for root in (self._old, self._new)
        )
        return old, new

    def _is_described_before(self, description: str, order: dict[int, tuple[int, str]], line: TreeLine) -> bool:
        own, _ = order[id(line)]
        return any(index < own and description in text for index, text in order.values())

    def _forget_moved(self) -> None:
        """Drops lines without refs that were removed in one place and added with the same text in another."""
        gone = defaultdict[int, list[TreeLine]](list)
        for line in reversed(self._removed):
            if not line.ref:
                gone[line.subtree_id].append(line)
        added, moved = [], set()
        for where, line in self._added:
            if not line.ref and gone[line.subtree_id]:
                self._kept[id(line)] = gone[line.subtree_id].pop()
                moved.add(id(self._kept[id(line)]))
            else:
                added.append((where, line))
        self._added = added
        self._removed = [line for line in self._removed if id(line) not in moved]

    def _whole(self, line: TreeLine, depth: int, *, is_alone: bool = True) -> Iterator[str]:
        """A line that was added, with those below it. `is_alone`: it needs no place unless others read like it."""
        if depth and line.ref in self._old_by_ref:
            return  # it has only moved
        place = "" if depth else self._place(line, self._new_places, is_alone)
        below = [text for each in line.below for text in self._whole(each, depth + 1)]
        if line.below and not below:
            place = f" (around {short_line(line.below[0])})"  # which was there before
        yield f"+ {'  ' * depth}{cut(line.full_text)}{place}"
        yield from below

    def _gone(self, line: TreeLine, *, is_alone: bool) -> str:
        """A line that was removed, with what tells it apart. `is_alone`: no other that was removed reads like it."""
        gone = [each for each in line.all() if not self._is_there(each)]
        is_link = line.role == "link" and self._old_places.says_enough(line)
        text = cut(_TARGET.sub("", line.text, count=1) if is_link else line.text)
        if len(gone) == 1:
            return f"- {text}{self._place(line, self._old_places, is_alone)}"
        words = self._old_places.words(line, lambda each: each is not line and self._is_there(each))
        is_said = not words or quoted(words) in text or f": {words}" in text
        if not is_said and line.role in ITEMS and without_ref(text) == f"- {line.role}":
            text, is_said = text.replace(line.role, f"{line.role} {quoted(words)}", 1), True
        return f"- {text} (and {len(gone) - 1} below it{'' if is_said else f': {quoted(words)}'})"

    def _place(self, line: TreeLine, places: LinePlaces, is_alone: bool) -> str:
        """Where a line is that was added or removed, if there are others like it, ` (in row "Ada")`."""
        if not places.says_enough(line) and (where := places.where(line) or places.near(line)):
            return f" ({where[1:]})"
        before = None if is_alone else places.before(line)
        stayed = before is not None and (id(before) in self._kept or id(before) in self._kept_of_old)
        return f" (after {short_line(before)})" if before is not None and stayed else ""

    @cached_property
    def _kept_of_old(self) -> set[int]:
        """The old lines that have counterparts, by `id`."""
        return set(map(id, self._kept.values()))

    def _rerendered(self) -> list[str]:
        if not self._renamed:
            return []
        return [f"~ rendered anew: {listed([f'{was} is {now}' for was, now in self._renamed], len(self._renamed))}"]
