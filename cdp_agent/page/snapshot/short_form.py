"""The lines of a snapshot as an agent's model reads them: in fewer tokens than the lines that programs read.

A ref is `E12`. A row and what is in its cells are one line, `- row: checkbox "Tea" E1 | link "Tea" E2 → /tea | 3.00`.
The same link twice in a row is there once. As in all lines, only what is in quotes or after a colon or an arrow is the
page's own; in a row, a text that could be taken for something else is in quotes, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from cdp_agent.patterns import pattern

from .lines import CELLS, indent_of, parts_in, parts_of, quoted, read_line, unquoted, with_short_refs, without_ref

_ROW = pattern(r"^((?: *[+=] )? *)- row\b.*(?:\n\1  .*)+", re.MULTILINE)
_MOST_IN_CELL = 4
"""The most lines in a cell of a row that is written as one line."""
_NOT_PLAIN = pattern(r'\bE\d|\||^["\[]|[\x00-\x1f\x7f-\x9f\u2028\u2029]')


def short_form(text: str) -> str:
    """The lines of a snapshot, or of a difference of snapshots, in their short form."""
    lines = text.split("\n")
    once = [line for at, line in enumerate(lines) if "- link " not in line or not _is_twin(lines, at)]
    return with_short_refs(_ROW.sub(_row, "\n".join(once)))


def _is_twin(lines: Sequence[str], at: int) -> bool:
    """Whether the line is the same link as the one before, such as those of a picture and its title, and no cell."""
    link = read_line(lines[at]) if at and without_ref(lines[at]) == without_ref(lines[at - 1]) else None
    if link is None or link.text is not None or not link.target.startswith(("/", "http")):
        return False
    indent = indent_of(lines[at])
    around = next((lines[above] for above in range(at - 1, -1, -1) if indent_of(lines[above]) < indent), "")
    return not around.lstrip(" ").startswith("- row") and (at + 1 == len(lines) or indent_of(lines[at + 1]) <= indent)


def _row(found: re.Match[str]) -> str:
    lines = found[0].split("\n")
    joined = _joined([line[len(found[1]) :] for line in lines])
    return "\n".join([lines[0], _ROW.sub(_row, "\n".join(lines[1:]))]) if joined is None else found[1] + joined


def _joined(lines: Sequence[str]) -> str | None:
    """A row, and the lines below it, as one line; None if that is too much for a line."""
    head, cells, after, room = "", [""], "", 0
    for line in lines:
        depth, parts = indent_of(line) // 2, parts_of(line.lstrip(" "))
        if parts is None:
            return None
        role, name, states, rest = parts
        target, _, text = rest.partition(": ")
        opens, is_cell = not text and target.endswith(":"), depth == 1 and role in CELLS
        if depth > 2 or (depth == 2 and not room) or (depth and opens and not is_cell):
            return None
        marks = [f" {state[5:-1]}" if state.startswith("[ref=") else f" {state}" for state in states]
        target = target[: -1 if opens else None]
        words = "".join(["" if role in ("text", "cell", "gridcell") else role, name, *marks, target]).lstrip(" ")
        splits = depth == 0 or (depth == 1 and role == "text")
        texts = [_plain(part) for part in (parts_in(unquoted(text)) if splits else [unquoted(text)])]
        if depth == 0:
            head, cells = words, texts if text else []
        elif depth == 2:
            cells[-1] += after + ": ".join(filter(None, [words, *texts]))
        elif role == "text":
            cells += texts
        else:
            cells.append(": ".join(filter(None, [words, *texts])))
        room = room - 1 if depth == 2 else _MOST_IN_CELL * is_cell
        after = " + " if text or depth == 2 else ": " if words else ""
    return f"- {head}:" + " |".join(f" {cell}" if cell else "" for cell in cells)


def _plain(text: str) -> str:
    return quoted(text) if _NOT_PLAIN.search(text) else text
