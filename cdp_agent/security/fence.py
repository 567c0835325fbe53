"""The fence around untrusted text: the only function through which such text reaches a model.

The model is told that fenced text is data. Fenced text cannot end the fence or begin another one: anything that could
be read as one of its tags, in any case, spacing, Unicode look-alike or escape, is removed. Nor can it end the message
that contains it: chat templates write messages as text between marks such as `<|im_start|>`, and some servers interpret
such a mark anywhere in a text. A space inserted into the mark makes it plain text. Both are searched for in a normal
form of the text: each character as the plain one that it can be read as, without invisible ones. Characters that are
invisible but read by models, that reverse visible text, or that end a line only for some programs, do not get through.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TypeVar

from cdp_agent.security.texts import with_texts

_T = TypeVar("_T")
TAG = "untrusted"
REMOVED = "(fence mark removed)"

# Letters of other scripts that look like those of the tag, after compatibility decomposition and lowercasing.
_LOOKS_LIKE = {
    **dict.fromkeys("υսʋᴜꭎꭒциս", "u"),
    **dict.fromkeys("пηɴոռղᴎ", "n"),
    **dict.fromkeys("тτᴛțŧʇ†", "t"),
    **dict.fromkeys("гʀꭇᴦꮁяɾɼ", "r"),
    **dict.fromkeys("ѕꜱƽՏßẞ", "s"),
    **dict.fromkeys("еεєҽᴇɛ℮ҿ", "e"),
    **dict.fromkeys("ԁɗᴅđժꓒð", "d"),
    **dict.fromkeys("‹〈⟨❮❬˂ᐸ≺⋖⧼«⟪《≪𐊆𝈶", "<"),
    **dict.fromkeys("⁄∕⟋⧸╱\\⧵", "/"),
    **dict.fromkeys("∣│┃❘❙ǀ⎮︱⏐", "|"),
    **dict.fromkeys("⟦⦗〔【❲❴⁅", "["),
    **dict.fromkeys("⟧⦘〕】❳❵⁆", "]"),
    # Negative circled and squared letters, and those of flags, have no decomposition.
    **{chr(first + at): chr(97 + at) for first in (0x1F150, 0x1F170, 0x1F1E6) for at in range(26)},
}
_JUNK = "\0"
_NOT_ASCII = re.compile("[^\0-\x7f]+")


class _Folding(dict[int, str]):
    """A table for str.translate: each character as the one it can be read as, and invisible ones as `_JUNK`."""

    def __init__(self, junk: str, kept: str) -> None:
        self._junk = junk
        super().__init__({ord(char): char for char in kept})
        self._ascii = "".join(map(self.__getitem__, range(128))).encode() + bytes(128)

    def fold(self, text: str) -> str:
        """The text with each of its characters folded, so that all positions stay the same."""
        if not text.isascii():  # a text of some language has few such characters, and these are slow
            text = _NOT_ASCII.sub(lambda match: match[0].translate(self), text)
        return text.encode().translate(self._ascii).decode() if text.isascii() else text.translate(self)

    def __missing__(self, code: int) -> str:
        char = chr(code)
        category = unicodedata.category(char)
        if char in _LOOKS_LIKE:
            folded = _LOOKS_LIKE[char]
        elif category[0] in "CZM" or char in _FILLERS or char in self._junk:
            folded = _JUNK
        else:
            plain = [part for part in unicodedata.normalize("NFKD", char) if not unicodedata.combining(part)]
            first = (plain[0] if plain else char).lower()[0]
            folded = _LOOKS_LIKE.get(first, first)
            folded = _JUNK if folded in self._junk else folded
        self[code] = folded
        return folded


_FILLERS = "\u115f\u1160\u3164\uffa0"
_LOOSE = _Folding("-_.·|'\"`*", "")
"""For our own tags: separators between their letters are ignored."""
_PLAIN = _Folding("", " \t\n")
"""For the marks of chat templates, in which every character is significant."""
_LESS_SIGNS = ("<", "&", "%", "3c", "3C")
_LESS = r"(?:<|&(?:amp;?)*(?:lt;?|#0*60;?|#x0*3c;?)|%(?:25)*3c|(?<!/)/+(?:u003c|u\{0*3c\}|x3c))"
# Digits may replace letters; "ﬆ" and "ẞ" are one character.
_LETTERS = f"{_JUNK}*".join([*"untru", "[s5$]", "[s5$]?", "t?", "[e3]", "d"])
_MARK = re.compile(rf"{_LESS}(?:[{_JUNK}/]|%(?:25)*2f)*{_LETTERS}", re.IGNORECASE)


# https://huggingface.co/docs/transformers/chat_templating: each model's template has its own marks.
_WORDS = (
    "s|bos|eos|unk|pad|sep|cls|mask|(?:start|end)_of_(?:turn|image|audio)|image|audio|video|image_soft_token|__media__|"
    "system|user(?! data>)|assistant|human|developer|model|tools?|tool_(?:calls?|responses?|results?|outputs?)|"
    "think|thinking|function(?:_calls?|_results?)?|invoke|parameter|(?:begin|end)_of_(?:text|box)|SYS"
)
_BRACKETED = (
    "INST|SYSTEM_PROMPT|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|AVAILABLE_TOOLS|ARGS|CALL_ID|THINK|IMG|IMG_BREAK|IMG_END|"
    "gMASK|sop|MODEL_SETTINGS"
)
_TEMPLATE_MARK = re.compile(
    rf"<(?=\|)|<(?=<?/?(?:antml:|{_WORDS})\b)|\[(?=/?(?:{_BRACKETED.lower()})\])".replace("SYS", "sys")
)
# The words that tell some servers who speaks: https://docs.claude.com/en/docs/legacy-model-guide
_SPEAKER = re.compile(r"(?:human|assistant)(?=\s?:)(?:(?<=^human)|(?<=^assistant)|(?<=\n\nhuman)|(?<=\n\nassistant))")
# Tag characters and variation selectors can spell out a whole message: https://www.unicode.org/reports/tr36/
# A single joiner (U+200C, U+200D) or emoji selector belongs to many a word; a row of them is a message of its own.
_UNSEEN = re.compile(
    "[\u034f\u061c\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0e\ufeff\U000e0000-\U000e01ef]|[\ufe0f\u200c\u200d]{2,}"
)
_HARMFUL = ("<", "\\", "&", "%", "003c", "x3c", "u{", "human", "assistant")
"""In ASCII and in lower case: without these, controls and words in brackets, which is quick to see, a text is inert."""
_BRACKETS = re.compile(r"\[/?[a-z_]+\]")
# Sequences that control a terminal: https://www.ecma-international.org/publications-and-standards/standards/ecma-48/
_TERMINAL = re.compile("(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\\\|\x9c)?")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_LINE_ENDS = dict.fromkeys(map(ord, "\x0b\x0c\r\x1c\x1d\x1e\x85\u2028\u2029"), " ")
_CONTROLS: dict[int, str | None] = {
    **dict.fromkeys((*range(9), *range(14, 32), *range(127, 160))),
    **_LINE_ENDS,
}


def fence(text: str, label: str) -> str:
    """The text between two tags that it cannot forge; `label` describes it."""
    label = re.sub(r"[^\w ]", "", label)
    return f'<{TAG} label="{label}">\n{inert(text) or "[empty]"}\n</{TAG}>'


def inert(text: str) -> str:
    """The text without anything that could be read as a tag of a fence or a mark of a chat template."""
    if text.isascii() and _CONTROL.search(text) is None:
        lower = text.lower()
        if not (any(each in lower for each in _HARMFUL) or _BRACKETS.search(lower)):
            return text
    if _CONTROL.search(text):
        text = _TERMINAL.sub("", text.replace("\r\n", "\n")).translate(_CONTROLS)
    text = text if text.isascii() else _UNSEEN.sub("", text)
    text = _spaced(_TEMPLATE_MARK, _without_marks(text))
    return _spaced(_SPEAKER, text)


def all_inert(value: _T) -> _T:
    """The value with all texts in it made inert: what interfaces return passes the same border as a model's input."""
    made: dict[str, str] = {}  # what a tool says is in its value, too

    def change(text: str, name: str) -> str:
        if (changed := made.get(text)) is None:
            changed = made[text] = inert(text)
        return changed

    return with_texts(value, change)


def _without_marks(text: str) -> str:
    folded = _LOOSE.fold(text)  # of the same length, so that positions in both are the same
    if not any(each in folded for each in _LESS_SIGNS):
        return text
    result, end = [], 0
    for mark in _MARK.finditer(folded):
        result += [text[end : mark.start()], REMOVED]
        end = mark.end()
    return "".join([*result, text[end:]])


def _spaced(marks: re.Pattern[str], text: str) -> str:
    """The text with a space in each of these marks: after its first character, or after a speaker's name."""
    folded = _PLAIN.fold(text)
    places: list[int] | None = None
    if _JUNK in folded:
        places = [index for index, char in enumerate(folded) if char != _JUNK]
        folded = folded.replace(_JUNK, "")
    result, end = [], 0
    for mark in marks.finditer(folded):
        at = mark.end() if places is None else places[mark.end() - 1] + 1
        result += [text[end:at], " "]
        end = at
    return "".join([*result, text[end:]])
