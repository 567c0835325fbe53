"""Chrome is found, started, and says why when it does not start."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cdp_agent.browser import Browser
from cdp_agent.browser.launch.chrome import LaunchOptions, find_chrome, flags
from cdp_agent.browser.launch.supervisor import command_line
from cdp_agent.errors import BrowserError
from tests.detached import DetachedChrome, start_detached, stop_detached

pytestmark = pytest.mark.whole_chrome


def _program(folder: Path, script: str) -> str:
    program = folder / "chrome"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return str(program)


def test_a_given_program_comes_before_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CDP_AGENT_CHROME", sys.executable)
    given = _program(tmp_path, "exit 0")

    assert (find_chrome(given), find_chrome()) == (given, sys.executable)


def test_a_program_on_the_path_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CDP_AGENT_CHROME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    program = _program(tmp_path, "exit 0")
    os.rename(program, tmp_path / "brave-browser")

    assert find_chrome() == str(tmp_path / "brave-browser")


def test_a_headless_shell_is_taken_where_there_is_nothing_else_and_no_window_is_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CDP_AGENT_CHROME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("cdp_agent.browser.launch.chrome._places", lambda: [])
    os.rename(_program(tmp_path, "exit 0"), shell := str(tmp_path / "chrome-headless-shell"))

    assert find_chrome() == shell
    with pytest.raises(BrowserError, match="No Chrome found"):
        find_chrome(headless=False)
    with pytest.raises(BrowserError, match=r"-headless-shell', which has no windows: name a whole Chrome"):
        find_chrome(shell, headless=False)


def test_a_program_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CDP_AGENT_CHROME", "/nowhere/chrome")

    with pytest.raises(BrowserError, match=r"^\$CDP_AGENT_CHROME names '/nowhere/chrome', which is no program"):
        find_chrome()


def test_without_any_chrome_the_error_tells_where_it_looked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CDP_AGENT_CHROME", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("cdp_agent.browser.launch.chrome._places", lambda: ["/opt/nowhere/chrome"])

    with pytest.raises(BrowserError, match=r"looked on PATH for .*chromium.* and at /opt/nowhere/chrome\. Install"):
        find_chrome()


def test_arguments_of_the_caller_come_last_and_lists_are_joined() -> None:
    options = LaunchOptions(args=("--lang=de", "--disable-features=Own", "--blink-settings=own=1"))

    chosen = flags(options, "chromium")

    features, settings = [
        [each for each in chosen if each.startswith(name)] for name in ("--disable-features=", "--blink-settings=")
    ]
    assert chosen[-1] == "--lang=de"
    assert [each.endswith(",Own") for each in features] == [True]
    assert [each.endswith(",own=1") for each in settings] == [True]


def test_what_chrome_would_send_without_a_session_that_tells_of_it_is_off() -> None:
    (features,) = [flag for flag in flags(LaunchOptions(), "chromium") if flag.startswith("--disable-features=")]

    assert {"BackgroundFetch", "Reporting", "NetworkErrorLogging"} <= set(features.partition("=")[2].split(","))


def test_the_screen_is_as_large_as_the_window() -> None:
    assert "--screen-info={3000x1080}" in flags(LaunchOptions(window=(3000, 500)), "chromium")


def test_with_windows_the_mouse_and_the_screen_are_those_of_the_machine() -> None:
    chosen = flags(LaunchOptions(headless=False), "chromium")

    assert not [each for each in chosen if each.startswith(("--blink-settings", "--screen-info", "--accept-lang"))]


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("echo 'libnss3.so: cannot open shared object file' >&2; exit 127", "exit status 127\nlibnss3.so: cannot open"),
        ("kill -SEGV $$", "killed by signal 11"),
        ("exit 0", "Chrome ended at once: exit status 0"),
    ],
    ids=["missing library", "crash", "silence"],
)
async def test_a_chrome_that_ends_at_once_tells_its_last_words(tmp_path: Path, script: str, told: str) -> None:
    with pytest.raises(BrowserError, match=told):
        await Browser.launch(executable=_program(tmp_path, script))


async def test_a_chrome_that_never_answers_is_ended_at_the_deadline(tmp_path: Path) -> None:
    program = _program(tmp_path, f"echo $$ > {tmp_path}/pid; echo 'waiting for a lock' >&2; exec sleep 60")

    with pytest.raises(BrowserError, match=r"did not answer within 0\.5 s: it was ended\nwaiting for a lock"):
        await Browser.launch(executable=program, timeout_s=0.5)

    assert command_line(int((tmp_path / "pid").read_text())) == ""


async def test_a_window_without_a_display_is_refused_in_the_words_of_chrome() -> None:
    nowhere = {"DISPLAY": "", "WAYLAND_DISPLAY": ""}

    with pytest.raises(
        BrowserError, match=r"Chrome ended at once: exit status 1\n(?s:.*)Missing X server or \$DISPLAY"
    ):
        await Browser.launch(headless=False, env=nowhere)


@pytest.fixture
async def in_a_script(tmp_path: Path) -> AsyncIterator[Browser]:
    """A Chrome whose program is a script that waits for it, as Debian's headless shell is."""
    async with Browser.launch(executable=_program(tmp_path, f'{find_chrome()} "$@"')) as browser:
        yield browser


