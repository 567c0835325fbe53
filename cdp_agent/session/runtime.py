"""Where a session's host is found: a folder that only this user can open, with a socket for each session.

`NAME.sock` is the socket, or a link to that of a host with several sessions; `NAME.pid` contains the host's process id,
`NAME.log` is its log, and `NAME.lock` is locked while a process starts it.

Imports are few, since every command waits for them (platformdirs, which also knows the folder, takes 10 ms).
"""

from __future__ import annotations

import os
import stat
import sys

from cdp_agent.errors import MORE_FILES, OUT_OF_FILES, SetupError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator  # at run time it would cost a command 2 ms, and contextlib as much

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

VARIABLE = "CDP_AGENT_SESSION"
DEFAULT = "default"
_LONGEST_NAME = 64
ADVICE = "Set XDG_RUNTIME_DIR to a folder that is yours, or pass --once, which needs none."


def advice_on(error: OSError) -> str:
    """What to do where a file of a session cannot be made."""
    return f"{MORE_FILES[0].upper()}{MORE_FILES[1:]}" if error.errno in OUT_OF_FILES else ADVICE


def checked_name(name: str) -> str:
    """The name, if it is valid for a session: letters, digits, dots, dashes and underscores. Raises SetupError."""
    plain = name.replace("-", "").replace("_", "").replace(".", "")
    if not (plain.isascii() and plain.isalnum() and name[0].isalnum() and len(name) <= _LONGEST_NAME):
        raise SetupError(
            f"{name!r} is no name for a session: it begins with a letter or a digit, and has letters, digits, dots, "
            f"dashes and underscores, {_LONGEST_NAME} at most."
        )
    return name


def folder() -> str:
    """The folder, created if it is missing: $XDG_RUNTIME_DIR/cdp-agent, else one for the user among temporary files.

    Raises SetupError.
    """
    problems = []
    for path in _candidates():
        problem = _unusable(path)
        if problem is None:
            return path
        problems.append(f"{path}: {problem}")
    raise SetupError(f"There is no folder for the sockets of sessions. {'; '.join(problems)}. {ADVICE}")


def _candidates() -> Iterator[str]:
    if runtime := os.environ.get("XDG_RUNTIME_DIR"):
        yield os.path.join(runtime, "cdp-agent")
    if sys.platform == "win32":
        yield os.path.join(os.environ.get("LOCALAPPDATA") or os.path.expanduser("~"), "cdp-agent", "run")
        return
    temporary = os.environ.get("TMPDIR") or "/tmp"
    yield os.path.join(temporary, f"cdp-agent-{os.getuid()}")


def _unusable(path: str) -> str | None:
    """Why the folder cannot be used, None if it can; creates it if it is missing."""
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        pass
    except OSError as error:
        return error.strerror
    try:
        about = os.lstat(path)
    except OSError as error:
        return error.strerror
    if not stat.S_ISDIR(about.st_mode):
        return "It is no folder"
    if sys.platform != "win32" and (about.st_uid != os.getuid() or about.st_mode & 0o077):
        return "It belongs to somebody else, or is open to others"
    return None if os.access(path, os.W_OK | os.X_OK) else "It cannot be written"


def pid_of(folder: str, name: str) -> int | None:
    """The id of the host's process, from its file; None if there is none."""
    try:
        with open(os.path.join(folder, f"{name}.pid"), encoding="ascii") as file:
            return int(file.read())
    except (FileNotFoundError, ValueError):
        return None


def names(folder: str) -> list[str]:
    """The names of the sessions that have a socket in the folder, whether or not a host still answers there."""
    found = (each.removesuffix(".sock") for each in sorted(os.listdir(folder)) if each.endswith(".sock"))
    return [name for name in found if name[:1].isalnum()]


class starting:
    """A context manager that locks the start of the host of that name; other processes wait. Raises SetupError."""

    def __init__(self, folder: str, name: str) -> None:
        self._path = os.path.join(folder, f"{name}.lock")

    def __enter__(self) -> None:
        try:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise SetupError(f"{self._path} cannot be made: {error.strerror}. {advice_on(error)}") from error
        _lock(self._file)

    def __exit__(self, *_: object) -> None:
        os.close(self._file)


def _lock(descriptor: int) -> None:
    if sys.platform == "win32":
        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
