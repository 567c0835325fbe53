"""Scrolls until a text is in view: in what the page has already, then screen by screen in the direction told."""

from __future__ import annotations

import time

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.errors import ActionError
from cdp_agent.page.actions.keyboard import quoted_for_receipt
from cdp_agent.page.frames.world import World
from cdp_agent.page.receipts.stability import settle
from cdp_agent.page.receipts.watch import Watch
from cdp_agent.page.refs.locate import Located
from cdp_agent.page.tab.tab import Tab

from .box import Axis, Scroller, box_of
from .movement import END_S, SEARCH_S, Movement, Screen

FAR_PX = 100_000_000
"""More than any box is long."""
_STEP = 0.75
"""How much of a view it scrolls at a time: what a list has not drawn at the edge of one screen is in the next."""
_MOST_LOOKS = 5
"""How often it looks whether the text stays in view: lists draw the rows anew around the place that is scrolled to."""
_WAYS = {("y", 1): "downwards", ("y", -1): "upwards", ("x", 1): "to the right", ("x", -1): "to the left"}
_ENDS = {("y", 1): "its bottom", ("y", -1): "its top", ("x", 1): "its right end", ("x", -1): "its left end"}
_BACK = {("y", 1): "up", ("y", -1): "down", ("x", 1): "left", ("x", -1): "right"}


class Occurrence(msgspec.Struct, frozen=True):
    """See findText in js/act/scroll_to_text.js; `label` and `elsewhere` have refs.

    With `moved` and without an `id`, it was there until it was brought into view.
    """

    first: int
    end: int
    id: int
    label: str
    moved: bool
    seen: bool
    elsewhere: str


class _WaysOn(msgspec.Struct, frozen=True):
    """See waysOn in js/act/screen.js."""

    first: int
    end: int
    more: list[str]
    boxes: list[str]


