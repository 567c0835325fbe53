"""Rows by code: a model says which columns of a page's rows have the fields of the elements, and code takes them.

The model sees the columns, how many rows there are and a few of these. Its samples, which are elements as a reader
would write them, are compared with what code makes of the same rows. What code cannot make, judging.py asks row by row.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal, get_args

import msgspec

from cdp_agent.page.data.cell_texts import Unfit, Value, text_of_cell
from cdp_agent.page.data.tables import GROUP
from cdp_agent.page.data.whole import RowSource, WholePage
from cdp_agent.page.snapshot.lines import shortened

from .cells import DATES, MISSING, NUMBERS, empty, leaves_of, put, values_of
from .figures import rounded
from .form import TypeForm, read_text
from .grounding import normalise
from .keywords import subschemas
from .schema import Problem, Schema, compile_schema
from .shape import Lists, closed_object, list_of

LEAST_ROWS = 20
"""Fewer are read as the rest of the page is."""
_LEAST_SHARE = 0.2
"""The share of the page's text that the rows have, which a menu does not."""
_MOST_SOURCES = 3
_FIRST, _LAST, _ODD = 3, 2, 4
"""How many rows the model is shown: the first, the last, and those that have a cell where most have none."""
_LONGEST_CELL = 120  # characters
_MOST_MISFITS = 0.5
"""The share of a field's cells that are no values, from which on the column is not the field's."""
_FEW = 3

