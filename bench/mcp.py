"""What the MCP server costs: tokens of its tools/list beside others', and milliseconds of a call over the Python call.

python -m bench.mcp [--calls 200] [--only tokens|calls]

Tokens are of o200k, of the JSON of the `tools` of each server as it comes. A call is `find_elements` on a page with one
heading, in one session, in turns by each way: Session.call, and the official SDK's client at stdin and stdout, over
HTTP, and at stdin and stdout in a session that another process holds ("socket"). "SDK alone" is a server of the SDK
whose tool does nothing (bench/mcp_floor.py). "serve" is the same call at `cdp-agent serve`, by httpx. A plain client
writes the same requests to the pipes or the socket and looks for the end of the answer, which costs it next to nothing:
what it takes less is the clients' own. Medians (least to most), and the processor time that the server's process took.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from bench.cache import NotFetched, npm_environment
from bench.chrome import running_chrome
from bench.peers import tokenizer
from bench.report import Spread, spread, table, this_machine
from cdp_agent.session import Session

PEERS = {
    "Playwright MCP": ("@playwright/mcp@0.0.83", "cli.js"),
    "chrome-devtools-mcp": ("chrome-devtools-mcp@1.11.0", "build/src/bin/chrome-devtools-mcp.js"),
}
OURS = [sys.executable, "-m", "cdp_agent", "mcp"]
FLOOR = [sys.executable, "-m", "bench.mcp_floor"]
PAGE = "data:text/html,<title>Mugs</title><h1>Mugs</h1>"
CALL: tuple[str, dict[str, Any]] = ("find_elements", {"selector": "h1"})
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "plain", "version": "1"},
}
Call = Callable[[str, dict[str, Any]], Awaitable[object]]
Way = Callable[[], Awaitable[object]]


def token_count(text: str) -> int:
    """For o200k. Raises NotFetched."""
    line = json.dumps({"do": "count", "text": text}) + "\n"
    done = subprocess.run(tokenizer(), input=line, capture_output=True, text=True, check=True)
    count: int = json.loads(done.stdout)["tokens"]
    return count


async def listed_by(server: Client) -> tuple[int, str]:
    """How many tools a server lists to a client, and their JSON."""
    async with server as client:
        tools = (await client.list_tools()).tools
    told = [each.model_dump(by_alias=True, exclude_none=True, mode="json") for each in tools]
    return len(tools), json.dumps(told, separators=(",", ":"), ensure_ascii=False)


async def tell_tokens() -> None:
    rows = []
    servers = {"cdp_agent": OURS}
    for name, (package, program) in PEERS.items():
        try:
            modules = npm_environment(package) / "node_modules"
        except NotFetched as error:
            print(f"{name}: {error}")
            continue
        servers[name] = ["node", str(modules / package.rpartition("@")[0] / program)]
    for name, command in servers.items():
        tools, told = await listed_by(Client(StdioServerParameters(command=command[0], args=command[1:])))
        rows.append([name, str(tools), f"{token_count(told):,}"])
    print(table(["server", "tools", "tokens"], rows))


@asynccontextmanager
async def _over_http(url: str) -> AsyncIterator[Client]:
    """The official client of a server."""
    transport = streamable_http_client(url, http_client=httpx2.AsyncClient(timeout=60))
    async with Client(transport, mode="2026-07-28") as client:
        yield client


@asynccontextmanager
async def _ended(process: Process) -> AsyncIterator[Process]:
    """The process, which is ended afterwards."""
    try:
        yield process
    finally:
        process.terminate()
        await process.wait()


@asynccontextmanager
async def _serving(*command: str, environment: dict[str, str]) -> AsyncIterator[str]:
    """What the command serves: the address that ends its first line."""
    async with _ended(await asyncio.create_subprocess_exec(*command, env=environment, stderr=PIPE)) as process:
        assert process.stderr is not None
        yield (await process.stderr.readline()).decode().split()[-1].rstrip(".")


@asynccontextmanager
async def _plainly_at_pipes(*command: str, environment: dict[str, str]) -> AsyncIterator[tuple[Call, int]]:
    """Calls by lines at stdin and stdout of what the command serves, and the id of its process."""
    started = await asyncio.create_subprocess_exec(*command, env=environment, stdin=PIPE, stdout=PIPE)
    async with _ended(started) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        lines, answers = process.stdin, process.stdout

        async def call(name: str, arguments: dict[str, Any]) -> None:
            lines.write(_request(name, arguments) + b"\n")
            assert b'"isError":false' in await answers.readline()

        yield call, process.pid


@asynccontextmanager
async def _plainly_over_http(url: str, *headers: str) -> AsyncIterator[Callable[[bytes], Awaitable[None]]]:
    """Posts to the address on one connection."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    head = "\r\n".join([f"POST {parts.path} HTTP/1.1", f"Host: {parts.netloc}", *headers])

    async def post(body: bytes) -> None:
        writer.write(f"{head}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        answered = (await reader.readuntil(b"\r\n\r\n")).decode()
        assert answered.startswith("HTTP/1.1 200 "), answered
        await reader.readexactly(int(answered.partition("content-length: ")[2].split()[0]))

    try:
        yield post
    finally:
        writer.close()


def _request(name: str, arguments: dict[str, Any]) -> bytes:
    params = {"name": name, "arguments": arguments, "_meta": META}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()


_CALL_HEADERS = (
    "Accept: application/json, text/event-stream",
    "Content-Type: application/json",
    "MCP-Protocol-Version: 2026-07-28",
    "Mcp-Method: tools/call",
    f"Mcp-Name: {CALL[0]}",
)


@asynccontextmanager
async def _ways() -> AsyncIterator[tuple[dict[str, Way], dict[str, int]]]:
    """The ways of a call, and the processes of the servers that one of them has for itself."""
    async with AsyncExitStack() as stack:
        run = stack.enter_context(tempfile.TemporaryDirectory())
        endpoint = stack.enter_context(running_chrome())
        environment = {**os.environ, "XDG_RUNTIME_DIR": run}
        session = await stack.enter_async_context(Session.connect(endpoint))
        await session.call("goto", {"url": PAGE})
        ways: dict[str, Way] = {"Python": lambda: session.call(*CALL)}
        processes: dict[str, int] = {}

        async def served(name: str, *command: str) -> None:
            """By the official client and by a plain one, each with a server of its own at the pipes."""
            parameters = StdioServerParameters(command=command[0], args=list(command[1:]), env=environment)
            client = await stack.enter_async_context(Client(parameters))
            call, pid = await stack.enter_async_context(_plainly_at_pipes(*command, environment=environment))
            assert not (await client.call_tool("goto", {"url": PAGE})).is_error
            await call("goto", {"url": PAGE})
            ways[name], ways[f"{name}, plain"] = lambda: client.call_tool(*CALL), lambda: call(*CALL)
            processes[f"{name}, plain"] = pid

        async def served_over_http(name: str, *command: str) -> None:
            url = await stack.enter_async_context(_serving(*command, environment=environment))
            client = await stack.enter_async_context(_over_http(url))
            assert not (await client.call_tool("goto", {"url": PAGE})).is_error
            post = await stack.enter_async_context(_plainly_over_http(url, *_CALL_HEADERS))
            body = _request(*CALL)
            ways[name], ways[f"{name}, plain"] = lambda: client.call_tool(*CALL), lambda: post(body)

        flags = ["--cdp", endpoint]
        await served("stdio", *OURS, *flags)
        await served("socket", *OURS, "--session", "held", *flags)
        await served_over_http("HTTP", *OURS, "--http", "0", *flags)
        await served("SDK alone, stdio", *FLOOR, "stdio")
        await served_over_http("SDK alone, HTTP", *FLOOR, "HTTP")
        serve = [*OURS[:-1], "serve", "--port", "0", *flags]
        url = await stack.enter_async_context(_serving(*serve, environment=environment))
        client = await stack.enter_async_context(httpx.AsyncClient(base_url=url, timeout=60, trust_env=False))
        opened = (await client.post("/v1/sessions", json={"url": PAGE})).json()["id"]
        path, arguments = f"/v1/sessions/{opened}/tools/{CALL[0]}", json.dumps(CALL[1]).encode()
        post = await stack.enter_async_context(_plainly_over_http(f"{url}{path}"))
        ways["serve, httpx"] = lambda: client.post(path, content=arguments)
        ways["serve, plain"] = lambda: post(arguments)
        yield ways, processes
        await asyncio.to_thread(
            subprocess.run, [*OURS[:-1], "close", "--all"], env=environment, check=True, capture_output=True
        )


def _processor_ms(pid: int) -> float:
    """What its threads have had of the processors; NaN where no /proc tells it."""
    try:
        return sum(
            int(each.read_text().split()[0]) / 1e6 for each in Path(f"/proc/{pid}/task").glob("*/schedstat")
        ) or float("nan")
    except OSError:
        return float("nan")


async def measure_calls(count: int) -> tuple[dict[str, Spread], dict[str, float]]:
    """Milliseconds of a call by each way, in turns, and of the processors for one."""
    found: dict[str, list[float]] = {}
    async with _ways() as (ways, processes):
        for call in ways.values():
            await call()
        had = {name: _processor_ms(pid) for name, pid in processes.items()}
        for _ in range(count):
            for name, call in ways.items():
                began = time.perf_counter()
                await call()
                found.setdefault(name, []).append((time.perf_counter() - began) * 1000)
        took = {name: (_processor_ms(pid) - had[name]) / count for name, pid in processes.items()}
    return {name: spread(each) for name, each in found.items()}, took


async def tell_calls(count: int) -> None:
    found, took = await measure_calls(count)
    base = found["Python"].median
    rows = [
        [name, str(each), f"{each.median - base:+.2f}", f"{took[name]:.2f}" if name in took else ""]
        for name, each in found.items()
    ]
    print(table(["way", "ms a call", "over Python", "server's CPU"], rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=200, metavar="N", help="by each way (default: 200)")
    parser.add_argument("--only", choices=["tokens", "calls"])
    options = parser.parse_args()
    print(f"{this_machine('Chrome in its own version')}\n")
    if options.only != "calls":
        asyncio.run(tell_tokens())
    if options.only != "tokens":
        asyncio.run(tell_calls(options.calls))


if __name__ == "__main__":
    main()
