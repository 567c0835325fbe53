"""Nothing that a run of the tests started outlives it, not even where pytest is killed.

A process of its own waits for the end of the run's main process, which the kernel tells by a pipe, and then ends every
process that has the run's mark in its environment: workers of xdist, which would finish their tests first, and Chromes
that were started to stay.

    python -I -S orphans.py MARK PARENT_PID
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress

MARK = "TEST_RUN_OF_CDP_AGENT"
_PARENT_CHECK_S = 1.0
_GIVEN_UP_AFTER_S = 60.0
_running: list[subprocess.Popen[bytes]] = []
"""Its end of the pipe closes with the object."""


def end_with_this_process() -> None:
    """Whatever is started from now on, by this process and by those that it starts, ends when this one has ended."""
    mark = f"{os.getpid()}-{os.urandom(4).hex()}"
    command = [sys.executable, "-I", "-S", __file__, mark, str(os.getpid())]
    unmarked = {name: value for name, value in os.environ.items() if name != MARK}
    os.environ[MARK] = mark
    _running.append(subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True, env=unmarked))


def main(mark: str, parent: int) -> None:
    # A process that was forked from the run, and does not end with it, holds the pipe open.
    while not select.select([0], [], [], _PARENT_CHECK_S)[0] and os.getppid() == parent:
        pass
    until = time.monotonic() + _GIVEN_UP_AFTER_S
    while (left := list(_marked(mark))) and time.monotonic() < until:
        for pid, command in left:
            with suppress(ProcessLookupError):
                # It ends its Chrome and removes the profile.
                os.kill(pid, signal.SIGTERM if b"supervisor.py" in command else signal.SIGKILL)
        time.sleep(0.05)


def _marked(mark: str) -> Iterator[tuple[int, bytes]]:
    line = f"{MARK}={mark}".encode()
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError), open(f"/proc/{name}/environ", "rb") as environ:  # it ended, or is somebody else's
            if line in environ.read().split(b"\0"):
                with open(f"/proc/{name}/cmdline", "rb") as command:
                    yield int(name), command.read()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
