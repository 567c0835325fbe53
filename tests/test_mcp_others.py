"""The MCP server before programs that others wrote: the protocol's conformance suite, and its inspector."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bench.cache import CACHE, NotFetched, node, npm_environment
from cdp_agent.server.serving import HttpServer, listening_at

SUITE, INSPECTOR = "@modelcontextprotocol/conformance@0.2.0-alpha.12", "@modelcontextprotocol/inspector@2.12.0"
SERVER = [sys.executable, "-m", "cdp_agent"]
MOST_TOKENS = 2_070
NEEDED_NODE = 22
COMPILED = {"NODE_COMPILE_CACHE": str(CACHE / "node-compiled")}
"""What node compiles of the programs is kept with them."""

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


@pytest.fixture(scope="module")
async def conforming() -> AsyncIterator[str]:
    """The address of a server that has what the suite expects to find."""
    from cdp_agent.mcp.http import PATH  # late: the SDK takes 0.6 s
    from tests.programs.mcp_conformance import conforming

    http = HttpServer(conforming())
    with listening_at("127.0.0.1", 0) as listener:
        serving = asyncio.create_task(http.serve([listener]))
        yield f"http://127.0.0.1:{listener.getsockname()[1]}{PATH}"
        http.should_exit = True
        await serving


@pytest.mark.parametrize("revision", ["2026-07-28", "2025-11-25"])
async def test_all_scenarios_for_servers_pass(revision: str, conforming: str) -> None:
    suite = program(SUITE, "conformance")
    words = ["server", "--url", conforming, "--spec-version", revision, "--suite", "all"]

    process = await asyncio.create_subprocess_exec(
        *suite, *words, stdout=PIPE, stderr=DEVNULL, env=os.environ | COMPILED
    )
    told = (await process.communicate())[0].decode()

    failed = [line for line in told.splitlines() if line.startswith("✗")]
    assert failed == []
    assert ", 0 failed" in told.strip().splitlines()[-1]


def test_the_inspector_finds_no_fault_with_the_tools(environment: dict[str, str]) -> None:
    inspector = program(INSPECTOR, "mcp-inspector")
    path = f"{Path(inspector[0]).parent}:{os.environ['PATH']}"  # it starts another node
    # It hands the server no variables but those that it is told.
    told = ["-e", f"XDG_RUNTIME_DIR={environment['XDG_RUNTIME_DIR']}", "--connect-timeout", "120000"]
    words = ["--cli", "--method", "tools/list", "--strict", *told, "--", *SERVER, "mcp"]

    done = subprocess.run(
        [*inspector, *words], env={**environment, "PATH": path, **COMPILED}, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    assert "snapshot" in [each["name"] for each in json.loads(done.stdout)["tools"]]


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
