"""https://chromedevtools.github.io/devtools-protocol/tot/Console/

Deprecated in favour of Runtime, whose `enable` a page can notice: it has each value that is logged looked into. This
has the text alone, as the console shows it.
"""

from __future__ import annotations

from typing import ClassVar

from .types import Command, Empty, Event, Result


class ConsoleMessage(Result, frozen=True):
    """`level` is log, warning, error, debug or info. `url` and `line` are where it was written, if that is known."""

    source: str
    level: str
    text: str
    url: str | None = None
    line: int | None = None


class MessageAdded(Event, frozen=True):
    method: ClassVar[str] = "Console.messageAdded"
    message: ConsoleMessage


class Enable(Command[Empty], frozen=True):
    """Tells of what was written before, too, as far as Chrome has it."""

    method: ClassVar[str] = "Console.enable"
