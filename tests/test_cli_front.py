"""The way of a command to the process of its session: what every command waits for."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from pkgutil import resolve_name

import pytest

from cdp_agent.cli.local import COMMANDS
from cdp_agent.cli.words import split_session
from cdp_agent.session import client
from tests.tables import table


def test_a_command_imports_little_before_it_reaches_its_session() -> None:
    program = "import sys; before = {*sys.modules}; import cdp_agent.cli.front; print(*{*sys.modules} - before)"
    told = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)

    imported = {each.partition(".")[0] for each in told.stdout.split()}
    ours = {each for each in told.stdout.split() if each.startswith("cdp_agent.")}

    assert not imported & {"typing", "argparse", "asyncio", "logging", "msgspec", "pathlib", "subprocess"}
    assert not imported & {"collections", "contextlib", "enum", "json", "re", "socket"}
    assert ours == {
        *("cdp_agent.cli", "cdp_agent.cli.front", "cdp_agent.cli.status", "cdp_agent.cli.words"),
        *("cdp_agent.errors", "cdp_agent.session", "cdp_agent.session.client", "cdp_agent.session.runtime"),
    }


def test_a_command_ends_without_a_look_through_all_that_it_imported() -> None:
    program = """import atexit, gc, sys
from cdp_agent.cli import main
atexit.register(lambda: print(gc.get_freeze_count() > 1000))  # those registered last are called first
sys.argv = ["cdp-agent", "skill"]
main()"""
    told = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)

    assert told.stdout.splitlines()[-1] == "True"


def test_the_session_is_read_out_of_the_words_up_to_two_dashes() -> None:
    chosen, words = split_session(["fill", "--session", "mine", "E1", "--once", "--", "--session=other", "--once"])

    assert (chosen.session, chosen.named, chosen.once) == ("mine", True, True)
    assert words == ["fill", "E1", "--", "--session=other", "--once"]


@pytest.mark.parametrize("command", ["close", "sessions", "skill"])
def test_a_command_that_needs_no_session_imports_what_it_does_alone(command: str, tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
    told = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "cdp_agent", command],
        check=True,
        capture_output=True,
        text=True,
        env=environment,
    )

    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in told.stderr.splitlines()}
    assert {"argparse", "cdp_agent"} <= imported
    assert not imported & {"asyncio", "logging", "msgspec", "pathlib", "subprocess", "websockets"}


@table("command", [*COMMANDS])
def test_a_command_that_needs_no_session_is_where_it_is_said_to_be(command: str) -> None:
    assert callable(resolve_name(COMMANDS[command]))


def test_a_host_is_gone_once_its_socket_is_closed(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as host:
        host.bind(str(tmp_path / "it.sock"))
        host.listen()

        assert not client.end_and_wait(str(tmp_path), "it", lambda: None, 0.05)
        assert client.end_and_wait(str(tmp_path), "it", host.close, 5)
    assert client.end_and_wait(str(tmp_path), "it", lambda: None, 5)
