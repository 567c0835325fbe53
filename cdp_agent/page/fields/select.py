"""Choosing options in lists, native or custom."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Literal, TypeVar

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.errors import InvalidArguments, NotInteractable, StaleRef
from cdp_agent.page.actions.actionability import (
    ElementLabel,
    Obstacle,
    describe,
    element_label,
    obstacle_error,
    refusal,
)
from cdp_agent.page.actions.actions import ELEMENT_GONE, ELEMENT_MOVED, click_element
from cdp_agent.page.actions.keyboard import press
from cdp_agent.page.activity.network import NetworkMark
from cdp_agent.page.frames.deadline import Deadline
from cdp_agent.page.receipts.receipts import Outcome
from cdp_agent.page.refs.locate import Located
from cdp_agent.page.snapshot.lines import quoted

from .fill import fill

By = Literal["text", "value", "index"]
OPTIONS_WAIT_S = 1.0
SUGGESTIONS_WAIT_S = 3.0
SHORT_WAIT_S = 0.3
LOADED_WITHIN_S = 10.0
_MOST_SCROLLS = 60
_MOST_CLICKS = 4
_UNTHOUGHT_OF = "qzx"


class _Kind(msgspec.Struct, frozen=True):
    """See listKind in js/act/choose.js."""

    kind: Literal["native", "datalist", "custom", "other"]
    local: int
    said: ElementLabel
    instead: str


class _Chosen(msgspec.Struct, frozen=True):
    """See chooseNative in js/act/choose.js."""

    state: Literal[
        "chosen", "otherwise", "before", "unknown", "ambiguous", "disabled", "hidden", "single", "replaced", "gone"
    ]
    refusal: Obstacle | None
    wanted: str
    shown: str
    options: list[str]
    total: int
    differences: list[str]
    loading: bool


class OpenedList(msgspec.Struct, frozen=True):
    """See beginChoice in js/act/popup.js."""

    open: bool
    shown: str


class FoundOption(msgspec.Struct, frozen=True):
    """See findOption in js/act/popup.js."""

    state: Literal["found", "ambiguous", "unknown"]
    local: int
    text: str
    chosen: bool
    disabled: bool
    options: list[str]
    total: int
    differences: list[str]
    loading: bool
    sure: bool
    meant: list[str]

    @property
    def is_decided(self) -> bool:
        """Whether the rest of the list could not change the result."""
        return self.state != "unknown" and self.sure


_Looked = TypeVar("_Looked", _Chosen, FoundOption)


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
            return await CustomList(at, kind.local, by).choose(wanted)
        case _:
            raise refusal(at, "wrong_element", kind.said, f"is no list to select from: {kind.instead}.")


async def _suggested(at: Located, wanted: str, by: By) -> Outcome:
    """Fills in the value of one of a field's suggestions. The field accepts any other text, too."""
    suggestion = await at.world.call("suggestion", at.local, wanted, by, returning=_Suggestion)
    outcome = await fill(at, wanted if suggestion.value is None else suggestion.value)
    if suggestion.value is not None:
        return outcome
    note = f"none of its suggestions is meant by that: {listed(suggestion.options, suggestion.total)}"
    return msgspec.structs.replace(outcome, note="; ".join(filter(None, (outcome.note, note))))


async def _native(at: Located, local: int, wanted: list[str], by: By) -> Outcome:
    chosen = await once_loaded(at, partial(_choose_native, at, local, wanted, by), OPTIONS_WAIT_S)
    if chosen.refusal is not None:
        raise obstacle_error(at, chosen.refusal, at.world)
    match chosen.state:
        case "chosen":
            return _Stays(at.ref, chosen.wanted.split(", "), chosen.shown).outcome()
        case "otherwise":  # which fails once the page is at rest, with what else the choice changed there
            return _Stays(at.ref, chosen.wanted.split(", "), chosen.wanted).outcome()
        case "before":
            return _Stays(at.ref, [chosen.wanted], chosen.shown, "it was chosen before").outcome()
        case "disabled" | "hidden":
            raise InvalidArguments(f"{await describe(at)} has the option {quoted(chosen.wanted)} {chosen.state}.")
        case "single":
            raise InvalidArguments(f"{await describe(at)} takes one option, not several.")
        case "replaced":
            gone = "the list left the page when it was chosen"
            return Outcome(note=gone, on_replaced=_Stays(at.ref, [chosen.wanted], chosen.shown))
        case "gone":
            raise StaleRef(at.ref, f"{at.ref} left the page when it got the focus: take a new snapshot.")
        case _:
            raise await _no_such(at, chosen.wanted, by, chosen)


