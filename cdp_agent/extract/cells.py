"""Makes values of a schema from the cells of a page's rows: texts, numbers, booleans, dates, lists of texts.

How numbers are written is decided for a whole column: 1.234 may be 1234 or a little over one.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any, Literal

import msgspec

from cdp_agent.page.data.typed import Value

from .figure import is_currency, is_same_unit, units_in
from .figures import SCALES, figures
from .grounding import normalise
from .shape import DEEPEST_PATH, kinds_of, resolved

_STRUCK = re.compile(r"~~.*?~~", re.DOTALL)
_NUMERAL = re.compile(r"\d(?:[\d.,'_ ]*\d)?")
_SIGN = re.compile(r"[^\w\s]?\s?-\s?[^\w\s]?\s?")
_LETTERS_BEFORE = re.compile(r"([^\W\d_]+)\.?$")
_INEXACT = re.compile(r"[<>≤≥~≈±+]")
_SCALE = re.compile(r"\s?([^\W\d_]+)")
_MINUS = str.maketrans("−–’", "--'")
_TRUE, _FALSE = ("true", "yes"), ("false", "no")
_Style = tuple[str, str]
_STYLES: list[_Style] = [*product(".,", ("scaled", "bare", "shares"))]
"""How a number may be written: the mark before its decimals, and whether "k" and "%" count."""


class LeafSchema(msgspec.Struct, frozen=True):
    """A field of the elements that is no object: its own schema, and whether there has to be a value."""

    schema: dict[str, Any]
    kinds: frozenset[str]
    required: bool

    @property
    def choices(self) -> list[Any] | None:
        """The values that it may have, if these are listed."""
        return [self.schema["const"]] if "const" in self.schema else self.schema.get("enum")

    @property
    def is_free_text(self) -> bool:
        """Whether its values are words of the page's, or of the model's."""
        return self.choices is None and not self.kinds <= {"boolean", "null"}


def leaves_of(schema: Any, root: dict[str, Any], path: str = "", *, required: bool = True) -> dict[str, LeafSchema]:
    """The fields of an object's schema by their paths ("price.amount"), for the root schema that it is in."""
    schema = resolved(schema, root)
    if schema.get("properties") and "object" in kinds_of(schema) and path.count(".") < DEEPEST_PATH:
        names = schema.get("required", ())
        fields = (
            leaves_of(inner, root, f"{path}.{name}" if path else name, required=required and name in names)
            for name, inner in schema["properties"].items()
        )
        return {at: leaf for inner in fields for at, leaf in inner.items()}
    return {path: LeafSchema(schema, kinds_of(schema), required)} if path else {}


class Unfit(msgspec.Struct, frozen=True):
    """A cell that is no value of its field, and why not."""

    why: str


class _Missing:
    """An empty cell of a field that need not have a value."""


MISSING = _Missing()


def text_of_cell(cell: Value) -> str:
    """What is in a cell in one line, without what is struck out beside other words."""
    text = " · ".join(cell) if isinstance(cell, list) else cell
    return " ".join((_STRUCK.sub(" ", text).strip() or text.replace("~~", "")).split())


def values_of(
    cells: Sequence[Value], leaf: LeafSchema, words: Mapping[str, Any], examples: Mapping[int, object]
) -> list[object]:
    """The value for each cell of a column: MISSING, or Unfit, if it has none.

    `words`: what texts mean that are not the value itself. `examples`: the values of some cells by their places, by
    which the style of numbers is decided.
    """
    meanings = {normalise(text): value for text, value in words.items()}
    texts = list(map(text_of_cell, cells))
    plain = [normalise(text) for text in texts]
    values: list[object] = [meanings.get(one, MISSING) for one in plain]
    open_ = [at for at, value in enumerate(values) if value is MISSING]
    if leaf.choices is None and leaf.kinds & {"number", "integer"} and "string" not in leaf.kinds:
        filled = [at for at in open_ if plain[at]]
        read = dict(zip(filled, _numbers([texts[at] for at in filled], _at(filled, examples)), strict=True))
    else:
        read = {at: _value(cells[at], texts[at], plain[at], leaf) for at in open_ if plain[at]}
    for at in open_:
        values[at] = read[at] if at in read else empty(leaf)
    return [_as_integer(value, leaf) if isinstance(value, float) else value for value in values]


def _at(places: Iterable[int], examples: Mapping[int, object]) -> dict[int, object]:
    return {number: examples[at] for number, at in enumerate(places) if at in examples}


def empty(leaf: LeafSchema) -> object:
    """What stands for an empty cell: MISSING, or Unfit, if nothing does."""
    if "null" in leaf.kinds:
        return None
    if "array" in leaf.kinds:
        return []
    if leaf.choices is None and "string" in leaf.kinds and "format" not in leaf.schema:
        return ""
    return Unfit("is empty") if leaf.required else MISSING


