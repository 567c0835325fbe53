"""The process that holds a session: several commands at once, and whatever may be killed."""

from __future__ import annotations

import asyncio
import json
import os
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
from tests.commands import Cli, living, wait_until
from tests.conftest import Serve, environment_in
from tests.detached import DetachedChrome, start_detached, stop_detached

pytestmark = pytest.mark.chrome

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
def session(shared: Cli) -> Iterator[Cli]:
    """For a test that is not about how a session begins or ends: its commands are for one in a process that runs."""
    yield Cli(dict(shared.environment))
    shared.here("close")


def sessions(cli: Cli) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in json.loads(cli.here("sessions", "--json").stdout)}


def ref_of(snapshot: str, element: str) -> str:
    line = next(line for line in snapshot.splitlines() if element in line)
    return line.partition("[ref=")[2].partition("]")[0]


def test_whatever_is_killed_is_told_and_touches_no_other_session(
    cli: Cli, environment: dict[str, str], detached: DetachedChrome, serve: Serve
) -> None:
    other = cli.here("open", serve(SHOP), "--session", "other", "--cdp", detached.endpoint).stdout
    before = living(environment)
    cli.here("open", serve(SHOP))

    os.kill(sessions(cli)["default"]["chrome"], signal.SIGKILL)
    assert "Chrome" in cli.here("click", "E1", status=3).stderr
    assert 'button "Go"' in cli.here("open", serve(SHOP)).stdout

    os.kill(sessions(cli)["default"]["pid"], signal.SIGKILL)
    assert wait_until(lambda: living(environment) <= before)
    assert "No session runs for this command" in cli.here("snapshot", status=3).stderr
    assert 'button "Go"' in cli.here("open", serve(SHOP), "--cdp", detached.endpoint).stdout
    assert cli.here("snapshot", "--session", "other").stdout == other


def test_a_killed_client_ends_its_call_and_nothing_else(session: Cli, serve: Serve) -> None:
    page = session.here("open", serve(SHOP)).stdout
    host = Path(f"/proc/{sessions(session)['default']['pid']}/fd")
    connections = len(list(host.iterdir()))
    with session.start("wait", "30") as client:
        assert wait_until(lambda: len(list(host.iterdir())) > connections)
        client.kill()

    began = time.monotonic()
    assert session.here("snapshot").stdout == page
    assert time.monotonic() - began < 20


def test_commands_of_several_clients_are_not_crossed(session: Cli, serve: Serve) -> None:
    session.here("open", serve(SHOP))

    def ask(number: int) -> bool:
        told = session("evaluate", f"'this is ' + {number} + ' of all'").stdout
        return f"this is {number} of all" in told

    with ThreadPoolExecutor(4) as clients:
        answers = list(clients.map(ask, range(8)))

    assert answers == [True] * 8
    assert list(sessions(session)) == ["default", "first"]


def test_attached_sessions_share_one_process_and_one_connection(cli: Cli, serve: Serve) -> None:
    chrome = json.loads(cli.here("chrome", "start", "--json", "--session", "person").stdout)
    written = {"one": chrome["endpoint"], "two": chrome["endpoint"].replace("127.0.0.1", "LOCALHOST") + "/"}
    for name, endpoint in written.items():
        cli.here("open", serve(f"<title>{name}</title><button>{name}"), "--cdp", endpoint, "--session", name)

    found = sessions(cli)

    assert found["one"]["pid"] == found["two"]["pid"] != found["person"]["pid"]
    assert connections_to(chrome["endpoint"]) == 1
    for name in written:
        assert f'button "{name}"' in cli.here("snapshot", "--session", name).stdout
    assert 'button "two"' in cli.here("snapshot", "--session", "two", "--cdp", written["one"]).stdout
    assert cli.here("close", "--session", "one").stdout == "Session 'one' has ended.\n"
    assert 'button "two"' in cli.here("snapshot", "--session", "two").stdout


@pytest.fixture
def another() -> Iterator[DetachedChrome]:
    """A Chrome beside the one that all tests connect to."""
    chrome = asyncio.run(start_detached())
    yield chrome
    asyncio.run(stop_detached(chrome))


def test_of_two_first_commands_with_different_chromes_one_begins_the_session(
    detached: DetachedChrome, another: DetachedChrome, cli: Cli, serve: Serve
) -> None:
    url, endpoints = serve(SHOP), [detached.endpoint, another.endpoint]
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


def test_attached_sessions_have_settings_of_their_own(session: Cli, detached: DetachedChrome, serve: Serve) -> None:
    session.here("open", serve(SHOP), "--user-agent", "Two/2")

    look = ("evaluate", "navigator.userAgent", "--session")
    agents = [session.here(*look, name).stdout for name in ("first", "default")]

    assert ["Two/2" in each for each in agents] == [False, True]
    assert connections_to(detached.endpoint) == 1


def connections_to(endpoint: str) -> int:
    """How many are established to it. https://www.kernel.org/doc/Documentation/networking/proc_net_tcp.txt"""
    port = f":{int(endpoint.rpartition(':')[2]):04X}"
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(remote.endswith(port) and state == "01" for _, _, remote, state, *_ in rows)


