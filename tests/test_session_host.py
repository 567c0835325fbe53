"""The process that holds a session: several commands at once, and whatever may be killed."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from fixtures.replay import ReplayServer, tool_call
from tests.commands import Cli, OtherEnd, all_end, living, sockets, wait_until
from tests.conftest import Serve, environment_in
from tests.detached import DetachedChrome, start_detached, stop_detached

pytestmark = pytest.mark.chrome

CLIENTS, COMMANDS = 2, 4
SHOP = """<title>Shop</title><input aria-label="Search">
<button onclick="document.querySelector('p').textContent = 'Found it'">Go</button><p>Nothing yet</p>"""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, detached: DetachedChrome) -> Iterator[Cli]:
    """Its sessions are attached, hence held by one process, which lives as long as one of them."""
    environment = environment_in(tmp_path_factory.mktemp("shared"))
    cli = Cli({**environment, "CDP_AGENT_CDP": detached.endpoint})
    cli.here("open", "about:blank", "--session", "first")
    yield cli
    cli.end()


@pytest.fixture
def session(shared: Cli) -> Cli:
    """For a test that is not about how a session begins or ends: its commands are for one that is there.

    It has one tab, which a test leads elsewhere first, and opens no others.
    """
    return Cli({**shared.environment, "CDP_AGENT_SESSION": "first"})


def unattached(shared: Cli) -> Cli:
    """The same for sessions with a Chrome of their own, where none is named."""
    return Cli({name: value for name, value in shared.environment.items() if name != "CDP_AGENT_CDP"})


@pytest.fixture
def own(shared: Cli) -> Iterator[Cli]:
    """For sessions that begin in the test, and end with it."""
    cli = unattached(shared)
    yield cli
    for name in sessions(cli).keys() - {"first"}:
        cli.here("close", "--session", name)


@pytest.fixture
def joining(own: Cli, shared: Cli) -> Cli:
    """For sessions that begin in the process that runs, and end with the test."""
    return Cli(dict(shared.environment))


@pytest.fixture(scope="module")
def another() -> Iterator[str]:
    """A Chrome beside the one that all tests connect to: where it listens."""
    chrome = asyncio.run(start_detached())
    yield chrome.endpoint
    asyncio.run(stop_detached(chrome))


def sessions(cli: Cli) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in json.loads(cli.here("sessions", "--json").stdout)}


def ref_of(snapshot: str, element: str) -> str:
    line = next(line for line in snapshot.splitlines() if element in line)
    return line.partition("[ref=")[2].partition("]")[0]


def test_whatever_is_killed_is_told_and_touches_no_other_session(
    own: Cli, detached: DetachedChrome, serve: Serve
) -> None:
    other = own.here("open", serve(SHOP), "--session", "first").stdout
    before = living(own.environment)
    socket = Path(own.environment["XDG_RUNTIME_DIR"]) / "cdp-agent" / "default.sock"
    socket.symlink_to("killed.sock")  # as a host leaves it that held other sessions, too
    own.here("open", serve(SHOP))

    found = sessions(own)
    assert found["default"]["pid"] != found["first"]["pid"]
    os.kill(found["default"]["chrome"], signal.SIGKILL)
    assert "Chrome" in own.here("click", "E1", status=3).stderr
    assert 'button "Go"' in own.here("open", serve(SHOP)).stdout

    os.kill(sessions(own)["default"]["pid"], signal.SIGKILL)
    assert all_end(own.environment, before)
    assert "No session runs for this command" in own.here("snapshot", status=3).stderr
    assert 'button "Go"' in own.here("open", serve(SHOP), "--cdp", detached.endpoint).stdout
    assert own.here("snapshot", "--session", "first").stdout == other


def test_debug_shows_the_log_of_the_action_beside_its_result(session: Cli, serve: Serve) -> None:
    button = ref_of(session.here("open", serve(SHOP)).stdout, 'button "Go"')

    silent = session.here("click", button)
    session.here("reload")
    button = ref_of(session.here("snapshot").stdout, 'button "Go"')
    debugged = session.here("click", button, "--debug")
    failed = session.here("click", "E9999", "--debug", status=1)

    assert silent.stderr == ""
    assert debugged.stdout.replace(button, "E") == re.sub(r"\bE\d+", "E", silent.stdout)
    shown = [line.split("cdp_agent.action_log", 1)[1].split() for line in debugged.stderr.splitlines()]
    first, *asked_at_once, then = [words[2] for words in shown][:4]
    assert (first, sorted(asked_at_once), then) == ("act", ["reading", "ref"], "aim")
    assert "failed: StaleRef" in failed.stderr
    assert failed.stdout == ""


def test_a_killed_client_ends_its_call_and_nothing_else(session: Cli, serve: Serve) -> None:
    page = session.here("open", serve(SHOP)).stdout
    host = sessions(session)["first"]["pid"]
    before, processes = sockets(host), living(session.environment)
    with session.start("wait", "30") as client:
        assert wait_until(lambda: bool(sockets(host) - before))
        client.kill()
    assert wait_until(lambda: sockets(host) <= before)
    assert living(session.environment) == processes

    began = time.monotonic()
    assert session.here("snapshot").stdout == page
    assert time.monotonic() - began < 20


def test_commands_of_several_clients_share_a_connection_and_are_not_crossed(
    joining: Cli, detached: DetachedChrome, serve: Serve
) -> None:
    for number in range(CLIENTS):
        page = serve(f"<title>Tab {number}</title><output></output>")
        joining.here("manage_tabs", "open", "--url", page)
    tabs = {each["title"]: each["id"] for each in json.loads(joining.here("tabs", "--json").stdout)}
    told: list[list[str]] = [[] for _ in range(CLIENTS)]
    connections = set[int]()

    def work(number: int) -> None:
        for command in range(number, COMMANDS, CLIENTS):
            write = f"document.querySelector('output').value += ' {command}'"
            told[number].append(joining("evaluate", write, "--tab", tabs[f"Tab {number}"]).stdout)
            connections.add(connections_to(detached.endpoint))

    with ThreadPoolExecutor(CLIENTS) as clients:
        list(clients.map(work, range(CLIENTS)))

    written = [[f" {command}" for command in range(number, COMMANDS, CLIENTS)] for number in range(CLIENTS)]
    wanted = [["".join(commands[: last + 1]) for last in range(len(commands))] for commands in written]
    assert [[json.loads(each) for each in of_client] for of_client in told] == wanted
    assert connections == {1}
    assert sessions(joining).keys() == {"default", "first"}


def test_attached_sessions_share_one_process_and_one_connection(own: Cli, another: str, serve: Serve) -> None:
    written = {"one": another, "two": another.replace("127.0.0.1", "LOCALHOST") + "/"}
    for name, endpoint in written.items():
        own.here("open", serve(f"<title>{name}</title><button>{name}"), "--cdp", endpoint, "--session", name)

    found = sessions(own)

    assert found["one"]["pid"] == found["two"]["pid"] != found["first"]["pid"]
    assert connections_to(another) == 1
    for name in written:
        assert f'button "{name}"' in own.here("snapshot", "--session", name).stdout
    assert 'button "two"' in own.here("snapshot", "--session", "two", "--cdp", written["one"]).stdout
    assert own.here("close", "--session", "one").stdout == "Session 'one' has ended.\n"
    assert 'button "two"' in own.here("snapshot", "--session", "two").stdout


def test_of_two_first_commands_with_different_chromes_one_begins_the_session(
    detached: DetachedChrome, another: str, cli: Cli, serve: Serve
) -> None:
    url, endpoints = serve(SHOP), [detached.endpoint, another]
    before = [connections_to(each) for each in endpoints]

    def begin(endpoint: str) -> subprocess.CompletedProcess[str]:
        return cli("open", url, "--cdp", endpoint, status=None)

    with ThreadPoolExecutor(2) as clients:
        done = list(clients.map(begin, endpoints))

    began, refused = sorted(done, key=lambda each: each.returncode)
    at = sessions(cli)["default"]["endpoint"]
    assert (began.returncode, refused.returncode) == (0, 2)
    assert f"the session 'default' was opened with {at}" in refused.stderr
    assert 'button "Go"' in cli.here("snapshot").stdout
    assert sorted(now - then for now, then in zip(map(connections_to, endpoints), before, strict=True)) == [0, 1]


def test_attached_sessions_have_settings_of_their_own_which_last_as_long_as_they(
    joining: Cli, detached: DetachedChrome, serve: Serve
) -> None:
    joining.here("open", serve(SHOP), "--user-agent", "Two/2", "--viewport", "800x600")

    look = ("evaluate", "navigator.userAgent", "--session")
    agents = [joining.here(*look, name).stdout for name in ("first", "default")]
    again = joining.here("snapshot", "--viewport", "800x600")
    otherwise = joining.here("snapshot", "--viewport", "900x700", status=2)

    assert ["Two/2" in each for each in agents] == [False, True]
    assert connections_to(detached.endpoint) == 1
    assert 'button "Go"' in again.stdout
    assert "--viewport 900x700: the session 'default' was opened with 800x600" in otherwise.stderr
    assert "cdp-agent close --session default" in otherwise.stderr


def connections_to(endpoint: str) -> int:
    """How many are established to it. https://www.kernel.org/doc/Documentation/networking/proc_net_tcp.txt"""
    port = f":{int(endpoint.rpartition(':')[2]):04X}"
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(remote.endswith(port) and state == "01" for _, _, remote, state, *_ in rows)


