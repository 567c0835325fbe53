"""Splits the Markdown of a page into pieces for a model, each of which makes sense by itself.

Cuts are made between records: a row, an item of a list, a section, or what has a number as a `record`. The context of a
record is repeated at the beginning of its piece: the headings of its sections, the header of its table, the row that
heads its group.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from cdp_agent.page.snapshot.budget import tokens

from .markdown_sink import Block

_LONGEST_CARRY = 4  # a section is kept whole if it takes at most one fourth of a piece


class _Part(msgspec.Struct):
    """A block, or a part of a long one that fits into a piece; `level` is the level of a heading, else 0."""

    block: Block
    cost: int
    level: int
    begins: bool
    """Whether a record begins here, so that a cut before it is possible."""


def split(blocks: list[Block], most_tokens: int) -> list[list[Block]]:
    """All blocks in pieces of at most `most_tokens` each."""
    pieces: list[list[Block]] = []
    piece: list[_Part] = []
    above: list[_Part] = []  # the headings above the piece
    for part in _parts(blocks, most_tokens):
        while piece and _cost(above, piece) + part.cost > most_tokens:
            end = len(piece) if part.begins else _last_record(piece, most_tokens)
            pieces.append([part.block for part in (*above, *piece[:end])])
            above, piece = _headings([*above, *piece[:end]], (*piece[end:], part)[0], most_tokens), piece[end:]
        if not piece:
            above = _headings(above, part, most_tokens - part.cost)
        piece.append(part)
    return [*pieces, [part.block for part in (*above, *piece)]] if piece else pieces


def _cost(*parts: list[_Part]) -> int:
    return sum(part.cost for some in parts for part in some)


def _last_record(piece: list[_Part], most_tokens: int) -> int:
    """The index at which a piece's last record begins, if it is to be moved to the next piece; else the piece's end."""
    carried = 0
    for place in range(len(piece) - 1, 0, -1):
        carried += piece[place].cost
        if carried > most_tokens // _LONGEST_CARRY and not piece[place].block.record:
            break
        if piece[place].begins:
            return place
    return len(piece)


def _headings(before: list[_Part], following: _Part, most_tokens: int) -> list[_Part]:
    """The headings above `following`, as many of the innermost ones as there is room for."""
    path: list[_Part] = []
    around = (0, following.block.record)
    above = (part for part in before if part.level and part.block.record in around)
    for heading in [*above, *([following] if following.level else [])]:
        path = [each for each in path if each.level < heading.level] + [heading]
    path = path[:-1] if following.level else path
    while path and _cost(path) > most_tokens // _LONGEST_CARRY:
        del path[0]
    return path


def _parts(blocks: list[Block], most_tokens: int) -> Iterator[_Part]:
    record = 0
    for block in blocks:
        level = len(block.text) - len(block.text.lstrip("#")) if block.kind == "h" else 0
        begins = block.record != record or bool(level and not record)
        record = block.record
        cost = tokens(block.text) + 1
        if cost <= most_tokens:
            yield _Part(block, cost, level, begins)
            continue
        for place, part in enumerate(_cut(block, most_tokens - 1)):
            yield _Part(part, tokens(part.text) + 1, level, place > 0 or begins)


def _cut(block: Block, most_tokens: int) -> Iterator[Block]:
    """A long block cut into several, each with those first and last lines of the block that it needs to make sense."""
    lines = block.text.split("\n")
    tail = lines.pop() if block.tail else ""
    head = lines[: block.head]
    if tokens("\n".join([*head, tail])) > most_tokens // 2:
        head = []
    group: list[str] = []  # the row that heads the rows below it
    records: list[str] = []
    room = full = most_tokens - tokens("\n".join([*head, tail]))
    for record in _lines_of_records(block, lines[block.head :], full):
        cost = tokens(record) + 1
        is_group = _heads_a_group(block, record)
        if cost > room and records:
            yield _part_of(block, head, records, tail)
            records = [] if is_group else list(group)
            room = full - sum(tokens(row) + 1 for row in records)
        if is_group:
            group = [record] if cost < full // _LONGEST_CARRY else []
        records.append(record)
        room -= cost
    if records:
        yield _part_of(block, head, records, tail)


def _lines_of_records(block: Block, lines: list[str], most_tokens: int) -> Iterator[str]:
    """The records in a block: items of a list with all their lines, or lines. Those longer than a piece are cut."""
    records: list[str] = []
    for line in lines:
        if block.kind == "l" and records and (not line or line.startswith(" ")):
            records[-1] += f"\n{line}"
        else:
            records.append(line)
    for record in records:
        if len(record) <= most_tokens or tokens(record) < most_tokens:
            yield record
        else:
            for line in record.split("\n"):
                yield from _cut_line(line, most_tokens // 2)


def _heads_a_group(block: Block, row: str) -> bool:
    """Whether a table row has only one cell, so that it heads the rows below it."""
    return block.kind == "t" and block.text.partition("\n")[0].count(" | ") > 0 and " | " not in row.replace("\\|", "")


def _cut_line(line: str, most_tokens: int) -> Iterator[str]:
    while len(line) > most_tokens and tokens(line) > most_tokens:
        end = most_tokens
        while end < len(line) and tokens(line[: end * 5 // 4]) <= most_tokens:
            end = end * 5 // 4
        space = line.rfind(" ", end // 2, end)
        end = space if space > 0 else end
        yield line[:end]
        line = line[end:].lstrip(" ")
    yield line


def _part_of(block: Block, head: list[str], records: list[str], tail: str) -> Block:
    text = "\n".join([*head, *records, *([tail] if tail else [])])
    return msgspec.structs.replace(block, text=text, head=len(head))