def _value(cell: Value, text: str, plain: str, leaf: LeafSchema) -> object:
    if leaf.choices is not None:
        by_spelling = {normalise(str(choice)): choice for choice in leaf.choices}
        return by_spelling[plain] if plain in by_spelling else Unfit("is none of its values")
    if "string" in leaf.kinds:
        return _date(plain) if leaf.schema.get("format") == "date" else text
    if "boolean" in leaf.kinds:
        return plain in _TRUE if plain in (*_TRUE, *_FALSE) else Unfit("does not say yes or no")
    if "array" in leaf.kinds and isinstance(cell, list):
        return [text_of_cell(one) for one in cell]
    return Unfit("is no value that code can read")


def _date(plain: str) -> object:
    dates = {value for figure in figures(plain) if figure.kind == "date" for value in figure.values}
    day = next(iter(dates), None)
    if len(dates) == 1 and isinstance(day, tuple) and all(day):
        return f"{day[0]:04}-{day[1]:02}-{day[2]:02}"
    return Unfit("is no date that can be read in one way only")


class _Written(msgspec.Struct, frozen=True):
    """A number as it is written; `scale` is that of the word after it, or 0.01 for per cent."""

    numeral: str
    sign: int
    scale: float
    of: Literal["", "scaled", "shares"]


def _numbers(texts: Sequence[str], examples: Mapping[int, object]) -> list[object]:
    """The numbers in the texts, all in one unit and in one style: that which fits the examples and most texts."""
    units = [units_in(normalise(text)) for text in texts]
    usual = Counter(filter(None, units)).most_common(1)
    written = [
        _written(text)
        if not unit or _agree(unit, usual[0][0])
        else Unfit(f"is in {', '.join(sorted(unit))}, unlike most")
        for text, unit in zip(texts, units, strict=True)
    ]
    by_style = {style: [_number(one, style) for one in written] for style in _STYLES}

    def fit(style: _Style) -> tuple[int, int]:
        read = by_style[style]
        return sum(read[at] == value for at, value in examples.items()), sum(not isinstance(one, Unfit) for one in read)

    best = max(_STYLES, key=fit)
    others = [by_style[style] for style in _STYLES if style[1] == best[1] and fit(style) == fit(best)]
    return [
        Unfit(f"may be {one[0]:g} or {one[-1]:g}: give it among the samples")
        if one[0] != one[-1] and not any(isinstance(value, Unfit) for value in one)
        else one[0]
        for one in zip(*others, strict=True)
    ]


def _agree(units: Iterable[str], others: Iterable[str]) -> bool:
    """Whether all units of a text may be those of the other texts, as "$" and "USD"."""
    return all(any(is_same_unit(unit, other) for other in others) for unit in units)


def _written(text: str) -> _Written | Unfit:
    text = unicodedata.normalize("NFKC", text).translate(_MINUS)
    numerals = list(_NUMERAL.finditer(text))
    if len(numerals) != 1:
        return Unfit("has several numbers" if numerals else "has no number")
    before, after = text[: numerals[0].start()], text[numerals[0].end() :]
    is_negative = _SIGN.fullmatch(before.lstrip()) is not None
    name = _LETTERS_BEFORE.search(before)
    if (name and not is_currency_name(name[1])) or (before.rstrip().endswith("-") and not is_negative):
        return Unfit("is a name with a number")
    if _INEXACT.search(before + after):
        return Unfit("is no exact number")
    if after.startswith("-") or (before.lstrip().startswith("(") and after.rstrip().endswith(")")):
        return Unfit("may be negative")
    sign = -1 if is_negative else 1
    word = _SCALE.match(after)
    if word and word[1].casefold() in SCALES:
        return _Written(numerals[0][0], sign, SCALES[word[1].casefold()], "scaled")
    is_share = after.lstrip().startswith("%")
    return _Written(numerals[0][0], sign, 0.01 if is_share else 1.0, "shares" if is_share else "")


def is_currency_name(word: str) -> bool:
    """Whether a number may follow this word, as in "EUR 12"."""
    shown = figures(f"{normalise(word)} 1")
    return bool(shown) and is_currency(shown[0].unit)


def _number(written: _Written | Unfit, style: _Style) -> object:
    if isinstance(written, Unfit):
        return written
    mark, counts = style
    group = "." if mark == "," else ","
    whole, _, decimals = written.numeral.partition(mark)
    groups = re.split(rf"[{group}'_ ]", whole)
    if len(groups) > 1 and (
        groups[0] in ("", "0")
        or len(groups[0]) > 3
        or len(groups[-1]) != 3
        or any(len(one) not in (2, 3) for one in groups[1:])
    ):
        return Unfit("is no number as the others of its column are")
    if not "".join(groups).isdecimal() or not (decimals.isdecimal() or not decimals):
        return Unfit("is no number as the others of its column are")
    digits = "".join(groups)
    number = written.sign * (float(f"{digits}.{decimals}") if decimals.strip("0") else int(digits))
    return number * written.scale if written.of == counts and written.of else number


def _as_integer(number: float, leaf: LeafSchema) -> object:
    if number.is_integer():
        return int(number)
    return number if "number" in leaf.kinds else Unfit("is no whole number")
