"""Runs over HTTP that wait for their user: forms that are filled in, pages that are handed over and taken back."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest
from pytest_httpserver import HTTPServer
from websockets.asyncio.client import connect
from werkzeug import Request, Response

from cdp_agent import Browser
from cdp_agent.config import Config
from fixtures.replay import ReplayServer, tool_call
from tests.agents import CLICK, DONE, FILL, SHOP
from tests.conftest import Serve
from tests.http_serving import Served, serving
from tests.test_server_webhooks import SECRET

FIELDS = {"Name": "textbox", "Key": "textbox", "City": "combobox"}
GIVEN = {"Name": "Annabelle Lee", "Key": "kingdom by the sea", "City": "Bergen"}
FORM = """<form method=post action=/sent><label>Name <input name=name></label>
<label>Key <input name=key type=password></label><label>City <select name=city><option>Oslo<option>Bergen</select>
</label><button>Send</button></form>"""
ASK_FOR_ALL = tool_call(
    "request_user_data",
    {
        "form_description": "The order",
        "fields": [{"ref": f"{{{{ref:{role} {name}}}}}", "label": name} for name, role in FIELDS.items()],
    },
)
SEND = tool_call("click", {"ref": "{{ref:button Send}}"})
PAUSED_WAIT = tool_call("wait", {"seconds": 0})


def scripted(server: ReplayServer) -> Config:
    return Config(model="openai-compatible/scripted", base_url=server.base_url)


@pytest.fixture
def sent(httpserver: HTTPServer) -> list[dict[str, str]]:
    """What was sent of the form at /, which is there again in the answer."""
    found: list[dict[str, str]] = []

    def take(request: Request) -> Response:
        found.append(request.form.to_dict())
        return Response(f"<title>Thanks</title>Thank you {request.form['name']} {FORM}", content_type="text/html")

    httpserver.expect_request("/", method="GET").respond_with_data(FORM, content_type="text/html")
    httpserver.expect_request("/sent", method="POST").respond_with_handler(take)
    httpserver.expect_request("/hook", method="POST").respond_with_data("", status=204)
    return found


async def test_a_form_is_filled_in_and_its_values_reach_no_model_event_log_or_webhook(
    browser: Browser, httpserver: HTTPServer, sent: list[dict[str, str]], caplog: pytest.LogCaptureFixture
) -> None:
    """It is declined, then filled in in each way; once the run is paused then, and whoever acts in it reads none."""
    caplog.set_level("DEBUG")
    options: dict[str, Any] = {"webhooks": [httpserver.url_for("")], "webhook_secret": SECRET}
    replies = [ASK_FOR_ALL, ASK_FOR_ALL, SEND, ASK_FOR_ALL, PAUSED_WAIT, ASK_FOR_ALL, SEND, DONE]
    with ReplayServer(replies=replies) as model:
        async with serving(browser, scripted(model), **options) as served:
            hook = httpserver.url_for("/hook")
            run_id = await served.begin(
                task="Order", url=httpserver.url_for("/"), interactive=True, webhook=hook, approval_rules=["allow"]
            )
            ask = (await served.waiting(run_id))["ask"]
            answers = f"/v1/runs/{run_id}/answers"
            wrong = await served.client.post(answers, json={"id": ask["id"], "values": {"E99": "hidden 77"}})
            declined = await served.client.post(answers, json={"id": ask["id"]})
            answered = []
            for way in ("answers", "decisions", "websocket"):
                ask = (await served.waiting(run_id, ask["id"]))["ask"]
                if way == "decisions":
                    await served.client.post(f"/v1/runs/{run_id}/pause")
                answered.append(await filled_in(served, run_id, ask, way))
                if way == "decisions":
                    ask = (await served.waiting(run_id, ask["id"]))["ask"]
                    seen = await served.client.post(f"/v1/runs/{run_id}/tools/snapshot", json={})
                    await served.client.post(f"/v1/runs/{run_id}/resume")
            events = await served.events(run_id)
            info = await served.info(run_id)

    assert (wrong.status_code, declined.status_code) == (400, 200)
    assert "The form has no field E99" in wrong.json()["error"]["message"]
    assert "does not want to fill this in" in str(model.turns[1]["messages"])
    assert (ask["type"], ask["description"]) == ("form", "The order")
    assert [(each["label"], each["options"]) for each in ask["fields"]][2] == ("City", ["Oslo", "Bergen"])
    assert info["status"] == "succeeded"
    assert sent == [{"name": "Annabelle Lee", "key": "kingdom by the sea", "city": "Bergen"}] * 2
    hooked = [request.get_data(as_text=True) for request, _ in httpserver.log if request.path == "/hook"]
    assert len(hooked) == 1
    assert "<user data>" in seen.json()["text"]
    everywhere = [*answered, seen.text, json.dumps(model.turns), *(each.data for each in events), *hooked, caplog.text]
    for value in ("Annabelle", "kingdom", "hidden 77"):
        assert not [each for each in (wrong.text, *everywhere) if value in each]


async def filled_in(served: Served, run_id: str, ask: Any, way: str) -> str:
    """Gives the values, and what was answered to that; over a WebSocket, all that it tells to the end of the run."""
    values = {each["ref"]: GIVEN[each["label"]] for each in ask["fields"]}
    if way == "websocket":
        async with connect(f"ws://127.0.0.1:{served.port}/v1/runs/{run_id}", proxy=None) as socket:
            await socket.send(json.dumps({"id": ask["id"], "decision": "fill", "values": values}))
            return "".join([str(message) async for message in socket])
    more = {"decision": "fill"} if way == "decisions" else {}
    answer = await served.client.post(f"/v1/runs/{run_id}/{way}", json={"id": ask["id"], "values": values, **more})
    assert answer.status_code == 200, answer.text
    return answer.text


async def test_a_run_is_paused_others_act_in_its_page_and_its_model_is_told(browser: Browser, serve: Serve) -> None:
    with ReplayServer(replies=[FILL, PAUSED_WAIT, DONE]) as model:
        async with serving(browser, scripted(model)) as served:
            run_id = await served.begin(task="Find tea", url=serve(SHOP), interactive=True)
            run = f"/v1/runs/{run_id}"
            paused = await served.client.post(f"{run}/pause")
            ask = (await served.waiting(run_id))["ask"]
            seen = (await served.client.post(f"{run}/tools/snapshot", json={})).json()
            filled = await act(served, run, "fill", seen, "textbox", value="coffee")
            clicked = await act(served, run, "click", seen, "button")
            resumed = await served.client.post(f"{run}/resume", json={"text": "I searched for coffee"})
            late = await served.client.post(f"{run}/tools/snapshot", json={})
            await served.events(run_id)
            info = await served.info(run_id)

    assert (ask["type"], ask["url"].startswith("http://"), ask["tab"][:1]) == ("paused", True, "t")
    assert [each.status_code for each in (paused, filled, clicked, resumed, late)] == [202, 200, 200, 200, 409]
    assert clicked.json()["error"] is None
    assert info["status"] == "succeeded"
    told = str(model.turns[-1]["messages"])
    assert "The user says: I searched for coffee" in told
    assert "Found coffee" in told


async def act(served: Served, run: str, tool: str, seen: Any, role: str, **more: Any) -> httpx.Response:
    ref = next(ref for ref, each in seen["value"]["refs"].items() if each["role"] == role)
    return await served.client.post(f"{run}/tools/{tool}", json={"ref": ref, **more})


async def test_a_websocket_pauses_and_resumes(browser: Browser, serve: Serve) -> None:
    with ReplayServer(replies=[FILL, CLICK, DONE]) as model:
        async with serving(browser, scripted(model)) as served:
            run_id = await served.begin(task="Find tea", url=serve(SHOP), interactive=True)
            got: list[Any] = []
            async with connect(f"ws://127.0.0.1:{served.port}/v1/runs/{run_id}", proxy=None) as socket:
                await socket.send('{"pause": true}')
                async for message in socket:
                    got.append(json.loads(message))
                    if got[-1].get("event", {}).get("type") == "approval:asked":
                        await socket.send('{"resume": true, "text": "Go on"}')

    assert got[-1]["event"]["result"]["success"] is True
    assert [each for each in got if "refused" in each] == []
    assert "The user says: Go on" in str(model.turns[-1]["messages"])


async def test_a_pause_that_is_taken_back_in_time_asks_nothing(browser: Browser, serve: Serve) -> None:
    with ReplayServer(replies=[FILL, tool_call("wait", {"seconds": 1}), DONE]) as model:
        async with serving(browser, scripted(model)) as served:
            run_id = await served.begin(task="Find tea", url=serve(SHOP), interactive=True)
            await until(served, run_id, "agent:waiting")
            paused = await served.client.post(f"/v1/runs/{run_id}/pause")
            early = await served.client.post(f"/v1/runs/{run_id}/tools/snapshot", json={})
            resumed = await served.client.post(f"/v1/runs/{run_id}/resume")
            again = await served.client.post(f"/v1/runs/{run_id}/resume")
            events = await asyncio.wait_for(served.events(run_id), 30)

    assert [each.status_code for each in (paused, early, resumed, again)] == [202, 409, 200, 409]
    assert [each.json()["status"] for each in (paused, resumed)] == ["pausing", "running"]
    assert "when its status is waiting" in early.json()["error"]["message"]
    assert "approval:asked" not in [each.event for each in events]


async def until(served: Served, run_id: str, kind: str) -> None:
    async with connect(f"ws://127.0.0.1:{served.port}/v1/runs/{run_id}", proxy=None) as socket:
        async for message in socket:
            if json.loads(message)["event"]["type"] == kind:
                return


async def test_a_run_with_nobody_to_let_it_go_on_is_not_paused(browser: Browser, serve: Serve) -> None:
    async with serving(browser) as served:
        run_id = await served.begin(steps=["Wait 1 second"], url=serve(SHOP))
        unattended = await served.client.post(f"/v1/runs/{run_id}/pause")
        resumed = await served.client.post(f"/v1/runs/{run_id}/resume")
        tool = await served.client.post(f"/v1/runs/{run_id}/tools/snapshot", json={})
        none = await served.client.post(f"/v1/runs/{run_id}/tools/nonsense", json={})
        await served.events(run_id)
        ended = await served.client.post(f"/v1/runs/{run_id}/pause")

    assert [each.status_code for each in (unattended, resumed, tool, none, ended)] == [409, 409, 409, 404, 409]
    assert "interactive" in unattended.json()["error"]["message"]
    assert ended.json()["error"]["message"] == "The run has ended."


async def test_a_run_by_steps_is_paused_between_two_of_them(browser: Browser, serve: Serve) -> None:
    async with serving(browser) as served:
        steps = ["Type 'tea' into the search box", "Wait 1 second", "Click Go"]
        run_id = await served.begin(steps=steps, url=serve(SHOP), interactive=True)
        run = f"/v1/runs/{run_id}"
        await until(served, run_id, "agent:waiting")
        await served.client.post(f"{run}/pause")
        await served.waiting(run_id)
        seen = (await served.client.post(f"{run}/tools/snapshot", json={})).json()
        await act(served, run, "fill", seen, "textbox", value="coffee")
        await served.client.post(f"{run}/resume")
        await served.events(run_id)
        info = await served.info(run_id)

    assert info["status"] == "succeeded"
    assert "coffee" in info["result"]["answer"]
