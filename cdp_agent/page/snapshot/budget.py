"""Fits a snapshot into a number of tokens, and says what was left out.

The order of priority: what is in the viewport, interactive elements before text; interactive elements elsewhere; the
rest; last, what is behind a dialog or an overlay. The page's content comes before its navigation, which gets what a
content that fits leaves, else a fifth of the room. Of a long run of siblings the first few are kept, and a line says
how many more there are. An interactive element in a row or an item is kept only with the text of that row or item,
since it means nothing without it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain, groupby

import msgspec

from cdp_agent.page.files.contents import FILE_KINDS
from cdp_agent.patterns import pattern

from .lines import ITEMS, LANDMARKS, state_in

HINT = "search or find one of them, scroll for another part"
FOLD_AFTER = 5
FOLD_TEXT_AFTER = 60
TEXT_LINE = "text line"
_TOKENS = pattern(r"[A-Za-z]{1,5}|\d{1,3}|[^\sA-Za-z\d]|\s{2,}")
_PRIORITY = {"v": 0, "t": 1, "i": 2, ".": 3}
_LEFT_OUT_TOKENS = 90
_FOR_NAVIGATION = 0.2
"""The share of the room that the page's content leaves to its navigation."""
_MANY_LINKS = 6
"""From how many links in a row on they are navigation, on a page without landmarks."""
_LONGEST_WORDS = 150  # tokens of an item's text that are kept with its interactive elements
_COSTLY = pattern("[\u0700-\u1dff\ua000-\uabff\U00010000-\U0010ffff]")
_MISSES = 50  # lines in a row that do not fit, after which no more are tried
SAMPLE = 10_000  # characters, from which the number of tokens of a text that is too long anyway is estimated
LONGEST_TOKEN = 12  # characters, white space included: the mean of any page is below that


def tokens(text: str) -> int:
    """An upper bound of the number of tokens in a snapshot's text, close for English.

    Counts a token for every five letters of a word, every three digits of a number and every other character, and two
    for a character of a rarer script. On real pages that is 7 to 50 % above o200k and cl100k.
    """
    costly = 0 if text.isascii() else len(_COSTLY.findall(text))
    return len(_TOKENS.findall(text)) + costly + 1


def left_out_line(notes: list[str]) -> str:
    """The last line of an incomplete snapshot."""
    return "… left out: " + "; ".join(notes)


class _Line(msgspec.Struct, gc=False):
    mark: str
    text: str
    depth: int
    parent: int
    role: str
    item: int
    """The index of the innermost row or item that the line is or is in, -1 for none."""
    is_behind: bool = False
    """Whether a dialog or an overlay in front of it makes it inert, or covers it."""
    is_navigation: bool = False
    """Whether it is around the page's content."""
    kept: bool = False

    @property
    def acts(self) -> bool:
        return self.mark in "vi"


