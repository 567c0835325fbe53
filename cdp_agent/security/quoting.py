"""Words of a page inside questions to a person: in quotes that they cannot end, with nothing in them that is not seen.

A page must not speak in our voice. So its words are one line, cut to a length, and stand between double quotes, of
which they have none themselves, in no script. What is invisible, turns the direction of text, controls a terminal or
piles up over a letter is shown by its code: `"Delete<U+202E>"`.
"""

from __future__ import annotations

import re
import unicodedata

LONGEST_NAME = 80
LONGEST_TEXT = 300
_QUOTES = dict.fromkeys(map(ord, '"“”„‟«»″‶‴‷〝〞〟＂ʺ˝ˮ״❝❞⹂𝄁'), "'")
_IN_ADDRESSES = dict.fromkeys(_QUOTES, "%22") | {ord(space): "%20" for space in " \t\r\n"}
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and signs that show nothing."""
_MOST_MARKS = 2
"""How many marks of a letter are shown; more of them would cover the lines around it."""


def quote(text: str, longest: int = LONGEST_NAME) -> str:
    """The text in double quotes, see above; if it was cut, its length stands behind the quotes."""
    plain = " ".join(text.split()).translate(_QUOTES)
    shown = plain if len(plain) <= longest else f"{plain[:longest]}…"
    behind = "" if shown is plain else f" ({len(plain)} characters)"
    return f'"{_revealed(shown)}"{behind}'


def visible(text: str, longest: int = LONGEST_TEXT) -> str:
    """The text in one line and cut to a length, without quotes around it: for our own words."""
    plain = " ".join(text.split())
    return _revealed(plain if len(plain) <= longest else f"{plain[:longest]}…")


def shown_address(url: str, longest: int = LONGEST_TEXT) -> str:
    """The address without quotes around it: it has none itself, and no spaces, so that no words follow it.

    Most addresses have neither, but `data:` may.
    """
    return visible(url.translate(_IN_ADDRESSES), longest)


def _revealed(text: str) -> str:
    """The text with the codes of what is hidden; of several in a row that of the first, and how many there are."""
    if text.isascii() and text.isprintable():
        return text
    marks, parts, hidden = 0, list[str](), list[str]()
    for char in text:
        marks = marks + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        if _is_hidden(char) or marks > _MOST_MARKS:
            hidden.append(char)
            continue
        parts += [_code(hidden), char]
        hidden = []
    return re.sub(" +", " ", "".join([*parts, _code(hidden)]))


def _is_hidden(char: str) -> bool:
    category = unicodedata.category(char)
    is_selector = "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"
    return category[0] == "C" or category in ("Zl", "Zp") or char in _FILLERS or is_selector


def _code(hidden: list[str]) -> str:
    if not hidden:
        return ""
    more = f" and {len(hidden) - 1} more" if len(hidden) > 1 else ""
    return f"<U+{ord(hidden[0]):04X}{more}>"
