"""What an act has led to, as far as it is seen once its page is at rest."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.cdp.connection import retrieve_exception
from cdp_agent.errors import ActionError, SessionClosed
from cdp_agent.page.activity.console import ConsoleMessage
from cdp_agent.page.activity.network import REFUSED
from cdp_agent.page.refs.locate import locate
from cdp_agent.page.snapshot.diff_places import with_place
from cdp_agent.page.snapshot.lines import line_of
from cdp_agent.page.snapshot.snapshot import PassedText, Snapshot
from cdp_agent.page.tab.shown import LastShown, passed_lines
from cdp_agent.page.tab.tab import Tab
from cdp_agent.patterns import pattern

from . import effects
from .baseline import UNANSWERABLE, Baseline
from .compared import (
    caused_by_page,
    changed_meanwhile,
    compare,
    is_field_focused,
    transient_texts,
    uncovered,
)
from .receipts import Outcome, Receipt
from .reported import refused
from .stability import QUIET

FALLBACK_S = 0.4
"""How long to wait for a canvas's elements for screen readers after its picture changed: grids renew them when idle."""
_MINOR_CHANGE = pattern(r"[+~] *- (?:button|img|generic|textbox|searchbox|combobox)\b")
"""Changes that come with the first letter in a field, and are not the purpose of filling it."""
_PICTURE = pattern(r"~ - canvas\b.* \[ref=(E\d+)\]: its picture changed$")


class Observed(msgspec.Struct, frozen=True):
    """What was seen of an act once the page was at rest."""

    outcome: Outcome
    """What the act's code knows about the result by now."""
    moves_on: bool = False
    """Whether the tab has baseline to navigate since it was at rest, so that this is not all."""
    after: Snapshot | None = None
    changed: list[str] = []
    """Lines of the receipt: what changed in the page, and effects that no line of it shows."""
    weak_changes: list[str] = []
    """Weak effects, which may mean nothing: reported only if there are no others."""
    focus: str | None = None
    has_effect: bool = False
    """Whether there was an effect that is not one of the page's own continuous changes."""
    cause: str = ""
    """Why what changed counts as the page's own or as the act's."""
    missed_pictures: bool = False
    """Whether there are canvases out of view that no script may read."""


class AtRest(msgspec.Struct, frozen=True):
    """The answers of a page at rest to all that an act's receipt may need of it, asked at once."""

    reread: Outcome
    after: Snapshot | None
    effects: Mapping[bool, effects.Effects] = {}
    """By whether styles were compared; without an entry it is still to be asked."""


class Ahead:
    """Asks for what a receipt needs, in one go, before it is known that the page is at rest.

    So it asks a far Chrome each time that a page is asked whether it is at rest, since a reading in vain costs less
    there than the way, and is of use all the same: the next reads only what changed since. A near one is asked when the
    page has answered that it is, while Chrome tells whether a script ran.
    """

    def __init__(self, baseline: Baseline, receipt: Receipt, outcome: Outcome, began: float) -> None:
        self._baseline, self._receipt, self._outcome, self._began = baseline, receipt, outcome, began
        self._in_vain: asyncio.Task[AtRest] | None = None
        self._asked: asyncio.Task[AtRest] | None = None
        self.thrown: list[ConsoleMessage] | None = None
        """The exceptions that were told so far; None if nobody asked."""

    def ask(self, at_rest: bool) -> None:
        """Begins to ask; what was asked before was in vain. `at_rest`: the page has just answered that it is."""
        if at_rest and self._asked is not None:
            return
        if self._asked is not None:
            self._in_vain, self._asked = self._asked, None
        is_far = 2 * self._baseline.watch.way_s > self._baseline.tab.read_took_s
        if (is_far or at_rest) and self._may_ask:
            self._asked = asyncio.ensure_future(self._ask(self._in_vain, styles=is_far))
            self._asked.add_done_callback(retrieve_exception)  # raised where it is awaited

    async def answer(self) -> AtRest | None:
        """What the last `ask` was answered, or what is answered now if it did not ask; None if the page left."""
        asked, self._asked = self._asked, None
        if asked is not None:
            return await asked
        # A near Chrome is asked for styles, which take longest, only where they are needed.
        return await self._ask(self._in_vain, styles=False) if self._may_ask else None

    async def stop(self) -> None:
        """Cancels what was asked and nobody awaits, and waits for its end."""
        for task in (self._in_vain, self._asked):
            if task is not None and not task.done():
                task.cancel()
                await asyncio.wait([task])

    @property
    def _may_ask(self) -> bool:
        return not (self._baseline.has_left or refused(self._receipt))

    async def _ask(self, former: asyncio.Task[AtRest] | None, *, styles: bool) -> AtRest:
        baseline, receipt = self._baseline, self._receipt
        try:
            at_rest, thrown = await asyncio.gather(
                _ask_at_once(baseline, receipt.action, receipt.ref, self._outcome, styles=styles),
                baseline.tab.activity.console.exceptions_since(baseline.watch.tree, self._began),
            )
            self.thrown = (self.thrown or []) + thrown
            return at_rest
        finally:
            if former is not None:
                await former


