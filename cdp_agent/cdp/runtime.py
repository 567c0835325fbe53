"""https://chromedevtools.github.io/devtools-protocol/tot/Runtime/

A page can notice that the domain is enabled by what happens to the objects that it logs. So `Enable` is sent only to
ask for uncaught exceptions, with `Disable` right after it, without waiting in between.
"""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

from .types import Command, Empty, Event, Part, Result


class PropertyPreview(Result, frozen=True):
    """`value` is text, abbreviated where it is long."""

    name: str
    type: str
    value: str = ""
    value_preview: ObjectPreview | None = None
    subtype: str | None = None


class EntryPreview(Result, frozen=True):
    """An entry of a Map or a Set, which has no keys."""

    value: ObjectPreview
    key: ObjectPreview | None = None


class ObjectPreview(Result, frozen=True):
    """The first properties of an object, read without calling anything of the page."""

    type: str
    overflow: bool
    properties: list[PropertyPreview]
    subtype: str | None = None
    description: str = ""
    entries: list[EntryPreview] = []


class RemoteObject(Result, frozen=True):
    type: str
    subtype: str | None = None
    value: msgspec.Raw = msgspec.Raw()  # empty: no value
    unserializable_value: str | None = None
    description: str | None = None
    object_id: str | None = None
    preview: ObjectPreview | None = None


class CallFrame(Result, frozen=True):
    """Lines and columns are counted from 0."""

    url: str
    line_number: int
    column_number: int


class StackTrace(Result, frozen=True):
    call_frames: list[CallFrame]


class ExceptionDetails(Result, frozen=True):
    """Lines and columns are counted from 0."""

    text: str
    line_number: int
    column_number: int
    url: str = ""
    exception: RemoteObject | None = None


class Evaluated(Result, frozen=True):
    result: RemoteObject
    exception_details: ExceptionDetails | None = None


class CallArgument(Part, frozen=True):
    """A JSON value, or an object in the page. Give exactly one of the two."""

    value: Any = msgspec.UNSET
    object_id: str | None = None


class PropertyDescriptor(Result, frozen=True):
    name: str
    value: RemoteObject | None = None


class Properties(Result, frozen=True):
    result: list[PropertyDescriptor]


class Enable(Command[Empty], frozen=True):
    """Chrome sends all that was logged and thrown since the document began, then each new event."""


class Disable(Command[Empty], frozen=True): ...


class ConsoleApiCalled(Event, frozen=True):
    """What was written to the console, with previews of objects."""

    method: ClassVar[str] = "Runtime.consoleAPICalled"
    args: list[RemoteObject]
    stack_trace: StackTrace | None = None


class ExceptionThrown(Event, frozen=True):
    """`timestamp` is in ms since 1970, by the clock of Chrome's machine."""

    timestamp: float
    exception_details: ExceptionDetails


class Evaluate(Command[Evaluated], frozen=True):
    expression: str
    context_id: int | None = None
    return_by_value: bool | None = None
    await_promise: bool | None = None
    user_gesture: bool | None = None


class CallFunctionOn(Command[Evaluated], frozen=True):
    function_declaration: str
    object_id: str | None = None
    arguments: list[CallArgument] | None = None
    return_by_value: bool | None = None
    await_promise: bool | None = None
    user_gesture: bool | None = None
    object_group: str | None = None
    generate_preview: bool | None = None
    execution_context_id: int | None = None


class GetProperties(Command[Properties], frozen=True):
    object_id: str
    own_properties: bool | None = None
    generate_preview: bool | None = None


class ReleaseObject(Command[Empty], frozen=True):
    object_id: str


class ReleaseObjectGroup(Command[Empty], frozen=True):
    object_group: str


class RunIfWaitingForDebugger(Command[Empty], frozen=True): ...


class TerminateExecution(Command[Empty], frozen=True): ...
