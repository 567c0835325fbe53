"""What became of a page's lines: the difference of two snapshot texts, as a model reads it.

A line is the same line when it carries the same ref, wherever it moved to. What carries another ref, or none, is the
same thing when its whole subtree reads the same in the same place, when it still holds what it held, or when it is the
only one of its role that the one and the other have there. A subtree that came or went is told whole.
"""

from __future__ import annotations

import bisect
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from .lines import has_focus, indent_of, parts_of, ref_of, shortened, without_focus, without_inert, without_ref

MAX_LINES = 40
MAX_CHARACTERS = 4_000
_LINE_CHARACTERS = 300
_MOST_LISTED = 12
_MOST_MOVED = 3
_MOST_TRIED = 8
"""Of lines that read alike, for which of them one is."""
_FIRST_GONE = 8
_LONGEST_GONE = 12
_FEW_INERT = 2
_FEW_DISABLED = 8
"""So many are told one by one."""
_DISABLED = re.compile(r" \(((?:now|no longer) \[disabled\])\)$")
_FEW_WORDS = 60
_LONG_ALIKE = 100
"""Characters that two texts begin or end with in common: of more than these few are told."""
_BEGINNING = 40
_WORDS_AROUND = 20
_WORD = re.compile(r"\w+")
_CLASSES = re.compile(r"\[class=(?!.*…)")
"""Unless cut."""
_TARGET = re.compile(r"(?<=\d\]) → [^\s:]+(?::[^\s:]+)*")
"""Where a link leads, behind its ref: of one that is gone nobody needs that."""
_CARET = re.compile(r" \[(?:caret|selection)\b")
_DESCRIPTION = re.compile(r'\[description="(?:[^"\\]|\\.)*"\]')


class _Line:
    """A line with those below it. `bare` stands for what it says, with all below it, but for the refs."""

    __slots__ = ("bare", "below", "opens", "ref", "role", "said", "text")

    def __init__(self, raw: str) -> None:
        is_text = raw.startswith("|")  # one of several lines of a value
        self.ref = None if is_text else ref_of(raw)
        self.said = raw if is_text else without_focus(raw).removesuffix(":")
        """Without indent, focus, and the colon that only says that there are lines below."""
        self.text = raw if is_text else without_inert(self.said)
        """`said` without the mark of what a dialog in front of it shuts off."""
        self.opens = not is_text and raw.endswith(":")
        """Its colon only says that there are lines below."""
        self.role = "|" if is_text else self.text.split(" ", 2)[1].removesuffix(":") if " " in raw else ""
        self.below: list[_Line] = []
        self.bare = 0

    @property
    def inert(self) -> bool:
        return self.said != self.text

    @property
    def value(self) -> list[str]:
        """The lines of a value that has several."""
        return [each.text for each in self.below if each.role == "|"]

    def finish(self, numbers: dict[tuple[object, ...], int]) -> None:
        """All below it is there: `numbers` gives what says the same the same number."""
        said = (without_ref(self.text), *(each.bare for each in self.below))
        self.bare = numbers.setdefault(said, len(numbers))

    def all(self) -> Iterator[_Line]:
        """It and all below it, in order."""
        yield self
        for each in self.below:
            yield from each.all()


def changes(before: str, after: str, *, limited: bool = True) -> list[str]:
    """The lines that were added ("+ …"), removed ("- …") and changed ("~ …"), in the order of the page.

    When limited, at most MAX_LINES lines or MAX_CHARACTERS characters; the last one then accounts for the rest. What
    is below an added line is indented under it; what was below a removed line is counted. What moved is told
    with its new place; the focus is no change, and what was rendered anew as it was is one line. When that is longer
    than the page, the page itself comes instead ("= …").
    """
    if before == after:
        return []
    old, new = _apart(before, after)
    numbers: dict[tuple[object, ...], int] = {}
    lines = _Comparison(_parse(old, numbers), _parse(new, numbers)).lines()
    if not limited:
        return lines
    lines = list(_first_of_gone(lines))
    page = [f"= {line}" for line in after.split("\n")]
    if len(lines) > 3 and len(page) <= MAX_LINES and sum(map(len, page)) < sum(map(len, lines)):
        return page
    return _capped(lines)


