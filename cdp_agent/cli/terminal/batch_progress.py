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
        yield lambda result, told: None
    elif stream.isatty() and importlib.util.find_spec("rich") is not None:
        with _bar() as shown:
            yield shown
    else:
        yield lambda result, told: print(_line(result, told), file=stream, flush=True)


@contextmanager
def _bar() -> Iterator[Shown]:
    from rich.console import Console  # late: rich takes 60 ms, and may not be there
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
    with Progress(*columns, console=Console(stderr=True)) as progress:
        bar: TaskID | None = None

        def shown(result: JobResult, told: JobProgress) -> None:
            nonlocal bar
            if bar is None:  # what earlier processes did is no part of how fast this one is
                bar = progress.add_task("", total=told.total, completed=told.done_before)
            if not result.ok:
                progress.console.print(_line(result, told), style="red", markup=False, highlight=False)
            progress.update(bar, total=told.total, completed=told.done, description=facts(told))

        yield shown


def _line(result: JobResult, told: JobProgress) -> str:
    """A result in a line."""
    tried = f", {result.attempts} attempts" if result.attempts > 1 else ""
    tokens = f", {result.tokens:,} tokens" if result.tokens else ""
    line = f"{told.done}/{told.total}  {one_line(str(result.id))}  "
    if result.error is None:
        return f"{line}done, {result.seconds:.1f} s{tokens}{tried}"
    return f"{line}✗ {one_line(result.error.message)}"[:_LONGEST] + f"  ({result.error.code}{tried})"


def facts(told: JobProgress) -> str:
    """The running tasks, the speed, and the tokens and cost, in words."""
    failed = f"{told.failed} failed, " if told.failed else ""
    cost = f", ${told.cost:.2f}" if told.cost else ""
    tokens = f", {told.tokens:,} tokens" if told.tokens else ""
    return f"{failed}{told.running} at once, {told.per_minute:.0f} a minute{tokens}{cost}"


def how_it_ended(told: JobProgress) -> str:
    """The whole batch in a line, at its end."""
    cost = f", ${told.cost:.2f}" if told.cost else ""
    took = f", {told.seconds:.1f} s" if told.seconds else ""
    line = f"{told.done - told.failed} of {told.total} done, {told.failed} failed; {told.tokens:,} tokens{cost}{took}."
    if told.done == told.total:
        return line
    return f"{line} {told.total - told.done} have no result, since {_ENDED[told.ended_by or 'stopped']}."
