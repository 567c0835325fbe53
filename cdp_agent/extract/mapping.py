"""Rows by code: a model says which columns of a page's rows have the fields of the elements, and code takes them.

The model sees the columns, how many rows there are and a few of these. Its samples, which are elements as a reader
would write them, are compared with what code makes of the same rows. What code cannot make, judging.py asks row by row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal, get_args

import msgspec

from cdp_agent.page.data.records import Record
from cdp_agent.page.data.tables import GROUP
from cdp_agent.page.data.whole import RowSource

from .cells import MISSING, Leaf, Unfit, empty, leaves_of, text_of_cell, values_of
from .figures import rounded
from .form import TypeForm, read_text
from .grounding import normalise
from .schema import Problem, Schema, compile_schema
from .shape import Lists, closed_object, list_of

LEAST_ROWS = 20
"""Fewer are read as the rest of the page is."""
_MOST_SOURCES = 3
_FIRST, _LAST, _ODD = 3, 2, 4
"""How many rows the model is shown: the first, the last, and those that have a cell where most have none."""
_LONGEST_CELL = 120  # characters
_MOST_MISFITS = 0.5
"""The share of a field's cells that are no values, from which on the column is not the field's."""
_FEW = 3

_Operator = Literal["is", "is not", "contains", "<", "<=", ">", ">="]


class Condition(msgspec.Struct, frozen=True):
    column: str
    operator: _Operator
    value: str

    def __str__(self) -> str:
        return f"{self.column} {self.operator} {self.value}"


class FieldValue(msgspec.Struct, frozen=True):
    field: str
    value: Any


class Words(msgspec.Struct, frozen=True):
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
    constants: list[FieldValue] = []  # small models leave out what is empty
    words: list[Words] = []
    where: list[Condition] = []
    first: int | None = None
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
    unknown: int = 0

    def first(self, most: int | None) -> MappedRows:
        """The first of them, `most` at most."""
        parts = {name: getattr(self, name)[:most] for name in ("numbers", "elements", "open")}
        return msgspec.structs.replace(self, **parts)


class Elements:
    """The elements of the list that a form wants: their fields (`leaves`), none if code cannot make them."""

    def __init__(self, lists: Lists) -> None:
        (path,) = lists.most
        schema = lists.part
        for name in path:
            schema = schema["properties"][name]
        self.definitions = {name: lists.part[name] for name in ("$defs", "definitions") if name in lists.part}
        element = schema.get("items")
        self.element: dict[str, Any] = element if isinstance(element, dict) else {}
        root = self.element | self.definitions
        self.path = path
        self.leaves = leaves_of(root, root)
        self.schema: Schema = compile_schema(root)


def sources_for(elements: Elements, sources: list[RowSource]) -> list[RowSource]:
    """The rows from which the elements may be made."""
    return [source for source in sources if len(source.rows) >= LEAST_ROWS][:_MOST_SOURCES] if elements.leaves else []


class MappingForm:
    """The form of the model's answer, which holds if code can make elements by it that are as the model's samples."""

    def __init__(self, elements: Elements, sources: list[RowSource]) -> None:
        self._elements = elements
        self._sources = {source.name: source for source in sources}
        self._answers = 0
        paths, strings = list(elements.leaves), {"type": "string"}
        column, from_ = {"$ref": "#/$defs/a_column"}, {"$ref": "#/$defs/from_what"}
        definitions = {
            "a_column": {"enum": list(dict.fromkeys(name for source in sources for name in source.columns))},
            "from_what": {"anyOf": [column, list_of(column), {"type": "null"}]},
        }
        value = {"type": ["string", "number", "boolean", "null"]}
        parts: dict[str, Any] = {
            "source": {"enum": list(self._sources)},
            "fields": closed_object(dict.fromkeys(paths, from_)),
            "constants": list_of(closed_object({"field": {"enum": paths}, "value": value})),
            "words": list_of(closed_object({"field": {"enum": paths}, "text": strings, "value": value})),
            "where": list_of(
                closed_object({"column": column, "operator": {"enum": list(get_args(_Operator))}, "value": strings})
            ),
            "first": {"type": ["integer", "null"]},
            "leave_out": list_of({"type": "integer"}),
            "samples": list_of(closed_object({"row": {"type": "integer"}, "element": elements.element})),
        }
        whole = closed_object({"mapping": {"anyOf": [closed_object(parts), {"type": "null"}]}})
        self.source = self.sent = (
            whole | elements.definitions | {"$defs": definitions | elements.definitions.get("$defs", {})}
        )

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
        rows, problems = _Taking(self._elements, self._sources[mapping.source], mapping).rows()
        return (value, problems) if rows is None or (problems and self._answers == 1) else (rows, [])


def shown_rows(source: RowSource) -> dict[int, dict[str, str]]:
    """A few rows of the source by their numbers: the first, the last, and those that are unlike most."""
    filled = [tuple(bool(row.get(name)) for name in source.columns if name != GROUP) for row in source.rows]
    usual = Counter(filled).most_common(1)[0][0]
    first_of = {pattern: at for at, pattern in reversed(list(enumerate(filled))) if pattern != usual}
    odd = sorted(first_of.values())[:_ODD]
    places = sorted({*range(_FIRST), *range(len(filled) - _LAST, len(filled)), *odd} & set(range(len(filled))))
    return {at + 1: {name: _shortened(source.rows[at], name) for name in source.columns} for at in places}


def _shortened(row: Record, name: str) -> str:
    text = text_of_cell(row.get(name, ""))
    return text if len(text) <= _LONGEST_CELL else f"{text[:_LONGEST_CELL]}…"


class _Taking:
    """Makes the elements by a mapping."""

    def __init__(self, elements: Elements, source: RowSource, mapping: Mapping) -> None:
        self._elements, self._source, self._mapping = elements, source, mapping
        self._problems: list[Problem] = []
        self._constants = {constant.field: constant.value for constant in mapping.constants}
        self._judged = {field: columns for field, columns in mapping.fields.items() if isinstance(columns, list)}

    def rows(self) -> tuple[MappedRows | None, list[Problem]]:
        """The rows, or None where there is none by this mapping; and what is to be objected to."""
        if wrong := list(self._wrong_names()):
            return None, wrong
        places, unknown = self._wanted()
        columns = {
            path: self._column(path, column, places)
            for path, column in self._mapping.fields.items()
            if isinstance(column, str) and path not in self._constants
        }
        open_: list[dict[str, list[str]]] = [dict(self._judged) for _ in places]
        elements = [self._element(columns, at, open_[at]) for at in range(len(places))]
        self._compare_samples(places, elements, open_)
        if not places:
            self._problems.append(Problem("$.where", "no row is left"))
        numbers = [at + 1 for at in places]
        return MappedRows(self._source, self._mapping, numbers, elements, open_, unknown), self._problems

    def _wrong_names(self) -> Iterator[Problem]:
        """What the mapping names that there is not, and what it lacks."""
        mapping, leaves, columns = self._mapping, self._elements.leaves, self._source.columns
        named = {f"$.fields.{field}": [of] if isinstance(of, str) else of or [] for field, of in mapping.fields.items()}
        named["$.where"] = [condition.column for condition in mapping.where]
        for at, names in named.items():
            yield from (
                Problem(at, f"{self._source.name} has no column {one!r}") for one in names if one not in columns
            )
        for field in (*mapping.fields, *self._constants, *(one.field for one in mapping.words)):
            if field not in leaves:
                yield Problem("$", f"there is no field {field!r}")
        for path, leaf in leaves.items():
            if mapping.fields.get(path) is None and path not in self._constants and isinstance(empty(leaf), Unfit):
                yield Problem(f"$.fields.{path}", "null, but every element must have it")
        if not mapping.samples:
            yield Problem("$.samples", "give the elements of two of the rows")
        for sample in mapping.samples:
            if not 0 < sample.row <= len(self._source.rows):
                yield Problem("$.samples", f"there is no row {sample.row}")

    def _wanted(self) -> tuple[list[int], int]:
        """The places of the rows that are wanted, and of how many the conditions do not know."""
        places = [at for at in range(len(self._source.rows)) if at + 1 not in self._mapping.leave_out]
        unknown = 0
        for condition in self._mapping.where:
            holds = list(self._holding(condition, places))
            unknown += holds.count(None)
            places = [at for at, one in zip(places, holds, strict=True) if one]
        return places[: self._mapping.first], unknown

    def _holding(self, condition: Condition, places: list[int]) -> Iterator[bool | None]:
        cells = [self._source.rows[at].get(condition.column, "") for at in places]
        texts, wanted = [normalise(text_of_cell(cell)) for cell in cells], normalise(condition.value)
        if condition.operator in ("is", "is not", "contains"):
            yield from (
                wanted in text if condition.operator == "contains" else (text == wanted) == (condition.operator == "is")
                for text in texts
            )
            return
        for kind in (
            Leaf({"type": "number"}, frozenset({"number"}), True),
            Leaf({"format": "date"}, frozenset({"string"}), True),
        ):
            *values, limit = values_of([*cells, condition.value], kind, {}, {})
            if not isinstance(limit, Unfit) and not all(isinstance(value, Unfit) for value in values):
                yield from (
                    None if isinstance(value, Unfit) else _compares(value, condition.operator, limit)
                    for value in values
                )
                return
        self._problems.append(Problem("$.where", f"{condition}: these are no numbers and no dates"))

    def _column(self, path: str, column: str, places: list[int]) -> list[object]:
        cells = [self._source.rows[at].get(column, "") for at in places]
        words = {one.text: one.value for one in self._mapping.words if one.field == path}
        at_number = {at + 1: place for place, at in enumerate(places)}
        examples = {
            at_number[one.row]: _inner(one.element, path) for one in self._mapping.samples if one.row in at_number
        }
        values = values_of(cells, self._elements.leaves[path], words, examples)
        misfits = [(at, value.why) for at, value in zip(places, values, strict=True) if isinstance(value, Unfit)]
        for at, why in misfits[:_FEW]:
            text = _shortened(self._source.rows[at], column)
            self._problems.append(Problem(f"$.fields.{path}", f"row {at + 1}: {text!r} {why}"))
        if len(misfits) > _MOST_MISFITS * len(values):
            self._judged[path] = [column]
        return values

    def _element(self, columns: dict[str, list[object]], at: int, open_: dict[str, list[str]]) -> dict[str, Any]:
        element: dict[str, Any] = {}
        for path, leaf in self._elements.leaves.items():
            value = columns[path][at] if path in columns else self._constants.get(path, empty(leaf))
            if path in self._judged or isinstance(value, Unfit):
                open_[path] = self._judged.get(path) or list(self._source.columns)
            elif value is not MISSING:
                put(element, path, value)
        if not open_ and not self._elements.schema.fits(element):
            for problem in self._elements.schema.problems(element):
                path = problem.path.removeprefix("$.")
                self._problems.append(Problem(f"$.fields.{path}", problem.message))
                if path in self._elements.leaves:
                    open_[path] = list(self._source.columns)
        return element

    def _compare_samples(
        self, places: list[int], elements: list[dict[str, Any]], open_: list[dict[str, list[str]]]
    ) -> None:
        """Fields of which code makes other values than the model does are to be judged in all rows."""
        differing: set[str] = set()
        for sample in self._mapping.samples:
            if sample.row - 1 not in places:
                self._problems.append(Problem("$.samples", f"row {sample.row} is none of those that are wanted"))
                continue
            element = elements[places.index(sample.row - 1)]
            for path in self._elements.leaves:
                mine, theirs = _inner(element, path), _inner(sample.element, path)
                if path not in open_[places.index(sample.row - 1)] and not _same(mine, theirs):
                    differing.add(path)
                    self._problems.append(
                        Problem(
                            f"$.fields.{path}", f"row {sample.row} has {mine!r} in it, but your sample says {theirs!r}"
                        )
                    )
        for path in differing:
            for one in open_:
                one[path] = list(self._source.columns)


def put(element: dict[str, Any], path: str, value: object) -> None:
    """Sets a field of an element by its path."""
    *outer, name = path.split(".")
    for step in outer:
        element = element.setdefault(step, {})
    element[name] = value


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


def _compares(value: Any, operator: _Operator, limit: Any) -> bool:
    match operator:
        case "<":
            return bool(value < limit)
        case "<=":
            return bool(value <= limit)
        case ">":
            return bool(value > limit)
    return bool(value >= limit)
