"""Carries out an action and reports its effects: reads the page before, waits until it has settled, reads it again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from functools import partial
from typing import Any

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.errors import (
    ActionError,
    BlockedByPolicy,
    DocumentGone,
    InvalidArguments,
    NotInteractable,
    SessionClosed,
    StaleRef,
)
from cdp_agent.page.activity.network import RequestFailure
from cdp_agent.page.frames.deadline import Deadline
from cdp_agent.page.refs import recycled
from cdp_agent.page.refs.locate import Located, locate
from cdp_agent.page.snapshot.lines import label_of, line_of
from cdp_agent.page.snapshot.snapshot import PastReading
from cdp_agent.page.tab.limit import CALL_S, REPORT_S, call_limit
from cdp_agent.page.tab.tab import Tab

from . import effects, lost_input
from .baseline import Baseline, FileChoosers
from .budget import MAX_LISTED
from .dialog_stops import note_so_far, receipt_until_dialog
from .observed import (
    Ahead,
    Observed,
    chooser_note,
    effect_awaited_s,
    observe,
    read,
    size_of,
    unseen_note,
    with_observed,
)
from .receipts import Outcome, Receipt
from .reported import new_popups, refused, wait_for_reports, with_reports, without_tabs_of_downloads
from .stability import NAVIGATION_S, QUIET, QUIET_S, settle
from .watch import Watch

EFFECT_S = 1.0
"""How long to wait for a first effect of an action whose only purpose is to have one."""
SUGGESTIONS_S = 0.4
"""How long to wait after filling a field for which pages show a list or a calendar, or giving files to one."""
ATTEMPTS = 3
_LEAVING_S = 0.1
_LOOK_EVERY_S = 0.2
"""How often to look for changes of values, selections and styles, which have no events."""
_EXPECTING_EFFECTS = {"click", "hover", "press", "type", "drag", "select", "check", "uncheck", "upload"}
_ENTERING = {"fill", "type", "select", "check", "uncheck", "upload"}
"""Actions after which a document may hold something that is lost with it."""

Do = Callable[[Located], Coroutine[Any, Any, Outcome]]


async def perform(
    tab: Tab, action: str, ref: str, do: Do, *, detail: str = "", submits: bool = False, more_s: float = 0.0
) -> Receipt:
    """Locates the element, lets `do` act on it, waits until the page has settled, and reports the effects.

    `detail` is a further argument of the action for the receipt, such as the key; `submits`: the action ends with
    Enter; `more_s`: how many seconds more than others it may take. A dialog that is left open stops it, see
    `receipt_until_dialog`. Raises what `do` raises, StaleRef, PageUnresponsive, BrowserError.
    """
    acting = _perform(tab, action, ref, do, detail=detail, submits=submits, more_s=more_s)
    with entering(tab, action):
        return await receipt_until_dialog(tab, acting, Receipt(action=action, ref=ref, detail=detail))


async def _perform(tab: Tab, action: str, ref: str, do: Do, *, detail: str, submits: bool, more_s: float) -> Receipt:
    async with tab.act(), limit_of(tab, more_s) as limit:
        last_reading = tab.history[-1] if tab.history else None
        for attempt in range(ATTEMPTS):
            expects_effect = submits or action in _EXPECTING_EFFECTS
            runner, [at] = await ActionRunner.start_at(tab, [ref], limit, last_reading, expects_effect=expects_effect)
            target = runner.name_of(at.ref)
            note_so_far(tab, partial(Receipt, action=action, ref=at.ref, target=target, detail=detail))
            try:
                outcome = await runner.act(runner.until_left(do(at)))
                break
            except StaleRef as error:  # it left the page during the aiming: nothing was done to it
                if error.ref != at.ref or attempt + 1 == ATTEMPTS:
                    raise
                log_line("retry", "{} left the page before it was touched", at.ref)
        if at.note:
            outcome = msgspec.structs.replace(outcome, note="; ".join(filter(None, (at.note, outcome.note))))
        return await runner.finish(action, outcome, ref=at.ref, target=target, detail=detail)


async def perform_without_element(
    tab: Tab,
    action: str,
    do: Callable[[], Coroutine[Any, Any, Outcome]],
    *,
    detail: str,
    expects_effect: bool = True,
    more_s: float = 0.0,
) -> Receipt:
    """Carries out an action without an element, such as a key for the focused element; see `perform`.

    `expects_effect`: waits for a first effect, since that is the action's purpose.
    """

    async def acting() -> Receipt:
        async with tab.act(), limit_of(tab, more_s) as limit:
            runner = await ActionRunner.start(tab, limit, expects_effect=expects_effect)
            outcome = await runner.act(runner.until_left(do()))
            return await runner.finish(action, outcome, detail=detail)

    with entering(tab, action):
        return await receipt_until_dialog(tab, acting(), Receipt(action=action, detail=detail))


@contextmanager
def entering(tab: Tab, action: str) -> Iterator[None]:
    """A block with an action, after which the tab's document may hold something that is lost with it."""
    document = tab.activity.document.number
    try:
        yield
    finally:
        if action in _ENTERING:
            tab.unsent.entered_in = document


