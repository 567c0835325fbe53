"""Calls that go past the SDK are answered as by the SDK, and all others are left to it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from cdp_agent.decisions import QuestionAsked
from cdp_agent.errors import BrowserError
from cdp_agent.mcp.asking import UserQuestion
from cdp_agent.mcp.calls import CallReply, CallRequest, FilesRequest, SessionFile
from cdp_agent.security.http_guard import LOOPBACK
from cdp_agent.session import ToolError
from tests.late import Late

if TYPE_CHECKING:
    from cdp_agent.mcp import http, plain, serving
else:
    http, plain, serving = [Late(f"cdp_agent.mcp.{each}") for each in ("http", "plain", "serving")]

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}, "roots": {}},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}
PLAIN = "application/json, text/event-stream"
LEFT_TO_SDK = "text/event-stream, application/json"
QUESTION = UserQuestion("k1", QuestionAsked(id=1, question="Which size?"))


class Told:
    """Calls that always come to the same."""

    def __init__(self, reply: CallReply | Exception) -> None:
        self.reply = reply
        self.requests: list[CallRequest] = []
        self.may_end = asyncio.Event()
        self.may_end.set()

    async def call(self, request: CallRequest) -> CallReply:
        self.requests.append(request)
        await self.may_end.wait()
        if isinstance(self.reply, Exception):
            raise self.reply
        return self.reply

    async def files(self, asked: FilesRequest) -> list[SessionFile]:
        return []


class Slow(Told):
    """Calls that take a while from when they arrive."""

    async def call(self, request: CallRequest) -> CallReply:
        self.may_end.clear()
        asyncio.get_running_loop().call_later(0.1, self.may_end.set)
        return await super().call(request)


def request(name: str = "click", **params: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": {"ref": "E1", "session": "mine"}, "_meta": META, **params}
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}


@asynccontextmanager
async def posting(calls: Told) -> AsyncIterator[httpx.AsyncClient]:
    served = serving.server(calls)
    app = http.McpApp(served, token=None, hosts=LOOPBACK)
    head = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "click"}
    transport = httpx.ASGITransport(app)
    async with (
        served.session_manager.run(),
        httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=head) as client,
    ):
        yield client


@pytest.mark.parametrize(
    "reply",
    [
        CallReply("Clicked.", value={"ref": "E1", "navigated_to": None}),
        CallReply("A picture.", images=(b"\x89PNG", b"second")),
        CallReply("E1 is covered.", error=ToolError("NotInteractable", "E1 is covered.")),
        CallReply("", question=QUESTION),
        BrowserError("Chrome is gone."),
        ZeroDivisionError("ours"),
    ],
    ids=["value", "pictures", "refused", "question", "no_browser", "fault"],
)
async def test_it_is_answered_as_by_the_sdk(reply: CallReply | Exception) -> None:
    calls = Told(reply)
    async with posting(calls) as client:
        by_us, by_sdk = [
            await client.post(http.PATH, json=request(), headers={"Accept": accept}) for accept in (PLAIN, LEFT_TO_SDK)
        ]

    assert (by_us.status_code, by_us.json()) == (by_sdk.status_code, by_sdk.json())
    assert calls.requests == [CallRequest("click", {"ref": "E1"}, "mine", {}, can_ask=True)] * 2


@pytest.mark.parametrize(
    "message",
    [
        request(_meta={**META, "progressToken": 1}),
        request(inputResponses={"k1": {"action": "accept"}}),
        request(name="no_such_tool"),
        request(_meta={}),
        {**request(), "method": "tools/list"},
        {**request(), "id": None},
        {**request(), "jsonrpc": "1.0"},
        [request()],
    ],
    ids=["progress", "answers", "unknown", "handshake", "method", "id", "jsonrpc", "batch"],
)
def test_what_says_more_is_left_to_the_sdk(message: Any) -> None:
    calls = serving.server(Told(CallReply(""))).plain_calls

    assert calls.read(json.dumps(message).encode()) is None
    assert calls.read(json.dumps(message).encode()[:-1]) is None
    assert isinstance(calls.read(json.dumps(request()).encode()), plain.PlainCall)


@pytest.mark.parametrize("broken", [b"", b"\xff", b'{"method": "\xff"}', b"[" * 100_000])
def test_what_is_no_message_is_left_to_the_sdk(broken: bytes) -> None:
    assert serving.server(Told(CallReply(""))).plain_calls.read(broken) is None


def test_giving_a_call_up_is_understood() -> None:
    said = serving.server(Told(CallReply(""))).plain_calls.read(
        b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "a", "reason": "no"}}'
    )

    assert isinstance(said, plain.CallCancellation)
    assert said.params.request_id == "a"


async def test_a_connection_is_not_silent_while_a_call_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cdp_agent.mcp.http._PING_S", 0.01)
    async with posting(Slow(CallReply("Clicked."))) as client:
        answer = await client.post(http.PATH, json=request(), headers={"Accept": PLAIN})

    *pings, event, data, _, _ = answer.text.split("\r\n")
    assert answer.headers["content-type"] == "text/event-stream"
    assert ": ping" in pings
    assert event == "event: message"
    assert json.loads(data.removeprefix("data: "))["result"]["content"] == [{"type": "text", "text": "Clicked."}]
