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
from cdp_agent.trace.options import run_folders
from fixtures.shop import ShopServer
from tests.commands import Cli
from tests.conftest import environment_in
from tests.detached import DetachedChrome
from tests.late import Late
from tests.mcp_shopping import search_for_mugs
from tests.raw_server import talking

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
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Of processes whose sessions are the file's own."""
    return {**environment_in(tmp_path_factory.mktemp("served")), "CDP_AGENT_SERVER_TOKEN": TOKEN}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The only one that clients over HTTP have files written to."""
    return tmp_path_factory.mktemp("made")


@pytest.fixture(scope="module")
def url(environment: dict[str, str], detached: DetachedChrome, folder: Path) -> Iterator[str]:
    attached = {**environment, "CDP_AGENT_CDP": detached.endpoint}
    with serving_mcp(attached, "--max-sessions", "2", "--downloads", str(folder)) as (url, process):
        yield url
        process.terminate()
    assert Cli(attached)("sessions").stdout == "No session runs.\n"


@contextmanager
def serving_mcp(attached: dict[str, str], *options: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server over HTTP and its address; its sessions are in the Chrome that runs already, and end with it."""
    command = [*COMMAND, "mcp", "--http", "0", *options]
    with subprocess.Popen(command, env=attached, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        told = process.stderr.readline()
        assert told.startswith("cdp-agent serves MCP at "), told
        yield told.split()[-1], process
        assert process.wait(5) == 0


@pytest.fixture
def shop() -> Iterator[ShopServer]:
    with ShopServer() as shop:
        yield shop


def over_http(url: str, mode: str = "2026-07-28") -> mcp.Client:
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=120, verify=False)
    return mcp.Client(streamable_http.streamable_http_client(url, http_client=http), mode=mode)


def said(result: Any) -> str:
    first = result.content[0]
    assert isinstance(first, types.TextContent)
    assert not result.is_error, first.text
    return first.text


async def test_clients_of_both_eras_search_by_turns_and_meet_nobody_in_a_session_of_their_own(
    url: str, shop: ShopServer
) -> None:
    async with over_http(url) as one, over_http(url, "legacy") as other:
        turns = [one, other]

        async def call(name: str, arguments: dict[str, Any]) -> str:
            turns.reverse()
            return said(await turns[0].call_tool(name, arguments))

        found = await search_for_mugs(call, shop.url)
        await one.call_tool("goto", {"url": f"{shop.url}/cart", "session": "own"})
        theirs, own = [said(await one.call_tool("snapshot", session)) for session in ({}, {"session": "own"})]
        wrong = await one.call_tool("snapshot", {"session": "../etc"})

    assert 'link "Enamel mug, blue"' in found
    assert theirs == found
    assert 'heading "Your cart"' in own
    assert wrong.is_error
    assert (wrong.meta or {})["error"] == "SetupError"


async def test_clients_elsewhere_have_files_written_below_one_folder_and_no_more_sessions_than_may_be(
    url: str, folder: Path, tmp_path: Path
) -> None:
    (folder / "out").symlink_to(tmp_path)
    async with over_http(url) as client:
        await client.call_tool("goto", {"url": "data:text/html,<p>Here", "session": "own"})
        paths = [str(tmp_path / "x.png"), "../x.png", "out/x.png", "~/x.png"]
        refused = [await client.call_tool("screenshot", {"path": path, "session": "own"}) for path in paths]
        written = await client.call_tool("pdf", {"path": "x.pdf", "session": "own"})
        await client.call_tool("manage_tabs", {"action": "list"})
        third = await client.call_tool("goto", {"url": "data:text/html,<p>There", "session": "third"})

    assert [each.is_error for each in refused] == [True] * 4
    assert os.listdir(tmp_path) == []
    assert said(written).endswith(f"bytes to {folder / 'x.pdf'}.")
    assert (third.is_error, (third.meta or {})["error"]) == (True, "SetupError")


async def test_a_call_that_is_under_way_when_the_server_is_told_to_end_is_answered(
    environment: dict[str, str], detached: DetachedChrome
) -> None:
    arrived = asyncio.Event()

    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        arrived.set()
        await asyncio.get_running_loop().create_future()

    with serving_mcp({**environment, "CDP_AGENT_CDP": detached.endpoint}) as (url, process):
        async with talking(say_nothing) as port, over_http(url, "legacy") as client:
            calling = asyncio.create_task(client.call_tool("goto", {"url": f"http://127.0.0.1:{port}/"}))
            await arrived.wait()
            process.terminate()
            answer = await calling

    assert (answer.meta or {})["error"] == "BrowserError"
    assert "about to end" in str(answer.content)


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


async def test_a_client_that_goes_away_in_mid_call_leaves_nothing_behind(url: str) -> None:
    waiting = {"name": "wait_for", "arguments": {"text": "Never", "timeout_s": 100}}
    async with over_http(url) as client:
        await client.call_tool("goto", {"url": "about:blank"})
        before = await client.call_tool("manage_tabs", {"action": "list"})
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
    assert tabs.structured_content == before.structured_content is not None


async def over_http_once(url: str, call: dict[str, Any]) -> None:
    async with over_http(url) as client:
        await client.call_tool(call["name"], call["arguments"])


async def test_a_client_that_dies_in_mid_call_takes_its_chrome_along(
    environment: dict[str, str], shop: ShopServer, tmp_path: Path
) -> None:
    """At stdin and stdout, where it leaves a trace; test_mcp_others.py has a client that others wrote there."""

    def sent(number: int | None, method: str, **params: Any) -> bytes:
        message = {"jsonrpc": "2.0", "method": method, "params": params} | ({} if number is None else {"id": number})
        return json.dumps(message).encode() + b"\n"

    run = tmp_path / "run"
    run.mkdir()
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        *("mcp", "--trace", str(tmp_path / "traces")),
        env={**environment, "XDG_RUNTIME_DIR": str(run)},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    process.stdin.write(sent(1, "initialize", **client) + sent(None, "notifications/initialized"))
    process.stdin.write(sent(2, "tools/call", name="goto", arguments={"url": shop.url}))
    assert [json.loads(await process.stdout.readline())["id"] for _ in range(2)] == [1, 2]
    assert os.listdir(run) == []  # its session is its own
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
    [trace] = run_folders(tmp_path / "traces")
    events = [json.loads(line) for line in (trace / "events.jsonl").read_text().splitlines()]
    assert [each["action"] for each in events if each["type"] == "agent:action"] == ["goto", "wait_for"]
    assert [each["success"] for each in events if each["type"] == "browser:action_completed"][:1] == [True]
    assert events[-1]["type"] == "task:completed"


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
