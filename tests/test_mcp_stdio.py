"""The MCP server's own way of reading the standard input and writing the standard output."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
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
STOPPED = """
import asyncio, os, signal
from mcp.server.lowlevel import Server
from cdp_agent.mcp.stdio import serve_stdio

signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background of a shell ignores it

async def call_tool(context, params):
    os.kill(os.getpid(), signal.SIGINT)
    await asyncio.Event().wait()

try:
    asyncio.run(serve_stdio(Server("test", on_call_tool=call_tool)))
except KeyboardInterrupt:
    os._exit(3)
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
FORKING = """
import os, socket, sys
from cdp_agent.mcp import server, stdio

asked = socket.socket(fileno=int(sys.argv[1]))
while program := (received := socket.recv_fds(asked, 1 << 16, 3))[0]:
    if not (child := os.fork()):
        asked.close()
        for place, pipe in enumerate(received[1]):
            os.dup2(pipe, place)
            os.close(pipe)
        break
    for pipe in received[1]:
        os.close(pipe)
    asked.send(b"%d\\n" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
exec(program)
"""
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}
ABOUT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the SDK's own streams are taken there")


class Piped:
    """A server in a process of its own, and its pipes."""

    def __init__(self, forking: Forking, program: str) -> None:
        self._status = forking.begin(program.encode(), pipes := [os.pipe() for _ in range(3)])
        (stdin_end, self._stdin_end), (self._stdout_end, stdout_end), (self._stderr_end, stderr_end) = pipes
        for end in (stdin_end, stdout_end, stderr_end):
            os.close(end)

    async def connect(self) -> None:
        loop = asyncio.get_running_loop()
        self.stdout, self.stderr = (asyncio.StreamReader(limit=64 << 20) for _ in range(2))
        self.stdout_transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(self.stdout), os.fdopen(self._stdout_end, "rb", 0)
        )
        self._stderr_transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(self.stderr), os.fdopen(self._stderr_end, "rb", 0)
        )
        writing, protocol = await loop.connect_write_pipe(
            lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), os.fdopen(self._stdin_end, "wb", 0)
        )
        self.stdin = asyncio.StreamWriter(writing, protocol, None, loop)

    def say(self, line: bytes) -> None:
        self.stdin.write(line + b"\n")

    async def ask(self, number: int, method: str, **params: Any) -> Any:
        """What is answered to a request."""
        self.say(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode())
        while (answer := json.loads(await self.stdout.readline())).get("id") != number:
            pass
        return answer["result"]

    async def ended(self) -> int:
        """Its exit status, once it has ended."""
        return await asyncio.wait_for(asyncio.to_thread(self._status), 20)

    def close(self) -> None:
        self.stdin.close()
        self.stdout_transport.close()
        self._stderr_transport.close()


class Forking:
    """Has programs carried out in processes that have imported what they all need, which takes longer than they."""

    def __init__(self) -> None:
        self._asking, asked = socket.socketpair()
        self._told = self._asking.makefile("r")
        command = [sys.executable, "-c", FORKING, str(asked.fileno())]
        self._process = subprocess.Popen(command, pass_fds=[asked.fileno()])
        asked.close()

    def begin(self, program: bytes, pipes: list[tuple[int, int]]) -> Callable[[], int]:
        """What waits for the end of it and gives its exit status."""
        (stdin, _), (_, stdout), (_, stderr) = pipes
        socket.send_fds(self._asking, [program], [stdin, stdout, stderr])
        return lambda: int(self._told.readline())

    def close(self) -> None:
        self._process.kill()  # first, since a thread may still read what it tells
        self._process.wait()
        self._told.close()
        self._asking.close()


@pytest.fixture(scope="module")
def forking() -> Iterator[Forking]:
    forking = Forking()
    yield forking
    forking.close()


@pytest.fixture
async def piped(forking: Forking) -> AsyncIterator[Piped]:
    served = Piped(forking, SERVER)
    await served.connect()
    await served.ask(0, "initialize", **ABOUT)
    served.say(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
    yield served
    served.close()


def clicking(number: int) -> bytes:
    """A request of the newest revision, of that id, to click the element of that number."""
    params = {"name": "click", "arguments": {"ref": f"E{number}"}, "_meta": META}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).encode()


