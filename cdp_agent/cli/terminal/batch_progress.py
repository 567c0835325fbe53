"""What a person sees of a batch: a bar on a terminal, where rich is installed; else a line for each task."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from cdp_agent.cli.terminal.text import one_line
from cdp_agent.jobs.results import JobResult
from cdp_agent.jobs.running import JobProgress

Shown = Callable[[JobResult, JobProgress], None]
_LONGEST = 160


@contextmanager
def shown_progress(stream: TextIO, *, quiet: bool) -> Iterator[Shown]:
    """Is called with each result, and how far the batch is."""
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
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        *(BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}")),
        *(TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        bar = progress.add_task("", total=None)

        def shown(result: JobResult, told: JobProgress) -> None:
            if not result.ok:
                progress.console.print(_line(result, told), style="red", markup=False, highlight=False)
            progress.update(bar, total=told.total, completed=told.done, description=_facts(told))

        yield shown


def _line(result: JobResult, told: JobProgress) -> str:
    """A result in a line."""
    tried = f", {result.attempts} attempts" if result.attempts > 1 else ""
    tokens = f", {result.tokens:,} tokens" if result.tokens else ""
    line = f"{told.done}/{told.total}  {one_line(str(result.id))}  "
    if result.error is None:
        return f"{line}done, {result.seconds:.1f} s{tokens}{tried}"
    return f"{line}✗ {one_line(result.error.message)}"[:_LONGEST] + f"  ({result.error.code}{tried})"


def _facts(told: JobProgress) -> str:
    rate = 60 * told.done / told.seconds if told.seconds else 0.0
    failed = f"{told.failed} failed, " if told.failed else ""
    cost = f", ${told.cost:.2f}" if told.cost else ""
    tokens = f", {told.tokens:,} tokens" if told.tokens else ""
    return f"{failed}{told.running} at once, {rate:.0f} a minute{tokens}{cost}"
