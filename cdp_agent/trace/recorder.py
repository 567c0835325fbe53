"""Writes what happens in a run into its folder, line by line as it happens, within limits.

The secrets of the run must already be masked in its input. Each line is written by one system call, so that it is kept
when the process is killed. When nothing more can be written, that is reported once and the run goes on.
"""

from __future__ import annotations

import hashlib
import logging
import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from cdp_agent.action_log import LogLine
from cdp_agent.errors import NO_ROOM, ModelError, SetupError
from cdp_agent.event import BaseEvent, Stamp
from cdp_agent.events import AgentProcessing, AgentStep, Event, TaskCompleted, without_image
from cdp_agent.page.picture.paint import Picture
from cdp_agent.providers.base import Assistant, Forced, Message, Reply, Request, ToolSpec
from cdp_agent.security import files
from cdp_agent.security.redaction import redact
from cdp_agent.trace import lines
from cdp_agent.trace.event_file import TraceStarted
from cdp_agent.trace.lines import Record, Subject, TraceOmitted, subject_of
from cdp_agent.trace.options import (
    ACTIONS,
    CONSOLE,
    DOCUMENTS,
    EVENTS,
    MODEL,
    NETWORK,
    PICTURES,
    TraceOptions,
    new_run_folder,
    truncate_texts,
)

_FILES: dict[Subject, str] = {
    "event": EVENTS,
    "action": ACTIONS,
    "prompt": MODEL,
    "reply": MODEL,
    "picture": PICTURES,
    "network": NETWORK,
    "console": CONSOLE,
    "document": DOCUMENTS,
}
_EVENT_SHARE = 0.1
"""The share of `max_bytes` that is reserved for events."""
_LONGEST_TEXTS = (50_000, 5_000, 500)
"""The limits, in characters, of each text in a line that is too long, tried in order until the line is short enough."""
_UNLIMITED = (TraceOmitted, TaskCompleted)
"""Written even beyond `max_bytes`: short, few, and needed by readers."""
_CUT = "… (cut: {:,} characters more)"
_log = logging.getLogger(__name__)


