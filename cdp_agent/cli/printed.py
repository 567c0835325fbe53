"""The printed form of pages and receipts, without what was printed before and has not changed.

Headers, footers and navigation are the same on page after page, mostly as landmarks, else as many lines in a row. Those
of their lines that were printed for the previous page are left out, and the refs printed with them then refer to the
present elements.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec

from cdp_agent.page.receipts.receipts import ENTER_PRESSED, Receipt
from cdp_agent.page.snapshot.budget import is_whole, tokens
from cdp_agent.page.snapshot.lines import LANDMARKS, indent_of, read_line, ref_of, ref_of_change, without_ref
from cdp_agent.page.snapshot.snapshot import MarkedReading, Snapshot
from cdp_agent.tools.base import Arguments
from cdp_agent.tools.input import FillArguments, FormArguments, SelectArguments

_CONTENT = (
    "main",
    "table",
    "grid",
    "treegrid",
    "row",
    "article",
    "feed",
    "dialog",
    "alertdialog",
    "alert",
    "status",
    "iframe",
)
"""Between the first and the last line of these roles is a page's content, in which only landmarks may be left out."""
_MANY_LINES = 4
"""How many lines in a row, outside of landmarks, are no coincidence."""
_HOLDER = re.compile(r" *- [a-z]+:")
_CHECKED, _UNCHECKED = " (now [checked])", " (no longer [checked])"

_Key = tuple[int, str]
"""A line without its ref, and the number of the key of the line around it."""


class PrintedPage(NamedTuple):
    """What is printed of a page. `refs`: refs printed before, each with the present ref of its element."""

    text: str
    refs: dict[str, str]
    is_whole: bool
    """Whether the budget cut off nothing."""


class PrintedPages:
    """What was printed of the pages of one tab."""

    def __init__(self) -> None:
        self._origin = ""
        self._lines: list[str] = []
        """The lines that the reader has of the last page, with the present refs."""
        self._names: dict[str, str] = {}
        """For elements whose lines were left out: the present ref, and the printed one."""

    def note_whole_page(self, snapshot: Snapshot) -> None:
        """Notes that this page was printed."""
        self._origin, self._lines, self._names = _origin(snapshot.url), snapshot.text.split("\n"), {}

    def next_page(self, page: MarkedReading, budget_tokens: int) -> PrintedPage:
        """The page within a budget, without lines printed for the previous page; the last line states how many."""
        lines, before, names = [line[1:] for line in page.marked], self._lines, self._names
        same = _repeated(before, lines) if self._origin and self._origin == _origin(page.snapshot.url) else {}
        note = f"({len(same)} line{'s'[: len(same) != 1]} as before: cdp-agent snapshot)"
        if len(same) == len(lines) or sum(len(lines[at]) + 1 for at in same) <= len(note):
            same = {}
        text = page.within(budget_tokens - tokens(note) if same else budget_tokens, same)
        self.note_whole_page(page.snapshot)
        printed = Counter(text.split("\n"))
        printed.update(lines[at] for at in same)
        self._lines = [line for line in lines if line in printed]
        for at, was in same.items():
            ref, old = ref_of(lines[at]), ref_of(before[was])
            if ref is not None and old is not None:
                self._names[ref] = names.get(old, old)
        refs = {name: ref for ref, name in self._names.items()}
        return PrintedPage(f"{text}\n{note}" if same else text, refs, is_whole(text))

    def forget_changed(self, text: str, ref: str | None) -> None:
        """Notes that the receipt of an action on the element `ref` is printed; `text` is the snapshot after the action.

        Lines that have changed since they were printed, and the element's line, are printed again next time.
        """
        are = _unchanged(self._lines, text.split("\n"))
        unchanged = set(are.values())
        self._lines = [
            line for at, line in enumerate(self._lines) if at in unchanged and (ref is None or ref_of(line) != ref)
        ]


def brief(receipt: Receipt, arguments: Arguments, before: str | None) -> str:
    """The receipt's text without what the caller knows already; `before` is the address before the action.

    Left out are values equal to those given, the checked state after `check` or `uncheck`, and an unchanged origin.
    """
    shortened = receipt
    if isinstance(arguments, FillArguments | SelectArguments) and receipt.value == arguments.value:
        sends = isinstance(arguments, FillArguments) and arguments.submit
        note = "" if sends and receipt.note == ENTER_PRESSED else receipt.note
        shortened = msgspec.structs.replace(shortened, note=note, value=receipt.value if note and not sends else None)
    if receipt.action in ("check", "uncheck") and not receipt.note:
        state = _CHECKED if receipt.action == "check" else _UNCHECKED
        shortened = msgspec.structs.replace(shortened, changed=_without(shortened.changed, receipt.ref, state))
    if isinstance(arguments, FormArguments):
        changed, values = shortened.changed, arguments.values()
        for field in receipt.fields:
            if field.value is None and not field.note:
                changed = _without(changed, field.ref, _CHECKED, _UNCHECKED)
        fields = [field for field in receipt.fields if field.note or field.value not in (None, values.get(field.ref))]
        shortened = msgspec.structs.replace(shortened, changed=changed, fields=fields)
    origin = _origin(before or "")
    if origin and receipt.navigated_to is not None and _origin(receipt.navigated_to) == origin:
        shortened = msgspec.structs.replace(shortened, navigated_to=receipt.navigated_to.removeprefix(origin))
    return shortened.text


def _without(changed: Sequence[str], ref: str | None, *states: str) -> list[str]:
    """The changes without the lines of the element `ref` that end with one of the texts `states`."""
    return [line for line in changed if not (line.endswith(states) and ref_of_change(line) == ref)]


def _repeated(before: Sequence[str], lines: Sequence[str]) -> dict[int, int]:
    """The indexes of lines around a page's content that were printed before, each with its index there.

    A line is printed where one that is nested in it is; one that only holds others ("- list:"), nowhere else. Its index
    is -1 if there are not as many of it.
    """
    unchanged = _unchanged(before, lines)
    in_landmarks = set(_inside(lines, LANDMARKS, ("iframe",)))
    same = {at for at in in_landmarks if at in unchanged}
    content = list(_inside(lines, _CONTENT, LANDMARKS))
    outside = range(len(lines)) if not content else [*range(content[0]), *range(content[-1] + 1, len(lines))]
    for is_same, run in groupby(outside, lambda at: at in unchanged):
        repeats = list(run)
        if is_same and len(repeats) >= _MANY_LINES:
            same.update(repeats)
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


def _origin(url: str) -> str:
    """Scheme and host of a web address; "" for any other."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in ("http", "https") else ""
