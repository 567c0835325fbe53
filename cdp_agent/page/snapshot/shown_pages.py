"""What was shown of a site's pages, so that what is the same on the next one is not shown again.

Headers, footers and navigation are the same on page after page, mostly as landmarks, else as many lines in a row. Those
of their lines that were shown for the previous page are left out, and the refs shown with them then refer to the
present elements.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, pairwise
from urllib.parse import urlsplit

from .budget import is_whole, tokens
from .lines import LANDMARKS, indent_of, read_line, ref_of, without_ref
from .snapshot import MarkedReading, Snapshot

_MESSAGES = ("dialog", "alertdialog", "alert", "status")
_CONTENT = ("main", "table", "grid", "treegrid", "row", "article", "feed", *_MESSAGES, "iframe")
"""Between the first and the last line of these roles is a page's content, in which only landmarks may be left out."""
_MANY_LINES = 4
"""How many lines in a row, outside of landmarks, are no coincidence."""
_HOLDER = re.compile(r" *- [a-z]+:")

_Key = tuple[int, str]
"""A line without its ref, and the number of the key of the line around it."""


class ShownPages:
    """What was shown of the pages of one tab. `note` follows the number of lines that are left out.

    `form` is what the lines are shown in, and what counts for a budget.
    """

    def __init__(self, note: str = "as before: cdp-agent snapshot", form: Callable[[str], str] = str) -> None:
        self._note, self._form, self._origin = note, form, ""
        self._lines: list[str] = []
        """The lines that the reader has of the last page, with the present refs."""
        self.left_out: list[str] = []
        """The lines of the last page that were left out, with the present refs."""
        self.names: dict[str, str] = {}
        """For elements whose lines were left out: the present ref, and the one that was shown."""

    def note_whole_page(self, snapshot: Snapshot) -> None:
        """Notes that this page was shown."""
        self._origin, self._lines, self.names = web_origin(snapshot.url), snapshot.text.split("\n"), {}

    def next_page(self, page: MarkedReading, budget_tokens: int) -> tuple[str, dict[str, str], bool]:
        """The page within a budget, without lines shown for the previous page; the last line states how many.

        Also the refs shown before, each with the present one of its element, and whether the budget cut nothing off."""
        lines, before, names = [line[1:] for line in page.marked], self._lines, self.names
        same = _repeated(before, lines) if self._origin and self._origin == web_origin(page.snapshot.url) else {}
        note = f"({len(same)} line{'s'[: len(same) != 1]} {self._note})"
        if len(same) == len(lines) or sum(len(lines[at]) + 1 for at in same) <= len(note):
            same = {}
        text = page.within(budget_tokens - tokens(note) if same else budget_tokens, same, self._form)
        self.note_whole_page(page.snapshot)
        self.left_out = [lines[at] for at in same]
        shown = {*text.split("\n"), *(lines[at] for at in same)}
        self._lines = [line for line in lines if line in shown]
        for at, was in same.items():
            ref, old = ref_of(lines[at]), ref_of(before[was])
            if ref is not None and old is not None:
                self.names[ref] = names.get(old, old)
        refs = {name: ref for ref, name in self.names.items()}
        return f"{text}\n{note}" if same else text, refs, is_whole(text)

    def forget_changed(self, text: str, ref: str | None) -> None:
        """Notes that the receipt of an action on the element `ref` is shown; `text` is the snapshot after the action.

        Lines that have changed since they were shown, and the element's line, are shown again next time.
        """
        are = _unchanged(self._lines, text.split("\n"))
        unchanged = set(are.values())
        self._lines = [
            line for at, line in enumerate(self._lines) if at in unchanged and (ref is None or ref_of(line) != ref)
        ]


def _repeated(before: Sequence[str], lines: Sequence[str]) -> dict[int, int]:
    """The indexes of lines around a page's content that were shown before, each with its index there.

    A line is shown where one that is nested in it is; one that only holds others ("- list:"), nowhere else. Its index
    is -1 if there are not as many of it.
    """
    unchanged = _unchanged(before, lines)
    in_landmarks = set(_inside(lines, LANDMARKS, ("iframe",)))
    same = {at for at in in_landmarks if at in unchanged}
    content = list(_inside(lines, _CONTENT, LANDMARKS))
    outside = range(len(lines)) if not content else [*range(content[0]), *range(content[-1] + 1, len(lines))]
    for is_same, run in groupby(outside, lambda at: at in unchanged):
        repeats = list(run)
        if is_same and len(repeats) >= _MANY_LINES and all(unchanged[a] < unchanged[b] for a, b in pairwise(repeats)):
            same.update(repeats)
    for is_row, run in groupby(range(len(lines)), lambda at: lines[at].lstrip(" ").startswith("|")):
        rows = set(run)
        if is_row and not rows <= same:
            same -= rows  # a text of several rows is left out whole, or not at all
    printed: set[int] = set()
    holders: set[int] = set()
    path: list[int] = []
    for at, line in enumerate(lines):
        while path and indent_of(lines[path[-1]]) >= indent_of(line):
            path.pop()
        path.append(at)
        if _HOLDER.fullmatch(line):
            holders.add(at)
        elif at not in same:
            printed.update(path)
    return {at: unchanged.get(at, -1) for at in sorted((same | holders) - printed)}


def _unchanged(before: Sequence[str], lines: Sequence[str]) -> dict[int, int]:
    """The indexes of lines that are in both, at the same place in the tree and equally often, with those before."""
    numbers: dict[_Key, int] = {}
    was, now = (_by_key(of, numbers) for of in (before, lines))
    return {
        at: old
        for key, places in now.items()
        if len(places) == len(was[key])
        for at, old in zip(places, was[key], strict=True)
    }


def _by_key(lines: Sequence[str], numbers: dict[_Key, int]) -> defaultdict[int, list[int]]:
    """The indexes of lines by the numbers of their keys."""
    places: defaultdict[int, list[int]] = defaultdict(list)
    path: list[tuple[int, int]] = [(-1, -1)]
    for at, line in enumerate(lines):
        indent = indent_of(line)
        while indent <= path[-1][0]:
            path.pop()
        text = without_ref(line)
        number = numbers.setdefault((path[-1][1], text if text == line else f"{text}\0"), len(numbers))
        path.append((indent, number))
        places[number].append(at)
    return places


def _inside(lines: Sequence[str], roles: Sequence[str], not_inside: Sequence[str]) -> Iterator[int]:
    """The indexes of the outermost lines of these roles and what is nested in them, but not inside of the others."""
    around, yields = -1, False
    for at, line in enumerate(lines):
        indent = indent_of(line)
        if around >= 0 and indent <= around:
            around = -1
        if around < 0 and (parsed := read_line(line)) is not None and parsed.role in (*roles, *not_inside):
            around, yields = indent, parsed.role in roles
        if around >= 0 and yields:
            yield at


def web_origin(url: str) -> str:
    """Scheme and host of a web address; "" for any other."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in ("http", "https") else ""
