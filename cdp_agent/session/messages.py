"""What a client and a session's host tell each other: JSON, a message a line.

The client writes and reads the same with what the standard library's `json` is made of, which is imported at once.
"""

from __future__ import annotations

from typing import Any

import msgspec


class CommandRequest(msgspec.Struct, frozen=True):
    """A command, with all that it may depend on where it was given: the host runs it as if it were there.

    `environment` is the caller's, whose keys stay in memory. `at_terminal`: somebody is there to be asked. `stdin` is
    what the command reads, where it takes the standard input.
    """

    session: str
    words: list[str]
    folder: str
    environment: dict[str, str]
    at_terminal: bool = False
    stdin: str | None = None


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    """The first that a host says: its process id."""

    pid: int


class CommandBegun(msgspec.Struct, frozen=True, tag="begun"):
    """The command was understood to be one, and its session is this host's."""


class Serving(msgspec.Struct, frozen=True, tag="serving"):
    """Where the session of a first command is held, as a process says that was started for it."""

    host: str


class Written(msgspec.Struct, frozen=True, tag="out"):
    """Text for the standard output."""

    text: str


class Complained(msgspec.Struct, frozen=True, tag="err"):
    """Text for the standard error."""

    text: str


class EventTold(msgspec.Struct, frozen=True, tag="event"):
    """What happened in a run, as JSON."""

    event: msgspec.Raw


class DecisionAsked(msgspec.Struct, frozen=True, tag="ask"):
    """A question of a run, as JSON, that waits for a decision."""

    ask: msgspec.Raw


class CommandEnded(msgspec.Struct, frozen=True, tag="end"):
    """The exit status; nothing comes after it."""

    status: int


class DecisionMade(msgspec.Struct, frozen=True, tag="decision"):
    """What was decided about the question of that id, None when nobody is there; the client says it."""

    id: int
    decision: dict[str, Any] | None


class CallAsked(msgspec.Struct, frozen=True, tag="call"):
    """What is wanted of a session, as JSON; the client says it, and may ask for more before this one is answered."""

    id: int
    request: msgspec.Raw


class CallCancelled(msgspec.Struct, frozen=True, tag="cancel"):
    """The call of that id is to be given up; the client says it."""

    id: int


class CallAnswered(msgspec.Struct, frozen=True, tag="called"):
    """What came of the call of that id, as JSON."""

    id: int
    reply: msgspec.Raw


class StopAsked(msgspec.Struct, frozen=True, tag="stop"):
    """The run is to end, with its result; the client says it."""


class PauseAsked(msgspec.Struct, frozen=True, tag="pause"):
    """The run is to wait for its user, who is asked when it does; the client says it."""


Message = (
    Hello | CommandBegun | Serving | Written | Complained | EventTold | DecisionAsked | CallAnswered | CommandEnded
)
"""What a host says."""
Said = DecisionMade | StopAsked | PauseAsked | CallAsked | CallCancelled
"""What a client says after its request."""