def limit_of(tab: Tab, more_s: float = 0.0) -> AbstractAsyncContextManager[Deadline]:
    """The limit of an action that may take `more_s` seconds more than others."""
    return call_limit(tab, CALL_S + (tab.settings.action_timeout_s or 0.0) + more_s)


class ActionRunner:
    """Carries out one act: it acts, observes what comes of it, and makes the receipt."""

    def __init__(self, limit: Deadline, baseline: Baseline) -> None:
        self._limit = limit
        self._baseline = baseline
        self._tab = baseline.tab
        self._watch = baseline.watch
        self._shown = self._tab.shown
        self._tab.activity.before_action = (self._watch.document, self._watch.url)
        self._began = time.perf_counter()
        self._acted_ms = 0.0
        self._was_checked = False
        """Whether it is known that the page gets input."""
        self._input_note = ""
        self._ahead: Ahead | None = None

    @classmethod
    async def start(
        cls, tab: Tab, limit: Deadline, *, expects_effect: bool = False, enters: bool = False
    ) -> ActionRunner:
        """Reads the page, and begins to watch it. `expects_effect`: an effect will be waited for.

        `enters`: the act only enters or focuses something.
        Raises PageUnresponsive while the tab is navigating, BrowserError.
        """
        tree = await tab.frames()
        await tree.root.wait_for_reported_navigation()
        watch = Watch(tab, tree)
        reading = asyncio.ensure_future(read(tab))  # requested together with the watching
        try:
            await watch.begin(effects=expects_effect, enters=enters)
            tab.expect_passing()
            before = await (reading if watch.busy is None else read(tab))  # a new one returns at once if it is busy
            log_line("reading", "before the action: {}", size_of(before))
            drawn = watch.latest.unreadable and before is not None
            pictures = await effects.pictures(await tab.frames()) if drawn else effects.Pictures()
            choosers = FileChoosers(tree) if expects_effect else None
        except BaseException:
            watch.stop()
            raise
        finally:
            await _finish_task(reading)
        return cls(limit, Baseline(watch, before, expects_effect, pictures, choosers))

    @classmethod
    async def start_at(
        cls,
        tab: Tab,
        refs: Iterable[str],
        limit: Deadline,
        last_reading: PastReading | None,
        *,
        expects_effect: bool,
    ) -> tuple[ActionRunner, list[Located]]:
        """As `start`, for an act on the elements of `refs`, which are located meanwhile.

        Raises as `start` and `locate`, and StaleRef if an element shows another record than it did in that reading.
        """
        locating = asyncio.ensure_future(_locate_all(tab, refs))
        try:
            runner = await cls.start(tab, limit, expects_effect=expects_effect, enters=not expects_effect)
            before = runner._baseline.before
            try:
                there = await locating
                if before is not None and last_reading is not None and before is not last_reading.snapshot:
                    for at in there:
                        await recycled.check_same_record(at, last_reading.snapshot, before)
            except BaseException:
                runner._baseline.stop()
                raise
            return runner, there
        finally:
            await _finish_task(locating)

    def name_of(self, ref: str) -> str:
        """The element's name in the snapshot: `button "Add to cart"`."""
        before = self._baseline.before
        return label_of(line_of(before.text, ref)) if before is not None else ""

    async def act(self, doing: Coroutine[Any, Any, Outcome]) -> Outcome:
        """Runs the coroutine that acts. If the page goes away meanwhile, that is a possible effect, not an error."""
        self._began = time.perf_counter()
        try:
            outcome = await doing
        except (DocumentGone, SessionClosed) as error:
            log_line("navigation", "the document went away meanwhile: {}", str(error))
            outcome = Outcome()
        except (NotInteractable, InvalidArguments):
            try:
                await self._check_input()
            finally:
                self._baseline.stop()
            raise
        except BaseException:
            self._baseline.stop()
            raise
        self._acted_ms = _ms_since(self._began)
        log_line("input", "done in {:.0f} ms", self._acted_ms)
        return outcome

    async def until_left(self, doing: Coroutine[Any, Any, Outcome]) -> Outcome:
        """Runs the coroutine until the document is left: then Chrome answers no more calls about it."""
        activity = self._tab.activity
        acting = asyncio.ensure_future(doing)
        looking = asyncio.ensure_future(self._look_later())
        try:
            while not acting.done():
                event = activity.next_event()
                either: list[asyncio.Future[Any]] = [acting, event]
                if not self._was_checked:
                    either.append(looking)
                try:
                    await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    event.cancel()
                if looking.done() and not acting.done() and not self._was_checked:
                    self._was_checked = True
                    if looking.result() == "covered":
                        await _finish_task(acting)
                    self._input_note = await lost_input.settle(self._tab, looking.result())
                if address := activity.navigating():
                    log_line("navigation", "the page is on its way to {}", address)
                    await asyncio.wait([acting], timeout=_LEAVING_S)
                    break
            return acting.result() if acting.done() else Outcome()
        finally:
            await _finish_task(looking)
            await _finish_task(acting)

    async def _look_later(self) -> lost_input.Obstacle:
        """What keeps the input of an act that takes long from the page."""
        while not self._watch.has_sent_input:  # noqa: ASYNC110 (nobody else would need an event for that)
            await asyncio.sleep(lost_input.LOST_AFTER_S)
        await asyncio.sleep(lost_input.LOST_AFTER_S)
        return await self._obstacle()

    async def _check_input(self) -> None:
        """Makes sure that the input that was sent reached the page, see lost_input.py. Raises PageUnresponsive."""
        if self._watch.has_sent_input and not self._was_checked:
            self._was_checked = True
            self._input_note = await lost_input.settle(self._tab, await self._obstacle())

    async def _obstacle(self) -> lost_input.Obstacle:
        """What keeps the input that was sent from the page."""
        await self._watch.look()
        return await lost_input.look(self._tab, lacks_input=self._watch.lacks_input)

    async def finish(
        self,
        action: str,
        outcome: Outcome,
        *,
        ref: str | None = None,
        target: str = "",
        detail: str = "",
        navigation_s: float = NAVIGATION_S,
    ) -> Receipt:
        """Waits until the page has settled, and returns the receipt. Raises BrowserError."""
        ended, baseline, tab, requests = time.perf_counter(), self._baseline, self._tab, self._tab.activity.requests
        receipt = Receipt(action=action, ref=ref, target=target, detail=detail)
        awaits_effect = (
            baseline.expects_effect and not outcome.nothing_done and (outcome.value is None or action == "fill")
        )
        try:
            receipt, observed = await self._observe(receipt, outcome, navigation_s, awaits_effect=awaits_effect)
            if not baseline.has_left and (blocked := refused(receipt)):
                leads = "" if blocked.url == detail else f"{_where(action, ref, target)} leads elsewhere: "
                raise BlockedByPolicy(f"{leads}{blocked}")
            if (failure := observed.outcome.failure) is not None:
                self._tell_changes(failure, observed)
                raise failure
        finally:
            baseline.stop(gave_up=receipt.settled != QUIET and not self._watch.awaits_server)
        error = tab.activity.error_status if self._watch.navigated else None
        navigated, moved, notes = self._watch.navigated, baseline.address_changed, self._notes(receipt, observed)
        failed, uncaught = await self._messages(navigated=navigated)
        if navigated and self._watch.title is not None:
            tab.title = self._watch.title
        has_left, has_effect, after = baseline.has_left, observed.has_effect, observed.after
        acted = has_left or has_effect or tab.activity.requests.any_since(self._watch.requests)
        tab.note_shown(after.text if after is not None and not has_left else None)
        return msgspec.structs.replace(
            with_observed(receipt, baseline, self._shown, tab.take_passed(), observed),
            note="; ".join(filter(None, notes)),
            navigated_to=tab.url if navigated or moved else None,
            same_document=moved,
            title=self._watch.title if navigated else None,
            status=requests.status(tab.activity.document.loader_id) if navigated else None,
            retry_after_s=None if error is None else error.retry_after_s,
            new_tabs=without_tabs_of_downloads(tab, receipt),
            closed=tab.closed,
            failed_requests=failed,
            uncaught=uncaught,
            watched_s=EFFECT_S if awaits_effect and not has_effect and not has_left else None,
            unclicked=("acted" if acted else "idle") if outcome.unclicked else "",
            acted_ms=self._acted_ms,
            settled_ms=_ms_since(ended),
        )

    def _tell_changes(self, failure: ActionError, observed: Observed) -> None:
        """Adds to an error what the page made of the act all the same: a list may do what is chosen, and go back."""
        changed = [" ".join(line.replace("- ", "", 1).split()) for line in observed.changed]
        if changed:
            more = f"; and {len(changed) - MAX_LISTED} more: snapshot" if len(changed) > MAX_LISTED else ""
            failure.args = (f"{failure} What changed all the same: {'; '.join(changed[:MAX_LISTED])}{more}",)

    async def _observe(
        self, receipt: Receipt, outcome: Outcome, navigation_s: float, *, awaits_effect: bool
    ) -> tuple[Receipt, Observed]:
        """Observes the page whenever it is at rest, until there is nothing more to wait for, or the call's limit.

        Returns the receipt with what Chrome reported. Raises PageUnresponsive if the input arrived nowhere.
        """
        suggests = outcome.suggests or receipt.action == "upload"
        longest_s = EFFECT_S if awaits_effect else SUGGESTIONS_S if suggests else 0.0
        baseline, watch, tab = self._baseline, self._watch, self._tab
        observed, rested_at = Observed(outcome), 0.0
        ahead = self._ahead = Ahead(baseline, receipt, outcome, self._began)
        try:
            async with self._limit.later(REPORT_S / 2):
                while True:
                    settled = await settle(watch, navigation_s=navigation_s, keep=True, along=ahead.ask)
                    document = tab.activity.document.number
                    receipt = await wait_for_reports(baseline, msgspec.structs.replace(receipt, settled=settled))
                    at_rest = await ahead.answer() if settled == QUIET else None
                    observed = await observe(baseline, receipt, outcome, document, at_rest)
                    rested_at = rested_at or time.perf_counter() - QUIET_S
                    if observed.moves_on:
                        continue
                    awaited_s = effect_awaited_s(observed, longest_s, lists=outcome.suggests)
                    left_s = rested_at + awaited_s - time.perf_counter()
                    if left_s <= 0 or settled != QUIET or baseline.has_left:
                        break
                    log_line("wait", "no effect so far: waits for one, {:.0f} ms more at most", left_s * 1000)
                    await watch.wait_for_change(min(left_s, max(_LOOK_EVERY_S, 8 * tab.read_took_s)))
                if watch.lacks_input and self._seems_lost(receipt, observed, awaits_effect=awaits_effect):
                    await self._check_input()
        except TimeoutError:
            log_line("decision", "the limit of {:g} s is over: what was seen so far is reported", self._limit.seconds)
            receipt = with_reports(baseline, receipt, new_popups(baseline, receipt))
            why = f"not at rest {self._limit.seconds:g} s after the call began"
            receipt = msgspec.structs.replace(receipt, settled=why)
        finally:
            await ahead.stop()
        return receipt, observed

    def _seems_lost(self, receipt: Receipt, observed: Observed, *, awaits_effect: bool) -> bool:
        """Whether the action may have come to nothing because its input did not reach the page."""
        if observed.outcome.nothing_done or self._baseline.has_left or observed.after is None:
            return False
        return (awaits_effect and not observed.has_effect) or (receipt.action == "fill" and bool(observed.outcome.note))

    def _notes(self, receipt: Receipt, observed: Observed) -> list[str]:
        """The notes on the action, for the receipt; each may be empty."""
        answered = self._tab.activity.requests.no_content_since(self._watch.requests)
        return [
            observed.outcome.note,
            self._input_note,
            chooser_note(self._baseline, receipt, observed.after),
            self._watch.watchdog.note,
            # which `goto` reports itself
            f"the server answered {answered}: it gives no new page" if answered and receipt.action != "goto" else "",
            unseen_note(self._baseline, observed),
        ]

    async def _messages(self, *, navigated: bool) -> tuple[list[RequestFailure], list[str]]:
        """The failed requests and the uncaught exceptions, as far as they come in time."""
        tab, requests, mark = self._tab, self._tab.activity.requests, self._watch.requests
        try:
            async with self._limit.later(REPORT_S * 3 / 4):
                failed, uncaught = await asyncio.gather(
                    requests.failures_with_messages(mark, MAX_LISTED), self._thrown()
                )
        except TimeoutError:
            failed, uncaught = requests.failures(mark), []
        # The receipt's `status` reports a failed document.
        failed = [failure for failure in failed if not (navigated and failure.is_document_of(tab.url))]
        return failed, uncaught

    async def _thrown(self) -> list[str]:
        tab = self._tab
        if self._baseline.has_left:
            return []
        thrown = self._ahead.thrown if self._ahead is not None else None
        if thrown is None:
            thrown = await tab.activity.console.exceptions_since(await tab.frames(), self._began)
        return [str(error).removeprefix("error: Uncaught ") for error in thrown]


async def _locate_all(tab: Tab, refs: Iterable[str]) -> list[Located]:
    return await asyncio.gather(*(locate(tab, ref) for ref in refs))


async def _finish_task(task: asyncio.Task[object]) -> None:
    """Cancels a task that is not done, and waits for its cleanup, such as releasing the mouse button."""
    if not task.done():
        task.cancel()
        await asyncio.wait([task])
    if not task.cancelled():
        task.exception()  # retrieved, since nobody awaits it any more


def _where(action: str, ref: str | None, target: str) -> str:
    return " ".join(filter(None, (action, ref, target)))


def _ms_since(begun: float) -> float:
    return round((time.perf_counter() - begun) * 1000, 1)
