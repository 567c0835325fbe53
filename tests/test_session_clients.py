"""Many commands of several clients at once, in one session that is attached to a Chrome."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.commands import Cli
from tests.conftest import Serve
from tests.detached import start_detached, stop_detached

CLIENTS, COMMANDS = 4, 20


@pytest.fixture
def endpoint() -> Iterator[str]:
    chrome = asyncio.run(start_detached())
    yield chrome.endpoint
    asyncio.run(stop_detached(chrome))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="connections are counted in /proc")
def test_commands_of_four_clients_share_a_connection_and_nothing_is_crossed(
    cli: Cli, endpoint: str, serve: Serve
) -> None:
    cli.here("open", serve("<title>First</title>"), "--cdp", endpoint)
    for number in range(CLIENTS):
        cli.here("manage_tabs", "open", "--url", serve(f"<title>Tab {number}</title><output></output>"))
    tabs = {each["title"]: each["id"] for each in json.loads(cli.here("tabs", "--json").stdout)}
    told: list[list[str]] = [[] for _ in range(CLIENTS)]
    connections = set[int]()

    def work(number: int) -> None:
        for command in range(number, COMMANDS, CLIENTS):
            write = f"document.querySelector('output').value += ' {command}'"
            told[number].append(cli("evaluate", write, "--tab", tabs[f"Tab {number}"]).stdout)
            connections.add(connections_to(endpoint))

    with ThreadPoolExecutor(CLIENTS) as clients:
        list(clients.map(work, range(CLIENTS)))

    written = [[f" {command}" for command in range(number, COMMANDS, CLIENTS)] for number in range(CLIENTS)]
    wanted = [["".join(commands[: last + 1]) for last in range(len(commands))] for commands in written]
    assert [[json.loads(each) for each in of_client] for of_client in told] == wanted
    assert connections == {1}


def connections_to(endpoint: str) -> int:
    """How many are established. https://www.kernel.org/doc/Documentation/networking/proc_net_tcp.txt"""
    port = f":{int(endpoint.rpartition(':')[2]):04X}"
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(remote.endswith(port) and state == "01" for _, _, remote, state, *_ in rows)
