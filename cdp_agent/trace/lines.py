"""The lines of a trace other than events: JSON objects with `type`, `timestamp` (Unix seconds) and `step`."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from cdp_agent.event import BaseEvent
from cdp_agent.page.activity.console import ConsoleMessage
from cdp_agent.page.activity.request_log import RequestInfo
from cdp_agent.page.picture.marks import Box
from cdp_agent.providers.base import FinishReason, ToolCall, Usage

Subject = Literal["event", "action", "prompt", "reply", "picture", "network", "console", "document"]


class TraceOmitted(BaseEvent, frozen=True, tag="trace:omitted"):
    """Something was left out (`count` times) or cut; `why` names the limit, or the error.

    It is written when that first happens, and again with the total when the run ends.
    """

    what: Subject
    why: str
    count: int = 1


class ActionLogged(BaseEvent, frozen=True, tag="action:log"):
    """The log of an action, a text for each line: what it decided, waited for, sent and read (docs/debugging.md)."""

    action: str
    lines: list[str]


class ModelMessage(BaseEvent, frozen=True, tag="model:message"):
    """A message of a conversation, written once: requests refer to it by its number.

    Its role is in `message` ("system", "user", "assistant", "tool_result"). Pictures in it are files (`file`) in the
    folder; the provider's own state is left out.
    """

    number: int
    message: dict[str, Any]


class ModelTools(BaseEvent, frozen=True, tag="model:tools"):
    """Tools as described to a model, written once: requests refer to them by this number."""

    number: int
    tools: list[dict[str, Any]]


class ModelRequest(BaseEvent, frozen=True, tag="model:request"):
    """A request to a model with these messages, in order, and tools.

    `operation` is "planning", "action", "validation" and the like, or "tool" for the request of a tool.
    """

    number: int
    operation: str
    provider: str
    model: str
    messages: list[int]
    tools: int | None = None
    tool_choice: str = "auto"


class ModelReply(BaseEvent, frozen=True, tag="model:reply"):
    """The reply to the request with that number. `usage.cost` is in US dollars, None if it is not known."""

    number: int
    duration_s: float
    text: str
    reasoning: str
    tool_calls: list[ToolCall]
    finish_reason: FinishReason
    usage: Usage
    refusal: str = ""


class ModelFailure(BaseEvent, frozen=True, tag="model:failure"):
    """The request with that number got no reply; `kind` is the class of the error."""

    number: int
    duration_s: float
    kind: str
    message: str


class PictureTaken(BaseEvent, frozen=True, tag="picture"):
    """What a tab's window showed when the step began; `width` and `height` are of its viewport, in CSS pixels."""

    number: int
    tab: str
    url: str
    file: str
    size: int
    width: float
    height: float


class PictureTarget(BaseEvent, frozen=True, tag="picture:target"):
    """The boxes in that picture, in CSS pixels, of the element that `tool` then acted on; none if it is not in view.

    If the action brought it into view, another line has its boxes in the next picture.
    """

    picture: int
    tool: str
    ref: str
    boxes: list[Box]


class DocumentTaken(BaseEvent, frozen=True, tag="document"):
    """The documents of a tab when the step began, as JSON of `FrameDocument`s in a gzip file."""

    tab: str
    url: str
    file: str
    size: int
    width: float
    height: float


class SheetTaken(BaseEvent, frozen=True, tag="document:sheet"):
    """A style sheet that a document refers to, in a separate file."""

    url: str
    file: str
    size: int


class RequestLine(BaseEvent, frozen=True, tag="network:request"):
    """A request of a tab, written when its answer has come, or at the end of the run.

    `timestamp` is when it was sent.
    """

    tab: str
    request: RequestInfo


class ConsoleLine(BaseEvent, frozen=True, tag="console:message"):
    """A message of a tab's console, with the time when it was noticed."""

    tab: str
    message: ConsoleMessage


ModelLine = ModelMessage | ModelTools | ModelRequest | ModelReply | ModelFailure
PictureLine = PictureTaken | PictureTarget
DocumentLine = DocumentTaken | SheetTaken
Record = ActionLogged | ModelLine | PictureLine | DocumentLine | RequestLine | ConsoleLine


def subject_of(line: msgspec.Struct) -> Subject:
    """The subject that is counted as left out if this line is not written."""
    match line:
        case ActionLogged():
            return "action"
        case ModelMessage() | ModelTools() | ModelRequest():
            return "prompt"
        case ModelReply() | ModelFailure():
            return "reply"
        case PictureTaken() | PictureTarget():
            return "picture"
        case DocumentTaken() | SheetTaken():
            return "document"
        case RequestLine():
            return "network"
        case ConsoleLine():
            return "console"
        case _:
            return "event"
