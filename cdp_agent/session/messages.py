"""What a client and a session's host tell each other: JSON, a message a line.

The client writes and reads the same with the standard library's `json`, which it imports in a third of the time.
"""

from __future__ import annotations

import msgspec


class CommandRequest(msgspec.Struct, frozen=True):
    """A command, with all that it may depend on where it was given: the host runs it as if it were there.

    `environment` is the caller's, whose keys stay in memory. `at_terminal`: somebody reads what is written.
    """

    session: str
    words: list[str]
    folder: str
    environment: dict[str, str]
    at_terminal: bool = False


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    """The first that a host says: its process id."""

    pid: int


class Written(msgspec.Struct, frozen=True, tag="out"):
    """Text for the standard output."""

    text: str


class Complained(msgspec.Struct, frozen=True, tag="err"):
    """Text for the standard error."""

    text: str


class CommandEnded(msgspec.Struct, frozen=True, tag="end"):
    """The exit status; nothing comes after it."""

    status: int


Message = Hello | Written | Complained | CommandEnded
