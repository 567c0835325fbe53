"""What a page wrote to its console, and its uncaught exceptions.

Chrome keeps the last 1,000 messages of each process since the document began, so nothing is recorded here: messages are
queried on demand. Exceptions and the values of logged objects come from the Runtime domain, which is enabled only if
there are any: a page that has set its own `Error.prepareStackTrace` can notice that.
https://chromedevtools.github.io/devtools-protocol/tot/Console/
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Literal, TypeVar, get_args
from weakref import WeakKeyDictionary

import msgspec
from msgspec.structs import replace

from cdp_agent.cdp import console, runtime
from cdp_agent.cdp.connection import Session
from cdp_agent.cdp.types import Command, Empty, Event
from cdp_agent.errors import ActionError, InvalidArguments, ProtocolError
from cdp_agent.page.frames.frames import Frame, FrameTree
from cdp_agent.page.frames.world import CALL_TIMEOUT_S, World, deadline
from cdp_agent.page.snapshot.lines import in_line, shortened
from cdp_agent.patterns import pattern

from . import previews

E = TypeVar("E", bound=Event)

Level = Literal["error", "warning", "all"]
LONGEST_TEXT = 2_000
MOST_RESULTS = 1_000
_LONGEST_PLACE = 100
_LONGEST_LINE = 500
_THROWN = ("Uncaught", "Uncaught (in promise)")
"""The full texts that the Console domain gives for uncaught exceptions."""
_MOST_PREVIEWS = 200
_OF_VALUES = pattern(r"\[object |,\S|,$|^$|Error\b|%[sdifoOc]")
_BY_PAGE = "console-api"
"""The source of what scripts wrote by functions of `console`."""
_LEVELS = {"error": ("error",), "warning": ("error", "warning")}


class ConsoleMessage(msgspec.Struct, frozen=True):
    """A message. `level` is error, warning, info, log or debug; `uncaught`: whether it is an uncaught exception.

    `line` and `column` are counted from 1; 0 if not known.
    """

    level: str
    text: str
    uncaught: bool = False
    url: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        where = f" ({shortened(self.url.rpartition('/')[2] or self.url, _LONGEST_PLACE)}:{self.line}:{self.column})"
        said = self.text.partition("\n")[0] if self.uncaught else self.text  # without the stack
        return f"{self.level}: {in_line(shortened(said, _LONGEST_LINE))}{where if self.url else ''}"


class ConsoleResult(msgspec.Struct, frozen=True):
    """The latest matching messages, in order, and the total number of matches.

    `unread`: the frames whose messages could not be read, and why.
    """

    messages: list[ConsoleMessage]
    total: int
    unread: list[str] = []


class Console:
    """The console of a tab, across all its processes."""

    def __init__(self) -> None:
        self._asking = asyncio.Lock()
        """Held during a query: two at a time on one session would receive each other's events."""
        self._thrown: WeakKeyDictionary[World, int] = WeakKeyDictionary()
        """How many exceptions each document had at the last query."""

    async def messages(
        self, tree: FrameTree, *, level: Level = "all", text: str | None = None, max_results: int = 50
    ) -> ConsoleResult:
        """See `Page.console`."""
        if level not in get_args(Level):
            raise InvalidArguments(f"level is {', '.join(get_args(Level))}, not {level!r}.")
        if not 1 <= max_results <= MOST_RESULTS:
            raise InvalidArguments(f"max_results is from 1 to {MOST_RESULTS:,}, not {max_results}.")
        messages: list[ConsoleMessage] = []
        unread = []
        async with self._asking:
            for frame in _processes(tree):
                try:
                    messages += await _messages(frame.session)
                except (ActionError, ProtocolError) as error:
                    if frame is tree.root:
                        raise
                    unread.append(f"{shortened(frame.url)}: {error}")
        wanted = [
            message
            for message in messages
            if (level == "all" or message.level in _LEVELS[level])
            and (text is None or text.casefold() in message.text.casefold())
        ]
        return ConsoleResult(wanted[-max_results:], len(wanted), unread)

    async def exceptions_since(self, tree: FrameTree, since: float) -> list[ConsoleMessage]:
        """The uncaught exceptions after `since` (a `time.perf_counter` value), in all frames that answer."""
        async with self._asking:
            found = await asyncio.gather(*(self._thrown_in(frame, since) for frame in _processes(tree)))
        return [each for part in found for each in part]

    async def _thrown_in(self, frame: Frame, since: float) -> list[ConsoleMessage]:
        session, world = frame.session, frame.present_world
        if world is None or session.unresponsive:  # a hang is reported elsewhere: no need to wait for it again
            return []
        try:
            count = sum(map(_may_be_thrown, await _raw_messages(session)))
            before, self._thrown[world] = self._thrown.get(world, 0), count
            if count in (0, before):
                return []
            thrown = await _thrown(session)
            # Timestamps are by Chrome's clock, not ours. Pages may replace Date, but not in our isolated world.
            asking, asked_at = (
                runtime.Evaluate(expression="Date.now()", context_id=world.context_id),
                time.perf_counter(),
            )
            async with deadline(session, CALL_TIMEOUT_S):
                now_ms = msgspec.json.decode((await session.send(asking)).result.value, type=float)
        except (ActionError, ProtocolError):
            return []  # the document is being replaced, or hangs, which is reported elsewhere
        return [_uncaught(each) for each in thrown if asked_at - (now_ms - each.timestamp) / 1000 >= since]


