"""The wording of a difference between two snapshots, and how much of a line it shows."""

from __future__ import annotations

from cdp_agent.patterns import pattern

from .diff_tree import CARET, TreeLine
from .lines import parts_of, quoted, shortened

_LINE_CHARACTERS = 300
_LONGEST_VALUE = 80
"""Of a longer address of a link, or value of a state, in characters, the rest is left out."""
_LONG_TARGET = pattern(rf"((?<=\d\]) → [^\s]{{{_LONGEST_VALUE}}})[^\s:]+")
_LONG_STATE = pattern(rf'( \[[\w-]+="(?:[^"\\]|\\.){{{_LONGEST_VALUE}}})(?:[^"\\]|\\.){{2,}}"')
_MOST_LISTED = 12
_FEW_BEHIND = 3
_FEW_WORDS = 60
_LONG_ALIKE = 100
"""Of a longer common beginning or end of two texts, in characters, only the words next to the difference are shown."""
_BEGINNING = 40
_WORDS_AROUND = 20
_CLASSES = pattern(r"\[class=(?!.*…)")
"""The state with an element's classes, if they are not cut."""


def short_line(line: TreeLine) -> str:
    said = line.text.removeprefix("- ").partition(" → ")[0]
    return shortened(said, _FEW_WORDS) + (f" [ref={line.ref}]" if line.ref and len(said) > _FEW_WORDS else "")


def listed(things: list[str], count: int) -> str:
    more = count - min(len(things), _MOST_LISTED)
    return ", ".join(things[:_MOST_LISTED]) + (f", and {more} more" if more > 0 else "")


def behind_changes(how: str, lines: list[TreeLine]) -> str:
    """The report of lines that became inert or covered, or no longer are, as a dialog makes all around it."""
    if len(lines) <= _FEW_BEHIND:
        return f"~ {how}: {', '.join(short_line(line) for line in lines)}"
    return f"~ {how}: {len(lines)} lines, with all that is below them"


def changed_line(was: TreeLine, now: TreeLine, described_elsewhere: set[str], words: str, place: str) -> str:
    """One line for a change: common parts once, differences as "old → new"; "" when there are none.

    A caret that is gone, and descriptions in `described_elsewhere`, are no differences. `words` stand for the name that
    it lacks, and `place` says where it is.
    """
    old, new = parts_of(was.text), parts_of(now.text)
    if old is None or new is None or old[0] != new[0]:
        return f"{cut(was.text)} → {cut(now.text.removeprefix('- '))}{place}"
    (_, old_name, had, old_rest), (role, name, has, rest) = old, new
    had = [_said_in_full(each, has) for each in had]
    has = [_said_in_full(each, had) for each in has]
    is_renamed = old_name != name
    if is_renamed:
        name = f"{cut(old_name or ' (no name)')} →{cut(name or ' (no name)')}"
    elif words and not name:
        name = f" {quoted(words)}"
    ref = "".join(f" {each}" for each in has if each.startswith("[ref="))
    if was.ref and now.ref:  # a new ref is reported as "rendered anew"
        described_elsewhere = {*described_elsewhere, f"[ref={was.ref}]", f"[ref={now.ref}]"}
    gained = [each for each in has if each not in had and each not in described_elsewhere]
    lost = [each for each in had if each not in has and each not in described_elsewhere and not CARET.match(f" {each}")]
    notes = _classes_apart(gained, lost) + [f"now {each}" for each in gained]
    notes += [f"no longer {each}" for each in lost if not any(_is_opposite(each, other) for other in gained)]
    if not notes and not is_renamed and old_rest == rest:
        return ""
    common = "".join(f" {each}" for each in has if each in had and not each.startswith("[ref="))
    tail = cut(rest)
    if old_rest != rest:
        is_now, was_before = (
            cut(text) or _no_text(line)
            for text, line in zip(
                _apart_in(rest.removeprefix(":"), old_rest.removeprefix(":")), (now, was), strict=True
            )
        )
        notes.append(f"now{is_now}, before{was_before}")
        tail = ""
    return f"- {role}{name}{common}{ref}{tail}{place}" + (f" ({'; '.join(notes)})" if notes else "")


def _is_opposite(state: str, other: str) -> bool:
    """Whether one is only the other's opposite, as `[expanded]` and `[expanded=false]`, so that one tells both."""
    return f"{state[:-1]}=false]" == other or f"{other[:-1]}=false]" == state


def _classes_apart(gained: list[str], lost: list[str]) -> list[str]:
    """The classes that were gained or lost, if both lists have classes; these are removed from the lists."""
    now, before = ([each for each in states if _CLASSES.match(each)] for states in (gained, lost))
    if not now or not before:
        return []
    gained.remove(now[0])
    lost.remove(before[0])
    has, had = (_CLASSES.sub("", each).strip('"]').split() for each in (now[0], before[0]))
    came, went = ([name for name in one if name not in other] for one, other in ((has, had), (had, has)))
    return [f'class {how} "{" ".join(names)}"' for how, names in (("now", came), ("no longer", went)) if names]


def _apart_in(now: str, before: str) -> tuple[str, str]:
    """For two long, similar texts: the beginning of the first, and the differing parts with a few words around them."""
    first = _shared(now, before)
    last = _shared(now[first:][::-1], before[first:][::-1])
    start = first - _WORDS_AROUND if first > _LONG_ALIKE else 0
    end = last - _WORDS_AROUND if last > _LONG_ALIKE else 0
    head, tail = now[:_BEGINNING] if start else "", "…" if end else ""
    differing = (f"{'…' if start else ''}{each[start : len(each) - end]}{tail}" for each in (now, before))
    is_now, was_before = differing
    return head + is_now, f" {was_before}" if start else was_before


def _shared(one: str, other: str) -> int:
    """The length of the common beginning of two texts."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def lines_changed(was: TreeLine, now: TreeLine) -> str:
    if was.value and now.value:
        return " (its lines changed)"
    return f" (now{_no_text(now)}, before{_no_text(was)})"


def _no_text(line: TreeLine) -> str:
    """The words for a line without text on it."""
    return " of several lines" if line.value else " no text of its own" if line.opens else " empty"


def _said_in_full(state: str, others: list[str]) -> str:
    """The state, completed from `others` if cut: a description shared by several elements is in full only once."""
    if not (state.startswith('[description="') and state.endswith('…"]')):
        return state
    return next((each for each in others if each.startswith(state[:-3])), state)


def cut(text: str) -> str:
    """A line, or a part of one, with long addresses and states shortened."""
    text = _LONG_STATE.sub(r"\1…\"", _LONG_TARGET.sub(r"\1…", text)) if len(text) > _LONGEST_VALUE else text
    return shortened(text, _LINE_CHARACTERS)
