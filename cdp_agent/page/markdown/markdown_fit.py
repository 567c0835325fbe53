"""Fits Markdown into a number of tokens: a part of it, with an account of the rest."""

from __future__ import annotations

import re

from cdp_agent.page.snapshot.budget import accounting, tokens

from .markdown_blocks import Block

_ACCOUNT_TOKENS = 80
_MOST_NAMED = 5
_LONGEST_NAME = 60  # characters
_CHARACTERS_A_TOKEN = 4
_LONGEST_TOKEN = 12  # characters, white space included, in the mean of any page
_LINK_TARGET = re.compile(r"\]\([^()\s]*\)")
_NO_MARKS = str.maketrans("", "", "[]`*\\")


def join(blocks: list[Block]) -> str:
    """The blocks as one text."""
    return "\n\n".join(block.text for block in blocks)


def fit(blocks: list[Block], budget_tokens: int) -> str:
    """What fits of the blocks, the main content before what is around it; the last line accounts for the rest."""
    whole = join(blocks)
    if len(whole) <= budget_tokens * _LONGEST_TOKEN and tokens(whole) <= budget_tokens:
        return whole
    room = budget_tokens - _ACCOUNT_TOKENS
    kept: dict[int, str] = {}
    for index in sorted(range(len(blocks)), key=lambda each: blocks[each].rank):
        text = blocks[index].text
        cost = tokens(text) + 1 if len(text) <= room * _LONGEST_TOKEN else room + 1
        if cost > room:
            if part := _beginning(blocks[index], room):
                kept[index] = part
            break
        kept[index] = text
        room -= cost
    while True:
        text = _write(blocks, kept)
        if tokens(text) <= budget_tokens:
            return text
        if not kept:
            return "…" if budget_tokens < tokens(short := accounting([_amount(blocks, kept)])) else short
        kept.popitem()


def _closed(lines: list[str], tail: str) -> str:
    return "\n".join([*lines, tail] if tail else lines)


def _beginning(block: Block, room: int) -> str:
    """The lines of a block that fit, "" when not one does."""
    lines = block.text.split("\n")
    used = block.head
    cost = tokens("\n".join([*lines[:used], block.tail])) + 2
    while used < len(lines) - bool(block.tail) and (cost := cost + tokens(lines[used]) + 1) <= room:
        used += 1
    return _closed(lines[:used], block.tail) if used > block.head else ""


def _write(blocks: list[Block], kept: dict[int, str]) -> str:
    texts: list[str] = []
    for index in range(len(blocks)):
        if index in kept:
            texts.append(kept[index])
        elif not texts or texts[-1] != "…":
            texts.append("…")
    if texts and texts[-1] == "…":
        texts.pop()
    names = [_name(block) for index, block in enumerate(blocks) if index not in kept and block.kind == "h"]
    named = ", ".join(names[:_MOST_NAMED]) + (
        f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    )
    notes = [_amount(blocks, kept)]
    if named:
        notes.append(f"the sections {named}" if len(names) > 1 else f"the section {named}")
    around = sum(1 for index, block in enumerate(blocks) if index not in kept and block.rank)
    if around:
        notes.append("what is around the main content" if around > 1 else "a block around the main content")
    texts.append(accounting(notes))
    return "\n\n".join(texts)


def _amount(blocks: list[Block], kept: dict[int, str]) -> str:
    whole = sum(len(block.text) for block in blocks)
    left = whole - sum(len(text) for text in kept.values())
    cut = sum(1 for index, text in kept.items() if text != blocks[index].text)
    out = len(blocks) - len(kept)
    parts = [f"{out} of {len(blocks)} blocks"] if out else []
    if cut:
        parts.append(f"the end of {cut} more" if out else "the end of a block")
    return f"{' and '.join(parts)}, about {max(left, 0) // _CHARACTERS_A_TOKEN:,} tokens"


def _name(block: Block) -> str:
    text = _LINK_TARGET.sub("]", block.text.lstrip("# ")).translate(_NO_MARKS)
    return f'"{text if len(text) <= _LONGEST_NAME else text[: _LONGEST_NAME - 1] + "…"}"'
