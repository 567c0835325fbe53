"""The log of an action: what it decided, waited for, sent and read, a line each.

Code that an action runs writes with `log_line`, which finds the log of the action that the present task belongs to. A
line is put into words only when it is read: writing one costs a microsecond. No value of a field is ever written, since
it may be a secret: only how long it is.

With the logger "cdp_agent.action_log" at level DEBUG, each line is logged as it is written, too.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

import msgspec

MOST_LINES = 400
"""How many lines a log has at most: of more, those in the middle are left out."""
LONGEST_VALUE = 200
"""In characters; more of a value in a line is cut."""

Kind = Literal[
    "act", "ref", "aim", "wait", "retry", "input", "reading", "change", "decision", "dialog", "frame", "navigation"
]
"""What a line is about: "act" is its first line, which names the action."""
Value = str | float | None

log = logging.getLogger(__name__)


class LogLine(msgspec.Struct, frozen=True, gc=False):
    """A line of an action's log, `at_ms` milliseconds after the action began; `text` is it in words."""

    at_ms: float
    kind: Kind
    template: str
    values: tuple[Value, ...] = ()

    @property
    def text(self) -> str:
        """The line in words, without its time and kind."""
        return self.template.format(*self.values)

    def __str__(self) -> str:
        return f"{self.at_ms:+8.1f} ms  {self.kind:<10}  {self.text}"

    def __repr__(self) -> str:
        return f"<{str(self).strip()}>"


class Logged(msgspec.Struct, frozen=True, kw_only=True):
    """What an action returns, with its `log`. That is for people and programs: no text for a model has it."""

    log: tuple[LogLine, ...] = ()


class ActionLog:
    """The lines of one action, which may still run."""

    def __init__(self, action: str, ref: str | None = None) -> None:
        self._begun = time.perf_counter()
        self._lines: list[LogLine] = []
        self._left_out = 0
        self._is_logged = log.isEnabledFor(logging.DEBUG)
        self.write("act", "{}" if ref is None else "{} {}", action, ref)

    def write(self, kind: Kind, template: str, *values: Value) -> None:
        """Adds a line: `template.format(*values)` when somebody reads it."""
        for value in values:
            if type(value) is str and len(value) > LONGEST_VALUE:
                values = tuple(_cut(value) for value in values)
                break
        line = LogLine((time.perf_counter() - self._begun) * 1000, kind, template, values)
        if len(self._lines) == MOST_LINES:
            del self._lines[MOST_LINES // 2]
            self._left_out += 1
        self._lines.append(line)
        if self._is_logged:
            log.debug("%s", line)

    @property
    def lines(self) -> tuple[LogLine, ...]:
        """The lines so far, oldest first."""
        if not self._left_out:
            return tuple(self._lines)
        half = MOST_LINES // 2
        gap = LogLine(self._lines[half].at_ms, "act", "… {} lines are left out here", (self._left_out,))
        return (*self._lines[:half], gap, *self._lines[half:])


_running: ContextVar[ActionLog | None] = ContextVar("running_action_log", default=None)


def log_line(kind: Kind, template: str, *values: Value) -> None:
    """Writes a line to the log of the action that the present task belongs to, if any; see `ActionLog.write`."""
    if (running := _running.get()) is not None:
        running.write(kind, template, *values)


@contextmanager
def written_to(running: ActionLog) -> Iterator[None]:
    """A block in which `log_line` writes to that log, and so it does in tasks that begin in the block."""
    former = _running.set(running)
    try:
        yield
    finally:
        _running.reset(former)


def _cut(value: Value) -> Value:
    return value[:LONGEST_VALUE] if isinstance(value, str) else value
