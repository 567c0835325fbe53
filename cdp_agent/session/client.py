"""The small end of a command: reach the session's host, or start it, hand the command over, print what comes back.

Imports are few, since that is most of what a command costs: `json` takes a third of the time of msgspec.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from cdp_agent.errors import BrowserError
from cdp_agent.session import runtime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any  # at run time it would take 5 ms

ANSWERS_WITHIN_S = 20.0
READY = b"ready\n"
HAS_UNIX_SOCKETS = hasattr(socket, "AF_UNIX")
_LONGEST_SOCKET_PATH = 100


class HostConnection:
    """A connection to a host that has said hello: `pid` is its process."""

    def __init__(self, connection: socket.socket) -> None:
        """Raises BrowserError when it says nothing, ConnectionError when it goes away."""
        self._connection = connection
        self._lines = connection.makefile("rb")
        connection.settimeout(ANSWERS_WITHIN_S)
        try:
            hello = self._next()
        except TimeoutError as error:
            raise BrowserError("it does not answer") from error
        if hello is None:
            raise ConnectionResetError
        connection.settimeout(None)
        self.pid: int = hello["pid"]

    def ask(self, session: str, words: Sequence[str], stdin: str | None = None) -> None:
        """Hands a command over, with what it reads from the standard input."""
        request = {
            "session": session,
            "words": [_plain(word) for word in words],
            "folder": _plain(_folder()),
            "environment": {_plain(name): _plain(value) for name, value in os.environ.items()},
            "at_terminal": sys.stdin.isatty() and sys.stderr.isatty(),
            "stdin": None if stdin is None else _plain(stdin),
        }
        self._connection.sendall(json.dumps(request).encode() + b"\n")

    def carry_out(self, session: str, words: Sequence[str], write: Callable[[str], object] | None = None) -> int:
        """The exit status of a command that the host carries out for us; what it writes is written here, or given on.

        Raises BrowserError when the host goes away meanwhile, OSError when nothing can be written.
        """
        self.ask(session, words)
        while (message := self._next()) is not None:
            match message["type"]:
                case "out":
                    (write or _print)(message["text"])
                case "err":
                    sys.stderr.write(message["text"])
                    sys.stderr.flush()
                case "end":
                    status: int = message["status"]
                    return status
        raise self.lost(session)

    def lost(self, session: str) -> BrowserError:
        """What is told when the host goes away in the middle of a command."""
        return BrowserError(
            f"The process that held the session {session!r} went away (it was {self.pid}), and its tabs with it. "
            "The next command begins a new one."
        )

    def handed_on(self) -> socket.socket:
        """The connection, for somebody who reads from it what comes after the hello; they close it."""
        self._lines.detach()
        return self._connection

    def close(self) -> None:
        """Ends the command that is being carried out, if any."""
        self._lines.close()
        self._connection.close()

    def _next(self) -> dict[str, Any] | None:
        try:
            line = self._lines.readline()
        except ConnectionResetError:
            return None
        return json.loads(line) if line else None


def connected(folder: str, name: str) -> HostConnection | None:
    """A connection to the host of that session, None when there is none. Raises BrowserError when it says nothing."""
    try:
        return HostConnection(_reached(folder, name))
    except (FileNotFoundError, ConnectionError):
        return None
    except BrowserError as error:
        raise BrowserError(
            f"The process that holds the session {name!r} does not answer. End it: `cdp-agent close --session {name}`."
        ) from error


def started(folder: str, host: str, command: Sequence[str]) -> HostConnection:
    """A connection to that host, which is started with `command`, its folder and its name where none runs.

    Raises BrowserError, SetupError.
    """
    import subprocess  # 8 ms, which only the first command of a session waits for

    with runtime.starting(folder, host):
        if (found := connected(folder, host)) is not None:
            return found  # somebody else started it while we waited
        process = subprocess.Popen(
            [*command, folder, host],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # it outlives us and our terminal
        )
        assert process.stdout is not None  # a pipe
        told = b""
        for line in process.stdout:
            if line == READY:
                break
            told += line
        else:
            why = told.decode(errors="replace").strip() or f"it ended at once ({process.wait()})"
            raise BrowserError(f"No process to hold the session could be started: {why}")
        process.stdout.close()
        process.returncode = 0  # it is nobody's to wait for
        if (found := connected(folder, host)) is None:
            raise BrowserError("The process that was to hold the session ended at once.")
        return found


def _reached(folder: str, name: str) -> socket.socket:
    path = os.path.join(folder, f"{name}.sock")
    if not HAS_UNIX_SOCKETS:
        with open(path, encoding="ascii") as file:
            port, token = file.read().split()
        connection = socket.create_connection(("127.0.0.1", int(port)))
        connection.sendall(f"{token}\n".encode())
        return connection
    connection = socket.socket(socket.AF_UNIX)
    try:
        if len(os.fsencode(path)) <= _LONGEST_SOCKET_PATH:
            connection.connect(path)
        else:
            with _in_folder(folder):
                connection.connect(f"{name}.sock")
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def _in_folder(folder: str) -> Iterator[None]:
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(folder)
        yield
    finally:
        os.fchdir(here)
        os.close(here)


def _print(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _folder() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:  # it was removed
        return os.sep


def _plain(text: str) -> str:
    """As JSON may hold it: bytes that are no UTF-8 are marked."""
    return text.encode(errors="replace").decode()
