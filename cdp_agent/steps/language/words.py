"""Words as people write them: quotation marks, equivalent spellings, and how similar two names are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

import msgspec

_FIRST_QUOTE = 0xE000  # a private use character stands for each quoted text while the rest is read
QUOTE = "[\ue000-\ue0ff]"
"""A pattern that finds a quoted text in `Quoted.masked`."""
_QUOTES = re.compile(
    r"""
    "([^"]*)" | “([^”]*)” | „([^“”]*)[“”] | «([^»]*)» | `([^`]*)`
    | ‘((?:[^’]|(?<=\w)’(?=\w))*)’(?!\w)
    | (?<!\w)'((?:[^']|(?<=\w)'(?=\w))*)'(?!\w)  # an apostrophe inside a word ends nothing
    """,
    re.X,
)
_EDGES = re.compile(r"^[\s\"'“”‘’(\[@#]+(?=\w)|[\s\"'“”‘’)\]:;,.!?*…→›»|]+$")
_SPACE = re.compile(r"[\s_]+")
_WORD = re.compile(r"(?<!\w)-?\d+(?:[.,:/]\d+)*\w*|\w+(?:\+\+|#(?!\d))?|[+<>=%]+")  # -5, 12/24/2016, 5ft, C++
_CROSSES = re.compile("[×✕✖✗✘⨯🗙❌]\ufe0f?")
_CONTRARY = frozenset(
    """
    no not don dont doesn never without un non cancel undo stop disable deselect unselect uncheck remove delete discard
    clear reset hide except
    """.split()  # noqa: SIM905  # words, not a list of strings
)
_LONGEST_TAIL = 0.3  # the least share of a name that a single word must be to mean it
_SHORTEST_TYPO = 6
_SHORTEST_PLURAL = 4


class Quoted(msgspec.Struct, frozen=True):
    """A text; in `masked`, one character stands for each of its quoted parts."""

    masked: str
    quotes: list[str]

    def plain(self, masked: str) -> str:
        """A part of `masked` with the quoted texts restored, without quotation marks."""
        return re.sub(QUOTE, lambda each: self.quotes[ord(each[0]) - _FIRST_QUOTE], masked).strip()


def quoted(text: str) -> Quoted:
    """The text with its quoted parts masked. Any private use characters in it are dropped."""
    quotes: list[str] = []

    def mask(found: re.Match[str]) -> str:
        quotes.append(next(group for group in found.groups() if group is not None))
        return chr(_FIRST_QUOTE + len(quotes) - 1)

    return Quoted(_QUOTES.sub(mask, re.sub(QUOTE, "", text)), quotes)


@lru_cache(maxsize=20_000)
def normal(text: str) -> str:
    """The text in a form to compare: case folded, single spaces, no punctuation at its ends, a cross sign as an x."""
    text = _CROSSES.sub("x", unicodedata.normalize("NFKC", text))
    text = _SPACE.sub(" ", text).casefold().replace("’", "'").replace(" & ", " and ").strip()
    return _EDGES.sub("", text) or text


def name_score(wanted: str, name: str, *, exactly: bool = False) -> float:
    """How well `name` matches `wanted`, from 0 to 1.

    It may be equal, begin with it, contain it, have its words or, except with `exactly`, as for a name in quotation
    marks, a similar spelling. A name that reverses the meaning ("Don't save" for "save") scores 0.
    """
    wanted_words, name_words = words_of(wanted), words_of(name)
    if (set(name_words) - set(wanted_words)) & _CONTRARY and normal(wanted) != normal(name):
        return 0.0
    if score := mention_score(wanted, name):
        return score
    return 0.75 if not exactly and _differs_by_slip(wanted_words, name_words) else 0.0


def mention_score(wanted: str, text: str) -> float:
    """How much of `text` is `wanted`, from 0 (nothing) to 1 (all of it). Only whole words count."""
    wanted, text = normal(wanted), normal(text)
    if not wanted or not text:
        return 0.0
    if wanted == text:
        return 1.0
    wanted_words, text_words = words_of(wanted), words_of(text)
    if wanted_words and _joined(wanted_words) == _joined(text_words):
        return 0.97
    part = len(wanted) / len(text)
    if not wanted_words or (
        len(wanted_words) == 1 and len(text_words) > 1 and part < _LONGEST_TAIL and len(wanted_words[0]) < 3
    ):
        return 0.0
    if wanted_words == text_words[: len(wanted_words)]:
        return 0.78 + 0.15 * part
    if any(wanted_words == text_words[index : index + len(wanted_words)] for index in range(len(text_words))):
        return 0.7 + 0.15 * part
    if len(wanted_words) > 1 and set(wanted_words) <= set(text_words):
        return 0.62 + 0.15 * part
    return 0.0


def is_part(wanted: str, name: str) -> bool:
    """Whether `wanted` is enough of the name to refer to it: "Save" is not, for "Save and continue editing"."""
    return len(words_of(wanted)) > 1 or len(normal(wanted)) >= _LONGEST_TAIL * len(normal(name))


def spelling_score(wanted: str, name: str) -> float:
    """How similar the spellings are, from 0 to 1: good enough for suggestions, not for choosing an element."""
    return SequenceMatcher(None, normal(wanted), normal(name)).ratio()


@lru_cache(maxsize=20_000)
def words_of(text: str) -> tuple[str, ...]:
    """The words of the text in the form in which they are compared, without accents."""
    plain = "".join(each for each in unicodedata.normalize("NFKD", normal(text)) if not unicodedata.combining(each))
    return tuple(_WORD.findall(plain))


def _joined(words: Sequence[str]) -> str:
    return "".join(words)


def _differs_by_slip(wanted_words: Sequence[str], name_words: Sequence[str]) -> bool:
    """Whether the words are the same except for a typo (a letter too few or too many, two swapped) or a plural s."""
    if len(wanted_words) != len(name_words):
        return False
    return all(one == other or _is_slip(one, other) for one, other in zip(wanted_words, name_words, strict=True))


def _is_slip(one: str, other: str) -> bool:
    """Whether one is a typo or the plural of the other: "Submti" of "Submit", but not "Maria" of "Marie"."""
    short, long = sorted((one, other), key=len)
    if not (short.isalpha() and long.isalpha()) or short[0] != long[0]:
        return False
    if len(short) >= _SHORTEST_PLURAL and long == short + "s":
        return True
    if len(long) < _SHORTEST_TYPO:
        return False
    if len(long) == len(short):
        return any(
            short == long[:index] + long[index + 1] + long[index] + long[index + 2 :]
            for index in range(1, len(long) - 1)
        )
    return len(long) == len(short) + 1 and any(
        short == long[:index] + long[index + 1 :] for index in range(1, len(long))
    )
