"""The small end of a command: reach the session's host, or start it, hand the command over, print what comes back.

Imports are few, since that is most of what a command costs: `json` takes a third of the time of msgspec.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from cdp_agent.errors import BrowserError
from cdp_agent.session import runtime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any  # at run time it would take 5 ms

ANSWERS_WITHIN_S = 20.0
HAS_UNIX_SOCKETS = hasattr(socket, "AF_UNIX")
_LONGEST_SOCKET_PATH = 100


class HostConnection:
    """A connection to a host that has said hello: `pid` is its process."""

    def __init__(self, connection: socket.socket) -> None:
        """Raises BrowserError when it says nothing, ConnectionError when it goes away."""
        self._connection = connection
        self._heads = connection.makefile("rb", buffering=0)
        """Of the two short messages ahead of the command's own, which may be somebody else's to read."""
        connection.settimeout(ANSWERS_WITHIN_S)
        try:
            hello = _next(self._heads)
            if hello is None:
                raise ConnectionResetError
        except TimeoutError as error:
            self.close()
            raise BrowserError("it does not answer") from error
        except ConnectionError:
            self.close()
            raise
        connection.settimeout(None)
        self.pid: int = hello["pid"]

    def ask(self, session: str, words: Sequence[str], stdin: str | None = None) -> None:
        """Hands a command over, with what it reads from the standard input. From now on the session is the host's.

        Raises BrowserError when the host goes away.
        """
        self._connection.sendall(_request(session, words, stdin))
        if _next(self._heads) is None:  # else it says that it has begun
            raise self.lost(session)

    def followed(self, session: str, write: Callable[[str], object] | None = None) -> int:
        """The exit status of the command that was asked for; what it writes is written here, or given on.

        Raises BrowserError when the host goes away meanwhile, OSError when nothing can be written.
        """
        with self._connection.makefile("rb") as lines:
            while (message := _next(lines)) is not None:
                if (status := _taken(message, write or _print)) is not None:
                    return status
        raise self.lost(session)

    def lost(self, session: str) -> BrowserError:
        """What is told when the host goes away in the middle of a command."""
        return BrowserError(
            f"The process that held the session {session!r} went away (it was {self.pid}), and its tabs with it. "
            "The next command begins a new one."
        )

    def handed_on(self) -> socket.socket:
        """The connection, for somebody who reads from it what comes of the command; they close it."""
        self._heads.close()
        return self._connection

    def close(self) -> None:
        """Ends the command that is being carried out, if any."""
        self._heads.close()
        self._connection.close()


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


def gone(folder: str, name: str, end: Callable[[], object], within_s: float) -> bool:
    """Whether the host of that session goes away within the time once `end` was called, however it hangs."""
    try:
        with _reached(folder, name) as connection:
            connection.settimeout(within_s)
            end()
            while connection.recv(1024):
                pass  # what it had said
    except TimeoutError:
        return False
    except (FileNotFoundError, ConnectionError):
        pass
    return True


def begun(
    folder: str,
    session: str,
    words: Sequence[str],
    start: Callable[[], HostConnection | int],
    stdin: str | None = None,
) -> HostConnection | int:
    """A connection to the session's host, which has begun with the command; where none runs, `start` starts it.

    An exit status where the command needed none. Raises SetupError, BrowserError.
    """
    if (connection := connected(folder, session)) is not None:
        connection.ask(session, words, stdin)
        return connection
    with runtime.starting(folder, session):  # until the session is the host's: nobody else begins it elsewhere
        found = connected(folder, session) or start()
        if not isinstance(found, int):
            found.ask(session, words, stdin)
        return found


def started(
    folder: str, session: str, command: Sequence[str], words: Sequence[str], host: str = ""
) -> HostConnection | int:
    """A connection to a host for the session, which is started with `command`, its folder and the name of the host.

    Where that is not known, the words of the first command tell it, and there may be one already for the same Chrome:
    they are read before anything else is begun. An exit status where it is done with them. Only for `begun`, which has
    seen that nobody answers for the session. Raises BrowserError.
    """
    import subprocess  # late: 3 ms, which only the first command of a session waits for

    process = subprocess.Popen(
        [*command, folder, host],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,  # it outlives us and our terminal
    )
    assert process.stdin is not None
    assert process.stdout is not None  # pipes
    told = b""
    with process.stdout as lines:
        with suppress(BrokenPipeError), process.stdin as asked:  # it ended, and says why
            asked.write(_request(session, words, None))
        for line in lines:
            if not line.startswith(b"{"):
                told += line
                continue
            message = json.loads(line)
            if message["type"] == "serving":
                process.returncode = 0  # it is nobody's to wait for
                return _connected_to(folder, message["host"])
            if (status := _taken(message, _print)) is not None:
                process.wait()
                return status
    why = told.decode(errors="replace").strip() or f"it ended at once ({process.wait()})"
    raise BrowserError(f"No process to hold the session could be started: {why}")


def _connected_to(folder: str, host: str) -> HostConnection:
    if (found := connected(folder, host)) is None:
        raise BrowserError("The process that was to hold the session ended at once.")
    return found


def _request(session: str, words: Sequence[str], stdin: str | None) -> bytes:
    request = {
        "session": session,
        "words": [_plain(word) for word in words],
        "folder": _plain(_folder()),
        "environment": {_plain(name): _plain(value) for name, value in os.environ.items()},
        "at_terminal": sys.stdin.isatty() and sys.stderr.isatty(),
        "stdin": None if stdin is None else _plain(stdin),
    }
    return json.dumps(request).encode() + b"\n"


def _next(lines: IO[bytes] | socket.SocketIO) -> dict[str, Any] | None:
    try:
        line = lines.readline()
    except ConnectionResetError:
        return None
    return json.loads(line) if line else None


def _taken(message: dict[str, Any], write: Callable[[str], object]) -> int | None:
    """Writes what a host has said; the exit status when that was its last."""
    match message["type"]:
        case "out":
            write(message["text"])
        case "err":
            sys.stderr.write(message["text"])
            sys.stderr.flush()
        case "end":
            status: int = message["status"]
            return status
    return None


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
