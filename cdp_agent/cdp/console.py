"""https://chromedevtools.github.io/devtools-protocol/tot/Console/

Deprecated in favour of Runtime, but unlike that it can be enabled without any page noticing.
"""

from __future__ import annotations

from .types import Command, Empty, Event, Result


class Message(Result, frozen=True):
    """`Console.ConsoleMessage`. For an uncaught exception the text is only "Uncaught"."""

    text: str
    level: str
    source: str
    url: str = ""
    line: int = 0
    column: int = 0


class Enable(Command[Empty], frozen=True):
    """Chrome sends all messages that it has kept since the document began, then each new one."""


class Disable(Command[Empty], frozen=True): ...


class MessageAdded(Event, frozen=True):
    message: Message
