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
    parts_of,
    quoted,
    ref_of,
    ref_of_change,
    shortened,
    shown_address,
    unquoted,
    without_focus,
    without_selected,
)
from cdp_agent.page.snapshot.snapshot import PassedText, Snapshot
from cdp_agent.page.tab.shown import BLOCKS, LastShown, passed_lines
from cdp_agent.patterns import pattern

from .budget import CHANGES_TOKENS, MEANWHILE_TOKENS, OPENED_TOKENS, within_budget
from .effects import Causes

_NOW = pattern(r"\(now (.*), before ")
_MARK, _ORDER = re.compile(r'~ [a-z]+: now "(.*)"$'), re.compile(r"; \d+ of \d+ moved$")
"""Effects on words, and on the order of elements, see page/js/activity/effects.js."""


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
    is_new_view = _view(before.url) != _view(after.url)
    changed = within_budget(changes(was, now), now, OPENED_TOKENS if is_new_view else CHANGES_TOKENS)
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
    """Both texts without the parts that repeat a field's `value` in the receipt: its text, and selected options.

    Where the field shows anything else, it stays in both.
    """
    if value is None:
        return before, after
    before, after = _unselected(before, ref), _unselected(after, ref)
    now, shown = _split_value(after, ref)
    if shown != (value.split("\n") if "\n" in value else [" ".join(value.split())]):
        return before, after
    return _split_value(before, ref)[0], now


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


def _split_value(text: str, ref: str) -> tuple[str, list[str]]:
    """The text without the value on the ref's line, or in the lines of text ("| …") right below it, and this value."""
    line = line_of(text, ref)
    parts = parts_of(line.lstrip(" "))
    if parts is None:
        return text, []
    lines = text.split("\n")
    at = lines.index(line)
    own = list(itertools.takewhile(lambda line: line.lstrip(" ").startswith("|"), lines[at + 1 :]))
    lines[at : at + 1 + len(own)] = [line.removesuffix(parts[3])]
    if own:
        return "\n".join(lines), [line.lstrip(" ").removeprefix("|").removeprefix(" ") for line in own]
    return "\n".join(lines), [unquoted(parts[3].removeprefix(":").strip())]


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
    """The effects that no changed line is about: on other elements, orders of other lists, marks of other words."""
    news = "\n".join(line.partition(", before ")[0] for line in changed)

    def is_covered(line: str) -> bool:
        if mark := _MARK.match(line):
            return mark[1] in news
        if _ORDER.search(line):
            return " moved" in news
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
