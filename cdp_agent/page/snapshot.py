"""The aria snapshot of a page: all frames as one text, every element that matters with a ref.

Every local root's world is asked at the same time and answers with finished text; here the texts are put into one
another, and what could not be read is named. Nothing is written into the page.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import msgspec

from cdp_agent.cdp import dom
from cdp_agent.errors import ActionError, DocumentGone

from . import budget
from .adopt import adopt_hidden
from .frames import Frame, FrameTree
from .refs import Ref, RefTable
from .world import World

READ_TIMEOUT_S = 10.0
_LINE = re.compile(r'^( *)- ([^\s:"]+)(?: ("(?:[^"\\]|\\.)*"))?((?: \[[^\]"]*(?:"(?:[^"\\]|\\.)*"[^\]"]*)*\])*)', re.M)
_REF = re.compile(r"\[ref=(E\d+)\]$")


class Omitted(msgspec.Struct, frozen=True):
    """Something that is not in the text, and why."""

    what: str
    why: str


class Snapshot(msgspec.Struct, frozen=True, dict=True):
    """A page as a model reads it. `refs["E12"]` tells role, name and frame of each ref in the text."""

    text: str
    url: str
    title: str
    omitted: list[Omitted]
    frame_urls: dict[str, str]
    """The address of each iframe's document, by the iframe's ref."""

    @cached_property
    def refs(self) -> Mapping[str, Ref]:
        return {ref.ref: ref for ref in _refs(self)}


class Part(msgspec.Struct, frozen=True):
    """What `snapshot` in page/js answers: the text of one world, ids still local."""

    text: str
    first: int
    end: int
    url: str
    title: str
    frames: list[tuple[int, str]]
    remote: list[int]
    omitted: list[tuple[str, str]]
    closed: list[int]
    internals: list[int]


class _Reading(msgspec.Struct):
    frame: Frame
    world: World
    part: Part


async def take(tree: FrameTree, refs: RefTable, *, budget_tokens: int | None = None) -> Snapshot:
    """The page as text, all frames in document order; within `budget_tokens` when given.

    Raises PageUnresponsive or DocumentGone when the tab itself cannot be read, BrowserError.
    """
    marks = budget_tokens is not None
    frames = tree.all()
    first, *others = await asyncio.gather(*(_read(frame, refs, marks) for frame in frames), return_exceptions=True)
    if isinstance(first, BaseException):
        raise first
    composer = _Composer(tree, refs, marks)
    for frame, reading in zip(frames, [first, *others], strict=True):
        if isinstance(reading, ActionError):
            composer.failures[frame.id] = str(reading)
        elif isinstance(reading, BaseException):
            raise reading
        else:
            composer.readings[frame.id] = reading
    await composer.complete()
    text = composer.text(first)
    if budget_tokens is not None:
        text = budget.fit(text, budget_tokens, [f"{each.what}: {each.why}" for each in composer.omitted])
    elif composer.omitted:
        text += "\n" + budget.accounting([f"{each.what}: {each.why}" for each in composer.omitted])
    return Snapshot(text, first.part.url, first.part.title, composer.omitted, composer.frame_urls)


async def _read(frame: Frame, refs: RefTable, marks: bool) -> _Reading:
    try:
        return await _read_once(frame, refs, marks)
    except DocumentGone:  # it navigated just now: the next document is the one that is meant
        return await _read_once(frame, refs, marks)


async def _read_once(frame: Frame, refs: RefTable, marks: bool) -> _Reading:
    world = await frame.world()
    options = {"next": refs.next, "marks": marks}
    part = await world.call("snapshot", options, returning=Part, timeout_s=READ_TIMEOUT_S)
    if (part.closed or part.internals) and await adopt_hidden(world, part.closed, part.internals):
        again = await world.call("snapshot", options, returning=Part, timeout_s=READ_TIMEOUT_S)
        part = msgspec.structs.replace(again, first=min(part.first, again.first), end=max(part.end, again.end))
    return _Reading(frame, world, part)


class _Composer:
    """Puts each frame's text under the line of the iframe that holds it."""

    def __init__(self, tree: FrameTree, refs: RefTable, marks: bool) -> None:
        self.readings: dict[str, _Reading] = {}
        self.failures: dict[str, str] = {}
        self.omitted: list[Omitted] = []
        self.frame_urls: dict[str, str] = {}
        self._tree = tree
        self._refs = refs
        self._marks = marks

    async def complete(self) -> None:
        """Claims the new ids, and reads the frames that were not known when the reading began."""
        done: set[str] = set()
        while todo := [each for frame_id, each in self.readings.items() if frame_id not in done]:
            for reading in todo:
                done.add(reading.frame.id)
                self._refs.claim(reading.world, reading.part.first, reading.part.end)
            await asyncio.gather(*(self._own(reading) for reading in todo))

    def text(self, reading: _Reading, indent: str = "") -> str:
        part, world = reading.part, reading.world
        self.omitted += [Omitted(what, why) for what, why in part.omitted]
        for local, url in part.frames:
            self.frame_urls[f"E{self._refs.number(world, local)}"] = url
        text = self._refs.write(world, part.text)
        if indent:
            text = self._indented(text, indent)
        if not part.remote:
            return text
        before, *rest = text.split("\x02")
        pieces = [before]
        for local, after in zip(rest[::2], rest[1::2], strict=True):
            pieces += [self._child(reading, int(local), self._indent_under(pieces)), after]
        return "".join(pieces)

    def _child(self, parent: _Reading, local: int, indent: str) -> str:
        frame_id = parent.frame.owners.get(local, "")
        ref = f"E{self._refs.number(parent.world, local)}"
        child = self.readings.get(frame_id)
        if child is None:
            why = self.failures.get(frame_id, "its process has not answered yet")
            self.omitted.append(Omitted(f"iframe {ref}", why))
            return ": (not readable)"
        self.frame_urls[ref] = child.part.url
        text = self.text(child, indent)
        return f":\n{text}" if text else ""

    def _indented(self, text: str, indent: str) -> str:
        if not self._marks:
            return indent + text.replace("\n", "\n" + indent) if text else ""
        return "\n".join(line[:1] + indent + line[1:] for line in text.split("\n")) if text else ""

    def _indent_under(self, pieces: list[str]) -> str:
        line = pieces[-1].rpartition("\n")[2][1 if self._marks else 0 :]
        return " " * (len(line) - len(line.lstrip(" ")) + 2)

    async def _own(self, reading: _Reading) -> None:
        """Finds out which frame each iframe element of that world holds, and reads the frames that are new."""
        owners, world = reading.frame.owners, reading.world
        unknown = [local for local in reading.part.remote if owners.get(local) not in self._known()]
        if not unknown:
            return
        for local, frame_id in zip(unknown, await _frame_ids(world, unknown), strict=True):
            if frame_id is None:
                continue
            owners[local] = frame_id
            if frame_id not in self._known() and (frame := await self._tree.arrival(frame_id)) is not None:
                try:
                    self.readings[frame_id] = await _read(frame, self._refs, self._marks)
                except ActionError as error:
                    self.failures[frame_id] = str(error)

    def _known(self) -> set[str]:
        return self.readings.keys() | self.failures.keys()


