"""The fence around what comes from outside: the one function through which it reaches a model.

A model is told that what is inside is data. What is inside cannot end the fence, or begin another: whatever could be
read as one of its tags is taken out, in any case, spacing, Unicode look-alike or escape.
"""

from __future__ import annotations

import re
import unicodedata

TAG = "untrusted"
REMOVED = "(fence mark removed)"

# Letters of other scripts that look like those of the tag, after compatibility decomposition and lower case.
_LOOKS_LIKE = {
    **dict.fromkeys("υսʋᴜꭎꭒциս", "u"),
    **dict.fromkeys("пηɴոռղᴎ", "n"),
    **dict.fromkeys("тτᴛțŧʇ†", "t"),
    **dict.fromkeys("гʀꭇᴦꮁяɾɼ", "r"),
    **dict.fromkeys("ѕꜱƽՏ$", "s"),
    **dict.fromkeys("еεєҽᴇɛ℮ҿ", "e"),
    **dict.fromkeys("ԁɗᴅđժꓒ", "d"),
    **dict.fromkeys("‹〈⟨❮❬˂ᐸ≺⋖⧼«⟪《≪𐊆𝈶", "<"),
    **dict.fromkeys("⁄∕⟋⧸╱\\⧵", "/"),
}
_JUNK = "\0"


class _Folding(dict[int, str]):
    """For str.translate: each character as the one it can be read as, what cannot be seen as `_JUNK`."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        category = unicodedata.category(char)
        if category[0] in "CZM" or char in "-_.·|'\"`*":
            folded = _JUNK
        else:
            plain = [part for part in unicodedata.normalize("NFKD", char) if not unicodedata.combining(part)]
            first = (plain[0] if plain else char).lower()[0]
            folded = _LOOKS_LIKE.get(first, _LOOKS_LIKE.get(char, first))
        self[code] = folded
        return folded


_FOLDING = _Folding()
_MARK = re.compile(rf"(?:<|&lt;?|&#0*60;?|&#x0*3c;?|/u003c)[{_JUNK}/]*{f'{_JUNK}*'.join(TAG)}", re.IGNORECASE)


def fence(text: str, label: str) -> str:
    """The text between two marks that it cannot forge, with a word on what it is (`label`)."""
    label = re.sub(r"[^\w ]", "", label)
    return f'<{TAG} label="{label}">\n{_without_marks(text) or "[empty]"}\n</{TAG}>'


def _without_marks(text: str) -> str:
    folded = text.translate(_FOLDING)  # of the same length, so that places in it are places in the text
    result, end = [], 0
    for mark in _MARK.finditer(folded):
        result += [text[end : mark.start()], REMOVED]
        end = mark.end()
    return "".join([*result, text[end:]])
