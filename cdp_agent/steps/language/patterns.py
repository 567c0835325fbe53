"""Sentence patterns: `type|enter <"text"> into|in <target> [and press enter]` is one, with slots for what varies.

`a|b` is either word, `_` joins words that belong together, `[…]` is optional. `<name>` is any words, `<"name">` a text
in quotation marks, `<.name>` one word without spaces, `<#name>` a number, `<!name>` an instruction to press Enter at
the end. Commas between words are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache

import msgspec

from cdp_agent.steps.language.intents import Intent
from cdp_agent.steps.language.words import QUOTE, Quoted

NUMBERS = {
    "one": 1.0,
    "two": 2.0,
    "three": 3.0,
    "four": 4.0,
    "five": 5.0,
    "six": 6.0,
    "ten": 10.0,
    "a": 1.0,
    "an": 1.0,
    "half_a": 0.5,
}
_TOKEN = re.compile(r"\[|\]|<[^>]+>|[^\s\[\]<>]+")
_SLOTS = {
    '"': QUOTE,
    ".": r"\S+",
    "#": "|".join([r"\d+(?:\.\d+)?", *(each.replace("_", " ") for each in NUMBERS)]),
    "!": (
        r"(?:and |then |and then )(?:press |hit |push )(?:the )?(?:enter|return)(?: key)?|and submit(?: it| the form)?"
    ),
    "": ".+?",
}

Slots = Mapping[str, str]
Make = Callable[[Slots, Quoted], "Intent | None"]


class PatternRule(msgspec.Struct, frozen=True):
    """Reads sentences with these patterns; `make` returns None if the words in the slots do not fit."""

    patterns: tuple[str, ...]
    make: Make

    def read(self, masked: str, text: Quoted) -> Intent | None:
        """The intent of the sentence; None if no pattern fits."""
        for pattern in self.patterns:
            if found := compiled(pattern).fullmatch(f" {masked}"):
                slots = {name: value.strip() for name, value in found.groupdict().items() if value is not None}
                if (intent := self.make(slots, text)) is not None:
                    return intent
        return None


def number(word: str) -> float:
    """The number in a `<#slot>`, which is in digits or words."""
    return NUMBERS.get(word.lower().replace(" ", "_")) or float(word)


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern as a regular expression over a sentence with a space before it."""
    parts: list[str] = []
    for token in _TOKEN.findall(pattern):
        if token == "[":
            parts.append("(?:")
        elif token == "]":
            parts.append(")?")
        elif token.startswith("<"):
            kind = token[1] if token[1] in _SLOTS else ""
            parts.append(rf",?\s+(?P<{token.strip('<>.#!' + chr(34))}>{_SLOTS[kind]})")
        else:
            words = "|".join(r"\s+".join(map(re.escape, word.split("_"))) for word in token.split("|"))
            parts.append(rf",?\s+(?:{words})")
    return re.compile("".join(parts), re.I | re.S)
