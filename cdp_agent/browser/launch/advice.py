"""What to do where there is no Chrome, or it does not start: as commands that work when they are pasted."""

from __future__ import annotations

import errno
import os
import sys

from cdp_agent.errors import MORE_FILES

ADVICE = "\nWhat to do: "
"""Between what happened and the advice."""
_NO_SANDBOX = ("No usable sandbox", "SUID sandbox helper", "Failed to move to new namespace")
_DEBIAN_CHROMES = ("/usr/bin/chromium", "/usr/bin/chromium-headless-shell")
_DEBIAN_HELPER = "/usr/lib/chromium/chrome-sandbox"
"""Of the package chromium-sandbox, which Debian only recommends with chromium."""


def install(*packages: str) -> str:
    """How to install packages of Debian: the command in backquotes, or their names where there is no apt-get."""
    from shutil import which  # late: 2 ms, and it is rare that something is missing

    if which("apt-get") is None:
        return f"install {' '.join(packages)} (Debian's names)"
    steps = ("apt-get update", f"apt-get install {' '.join(packages)}")  # bare systems have no lists of packages
    return _as_root(*steps)


def advice_on(stderr: str, program: str) -> str:
    """What to do about a Chrome that did not start, "" where its stderr is all that is known."""
    if os.strerror(errno.EMFILE) in stderr:
        return MORE_FILES
    if "error while loading shared libraries" in stderr:
        return f"{install('chromium')} brings all that it needs."
    if not any(mark in stderr for mark in _NO_SANDBOX):
        return ""
    without = "`cdp-agent config set args --no-sandbox` (in Python: args=['--no-sandbox'])"
    return f"{_sandbox(program)}; or, if you trust the pages, {without}."


def _sandbox(program: str) -> str:
    """How Chrome gets its sandbox, on a system that lets it make none by itself."""
    if os.path.realpath(program) in _DEBIAN_CHROMES:
        if not os.path.exists(_DEBIAN_HELPER):
            return install("chromium-sandbox")
        if not os.stat(_DEBIAN_HELPER).st_mode & 0o4000:
            return _as_root(f"chown root:root {_DEBIAN_HELPER}", f"chmod 4755 {_DEBIAN_HELPER}")
    return "allow user namespaces on this system"


def _as_root(*commands: str) -> str:
    if sys.platform == "win32" or os.geteuid() == 0:
        return f"`{' && '.join(commands)}`"
    from shutil import which  # late: see install

    if which("sudo"):
        return f"`{' && '.join(f'sudo {each}' for each in commands)}`"
    return f"`su -c '{' && '.join(commands)}'`"