def _processes(tree: FrameTree) -> list[Frame]:
    """The outermost frame of each process."""
    return list({frame.session: frame for frame in reversed(tree.all())}.values())[::-1]


async def _messages(session: Session) -> list[ConsoleMessage]:
    raw = await _raw_messages(session)
    # Matched by source position: a page may log the same text, and more may have been thrown between the two queries.
    thrown = deque(map(_uncaught, await _thrown(session) if any(map(_may_be_thrown, raw)) else []))
    values: dict[tuple[str, int, int], deque[runtime.ConsoleApiCalled]] = {}
    for called in await _values(session) if any(map(_may_have_values, raw)) else []:
        values.setdefault(_place_of_call(called), deque()).append(called)
    messages = []
    for message in raw:
        place = (message.url, message.line, message.column)
        text = message.text
        if message.source == _BY_PAGE and (calls := values.get(place)):
            called = calls.popleft()
            text = previews.written(called.args) if _may_have_values(message) else text
        logged = ConsoleMessage(message.level, shortened(text, LONGEST_TEXT), False, *place)
        is_thrown = _may_be_thrown(message) and thrown and _place(thrown[0]) == _place(logged)
        messages.append(thrown.popleft() if is_thrown else logged)
    return messages


def _place(message: ConsoleMessage) -> tuple[str, int, int]:
    return message.url, message.line, message.column


def _place_of_call(called: runtime.ConsoleApiCalled) -> tuple[str, int, int]:
    frames = called.stack_trace.call_frames if called.stack_trace is not None else []
    return (frames[0].url, frames[0].line_number + 1, frames[0].column_number + 1) if frames else ("", 0, 0)


def _may_have_values(message: console.Message) -> bool:
    """Whether the values that were logged, which the Runtime domain gives, may say more than the text.

    The text has only the kind of an object, the items of an array with commas between, and the message of an error; and
    the directives of a format, with what belongs there at its end.
    """
    return message.source == _BY_PAGE and _OF_VALUES.search(message.text) is not None


def _uncaught(thrown: runtime.ExceptionThrown) -> ConsoleMessage:
    details = thrown.exception_details
    value = details.exception
    shown = "" if value is None else previews.value_text(value, whole=True)
    text = shortened(f"{details.text} {shown}".strip(), LONGEST_TEXT)
    return ConsoleMessage("error", text, True, details.url, details.line_number + 1, details.column_number + 1)


def _may_be_thrown(message: console.Message) -> bool:
    return message.text in _THROWN


