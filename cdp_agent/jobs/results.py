"""The results of tasks: one line each, written once, and on the disk before anything else is done."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any, Protocol

import msgspec

from cdp_agent.errors import SetupError
from cdp_agent.outcome import TaskError


class JobResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a task. `error` is None exactly when `ok` is true.

    `answer` is that of the run: Markdown, data that matches the task's `answer`, or the output of the last step.
    `seconds`, `tokens` (input and output) and `cost` (US dollars, None if not all of it is known) are those of all
    `attempts`. The error's code is "interrupted" if it is not known how much was done; the task was not retried.
    """

    id: str | int
    ok: bool
    answer: Any = None
    error: TaskError | None = None
    attempts: int = 1
    seconds: float = 0.0
    tokens: int = 0
    cost: float | None = None


class ResultSink(Protocol):
    """Where results go."""

    def add(self, result: JobResult) -> None:
        """Writes a result, which is stored when this returns. Raises SetupError."""


class ResultsFile:
    """A file of results. What an earlier process wrote stays, except an incomplete last line, which is removed."""

    def __init__(self, path: Path) -> None:
        """Raises SetupError for a file that cannot be written, or contains anything but results."""
        self.path = path
        try:
            self._file: IO[bytes] = open(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")  # noqa: SIM115  # see close
        except OSError as error:
            raise SetupError(f"{path} cannot be written: {error.strerror}.") from error
        try:
            self.found = self._read()
        except BaseException:
            self._file.close()
            raise

    def _read(self) -> list[JobResult]:
        content = self._file.read()
        results = results_in(content, self.path)
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            self._file.truncate(whole)
            os.fsync(self._file.fileno())
        self._file.seek(whole)
        return results

    def add(self, result: JobResult) -> None:
        """See `ResultSink`."""
        append_line(self._file, self.path, result)

    def close(self) -> None:
        self._file.close()


def append_line(file: IO[bytes], path: Path, line: msgspec.Struct) -> None:
    """Appends a line of JSON to the file at that path; it is on the disk when this returns. Raises SetupError."""
    try:
        file.write(msgspec.json.encode(line) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    except OSError as error:
        raise SetupError(f"{path} cannot be written: {error.strerror}.") from error


class ResultsStream:
    """Results to a pipe or a terminal; such a batch cannot be resumed."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def add(self, result: JobResult) -> None:
        """See `ResultSink`. Raises OSError when nobody reads any more."""
        self._stream.write(msgspec.json.encode(result).decode() + "\n")
        self._stream.flush()


def results_in(content: bytes, path: Path) -> list[JobResult]:
    """The results in a file's content, without an incomplete last line. Raises SetupError for any other content."""
    results = []
    for number, line in enumerate(content[: content.rfind(b"\n") + 1].splitlines(), 1):
        try:
            results.append(msgspec.json.decode(line, type=JobResult))
        except msgspec.MsgspecError as error:
            raise SetupError(f"{path}, line {number}: this is no result ({error}).") from error
    return results


def totals(results: Iterable[JobResult]) -> tuple[int, float | None]:
    """The sum of the results' tokens, and of their costs as far as these are known."""
    each = list(results)
    costs = [one.cost for one in each if one.cost is not None]
    return sum(one.tokens for one in each), sum(costs) if costs else None
