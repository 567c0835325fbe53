"""`/pilo/run` as a WebSocket, as clients of Pilo's server know it, of now and of before."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect

from cdp_agent import Browser
from cdp_agent.config import Config
from fixtures.replay import ReplayServer, tool_call
from tests.agents import DONE
from tests.conftest import Serve
from tests.http_serving import Served, serving

FORM = """<title>Order</title><form onsubmit="return false"><label>Mail <input id=mail type=email></label>
<label><input id=news type=checkbox> News</label></form>"""
FIELDS = [
    {"ref": "{{ref:textbox Mail}}", "label": "Mail"},
    {"ref": "{{ref:checkbox News}}", "label": "News", "field_type": "checkbox"},
]
ASK = tool_call("request_user_data", {"form_description": "The order", "fields": FIELDS})
HELD = tool_call("find_elements", {"selector": "#news:checked"})
WAIT = tool_call("wait", {"seconds": 30})


def scripted(server: ReplayServer) -> Config:
    return Config(model="openai-compatible/scripted", base_url=server.base_url)


@asynccontextmanager
async def talking(served: Served) -> AsyncIterator[ClientConnection]:
    async with connect(f"ws://127.0.0.1:{served.port}/pilo/run", proxy=None) as socket:
        yield socket


async def say(socket: ClientConnection, event: str, **about: Any) -> None:
    await socket.send(json.dumps({"event": event, "data": about}))


async def test_a_form_is_filled_in_again_where_the_page_refuses_it(browser: Browser, serve: Serve) -> None:
    got: list[Any] = []
    given = iter(["annabelle", "annabelle@sea.example"])
    with ReplayServer(replies=[ASK, HELD, DONE]) as model:
        async with serving(browser, scripted(model)) as served, talking(served) as socket:
            await say(socket, "task:details", task="Order", url=serve(FORM))
            async for message in socket:
                got.append(json.loads(message))
                if got[-1]["event"].startswith("interactive:"):
                    about = got[-1]["data"]
                    values = {"Mail": next(given), "News": "true"}
                    fields = [{"ref": each["ref"], "value": values[each["label"]]} for each in about["fields"]]
                    await say(socket, "user_data_response", requestId=about["requestId"], fields=fields)

    events = [each["event"] for each in got]
    assert events[:2] == ["task:accepted", "start"]
    assert events[-2:] == ["complete", "done"]
    assert got[-2]["data"]["success"] is True
    assert {each["taskId"] for each in got} == {got[0]["data"]["taskId"]}
    request = next(each["data"] for each in got if each["event"] == "interactive:form_data:request")
    refused = next(each["data"] for each in got if each["event"] == "interactive:form_data:error")
    assert (request["formDescription"], [each["fieldType"] for each in request["fields"]]) == (
        "The order",
        ["email", "checkbox"],
    )
    assert list(refused["fieldErrors"]) == [request["fields"][0]["ref"]]
    assert refused["requestId"] != request["requestId"]
    assert "input" in str(model.turns[2]["messages"][-1])  # the box is ticked
    assert "annabelle" not in json.dumps(got) + json.dumps(model.turns)


async def test_earlier_clients_are_asked_in_their_words(browser: Browser, serve: Serve) -> None:
    got: list[Any] = []
    question = tool_call("ask_user", {"question": "Which size?"})
    with ReplayServer(replies=[ASK, question, DONE]) as model:
        async with serving(browser, scripted(model)) as served, talking(served) as socket:
            await say(socket, "task:start", task="Order", url=serve(FORM))
            async for message in socket:
                got.append(json.loads(message))
                if got[-1]["event"] == "input:form":
                    about = got[-1]["data"]
                    fields = {"answer": "large"} if about["question"] == "Which size?" else None
                    response = {"type": "declined"} if fields is None else {"type": "form", "fields": fields}
                    await say(socket, "input:form_response", questionId=about["questionId"], response=response)

    forms = [each["data"] for each in got if each["event"] == "input:form"]
    assert [each["question"] for each in forms] == ["The order", "Which size?"]
    assert got[-1]["event"] == "done"
    assert "does not want to fill this in" in str(model.turns[1]["messages"][-1])
    assert "The user answers: large" in str(model.turns[2]["messages"][-1])


async def test_what_makes_no_sense_is_said_with_a_code(browser: Browser, serve: Serve) -> None:
    senseless: list[tuple[Any, str]] = [
        ("nonsense", "INVALID_MESSAGE"),
        ("[]", "INVALID_MESSAGE"),
        ({"event": "dance", "data": {}}, "UNKNOWN_EVENT"),
        ({"event": "task:details"}, "MISSING_DATA"),
        ({"event": "task:details", "data": {"task": " "}}, "MISSING_TASK"),
        ({"event": "task:details", "data": {"task": 7}}, "INVALID_REQUEST"),
        ({"event": "task:details", "data": {"task": "Go", "searchProvider": "x"}}, "INVALID_SEARCH_PROVIDER"),
        ({"event": "task:details", "data": {"task": "Go", "searchProvider": "parallel-api"}}, "MISSING_SEARCH_API_KEY"),
        ({"event": "task:details", "data": {"task": "Go", "executablePath": "/bin/sh"}}, "NOT_ALLOWED"),
        ({"event": "user_data_response", "data": {}}, "INVALID_RESPONSE"),
        ({"event": "user_data_response", "data": {"requestId": "1"}}, "UNKNOWN_REQUEST_ID"),
    ]
    with ReplayServer(replies=[ASK]) as model:
        async with serving(browser, scripted(model), max_runs=1) as served, talking(served) as socket:
            codes = []
            for message, _ in senseless:
                await socket.send(message if isinstance(message, str) else json.dumps(message))
                codes.append(json.loads(await socket.recv())["data"]["error"]["code"])
            await say(socket, "task:details", task="Order", url=serve(FORM))
            await until(socket, "interactive:form_data:request")
            await say(socket, "task:details", task="Order")
            again = await until(socket, "error")
            await say(socket, "user_data_response", requestId="1")
            nothing = await until(socket, "error")
            async with talking(served) as other:
                await say(other, "task:details", task="Order")
                busy = await until(other, "error")

    assert codes == [code for _, code in senseless]
    assert again["data"]["error"]["code"] == "TASK_ALREADY_RUNNING"
    assert nothing["data"]["error"]["code"] == "INVALID_RESPONSE"
    assert (busy["data"]["error"]["code"], busy["data"]["success"]) == ("AT_CAPACITY", False)


async def until(socket: ClientConnection, event: str) -> Any:
    while (message := json.loads(await socket.recv()))["event"] != event:
        pass
    return message


@pytest.mark.parametrize("abruptly", [False, True])
async def test_a_client_that_leaves_ends_the_run(browser: Browser, *, abruptly: bool) -> None:
    with ReplayServer(replies=[WAIT]) as model:
        async with serving(browser, scripted(model)) as served:
            async with talking(served) as socket:
                await say(socket, "task:details", task="Wait")
                run_id = (await until(socket, "task:accepted"))["taskId"]
                await until(socket, "agent:waiting")
                if abruptly:
                    socket.transport.abort()
            events = await asyncio.wait_for(served.events(run_id), 20)

    assert json.loads(events[-1].data)["result"]["error"]["code"] == "aborted"
    assert browser.contexts == []
