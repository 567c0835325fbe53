"""The caller of a command: its folder, environment and output, which in a session host are those of another process."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Protocol

import msgspec

from cdp_agent.session.messages import Message, StderrText, StdoutText


class Stream(Protocol):
    """Receives the output of a command."""

    def write(self, text: str) -> None:
        """Writes to the standard output."""

    def write_error(self, text: str) -> None:
        """Writes to the standard error."""


class CommandCaller(msgspec.Struct, frozen=True):
    """The caller of a command. `folder` is the base of relative paths; `at_terminal`: a person can be asked."""

    folder: str
    environment: Mapping[str, str]
    output: Stream
    at_terminal: bool = False

    @staticmethod
    def here() -> CommandCaller:
        """This process as the caller."""
        return CommandCaller(os.getcwd(), os.environ, Streams(), sys.stdin.isatty() and sys.stderr.isatty())


class Streams:
    """The standard output and error of this process."""

    def write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    def write_error(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


class Starter:
    """The process that started this one, and reads its output until this one serves."""

    def say(self, message: Message) -> None:
        os.write(1, msgspec.json.encode(message) + b"\n")

    def write(self, text: str) -> None:
        self.say(StdoutText(text))

    def write_error(self, text: str) -> None:
        self.say(StderrText(text))