def fit(marked: str, budget_tokens: int, notes: list[str]) -> str:
    """The lines of `marked` without their marks (first characters, see _PRIORITY), as many as fit into `budget_tokens`.

    `notes` say what could not be read at all; they go into the last line, which also counts what did not fit.
    """
    lines = _parse(marked)
    whole = "\n".join([*(line.text for line in lines), *([left_out_line(notes)] if notes else [])])
    counted = whole if len(whole) <= budget_tokens * LONGEST_TOKEN else whole[:SAMPLE]
    needed = tokens(counted) * len(whole) // max(len(counted), 1)
    if counted == whole and needed <= budget_tokens:
        return whole
    room = budget_tokens - _LEFT_OUT_TOKENS - sum(tokens(note) for note in notes)
    _choose(lines, room * 9 // 10)
    advice = f"{HINT}, snapshot with more budget_tokens (about {needed} for all)"
    text = _write(lines, notes, advice)
    while tokens(text) > budget_tokens and any(line.kept for line in lines):
        _drop_last(lines)
        text = _write(lines, notes, advice)
    return text


def is_whole(text: str) -> bool:
    """Whether nothing was left out of a snapshot for its budget."""
    return HINT not in text.rpartition("\n")[2]


def _parse(marked: str) -> list[_Line]:
    lines: list[_Line] = []
    path: list[int] = []
    for index, raw in enumerate(marked.split("\n") if marked else []):
        start = len(raw) - len(raw[1:].lstrip(" "))
        depth = start >> 1
        if depth < len(path):
            del path[depth:]
        end = raw.find(" ", start + 2)
        is_text = raw[start] == "|"  # one of several lines of a value
        role = TEXT_LINE if is_text else raw[start + 2 : end if end > 0 else len(raw)].rstrip(":")
        parent = path[-1] if path else -1
        item = index if role in ITEMS else lines[parent].item if path else -1
        lines.append(_Line(raw[0], raw[1:], depth, parent, role, item))
        path.append(index)
    if "[inert]" in marked or "[covered]" in marked:
        _mark_behind(lines)
    _mark_navigation(lines)
    return lines


def _mark_navigation(lines: list[_Line]) -> None:
    """Marks what is around the content: its landmarks, or many links in a row on a page without landmarks."""
    if lines and lines[0].role == "document" and any(state_in(lines[0].text, f"type={kind}") for kind in FILE_KINDS):
        for line in lines:  # the rest is the viewer of the file, or the page in whose place it was opened
            is_inside = line.parent >= 0 and not lines[line.parent].is_navigation
            line.is_navigation = not (is_inside or line.role == "document")
        return
    has_landmarks = any(line.role == "main" or line.role in LANDMARKS for line in lines)
    for line in lines:
        inherited = line.parent >= 0 and lines[line.parent].is_navigation
        line.is_navigation = line.role != "main" and (inherited or line.role in LANDMARKS)
    if not has_landmarks:
        siblings = sorted(lines, key=lambda line: line.parent)  # stable: those of a parent stay in order
        for (_, role), run in groupby(siblings, lambda line: (line.parent, line.role)):
            if role == "link" and len(links := list(run)) >= _MANY_LINKS:
                for link in links:
                    link.is_navigation = True


def _mark_behind(lines: list[_Line]) -> None:
    """Marks lines that are `[inert]` or `[covered]`, and the texts next to them, which lack the state."""
    open_: set[int] = set()
    for index, line in enumerate(lines):
        at = index if state_in(line.text, "modal") or state_in(line.text, "overlay") else -1
        while at >= 0:
            open_.add(at)
            at = lines[at].parent
    around = {line.parent for line in lines if state_in(line.text, "inert") or state_in(line.text, "covered")}
    for index, line in enumerate(lines):
        beside = line.parent in around and index not in open_
        line.is_behind = beside or (line.parent >= 0 and lines[line.parent].is_behind)


def _choose(lines: list[_Line], room: int) -> None:
    position: dict[tuple[int, str], int] = {}
    folded: list[bool] = []
    classes: list[list[int]] = [[] for _ in range(2 * len(_PRIORITY) + 1)]
    for index, line in enumerate(lines):
        parent = line.parent
        key = (parent, line.role)
        position[key] = place = position.get(key, 0) + 1
        is_folded = place > FOLD_AFTER or (parent >= 0 and folded[parent])
        folded.append(is_folded)
        priority = _PRIORITY[line.mark]
        if line.role == TEXT_LINE and place > FOLD_TEXT_AFTER:  # a long text ranks below all interactive elements
            priority = len(_PRIORITY) - 1
        if line.is_behind:
            classes[-1].append(index)
        else:
            classes[priority + len(_PRIORITY) if is_folded and priority > 1 else priority].append(index)
    words: dict[int, list[int]] = {}
    for index, line in enumerate(lines):
        if line.item >= 0 and not line.acts:
            words.setdefault(line.item, []).append(index)
    order = list(chain.from_iterable(classes))
    content = [index for index in order if not lines[index].is_navigation]
    around = [index for index in order if lines[index].is_navigation]
    needed = sum(tokens(lines[index].text) for index in content)
    share = int(room * _FOR_NAVIGATION) if needed > room else room - needed
    for_around = min(share, sum(tokens(lines[index].text) for index in around))
    left = _keep(lines, content, words, room - for_around) + for_around
    _keep(lines, content, words, _keep(lines, around, words, left))


def _keep(lines: list[_Line], order: list[int], words: dict[int, list[int]], room: int) -> int:
    """Keeps as many of the lines as fit, with the lines around each; returns the room that is left.

    `words`: the lines of text of each item, which are kept with what acts in it.
    """
    misses = 0
    for index in order:
        needed: set[int] = set()
        line = lines[index]
        for start in (index, *(_short(lines, words.get(line.item, ())) if line.acts else ())):
            at = start
            while at >= 0 and not lines[at].kept and at not in needed:
                needed.add(at)
                at = lines[at].parent
        cost = sum(tokens(lines[at].text) for at in needed)
        misses = misses + 1 if cost > room else 0
        if misses > _MISSES:
            break
        if cost <= room:
            room -= cost
            for at in needed:
                lines[at].kept = True
            if line.acts:
                words.pop(line.item, None)
    return room


def _short(lines: list[_Line], indices: Iterable[int]) -> list[int]:
    """The first of these lines, as many as are short enough to be kept with the interactive elements of their item."""
    room = _LONGEST_WORDS
    short: list[int] = []
    for index in indices:
        room -= tokens(lines[index].text)
        if room < 0:
            break
        short.append(index)
    return short


def _drop_last(lines: list[_Line]) -> None:
    """Removes the last tenth of the kept lines; a line is only removed together with the kept lines below it."""
    indices = [index for index, line in enumerate(lines) if line.kept]
    indices = [index for index in indices if lines[index].is_behind] or indices
    first = indices[-max(1, len(indices) // 10)]
    if lines[first].item >= indices[len(indices) * 3 // 4]:
        first = lines[first].item  # an item goes as a whole
    for index in indices:
        if index >= first:
            lines[index].kept = False


def _write(lines: list[_Line], notes: list[str], advice: str) -> str:
    written: list[str] = []
    dropped: Counter[str] = Counter()
    run: Counter[str] = Counter()
    run_depth = 0

    def fold() -> None:
        role, count = run.most_common(1)[0] if run else ("", 0)
        if count >= FOLD_AFTER:
            written.append("  " * run_depth + f"… {count} more {role}s")
        run.clear()

    for line in lines:
        if line.kept:
            fold()
            written.append(line.text)
            continue
        dropped[line.role] = dropped.get(line.role, 0) + 1
        if line.parent < 0 or lines[line.parent].kept:
            if run and line.depth != run_depth:
                fold()
            run_depth = line.depth
            run[line.role] += 1
    fold()
    counts = [f"{count} {role}" for role, count in dropped.most_common(6)]
    rest = sum(dropped.values()) - sum(count for _, count in dropped.most_common(6))
    if rest:
        counts.append(f"{rest} other")
    total = sum(dropped.values())
    summary = [f"{total} line{'s' * (total > 1)} ({', '.join(counts)}): {advice}"] if dropped else []
    if summary or notes:
        written.append(left_out_line(summary + notes))
    return "\n".join(written)
