"""What a receipt says of two readings and the effects between them: pure functions, which ask no page.

Which lines changed, which of them the receipt reports elsewhere, who caused them, and whether more is to come.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from cdp_agent.page.snapshot.diff import changes, focused
from cdp_agent.page.snapshot.diff_places import EFFECT
from cdp_agent.page.snapshot.lines import (
    FIELDS,
    LONGEST_TITLE,
    in_line,
    indent_of,
    line_of,
    quoted,
    ref_of,
    ref_of_change,
    shortened,
    shown_address,
    without_focus,
    without_selected,
)
from cdp_agent.page.snapshot.snapshot import Snapshot
from cdp_agent.page.tab.shown import BLOCKS, LastShown, PassedText, passed_lines

from .budget import CHANGES_TOKENS, MEANWHILE_TOKENS, OPENED_TOKENS, within_budget
from .effects import Causes

_NOW = re.compile(r"\(now (.*), before ")


def compare(
    before: Snapshot | None, after: Snapshot | None, values: Mapping[str, str | None], *, focuses: bool
) -> tuple[list[str], str | None]:
    """The lines in which two readings differ, and what has the focus now if that differs ("": nothing).

    That is without what the receipt states by itself: the `values` of the elements that were acted on, by their refs,
    and the focus on one of these, unless moving the focus was the act (`focuses`).
    """
    if before is None or after is None:
        return [], None
    was, now = before.text, after.text
    for ref, value in values.items():
        was, now = without_value(was, now, ref, value)
    differing = [line for line in changes(was, now) if not states_only_value(line, values)]
    is_new_view = _view(before.url) != _view(after.url)
    changed = within_budget(differing, now, OPENED_TOKENS if is_new_view else CHANGES_TOKENS)
    if after.title != before.title:
        changed.append(f"~ title: {quoted(before.title)} → {quoted(after.title)}")
    focus = focused(after.text)
    is_expected = focus is not None and not focuses and ref_of_focused(focus) in values
    return changed, None if is_expected or same_element(focused(before.text), focus) else focus or ""


def _view(url: str) -> tuple[str, str]:
    """What tells the views of an application apart, if it names them in its address: the path and the fragment."""
    parts = urlsplit(url)
    return parts.path, parts.fragment


def caused_by_page(causes: Causes, before: Snapshot | None, after: Snapshot | None) -> tuple[bool, str]:
    """Whether all changes between two readings are the page's own and none is the action's, and why.

    They are if they are in parts that had changed before, or if nothing but numbers changed, and not at once.
    """
    if causes.action:
        return False, "something changed right after the input, or where nothing had changed before"
    if causes.page and not causes.unknown:
        return True, "all of it changed by itself before"
    if not causes.unknown:
        return False, "no node of the page changed, only values or styles"
    if after is not None and before is not None and differ_only_in_numbers(before.text, after.text):
        return True, "only numbers differ, and not at once, as with a clock"
    return False, "it had not changed by itself before, and differs in more than numbers"


def transient_texts(
    passed: Sequence[PassedText], before: str, after: str, chosen: Sequence[str], changed: Sequence[str]
) -> list[str]:
    """Lines on texts that came and went during an act, and are in neither reading.

    Without those that new ones replaced and, if something `changed`, marks of being busy: the receipt tells what came
    of it. And without lists of which the act chose the options `chosen`.
    """

    def is_news(passing: PassedText) -> bool:
        is_replaced = bool(passing.next) and not all(block in before for block in passing.next.split(BLOCKS))
        return not (is_replaced or (passing.busy and changed) or any(option in passing.text for option in chosen))

    return passed_lines(filter(is_news, passed), [before, after], dated=False)


def is_field_focused(before: Snapshot | None, after: Snapshot | None, ref: str | None) -> bool:
    """Whether the element is a field, and has the focus now, but not before."""
    focus = focused(after.text) if after is not None else None
    if focus is None or ref_of_focused(focus) != ref or focus.partition(" ")[0] not in FIELDS:
        return False
    return before is None or not same_element(focused(before.text), focus)


def without_value(before: str, after: str, ref: str, value: str | None) -> tuple[str, str]:
    """Both texts without the parts that repeat a field's `value` in the receipt: lines of text, and selected options.

    Lines that differ from the value stay.
    """
    if value is None:
        return before, after
    before, after = _unselected(before, ref), _unselected(after, ref)
    if "\n" not in value:
        return before, after
    (was, _), (now, lines) = _split_lines(before, ref), _split_lines(after, ref)
    return (was, now) if lines == value.split("\n") else (before, after)


def _unselected(text: str, ref: str) -> str:
    """The text without the marks of selected options below the ref's line."""
    line = line_of(text, ref)
    if not line or " [selected]" not in text:
        return text
    lines = text.split("\n")
    first = lines.index(line) + 1
    for at in itertools.takewhile(lambda at: indent_of(lines[at]) > indent_of(line), range(first, len(lines))):
        if lines[at].lstrip(" ").startswith("- option "):
            lines[at] = without_selected(lines[at])
    return "\n".join(lines)


