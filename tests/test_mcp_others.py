"""The MCP server before programs that others wrote: the protocol's conformance suite, and its inspector."""

from __future__ import annotations

import asyncio
import json
import os
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bench.cache import CACHE, NotFetched, node, npm_environment
from cdp_agent.security.http_guard import LOOPBACK
from cdp_agent.server.serving import HttpServer, listening_at

if TYPE_CHECKING:
    from cdp_agent.mcp.http import McpApp

SUITE, INSPECTOR = "@modelcontextprotocol/conformance@0.2.0-alpha.12", "@modelcontextprotocol/inspector@2.12.0"
MOST_TOKENS = 2_000
NEEDED_NODE = 22

pytestmark = [
    pytest.mark.slow,  # it may have to fetch them
    pytest.mark.filterwarnings("ignore:The .* capability is deprecated"),  # which the suite asks for all the same
]


def program(package: str, name: str) -> list[str]:
    """Its command; the test is skipped where it cannot be had."""
    try:
        return [node(NEEDED_NODE), str(npm_environment(package) / "node_modules/.bin" / name)]
    except NotFetched as error:
        pytest.skip(f"{package}: {error}")


@asynccontextmanager
async def served(app: McpApp) -> AsyncIterator[str]:
    """Its address, while the block lasts."""
    from cdp_agent.mcp.http import PATH  # late: the SDK takes 0.6 s

    http = HttpServer(app)
    with listening_at("127.0.0.1", 0) as listener:
        serving = asyncio.create_task(http.serve([listener]))
        yield f"http://127.0.0.1:{listener.getsockname()[1]}{PATH}"
        http.should_exit = True
        await serving


async def ran(*command: str) -> tuple[str, str, int | None]:
    """What a program for node wrote, what it complained of, and its exit status.

    What node compiles of it is kept with what was fetched, and other nodes that it starts are the same.
    """
    path = f"{Path(command[0]).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "NODE_COMPILE_CACHE": str(CACHE / "node-compiled")}
    process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=PIPE, env=environment)
    told, complaints = await process.communicate()
    return told.decode(), complaints.decode(), process.returncode


@pytest.fixture(scope="module")
async def conforming() -> AsyncIterator[str]:
    """The address of a server that has what the suite expects to find."""
    from tests.programs.mcp_conformance import conforming  # late, see above

    async with served(conforming()) as url:
        yield url


@pytest.mark.parametrize("revision", ["2026-07-28", "2025-11-25"])
async def test_all_scenarios_for_servers_pass(revision: str, conforming: str) -> None:
    suite = program(SUITE, "conformance")
    words = ["server", "--url", conforming, "--spec-version", revision, "--suite", "all"]

    told, _, _ = await ran(*suite, *words)

    failed = [line for line in told.splitlines() if line.startswith("✗")]
    assert failed == []
    assert ", 0 failed" in told.strip().splitlines()[-1]


async def test_the_inspector_finds_no_fault_with_the_tools() -> None:
    """At the standard input and output: test_mcp_serving.py."""
    from cdp_agent.mcp import server  # late, see above
    from cdp_agent.mcp.http import McpApp
    from tests.programs.mcp_conformance import NoSession

    inspector = program(INSPECTOR, "mcp-inspector")
    app = McpApp(server(NoSession(), has_model=True, allow_evaluate=True), token=None, hosts=LOOPBACK)
    async with served(app) as url:
        words = ["--cli", "--method", "tools/list", "--strict", "--connect-timeout", "120000", url]
        told, complaints, status = await ran(*inspector, *words)

    assert status == 0, complaints
    assert "snapshot" in [each["name"] for each in json.loads(told)["tools"]]


async def test_the_list_of_tools_is_short_with_all_that_there_can_be() -> None:
    from mcp import Client  # late: the SDK takes 0.6 s
    from mcp.types import ElicitResult

    from bench.mcp import listed_by, token_count
    from cdp_agent.mcp import server
    from tests.programs.mcp_conformance import NoSession

    async def decline(context: object, params: object) -> ElicitResult:
        return ElicitResult(action="decline")

    served = server(NoSession(), has_model=True, allow_evaluate=True)
    count, told = await listed_by(Client(served, elicitation_callback=decline))

    try:
        tokens = token_count(told)
    except (NotFetched, FileNotFoundError) as error:
        pytest.skip(f"o200k cannot be counted here: {error}")
    assert count > 20
    assert tokens <= MOST_TOKENS