def focused(text: str) -> str | None:
    """The line that has the focus, without its indent: the innermost of them; None when there is none."""
    found = None
    for line in text.split("\n") if "[focused]" in text else ():
        if has_focus(line):
            found = without_focus(line.strip()).removeprefix("- ").removesuffix(":")
    return found


def _apart(before: str, after: str) -> tuple[list[str], list[str]]:
    """Both texts without what they begin and end with in common, except for the lines that the rest stands in."""
    old, new = (text.split("\n") if text else [] for text in (before, after))
    first, shortest = 0, min(len(old), len(new))
    while first < shortest and old[first] == new[first]:
        first += 1
    last = 0
    while last < shortest - first and old[-1 - last] == new[-1 - last]:
        last += 1
    rest = [*old[first : len(old) - last], *new[first : len(new) - last]]
    depth = min(map(indent_of, rest), default=0)
    # Subtrees are compared whole, and what differs beside what it stands next to.
    while first > 0 and indent_of(new[first] if first < len(new) else old[first]) > depth:
        first -= 1
    if first > 0 and indent_of(old[first - 1]) >= depth:
        first -= 1
        while indent_of(old[first]) > depth:
            first -= 1
    while last > 0 and indent_of(old[-last]) > depth:
        last -= 1
    if last > 0 and indent_of(old[-last]) == depth:
        last -= 1
        while last > 0 and indent_of(old[-last]) > depth:
            last -= 1
    path = _path_to(old, first)
    return path + old[first : len(old) - last], path + new[first : len(new) - last]


def _path_to(lines: list[str], index: int) -> list[str]:
    """The lines above `index` that what comes next may stand in, outermost first."""
    path: list[str] = []
    depth: int | None = None
    for line in reversed(lines[:index]):
        indent = indent_of(line)
        if depth is None or indent < depth:
            path.append(line)
            depth = indent
        if depth == 0:
            break
    return path[::-1]


def _parse(raw_lines: list[str], numbers: dict[tuple[object, ...], int]) -> _Line:
    """The lines as a tree, under a line that says nothing."""
    root = _Line("")
    path = [root]
    for raw in raw_lines:
        stripped = raw.lstrip(" ")
        if stripped.startswith("…"):
            continue  # says what is not there
        depth = (len(raw) - len(stripped)) // 2
        for done in path[:depth:-1]:
            done.finish(numbers)
        del path[depth + 1 :]
        line = _Line(stripped)
        path[-1].below.append(line)
        path.append(line)
    for done in reversed(path):
        done.finish(numbers)
    return root