def _split_lines(text: str, ref: str) -> tuple[str, list[str]]:
    """The text without the lines of text ("| …") right below the ref's line, and these lines."""
    line = line_of(text, ref)
    end = f"\n{text}".find(f"\n{line}\n") + len(line)
    if not line or end < len(line):
        return text, []
    rest = text[end + 1 :].split("\n")
    own = list(itertools.takewhile(lambda line: line.lstrip(" ").startswith("|"), rest))
    head = text[:end].removesuffix(":") if own else text[:end]
    return "\n".join([head, *rest[len(own) :]]), [line.lstrip(" ").removeprefix("|").removeprefix(" ") for line in own]


def states_only_value(change: str, values: Mapping[str, str | None]) -> bool:
    """Whether a field's changed line states only its value, as plain text without marks such as bold."""
    value = values.get(ref_of_change(change) or "")
    if value is None:
        return False
    text = " ".join(value.split())
    if not change.startswith("~") or text not in change:
        return False
    return not text or re.search(rf"[*~`]{re.escape(text)}[*~`]", change) is None


def changed_meanwhile(shown: LastShown, document: int, before: Snapshot | None, changed: list[str]) -> list[str]:
    """The changes of the page from when it was last shown to the caller until it was read `before` the act.

    Those that fit, and how many more; without those of lines that `changed` again since, as on a page with a clock.
    """
    if shown.document is None or before is None or any(line.startswith("=") for line in changed):
        return []  # or the page is reported as a whole
    if shown.document != document:
        title, address = quoted(shortened(before.title, LONGEST_TITLE)), in_line(shown_address(before.url))
        return [f"~ the page went to {address} {title}: snapshot it"]
    lines, again = changes(before.text if shown.text is None else shown.text, before.text), "\n".join(changed)
    lines = [line for line in lines if not ((now := _NOW.search(line)) and f", before {now[1]})" in again)]
    return within_budget(lines, budget_tokens=MEANWHILE_TOKENS)


def differ_only_in_numbers(before: str, after: str) -> bool:
    """Whether the texts differ only in numbers, and in the focus, which a click moves."""
    one, other = (
        re.sub(r"\d+", "0", "\n".join(map(without_focus, text.split("\n")) if "[focused]" in text else [text]))
        for text in (before, after)
    )
    return one == other


def uncovered(changed: list[str], lines: list[str]) -> list[str]:
    """The effects on elements that no changed line is about."""

    def is_covered(line: str) -> bool:
        effect = EFFECT.match(line)
        if effect is None:
            return False
        name, ref = effect["name"], effect["ref"]
        return any((ref_of_change(change) == ref) if ref else bool(name) and name in change for change in changed)

    return [line for line in lines if not is_covered(line)]


def same_element(one: str | None, other: str | None) -> bool:
    def key(line: str | None) -> str | None:
        return line and (ref_of_focused(line) or line)

    return key(one) == key(other)


def ref_of_focused(focused: str) -> str | None:
    return ref_of(f"- {focused}")  # as `diff.focused` returns it, without its dash
