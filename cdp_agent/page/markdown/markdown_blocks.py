"""What Markdown is made of, and how blocks are put into one another."""

from __future__ import annotations

import msgspec


class Block(msgspec.Struct, gc=False):
    """A paragraph, a heading, a list, a table, …: what stands between two empty lines.

    `kind` is "p" for plain lines, "h" heading, "l" list, "t" table, "c" code, "m" menu, "" another. `rank` is 0 for the
    main content, more for what is around it. Without its first `head` lines and its last one, `tail`, the rest would
    not make sense: it is cut between them.
    """

    text: str
    kind: str
    rank: int
    head: int = 0
    tail: str = ""


def list_item(blocks: list[Block], marker: str) -> str:
    """An item of a list: its first line behind the marker, the rest indented under it. "" when it is empty."""
    if not blocks:
        return ""
    text = blocks[0].text
    for block in blocks[1:]:
        text += ("\n" if block.kind == "l" else "\n\n") + block.text
    return marker + indented(text, len(marker)).lstrip(" ")


def indented(text: str, width: int) -> str:
    """Each line that is not empty so many spaces further in."""
    if "\n" not in text:
        return " " * width + text
    return "\n".join(" " * width + line if line else "" for line in text.split("\n"))


def compact(blocks: list[Block]) -> list[Block]:
    """Short lines that follow each other in one, as a menu or a footer is read."""
    found: list[Block] = []
    for block in blocks:
        line = _one_line(block)
        if line is None:
            found.append(block)
        elif found and found[-1].kind == "m":
            found[-1].text += " · " + line
        else:
            found.append(Block(line, "m", block.rank))
    return found


def _one_line(block: Block) -> str | None:
    if block.kind in ("p", "m"):
        return None if "\n" in block.text else block.text
    lines = block.text.split("\n")
    if block.kind == "l" and all(line.startswith("- ") for line in lines):
        return " · ".join(line[2:] for line in lines)
    return None