class _Comparison:
    """Goes through the new tree beside the old one, and writes down what is not the same."""

    def __init__(self, old: _Line, new: _Line) -> None:
        self._old, self._new = old, new
        self._old_by_ref = {line.ref: line for line in old.all() if line.ref}
        self._new_by_ref = {line.ref: line for line in new.all() if line.ref}
        self._told: list[str] = []
        self._added: list[tuple[int, _Line]] = []
        """Where in `_told` each subtree that came is to stand."""
        self._removed: list[_Line] = []
        self._renamed: list[tuple[str, str]] = []
        self._shut: list[_Line] = []
        self._opened: list[_Line] = []
        """Lines that have become inert, and such as no longer are."""
        self._disabled: dict[str, list[tuple[int, str | None]]] = defaultdict(list)
        """What is disabled now, or no longer, and else as it was: where in `_told` that is, and the ref."""
        self._kept: dict[int, _Line] = {}
        """The old line of each new one that had one."""
        self._below(old, new)
        self._forget_moved()

    def lines(self) -> list[str]:
        told: list[str] = []
        refs = {how: [ref for _, ref in lines if ref] for how, lines in self._disabled.items()}
        many = {how: lines for how, lines in self._disabled.items() if len(refs[how]) > _FEW_DISABLED}
        counted = {index for lines in many.values() for index, _ in lines}
        added = iter([*self._added, (len(self._told) + 1, None)])
        where, line = next(added)
        for index in range(len(self._told) + 1):
            while where == index and line is not None:
                told += self._whole(line, 0)
                where, line = next(added)
            told += self._told[index : index + 1] if index not in counted else []
        told += [self._gone(each) for each in self._removed]
        inert = [*_inert("now", self._shut), *_inert("no longer", self._opened)]
        disabled = [f"~ {how}: {_listed(refs[how], len(lines))}" for how, lines in many.items()]
        return [*told, *self._moved(), *inert, *disabled, *self._anew()]

    def _moved(self) -> Iterator[str]:
        """Where those are that stand in another order than before: as few as can be, without what is in them."""
        at = {id(line): index for index, line in enumerate(self._old.all())}
        kept = [line for line in self._new.all() if id(line) in self._kept]
        stayed = _longest_rise([at[id(self._kept[id(line)])] for line in kept])
        moved = {id(line) for index, line in enumerate(kept) if index not in stayed}
        places = list(_first_of(self._new, moved)) if moved else []
        if len(places) <= _MOST_MOVED:
            for line, above, inside in places:
                where = f"first in {_short(above)}" if inside else f"after {_short(above)}"
                yield f"~ {_cut(line.said)} (moved, now {where if above.role else 'first'})"
        else:
            yield "~ " + _cut(f"moved, now in this order: {', '.join(_short(line) for line, *_ in places)}")

    def _below(self, old: _Line, new: _Line) -> None:
        """What became of the lines below `old`, which is `new` now."""
        old.below, new.below = _unwrapped(old, new), _unwrapped(new, old)
        was = self._same_below(old, new)
        taken = {id(line) for line in was.values()}
        self._removed += [each for each in old.below if id(each) not in taken and not self._is_there(each)]
        for line in new.below:
            before = was.get(id(line))
            if before is None:
                self._added.append((len(self._told), line))
                self._inside_added(line)
                continue
            self._compare(before, line)
            self._below(before, line)

    def _same_below(self, old: _Line, new: _Line) -> dict[int, _Line]:
        """The old line of each line below `new` that had one: by ref, by what it holds or says, as the only one."""
        was = {id(line): self._old_by_ref[line.ref] for line in new.below if line.ref in self._old_by_ref}
        left_old = [line for line in old.below if not self._is_there(line)]
        left_new = [line for line in new.below if id(line) not in was]
        was |= _with_the_same_inside(left_old, left_new)
        left_old, left_new = _left(left_old, left_new, was)
        if not left_old or not left_new:
            return was
        places = _Places(old, new)
        keys: list[Callable[[_Line], object]] = [lambda line: line.bare, _own_words, _called, lambda line: line.role]
        for key in keys:
            waiting: dict[object, list[_Line]] = defaultdict(list)
            for line in left_old:
                waiting[key(line)].append(line)
            wanted = Counter(key(line) for line in left_new)
            for line in left_new:
                found = waiting[key(line)]
                alone = len(found) == 1 and wanted[key(line)] == 1
                for gone in found[: 1 if alone or not line.ref else _MOST_TRIED]:
                    if gone.bare == line.bare:
                        same = not (gone.ref and line.ref) or not places.are_others(gone, line)
                    else:
                        same = alone and _is_same_thing(gone, line) and not _are_apart(gone, line, old, new, was)
                    if same:
                        was[id(line)] = gone
                        found.remove(gone)
                        break
            left_old, left_new = _left(left_old, left_new, was)
        return was | places.texts_in_place(left_old, left_new, was)

    def _is_there(self, line: _Line) -> bool:
        return line.ref is not None and line.ref in self._new_by_ref

    def _inside_added(self, line: _Line) -> None:
        """What was there before and stands in something new now, may have changed."""
        for each in line.below:
            if each.ref in self._old_by_ref:
                before = self._old_by_ref[each.ref]
                self._compare(before, each)
                self._below(before, each)
            else:
                self._inside_added(each)

    def _compare(self, was: _Line, now: _Line) -> None:
        self._kept[id(now)] = was
        if was.inert != now.inert:
            (self._shut if now.inert else self._opened).append(now)
        if was.ref != now.ref and was.ref and now.ref:
            self._renamed.append((was.ref, now.ref))
            if without_ref(was.text) == without_ref(now.text):
                return
        said = _changed(was, now, self._only_told_elsewhere(was, now)) if was.text != now.text else ""
        if state := _DISABLED.search(said):
            self._disabled[state[1]].append((len(self._told), now.ref))
        if said or was.value != now.value:  # whose lines follow
            self._told.append(f"~ {said or _cut(now.text) + _lines_changed(was, now)}")

    def _only_told_elsewhere(self, was: _Line, now: _Line) -> set[str]:
        """The descriptions of the line, had or lost, that are told with another one before it then or now.

        What several things share is told once, with the first of them: who that is may have changed, and nothing else.
        """
        had, has = (set(_DESCRIPTION.findall(line.text)) for line in (was, now))
        if had == has:
            return set()
        old_order, new_order = self._orders
        return {
            *(each for each in had - has if self._is_told_before(each, new_order, now)),
            *(each for each in has - had if self._is_told_before(each, old_order, was)),
        }

    @cached_property
    def _orders(self) -> tuple[dict[int, tuple[int, str]], dict[int, tuple[int, str]]]:
        """For each line of the old and the new tree which one it is, and what it says."""
        old, new = (
            {id(line): (index, line.text) for index, line in enumerate(root.all())} for root in (self._old, self._new)
        )
        return old, new

    def _is_told_before(self, description: str, order: dict[int, tuple[int, str]], line: _Line) -> bool:
        own, _ = order[id(line)]
        return any(index < own and description in text for index, text in order.values())

    def _forget_moved(self) -> None:
        """What has no ref and says the same in another place is neither gone nor new."""
        gone = Counter(line.bare for line in self._removed if not line.ref)
        kept = []
        for where, line in self._added:
            if not line.ref and gone[line.bare] > 0:
                gone[line.bare] -= 1
                was = next(each for each in self._removed if each.bare == line.bare)
                self._removed.remove(was)
                self._kept[id(line)] = was
            else:
                kept.append((where, line))
        self._added = kept

    def _whole(self, line: _Line, depth: int) -> Iterator[str]:
        if depth and line.ref in self._old_by_ref:
            return  # it has only moved there
        yield f"+ {'  ' * depth}{_cut(line.said)}"
        for each in line.below:
            yield from self._whole(each, depth + 1)

    def _gone(self, line: _Line) -> str:
        gone = [each for each in line.all() if not self._is_there(each)]
        text = _cut(_TARGET.sub("", line.text, count=1) if line.role == "link" else line.text)
        if len(gone) == 1:
            return f"- {text}"
        words = _first_words(gone)
        return f"- {text} (and {len(gone) - 1} below it{f': {words}' if words else ''})"

    def _anew(self) -> list[str]:
        if not self._renamed:
            return []
        return [f"~ rendered anew: {_listed([f'{was} is {now}' for was, now in self._renamed], len(self._renamed))}"]