def test_a_host_that_hangs_is_ended(
    attached: Cli, environment: dict[str, str], serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cdp_agent.session.client.ANSWERS_WITHIN_S", 1.0)
    attached.here("open", serve(SHOP))
    os.kill(sessions(attached)["default"]["pid"], signal.SIGSTOP)

    assert attached.here("close").stdout == "Session 'default' has ended.\n"
    assert all_end(environment)


def test_paths_are_those_of_whoever_calls(
    session: Cli, serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = session.here("open", serve("<input type=file aria-label=CV>")).stdout
    (tmp_path / "cv.txt").write_text("mine")
    monkeypatch.chdir(tmp_path)

    shot = session.here("screenshot", "--path", "a.png")
    uploaded = session.here("upload", ref_of(page, "CV"), "cv.txt")

    assert str(tmp_path / "a.png") in shot.stdout
    assert (tmp_path / "a.png").stat().st_mode & 0o777 == 0o600
    assert "cv.txt" in uploaded.stdout


def test_a_host_takes_no_code_from_the_folder_of_the_first_command_and_ends_without_its_socket(
    attached: Cli, environment: dict[str, str], serve: Serve, tmp_path: Path
) -> None:
    (tmp_path / "msgspec.py").write_text("raise SystemExit('code of the folder')")

    # -P: as `cdp-agent` itself is installed.
    command = [sys.executable, "-P", "-m", "cdp_agent", "open", serve(SHOP)]
    done = subprocess.run(command, cwd=tmp_path, env=attached.environment, capture_output=True, text=True, check=False)
    assert 'button "Go"' in done.stdout, done.stderr

    link = Path(environment["XDG_RUNTIME_DIR"]) / "cdp-agent" / "default.sock"
    link.resolve().unlink()
    assert all_end(environment)


def test_a_session_that_nobody_uses_ends_with_its_chrome_also_in_an_environment_without_folders(
    cli: Cli, environment: dict[str, str], serve: Serve
) -> None:
    with TemporaryDirectory(dir="/tmp") as folder:  # Chrome's own sockets are there, whose path must be short
        lacking = {"HOME", "XDG_RUNTIME_DIR"}
        bare = {name: value for name, value in {**environment, "TMPDIR": folder}.items() if name not in lacking}

        assert 'button "Go"' in cli("open", serve(SHOP), "--idle", "1", env=bare).stdout
        # No profile of a Chrome is left, and no socket.
        assert wait_until(lambda: [each.name for each in Path(folder).iterdir()] == [f"cdp-agent-{os.getuid()}"])
        assert wait_until(lambda: not list(Path(folder).rglob("*.sock")))


def test_a_run_in_a_session_is_stopped_in_order(session: Cli, serve: Serve) -> None:
    session.here("open", serve(SHOP))
    replies = [tool_call("click", {"ref": "{{ref:button Go}}"}), tool_call("wait", {"seconds": 30})]
    told = list[str]()
    with ReplayServer(replies=replies) as server:
        session.environment |= {"CDP_AGENT_MODEL": "openai-compatible/m", "CDP_AGENT_BASE_URL": server.base_url}

        def stop(run: OtherEnd) -> None:
            told.append(run.stderr.readline())  # of the click: the command follows the run, which may be ahead of it
            assert wait_until(lambda: len(server.turns) == 2)
            run.interrupt()
            told.extend(run.stderr)

        assert session.beside(stop, "run", "Wait") == 130

    assert told[0].startswith("  1  clicked E")
    assert told[-1] == "Not done (aborted): The run was stopped.\n"
    assert "Found it" in session.here("snapshot").stdout
