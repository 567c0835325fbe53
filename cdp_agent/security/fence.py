"""The fence around text from outside: the one function through which it reaches a model.

A model is told that what is inside is data. What is inside cannot end the fence, or begin another: whatever could be
read as one of its tags is taken out, in any case, spacing, Unicode look-alike or escape. Nor can it end the message it
is in: chat templates write messages as text between marks such as `<|im_start|>`, and some servers take such a mark for
what it says wherever it stands. A space put into it makes it words. Both are looked for in one normal form of the text:
each character as the plain one that it can be read as, without what nobody sees. Characters that nobody sees but models
read, that turn around what is seen, or that end a line for some programs and none for others, do not come through.
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
    **dict.fromkeys("ѕꜱƽՏßẞ", "s"),
    **dict.fromkeys("еεєҽᴇɛ℮ҿ", "e"),
    **dict.fromkeys("ԁɗᴅđժꓒð", "d"),
    **dict.fromkeys("‹〈⟨❮❬˂ᐸ≺⋖⧼«⟪《≪𐊆𝈶", "<"),
    **dict.fromkeys("⁄∕⟋⧸╱\\⧵", "/"),
    **dict.fromkeys("∣│┃❘❙ǀ⎮︱⏐", "|"),
    **dict.fromkeys("⟦⦗〔【❲❴⁅", "["),
    **dict.fromkeys("⟧⦘〕】❳❵⁆", "]"),
    # Letters in squares and discs, and those of flags, decompose to nothing.
    **{chr(first + at): chr(97 + at) for first in (0x1F150, 0x1F170, 0x1F1E6) for at in range(26)},
}
_JUNK = "\0"


class _Folding(dict[int, str]):
    """For str.translate: each character as the one it can be read as, and invisible ones as `_JUNK`."""

    def __init__(self, junk: str, kept: str) -> None:
        self._junk = junk
        super().__init__({ord(char): char for char in kept})

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
"""For the marks of chat templates, in which every sign is significant."""
_LESS = r"(?:<|&(?:amp;?)*(?:lt;?|#0*60;?|#x0*3c;?)|%(?:25)*3c|(?<!/)/+(?:u003c|u\{0*3c\}|x3c))"
# Figures may stand for letters; "ﬆ" and "ẞ" are one character.
_LETTERS = f"{_JUNK}*".join([*"untru", "[s5$]", "[s5$]?", "t?", "[e3]", "d"])
_MARK = re.compile(rf"{_LESS}(?:[{_JUNK}/]|%(?:25)*2f)*{_LETTERS}", re.IGNORECASE)


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
_TEMPLATE_MARK = re.compile(
    rf"<(?=\|)|<(?=<?/?(?:antml:|{_WORDS})\b)|\[(?=/?(?:{_BRACKETED.lower()})\])".replace("SYS", "sys")
    # The words by which some servers tell who speaks: https://docs.claude.com/en/docs/legacy-model-guide
    + r"|(?:(?<=\n\n)|(?<=^))(?:human|assistant)(?=\s?:)"
)
# Tags and variation selectors can spell out a whole message: https://www.unicode.org/reports/tr36/
_UNSEEN = re.compile("[\u202a-\u202e\u2066-\u2069\ufe00-\ufe0e\U000e0000-\U000e01ef]|\ufe0f{2,}")
# Sequences by which a terminal is told what to do: https://www.ecma-international.org/publications-and-standards/standards/ecma-48/
_TERMINAL = re.compile("(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\\\|\x9c)?")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_LINE_ENDS = dict.fromkeys(map(ord, "\x0b\x0c\r\x1c\x1d\x1e\x85\u2028\u2029"), " ")
_CONTROLS: dict[int, str | None] = {
    **dict.fromkeys((*range(9), *range(14, 32), *range(127, 160))),
    **_LINE_ENDS,
}


def fence(text: str, label: str) -> str:
    """The text between two tags that it cannot forge; `label` says what it is."""
    label = re.sub(r"[^\w ]", "", label)
    return f'<{TAG} label="{label}">\n{inert(text) or "[empty]"}\n</{TAG}>'


def inert(text: str) -> str:
    """The text without anything that could be read as a tag of a fence or a mark of a chat template."""
    if _CONTROL.search(text):
        text = _TERMINAL.sub("", text.replace("\r\n", "\n")).translate(_CONTROLS)
    text = text if text.isascii() else _UNSEEN.sub("", text)
    return _without_template_marks(_without_marks(text))


def _without_marks(text: str) -> str:
    folded = text.translate(_LOOSE)  # of the same length, so that places in it are places in the text
    result, end = [], 0
    for mark in _MARK.finditer(folded):
        result += [text[end : mark.start()], REMOVED]
        end = mark.end()
    return "".join([*result, text[end:]])


def _without_template_marks(text: str) -> str:
    """The text with a space put into each mark of a chat template: after its first sign, or after the name of the
    speaker.
    """
    folded = text.translate(_PLAIN)
    places: list[int] | None = None
    if _JUNK in folded:
        places = [index for index, char in enumerate(folded) if char != _JUNK]
        folded = folded.replace(_JUNK, "")
    result, end = [], 0
    for mark in _TEMPLATE_MARK.finditer(folded):
        at = mark.end() if places is None else places[mark.end() - 1] + 1
        result += [text[end:at], " "]
        end = at
    return "".join([*result, text[end:]])