def _first_words(lines: list[_Line]) -> str:
    """What tells the first line, which says nothing itself, from others: the first heading or text, or else name."""
    said = [parts for each in lines if (parts := parts_of(each.text)) is not None]
    if not said or said[0][1] or said[0][3].removeprefix(":"):
        return ""
    texts = (
        name.strip() if role == "heading" else rest[2:] if rest[:2] == ": " else "" for role, name, _, rest in said
    )
    words = next(filter(None, texts), "") or next((name.strip() for _, name, *_ in said if name), "")
    return shortened(words, _FEW_WORDS)


def _longest_rise(numbers: list[int]) -> set[int]:
    """The indexes of as many of the numbers as rise from each to the next."""
    if all(one < other for one, other in itertools.pairwise(numbers)):
        return set(range(len(numbers)))
    ends: list[int] = []  # of rises of 1, 2, 3 … numbers, the least that one can end with
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


def _first_of(line: _Line, wanted: set[int]) -> Iterator[tuple[_Line, _Line, bool]]:
    """The outermost lines below that are wanted, each with the one above it, and whether it is the first in that."""
    above, inside = line, True
    for each in line.below:
        if id(each) in wanted:
            yield each, above, inside
        else:
            yield from _first_of(each, wanted)
        above, inside = each, False


