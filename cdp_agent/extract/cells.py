"""Makes values of a schema from the cells of a page's rows: texts, numbers, booleans, dates, lists of texts.

How numbers are written is decided for a whole column: 1.234 may be 1234 or a little over one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import msgspec

from cdp_agent.page.data.cell_texts import BOOLEANS, MARKS, Unfit, Value, Written, as_number, text_of_cell, written

from .figure import is_among, units_in, without_currencies
from .figures import SCALES, figures
from .grounding import normalise
from .shape import DEEPEST_PATH, NUMERIC, kinds_of, resolved

_LETTER_BEFORE = re.compile(r"[^\W\d_]\.?$")
_WORD_BEFORE = re.compile(r"[^\W\d_][^:]*$")
_SCALE = re.compile(r"\s?([^\W\d_]+)")
_Style = tuple[str, str]
_STYLES: list[_Style] = [*product(MARKS, ("scaled", "bare", "shares"))]
"""How a number may be written: the mark before its decimals, and whether "k" and "%" count."""


MOST_LEAVES = 500


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
    """The fields of an object's schema by their paths ("price.amount"), for the root schema that it is in.

    Of more than MOST_LEAVES, as references may make of a few, only the first.
    """
    leaves: dict[str, LeafSchema] = {}
    pending = [(path, resolved(schema, root), required)]
    while pending and len(leaves) < MOST_LEAVES:
        at, inner, is_required = pending.pop()
        if inner.get("properties") and "object" in kinds_of(inner) and at.count(".") < DEEPEST_PATH:
            names = inner.get("required", ())
            pending += [
                (f"{at}.{name}" if at else name, resolved(property_, root), is_required and name in names)
                for name, property_ in reversed(inner["properties"].items())
            ]
        elif at:
            leaves[at] = LeafSchema(inner, kinds_of(inner), is_required)
    return leaves


def put(element: dict[str, Any], path: str, value: object) -> None:
    """Sets a field of an element by its path."""
    *outer, name = path.split(".")
    for step in outer:
        element = element.setdefault(step, {})
    element[name] = value


NUMBERS = LeafSchema({}, frozenset({"number"}), required=True)
DATES = LeafSchema({"format": "date"}, frozenset({"string"}), required=True)


class _Missing:
    """An empty cell of a field that need not have a value."""


MISSING = _Missing()


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
    if leaf.choices is None and leaf.kinds & NUMERIC and "string" not in leaf.kinds:
        filled = [at for at in open_ if plain[at]]
        read = dict(zip(filled, _numbers([texts[at] for at in filled], leaf, _at(filled, examples)), strict=True))
    else:
        read = {at: _value(cells[at], texts[at], plain[at], leaf) for at in open_ if plain[at]}
    for at in open_:
        values[at] = read[at] if at in read else empty(leaf)
    return values


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
        return BOOLEANS.get(plain, Unfit("does not say yes or no"))
    if "array" in leaf.kinds and isinstance(cell, list):
        return [text_of_cell(one) for one in cell]
    return Unfit("is no value that code can read")


def _date(plain: str) -> object:
    dates = {value for figure in figures(plain) if figure.kind == "date" for value in figure.values}
    day = next(iter(dates), None)
    if len(dates) == 1 and isinstance(day, tuple) and all(day):
        return f"{day[0]:04}-{day[1]:02}-{day[2]:02}"
    return Unfit("is no date that can be read in one way only")


def _numbers(texts: Sequence[str], leaf: LeafSchema, examples: Mapping[int, object]) -> list[object]:
    """The numbers in the texts, all in one unit and in one style: that which fits the examples and most texts."""
    numerals = [_exact(text, is_sampled=bool(examples)) for text in texts]
    units = [
        frozenset[str]() if isinstance(one, Unfit) else units_in(normalise(text))
        for one, text in zip(numerals, texts, strict=True)
    ]
    usual = next(iter(Counter(filter(None, units)).most_common(1)), (frozenset[str](), 0))[0]
    numerals = [
        one
        if all(is_among(name, usual) for name in unit)
        else Unfit(f"is in {', '.join(sorted(unit))}, unlike most", is_number=True)
        for one, unit in zip(numerals, units, strict=True)
    ]
    by_style = {style: [_number(one, style, leaf) for one in numerals] for style in _STYLES}

    def fit(style: _Style) -> tuple[int, int]:
        read = by_style[style]
        return sum(read[at] == value for at, value in examples.items()), sum(not isinstance(one, Unfit) for one in read)

    best = max(_STYLES, key=fit)
    others = [by_style[style] for style in _STYLES if style[1] == best[1] and fit(style) == fit(best)]
    return [
        Unfit(f"may be {one[0]:g} or {one[-1]:g}, as no sample tells", is_number=True)
        if one[0] != one[-1] and not any(isinstance(value, Unfit) for value in one)
        else one[0]
        for one in zip(*others, strict=True)
    ]


def _exact(text: str, *, is_sampled: bool) -> Written | Unfit:
    """The number in a text, unless it is part of a name, as one behind words may be if no sample tells."""
    numeral = written(text)
    if isinstance(numeral, Unfit):
        return numeral
    words = without_currencies(numeral.before.casefold())
    is_name = (_LETTER_BEFORE if is_sampled else _WORD_BEFORE).search(words)
    return Unfit("is a name with a number") if is_name else numeral


def _number(numeral: Written | Unfit, style: _Style, leaf: LeafSchema) -> object:
    if isinstance(numeral, Unfit):
        return numeral
    mark, counts = style
    if not (text := numeral.number(mark)):
        return Unfit("is no number as the others of its column are", is_number=True)
    number = as_number(text)
    word = _SCALE.match(numeral.after)
    if counts == "scaled" and word and word[1].casefold() in SCALES:
        number *= SCALES[word[1].casefold()]
    elif counts == "shares" and numeral.after.lstrip().startswith("%"):
        number /= 100
    if "number" not in leaf.kinds and not float(number).is_integer():
        return Unfit("is no whole number")
    return int(number) if isinstance(number, float) and number.is_integer() else number
