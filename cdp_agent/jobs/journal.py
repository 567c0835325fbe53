"""What a batch has begun and finished, so that another process can resume it after this one has died.

`RESULTS.journal` has a line for each attempt that begins, each one that ends without a result, and each result. A line
is on the disk before anything is done that depends on it. What an attempt writes about its progress is in `states.py`.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import IO

import msgspec

from cdp_agent.agent.state import checkpoint
from cdp_agent.errors import SetupError
from cdp_agent.jobs.results import JobResult, append_line
from cdp_agent.jobs.states import Acts, StateStore, acts_of
from cdp_agent.jobs.tasks import Job
from cdp_agent.jobs.working import spent_until
from cdp_agent.outcome import TaskError

INTERRUPTED = (
    "It was interrupted during an act that cannot be taken back, and was not tried again: {act}. Whether that was done "
    "is not known: look before you give the task once more."
)
_PARTLY = (
    "It was interrupted after {over} acts that cannot be taken back, and nothing is there to go on from, so that it "
    "was not tried again: look what was done before you give the task once more."
)


class Begun(msgspec.Struct, frozen=True, tag="begun", tag_field="what"):
    """An attempt was begun; `digest` is `Job.digest`, to notice whether the task with that id has changed since."""

    id: str | int
    digest: str


class Spent(msgspec.Struct, frozen=True, tag="spent", tag_field="what"):
    """An attempt ended without a result: whether it `failed`, and what it used.

    The amounts are zero where the next attempt goes on from its checkpoint, since that attempt counts them itself.
    """

    id: str | int
    failed: bool
    seconds: float = 0.0
    tokens: int = 0
    cost: float | None = None


class Finished(msgspec.Struct, frozen=True, tag="finished", tag_field="what"):
    """The task has its result, which may still have to be written."""

    result: JobResult


Entry = Begun | Spent | Finished


class Journal:
    """The journal at a path. Only one process at a time can have it open."""

    def __init__(self, path: Path) -> None:
        """Raises SetupError where another process has it open, or it cannot be read or written."""
        self.path = path
        try:
            self._file: IO[bytes] = open(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")  # noqa: SIM115  # see close
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise SetupError(f"Another batch writes to {path.with_suffix('')} just now.") from error
        except OSError as error:
            raise SetupError(f"{path} cannot be written: {error.strerror}.") from error
        content = self._file.read()
        whole = content.rfind(b"\n") + 1
        try:
            self.entries = [msgspec.json.decode(line, type=Entry) for line in content[:whole].splitlines()]
        except msgspec.MsgspecError as error:
            raise SetupError(f"{path} is no journal of a batch ({error}): move it away.") from error
        self._file.truncate(whole)  # half a line: the process or the machine died
        self._file.seek(whole)

    def add(self, entry: Entry) -> None:
        """Writes an entry, which is on the disk when this returns. Raises SetupError."""
        append_line(self._file, self.path, entry)

    def close(self) -> None:
        self._file.close()

    def remove(self) -> None:
        """Deletes the journal, since all tasks are done."""
        self.path.unlink(missing_ok=True)
        self.close()


class UnfinishedJob(msgspec.Struct, frozen=True):
    """A task that was begun and has no result: its number of attempts, and whether it goes on from its checkpoint.

    `error` is why it cannot be tried again, None if it can; `lost` is what its last attempt used, where the next one
    starts over.
    """

    attempts: int
    goes_on: bool = False
    error: TaskError | None = None
    lost: Spent | None = None


class BatchHistory:
    """What earlier processes have done of a batch, by task id.

    `written` are the results in the file, `finished` the results in the journal, `begun` the tasks that were under way.
    `attempts` and `spent` continue to be updated by the present process.
    """

    def __init__(self) -> None:
        self.written: dict[str | int, JobResult] = {}
        self.finished: dict[str | int, JobResult] = {}
        self.begun: dict[str | int, UnfinishedJob] = {}
        self.attempts: dict[str | int, int] = {}
        self.spent: dict[str | int, list[Spent]] = {}

    def of(self, job: str | int) -> list[Spent]:
        """What the finished attempts at the task used."""
        return self.spent.get(job, [])

    def failures(self, job: str | int) -> int:
        """How many attempts at the task failed."""
        return sum(each.failed for each in self.of(job))

    def unfinished(self, finished: Collection[str | int]) -> list[Spent]:
        """What was used by the finished attempts at tasks that are not in `finished`."""
        return [each for job, spent in self.spent.items() if job not in finished for each in spent]


def read_history(
    jobs: Sequence[Job], written: Sequence[JobResult], journal: Journal, store: StateStore
) -> BatchHistory:
    """The history of the tasks. Raises SetupError for results and journals of other tasks, and for unreadable ones."""
    history = BatchHistory()
    by_id = {job.id: job for job in jobs}
    for result in written:
        if result.id in history.written:
            raise SetupError(f"The results have two of the id {result.id!r}: this is no file of a batch.")
        history.written[result.id] = result
    if unknown_ids := [repr(each) for each in history.written if each not in by_id]:
        raise SetupError(
            f"The results have ids that no task has: {', '.join(unknown_ids[:5])}. Is it another batch's file?"
        )
    for entry in journal.entries:
        match entry:
            case Begun(id=job_id, digest=digest):
                if job_id not in by_id or by_id[job_id].digest != digest:
                    raise SetupError(
                        f"The task {job_id!r} was begun, and is another one now: give it as it was, or under a new id."
                    )
                history.attempts[job_id] = history.attempts.get(job_id, 0) + 1
            case Spent() as spent:
                history.spent.setdefault(spent.id, []).append(spent)
            case Finished(result=result):
                history.finished[result.id] = result
    for job_id, attempts in history.attempts.items():
        if job_id not in history.finished and job_id not in history.written:
            history.begun[job_id] = _unfinished(by_id[job_id], attempts, history, store)
    return history


class NextAttempt(msgspec.Struct, frozen=True):
    """How to go on with a task whose worker died; see `UnfinishedJob`."""

    acts: Acts
    goes_on: bool = False
    error: TaskError | None = None
    saved: bytes | None = None
    """Its checkpoint."""


def next_attempt(store: StateStore, job: Job) -> NextAttempt:
    """The next attempt, by the acts and the checkpoint that the dead worker stored.

    Raises SetupError when they cannot be read.
    """
    try:
        acts = acts_of(store, job.key)
        saved = store.read(f"{job.key}/{checkpoint.FILE}")
    except OSError as error:
        raise SetupError(f"What is known of the task {job.id!r} cannot be read: {error}.") from error
    if acts.under_way is not None:
        return NextAttempt(acts, error=TaskError("interrupted", INTERRUPTED.format(act=acts.under_way)))
    if acts.over and saved is None:
        return NextAttempt(acts, error=TaskError("interrupted", _PARTLY.format(over=acts.over)))
    # A model knows where it is, and was paid for; steps without an act start over, on the pages that they expect.
    goes_on = saved is not None and bool(acts.over or job.task is not None)
    return NextAttempt(acts, goes_on=goes_on, saved=saved)


def _unfinished(job: Job, attempts: int, history: BatchHistory, store: StateStore) -> UnfinishedJob:
    upcoming = next_attempt(store, job)
    lost = None
    if (
        upcoming.error is None
        and not upcoming.goes_on
        and upcoming.saved is not None
        and len(history.of(job.id)) < attempts
    ):
        lost = Spent(job.id, False, *spent_until(upcoming.saved))
    return UnfinishedJob(attempts, upcoming.goes_on, upcoming.error, lost)