def _short(line: _Line) -> str:
    said = line.text.removeprefix("- ").partition(" → ")[0]
    return shortened(said, _FEW_WORDS) + (f" [ref={line.ref}]" if line.ref and len(said) > _FEW_WORDS else "")


class _Places:
    """What stands before and after the lines below one that was and is."""

    def __init__(self, old: _Line, new: _Line) -> None:
        self._old, self._new = old.below, new.below
        self._at = {id(line): at for lines in (self._old, self._new) for at, line in enumerate(lines)}
        self._had, self._has = ({line.bare for line in lines} for lines in (self._old, self._new))

    def are_others(self, gone: _Line, come: _Line) -> bool:
        """Whether two lines with refs that read alike stand beside different things, each of which is there still.

        Rows of a control and its text are not told apart but by that text.
        """
        return any(self._are_others(gone, come, step) for step in (-1, 1))

    def _are_others(self, gone: _Line, come: _Line, step: int) -> bool:
        was, now = self._beside(self._old, gone, step), self._beside(self._new, come, step)
        if (was and now and was.bare == now.bare) or was is now is None:
            return False
        return (was is not None and was.bare in self._has) or (now is not None and now.bare in self._had)

    def _beside(self, lines: list[_Line], line: _Line, step: int) -> _Line | None:
        at = self._at[id(line)] + step
        return lines[at] if 0 <= at < len(lines) else None

    def texts_in_place(self, left_old: list[_Line], left_new: list[_Line], was: dict[int, _Line]) -> dict[int, _Line]:
        """The old line of each new one without a ref that says some of its words, after the same line as it."""
        left = set(map(id, left_old))
        found: dict[int, _Line] = {}
        for line in left_new:
            before = self._beside(self._new, line, -1)
            above = before and (found.get(id(before)) or was.get(id(before)))
            if before and (above is None or id(above) not in self._at):
                continue
            at = self._at[id(above)] + 1 if above else 0
            gone = self._old[at] if at < len(self._old) else None
            if gone is None or id(gone) not in left or gone.ref or line.ref or gone.role != line.role:
                continue
            words = set(_WORD.findall(gone.text)) & set(_WORD.findall(line.text)) - {line.role}
            if words and _is_same_thing(gone, line):
                found[id(line)] = gone
        return found


def _listed(things: list[str], count: int) -> str:
    more = count - min(len(things), _MOST_LISTED)
    return ", ".join(things[:_MOST_LISTED]) + (f", and {more} more" if more > 0 else "")


def _inert(how: str, lines: list[_Line]) -> list[str]:
    """That lines became inert, or no longer are: a dialog does that to all that is around it."""
    if len(lines) <= _FEW_INERT:
        return [f"~ {_cut(each.text)} ({how} [inert])" for each in lines]
    return [f"~ {how} [inert]: {len(lines)} lines, with all that is below them"]


def _left(old: list[_Line], new: list[_Line], was: dict[int, _Line]) -> tuple[list[_Line], list[_Line]]:
    """Those of both that stand for nothing of the other yet."""
    taken = {id(line) for line in was.values()}
    return [line for line in old if id(line) not in taken], [line for line in new if id(line) not in was]


