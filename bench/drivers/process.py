"""The bench's side: a driver as an object, with what its processes cost."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from typing import IO, Any

from bench.usage import peak_mb, tree_of

ROOT = Path(__file__).parent.parent.parent
COMPILED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""The environment of what is measured: a package that pip installed is compiled, and so is this one at its first start.

Without, importing ours took 150 ms in the place of 90.
"""
PLAYWRIGHT = "playwright==1.65.2"
PATIENCE_S = 60.0
"""A driver that has not answered after this time is ended, unless its `patience_s` is another."""
_LAST_WORDS = 300
_EXCEPTION = re.compile(r"^[A-Za-z_][\w.]*: .*", re.MULTILINE)


class DriverFailed(Exception):
    """The library under measurement raised; the message is the last of what it said."""


class Lacks(DriverFailed):
    """The library under measurement has no such thing."""


class DriverProcess:
    def __init__(self, process: subprocess.Popen[str], said: IO[bytes]) -> None:
        assert process.stdin  # both are pipes
        assert process.stdout
        self.pid = process.pid
        self.patience_s = PATIENCE_S
        self._process = process
        self._input, self._output, self._said = process.stdin, process.stdout, said

    def do(self, what: str, **arguments: object) -> Any:
        """The driver's answer. Raises DriverFailed when it ended instead, Lacks when it does not know how."""
        late = Timer(self.patience_s, self._process.kill)
        late.start()
        began = time.monotonic()
        try:
            self._input.write(json.dumps({"do": what, **arguments}) + "\n")
            self._input.flush()
            line = self._output.readline()
        except BrokenPipeError:
            line = ""
        finally:
            late.cancel()
        if not line:
            gave_up = time.monotonic() - began >= self.patience_s
            raise DriverFailed(
                f"{what}: {f'no answer within {self.patience_s:g} s' if gave_up else self._last_words()}"
            )
        answer = json.loads(line)
        if answer == {"lacks": True}:
            raise Lacks(f"it has no {what}")
        return answer

    def in_a_row(self, what: str, times: int, within_s: float, **arguments: object) -> list[dict[str, float]]:
        """The numbers of each answer to calls without a pause between: `times`, or fewer when this time is up.

        The text of a snapshot does not come here, since reading it would be such a pause. Raises as do().
        """
        return list(self.do(what, row={"times": times, "within_s": within_s}, **arguments))

    def close(self) -> None:
        self._input.close()

    def peak_memory_mb(self) -> float:
        """The highest resident size so far, summed over the processes under measurement and all that they started."""
        try:
            pids = self.do("processes")["pids"]
        except Lacks:
            pids = [self.pid]
        return peak_mb(tree_of(*pids))

    def _last_words(self) -> str:
        self._said.seek(0)
        said = self._said.read().decode(errors="replace").strip()
        # What an exception says may take many lines: the first of them counts.
        exceptions = _EXCEPTION.findall(said)
        last = exceptions[-1] if exceptions else said.rpartition("\n")[2]
        return last[:_LAST_WORDS] or "it ended without a word"


@contextmanager
def driving(command: Sequence[str], endpoint: str) -> Iterator[DriverProcess]:
    """A driver that is connected to this Chrome."""
    with starting(command) as driver:
        driver.do("connect", endpoint=endpoint)
        yield driver


@contextmanager
def starting(command: Sequence[str]) -> Iterator[DriverProcess]:
    """A driver that is not connected yet."""
    pipe = subprocess.PIPE
    with (
        TemporaryFile() as said,
        subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=said, text=True, env=COMPILED) as process,
    ):
        driver = DriverProcess(process, said)
        try:
            yield driver
        finally:
            with contextlib.suppress(BrokenPipeError):
                driver.close()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
