"""The small end of a command: reach the session's host, or start it, hand the command over, print what comes back.

Imports are few, since that is most of what a command costs. So `socket` and `json` are used by what they are made of
in C: with `re` and `enum`, which they import beside, they take as long as Python needs to start.
"""

from __future__ import annotations

import _socket
import os
import sys

from cdp_agent.errors import BrowserError
from cdp_agent.session import runtime

try:
    from _json import encode_basestring_ascii, make_scanner
except ImportError:  # another Python than CPython
    from json.encoder import encode_basestring_ascii
    from json.scanner import make_scanner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from socket import socket
    from typing import Any

ANSWERS_WITHIN_S = 20.0
HAS_UNIX_SOCKETS = hasattr(_socket, "AF_UNIX")
_LONGEST_SOCKET_PATH = 100
_AT_ONCE = 1 << 16
_SHORT = 1 << 10
"""More than the messages ahead of a command's own have."""


class HostConnection:
    """A connection to a host that has said hello: `pid` is its process."""

    def __init__(self, connection: _socket.socket) -> None:
        """Raises BrowserError when it says nothing, ConnectionError when it goes away."""
        self._connection = connection
        connection.settimeout(ANSWERS_WITHIN_S)
        try:
            hello = self._head()
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
        if self._head() is None:  # else it says that it has begun
            raise self.lost(session)

    def followed(self, session: str, write: Callable[[str], object] | None = None) -> int:
        """The exit status of the command that was asked for; what it writes is written here, or given on.

        Raises BrowserError when the host goes away meanwhile, OSError when nothing can be written.
        """
        rest = b""
        while piece := _received(self._connection):
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                if (status := _taken(_decoded(line), write or _print)) is not None:
                    return status
        raise self.lost(session)

    def _head(self) -> dict[str, Any] | None:
        """One of the two short messages ahead of the command's own, which may be somebody else's to read."""
        try:
            line = self._connection.recv(_SHORT, _socket.MSG_PEEK)
            line = self._connection.recv(line.find(b"\n") + 1 or 1)
            while line and not line.endswith(b"\n"):  # it comes in pieces
                line += self._connection.recv(1)
        except ConnectionResetError:
            return None
        return _decoded(line) if line else None

    def lost(self, session: str) -> BrowserError:
        """What is told when the host goes away in the middle of a command."""
        return BrowserError(
            f"The process that held the session {session!r} went away (it was {self.pid}), and its tabs with it. "
            "The next command begins a new one."
        )

    def handed_on(self) -> socket:
        """The connection, for somebody who reads from it what comes of the command; they close it."""
        from socket import socket  # late: those who ask for it have imported it already

        return socket(fileno=self._connection.detach())

    def close(self) -> None:
        """Ends the command that is being carried out, if any."""
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
        connection = _reached(folder, name)
        try:
            connection.settimeout(within_s)
            end()
            while connection.recv(_SHORT):
                pass  # what it had said
        finally:
            connection.close()
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
        try:
            with process.stdin as asked:
                asked.write(_request(session, words, None))
        except BrokenPipeError:
            pass  # it ended, and says why
        for line in lines:
            if not line.startswith(b"{"):
                told += line
                continue
            message = _decoded(line)
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
        "words": list(words),
        "folder": _folder(),
        "environment": dict(os.environ),
        "at_terminal": sys.stdin.isatty() and sys.stderr.isatty(),
        "stdin": stdin,
    }
    return _encoded(request).encode() + b"\n"


def _encoded(value: Any) -> str:
    """As JSON, which cannot hold bytes that are no UTF-8: they are marked."""
    if isinstance(value, str):
        return encode_basestring_ascii(value.encode(errors="replace").decode())
    if isinstance(value, dict):
        return f"{{{','.join([f'{_encoded(name)}:{_encoded(each)}' for name, each in value.items()])}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_encoded, value))}]"
    return {None: "null", True: "true", False: "false"}[value]


class _Reading:
    """How a message is read: as `json.loads` does it."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float = parse_constant = float
    parse_int = int
    memo: dict[str, str] = {}


_scan = make_scanner(_Reading())  # type: ignore[arg-type]  # it takes whatever has these


def _decoded(line: bytes) -> dict[str, Any]:
    message: dict[str, Any] = _scan(line.decode(), 0)[0]
    return message


def _received(connection: _socket.socket) -> bytes:
    try:
        return connection.recv(_AT_ONCE)
    except ConnectionResetError:
        return b""


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


def _reached(folder: str, name: str) -> _socket.socket:
    path = os.path.join(folder, f"{name}.sock")
    if not HAS_UNIX_SOCKETS:
        with open(path, encoding="ascii") as file:
            port, token = file.read().split()
        connection = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
        return _connect(connection, ("127.0.0.1", int(port)), f"{token}\n".encode())
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    if len(os.fsencode(path)) <= _LONGEST_SOCKET_PATH:
        return _connect(connection, path)
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(folder)
        return _connect(connection, f"{name}.sock")
    finally:
        os.fchdir(here)
        os.close(here)


def _connect(connection: _socket.socket, address: tuple[str, int] | str, first: bytes = b"") -> _socket.socket:
    try:
        connection.connect(address)
        connection.sendall(first)
    except BaseException:
        connection.close()
        raise
    return connection


def _print(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _folder() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:  # it was removed
        return os.sep