async def _choose_native(at: Located, local: int, wanted: list[str], by: By, wait_s: float) -> _Chosen:
    chosen = await at.world.call(
        "chooseNative", local, wanted, by, wait_s * 1000, returning=_Chosen, timeout_s=wait_s + 10
    )
    log_line("reading", "the option: {}", chosen.state)
    return chosen


async def _filter(at: Located, text: str) -> None:
    """Fills in the field that filters a list; what the list has then counts, not what the field makes of the text."""
    try:
        await fill(at, text)
    except InvalidArguments:
        log_line("decision", "the field of the list holds something else: what the list has then decides")


async def once_loaded(
    at: Located, look: Callable[[float], Awaitable[_Looked]], wait_s: float, since: NetworkMark | None = None
) -> _Looked:
    """What `look` returns once the option is there, or no request is under way that may bring it, one begun `since`.

    `look` waits in the page for the time that it gets, in seconds: `wait_s` at first.
    """
    limit = Deadline.on(at.frame.session, LOADED_WITHIN_S)
    loading = True
    result = await look(wait_s)
    while result.state == "unknown" and loading and not limit.expired:
        # before looking, so that what came last is seen
        loading = bool(at.requests.keeping_busy() if since is None else at.requests.pending(since))
        if loading:
            log_line("wait", "the option is not there, and the page is loading: waits for it")
            result = await look(SHORT_WAIT_S)
    return result


async def not_kept(at: Located, shown: str, wanted: str, why: str) -> InvalidArguments:
    return InvalidArguments(f"{await describe(at)} shows {quoted(shown)}, not {quoted(wanted)}: {why}.")


async def _missing(at: Located, local: int, chosen: Sequence[str], shown: str) -> list[str]:
    """Those of the chosen texts that neither the control shows, whose value is `shown`, nor what stands beside it."""
    missing = [each for each in chosen if each.casefold() not in shown.casefold()]
    beside = (await at.world.call("displayedBeside", local, returning=str)).casefold() if missing else ""
    return [each for each in missing if each.casefold() not in beside]


class _Stays(msgspec.Struct, frozen=True):
    """Reads a list again once the page is at rest, or the one that replaced it: it still shows what was chosen."""

    ref: str
    chosen: Sequence[str]
    shown: str
    note: str = ""

    def outcome(self) -> Outcome:
        return Outcome(self.shown, self.note, on_replaced=self)

    async def __call__(self, at: Located) -> Outcome:
        kind = await at.world.call("listKind", at.local, returning=_Kind)
        now = await at.world.call("displayedValue", kind.local, returning=str)
        renewed = "" if at.ref == self.ref else f"the page rendered the list anew: it is {at.ref} now"
        failure = None
        if now != self.shown and await _missing(at, kind.local, self.chosen, now):
            why = "the page rendered it anew" if renewed else "the page changed it since"
            failure = await not_kept(at, now, ", ".join(self.chosen), why)
        note = "; ".join(filter(None, (self.note, renewed)))
        return Outcome(now, note, on_replaced=self, failure=failure)


