"""What a run may take in all, what it costs, the model that takes over, and models without tools."""

import asyncio
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.agent.agent import Agent
from cdp_agent.agent.base.task import Limits
from cdp_agent.browser import Browser
from cdp_agent.errors import SetupError
from cdp_agent.events import AgentAction, AgentStatus, AiGeneration
from cdp_agent.extract import extraction
from cdp_agent.outcome import TaskError
from cdp_agent.page.page import Page
from cdp_agent.providers.request_options import Patience
from fixtures.replay import ReplayServer, tool_call
from tests.agents import CLICK, DONE, FILL, SHOP, WAIT, of, play, result_of, scripted
from tests.chat_model import Model
from tests.conftest import Serve
from tests.sockets import always, response
from tests.sockets import serve as serving

PLAN = tool_call("create_plan", {"success_criteria": "It is found.", "plan": "1. Look."})
JUDGED = tool_call("validate_task", {"task_assessment": "Found.", "completion_quality": "complete"})
TURNS = [PLAN, WAIT, WAIT, DONE, JUDGED]
"""Each takes 100 tokens of input and 10 of output."""


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    path = tmp_path / "prices.json"
    models = {"openai-compatible/scripted": {"input": 10, "output": 100}}
    path.write_text(json.dumps({"date": "2026-01-01", "source": "test", "models": models}))
    return path


async def test_tokens_end_a_task_with_a_result(browser: Browser, page: Page) -> None:
    events, server = await play(browser, page, TURNS, limits=Limits(max_tokens_total=330))

    assert result_of(events).error == TaskError("max_tokens", "It took 330 tokens; max_tokens_total is 330.")
    assert len(server.requests) == 3


async def test_money_ends_a_task_with_a_result(browser: Browser, page: Page, prices: Path) -> None:
    events, server = await play(browser, page, TURNS, limits=Limits(max_cost=0.003), prices=prices)

    assert result_of(events).error == TaskError("max_cost", "It cost 0.0040 US dollars; max_cost is 0.003.")
    assert len(server.requests) == 2


