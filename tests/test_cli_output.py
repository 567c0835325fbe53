"""Where the events of a run go."""

import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cdp_agent.cli.caller import Streams
from cdp_agent.cli.terminal.log import logged
from cdp_agent.cli.terminal.output import sink_of
from cdp_agent.config import Config
from cdp_agent.errors import SetupError
from cdp_agent.events import AgentReasoned, AgentStatus
from tests.test_events import EVENTS

Captured = pytest.CaptureFixture[str]


def tell_all(config: Config) -> None:
    with sink_of(config, "openai/m") as take:
        for event in EVENTS:
            take(event)


def test_events_are_written_to_a_file_and_told_live(tmp_path: Path, capsys: Captured) -> None:
    tell_all(Config(events=str(tmp_path / "e.jsonl")))

    written = [json.loads(line)["type"] for line in (tmp_path / "e.jsonl").read_text().splitlines()]
    told = capsys.readouterr()
    assert written == ["trace:started", *(type(each).__struct_config__.tag for each in EVENTS)]
    assert told.out == ""
    assert "2 steps, 220 tokens" in told.err


def test_events_can_be_the_standard_output(capsys: Captured) -> None:
    tell_all(Config(events="-", quiet=True))

    told = capsys.readouterr()
    assert [json.loads(line)["type"] for line in told.out.splitlines()][:2] == ["trace:started", "task:setup"]
    assert told.err == ""


def test_kinds_are_left_out(capsys: Captured) -> None:
    tell_all(Config(events="-", without=("task:setup", "agent:step")))

    kinds = {json.loads(line)["type"] for line in capsys.readouterr().out.splitlines()}
    assert "task:completed" in kinds
    assert not kinds & {"task:setup", "agent:step"}


def test_an_unknown_kind_is_told_with_the_one_that_was_meant() -> None:
    with (
        pytest.raises(SetupError, match=r"There is no kind of event 'agent:steps' \(did you mean agent:step\?\)\."),
        sink_of(Config(without=("agent:steps",)), "openai/m"),
    ):
        pass


def test_no_key_is_written(capsys: Captured) -> None:
    config = Config(events="-", openai_api_key="sk-123", extra_headers={"Authorization": "Bearer tok-en"})

    with sink_of(config, "openai/m") as take:
        take(AgentReasoned(timestamp=1.0, step=1, reasoning="sk-123 and Bearer tok-en"))
        take(AgentStatus(timestamp=1.0, step=1, message="sk-123"))

    told = capsys.readouterr()
    assert "*** and ***" in told.out
    assert told.err == "  1  ***\n"
    assert "sk-123" not in told.out


def test_debug_tells_what_is_logged_by_us_alone(capsys: Captured) -> None:
    with logged(Config(debug=True), Streams()):
        logging.getLogger("cdp_agent.page").debug("of ours")
        logging.getLogger("httpcore").debug("of others")
    logging.getLogger("cdp_agent.page").debug("of later")

    told = capsys.readouterr().err
    assert "cdp_agent.page  of ours" in told
    assert "of others" not in told
    assert "of later" not in told


def test_without_debug_nothing_is_told(capsys: Captured) -> None:
    with logged(Config(), Streams()):
        logging.getLogger("cdp_agent.page").debug("of ours")

    assert capsys.readouterr().err == ""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device here")
def test_no_room_for_the_output_is_a_clear_error() -> None:
    with open("/dev/full", "wb") as full:
        told = subprocess.run(
            [sys.executable, "-m", "cdp_agent", "tools"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )

    assert told.returncode == 2
    assert told.stderr == "cdp-agent: The output cannot be written: No space left on device.\n"
