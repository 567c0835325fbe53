"""The tool `extract`: what the model that calls it reads, and what whoever watches the run is told."""

from __future__ import annotations

import json
from contextlib import aclosing
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.agent.agent import Agent
from cdp_agent.browser import Browser
from cdp_agent.errors import ActionError, InvalidArguments, SetupError
from cdp_agent.events import AgentStatus
from cdp_agent.page.page import Page
from cdp_agent.providers.base import Usage
from cdp_agent.providers.client import Client
from cdp_agent.tools import BUILT_IN
from cdp_agent.tools.base import Context, Observation
from tests.chat_model import FLIGHTS, SCHEMA, Model
from tests.writing import put


@pytest.fixture
def model(httpserver: HTTPServer) -> Model:
    return Model(httpserver)


@pytest.fixture
async def flights(page: Page) -> Page:
    await put(page, FLIGHTS)
    return page


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
        '[{"to":"Paris","price":1299}]\n\n'
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
    model.says = lambda _: "[]"

    async with model.client() as client:
        with pytest.raises(ActionError) as raised:
            await call(flights, browser, client, description="All", output_schema={"type": "array", "minItems": 1})

    assert str(raised.value) == (
        "Nothing was extracted. openai: the answer does not fit the schema: $: [] has less than 1 item"
    )


async def test_without_a_model_the_tool_says_what_it_needs(flights: Page, browser: Browser) -> None:
    with pytest.raises(SetupError, match="extract needs a model: set CDP_AGENT_MODEL"):
        await call(flights, browser, None, description="All")


async def test_whoever_watches_a_run_is_told_the_notice(browser: Browser, flights: Page, model: Model) -> None:
    def says(request: dict[str, Any]) -> str | dict[str, Any]:
        if "Wanted: All" in request["messages"][-1]["content"]:
            return "Two flights."
        offered = {each["function"]["name"]: each["function"]["parameters"] for each in request["tools"]}
        if "extract" not in offered:  # it is to plan: whatever it is asked for
            (name, parameters), *_ = offered.items()
            return {"name": name, "arguments": json.dumps(dict.fromkeys(parameters["required"], "Extract them."))}
        if any(each["role"] == "tool" for each in request["messages"]):
            return {"name": "abort", "arguments": json.dumps({"reason": "Enough."})}
        return {"name": "extract", "arguments": json.dumps({"description": "All", "output_schema": {}})}

    model.says = says
    agent = Agent(browser, model="openai/gpt-test", base_url=model.url, api_key="key")

    async with aclosing(agent.stream("How many flights?", page=flights)) as events:
        told = [event.message async for event in events if isinstance(event, AgentStatus)]

    assert "The schema is empty, so it counts as none: the answer is text." in told
