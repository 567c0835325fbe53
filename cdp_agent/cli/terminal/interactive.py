"""A person at the terminal during a run: answers its questions, and may pause it to act in its window."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TextIO

import msgspec

from cdp_agent.cli.terminal.approving import Terminal
from cdp_agent.cli.terminal.json_lines import JsonLines
from cdp_agent.cli.terminal.lines import LineListener, Lines
from cdp_agent.config import Config
from cdp_agent.config.sources import Loaded
from cdp_agent.decisions import Ask
from cdp_agent.steps.approval.approval import Submit

INTERACTIVE = "answer questions; Ctrl-C or p pauses"
"""The help text of --interactive."""
_PAUSES = ("p", "pause")
_PAUSING = "It waits for you after this step. Ctrl-C again ends it.\n"


class Interactive:
    """An `Approver` at the terminal. Between questions, `p` or Ctrl-C pauses the run."""

    def __init__(self, lines: Lines | None = None, stream: TextIO | None = None) -> None:
        self._lines = lines or Lines()
        self._stream = stream
        self._terminal = Terminal(self._lines, stream)
        self._pause: Callable[[], object] = lambda: None
        self._listener = LineListener(self._lines, self._take_line)
        self._is_pausing = False
        """Whether a pause was requested or a question is open; reset when the question ends."""

    async def __call__(self, ask: Ask, submit: Submit) -> None:
        async with self._listener.suspended():
            self._is_pausing = True
            try:
                await self._terminal(ask, submit)
            finally:
                self._is_pausing = False

    @asynccontextmanager
    async def watching(self, pause: Callable[[], object], stop: Callable[[], object]) -> AsyncIterator[None]:
        """Inside the block, which is put around the run, `pause` is called when the person wants to act themselves."""
        self._pause = pause
        if not self._lines.are_typed:
            yield  # piped lines answer later questions
            return
        async with self._listener.listening():
            yield

    def handle_interrupt(self, stop: Callable[[], object]) -> None:
        """Handles Ctrl-C: pauses the run; a second one, or one at a question, stops it."""
        if self._is_pausing:
            stop()
        else:
            self._pause_run()

    def _pause_run(self) -> None:
        self._is_pausing = True
        stream = self._stream or sys.stderr
        stream.write(f"\n{_PAUSING}")
        stream.flush()
        self._pause()

    def _take_line(self, line: str) -> None:
        if line.strip().lower() in _PAUSES and not self._is_pausing:
            self._pause_run()


def interactive_approver(approver: object) -> Interactive | JsonLines | None:
    """The approver, if it is one that can pause the run; else None."""
    return approver if isinstance(approver, Interactive | JsonLines) else None


def with_window(settings: Loaded[Config], environment: Mapping[str, str]) -> Loaded[Config]:
    """The settings with a visible Chrome, if there is a display and neither `headless` nor `cdp` is set."""
    has_display = sys.platform in ("darwin", "win32") or bool(
        environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    )
    if "headless" in settings.sources or settings.config.cdp or not has_display:
        return settings
    return msgspec.structs.replace(settings, config=msgspec.structs.replace(settings.config, headless=False))
