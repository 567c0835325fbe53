"""Shows a run to a person: a line for each step, updated live on a terminal, plain when piped."""

from __future__ import annotations

import shutil
import time
from types import TracebackType
from typing import Self, TextIO

from cdp_agent.cli.terminal.text import one_line
from cdp_agent.events import (
    AgentAction,
    AgentProcessing,
    AgentStatus,
    AgentStep,
    AiGeneration,
    AiGenerationError,
    BrowserActionCompleted,
    BrowserReconnected,
    Event,
    TaskCompleted,
    TaskStarted,
    TaskValidationError,
)
from cdp_agent.step_events import StepNotDone, StepResolved, StepSkipped

_LONG_OUTPUT_TOOLS = {"done", "snapshot"}  # their text is the answer, or the page
_CLEAR = "\r\x1b[K"


class Live:
    """Writes to `stream`; leaving the `with` block clears the current line."""

    def __init__(self, stream: TextIO, model: str) -> None:
        self._stream = stream
        self._model = model
        self._on_terminal = stream.isatty()
        self._tokens = 0
        self._began = time.monotonic()
        self._action = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._passing("")

    def show(self, event: Event) -> None:
        match event:
            case AgentProcessing(step=step, operation=operation) if operation != "action":
                self._passing(f"{step:>3}  {operation} …")
            case TaskStarted(action_items=[_, *_] as items):
                self._lasting(f"Plan  {one_line('; '.join(items))}")
            case TaskValidationError(step=step, feedback=feedback):
                self._lasting(f"{step:>3}  ✗ not accepted: {one_line(feedback)}")
            case BrowserReconnected(step=step, url=url):
                self._lasting(f"{step:>3}  Chrome had gone away; it goes on at {one_line(url)}")
            case AgentStep(step=step):
                self._passing(f"{step:>3}  {self._model} …")
            case AiGeneration(usage=usage):
                self._tokens += usage.input_tokens + usage.output_tokens
            case StepResolved(number=number, instruction=instruction, by=by):
                self._lasting(f"{number:>3}  {one_line(instruction)}   (by {by})")
            case StepNotDone(number=number, error=error):
                self._lasting(f"{number:>3}  ✗ {one_line(error)}")
            case StepSkipped(number=number):
                self._lasting(f"{number:>3}  skipped")
            case AgentAction(step=step, action=action, arguments=arguments):
                shown = " ".join([action, *(str(value) for value in arguments.values())])
                self._action = one_line(shown)[:60]
                self._passing(f"{step:>3}  {self._action} …")
            case BrowserActionCompleted(step=step, success=True, text=text, action=action):
                self._lasting(f"{step:>3}  {action if action in _LONG_OUTPUT_TOOLS else one_line(text)}")
            case BrowserActionCompleted(step=step, text=text):
                self._lasting(f"{step:>3}  ✗ {self._action}: {one_line(text)}")
            case AiGenerationError(step=step, message=message) | AgentStatus(step=step, message=message):
                self._lasting(f"{step:>3}  {one_line(message)}")
            case TaskCompleted(result=result):
                stats = result.stats
                tokens = f"{stats.input_tokens + stats.output_tokens:,} tokens"
                self._lasting(f"{stats.steps} steps, {tokens}, {stats.duration_s:.1f} s")
            case _:
                pass

    def _passing(self, line: str) -> None:
        """Writes a line that the next one replaces; only on a terminal."""
        if self._on_terminal:
            seconds = time.monotonic() - self._began
            shown = f"{line}   {self._tokens:,} tokens, {seconds:.0f} s" if line else ""
            self._stream.write(_CLEAR + shown[: self._width()])
            self._stream.flush()

    def _lasting(self, line: str) -> None:
        if self._on_terminal:
            self._stream.write(_CLEAR + line[: self._width()] + "\n")
        else:
            self._stream.write(line + "\n")
        self._stream.flush()

    def _width(self) -> int:
        return shutil.get_terminal_size().columns - 1
