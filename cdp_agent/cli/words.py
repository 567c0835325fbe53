"""What the words of a command say before anybody reads them: which command it is, and in which session."""

import os
from collections.abc import Sequence

from cdp_agent.session import runtime


def split(arguments: Sequence[str]) -> tuple[list[str], str | None, list[str]]:
    """The options before the command, the command, and what follows it."""
    place = 0
    while place < len(arguments) and arguments[place].startswith("-"):
        place += 2 if arguments[place] == "--cdp" else 1
    name = arguments[place].replace("-", "_") if place < len(arguments) else None
    return list(arguments[:place]), name, list(arguments[place + 1 :])


def of_session(arguments: Sequence[str]) -> tuple[str, bool, list[str]]:
    """The session's name, whether it is for this command alone, and the other words. Raises SetupError."""
    session = os.environ.get(runtime.VARIABLE) or runtime.DEFAULT
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
    return runtime.checked_name(session), once, words