@pytest.fixture
async def browser(forking: Forking) -> AsyncIterator[Piped]:
    served = Piped(forking, BROWSER)
    await served.connect()
    yield served
    served.close()


async def test_a_call_that_is_given_up_is_ended_and_so_are_those_of_a_client_that_goes_away(browser: Piped) -> None:
    first, second, third = (clicking(number) for number in (1, 2, 3))

    browser.say(first)
    assert await browser.stderr.readline() == b"begun\n"
    browser.say(second)
    answers = [json.loads(await browser.stdout.readline())]
    browser.say(b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}')
    assert await browser.stderr.readline() == b"given up\n"
    browser.say(third)
    answers.append(json.loads(await browser.stdout.readline()))
    browser.say(first)
    assert await browser.stderr.readline() == b"begun\n"
    browser.stdin.close()
    rest, errors = await browser.stdout.read(), await browser.stderr.read()

    assert [each["result"]["content"][0]["text"] for each in answers] == ["E2", "E3"]
    assert json.loads(rest) == {"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": "Connection closed"}}
    assert (errors, await browser.ended()) == (b"given up\nserved\nFalse\n", 0)


async def test_only_messages_are_on_the_wire_and_both_ends_come_back_afterwards(piped: Piped) -> None:
    piped.say(b"nonsense")
    piped.say(b'{"jsonrpc": "2.0", "id": "\xff\xfe"}')
    told = await piped.ask(1, "tools/call", name="say", arguments={"text": "Grüße\n"})
    large = await piped.ask(2, "tools/call", name="say", arguments={"text": "x" * 1_000_000})
    at_once = range(3, 13)
    for number in at_once:
        params = {"name": "say", "arguments": {"text": f"{number} " + "x" * 100_000}}
        piped.say(json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).encode())
    answers = {(answer := json.loads(await piped.stdout.readline()))["id"]: answer for _ in at_once}
    piped.stdin.close()
    rest, errors = await piped.stdout.read(), await piped.stderr.read()

    assert told["content"][0]["text"] == "Grüße\n"
    assert len(large["content"][0]["text"]) == 1_000_000
    assert all(answers[number]["result"]["content"][0]["text"].startswith(f"{number} x") for number in at_once)
    assert (rest, await piped.ended()) == (b"afterwards\n", 0)
    assert errors.count(b"stray\n") == errors.count(b"of a child\n") == 2 + len(at_once)


async def test_what_is_no_message_is_answered_with_an_error_and_its_id(piped: Piped) -> None:
    lines = {
        b"nonsense": (None, -32700),
        b"\xff\xfe": (None, -32700),
        b"[" * 100_000: (None, -32700),
        b"[]": (None, -32600),
        b'{"id": 1}': (1, -32600),
        b'{"jsonrpc": "1.0", "id": 2, "method": "ping"}': (2, -32600),
        b'{"jsonrpc": "2.0", "id": 3, "method": "ping", "params": []}': (3, -32600),
        b'{"jsonrpc": "2.0", "id": null, "method": "ping"}': (None, -32600),
        b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}': (None, -32600),
        b'{"jsonrpc": "2.0", "id": "a\\ud83d", "method": "ping"}': ("a\ud83d", -32600),
        b'{"jsonrpc": "2.0", "id": 4, "method": "ping", "params": {"a": "\\ud83d"}}': (4, -32600),
    }
    answers = []
    for line in lines:
        piped.say(line)
        answers.append(json.loads(await piped.stdout.readline()))
    piped.say(b"")  # no line at all, like an answer to a question that nobody asked
    piped.say(b'{"jsonrpc": "2.0", "id": 5, "result": "\\ud83d"}')

    assert [(each["id"], each["error"]["code"]) for each in answers] == list(lines.values())
    assert await piped.ask(6, "ping") == {}
    piped.stdin.close()
    assert await piped.ended() == 0


async def test_a_client_that_takes_no_answer_and_leaves_ends_it(piped: Piped) -> None:
    piped.stdout_transport.close()
    params = {"name": "say", "arguments": {"text": "x" * 200_000}}
    piped.say(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode())
    piped.stdin.close()

    await piped.ended()


async def test_a_signal_ends_it_though_the_client_stays(forking: Forking) -> None:
    served = Piped(forking, STOPPED)
    await served.connect()
    served.say(clicking(1))

    try:
        assert await served.ended() == 3
    finally:
        served.close()
