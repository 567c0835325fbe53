"""Typing where the focus is, key by key, at the pace of the field, and whether what was typed stays."""

from __future__ import annotations

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.cdp.connection import Session
from cdp_agent.errors import DocumentGone, InvalidArguments
from cdp_agent.page.frames.frames import Frame
from cdp_agent.page.frames.world import World, answer_of
from cdp_agent.page.receipts.receipts import LONGEST_VALUE, Outcome
from cdp_agent.page.snapshot.lines import quoted, shortened
from cdp_agent.page.tab.tab import Tab

from .field_typing import QUIET_MS, rest_of
from .keyboard import CONTROLS, composing, key_of, send, strokes, typing
from .stayed import takes_sentence


class _Lost(msgspec.Struct, frozen=True):
    """A field that does not hold what was typed; see js/fields/typing.js."""

    label: str
    held: str
    wanted: str
    type: str


class _Formatting(msgspec.Struct, frozen=True):
    """See fieldFormats in js/fields/typing.js."""

    local: int


async def type_text(tab: Tab, frame: Frame, text: str) -> Outcome:
    """Types the text, key by key, into what has the focus in the frame, or in one in it.

    A line break is Enter, a tab the key Tab; characters without a key are inserted, as from an input method. Where a
    field changes what a key enters, the next key waits until it is at rest. A note in the outcome states if nothing had
    the focus. Raises InvalidArguments if a field then holds something that does not mean what was typed,
    PageUnresponsive, DocumentGone.
    """
    root = (await tab.frames()).root
    world = await root.world()
    focused = await world.call("focusedLabel", returning=str)
    log_line("input", "types {} characters into {}", len(text), "the focus" if focused else "a page without a focus")
    keys = _Keys(root.session, await _watched(tab, frame))
    try:
        moves = True  # the first key may open a field, which then takes the focus
        for part in strokes(text):
            is_key = len(part) == 1 and key_of(part) is not None
            await keys.send(part, is_key=is_key)
            if moves or part in CONTROLS:
                await world.call("nextFrame")
            elif not is_key:  # terminals read composed text in a timer: the next key would change it first
                await world.call("timersDone")
            moves = False
    except BaseException:
        keys.world.tell("typedResult")
        raise
    if lost := await keys.finish():
        raise _lost_error(tab, keys.world, lost[0])
    return Outcome(note="" if focused else "no element had the focus: the keys went to the page")


async def _watched(tab: Tab, frame: Frame) -> World:
    """The world of the document that has the focus, which then listens to the keys."""
    tree = await tab.frames()
    while True:
        world = await frame.world()
        inner = await world.call("watchTyping", returning=int)
        within = next((each for each in tree.all() if inner and each.id == frame.owners.get(inner)), None)
        if within is None:
            return world
        world.tell("typedResult")
        frame = within


class _Keys:
    """Sends keys, and lets each wait for what the one before has started in its field, if the field does such things.

    The page is asked once, ahead of the keys: it answers what comes after its input only once that is painted. From the
    first key that a field changes on, it holds back the keys that were sent before its answer came.
    """

    def __init__(self, session: Session, world: World) -> None:
        self.world = world
        self._session = session
        self._formats = world.ask("fieldFormats")
        self._sent: list[str] = []
        self._local = 0
        """The field that each key waits for; 0: none so far."""

    async def send(self, part: str, *, is_key: bool) -> None:
        """Types a key, or enters the text as an input method does."""
        await send(self._session, typing(part) if is_key else composing(part))
        if is_key:
            self._sent.append(part)
        if self._local:
            await rest_of(self.world, self._local, QUIET_MS)
        elif self._formats.done() and self._formats.exception() is None:
            await self._send_held()

    async def _send_held(self) -> None:
        """Lets the field come to rest, then sends the keys that were held back."""
        self._local = answer_of("fieldFormats", self._formats.result(), _Formatting).local
        log_line("decision", "the field changes what a key enters: each key waits until it is at rest")
        await rest_of(self.world, self._local, QUIET_MS)
        count = await self.world.call("releaseKeys", returning=int)
        for part in self._sent[len(self._sent) - count :]:
            await send(self._session, typing(part))
            await rest_of(self.world, self._local, QUIET_MS)

    async def finish(self) -> list[_Lost]:
        """Ends the typing. Returns the fields that do not hold what was typed into them."""
        try:
            if not self._local and await self.world.call("isHoldingKeys", returning=bool):
                await self._formats
                await self._send_held()
            return await self.world.call("typedResult", returning=list[_Lost])
        except DocumentGone:
            return []  # because of the keys


def _lost_error(tab: Tab, world: World, lost: _Lost) -> InvalidArguments:
    label = tab.refs.write(world, lost.label)
    held, wanted = (quoted(shortened(each, LONGEST_VALUE)) for each in (lost.held, lost.wanted))
    return InvalidArguments(f"{label[:1].upper()}{label[1:]} holds {held}, not {wanted}.{takes_sentence(lost.type)}")
