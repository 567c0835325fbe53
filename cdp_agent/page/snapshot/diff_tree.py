"""Snapshot texts as trees of lines, for diff.py to compare."""

from __future__ import annotations

from collections.abc import Iterator

from cdp_agent.patterns import pattern

from .lines import indent_of, ref_of, without_behind, without_focus, without_ref

CARET = pattern(r" \[(?:caret|selection)\b")


class TreeLine:
    """A line with the lines below it. Subtrees with the same text, apart from refs, have the same `subtree_id`."""

    __slots__ = ("below", "full_text", "opens", "ref", "role", "subtree_id", "text")

    def __init__(self, raw: str) -> None:
        is_text = raw.startswith("|")  # one of several lines of a value
        self.ref = None if is_text else ref_of(raw)
        self.full_text = raw if is_text else without_focus(raw).removesuffix(":")
        """The text without its indent, the state `[focused]` and a final colon."""
        self.text = raw if is_text else without_behind(self.full_text)
        """`full_text` without the state `[inert]` or `[covered]`."""
        self.opens = not is_text and raw.endswith(":")
        """Whether it ends with a colon, which it has only because there are lines below it."""
        self.role = "|" if is_text else self.text.split(" ", 2)[1].removesuffix(":") if " " in raw else ""
        self.below: list[TreeLine] = []
        self.subtree_id = 0

    @property
    def behind(self) -> str:
        """ "[inert]" or "[covered]" behind a dialog or an overlay, else ""."""
        return {0: "", len(" [inert]"): "[inert]"}.get(len(self.full_text) - len(self.text), "[covered]")

    @property
    def value(self) -> list[str]:
        """The lines of its value, if that has several lines."""
        return [each.text for each in self.below if each.role == "|"]

    def finish(self, numbers: dict[tuple[object, ...], int]) -> None:
        """Computes `subtree_id` once the subtree is complete. `numbers` gives the same number to equal subtrees."""
        said = (without_ref(self.text), *(each.subtree_id for each in self.below))
        self.subtree_id = numbers.setdefault(said, len(numbers))

    def all(self) -> Iterator[TreeLine]:
        """This line and all lines below it, in order."""
        yield self
        for each in self.below:
            yield from each.all()


def differing_parts(before: str, after: str) -> tuple[list[str], list[str]]:
    """Both texts without their common beginning and end, except for the ancestors of the lines that remain."""
    old, new = (text.split("\n") if text else [] for text in (before, after))
    first, shortest = 0, min(len(old), len(new))
    while first < shortest and old[first] == new[first]:
        first += 1
    last = 0
    while last < shortest - first and old[-1 - last] == new[-1 - last]:
        last += 1
    rest = [*old[first : len(old) - last], *new[first : len(new) - last]]
    depth = min(map(indent_of, rest), default=0)
    # Subtrees are compared whole, and together with their neighbours.
    while first > 0 and indent_of(new[first] if first < len(new) else old[first]) > depth:
        first -= 1
    if first > 0 and indent_of(old[first - 1]) >= depth:
        first -= 1
        while indent_of(old[first]) > depth:
            first -= 1
    while last > 0 and indent_of(old[-last]) > depth:
        last -= 1
    if last > 0 and indent_of(old[-last]) == depth:
        last -= 1
        while last > 0 and indent_of(old[-last]) > depth:
            last -= 1
    context = _context_of(old, first)
    return context + old[first : len(old) - last], context + new[first : len(new) - last]


def _context_of(lines: list[str], index: int) -> list[str]:
    """The line before `index` with its ancestors, any of which may have the lines from `index` on below it.

    And what tells where they are: the heading before each of them, and the first row of their tables with its cells.
    """
    shown: list[int] = []
    depth, row, is_headed = -1, -1, True
    for at in range(index - 1, -1, -1):
        line = lines[at]
        indent = indent_of(line)
        if depth < 0 or indent < depth:
            shown += _with_lines_below(lines, row) if row >= 0 else []
            shown.append(at)
            depth, row, is_headed = indent, -1, False
        elif indent == depth and line.startswith("- heading", indent) and not is_headed:
            shown.append(at)
            is_headed = True
        elif indent == depth and line.startswith("- row", indent):
            row = at
        if depth == 0 and is_headed:
            break
    return [lines[at] for at in sorted({*shown, *(_with_lines_below(lines, row) if row >= 0 else ())})]


def _with_lines_below(lines: list[str], at: int) -> list[int]:
    """The indices of a line and of those below it."""
    end = at + 1
    while end < len(lines) and indent_of(lines[end]) > indent_of(lines[at]):
        end += 1
    return list(range(at, end))


def parse(raw_lines: list[str], numbers: dict[tuple[object, ...], int]) -> TreeLine:
    """The lines as a tree, below an empty root line."""
    root = TreeLine("")
    path = [root]
    for raw in raw_lines:
        stripped = raw.lstrip(" ")
        if stripped.startswith("…"):
            continue  # a note on what was left out
        depth = (len(raw) - len(stripped)) // 2
        for done in path[:depth:-1]:
            done.finish(numbers)
        del path[depth + 1 :]
        line = TreeLine(stripped)
        path[-1].below.append(line)
        path.append(line)
    for done in reversed(path):
        done.finish(numbers)
    return root
