"""Words as people write them: quotation marks, spellings that mean the same, how alike two names are."""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher

import msgspec

_FIRST_QUOTE = 0xE000  # a private use character stands for each quoted text while the rest is read
QUOTE = "[\ue000-\ue0ff]"
"""A pattern that finds a quoted text in `Quoted.masked`."""
_QUOTES = re.compile(
    "\"([^\"]*)\"|“([^”]*)”|„([^“”]*)[“”]|«([^»]*)»|`([^`]*)`|‘([^’]*)’(?!\\w)|(?<!\\w)'((?:[^']|(?<=\\w)'(?=\\w))*)'(?!\\w)"
)
_EDGES = re.compile(r"^[\s\"'“”‘’(\[]+|[\s\"'“”‘’)\]:;,.!?*…→›»]+$")
_SPACE = re.compile(r"[\s_]+")
_WORD = re.compile(r"\w+")
_ALIKE = 0.84
_SHORTEST_INSIDE = 4


class Quoted(msgspec.Struct, frozen=True):
    """A text whose quoted parts are one character each in `masked`."""

    masked: str
    quotes: list[str]

    def plain(self, masked: str) -> str:
        """A part of `masked` with the quoted texts in their places, without quotation marks."""
        return re.sub(QUOTE, lambda each: self.quotes[ord(each[0]) - _FIRST_QUOTE], masked).strip()


def quoted(text: str) -> Quoted:
    """The text with what it quotes set apart. Private use characters of its own are dropped."""
    quotes: list[str] = []

    def mask(found: re.Match[str]) -> str:
        quotes.append(next(group for group in found.groups() if group is not None))
        return chr(_FIRST_QUOTE + len(quotes) - 1)

    return Quoted(_QUOTES.sub(mask, re.sub(QUOTE, "", text)), quotes)


def normal(text: str) -> str:
    """The text as it is compared: one case, one space, no punctuation at its ends."""
    text = _SPACE.sub(" ", unicodedata.normalize("NFKC", text)).casefold().strip()
    return _EDGES.sub("", text) or text


def alike(wanted: str, name: str, *, exactly: bool = False) -> float:
    """How well `name` is what `wanted` says, from 0 to 1: the same, begins with it, has it, has its words, is spelt so.

    With `exactly`, as for a quoted name, a mere likeness of spelling does not count.
    """
    wanted, name = normal(wanted), normal(name)
    if not wanted or not name:
        return 0.0
    if wanted == name:
        return 1.0
    part = len(wanted) / len(name)
    tight_wanted, tight_name = _tight(wanted), _tight(name)
    if tight_wanted and tight_wanted == tight_name:
        return 0.97
    if f"{name} ".startswith(f"{wanted} "):
        return 0.78 + 0.15 * part
    if f" {wanted} " in f" {' '.join(_WORD.findall(name))} ":
        return 0.7 + 0.15 * part
    if len(tight_wanted) >= _SHORTEST_INSIDE and tight_wanted in tight_name:
        return 0.64 + 0.15 * part
    words = set(_WORD.findall(wanted))
    if words and words <= set(_WORD.findall(name)):
        return 0.62 + 0.15 * part
    if exactly:
        return 0.0
    likeness = SequenceMatcher(None, wanted, name).ratio()
    return 0.6 + (likeness - _ALIKE) if likeness >= _ALIKE else 0.0


def _tight(text: str) -> str:
    return "".join(_WORD.findall(text))