_Operator = Literal["is", "is not", "contains", "<", "<=", ">", ">="]
_OPERATORS: dict[_Operator, Callable[[Any, Any], bool]] = {
    **{"is": operator.eq, "is not": operator.ne, "contains": operator.contains},
    **{"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge},
}
_OF_TEXTS = ("is", "is not", "contains")


class Condition(msgspec.Struct, frozen=True):
    column: str
    operator: _Operator
    value: str

    def __str__(self) -> str:
        return f"{self.column} {self.operator} {self.value}"


class Constant(msgspec.Struct, frozen=True):
    field: str
    value: Any


class StatedWords(msgspec.Struct, frozen=True):
    field: str
    text: str
    value: Any


class Sample(msgspec.Struct, frozen=True):
    row: int
    element: dict[str, Any]


class Mapping(msgspec.Struct, frozen=True):
    """What the model says; its fields are explained to it in prompts.py."""

    source: str
    fields: dict[str, str | list[str] | None]
    samples: list[Sample]
    constants: list[Constant] = []  # small models leave out what is empty
    words: list[StatedWords] = []
    where: list[Condition] = []
    first: Annotated[int, msgspec.Meta(ge=0)] | None = None
    leave_out: list[int] = []


_MAPPING = TypeForm(Mapping | None)


class MappedRows(msgspec.Struct, frozen=True):
    """The elements that code made. `numbers` are those of their rows in the source, from 1 on.

    `open`: for each element the fields that are still to be judged, with the columns that show them. `unknown`: of how
    many rows a condition cannot tell.
    """

    source: RowSource
    mapping: Mapping
    numbers: list[int]
    elements: list[dict[str, Any]]
    open: list[dict[str, list[str]]]
    unknown: int

    def first(self, most: int | None) -> MappedRows:
        """The first of them, `most` at most."""
        parts = {name: getattr(self, name)[:most] for name in ("numbers", "elements", "open")}
        return msgspec.structs.replace(self, **parts)


class Elements:
    """The elements of the list that a form wants: their fields (`leaves`), none if code cannot make them."""

    def __init__(self, lists: Lists) -> None:
        (self.path,) = lists.most
        schema = lists.part
        for name in self.path:
            schema = schema["properties"][name]
        element = schema.get("items")
        self.element: dict[str, Any] = element if isinstance(element, dict) else {}
        self.definitions = {name: lists.part[name] for name in ("$defs", "definitions") if name in lists.part}
        root = self.element | self.definitions
        named = (inner for _, inner in subschemas(root) if isinstance(inner, dict))
        is_plain = not any("." in name for inner in named for name in inner.get("properties", ()))
        self.leaves = leaves_of(root, root) if is_plain else {}
        self.schema: Schema = compile_schema(root)


def sources_for(elements: Elements, whole: WholePage) -> list[RowSource]:
    """The rows from which the elements may be made: many, which are a good part of the page."""
    least = _LEAST_SHARE * len(whole.markdown.text)
    many = [source for source in whole.sources if len(source.rows) >= LEAST_ROWS and _length(source) >= least]
    return many[:_MOST_SOURCES] if elements.leaves else []


def _length(source: RowSource) -> int:
    return sum(len(text_of_cell(cell)) for row in source.rows for cell in row.values())


class MappingForm:
    """The form of the model's answer, which holds if code can make elements by it that are as the model's samples."""

    def __init__(self, elements: Elements, sources: list[RowSource]) -> None:
        self._elements = elements
        self._sources = {source.name: source for source in sources}
        self._answers = 0
        paths = {"enum": list(elements.leaves)}
        text, value = {"type": "string"}, {"type": ["string", "number", "boolean", "null"]}
        column = {"anyOf": [text, list_of(text), {"type": "null"}]}
        operators = {"enum": list(get_args(_Operator))}
        mapping = {
            "source": {"enum": list(self._sources)},
            "fields": closed_object(dict.fromkeys(elements.leaves, column)),
            "constants": list_of(closed_object({"field": paths, "value": value})),
            "words": list_of(closed_object({"field": paths, "text": text, "value": value})),
            "where": list_of(closed_object({"column": text, "operator": operators, "value": text})),
            "first": {"type": ["integer", "null"]},
            "leave_out": list_of({"type": "integer"}),
            "samples": list_of(closed_object({"row": {"type": "integer"}, "element": elements.element})),
        }
        whole = closed_object({"mapping": {"anyOf": [closed_object(mapping), {"type": "null"}]}})
        self.source = self.sent = whole | elements.definitions

    def read(self, text: str) -> tuple[object, list[Problem]]:
        self._answers += 1
        return read_text(text, self)

    def convert(self, value: object, *, strict: bool = True) -> tuple[object, list[Problem]]:
        """The rows by the mapping, or None if the model says that there is none.

        Cells that are no values, and samples that differ, are objected to once; after that the field is to be judged.
        """
        mapping, problems = _MAPPING.convert(value.get("mapping", value) if isinstance(value, dict) else value)
        if not isinstance(mapping, Mapping):
            return mapping, problems
        if mapping.source not in self._sources:
            return value, [Problem("$.source", f"there is none that is called {mapping.source!r}")]
        taking = _Taking(self._elements, self._sources[mapping.source], mapping)
        if problems := list(taking.wrong_names()):
            return value, problems
        rows = taking.rows()
        holds = taking.unfit * 2 <= len(rows.numbers) if rows.numbers else not rows.unknown
        return (rows, []) if holds and (self._answers > 1 or not taking.problems) else (value, taking.problems)


def shown_rows(source: RowSource) -> dict[int, dict[str, str]]:
    """A few rows of the source by their numbers: the first, the last, and those that are unlike most."""
    filled = [tuple(bool(row.get(name)) for name in source.columns if name != GROUP) for row in source.rows]
    usual = Counter(filled).most_common(1)[0][0]
    first_of = {pattern: at for at, pattern in reversed(list(enumerate(filled))) if pattern != usual}
    odd = sorted(first_of.values())[:_ODD]
    places = sorted({*range(_FIRST), *range(len(filled) - _LAST, len(filled)), *odd})
    return {at + 1: {name: _shortened(source.rows[at].get(name, "")) for name in source.columns} for at in places}


def _shortened(cell: Value) -> str:
    return shortened(text_of_cell(cell), _LONGEST_CELL)


class _Taking:
    """Makes the elements by a mapping. `problems` are what does not hold; `unfit` elements do not fit as a whole."""

    def __init__(self, elements: Elements, source: RowSource, mapping: Mapping) -> None:
        self.problems: list[Problem] = []
        self.unfit = 0
        self._leaves, self._schema = elements.leaves, elements.schema
        self._source, self._mapping = source, mapping
        self._places: list[int] = []
        self._constants = {constant.field: constant.value for constant in mapping.constants}
        self._columns = {field: of for field, of in mapping.fields.items() if isinstance(of, str)}
        self._judged = {field: of for field, of in mapping.fields.items() if isinstance(of, list)}

    def wrong_names(self) -> Iterator[Problem]:
        """What the mapping names that there is not, and what it lacks."""
        mapping, source = self._mapping, self._source
        named = [*self._columns.values(), *(name for of in self._judged.values() for name in of)]
        for name in (*named, *(condition.column for condition in mapping.where)):
            if name not in source.columns:
                yield Problem("$", f"{source.name} has no column {name!r}")
        for field in (*mapping.fields, *self._constants, *(one.field for one in mapping.words)):
            if field not in self._leaves:
                yield Problem("$", f"there is no field {field!r}")
        for path, leaf in self._leaves.items():
            if mapping.fields.get(path) is None and path not in self._constants and isinstance(empty(leaf), Unfit):
                yield Problem(f"$.fields.{path}", "null, but every element must have it")
        if not any(0 < sample.row <= len(source.rows) for sample in mapping.samples):
            yield Problem("$.samples", "give the elements of two of the rows")

    def rows(self) -> MappedRows:
        """The elements of all rows that are wanted."""
        self._places = [at for at in range(len(self._source.rows)) if at + 1 not in self._mapping.leave_out]
        unknown = sum(map(self._narrow, self._mapping.where))
        self._places = self._places[: self._mapping.first]
        if not any(sample.row - 1 in self._places for sample in self._mapping.samples):
            self.problems.append(Problem("$.samples", "none is of a row that is wanted, as the mapping says"))
        columns = {path: self._column(path, of) for path, of in self._columns.items() if path not in self._constants}
        made = [
            self._element({path: values[at] for path, values in columns.items()}) for at in range(len(self._places))
        ]
        elements, open_ = [element for element, _ in made], [fields for _, fields in made]
        self._compare_samples(elements, open_)
        return MappedRows(self._source, self._mapping, [at + 1 for at in self._places], elements, open_, unknown)

    def _cells(self, column: str) -> list[Value]:
        return [self._source.rows[at].get(column, "") for at in self._places]

    def _samples(self, path: str) -> dict[int, object]:
        """The values of a field in the samples, by the places of their rows among those that are wanted."""
        by_number = {at + 1: place for place, at in enumerate(self._places)}
        samples = (sample for sample in self._mapping.samples if sample.row in by_number)
        return {by_number[sample.row]: _inner(sample.element, path) for sample in samples}

    def _narrow(self, condition: Condition) -> int:
        """Leaves the rows for which a condition holds; returns of how many it cannot tell."""
        cells, compare = self._cells(condition.column), _OPERATORS[condition.operator]
        values: list[object] = [normalise(text_of_cell(cell)) for cell in cells]
        limit: object = normalise(condition.value)
        if condition.operator not in _OF_TEXTS:
            samples = next((self._samples(path) for path, of in self._columns.items() if of == condition.column), {})
            for leaf in (NUMBERS, DATES):
                *values, limit = values_of([*cells, condition.value], leaf, {}, samples)
                if not isinstance(limit, Unfit):
                    break
        told = [not (isinstance(limit, Unfit) or isinstance(value, Unfit)) for value in values]
        self._places = [
            at
            for at, value, is_told in zip(self._places, values, told, strict=True)
            if is_told and compare(value, limit)
        ]
        return told.count(False)

    def _column(self, path: str, column: str) -> list[object]:
        words = {one.text: one.value for one in self._mapping.words if one.field == path}
        values = values_of(self._cells(column), self._leaves[path], words, self._samples(path))
        misfits = [(at, value.why) for at, value in zip(self._places, values, strict=True) if isinstance(value, Unfit)]
        for at, why in misfits[:_FEW]:
            cell = _shortened(self._source.rows[at].get(column, ""))
            self.problems.append(Problem(f"$.fields.{path}", f"row {at + 1}: {cell!r} {why}"))
        if len(misfits) > _MOST_MISFITS * len(values):
            self._judged[path] = [column]
        return values

    def _element(self, values: dict[str, object]) -> tuple[dict[str, Any], dict[str, list[str]]]:
        """An element of the values of a row, and its fields that are to be judged."""
        element: dict[str, Any] = {}
        open_ = dict(self._judged)
        for path, leaf in self._leaves.items():
            unsaid = empty(leaf) if leaf.required else MISSING
            value = values[path] if path in values else self._constants.get(path, unsaid)
            if isinstance(value, Unfit):
                open_.setdefault(path, self._source.columns)
            elif path not in open_ and value is not MISSING:
                put(element, path, value)
        if not open_ and not self._schema.fits(element):
            for problem in self._schema.problems(element):
                path = problem.path.removeprefix("$.")
                self.problems.append(Problem(f"$.fields.{path}", problem.message))
                open_ |= {path: self._source.columns} if path in self._leaves else {}
            self.unfit += not open_
        return element, open_

    def _compare_samples(self, elements: list[dict[str, Any]], open_: list[dict[str, list[str]]]) -> None:
        """Fields of which code makes other values than the model does are to be judged in all rows."""
        for path in self._leaves:
            for at, theirs in self._samples(path).items():
                mine = _inner(elements[at], path)
                if path not in open_[at] and not _same(mine, theirs):
                    row = self._places[at] + 1
                    text = f"row {row} has {mine!r} there, but your sample says {theirs!r}"
                    self.problems.append(Problem(f"$.fields.{path}", text))
                    for fields in open_:
                        fields[path] = self._source.columns


def _inner(element: Any, path: str) -> object:
    for name in path.split("."):
        element = element.get(name) if isinstance(element, dict) else None
    return element


def _same(mine: object, theirs: object) -> bool:
    if isinstance(mine, str) and isinstance(theirs, str):
        one, other = normalise(mine), normalise(theirs).removesuffix("…").rstrip()
        return one == other or (len(other) >= _LONGEST_CELL // 2 and one.startswith(other))
    if isinstance(mine, int | float) and isinstance(theirs, int | float):
        return mine == theirs or rounded(mine) == rounded(theirs)
    return mine == theirs or (not mine and not theirs and mine is not False and theirs is not False)
