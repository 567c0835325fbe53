"""Values that code makes of the cells of a column, and those that it leaves to a model."""

from __future__ import annotations

from typing import Any

from cdp_agent.extract.cells import MISSING, LeafSchema, leaves_of, values_of
from cdp_agent.page.data.cell_texts import Unfit
from tests.tables import table


def read(schema: dict[str, Any], cells: list[Any], examples: dict[int, object] | None = None) -> list[object]:
    (leaf,) = leaves_of({"type": "object", "properties": {"a": schema}, "required": ["a"]}, {}).values()
    return [value.why if isinstance(value, Unfit) else value for value in values_of(cells, leaf, {}, examples or {})]


NUMBER, INTEGER, TEXT = {"type": "number"}, {"type": "integer"}, {"type": "string"}
SEVERAL, NONE, NAME = "has several numbers", "has no number", "is a name with a number"


@table(
    ("cells", "values"),
    {
        "plain": (["12", "1.5", "0", "007"], [12, 1.5, 0, 7]),
        "English": (["$1,234.50", "USD 12", "$ 3", "1,000"], [1234.5, 12, 3, 1000]),
        "German": (["1.234,50 €", "3,90", "12 €", "2.000"], [1234.5, 3.9, 12, 2000]),
        "French": (["1 234,50", "12\u202f345", "3\u00a0€"], [1234.5, 12345, 3]),
        "Swiss": (["1'234.50", "CHF 2’000.-", "5"], [1234.5, 2000, 5]),
        "Indian": (["₹ 12,34,567", "1.5"], [1234567, 1.5]),
        "full width": (["１２．５"], [12.5]),
        "negative": (["-5", "−3.5", "-$2", "$ -4"], [-5, -3.5, -2, -4]),
        "with words": (["12 left", "Stock: 40", "5 stars", "approx. 3", "No 4"], [12, 40, 5, NAME, NAME]),
        "with a scale": (["1.2k", "3M", "900", "2 million"], [1200, 3e6, 900, 2e6]),
        "in per cent": (["12 %", "3.5%"], [12, 3.5]),
        "struck out": (["~~20~~ 15", "~~12~~"], [15, 12]),
        "long": (["12345678901234567890"], [12345678901234567890]),
        "what is none": (
            ["n/a", "3 of 5", "2026-03-01", "E137", "kr", ""],
            [NONE, SEVERAL, SEVERAL, NAME, NONE, "is empty"],
        ),
        "what may be negative": (["(12)", "12-"], ["may be negative"] * 2),
        "what is not exact": (["> 100", "5+", "~ 3"], ["is no exact number"] * 3),
        "another unit": (["12 kg", "900 g", "3 kg", "5"], [12, "is in g, unlike most", 3, 5]),
        "another currency": (["$ 12", "€ 9", "$ 3"], [12, "is in eur, unlike most", 3]),
        "one in another style": (["1,234.50", "2,50"], [1234.5, "is no number as the others of its column are"]),
    },
)
def test_numbers(cells: list[str], values: list[object]) -> None:
    assert read(NUMBER, cells) == values


def test_an_example_decides_how_numbers_are_written() -> None:
    cells = ["1.234", "2.500"]

    assert read(NUMBER, cells, {0: 1234}) == [1234, 2500]
    assert read(NUMBER, cells, {1: 2.5}) == [1.234, 2.5]
    assert read(NUMBER, cells) == [
        "may be 1.234 or 1234, as no sample tells",
        "may be 2.5 or 2500, as no sample tells",
    ]
    assert read(NUMBER, ["12 %", "5 %"], {0: 0.12}) == [0.12, 0.05]
    assert read(NUMBER, ["5 m", "2 m"], {1: 2}) == [5, 2]
    assert read(NUMBER, ["No 4", "M12", "at $ 3"], {0: 4}) == [4, NAME, 3]
    assert read(INTEGER, ["1.234", "12", "3 m²", "5²"]) == [1234, 12, SEVERAL, SEVERAL]


@table(
    ("schema", "cells", "values"),
    {
        "whole numbers": (INTEGER, ["1,200", "1.0", "2.5"], [1200, 1, "is no whole number"]),
        "texts": (TEXT, [" a\nb ", "~~12~~ 10 €", "", ["a", "b"]], ["a b", "10 €", "", "a · b"]),
        "texts that may be null": ({"type": ["string", "null"]}, ["a", ""], ["a", None]),
        "one of several": (
            {"enum": ["In stock", 7, None]},
            ["in  STOCK", "7", "gone"],
            ["In stock", 7, "is none of its values"],
        ),
        "one alone": ({"const": "x"}, ["X"], ["x"]),
        "yes and no": ({"type": "boolean"}, ["yes", "FALSE", "maybe"], [True, False, "does not say yes or no"]),
        "dates": (
            {"type": "string", "format": "date"},
            ["Mar 5, 2026", "2026-03-05", "5. März 2026", "soon", "3/4/2026"],
            ["2026-03-05"] * 3 + ["is no date that can be read in one way only"] * 2,
        ),
        "lists": ({"type": "array"}, [["a", "b"], "", "a, b"], [["a", "b"], [], "is no value that code can read"]),
        "objects": ({"type": "object"}, ["a"], ["is no value that code can read"]),
        "a type or null": ({"anyOf": [{"type": "number"}, {"type": "null"}]}, ["1", ""], [1, None]),
    },
)
def test_other_values(schema: dict[str, Any], cells: list[Any], values: list[object]) -> None:
    assert read(schema, cells) == values


def test_what_texts_mean_that_are_no_values() -> None:
    leaf = LeafSchema(INTEGER, frozenset({"integer", "null"}), required=False)

    assert values_of(["ask us", "-", "3"], leaf, {"Ask us": None, "-": 0}, {}) == [None, 0, 3]
    assert values_of([""], LeafSchema(NUMBER, frozenset({"number"}), required=False), {}, {}) == [MISSING]


def test_the_fields_of_nested_objects_are_called_by_their_paths() -> None:
    money = {"type": "object", "properties": {"amount": NUMBER, "unit": TEXT}, "required": ["amount"]}
    schema = {"type": "object", "properties": {"name": TEXT, "price": {"$ref": "#/$defs/money"}}, "required": ["price"]}

    leaves = leaves_of(schema, {"$defs": {"money": money}})

    assert {path: leaf.required for path, leaf in leaves.items()} == {
        "name": False,
        "price.amount": True,
        "price.unit": False,
    }
