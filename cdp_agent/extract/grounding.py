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

from .addresses import address_key, is_address, keys_in, without_addresses
from .figure import LEAST_DIGITS, UNSEPARATED, Figure, is_among, is_currency, unit_called, units_in
from .figures import all_figures, figures, long_numbers, rounded
from .leaves import Leaf, leaves, leaves_to_show
from .moments import durations, in_zones


class Ungrounded(msgspec.Struct, frozen=True):
    """A value that is nowhere on the page, and its path in the result (`$.flights[0].price`)."""

    path: str
    value: str | int | float


_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]|[*`~]|</?su[bp]>|\\\\(?=[!-/:-@\\[-`{-~])")
_BREAK = re.compile("<br>|  \n")
_TYPOGRAPHY = str.maketrans("‘’‚‛′“”„‟″«»–—−‐‑‒⁄٫٬٪", "'" * 5 + '"' * 7 + "-" * 6 + "/.,%")
_SUPERSCRIPT = re.compile(r"(?<=\d)<sup>(?=\d)")
_FRACTION = re.compile("(?<!\\d)(\\d{0,15})\\s?([¼-¾⅐-⅞])")  # bounded, so that long runs of digits are scanned once
_RAISED = re.compile("(?<=\\d)[⁰¹²³⁴-⁹]+")
_LARGE = re.compile(r"(?<![\w.,])(\d[\d.,]*)([MT])(?!\w)")
_LARGE_SCALES = {"M": " million", "T": " trillion"}  # 3M is no length, but 3m may be one
_OF_A_VERSION = re.compile(r"\bv(?=\d+\.\d)")
_WORD = re.compile(r"\w+")
_CODE = re.compile(r"[a-z]{1,4} ?\d[a-z\d]{2,}")  # of a flight, a bank account
_TOKEN = re.compile(r"\w+(?:(?<=\d)[.,'-](?=\d)\w+)*[+#]*")
_GROUPS_OF_DIGITS = re.compile(r"(?<![\d.,])\d{1,3}(?: \d{3})+(?!\d)")
_LETTERS = re.compile(r"[^\W_]+")
_SPACES = re.compile(r"\s+")
_HARD_SIGNS = re.compile(r"[^\w\s.,:;!?'\"()\[\]/|·•-]")
_NEUTRAL_WORDS = frozenset(
    """
    about approximately approx around roughly circa ca from to until till between and sterling
    monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun
    """.split()  # noqa: SIM905  # words, not a list of strings
)
"""Words next to figures that add nothing to their meaning."""
_IS_UNSEPARATED = re.compile(f"[{UNSEPARATED}]")
_CUTS_BEFORE = re.compile(r"\d[.,']$|(?<!\d)\d{1,3} $")
_THREE_DIGITS = re.compile(r"\d{3}(?!\d)")
_CUTS_AFTER = re.compile(r"[.,']\d|-\d")
_STEM = 3  # letters in which two forms of a word agree
_ENDING = 3  # letters that a form of a word may have more


def ungrounded(value: object, text: str, schema: object = None) -> list[Ungrounded]:
    """The strings and numbers in a JSON value that are not in the text (a page's Markdown), in order.

    Values that the `schema` lists (`enum`, `const`, `default`) are the caller's words, not the page's: they are not
    looked up. The name of a unit or currency is there if the numbers beside it have that unit.
    """
    return data_grounding(value, SourcePage(text), schema)[0]


def data_grounding(value: object, page: SourcePage, schema: object = None) -> tuple[list[Ungrounded], list[str]]:
    """What `ungrounded` returns, and the lines of the page that show the other strings and numbers."""
    missing: list[Ungrounded] = []
    lines: dict[str, None] = {}
    for leaf in leaves_to_show(value, schema):
        line = _line_that_shows(leaf, page)
        if line is None:
            missing.append(Ungrounded(leaf.path, leaf.value))
        else:
            lines[line or str(leaf.value)] = None
    return missing, list(lines)


def _line_that_shows(leaf: Leaf, page: SourcePage) -> str | None:
    """A line of the page that shows a value, "" for several; None if there is none."""
    unit = unit_called(normalise(leaf.value)) if isinstance(leaf.value, str) else ""
    if not unit:
        return page.line_with(leaf.value)
    numbers = [number for _, number in leaves(leaf.beside) if number != leaf.value]
    units = set[str]().union(*map(page.units_of, numbers))
    if is_among(unit, units):
        return ""
    if is_currency(unit) and any(map(is_currency, units)):
        return None  # the amount beside it is in another currency
    line = page.line_with(leaf.value)
    if line is not None or units:
        return line
    return "" if is_among(unit, page.units) else None


