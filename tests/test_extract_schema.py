"""Schemas that callers give: what is wrong with them, what of them is not enforced, and what does not fit."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from cdp_agent.errors import SetupError
from cdp_agent.extract.form import form_of
from cdp_agent.extract.schema import compile_schema
from cdp_agent.extract.shape import as_object, lists_in
from tests.tables import table

NO_FETCHING = "Schemas are not fetched: write the definition into $defs and refer to it as #/$defs/NAME."
WRONG: dict[str, tuple[Any, str]] = {
    "an unknown type": (
        {"type": "array", "items": {"type": "strng"}},
        'The schema is wrong at $.items.type: "strng" is no type. '
        "There are array, boolean, integer, null, number, object, string.",
    ),
    "a remote reference": (
        {"properties": {"a": {"$ref": "https://example.com/a.json"}}},
        f"The schema refers to https://example.com/a.json. {NO_FETCHING}",
    ),
    "a reference to nothing": ({"$ref": "#/$defs/x"}, "The schema is wrong: Pointer '/$defs/x' does not exist."),
    "a bad pattern": ({"pattern": "(["}, 'The schema is wrong at $.pattern: "([" is not a "regex".'),
    "a keyword of another type": (
        {"properties": []},
        'The schema is wrong at $.properties: [] is not of type "object".',
    ),
    "another dialect": (
        {"$schema": "http://json-schema.org/draft-04/schema#"},
        "$schema is 'http://json-schema.org/draft-04/schema#': only 2020-12 and draft 7 of JSON Schema are known.",
    ),
    "no schema": ("string", "The schema must be a JSON object, not str."),
    "what JSON cannot hold": ({"const": object()}, "The schema is wrong: Unsupported type: 'object'."),
}


@table("case", [*WRONG])
def test_a_wrong_schema_says_what_is_wrong_with_it(case: str) -> None:
    schema, message = WRONG[case]

    with pytest.raises(SetupError) as raised:
        compile_schema(schema)

    assert str(raised.value) == message


def test_nothing_is_unenforced_in_silence() -> None:
    schema = compile_schema(
        {
            "minimun": 3,
            "then": True,
            "minContains": 2,
            "properties": {"a": {"format": "currency"}, "b": {"format": "date", "contentMediaType": "text/html"}},
        }
    )

    assert schema.notices == [
        "Not checked: minimun at $.",
        "Not checked: then at $: there is no if.",
        "Not checked: minContains at $: there is no contains.",
        "Not checked: contentMediaType at $.properties.b.",
        "Not checked: format 'currency' at $.properties.a.",
    ]


def test_draft_7_is_chosen_by_the_schema_and_ignores_what_stands_beside_a_reference() -> None:
    schema = compile_schema(
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "definitions": {"list": {"type": "array"}},
            "properties": {"a": {"$ref": "#/definitions/list", "maxItems": 1}},
            "items": [{"type": "integer"}],
        }
    )

    assert schema.fits({"a": [1, 2]})
    assert not schema.fits(["x"])
    assert schema.notices == ["Not checked: maxItems at $.properties.a: draft 7 ignores what stands beside $ref."]


def test_everything_that_does_not_fit_is_told_with_its_path() -> None:
    schema = compile_schema(
        {
            "type": "object",
            "properties": {
                "day": {"format": "date"},
                "prices": {"type": "array", "items": {"type": "number"}},
            },
            "required": ["name"],
        }
    )

    problems = schema.problems({"day": "soon", "prices": [1, "2", "x"]})

    assert sorted(map(str, problems)) == [
        '$.day: "soon" is not a "date"',
        '$.prices[1]: "2" is not of type "number"',
        '$.prices[2]: "x" is not of type "number"',
        '$: "name" is a required property',
    ]


def test_a_schema_that_is_no_object_is_wrapped_and_its_references_still_lead_there() -> None:
    schema = {
        "type": "array",
        "items": {"anyOf": [{"$ref": "#/$defs/leaf"}, {"$ref": "#"}]},
        "$defs": {"leaf": {"type": "integer"}},
    }

    whole = {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/leaf"}, {"$ref": "#/$defs/value"}]}}
    assert as_object(schema) == {
        "type": "object",
        "properties": {"result": whole},
        "required": ["result"],
        "additionalProperties": False,
        "$defs": {"leaf": {"type": "integer"}, "value": whole},
    }


class Flight(msgspec.Struct):
    to: str
    price: float


def test_a_struct_is_sent_as_an_object() -> None:
    sent = as_object(msgspec.json.schema(Flight))

    assert (sent["type"], sent["required"]) == ("object", ["to", "price"])


class Sums(msgspec.Struct):
    sums: list[float]


NUMBERS: dict[str, Any] = {"type": "array", "items": {"type": "number"}}
NAME = {"type": "string"}


@table(
    ("schema", "lists", "rest"),
    {
        "a list": ({"type": "array", "maxItems": 3}, {(): 3}, None),
        "a property": ({"type": "object", "properties": {"a": {"type": "array"}}}, {("a",): None}, None),
        "a type": (msgspec.json.schema(Sums), {("sums",): None}, None),
        "several": ({"type": "object", "properties": {"a": NUMBERS, "b": NUMBERS}}, {("a",): None, ("b",): None}, None),
        "one within another object": (
            {
                "type": "object",
                "properties": {"of": {"type": "object", "properties": {"a": NUMBERS, "n": NAME}}, "m": NAME},
                "required": ["of", "m"],
            },
            {("of", "a"): None},
            {
                "type": "object",
                "properties": {"of": {"type": "object", "properties": {"n": NAME}, "required": []}, "m": NAME},
                "required": ["of", "m"],
            },
        ),
        "one that may be null": ({"anyOf": [NUMBERS, {"type": "null"}]}, None, None),
        "one within a list": ({"type": "array", "items": NUMBERS}, {(): None}, None),
        "names that are not known": (
            {"type": "object", "properties": {}, "patternProperties": {"": NUMBERS}},
            None,
            None,
        ),
        "none": ({"type": "object", "properties": {"a": NAME}}, None, None),
        "nothing": (True, None, None),
    },
)
def test_the_lists_in_a_schema(schema: Any, lists: dict[tuple[str, ...], int | None] | None, rest: Any) -> None:
    found = lists_in(schema)

    assert (found and found.most) == lists
    assert (found and found.rest) == rest


def test_what_holds_for_the_whole_list_does_not_for_a_part() -> None:
    found = lists_in({"type": "object", "properties": {"a": {"minItems": 3, **NUMBERS}, "n": NAME}})

    assert found is not None
    assert found.part == {
        "type": "object",
        "properties": {"a": NUMBERS},
        "required": ["a"],
        "additionalProperties": False,
    }


def test_the_lists_of_parts_are_put_one_after_the_other_and_equal_elements_stay_several() -> None:
    lists = lists_in({"type": "object", "properties": {"a": {"maxItems": 3, **NUMBERS}, "b": NUMBERS, "n": NAME}})
    assert lists is not None

    whole = lists.joined([{"a": [1, 2], "b": []}, {"a": [2, 3], "b": [1]}], {"n": "Ada"})

    assert whole == {"n": "Ada", "a": [1, 2, 2], "b": [1]}


@pytest.mark.parametrize("schema", [{}, True])
def test_an_empty_schema_counts_as_none_and_says_so(schema: Any) -> None:
    assert form_of(schema, None) == (None, ["The schema is empty, so it counts as none: the answer is text."])


@pytest.mark.parametrize(
    ("schema", "answer", "message"),
    [
        (False, None, "The schema false allows no answer at all."),
        ({"type": "array"}, list[int], "Give a schema or a type for the answer, not both."),
        (None, complex, "<class 'complex'> cannot be the type of an answer: "),
    ],
)
def test_a_form_that_is_none(schema: Any, answer: Any, message: str) -> None:
    with pytest.raises(SetupError) as raised:
        form_of(schema, answer)

    assert str(raised.value).startswith(message)


def test_an_answer_that_is_nested_too_deep_is_a_problem_of_the_answer() -> None:
    form, _ = form_of({"type": "array"}, None)
    assert form is not None

    _, problems = form.read("[" * 5000)

    assert [each.path for each in problems] == ["$", "$"]
    assert "not JSON (nested too deep)" in problems[0].message
