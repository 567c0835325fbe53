"""Refs for another process: what they stand for can be written down, and taken up again on the same Chrome.

Outside of our script an element is its `backendNodeId`. That number is only good for the document that it was told of,
so the document is written down too. What has gone meanwhile is found again as any other ref, see recover.py.
"""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from cdp_agent.cdp import dom
from cdp_agent.cdp import page as cdp_page
from cdp_agent.errors import ActionError, ProtocolError
from cdp_agent.page.frames.frames import Frame, FrameTree
from cdp_agent.page.frames.world import Handle, World
from cdp_agent.page.snapshot.refs import RefTable
from cdp_agent.page.snapshot.snapshot import Seen, Snapshot

_ARRIVAL_S = 1.0


class SavedFrame(msgspec.Struct, frozen=True):
    """The elements with refs in one world: each ref's number, and its `backendNodeId`."""

    frame_id: str
    parent_id: str | None
    """The frame around it, of those that are saved in the same way."""
    loader_id: str
    nodes: list[tuple[int, int]]


class SavedRefs(msgspec.Struct, frozen=True):
    """The refs of a tab's latest reading, and those told besides, as JSON can hold them."""

    next: int
    end: int
    snapshot: Snapshot
    frames: list[SavedFrame]


async def export_refs(tree: FrameTree, refs: RefTable, seen: Seen, told: set[int]) -> SavedRefs:
    """What the refs of the reading `seen` stand for, and those with the numbers `told`. Raises BrowserError."""
    numbers: dict[World | None, list[tuple[int, int]]] = {}
    for number in sorted({*(int(ref[1:]) for ref in seen.snapshot.refs), *told}):
        if (known := refs.locate(number)) is not None:
            numbers.setdefault(known[0], []).append((number, known[1]))
    frames = [frame for frame in tree.all() if frame.present_world in numbers]
    saved = await asyncio.gather(*(_save(frame, numbers[frame.present_world]) for frame in frames))
    return SavedRefs(refs.next, seen.end, seen.snapshot, [each for each in saved if each is not None])


async def adopt_refs(tree: FrameTree, refs: RefTable, saved: SavedRefs) -> set[int]:
    """Takes the refs up again, of all documents that are still there: their numbers. Raises BrowserError."""
    refs.next = max(refs.next, saved.next)
    frames: dict[str, Frame] = {}
    for each in saved.frames:  # each after its parent
        parent = frames.get(each.parent_id or "", tree.root)
        if (frame := await _found(tree, parent, each.frame_id)) is not None:
            frames[each.frame_id] = frame
    adopting = [_adopt(frames[each.frame_id], each, refs) for each in saved.frames if each.frame_id in frames]
    return set[int]().union(*await asyncio.gather(*adopting))


async def _found(tree: FrameTree, parent: Frame, frame_id: str) -> Frame | None:
    try:
        return await tree.inside(parent, frame_id, _ARRIVAL_S)
    except ActionError:
        return None


async def _save(frame: Frame, numbers: list[tuple[int, int]]) -> SavedFrame | None:
    try:
        world = await frame.world()
        with world.group() as group:
            locals_ = [local for _, local in numbers]
            handles, loader_id = await asyncio.gather(world.elements(locals_, group), _loader_id(frame))
            described = await world.ask_each(
                [dom.DescribeNode(object_id=each.object_id) if each else None for each in handles]
            )
    except (ActionError, ProtocolError):
        return None  # it went meanwhile, and its refs with it
    nodes = [
        (number, answer.node.backend_node_id)
        for (number, _), answer in zip(numbers, described, strict=True)
        if answer is not None
    ]
    return SavedFrame(frame.id, frame.parent.id if frame.parent else None, loader_id, nodes)


class _Adopted(msgspec.Struct, frozen=True):
    """See adoptRefs in js/snapshot/saved.js."""

    first: int
    end: int
    locals: list[int]


async def _adopt(frame: Frame, saved: SavedFrame, refs: RefTable) -> set[int]:
    """The numbers whose elements have them here, too."""
    try:
        if await _loader_id(frame) != saved.loader_id:
            return set()  # another document: the numbers may name other nodes there
        world = await frame.world()
        resolved: list[Any] = await asyncio.gather(
            *(
                frame.session.post(dom.ResolveNode(backend_node_id=node, execution_context_id=world.context_id))
                for _, node in saved.nodes
            ),
            return_exceptions=True,
        )
        there = [
            (number, Handle(answer.object.object_id))
            for (number, _), answer in zip(saved.nodes, resolved, strict=True)
            if isinstance(answer, dom.Resolved) and answer.object.object_id is not None
        ]
        numbers = [number for number, _ in there]
        adopted = await world.call(
            "adoptRefs", refs.free(world), numbers, *(each for _, each in there), returning=_Adopted
        )
    except (ActionError, ProtocolError):
        return set()
    for _, handle in there:
        world.release(handle)
    refs.claim(world, adopted.first, adopted.end)
    given = {number: local for number, local in zip(numbers, adopted.locals, strict=True) if local}
    for number, local in given.items():
        refs.bind(world, local, number)
    return set(given)


async def _loader_id(frame: Frame) -> str:
    return (await frame.session.send(cdp_page.GetFrameTree())).frame_tree.frame.loader_id
