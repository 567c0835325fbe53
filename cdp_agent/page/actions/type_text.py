"""Typing a text key by key, at the pace at which the page gives the focus to what gets the keys."""

from __future__ import annotations

from typing import Literal

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.cdp.connection import Session
from cdp_agent.errors import DocumentGone, InvalidArguments
from cdp_agent.page.activity.network import NetworkMark
from cdp_agent.page.frames.deadline import Deadline
from cdp_agent.page.frames.world import World, answer_of
from cdp_agent.page.receipts.budget import LONGEST_VALUE
from cdp_agent.page.receipts.receipts import Outcome
from cdp_agent.page.snapshot.lines import quoted, shortened
from cdp_agent.page.tab.tab import Tab

from .field_typing import QUIET_MS, rest_of
from .keyboard import CONTROLS, OPENING_S, composing, has_key, send, strokes, typing
from .stayed import takes_sentence

LOADING_S = 3.0
"""How long while scripts or data are loaded for it: editors are often loaded when the first one is opened."""


class _Target(msgspec.Struct, frozen=True):
    """See KeyTarget in js/act/key_target.js."""

    label: str
    takes_text: bool
    remote: bool
    full: bool
    moved: bool
    in_vain: bool


class _Lost(msgspec.Struct, frozen=True):
    """A field that does not hold what was typed; see js/fields/typing.js."""

    label: str
    held: str
    wanted: str
    type: str


_Losses = list[_Lost]
_TOO_LATE = ": it opened only after the keys had come. Fill it, or type the rest"


class _Formatting(msgspec.Struct, frozen=True):
    """See fieldFormats in js/fields/typing.js."""

    local: int


async def type_text(tab: Tab, text: str) -> Outcome:
    """Types the text, key by key, into the focused element of the tab.

    A line break is Enter, a tab the key Tab; characters without a key are inserted, as from an input method. If the
    first key opens a field, the others wait until that has the focus; where a field changes what a key enters, the next
    key waits until it is at rest. A note in the outcome states if nothing had the focus. Raises InvalidArguments if a
    field then holds something that does not mean what was typed, PageUnresponsive, DocumentGone.
    """
    keys = await _Typing.begin(tab)
    has_focus = keys.has_focus
    log_line("input", "types {} characters into {}", len(text), "the focus" if has_focus else "a page without a focus")
    pace = _Pace((await tab.frames()).root.session, keys.world)
    parts = list(strokes(text))
    try:
        for number, part in enumerate(parts, 1):
            before = tab.activity.requests.mark()
            if part in CONTROLS and keys.has_opened and (lost := await keys.world.call("lostSoFar", returning=_Losses)):
                raise _lost_error(tab, keys.world, lost[0])  # and is not taken over by Enter
            await pace.send(part)
            if part in CONTROLS:
                await keys.after_control(part)
            elif number < len(parts) and keys.awaits(is_first=number == 1):
                await keys.after_character(part, before)
            elif not has_key(part):  # terminals read composed text in a timer: the next key would change it first
                await keys.world.call("timersDone")
    except BaseException:
        keys.world.tell("typedResult")
        raise
    lost = await pace.finish()
    if lost:
        raise _lost_error(tab, keys.world, lost[0])

    async def again() -> Outcome:
        late = await keys.world.call("openedTooLate", text, returning=_Losses)
        return Outcome(failure=_lost_error(tab, keys.world, late[0], _TOO_LATE) if late else None)

    note = "" if has_focus else "no element had the focus: the keys went to the page"
    return Outcome(note=note, read_again=again if keys.opened_nothing else None)


class _Typing:
    """What the keys of a text go to, which each of them may change."""

    def __init__(self, tab: Tab, world: World, target: _Target) -> None:
        self.world = world
        self._tab = tab
        self._target = target
        """What had the focus when the page was last asked."""
        self._may_open = True
        """Whether a key may open a field where none has the focus: the first one tells."""
        self._moves = False
        """Whether keys move the focus from field to field."""
        self.has_opened = False
        """Whether a field is open that a key has opened."""
        self.opened_nothing = False
        """Whether no field has opened at a key, as far as that was waited for."""

    @classmethod
    async def begin(cls, tab: Tab) -> _Typing:
        frames = (await tab.frames()).all()
        world = await frames[0].world()
        target = await world.call("keyTarget", returning=_Target)
        for frame in frames[1:] if target.remote else ():
            inner = await (await frame.world()).call("keyTarget", returning=_Target)
            if inner.label and not inner.remote:
                world, target = await frame.world(), inner
                break
        await world.call("watchTyping")
        return cls(tab, world, target)

    @property
    def has_focus(self) -> bool:
        """Whether an element has the focus."""
        return bool(self._target.label)

    def awaits(self, *, is_first: bool) -> bool:
        """Whether the page may be about to give the focus to something else than what has it now, because of a key."""
        opens = self._may_open and not self._target.takes_text
        return is_first or opens or self._moves or self._target.full

    async def after_character(self, part: str, since: NetworkMark) -> None:
        """Waits until what gets the next key after this character has the focus."""
        was, target = self._target, await self._taken("entered")
        if not was.takes_text:
            limit = Deadline.on(self.world.session, LOADING_S)
            while target.in_vain and self._is_loading(since) and not limit.expired:
                log_line("wait", "no field has opened, and something is being loaded")
                target = await self._taken("entered")
            self._may_open = self.has_opened = target.takes_text
            self.opened_nothing = not target.takes_text
            log_line("decision", "the key has opened {}", "a field" if self.has_opened else "no field")
        self._moves = was.takes_text and target.takes_text and (self._moves or target.moved)
        # A field that is full, and keeps the focus, is not waited for again.
        self._target = msgspec.structs.replace(target, full=target.full and not target.in_vain)

    async def after_control(self, part: str) -> None:
        """Waits until the page has handled Enter or Tab."""
        opens = self._may_open and not self._target.takes_text and CONTROLS[part] == "Enter"
        self._target = await self._taken("left" if self.has_opened else "entered" if opens else "handled")
        self.has_opened = False

    async def _taken(self, how: Literal["entered", "left", "handled"]) -> _Target:
        return await self.world.call("keyTaken", how, OPENING_S * 1000, returning=_Target)

    def _is_loading(self, since: NetworkMark) -> bool:
        requests = self._tab.activity.requests
        return bool(requests.pending(since)) or (requests.any_since(since) and requests.quiet_s() < OPENING_S)


class _Pace:
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

    async def send(self, part: str) -> None:
        """Types a key, or enters the text as an input method does."""
        is_key = has_key(part)
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
            return await self.world.call("typedResult", returning=_Losses)
        except DocumentGone:
            return []  # because of the keys


def _lost_error(tab: Tab, world: World, lost: _Lost, why: str = "") -> InvalidArguments:
    label = tab.refs.write(world, lost.label)
    held, wanted = (quoted(shortened(text, LONGEST_VALUE)) for text in (lost.held, lost.wanted))
    holds = f"{label[:1].upper()}{label[1:]} holds {held}, not {wanted}"
    return InvalidArguments(f"{holds}{why}.{takes_sentence(lost.type)}")
