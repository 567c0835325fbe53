"""How many tasks this machine can run at once: judged by its cores and memory at first, then by measurement."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

_FIRST_MB_EACH = 400.0
"""The memory that a task is assumed to need before any has been measured: `python -m bench.batch`."""
_MOST_PER_CORE = 4
_SPARE_MB = 512.0
_SPARE_SHARE = 0.1
"""The share of all memory that is left to other programs, at least `_SPARE_MB`."""
_IDLE_ENOUGH, _TOO_BUSY = 0.25, 0.04
_CGROUP = Path("/sys/fs/cgroup")


class Measured(msgspec.Struct, frozen=True):
    """The machine at one moment: its available and total memory in MB, and the idle seconds of all its cores so far.

    `idle_s` is None where the system does not report it.
    """

    available_mb: float
    total_mb: float
    idle_s: float | None
    at_s: float


class Concurrency:
    """How many tasks may run at once; `adapt` raises and lowers the number."""

    def __init__(self, fixed: int | None, cores: int, first: Measured) -> None:
        self._fixed = fixed
        self._cores = cores
        self._first = first
        self._last = first
        self.now = fixed or max(1, min(cores, int((first.available_mb - _spare_mb(first)) / _FIRST_MB_EACH)))

    def adapt(self, measured: Measured, tasks: int) -> int:
        """Adapts the number to a measurement made while `tasks` run, and returns how many may run from now on."""
        last, self._last = self._last, measured
        if self._fixed is not None:
            return self.now
        room_mb = measured.available_mb - _spare_mb(measured)
        each_mb = max(50.0, (self._first.available_mb - measured.available_mb) / tasks) if tasks else _FIRST_MB_EACH
        idle = _idle_share(last, measured)
        if room_mb < 0:
            self.now = max(1, min(self.now, tasks) - 1)
        elif idle is not None and idle < _TOO_BUSY:
            self.now = max(self.now - 1, min(self.now, self._cores))
        elif tasks >= self.now and room_mb > 2 * each_mb and (idle is None or idle > _IDLE_ENOUGH):
            self.now = min(self.now + 1, self._cores * _MOST_PER_CORE)
        return self.now


def cores() -> int:
    """The number of cores that this process may use, by its affinity and the quota of its cgroup."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota, _, period = (_read(_CGROUP / "cpu.max") or "max").partition(" ")
    return available if quota == "max" else max(1, min(available, round(int(quota) / int(period or 100_000))))


def measure(at_s: float) -> Measured:
    """Measures the machine, or the part of it that this container has; `at_s` is the time now."""
    meminfo = dict(line.split(":", 1) for line in (_read(Path("/proc/meminfo")) or "").splitlines())
    if not meminfo:  # not Linux: half of the memory, as a guess
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**20 if hasattr(os, "sysconf") else 4096.0
        return Measured(total / 2, total, None, at_s)
    total, available = (int(meminfo[name].split()[0]) / 1024 for name in ("MemTotal", "MemAvailable"))
    limit = _read(_CGROUP / "memory.max")
    if limit not in (None, "max"):
        most = int(limit) / 2**20
        total, available = min(total, most), min(available, most - int(_read(_CGROUP / "memory.current") or 0) / 2**20)
    stat = (_read(Path("/proc/stat")) or "").split()
    return Measured(available, total, (int(stat[4]) + int(stat[5])) / os.sysconf("SC_CLK_TCK"), at_s)


def memory_of(pid: int) -> float | None:
    """The memory that a process uses, in MB; None where the system does not report it."""
    text = _read(Path(f"/proc/{pid}/statm"))
    return None if not text else int(text.split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def _spare_mb(measured: Measured) -> float:
    return max(_SPARE_MB, measured.total_mb * _SPARE_SHARE)


def _idle_share(before: Measured, now: Measured) -> float | None:
    """The share of the time of all cores that was idle between two measurements."""
    if before.idle_s is None or now.idle_s is None or now.at_s <= before.at_s:
        return None
    return max(0.0, (now.idle_s - before.idle_s) / ((now.at_s - before.at_s) * (os.cpu_count() or 1)))


def _read(path: Path) -> str | None:
    try:
        return path.read_text().strip()
    except OSError:
        return None
