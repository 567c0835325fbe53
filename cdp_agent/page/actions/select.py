"""Choosing options in lists, native or custom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.errors import InvalidArguments, NotInteractable, StaleRef
from cdp_agent.page.receipts.receipts import Outcome
from cdp_agent.page.refs.locate import Located
from cdp_agent.page.snapshot.lines import quoted

from .actionability import ElementLabel, Obstacle, describe, obstacle_error, refusal
from .actions import ELEMENT_GONE, ELEMENT_MOVED, click_element
from .fill import fill
from .keyboard import press

By = Literal["text", "value", "index"]
OPTIONS_WAIT_S = 1.0
SUGGESTIONS_WAIT_S = 3.0
SHORT_WAIT_S = 0.3
_MOST_SCROLLS = 60
_MOST_CLICKS = 4


class _Kind(msgspec.Struct, frozen=True):
    """See listKind in js/act/choose.js."""

    kind: Literal["native", "datalist", "custom", "other"]
    local: int
    said: ElementLabel
    instead: str


class _Chosen(msgspec.Struct, frozen=True):
    """See chooseNative in js/act/choose.js."""

    state: Literal["chosen", "otherwise", "before", "unknown", "ambiguous", "disabled", "single", "gone"]
    refusal: Obstacle | None
    wanted: str
    shown: str
    options: list[str]
    total: int


class _List(msgspec.Struct, frozen=True):
    """See beginChoice in js/act/popup.js."""

    open: bool


class _Found(msgspec.Struct, frozen=True):
    """See findOption in js/act/popup.js."""

    state: Literal["found", "ambiguous", "unknown"]
    local: int
    text: str
    chosen: bool
    disabled: bool
    options: list[str]
    total: int
    sure: bool
    meant: list[str]

    @property
    def is_decided(self) -> bool:
        """Whether the rest of the list could not change the result."""
        return self.state != "unknown" and self.sure


class _Among(msgspec.Struct, frozen=True):
    """See matchingTexts in js/act/choose.js."""

    meant: list[str]
    options: list[str]


class _Suggestion(msgspec.Struct, frozen=True):
    value: str | None
    options: list[str]
    total: int


async def select(at: Located, option: str | int | Sequence[str], *, by: By = "text") -> Outcome:
    """Chooses an option by its text (exact, else the only one that contains it), its value, or its index from 0.

    Several options may be given for a list that accepts several; they replace its selection. `Outcome.value` is what
    the list shows afterwards. Raises InvalidArguments, which names the existing options, NotInteractable.
    """
    wanted = [str(option)] if isinstance(option, str | int) else [str(each) for each in option]
    kind = await at.world.call("listKind", at.local, returning=_Kind)
    log_line("decision", "a list of the kind {}", kind.kind)
    match kind.kind:
        case "native":
            return await _native(at, kind.local, wanted, by)
        case "datalist":
            return await _suggested(msgspec.structs.replace(at, local=kind.local), wanted[0], by)
        case "custom":
            return await _Custom(at, kind.local, by).choose(wanted)
        case _:
            raise refusal(at, "wrong_element", kind.said, f"is no list to select from: {kind.instead}.")


async def takes_any_text(at: Located) -> bool:
    """Whether the list of a field is a `datalist`, which only suggests values."""
    kind = await at.world.call("listKind", at.local, returning=_Kind)
    return kind.kind == "datalist"


async def _suggested(at: Located, wanted: str, by: By) -> Outcome:
    """Fills in the value of one of a field's suggestions. The field accepts any other text, too."""
    suggestion = await at.world.call("suggestion", at.local, wanted, by, returning=_Suggestion)
    outcome = await fill(at, wanted if suggestion.value is None else suggestion.value)
    if suggestion.value is not None:
        return outcome
    note = f"none of its suggestions is meant by that: {_listed(suggestion.options, suggestion.total)}"
    return msgspec.structs.replace(outcome, note="; ".join(filter(None, (outcome.note, note))))


