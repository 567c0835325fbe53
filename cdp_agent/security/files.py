"""Files that only the user can read: page contents, cookies and keys. Replaced as a whole, never through a link."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_SPECIAL = ("/dev/", "/proc/")


def write(path: Path, content: bytes) -> None:
    """Replaces the file atomically (mode 600): the old content stays until all of the new one is written.

    A link is replaced, and its target left alone. Raises OSError.
    """
    handle, temporary = _temporary_beside(path)
    try:
        with open(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def write_new(path: Path, content: bytes) -> None:
    """Creates the file (mode 600) with all of the content, or not at all. Raises OSError, also where a file is."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(handle, "wb") as file:
            file.write(content)
    except BaseException:
        os.unlink(path)
        raise


def write_all(handle: int, content: bytes) -> None:
    """Writes all of the content, of which a disk that is nearly full takes only a part at first. Raises OSError."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(handle, rest) :]


def create(path: Path) -> int:
    """Replaces the file with an empty one (mode 600), and returns its descriptor for writing. Raises OSError."""
    handle, temporary = _temporary_beside(path)
    try:
        os.replace(temporary, path)
    except BaseException:
        os.close(handle)
        os.unlink(temporary)
        raise
    return handle


def _temporary_beside(path: Path) -> tuple[int, str]:
    """A new file (mode 600) in the same folder, to be renamed to `path`: its descriptor and its path."""
    import tempfile  # late: 5 ms

    if not _is_file(path):
        raise OSError(errno.EINVAL, "Not a regular file", str(path))
    return tempfile.mkstemp(dir=path.parent, prefix=".")


def _is_file(path: Path) -> bool:
    """Whether the path can be replaced by a file: not where it is a folder, device or pipe, or a link such as
    /dev/stdout.
    """
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return True
    return not os.readlink(path).startswith(_SPECIAL) if stat.S_ISLNK(mode) else stat.S_ISREG(mode)
