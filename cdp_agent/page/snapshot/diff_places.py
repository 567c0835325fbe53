"""Where a changed line is: the row, the item or the group that tells it apart from others like it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from itertools import islice
from operator import is_

from cdp_agent.patterns import pattern

from .diff_tree import TreeLine, parse
from .lines import (
    CELLS,
    ITEMS,
    indent_of,
    label_of,
    parts_in,
    parts_of,
    quoted,
    read_line,
    ref_of,
    shortened,
    unquoted,
    words_in,
)

_HOLDERS = (*ITEMS, "group", "generic", "option", "figure")
"""The roles of containers that are told apart by what is in them, if they have no name."""
_TOLD_BY_TEXT = (*ITEMS, "option", "heading", "status", "alert")
"""The roles of lines that need no place if they have a text."""
_CONTROLS = ("button", "checkbox", "radio", "switch", "img")
_TEXTS = ("text", "paragraph")
_NUMBER = pattern(r"\d[\d.,:]*")
_LONGEST_WORDS = 60
_LONGEST_CELL = 150
_MOST_CELLS = 3
"""Up to this number, the cells of a row that changed are told one by one."""
_MOST_WORDS = 12
"""How many texts in a container are tried, until one tells it apart."""


EFFECT = pattern(r'~ - \S+?(?: "(?P<name>(?:[^"\\]|\\.)*)")?(?: \[ref=(?P<ref>E\d+)\])?: ')
"""An effect on an element that no line of the page shows, see page/js/activity/effects.js."""
Skips = Callable[[TreeLine], bool]


class LinePlaces:
    """The places of the lines below `root`, which are a part of the page `text`."""

    def __init__(self, root: TreeLine, text: str) -> None:
        self._root, self._text = root, text
        self._first_ones: dict[int, int] = {}
        """The results of `_first_alike`: many siblings may have changed."""
        self._headings: dict[int, list[TreeLine | None]] = {}
        """The results of `_headings_of`, by the `id` of the container."""
        self._counted: dict[tuple[int, str], Counter[tuple[str, str]]] = {}
        """The results of `_counts_in`, by the `id` of the container and the role."""

    def of(self, line: TreeLine) -> tuple[str, str]:
        """Words that stand for the name that a line lacks, and where it is, ` in row "Ada", under "Age"`.

        Both are "" if the line tells itself apart. It is in the innermost container that no other is like.
        """
        if self._is_told_apart(line):
            return "", ""
        if line.role in (*_HOLDERS, *CELLS) and not (name_of(line) or text_of(line)):
            words, is_only_one = self._words(line, lambda _: False)
            if is_only_one:
                return words, ""
        return "", self.where(line) or self._beside(line)

    def _beside(self, line: TreeLine) -> str:
        """The short text beside a control that no container tells apart, ` beside "Tea"`, or "".

        Of texts on both sides it is the one on the side where the first of these controls has its text.
        """
        at = self._line_numbers.get(line.ref or "", -1)
        if at < 0:
            return ""
        indent = indent_of(self._lines[at])
        before, after = self._text_at(at - 1, indent), self._text_at(at + 1, indent)
        words = before if not after or (before and self._text_at(self._first_alike(at) - 1, indent)) else after
        return f" beside {quoted(words)}" if words and len(words) <= _LONGEST_WORDS else ""

    def _first_alike(self, at: int) -> int:
        """The number of the first sibling of the page's line `at` with the same role and name."""
        indent, label = indent_of(self._lines[at]), label_of(self._lines[at])
        first = index = at
        while index > 0 and indent_of(self._lines[index - 1]) >= indent:
            index -= 1
            if indent_of(self._lines[index]) == indent and label_of(self._lines[index]) == label:
                first = self._first_ones.get(index, index)
                if index in self._first_ones:
                    break
        self._first_ones[at] = first
        return first

    def _text_at(self, index: int, indent: int) -> str:
        """The text of the page's line at `index`, if it is a text with that indent, or ""."""
        line = read_line(self._lines[index]) if 0 <= index < len(self._lines) else None
        is_text = line is not None and line.role in _TEXTS and 2 * line.depth == indent
        return unquoted(line.text or "") if line is not None and is_text else ""

    def label(self, line: TreeLine) -> str:
        """The line's role and the words that tell it apart, `row "Ada"`."""
        words = self.words(line)
        return f"{line.role} {quoted(words)}" if words else line.role

    def words(self, line: TreeLine, skips: Skips = lambda _: False) -> str:
        """The words on or below a line that tell it apart, or else its first ones; "" if there are none.

        Without those on or below the lines that it `skips`.
        """
        return self._words(line, skips)[0]

    def says_enough(self, line: TreeLine) -> bool:
        """Whether no other line reads like this one."""
        text = text_of(line)
        return self._said[text] <= 1 if text else self._is_told_apart(line)

    def only_one_of(self, texts: list[str]) -> str:
        """The first of the texts that one line alone has, or else all of them."""
        return shortened(next((each for each in texts if self._said[each] <= 1), " | ".join(texts)), _LONGEST_WORDS)

    def near(self, line: TreeLine) -> str:
        """The term before a definition, or the nearest heading or named container, ` below "Tea"`; or ""."""
        before = self.before(line) if line.role == "definition" else None
        if before is not None and before.role == "term" and (term := name_of(before) or text_of(before)):
            return f" of {quoted(shortened(term, _LONGEST_WORDS))}"
        section = self.section(line)
        return f" below {quoted(shortened(name_of(section), _LONGEST_WORDS))}" if section is not None else ""

    def section(self, line: TreeLine) -> TreeLine | None:
        """The innermost container around a line, or heading before it, that has a name; None if there is none."""
        inner = line
        for container in self._around(line):
            section = self._headings_of(container)[self._positions[id(inner)]] or container
            if name_of(section):
                return section
            inner = container
        return None

    def _headings_of(self, container: TreeLine) -> list[TreeLine | None]:
        """For each line in it, the last heading before it there, None if there is none."""
        if id(container) not in self._headings:
            last, headings = None, self._headings.setdefault(id(container), [])
            for line in container.below:
                headings.append(last)
                last = line if line.role == "heading" else last
        return self._headings[id(container)]

    def before(self, line: TreeLine) -> TreeLine | None:
        """The sibling before a line."""
        parent = self._parents.get(id(line))
        at = self._positions.get(id(line), 0)
        return parent.below[at - 1] if parent is not None and at else None

    def has_next(self, line: TreeLine) -> bool:
        """Whether a sibling of the same role follows a line."""
        parent = self._parents.get(id(line))
        return parent is not None and any(
            each.role == line.role for each in parent.below[self._positions[id(line)] + 1 :]
        )

    def under(self, row: TreeLine, inner: TreeLine, index: int = 0) -> str:
        """The words above a cell in the first row of its table, `under "Age"`; "" if the cells do not match.

        The cell is that of the line `inner`, or the `index`-th of those on it.
        """
        parent = self._parents.get(id(row))
        first = next((each for each in parent.below if each.role == "row"), row) if parent is not None else row
        heads = [words for _, words in _cells(first)]
        lines = [line for line, _ in _cells(row)]
        if first is row or len(heads) != len(lines) or inner not in lines:
            return ""
        if any(head and _shape(head) == _shape(words) for head, (_, words) in zip(heads, _cells(row), strict=True)):
            return ""  # the first row is like this one, so it is no header
        head = heads[lines.index(inner) + index]
        return f"under {quoted(shortened(head, _LONGEST_WORDS))}" if head else ""

    def row_of(self, line: TreeLine) -> TreeLine | None:
        """The row that the line is, or of which it is a text; None for other lines."""
        parent = self._parents.get(id(line))
        return (
            line if line.role == "row" else parent if line.role == "text" and parent and parent.role == "row" else None
        )

    def _is_told_apart(self, line: TreeLine) -> bool:
        """Whether it is the page's only line with its role and name, or an item that its own text tells apart."""
        name, text = name_of(line), text_of(line)
        if not name and line.role in _TOLD_BY_TEXT and text:
            return self._said[text] <= 1
        return self._counts[line.role, name] <= 1

    def where(self, line: TreeLine) -> str:
        """The container around a line that no other is like, else the innermost named one, ` in row "Ada"`; or "".

        None that all lines like this one are in, since that tells none of them apart.
        """
        inner, nearest, column = line, "", ""
        for container in self._around(line):
            if self._has_all_like(container, line):
                break
            if container.role == "row":
                column = self.under(container, inner)
            tells = container.role in _HOLDERS or name_of(container)
            words, is_only_one = self._words(container, partial(is_, inner)) if tells else ("", False)
            if words:
                place = f" in {container.role} {quoted(words)}{f', {column}' if column else ''}"
                if is_only_one:
                    return place
                nearest = nearest or (place if name_of(container) or text_of(container) else "")
            inner, column = container, ""
        return nearest

    def _has_all_like(self, container: TreeLine, line: TreeLine) -> bool:
        """Whether all of the page's lines with the role and name of a line, and its text if it is one, are inside."""
        name, text = name_of(line), text_of(line) if line.role in _TEXTS else ""
        count = self._said[text] if text else self._counts[line.role, name]
        return self._counts_in(container, line.role)[name, text] >= count

    def _counts_in(self, container: TreeLine, role: str) -> Counter[tuple[str, str]]:
        """How many lines of a role in it have a name, and, of texts, a name and a text."""
        counts = self._counted.get((id(container), role))
        if counts is None:
            names = [(name_of(line), text_of(line)) for line in container.all() if line.role == role]
            texts = [each for each in names if each[1]] if role in _TEXTS else []
            counts = self._counted[id(container), role] = Counter([*((name, "") for name, _ in names), *texts])
        return counts

    def _around(self, line: TreeLine) -> Iterator[TreeLine]:
        """The lines around it, innermost first, and at last the root."""
        parent = self._parents.get(id(line))
        while parent is not None:
            yield parent
            parent = self._parents.get(id(parent))

    def _words(self, line: TreeLine, skips: Skips) -> tuple[str, bool]:
        """Those words, and whether no line like it has them."""
        if name := name_of(line):
            return shortened(name, _LONGEST_WORDS), self._counts[line.role, name] <= 1
        words = (name_of(each) if each.role == "heading" else text_of(each) for each in _without(line, skips))
        texts = list(islice(filter(None, words), _MOST_WORDS))
        names = [
            name
            for each in islice(_without(line, skips), _MOST_WORDS)
            if each.role != "heading" and (name := name_of(each))
        ]
        for text in [*texts, *names]:
            for part in (parts_in(text)[0], text):
                if part and self._said[part] <= 1:
                    return shortened(part, _LONGEST_WORDS), True
        return shortened(next(iter([*texts, *names]), ""), _LONGEST_WORDS), False

    @cached_property
    def _lines(self) -> list[str]:
        return self._text.split("\n")

    @cached_property
    def _line_numbers(self) -> dict[str, int]:
        return {ref: index for index, raw in enumerate(self._lines) if "[ref=" in raw and (ref := ref_of(raw))}

    @cached_property
    def _parents(self) -> dict[int, TreeLine]:
        return {id(child): parent for parent in self._root.all() for child in parent.below}

    @cached_property
    def _positions(self) -> dict[int, int]:
        """The place of each line among its siblings."""
        return {id(child): index for parent in self._root.all() for index, child in enumerate(parent.below)}

    @cached_property
    def _page(self) -> list[tuple[str, str, str]]:
        return list(words_in(self._text))

    @cached_property
    def _counts(self) -> Counter[tuple[str, str]]:
        """How many lines of the page have a role and a name, or a role and no name ("")."""
        return Counter([(role, name) for role, name, _ in self._page])

    @cached_property
    def _said(self) -> Counter[str]:
        """How many lines of the page have a name or text, or a text as the first of several."""
        texts = [text for _, _, text in self._page]
        firsts = [first for text in texts if (first := parts_in(text)[0]) != text]
        return Counter([*(name for _, name, _ in self._page), *texts, *firsts])


