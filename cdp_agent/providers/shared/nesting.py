"""JSON that comes from outside, read so deep: deeper, whoever walks through it runs out of stack."""

from __future__ import annotations

import re
from typing import Any

import msgspec

DEEPEST = 64
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"?', re.DOTALL)
"""To the end where it is not closed, or the search would begin again at each quote inside of it."""
_BRACKET = re.compile(r"[\[{\]}]")


def decode(text: str | bytes) -> Any:
    """What JSON text holds. Raises ValueError where it is none, or nested too deep."""
    text = text.decode() if isinstance(text, bytes) else text
    if is_too_deep(text):
        raise ValueError("nested too deep")
    return msgspec.json.decode(text)


def is_too_deep(text: str) -> bool:
    """Whether JSON text has more than `DEEPEST` lists and objects in one another.

    Of a text that is no JSON as much counts as there is before its first mistake: that far it is read.
    """
    if text.count("[") + text.count("{") <= DEEPEST:
        return False
    depth = 0
    for bracket in _BRACKET.findall(_STRING.sub("", text)):
        depth += 1 if bracket in "[{" else -1
        if depth > DEEPEST:
            return True
    return False
