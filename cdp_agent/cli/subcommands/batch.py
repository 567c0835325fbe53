"""`cdp-agent batch TASKS.jsonl -o RESULTS.jsonl`: many tasks, several at once. Even a killed batch can be resumed.

`--watch RESULTS|STORAGE` shows the progress of a batch that runs elsewhere, until it is over.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from cdp_agent.cli.argument_parser import Parser
from cdp_agent.cli.caller import CommandCaller, Streams
from cdp_agent.cli.flags import FOR_DEBUGGING, FOR_OUTPUT, SETTINGS, add_settings, loaded
from cdp_agent.cli.status import DONE, INTERRUPTED, REFUSED, WRONG_CALL
from cdp_agent.cli.terminal.batch_progress import facts, how_it_ended, shown_progress
from cdp_agent.cli.terminal.log import logged
from cdp_agent.config import Config
from cdp_agent.config.sources import Loaded
from cdp_agent.errors import BadLines, SetupError
from cdp_agent.jobs.places import HERE
from cdp_agent.jobs.progress import REPORTED_EVERY_S, JobProgress, ReportedProgress, read_progress
from cdp_agent.jobs.results import ResultsStream
from cdp_agent.jobs.running import JobRun, run
from cdp_agent.jobs.tasks import Job, JobOptions, read_jobs
from cdp_agent.session.memory import give_memory_back

_STDIO = "-"
_SILENT_AFTER_S = 15.0
_EXCLUDED_SETTINGS = {
    *("url", "data", "answer_schema", "checkpoint", "tab", "save_storage_state", "approve", "profile", "idle"),
    *("max_cost", "max_seconds"),
    *(FOR_OUTPUT - FOR_DEBUGGING - {"quiet"}),
    *(setting.name for setting in SETTINGS.values() if setting.group == "The server"),
}


def carry_out_batch(words: Sequence[str]) -> int:
    """Carries out the tasks, or shows the progress of a batch; returns the exit status. Raises CdpAgentError."""
    args, settings = _read(words)
    if args.watch is not None:
        return watch_batch(args.watch)
    config = settings.config
    options = JobOptions(
        concurrency="auto" if config.concurrency == "auto" else int(config.concurrency),
        retries=config.retries,
        per_origin=config.per_origin,
        delay_s=config.delay,
        robots=config.robots,
        max_tokens=args.max_tokens,
        max_cost=args.max_cost,
        max_seconds=args.max_seconds,
        ordered=args.ordered,
    )
    try:
        jobs = read_jobs(
            _content(args.tasks),
            args.tasks,
            has_model=config.model is not None or config.planner is not None,
            has_executor=config.executor is not None,
        )
    except BadLines as wrong:
        print("\n".join(["cdp-agent: Nothing was begun.", *wrong.problems]), file=sys.stderr)
        return WRONG_CALL
    if args.output == _STDIO and args.resume:
        raise SetupError("Results at the standard output cannot be gone on with: give -o FILE.")
    results = ResultsStream(sys.stdout) if args.output == _STDIO else Path(os.path.expanduser(args.output))
    with logged(config, Streams()):
        give_memory_back()
        return asyncio.run(_followed(jobs, config, options, results, args))


def _read(words: Sequence[str]) -> tuple[argparse.Namespace, Loaded[Config]]:
    parser = Parser("batch", "Carry out many tasks, each a line of JSON.", "%(prog)s TASKS [options]", more="tasks")
    parser.add_argument(
        "tasks", metavar="TASKS", nargs="?", help='a line: {"id", "task" or "steps", "url", "data"}, or -'
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="results, or -")
    parser.add_argument("--resume", action="store_true", help="continue with FILE")
    parser.add_argument("--ordered", action="store_true", help="results in TASKS order")
    parser.add_argument("--max-tokens", type=_natural, metavar="N", help="in total")
    parser.add_argument("--max-cost", type=_amount, metavar="USD", help="in total")
    parser.add_argument("--max-seconds", type=_amount, metavar="X", help="in total")
    parser.add_argument("--ray", metavar="auto|ADDRESS", help="on a Ray cluster")
    parser.add_argument("--storage", metavar="URL", help="storage its nodes can reach")
    parser.add_argument("--watch", metavar="FILE|URL", help="show a batch's progress")
    add_settings(parser, SETTINGS.keys() - _EXCLUDED_SETTINGS, shown=())
    args = parser.read(words)
    if args.watch is not None and (args.tasks is not None or args.output is not None):
        parser.error("--watch only tells how far a batch is: give it alone")
    if args.watch is None and (args.tasks is None or args.output is None):
        parser.error("a batch is of TASKS, and has -o FILE")
    return args, loaded(args, CommandCaller.here())


async def _followed(
    jobs: list[Job], config: Config, options: JobOptions, results: Path | ResultsStream, args: argparse.Namespace
) -> int:
    batch = run(
        jobs,
        where=args.ray or HERE,
        config=config,
        options=options,
        results=results,
        resume=args.resume,
        storage=args.storage,
    )
    interrupted = _on_interrupts(batch)
    with shown_progress(sys.stderr, quiet=config.quiet) as shown:
        async for result in batch:
            shown(result, batch.progress)
    progress = batch.progress
    if not config.quiet:
        print(_summary(progress, args), file=sys.stderr)
    if interrupted:
        return INTERRUPTED
    return DONE if progress.done == progress.total and not progress.failed else REFUSED


def _on_interrupts(batch: JobRun) -> list[int]:
    """Makes the first Ctrl-C stop gracefully, a second one or SIGTERM at once. Returns the list of received signals."""
    received: list[int] = []

    def interrupt(number: int) -> None:
        received.append(number)
        if len(received) > 1 or number == signal.SIGTERM:
            batch.stop_at_once()
            return
        batch.stop()
        print("What is under way comes to its end; once more ends it at once.", file=sys.stderr)

    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # on Windows; there Ctrl-C cancels
            asyncio.get_running_loop().add_signal_handler(number, interrupt, number)
    return received


def _summary(progress: JobProgress, args: argparse.Namespace) -> str:
    goes_on = progress.done < progress.total and args.output != _STDIO
    return how_it_ended(progress) + (" Go on with the same command and --resume." if goes_on else "")


def _content(named: str) -> bytes:
    if named == _STDIO:
        return sys.stdin.buffer.read()
    try:
        return Path(os.path.expanduser(named)).read_bytes()
    except OSError as error:
        raise SetupError(f"{named} cannot be read: {error.strerror}.") from error


def _natural(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of at least 1")
    return int(text)


def _amount(text: str) -> float:
    try:
        amount = float(text)
    except ValueError:
        amount = 0.0
    if not 0 < amount < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of more than 0")
    return amount


def watch_batch(place: str) -> int:
    """Prints a line whenever the progress has changed; returns the exit status of the batch. Raises SetupError."""
    report, last_line, heard_at = read_progress(place), "", time.monotonic()
    while True:
        line = watch_line(report, time.monotonic() - heard_at)
        if line != last_line:
            print(line, flush=True)
            last_line = line
        if report.is_over:
            return DONE if report.progress.done == report.progress.total and not report.progress.failed else REFUSED
        time.sleep(REPORTED_EVERY_S)
        before, report = report, _later(place)
        if report != before:
            heard_at = time.monotonic()


def _later(place: str) -> ReportedProgress:
    """The current report of a batch, even if the batch has just ended and cleared its storage."""
    try:
        return read_progress(place)
    except SetupError:
        time.sleep(REPORTED_EVERY_S)
        return read_progress(place)


def watch_line(report: ReportedProgress, silent_s: float) -> str:
    """One line about the progress of a batch, which has reported nothing else for `silent_s`, or how it ended."""
    progress = report.progress
    if report.is_over:
        return how_it_ended(progress)
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
