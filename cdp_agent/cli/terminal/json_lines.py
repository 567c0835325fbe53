"""Approvals and answers by a program at the other end of a pipe, in JSON Lines.

A question is {"ask": {"type": "plan", "id": 1, …}, "decisions": ["approve", …]} on the standard output, a decision
{"id": 1, "decision": "approve"} on the standard input. At any time {"pause": true} makes the run wait after its turn,
with a question of type "paused", and {"stop": true} ends it. A decision that does not count is answered with
{"refused": WHY, "id": 1}. See decisions.py for all questions and decisions.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, TextIO

import msgspec

from cdp_agent.cli.terminal.lines import LineListener, Lines
from cdp_agent.decisions import Ask, possible
from cdp_agent.steps.approval.approval import Submit


class JsonLines:
    """An `Approver` that asks a program, and lets it pause and stop the run."""

    def __init__(self, lines: Lines | None = None, stream: TextIO | None = None) -> None:
        self._lines = lines or Lines()
        self._stream = stream
        self._early: deque[str] = deque()
        """Decisions that came before their question was asked."""
        self._signals: dict[str, Callable[[], object]] = {}
        self._listener = LineListener(self._lines, self._take_line)

    async def __call__(self, ask: Ask, submit: Submit) -> None:
        """Writes the question, and reads lines until a decision counts or there are no more lines."""
        async with self._listener.suspended():
            self._write({"ask": msgspec.to_builtins(ask), "decisions": possible(ask)})
            while (line := await self._next()) is not None:
                if not line.strip() or self._is_signal(line):
                    continue
                ask_id, problem = self._take(line, submit)
                if problem is None:
                    return
                self._write({"refused": problem, "id": ask_id})

    @asynccontextmanager
    async def watching(self, pause: Callable[[], object], stop: Callable[[], object]) -> AsyncIterator[None]:
        """Inside the block, which is put around the run, `pause` and `stop` are called when the program asks for it."""
        self._signals = {"pause": pause, "stop": stop}
        async with self._listener.listening():
            yield

    def handle_interrupt(self, stop: Callable[[], object]) -> None:
        """Handles Ctrl-C: stops the run."""
        stop()

    async def _next(self) -> str | None:
        return self._early.popleft() if self._early else await self._lines.next()

    def _take_line(self, line: str) -> None:
        if not self._is_signal(line):
            self._early.append(line)

    def _is_signal(self, line: str) -> bool:
        """Handles a line that pauses or stops the run. Returns whether it was one."""
        try:
            said = msgspec.json.decode(line, type=dict[str, Any])
        except msgspec.DecodeError:
            return False
        signal = next((name for name in self._signals if said.get(name) is True and len(said) == 1), None)
        if signal is None:
            return False
        self._signals[signal]()
        return True

    def _take(self, line: str, submit: Submit) -> tuple[object, str | None]:
        try:
            decision = msgspec.json.decode(line, type=dict[str, Any])
        except msgspec.DecodeError as error:
            return None, f"This is no JSON object: {error}."
        ask_id = decision.pop("id", None)
        if not isinstance(ask_id, int):
            return ask_id, "id has to be the number of the question."
        return ask_id, submit(ask_id, decision)

    def _write(self, value: Mapping[str, object]) -> None:
        stream = self._stream or sys.stdout
        stream.write(msgspec.json.encode(value).decode() + "\n")
        stream.flush()
