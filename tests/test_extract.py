"""Extraction from real pages, with a model whose replies are given here, over a provider's real wire."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.browser import Browser
from cdp_agent.errors import BadReply, Refused, SetupError
from cdp_agent.extract import Ungrounded, extract
from cdp_agent.page.page import Page
from cdp_agent.providers.base import Usage, Wire
from cdp_agent.providers.openai import openai
from tests.chat_model import FLIGHTS, FOUND, SCHEMA, Model
from tests.conftest import Serve
from tests.tables import table
from tests.writing import put


class Flight(msgspec.Struct):
    to: str
    price: float


@pytest.fixture
def model(httpserver: HTTPServer) -> Model:
    return Model(httpserver)


@pytest.fixture(scope="module")
async def flights(shared_browser: Browser) -> AsyncIterator[Page]:
    """Extracting only reads: one page for all."""
    page = await shared_browser.new_page()
    await put(page, FLIGHTS)
    yield page
    await page.close()


async def test_without_a_schema_it_is_markdown(flights: Page, model: Model) -> None:
    model.say("Two flights.")

    async with model.client() as client:
        found = await extract(flights, "How many flights?", model=client)

    assert (found.value, found.ungrounded, found.calls) == ("Two flights.", [], 1)
    (request,) = model.requests
    assert "response_format" not in request
    assert request["messages"][1]["content"] == (
        "Wanted: How many flights?\n\n"
        f'<untrusted label="page">\nAddress: {flights.url}\nTitle: Flights\n\n'
        "| To | Price |\n| --- | --- |\n| Bergen | kr 1.299,00 |\n| Tromsø | kr 2.450,00 |\n\n"
        "[Frame about:srcdoc]\n\nSeats left: 7\n\n[End of frame]\n</untrusted>"
    )


async def test_a_list_over_pages_is_one_and_what_leads_on_is_told(page: Page, serve: Serve, model: Model) -> None:
    def people(*numbers: int) -> str:
        return "<table><tr><th>Name" + "".join(f"<tr><td>P{n}" for n in numbers) + "</table>"

    serve(people(4, 5, 6), path="/people/page/2")
    await page.goto(serve(people(1, 2, 3) + "<a href=/people/page/2>Next</a>", path="/people/"))
    names = [f"P{n}" for n in range(1, 7)]
    model.say(json.dumps({"result": names[:3]}), json.dumps({"result": names}))
    schema = {"type": "array", "items": {"type": "string"}}

    async with model.client() as client:
        first = await extract(page, "All names", model=client, schema=schema)
        both = await extract(page, "All names", model=client, schema=schema, pages=5)

    assert [notice.partition(" E")[0] for notice in first.notices] == ["Not all is on the page: 3 rows; next page"]
    assert (both.value, both.ungrounded) == (names, [])
    assert both.notices[0] == "2 pages read: there is no next page."


async def test_with_a_schema_the_provider_is_told_the_form(flights: Page, model: Model) -> None:
    model.say(json.dumps({"result": FOUND}))

    async with model.client() as client:
        found = await extract(flights, "All flights", model=client, schema=SCHEMA)

    assert (found.value, found.ungrounded, found.notices) == (FOUND, [], [])
    assert found.usage == Usage(input_tokens=100, output_tokens=10)
    assert model.requests[0]["response_format"] == {
        "type": "json_schema",
        "json_schema": {
            "name": "extraction",
            "strict": True,
            "schema": {
                "type": "object",
                "properties": {"result": SCHEMA},
                "required": ["result"],
                "additionalProperties": False,
            },
        },
    }


async def test_a_wire_without_structured_output_is_given_a_tool(flights: Page, model: Model) -> None:
    wire = cast(Wire, SimpleNamespace(**{**vars(openai), "JSON_OUTPUT": False}))
    model.says = lambda _: {"name": "answer", "arguments": json.dumps({"result": FOUND})}

    async with model.client(wire) as client:
        found = await extract(flights, "All flights", model=client, schema=SCHEMA)

    assert found.value == FOUND
    (request,) = model.requests
    assert "response_format" not in request
    assert (request["tools"][0]["function"]["name"], request["tool_choice"]) == ("answer", "required")


async def test_a_type_gives_values_of_that_type(flights: Page, model: Model) -> None:
    model.say(json.dumps({"result": FOUND}))

    async with model.client() as client:
        found = await extract(flights, "All flights", model=client, answer=list[Flight])

    assert found.value == [Flight("Bergen", 1299.0), Flight("Tromsø", 2450.0)]


@pytest.mark.parametrize("text", ["```json\n{}\n```", "{}"])
async def test_a_struct_needs_no_wrapper_and_a_fence_does_no_harm(flights: Page, model: Model, text: str) -> None:
    model.say(text.replace("{}", '{"to": "Bergen", "price": 1299}'))

    async with model.client() as client:
        found = await extract(flights, "The first flight", model=client, answer=Flight)

    assert found.value == Flight("Bergen", 1299.0)


async def test_an_invented_value_is_seen(flights: Page, model: Model) -> None:
    model.say(json.dumps({"result": [{"to": "Paris", "price": 1299}, {"to": "Bergen", "price": 7}]}))

    async with model.client() as client:
        found = await extract(flights, "All flights", model=client, schema=SCHEMA)

    assert found.ungrounded == [Ungrounded("$[0].to", "Paris")]


async def test_a_reply_that_never_fits_tells_every_error(flights: Page, model: Model) -> None:
    model.says = lambda _: json.dumps({"result": [{"to": "Bergen", "price": "1299"}, {"price": 1}]})

    async with model.client() as client:
        with pytest.raises(BadReply) as raised:
            await extract(flights, "All flights", model=client, schema=SCHEMA)

    assert str(raised.value) == (
        'openai: the answer does not fit the schema: $[0].price: "1299" is not of type "number"; '
        '$[1]: "to" is a required property'
    )


@pytest.mark.parametrize(
    ("said", "finish", "message"),
    [
        ("Bergen", "stop", "openai: the answer does not fit the schema: $: not JSON (JSON is malformed: "),
        ('{"result": [', "length", "openai: the answer was cut off at the model's length limit"),
        ("", "content_filter", "openai: the model or a filter of its provider refused to answer (it did not say why)."),
    ],
)
async def test_replies_that_are_none(flights: Page, model: Model, said: str, finish: str, message: str) -> None:
    model.finish = finish
    model.says = lambda _: said

    async with model.client() as client:
        with pytest.raises((BadReply, Refused)) as raised:
            await extract(flights, "All flights", model=client, schema=SCHEMA)

    assert str(raised.value).startswith(message)


async def test_what_does_not_fit_is_sent_back_with_what_is_wrong(flights: Page, model: Model) -> None:
    wrong = json.dumps({"result": [{"to": "Bergen", "price": "kr 1.299"}]})
    model.say(wrong, json.dumps({"result": FOUND}))

    async with model.client() as client:
        found = await extract(flights, "All flights", model=client, schema=SCHEMA)

    assert (found.value, found.calls, found.usage.input_tokens) == (FOUND, 2, 200)
    assert model.requests[1]["messages"][2:] == [
        {"role": "assistant", "content": wrong},
        {
            "role": "user",
            "content": 'This does not fit the form:\n\n<untrusted label="what does not fit">\n'
            '$[0].price: "kr 1.299" is not of type "number"\n</untrusted>\n\n'
            "Answer again with the whole JSON, put right.",
        },
    ]


async def test_a_third_reply_that_does_not_fit_ends_it(flights: Page, model: Model) -> None:
    model.says = lambda _: "{}"

    async with model.client() as client:
        with pytest.raises(BadReply):
            await extract(flights, "All flights", model=client, schema=SCHEMA)

    assert len(model.requests) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"schema": {"type": "lst"}}, 'The schema is wrong at $.type: "lst" is no type.'),
        ({"schema": {"$ref": "https://example.com/x"}}, "The schema refers to https://example.com/x."),
        ({"answer": complex}, "<class 'complex'> cannot be the type of an answer"),
        ({"context_tokens": 100}, "100 tokens leave no room for a page"),
        ({"description": " "}, "The description is empty"),
    ],
)
async def test_what_the_caller_got_wrong_costs_no_call(
    flights: Page, model: Model, arguments: dict[str, Any], message: str
) -> None:
    async with model.client() as client:
        with pytest.raises(SetupError) as raised:
            await extract(flights, **{"description": "x", "model": client, **arguments})

    assert str(raised.value).startswith(message)
    assert model.requests == []


ROWS = '[{"to": "Bergen", "price": "1299"}, {"to": "Tromsø", "price": 2450}]'


@table(
    "text",
    {
        "a number as a text": ROWS,
        "wrapped": f'{{"result": {ROWS}}}',
        "thoughts before it": f"<think>Two rows [1, 2], {{a}}.</think>{ROWS}",
        "words around it": f"Here they are:\n\n```json\n{ROWS}\n```\nThat is all.",
        "words around an object": f'Sure: {{"result": {ROWS}}}.',
        "a trailing comma": ROWS.replace("}]", "},]"),
    },
)
async def test_what_a_small_model_writes_is_read_without_another_call(text: str, flights: Page, model: Model) -> None:
    model.requests.clear()
    model.say(text)

    async with model.client() as client:
        found = await extract(flights, "All flights", model=client, schema=SCHEMA)

    assert (found.value, found.calls) == (FOUND, 1)


async def test_a_list_without_its_end_is_not_taken_for_all(flights: Page, model: Model) -> None:
    model.say('Here: [{"to": "Bergen", "price": 1299}, {"to": "Troms', json.dumps({"result": FOUND}))

    async with model.client() as client:
        found = await extract(flights, "All flights", model=client, schema=SCHEMA)

    assert (found.value, found.calls) == (FOUND, 2)
