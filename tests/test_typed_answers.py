"""Answers in thirty forms, over five wires, as data and as JSON in a text, arrive as what was asked for."""

from __future__ import annotations

import enum
import uuid
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

import jsonschema_rs
import msgspec
import pytest
from msgspec import Meta

from cdp_agent.agent.toolset import TypedDone
from cdp_agent.errors import InvalidArguments
from cdp_agent.extract.form import Form, form_of
from cdp_agent.providers.base import Request, Text, ToolSpec, User
from cdp_agent.providers.constrained import as_json, schema_of
from cdp_agent.tools.ending import DoneArguments
from tests.tables import table
from tests.wires.cases import encode


class Price(msgspec.Struct, frozen=True):
    amount: float
    currency: str | None = None


class Flight(msgspec.Struct, frozen=True):
    to: str
    price: Price
    stops: list[str] = []


class Tree(msgspec.Struct, frozen=True):
    name: str
    children: list[Tree] = []


class Cat(msgspec.Struct, frozen=True, tag=True):
    lives: int


class Dog(msgspec.Struct, frozen=True, tag=True):
    tricks: list[str]


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


LINKED = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"$ref": "#/properties/a"}},
    "required": ["b"],
}
CHAIN = {"type": "object", "properties": {"next": {"anyOf": [{"type": "null"}, {"$ref": "#"}]}}, "required": ["next"]}
NAMED = {
    "type": "array",
    "items": {"$ref": "#/definitions/n"},
    "definitions": {"n": {"type": "string", "minLength": 2}},
}
FORMS: list[tuple[Any, Any, Any]] = [  # the form, the answer as JSON, and what the caller gets
    (str, "Tea", "Tea"),
    (str, "5", "5"),
    (int, 5, 5),
    (float, 14.5, 14.5),
    (bool, True, True),
    (Literal["red", "blue"], "red", "red"),
    (Literal[1, 2, 3], 2, 2),
    (Colour, "blue", Colour.BLUE),
    (str | None, None, None),
    (int | str, "many", "many"),
    (date, "2026-11-22", date(2026, 11, 22)),
    (datetime, "2026-11-22T14:30:00Z", datetime(2026, 11, 22, 14, 30, tzinfo=UTC)),
    (Decimal, "14.50", Decimal("14.50")),
    (uuid.UUID, "6f1e9f0c-0b6b-4f2a-9a51-1f0d4c7b2a11", uuid.UUID("6f1e9f0c-0b6b-4f2a-9a51-1f0d4c7b2a11")),
    (Annotated[int, Meta(ge=1, le=10)], 7, 7),
    (list[int], [1, 2], [1, 2]),
    (list[str], [], []),
    (tuple[str, int], ["a", 1], ("a", 1)),
    (dict[str, float], {"a": 1.5}, {"a": 1.5}),
    (dict[str, list[int]], {"result": [1]}, {"result": [1]}),
    (Price, {"amount": 5.0, "currency": "NOK"}, Price(5.0, "NOK")),
    (Flight, {"to": "Bergen", "price": {"amount": 9.5}}, Flight("Bergen", Price(9.5))),
    (
        list[Flight],
        [{"to": "Oslo", "price": {"amount": 1.0}, "stops": ["Voss"]}],
        [Flight("Oslo", Price(1.0), ["Voss"])],
    ),
    (Tree, {"name": "a", "children": [{"name": "b"}]}, Tree("a", [Tree("b")])),
    (Cat | Dog, {"type": "Dog", "tricks": ["sit"]}, Dog(["sit"])),
    (list[Cat | Dog], [{"type": "Cat", "lives": 9}], [Cat(9)]),
    (
        {"type": "object", "properties": {"amount": {"type": "number"}}, "required": ["amount"]},
        {"amount": 5},
        {"amount": 5},
    ),
    (LINKED, {"b": 3}, {"b": 3}),
    (CHAIN, {"next": {"next": None}}, {"next": {"next": None}}),
    (NAMED, ["ab"], ["ab"]),
]
PARAMETERS = {
    "openai": lambda body: body["tools"][0]["function"]["parameters"],
    "openai_responses": lambda body: body["tools"][0]["parameters"],
    "anthropic": lambda body: body["tools"][0]["input_schema"],
    "google": lambda body: body["tools"][0]["functionDeclarations"][0]["parametersJsonSchema"],
    "ollama": lambda body: body["tools"][0]["function"]["parameters"],
}


def form(answer: Any) -> Form:
    found, _ = form_of(None, answer)
    assert found is not None
    return found


def request(done: TypedDone) -> Request:
    return Request("m", (User((Text("Go."),)),), (ToolSpec(done.name, done.description, done.parameters),), "required")


def read(done: TypedDone, answer: Form, arguments: Any) -> Any:
    parsed = done.parse(msgspec.json.encode(arguments).decode())
    assert isinstance(parsed, DoneArguments)
    value, problems = answer.read(parsed.result)
    assert problems == []
    return value


@table("written", ["data", "text"])
@table("wire", [*PARAMETERS])
@table(("asked", "given", "value"), FORMS)
def test_an_answer_arrives_as_what_was_asked_for(wire: str, asked: Any, given: Any, value: Any, written: str) -> None:
    answer = form(asked)
    done = TypedDone.of(answer)

    sent = PARAMETERS[wire](encode(wire, request(done)))
    as_text = given if isinstance(given, str) else msgspec.json.encode(given).decode()
    arguments = {"result": given if written == "data" else as_text}

    assert jsonschema_rs.validator_for(sent).is_valid({"result": given})
    assert read(done, answer, arguments) == value


@table(("asked", "given", "value"), FORMS)
def test_a_model_without_tools_is_held_to_the_same_form(asked: Any, given: Any, value: Any) -> None:
    done = TypedDone.of(form(asked))

    schema = schema_of(request(done).tools, ("E1",))
    told = as_json(request(done), enforced=False).messages[0]

    assert jsonschema_rs.validator_for(schema).is_valid({"tool": "done", "arguments": {"result": given}})
    for name in done.parameters.get("$defs", {}):
        assert f"\n  {name}: {{" in getattr(told, "text", "")


def test_an_answer_that_stands_by_itself_is_taken() -> None:
    answer = form(Price)

    assert read(TypedDone.of(answer), answer, {"amount": 5, "currency": "NOK"}) == Price(5.0, "NOK")


@pytest.mark.parametrize("arguments", [{}, {"amount": "five"}], ids=["nothing", "another form"])
def test_a_call_without_a_result_says_what_it_takes(arguments: Any) -> None:
    with pytest.raises(InvalidArguments, match=r"It takes \{result\}"):
        TypedDone.of(form(Price)).parse(arguments)


def test_what_is_none_of_the_choices_is_told() -> None:
    value, problems = form(Literal["red", "blue"]).read("green")

    assert value is None
    assert str(problems[-1]) == "$: Invalid enum value 'green'"