async def _ask_at_once(baseline: Baseline, action: str, ref: str | None, outcome: Outcome, *, styles: bool) -> AtRest:
    """Asks for all that may be needed: several questions take hardly longer than one. Raises BrowserError."""
    reread, after, recorded = await asyncio.gather(
        _reread(baseline.tab, outcome, ref), _read(baseline.tab), _effects_if_awaited(baseline, action, styles=styles)
    )
    refs = baseline.tab.refs
    return AtRest(reread, after, {looks: effects.with_refs(of_look, refs) for looks, of_look in recorded.items()})


async def _effects_if_awaited(baseline: Baseline, action: str, *, styles: bool) -> dict[bool, effects.RecordedEffects]:
    """See `AtRest.effects`."""
    compared = ((False, True) if styles else (False,)) if baseline.expects_effect else ()
    answers = await asyncio.gather(*(_effects(baseline, action, looks=looks) for looks in compared))
    return dict(zip(compared, answers, strict=True))


async def _ask(baseline: Baseline, ref: str | None, outcome: Outcome) -> AtRest:
    return AtRest(await _reread(baseline.tab, outcome, ref), await _read(baseline.tab))


async def observe(
    baseline: Baseline, receipt: Receipt, outcome: Outcome, document: int, at_rest: AtRest | None
) -> Observed:
    """Reads the page, and compares it to what it was before the act.

    `receipt` is what is known so far; `outcome` is what the act's code returned; `document` is the number of the
    document that was at rest; `at_rest`: what that has answered already. Raises BrowserError.
    """
    if baseline.has_left or refused(receipt):
        return Observed(outcome, _moves_on(baseline, receipt, document))
    at_rest = at_rest or await _ask(baseline, receipt.ref, outcome)
    reread, after = at_rest.reread, at_rest.after
    if _moves_on(baseline, receipt, document):
        return Observed(reread, True, after)
    log_line("reading", "after the action: {}", size_of(after))
    observed = _compared(baseline, Observed(reread), after, receipt)
    if baseline.expects_effect:
        listed = observed.changed
        observed = await _with_effects(baseline, observed, receipt, at_rest)
        if observed.has_effect and not listed and await _changed_since_rest(baseline):
            # The effects may belong to lines that were not read yet.
            again = _compared(baseline, observed, await _read(baseline.tab), receipt)
            unlisted = uncovered(again.changed, observed.changed)
            observed = msgspec.structs.replace(again, changed=again.changed + unlisted, has_effect=True)
    else:
        lines = _came_and_went(baseline, observed)
        observed = msgspec.structs.replace(observed, changed=observed.changed + lines)
    requests = baseline.tab.activity.requests
    has_effect = (
        observed.has_effect
        or reread.had_effect
        or reread.note != outcome.note
        or observed.focus is not None
        or not receipt.nothing_changed
        or baseline.address_changed
        or bool(chooser_note(baseline, receipt, after))
        or any(failure.error == REFUSED for failure in requests.failures(baseline.watch.requests))
    )
    has, why = "an effect" if has_effect else "no effect", f": {observed.cause}" if observed.cause else ""
    log_line("decision", "{} lines changed, which counts as {}{}", len(observed.changed), has, why)
    return msgspec.structs.replace(observed, has_effect=has_effect, moves_on=_moves_on(baseline, receipt, document))


