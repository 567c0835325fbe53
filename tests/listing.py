"""Snapshots as texts to compare."""

from __future__ import annotations

import re


def renumbered(text: str) -> str:
    """Refs without their numbers: which are free depends on what was read before."""
    return re.sub(r"\[ref=E\d+\]", "[ref=E]", text)


def counted_anew(text: str) -> str:
    """Refs by the order in which they are told."""
    numbers: dict[str, int] = {}
    return re.sub(r"\[ref=E(\d+)\]", lambda ref: f"[ref=E{numbers.setdefault(ref[1], len(numbers) + 1)}]", text)


def counted_from(first: int, text: str) -> str:
    """The text as if the ref of that number were E1."""
    return re.sub(r"\bE(\d+)\b", lambda ref: f"E{int(ref[1]) - first + 1}", text)
