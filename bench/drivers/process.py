"""The bench's side: a driver as an object, with what its processes cost."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.cache import python_in, python_packages

ROOT = Path(__file__).parent.parent.parent
PLAYWRIGHT = "playwright==1.65.2"


def ours() -> list[str]:
    return [sys.executable, "-m", "bench.drivers.ours"]


def playwright() -> list[str]:
    return [str(python_in(python_packages(PLAYWRIGHT))), "-m", "bench.drivers.playwright"]


class DriverFailed(Exception):
    """The library under measurement raised; the message is the last of what it said."""


class DriverProcess:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin  # all three are pipes
        assert process.stdout
        assert process.stderr
        self._pid = process.pid
        self._input, self._output, self._errors = process.stdin, process.stdout, process.stderr

    def do(self, what: str, **arguments: object) -> Any:
        self._input.write(json.dumps({"do": what, **arguments}) + "\n")
        self._input.flush()
        line = self._output.readline()
        if not line:
            raise DriverFailed(self._errors.read().strip().rpartition("\n")[2])
        return json.loads(line)

    def close(self) -> None:
        self._input.close()

    def peak_memory_mb(self) -> float:
        """The highest resident size so far, summed over the driver and the processes that it started."""
        return sum(_peak_kb(pid) for pid in _family(self._pid)) / 1024


@contextmanager
def driving(command: Sequence[str], endpoint: str) -> Iterator[DriverProcess]:
    """A driver that is connected to this Chrome."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        driver = DriverProcess(process)
        driver.do("connect", endpoint=endpoint)
        try:
            yield driver
        finally:
            driver.close()
            process.wait(20)


def _family(pid: int) -> Iterator[int]:
    yield pid
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        yield from _family(int(child))


def _peak_kb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")), 0)