class CustomList:
    """Choosing in a custom list, from opening it to the chosen option."""

    def __init__(self, at: Located, local: int, by: By) -> None:
        self._at = at
        self._local = local
        self._by = by
        self._chosen: list[str] = []
        self._shown: list[str] = []
        """Of these, what the control itself showed after the choice."""
        self._last = 0
        self._creates = False
        """Whether the list makes an option of what is typed, and has no other that is meant."""

    async def choose(self, wanted: list[str]) -> Outcome:
        notes = []
        for each in wanted:
            notes.append(await self._choose(each))
        return await self.outcome("; ".join(filter(None, notes)))

    async def outcome(self, note: str) -> Outcome:
        """What the control shows when it has lost the focus. Raises InvalidArguments if that is not the choice."""
        shown = await self.shown_after_blur(0)
        if missing := await _missing(self._at, self._local, self._shown, shown):
            raise await not_kept(self._at, shown, ", ".join(missing), "it did not keep it when it lost the focus")
        # A field that is only for filtering does not show the choice.
        outcome = _Stays(self._at.ref, self._shown, shown, note).outcome() if shown else Outcome(note=note)
        return msgspec.structs.replace(outcome, chosen=self._chosen)

    async def shown_after_blur(self, wait_s: float) -> str:
        """What the control shows after it has lost the focus, and that long after it if nothing changes."""
        return await self._at.world.call("displayedAfterBlur", self._local, wait_s * 1000, returning=str)

    async def _choose(self, wanted: str) -> str:
        at = self._at
        self._creates = False
        opened = await self.begin()
        if not opened.open:
            log_line("decision", "opens the list")
            await click_element(at, local=self._local)
        option = await self._find(wanted)
        log_line("reading", "the option: {}", option.state)
        if not opened.open and (option.state != "found" or option.disabled or option.chosen):
            await press(at.frame, "Escape")  # there is nothing to choose: the list is closed again
        if option.state != "found":
            raise await _no_such(at, wanted, self._by, option)
        if option.disabled:
            raise InvalidArguments(f"{await describe(at)} has the option {quoted(option.text)} disabled.")
        if option.chosen:
            return f"{quoted(option.text)} was chosen before"
        return await self.take(option, wanted, opened.shown)

    async def begin(self) -> OpenedList:
        """Records what the page shows before the list opens."""
        return await self._at.world.call("beginChoice", self._local, self._last, returning=OpenedList)

    async def take(self, option: FoundOption, wanted: str, shown: str) -> str:
        """Clicks the option, and waits until the page shows that it is chosen. Returns a note; raises NotInteractable.

        `shown` is what the control showed when its list opened.
        """
        at, text = self._at, option.text
        text_to_show = wanted if self._creates else text
        await at.world.call("beforeChoice", self._local, option.local, text_to_show, shown)
        for _ in range(_MOST_CLICKS):
            if await self._was_clicked(option) or await self._is_done(wanted, text):
                break
            log_line("retry", "the option was not clicked: looks for it again")
            option = await self._scrolled_to(text if self._by == "text" else wanted)
        else:
            raise NotInteractable(at.ref, "moving", f"{await describe(at)} keeps moving {quoted(text)} away.")
        self._chosen.append(option.text)
        self._last = option.local
        return await self._verify(option, text_to_show)

    async def _was_clicked(self, option: FoundOption) -> bool:
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
        now = await self.option(wanted, 0)
        if now.state == "found":
            return now.chosen
        return not now.total or await self._shows(text)

    async def _shows(self, text: str) -> bool:
        return text.casefold() in (await self._at.world.call("displayedValue", self._local, returning=str)).casefold()

    async def _find(self, wanted: str) -> FoundOption:
        world = self._at.world
        field = await world.call("filterField", self._local, returning=int) if self._by == "text" else 0
        option = await self.option(wanted, SHORT_WAIT_S) if field else await self._loaded(wanted, OPTIONS_WAIT_S)
        if not option.is_decided and field:
            log_line("decision", "filters the list by its field")
            filtered = msgspec.structs.replace(self._at, local=field)
            before, sent = await world.call("displayedValue", field, returning=str), self._at.requests.mark()
            await _filter(filtered, wanted)
            all_of_them, option = option, await self._loaded(wanted, SUGGESTIONS_WAIT_S)
            is_asked = self._at.requests.any_since(sent) and option.text.casefold().startswith(wanted.casefold())
            if option.state == "found" and not is_asked and await self._is_made_of_text(filtered, wanted):
                self._creates = True
                option = await self.option(wanted, SUGGESTIONS_WAIT_S)
            if option.state == "unknown":
                await _filter(filtered, before)  # some lists filter by text that they do not show
                was_filtered = option.options != all_of_them.options
                unfiltered = await self._unfiltered(wanted, option if was_filtered else None)
                option = unfiltered if unfiltered.state == "found" or unfiltered.total else option
        if option.state == "unknown" and not option.total:  # some lists open by keys only
            log_line("retry", "there are no options: ArrowDown may open the list")
            await press(self._at.frame, "ArrowDown")
            option = await self.option(wanted, SHORT_WAIT_S)
        return option if option.is_decided else await self._scrolled_to(wanted, option)

    async def _is_made_of_text(self, field: Located, wanted: str) -> bool:
        """Whether the list makes an option of whatever is typed: it has one for a text that nobody thought of."""
        log_line("decision", "tries whether the option is made of what is typed")
        await _filter(field, wanted + _UNTHOUGHT_OF)
        made = await self.option(wanted + _UNTHOUGHT_OF, SHORT_WAIT_S)
        await _filter(field, wanted)
        limit = Deadline.on(self._at.frame.session, SUGGESTIONS_WAIT_S)
        while made.state == "found" and not limit.expired:
            if (await self.option(wanted + _UNTHOUGHT_OF, 0)).state == "unknown":
                break
            await self._at.world.call("nextFrame")
        return made.state == "found"

    async def _loaded(self, wanted: str, wait_s: float) -> FoundOption:
        return await once_loaded(self._at, partial(self.option, wanted), wait_s)

    async def _scrolled_to(self, wanted: str, option: FoundOption | None = None) -> FoundOption:
        """Finds the option and scrolls to it; searches a list that renders only visible rows from end to end.

        It is the option with exactly that text, else the only one that can be meant. If there is none, the result has
        the first options of the list; if several can be meant, those.
        """
        world = self._at.world
        first = option = option or await self.option(wanted, SHORT_WAIT_S)
        meant: dict[str, None] = {}
        for scroll in range(_MOST_SCROLLS):
            if option.is_decided:
                return option
            meant |= dict.fromkeys(option.meant)
            moved = await world.call("scrollOptions", self._local, scroll == 0, returning=bool)
            if not moved and scroll:
                break
            option = await self.option(wanted, 0)
        if meant:
            among = await world.call("matchingTexts", [*meant], wanted, returning=_Among)
            if len(among.meant) == 1 and among.meant[0] != wanted:
                return await self._scrolled_to(among.meant[0])
            return msgspec.structs.replace(first, state="ambiguous", options=among.options, total=len(among.meant))
        return first

    async def _unfiltered(self, wanted: str, filtered: FoundOption | None) -> FoundOption:
        """The options once the list no longer shows those `filtered` before (None if the filter changed nothing)."""
        waited_s = 0.0
        while True:
            option = await self.option(wanted, SHORT_WAIT_S)
            waited_s += SHORT_WAIT_S
            is_as_filtered = filtered is not None and option.state == "unknown" and option.options == filtered.options
            if not is_as_filtered or waited_s >= SUGGESTIONS_WAIT_S:
                return option

    async def option(self, wanted: str, wait_s: float) -> FoundOption:
        return await self._at.world.call(
            "findOption", self._local, wanted, self._by, wait_s * 1000, returning=FoundOption, timeout_s=wait_s + 10
        )

    async def _verify(self, option: FoundOption, text: str) -> str:
        """A note on how the page shows the choice, after waiting for that. Raises NotInteractable if it does not."""
        how = "nowhere"
        limit = Deadline.on(self._at.frame.session, LOADED_WITHIN_S)
        while how == "nowhere":
            loading = bool(self._at.requests.keeping_busy())
            args = self._local, option.local, SHORT_WAIT_S * 1000
            how = await self._at.world.call("howChosen", *args, returning=str)
            if not loading or limit.expired:
                break
        log_line("reading", "the choice shows: {}", how)
        if how == "nowhere":
            now = await self._at.world.call("displayedValue", self._local, returning=str)
            shows = f"and shows {quoted(now)}" if now else "and shows nothing as chosen"
            message = f"did not take {quoted(text)}, which was clicked, {shows}: look at what the page says."
            raise refusal(self._at, "wrong_element", await element_label(self._at), message)
        if how == "shown":
            self._shown.append(text)
        if how == "part":
            self._shown.append(await self._at.world.call("displayedValue", self._local, returning=str))
        if self._creates:
            return f"{quoted(option.text)} was clicked, an option that the list makes of any text"
        return "" if how == "shown" else f"{quoted(option.text)} was clicked"


async def _no_such(at: Located, wanted: str, by: By, result: _Chosen | FoundOption) -> InvalidArguments:
    described, total = await describe(at), result.total
    loading = ". It was still loading" if result.loading or at.requests.keeping_busy() else ""
    if not total:
        advice = "wait, and try again" if loading else "look at a new snapshot of what is there"
        return InvalidArguments(f'{described} showed no options for "{wanted}"{loading}: {advice}.')
    if result.state == "ambiguous" and result.differences:
        which = "; ".join(result.differences) + _more(result.differences, total)
        how = 'value or index, or as "Group > Option"' if 'in "' in which else "value or index"
        return InvalidArguments(f"{described} has {total} options {quoted(result.options[0])}: {which}. Use {how}.")
    options = listed(result.options, total)
    if result.state == "ambiguous":
        advice = "Give the whole text of one"
        return InvalidArguments(f'{described} has {total} options with "{wanted}": {options}. {advice}.')
    return InvalidArguments(f'{described} has no option with the {by} "{wanted}". It has {options}{loading}.')


def listed(options: list[str], total: int) -> str:
    return ", ".join(map(quoted, options)) + _more(options, total)


def _more(options: list[str], total: int) -> str:
    return f" and {total - len(options)} more" if total > len(options) else ""