class TextSearch:
    """A search for a text in one direction: `sign` is 1 for down or right, -1 for up or left."""

    def __init__(self, tab: Tab, text: str, axis: Axis, sign: int, *, inside: bool) -> None:
        self._tab = tab
        self._text = text
        self._axis = axis
        self._sign = sign
        self._inside = inside
        """Whether it is looked for only in the box, not in all frames."""
        self._elsewhere = ""
        self._screens = 0
        self._searched = ""
        """Which parts of the box were searched, in words."""

    async def in_page(self, box: Scroller | None) -> Occurrence | None:
        """The text where it is in the page without scrolling through it, now in view; None if it is nowhere."""
        if box is not None and (there := await self._look(box.world, box)) is not None:
            return there
        if self._inside:
            return None
        for frame in (await self._tab.frames()).all():
            if box is not None and frame is box.frame:
                continue
            if (there := await self._look(await frame.world(), None)) is not None:
                return there
        return None

    async def in_box(self, movement: Movement) -> str:
        """The label of the element with the text, now in view. Raises ActionError if it is nowhere, or time is over."""
        await self._tab.read()  # finds out which closed shadow roots there are
        before = await movement.screen()
        label = await self._found(movement, await self.in_page(movement.box))
        if not label:
            label = await self._scan(movement, self._sign, FAR_PX, before)
        if not label and self._sign > 0 and not before.at_start and not movement.limit.expired:
            await movement.move(-FAR_PX)
            top = await movement.rest(-1)
            label = await self._found(movement, await self._look(movement.box.world, movement.box))
            label = label or await self._scan(movement, 1, before.position, top)
        if not label:
            label = await self._found(movement, await self.in_page(movement.box))
        if not label:
            raise ActionError(await self._not_found(movement))
        return label

    async def _scan(self, movement: Movement, sign: int, until: float, screen: Screen) -> str:
        """Looks for the text from one screen to the next, up to a position; returns its label, or ""."""
        box, begun = movement.box, screen.position
        while not movement.limit.expired:
            before = screen
            moved, screen = await movement.next_screen(sign, _STEP)
            self._screens += 1
            if label := await self._found(movement, await self._look(box.world, box)):
                return label
            if abs(moved) < 1 or screen.is_last(sign):
                screen = await movement.rest(sign, is_last=abs(moved) < 1)
                if label := await self._found(movement, await self._look(box.world, box)):
                    return label
                if screen.content <= before.content and (screen.is_last(sign) or abs(moved) < 1):
                    break
            if sign > 0 and screen.position >= until:
                break
        self._note_searched(movement, sign, begun, screen)
        return ""

    def _note_searched(self, movement: Movement, sign: int, begun: float, screen: Screen) -> None:
        way, end = _WAYS[self._axis, sign], _ENDS[self._axis, sign]
        ended = screen.is_last(sign) and not movement.note and not movement.limit.expired
        place = f"{end} at {screen.position:,.0f} px" if ended else f"{screen.position:,.0f} px"
        part = f"{way} from {begun:,.0f} px to {place}"
        self._searched = f"{self._searched}, then {part}" if self._searched else part

    async def _look(self, world: World, box: Scroller | None) -> Occurrence | None:
        """Brings the text into view if it is in that world, or only in the box."""
        tab = self._tab
        async with tab.reading_lock:
            options = {
                "next": tab.refs.next_ids(world),
                "id": box.id if box is not None else 0,
                "axis": self._axis,
                "text": self._text,
                "sign": self._sign,
                "inside": self._inside,
                "behind": self._sign > 0,  # else it goes the way that was told
            }
            looked = await world.call("findText", options, returning=Occurrence)
            tab.refs.claim(world, looked.first, looked.end)
        if looked.elsewhere:
            self._elsewhere = tab.refs.write(world, looked.elsewhere)
        if not looked.id and not looked.moved:
            return None
        return msgspec.structs.replace(looked, label=tab.refs.write(world, looked.label))

    async def _found(self, movement: Movement, there: Occurrence | None) -> str:
        """Its label once it stays in view, "" if it goes: a list may draw its rows anew before."""
        for _ in range(_MOST_LOOKS):
            if there is None or (there.seen and not there.moved):
                break
            log_line("reading", "brought into view: {}", there.label or "the text, which has gone with that")
            await movement.rest(0)
            there = await self.in_page(movement.box)
        if there is not None and there.id and not there.seen:
            text = quoted_for_receipt(self._text)
            raise ActionError(f"{there.label} has {text}, but does not come into view: it is clipped, or moves away.")
        return there.label if there is not None else ""

    async def _not_found(self, movement: Movement) -> str:
        """What was searched, how far and which way, what is near it, and what to do."""
        text, box, limit = quoted_for_receipt(self._text), movement.box, movement.limit
        if limit.expired:
            was = f"{text} was not found in {box.label} within {SEARCH_S:g} s"
        else:
            was = f"{text} is not in {box.label}"
        facts = [f"{was}: searched {self._searched}, {self._screens} screens."]
        if movement.note:
            facts.append(f"There it is {movement.note}: there may be more.")
        if movement.left_blank:
            facts.append(f"{movement.left_blank} of these stayed empty in part.")
        if limit.expired:
            return " ".join([*facts, "The same call goes on from there."])
        return " ".join([*facts, *await self._advice(box)])

    async def _advice(self, box: Scroller | None) -> list[str]:
        """Where the text is instead, the nearest spelling, and what may bring it."""
        back = _BACK[self._axis, self._sign]
        if self._elsewhere:
            way = f": scroll {back} to it" if self._sign < 0 and " not shown" not in self._elsewhere else ""
            return [f"But {self._elsewhere}{way}."]
        advice = [f"What is on the other side was not searched: scroll {back} to it."] if self._sign < 0 and box else []
        from cdp_agent.page.query.search import LONGEST_PATTERN, search  # late: 15 ms, half of it the regex package

        result = await search(self._tab, self._text[:LONGEST_PATTERN], max_results=1)
        if result.matches and (match := result.matches[0]).ref:
            advice.append(f"search finds it in {match.role} {match.ref}.")
        elif result.near:
            advice.append(f"Nearest on the page now: {', '.join(map(quoted_for_receipt, result.near))}.")
        ways = await self._ways_on(box)
        if ways.more:
            advice.append(f"{', '.join(ways.more)} may load more: click it, then search again.")
        if ways.boxes:
            advice.append(f"Also scrollable: {', '.join(ways.boxes)}; give its ref to search there.")
        if not ways.more and not ways.boxes:
            advice.append("Try a shorter or another spelling.")
        return advice

    async def _ways_on(self, box: Scroller | None) -> _WaysOn:
        tab = self._tab
        world = box.world if box is not None else await (await tab.frames()).root.world()
        async with tab.reading_lock:
            options = {"next": tab.refs.next_ids(world), "id": box.id if box else 0, "axis": self._axis}
            ways = await world.call("waysOn", options, returning=_WaysOn)
            tab.refs.claim(world, ways.first, ways.end)
        return msgspec.structs.replace(
            ways,
            more=[tab.refs.write(world, label) for label in ways.more],
            boxes=[tab.refs.write(world, label) for label in ways.boxes],
        )

    async def without_scrolling(self, why: str, at: Located | None) -> str | Scroller:
        """The label of the element with the text, now in view, where nothing scrolls; or a box that scrolls by now.

        Raises ActionError if there is neither, and nothing that loads.
        """
        await self._tab.read()
        watch = await Watch.start(self._tab)
        begun = time.perf_counter()
        try:
            while True:
                await settle(watch, keep=True)
                if (there := await self.in_page(None)) is not None and there.seen:
                    return there.label
                if not isinstance(box := await box_of(self._tab, at, self._axis), str):
                    return box
                left_s = begun + END_S - time.perf_counter()
                if left_s <= 0 or (await self._tab.frames()).root.is_static:
                    break
                log_line("wait", "for the text or a box that scrolls, {:.0f} ms more at most", left_s * 1000)
                await watch.look()
                await watch.wait_for_change(left_s)
        finally:
            watch.stop()
        advice = " ".join(await self._advice(None))
        raise ActionError(f"{quoted_for_receipt(self._text)} is not on the page, and {why}. {advice}")
