"""Reads all frames of a tab at once: calls a function in every world, and matches frames with their iframe elements.

Closed shadow roots are found on the way; if a world has new ones, the function is called there again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Generic, TypeVar

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.errors import ActionError, DocumentGone
from cdp_agent.page.frames.frames import Frame, FrameTree
from cdp_agent.page.frames.world import World, deadline

from .closed_shadow import HiddenContent, PendingQueries, ask_first, hidden_content_of, set_hidden_content
from .code_editors import adopt_code
from .file_text import read_file
from .frame_part import FramePart
from .queries import ChromeCounters, ProcessCounts, any_at_once
from .refs import RefTable

READ_TIMEOUT_S = 10.0
READING_S = 20.0
"""How long reading all frames may take, whatever each of them takes."""
_DEEPEST_HIDDEN = 4
"""How often at most a world is read again: hidden content may contain more hidden content."""
FRAME_TIMEOUT_S = 2.0
"""How long a frame that waits for the answer of a server may delay the other frames."""


P = TypeVar("P", bound=FramePart)


class Reading(msgspec.Struct, Generic[P]):
    """The result of one world."""

    frame: Frame
    world: World
    part: P


class _Answer(msgspec.Struct, Generic[P]):
    """The result of one call in one world, with the queries that were sent to Chrome together with it."""

    part: P
    queries: PendingQueries
    counted: ChromeCounters
    is_valid: bool


class Readings(Generic[P]):
    """The results of all worlds of a tab. `root` is that of the tab itself; `child` finds those of other frames."""

    def __init__(self, root: Reading[P], others: dict[str, Reading[P]], failures: dict[str, str]) -> None:
        self.root = root
        self.by_frame = {root.frame.id: root, **others}
        self.failures = failures

    def child(self, parent: Reading[P], local: int) -> Reading[P] | str:
        """The result of the frame inside this iframe element of `parent`, or the reason why there is none."""
        frame_id = parent.frame.owners.get(local, "")
        found = self.by_frame.get(frame_id)
        return found if found is not None else self.failures.get(frame_id, "its process has not answered yet")


async def read_all(
    tree: FrameTree,
    refs: RefTable,
    function: str,
    returning: type[P],
    options: Mapping[str, object],
    *,
    frame_timeout_s: float | None = None,
    within: Frame | None = None,
    options_for: Callable[[World], Mapping[str, object]] = lambda _: {},
    finish: Callable[[World, P, bool], P] = lambda _, part, __: part,
    meanwhile: Callable[[World, P], None] | None = None,
) -> Readings[P]:
    """The results of `function` in all worlds, called with `options` and the next free id; claims newly assigned ids.

    A frame that takes longer than `frame_timeout_s` in all is among the failures. With `within`, that frame alone is
    read, as the root, with those in it. `options_for` adds options for a
    single world. `finish` turns a world's result into the full one; its last argument says whether the result is valid
    (see `StyleRules.is_valid`); if not, the world is read again. `meanwhile` gets each result while Chrome answers what
    scripts cannot see, and another one if that made the world read again. Raises PageUnresponsive or DocumentGone when
    the tab itself cannot be read, BrowserError.
    """

    async def call(world: World, more: Mapping[str, object]) -> P:
        common = {"next": refs.next_ids(world), "frame": world.frame_id, "sent": time.monotonic()}
        asked = {**common, **options, **options_for(world), **more}
        return await world.call(function, asked, returning=returning, timeout_s=READ_TIMEOUT_S)

    reader = _Reader(tree, refs, returning, call, finish, meanwhile, frame_timeout_s)
    frames = tree.all() if within is None else [frame for frame in tree.all() if frame.is_in(within)]
    async with deadline(tree.root.session, READING_S):
        if len(frames) == 1:  # tasks would add a tenth to the time of reading a small page
            readings = Readings(await reader.read(frames[0]), {}, {})
        else:
            readings = await _read_at_once(reader, frames)
        await reader.read_unknown_frames(readings)
    return readings


async def _read_at_once(reader: _Reader[P], frames: list[Frame]) -> Readings[P]:
    first, *others = await asyncio.gather(*(reader.read(frame) for frame in frames), return_exceptions=True)
    if isinstance(first, BaseException):
        raise first
    readings = Readings(first, {}, {})
    for frame, reading in zip(frames[1:], others, strict=True):
        if isinstance(reading, ActionError):
            readings.failures[frame.id] = str(reading)
            log_line("frame", "{} was not read: {}", frame.url, str(reading))
        elif isinstance(reading, BaseException):
            raise reading
        else:
            readings.by_frame[frame.id] = reading
    return readings


class _Reader(Generic[P]):
    def __init__(
        self,
        tree: FrameTree,
        refs: RefTable,
        returning: type[P],
        call: Callable[[World, Mapping[str, object]], Awaitable[P]],
        finish: Callable[[World, P, bool], P],
        meanwhile: Callable[[World, P], None] | None,
        frame_timeout_s: float | None,
    ) -> None:
        self._tree = tree
        self._refs = refs
        self._returning = returning
        self._call = call
        self._finish = finish
        self._meanwhile = meanwhile
        self._frame_timeout_s = frame_timeout_s
        self._process_counts = ProcessCounts()

    async def read(self, frame: Frame) -> Reading[P]:
        if frame.parent is None or self._frame_timeout_s is None:
            return await self._read(frame)
        async with deadline(frame.session, self._frame_timeout_s):
            return await self._read(frame)

    async def _read(self, frame: Frame) -> Reading[P]:
        within_s = READ_TIMEOUT_S if frame.parent is None else FRAME_TIMEOUT_S
        await frame.wait_for_navigation(within_s)
        try:
            return await self._read_once(frame)
        except DocumentGone:  # the frame has just navigated: its next document is to be read
            await frame.wait_for_navigation(within_s)
            return await self._read_once(frame)

    async def read_unknown_frames(self, readings: Readings[P]) -> None:
        """Claims the new ids, and reads the frames that were not known when the reading began."""
        done: set[str] = set()
        while todo := [each for frame_id, each in readings.by_frame.items() if frame_id not in done]:
            for reading in todo:
                done.add(reading.frame.id)
                self._refs.claim(reading.world, reading.part.first, reading.part.end)
            if around := [reading for reading in todo if reading.part.remote]:
                await asyncio.gather(*(self._find_owned_frames(reading, readings) for reading in around))

    async def _read_once(self, frame: Frame) -> Reading[P]:
        world, hidden = await _world_of(frame, self._refs)
        listeners = self._returning.needs_listeners
        answer = await self._ask(world, hidden, same_rules=self._returning.needs_rules and hidden.rules.may_have_stayed)
        part = answer.part
        for _ in range(_DEEPEST_HIDDEN):
            steps = [hidden.adopt(world, answer.queries, answer.counted, part, listeners=listeners)]
            if part.editors:
                steps.append(adopt_code(world, part.editors))
            if self._meanwhile is not None:
                steps.append(_nothing_learnt(self._meanwhile, world, part))
            learnt = await any_at_once(steps)
            if answer.is_valid and not learnt:
                break
            answer = await self._ask(world, hidden, same_rules=False)
            again = answer.part
            part = msgspec.structs.replace(again, first=min(part.first, again.first), end=max(part.end, again.end))
        await read_file(frame, world, part.pdf)
        return Reading(frame, world, part)

    async def _ask(self, world: World, hidden: HiddenContent, *, same_rules: bool) -> _Answer[P]:
        needs_rules = self._returning.needs_rules
        listeners = self._returning.needs_listeners
        queries = hidden.send_queries(world, self._process_counts, listeners=listeners, rules=needs_rules)
        part = await self._call(world, {"sameRules": True} if same_rules else {})
        counted = await hidden.counted(world, queries)
        is_valid = True
        if counted.style_recalculations is not None:
            is_valid = hidden.rules.is_valid(counted.style_recalculations, same_rules=part.same_rules)
        if needs_rules:
            hidden.rules.count_from_now_on(world.session, part.rules)
        return _Answer(self._finish(world, part, is_valid), queries, counted, is_valid)

    async def _find_owned_frames(self, reading: Reading[P], readings: Readings[P]) -> None:
        """Finds out which frame each iframe element of that world contains, and reads the frames that are new."""

        def known_ids() -> set[str]:
            return readings.by_frame.keys() | readings.failures.keys()

        owners, world = reading.frame.owners, reading.world
        unknown = [local for local in reading.part.remote if owners.get(local) not in known_ids()]
        if not unknown:
            return
        for local, owner in zip(unknown, await world.elements_described(unknown), strict=True):
            frame_id = owner.node.frame_id if owner else None
            if frame_id is None:
                continue
            owners[local] = frame_id
            if frame_id in known_ids():
                continue
            try:
                frame = await self._tree.find_frame(reading.frame, frame_id)
                if frame is not None:
                    readings.by_frame[frame_id] = await self.read(frame)
            except ActionError as error:
                readings.failures[frame_id] = str(error)
                log_line("frame", "the frame {} was not read: {}", frame_id, str(error))


async def _nothing_learnt(meanwhile: Callable[[World, P], None], world: World, part: P) -> bool:
    meanwhile(world, part)
    return False


async def ask_ahead(frame: Frame, refs: RefTable) -> None:
    """Asks already what is asked first when a new document is read. Raises as `read_all`."""
    await _world_of(frame, refs)


async def _world_of(frame: Frame, refs: RefTable) -> tuple[World, HiddenContent]:
    """The frame's world; a new world is told what Chrome knows of its document before anything is read there."""
    present = frame.present_world
    if present is not None and (known := hidden_content_of(present)) is not None:
        known.begin_reading()
        return present, known
    # Chrome is asked in advance only about a session's own document; about its others once they were read.
    if frame.has_own_session:
        world, answers = await asyncio.gather(frame.world(), ask_first(frame, READ_TIMEOUT_S))
        hidden = HiddenContent()
        await hidden.begin(world, answers, refs.next_ids(world))
    else:
        world, hidden = await frame.world(), HiddenContent()
    set_hidden_content(world, hidden)
    return world, hidden
