"""The small process between us and a Chrome that we start, so that nothing of that Chrome outlives us.

    python -I -S supervisor.py PROFILE temporary|given PARENT_PID [PIPE_IN,PIPE_OUT] COMMAND…

It makes a temporary profile folder, starts Chrome as the leader of its own session, and waits for whichever comes
first: Chrome ends, or standard input closes, which the kernel does however the process at the other end dies. Then it
kills every process of that Chrome (after 2 s where the profile was given) and removes the temporary folder.

It writes lines to standard output: `started PID`, `listening URL` (with a debugging port), and at the end
`ended STATUS`, followed by the end of Chrome's stderr.

PR_SET_PDEATHSIG is not used: it follows the thread that forked, not the process. Imports are few and late, since every
millisecond here delays Chrome. On Windows, `taskkill` does the same; that part has not been run.
"""

# ruff: noqa: SIM105 (contextlib alone would add a third to the start-up time)

from __future__ import annotations

import errno
import os
import sys
import time

if sys.platform != "win32":
    import fcntl

_STDERR_TAIL_BYTES = 16_384
_SUPERVISING = __name__ == "__main__"
_LIFELINE = 0
_PARENT_CHECK_MS = 1_000
_KILL_DEADLINE_S = 4.0
# Time for Chrome to save a given profile: it writes cookies when its pipe closes, as it does when we are killed, but
# not on SIGTERM.
_GIVEN_PROFILE_GRACE_S = 2.0
_LONGEST_SOCKET_PATH = 104  # macOS; 108 on Linux
_LISTENING = b"DevTools listening on "
_CAPTURES = ("--auto-select-", "--use-fake-ui-for-media-stream")
_PREFERENCES = '{"hardware": {"screen_capture_enabled": false}, "net": {"network_prediction_options": 2}}'
"""Chrome's preferences: without `getDisplayMedia`, since nobody could choose from its list of windows, and without
loading ahead what pages name in speculation rules: no session tells of these requests, so they could not be held.
"""


def main(arguments: list[str]) -> None:
    profile, kind, parent, pipes, *command = arguments
    temporary = kind == "temporary"
    if temporary:
        try:
            os.mkdir(profile, 0o700)
        except OSError as error:
            _say(f"ended 1\ncannot make the profile folder: {error}")
            return
        _move_temporary_files(profile)
        if not any(each.startswith(_CAPTURES) for each in command):
            _write_preferences(profile)
    watch = _watch_windows if sys.platform == "win32" else _watch_posix
    watch(profile, temporary, int(parent), [int(fd) for fd in pipes.split(",") if fd], command)


def _watch_posix(profile: str, temporary: bool, parent: int, pipes: list[int], command: list[str]) -> None:
    stderr_read, stderr_write = os.pipe()
    pid = _spawn(command, pipes, stderr_write)
    os.close(stderr_write)
    os.set_blocking(stderr_read, False)
    _say(f"started {pid}\n")
    _adopt_orphans()
    log = _ErrorLog(stderr_read)
    status = _wait(pid, parent, log)
    clean_up(pid, profile, temporary=temporary)
    log.read()
    _say(f"ended {'' if status is None else os.waitstatus_to_exitcode(status)}\n", log.tail)