async def _raw_messages(session: Session) -> list[console.Message]:
    kept = await _replayed_events(session, console.MessageAdded, console.Enable(), console.Disable())
    return [each.message for each in kept]


async def _thrown(session: Session) -> list[runtime.ExceptionThrown]:
    """What scripts threw, with previews of the latest objects."""

    async def preview(events: list[runtime.ExceptionThrown]) -> list[runtime.ExceptionThrown]:
        details = [event.exception_details for event in events]
        seen = await _previews(session, [detail.exception for detail in details if detail.exception is not None])
        return [
            event
            if (value := detail.exception) is None or value.object_id not in seen
            else replace(event, exception_details=replace(detail, exception=seen[value.object_id]))
            for event, detail in zip(events, details, strict=True)
        ]

    return await _replayed_events(session, runtime.ExceptionThrown, runtime.Enable(), runtime.Disable(), preview)


async def _values(session: Session) -> list[runtime.ConsoleApiCalled]:
    """What scripts wrote, with previews of the latest objects."""

    async def preview(events: list[runtime.ConsoleApiCalled]) -> list[runtime.ConsoleApiCalled]:
        seen = await _previews(session, [value for event in events for value in event.args])
        return [replace(event, args=[seen.get(value.object_id, value) for value in event.args]) for event in events]

    return await _replayed_events(session, runtime.ConsoleApiCalled, runtime.Enable(), runtime.Disable(), preview)


async def _previews(session: Session, values: list[runtime.RemoteObject]) -> dict[str | None, runtime.RemoteObject]:
    """The latest objects among these, by their ids, with previews."""
    objects = [value for value in values if value.object_id and value.type != "symbol" and value.subtype != "error"]
    latest = objects[-_MOST_PREVIEWS:]
    previewed = await asyncio.gather(*(_previewed(session, value) for value in latest))
    return {value.object_id: seen for value, seen in zip(latest, previewed, strict=True)}


async def _previewed(session: Session, value: runtime.RemoteObject) -> runtime.RemoteObject:
    """The value with a preview, which Chrome gives of what a function returns: this one does nothing else.

    The objects in it have previews as well, unless it is a Proxy, whose handler would be asked for them.
    """
    asking = runtime.CallFunctionOn(
        function_declaration="function() { return this }", object_id=value.object_id, generate_preview=True
    )
    try:
        value = (await session.send(asking)).result
        if (
            value.preview is None
            or value.object_id is None
            or value.subtype == "proxy"
            or not any(map(_is_object, value.preview.properties))
        ):
            return value
        asking_inside = runtime.GetProperties(object_id=value.object_id, own_properties=True, generate_preview=True)
        inside = {each.name: each.value for each in (await session.send(asking_inside)).result}
    except ProtocolError:
        return value  # its document is gone
    properties = [
        replace(item, value_preview=inner.preview)
        if _is_object(item) and (inner := inside.get(item.name)) is not None
        else item
        for item in value.preview.properties
    ]
    return replace(value, preview=replace(value.preview, properties=properties))


def _is_object(item: runtime.PropertyPreview) -> bool:
    return item.type == "object" and item.subtype not in ("null", "proxy", "error", "date", "regexp", "node")


async def _replayed_events(
    session: Session,
    event: type[E],
    enable: Command[Empty],
    disable: Command[Empty],
    before_end: Callable[[list[E]], Awaitable[list[E]]] | None = None,
) -> list[E]:
    """The events that Chrome has kept and replays when the domain is enabled. The domain is disabled right after.

    `before_end` is given the events while it is enabled, and returns them with more.
    """
    events: list[E] = []
    stop = session.on(event, events.append)
    try:
        async with deadline(session, CALL_TIMEOUT_S):
            if before_end is None:
                await asyncio.gather(session.post(enable), session.post(disable))
                return events
            await session.send(enable)
            events = await before_end(events)
            await session.send(disable)
            return events
    finally:
        stop()
