"""Extraction from real pages, with a model whose replies are given here, over a provider's real wire."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cdp_agent.browser import Browser
from cdp_agent.errors import ActionError, BadReply, ContextTooLong, InvalidArguments, SetupError
from cdp_agent.extract import Ungrounded, extract
from cdp_agent.page.page import Page
from cdp_agent.providers import openai
from cdp_agent.providers.base import Usage, Wire
from cdp_agent.providers.client import Client
from cdp_agent.providers.services import Endpoint
from cdp_agent.tools import BUILT_IN
from cdp_agent.tools.base import Context, Observation
from tests.conftest import Serve

FLIGHTS = """<title>Flights</title><table><tr><th>To<th>Price
<tr><td>Bergen<td>kr 1.299,00<tr><td>Tromsø<td>kr 2.450,00</table><iframe srcdoc="<p>Seats left: 7"></iframe>"""
SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"to": {"type": "string"}, "price": {"type": "number"}},
        "required": ["to", "price"],
        "additionalProperties": False,
    },
}
FOUND = [{"to": "Bergen", "price": 1299}, {"to": "Tromsø", "price": 2450}]


class Flight(msgspec.Struct):
    to: str
    price: float


class Model:
    """A chat-completions server. What it says is a text, or (status, error); `requests` are the bodies it got."""

    def __init__(self, server: HTTPServer) -> None:
        self.requests: list[dict[str, Any]] = []
        self.says: Callable[[dict[str, Any]], str | tuple[int, Any]] = lambda _: "?"
        self.calls_tool = False
        self.finish = "stop"
        self._url = server.url_for("/v1")
        server.expect_request("/v1/chat/completions", method="POST").respond_with_handler(self._answer)

    def say(self, *texts: str) -> None:
        replies = iter(texts)
        self.says = lambda _: next(replies)

    def client(self, wire: Wire = cast(Wire, openai)) -> Client:  # noqa: B008 (a module)
        return Client(Endpoint("openai", wire, self._url, "gpt-test", "key"))

    def _answer(self, request: Request) -> Response:
        body = json.loads(request.get_data())
        self.requests.append(body)
        said = self.says(body)
        if isinstance(said, tuple):
            return Response(json.dumps({"error": said[1]}), said[0], content_type="application/json")
        message: dict[str, Any] = {"role": "assistant", "content": said}
        if self.calls_tool:
            function = {"name": body["tools"][0]["function"]["name"], "arguments": said}
            message = {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": function}]}
        usage = {"prompt_tokens": 100, "completion_tokens": 10}
        reply = {"choices": [{"message": message, "finish_reason": self.finish}], "usage": usage}
        return Response(json.dumps(reply), content_type="application/json")


@pytest.fixture
def model(httpserver: HTTPServer) -> Model:
    return Model(httpserver)


@pytest.fixture
async def flights(page: Page, serve: Serve) -> Page:
    await page.goto(serve(FLIGHTS))
    return page


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
    model.calls_tool = True
    model.say(json.dumps({"result": FOUND}))

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


async def test_a_reply_that_does_not_fit_costs_one_call_and_tells_every_error(flights: Page, model: Model) -> None:
    model.says = lambda _: json.dumps({"result": [{"to": "Bergen", "price": "1299"}, {"price": 1}]})

    async with model.client() as client:
        with pytest.raises(BadReply) as raised:
            await extract(flights, "All flights", model=client, schema=SCHEMA)

    assert str(raised.value) == (
        'openai: the answer does not fit the schema: $[0].price: "1299" is not of type "number"; '
        '$[1]: "to" is a required property'
    )
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    ("said", "finish", "message"),
    [
        ("Bergen", "stop", "openai: the answer does not fit the schema: $: not JSON (JSON is malformed: "),
        ('{"result": [', "length", "openai: the answer was cut off at the model's length limit"),
        ("", "content_filter", "openai: the provider's content filter withheld the answer."),
    ],
)
async def test_replies_that_are_none(flights: Page, model: Model, said: str, finish: str, message: str) -> None:
    model.finish = finish
    model.say(said)

    async with model.client() as client:
        with pytest.raises(BadReply) as raised:
            await extract(flights, "All flights", model=client, schema=SCHEMA)

    assert str(raised.value).startswith(message)


async def test_a_repair_sends_the_errors_back_once(flights: Page, model: Model) -> None:
    wrong = json.dumps({"result": [{"to": "Bergen", "price": "1299"}]})
    model.say(wrong, json.dumps({"result": FOUND}))

    async with model.client() as client:
        found = await extract(flights, "All flights", model=client, schema=SCHEMA, repair=True)

    assert (found.value, found.calls, found.usage.input_tokens) == (FOUND, 2, 200)
    assert model.requests[1]["messages"][2:] == [
        {"role": "assistant", "content": wrong},
        {
            "role": "user",
            "content": 'This does not fit the form: $[0].price: "1299" is not of type "number". '
            "Answer again with the whole JSON, put right.",
        },
    ]


async def test_a_second_reply_that_does_not_fit_ends_it(flights: Page, model: Model) -> None:
    model.says = lambda _: "{}"

    async with model.client() as client:
        with pytest.raises(BadReply):
            await extract(flights, "All flights", model=client, schema=SCHEMA, repair=True)

    assert len(model.requests) == 2


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


ROWS = "".join(f"<tr><td>Place {i}<td>kr {i},00" for i in range(1, 601))


def rows_seen(request: dict[str, Any]) -> list[dict[str, Any]]:
    """What a diligent model makes of the rows in its part."""
    text = request["messages"][1]["content"]
    return [{"to": f"Place {i}", "price": int(i)} for i in re.findall(r"\| Place (\d+) \|", text)]


async def test_the_lists_of_a_long_page_are_put_together(page: Page, serve: Serve, model: Model) -> None:
    await page.goto(serve(f"<h1>Flights</h1><table><tr><th>To<th>Price{ROWS}</table>"))
    # Each part's model repeats the first row, which must not be there twice.
    model.says = lambda request: json.dumps({"result": [{"to": "place 1", "price": 1}, *rows_seen(request)]})

    async with model.client() as client:
        found = await extract(
            page, "All flights", model=client, schema={**SCHEMA, "minItems": 600}, context_tokens=4000
        )

    assert [each["price"] for each in found.value] == list(range(1, 601))
    assert found.notices == [f"The page is long: it was read in {found.calls} parts."]
    assert found.ungrounded == []
    assert all("| To | Price |" in request["messages"][1]["content"] for request in model.requests)


async def test_other_forms_are_answered_from_what_was_found_in_the_parts(
    page: Page, serve: Serve, model: Model
) -> None:
    await page.goto(serve(f"<table><tr><th>To<th>Price{ROWS}</table>"))

    def says(request: dict[str, Any]) -> str:
        text = request["messages"][1]["content"]
        part = re.search(r"This is part (\d+) of (\d+)", text)
        if part:
            return f"- {len(rows_seen(request))} flights here"
        return json.dumps({"flights": sum(map(int, re.findall(r"- (\d+) flights here", text)))})

    model.says = says
    schema = {"type": "object", "properties": {"flights": {"type": "integer"}}, "required": ["flights"]}

    async with model.client() as client:
        found = await extract(page, "How many flights?", model=client, schema=schema, context_tokens=4000)

    assert found.value == {"flights": 600}
    assert "response_format" not in model.requests[0]
    assert "response_format" in model.requests[-1]


async def test_a_context_that_is_smaller_than_thought_makes_more_parts(page: Page, serve: Serve, model: Model) -> None:
    await page.goto(serve(f"<table><tr><th>To<th>Price{ROWS}</table>"))

    def says(request: dict[str, Any]) -> str | tuple[int, Any]:
        if len(json.dumps(request)) > 12_000:
            return 400, {"code": "context_length_exceeded", "message": "maximum context length is 2000 tokens"}
        return json.dumps({"result": rows_seen(request)})

    model.says = says

    async with model.client() as client:
        found = await extract(page, "All flights", model=client, schema=SCHEMA, context_tokens=20_000)

    assert len(found.value) == 600


async def test_a_context_that_is_never_large_enough_is_an_error(flights: Page, model: Model) -> None:
    model.says = lambda _: (400, {"code": "context_length_exceeded", "message": "maximum context length is 5 tokens"})

    async with model.client() as client:
        with pytest.raises(ContextTooLong):
            await extract(flights, "All", model=client, schema=SCHEMA)


async def call(flights: Page, browser: Browser, client: Client | None, **arguments: Any) -> Observation:
    tool = BUILT_IN["extract"]
    found = await tool.run(tool.parse(arguments), Context(flights, browser, client))
    assert isinstance(found, Observation)
    return found


async def test_the_tool_tells_the_model_what_may_be_made_up(flights: Page, browser: Browser, model: Model) -> None:
    model.say(json.dumps({"result": [{"to": "Paris", "price": 1299}]}))

    async with model.client() as client:
        found = await call(flights, browser, client, description="All", output_schema=json.dumps(SCHEMA))

    assert found.text == (
        '[\n {\n  "to": "Paris",\n  "price": 1299\n }\n]\n\n'
        "Not found on the page, so perhaps made up: $[0].to = 'Paris'. Check before you use them."
    )
    assert found.usage == Usage(input_tokens=100, output_tokens=10)


async def test_an_empty_schema_is_none_and_a_notice_tells_it(flights: Page, browser: Browser, model: Model) -> None:
    model.say("Two flights.")

    async with model.client() as client:
        found = await call(flights, browser, client, description="All", output_schema={})

    notice = "The schema is empty, so it counts as none: the answer is text."
    assert (found.text, found.notices) == (f"Two flights.\n\n{notice}", (notice,))
    assert "response_format" not in model.requests[0]


async def test_a_model_hears_what_is_wrong_with_its_schema(flights: Page, browser: Browser, model: Model) -> None:
    async with model.client() as client:
        with pytest.raises(InvalidArguments) as raised:
            await call(flights, browser, client, description="All", output_schema={"type": "lst"})

    assert str(raised.value).startswith('extract: The schema is wrong at $.type: "lst" is no type.')
    assert model.requests == []


async def test_a_model_hears_when_the_reply_did_not_fit(flights: Page, browser: Browser, model: Model) -> None:
    model.say("[]")

    async with model.client() as client:
        with pytest.raises(ActionError) as raised:
            await call(flights, browser, client, description="All", output_schema={"type": "array", "minItems": 1})

    assert str(raised.value) == (
        "Nothing was extracted. openai: the answer does not fit the schema: $: [] has less than 1 item"
    )


async def test_without_a_model_the_tool_says_what_it_needs(flights: Page, browser: Browser) -> None:
    with pytest.raises(SetupError, match="extract needs a model: set CDP_AGENT_MODEL"):
        await call(flights, browser, None, description="All")
