"""A program in the place of Chrome that does not do as Chrome does: told as what it is, and nothing is left of it."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cdp_agent.browser import Browser
from cdp_agent.errors import BrowserError
from tests.test_supervisor import remains

_ANSWERING = """import json, os, sys
rest = b""
while data := os.read(3, 65536):
    *whole, rest = (rest + data).split(b"\\0")
    for each in map(json.loads, whole):
        os.write(4, json.dumps({"id": each["id"], ANSWER}).encode() + b"\\0")
"""
REFUSING = _ANSWERING.replace("ANSWER", '"error": {"code": -32601, "message": "no such method"}')
ELSEWHERE = _ANSWERING.replace('each["id"]', 'each["id"] + 1000').replace("ANSWER", '"result": {}')
TIMEOUT_S = 1.5
"""Of those that are told by the deadline; the others take less than a second, under load much longer."""
UNDER_LOAD_S = 30.0
WITHIN_S = 2 * UNDER_LOAD_S

ROWS = {
    "ends at once": ("exit 3", "ended at once: exit status 3"),
    "has too few files": (
        "echo 'Too many open files (24)' >&2; exit 5",
        r"What to do: raise the limit on open files, as `ulimit -n 4096`",
    ),
    "is killed": ("kill -9 $$", "ended at once: killed by signal 9"),
    "says nothing": ("exec sleep 600", r"did not answer within 1\.5 s"),
    "babbles": ("printf 'garbage\\0{\\0\\377\\0' >&4; exec sleep 600", r"did not answer within 1\.5 s"),
    "closes its pipe": ("exec 4>&-; exec sleep 600", "cannot be talked to, Chrome is gone: it closed its pipe"),
    "stops reading": (
        "exec 3<&-; exec sleep 600",
        "cannot be talked to, Chrome is gone: it no longer reads from its pipe",
    ),
    "leaves a child": ('(exec -a "$0-child" sleep 600) & exit 0', "ended at once: exit status 0"),
    "will not end": ("trap '' TERM HUP INT; while :; do sleep 600; done", r"did not answer within 1\.5 s"),
    "refuses all": (f"exec python3 -IS -c '{REFUSING}'", r"cannot be talked to, Browser\.getVersion: no such method"),
    "answers others": (f"exec python3 -IS -c '{ELSEWHERE}'", r"did not answer within 1\.5 s"),
}


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where temporary files go."""
    with tempfile.TemporaryDirectory(prefix="t-") as name:
        monkeypatch.setenv("TMPDIR", name)
        yield Path(name)


@pytest.mark.skipif(not os.path.exists("/bin/bash"), reason="the programs are for bash")
@pytest.mark.parametrize("fault", ROWS)
async def test_a_program_that_is_no_chrome_is_told_and_ended(
    folder: Path, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    script, told = ROWS[fault]
    if "Chrome is gone" in told:  # it lives on: how it ended is waited for in vain
        monkeypatch.setattr("cdp_agent.browser.launch.launcher._EXPLANATION_S", 0.5)
    program = folder / "chrome"
    program.write_text(f"#!/bin/bash\n{script}\n")
    program.chmod(0o755)
    timeout_s = TIMEOUT_S if "did not answer" in told else UNDER_LOAD_S
    before = asyncio.all_tasks(), len(os.listdir("/proc/self/fd"))

    for _ in range(2):
        with pytest.raises(BrowserError, match=told):
            async with asyncio.timeout(WITHIN_S):
                await Browser.launch(executable=str(program), timeout_s=timeout_s)

    until = time.monotonic() + WITHIN_S
    while remains(folder) != ["chrome"] or len(os.listdir("/proc/self/fd")) > before[1]:
        assert time.monotonic() < until, (remains(folder), len(os.listdir("/proc/self/fd")), before[1])
        await asyncio.sleep(0.02)
    assert asyncio.all_tasks() <= before[0]
