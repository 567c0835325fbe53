"""The Chrome of a session that begins with `open`, which is started before the rest of its host is there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from cdp_agent.cli.caller import CommandCaller
from cdp_agent.cli.prelaunch import PrelaunchedChrome, prelaunch_chrome, read_settings
from cdp_agent.cli.session import Sessions
from tests.commands import wait_until


@pytest.fixture
def caller(environment: dict[str, str], tmp_path: Path) -> CommandCaller:
    return msgspec.structs.replace(CommandCaller.here(), folder=str(tmp_path), environment=environment)


def started(caller: CommandCaller) -> PrelaunchedChrome:
    ahead = prelaunch_chrome(["open", "about:blank"], caller)
    assert ahead is not None
    return ahead


def supervisor_of(ahead: PrelaunchedChrome) -> int:
    return ahead.started.process.pid


def has_ended(pid: int) -> bool:
    """Also where nobody has asked how."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


@pytest.mark.unit
def test_nothing_is_imported_before_it_is_started_that_it_does_not_need() -> None:
    program = "import sys, cdp_agent.cli.host_startup; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    imported = set(done.stdout.split())
    of_chrome = ("cdp_agent.page.", "cdp_agent.browser.", "cdp_agent.cdp.")
    assert {name for name in imported if name.startswith(of_chrome)} == {
        *("cdp_agent.browser.context_options", "cdp_agent.browser.launch", "cdp_agent.browser.launch.advice"),
        *("cdp_agent.browser.launch.chrome", "cdp_agent.browser.launch.environment", "cdp_agent.browser.launch.proxy"),
        *("cdp_agent.browser.launch.starting", "cdp_agent.browser.launch.supervisor", "cdp_agent.cdp.target"),
        *("cdp_agent.cdp.types", "cdp_agent.page.policy", "cdp_agent.page.policy.hosts", "cdp_agent.page.policy.rules"),
        *("cdp_agent.page.tab", "cdp_agent.page.tab.dialog_policy", "cdp_agent.page.tab.settings"),
    }
    assert not imported & {"asyncio", "ssl", "socket", "email", "difflib", "shlex", "zoneinfo"}
    assert not [name for name in imported if name.startswith(("cdp_agent.tools", "cdp_agent.session.session"))]


@pytest.mark.parametrize("words", [["snapshot"], ["open", "--cdp", "http://127.0.0.1:1"], ["chrome", "start"]])
def test_where_none_of_ours_may_be_wanted_none_is_started(caller: CommandCaller, words: list[str]) -> None:
    assert prelaunch_chrome(words, caller) is None


@pytest.mark.chrome
async def test_the_first_session_has_it(caller: CommandCaller) -> None:
    ahead = started(caller)
    supervisor = supervisor_of(ahead)
    sessions = Sessions("default", ahead)
    async with sessions.use("default", read_settings(["about:blank"], caller)[1], caller) as opened:
        process = opened.session.browser._chrome.instance.process
        assert process is not None
        assert process._process.pid == supervisor
    await sessions.close_all()


@pytest.mark.chrome
async def test_it_ends_where_a_session_wants_another(caller: CommandCaller) -> None:
    ahead = started(caller)
    supervisor = supervisor_of(ahead)
    sessions = Sessions("default", ahead)
    async with sessions.use("default", read_settings(["--viewport", "800x600"], caller)[1], caller):
        assert wait_until(lambda: has_ended(supervisor))
    await sessions.close_all()
