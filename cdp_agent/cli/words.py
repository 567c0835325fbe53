"""Finds the command and its session in the words of a command line, without parsing all of them."""

from __future__ import annotations

import os
import sys

from cdp_agent.session import runtime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Without -P, Python would import modules from the folder of the first command's caller, such as a msgspec.py there.
# Looking for garbage among what is imported takes 6 % of the start: hosting.py begins with that when all is there.
_BEGIN = """import gc, sys
gc.disable()
code = sys.argv.pop(1)
code in sys.path or sys.path.insert(0, code)
from cdp_agent.cli.host_startup import main
main(*sys.argv[1:])"""
HOST = (sys.executable, "-P", "-c", _BEGIN, os.path.dirname(os.path.dirname(os.path.dirname(__file__))))
"""The command that starts a session host with the same code as this process."""
RUNS = ("run", "do", "resume")
"""The commands that an agent carries out."""
_VALUELESS_OPTIONS = ("-h", "--help", "-V", "--version", "--json", "-q", "--quiet", "--debug")


def split(arguments: Sequence[str]) -> tuple[list[str], str | None, list[str]]:
    """The options before the command, the command, and what follows it."""
    place = 0
    while place < len(arguments) and arguments[place].startswith("-"):
        place += 2 if _takes_value(arguments[place]) else 1
    name = arguments[place].replace("-", "_") if place < len(arguments) else None
    return list(arguments[:place]), name, list(arguments[place + 1 :])


class ChosenSession:
    """The session of a command, whether it was `named`, and whether it is for this command only (`once`).

    Not a NamedTuple, since `typing` takes 5 ms to import.
    """

    def __init__(self, session: str, *, named: bool, once: bool) -> None:
        self.session = session
        self.named = named
        self.once = once


def split_session(arguments: Sequence[str]) -> tuple[ChosenSession, list[str]]:
    """The chosen session, and the other words. Raises SetupError."""
    session = os.environ.get(runtime.VARIABLE) or None
    once, words, rest = False, [], iter(arguments)
    for word in rest:
        if word == "--":
            words += [word, *rest]
        elif word == "--session":
            session = next(rest, "")
        elif word.startswith("--session="):
            session = word.partition("=")[2]
        elif word == "--once":
            once = True
        else:
            words.append(word)
    name = runtime.DEFAULT if session is None else runtime.checked_name(session)
    return ChosenSession(name, named=session is not None, once=once), words


def _takes_value(word: str) -> bool:
    if "=" in word or word in _VALUELESS_OPTIONS:
        return False
    from cdp_agent.cli.flags import takes_value  # late: all settings, for the rare option before the command

    return takes_value(word)
