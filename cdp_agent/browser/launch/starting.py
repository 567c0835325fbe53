"""Starts Chrome through supervisor.py, so that nothing of it outlives us, and does not wait for it.

Without asyncio, whose import would take longer than all this: a session's process starts its Chrome first.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

import msgspec

from cdp_agent.browser.launch import supervisor
from cdp_agent.errors import MORE_FILES, OUT_OF_FILES, BrowserError

from .advice import ADVICE
from .chrome import LaunchOptions, find_chrome, flags
from .environment import chrome_environment

_TEMPORARY = ("TMPDIR", "TEMP", "TMP")


class StartedChrome(msgspec.Struct, frozen=True):
    """A Chrome that is starting, before there is a ChromeProcess for it.

    `process` is its supervisor; `pipe` has the file descriptors to read from and to write to, None with a port.
    """

    process: subprocess.Popen[bytes]
    program: str
    profile: str
    temporary: bool
    pipe: tuple[int, int] | None = None

    def forget(self) -> None:
        """Ends the Chrome, without waiting until it has ended."""
        for end in (self.process.stdin, self.process.stdout):
            assert end is not None  # pipes, see _start_supervisor
            end.close()
        for number in self.pipe or ():
            os.close(number)


def start(options: LaunchOptions) -> StartedChrome:
    """Starts Chrome without waiting for it; launcher.py takes the result. Raises BrowserError."""
    # Windows has no file descriptors 3 and 4.
    try:
        return start_with_port(options, 0) if sys.platform == "win32" else start_with_pipe(options)
    except OSError as error:
        if error.errno not in OUT_OF_FILES:
            raise
        raise BrowserError(f"Chrome cannot be started: {error.strerror}.{ADVICE}{MORE_FILES}") from error


def start_with_pipe(options: LaunchOptions) -> StartedChrome:
    from_chrome, to_us = os.pipe()
    try:
        for_chrome, from_us = os.pipe()
    except OSError:
        os.close(from_chrome)
        os.close(to_us)
        raise
    try:
        started = _start_supervisor(options, ["--remote-debugging-pipe"], (for_chrome, to_us))
    except BaseException:
        os.close(from_chrome)
        os.close(from_us)
        raise
    finally:
        os.close(to_us)
        os.close(for_chrome)
    return msgspec.structs.replace(started, pipe=(from_chrome, from_us))


def start_with_port(options: LaunchOptions, port: int) -> StartedChrome:
    ports = [f"--remote-debugging-port={port}", "--remote-debugging-address=127.0.0.1"]
    return _start_supervisor(options, ports, ())


def _start_supervisor(options: LaunchOptions, debugging: Sequence[str], pipes: Sequence[int]) -> StartedChrome:
    program = find_chrome(options.executable, headless=options.headless)
    temporary = options.profile is None
    if options.profile is None:
        # Not tempfile.gettempdir(): it tests the folder with a file, which SIGKILL may leave there.
        folder = next((os.environ[name] for name in _TEMPORARY if os.environ.get(name)), "/tmp")
        profile = os.path.join(folder, f"cdp_agent-{os.getpid()}-{os.urandom(4).hex()}")
    else:
        profile = os.path.abspath(os.path.expanduser(options.profile))
        _refuse_locked(profile)
    chrome = [program, f"--user-data-dir={profile}", *debugging, *flags(options, program)]
    kind = "temporary" if temporary else "given"
    ends = ",".join(str(fd) for fd in pipes)
    command = [sys.executable, "-I", "-S", supervisor.__file__, profile, kind, str(os.getpid()), ends, *chrome]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        pass_fds=pipes,
        env=chrome_environment(options.env or {}),
        start_new_session=True,  # Ctrl-C in our terminal is not meant for it
    )
    return StartedChrome(process, program, profile, temporary)


def _refuse_locked(profile: str) -> None:
    """Raises BrowserError when another Chrome has the profile open: ours would hand over to it and exit with 0."""
    try:
        host, _, pid = os.readlink(os.path.join(profile, "SingletonLock")).rpartition("-")
    except OSError:
        return
    import socket  # late: 3 ms, and a profile that another Chrome has used is rare

    if host == socket.gethostname() and pid.isdigit() and supervisor.command_line(int(pid)):
        raise BrowserError(
            f"The profile {profile} is open in another Chrome (process {pid}): close that one, or give another. "
            "To work beside its user, have it started with --remote-debugging-port=9222 and connect to "
            "http://127.0.0.1:9222; with Chrome's usual profile, allow it at chrome://inspect/#remote-debugging."
        )
