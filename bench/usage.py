"""What processes take of the machine: memory and CPU time of one and of all below it, out of /proc."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

_LOOKS_EVERY_S = 0.25


def tree_of(*roots: int) -> list[int]:
    """These processes and all below them."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it ended
            parents.setdefault(int(stat.read_text().rpartition(")")[2].split()[1]), []).append(int(stat.parent.name))
    found = list(roots)
    for pid in found:
        found += parents.get(pid, [])
    return found


def memory_mb(pids: Iterable[int]) -> float:
    """Of what several processes share, each has its part (PSS)."""
    kb = 0
    for pid in pids:
        with suppress(OSError):
            rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
            kb += next((int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")), 0)
    return round(kb / 1024, 1)


def is_chrome(pid: int) -> bool:
    """Whether it is one of Chrome's processes."""
    with suppress(OSError):
        return "chrom" in os.readlink(f"/proc/{pid}/exe").rpartition("/")[2]
    return False


class Usage(threading.Thread):
    """Looks at processes and all below them until `end`; what they had taken before is not counted.

    What a process does after the last look is not counted, either.
    """

    def __init__(self, *roots: int) -> None:
        super().__init__(daemon=True)
        self.most_mb = 0.0
        self._roots = roots
        self._before = self._ticks_now()
        self._ticks: dict[int, int] = {}
        self._over = threading.Event()
        self.start()

    @property
    def cpu_s(self) -> float:
        ticks = sum(now - self._before.get(pid, 0) for pid, now in self._ticks.items())
        return ticks / os.sysconf("SC_CLK_TCK")

    def run(self) -> None:
        while not self._over.wait(_LOOKS_EVERY_S):
            self.most_mb = max(self.most_mb, memory_mb(tree_of(*self._roots)))
            self._ticks |= self._ticks_now()

    def end(self) -> None:
        self._over.set()
        self.join()
        self._ticks |= self._ticks_now()

    def _ticks_now(self) -> dict[int, int]:
        ticks = {}
        for pid in tree_of(*self._roots):
            with suppress(OSError, IndexError):  # it ended
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                ticks[pid] = int(fields[11]) + int(fields[12])
        return ticks


def peak_mb(pids: Sequence[int]) -> float:
    """The highest resident size so far, summed over these processes."""
    kb = 0
    for pid in pids:
        with suppress(OSError):
            status = Path(f"/proc/{pid}/status").read_text()
            kb += next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")), 0)
    return kb / 1024
