"""Calls over HTTP, and the answers that the SDK makes of their replies."""

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
from tests.tables import table

if TYPE_CHECKING:
    from cdp_agent.mcp import http, serving
else:
    http, serving = [Late(f"cdp_agent.mcp.{each}") for each in ("http", "serving")]

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}, "roots": {}},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}
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


def request() -> dict[str, Any]:
    params = {"name": "click", "arguments": {"ref": "E1", "session": "mine"}, "_meta": META}
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}


@asynccontextmanager
async def posting(calls: Told) -> AsyncIterator[httpx.AsyncClient]:
    served = serving.server(calls)
    app = http.McpApp(served, token=None, hosts=LOOPBACK)
    head = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "click",
    }
    transport = httpx.ASGITransport(app)
    async with (
        served.session_manager.run(),
        httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=head) as client,
    ):
        yield client


def completed(text: str, *, is_error: bool = False, **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": text}, *more.pop("pictures", ())]
    return {"content": content, "isError": is_error, "resultType": "complete", **more}


FORM = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}
ASKED = {"method": "elicitation/create", "params": {"mode": "form", "message": "Which size?", "requestedSchema": FORM}}
PICTURES = [{"type": "image", "data": data, "mimeType": "image/png"} for data in ("iVBORw==", "c2Vjb25k")]
CASES: dict[str, tuple[CallReply | Exception, dict[str, Any]]] = {
    "value": (
        CallReply("Clicked.", value={"ref": "E1", "navigated_to": None}),
        completed("Clicked.", structuredContent={"ref": "E1", "navigated_to": None}),
    ),
    "pictures": (CallReply("A picture.", images=(b"\x89PNG", b"second")), completed("A picture.", pictures=PICTURES)),
    "refused": (
        CallReply("E1 is covered.", error=ToolError("NotInteractable", "E1 is covered.")),
        completed("E1 is covered.", is_error=True, _meta={"error": "NotInteractable"}),
    ),
    "question": (CallReply("", question=QUESTION), {"resultType": "input_required", "inputRequests": {"k1": ASKED}}),
    "no_browser": (
        BrowserError("Chrome is gone."),
        completed("Chrome is gone.", is_error=True, _meta={"error": "BrowserError"}),
    ),
}


@table("case", [*CASES])
async def test_a_reply_is_a_result_of_the_protocol(case: str) -> None:
    reply, result = CASES[case]
    calls = Told(reply)
    async with posting(calls) as client:
        answer = (await client.post(http.PATH, json=request())).json()

    server_info = answer["result"]["_meta"].pop("io.modelcontextprotocol/serverInfo")
    assert server_info["name"] == "cdp-agent"
    assert answer == {"jsonrpc": "2.0", "id": 7, "result": {"_meta": {}, **result}}
    assert calls.requests == [CallRequest("click", {"ref": "E1"}, "mine", {}, can_ask=True)]


async def test_a_fault_of_ours_is_answered_without_what_is_inside() -> None:
    async with posting(Told(ZeroDivisionError("ours"))) as client:
        answer = (await client.post(http.PATH, json=request())).json()

    assert answer["error"]["code"] == -32603
    assert "ours" not in str(answer)


@table("broken", [b"", b"\xff", b'{"method": "\xff"}', b"[" * 100_000])
async def test_what_is_no_message_is_refused(broken: bytes) -> None:
    async with posting(Told(CallReply(""))) as client:
        answer = await client.post(http.PATH, content=broken, headers={"Content-Type": "application/json"})

    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == -32700


async def test_a_connection_is_not_silent_while_a_call_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp.server._streamable_http_modern._SSE_PING_INTERVAL", 0.01)
    async with posting(Slow(CallReply("Clicked."))) as client:
        answer = await client.post(http.PATH, json=request())

    *pings, event, data, _, _ = answer.text.split("\r\n")
    assert answer.headers["content-type"] == "text/event-stream"
    assert ": ping" in pings
    assert event == "event: message"
    assert json.loads(data.removeprefix("data: "))["result"]["content"] == [{"type": "text", "text": "Clicked."}]
