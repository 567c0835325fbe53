"""The MCP server's own way of reading the standard input and writing the standard output."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from typing import Any

import pytest

SERVER = """
import asyncio, os, sys
from mcp.server.lowlevel import Server
from mcp.types import CallToolResult, TextContent
from cdp_agent.mcp.stdio import serve_stdio

async def call_tool(context, params):
    print("stray", flush=True)
    os.system("echo of a child")
    return CallToolResult(content=[TextContent(text=params.arguments["text"] + str(sys.stdin.read(1)))])

asyncio.run(serve_stdio(Server("test", on_call_tool=call_tool)))
print("afterwards")
"""
BROWSER = """
import asyncio, json, sys
from cdp_agent.mcp import server
from cdp_agent.mcp.calls import CallReply
from cdp_agent.mcp.stdio import serve_stdio

class Calls:
    async def call(self, request):
        ref = request.arguments["ref"]
        if ref == "E1":
            try:
                print("begun", file=sys.stderr, flush=True)
                await asyncio.Event().wait()
            finally:
                print("given up", file=sys.stderr, flush=True)
        return CallReply(ref)

async def serve():
    await serve_stdio(server(Calls()))
    print("served", file=sys.stderr)  # from here on, a browser is closed

asyncio.run(serve())
print("httpx" in sys.modules, file=sys.stderr)  # which is for models, and takes long to import
"""
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}
ABOUT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the SDK's own streams are taken there")


class Piped:
    """The server in a process of its own, and its two pipes."""

    def __init__(self, process: Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process = process
        self.stdin = process.stdin
        self.stdout = process.stdout

    def say(self, line: bytes) -> None:
        self.stdin.write(line + b"\n")

    async def ask(self, number: int, method: str, **params: Any) -> Any:
        """What is answered to a request."""
        self.say(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode())
        while (answer := json.loads(await self.stdout.readline())).get("id") != number:
            pass
        return answer["result"]


@pytest.fixture
async def piped() -> AsyncIterator[Piped]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SERVER, stdin=PIPE, stdout=PIPE, stderr=PIPE, limit=64 << 20
    )
    served = Piped(process)
    try:
        await served.ask(0, "initialize", **ABOUT)
        served.say(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        yield served
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def clicking(number: int) -> bytes:
    """A request of the newest revision, of that id, to click the element of that number."""
    params = {"name": "click", "arguments": {"ref": f"E{number}"}, "_meta": META}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).encode()


@pytest.fixture
async def browser() -> AsyncIterator[Piped]:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", BROWSER, stdin=PIPE, stdout=PIPE, stderr=PIPE)
    yield Piped(process)
    if process.returncode is None:
        process.kill()
    await process.wait()


async def test_a_call_that_is_given_up_is_ended_and_so_are_those_of_a_client_that_goes_away(browser: Piped) -> None:
    first, second, third = (clicking(number) for number in (1, 2, 3))
    assert browser.process.stderr is not None

    browser.say(first)
    assert await browser.process.stderr.readline() == b"begun\n"
    browser.say(second)
    answers = [json.loads(await browser.stdout.readline())]
    browser.say(b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}')
    assert await browser.process.stderr.readline() == b"given up\n"
    browser.say(third)
    answers.append(json.loads(await browser.stdout.readline()))
    browser.say(first)
    assert await browser.process.stderr.readline() == b"begun\n"
    browser.stdin.close()
    rest, errors = await asyncio.wait_for(browser.process.communicate(), 20)

    assert [each["result"]["content"][0]["text"] for each in answers] == ["E2", "E3"]
    assert (rest, errors, browser.process.returncode) == (b"", b"given up\nserved\nFalse\n", 0)


async def test_only_messages_are_on_the_wire_and_both_ends_come_back_afterwards(piped: Piped) -> None:
    piped.say(b"nonsense")
    piped.say(b'{"jsonrpc": "2.0", "id": "\xff\xfe"}')
    told = await piped.ask(1, "tools/call", name="say", arguments={"text": "Grüße\n"})
    large = await piped.ask(2, "tools/call", name="say", arguments={"text": "x" * 5_000_000})
    at_once = range(3, 23)
    for number in at_once:
        params = {"name": "say", "arguments": {"text": f"{number} " + "x" * 100_000}}
        piped.say(json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).encode())
    answers = {(answer := json.loads(await piped.stdout.readline()))["id"]: answer for _ in at_once}
    piped.stdin.close()
    rest, errors = await asyncio.wait_for(piped.process.communicate(), 20)

    assert told["content"][0]["text"] == "Grüße\n"
    assert len(large["content"][0]["text"]) == 5_000_000
    assert all(answers[number]["result"]["content"][0]["text"].startswith(f"{number} x") for number in at_once)
    assert (rest, piped.process.returncode) == (b"afterwards\n", 0)
    assert errors.count(b"stray\n") == errors.count(b"of a child\n") == 2 + len(at_once)


async def test_a_client_that_takes_no_answer_and_leaves_ends_it(piped: Piped) -> None:
    piped.stdout._transport.close()  # type: ignore[attr-defined]  # there is no other way to close only our end of it
    params = {"name": "say", "arguments": {"text": "x" * 200_000}}
    piped.say(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode())
    piped.stdin.close()

    await asyncio.wait_for(piped.process.wait(), 20)