def test_settings_last_as_long_as_the_session(session: Cli, serve: Serve) -> None:
    session.here("open", serve(SHOP), "--viewport", "800x600")

    again = session.here("snapshot", "--viewport", "800x600")
    otherwise = session.here("snapshot", "--viewport", "900x700", status=2)

    assert 'button "Go"' in again.stdout
    assert "--viewport 900x700: the session 'default' was opened with 800x600" in otherwise.stderr
    assert "cdp-agent close --session default" in otherwise.stderr


def test_a_session_that_nobody_uses_ends_with_its_chrome(cli: Cli, environment: dict[str, str], serve: Serve) -> None:
    cli.here("open", serve(SHOP), "--idle", "1")

    assert wait_until(lambda: not living(environment))
    assert cli.here("sessions").stdout == "No session runs.\n"


def test_a_host_that_hangs_is_ended(
    attached: Cli, environment: dict[str, str], serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cdp_agent.session.client.ANSWERS_WITHIN_S", 1.0)
    attached.here("open", serve(SHOP))
    os.kill(sessions(attached)["default"]["pid"], signal.SIGSTOP)

    assert attached.here("close").stdout == "Session 'default' has ended.\n"
    assert wait_until(lambda: not living(environment))


def test_a_host_whose_socket_was_removed_ends(cli: Cli, environment: dict[str, str], serve: Serve) -> None:
    cli.here("open", serve(SHOP))
    (Path(environment["XDG_RUNTIME_DIR"]) / "cdp-agent" / "default.sock").unlink()

    assert wait_until(lambda: not living(environment))


def test_paths_are_those_of_whoever_calls(session: Cli, serve: Serve, tmp_path: Path) -> None:
    session.here("open", serve("<input type=file aria-label=CV>"))
    (tmp_path / "cv.txt").write_text("mine")

    shot = session("screenshot", "--path", "a.png", cwd=tmp_path)
    uploaded = session("upload", "E1", "cv.txt", cwd=tmp_path)

    assert str(tmp_path / "a.png") in shot.stdout
    assert (tmp_path / "a.png").stat().st_mode & 0o777 == 0o600
    assert "cv.txt" in uploaded.stdout


def test_no_code_is_taken_from_the_folder_of_the_first_command(attached: Cli, serve: Serve, tmp_path: Path) -> None:
    (tmp_path / "msgspec.py").write_text("raise SystemExit('code of the folder')")

    # -P: as `cdp-agent` itself is installed.
    command = [sys.executable, "-P", "-m", "cdp_agent", "open", serve(SHOP)]
    done = subprocess.run(command, cwd=tmp_path, env=attached.environment, capture_output=True, text=True, check=False)

    assert 'button "Go"' in done.stdout, done.stderr


@pytest.mark.parametrize("lacking", [("HOME", "XDG_RUNTIME_DIR"), ("TMPDIR",)], ids=str)
def test_an_environment_without_folders_is_no_fault(
    cli: Cli, environment: dict[str, str], serve: Serve, lacking: tuple[str, ...]
) -> None:
    with TemporaryDirectory(dir="/tmp") as folder:  # Chrome's own sockets are there, whose path must be short
        bare = {name: value for name, value in {**environment, "TMPDIR": folder}.items() if name not in lacking}
        done = cli("open", serve(SHOP), "--session", "bare", env=bare)
        closed = cli("close", "--session", "bare", env=bare)

    assert 'button "Go"' in done.stdout
    assert closed.stdout == "Session 'bare' has ended.\n"


def test_a_run_is_carried_out_in_the_session_that_runs(session: Cli, serve: Serve) -> None:
    page = session.here("open", serve(SHOP)).stdout
    with ReplayServer(
        replies=[tool_call("click", {"ref": ref_of(page, "Go")}), tool_call("done", {"result": "**Tea**"})]
    ) as server:
        session.environment |= {"CDP_AGENT_MODEL": "openai-compatible/m", "CDP_AGENT_BASE_URL": server.base_url}
        done = session.here("run", "Find tea")

    assert done.stdout == "**Tea**\n"
    assert done.stderr.splitlines()[0].startswith("  1  clicked E")
    assert "Found it" in session.here("snapshot").stdout


def test_steps_are_approved_over_json_lines_in_the_session(session: Cli, serve: Serve, tmp_path: Path) -> None:
    serve("<p>Thank you", path="/sent")
    session.here("open", serve("<form action=/sent><button>Send</button></form>"))
    (tmp_path / "steps.txt").write_text("Click Send\n")

    steps = str(tmp_path / "steps.txt")
    done = session.here("do", steps, "--approve", "jsonl", typed='{"id": 1, "decision": "execute"}\n')

    asked = json.loads(done.stdout.splitlines()[0])
    assert asked["ask"]["step"] == "Click Send"
    assert json.loads(done.stdout.splitlines()[-1])["success"]
    assert "Thank you" in session.here("snapshot").stdout


def test_a_run_in_a_session_is_stopped_in_order(session: Cli, serve: Serve) -> None:
    session.here("open", serve(SHOP))
    with ReplayServer(replies=[tool_call("wait", {"seconds": 30})]) as server:
        session.environment |= {"CDP_AGENT_MODEL": "openai-compatible/m", "CDP_AGENT_BASE_URL": server.base_url}
        with session.start("run", "Wait", stderr=subprocess.PIPE) as process:
            server.asked.wait(30)
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=60)

    assert process.returncode == 130
    assert told.splitlines()[-1] == "Not done (aborted): The run was stopped."
    assert "Nothing yet" in session.here("snapshot").stdout
