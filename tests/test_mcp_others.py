"""The MCP server before programs that others wrote: the protocol's conformance suite, and its inspector."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest
from mcp import Client
from mcp.types import ElicitResult

from bench.cache import NotFetched, npm_environment
from bench.mcp import listed_by, token_count
from cdp_agent.mcp import server
from tests.programs.mcp_conformance import NoSession

SUITE, INSPECTOR = "@modelcontextprotocol/conformance@0.2.0-alpha.12", "@modelcontextprotocol/inspector@2.12.0"
COMMAND = [sys.executable, "-m", "cdp_agent", "mcp"]
MOST_TOKENS = 2_000
NEEDED_NODE = 22

pytestmark = pytest.mark.slow  # it may have to fetch them


def program(package: str, name: str) -> list[str]:
    """Its command; the test is skipped where it cannot be had."""
    node = which("node")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout if node else "v0."
    if int(version.lstrip("v").partition(".")[0]) < NEEDED_NODE:
        pytest.skip(f"{package} needs node {NEEDED_NODE}")
    try:
        return [str(npm_environment(package) / "node_modules/.bin" / name)]
    except NotFetched as error:
        pytest.skip(str(error))


@pytest.fixture
def conforming() -> Iterator[str]:
    """The address of a server that has what the suite expects to find."""
    root = Path(__file__).parent.parent
    command = [sys.executable, "-m", "tests.programs.mcp_conformance"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


@pytest.mark.parametrize("revision", ["2026-07-28", "2025-11-25"])
def test_all_scenarios_for_servers_pass(revision: str, conforming: str) -> None:
    suite = program(SUITE, "conformance")
    words = ["server", "--url", conforming, "--spec-version", revision, "--suite", "all"]

    told = subprocess.run([*suite, *words], capture_output=True, text=True, check=False).stdout

    failed = [line for line in told.splitlines() if line.startswith("✗")]
    assert failed == []
    assert ", 0 failed" in told.strip().splitlines()[-1]


def test_the_inspector_shows_and_calls_the_tools(tmp_path: Path) -> None:
    inspector = program(INSPECTOR, "mcp-inspector")
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}

    def inspected(*words: str) -> dict[str, object]:
        done = subprocess.run(
            [*inspector, "--cli", *words, "--", *COMMAND], env=environment, capture_output=True, text=True, check=True
        )
        found: dict[str, object] = json.loads(done.stdout)
        return found

    tools = inspected("--method", "tools/list")["tools"]
    called = inspected(
        *("--method", "tools/call", "--tool-name", "goto"),
        *("--tool-arg", "url=data:text/html,<title>Mugs</title>"),
    )

    assert isinstance(tools, list)
    assert "snapshot" in [each["name"] for each in tools]
    assert called.get("isError", False) is False


async def test_the_list_of_tools_is_short_with_all_that_there_can_be() -> None:
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
