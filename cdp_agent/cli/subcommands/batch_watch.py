"""`cdp-agent batch --watch RESULTS|STORAGE`: how far a batch is that runs elsewhere, until it is over."""

from __future__ import annotations

import time

from cdp_agent.cli.status import DONE, REFUSED
from cdp_agent.cli.terminal.batch_progress import facts, how_it_ended
from cdp_agent.errors import SetupError
from cdp_agent.jobs.progress import REPORTED_EVERY_S, JobProgress, ReportedProgress, read_progress

_SILENT_AFTER_S = 15.0


def watch_batch(place: str) -> int:
    """Prints a line whenever something has changed; the exit status is that of the batch. Raises SetupError."""
    report, told = read_progress(place), ""
    while True:
        line = watch_line(report)
        if line != told:
            print(line, flush=True)
            told = line
        if report.is_over:
            return DONE if report.progress.done == report.progress.total and not report.progress.failed else REFUSED
        time.sleep(REPORTED_EVERY_S)
        report = _later(place)


def _later(place: str) -> ReportedProgress:
    """What it tells now: after it has ended and cleared its storage, it tells there that it has ended."""
    try:
        return read_progress(place)
    except SetupError:
        time.sleep(REPORTED_EVERY_S)
        return read_progress(place)


def watch_line(report: ReportedProgress) -> str:
    """How far it is, or how it ended."""
    progress = report.progress
    if report.is_over:
        return how_it_ended(progress)
    silent_s = time.time() - report.at_s
    if silent_s > _SILENT_AFTER_S:
        since = time.strftime("%H:%M:%S", time.localtime(report.at_s))
        silent = f"nothing was heard of it since {since}: is process {report.pid} of {report.host} there?"
        return f"{_counts(progress)}, {silent}"
    return f"{_counts(progress)}, {facts(progress)}{_left(progress)}"


def _counts(progress: JobProgress) -> str:
    return f"{progress.done}/{progress.total}"


def _left(progress: JobProgress) -> str:
    if progress.done == progress.done_before:
        return ""
    minutes = (progress.total - progress.done) / progress.per_minute
    return f", {minutes:.0f} minutes left" if minutes >= 2 else f", {60 * minutes:.0f} s left"
