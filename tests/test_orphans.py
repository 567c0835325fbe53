"""A run of the tests that is killed leaves no process."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.test_supervisor import folder, nothing_remains, remains  # noqa: F401 (a fixture)

pytestmark = pytest.mark.chrome

BASE = "base"
COMPILED = "__pycache__"
ROOT = Path(__file__).parent.parent
STAYING = """
import signal, subprocess, sys

def test_that_does_not_end(detached):
    print(detached.pid, file=open(%r, "w"), flush=True)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # what xdist ends its workers' tests with
    subprocess.run([sys.executable, "-c", "import time; time.sleep(600)", %r])
"""


def test_a_killed_run_leaves_neither_workers_nor_chromes(folder: Path) -> None:  # noqa: F811
    """A worker of xdist is to the run's main process what a Chrome is: one that it started, with its mark."""
    up = folder / "up"
    test = folder / "test_staying.py"
    test.write_text(STAYING % (str(up), str(folder)))
    command = [sys.executable, "-m", "pytest", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT)]
    options = [
        "-p",
        "tests.conftest",
        "-p",
        "no:cacheprovider",
        "--numprocesses=1",
        f"--basetemp={folder / BASE}",
    ]
    with subprocess.Popen([*command, *options, str(test)], cwd=ROOT, stdout=subprocess.DEVNULL) as run:
        while not (up.exists() and up.read_text()):
            assert run.poll() is None, "it ended before it was killed"
            time.sleep(0.05)
        run.kill()

    assert asyncio.run(nothing_remains(folder, but=[up.name, test.name, BASE, COMPILED])), remains(folder)