def effect_awaited_s(observed: Observed, longest_s: float, *, lists: bool) -> float:
    """How long an effect is waited for after the page is at rest, at most `longest_s`; 0 if there was one.

    `lists`: the button that clears a field does not count, since it comes with the first letter. Nor does the picture
    of a canvas with elements that describe it, which change later.
    """
    text = observed.after.text if observed.after is not None else ""
    pictures = [_PICTURE.match(line) for line in observed.changed]
    if all(pictures) and any(picture and line_of(text, picture[1]).endswith(":") for picture in pictures):
        return min(longest_s, FALLBACK_S)
    is_minor = lists and observed.changed and all(_MINOR_CHANGE.match(line) for line in observed.changed)
    return longest_s if is_minor or not observed.has_effect else 0.0


def with_observed(
    receipt: Receipt, baseline: Baseline, shown: LastShown, passed: Sequence[PassedText], observed: Observed
) -> Receipt:
    """The receipt with what was observed.

    `shown`: what the caller was last shown before the act; `passed`: the texts that came and went since.
    """
    changed = observed.changed or ([] if observed.has_effect else observed.weak_changes)
    before = baseline.before.text if baseline.before is not None else None
    passed = [passing for passing in passed if passing.came_at < baseline.watch.begun]
    changed = [with_place(line, observed.after.text) if observed.after is not None else line for line in changed]
    return msgspec.structs.replace(
        receipt,
        meanwhile=changed_meanwhile(shown, baseline.watch.document, baseline.before, changed)
        + passed_lines(passed, [shown.text, before]),
        value=observed.outcome.value,
        fields=list(observed.outcome.fields),
        changed=changed,
        focus=observed.focus,
    )


def chooser_note(baseline: Baseline, receipt: Receipt, after: Snapshot | None) -> str:
    """A note that a file chooser was opened, and what to do about it; "" if none was. `after`: the page after it."""
    if baseline.choosers is None or not baseline.choosers.opened or receipt.action == "upload":
        return ""
    if baseline.choosers.unanswerable:
        return f"it opened {UNANSWERABLE}"
    opened = "it opened a file chooser, which was closed"
    if receipt.ref and after is not None and not line_of(after.text, receipt.ref):
        return f"{opened}, and it is gone now: bring it back, and upload to it instead of clicking it"
    return " ".join(filter(None, (f"{opened}: give it files with upload", receipt.ref)))


def unseen_note(baseline: Baseline, observed: Observed) -> str:
    """A note on canvases (out of view, or in other frames) that may have changed unseen, if nothing else did."""
    if not baseline.expects_effect or observed.has_effect or baseline.has_left:
        return ""
    if baseline.watch.unreadable_frames:
        return "whether the picture of a canvas in a frame changed could not be seen: take a screenshot"
    if baseline.pictures.out_of_view or observed.missed_pictures:
        return "whether the picture of a canvas out of view changed could not be seen: scroll to it"
    return ""


async def read(tab: Tab) -> Snapshot | None:
    """A snapshot; None if the page hangs, crashed, or is loading: the next call reports that. Raises BrowserError."""
    try:
        return await tab.read()
    except ActionError as error:
        log_line("reading", "the page could not be read: {}", str(error))
        return None


def size_of(snapshot: Snapshot | None) -> str:
    """How long a reading is, for the log."""
    return "it was not read" if snapshot is None else f"{snapshot.text.count(chr(10)) + 1} lines"


async def _read(tab: Tab) -> Snapshot | None:
    try:
        return await read(tab)
    except SessionClosed:
        return None


