"""A real model behind a real server: what it says is nobody's script, and how well is not the question here."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from typing import Any

import pytest

from cdp_agent.errors import ContextTooLong
from cdp_agent.extract.extraction import extract
from cdp_agent.page.page import Page
from cdp_agent.providers.base import Reply, Request, System, Text, ToolSpec, User
from cdp_agent.providers.client import Client
from cdp_agent.providers.request_options import RequestOptions
from cdp_agent.providers.services import endpoint
from cdp_agent.tools import BUILT_IN
from tests import llama
from tests.chat_model import FLIGHTS
from tests.conftest import Serve

pytestmark = [pytest.mark.slow, pytest.mark.skipif(llama.MISSING is not None, reason=str(llama.MISSING))]

CALLS = int(os.environ.get("CDP_AGENT_LLAMA_CALLS", "10"))
"""How often a constrained call is asked for: a hundred take some minutes."""
SEATS = {
    "type": "object",
    "properties": {
        "to": {"type": "array", "items": {"enum": ["Bergen", "Oslo", "Tromsø"]}, "maxItems": 3},
        "seats": {"type": "integer", "minimum": 0, "maximum": 400},
    },
    "required": ["to", "seats"],
    "additionalProperties": False,
}
"""Whatever fits it is short: the model hardly ever ends a list that it may go on with."""
CALLED = ("click", "fill", "select", "goto", "scroll", "wait", "done")


@pytest.fixture(scope="module")
def server() -> Iterator[llama.Llama]:
    with llama.running() as running:
        yield running


def asking(server: llama.Llama, request_options: RequestOptions = RequestOptions()) -> Client:  # noqa: B008 (frozen)
    return Client(
        endpoint("openai-compatible/smollm2", base_url=server.base_url, environment={}), request_options=request_options
    )


def saying(text: str) -> Request:
    return Request("smollm2", (User((Text(text),)),))


def calling(number: int) -> Request:
    """A request for a call; every one names another element, of those that are there."""
    specs = tuple(ToolSpec(each.name, each.description, each.parameters) for each in map(BUILT_IN.get, CALLED) if each)
    refs = tuple(f"E{ref}" for ref in range(number + 1, number + 41))
    words = f'The page now:\n- button "Save" [ref={refs[number % 40]}]\n\nTask: press the button "Save".'
    messages = (System("You operate a web browser."), User((Text(words),)))
    return Request("smollm2", messages, specs, "required", refs=refs)


async def test_a_reply_is_streamed_and_counted(server: llama.Llama) -> None:
    async with asking(server, RequestOptions(max_output_tokens=40)) as client:
        reply = await client.ask(saying("Say hello."))

    assert reply.text
    assert reply.finish_reason in ("stop", "length")
    assert reply.usage.input_tokens > 10
    assert 0 < reply.usage.output_tokens <= 40


async def test_two_requests_in_a_row_are_answered(server: llama.Llama) -> None:
    # It closes the connection after a stream, although it announced that it would keep it.
    async with asking(server, RequestOptions(max_output_tokens=5)) as client:
        replies = [await client.ask(saying("Say hello.")) for _ in range(2)]

    assert [bool(reply.text) for reply in replies] == [True, True]


async def test_a_reply_that_reaches_its_limit_says_so(server: llama.Llama) -> None:
    async with asking(server, RequestOptions(max_output_tokens=3)) as client:
        reply = await client.ask(saying("Tell a long story."))

    assert (reply.finish_reason, reply.usage.output_tokens) == ("length", 3)


async def test_cancelling_in_mid_stream_stops_the_model(server: llama.Llama) -> None:
    most = 3000
    async with asking(server, RequestOptions(max_output_tokens=most)) as client:
        # It ends an answer soon by itself, but never an object that it may not close.
        endless = Request("smollm2", (User((Text("Count."),)),), (ENDLESS,), "required")
        asked = asyncio.create_task(_constrained(server, endless))
        while (await _slot(server))["n_decoded"] < 5:
            assert not asked.done()

        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        async with asyncio.timeout(10):
            while (slot := await _slot(server))["is_processing"]:
                pass

        assert slot["n_decoded"] < most
        assert (await client.ask(saying("Hi."))).usage.input_tokens


async def test_a_context_that_is_too_long_has_its_class(server: llama.Llama) -> None:
    async with asking(server) as client:
        with pytest.raises(ContextTooLong) as caught:
            await client.ask(saying("word " * 2 * llama.CONTEXT))

    assert caught.value.status == 400


async def test_an_extraction_has_the_form_that_was_asked_for(server: llama.Llama, page: Page, serve: Serve) -> None:
    await page.goto(serve(FLIGHTS))

    async with asking(server) as client:
        found = await extract(page, "the flights", model=client, schema=SEATS)

    assert set(found.value) == {"to", "seats"}
    assert len(found.value["to"]) <= 3


async def test_every_constrained_call_is_valid(server: llama.Llama) -> None:
    wrong = []
    async with asking(server, RequestOptions(constrained=True)) as client:
        for number in range(CALLS):
            request = calling(number)
            if problem := _problem(request, await client.ask(request)):
                wrong.append(problem)

    assert wrong == []


async def test_a_server_without_tools_is_found_out() -> None:
    told = []
    with llama.running("--no-jinja") as server:
        where = endpoint("openai-compatible/smollm2", base_url=server.base_url, environment={})
        async with Client(where, notice=lambda message, error: told.append(message)) as client:
            reply = await client.ask(calling(1))

    assert _problem(calling(1), reply) is None
    assert told == ["The model has no tool calling: it is asked for its calls as JSON."]


ENDLESS = ToolSpec(
    "count",
    "Count.",
    {
        "type": "object",
        "properties": {"numbers": {"type": "array", "items": {"type": "integer"}, "minItems": 900, "maxItems": 900}},
        "required": ["numbers"],
    },
)


async def _constrained(server: llama.Llama, request: Request) -> Reply:
    async with asking(server, RequestOptions(constrained=True)) as client:
        return await client.ask(request)


async def _slot(server: llama.Llama) -> dict[str, Any]:
    return await asyncio.to_thread(server.slot)


def _problem(request: Request, reply: Reply) -> object:
    """What is wrong with a call: there is none, its arguments do not fit, or its ref is not on the page."""
    if len(reply.tool_calls) != 1:
        return reply
    tool = BUILT_IN[reply.tool_calls[0].name]
    found = tool.parse(reply.tool_calls[0].arguments)
    gone = set(tool.refs_in(found)) - set(request.refs or ())
    return (reply, gone) if gone else None
