"""`cdp-agent sessions` and `cdp-agent close [--all]`: the running sessions of all session hosts."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Sequence
from contextlib import suppress

from cdp_agent.cli.argument_parser import Parser
from cdp_agent.cli.status import DONE
from cdp_agent.cli.terminal.text import one_line
from cdp_agent.cli.words import ChosenSession
from cdp_agent.errors import BrowserError
from cdp_agent.session import client, runtime
from cdp_agent.session.client import HostConnection

ABOUT, CALLS, CLOSE, LEAVE = "+about", "+calls", "+close", "+leave"
"""The words of internal requests to a host; nobody can type them as commands."""
_ENDS_WITHIN_S = 10.0


def list_sessions(words: Sequence[str]) -> int:
    """Prints the running sessions. Raises SetupError."""
    parser = Parser("sessions", "List the running sessions.")
    parser.add_argument("--json", action="store_true", help="print as JSON")
    as_json = parser.read(words).json
    folder = runtime.folder()
    sessions = [about for name in runtime.names(folder) if (about := _about(folder, name))]
    if as_json:
        print(f"[{','.join(sessions)}]")
        return DONE
    if not sessions:
        print("No session runs.")
    for session in map(json.loads, sessions):  # a SessionInfo, whose module takes 0.2 s to import
        chrome = f"at {session['endpoint']}" if session["endpoint"] else f"Chrome is process {session['chrome']}"
        tabs = f"{session['tabs']} tab{'' if session['tabs'] == 1 else 's'}"
        page = f", now at {session['url']}" if session["url"] else ""
        idle = f"idle for {session['idle_s']:.0f} of {session['ends_after_s']:g} s"
        print(one_line(f"{session['name']}: {tabs}{page}; {chrome}; {idle}"))
    return DONE


def close_sessions(words: Sequence[str], chosen: ChosenSession) -> int:
    """Ends the chosen session, or all. Raises SetupError, BrowserError."""
    parser = Parser(
        "close",
        "End the session: close its tabs, and its Chrome if cdp-agent started it.",
        "%(prog)s [--all] [--leave]",
    )
    parser.add_argument("--all", action="store_true", help="end all of this user's sessions")
    parser.add_argument("--leave", action="store_true", help="lose what was filled in and not sent")
    parser.add_argument("--json", action="store_true", help="print the names of the ended sessions as JSON")
    args = parser.read(words)
    folder = runtime.folder()
    names = runtime.names(folder) if args.all else [chosen.session]
    ends = {name: close_session(folder, name, leave=args.leave) for name in names}
    closed = [name for name, (was_there, status) in ends.items() if was_there and status == DONE]
    if args.json:
        print(json.dumps(closed))
    elif not any(was_there for was_there, _ in ends.values()):
        print("No session runs." if args.all else f"No session {chosen.session!r} runs.")
    else:
        print("".join(f"Session {name!r} has ended.\n" for name in closed), end="")
    return max((status for _, status in ends.values()), default=DONE)


def close_session(folder: str, name: str, *, leave: bool) -> tuple[bool, int]:
    """Ends the session, and its host if that does not answer. Returns whether there was one, and the exit status.

    Without `leave` it goes on where something that was filled in and not sent would be lost; why is printed. Raises
    BrowserError.
    """
    try:
        connection = client.connect(folder, name)
    except BrowserError:
        return _end_hanging(folder, name), DONE
    if connection is None and (connection := _starting_host(folder, name)) is None:
        return False, DONE
    answer, status = _asked(connection, name, CLOSE, *([LEAVE] if leave else []))
    return bool(answer) or status != DONE, status


def _about(folder: str, name: str) -> str:
    """The session's SessionInfo as JSON, "" if there is no such session."""
    try:
        connection = client.connect(folder, name)
    except BrowserError as error:
        print(f"{name}: {error}")
        return ""
    if connection is None and (connection := _starting_host(folder, name)) is None:
        return ""
    try:
        return _asked(connection, name, ABOUT)[0]
    except BrowserError:
        return ""  # it ended meanwhile


def _asked(connection: HostConnection, name: str, *words: str) -> tuple[str, int]:
    """A host's answer to an internal request about a session, "" if it has no such session, and the exit status.

    Raises BrowserError.
    """
    answer: list[str] = []
    try:
        connection.ask(name, words)
        status = connection.follow(name, answer.append)
    finally:
        connection.close()
    return "".join(answer), status


def _starting_host(folder: str, name: str) -> HostConnection | None:
    """The host of a session that is just being started; if there is none, the socket of a killed host is removed."""
    with runtime.starting(folder, name):
        if (connection := client.connect(folder, name)) is None:
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(folder, f"{name}.sock"))
        return connection


def _end_hanging(folder: str, name: str) -> bool:
    """Kills a host that does not answer; its Chrome ends with it."""
    host = os.path.basename(os.path.realpath(os.path.join(folder, f"{name}.sock"))).removesuffix(".sock")
    pid = runtime.pid_of(folder, host)
    if pid is None:
        raise BrowserError(f"The process that holds the session {name!r} does not answer, and is not known.")
    if not client.end_and_wait(folder, name, lambda: _kill(pid), _ENDS_WITHIN_S):
        raise BrowserError(f"The process {pid} that holds the session {name!r} does not end.")
    if (connection := _starting_host(folder, name)) is not None:
        connection.close()
    return True


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):  # it has ended meanwhile
        os.kill(pid, signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
