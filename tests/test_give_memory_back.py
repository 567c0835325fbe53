"""Processes that stay for long give memory back, also where a large block has come and gone."""

from __future__ import annotations

import subprocess
import sys

import pytest

_FRAGMENTS = """
import sys
from cdp_agent.session.memory import give_memory_back
if sys.argv[1] == "giving":
    give_memory_back()
def used() -> int:
    return int(open("/proc/self/statm").read().split()[1]) * 4096
before = used()
large = bytearray(16_000_000)  # with which glibc takes blocks up to this size from its heap
del large
texts, kept = [], []
for _ in range(200):
    texts.append(bytearray(400_000))
    kept.append(bytearray(2_000))  # which stays, and holds what is below it
del texts
print(used() - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it is about the GNU C library")
def test_texts_that_were_let_go_are_no_memory_of_the_process() -> None:
    def grown(how: str) -> int:
        done = subprocess.run([sys.executable, "-c", _FRAGMENTS, how], capture_output=True, text=True, check=True)
        return int(done.stdout)

    assert grown("keeping") > 40_000_000 > 4_000_000 > grown("giving")
