"""Snapshots as texts to compare."""

from __future__ import annotations

import re


def renumbered(text: str) -> str:
    """Refs without their numbers: which are free depends on what was read before."""
    return re.sub(r"\[ref=E\d+\]", "[ref=E]", text)