async def _reread(tab: Tab, outcome: Outcome, ref: str | None) -> Outcome:
    """The outcome with what the element has by now."""
    now = outcome
    try:
        if outcome.on_replaced is None and outcome.read_again is not None:
            now = await outcome.read_again()
        if now.on_replaced is not None and ref is not None:
            return await now.on_replaced(await locate(tab, ref))
    except (ActionError, SessionClosed):
        pass  # it has no successor, or the page navigates or hangs: the receipt reports that
    if now is outcome:
        return outcome
    note = "; ".join(filter(None, (outcome.note, now.note)))
    return msgspec.structs.replace(now, note=note, chosen=outcome.chosen)


def _moves_on(baseline: Baseline, receipt: Receipt, document: int) -> bool:
    activity = baseline.tab.activity
    return receipt.settled == QUIET and (activity.navigating() is not None or activity.document.number != document)


async def _changed_since_rest(baseline: Baseline) -> bool:
    count = baseline.watch.latest.count
    return (await baseline.watch.look()).count != count


def _compared(baseline: Baseline, observed: Observed, after: Snapshot | None, receipt: Receipt) -> Observed:
    """The same with the lines that differ in the reading `after`."""
    outcome, ref = observed.outcome, receipt.ref
    values = {field.ref: field.value for field in outcome.fields} or ({} if ref is None else {ref: outcome.value})
    changed, focus = compare(baseline.before, after, values, focuses=receipt.action == "focus")
    return msgspec.structs.replace(observed, after=after, changed=changed, focus=focus, has_effect=bool(changed))


async def _effects(baseline: Baseline, action: str, *, looks: bool) -> effects.RecordedEffects:
    return await effects.effects_now(await baseline.tab.frames(), looks=looks, hovered=action == "hover")


def _came_and_went(baseline: Baseline, observed: Observed) -> list[str]:
    """Lines on the texts that came and went during the act."""
    before, after = (reading.text if reading is not None else "" for reading in (baseline.before, observed.after))
    passed = [passing for passing in baseline.tab.shown.passed if passing.came_at >= baseline.watch.begun]
    return transient_texts(passed, before, after, observed.outcome.chosen, observed.changed)


async def _with_effects(baseline: Baseline, observed: Observed, receipt: Receipt, at_rest: AtRest) -> Observed:
    """The same with effects that the lines do not show. Changes that the page makes by itself are no effects."""

    async def effects_of(*, looks: bool) -> effects.Effects:
        if (asked := at_rest.effects.get(looks)) is not None:
            return asked
        return effects.with_refs(await _effects(baseline, receipt.action, looks=looks), baseline.tab.refs)

    tree, before, after, outcome = await baseline.tab.frames(), baseline.before, observed.after, observed.outcome
    changed, cause, has_effect = observed.changed, "", False
    recorded = await effects_of(looks=not changed)
    for change in recorded.log:
        log_line("change", "{}", change)
    if changed:
        is_own, cause = caused_by_page(recorded.causes, before, after)
        has_effect = not is_own
        if is_own:
            recorded = await effects_of(looks=True)
    # Entering a value has weak effects. A key does not move the mouse, so changes of caret and style are its effects.
    weak = recorded.lines(weak=True) if receipt.action != "fill" and outcome.value is None else []
    strong = recorded.lines(weak=False) + (
        weak if receipt.action == "press" and not has_effect and observed.focus is None else []
    )
    lines = uncovered(changed, strong) + _came_and_went(baseline, observed)
    missed_pictures = False
    if baseline.pictures.boxes and not has_effect and not lines:
        pictures = await effects.pictures(tree)
        missed_pictures = pictures.boxes != baseline.pictures.boxes
        if not missed_pictures and pictures.seen != baseline.pictures.seen:
            lines = ["~ canvas: its picture changed"]
    is_focused = receipt.action == "click" and is_field_focused(before, after, receipt.ref)
    return msgspec.structs.replace(
        observed,
        changed=changed + lines,
        weak_changes=weak,
        has_effect=has_effect or bool(lines) or is_focused,
        cause=cause,
        missed_pictures=missed_pictures,
    )
