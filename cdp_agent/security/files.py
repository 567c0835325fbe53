"""Files for the user alone: what pages said, cookies and keys. Written anew, whole, and never through a link."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_SPECIAL = ("/dev/", "/proc/")


def write(path: Path, content: bytes) -> None:
    """Puts the content in the place of the file in one go (mode 600): what was there stays until all of it is written.

    A link is replaced, and what it leads to left alone. Raises OSError.
    """
    handle, temporary = _beside(path)
    try:
        with open(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def create(path: Path) -> int:
    """A new and empty file (mode 600) in the place of what was there, to be written bit by bit. Raises OSError."""
    handle, temporary = _beside(path)
    try:
        os.replace(temporary, path)
    except BaseException:
        os.close(handle)
        os.unlink(temporary)
        raise
    return handle


def _beside(path: Path) -> tuple[int, str]:
    """A new file in the same folder, mode 600, that may take the place of this one."""
    import tempfile  # late: 5 ms

    if not _is_file(path):
        raise OSError(errno.EINVAL, "Not a regular file", str(path))
    return tempfile.mkstemp(dir=path.parent, prefix=".")


def _is_file(path: Path) -> bool:
    """Whether nothing is there, or a file, or a link: no folder, device or pipe, nor a link such as /dev/stdout."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return True
    return not os.readlink(path).startswith(_SPECIAL) if stat.S_ISLNK(mode) else stat.S_ISREG(mode)