@pytest.mark.parametrize("which", ["Chrome", "the script"])
async def test_a_chrome_that_a_script_started_is_known_by_its_process_and_goes_with_it(
    in_a_script: Browser, which: str
) -> None:
    pid, process, session = in_a_script.pid, in_a_script._instance.process, in_a_script.session
    assert pid is not None
    assert process is not None
    assert "--type=" not in command_line(pid)
    assert "/bin/sh" not in command_line(pid)
    assert (process.cpu_s() or 0.0) > 0.0

    os.kill(pid if which == "Chrome" else os.getpgid(pid), signal.SIGKILL)

    async with asyncio.timeout(20):
        assert (await session.connection.closed).startswith("killed by signal 9")
    assert command_line(pid) == ""


async def test_the_environment_of_the_caller_reaches_chrome(tmp_path: Path) -> None:
    program = _program(tmp_path, 'echo "zone: $TZ" >&2; exit 1')

    with pytest.raises(BrowserError, match="zone: Asia/Tokyo"):
        await Browser.launch(executable=program, env={"TZ": "Asia/Tokyo"})


async def test_no_process_of_chrome_sees_a_key_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "GOOGLE_API_KEY", "CHROME_CLIENT_SECRET", "CDP_AGENT_ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "marker-of-a-key")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:1")

    async with Browser.launch(env={"SHOWN": "marker-of-the-caller"}) as browser:
        await browser.new_page("data:text/html,hi")
        supervised = browser._instance.process
        assert supervised is not None
        environments = _environments(supervised._process.pid)

    assert len(environments) > 3  # the supervisor, Chrome, and children for pages and network
    assert [each for each in environments if "marker-of-a-key" in each] == []
    assert all("SHOWN=marker-of-the-caller" in each and "PATH=" in each for each in environments[:2])
    assert all("HTTPS_PROXY=http://proxy.example:1" in each for each in environments[:2])


def _environments(root: int) -> list[str]:
    """What the process and all below it were given, the process itself and its first child in front."""
    pids = [root]
    for pid in pids:
        for task in Path(f"/proc/{pid}/task").iterdir():
            pids += map(int, (task / "children").read_text().split())
    return [Path(f"/proc/{pid}/environ").read_text(errors="replace") for pid in pids]


async def test_a_detached_chrome_is_reached_by_its_address_and_stopped() -> None:
    chrome = await start_detached()
    try:
        async with Browser.connect(chrome.endpoint) as browser:
            assert browser.version.product.startswith("Chrome/")
        running = command_line(chrome.pid)
    finally:
        stopped = await stop_detached(chrome)

    assert chrome.profile in running
    assert stopped
    assert _remains(chrome) == ("", False)
    assert not await stop_detached(chrome)


async def test_a_detached_chrome_is_stopped_without_its_supervisor() -> None:
    chrome = await start_detached()
    os.kill(chrome.supervisor_pid, 9)

    assert await stop_detached(chrome)
    assert _remains(chrome) == ("", False)


def _remains(chrome: DetachedChrome) -> tuple[str, bool]:
    return command_line(chrome.pid), os.path.exists(chrome.profile)
