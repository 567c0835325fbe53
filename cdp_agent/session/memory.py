"""For long-running processes: makes malloc give free memory back to the system."""

from __future__ import annotations

import ctypes
import sys

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""Parameters of mallopt(3), from malloc.h of the GNU C library."""
_SETTINGS = {_MMAP_THRESHOLD: 64 * 1024, _TRIM_THRESHOLD: 128 * 1024, _ARENA_MAX: 1}


def give_memory_back() -> None:
    """Makes malloc give free memory back to the system: large blocks at once, instead of growing a fragmented heap.

    The GNU C library raises its mmap threshold with each large block that is freed, up to 32 MB. The texts of pages
    come and go by the hundred kilobytes, so that its heap grew without anything in it.
    """
    if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "mallopt"):  # not in musl
        for setting, value in _SETTINGS.items():
            libc.mallopt(setting, value)
