"""Scrolling as a reader does: one viewport at a time, each time waiting for content that this loads."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal, get_args

import msgspec

from cdp_agent.action_log import Logged, log_line
from cdp_agent.errors import ActionError, InvalidArguments
from cdp_agent.page.frames.deadline import Deadline
from cdp_agent.page.frames.frames import Frame
from cdp_agent.page.frames.world import World
from cdp_agent.page.receipts.action_runner import limit_of
from cdp_agent.page.receipts.dialog_stops import value_until_dialog
from cdp_agent.page.receipts.receipts import Receipt
from cdp_agent.page.receipts.stability import QUIET, Watch
from cdp_agent.page.refs.locate import Located, locate
from cdp_agent.page.tab.tab import Tab

from .keyboard import quoted_for_receipt

Direction = Literal["up", "down", "left", "right", "top", "bottom", "into_view"]
_END_PX = 10_000_000
FEED_ROUNDS = 40
FEED_S = 30.0
_WAYS: dict[str, tuple[Literal["x", "y"], int]] = {
    "up": ("y", -1),
    "down": ("y", 1),
    "left": ("x", -1),
    "right": ("x", 1),
    "top": ("y", -1),
    "bottom": ("y", 1),
}


class Scrolled(Logged, frozen=True, kw_only=True):
    """How far a scroll went. After scrolling sideways `at_top` and `at_bottom` mean the left and the right end.

    `container` is "page", or the box that scrolled, as the snapshot names it. `found` is the element with the text that
    was searched for. `note` states why nothing moved, or why the scrolling ended before the end.
    """

    direction: Direction
    moved_px: int
    position_px: int
    at_top: bool
    at_bottom: bool
    grew_px: int
    container: str
    note: str = ""
    found: str = ""

    @property
    def text(self) -> str:
        """The result in words, for a model."""
        if self.direction == "into_view":
            done = f"{self.container} is in view" + (f", scrolled {self.moved_px} px" if self.moved_px else "")
        elif self.found:
            done = f"{self.found} is in view" + (f", scrolled {self.container}" if self.moved_px else "")
        elif self.moved_px:
            done = f"scrolled {self.container} {self.direction} by {self.moved_px} px, now at {self.position_px} px"
        else:
            done = f"scrolled nothing: {self.note}"
        ends = [word for word, there in (("top", self.at_top), ("bottom", self.at_bottom)) if there]
        grew = f"; the content grew by {self.grew_px} px" if self.grew_px else ""
        at = f"; at the {' and '.join(ends)}" if ends and self.moved_px else ""
        note = f" ({self.note})" if self.note and self.moved_px else ""
        return done + at + grew + note


class _Box(msgspec.Struct, frozen=True):
    first: int
    end: int
    id: int
    label: str
    into: int
    why: Literal["", "locked", "fits"]


class _Place(msgspec.Struct, frozen=True):
    position: float
    shown: float
    content: float

    @property
    def at_start(self) -> bool:
        return self.position <= 1

    @property
    def at_end(self) -> bool:
        return self.position + self.shown >= self.content - 1.5


class _Text(msgspec.Struct, frozen=True):
    """See scrollToText in js/act/scroll_to_text.js."""

    first: int
    end: int
    id: int
    label: str
    ended: bool


class _Scroller(msgspec.Struct, frozen=True):
    """A box that scrolls: its world, its local id and its name."""

    world: World
    id: int
    label: str


async def scroll(
    tab: Tab,
    direction: Direction = "down",
    *,
    pages: float = 1.0,
    pixels: int | None = None,
    ref: str | None = None,
    to_text: str | None = None,
) -> Scrolled:
    """Scrolls the page, or the element of `ref` or the nearest one around it that scrolls, in any frame.

    `pages` is in viewports of the scrolling box (0.1 to 20); `pixels` overrides it. "bottom" goes on as a feed grows.
    With `to_text` it scrolls until that text is found, even in a list that renders only visible rows, and brings it
    into view; at the end it starts again from the top.

    Raises InvalidArguments, StaleRef, DialogOpen if a dialog stops it, PageUnresponsive, BrowserError.
    """
    _check(direction, pages, pixels, ref)
    scrolling = _scroll(tab, direction, pages, pixels, ref, to_text)
    return await value_until_dialog(
        tab, "scroll", scrolling, lambda scrolled: Receipt(action="scroll", note=scrolled.text)
    )


async def _scroll(
    tab: Tab, direction: Direction, pages: float, pixels: int | None, ref: str | None, to_text: str | None
) -> Scrolled:
    async with tab.act(), limit_of(tab, FEED_S):
        at = await locate(tab, ref) if ref is not None else None
        if direction == "into_view":
            assert at is not None  # checked
            return await _into_view(tab, at)
        axis, sign = _WAYS[direction]
        found = await _box(tab, at, axis)
        if isinstance(found, str):
            return _unmoved(direction, found)
        scrolling = _Scroll(tab, found, axis)
        tab.forget_shown()  # afterwards, lists that render only visible rows have different ones, and feeds more
        return await (scrolling.to_text(to_text) if to_text else scrolling.run(direction, sign, pages, pixels))


def _check(direction: str, pages: float, pixels: int | None, ref: str | None) -> None:
    if direction not in get_args(Direction):
        raise InvalidArguments(f"direction is {direction!r}: give one of {', '.join(get_args(Direction))}.")
    if not 0.1 <= pages <= 20:
        raise InvalidArguments(f"pages is {pages:g}: give 0.1 to 20.")
    if pixels is not None and pixels < 1:
        raise InvalidArguments(f"pixels is {pixels}: give 1 or more; the direction says which way.")
    if direction == "into_view" and ref is None:
        raise InvalidArguments("into_view needs the ref of the element to bring into view.")


class _Scroll:
    """One scroll of one box, step by step."""

    def __init__(self, tab: Tab, box: _Scroller, axis: Literal["x", "y"]) -> None:
        self._tab = tab
        self._box = box
        self._axis = axis
        self._moved = 0.0
        self._ended = False
        """Whether it scrolls no further in this direction: with scroll snapping, that may be before the end."""
        self._note = ""

    async def run(self, direction: Direction, sign: int, pages: float, pixels: int | None) -> Scrolled:
        before = await self._place()
        if direction in ("top", "bottom"):
            await self._to_end(sign)
        else:
            await self._by(sign, float(pixels) if pixels is not None else pages * before.shown)
        after = await self._place()
        moved = round(abs(self._moved))
        note = self._note or ("" if moved else f"{self._box.label} is already at the {_end_name(direction)}")
        return Scrolled(
            direction=direction,
            moved_px=moved,
            position_px=round(after.position),
            at_top=after.at_start or (self._ended and sign < 0),
            at_bottom=after.at_end or (self._ended and sign > 0),
            grew_px=max(0, round(after.content - before.content)),
            container=self._box.label,
            note=note,
        )

    async def to_text(self, text: str) -> Scrolled:
        """Searches for the text from the present position to the end, then from the top to that position."""
        before = await self._place()
        limit = Deadline.on(self._box.world.session, FEED_S)
        label = await self._look_for(text, _END_PX, limit)
        if not label and not self._note and before.position > 1:
            await self._step(-_END_PX)
            label = await self._look_for(text, round(before.position), limit)
        after = await self._place()
        missing = (
            ""
            if label
            else self._note
            or f"{msgspec.json.encode(text).decode()} is nowhere in it: it was scrolled through to its end"
        )
        return Scrolled(
            direction="down",
            moved_px=round(abs(after.position - before.position)),
            position_px=round(after.position),
            at_top=after.at_start,
            at_bottom=after.at_end,
            grew_px=max(0, round(after.content - before.content)),
            container=self._box.label,
            note="" if label else self._note or missing,
            found=label,
        )

    async def _look_for(self, text: str, until: int, limit: Deadline) -> str:
        """Brings the element with the text into view, and returns its label; "" if there is none."""
        world, tab = self._box.world, self._tab
        while True:
            async with tab.reading_lock:
                options = {"next": tab.refs.next_ids(world), "id": self._box.id, "text": text, "until": until}
                looked = await world.call("scrollToText", options, returning=_Text)
                tab.refs.claim(world, looked.first, looked.end)
            if looked.id:
                return tab.refs.write(world, looked.label)
            if limit.expired:
                self._note = f"{quoted_for_receipt(text)} was not found in {FEED_S:g} s: scroll on with the same text"
                return ""
            if looked.ended:
                place = await self._place()
                await self._step(1)  # waits for content that is loaded at the end
                if until < _END_PX or (await self._place()).content <= place.content:
                    return ""

    async def _by(self, sign: int, distance: float) -> None:
        while distance >= 1:
            place = await self._place()
            moved = await self._step(sign * min(distance, place.shown))
            distance -= abs(moved)
            if abs(moved) < 1:
                after = await self._place()
                if after.content <= place.content or sign < 0:
                    self._ended = True
                    return

    async def _to_end(self, sign: int) -> None:
        """Scrolls to the top in one jump, or to the bottom, repeated within limits while the content grows."""
        limit = Deadline.on(self._box.world.session, FEED_S)
        for _ in range(FEED_ROUNDS):
            before = await self._place()
            moved = await self._step(sign * _END_PX)
            after = await self._place()
            self._ended = after.content <= before.content and (abs(moved) < 1 or sign < 0)
            if self._ended or sign < 0 or (after.at_end and after.content <= before.content):
                return
            if limit.expired:
                break
        self._note = "it still grows: scroll on if you need more"

    async def _step(self, px: float) -> float:
        before = await self._place()
        watch = await Watch.start(self._tab)
        try:
            await self._box.world.call("moveBox", self._box.id, self._axis, px)
        except BaseException:
            watch.stop()
            raise
        settled = await watch.settle(patient=True)
        if settled != QUIET:
            self._note = settled
        moved = (await self._place()).position - before.position
        log_line("input", "scrolled {} by {:.0f} px of {:.0f}", self._box.label, moved, px)
        self._moved += moved
        return moved

    async def _place(self) -> _Place:
        places = await self._box.world.call("scrollPosition", self._box.id, self._axis, returning=list[_Place])
        if not places:
            raise ActionError(f"{self._box.label} left the page while it was scrolled: take a new snapshot.")
        return places[0]


async def _box(tab: Tab, at: Located | None, axis: str) -> _Scroller | str:
    """The nearest box that scrolls, from the element (or the page) outwards through the frames; or why none does."""
    frame: Frame = at.frame if at is not None else (await tab.frames()).root
    local = at.local if at is not None else 0
    why = "fits"
    while True:
        world = await frame.world()
        async with tab.reading_lock:
            box = await world.call(
                "scrollBox", {"next": tab.refs.next_ids(world), "id": local, "axis": axis}, returning=_Box
            )
            tab.refs.claim(world, box.first, box.end)
        if box.id:
            return _Scroller(world, box.id, tab.refs.write(world, box.label))
        if box.into and (inner := await _frame_in(tab, frame, box.into)) is not None:
            frame, local = inner, 0
            continue
        why = box.why or why
        owner = await frame.owner()
        if owner is None:
            break
        frame, _, local = owner
    if why == "locked":
        return (
            "the page's scrolling is locked (overflow: hidden), perhaps by a dialog: close it, or give the ref of a box"
        )
    return "everything fits into the viewport: there is nothing to scroll"


async def _frame_in(tab: Tab, frame: Frame, local: int) -> Frame | None:
    """The frame of another process inside an iframe element; None if it cannot be read."""
    if local not in frame.owners:
        await tab.read()  # finds out which frame each iframe contains
    tree = await tab.frames()
    return next((each for each in tree.all() if each.id == frame.owners.get(local)), None)


async def _into_view(tab: Tab, at: Located) -> Scrolled:
    owners: list[Callable[[], Awaitable[float]]] = [lambda: at.world.call("topOf", at.local, returning=float)]
    frame = at.frame
    while (owner := await frame.owner()) is not None:
        frame, world, local = owner
        owners.append(lambda world=world, local=local: world.call("topOf", local, returning=float))  # type: ignore[misc]
    before = sum([await top() for top in owners])
    watch = await Watch.start(tab)
    await at.world.call("bringIntoView", at.local)
    settled = await watch.settle(patient=True)
    after = sum([await top() for top in owners])
    return Scrolled(
        direction="into_view",
        moved_px=round(abs(after - before)),
        position_px=round(after),
        at_top=False,
        at_bottom=False,
        grew_px=0,
        container=at.ref,
        note="" if settled == QUIET else settled,
    )


def _unmoved(direction: Direction, why: str) -> Scrolled:
    return Scrolled(
        direction=direction,
        moved_px=0,
        position_px=0,
        at_top=True,
        at_bottom=True,
        grew_px=0,
        container="page",
        note=why,
    )


def _end_name(direction: Direction) -> str:
    return {"up": "top", "down": "bottom", "left": "left end", "right": "right end"}.get(direction, direction)
