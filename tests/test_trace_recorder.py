"""The folder of a trace: what is written into it, within which limits, and what becomes of it when that fails."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cdp_agent.errors import BadReply, SetupError
from cdp_agent.events import AgentProcessing, AgentStatus, AgentStep
from cdp_agent.page.picture.paint import Picture
from cdp_agent.providers.base import (
    Assistant,
    Image,
    ProviderState,
    Reply,
    Request,
    System,
    Text,
    ToolCall,
    ToolResult,
    ToolSpec,
    Usage,
    User,
)
from cdp_agent.trace import TraceOptions, read
from cdp_agent.trace.options import run_folders
from cdp_agent.trace.recorder import Recorder
from tests.test_events import EVENTS

CALL = ToolCall("c1", "click", '{"ref": "E1"}')
MESSAGES = (
    System("Work."),
    User((Text("Buy it."), Image(b"picture", "image/jpeg"))),
    Assistant("", (CALL,), ProviderState("w", "m", {"signature": "x"})),
    ToolResult("c1", "clicked"),
)
TOOLS = (ToolSpec("click", "Click.", {"type": "object"}),)


def lines(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def types(folder: Path, name: str) -> list[str]:
    return [each["type"] for each in lines(folder, name)]


def told(step: int = 1, message: str = "x") -> AgentStatus:
    return AgentStatus(timestamp=1.0, step=step, message=message)


def test_every_kind_of_event_is_written_and_read_again(tmp_path: Path) -> None:
    recorder = Recorder(TraceOptions(folder=tmp_path), "Buy it")
    for event in EVENTS:
        recorder.event(event)
    recorder.close()

    assert len(list(read(recorder.folder / "events.jsonl"))) == len(EVENTS)


def test_runs_with_the_same_words_at_the_same_time_have_folders_of_their_own(tmp_path: Path) -> None:
    made = [Recorder(TraceOptions(folder=tmp_path / "new" / "traces"), "Buy *two* Mugs, now!") for _ in range(20)]

    names = {each.folder.name for each in made}
    assert len(names) == 20
    assert all("-buy-two-mugs-now-" in name for name in names)
    assert run_folders(tmp_path / "new" / "traces") == sorted(each.folder for each in made)


def test_what_is_written_is_for_the_user_alone(tmp_path: Path) -> None:
    recorder = Recorder(TraceOptions(folder=tmp_path), "x")
    recorder.asked(Request("m", MESSAGES), "openai")

    modes = {stat.S_IMODE(each.stat().st_mode) for each in recorder.folder.rglob("*") if each.is_file()}
    assert modes == {0o600}
    assert stat.S_IMODE(recorder.folder.stat().st_mode) == 0o700


def test_a_conversation_is_written_once_and_requests_name_its_messages(tmp_path: Path) -> None:
    recorder = Recorder(TraceOptions(folder=tmp_path), "x")
    recorder.event(AgentProcessing(timestamp=1.0, step=1, operation="action"))
    first = recorder.asked(Request("m", MESSAGES[:2], TOOLS), "openai")
    recorder.replied(first, Reply("", "Hm.", (CALL,), "tool_calls", Usage(10, 2, cost=0.5)), 1.23456)
    second = recorder.asked(Request("m", MESSAGES, TOOLS), "openai")
    recorder.failed(second, BadReply("openai", "It made no sense."), 0.5)

    written = lines(recorder.folder, "model.jsonl")
    assert [each["type"].removeprefix("model:") for each in written] == [
        *("message", "message", "tools", "request", "reply"),
        *("message", "message", "request", "failure"),
    ]
    requests = [each for each in written if each["type"] == "model:request"]
    assert [(each["operation"], each["messages"], each["tools"]) for each in requests] == [
        ("action", [1, 2], 3),
        ("tool", [1, 2, 4, 5], 3),
    ]
    assert written[1]["message"]["parts"][1] == {
        "type": "image",
        "media_type": "image/jpeg",
        "file": "pictures/0001.jpeg",
    }
    assert (recorder.folder / "pictures/0001.jpeg").read_bytes() == b"picture"
    assert written[5]["message"]["state"] is None
    assert written[4]["usage"]["cost"] == 0.5
    assert written[4]["duration_s"] == 1.235
    assert (written[8]["kind"], written[8]["number"]) == ("BadReply", 2)


def test_a_line_that_is_too_long_is_cut_and_that_is_said_once_and_counted(tmp_path: Path) -> None:
    recorder = Recorder(TraceOptions(folder=tmp_path, max_line_bytes=2_000), "x")
    for _ in range(3):
        recorder.event(told(message="y" * 10_000))
    recorder.close()

    written = lines(recorder.folder, "events.jsonl")
    assert [each["message"] for each in written if "message" in each] == [
        f"{'y' * 500}… (cut: 9,500 characters more)"
    ] * 3
    omitted = [(each["what"], each["why"], each["count"]) for each in written if each["type"] == "trace:omitted"]
    assert omitted == [("event", "cut: a line may have 2,000 bytes", count) for count in (1, 3)]


def test_when_all_is_full_the_end_is_still_written(tmp_path: Path) -> None:
    recorder = Recorder(TraceOptions(folder=tmp_path, max_bytes=4_000), "x")
    picture = Picture(b"p" * 3_000, "jpeg", 1, 1)
    for step in range(100):
        recorder.event(told(step))
        recorder.picture(picture, step=step, taken=1.0, tab="t1", url="", viewport=(1, 1))
        picture = Picture(bytes([step]) * 3_000, "jpeg", 1, 1)
    recorder.event(EVENTS[-1])
    recorder.close()

    written = sum(each.stat().st_size for each in recorder.folder.rglob("*") if each.is_file())
    assert written < 4_000 + 2_000
    assert types(recorder.folder, "events.jsonl").count("task:completed") == 1
    omitted = {each["what"]: each["count"] for each in lines(recorder.folder, "events.jsonl") if "what" in each}
    assert omitted["picture"] > 90
    assert omitted["event"] > 10


def test_pictures_leave_room_for_events(tmp_path: Path) -> None:
    recorder = Recorder(TraceOptions(folder=tmp_path, max_bytes=20_000), "x")
    for step in range(100):
        picture = Picture(bytes([step]) * 200, "jpeg", 1, 1)
        recorder.picture(picture, step=step, taken=1.0, tab="t1", url="", viewport=(1, 1))
    for step in range(5):
        recorder.event(told(step))
    recorder.close()

    omitted = {each["what"]: each["count"] for each in lines(recorder.folder, "events.jsonl") if "what" in each}
    assert omitted.keys() == {"picture"}


def test_a_large_picture_is_left_out(tmp_path: Path) -> None:
    recorder = Recorder(TraceOptions(folder=tmp_path, max_picture_bytes=10), "x")

    kept = recorder.picture(Picture(b"p" * 11, "jpeg", 1, 1), step=1, taken=1.0, tab="t1", url="", viewport=(1, 1))

    assert kept is None
    assert not (recorder.folder / "pictures").exists()
    assert lines(recorder.folder, "events.jsonl")[-1]["why"] == "longer than 10 bytes"


def test_what_the_caller_keeps_to_themselves_is_in_no_file_and_no_name(tmp_path: Path) -> None:
    recorder = Recorder(TraceOptions(folder=tmp_path, redacted=("sk-123",)), "Use sk-123")
    recorder.event(told(message="it was sk-123"))
    recorder.asked(Request("m", (System("sk-123"),)), "openai")

    assert "sk-123" not in recorder.folder.name
    assert all("sk-123" not in each.read_text() for each in recorder.folder.iterdir())
    assert lines(recorder.folder, "events.jsonl")[-1]["message"] == "it was ***"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_is_not_ours_is_a_clear_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)

    with pytest.raises(SetupError, match=r"cannot be written to .*: Permission denied\."):
        Recorder(TraceOptions(folder=tmp_path), "x")


def test_a_folder_that_is_a_file_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")

    with pytest.raises(SetupError, match=r"^The trace cannot be written to .*file: (File exists|Not a directory)\.$"):
        Recorder(TraceOptions(folder=tmp_path / "file"), "x")
    assert (tmp_path / "file").read_text() == "mine"


def test_a_disk_that_is_full_is_told_once_and_leaves_whole_lines(tmp_path: Path) -> None:
    script = """if 1:
        import resource, sys
        from pathlib import Path
        from cdp_agent.events import AgentStatus
        from cdp_agent.trace import TraceOptions
        from cdp_agent.trace.recorder import Recorder
        recorder = Recorder(TraceOptions(folder=Path(sys.argv[1])), "x", lambda why: print(why.partition(": ")[2]))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, resource.RLIM_INFINITY))
        for number in range(99):
            recorder.event(AgentStatus(timestamp=1.0, step=number, message="x" * 50))
        recorder.close()
    """

    ran = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=False)

    assert (ran.stdout, ran.stderr) == ("File too large.\n", "")
    [folder] = run_folders(tmp_path)
    steps = [event.step for event in read(folder / "events.jsonl")]
    assert steps == list(range(len(steps)))
    assert len(steps) > 5


def test_what_is_asked_by_a_tool_is_not_taken_for_what_the_agent_asks(tmp_path: Path) -> None:
    recorder = Recorder(TraceOptions(folder=tmp_path), "x")
    recorder.event(AgentProcessing(timestamp=1.0, step=1, operation="action"))
    recorder.event(AgentStep(timestamp=1.0, step=2))
    recorder.asked(Request("m", MESSAGES[:1]), "openai")

    assert lines(recorder.folder, "model.jsonl")[-1]["operation"] == "tool"
