"""`POST /pilo/run` as clients of Pilo's server know it."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any
from urllib.parse import quote

import msgspec
import pytest
from httpx_sse import aconnect_sse

from cdp_agent import Browser
from cdp_agent.config import Config
from cdp_agent.server.app import AgentApp
from cdp_agent.server.options import ServerOptions
from cdp_agent.server.pilo import PiloRoutes
from cdp_agent.server.pilo_events import PiloBody
from fixtures.replay import ReplayServer, tool_call
from tests.agents import CLICK, DONE, FILL, SHOP
from tests.http_serving import Served, serving
from tests.tables import table

FORBIDDEN = {"task:setup", "ai:generation", "ai:generation:error", "browser:screenshot_captured_image"}
PAGE = f"data:text/html,{quote(SHOP)}"
WAIT = tool_call("wait", {"seconds": 30})


def scripted(server: ReplayServer) -> Config:
    return Config(model="openai-compatible/scripted", base_url=server.base_url)


async def pilo(served: Served, **body: Any) -> list[tuple[str, dict[str, Any]]]:
    async with aconnect_sse(served.client, "POST", "/pilo/run", json=body) as source:
        assert source.response.headers["x-pilo-task-id"]
        return [(event.event, json.loads(event.data)) async for event in source.aiter_sse()]


@pytest.fixture(scope="module")
async def events(shared_browser: Browser) -> list[tuple[str, dict[str, Any]]]:
    """What is told of a run that succeeds."""
    with ReplayServer(replies=[FILL, CLICK, DONE]) as model:
        async with serving(shared_browser, scripted(model)) as served:
            return await pilo(served, task="Find tea", url=PAGE, browser="firefox", headless=True, maxIterations=9)


def test_a_run_is_told_in_the_events_of_pilo(events: list[tuple[str, dict[str, Any]]]) -> None:
    kinds = [kind for kind, _ in events]
    told = dict(events)
    assert kinds[0] == "start"
    assert kinds[-2:] == ["complete", "done"]
    assert (told["start"]["task"], told["start"]["url"]) == ("Find tea", PAGE)
    assert FORBIDDEN.isdisjoint(kinds)
    assert {
        *("task:started", "task:validated", "task:completed", "task:metrics", "task:metrics_incremental"),
        *("agent:step", "agent:action", "agent:processing"),
        *("browser:action_started", "browser:action_completed", "browser:navigated"),
    } <= set(kinds)
    assert all({"timestamp", "iterationId"} <= fields.keys() for kind, fields in events[1:-2])
    assert told["start"].keys() == {"taskId", "task", "url"}
    assert told["done"] == {}


def test_fields_have_the_names_of_pilo(events: list[tuple[str, dict[str, Any]]]) -> None:
    told = dict(reversed(events))
    first = {name: value for name, value in told["agent:action"].items() if name not in ("timestamp", "iterationId")}
    assert re.fullmatch(r"E\d+", first.pop("ref"))
    assert first == {"action": "fill", "value": "tea"}
    assert told["agent:step"]["currentIteration"] == 1
    assert {"plan", "successCriteria", "actionItems", "url"} <= told["task:started"].keys()
    assert told["browser:action_completed"]["success"] is True
    assert told["task:validated"]["completionQuality"] == "complete"
    assert told["task:completed"]["finalAnswer"] == "Found tea."
    assert told["task:metrics"]["totalInputTokens"] > 0
    assert told["task:started"]["timestamp"] > 1e12  # milliseconds
    result = told["complete"]
    assert (result["success"], result["finalAnswer"]) == (True, "Found tea.")
    assert result["stats"].keys() == {"iterations", "actions", "startTime", "endTime", "durationMs"}
    assert result["validationOutcome"] == "accepted"


async def test_what_stopped_the_run_has_the_code_of_pilo(browser: Browser) -> None:
    with ReplayServer(replies=[tool_call("wait", {"seconds": 0})] * 2) as model:
        async with serving(browser, scripted(model)) as served:
            events = await pilo(served, task="Find tea", maxIterations=1)

    assert dict(events)["complete"]["error"]["code"] == "MAX_ITERATIONS"
    assert dict(events)["complete"]["success"] is False


async def test_a_client_that_leaves_aborts_the_task(browser: Browser) -> None:
    with ReplayServer(replies=[WAIT]) as model:
        async with serving(browser, scripted(model)) as served:
            async with aconnect_sse(served.client, "POST", "/pilo/run", json={"task": "Wait"}) as source:
                async for event in source.aiter_sse():
                    if event.event == "agent:waiting":
                        break
            (run,) = served.app.runs.all
            async with asyncio.timeout(10):
                await served.events(run.id)
            status = run.status

    assert status == "stopped"
    assert browser.contexts == []


CHOSEN = {"google": "www.google.com", None: "html.duckduckgo.com", "none": None}
"""Where the search is that a caller asks for, of a server with another."""


@table("asked", ["bing", "duckduckgo", "google", "none"])
def test_a_search_has_the_name_that_it_has_with_pilo(asked: str) -> None:
    config, options = Config(), ServerOptions()
    routes = PiloRoutes(AgentApp(config, options).runs, config, options)

    assert routes._asked(PiloBody(task="Find tea", search_provider=asked), interactive=False).search == asked


async def test_a_caller_chooses_the_search(browser: Browser, subtests: pytest.Subtests) -> None:
    replies = [tool_call("web_search", {"query": "tea"}), DONE]
    engines = ("google.com", "bing.com", "duckduckgo.com")
    with ReplayServer(replies=replies * len(CHOSEN)) as model:
        config = msgspec.structs.replace(scripted(model), search="duckduckgo", deny=engines)
        async with serving(browser, config) as served:
            for asked, told in CHOSEN.items():
                model.turns.clear()
                await pilo(served, task="Find tea", **({} if asked is None else {"searchProvider": asked}))

                offered = [tool["function"]["name"] for turn in model.turns for tool in turn.get("tools", ())]
                with subtests.test(asked=asked):
                    assert ("web_search" in offered) is (told is not None)
                    assert told is None or told in str(model.turns[1]["messages"])


NULLS = msgspec.json.encode({each.encode_name: None for each in msgspec.structs.fields(PiloBody)} | {"task": "x"})


async def test_errors_have_the_envelope_of_pilo(browser: Browser) -> None:
    wrong = [
        (b"{}", 400, "MISSING_TASK"),
        (b'{"task": ""}', 400, "MISSING_TASK"),
        (b'{"task": "x", "searchProvider": "yahoo"}', 400, "INVALID_SEARCH_PROVIDER"),
        (b"no json", 500, "TASK_SETUP_FAILED"),
        (b'{"task": "x"}', 500, "MISSING_API_KEY"),
        (NULLS, 500, "MISSING_API_KEY"),
        (b'{"task": "x", "maxIterations": 5.0, "maxValidationAttempts": 2.0}', 500, "MISSING_API_KEY"),
        (b'{"task": "x", "executablePath": "/bin/sh"}', 403, "NOT_ALLOWED"),
        (b'{"task": "x", "pwCdpEndpoint": "http://169.254.169.254"}', 403, "NOT_ALLOWED"),
        (b'{"task": "x", "provider": "openai", "openaiApiKey": "sk-1"}', 403, "NOT_ALLOWED"),
        (b'{"task": "x", "blockResources": ["sound"]}', 400, "INVALID_REQUEST"),
        (b'{"task": "x", "url": "file:///etc/passwd"}', 400, "INVALID_REQUEST"),
    ]
    async with serving(browser) as served:
        for body, status, code in wrong:
            answer = await served.client.post("/pilo/run", content=body)
            told = answer.json()

            assert (body, answer.status_code, told["error"]["code"]) == (body, status, code)
            assert told["success"] is False
            assert told["error"].keys() == {
                *("message", "code", "timestamp", "class", "reason", "recoverable", "phase", "taskId")
            }
