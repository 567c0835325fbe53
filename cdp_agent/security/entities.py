"""Entities of HTML as the characters that they are, in text from outside."""

from __future__ import annotations

import html
import re

_LONG_NUMBER = re.compile("(?<=&#)[0-9]{8,}")


def unescaped(text: str) -> str:
    """As `html.unescape` has it, which raises an error for a number of thousands of digits.

    With eight it is as much too large: https://html.spec.whatwg.org/#numeric-character-reference-end-state
    """
    return html.unescape(_LONG_NUMBER.sub(lambda number: number[0].lstrip("0")[:8] or "0", text))
