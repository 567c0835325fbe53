"""The fence around what comes from outside: the one function through which it reaches a model.

A model is told that what is inside is data. What is inside cannot end the fence, or begin another: whatever could be
read as one of its tags is taken out, in any case, spacing, Unicode look-alike or escape. Nor can it end the message it
is in: chat templates write messages as text between marks such as `<|im_start|>`, and some servers take such a mark for
what it says wherever it stands. A space put into it makes it words. Characters that nobody sees but models read, or
that turn around what is seen, are left out.
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
_LESS = r"(?:<|&(?:amp;?)*(?:lt;?|#0*60;?|#x0*3c;?)|%(?:25)*3c|/+(?:u003c|u\{0*3c\}|x3c))"
_MARK = re.compile(rf"{_LESS}(?:[{_JUNK}/]|%(?:25)*2f)*{f'{_JUNK}*'.join(TAG)}", re.IGNORECASE)


# https://huggingface.co/docs/transformers/chat_templating: each model's template has marks of its own.
_WORDS = (
    "s|bos|eos|unk|pad|sep|cls|mask|(?:start|end)_of_(?:turn|image|audio)|image|audio|video|image_soft_token|__media__|"
    "system|user|assistant|human|developer|model|tools?|tool_(?:calls?|responses?|results?|outputs?)|think|thinking|"
    "function(?:_calls?|_results?)?|invoke|parameter|(?:begin|end)_of_(?:text|box)|SYS"
)
_BRACKETED = (
    "INST|SYSTEM_PROMPT|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|AVAILABLE_TOOLS|ARGS|CALL_ID|THINK|IMG|IMG_BREAK|IMG_END|"
    "gMASK|sop|MODEL_SETTINGS"
)
# Tags and variation selectors can spell out a whole message: https://www.unicode.org/reports/tr36/
_UNSEEN = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e01ef]")
_TEMPLATE_MARK = re.compile(rf"<(?=[|｜])|<(?=<?/?(?i:antml:|{_WORDS})\b)|\[(?=/?(?:{_BRACKETED})\])")


def fence(text: str, label: str) -> str:
    """The text between two marks that it cannot forge, with a word on what it is (`label`)."""
    label = re.sub(r"[^\w ]", "", label)
    return f'<{TAG} label="{label}">\n{inert(text) or "[empty]"}\n</{TAG}>'


def inert(text: str) -> str:
    """The text with nothing in it that could be taken for a fence's mark, or for one of a chat template."""
    text = text if text.isascii() else _UNSEEN.sub("", text)
    return _TEMPLATE_MARK.sub(r"\g<0> ", _without_marks(text))


def _without_marks(text: str) -> str:
    folded = text.translate(_FOLDING)  # of the same length, so that places in it are places in the text
    result, end = [], 0
    for mark in _MARK.finditer(folded):
        result += [text[end : mark.start()], REMOVED]
        end = mark.end()
    return "".join([*result, text[end:]])