async def _native(at: Located, local: int, wanted: list[str], by: By) -> Outcome:
    wait_ms = OPTIONS_WAIT_S * 1000
    chosen = await at.world.call("chooseNative", local, wanted, by, wait_ms, returning=_Chosen)
    log_line("reading", "the option: {}", chosen.state)
    if chosen.refusal is not None:
        raise obstacle_error(at, chosen.refusal, at.world)
    match chosen.state:
        case "chosen":
            return _shown(at, local, chosen.shown)
        case "otherwise":
            note = f"{quoted(chosen.wanted)} was chosen, and the page chose otherwise"
            return _shown(at, local, chosen.shown, note)
        case "before":
            return _shown(at, local, chosen.shown, "it was chosen before")
        case "disabled":
            raise InvalidArguments(f'{await describe(at)} has the option "{chosen.wanted}" disabled.')
        case "single":
            raise InvalidArguments(f"{await describe(at)} takes one option, not several.")
        case "gone":
            return Outcome(note="it left the page")
        case _:
            raise await _no_such(at, chosen.wanted, by, chosen.state, chosen.options, chosen.total)


def _shown(at: Located, local: int, shown: str, note: str = "") -> Outcome:
    """The outcome: the text that the list shows now, to be read again once the page has settled."""

    async def again() -> Outcome:
        now = await at.world.call("displayedValue", local, returning=str)
        since = "" if now == shown else f"the page changed it since: it showed {quoted(shown)}"
        return Outcome(now, since)

    return Outcome(shown, note, read_again=again)


async def _filter(at: Located, text: str) -> None:
    """Fills in the field that filters a list; what the list has then counts, not what the field makes of the text."""
    try:
        await fill(at, text)
    except InvalidArguments:
        log_line("decision", "the field of the list holds something else: what the list has then decides")