def _with_the_same_inside(left_old: list[_Line], left_new: list[_Line]) -> dict[int, _Line]:
    """The old line of each new one that holds what the old one held: most of the refs in it."""
    holders = {each.ref: line for line in left_old for each in line.all() if each.ref}
    was: dict[int, _Line] = {}
    for line in left_new if holders else ():
        held = [holders[each.ref] for each in line.all() if each.ref in holders]
        if not held:
            continue
        ((most, _),) = Counter(map(id, held)).most_common(1)
        holder = next(each for each in held if id(each) == most)
        if holder.role == line.role and most not in map(id, was.values()):
            was[id(line)] = holder
    return was


def _unwrapped(line: _Line, other: _Line) -> list[_Line]:
    """The lines below `line`; of wrappers that say nothing what they hold, where some of that is below `other` itself.

    Around a single thing they are not written: that they come and go is nothing of its own.
    """
    beside = {each.ref for each in other.below if each.ref}
    below: list[_Line] = []
    for each in line.below:
        is_bare = each.ref is None and each.text == f"- {each.role}"
        below += each.below if is_bare and any(inner.ref in beside for inner in each.below) else [each]
    return below


def _own_words(line: _Line) -> str:
    """What the line itself says, wherever the caret is."""
    said = parts_of(without_ref(line.text))
    if said is None or not _CARET.search(line.text):
        return without_ref(line.text)
    role, name, states, rest = said
    return f"- {role}{name}" + "".join(f" {each}" for each in states if not _CARET.match(f" {each}")) + rest


def _called(line: _Line) -> object:
    """Role and name of a line, whatever its states; of one without a name what no other has."""
    said = parts_of(line.text)
    return (line.role, said[1]) if said and said[1] else id(line)


def _is_same_thing(was: _Line, now: _Line) -> bool:
    """Whether two lines of one role in one place, one gone and one come, are one thing that changed.

    Those without a ref are, unless both are whole subtrees; those with refs when they are called the same.
    """
    if was.ref or now.ref:
        old, new = parts_of(was.text), parts_of(now.text)
        return bool(was.ref and now.ref and old and new and old[1] and old[1] == new[1])
    return not (was.below and now.below) or was.text == now.text


def _are_apart(gone: _Line, come: _Line, old: _Line, new: _Line, was: dict[int, _Line]) -> bool:
    """Whether two texts without a common word stood beside different things: `was` has the old line of each new one."""
    if gone.role != "text" or set(_WORD.findall(gone.text)) & set(_WORD.findall(come.text)) != {"text"}:
        return False
    i, j = old.below.index(gone), new.below.index(come)
    if i == j == 0 or (i and j and was.get(id(new.below[j - 1])) is old.below[i - 1]):
        return False
    next_old, next_new = old.below[i + 1 : i + 2], new.below[j + 1 : j + 2]
    return not (next_old and next_new and was.get(id(next_new[0])) is next_old[0])


def _changed(was: _Line, now: _Line, told_elsewhere: set[str]) -> str:
    """One line for both: what they share once, what differs as "old → new"; "" when nothing does.

    Nothing differs by a caret that has gone, or by what is `told_elsewhere`.
    """
    old, new = parts_of(was.text), parts_of(now.text)
    if old is None or new is None or old[0] != new[0]:
        return f"{_cut(was.text)} → {_cut(now.text.removeprefix('- '))}"
    (_, old_name, had, old_rest), (role, name, has, rest) = old, new
    had = [_said_in_full(each, has) for each in had]
    has = [_said_in_full(each, had) for each in has]
    is_renamed = old_name != name
    if is_renamed:
        name = f"{_cut(old_name or ' (no name)')} →{_cut(name or ' (no name)')}"
    ref = "".join(f" {each}" for each in has if each.startswith("[ref="))
    if was.ref and now.ref:  # told as rendered anew
        told_elsewhere = {*told_elsewhere, f"[ref={was.ref}]", f"[ref={now.ref}]"}
    gained = [each for each in has if each not in had and each not in told_elsewhere]
    lost = [each for each in had if each not in has and each not in told_elsewhere and not _CARET.match(f" {each}")]
    notes = _classes_apart(gained, lost) + [f"now {each}" for each in gained] + [f"no longer {each}" for each in lost]
    if not notes and not is_renamed and old_rest == rest:
        return ""
    kept = "".join(f" {each}" for each in has if each in had and not each.startswith("[ref="))
    tail = _cut(rest)
    if old_rest != rest:
        is_now, was_before = (
            _cut(said) or _said_of_none(line)
            for said, line in zip(
                _apart_in(rest.removeprefix(":"), old_rest.removeprefix(":")), (now, was), strict=True
            )
        )
        notes.append(f"now{is_now}, before{was_before}")
        tail = ""
    return f"- {role}{name}{kept}{ref}{tail}" + (f" ({'; '.join(notes)})" if notes else "")


