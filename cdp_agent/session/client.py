"""The client side of a command: connects to the session's host or starts it, sends the command, prints the output.

Imports are few, since they are most of the cost of a command. So the C modules below `socket` and `json` are used
directly: with `import json`, `cdp-agent tabs` takes 33 ms and not 22 (medians of 60 starts of each, in turns), most of
which is `re` and `enum`; `socket` imports the latter, too.
"""

from __future__ import annotations

import _socket
import os
import sys
from _json import encode_basestring_ascii, make_encoder, make_scanner

from cdp_agent.errors import BrowserError
from cdp_agent.session import runtime

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
"""In bytes: more than any message before those of the command has."""


class HostConnection:
    """A connection to a host that has said hello; `pid` is its process id."""

    def __init__(self, connection: _socket.socket) -> None:
        """Raises BrowserError when the host does not answer, ConnectionError when it goes away."""
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
        """Sends a command, with the text that it reads from the standard input.

        Raises BrowserError when the host goes away.
        """
        self._connection.sendall(_request(session, words, stdin))
        if self._head() is None:  # else it is CommandBegun
            raise self.lost(session)

    def follow(self, session: str, write: Callable[[str], object] | None = None) -> int:
        """Waits for the command and returns its exit status. Its output is printed, or passed to `write`.

        Raises BrowserError when the host goes away meanwhile, OSError when the output cannot be written.
        """
        rest = b""
        while piece := _received(self._connection):
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                if (status := _taken(_decoded(line), write or _print)) is not None:
                    return status
        raise self.lost(session)

    def _head(self) -> dict[str, Any] | None:
        """One of the two short messages before the command's own, which may be left to another reader."""
        try:
            line = self._connection.recv(_SHORT, _socket.MSG_PEEK)
            line = self._connection.recv(line.find(b"\n") + 1 or 1)
            while line and not line.endswith(b"\n"):  # it comes in pieces
                line += self._connection.recv(1)
        except ConnectionResetError:
            return None
        return _decoded(line) if line else None

    def lost(self, session: str) -> BrowserError:
        """The error to raise when the host goes away during a command."""
        return BrowserError(
            f"The process that held the session {session!r} went away (it was {self.pid}), and its tabs with it. "
            "The next command begins a new one."
        )

    def detach(self) -> socket:
        """The connection as a socket, for a caller that reads the command's messages from it, and closes it."""
        from socket import socket  # late: callers of this have imported it already

        return socket(fileno=self._connection.detach())

    def close(self) -> None:
        """Closes the connection, which cancels the command that is under way, if any."""
        self._connection.close()


def connect(folder: str, name: str) -> HostConnection | None:
    """A connection to the host of that session, None if there is none. Raises BrowserError when it does not answer."""
    try:
        return HostConnection(_reached(folder, name))
    except (FileNotFoundError, ConnectionError):
        return None
    except BrowserError as error:
        raise BrowserError(
            f"The process that holds the session {name!r} does not answer. End it: `cdp-agent close --session {name}`."
        ) from error


def end_and_wait(folder: str, name: str, end: Callable[[], object], within_s: float) -> bool:
    """Calls `end`, then waits until the host of that session is gone. False when it is still there after `within_s`."""
    try:
        connection = _reached(folder, name)
        try:
            connection.settimeout(within_s)
            end()
            while connection.recv(_SHORT):
                pass  # what it had sent
        finally:
            connection.close()
    except TimeoutError:
        return False
    except (FileNotFoundError, ConnectionError):
        pass
    return True


def send_command(
    folder: str,
    session: str,
    words: Sequence[str],
    start: Callable[[], HostConnection | int],
    stdin: str | None = None,
) -> HostConnection | int:
    """Sends a command to the session's host, which `start` starts if none runs. Returns the connection to it.

    Returns an exit status if the command needed no host. Raises SetupError, BrowserError.
    """
    if (connection := connect(folder, session)) is not None:
        connection.ask(session, words, stdin)
        return connection
    with runtime.starting(folder, session):  # until the host has the session, so that nobody else begins it
        host = connect(folder, session) or start()
        if not isinstance(host, int):
            host.ask(session, words, stdin)
        return host


def start_host(
    folder: str, session: str, command: Sequence[str], words: Sequence[str], host: str = ""
) -> HostConnection | int:
    """Starts a host for the session with `command`, the folder and the host's name. Returns a connection to it.

    Without a host name, the new process finds the host that the session belongs to from `words`, the first command:
    one for the same Chrome may exist already. It may also complete the command by itself: then this returns the exit
    status. Only for `send_command`, which has made sure that no host answers for the session. Raises BrowserError.
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
    output = b""
    with process.stdout as lines:
        try:
            with process.stdin as asked:
                asked.write(_request(session, words, None))
        except BrokenPipeError:
            pass  # it ended, and says why
        for line in lines:
            if not line.startswith(b"{"):
                output += line
                continue
            message = _decoded(line)
            if message["type"] == "serving":
                process.returncode = 0  # nobody has to wait for it
                return _connected_to(folder, message["host"])
            if (status := _taken(message, _print)) is not None:
                process.wait()
                return status
    why = output.decode(errors="replace").strip() or f"it ended at once ({process.wait()})"
    raise BrowserError(f"No process to hold the session could be started: {why}")


def _connected_to(folder: str, host: str) -> HostConnection:
    if (connection := connect(folder, host)) is None:
        raise BrowserError("The process that was to hold the session ended at once.")
    return connection


def _request(session: str, words: Sequence[str], stdin: str | None) -> bytes:
    request = {
        "session": session,
        "words": list(words),
        "folder": _folder(),
        "environment": dict(os.environ),
        "at_terminal": sys.stdin.isatty() and sys.stderr.isatty(),
        "stdin": stdin,
    }
    return ("".join(_encode(request, 0)) + "\n").encode()


def _string(text: str) -> str:
    """The string as JSON; bytes that are not UTF-8, which JSON cannot represent, become question marks."""
    return encode_basestring_ascii(text.encode(errors="replace").decode())


_encode = make_encoder(None, None, _string, None, ":", ",", False, False, False)  # type: ignore[arg-type]  # no default


class _ScannerSettings:
    """Those of `json.loads`."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float = parse_constant = float
    parse_int = int


_scan = make_scanner(_ScannerSettings())  # type: ignore[arg-type]  # any object with these will do


def _decoded(line: bytes) -> dict[str, Any]:
    message: dict[str, Any] = _scan(line.decode(), 0)[0]
    return message


def _received(connection: _socket.socket) -> bytes:
    try:
        return connection.recv(_AT_ONCE)
    except ConnectionResetError:
        return b""


def _taken(message: dict[str, Any], write: Callable[[str], object]) -> int | None:
    """Prints the text of a host's message; returns the exit status when it was the last message."""
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
