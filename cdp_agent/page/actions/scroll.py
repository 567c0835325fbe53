"""Scrolling as a reader does: one viewport at a time, each time waiting for content that this loads."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal, get_args

import msgspec

from cdp_agent.action_log import Logged, log_line
from cdp_agent.errors import InvalidArguments
from cdp_agent.page.receipts.action_runner import limit_of
from cdp_agent.page.receipts.dialog_stops import value_until_dialog
from cdp_agent.page.receipts.receipts import Receipt
from cdp_agent.page.receipts.stability import QUIET, settle
from cdp_agent.page.receipts.watch import Watch
from cdp_agent.page.refs.locate import Located, locate
from cdp_agent.page.tab.tab import Tab

from .scrolling.box import Axis, Scroller, box_of
from .scrolling.movement import BLANK_IN_SEARCH, DEBOUNCED_S, SEARCH_S, Movement, Screen
from .scrolling.to_text import FAR_PX, TextSearch

Direction = Literal["up", "down", "left", "right", "top", "bottom", "into_view"]
FEED_ROUNDS = 40
_WAYS: dict[str, tuple[Axis, int]] = {
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
        names = ("left end", "right end") if self.direction in ("left", "right") else ("top", "bottom")
        ends = [name for name, there in zip(names, (self.at_top, self.at_bottom), strict=True) if there]
        grew = f"; the content grew by {self.grew_px} px" if self.grew_px else ""
        at = f"; at the {' and '.join(ends)}" if ends and self.moved_px else ""
        note = f" ({self.note})" if self.note and self.moved_px else ""
        return done + at + grew + note


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

    `pages` is in viewports of the scrolling box (0.1 to 20), one after the other; `pixels`, instead, is one move.
    "bottom" and "top" go on while more is loaded. With `to_text` it brings that text into view: where it is in the page
    already, else it scrolls in the direction until it is there, even in a list that renders only visible rows;
    downwards it starts again from the top at the end.

    Raises ActionError if the text is not found, InvalidArguments, StaleRef, DialogOpen if a dialog stops it,
    PageUnresponsive, BrowserError.
    """
    _check(direction, pages, pixels, ref, to_text)
    scrolling = _scroll(tab, direction, pages, pixels, ref, to_text)
    return await value_until_dialog(
        tab, "scroll", scrolling, lambda scrolled: Receipt(action="scroll", note=scrolled.text)
    )


async def _scroll(
    tab: Tab, direction: Direction, pages: float, pixels: int | None, ref: str | None, to_text: str | None
) -> Scrolled:
    async with tab.act(), limit_of(tab, SEARCH_S):
        at = await locate(tab, ref) if ref is not None else None
        if direction == "into_view":
            assert at is not None  # checked
            return await _into_view(tab, at)
        axis, sign = _WAYS[direction]
        box = await box_of(tab, at, axis)
        search = TextSearch(tab, to_text, axis, sign, inside=at is not None) if to_text is not None else None
        if isinstance(box, str) and search is not None:
            there = await search.without_scrolling(box, at)
            if isinstance(there, str):
                return _unmoved(direction, box, there)
            box = there
        if isinstance(box, str):
            return _unmoved(direction, box, "")
        if search is not None:
            async with Movement.of(tab, box, axis, most_blank=BLANK_IN_SEARCH) as movement:
                before = await movement.screen()
                label = await search.in_box(movement)
                return _scrolled(direction, box, before, await movement.screen(), label=label)
        async with Movement.of(tab, box, axis) as movement:
            before = await movement.screen()
            if direction in ("top", "bottom"):
                way = await _to_end(movement, sign, before)
            elif pixels is not None:
                way = await _by(movement, sign, before, float(pixels), FAR_PX)
            else:
                way = await _by(movement, sign, before, pages * before.shown, before.shown)
            return _result(movement, direction, sign, before, way)


def _check(direction: str, pages: float, pixels: int | None, ref: str | None, to_text: str | None) -> None:
    if direction not in get_args(Direction):
        raise InvalidArguments(f"direction is {direction!r}: give one of {', '.join(get_args(Direction))}.")
    if not 0.1 <= pages <= 20:
        raise InvalidArguments(f"pages is {pages:g}: give 0.1 to 20.")
    if pixels is not None and pixels < 1:
        raise InvalidArguments(f"pixels is {pixels}: give 1 or more; the direction says which way.")
    if direction == "into_view" and ref is None:
        raise InvalidArguments("into_view needs the ref of the element to bring into view.")
    if to_text is not None and not to_text.strip():
        raise InvalidArguments("to_text is empty: give the text to look for.")