def with_place(line: str, text: str) -> str:
    """An effect, `~ - button "Like" [ref=E5]: redrawn`, with the place of its element on the page `text`."""
    effect = EFFECT.match(line)
    lines = text.split("\n") if effect and effect["ref"] else []
    at = next((index for index, raw in enumerate(lines) if ref_of(raw) == effect["ref"]), -1) if effect else -1
    if effect is None or at < 0:
        return line
    first, end = at, at + 1
    while first > 0 and indent_of(lines[first]) > 0:
        first -= 1
    while end < len(lines) and indent_of(lines[end]) > 0:
        end += 1
    root = parse(lines[first:end], {})
    element = next(each for each in root.all() if each.ref == effect["ref"])
    _, place = LinePlaces(root, text).of(element)
    return f"{line[: effect.end('ref') + 1]}{place}{line[effect.end('ref') + 1 :]}"


def name_of(line: TreeLine) -> str:
    """The name of a line, "" if it has none."""
    parts = parts_of(line.text)
    return unquoted(parts[1].strip()) if parts else ""


def text_of(line: TreeLine) -> str:
    """What follows the colon of a line, "" if nothing does."""
    parts = parts_of(line.text)
    return unquoted(parts[3].partition(": ")[2]) if parts else ""


def _shape(words: str) -> str:
    """The words with a digit for each number."""
    return _NUMBER.sub("0", words)


