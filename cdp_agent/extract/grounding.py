"""Looks up every value that a model extracted from a page in that page, to detect invented values.

Letter case, white space, typography and punctuation make no difference, nor does the way a number, an amount of money,
a date, a time or a telephone number is written: see figures.py.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property

import msgspec

from .figures import LEAST_DIGITS, Figure, all_figures, figures, long_numbers, rounded
from .keywords import subschemas


class Ungrounded(msgspec.Struct, frozen=True):
    """A value that is nowhere on the page, and its path in the result (`$.flights[0].price`)."""

    path: str
    value: str | int | float


_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]|[*`~]|</?su[bp]>|\\\\(?=[!-/:-@\\[-`{-~])")
_BREAK = re.compile("<br>|  \n")
_TYPOGRAPHY = str.maketrans("‘’‚‛′“”„‟″«»–—−‐‑‒⁄", "'" * 5 + '"' * 7 + "-" * 6 + "/")
_SUPERSCRIPT = re.compile(r"(?<=\d)<sup>(?=\d)")
_FRACTION = re.compile("(?<!\\d)(\\d{0,15})\\s?([¼-¾⅐-⅞])")  # bounded, so that long runs of digits are scanned once
_RAISED = re.compile("(?<=\\d)[⁰¹²³⁴-⁹]+")
_OF_A_VERSION = re.compile(r"\bv(?=\d+\.\d)")
_WORD = re.compile(r"\w+")
_LETTERS = re.compile(r"[^\W_]+")
_HEADING = re.compile(r"#{1,6} |\*\*[^*]+\*\*$|\| [^|]+ \|$")
_TABLE_RULE = re.compile(r"\|(?: --- \|)+")
_SPACES = re.compile(r"\s+")
_HARD_SIGNS = re.compile(r"[^\w\s.,:;!?'\"()\[\]/|·•-]")
_NEUTRAL_WORDS = frozenset(
    """
    about approximately approx around roughly circa ca from to until till between and sterling
    monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun
    """.split()  # noqa: SIM905  # words, not a list of strings
)
"""Words next to figures that add nothing to their meaning."""
_FIRST_IDEOGRAPH = 0x2E80  # scripts from here on do not separate words
_IDEOGRAPH = re.compile(f"[{chr(_FIRST_IDEOGRAPH)}-\U0010ffff]")
_STEM = 3  # letters in which two forms of a word agree
_ENDING = 3  # letters that a form of a word may have more


def ungrounded(value: object, text: str, schema: object = None) -> list[Ungrounded]:
    """The strings and numbers in a JSON value that are not in the text (a page's Markdown), in order.

    Values that the `schema` lists (`enum`, `const`) are the caller's words, not the page's: they are not looked up.
    """
    return data_grounding(value, SourcePage(text), schema)[0]


def data_grounding(value: object, page: SourcePage, schema: object = None) -> tuple[list[Ungrounded], list[str]]:
    """What `ungrounded` returns, and the lines of the page that show the other strings and numbers."""
    chosen = _choices(schema)
    missing: list[Ungrounded] = []
    lines: dict[str, None] = {}
    for path, leaf in [*leaves(value), *_keys_of_maps(value, schema)]:
        if leaf in chosen:
            continue
        line = page.line_with(leaf)
        if line is None:
            missing.append(Ungrounded(path, leaf))
        else:
            lines[line or str(leaf)] = None
    return missing, list(lines)


class SourcePage:
    """The text of one or more pages, prepared to be searched many times."""

    def __init__(self, text: str) -> None:
        self._all = text.split("\n")
        self._raw = list(dict.fromkeys(self._all))
        self._lines = [normalise(line) for line in self._raw]
        self._text = normalise(text)
        self._words = f" {' '.join(_WORD.findall(self._text))} "
        self._places_of: dict[tuple[bool, str | int | float], list[int]] = {}
        self._looked_up: dict[tuple[bool, str | int | float], frozenset[int] | None] = {}

    def contains(self, claim: str | int | float) -> bool:
        """Whether the text contains this string or number, however it is written."""
        return self.line_with(claim) is not None

    def line_with(self, claim: str | int | float) -> str | None:
        """The last line that contains the claim; "" if only several lines together do, None if the text does not."""
        lines = self.lines_with(claim)
        if lines is None:
            return None
        return self._raw[max(lines)].strip() if lines else ""

    def lines_with(self, claim: str | int | float) -> frozenset[int] | None:
        """The numbers of the lines that contain the claim; none if only several together do, None if the text does not.

        Lines that are the same have one number; see `places`.
        """
        key = (isinstance(claim, str), claim)
        if key not in self._looked_up:
            lines = self._with_text(claim) if isinstance(claim, str) else self._with_number(claim)
            self._looked_up[key] = frozenset(lines) if lines is not None else None
        return self._looked_up[key]

    @cached_property
    def places(self) -> list[list[int]]:
        """For each number of `lines_with` where in the text its lines are."""
        places: dict[str, list[int]] = defaultdict(list)
        for at, line in enumerate(self._all):
            places[line].append(at)
        return list(places.values())

    def places_of(self, claim: str | int | float) -> list[int]:
        """Where in the text the lines with a claim are, in order; see `lines_with`."""
        key = (isinstance(claim, str), claim)
        if key not in self._places_of:
            lines = self.lines_with(claim) or ()
            self._places_of[key] = sorted(place for line in lines for place in self.places[line])
        return self._places_of[key]

    @cached_property
    def headings(self) -> set[int]:
        """Where in the text its headings are: of sections, in bold, or across a table."""
        return {at for at, line in enumerate(self._all) if _HEADING.match(line)}

    @cached_property
    def tables(self) -> list[list[int]]:
        """Where in the text the rows of its tables are, without headers and rows that head others."""
        tables: list[list[int]] = []
        is_inside = False
        for at, line in enumerate(self._all):
            if _TABLE_RULE.fullmatch(line):
                tables.append([])
                is_inside = True
            elif is_inside and line.startswith("| "):
                tables[-1] += [] if _HEADING.match(line) else [at]
            else:
                is_inside = False
        return tables

    def _with_number(self, claim: float) -> set[int] | None:
        value = rounded(claim)
        return {at for at, figure in self._figures.get(("number", value), ()) if value in figure.values} or None

    def _with_text(self, claim: str) -> set[int] | None:
        wanted = normalise(claim).lstrip("#")  # an order number may be claimed as #123
        if not wanted:
            return set()
        if (claimed := figures(wanted)) and not words_besides(wanted, claimed):
            return self._with_figures(wanted, claimed)  # their context counts: $12 is not $12 million
        if lines := self._with_words_as_they_stand(wanted):
            return lines
        return set() if self._has_text(wanted) else self._with_figures(wanted, claimed)

    def line_with_words(self, words: Iterable[str]) -> str | None:
        """The last line with all these words or other forms of them, in any order; None if there is none."""
        wanted = [one for word in words for one in _WORD.findall(normalise(word))]
        for at in range(len(self._lines) - 1, -1, -1):
            line = self._lines[at]
            if all(one[:_STEM] in line for one in wanted):
                shown = _WORD.findall(line)
                if all(any(is_one_word(one, word) for word in shown) for one in wanted):
                    return self._raw[at].strip()
        return None

    def has_word(self, word: str) -> bool:
        """Whether the text has the word, or another form of it that differs by an ending, such as mugs for mug."""
        return all(map(self._has_form, _WORD.findall(normalise(word))))

    def _has_form(self, word: str) -> bool:
        shortest = max(_STEM, len(word) - _ENDING)
        if word in self._vocabulary or any(word[:end] in self._vocabulary for end in range(shortest, len(word))):
            return True
        return len(word) >= _STEM and re.search(rf" {word}\w{{1,{_ENDING}}} ", self._words) is not None

    @cached_property
    def _vocabulary(self) -> set[str]:
        return set(self._words.split())

    @cached_property
    def _figures(self) -> dict[tuple[str, object], list[tuple[int, Figure]]]:
        """All figures, each with its line, by their kind and `_keys_of`."""
        by_key: dict[tuple[str, object], list[tuple[int, Figure]]] = defaultdict(list)
        for at, line in enumerate(self._lines):
            for figure in all_figures(line) if any(map(str.isdigit, line)) else ():
                for key in _keys_of(figure):
                    by_key[figure.kind, key].append((at, figure))
                    if figure.kind == "date" and isinstance(key, tuple) and key[1]:  # a month may be claimed alone
                        by_key[figure.kind, (key[0], 0)].append((at, figure))
        return by_key

    def _lines_that_show(self, claim: Figure) -> set[int]:
        near = (shown for key in _keys_of(claim) for shown in self._figures.get((claim.kind, key), ()))
        return {at for at, figure in near if figure.shows(claim)}

    @cached_property
    def _lines_by_word(self) -> dict[str, list[int]]:
        by_word: dict[str, list[int]] = defaultdict(list)
        for at, line in enumerate(self._lines):
            for word in set(_LETTERS.findall(line)):
                by_word[word].append(at)
        return by_word

    def _may_have(self, wanted: str) -> list[int]:
        """The lines that may contain a text: those with the rarest of its words, where words are separate."""
        words = [] if _IDEOGRAPH.search(wanted) else _LETTERS.findall(wanted)
        if not words:
            return list(range(len(self._lines)))
        return min((self._lines_by_word.get(word, []) for word in words), key=len)

    def _with_words_as_they_stand(self, wanted: str) -> set[int]:
        lines = self._lines
        return {at for at in self._may_have(wanted) if wanted in lines[at] and _contains_whole(wanted, lines[at])}

    def _has_text(self, wanted: str) -> bool:
        if not self._may_have(wanted):
            return False
        if _contains_whole(wanted, self._text):
            return True
        if _HARD_SIGNS.search(wanted):  # C++ is not C
            return False
        words = _WORD.findall(wanted)
        return bool(words) and f" {' '.join(words)} " in self._words

    def _with_figures(self, wanted: str, claimed: list[Figure]) -> set[int] | None:
        """The lines with all figures and all other words of a text; none for figures alone that several lines have."""
        places = [self._lines_that_show(figure) for figure in claimed]
        if claimed and all(places):
            rest = words_besides(wanted, claimed)
            together = set.intersection(*places)
            if not rest:
                return together
            if lines := {at for at in together if self._has_words(at, rest)}:
                return lines
        return self._with_digits(wanted)

    def _has_words(self, at: int, words: list[str]) -> bool:
        shown = _WORD.findall(self._lines[at])
        return all(any(is_one_word(word, other) for other in shown) for word in words)

    def _with_digits(self, wanted: str) -> set[int] | None:
        for number in long_numbers(wanted):
            return None if _WORD.search(_without(wanted, [number])) else self._lines_that_show(number) or None
        return None


def _keys_of(figure: Figure) -> set[object]:
    """What a claimed figure shares with all that show it: a value, a day of a year, the end of a long number."""
    match figure.kind:
        case "date":
            return {value[1:] for value in figure.values if isinstance(value, tuple)}
        case "digits":
            return {str(value)[-LEAST_DIGITS:] for value in figure.values}
    return set(figure.values | figure.bare)


def normalise(text: str) -> str:
    """The text without Markdown marks, in lower case, with plain typography and single spaces."""
    text = _UNSEEN.sub("", _SUPERSCRIPT.sub("^", _BREAK.sub(" ", text)))
    if not text.isascii():
        text = _RAISED.sub(lambda found: f"^{unicodedata.normalize('NFKC', found[0])}", _FRACTION.sub(_decimal, text))
        text = unicodedata.normalize("NFKC", text).translate(_TYPOGRAPHY)
        text = "".join(_digit(char) for char in text) if not text.isascii() else text
    return _SPACES.sub(" ", _OF_A_VERSION.sub("", text.casefold())).strip()


def _digit(char: str) -> str:
    """A digit of any script as an ASCII digit; other characters are unchanged."""
    return str(unicodedata.decimal(char)) if char.isdecimal() else char


def _decimal(found: re.Match[str]) -> str:
    """A number with a fraction character as a decimal: `1½` is 1.5."""
    return f"{int(found[1] or 0) + unicodedata.numeric(found[2]):.3g}"


def leaves(value: object, path: str = "$") -> Iterator[tuple[str, str | int | float]]:
    """The strings and numbers in a JSON value, each with its path; keys are not included."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from leaves(inner, f"{path}[{index}]")
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield path, value


def _choices(schema: object) -> set[str]:
    choices: set[str] = set()
    for _, subschema in subschemas(schema):
        if isinstance(subschema, dict):
            listed = subschema["enum"] if isinstance(subschema.get("enum"), list) else []
            choices |= {choice for choice in [*listed, subschema.get("const")] if isinstance(choice, str)}
    return choices


def _keys_of_maps(value: object, schema: object) -> Iterator[tuple[str, str]]:
    """The keys that the schema leaves to the answer, such as names to which prices are mapped, with their paths."""
    objects = [each for _, each in subschemas(schema) if isinstance(each, dict)]
    if any(isinstance(each.get("additionalProperties"), dict) or "patternProperties" in each for each in objects):
        named = {name for each in objects for name in each.get("properties") or ()}
        yield from ((path, key) for path, key in _keys(value) if key not in named)


def _keys(value: object, path: str = "$") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield f"{path}.{key}", key
            yield from _keys(inner, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from _keys(inner, f"{path}[{index}]")


def _contains_whole(wanted: str, text: str) -> bool:
    """Whether the text contains `wanted` literally, and not within a longer word or number."""
    start = text.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if not (_joins(text[start - 1 : start], wanted[0]) or _joins(wanted[-1], text[end : end + 1])):
            return True
        start = text.find(wanted, start + 1)
    return False


def _joins(left: str, right: str) -> bool:
    """Whether two adjacent characters belong to one word, in scripts that separate words."""
    return left.isalnum() and right.isalnum() and ord(left) < _FIRST_IDEOGRAPH and ord(right) < _FIRST_IDEOGRAPH


def words_besides(text: str, found: list[Figure]) -> list[str]:
    """The words of a text apart from its figures and `_NEUTRAL_WORDS`."""
    return [word for word in _WORD.findall(_without(text, found)) if word not in _NEUTRAL_WORDS]


def _without(text: str, found: list[Figure]) -> str:
    for each in reversed(found):
        text = f"{text[: each.start]} {text[each.end :]}"
    return text


def is_one_word(one: str, other: str) -> bool:
    """Whether two words are forms of one word, such as star and stars."""
    return one == other or (min(len(one), len(other)) >= _STEM and (one.startswith(other) or other.startswith(one)))
