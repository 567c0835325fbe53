"""The printed form of pages and receipts, without what was printed before and has not changed.

Headers, footers and navigation are the same on page after page. If such a landmark has the same structure as on the
previous page, its unchanged lines are left out, and the refs printed with them then refer to the present elements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from urllib.parse import urlsplit

import msgspec

from cdp_agent.page.receipts.receipts import ENTER_PRESSED, Receipt
from cdp_agent.page.snapshot.lines import indent_of, label_of, read_line, ref_of, ref_of_change, without_ref
from cdp_agent.page.snapshot.snapshot import Snapshot
from cdp_agent.tools.base import Arguments
from cdp_agent.tools.input import FillArguments, FormArguments, SelectArguments

_LANDMARKS = ("banner", "complementary", "contentinfo", "navigation", "search")
"""The roles of parts of a page that are often repeated on other pages of a site."""
_CHECKED, _UNCHECKED = " (now [checked])", " (no longer [checked])"
_CHANGED = "\0"
"""Marks a line as changed: no line of a page ends with this character."""


class _Shown(msgspec.Struct):
    """What was last printed of a tab. A landmark's key is its label, and its index among landmarks of that label."""

    origin: str
    landmarks: dict[tuple[str, int], list[str]]
    names: dict[str, str]
    """For elements whose lines were left out: the present ref, and the printed one."""


class PrintedPages:
    """What was printed of the pages of one tab."""

    def __init__(self) -> None:
        self._shown = _Shown("", {}, {})

    def note_whole_page(self, snapshot: Snapshot) -> None:
        """Notes that the whole page was printed."""
        lines = snapshot.text.split("\n")
        found = {key: lines[first:end] for key, (first, end) in _landmarks(lines).items()}
        self._shown = _Shown(_origin(snapshot.url), found, {})

    def without_repeated(self, snapshot: Snapshot) -> tuple[str, dict[str, str]]:
        """The page without the landmark lines printed for the previous page; the last line states how many.

        Also returns the refs that were printed with those lines, each with the present ref of its element.
        """
        before, text = self._shown, snapshot.text
        self.note_whole_page(snapshot)
        if not before.origin or before.origin != self._shown.origin:
            return text, {}
        lines = text.split("\n")
        same = [at for key, place in _landmarks(lines).items() for at in _repeated(lines, place, before, key)]
        note = f"({len(same)} line{'s'[: len(same) != 1]} as before: cdp-agent snapshot)"
        if sum(len(lines[at]) + 1 for at in same) <= len(note):
            return text, {}
        left_out = dict.fromkeys(same)
        for key, (first, _) in _landmarks(lines).items():
            for at, was in zip(range(first, len(lines)), before.landmarks.get(key, ()), strict=False):
                ref, old = ref_of(lines[at]), ref_of(was)
                if at in left_out and ref is not None and old is not None:
                    self._shown.names[ref] = before.names.get(old, old)
        remaining = "\n".join([*(line for at, line in enumerate(lines) if at not in left_out), note])
        return remaining, {name: ref for ref, name in self._shown.names.items()}

    def forget_changed(self, text: str, ref: str | None) -> None:
        """Notes that the receipt of an action on the element `ref` is printed; `text` is the snapshot after the action.

        Landmarks that have changed since they were printed, and the element's line, are printed again next time.
        """
        lines = text.split("\n")
        are = {key: lines[first:end] for key, (first, end) in _landmarks(lines).items()}
        self._shown.landmarks = {
            key: [f"{line}{_CHANGED}" if ref is not None and ref_of(line) == ref else line for line in landmark]
            for key, landmark in self._shown.landmarks.items()
            if are.get(key) == landmark
        }


def brief(receipt: Receipt, arguments: Arguments, before: str | None) -> str:
    """The receipt's text without what the caller knows already; `before` is the address before the action.

    Left out are values equal to those given, the checked state after `check` or `uncheck`, and an unchanged origin.
    """
    shortened = receipt
    if isinstance(arguments, FillArguments | SelectArguments) and receipt.value == arguments.value:
        note = "" if isinstance(arguments, FillArguments) and receipt.note == ENTER_PRESSED else receipt.note
        shortened = msgspec.structs.replace(shortened, note=note, value=receipt.value if note else None)
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
    return [each for each in changed if not (each.endswith(states) and ref_of_change(each) == ref)]


def _repeated(lines: Sequence[str], place: tuple[int, int], before: _Shown, key: tuple[str, int]) -> list[int]:
    """The indexes of those lines of a landmark that are unchanged, including all lines nested in them."""
    first, end = place
    was = before.landmarks.get(key, [])
    if [indent_of(each) for each in was] != [indent_of(each) for each in lines[first:end]]:
        return []
    same = [
        without_ref(one) == without_ref(other) and (ref_of(one) is None) == (ref_of(other) is None)
        for one, other in zip(lines[first:end], was, strict=True)
    ]
    for at in range(len(same) - 1, 0, -1):
        if not same[at]:  # its parent line is printed with it
            above = (i for i in range(at - 1, -1, -1) if indent_of(was[i]) < indent_of(was[at]))
            same[next(above, 0)] = False
    return [first + at for at, each in enumerate(same) if each]


def _landmarks(lines: Sequence[str]) -> dict[tuple[str, int], tuple[int, int]]:
    """The outermost landmarks outside iframes: the index of the first line of each, and the one after its last."""
    landmarks: dict[tuple[str, int], tuple[int, int]] = {}
    counts = Counter[str]()
    at = 0
    while at < len(lines):
        line = read_line(lines[at])
        end = at + 1
        if line is not None and (line.role in _LANDMARKS or line.role == "iframe"):
            while end < len(lines) and indent_of(lines[end]) > indent_of(lines[at]):
                end += 1
        if line is not None and line.role in _LANDMARKS:
            label = label_of(lines[at])
            landmarks[label, counts[label]] = (at, end)
            counts[label] += 1
        at = end
    return landmarks


def _origin(url: str) -> str:
    """Scheme and host of a web address; "" for any other."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in ("http", "https") else ""
