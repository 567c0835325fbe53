"""Events as JSON Lines."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from cdp_agent.errors import SetupError
from cdp_agent.events import AgentStatus, AgentStep, BrowserScreenshot
from cdp_agent.trace import TraceWriter, read

FIRST = AgentStep(timestamp=1.5, step=1)
SECOND = AgentStatus(timestamp=2.0, step=1, message="A line\nwith a break, and ☃")


def test_events_come_back_in_order(tmp_path: Path) -> None:
    with TraceWriter(tmp_path / "t.jsonl") as trace:
        trace.write(FIRST)
        trace.write(SECOND)

    assert list(read(tmp_path / "t.jsonl")) == [FIRST, SECOND]


def test_each_line_is_written_at_once(tmp_path: Path) -> None:
    with TraceWriter(tmp_path / "t.jsonl") as trace:
        trace.write(FIRST)

        assert (tmp_path / "t.jsonl").read_text() == (
            '{"type":"trace:started","format":1}\n{"type":"agent:step","timestamp":1.5,"step":1}\n'
        )


@pytest.mark.parametrize(("images", "kept"), [(False, None), (True, b"jpeg")], ids=["by default", "when asked"])
def test_a_trace_has_pictures_only_when_asked(tmp_path: Path, images: bool, kept: bytes | None) -> None:
    shot = BrowserScreenshot(timestamp=1.0, step=1, size=4, format="jpeg", width_px=2, height_px=1, image=b"jpeg")

    with TraceWriter(tmp_path / "t.jsonl", images=images) as trace:
        trace.write(shot)

    assert list(read(tmp_path / "t.jsonl")) == [msgspec.structs.replace(shot, image=kept)]


def test_a_trace_is_for_the_user_alone(tmp_path: Path) -> None:
    TraceWriter(tmp_path / "t.jsonl").close()

    assert (tmp_path / "t.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_trace_takes_the_place_of_a_file_or_a_link_and_leaves_what_that_leads_to(tmp_path: Path) -> None:
    path, target, link = tmp_path / "t.jsonl", tmp_path / "mine.txt", tmp_path / "link.jsonl"
    for each in (path, target):
        each.write_text("mine")
        each.chmod(0o644)
    link.symlink_to(target)

    for each in (path, link):
        TraceWriter(each).close()
        assert not each.is_symlink()
        assert each.stat().st_mode & 0o777 == 0o600
        assert list(read(each)) == []

    assert (target.read_text(), target.stat().st_mode & 0o777) == ("mine", 0o644)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link.jsonl", "mine.txt", "t.jsonl"]


def test_a_trace_takes_the_place_of_nothing_but_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "out").symlink_to("/dev/stdout")

    for each in (tmp_path, tmp_path / "pipe", tmp_path / "out"):
        with pytest.raises(SetupError, match=r"cannot be written: Not a regular file\."):
            TraceWriter(each)


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r"t\.jsonl cannot be written: No such file or directory\."):
        TraceWriter(tmp_path / "missing" / "t.jsonl")


def test_a_line_that_is_no_event_is_named(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text('{"type":"agent:step","timestamp":1.5,"step":1}\n{"type":"x"}\n')

    with pytest.raises(SetupError, match="line 2, is not an event: Invalid value 'x'"):
        list(read(tmp_path / "t.jsonl"))


def test_no_room_for_a_trace_is_a_clear_error(tmp_path: Path) -> None:
    """Whether there is none at all, or no more."""
    script = """if 1:
        import resource, sys
        from pathlib import Path
        from cdp_agent.errors import SetupError
        from cdp_agent.events import AgentStatus
        from cdp_agent.trace import TraceWriter
        for most in (10, 200):
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
            try:
                with TraceWriter(Path(sys.argv[1])) as trace:
                    for _ in range(9):
                        trace.write(AgentStatus(timestamp=1.0, step=1, message="x" * 50))
            except SetupError as error:
                print(error)
    """
    path = str(tmp_path / "t.jsonl")

    told = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, check=False)

    assert (told.stdout, told.stderr) == (f"{path} cannot be written: File too large.\n" * 2, "")
