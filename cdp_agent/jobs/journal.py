"""What a batch has begun and finished, beside its results: what the next process needs to go on after this one died.

`RESULTS.journal` is a line for each task that was begun, each attempt that is over, and each result, on the disk before
anything follows from it. What an attempt itself writes down as it goes is in `states.py`.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import IO

import msgspec

from cdp_agent.errors import SetupError
from cdp_agent.jobs.results import JobResult


class Begun(msgspec.Struct, frozen=True, tag="begun", tag_field="what"):
    """A task was begun; `digest` tells whether it is still the same one."""

    id: str | int
    digest: str


class Spent(msgspec.Struct, frozen=True, tag="spent", tag_field="what"):
    """An attempt that gave no result is over: whether since it `failed`, and what it took.

    It is nothing where the next attempt goes on from there, and counts it itself.
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
    """The journal at a path. Only one process at a time has it."""

    def __init__(self, path: Path) -> None:
        """Raises SetupError where another process has it, or it cannot be read or written."""
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
        self._file.truncate(whole)  # half a line: its process died, or the machine did
        self._file.seek(whole)

    def add(self, entry: Entry) -> None:
        """Writes an entry; when this returns it is kept. Raises SetupError."""
        try:
            self._file.write(msgspec.json.encode(entry) + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise SetupError(f"{self.path} cannot be written: {error.strerror}.") from error

    def close(self) -> None:
        self._file.close()

    def remove(self) -> None:
        """All is done, and nothing is left to go on with."""
        self.path.unlink(missing_ok=True)
        self.close()