class SourcePage:
    """The text of one or more pages, prepared to be searched many times."""

    def __init__(self, text: str) -> None:
        self.all_lines = text.split("\n")
        self._raw = list(dict.fromkeys(self.all_lines))
        self.normalised = [normalise(line) for line in self._raw]
        by_line = dict(zip(self._raw, self.normalised, strict=True))
        # Line by line, since a pattern that runs over a long text at once lets no other thread go on.
        self._text = " ".join(filter(None, (by_line[line] for line in self.all_lines)))
        tokens = {line: " ".join(_tokens(by_line[line])) for line in self._raw}
        self._words = f" {' '.join(filter(None, (tokens[line] for line in self.all_lines)))} "
        self._units_of: dict[tuple[bool, str | int | float], frozenset[str]] = {}
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
        for at, line in enumerate(self.all_lines):
            places[line].append(at)
        return list(places.values())

    def spans_of(self, claim: str | int | float) -> Iterator[tuple[int, int, int]]:
        """Where a claim stands: the numbers of lines, and from where to where in `normalised`; as far as that is seen.

        A number within a date or time counts only if no other one shows the claim.
        """
        wanted = normalise(claim) if isinstance(claim, str) else ""
        claimed = figures(wanted) if wanted else [_of_number(claim)] if not isinstance(claim, str) else []
        if claimed and not words_besides(wanted, claimed):
            shown = list(self._showing(claimed[0]))
            whole = [(at, figure) for at, figure in shown if not figure.part]
            yield from ((at, figure.start, figure.end) for at, figure in whole or shown)
            return
        for at in self.lines_with(claim) or ():
            if (start := self.normalised[at].find(wanted)) >= 0:
                yield at, start, start + len(wanted)

    def units_of(self, claim: str | int | float) -> frozenset[str]:
        """The units with which the text shows a number, or a text that is one."""
        key = (isinstance(claim, str), claim)
        if key not in self._units_of:
            wanted = [_of_number(claim)] if not isinstance(claim, str) else figures(normalise(claim))
            shown = self._showing(wanted[0]) if len(wanted) == 1 else ()
            self._units_of[key] = frozenset(figure.unit for _, figure in shown if figure.unit)
        return self._units_of[key]

    @cached_property
    def units(self) -> frozenset[str]:
        """The units and currencies that the text names."""
        shown = (figure.unit for figures in self._figures.values() for _, figure in figures if figure.unit)
        return units_in(self._text).union(shown)

    def _with_number(self, claim: float) -> set[int] | None:
        return self._lines_that_show(_of_number(claim)) or None

    def _with_address(self, claim: str) -> set[int] | None:
        if lines := self._addresses.get(address_key(claim)):
            return lines
        wanted = normalise(claim)
        others = ((at, without_addresses(self._raw[at])) for at, line in enumerate(self.normalised) if wanted in line)
        return {at for at, line in others if _contains_whole(wanted, normalise(line))} or None

    @cached_property
    def _addresses(self) -> dict[str, set[int]]:
        by_key: dict[str, set[int]] = defaultdict(set)
        for at, line in enumerate(self._raw):
            for key in keys_in(line):
                by_key[key].add(at)
        return by_key

    def _with_text(self, claim: str) -> set[int] | None:
        if is_address(claim):
            return self._with_address(claim)
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
        for at in range(len(self.normalised) - 1, -1, -1):
            line = self.normalised[at]
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
        for at, line in enumerate(self.normalised):
            for figure in all_figures(line):
                for key in _keys_of(figure):
                    by_key[figure.kind, key].append((at, figure))
                    if figure.kind == "date" and isinstance(key, tuple) and key[1]:  # a month may be claimed alone
                        by_key[figure.kind, (key[0], 0)].append((at, figure))
        return by_key

    def _lines_that_show(self, claim: Figure) -> set[int]:
        return {at for at, _ in self._showing(claim)}

    def _showing(self, claim: Figure) -> Iterator[tuple[int, Figure]]:
        """The figures that show a claimed one, each with its line; 3 million does not show 3."""
        for key in _keys_of(claim):
            for at, figure in self._figures.get((claim.kind, key), ()):
                if figure.shows(claim) and not (claim.kind == "number" and figure.values.isdisjoint(claim.values)):
                    yield at, figure

    @cached_property
    def _lines_by_word(self) -> dict[str, list[int]]:
        by_word: dict[str, list[int]] = defaultdict(list)
        for at, line in enumerate(self.normalised):
            for word in set(_LETTERS.findall(line)):
                by_word[word].append(at)
        return by_word

    def _may_have(self, wanted: str) -> list[int]:
        """The lines that may contain a text: those with the rarest of its words, where words are separate."""
        words = [] if _IS_UNSEPARATED.search(wanted) else _LETTERS.findall(wanted)
        if not words:
            return list(range(len(self.normalised)))
        return min((self._lines_by_word.get(word, []) for word in words), key=len)

    def _with_words_as_they_stand(self, wanted: str) -> set[int]:
        lines = self.normalised
        return {at for at in self._may_have(wanted) if wanted in lines[at] and _contains_whole(wanted, lines[at])}

    def _has_text(self, wanted: str) -> bool:
        if not self._may_have(wanted):
            return False
        if _contains_whole(wanted, self._text):
            return True
        if _HARD_SIGNS.search(wanted):  # C++ is not C
            return False
        words = _tokens(wanted)
        return bool(words) and f" {' '.join(words)} " in self._words

    def _with_figures(self, wanted: str, claimed: list[Figure]) -> set[int] | None:
        """The lines with all figures and all other words of a text; none for figures alone that several lines have."""
        rest = words_besides(wanted, claimed)
        for moment in in_zones(claimed, self._zones):
            places = [self._lines_that_show(figure) for figure in moment]
            if places and all(places):
                together = set.intersection(*places)
                if not rest:
                    return together
                if lines := {at for at in together if self._has_words(at, rest)}:
                    return lines
        return self._days_alone(claimed) or self._with_digits(wanted)

    def _days_alone(self, claimed: list[Figure]) -> set[int]:
        """The lines that have the day of a claimed midnight, and no time: a moment must have one in JSON."""
        if [figure.kind for figure in claimed] != ["date", "time"] or 0 not in claimed[1].values:
            return set()
        return self._lines_that_show(claimed[0]) - self._lines_with_times

    @cached_property
    def _lines_with_times(self) -> set[int]:
        return {at for (kind, _), shown in self._figures.items() if kind == "time" for at, _ in shown}

    @cached_property
    def _zones(self) -> frozenset[int]:
        """The zones of the times in the text."""
        shown = (figure for figures in self._figures.values() for _, figure in figures)
        return frozenset(figure.zone for figure in shown if figure.zone is not None)

    def _has_words(self, at: int, words: list[str]) -> bool:
        shown = _WORD.findall(self.normalised[at])
        return all(any(is_one_word(word, other) for other in shown) for word in words)

    def _with_digits(self, wanted: str) -> set[int] | None:
        """The lines with a long number, a length of time or a code, in other groups or units."""
        other_spellings = [*long_numbers(wanted), *([] if ":" in wanted else durations(wanted, certain=False))]
        if other_spellings:
            return next((lines for one in other_spellings if (lines := self._lines_that_show_all(wanted, one))), None)
        code = "[ -]?".join(wanted.replace(" ", "")) if _CODE.fullmatch(wanted) else ""
        if not code or wanted.replace(" ", "") not in self._compact:
            return None
        return {at for at, line in enumerate(self.normalised) if re.search(rf"(?<!\w){code}(?!\w)", line)} or None

    def _lines_that_show_all(self, wanted: str, figure: Figure) -> set[int] | None:
        return None if words_besides(wanted, [figure]) else self._lines_that_show(figure)

    @cached_property
    def _compact(self) -> str:
        return "\n".join(self.normalised).replace(" ", "").replace("-", "")


