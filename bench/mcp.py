"""What the MCP server costs: tokens of its tools/list beside others', and milliseconds of a call over the Python call.

python -m bench.mcp [--calls 200] [--only tokens|calls]

Tokens are of o200k, of the JSON of the `tools` of each server as it comes. A call is `find_elements` on a page with one
heading, in one session, in turns by each way: Session.call, and the official SDK's client at stdin and stdout, over
HTTP, and at stdin and stdout in a session that another process holds ("socket"). "SDK alone" is a server of the SDK
whose tool does nothing (bench/mcp_floor.py). "serve" is the same call at `cdp-agent serve`, by httpx and by a plain
socket, which costs the client next to nothing: the difference is httpx's own. Medians (least to most).
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
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
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
async def _over_http(*command: str, environment: dict[str, str]) -> AsyncIterator[Client]:
    """A client of what the command serves, at the address that ends its first line."""
    process = await asyncio.create_subprocess_exec(*command, env=environment, stderr=asyncio.subprocess.PIPE)
    assert process.stderr is not None
    try:
        url = (await process.stderr.readline()).decode().split()[-1]
        transport = streamable_http_client(url, http_client=httpx2.AsyncClient(timeout=60))
        async with Client(transport, mode="2026-07-28") as client:
            yield client
    finally:
        process.terminate()
        await process.wait()


@asynccontextmanager
async def _served(endpoint: str, environment: dict[str, str]) -> AsyncIterator[tuple[Way, Way]]:
    """A call at `cdp-agent serve`, by httpx and by a plain socket."""
    command = [*OURS[:-1], "serve", "--port", "0", "--cdp", endpoint]
    process = await asyncio.create_subprocess_exec(*command, env=environment, stderr=asyncio.subprocess.PIPE)
    assert process.stderr is not None
    try:
        url = (await process.stderr.readline()).decode().split()[-1].rstrip(".")
        async with httpx.AsyncClient(base_url=url, timeout=60, trust_env=False) as client:
            session = (await client.post("/v1/sessions", json={"url": PAGE})).json()["id"]
            path, arguments = f"/v1/sessions/{session}/tools/{CALL[0]}", json.dumps(CALL[1])
            parts = urlsplit(url)
            reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
            head = f"POST {path} HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Length: {len(arguments)}\r\n\r\n"

            async def by_httpx() -> None:
                (await client.post(path, content=arguments)).raise_for_status()

            async def by_socket() -> None:
                writer.write(f"{head}{arguments}".encode())
                answered = (await reader.readuntil(b"\r\n\r\n")).decode()
                assert answered.startswith("HTTP/1.1 200 ")
                await reader.readexactly(int(answered.partition("content-length: ")[2].split()[0]))

            yield by_httpx, by_socket
            writer.close()
    finally:
        process.terminate()
        await process.wait()


@asynccontextmanager
async def _ways() -> AsyncIterator[dict[str, Way]]:
    async with AsyncExitStack() as stack:
        run = stack.enter_context(tempfile.TemporaryDirectory())
        endpoint = stack.enter_context(running_chrome())
        environment = {**os.environ, "XDG_RUNTIME_DIR": run}
        session = await stack.enter_async_context(Session.connect(endpoint))
        flags = ["--cdp", endpoint]
        stdio = StdioServerParameters(command=OURS[0], args=[*OURS[1:], *flags], env=environment)
        held = StdioServerParameters(command=OURS[0], args=[*OURS[1:], "--session", "held", *flags], env=environment)
        floor = StdioServerParameters(command=FLOOR[0], args=[*FLOOR[1:], "stdio"], env=environment)
        clients = {
            "stdio": await stack.enter_async_context(Client(stdio)),
            "socket": await stack.enter_async_context(Client(held)),
            "HTTP": await stack.enter_async_context(_over_http(*OURS, "--http", "0", *flags, environment=environment)),
        }
        await session.call("goto", {"url": PAGE})
        for client in clients.values():
            assert not (await client.call_tool("goto", {"url": PAGE})).is_error
        clients["SDK alone, stdio"] = await stack.enter_async_context(Client(floor))
        clients["SDK alone, HTTP"] = await stack.enter_async_context(
            _over_http(*FLOOR, "HTTP", environment=environment)
        )
        by_httpx, by_socket = await stack.enter_async_context(_served(endpoint, environment))

        def called(client: Client) -> Way:
            return lambda: client.call_tool(*CALL)

        yield {
            "Python": lambda: session.call(*CALL),
            **{name: called(each) for name, each in clients.items()},
            "serve, httpx": by_httpx,
            "serve, plain socket": by_socket,
        }
        await asyncio.to_thread(
            subprocess.run, [*OURS[:-1], "close", "--all"], env=environment, check=True, capture_output=True
        )


async def measure_calls(count: int) -> dict[str, Spread]:
    """Milliseconds of a call by each way, in turns."""
    found: dict[str, list[float]] = {}
    async with _ways() as ways:
        for _ in range(count):
            for name, call in ways.items():
                began = time.perf_counter()
                await call()
                found.setdefault(name, []).append((time.perf_counter() - began) * 1000)
    return {name: spread(each) for name, each in found.items()}


async def tell_calls(count: int) -> None:
    found = await measure_calls(count)
    base = found["Python"].median
    rows = [[name, str(each), f"{each.median - base:+.2f}"] for name, each in found.items()]
    print(table(["way", "ms a call", "over Python"], rows))


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