class Recorder:
    """Writes one run into a new folder. `close` it at the end.

    `words` is the text of the task, for the folder's name. `problem` is called once, with the reason, when nothing more
    can be written. Raises SetupError if the folder cannot be created.
    """

    def __init__(self, options: TraceOptions, words: str, problem: Callable[[str], object] = lambda why: None) -> None:
        self.options = options
        self.problem = problem
        self.folder = new_run_folder(options.folder, redact(words, options.redacted))
        self.step = 0
        """The step of the last event."""
        self._began: list[tuple[float, int]] = []
        """When each step began."""
        self._files: dict[str, int] = {}
        self._sizes: Counter[str] = Counter()
        self._written = 0
        self._omitted: Counter[tuple[Subject, str]] = Counter()
        self._is_broken = False
        self._operation = "tool"
        self._requests = 0
        self._known: dict[bytes, int] = {}
        """The numbers of messages and tools, by digests of their content."""
        self._saved: dict[bytes, str] = {}
        """The files of pictures and documents, by digests of their content."""
        self._pictures = 0
        try:
            self._append(EVENTS, msgspec.json.encode(TraceStarted()) + b"\n")
        except OSError as error:
            raise SetupError(f"The trace cannot be written to {self.folder}: {error.strerror}.") from error

    def event(self, event: Event) -> None:
        """Writes an event, without its picture: pictures that a model got are stored with its messages."""
        self.step = event.step
        if isinstance(event, AgentProcessing):
            self._operation = event.operation
        elif isinstance(event, AgentStep):
            self._operation = "tool"
            self._began.append((event.timestamp, event.step))
        self._write("event", without_image(event))

    def record(self, line: Record) -> None:
        """Writes a line other than an event."""
        self._write(subject_of(line), line)

    def action_log(self, action: str, log: Sequence[LogLine], step: int) -> None:
        """Writes the log of an action, if there is any."""
        if log:
            texts = [str(line) for line in log]
            self.record(lines.ActionLogged(timestamp=time.time(), step=step, action=action, lines=texts))

    def asked(self, request: Request, provider: str) -> int:
        """Writes a request to a model. Returns its number, for `replied` or `failed`."""
        self._requests += 1
        operation, self._operation = self._operation, "tool"
        tools = [_shown_tool(each) for each in request.tools]
        choice = request.tool_choice
        self.record(
            lines.ModelRequest(
                **self.stamp,
                number=self._requests,
                operation=operation,
                provider=provider,
                model=request.model,
                messages=[self._message(each) for each in request.messages],
                tools=self._number_of(tools, lambda number: lines.ModelTools(**self.stamp, number=number, tools=tools))
                if tools
                else None,
                tool_choice=choice.name if isinstance(choice, Forced) else choice,
            )
        )
        return self._requests

    def replied(self, number: int, reply: Reply, duration_s: float) -> None:
        """Writes the model's reply to that request."""
        self.record(
            lines.ModelReply(
                **self.stamp,
                number=number,
                duration_s=round(duration_s, 3),
                text=reply.text,
                reasoning=reply.reasoning,
                tool_calls=list(reply.tool_calls),
                finish_reason=reply.finish_reason,
                usage=reply.usage,
                refusal=reply.refusal,
            )
        )

    def failed(self, number: int, error: ModelError, duration_s: float) -> None:
        """Writes that this request got no reply."""
        self.record(
            lines.ModelFailure(
                **self.stamp,
                number=number,
                duration_s=round(duration_s, 3),
                kind=type(error).__name__,
                message=str(error),
            )
        )

    def picture(
        self, picture: Picture, *, step: int, taken: float, tab: str, url: str, viewport: tuple[float, float]
    ) -> int | None:
        """Writes a picture that was taken of a tab. Returns its number, None if it was left out."""
        file = self._save(picture.data, picture.format)
        if file is None:
            return None
        self._pictures += 1
        self.record(
            lines.PictureTaken(
                timestamp=taken,
                step=step,
                number=self._pictures,
                tab=tab,
                url=url,
                file=file,
                size=len(picture.data),
                width=viewport[0],
                height=viewport[1],
            )
        )
        return self._pictures

    def omit(self, what: Subject, why: str) -> None:
        """Counts something that is left out; writes a line the first time."""
        self._omitted[what, why] += 1
        if self._omitted[what, why] == 1:
            self._write("event", TraceOmitted(**self.stamp, what=what, why=why))

    def close(self) -> None:
        """Writes the totals of what was left out. Nothing is written afterwards."""
        for (what, why), count in self._omitted.items():
            if count > 1:
                self._write("event", TraceOmitted(**self.stamp, what=what, why=why, count=count))
        self._is_broken = True
        for file in self._files.values():
            os.close(file)
        self._files.clear()

    def step_at(self, timestamp: float) -> int:
        """The step that was under way at this time; the later of two when a clock was set back meanwhile."""
        return next((step for began, step in reversed(self._began) if began <= timestamp), 0)

    @property
    def stamp(self) -> Stamp:
        """The time and step for a line that is written now."""
        return {"timestamp": time.time(), "step": self.step}

    def _message(self, message: Message) -> int:
        """The number of a message, which is written if it is new."""
        if isinstance(message, Assistant):
            message = msgspec.structs.replace(message, state=None)
        plain: dict[str, Any] = msgspec.to_builtins(message, builtin_types=(bytes,))
        for image in [each for each in [*plain.get("parts", ()), *plain.get("images", ())] if "data" in each]:
            content = image.pop("data")
            image["file"] = self._save(content, image["media_type"].partition("/")[2])
        return self._number_of(plain, lambda number: lines.ModelMessage(**self.stamp, number=number, message=plain))

    def _number_of(self, what: object, line: Callable[[int], Record]) -> int:
        digest = hashlib.blake2b(msgspec.json.encode(what), digest_size=16).digest()
        if digest not in self._known:
            self._known[digest] = len(self._known) + 1
            self.record(line(self._known[digest]))
        return self._known[digest]

    def save_document(self, content: bytes, format: str) -> str | None:
        """The file of a document or a style sheet; see `_save`."""
        return self._save(content, format, subject="document", folder="snapshots")

    def _save(
        self, content: bytes, format: str, *, subject: Subject = "picture", folder: str = "pictures"
    ) -> str | None:
        """The file with that content, which is written if it is new; None if it is left out."""
        digest = hashlib.blake2b(content, digest_size=16).digest()
        if digest in self._saved:
            return self._saved[digest]
        if self._is_broken:
            return None
        limit = self.options.max_picture_bytes
        if len(content) > limit:
            self.omit(subject, f"longer than {limit:,} bytes")
            return None
        if not self._has_room(subject, len(content)):
            return None
        name = f"{folder}/{len(self._saved) + 1:04}.{format}"
        try:
            (self.folder / folder).mkdir(mode=0o700, exist_ok=True)
            self._append(name, content)
            os.close(self._files.pop(name))
        except OSError as error:
            self._give_up(error)
            return None
        self._saved[digest] = name
        return name

    def _write(self, subject: Subject, line: BaseEvent) -> None:
        if self._is_broken and self.options.follow is None:
            return
        encoded, limit = self._encoded(line), self.options.max_line_bytes
        for longest in _LONGEST_TEXTS:
            if len(encoded) <= limit:
                break
            encoded = self._encoded(line, longest)
            if len(encoded) <= limit:
                self.omit(subject, f"cut: a line may have {limit:,} bytes")
        if len(encoded) > limit:
            self.omit(subject, f"a line may have {limit:,} bytes")
            return
        if self.options.follow is not None:
            self.options.follow(self.folder, encoded)
        if self._is_broken:
            return
        if not isinstance(line, _UNLIMITED) and not self._has_room(subject, len(encoded)):
            return
        try:
            self._append(_FILES[subject], encoded)
        except OSError as error:
            self._give_up(error)

    def _encoded(self, line: BaseEvent, longest: int | None = None) -> bytes:
        if not self.options.redacted and longest is None:
            return msgspec.json.encode(line) + b"\n"
        plain = redact(msgspec.to_builtins(line), self.options.redacted)
        return msgspec.json.encode(plain if longest is None else truncate_texts(plain, longest, _CUT)) + b"\n"

    def _has_room(self, subject: Subject, size: int) -> bool:
        """Whether there is room for `size` bytes; a part of the limit is reserved for events."""
        most = self.options.max_bytes
        if self._written + size <= (most if subject == "event" else most * (1 - _EVENT_SHARE)):
            return True
        self.omit(subject, f"all of the trace may have {most:,} bytes")
        return False

    def _append(self, name: str, content: bytes) -> None:
        """Appends to a file. If that raises OSError, the file is as it was before."""
        if name not in self._files:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
            self._files[name] = os.open(self.folder / name, flags, 0o600)
        file = self._files[name]
        try:
            files.write_all(file, content)
        except OSError:
            os.ftruncate(file, self._sizes[name])
            raise
        self._sizes[name] += len(content)
        self._written += len(content)

    def _give_up(self, error: OSError) -> None:
        why = f"The trace in {self.folder} cannot be written any more: {error.strerror}."
        if error.errno not in NO_ROOM:
            _log.debug("writing a trace failed", exc_info=error)
        self._is_broken = True
        self.problem(why)


def _shown_tool(tool: ToolSpec) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
