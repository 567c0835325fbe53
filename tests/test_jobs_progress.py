"""How far a batch is, as it is written down and read elsewhere."""

from __future__ import annotations

import os
import time
from pathlib import Path

import msgspec
import pytest

from cdp_agent.cli.subcommands.batch import watch_line
from cdp_agent.errors import SetupError
from cdp_agent.jobs.progress import JobProgress, ProgressReporter, ReportedProgress, read_progress
from cdp_agent.jobs.results import JobResult
from cdp_agent.jobs.states import FolderStore, store_at
from cdp_agent.outcome import TaskError

HALF = JobProgress(
    total=40,
    done=30,
    failed=2,
    running=4,
    room=4,
    attempts=34,
    tokens=1200,
    cost=None,
    seconds=60.0,
    ended_by=None,
    done_before=10,
)
ALL = msgspec.structs.replace(HALF, done=40, running=0)


async def test_it_is_read_by_the_file_of_results(tmp_path: Path) -> None:
    reporter = ProgressReporter(FolderStore(tmp_path / "r.jsonl.states"), stays=False)

    await reporter.report(HALF)

    found = read_progress(str(tmp_path / "r.jsonl"))
    assert (found.progress, found.pid, found.is_over) == (HALF, os.getpid(), False)
    assert found == read_progress(str(tmp_path / "r.jsonl.states"))


async def test_a_storage_tells_the_end_and_a_folder_beside_results_does_not(tmp_path: Path) -> None:
    for place, stays in (("memory://watched", True), (str(tmp_path), False)):
        reporter = ProgressReporter(store_at(place), stays=stays)
        await reporter.report(HALF)

        await reporter.end(ALL)

        assert read_progress(place).is_over == stays


async def test_a_batch_that_was_stopped_tells_so(tmp_path: Path) -> None:
    reporter = ProgressReporter(FolderStore(tmp_path), stays=False)
    await reporter.report(HALF)

    await reporter.end(msgspec.structs.replace(HALF, ended_by="cost"))

    assert read_progress(str(tmp_path)).progress.ended_by == "cost"
    assert read_progress(str(tmp_path)).is_over


async def test_a_batch_that_never_began_tells_nothing(tmp_path: Path) -> None:
    await ProgressReporter(FolderStore(tmp_path / "s"), stays=True).end(HALF)

    assert not (tmp_path / "s").exists()


def test_complete_results_are_how_far_it_is(tmp_path: Path) -> None:
    results = [JobResult(id=1, ok=True, tokens=5), JobResult(id=2, ok=False, error=TaskError("failed", "no"))]
    path = tmp_path / "r.jsonl"
    path.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in results))

    found = read_progress(str(path))

    assert (found.progress.total, found.progress.failed, found.progress.tokens, found.is_over) == (2, 1, 5, True)


@pytest.mark.parametrize(
    ("found", "told"),
    [({}, "No batch has told"), ({"": "no"}, "this is no result"), ({"": "", ".journal": ""}, "that one knows")],
    ids=["nothing", "another file", "a batch that told nothing"],
)
def test_where_no_batch_is_that_is_said(tmp_path: Path, found: dict[str, str], told: str) -> None:
    for name, content in found.items():
        (tmp_path / f"r.jsonl{name}").write_text(f"{content}\n" if content else "")

    with pytest.raises(SetupError, match=told):
        read_progress(str(tmp_path / "r.jsonl"))


def test_a_line_tells_how_fast_it_is_without_what_earlier_processes_did() -> None:
    report = ReportedProgress(HALF, "host", 7, 0.0)

    assert watch_line(report, silent_s=2) == "30/40, 2 failed, 4 at once, 20 a minute, 1,200 tokens, 30 s left"


def test_a_line_tells_of_a_batch_that_is_silent_or_over() -> None:
    silent = ReportedProgress(HALF, "host", 7, time.time())
    stopped = ReportedProgress(msgspec.structs.replace(HALF, ended_by="stopped"), "host", 7, 0.0, is_over=True)

    assert watch_line(silent, silent_s=60).endswith(": is process 7 of host there?")
    assert watch_line(stopped, silent_s=60) == (
        "28 of 40 done, 2 failed; 1,200 tokens, 60.0 s. 10 have no result, since it was stopped."
    )
