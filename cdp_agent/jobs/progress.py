"""The progress of a batch, for its own process, and for other terminals or machines.

A batch that can be resumed writes `progress.json` where it keeps the state of its tasks: next to its results, or in the
storage that the nodes of a cluster share.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import time
from pathlib import Path
from typing import Literal

import msgspec

from cdp_agent.errors import SetupError
from cdp_agent.jobs.results import results_in, totals
from cdp_agent.jobs.states import FolderStore, StateStore, store_at

_FILE = "progress.json"
REPORTED_EVERY_S = 2.0
EndedBy = Literal["stopped", "tokens", "cost", "seconds"]
_log = logging.getLogger(__name__)


class JobProgress(msgspec.Struct, frozen=True):
    """The progress of a batch. `tokens` and `cost` (US dollars, None where nothing is known) include tasks under way.

    `done` includes the tasks that earlier processes have done (`done_before`); `seconds` is the time of this process.
    `ended_by` is why no more tasks are begun, None while they still are.
    """

    total: int
    done: int
    failed: int
    running: int
    room: int
    attempts: int
    tokens: int
    cost: float | None
    seconds: float
    ended_by: EndedBy | None
    done_before: int = 0

    @property
    def per_minute(self) -> float:
        """How many tasks this process has done per minute."""
        return 60 * (self.done - self.done_before) / self.seconds if self.seconds else 0.0


class ReportedProgress(msgspec.Struct, frozen=True):
    """The last progress that a batch has reported, and when, in Unix seconds by the clock of its machine.

    `is_over`: its process has ended, or is about to.
    """

    progress: JobProgress
    host: str
    pid: int
    at_s: float
    is_over: bool = False


class ProgressReporter:
    """Writes the progress of a batch, at most every few seconds. When the storage fails, only the report is lost."""

    def __init__(self, store: StateStore, *, stays: bool) -> None:
        """`stays`: the report is kept when all tasks are done, since nothing else shows the progress then."""
        self._store = store
        self._stays = stays
        self._next_at: float | None = None

    async def report(self, progress: JobProgress) -> None:
        """Writes the progress, if the last report is old enough."""
        if self._next_at is None or time.monotonic() >= self._next_at:
            self._next_at = time.monotonic() + REPORTED_EVERY_S
            await self._write(progress, is_over=False)

    async def end(self, progress: JobProgress) -> None:
        """Writes the last report, if there was an earlier one. A completed batch gets none, unless `stays`."""
        if self._next_at is not None and (self._stays or progress.done < progress.total):
            await self._write(progress, is_over=True)

    async def _write(self, progress: JobProgress, *, is_over: bool) -> None:
        reported = ReportedProgress(progress, socket.gethostname(), os.getpid(), time.time(), is_over)
        try:
            await asyncio.to_thread(self._store.write, _FILE, msgspec.json.encode(reported))
        except OSError as error:  # nothing depends on it
            _log.debug("how far the batch is could not be written: %s", error)


def read_progress(place: str) -> ReportedProgress:
    """The progress of a batch, given the path of its results or the address of its storage.

    It is computed from the results if these are complete and nothing else of the batch is left. Raises SetupError if no
    batch has reported anything.
    """
    path = Path(os.path.expanduser(place))
    is_storage = "://" in place or path.is_dir()
    store = store_at(place) if is_storage else FolderStore(Path(f"{path}.states"))
    try:
        written = store.read(_FILE)
        if written is not None:
            return msgspec.json.decode(written, type=ReportedProgress)
        if not is_storage and path.exists() and not Path(f"{path}.journal").exists():
            return _of_results(path)
    except OSError as error:
        raise SetupError(f"{place} cannot be read: {error}.") from error
    except msgspec.MsgspecError as error:
        raise SetupError(f"{place} holds no progress of a batch: {error}.") from error
    where = "" if is_storage else " If it has a --storage, that one knows."
    raise SetupError(f"No batch has told how far it is at {place}.{where}")


def _of_results(path: Path) -> ReportedProgress:
    results = results_in(path.read_bytes(), path)
    tokens, cost = totals(results)
    progress = JobProgress(
        total=len(results),
        done=len(results),
        failed=sum(not each.ok for each in results),
        running=0,
        room=0,
        attempts=sum(each.attempts for each in results),
        tokens=tokens,
        cost=cost,
        seconds=0.0,
        ended_by=None,
        done_before=len(results),
    )
    return ReportedProgress(progress, socket.gethostname(), 0, path.stat().st_mtime, is_over=True)