async def _frame_ids(world: World, locals_: list[int]) -> list[str | None]:
    """The id of the frame inside each of these iframe elements (`DOM.Node.frameId`)."""
    handles = await world.elements(locals_)
    answers: list[Any] = await asyncio.gather(
        *(world.session.post(dom.DescribeNode(object_id=handle.object_id)) for handle in handles if handle is not None),
        return_exceptions=True,
    )
    described = iter(answers)
    found: list[str | None] = []
    for handle in handles:
        answer = next(described) if handle is not None else None
        found.append(answer.node.frame_id if isinstance(answer, dom.Described) else None)
        if handle is not None:
            world.release(handle)
    return found


def _refs(snapshot: Snapshot) -> list[Ref]:
    """Every ref in the text, read off its line; the frame is the innermost iframe line above it."""
    found: list[Ref] = []
    frames: list[tuple[int, str]] = [(-1, snapshot.url)]
    for line in _LINE.finditer(snapshot.text):
        depth, role, name, attributes = len(line[1]), line[2], line[3], line[4]
        while depth <= frames[-1][0]:
            frames.pop()
        ref = _REF.search(attributes)
        if ref is None:
            continue
        name = msgspec.json.decode(name) if name else ""
        found.append(Ref(ref[1], role, name, frames[-1][1]))
        if ref[1] in snapshot.frame_urls:
            frames.append((depth, snapshot.frame_urls[ref[1]]))
    return found
