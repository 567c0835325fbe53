"""The program `cdp-agent`: its commands run as processes, in an environment of the test's own."""

from __future__ import annotations

import contextlib
import fcntl
import io
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, TextIO

import pytest

from cdp_agent.cli import main

ROOT = Path(__file__).parent.parent
_WITHIN_S = 100.0
_GONE_WITHIN_S = 5.0
_BUSY_MACHINE = 6
"""Times as long as on one that does nothing else."""


class Cli:
    """Runs `cdp-agent` with the words that it is called with."""

    def __init__(self, environment: dict[str, str]) -> None:
        """`environment` is what each command has; a test may add to it."""
        self.environment = environment
        self._runtime = environment["XDG_RUNTIME_DIR"]

    def __call__(
        self, *words: str, status: int | None = 0, typed: str = "", **more: Any
    ) -> subprocess.CompletedProcess[str]:
        """What came of the command, whose exit status must be `status`; None: any. `more` as in subprocess.run."""
        options = {"env": self.environment, "capture_output": True, "text": True, "timeout": _WITHIN_S, **more}
        done: subprocess.CompletedProcess[str] = subprocess.run(_command(words), input=typed, check=False, **options)
        assert status is None or done.returncode == status, done.stderr + done.stdout
        return done

    def here(self, *words: str, status: int | None = 0, typed: str = "") -> subprocess.CompletedProcess[str]:
        """The same in this process, at a fraction of the cost: where the process is not what is tested."""
        told, complaints = io.StringIO(), io.StringIO()
        with self._its_environment(), _typed(typed), redirect_stdout(told), redirect_stderr(complaints):
            ended = main(words)
        done = subprocess.CompletedProcess(words, ended, told.getvalue(), complaints.getvalue())
        assert status is None or ended == status, done.stderr + done.stdout
        return done

    def beside(self, act: Callable[[OtherEnd], object], *words: str, terminal: int | None = None) -> int:
        """The exit status of a command in this process, while `act` in a thread reads what it writes and answers.

        With a terminal, that is what the command reads, and where it complains; it is closed when the command ends.
        """
        (stdin, typing), (reading, stdout), (hearing, stderr) = (os.pipe() for _ in range(3))
        with ExitStack() as stack, ThreadPoolExecutor(1) as threads:
            stack.callback(os.close, stdin)
            other = OtherEnd(*(stack.enter_context(_lines(end)) for end in (typing, reading, hearing)))
            with ExitStack() as its:  # closed first, for the other end to hear of the end
                told, complaints = its.enter_context(_lines(stdout)), its.enter_context(_lines(stderr))
                screen = complaints if terminal is None else its.enter_context(_lines(terminal))
                acting = threads.submit(other.act, act)
                read = _reads(stdin if terminal is None else terminal)
                with self._its_environment(), read, redirect_stdout(told), redirect_stderr(screen):
                    ended = main(words)
                other.over = True
            acting.result()
        return ended

    def start(self, *words: str, **more: Any) -> subprocess.Popen[str]:
        """The same for whoever does not wait for its end."""
        return subprocess.Popen(_command(words), env=self.environment, text=True, **more)

    def end(self) -> None:
        """Ends the sessions that are left."""
        if any(Path(self._runtime).rglob("*.sock")):
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("XDG_RUNTIME_DIR", self._runtime)
                main(["close", "--all"])

    @contextmanager
    def _its_environment(self) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            for name in os.environ.keys() - self.environment.keys():
                patch.delenv(name)
            for name, value in self.environment.items():
                patch.setenv(name, value)
            yield


def _command(words: tuple[str, ...]) -> list[str]:
    return [sys.executable, "-m", "cdp_agent", *words]


def _lines(descriptor: int) -> TextIO:
    """Text there, in whichever direction it goes, line by line."""
    writes = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY
    return open(descriptor, "w" if writes else "r", buffering=1, encoding="utf-8")


class OtherEnd:
    """Whoever is at the other end of a command's streams, and may press Ctrl-C; `over` once it has ended."""

    def __init__(self, stdin: TextIO, stdout: TextIO, stderr: TextIO) -> None:
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr
        self.over = False

    def interrupt(self) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    def act(self, act: Callable[[OtherEnd], object]) -> None:
        """What is amiss there ends the command."""
        try:
            act(self)
        except BaseException:
            if not self.over:
                self.interrupt()
            raise


@contextmanager
def _typed(text: str) -> Iterator[None]:
    """The text is all that there is at this process's standard input."""
    with tempfile.TemporaryFile() as file:
        file.write(text.encode())
        file.seek(0)
        with _reads(file.fileno()):
            yield


@contextmanager
def _reads(descriptor: int) -> Iterator[None]:
    """That is this process's standard input, by its descriptor too."""
    kept = os.dup(0)
    os.dup2(descriptor, 0)
    with open(0, encoding="utf-8", closefd=False) as stream, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", stream)
        try:
            yield
        finally:
            os.dup2(kept, 0)
            os.close(kept)


def living(environment: Mapping[str, str], among: Iterable[int] | None = None) -> set[int]:
    """The processes that the test's commands have started; those `among` some, to look at no others again and again."""
    mark = f"XDG_RUNTIME_DIR={environment['XDG_RUNTIME_DIR']}".encode()
    found = set()
    for name in filter(str.isdigit, os.listdir("/proc")) if among is None else map(str, among):
        try:
            environ = Path(f"/proc/{name}/environ").read_bytes().split(b"\0")
            state = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue  # it ended, or is somebody else's
        if mark in environ and state not in "ZX":
            found.add(int(name))
    return found


def all_end(environment: Mapping[str, str], but: Set[int] = frozenset()) -> bool:
    """Whether the processes that the test's commands have started are gone in time, but for these."""
    running = living(environment) - but
    return wait_until(lambda: not living(environment, running)) and living(environment) <= but


def sockets(pid: int) -> set[str]:
    """Those that the process has open, by names that no other socket gets: compared, not counted, since one that an
    earlier command used may be there for a moment yet."""
    links = set()
    for each in os.scandir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            links.add(os.readlink(each.path))
    return {each for each in links if each.startswith("socket:")}


def wait_until(holds: Callable[[], bool]) -> bool:
    until = time.monotonic() + _GONE_WITHIN_S * _BUSY_MACHINE
    while not holds() and time.monotonic() < until:
        time.sleep(0.05)
    return holds()