def _spawn(command: list[str], pipes: list[int], stderr: int) -> int:
    """Starts Chrome as leader of its own session and group, with its pipe as descriptors 3 and 4; returns its id."""
    # Duplicates with numbers above 4, closed on exec, so that only the child gets copies, as 3 and 4.
    high = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in pipes]
    for fd in pipes:
        os.close(fd)
    pid = os.fork()
    if pid:
        for fd in high:
            os.close(fd)
        return pid
    try:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(stderr, 1)
        os.dup2(stderr, 2)
        for number, fd in enumerate(high, 3):
            os.dup2(fd, number)
        os.execv(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
    os._exit(127)


def _move_temporary_files(profile: str) -> None:
    """Makes Chrome put its temporary files into the profile: a killed Chrome leaves the folder of its socket behind."""
    if len(profile) + len("/org.chromium.Chromium.XXXXXX/SingletonSocket") < _LONGEST_SOCKET_PATH:
        os.environ["TMPDIR"] = profile


def _write_preferences(profile: str) -> None:
    """Writes Chrome's preferences, unless the disk is full: Chrome works without a profile that it can write to."""
    folder = os.path.join(profile, "Default")
    try:
        os.mkdir(folder, 0o700)
        with open(os.path.join(folder, "Preferences"), "w", encoding="ascii") as file:
            file.write(_PREFERENCES)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise


class _ErrorLog:
    """Chrome's stderr: read as it comes, so that Chrome never blocks on it; only the end is kept."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.tail = b""
        self._announced = False

    def read(self) -> bool:
        """Reads what is available. False at the end of the stream."""
        try:
            while chunk := os.read(self.fd, 65_536):
                self.tail = (self.tail + chunk)[-_STDERR_TAIL_BYTES:]
                url, newline, _ = self.tail.partition(_LISTENING)[2].partition(b"\n")
                if newline and not self._announced:
                    self._announced = True
                    _say("listening ", url.strip(), newline)
        except BlockingIOError:
            return True
        return False


def _wait(pid: int, parent: int, log: _ErrorLog) -> int | None:
    """Waits until Chrome has ended, and returns its wait status; None if Chrome is to be killed."""
    import select  # late, like everything that Chrome need not wait for
    import signal

    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    stop_requested = []
    signal.signal(signal.SIGTERM, lambda *_: stop_requested.append(True))
    signal.signal(signal.SIGCHLD, lambda *_: None)
    events = select.poll()
    for fd in (_LIFELINE, log.fd, woken):
        events.register(fd, select.POLLIN)
    while not stop_requested:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return status
        ready = {fd for fd, _ in events.poll(_PARENT_CHECK_MS)}
        if log.fd in ready and not log.read():
            events.unregister(log.fd)
        if woken in ready:
            os.read(woken, 512)
        # A child that our parent forked may hold the lifeline open after its death.
        if _LIFELINE in ready or os.getppid() != parent:
            return None
    return None


def clean_up(pid: int, profile: str, *, temporary: bool) -> None:
    """Ends every process of the Chrome whose main process is or was `pid`; removes its profile when it is temporary."""
    if sys.platform != "win32":
        _end_all(pid, profile, temporary)
    else:
        import subprocess  # late, see command_line

        subprocess.run(["taskkill", "/T", "/F", "/PID", str(pid)], capture_output=True, check=False)
    if temporary:
        _remove(profile)


def _end_all(pid: int, profile: str, temporary: bool) -> None:
    kill_from = time.monotonic() + (0.0 if temporary else _GIVEN_PROFILE_GRACE_S)
    given_up_at = None
    socket = os.path.realpath(os.path.join(profile, "SingletonSocket"))
    while living := _living(pid, profile if temporary else None):
        now = time.monotonic()
        if now >= kill_from:
            for process in living:
                _kill(process)
            # Counted from the first kill: on a machine under load it may take long to find the processes.
            given_up_at = given_up_at or now + _KILL_DEADLINE_S
            if now >= given_up_at:
                break
        time.sleep(0.002)
        _reap()
    # The folder of the socket is among the temporary files, and Chrome leaves it there when it ends in a hurry.
    for step, path in ((os.unlink, socket), (os.unlink, f"{socket[:-6]}Cookie"), (os.rmdir, os.path.dirname(socket))):
        try:
            step(path)
        except OSError:
            pass


def command_line(pid: int) -> str:
    """The command line of a process, "" when there is none (gone, or a zombie)."""
    if sys.platform == "linux":
        try:
            return _content(f"/proc/{pid}/cmdline").replace("\0", " ")
        except OSError:
            return ""
    import subprocess  # late: 5 ms, and never on Linux

    if sys.platform == "win32":
        script = f"(Get-CimInstance Win32_Process -Filter 'ProcessId={pid}').CommandLine"
        query = ["powershell", "-NoProfile", "-Command", script]
    else:
        query = ["ps", "-ww", "-o", "command=", "-p", str(pid)]
    return subprocess.run(query, capture_output=True, text=True, check=False).stdout.strip()


def _living(group: int, profile: str | None) -> list[int]:
    """The processes of Chrome's group, orphans that we adopted, and processes that name its temporary profile."""
    own = os.getpid()
    return [
        pid
        for pid, parent, process_group, state, command in _processes()
        if pid != own
        and state[0] not in "ZX"
        and (
            process_group == group
            or (_SUPERVISING and parent == own)
            or (profile is not None and profile in command and os.path.basename(__file__) not in command)
        )
    ]


def _processes() -> list[tuple[int, int, int, str, str]]:
    """For every process: its id, the ids of its parent and its group, its state and its command line."""
    rows = []
    if sys.platform != "linux":
        import subprocess  # late, see command_line

        listing = ["ps", "-A", "-ww", "-o", "pid=,ppid=,pgid=,stat=,command="]
        for line in subprocess.run(listing, capture_output=True, text=True, check=False).stdout.splitlines():
            pid, parent, group, state, *command = line.split(None, 4)
            rows.append((int(pid), int(parent), int(group), state, "".join(command)))
        return rows
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            # The program's name in parentheses may contain anything: proc(5).
            state, parent, group = _content(f"/proc/{name}/stat").rpartition(")")[2].split(None, 3)[:3]
        except OSError:
            continue  # it ended meanwhile
        rows.append((int(name), int(parent), int(group), state, command_line(int(name))))
    return rows


def _content(path: str) -> str:
    """The content of a file of /proc. File objects would take twice as long."""
    file = os.open(path, os.O_RDONLY)
    try:
        return os.fsdecode(b"".join(iter(lambda: os.read(file, 65_536), b"")))
    finally:
        os.close(file)


def _adopt_orphans() -> None:
    """Makes helpers that Chrome detaches (its crash handler) our children, so that they are found and reaped."""
    try:
        import ctypes  # late: 4 ms, while Chrome starts

        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER, on Linux
    except (ImportError, OSError, AttributeError):
        pass  # they are still found by the profile in their command line


def _kill(pid: int) -> None:
    try:
        os.kill(pid, 9)
    except (ProcessLookupError, PermissionError):
        pass  # it ended meanwhile


def _reap() -> None:
    try:
        while _SUPERVISING and os.waitpid(-1, os.WNOHANG)[0]:  # else the children are somebody else's
            pass
    except ChildProcessError:
        pass


def _remove(folder: str) -> None:
    import shutil  # late: 2 ms

    for _ in range(20):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):
            return
        time.sleep(0.05)  # on Windows a file may stay locked for a moment after its process has ended


def _say(line: str, *more: bytes) -> None:
    try:
        os.write(1, line.encode() + b"".join(more))
    except OSError:
        pass  # the reader may be dead: that is what this process is for


def _watch_windows(profile: str, temporary: bool, parent: int, pipes: list[int], command: list[str]) -> None:
    import subprocess  # late: only on Windows
    import threading

    chrome = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert chrome.stderr is not None  # a pipe
    _say(f"started {chrome.pid}\n")

    def follow_lifeline() -> None:
        os.read(_LIFELINE, 1)
        clean_up(chrome.pid, profile, temporary=False)

    threading.Thread(target=follow_lifeline, daemon=True).start()
    log = _ErrorLog(chrome.stderr.fileno())
    log.read()
    status = chrome.wait()
    clean_up(chrome.pid, profile, temporary=temporary)
    _say(f"ended {status}\n", log.tail)


if __name__ == "__main__":
    main(sys.argv[1:])
