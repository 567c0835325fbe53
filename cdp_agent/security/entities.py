"""Decodes HTML entities in untrusted text."""

from __future__ import annotations

import html
import re

_LONG_NUMBER = re.compile("(?<=&#)[0-9]{8,}")


def unescaped(text: str) -> str:
    """Like `html.unescape`, but without its error for a numeric reference of thousands of digits.

    Such numbers are cut to eight digits, which are out of range as well:
    https://html.spec.whatwg.org/#numeric-character-reference-end-state
    """
    return html.unescape(_LONG_NUMBER.sub(lambda number: number[0].lstrip("0")[:8] or "0", text))
