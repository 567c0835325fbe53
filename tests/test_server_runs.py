"""Runs over HTTP, driven by clients that others wrote: httpx, httpx-sse and websockets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from httpx_sse import aconnect_sse
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from cdp_agent import Browser
from cdp_agent.config import Config
from fixtures.replay import ReplayServer, tool_call
from tests.agents import CLICK, DONE, FILL, SHOP
from tests.conftest import Serve
from tests.http_serving import Served, serving

WAIT = tool_call("wait", {"seconds": 30})
FAST_STEPS = ["Type 'tea' into the search box", "Click Go"]


def scripted(server: ReplayServer) -> Config:
    return Config(model="openai-compatible/scripted", base_url=server.base_url)


@pytest.fixture
async def served(browser: Browser) -> AsyncIterator[Served]:
    """A server without a model, for runs by steps."""
    async with serving(browser) as served:
        yield served


async def test_a_task_is_carried_out_and_its_events_are_numbered(browser: Browser, serve: Serve) -> None:
    with ReplayServer(replies=[FILL, CLICK, DONE]) as model:
        async with serving(browser, scripted(model)) as served:
            run_id = await served.begin(task="Find tea", url=serve(SHOP))
            events = await served.events(run_id)
            info = await served.info(run_id)

    assert [event.id for event in events] == [str(number) for number in range(1, len(events) + 1)]
    assert (events[0].event, events[-1].event) == ("task:setup", "task:completed")
    assert all(json.loads(event.data)["type"] == event.event for event in events)
    assert (info["status"], info["result"]["answer"]) == ("succeeded", "Found tea.")
    assert "ask_user" not in [tool["function"]["name"] for tool in model.turns[0]["tools"]]  # nobody would answer
    assert browser.contexts == []


async def test_a_run_waits_for_a_decision(served: Served, serve: Serve) -> None:
    run_id = await served.begin(steps=FAST_STEPS, url=serve(SHOP), approval_rules=["ask"])
    about_filling = await served.waiting(run_id)
    decisions = f"/v1/runs/{run_id}/decisions"

    early = await served.client.post(decisions, json={"id": 77, "decision": "execute"})
    wrong = await served.client.post(decisions, json={"id": about_filling["ask"]["id"], "decision": "reject"})
    executed = await served.client.post(decisions, json={"id": about_filling["ask"]["id"], "decision": "execute"})
    about_clicking = await served.waiting(run_id, about_filling["ask"]["id"])
    late = await served.client.post(decisions, json={"id": about_filling["ask"]["id"], "decision": "execute"})
    stopped = await served.client.post(decisions, json={"id": about_clicking["ask"]["id"], "decision": "stop"})
    events = await served.events(run_id)

    assert about_filling["status"] == "waiting"
    assert about_filling["ask"]["tool"] == "fill"
    assert "execute" in about_filling["decisions"]
    assert [each.status_code for each in (early, wrong, executed, late, stopped)] == [409, 400, 200, 409, 200]
    assert "It can be" in wrong.json()["error"]["message"]
    assert events[-1].event == "task:completed"


async def test_a_model_asks_the_user_who_answers_over_http(browser: Browser) -> None:
    question = tool_call("ask_user", {"question": "Which tea?"})
    with ReplayServer(replies=[question, question, DONE]) as model:
        async with serving(browser, scripted(model)) as served:
            run_id = await served.begin(task="Find tea", interactive=True)
            first = await served.waiting(run_id)
            answers = f"/v1/runs/{run_id}/answers"
            both = await served.client.post(answers, json={"id": first["ask"]["id"], "text": "x", "values": {}})
            told = await served.client.post(answers, json={"id": first["ask"]["id"], "text": "The green one"})
            second = await served.waiting(run_id, first["ask"]["id"])
            declined = await served.client.post(answers, json={"id": second["ask"]["id"]})
            await served.events(run_id)

    assert (first["ask"]["type"], first["ask"]["question"]) == ("question", "Which tea?")
    assert [both.status_code, told.status_code, declined.status_code] == [400, 200, 200]
    assert "The green one" in str(model.turns[1]["messages"])


async def test_a_websocket_tells_and_takes_decisions_of_steps_which_need_no_model(
    served: Served, serve: Serve, subtests: pytest.Subtests
) -> None:
    run_id = await served.begin(steps=FAST_STEPS, url=serve(SHOP), approval_rules=["ask"])
    got: list[Any] = []
    async with connect(f"ws://127.0.0.1:{served.port}/v1/runs/{run_id}", proxy=None) as socket:
        await socket.send("nonsense")
        await socket.send('{"id": 99, "decision": "execute"}')
        async for message in socket:
            got.append(json.loads(message))
            event = got[-1].get("event", {})
            if event.get("type") == "approval:asked":
                await socket.send(json.dumps({"id": event["ask"]["id"], "decision": "execute"}))

    refusals = [each for each in got if "refused" in each]
    assert ["no JSON" in refusals[0]["refused"], refusals[1]["id"]] == [True, 99]
    numbers = [each["number"] for each in got if "number" in each]
    assert numbers == list(range(1, len(numbers) + 1))
    assert got[-1]["event"]["type"] == "task:completed"
    assert got[-1]["event"]["result"]["success"] is True
    assert "Found tea" in got[-1]["event"]["result"]["answer"]

    with subtests.test("a client that comes again gets what it missed"):
        events = await served.events(run_id)
        rest = await served.events(run_id, **{"Last-Event-ID": "3"})
        last = {"Last-Event-ID": str(len(events))}
        nothing = await served.client.get(f"/v1/runs/{run_id}/events", headers=last)

        assert [(event.id, event.data) for event in rest] == [(event.id, event.data) for event in events[3:]]
        assert nothing.status_code == 204

    with subtests.test("what has ended stays what it is"):
        info = await served.info(run_id)
        stopped = await served.client.post(f"/v1/runs/{run_id}/stop")

        assert (info["status"], info["result"]["answer"]) == ("succeeded", got[-1]["event"]["result"]["answer"])
        assert (stopped.status_code, stopped.json()["status"]) == (202, "succeeded")


async def test_a_websocket_stops_a_run_and_goes_on_where_it_was(browser: Browser) -> None:
    with ReplayServer(replies=[WAIT]) as model:
        async with serving(browser, scripted(model)) as served:
            run_id = await served.begin(task="Wait")
            async with connect(f"ws://127.0.0.1:{served.port}/v1/runs/{run_id}?after=2", proxy=None) as socket:
                first = json.loads(await socket.recv())
                await socket.send('{"stop": true}')
                async for _ in socket:
                    pass
            info = await served.info(run_id)

    assert first["number"] == 3
    assert info["status"] == "stopped"


async def test_a_websocket_of_no_run_is_refused(served: Served) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await connect(f"ws://127.0.0.1:{served.port}/v1/runs/none", proxy=None)

    assert refused.value.response.status_code == 404
    assert json.loads(refused.value.response.body)["error"]["type"] == "NotFound"


async def test_no_more_runs_at_once_than_may_be(browser: Browser, serve: Serve) -> None:
    with ReplayServer(replies=[WAIT, CLICK, DONE]) as model:
        async with serving(browser, scripted(model), max_runs=1) as served:
            run_id = await served.begin(task="Wait")
            refused = await served.client.post("/v1/runs", json={"task": "Find tea"})
            await served.client.post(f"/v1/runs/{run_id}/stop")
            await served.events(run_id)
            begun = await served.client.post("/v1/runs", json={"steps": FAST_STEPS, "url": serve(SHOP)})

    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) > 0
    assert refused.json()["error"]["type"] == "TooManyRequests"
    assert begun.status_code == 202


@pytest.mark.parametrize(("on_disconnect", "ends"), [("stop", True), ("continue", False)])
async def test_a_client_that_leaves_ends_the_run_or_keeps_it(browser: Browser, on_disconnect: str, ends: bool) -> None:
    with ReplayServer(replies=[WAIT]) as model:
        async with serving(browser, scripted(model), leave_grace_s=0.1) as served:
            run_id = await served.begin(task="Wait", on_disconnect=on_disconnect)
            async with aconnect_sse(served.client, "GET", f"/v1/runs/{run_id}/events") as source:
                async for event in source.aiter_sse():
                    if event.event == "agent:waiting":
                        break
            run = served.app.runs.find(run_id)
            if ends:
                async with asyncio.timeout(10):
                    await run.stop.wait()
                    await served.events(run_id)
            status = run.status

    assert status == ("stopped" if ends else "running")


WRONG: list[tuple[dict[str, Any], int, str]] = [
    ({}, 400, "task is missing"),
    ({"task": " "}, 400, "The task is empty"),
    ({"task": 5}, 400, "task: Expected `str | null`, got `int`"),
    ({"tusk": "x"}, 400, "unknown field"),
    ({"task": "x", "steps": ["y"]}, 400, "not both"),
    ({"task": "x", "url": "file:///etc/passwd"}, 400, "only data, http, https addresses"),
    ({"task": "x", "url": "no address"}, 400, "is not an address"),
    ({"task": "x", "answer": {"type": 7}}, 400, ""),
    ({"task": "x", "limits": {"max_steps": 0}}, 400, "max_steps"),
    ({"task": "x", "page": {"viewport": "wide"}}, 400, "viewport"),
    ({"task": "x", "page": {"locale": "x" * 300}}, 400, "locale"),
    ({"task": "x", "page": {"allow": ["http://a/b"]}}, 400, "is no origin"),
    ({"task": "x", "secrets": {"pw": {"value": "letmein", "origins": ["shop"]}}}, 400, "shop"),
    ({"task": "x", "approval_rules": ["perhaps"]}, 400, "perhaps"),
    ({"steps": ["Click Go"], "approval_rules": ["perhaps"]}, 400, "perhaps"),
    ({"task": "x", "model": "openai/other"}, 403, "leave `model` out"),
    ({"task": "x", "base_url": "http://127.0.0.1:1"}, 403, "base_url"),
    ({"task": "x", "webhook": "https://x.example"}, 400, "webhook"),
]


async def test_what_is_wrong_with_a_request_is_said(browser: Browser) -> None:
    async with serving(browser, Config(model="openai-compatible/none", base_url="http://127.0.0.1:9")) as served:
        for request, status, said in WRONG:
            answer = await served.client.post("/v1/runs", json=request)

            assert answer.status_code == status, (request, answer.text)
            assert said.replace("`", "") in answer.json()["error"]["message"].replace("`", "")
            assert (await served.client.get("/health")).json()["runs"] == 0, request
            assert browser.contexts == []


async def test_a_body_that_is_no_object_is_refused(served: Served) -> None:
    for body in (b"{", b"[]", b"null", b"\xff", b"[" * 100_000):
        answers = [
            await served.client.post(path, content=body)
            for path in ("/v1/runs", "/v1/sessions", "/v1/runs/none/decisions")
        ]

        assert [answer.status_code for answer in answers] == [400, 400, 404], body[:9]