def _classes_apart(gained: list[str], lost: list[str]) -> list[str]:
    """Of classes that are told before and now, those that the other has not; takes both out of the lists."""
    now, before = ([each for each in states if _CLASSES.match(each)] for states in (gained, lost))
    if not now or not before:
        return []
    gained.remove(now[0])
    lost.remove(before[0])
    has, had = (_CLASSES.sub("", each).strip('"]').split() for each in (now[0], before[0]))
    came, went = ([name for name in one if name not in other] for one, other in ((has, had), (had, has)))
    return [f'class {how} "{" ".join(names)}"' for how, names in (("now", came), ("no longer", went)) if names]


def _apart_in(now: str, before: str) -> tuple[str, str]:
    """Of two texts that are long and alike: how the first begins, and where both differ, with a few words around it."""
    first = _shared(now, before)
    last = _shared(now[first:][::-1], before[first:][::-1])
    start = first - _WORDS_AROUND if first > _LONG_ALIKE else 0
    end = last - _WORDS_AROUND if last > _LONG_ALIKE else 0
    head, tail = now[:_BEGINNING] if start else "", "…" if end else ""
    differing = (f"{'…' if start else ''}{each[start : len(each) - end]}{tail}" for each in (now, before))
    is_now, was_before = differing
    return head + is_now, f" {was_before}" if start else was_before


def _shared(one: str, other: str) -> int:
    """How many characters both begin with."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _lines_changed(was: _Line, now: _Line) -> str:
    if was.value and now.value:
        return " (its lines changed)"
    return f" (now{_said_of_none(now)}, before{_said_of_none(was)})"


def _said_of_none(line: _Line) -> str:
    """What a line says that has no text beside it."""
    return " of several lines" if line.value else " no text of its own" if line.opens else " empty"


def _said_in_full(state: str, others: list[str]) -> str:
    """The state, in full where one of the others is: a description that several things share is so only once."""
    if not (state.startswith('[description="') and state.endswith('…"]')):
        return state
    return next((each for each in others if each.startswith(state[:-3])), state)


def _cut(text: str) -> str:
    return shortened(text, _LINE_CHARACTERS)


def _first_of_gone(lines: Iterable[str]) -> Iterator[str]:
    """Of many removed in a row the first, and how many more: nobody can act on them."""
    for is_gone, group in itertools.groupby(lines, lambda line: line.startswith("- ")):
        run = list(group)
        if is_gone and len(run) > _LONGEST_GONE:
            run[_FIRST_GONE:] = [f"- … and {len(run) - _FIRST_GONE} more"]
        yield from run


def _capped(lines: Iterable[str]) -> list[str]:
    kept: list[str] = []
    rest: Counter[str] = Counter()
    room = MAX_CHARACTERS
    words = {"+": "added", "~": "changed", "-": "removed"}
    for line in lines:
        if rest or len(kept) >= MAX_LINES or len(line) > room:
            rest[words[line[0]]] += 1
            continue
        kept.append(line)
        room -= len(line)
    if rest:
        kept.append("… and " + ", ".join(f"{count} {what}" for what, count in rest.items()))
    return kept
