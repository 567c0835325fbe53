"""`cdp-agent mcp` as a process of its own, at stdin and stdout and over HTTP, with the official SDK's client."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import httpx2
import pytest

from cdp_agent.security.http_guard import MAX_BODY_BYTES
from fixtures.shop import ShopServer
from tests.late import Late
from tests.mcp_shopping import search_for_mugs

if TYPE_CHECKING:
    import mcp
    from mcp import types
    from mcp.client import streamable_http
else:
    mcp, types, streamable_http = Late("mcp"), Late("mcp.types"), Late("mcp.client.streamable_http")

pytestmark = pytest.mark.chrome

COMMAND = [sys.executable, "-m", "cdp_agent"]
TOKEN = "of-this-test-alone"
GONE_WITHIN_S = 60.0


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Of processes whose sessions are the file's own, and end with it."""
    run = tmp_path_factory.mktemp("run")
    found = {**os.environ, "XDG_RUNTIME_DIR": str(run), "CDP_AGENT_SERVER_TOKEN": TOKEN}
    yield found
    subprocess.run([*COMMAND, "close", "--all"], env=found, check=True, capture_output=True)


@pytest.fixture(scope="module")
def url(environment: dict[str, str]) -> Iterator[str]:
    """The address of a server over HTTP."""
    with serving(environment) as url:
        yield url


@pytest.fixture
def shop() -> Iterator[ShopServer]:
    with ShopServer() as shop:
        yield shop


@contextmanager
def serving(environment: dict[str, str]) -> Iterator[str]:
    """A server over HTTP; its address."""
    command = [*COMMAND, "mcp", "--http", "0"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            told = process.stderr.readline()
            assert told.startswith("cdp-agent serves MCP at "), told
            yield told.split()[-1]
        finally:
            process.terminate()


def over_http(url: str, mode: str = "2026-07-28") -> mcp.Client:
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=120, verify=False)
    return mcp.Client(streamable_http.streamable_http_client(url, http_client=http), mode=mode)


def said(result: Any) -> str:
    first = result.content[0]
    assert isinstance(first, types.TextContent)
    assert not result.is_error, first.text
    return first.text


async def test_clients_of_two_servers_and_both_eras_search_in_the_shop_by_turns(
    environment: dict[str, str], url: str, shop: ShopServer
) -> None:
    with serving(environment) as other_url:
        async with over_http(url) as one, over_http(other_url, "legacy") as other:
            turns = [one, other]

            async def call(name: str, arguments: dict[str, Any]) -> str:
                turns.reverse()
                return said(await turns[0].call_tool(name, arguments))

            found = await search_for_mugs(call, shop.url)

    assert 'link "Enamel mug, blue"' in found


async def test_a_client_that_names_a_session_of_its_own_does_not_meet_the_others(url: str, shop: ShopServer) -> None:
    async with over_http(url) as client:
        await client.call_tool("goto", {"url": shop.url})
        await client.call_tool("goto", {"url": f"{shop.url}/cart", "session": "own"})
        first = await client.call_tool("manage_tabs", {"action": "list"})
        wrong = await client.call_tool("snapshot", {"session": "../etc"})

    assert first.structured_content is not None
    assert [each["url"] for each in first.structured_content["tabs"]] == [shop.url]
    assert wrong.is_error
    assert (wrong.meta or {})["error"] == "SetupError"


async def test_only_whoever_has_the_token_and_comes_from_no_page_is_served(url: str) -> None:
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    mine = {"Authorization": f"Bearer {TOKEN}", "Accept": "application/json, text/event-stream"}
    async with httpx.AsyncClient(verify=False) as http:
        answers = [
            (await http.post(url, json=request, headers=headers)).status_code
            for headers in (
                {},
                {**mine, "Origin": "https://evil.example"},
                {**mine, "Host": "evil.example"},
            )
        ]
        large = await http.post(url, content=b" " * (MAX_BODY_BYTES + 1), headers=mine)

    assert answers == [401, 403, 421]
    assert large.status_code == 413


async def test_a_client_that_goes_away_in_mid_call_leaves_nothing_behind(url: str, shop: ShopServer) -> None:
    waiting = {"name": "wait_for", "arguments": {"text": "Never", "timeout_s": 100}}
    async with over_http(url) as client:
        await client.call_tool("goto", {"url": shop.url})
        gone = [asyncio.ensure_future(over_http_once(url, waiting)) for _ in range(3)]
        await asyncio.sleep(0)
        async with over_http(url) as asking:  # beside them
            assert (await asking.list_tools()).tools
        for each in gone:
            each.cancel()
        await asyncio.wait(gone)
        page = await asyncio.wait_for(client.call_tool("snapshot"), 60)
        tabs = await client.call_tool("manage_tabs", {"action": "list"})

    assert not page.is_error
    assert tabs.structured_content is not None
    assert len(tabs.structured_content["tabs"]) == 1


async def over_http_once(url: str, call: dict[str, Any]) -> None:
    async with over_http(url) as client:
        await client.call_tool(call["name"], call["arguments"])


async def test_a_client_that_dies_in_mid_call_takes_its_chrome_along(
    environment: dict[str, str], shop: ShopServer, tmp_path: Path
) -> None:
    """At stdin and stdout; test_session_trace.py and test_mcp_others.py have clients that others wrote there."""

    def sent(number: int | None, method: str, **params: Any) -> bytes:
        message = {"jsonrpc": "2.0", "method": method, "params": params} | ({} if number is None else {"id": number})
        return json.dumps(message).encode() + b"\n"

    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        "mcp",
        env={**environment, "XDG_RUNTIME_DIR": str(tmp_path)},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    process.stdin.write(sent(1, "initialize", **client) + sent(None, "notifications/initialized"))
    process.stdin.write(sent(2, "tools/call", name="goto", arguments={"url": shop.url}))
    assert [json.loads(await process.stdout.readline())["id"] for _ in range(2)] == [1, 2]
    assert os.listdir(tmp_path) == []  # its session is its own
    children = await asyncio.to_thread(_descendants, process.pid)
    process.stdin.write(
        sent(
            3, "tools/call", name="wait_for", arguments={"text": "Never", "timeout_s": 100}, _meta={"progressToken": 1}
        )
    )
    assert json.loads(await process.stdout.readline())["method"] == "notifications/progress"

    process.stdin.close()

    async with asyncio.timeout(GONE_WITHIN_S):
        assert await process.wait() == 0
    assert children
    assert await asyncio.to_thread(_left_of, children) == set()


def _descendants(pid: int) -> set[int]:
    """The processes that it has started, and those that they have."""
    listed = subprocess.run(["ps", "-e", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = {int(pid): int(parent) for pid, parent in map(str.split, listed.splitlines())}
    found = {pid}
    while more := {each for each, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def _left_of(processes: set[int]) -> set[int]:
    """Those that still run after a while: nobody tells of the end of a process that is not ours."""
    ends = time.monotonic() + GONE_WITHIN_S
    while (left := {each for each in processes if _lives(each)}) and time.monotonic() < ends:
        time.sleep(0.05)
    return left


def _lives(pid: int) -> bool:
    with suppress(FileNotFoundError), open(f"/proc/{pid}/stat", encoding="ascii") as file:
        return file.read().split()[2] != "Z"
    return False
