"""Where a changed line is: the row, the item or the group that tells it apart from others like it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from operator import is_

from .diff_tree import TreeLine
from .lines import ITEMS, parts_in, parts_of, quoted, shortened, unquoted, words_in

_HOLDERS = (*ITEMS, "group", "generic", "option", "figure")
"""The roles of containers that are told apart by what is in them, if they have no name."""
_TOLD_BY_TEXT = (*ITEMS, "option", "heading", "status", "alert")
"""The roles of lines that need no place if they have a text."""
_LONGEST_WORDS = 60
_LONGEST_CELL = 150
_MOST_CELLS = 3
"""Up to this number, the cells of a row that changed are told one by one."""
_MOST_WORDS = 12
"""How many texts in a container are tried, until one tells it apart."""


Skips = Callable[[TreeLine], bool]


class Places:
    """The places of the lines below `root`, which are a part of the page `text`."""

    def __init__(self, root: TreeLine, text: str) -> None:
        self._root, self._text = root, text

    def where(self, line: TreeLine) -> str:
        """The innermost container that no other is like, ` in row "Ada", under "Age"`, if the line needs it, or ""."""
        if self._is_told_apart(line):
            return ""
        inner, nearest, column = line, "", ""
        for container in self._around(line):
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
        """Whether the text of a line is that of no other."""
        text = text_of(line)
        return bool(text) and self._said[text] <= 1

    def only_one_of(self, texts: list[str]) -> str:
        """The first of the texts that one line alone has, or else all of them."""
        return shortened(next((each for each in texts if self._said[each] <= 1), " | ".join(texts)), _LONGEST_WORDS)

    def section(self, line: TreeLine) -> str:
        """The name of the innermost container around a line, or heading before it, that has one; or ""."""
        inner = line
        for container in self._around(line):
            before = container.below[: container.below.index(inner)] if inner in container.below else []
            names = [name_of(each) for each in before if each.role == "heading"] or [name_of(container)]
            if names[-1]:
                return names[-1]
            inner = container
        return ""

    def beside(self, line: TreeLine) -> str:
        """What stands before a line, ` (after textbox "Name" [ref=E3])`; "" if nothing does, or a line like it."""
        parent = self._parents.get(id(line))
        at = parent.below.index(line) if parent is not None and line in parent.below else 0
        before = parent.below[at - 1] if parent is not None and at else None
        if before is None or before.subtree_id == line.subtree_id:
            return ""
        return f" (after {shortened(before.text.removeprefix('- '), _LONGEST_WORDS)})"

    def under(self, row: TreeLine, inner: TreeLine, index: int = 0) -> str:
        """The words above a cell of a row in the first row of its table, `under "Age"`; "" if the cells do not match.

        The cell is that of the line `inner`, or the `index`-th of those on it.
        """
        parent = self._parents.get(id(row))
        first = next((each for each in parent.below if each.role == "row"), row) if parent is not None else row
        heads = [words for _, words in _cells(first)]
        lines = [line for line, _ in _cells(row)]
        if first is row or len(heads) != len(lines) or inner not in lines:
            return ""
        head = heads[lines.index(inner) + index]
        return f"under {quoted(shortened(head, _LONGEST_WORDS))}" if head else ""

    def row_of(self, line: TreeLine) -> TreeLine | None:
        """The row that the line is, or of which it is a text; None for other lines."""
        parent = self._parents.get(id(line))
        return line if line.role == "row" else parent if line.role == "text" and parent and parent.role == "row" else None

    def _is_told_apart(self, line: TreeLine) -> bool:
        """Whether it is the page's only line with its role and name, or an item that its own text tells apart."""
        name = name_of(line)
        if not name and line.role in _TOLD_BY_TEXT and text_of(line):
            return True
        return self._counts[line.role, name] <= 1

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
        lines = list(_without(line, skips))
        texts = [name_of(each) if each.role == "heading" else text_of(each) for each in lines]
        texts = list(filter(None, texts))[:_MOST_WORDS]
        names = [name for each in lines[: _MOST_WORDS] if each.role != "heading" and (name := name_of(each))]
        for text in [*texts, *names]:
            for part in (parts_in(text)[0], text):
                if part and self._said[part] <= 1:
                    return shortened(part, _LONGEST_WORDS), True
        return shortened(next(iter([*texts, *names]), ""), _LONGEST_WORDS), False

    @cached_property
    def _parents(self) -> dict[int, TreeLine]:
        return {id(child): parent for parent in self._root.all() for child in parent.below}

    @cached_property
    def _counts(self) -> Counter[tuple[str, str]]:
        """How many lines of the page have a role and a name, or a role and no name ("")."""
        return Counter((role, name) for role, name, _ in words_in(self._text))

    @cached_property
    def _said(self) -> Counter[str]:
        """How many lines of the page have a name or text, or a text as the first of several."""
        said: Counter[str] = Counter()
        for _, name, text in words_in(self._text):
            said.update({name, text, parts_in(text)[0]})
        return said


def name_of(line: TreeLine) -> str:
    """The name of a line, "" if it has none."""
    parts = parts_of(line.text)
    return unquoted(parts[1].strip()) if parts else ""


def text_of(line: TreeLine) -> str:
    """What follows the colon of a line, "" if nothing does."""
    parts = parts_of(line.text)
    return unquoted(parts[3].partition(": ")[2]) if parts else ""


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
    """All words on and below a line, shortened, `Ada | 36 | Edit`."""
    words = (name_of(each) or text_of(each) for each in line.all())
    return shortened(" | ".join(filter(None, words)), _LONGEST_WORDS)


def _without(line: TreeLine, skips: Skips) -> Iterator[TreeLine]:
    if not skips(line):
        yield line
        for each in line.below:
            yield from _without(each, skips)


def changed_cells(was: TreeLine, now: TreeLine, places: Places) -> str:
    """The cells of a row of texts that changed, `- row "Ada", under "Age" (now 37, before 36)`; "" for other changes."""
    row, had, has = places.row_of(now), parts_in(text_of(was)), parts_in(text_of(now))
    if row is None or len(had) != len(has) or _states(was) != _states(now):
        return ""
    same = [text for text, before in zip(has, had, strict=True) if text == before and text]
    differing = [index for index, text in enumerate(has) if text != had[index]]
    name = name_of(row) or (places.only_one_of(same) if same else places.words(row, partial(is_, now)) if row is not now else "")
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
