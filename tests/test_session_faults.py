"""Sessions where something is missing or is taken away: processes, sockets, a user's name, a folder, room on a disk."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.commands import Cli, living, wait_until
from tests.conftest import Serve

pytestmark = pytest.mark.chrome

PAGE = "<title>Shop</title><button>Go</button>"
SESSIONS = 2
NOBODY = 12_345
"""A user of whom no list of users knows."""


@pytest.mark.slow
def test_sessions_are_begun_and_used_at_once(cli: Cli, environment: dict[str, str], serve: Serve) -> None:
    names = [f"s{number}" for number in range(SESSIONS)]
    pages = {name: serve(f"<title>{name}</title><button>{name}") for name in names}

    # Here in an environment that names no folder for temporary files, which is no fault.
    bare = {name: value for name, value in environment.items() if name != "TMPDIR"}

    def use(name: str) -> str:
        return cli("open", pages[name], "--session", name, env=bare).stdout

    with ThreadPoolExecutor(SESSIONS) as clients:
        said = dict(zip(names, clients.map(use, names), strict=True))

    assert said == {name: f'- button "{name}" [ref=E1]\n' for name in names}
    assert {name: cli.here("snapshot", "--session", name).stdout for name in names} == said
    held = json.loads(cli.here("sessions", "--json").stdout)
    assert [each["name"] for each in held] == names
    assert len({each["pid"] for each in held}) == len({each["chrome"] for each in held}) == SESSIONS
    assert cli.here("close", "--all").stdout.count("has ended") == SESSIONS
    assert wait_until(lambda: not living(environment))


def test_without_unix_sockets_a_port_of_this_machine_and_a_token_serve(
    attached: Cli, environment: dict[str, str], tmp_path: Path, serve: Serve
) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import _socket, socket\n"
        "pair, family = socket.socketpair, socket.AF_UNIX\n"
        "socket.socketpair = lambda *_: pair(family)  # for asyncio itself\n"
        "del socket.AF_UNIX, _socket.AF_UNIX\n"
    )
    environment["PYTHONPATH"] = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])

    page = attached("open", serve(PAGE)).stdout
    place = Path(environment["XDG_RUNTIME_DIR"]) / "cdp-agent" / "default.sock"
    port, token = place.read_text().split()
    with socket.create_connection(("127.0.0.1", int(port)), 10) as stranger:
        stranger.sendall(f"{token[::-1]}\n".encode())
        answer = stranger.recv(100)

    assert place.stat().st_mode & 0o777 == 0o600
    assert answer == b""
    assert page == '- button "Go" [ref=E1]\n'
    (held,) = json.loads(attached("sessions", "--json").stdout)
    assert held["tabs"] == 1
    assert attached("close").stdout == "Session 'default' has ended.\n"
    assert wait_until(lambda: not living(environment))


def interpreter_for(who: dict[str, Any], environment: dict[str, str]) -> str:
    """A Python of this version that they may run, with what the package needs. Skips where there is none."""
    for program in (sys.executable, f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"):
        try:
            subprocess.run([program, "-c", "import msgspec, websockets"], env=environment, check=True, **who)
        except (OSError, subprocess.CalledProcessError):
            continue
        return program
    pytest.skip("no Python here that another user may run")


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can be somebody else")
def test_a_user_whom_nobody_has_listed_has_sessions_too(environment: dict[str, str], serve: Serve) -> None:
    who: dict[str, Any] = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    with TemporaryDirectory(dir="/tmp") as folder:
        shutil.copytree(Path(__file__).parent.parent / "cdp_agent", Path(folder) / "cdp_agent")  # which they may read
        for path in (Path(folder), Path(folder) / "run"):
            path.mkdir(exist_ok=True)
            os.chown(path, NOBODY, NOBODY)
        theirs = environment | {
            "HOME": folder,
            "TMPDIR": folder,
            "XDG_RUNTIME_DIR": f"{folder}/run",
            "PYTHONPATH": os.pathsep.join([folder, *(each for each in sys.path if each.endswith("site-packages"))]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "CDP_AGENT_ARGS": "--no-sandbox",
        }
        program = interpreter_for(who, theirs)

        def run(*words: str, without: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
            done: subprocess.CompletedProcess[str] = subprocess.run(
                [program, "-m", "cdp_agent", *words],
                cwd=folder,
                env={name: each for name, each in theirs.items() if name not in without},
                capture_output=True,
                text=True,
                check=False,
                timeout=100,
                **who,
            )
            return done

        opened = run("open", serve(PAGE))
        homeless = run("open", "--session", "homeless", without=("HOME", "XDG_CONFIG_HOME", "CDP_AGENT_CONFIG"))
        closed = run("close")

        assert (opened.stdout, opened.stderr) == ('- button "Go" [ref=E1]\n', "")
        assert homeless.stderr.startswith("cdp-agent: This user has no home folder")
        assert homeless.returncode == 2
        assert (closed.stdout, closed.stderr) == ("Session 'default' has ended.\n", "")
        assert wait_until(lambda: not living(theirs))


MOUNTED = """mount -t tmpfs -o size=64k,mode=700 tmpfs "$1" && shift && {prepare} && exec "$@" """
FULL = (
    'mkdir -m 700 -p "$XDG_RUNTIME_DIR/cdp-agent" && { cat /dev/zero > "$XDG_RUNTIME_DIR/filled" 2>/dev/null || true; }'
)
READ_ONLY = 'mount -o remount,ro "$XDG_RUNTIME_DIR"'


def mounted(prepare: str, folder: str, environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    """Runs a command where `folder` is a file system of 64 KB, for it alone, after `prepare`. Skips where none may."""
    shell = ["unshare", "-m", "sh", "-c", MOUNTED.format(prepare=prepare), "sh", folder]
    options = {"env": environment, "capture_output": True, "text": True, "check": False, "timeout": 100}
    may = subprocess.run([*shell, "true"], **options) if shutil.which("unshare") else None  # type: ignore[call-overload]
    if may is None or may.returncode != 0:
        pytest.skip(f"no file system can be mounted here: {'no unshare' if may is None else may.stderr.strip()}")
    done: subprocess.CompletedProcess[str] = subprocess.run(  # type: ignore[call-overload]
        [*shell, sys.executable, "-m", "cdp_agent", *words], **options
    )
    return done


@pytest.mark.parametrize(
    ("prepare", "told"),
    [(READ_ONLY, "There is no folder for the sockets of sessions."), (FULL, "No space left on device")],
    ids=["read-only", "full"],
)
def test_a_folder_that_takes_nothing_is_told_in_a_line_and_nothing_is_left(
    prepare: str, told: str, environment: dict[str, str], serve: Serve
) -> None:
    environment["TMPDIR"] = environment["XDG_RUNTIME_DIR"]

    done = mounted(prepare, environment["XDG_RUNTIME_DIR"], environment, "open", serve(PAGE))

    assert told in done.stderr
    assert "Set XDG_RUNTIME_DIR to a folder that is yours" in done.stderr
    assert (done.returncode, len(done.stderr.splitlines()), "Traceback" in done.stderr) == (2, 1, False)
    assert wait_until(lambda: not living(environment))


def test_a_chrome_whose_profile_has_no_room_shows_pages_and_ends_all_the_same(
    cli: Cli, environment: dict[str, str], serve: Serve
) -> None:
    with TemporaryDirectory(dir="/tmp") as temporary:
        environment["TMPDIR"] = temporary

        done = mounted(FULL.replace("$XDG_RUNTIME_DIR", "$TMPDIR"), temporary, environment, "open", serve(PAGE))
        closed = cli.here("close")

    assert (done.stdout, done.stderr) == ('- button "Go" [ref=E1]\n', "")
    assert closed.stdout == "Session 'default' has ended.\n"
    assert wait_until(lambda: not living(environment))


def test_a_folder_that_can_only_be_read_has_another_in_its_place(
    environment: dict[str, str], serve: Serve, tmp_path: Path
) -> None:
    with TemporaryDirectory(dir="/tmp") as temporary:
        environment["TMPDIR"] = temporary

        done = mounted(READ_ONLY, environment["XDG_RUNTIME_DIR"], environment, "open", serve(PAGE))
        closed = Cli({**environment, "XDG_RUNTIME_DIR": str(tmp_path / "none")}).here("close")

    assert done.stdout == '- button "Go" [ref=E1]\n'
    assert closed.stdout == "Session 'default' has ended.\n"
    assert wait_until(lambda: not living(environment))