class _Custom:
    """Choosing in a custom list, from opening it to the chosen option."""

    def __init__(self, at: Located, local: int, by: By) -> None:
        self._at = at
        self._local = local
        self._by = by
        self._chosen: list[str] = []
        self._last = 0

    async def choose(self, wanted: list[str]) -> Outcome:
        notes = []
        for each in wanted:
            notes.append(await self._choose(each))
        shown = await self._at.world.call("displayedValue", self._local, returning=str)
        note = "; ".join(filter(None, notes))
        # A field that is only for filtering does not show the choice.
        outcome = _shown(self._at, self._local, shown, note) if shown else Outcome(note=note)
        return msgspec.structs.replace(outcome, chosen=self._chosen)

    async def _choose(self, wanted: str) -> str:
        at = self._at
        listed = await at.world.call("beginChoice", self._local, self._last, returning=_List)
        if not listed.open:
            log_line("decision", "opens the list")
            await click_element(at, local=self._local)
        option = await self._find(wanted)
        log_line("reading", "the option: {}", option.state)
        if not listed.open and (option.state != "found" or option.disabled or option.chosen):
            await press(at.frame, "Escape")  # there is nothing to choose: the list is closed again
        if option.state != "found":
            raise await _no_such(at, wanted, self._by, option.state, option.options, option.total)
        if option.disabled:
            raise InvalidArguments(f"{await describe(at)} has the option {quoted(option.text)} disabled.")
        if option.chosen:
            return f"{quoted(option.text)} was chosen before"
        text = option.text
        for _ in range(_MOST_CLICKS):
            if await self._was_clicked(option) or await self._is_done(wanted, text):
                break
            log_line("retry", "the option was not clicked: looks for it again")
            option = await self._scrolled_to(text if self._by == "text" else wanted)
        else:
            raise NotInteractable(at.ref, "moving", f"{await describe(at)} keeps moving {quoted(text)} away.")
        self._chosen.append(option.text)
        self._last = option.local
        return await self._verify(option)

    async def _was_clicked(self, option: _Found) -> bool:
        """Clicks the option. False if there was no click, as a list that renders only visible rows re-rendered it."""
        if option.state != "found":
            return False
        try:
            note = await click_element(msgspec.structs.replace(self._at, local=option.local, part=True))
        except (NotInteractable, StaleRef) as error:
            if isinstance(error, NotInteractable) and error.why != "hidden":
                raise
            return False
        return note not in (ELEMENT_GONE, ELEMENT_MOVED)

    async def _is_done(self, wanted: str, text: str) -> bool:
        """Whether a press without a click chose the option anyway: it is marked or shown, or the list is closed."""
        if await self._at.world.call("isListClosed", self._local, returning=bool):
            return True  # elements that came since are no options
        now = await self._option(wanted, 0)
        if now.state == "found":
            return now.chosen
        return not now.total or await self._shows(text)

    async def _shows(self, text: str) -> bool:
        return text.casefold() in (await self._at.world.call("displayedValue", self._local, returning=str)).casefold()

    async def _find(self, wanted: str) -> _Found:
        world = self._at.world
        field = await world.call("filterField", self._local, returning=int) if self._by == "text" else 0
        option = await self._option(wanted, SHORT_WAIT_S if field else OPTIONS_WAIT_S)
        if not option.is_decided and field:
            log_line("decision", "filters the list by its field")
            filtered = msgspec.structs.replace(self._at, local=field)
            before = await world.call("displayedValue", field, returning=str)
            await _filter(filtered, wanted)
            all_of_them, option = option, await self._option(wanted, SUGGESTIONS_WAIT_S)
            if option.state == "unknown":
                await _filter(filtered, before)  # some lists filter by text that they do not show
                was_filtered = option.options != all_of_them.options
                unfiltered = await self._unfiltered(wanted, option if was_filtered else None)
                option = unfiltered if unfiltered.state == "found" or unfiltered.total else option
        if option.state == "unknown" and not option.total:  # some lists open by keys only
            log_line("retry", "there are no options: ArrowDown may open the list")
            await press(self._at.frame, "ArrowDown")
            option = await self._option(wanted, SHORT_WAIT_S)
        return option if option.is_decided else await self._scrolled_to(wanted, option)

    async def _scrolled_to(self, wanted: str, option: _Found | None = None) -> _Found:
        """Finds the option and scrolls to it; searches a list that renders only visible rows from end to end.

        It is the option with exactly that text, else the only one that can be meant. If there is none, the result has
        the first options of the list; if several can be meant, those.
        """
        world = self._at.world
        first = option = option or await self._option(wanted, SHORT_WAIT_S)
        meant: dict[str, None] = {}
        for scroll in range(_MOST_SCROLLS):
            if option.is_decided:
                return option
            meant |= dict.fromkeys(option.meant)
            moved = await world.call("scrollOptions", self._local, scroll == 0, returning=bool)
            if not moved and scroll:
                break
            option = await self._option(wanted, 0)
        if meant:
            among = await world.call("matchingTexts", [*meant], wanted, returning=_Among)
            if len(among.meant) == 1 and among.meant[0] != wanted:
                return await self._scrolled_to(among.meant[0])
            return msgspec.structs.replace(first, state="ambiguous", options=among.options, total=len(among.meant))
        return first

    async def _unfiltered(self, wanted: str, filtered: _Found | None) -> _Found:
        """The options once the list no longer shows those `filtered` before (None if the filter changed nothing)."""
        waited_s = 0.0
        while True:
            option = await self._option(wanted, SHORT_WAIT_S)
            waited_s += SHORT_WAIT_S
            is_as_filtered = filtered is not None and option.state == "unknown" and option.options == filtered.options
            if not is_as_filtered or waited_s >= SUGGESTIONS_WAIT_S:
                return option

    async def _option(self, wanted: str, wait_s: float) -> _Found:
        return await self._at.world.call(
            "findOption", self._local, wanted, self._by, wait_s * 1000, returning=_Found, timeout_s=wait_s + 10
        )

    async def _verify(self, option: _Found) -> str:
        world, text = self._at.world, option.text.casefold()
        await world.call("nextFrame")
        if await self._shows(text):
            return ""
        beside = await world.call("displayedBeside", self._local, returning=str)
        if text in beside.casefold() or await world.call("isChosenNow", option.local, returning=bool):
            return f"{quoted(option.text)} was clicked"
        return f"{quoted(option.text)} was clicked, but the list does not show it as chosen"


async def _no_such(at: Located, wanted: str, by: By, state: str, options: list[str], total: int) -> InvalidArguments:
    named = await describe(at)
    if not total:
        return InvalidArguments(f'{named} showed no options for "{wanted}": look at a new snapshot of what is there.')
    listed = _listed(options, total)
    if state == "ambiguous":
        return InvalidArguments(f'{named} has {total} options with "{wanted}": {listed}. Give the whole text of one.')
    return InvalidArguments(f'{named} has no option with the {by} "{wanted}". It has {listed}.')


def _listed(options: list[str], total: int) -> str:
    return ", ".join(f'"{each}"' for each in options) + (
        f" and {total - len(options)} more" if total > len(options) else ""
    )
