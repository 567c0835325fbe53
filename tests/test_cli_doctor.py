"""`cdp-agent doctor`: what it finds where all is well, and where it is not."""

import asyncio
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.browser.launch.chrome import LaunchOptions, find_chrome
from cdp_agent.cli import main
from cdp_agent.cli.flags import SETTINGS
from fixtures.replay import ReplayServer, tool_call
from tests.detached import DetachedChrome, start_detached, stop_detached

pytestmark = pytest.mark.chrome

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the settings, for the user alone; the environment says only which Chrome."""
    for setting in SETTINGS.values():
        for name in setting.variables:
            if name != "CDP_AGENT_CHROME":
                monkeypatch.delenv(name, raising=False)
    path = tmp_path / "config.toml"
    path.touch(0o600)
    monkeypatch.setenv("CDP_AGENT_CONFIG", str(path))
    return path


@pytest.fixture
def other_chrome(detached: DetachedChrome, monkeypatch: pytest.MonkeyPatch) -> None:
    """For all but the Chrome that is launched: there is none, and one to connect to, which will do."""
    monkeypatch.setenv("CDP_AGENT_EXECUTABLE", "/no/chrome")
    monkeypatch.setenv("CDP_AGENT_CDP", detached.endpoint)


def doctor(capsys: Captured, *words: str) -> tuple[int, dict[str, Any]]:
    """Its exit status, and state, text and advice by what they are about; the last one where there are several."""
    status = main(["doctor", "--json", *words])
    return status, {each.pop("about"): each for each in json.loads(capsys.readouterr().out)}


def test_a_chrome_that_starts_is_well(path: Path, capsys: Captured) -> None:
    status, found = doctor(capsys, "--offline")

    assert status == 0
    assert found["settings"] == {"state": "ok", "text": f"{path} can be read, by you alone", "advice": ""}
    assert found["Chrome"]["state"] == "ok"
    assert "Chrome/" in found["Chrome"]["text"]
    assert found["model"] == {
        "state": "warn",
        "text": "none is set, which `run` needs",
        "advice": "cdp-agent config init",
    }
    if sys.platform == "linux":
        assert {"/dev/shm", "fonts"} <= set(found)


@pytest.mark.usefixtures("other_chrome")
def test_a_person_sees_a_line_and_what_to_do(capsys: Captured) -> None:
    assert main(["doctor", "--offline"]) == 0
    assert "! model: none is set, which `run` needs\n    → cdp-agent config init\n" in capsys.readouterr().out


def test_without_a_chrome_no_task_can_be_run(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CDP_AGENT_EXECUTABLE", "/no/chrome")

    status, found = doctor(capsys, "--offline")

    assert status == 1
    assert found["Chrome"] == {
        "state": "fail",
        "text": "executable names '/no/chrome', which is no program that can be run.",
        "advice": "Install it, or name it: `cdp-agent config set executable PATH`.",
    }


def test_what_it_advises_for_a_chrome_without_a_sandbox_works_when_it_is_pasted(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_itself = os.geteuid() == 0  # then we turn the sandbox off
    program = tmp_path / "chrome"
    program.write_text(
        '#!/bin/sh\ncase "$*" in '
        f"""*--no-sandbox*{"--no-sandbox*" if by_itself else ""}) exec {find_chrome()} "$@";; esac\n"""
        "echo 'No usable sandbox!' >&2\nexit 1\n"
    )
    program.chmod(0o700)
    monkeypatch.setenv("CDP_AGENT_EXECUTABLE", str(program))

    status, found = doctor(capsys, "--offline")

    assert status == 1
    assert found["Chrome"]["text"].startswith(f"{program} does not start: ")
    assert pasted(found["Chrome"]["advice"]) == 0
    status, found = doctor(capsys, "--offline")
    assert (status, found["Chrome"]["state"]) == (0, "ok")
    assert found["sandbox"]["text"] == "args turn it off"


def pasted(advice: str) -> int:
    """The exit status of the command of ours in the advice, as a shell runs it."""
    (command,) = re.findall(r"`(cdp-agent [^`]+)`", advice)
    return main(shlex.split(command)[1:])


@pytest.mark.usefixtures("other_chrome")
def test_endpoints_are_told_by_their_number(
    detached: DetachedChrome, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CDP_AGENT_CDP", f"{detached.endpoint},http://127.0.0.1:9/?token=tok-en")

    status, found = doctor(capsys, "--offline")

    assert status == 1
    assert found["endpoint 1 of 2"]["state"] == "ok"
    assert found["endpoint 2 of 2"]["state"] == "fail"
    assert "tok-en" not in str(found)
    assert found["endpoint 2 of 2"]["advice"] == "Start that Chrome, or `unset CDP_AGENT_CDP`."


def test_an_endpoint_of_the_file_is_taken_out_by_what_is_advised(path: Path, capsys: Captured) -> None:
    path.write_text('cdp = ["http://127.0.0.1:9"]\n')

    _, found = doctor(capsys, "--offline")

    assert pasted(found["endpoint 1 of 1"]["advice"]) == 0
    assert path.read_text() == ""


@pytest.mark.usefixtures("other_chrome")
def test_a_headless_chrome_without_a_mouse_is_told(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    options = LaunchOptions(args=("--blink-settings=primaryPointerType=1,availablePointerTypes=1",))
    chrome = asyncio.run(start_detached(options))
    monkeypatch.setenv("CDP_AGENT_CDP", chrome.endpoint)

    status, found = doctor(capsys, "--offline")

    asyncio.run(stop_detached(chrome))
    assert (status, found["endpoint 1 of 1"]["state"]) == (0, "warn")
    assert "no mouse" in found["endpoint 1 of 1"]["text"]


@pytest.mark.usefixtures("other_chrome")
def test_a_model_that_answers_is_well(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    with ReplayServer(replies=[tool_call("done", {"result": "x"})]) as server:
        monkeypatch.setenv("CDP_AGENT_MODEL", "openai-compatible/m")
        monkeypatch.setenv("CDP_AGENT_BASE_URL", server.base_url)
        status, found = doctor(capsys)

    assert (status, found["model"]["state"]) == (0, "ok")
    assert (found["Chrome"]["state"], found["endpoint 1 of 1"]["state"]) == ("warn", "ok")
    assert found["model"]["text"].startswith("openai-compatible/m answers, in ")


@pytest.mark.usefixtures("other_chrome")
def test_a_wrong_key_is_told_without_it(
    httpserver: HTTPServer, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    httpserver.expect_request("/v1/chat/completions").respond_with_json(
        {"error": {"message": "Incorrect API key: sk-12345678"}}, status=401
    )
    monkeypatch.setenv("CDP_AGENT_MODEL", "openai-compatible/m")
    monkeypatch.setenv("CDP_AGENT_BASE_URL", httpserver.url_for("/v1"))
    monkeypatch.setenv("OPENAI_COMPATIBLE_API_KEY", "sk-12345678")

    status, found = doctor(capsys)

    assert (status, found["model"]["state"], found["model"]["advice"]) == (1, "fail", "cdp-agent config init")
    assert "Incorrect API key" in found["model"]["text"]
    assert "sk-12345678" not in str(found)


@pytest.mark.usefixtures("other_chrome")
def test_offline_no_model_is_asked(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CDP_AGENT_MODEL", "lmstudio/m")
    monkeypatch.setenv("CDP_AGENT_BASE_URL", "http://127.0.0.1:9/v1")

    _, found = doctor(capsys, "--offline")

    assert found["model"]["text"] == "lmstudio/m at http://127.0.0.1:9/v1, not asked"


@pytest.mark.usefixtures("other_chrome")
def test_a_missing_key_is_told(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CDP_AGENT_MODEL", "openai/m")

    status, found = doctor(capsys)

    assert (status, found["model"]["state"]) == (1, "fail")
    assert "OPENAI_API_KEY" in found["model"]["text"]


@pytest.mark.usefixtures("other_chrome")
def test_a_file_that_others_can_read_is_told(path: Path, capsys: Captured) -> None:
    path.chmod(0o640)

    status, found = doctor(capsys, "--offline")

    assert status == 0
    assert found["settings"] == {
        "state": "warn",
        "text": f"others can read {path}, and keys in it",
        "advice": f"chmod 600 {path}",
    }
    subprocess.run(found["settings"]["advice"], shell=True, check=True)
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_wrong_setting_fails_and_the_rest_is_looked_at(
    path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CDP_AGENT_CHROME", "/no/chrome")
    path.write_text("max_step = 3\n")

    status, found = doctor(capsys)

    assert status == 1
    assert found["settings"]["text"] == (
        f"{path}, line 1: There is no setting 'max_step' (did you mean max_steps?): `cdp-agent config list` shows all."
    )
    assert "'/no/chrome'" in found["Chrome"]["text"]


@pytest.mark.usefixtures("other_chrome")
def test_a_misspelt_variable_is_told(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CDP_AGENT_MAXSTEPS", "3")

    _, found = doctor(capsys, "--offline")

    assert found["settings"]["state"] == "warn"
    assert "CDP_AGENT_MAXSTEPS" in found["settings"]["text"]
