"""The messages between a client and a session's host: one JSON object per line.

The client does not import this module: it reads and writes the same JSON with the C parts of the standard library's
`json`, which are faster to import.
"""

from __future__ import annotations

from typing import Any

import msgspec


class CommandRequest(msgspec.Struct, frozen=True):
    """A command, with everything that it may depend on in the caller's process: the host runs it as if it were there.

    `environment` is the caller's; the API keys in it are kept in memory only. `at_terminal`: there is somebody who can
    be asked. `stdin` is the standard input, for commands that read it.
    """

    session: str
    words: list[str]
    folder: str
    environment: dict[str, str]
    at_terminal: bool = False
    stdin: str | None = None


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    """The first message of a host: its process id."""

    pid: int


class CommandBegun(msgspec.Struct, frozen=True, tag="begun"):
    """The host has accepted the command for the session."""


class Serving(msgspec.Struct, frozen=True, tag="serving"):
    """The first message of a process that was started for a session: the host that has the session."""

    host: str


class StdoutText(msgspec.Struct, frozen=True, tag="out"):
    """Text for the standard output."""

    text: str


class StderrText(msgspec.Struct, frozen=True, tag="err"):
    """Text for the standard error."""

    text: str


class EventMessage(msgspec.Struct, frozen=True, tag="event"):
    """An event of a run, as JSON."""

    event: msgspec.Raw


class DecisionAsked(msgspec.Struct, frozen=True, tag="ask"):
    """A question of a run, as JSON; the run waits for the decision."""

    ask: msgspec.Raw


class CommandEnded(msgspec.Struct, frozen=True, tag="end"):
    """The exit status, which is the last message."""

    status: int


class DecisionMade(msgspec.Struct, frozen=True, tag="decision"):
    """From the client: the decision about the question with that id, None if nobody can be asked."""

    id: int
    decision: dict[str, Any] | None


class CallAsked(msgspec.Struct, frozen=True, tag="call"):
    """From the client: a call in a session, as JSON. The client may send more calls before this one is answered."""

    id: int
    request: msgspec.Raw


class CallCancelled(msgspec.Struct, frozen=True, tag="cancel"):
    """From the client: cancels the call with that id."""

    id: int


class CallAnswered(msgspec.Struct, frozen=True, tag="called"):
    """The result of the call with that id, as JSON."""

    id: int
    reply: msgspec.Raw


class StopAsked(msgspec.Struct, frozen=True, tag="stop"):
    """From the client: stops the run, which still reports its result."""


class PauseAsked(msgspec.Struct, frozen=True, tag="pause"):
    """From the client: pauses the run, which then asks its user."""


Message = (
    Hello
    | CommandBegun
    | Serving
    | StdoutText
    | StderrText
    | EventMessage
    | DecisionAsked
    | CallAnswered
    | CommandEnded
)
"""The messages that a host sends."""
ClientMessage = DecisionMade | StopAsked | PauseAsked | CallAsked | CallCancelled
"""The messages that a client sends after its request."""