class _Way(msgspec.Struct, frozen=True):
    """How far a scroll went, where it is, and whether that is seen to be as far as it goes."""

    moved: float
    after: Screen
    ended: bool
    note: str = ""


async def _by(movement: Movement, sign: int, before: Screen, distance: float, step: float) -> _Way:
    """Scrolls by a distance, at most a step at a time; on from an end if more is loaded there."""
    moved, after = 0.0, before
    while distance - abs(moved) >= 1 and not movement.limit.expired:
        place, left = after, distance - abs(moved)
        went = await movement.move(sign * min(left, step))
        moved += went
        is_done = left - abs(went) < 1
        after = await movement.rest(sign, is_last=abs(went) < 1, pause_s=DEBOUNCED_S if is_done else 0.0)
        if _is_over(place, after, sign):
            return _Way(moved, after, ended=True)
    is_short = distance - abs(moved) >= 1
    return _Way(moved, after, ended=after.is_last(sign), note=f"stopped after {SEARCH_S:g} s" if is_short else "")


async def _to_end(movement: Movement, sign: int, before: Screen) -> _Way:
    """Scrolls to the end, again and again within limits while more is loaded there."""
    moved, after = 0.0, before
    for _ in range(FEED_ROUNDS):
        place = after
        went = await movement.move(sign * FAR_PX)
        moved += went
        after = await movement.rest(sign, is_last=abs(went) < 1)
        if _is_over(place, after, sign):
            return _Way(moved, after, ended=True)
        if movement.limit.expired:
            break
    return _Way(moved, after, ended=False, note="it still grows: scroll on if you need more")


def _is_over(before: Screen, after: Screen, sign: int) -> bool:
    """Whether a move has come to an end: it goes no further, or the page has put it back."""
    return after.content <= before.content and (after.is_last(sign) or round(after.position - before.position) == 0)


def _result(movement: Movement, direction: Direction, sign: int, before: Screen, way: _Way) -> Scrolled:
    ended, note, moved = way.ended and not movement.note, way.note or movement.note, way.moved
    stuck = ended and not way.after.is_last(sign) and not way.after.snaps
    if stuck:
        note, moved = f"the page keeps it at {way.after.position:.0f} px", way.after.position - before.position
    elif ended and not round(abs(moved)):
        note = f"{movement.box.label} is already at the {_end_name(direction)}"
    return _scrolled(
        direction, movement.box, before, way.after, moved=moved, ends=sign if ended and not stuck else 0, note=note
    )


def _scrolled(
    direction: Direction,
    box: Scroller,
    before: Screen,
    after: Screen,
    *,
    moved: float | None = None,
    ends: int = 0,
    note: str = "",
    label: str = "",
) -> Scrolled:
    """`ends`: 1 or -1 where it goes no further in that direction: an end ahead is told only if it is one."""
    sign = _WAYS[direction][1]
    return Scrolled(
        direction=direction,
        moved_px=round(abs(after.position - before.position if moved is None else moved)),
        position_px=round(after.position),
        at_top=ends < 0 or (after.at_start and (sign > 0 or bool(label))),
        at_bottom=ends > 0 or (after.at_end and (sign < 0 or bool(label))),
        grew_px=max(0, round(after.content - before.content)),
        container=box.label,
        note=note,
        found=label,
    )


async def _into_view(tab: Tab, at: Located) -> Scrolled:
    owners: list[Callable[[], Awaitable[float]]] = [lambda: at.world.call("topOf", at.local, returning=float)]
    frame = at.frame
    while (owner := await frame.owner()) is not None:
        frame, world, local = owner
        owners.append(lambda world=world, local=local: world.call("topOf", local, returning=float))  # type: ignore[misc]
    before = sum([await top() for top in owners])
    watch = await Watch.start(tab)
    await at.world.call("bringIntoView", at.local)
    settled = await settle(watch, patient=True)
    log_line("input", "brought {} into view", at.ref)
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


def _unmoved(direction: Direction, why: str, label: str) -> Scrolled:
    return Scrolled(
        direction=direction,
        moved_px=0,
        position_px=0,
        at_top=True,
        at_bottom=True,
        grew_px=0,
        container="page",
        note="" if label else why,
        found=label,
    )


def _end_name(direction: Direction) -> str:
    return {"up": "top", "down": "bottom", "left": "left end", "right": "right end"}.get(direction, direction)
