"""Carries out an action and reports its effects: reads the page before, waits until it has settled, reads it again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any

import msgspec

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
from cdp_agent.page.snapshot.snapshot import PastReading, Snapshot
from cdp_agent.page.tab.limit import CALL_S, REPORT_S, call_limit
from cdp_agent.page.tab.tab import Tab

from . import effects, lost_input
from .aftermath import Aftermath, FileChoosers, read
from .compared import changed_meanwhile, not_outdated
from .dialog_stops import note_so_far, receipt_until_dialog
from .receipts import MAX_LISTED, Outcome, Receipt
from .stability import NAVIGATION_S, QUIET, QUIET_S, Watch

EFFECT_S = 1.0
"""How long to wait for a first effect of an action whose only purpose is to have one."""
SUGGESTIONS_S = 0.4
"""How long to wait after filling a field for which pages show a list or a calendar, or giving files to one."""
ATTEMPTS = 3
_LEAVING_S = 0.1
_EXPECTING_EFFECTS = {"click", "hover", "press", "type", "drag", "select", "check", "uncheck", "upload"}

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
    return await receipt_until_dialog(tab, acting, Receipt(action=action, ref=ref, detail=detail))


async def _perform(tab: Tab, action: str, ref: str, do: Do, *, detail: str, submits: bool, more_s: float) -> Receipt:
    async with tab.act(), limit_of(tab, more_s) as limit:
        known = tab.history[-1] if tab.history else None
        for attempt in range(ATTEMPTS):
            at = await locate(tab, ref)
            runner = await ActionRunner.start(tab, limit, expects_effect=submits or action in _EXPECTING_EFFECTS)
            await runner.check_same_record(at, known)
            target = runner.name_of(at.ref)
            note_so_far(tab, partial(Receipt, action=action, ref=at.ref, target=target, detail=detail))
            try:
                outcome = await runner.act(runner.until_left(do(at)))
                break
            except StaleRef as error:  # it left the page during the aiming: nothing was done to it
                if error.ref != at.ref or attempt + 1 == ATTEMPTS:
                    raise
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

    return await receipt_until_dialog(tab, acting(), Receipt(action=action, detail=detail))


def limit_of(tab: Tab, more_s: float = 0.0) -> AbstractAsyncContextManager[Deadline]:
    """The limit of an action that may take `more_s` seconds more than others."""
    return call_limit(tab, CALL_S + (tab.settings.action_timeout_s or 0.0) + more_s)


class ActionRunner:
    """Records what happens from `start` to `finish`."""

    def __init__(
        self,
        tab: Tab,
        limit: Deadline,
        before: Snapshot | None,
        watch: Watch,
        *,
        expects_effect: bool = False,
        pictures: effects.Pictures | None = None,
        choosers: FileChoosers | None = None,
    ) -> None:
        self._tab = tab
        self._limit = limit
        self._before = before
        self._watch = watch
        self._expects_effect = expects_effect
        self._choosers = choosers
        self._aftermath = Aftermath(
            tab, before, watch, expects_effect=expects_effect, pictures=pictures, choosers=choosers
        )
        self._meanwhile = changed_meanwhile(tab.shown, watch.document, before) if before is not None else []
        tab.activity.before_action = (watch.document, watch.url)
        self._begun = time.perf_counter()
        self._acted_ms = 0.0
        self._was_checked = False
        """Whether it is known that the page gets input."""
        self._input_note = ""

    @classmethod
    async def start(cls, tab: Tab, limit: Deadline, *, expects_effect: bool = False) -> ActionRunner:
        """Reads the page, and begins to watch it. `expects_effect`: an effect will be waited for.

        Raises PageUnresponsive while the tab is navigating, BrowserError.
        """
        tree = await tab.frames()
        await tree.root.wait_for_reported_navigation()
        watch, kept = Watch(tab, tree), tab.cached_reading
        reading = asyncio.ensure_future(read(tab)) if kept is None else None  # requested together with the watching
        try:
            await watch.begin(effects=expects_effect)
            if kept is not None and kept.counts == watch.counts:
                before: Snapshot | None = kept.snapshot
            elif watch.is_busy or reading is None:
                before = await read(tab)  # returns at once if the page does not answer
            else:
                before = await reading
            drawn = watch.latest.unreadable and before is not None
            pictures = await effects.pictures(await tab.frames()) if drawn else None
            choosers = FileChoosers(tree) if expects_effect else None
        except BaseException:
            watch.stop()
            raise
        finally:
            if reading is not None:
                await _finish_task(reading)
        return cls(tab, limit, before, watch, expects_effect=expects_effect, pictures=pictures, choosers=choosers)

    def name_of(self, ref: str) -> str:
        """The element's name in the snapshot: `button "Add to cart"`."""
        return label_of(line_of(self._before.text, ref)) if self._before is not None else ""

    async def check_same_record(self, at: Located, known: PastReading | None) -> None:
        """Raises StaleRef if the element shows another record than it did in the reading `known`."""
        if self._before is None or known is None or self._before is known.snapshot:
            return
        try:
            await recycled.check_same_record(at, known.snapshot, self._before)
        except BaseException:
            self._give_up()
            raise

    async def act(self, doing: Coroutine[Any, Any, Outcome]) -> Outcome:
        """Runs the coroutine that acts. If the page goes away meanwhile, that is a possible effect, not an error."""
        self._begun = time.perf_counter()
        try:
            outcome = await doing
        except (DocumentGone, SessionClosed):
            outcome = Outcome()
        except (NotInteractable, InvalidArguments):
            try:
                await self._check_input()
            finally:
                self._give_up()
            raise
        except BaseException:
            self._give_up()
            raise
        self._acted_ms = _ms_since(self._begun)
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
                if activity.navigating():
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
        begun = time.perf_counter()
        aftermath = self._aftermath
        expects_effect = (
            self._expects_effect and not outcome.nothing_done and (outcome.value is None or action == "fill")
        )
        try:
            updated = await self._observe_in_time(action, outcome, ref, navigation_s, expects_effect=expects_effect)
            if not aftermath.has_left and not self._watch.navigated and (refused := aftermath.refused()):
                leads = "" if refused.url == detail else f"{_where(action, ref, target)} leads elsewhere: "
                raise BlockedByPolicy(f"{leads}{refused}")
        finally:
            await self._stop(aftermath.settled)
        tab, requests = self._tab, self._tab.activity.requests
        navigated, moved = self._watch.navigated, aftermath.address_changed
        note = self._note(action, ref, updated)
        failed, uncaught, title = await self._messages(navigated=navigated)
        tab.note_shown(aftermath.after.text if aftermath.after is not None and not aftermath.has_left else None)
        changed = aftermath.changed or ([] if aftermath.has_effect else aftermath.weak_changes)
        return Receipt(
            action=action,
            ref=ref,
            target=target,
            detail=detail,
            note=note,
            meanwhile=not_outdated(self._meanwhile, changed),
            value=updated.value,
            fields=list(updated.fields),
            navigated_to=tab.url if navigated or moved else None,
            same_document=moved,
            title=title,
            status=requests.status(tab.activity.document.loader_id) if navigated else None,
            new_tabs=[
                each for each in aftermath.tabs if not (aftermath.downloads and aftermath.never_had_document(each))
            ],
            other_tabs=aftermath.others,
            closed=tab.closed,
            dialogs=aftermath.dialogs,
            app_requests=aftermath.app_requests,
            downloads=list(aftermath.downloads.values()),
            changed=changed,
            focus=aftermath.focus,
            failed_requests=[
                each
                for each in failed
                if not (navigated and each.is_document_of(tab.url))  # `status` reports that
            ],
            uncaught=uncaught,
            blocked=aftermath.blocked,
            withheld=aftermath.withheld,
            settled=aftermath.settled,
            watched_s=EFFECT_S if expects_effect and not aftermath.has_effect and not aftermath.has_left else None,
            acted_ms=self._acted_ms,
            settled_ms=_ms_since(begun),
        )

    async def _observe_in_time(
        self, action: str, outcome: Outcome, ref: str | None, navigation_s: float, *, expects_effect: bool
    ) -> Outcome:
        """As `_observe`, up to the limit of the call. Raises PageUnresponsive if the input arrived nowhere."""
        try:
            async with self._limit.later(REPORT_S / 2):
                updated = await self._observe(action, outcome, ref, navigation_s, expects_effect=expects_effect)
                if self._watch.lacks_input and self._seems_lost(action, updated, expects_effect=expects_effect):
                    await self._check_input()
                return updated
        except TimeoutError:
            self._aftermath.give_up(f"not at rest {self._limit.seconds:g} s after the call began")
            return outcome

    async def _observe(
        self, action: str, outcome: Outcome, ref: str | None, navigation_s: float, *, expects_effect: bool
    ) -> Outcome:
        """Waits until the page has settled, and for an effect if one is expected; returns the updated outcome."""
        aftermath = self._aftermath
        wait_s = EFFECT_S if expects_effect else SUGGESTIONS_S if outcome.suggests or action == "upload" else 0
        updated = await aftermath.observe(action, outcome, ref, navigation_s)
        rested = time.perf_counter() - QUIET_S
        while aftermath.navigates_again() or (
            wait_s and await aftermath.wait_for_effect(rested, wait_s, lists=outcome.suggests)
        ):
            updated = await aftermath.observe(action, outcome, ref, navigation_s)
        return updated

    def _seems_lost(self, action: str, outcome: Outcome, *, expects_effect: bool) -> bool:
        """Whether the action may have come to nothing because its input did not reach the page."""
        aftermath = self._aftermath
        if outcome.nothing_done or aftermath.has_left or aftermath.after is None:
            return False
        return (expects_effect and not aftermath.has_effect) or (action == "fill" and bool(outcome.note))

    def _note(self, action: str, ref: str | None, outcome: Outcome) -> str:
        """The notes on the action, for the receipt."""
        notes = (
            outcome.note,
            self._input_note,
            self._aftermath.chooser_note(action, ref),
            self._watch.watchdog.note,
            self._no_page_note() if action != "goto" else "",  # which reports that itself
            self._aftermath.unseen_note(),
        )
        return "; ".join(filter(None, notes))

    async def _messages(self, *, navigated: bool) -> tuple[list[RequestFailure], list[str], str | None]:
        """The failed requests, the uncaught exceptions, and the new title, as far as they come in time."""
        requests = self._tab.activity.requests
        try:
            async with self._limit.later(REPORT_S * 3 / 4):
                failed, uncaught = await asyncio.gather(
                    requests.failures_with_messages(self._watch.requests, MAX_LISTED), self._thrown()
                )
                return failed, uncaught, await self._title() if navigated else None
        except TimeoutError:
            return requests.failures(self._watch.requests), [], None

    async def _thrown(self) -> list[str]:
        tab = self._tab
        if self._aftermath.has_left:
            return []
        thrown = await tab.activity.console.exceptions_since(await tab.frames(), self._begun)
        return [str(each).removeprefix("error: Uncaught ") for each in thrown]

    def _no_page_note(self) -> str:
        answered = self._tab.activity.requests.no_content_since(self._watch.requests)
        return f"the server answered {answered}: it gives no new page" if answered else ""

    def _give_up(self) -> None:
        """Ends the recording without a receipt."""
        self._watch.stop()
        if self._choosers is not None:
            self._choosers.stop()

    async def _stop(self, settled: str) -> None:
        """Ends the watching. A large settled page stays watched, so that the next action need not read it again."""
        if self._choosers is not None:
            self._choosers.stop()
        if settled == QUIET and self._tab.cached_reading is not None:
            effects.end(await self._tab.frames())
        else:
            self._tab.cached_reading = None
            self._watch.stop(gave_up=settled != QUIET and not self._watch.awaits_server)

    async def _title(self) -> str | None:
        root = (await self._tab.frames()).root
        if root.session.unresponsive:
            return None  # it hangs, and is not waited for again
        try:
            world = await root.world()
            self._tab.title = await world.call("documentTitle", returning=str)
        except (ActionError, SessionClosed):
            return None  # it is navigating again already
        return self._tab.title


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
