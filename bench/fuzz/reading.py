"""The same page read in three ways: with what is kept, without it, and by a reader who comes only now."""

from __future__ import annotations

import itertools
import re

import msgspec

from cdp_agent.cdp import input as cdp_input
from cdp_agent.cdp import runtime
from cdp_agent.page.frames.frames import Frame, FrameTree
from cdp_agent.page.frames.world import World
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.snapshot import snapshot
from cdp_agent.page.snapshot.reading import Readings, read_all
from cdp_agent.page.snapshot.refs import RefTable
from cdp_agent.page.snapshot.snapshot import SnapshotPart

_REF = re.compile(r"\bE(\d+)\b")


class Both(msgspec.Struct, frozen=True):
    """The page as its users read it, and as it is read anew in the same call, so that nothing can change between."""

    kept: str
    anew: str
    was_kept: bool
    """Whether the first was made of what was kept of the reading before."""


async def read_both(page: Page) -> Both:
    tab = tab_of(page)
    parts: dict[World, SnapshotPart] = {}

    def whole(world: World, part: SnapshotPart, stands: bool) -> SnapshotPart:
        parts[world] = part
        return snapshot._whole(world, msgspec.structs.replace(part, checked=False), stands)

    tree = await tab.frames()
    options = {"checks": 1}
    read = await read_all(tree, tab.refs, "snapshot", SnapshotPart, options, options_for=snapshot._base, finish=whole)
    kept = _written(read, tab.refs)
    for reading in read.by_frame.values():
        reading.part = msgspec.structs.replace(reading.part, text=parts[reading.world].text)
    return Both(kept, _written(read, tab.refs), parts[read.root.world].edits is not None)


async def read_kept(page: Page) -> str:
    """The page as its users read it, with what is kept of it being all that they get."""
    tab = tab_of(page)
    whole = snapshot._whole
    tree = await tab.frames()
    read = await read_all(tree, tab.refs, "snapshot", SnapshotPart, {}, options_for=snapshot._base, finish=whole)
    return _written(read, tab.refs)


class _FirstTime(FrameTree):
    """The tab as a reader finds it who comes only now: with a world of its own, that knows nothing."""

    def __init__(self, tree: FrameTree) -> None:
        self._is_answered = tree._is_answered
        root = Frame(tree.root.id, tree.root.session, None, tree.root.url, tree._is_answered)
        self.root, self._frames, self._arrivals = root, {root.id: root}, {}


async def read_as_stranger(page: Page) -> str:
    """By a world that is made for it, so that nothing can be remembered by anybody. Its refs are others."""
    tree, refs = _FirstTime(await tab_of(page).frames()), RefTable()
    read = await read_all(tree, refs, "snapshot", SnapshotPart, {"base": None})
    world = await tree.root.world()
    assert world._functions is not None  # it was read there
    world.session.tell(runtime.ReleaseObject(object_id=world._functions.object_id))
    return _written(read, refs)


def _written(readings: Readings[SnapshotPart], refs: RefTable) -> str:
    """The whole text, and what is said to be left out of it."""
    composer = snapshot._Composer(readings, refs, False)
    text = composer.text(readings.root)
    return "\n".join([text, *(f"{each.what}: {each.why}" for each in composer.omitted)])


def renumbered(text: str) -> str:
    """The text with its refs counted from 1 in the order in which they appear."""
    numbers: dict[str, int] = {}
    counted = itertools.count(1)
    return _REF.sub(lambda ref: f"E{numbers.setdefault(ref[1], next(counted))}", text)


async def move_mouse(page: Page, x: int, y: int) -> None:
    session = (await tab_of(page).frames()).root.session
    await session.send(cdp_input.DispatchMouseEvent(type="mouseMoved", x=x, y=y))
