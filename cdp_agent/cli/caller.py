"""Whoever gave a command: where they are, and where what it writes goes. In the host of a session that is elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Protocol

import msgspec

from cdp_agent.session.messages import Complained, Message, Written


class Stream(Protocol):
    """Takes what a command writes."""

    def write(self, text: str) -> None:
        """To the standard output."""

    def complain(self, text: str) -> None:
        """To the standard error."""


class CommandCaller(msgspec.Struct, frozen=True):
    """`folder` is where relative paths begin; `at_terminal`: a person is there to be asked."""

    folder: str
    environment: Mapping[str, str]
    output: Stream
    at_terminal: bool = False

    @staticmethod
    def here() -> CommandCaller:
        """Whoever has called this process."""
        return CommandCaller(os.getcwd(), os.environ, Streams(), sys.stdin.isatty() and sys.stderr.isatty())


class Streams:
    """The standard output and error of this process."""

    def write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    def complain(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


class Starter:
    """Whoever has started this process, and reads what it says until it serves."""

    def say(self, message: Message) -> None:
        os.write(1, msgspec.json.encode(message) + b"\n")

    def write(self, text: str) -> None:
        self.say(Written(text))

    def complain(self, text: str) -> None:
        self.say(Complained(text))
