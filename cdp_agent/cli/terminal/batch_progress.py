"""Shows a batch to a person: a bar on a terminal, if rich is installed; else a line for each task."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from cdp_agent.cli.terminal.text import one_line
from cdp_agent.jobs.progress import JobProgress
from cdp_agent.jobs.results import JobResult

Shown = Callable[[JobResult, JobProgress], None]
_LONGEST = 160
_ENDED = {
    "tokens": "the tokens for all of them (--max-tokens) are used up",
    "cost": "the money for all of them (--max-cost) is used up",
    "seconds": "the time for all of them (--max-seconds) is up",
    "stopped": "it was stopped",
}


@contextmanager
def shown_progress(stream: TextIO, *, quiet: bool) -> Iterator[Shown]:
    """A function to be called with each result and the progress of the batch."""
    if quiet:
        yield lambda result, progress: None
    elif stream.isatty() and importlib.util.find_spec("rich") is not None:
        with _bar() as shown:
            yield shown
    else:
        yield lambda result, progress: print(_line(result, progress), file=stream, flush=True)


@contextmanager
def _bar() -> Iterator[Shown]:
    from rich.console import Console  # late: rich takes 60 ms, and may not be installed
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskID,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        *(BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}")),
        *(TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()),
    )
    with Progress(*columns, console=Console(stderr=True)) as bars:
        bar: TaskID | None = None

        def shown(result: JobResult, progress: JobProgress) -> None:
            nonlocal bar
            if bar is None:  # the speed does not include tasks of earlier processes
                bar = bars.add_task("", total=progress.total, completed=progress.done_before)
            if not result.ok:
                bars.console.print(_line(result, progress), style="red", markup=False, highlight=False)
            bars.update(bar, total=progress.total, completed=progress.done, description=facts(progress))

        yield shown


def _line(result: JobResult, progress: JobProgress) -> str:
    """One line about a result."""
    tried = f", {result.attempts} attempts" if result.attempts > 1 else ""
    tokens = f", {result.tokens:,} tokens" if result.tokens else ""
    line = f"{progress.done}/{progress.total}  {one_line(str(result.id))}  "
    if result.error is None:
        return f"{line}done, {result.seconds:.1f} s{tokens}{tried}"
    return f"{line}✗ {one_line(result.error.message)}"[:_LONGEST] + f"  ({result.error.code}{tried})"


def facts(progress: JobProgress) -> str:
    """The failures, the running tasks, the speed, and the tokens and cost, in words."""
    failed = f"{progress.failed} failed, " if progress.failed else ""
    cost = f", ${progress.cost:.2f}" if progress.cost else ""
    tokens = f", {progress.tokens:,} tokens" if progress.tokens else ""
    return f"{failed}{progress.running} at once, {progress.per_minute:.0f} a minute{tokens}{cost}"


def how_it_ended(progress: JobProgress) -> str:
    """One line about the whole batch, at its end."""
    cost = f", ${progress.cost:.2f}" if progress.cost else ""
    took = f", {progress.seconds:.1f} s" if progress.seconds else ""
    done = f"{progress.done - progress.failed} of {progress.total} done, {progress.failed} failed"
    line = f"{done}; {progress.tokens:,} tokens{cost}{took}."
    if progress.done == progress.total:
        return line
    return f"{line} {progress.total - progress.done} have no result, since {_ENDED[progress.ended_by or 'stopped']}."
