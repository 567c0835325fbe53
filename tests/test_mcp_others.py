"""The MCP server before programs that others wrote: the protocol's conformance suite, and its inspector."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.cache import NotFetched, node, npm_environment
from fixtures.shop import ShopServer
from tests.mcp_shopping import ref_in

SUITE, INSPECTOR = "@modelcontextprotocol/conformance@0.2.0-alpha.12", "@modelcontextprotocol/inspector@2.12.0"
SERVER = [sys.executable, "-m", "cdp_agent"]
MOST_TOKENS = 2_000
NEEDED_NODE = 22

pytestmark = pytest.mark.slow  # it may have to fetch them


def program(package: str, name: str) -> list[str]:
    """Its command; the test is skipped where it cannot be had."""
    try:
        return [node(NEEDED_NODE), str(npm_environment(package) / "node_modules/.bin" / name)]
    except NotFetched as error:
        pytest.skip(f"{package}: {error}")


@pytest.fixture(scope="module")
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


@pytest.fixture
def inspected(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Runs the inspector once before a server that has one session from call to call; what it prints."""
    inspector = program(INSPECTOR, "mcp-inspector")
    path = f"{Path(inspector[0]).parent}:{os.environ['PATH']}"  # it starts another node
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path), "PATH": path, "CDP_AGENT_SESSION": "inspected"}

    def inspect(*words: str) -> Any:
        # It hands the server no variables but those that it is told.
        told = ["-e", f"XDG_RUNTIME_DIR={tmp_path}"]
        command = [*inspector, "--cli", *words, *told, "--", *SERVER, "mcp", "--session", "inspected"]
        return json.loads(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)

    yield inspect
    subprocess.run([*SERVER, "close", "--all"], env=environment, check=True, capture_output=True)


def test_the_inspector_finds_no_fault_with_the_tools(inspected: Callable[..., Any]) -> None:
    tools = inspected("--method", "tools/list", "--strict")["tools"]

    assert "snapshot" in [each["name"] for each in tools]


def test_the_inspector_puts_two_mugs_into_the_cart(inspected: Callable[..., Any]) -> None:
    """From call to call with a server of its own each, in the session that they share."""

    def call(name: str, *arguments: str) -> str:
        words = ["--tool-arg", *arguments] if arguments else []
        result = inspected("--method", "tools/call", "--tool-name", name, *words)
        text: str = result["content"][0]["text"]
        assert not result.get("isError", False), text
        return text

    with ShopServer() as shop:
        call("goto", f"url={shop.url}/product/mug-blue")
        call("fill", f"ref={ref_in(call('snapshot'), 'spinbutton', 'Quantity')}", "value=2", "submit=true")

        cart = call("snapshot")

    assert 'link "Cart (2)"' in cart
    assert "2 | € 14.50" in cart


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
