"""What a page wrote to its console, and its uncaught exceptions.

Chrome keeps the last 1,000 messages of each process since the document began, so nothing is recorded here: messages are
queried on demand. Exceptions come from the Runtime domain, which is enabled only if there are any: a page that has set
its own `Error.prepareStackTrace` can notice that.
https://chromedevtools.github.io/devtools-protocol/tot/Console/
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import Literal, TypeVar, get_args
from weakref import WeakKeyDictionary

import msgspec

from cdp_agent.cdp import console, runtime
from cdp_agent.cdp.connection import Session
from cdp_agent.cdp.types import Command, Empty, Event
from cdp_agent.errors import ActionError, InvalidArguments, ProtocolError
from cdp_agent.page.frames.frames import Frame, FrameTree
from cdp_agent.page.frames.world import CALL_TIMEOUT_S, World, deadline
from cdp_agent.page.snapshot.lines import in_line, shortened

E = TypeVar("E", bound=Event)

Level = Literal["error", "warning", "all"]
LONGEST_TEXT = 2_000
MOST_RESULTS = 1_000
_LONGEST_PLACE = 100
_LONGEST_LINE = 500
_THROWN = ("Uncaught", "Uncaught (in promise)")
"""The full texts that the Console domain gives for uncaught exceptions."""
_LEVELS = {"error": ("error",), "warning": ("error", "warning")}


class ConsoleMessage(msgspec.Struct, frozen=True):
    """A message. `level` is error, warning, info, log or debug; `uncaught`: whether it is an uncaught exception.

    Logged objects are given by their kind alone. `line` and `column` are counted from 1; 0 if not known.
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
    messages = []
    for message in raw:
        logged = ConsoleMessage(
            message.level, shortened(message.text, LONGEST_TEXT), False, message.url, message.line, message.column
        )
        is_thrown = _may_be_thrown(message) and thrown and _place(thrown[0]) == _place(logged)
        messages.append(thrown.popleft() if is_thrown else logged)
    return messages


def _place(message: ConsoleMessage) -> tuple[str, int, int]:
    return message.url, message.line, message.column


def _uncaught(thrown: runtime.ExceptionThrown) -> ConsoleMessage:
    details = thrown.exception_details
    value = details.exception
    said = "" if value is None else value.description or _written(value)
    text = shortened(f"{details.text} {said}".strip(), LONGEST_TEXT)
    return ConsoleMessage("error", text, True, details.url, details.line_number + 1, details.column_number + 1)


def _written(value: runtime.RemoteObject) -> str:
    """A thrown value that is not an object, as text."""
    plain = msgspec.json.decode(value.value) if bytes(value.value) else value.unserializable_value
    return plain if isinstance(plain, str) else msgspec.json.encode(plain).decode()


def _may_be_thrown(message: console.Message) -> bool:
    return message.text in _THROWN


async def _raw_messages(session: Session) -> list[console.Message]:
    kept = await _replayed_events(session, console.MessageAdded, console.Enable(), console.Disable())
    return [each.message for each in kept]


async def _thrown(session: Session) -> list[runtime.ExceptionThrown]:
    return await _replayed_events(session, runtime.ExceptionThrown, runtime.Enable(), runtime.Disable())


async def _replayed_events(
    session: Session, event: type[E], enable: Command[Empty], disable: Command[Empty]
) -> list[E]:
    """The events that Chrome has kept and replays when the domain is enabled. The domain is disabled right after."""
    events: list[E] = []
    stop = session.on(event, events.append)
    try:
        async with deadline(session, CALL_TIMEOUT_S):
            await asyncio.gather(session.post(enable), session.post(disable))
    finally:
        stop()
    return events