def _of_number(number: float) -> Figure:
    return Figure("number", frozenset({rounded(number)}), 0, 0, negative=number < 0)


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
    text = _LARGE.sub(lambda match: match[1] + _LARGE_SCALES[match[2]], text)
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


def _tokens(text: str) -> list[str]:
    """The words of a text, numbers as a whole."""
    return _TOKEN.findall(_GROUPS_OF_DIGITS.sub(lambda match: match[0].replace(" ", ""), text))


def _contains_whole(wanted: str, text: str) -> bool:
    """Whether the text contains `wanted` literally, and not within a longer word or number."""
    start = text.find(wanted)
    while start >= 0:
        if not (_is_cut_before(wanted, text, start) or _is_cut_after(wanted, text, start + len(wanted))):
            return True
        start = text.find(wanted, start + 1)
    return False


def _is_cut_before(wanted: str, text: str, start: int) -> bool:
    if _joins(text[start - 1 : start], wanted[0]):
        return True
    cut = _CUTS_BEFORE.search(text, max(0, start - 5), start) if wanted[0].isdigit() else None
    return cut is not None and (cut[0][-1] != " " or _THREE_DIGITS.match(wanted) is not None)


def _is_cut_after(wanted: str, text: str, end: int) -> bool:
    after = text[end : end + 1]
    if _joins(wanted[-1], after) or (after in ("+", "#") and wanted[-1].isalnum()):  # C++ is not C
        return True
    if not wanted[-1].isdigit() or not _CUTS_AFTER.match(text, end):
        return False
    last = wanted.rsplit(maxsplit=1)[-1]
    return not last.isdigit() and "." not in last if after == "-" else last.isdigit()  # 3.12.4 is a 3.12, 1.5 is no 1


def _joins(left: str, right: str) -> bool:
    """Whether two adjacent characters belong to one word, in scripts that separate words."""
    is_one = left.isalnum() and right.isalnum()
    return is_one and not (_IS_UNSEPARATED.match(left) or _IS_UNSEPARATED.match(right))


def words_besides(text: str, found: list[Figure]) -> list[str]:
    """The words of a text apart from its figures and `_NEUTRAL_WORDS`."""
    return [word for word in _WORD.findall(_without(text, found)) if word not in _NEUTRAL_WORDS]


def _without(text: str, found: list[Figure]) -> str:
    for each in reversed(found):
        text = f"{text[: each.start]} {text[each.end :]}"
    return text


def is_one_word(one: str, other: str) -> bool:
    """Whether two words are forms of one word, such as star and stars."""
    short, long = sorted((one, other), key=len)
    return one == other or (len(short) >= _STEM and len(long) - len(short) <= _ENDING and long.startswith(short))