def _cells(row: TreeLine) -> list[tuple[TreeLine, str]]:
    """The cells of a row: for each the line that it is, or is on, and its words.

    Snapshots join neighbouring cells of texts to one text, and show other cells as lines.
    """
    cells: list[tuple[TreeLine, str]] = []
    for line in (row, *row.below):
        text = text_of(line)
        if line is row or line.role == "text":
            cells += [(line, part) for part in parts_in(text)] if text else []
        else:
            cells.append((line, name_of(line) or text))
    return cells


def whole_text(line: TreeLine) -> str:
    """The words on and below a line, shortened, `Ada | 36`; those of buttons and the like if there are no others."""
    lines = list(line.all())
    words = [words for each in lines if each.role not in _CONTROLS and (words := name_of(each) or text_of(each))]
    return shortened(" | ".join(words or filter(None, map(name_of, lines))), _LONGEST_WORDS)


def _without(line: TreeLine, skips: Skips) -> Iterator[TreeLine]:
    if not skips(line):
        yield line
        for each in line.below:
            yield from _without(each, skips)


def changed_cells(was: TreeLine, now: TreeLine, places: LinePlaces) -> str:
    """The cells of a row that changed, `- row "Ada", under "Age" (now 37, before 36)`; "" for other changes."""
    row, had, has = places.row_of(now), parts_in(text_of(was)), parts_in(text_of(now))
    if row is None or len(had) != len(has) or _states(was) != _states(now):
        return ""
    same = [text for text, before in zip(has, had, strict=True) if text == before and text]
    differing = [index for index, text in enumerate(has) if text != had[index]]
    name = name_of(row) or (
        places.only_one_of(same) if same else places.words(row, partial(is_, now)) if row is not now else ""
    )
    if not name or not 0 < len(differing) <= _MOST_CELLS:
        return ""
    notes = [
        (places.under(row, now, index), f"now {_cell(has[index])}, before {_cell(had[index])}") for index in differing
    ]
    head = f"- row {quoted(name)}{f' [ref={row.ref}]' if row.ref else ''}"
    if len(notes) == 1:
        under, note = notes[0]
        return f"{head}{f', {under}' if under else ''} ({note})"
    return f"{head} ({'; '.join(' '.join(filter(None, note)) for note in notes)})"


def _states(line: TreeLine) -> list[str]:
    parts = parts_of(line.text)
    return [parts[1], *(state for state in parts[2] if not state.startswith("[ref="))] if parts else []


def _cell(text: str) -> str:
    return shortened(text, _LONGEST_CELL) or "empty"