async def test_a_reply_that_cannot_be_read_counts_by_an_estimate(browser: Browser, page: Page) -> None:
    unreadable = response(b'data: {"choices": "' + b"x" * 1200 + b'"}\n\n')
    async with serving(always(unreadable)) as server:
        patience = Patience(attempts=2, first_pause_s=0)
        agent = Agent(browser, model="openai-compatible/m", base_url=server.base_url, patience=patience)
        result = await agent.run("Find tea", page=page)

    assert result.stats.generations == len(server.requests) == 2
    assert result.stats.output_tokens == 2 * (1223 // 12 + 1)
    assert result.stats.input_tokens > 200


async def test_an_answer_that_came_within_the_budget_is_given_without_being_judged(
    browser: Browser, page: Page
) -> None:
    events, _ = await play(browser, page, [TURNS[0], DONE], limits=Limits(max_tokens_total=200))

    result = result_of(events)
    assert (result.answer, result.validation) == ("Found tea.", "forced")
    assert result.error is not None
    assert result.error.code == "max_tokens"


async def test_time_ends_a_task_in_the_middle_of_an_action(browser: Browser, page: Page) -> None:
    replies = [PLAN, tool_call("wait_for", {"text": "never", "timeout_s": 60})]

    async with asyncio.timeout(20):
        events, _ = await play(browser, page, replies, limits=Limits(max_seconds=2))

    assert result_of(events).error == TaskError("max_seconds", "It took more than 2 seconds (max_seconds).")


async def test_time_ends_a_task_in_the_middle_of_a_call(browser: Browser, page: Page) -> None:
    async with serving(always(b"")) as server:  # which never answers
        agent = Agent(browser, model="openai-compatible/m", base_url=server.base_url, limits=Limits(max_seconds=0.5))
        async with asyncio.timeout(20):
            result = await agent.run("Find tea", page=page)

    assert result.error is not None
    assert result.error.code == "max_seconds"


async def test_a_run_tells_what_it_cost(browser: Browser, page: Page, prices: Path) -> None:
    events, _ = await play(browser, page, TURNS, prices=prices)

    assert [event.usage.cost for event in of(events, AiGeneration)] == pytest.approx([0.002] * 5)
    assert result_of(events).stats.cost == pytest.approx(0.01)


async def test_what_nobody_knows_the_price_of_is_not_free(browser: Browser, page: Page) -> None:
    events, _ = await play(browser, page, TURNS)

    assert result_of(events).stats.cost is None


async def test_tokens_are_estimated_where_a_server_counts_none(browser: Browser, page: Page, prices: Path) -> None:
    replies = [uncounted(each) for each in TURNS]

    many, _ = await play(browser, page, replies, limits=Limits(max_tokens_total=3_000))
    dear, _ = await play(browser, page, replies, limits=Limits(max_cost=0.03), prices=prices)

    for events, code in ((many, "max_tokens"), (dear, "max_cost")):
        error = result_of(events).error
        assert error is not None
        assert error.code == code


async def test_what_a_tool_asks_by_itself_counts_and_ends_at_the_limit(
    browser: Browser, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    extract = tool_call("extract", {"description": "The names."})
    monkeypatch.setattr("cdp_agent.extract.extract", partial(extraction.extract, context_tokens=10_000))  # in parts
    long = "<p>" + "<p>".join(f"Name {number} of many, and more words about it." for number in range(2_000))
    names = [text_reply("a name") for _ in range(40)]

    events, server = await play(
        browser, page, [PLAN, extract, *names], content=long, limits=Limits(max_tokens_total=450)
    )

    error = result_of(events).error
    assert error is not None
    assert error.code == "max_tokens"
    assert len(server.requests) < 10
    assert result_of(events).stats.input_tokens == 100 * len(server.requests)


async def test_a_reply_that_is_refused_counts_too(browser: Browser, page: Page, httpserver: HTTPServer) -> None:
    model = Model(httpserver)
    model.finish = "content_filter"

    result = await Agent(browser, model="openai-compatible/m", base_url=model.url).run("Find tea", page=page)

    assert not result.success
    assert result.stats.input_tokens == 100 * len(model.requests) > 0


@pytest.mark.parametrize("fallback", [None, "openai-compatible/other"], ids=["model", "fallback"])
def test_a_limit_on_an_unknown_cost_is_a_mistake_of_the_callers(
    browser: Browser, prices: Path, fallback: str | None
) -> None:
    model = "openai-compatible/scripted" if fallback else "openai-compatible/unknown"

    with pytest.raises(SetupError, match=r"max_cost needs to know what openai-compatible/(unknown|other) costs"):
        Agent(
            browser,
            model=model,
            base_url="http://127.0.0.1:9/v1",
            fallback_model=fallback,
            limits=Limits(max_cost=1),
            prices=prices,
        )


@pytest.mark.parametrize("limits", [{"max_tokens_total": 0}, {"max_cost": 0}, {"max_seconds": -1}])
def test_a_budget_of_nothing_is_a_mistake_of_the_callers(limits: dict[str, Any]) -> None:
    with pytest.raises(SetupError):
        Limits(**limits)


@pytest.mark.parametrize(
    "wrong", [{"reasoning_effort": "huge"}, {"max_output_tokens": 0}, {"constrained": "maybe"}], ids=str
)
def test_a_manner_that_is_none_is_told(browser: Browser, wrong: dict[str, Any]) -> None:
    with pytest.raises(SetupError):
        Agent(browser, model="ollama/m", **wrong)


async def test_the_other_model_goes_on_with_the_run(browser: Browser, page: Page) -> None:
    broken = response(b"{}", "500 Broken", content_type="application/json")
    with ReplayServer(replies=[WAIT, DONE]) as other:
        async with serving(always(broken)) as first:
            agent = Agent(
                browser,
                model="openai-compatible/first",
                base_url=first.base_url,
                fallback_model="openai-compatible/other",
                fallback_base_url=other.base_url,
                patience=Patience(first_pause_s=0),
            )
            events = [event async for event in agent.stream("Find tea", page=page)]

    assert result_of(events).success
    assert len(first.requests) == 3
    assert [each["model"] for each in other.requests] == ["other"] * 4
    assert "openai-compatible/other takes over, for the rest of the run." in [
        e.message for e in of(events, AgentStatus)
    ]


def text_reply(text: str) -> bytes:
    usage = {"prompt_tokens": 100, "completion_tokens": 10}
    event = {"choices": [{"delta": {"content": text}, "finish_reason": "stop"}], "usage": usage}
    return f"data: {json.dumps(event)}\n\ndata: [DONE]\n\n".encode()


def uncounted(reply: bytes) -> bytes:
    return b"".join(line for line in reply.splitlines(keepends=True) if b'"prompt_tokens"' not in line)


def as_text(reply: bytes) -> bytes:
    """A recorded reply as that of a model without tools: its call is JSON in the text."""
    chunks = [json.loads(line[6:]) for line in reply.decode().splitlines() if line.startswith("data: {")]
    functions = [
        call["function"]
        for chunk in chunks
        for choice in chunk["choices"]
        for call in choice["delta"].get("tool_calls", ())
    ]
    name = "".join(each.get("name") or "" for each in functions)
    arguments = "".join(each.get("arguments") or "" for each in functions)
    text = f'{{"tool": "{name}", "arguments": {arguments}}}'
    event = {"choices": [{"delta": {"content": text}, "finish_reason": "stop"}]}
    return f"data: {json.dumps(event)}\n\ndata: [DONE]\n\n".encode()


async def test_a_model_without_tools_works_on_a_page(browser: Browser, page: Page, serve: Serve) -> None:
    replies = [as_text(each) for each in (PLAN, FILL, CLICK, DONE, JUDGED)]

    with scripted(browser, replies, constrained=True) as (agent, server):
        events = [event async for event in agent.stream("Find tea", url=serve(SHOP), page=page)]

    assert result_of(events).success
    assert [event.action for event in of(events, AgentAction)] == ["fill", "click", "done"]
    assert await page.evaluate("document.querySelector('p').textContent") == "Found tea"
    assert not any("tools" in each for each in server.requests)
    assert {message["role"] for each in server.requests for message in each["messages"]} == {
        "system",
        "user",
        "assistant",
    }
    schema = server.requests[1]["response_format"]["json_schema"]["schema"]
    view = server.requests[1]["messages"][1]["content"]
    assert schema["$defs"]["ref_on_page"]["enum"]
    assert all(f'" {ref}\n' in view for ref in schema["$defs"]["ref_on_page"]["enum"])
