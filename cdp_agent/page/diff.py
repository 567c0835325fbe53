"""What became of a page's lines: the difference of two snapshot texts, as a model reads it.

A line is the same line when it carries the same ref, wherever it moved to. Lines without a ref are compared as a bag.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

import msgspec

MAX_LINES = 40
MAX_CHARACTERS = 4_000
_LINE_CHARACTERS = 300
_REF = re.compile(r" \[ref=(E\d+)\]")
_FOCUSED = " [focused]"
_PARTS = re.compile(r'- ([^\s:"]+)( "(?:[^"\\]|\\.)*")?((?: \[[^\]"]*(?:"(?:[^"\\]|\\.)*"[^\]"]*)*\])*)(.*)')
_ATTRIBUTE = re.compile(r' (\[[^\]"]*(?:"(?:[^"\\]|\\.)*"[^\]"]*)*\])')


class _Line(msgspec.Struct):
    depth: int
    text: str
    """Without indent, focus, and the colon that only says that there are lines below."""
    ref: str | None
    parent: int


def changes(before: str, after: str, *, limited: bool = True) -> list[str]:
    """The lines that were added ("+ …"), removed ("- …") and changed ("~ …"), in the order of the page.

    When limited, at most MAX_LINES lines or MAX_CHARACTERS characters; the last one then accounts for the rest. What
    is below an added line is indented under it; what was below a removed line is counted. Lines that only moved are no
    change, nor is the focus.
    """
    if before == after:
        return []
    old, new = _apart(before, after)
    lines = _Comparison(_parse(old), _parse(new)).lines()
    return _capped(lines) if limited else lines


def focused(text: str) -> str | None:
    """The line that has the focus, without its indent: the innermost of them; None when there is none."""
    found = None
    for line in text.split("\n") if _FOCUSED in text else ():
        if _FOCUSED in line:
            found = line.strip().replace(_FOCUSED, "", 1).removeprefix("- ").removesuffix(":")
    return found


def ref_of(line: str) -> str | None:
    """The ref of a line, None when it has none."""
    found = _REF.search(line)
    return found[1] if found else None


def _apart(before: str, after: str) -> tuple[list[str], list[str]]:
    """Both texts without what they begin and end with in common, except for the lines that the rest stands in."""
    old, new = (text.split("\n") if text else [] for text in (before, after))
    first, shortest = 0, min(len(old), len(new))
    while first < shortest and old[first] == new[first]:
        first += 1
    last = 0
    while last < shortest - first and old[-1 - last] == new[-1 - last]:
        last += 1
    path = _path_to(old, first)
    return path + old[first : len(old) - last], path + new[first : len(new) - last]


def _path_to(lines: list[str], index: int) -> list[str]:
    """The lines above `index` that what comes next may stand in, outermost first."""
    path: list[str] = []
    depth: int | None = None
    for line in reversed(lines[:index]):
        indent = len(line) - len(line.lstrip(" "))
        if depth is None or indent < depth:
            path.append(line)
            depth = indent
        if depth == 0:
            break
    return path[::-1]


def _parse(raw_lines: list[str]) -> list[_Line]:
    lines: list[_Line] = []
    path: list[int] = []
    for raw in raw_lines:
        stripped = raw.lstrip(" ")
        if stripped.startswith("…"):
            continue  # says what is not there
        depth = (len(raw) - len(stripped)) // 2
        del path[depth:]
        ref = _REF.search(stripped)
        said = stripped.replace(_FOCUSED, "", 1).removesuffix(":")
        lines.append(_Line(depth, said, ref[1] if ref else None, path[-1] if path else -1))
        path += [len(lines) - 1] * (depth - len(path) + 1)
    return lines


class _Comparison:
    def __init__(self, old: list[_Line], new: list[_Line]) -> None:
        self._old = old
        self._new = new

    def lines(self) -> list[str]:
        old_by_ref = {line.ref: line for line in self._old if line.ref}
        new_by_ref = {line.ref: line for line in self._new if line.ref}
        changed: dict[int, str] = {}
        for index, line in enumerate(self._new):
            was = old_by_ref.get(line.ref) if line.ref else None
            if was is not None and was.text != line.text:
                changed[index] = _changed(was.text, line.text)
        added = [index for index, line in enumerate(self._new) if line.ref and line.ref not in old_by_ref]
        removed = [index for index, line in enumerate(self._old) if line.ref and line.ref not in new_by_ref]
        plain_removed, plain_added = self._plain()
        for gone, come in self._pairs(plain_removed, plain_added):
            plain_removed.remove(gone)
            plain_added.remove(come)
            changed[come] = _changed(self._old[gone].text, self._new[come].text)
        return [
            *self._in_order(sorted([*added, *plain_added]), changed),
            *self._removed(sorted([*removed, *plain_removed])),
        ]

    def _plain(self) -> tuple[list[int], list[int]]:
        """Lines without a ref that only the one or only the other has."""
        old = [index for index, line in enumerate(self._old) if not line.ref]
        new = [index for index, line in enumerate(self._new) if not line.ref]
        return (
            _surplus(self._old, old, Counter(self._new[index].text for index in new)),
            _surplus(self._new, new, Counter(self._old[index].text for index in old)),
        )

    def _pairs(self, removed: list[int], added: list[int]) -> list[tuple[int, int]]:
        """Lines of one role under one parent, one gone and one come: the same line that changed."""
        waiting: dict[tuple[str, str], list[int]] = defaultdict(list)
        for index in removed:
            waiting[self._place(self._old, index)].append(index)
        pairs = []
        for index in added:
            gone = waiting.get(self._place(self._new, index))
            if gone:
                pairs.append((gone.pop(0), index))
        return pairs

    def _place(self, lines: list[_Line], index: int) -> tuple[str, str]:
        line = lines[index]
        parent = lines[line.parent] if 0 <= line.parent < len(lines) else None
        return (parent.ref or parent.text) if parent else "", line.text.split(" ", 2)[1] if " " in line.text else ""

    def _in_order(self, added: list[int], changed: dict[int, str]) -> Iterable[str]:
        shown: dict[int, int] = {}
        fresh = set(added)
        for index in sorted([*added, *changed]):
            line = self._new[index]
            if index in fresh:
                depth = shown[index] = shown[line.parent] + 1 if line.parent in shown else 0
                yield f"+ {'  ' * depth}{_cut(line.text)}"
            else:
                yield f"~ {changed[index]}"

    def _removed(self, removed: list[int]) -> Iterable[str]:
        gone = set(removed)
        below: Counter[int] = Counter()
        tops: list[int] = []
        for index in removed:
            top = index
            while self._old[top].parent in gone:
                top = self._old[top].parent
            if top == index:
                tops.append(index)
            else:
                below[top] += 1
        for index in tops:
            inside = f" (and {below[index]} below it)" if below[index] else ""
            yield f"- {_cut(self._old[index].text)}{inside}"


def _surplus(lines: list[_Line], indexes: list[int], others: Counter[str]) -> list[int]:
    found = []
    for index in indexes:
        text = lines[index].text
        if others[text] > 0:
            others[text] -= 1
        else:
            found.append(index)
    return found


def _changed(was: str, now: str) -> str:
    """One line for both: what they share once, what differs as "old → new"."""
    old, new = _PARTS.fullmatch(was), _PARTS.fullmatch(now)
    if old is None or new is None or old[1] != new[1]:
        return f"{_cut(was)} → {_cut(now.removeprefix('- '))}"
    name = new[2] or ""
    if old[2] != new[2]:
        name = f"{_cut(old[2] or ' (no name)')} →{_cut(new[2] or ' (no name)')}"
    had, has = _ATTRIBUTE.findall(old[3]), _ATTRIBUTE.findall(new[3])
    ref = "".join(f" {each}" for each in has if each.startswith("[ref="))
    notes = [f"now {each}" for each in has if each not in had] + [
        f"no longer {each}" for each in had if each not in has
    ]
    kept = "".join(f" {each}" for each in has if each in had and not each.startswith("[ref="))
    tail = _cut(new[4])
    if old[4] != new[4]:
        notes.append(
            f"now{_cut(new[4].removeprefix(':')) or ' empty'}, before{_cut(old[4].removeprefix(':')) or ' empty'}"
        )
        tail = ""
    return f"- {new[1]}{name}{kept}{ref}{tail}" + (f" ({'; '.join(notes)})" if notes else "")


def _cut(text: str) -> str:
    return text if len(text) <= _LINE_CHARACTERS else text[: _LINE_CHARACTERS - 1] + "…"


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
        kept.append("… and " + ", ".join(f"{count} {what}" for what, count in rest.items()) + ": take a snapshot")
    return kept
