"""Carries an action out and takes down what came of it: the page before, what was set in motion, the page after."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import msgspec

from cdp_agent.errors import ActionError, BlockedByPolicy, DocumentGone, SessionClosed, StaleRef
from cdp_agent.page.activity.network import REFUSED
from cdp_agent.page.policy.holding import Withheld
from cdp_agent.page.policy.rules import Blocked
from cdp_agent.page.refs import recycled
from cdp_agent.page.refs.locate import Located, locate
from cdp_agent.page.snapshot import diff
from cdp_agent.page.snapshot.lines import label_of, line_of, quoted, shortened
from cdp_agent.page.snapshot.roles import FIELDS
from cdp_agent.page.snapshot.snapshot import Seen, Snapshot
from cdp_agent.page.tab.dialogs import Dialog
from cdp_agent.page.tab.downloads import Download
from cdp_agent.page.tab.tab import Kept, Tab

from . import effects
from .choosers import FileChoosers
from .compared import (
    changed_meanwhile,
    not_in,
    not_outdated,
    ref_of_focused,
    same_element,
    says_a_value,
    ticks,
    without_value,
)
from .other_tabs import OtherTabs, arrived
from .receipts import MAX_TOLD, NewTab, OtherTab, Outcome, Receipt
from .stability import NAVIGATION_S, QUIET, QUIET_S, Watch

DOWNLOAD_S = 3.0
LARGE_S = 0.1
"""A page that takes longer to read than this is watched from one action to the next, not to read it twice for each."""
EFFECT_S = 1.0
"""So long a first effect is waited for after an action that has no other purpose than to have one."""
SUGGESTIONS_S = 0.4
"""The same after a field was filled in for which pages show a list or a calendar, or took files that they show."""
_BESIDE = re.compile(r"[+~] *- (?:button|img|generic|textbox|searchbox|combobox)\b")
"""What comes with the first letter in a field, and is not what it is filled in for."""
_LOOK_EVERY_S = 0.2
"""Values, selections and styles change without telling anybody."""
_LONGEST_PASSED = 120
_MOST_PASSED = 4
"""Of what came and went: so many texts of so many characters."""
ATTEMPTS = 3
_LEAVING_S = 0.1
_EXPECTANT = {"click", "hover", "press", "type", "drag", "select", "check", "uncheck", "upload"}

Do = Callable[[Located], Coroutine[Any, Any, Outcome]]


async def perform(tab: Tab, action: str, ref: str, do: Do, *, detail: str = "", submits: bool = False) -> Receipt:
    """Locates the element, lets `do` act on it, waits until the page is settled, and tells what came of it.

    `detail` is what else the action was given, such as the key; `submits`: it ends with Enter. Raises what `do` raises,
    StaleRef, PageUnresponsive, BrowserError.
    """
    async with tab.act():
        known = tab.history[-1] if tab.history else None
        for attempt in range(ATTEMPTS):
            at = await locate(tab, ref)
            recorder = await ActionRunner.start(tab, expectant=submits or action in _EXPECTANT)
            await recorder.hold_to_record(at, known)
            target = recorder.name_of(at.ref)
            try:
                outcome = await recorder.act(recorder.while_here(do(at)))
                break
            except StaleRef as error:  # it left the page while it was aimed at: nothing was done to it
                if error.ref != at.ref or attempt + 1 == ATTEMPTS:
                    raise
        if at.note:
            outcome = msgspec.structs.replace(outcome, note="; ".join(filter(None, (at.note, outcome.note))))
        return await recorder.finish(action, outcome, ref=at.ref, target=target, detail=detail)


async def perform_unaimed(
    tab: Tab, action: str, do: Callable[[], Coroutine[Any, Any, Outcome]], *, detail: str, expectant: bool = True
) -> Receipt:
    """Carries out an action without an element, such as a key for whatever has the focus; see `perform`.

    `expectant`: a first effect is waited for, since having one is what it is for.
    """
    async with tab.act():
        recorder = await ActionRunner.start(tab, expectant=expectant)
        outcome = await recorder.act(recorder.while_here(do()))
        return await recorder.finish(action, outcome, detail=detail)


class _Seen(msgspec.Struct):
    """What came of an action so far."""

    settled: str = QUIET
    document: int = 0
    """The number of the one that it settled with."""
    tabs: list[NewTab] = []
    others: list[OtherTab] = []
    dialogs: list[Dialog] = []
    downloads: dict[tuple[str, str], Download] = {}
    blocked: list[Blocked] = []
    withheld: list[Withheld] = []
    changed: list[str] = []
    focus: str | None = None
    passing: list[str] = []
    """What was seen that may be of no meaning, told when there is nothing else."""
    firm: bool = False
    """Something came that is not going on by itself anyway."""


class ActionRunner:
    """Takes down what happens from `start` to `finish`."""

    def __init__(self, tab: Tab, before: Snapshot | None, watch: Watch, *, expectant: bool = False) -> None:
        self._tab = tab
        self._others = OtherTabs(tab)
        self._choosers: FileChoosers | None = None
        self._before = before
        self._watch = watch
        self._expectant = expectant
        self._after: Snapshot | None = None
        self._meanwhile = changed_meanwhile(tab.shown, watch.document, before) if before is not None else []
        self._pictures = effects.Pictures()
        tab.activity.before_action = (watch.document, watch.url)
        self._opens = tab.opens
        self._begun = time.perf_counter()
        self._acted_ms = 0.0

    @classmethod
    async def start(cls, tab: Tab, *, expectant: bool = False) -> ActionRunner:
        """Reads the page as it is, and watches from now on. `expectant`: an effect is waited for.

        Raises PageUnresponsive where the tab is on its way elsewhere, BrowserError.
        """
        tree = await tab.frames()
        await tree.root.given_back()
        watch, kept = Watch(tab, tree), tab.kept
        reading = asyncio.ensure_future(_read(tab)) if kept is None else None  # asked for with the watching
        try:
            await watch.begin(effects=expectant)
            if kept is not None and kept.counts == watch.counts:
                before: Snapshot | None = kept.snapshot
            elif watch.is_busy or reading is None:
                before = await _read(tab)  # knows by now that there is no answer
            else:
                before = await reading
            recorder = cls(tab, before, watch, expectant=expectant)
            if watch.latest.unreadable and before is not None:
                recorder._pictures = await effects.pictures(await tab.frames())
            if expectant:
                recorder._choosers = FileChoosers(tree)
        except BaseException:
            watch.stop()
            raise
        finally:
            if reading is not None:
                await _ended(reading)
        return recorder

    def name_of(self, ref: str) -> str:
        """What the snapshot calls it: `button "Add to cart"`."""
        return label_of(line_of(self._before.text, ref)) if self._before is not None else ""

    async def hold_to_record(self, at: Located, known: Seen | None) -> None:
        """Raises StaleRef when the element stands for another record than it did at the reading `known`."""
        if self._before is None or known is None or self._before is known.snapshot:
            return
        try:
            await recycled.hold_to_record(at, known.snapshot, self._before)
        except BaseException:
            self._give_up()
            raise

    async def act(self, doing: Coroutine[Any, Any, Outcome]) -> Outcome:
        """Lets it be done. That the page goes away meanwhile is what some actions are for."""
        self._begun = time.perf_counter()
        try:
            outcome = await doing
        except (DocumentGone, SessionClosed):
            outcome = Outcome()
        except BaseException:
            self._give_up()
            raise
        self._acted_ms = _ms_since(self._begun)
        return outcome

    async def while_here(self, doing: Coroutine[Any, Any, Outcome]) -> Outcome:
        """Chrome answers nothing about a document that is being left, so what is asked of it then is given up."""
        activity = self._tab.activity
        acting = asyncio.ensure_future(doing)
        try:
            while not acting.done():
                stirring = activity.next_event()
                either: list[asyncio.Future[Any]] = [acting, stirring]
                try:
                    await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    stirring.cancel()
                if activity.navigating():
                    await asyncio.wait([acting], timeout=_LEAVING_S)
                    break
            return acting.result() if acting.done() else Outcome()
        finally:
            await _ended(acting)

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
        """Waits until the page is settled, and tells what came of it. Raises BrowserError."""
        tab, activity = self._tab, self._tab.activity
        begun = time.perf_counter()
        expectant = self._expectant and not outcome.idle and (outcome.value is None or action == "fill")
        wait_s = EFFECT_S if expectant else SUGGESTIONS_S if outcome.suggests or action == "upload" else 0
        seen = _Seen()
        try:
            told = await self._observe(seen, action, outcome, ref, navigation_s)
            rested = time.perf_counter() - QUIET_S
            while self._leaves(seen) or (wait_s and await self._stirs(seen, rested + wait_s, lists=outcome.suggests)):
                told = await self._observe(seen, action, outcome, ref, navigation_s)
            if not self._left and not self._watch.navigated and self._refused(seen):
                raise BlockedByPolicy(f"{_where(action, ref, target)} leads elsewhere: {self._refused(seen)}")
        finally:
            await self._stop(seen.settled)
        navigated, moved = self._watch.navigated, self._moved
        notes = (
            told.note,
            self._chooser(action, ref),
            self._watch.departure.note,
            self._pageless() if action != "goto" else "",  # which says so itself
            self._unseen(seen),
        )
        failed, uncaught = await asyncio.gather(
            activity.requests.failures_with_words(self._watch.requests, MAX_TOLD), self._thrown()
        )
        tab.show(self._after.text if self._after is not None and not self._left else None)
        changed = seen.changed or ([] if seen.firm else seen.passing)
        return Receipt(
            action=action,
            ref=ref,
            target=target,
            detail=detail,
            note="; ".join(filter(None, notes)),
            meanwhile=not_outdated(self._meanwhile, changed),
            value=told.value,
            fields=list(told.fields),
            navigated_to=tab.url if navigated or moved else None,
            same_document=moved,
            title=await self._title() if navigated else None,
            status=activity.requests.status(activity.document.loader_id) if navigated else None,
            new_tabs=[each for each in seen.tabs if not (seen.downloads and self._was_none(each))],
            other_tabs=seen.others,
            closed=tab.closed,
            dialogs=seen.dialogs,
            downloads=list(seen.downloads.values()),
            changed=changed,
            focus=seen.focus,
            failed_requests=[
                each
                for each in failed
                if not (navigated and each.is_document_of(tab.url))  # `status` says it
            ],
            uncaught=uncaught,
            blocked=seen.blocked,
            withheld=seen.withheld,
            settled=seen.settled,
            watched_s=EFFECT_S if expectant and not seen.firm and not self._left else None,
            acted_ms=self._acted_ms,
            settled_ms=_ms_since(begun),
        )

    async def _thrown(self) -> list[str]:
        tab = self._tab
        if self._left:
            return []
        thrown = await tab.activity.console.thrown_since(await tab.frames(), self._begun)
        return [str(each).removeprefix("error: Uncaught ") for each in thrown]

    @property
    def _left(self) -> bool:
        return self._tab.closed or self._watch.navigated or self._watch.on_its_way

    async def _stirs(self, seen: _Seen, until: float, *, lists: bool) -> bool:
        """Waits for something to come, where nothing has; False when nothing does, or need not.

        `lists`: the button to clear a field is not what is waited for, which comes with its first letter.
        """
        left_s = until - time.perf_counter()
        only_beside = lists and seen.changed and all(_BESIDE.match(line) for line in seen.changed)
        if (seen.firm and not only_beside) or seen.settled != QUIET or self._left or left_s <= 0:
            return False
        await self._watch.stirred(min(left_s, max(_LOOK_EVERY_S, 8 * self._tab.read_took_s)))
        return True

    def _leaves(self, seen: _Seen) -> bool:
        """Whether the tab has begun to go elsewhere since it had settled, while it was looked at."""
        activity = self._tab.activity
        elsewhere = activity.navigating() is not None or activity.document.number != seen.document
        return elsewhere and seen.settled == QUIET

    @property
    def _moved(self) -> bool:
        return not self._watch.navigated and self._tab.activity.document.url != self._watch.url

    def _unseen(self, seen: _Seen) -> str:
        """What may have changed unseen, where nothing else did: screenshots are of the tab's own viewport and site."""
        if not self._expectant or seen.firm or self._left:
            return ""
        if self._watch.unreadable_frames:
            return "whether the picture of a canvas in a frame changed could not be seen: take a screenshot"
        if self._pictures.out_of_view:
            return "whether the picture of a canvas out of view changed could not be seen: scroll to it"
        return ""

    def _pageless(self) -> str:
        answered = self._tab.activity.requests.pageless(self._watch.requests)
        return f"the server answered {answered}: it gives no new page" if answered else ""

    def _was_none(self, tab: NewTab) -> bool:
        """Whether it closed without ever having had a document, as Chrome's tab for a download does."""
        return not tab.url and any(each.closed and each.target_id == tab.target_id for each in self._tab.popups)

    def _refused_tab(self, tab: NewTab, seen: _Seen) -> NewTab:
        """An empty one for whose document nothing was begun, with the first address that was asked for and not told."""
        told = {each.url for each in seen.tabs} | {each.not_opened for each in seen.tabs}
        asked = (each for each in self._tab.opened_since(self._opens) if not each.startswith("javascript:"))
        return msgspec.structs.replace(tab, not_opened=next((each for each in asked if each not in told), ""))

    @staticmethod
    def _refused(seen: _Seen) -> Blocked | None:
        return next((each for each in seen.blocked if each.tab), None)

    def _chooser(self, action: str, ref: str | None) -> str:
        if self._choosers is None or not self._choosers.opened or action == "upload":
            return ""
        return f"it opened a file chooser, which was closed: give it files with upload{f' {ref}' if ref else ''}"

    def _give_up(self) -> None:
        """Nothing more is done, nor told."""
        self._watch.stop()
        if self._choosers is not None:
            self._choosers.stop()

    async def _stop(self, settled: str) -> None:
        """Ends the watching, but for a large page that is at rest: it need not be read again for the next action."""
        if self._choosers is not None:
            self._choosers.stop()
        if settled == QUIET and self._tab.kept is not None:
            effects.end(await self._tab.frames())
        else:
            self._tab.kept = None
            self._watch.stop(gave_up=settled != QUIET and not self._watch.on_its_way)

    async def _observe(
        self,
        seen: _Seen,
        action: str,
        outcome: Outcome,
        ref: str | None,
        navigation_s: float,
    ) -> Outcome:
        """Waits until the page is at rest, and adds what is to be seen then; what whoever acted knows then."""
        tab = self._tab
        seen.settled = await self._watch.settle(navigation_s=navigation_s, keep=True)
        seen.document = tab.activity.document.number
        for popup in tab.popups_after(self._watch.last_popup)[len(seen.tabs) :]:
            new = await arrived(popup)
            seen.tabs.append(new if new.url or popup.activity.begun else self._refused_tab(new, seen))
        seen.others = await self._others.led()
        seen.blocked += tab.guard.take()
        seen.withheld += tab.guard.take_withheld()
        if not self._left and self._refused(seen):
            return outcome
        for download in await self._downloads():
            seen.downloads[download.url, download.suggested_name] = download
        await tab.guard.decided()  # a download may have been asked about meanwhile
        seen.withheld += tab.guard.take_withheld()
        seen.dialogs += tab.dialogs.take()
        if self._left:
            return outcome
        first, outcome = outcome, await self._again(outcome, ref)
        keep = tab.read_took_s > LARGE_S and seen.settled == QUIET
        after = self._after = await self._read(keep=keep)
        if self._leaves(seen):
            return outcome
        changed, seen.focus = self._compare(after, False, action, ref, outcome)
        seen.changed = changed
        firm = bool(changed)
        if self._expectant:
            firm = await self._add_effects(seen, after, action, ref, outcome)
            if firm and not changed and await self._changed_meanwhile():
                changed, seen.focus = self._compare(await self._read(keep=keep), False, action, ref, outcome)
                seen.changed = changed + not_in(changed, seen.changed)
        refused = any(each.error == REFUSED for each in tab.activity.requests.failures(self._watch.requests))
        told = refused or seen.tabs or seen.others or seen.dialogs or seen.downloads or seen.withheld
        firm = firm or outcome.moved or outcome.note != first.note or bool(self._chooser(action, ref))
        seen.firm = firm or bool(self._moved or told or seen.focus is not None)
        return outcome

    async def _again(self, outcome: Outcome, ref: str | None) -> Outcome:
        try:
            if outcome.renewed is not None and ref is not None:
                return await outcome.renewed(await locate(self._tab, ref))
            if outcome.again is None:
                return outcome
            now = await outcome.again()
        except (ActionError, SessionClosed):
            return outcome  # it goes elsewhere, or hangs: the receipt says that
        note = "; ".join(filter(None, (outcome.note, now.note)))
        return msgspec.structs.replace(now, note=note, chosen=outcome.chosen)

    async def _add_effects(
        self, seen: _Seen, after: Snapshot | None, action: str, ref: str | None, outcome: Outcome
    ) -> bool:
        """Adds what the lines do not show; returns whether anything is there that does not go on by itself anyway."""
        tree, refs, hovered = await self._tab.frames(), self._tab.refs, action == "hover"
        found = await effects.effects_now(tree, refs, looks=not seen.changed, hovered=hovered)
        firm = bool(seen.changed) and not self._goes_on(after, found.prompt)
        if seen.changed and not firm:
            found = await effects.effects_now(tree, refs, looks=True, hovered=hovered)
        seen.passing = (
            found.lines(weak=True) if action != "fill" and outcome.value is None else []
        )  # entering does that
        # No mouse has moved for a key: the caret and the looks are its doing.
        told = found.lines(weak=False) + (seen.passing if action == "press" and not firm and seen.focus is None else [])
        told = not_in(seen.changed, told) + self._passed(after, found.gone, outcome.chosen)
        if self._pictures.boxes and not firm and not told:
            now = await effects.pictures(tree)
            if now.boxes != self._pictures.boxes:
                self._pictures = msgspec.structs.replace(self._pictures, out_of_view=True)
            elif now.seen != self._pictures.seen:
                told = ["~ canvas: its picture changed"]
        seen.changed = seen.changed + told
        return firm or bool(told) or (action == "click" and self._entered(after, ref))

    async def _changed_meanwhile(self) -> bool:
        """Whether the page changed between settling and now: then an effect was seen of what no line told yet."""
        settled = self._watch.latest.count
        return (await self._watch.look()).count != settled

    def _entered(self, after: Snapshot | None, ref: str | None) -> bool:
        """Whether a field has got the focus that it was clicked for."""
        now = diff.focused(after.text) if after is not None else None
        if now is None or ref_of_focused(now) != ref or now.partition(" ")[0] not in FIELDS:
            return False
        return self._before is None or not same_element(diff.focused(self._before.text), now)

    def _goes_on(self, after: Snapshot | None, prompt: bool) -> bool:
        """Whether it only goes on by itself: what did before, or what counts, and that not at once."""
        latest = self._watch.latest
        if latest.own and not latest.others:
            return True
        if prompt or not latest.others or after is None or self._before is None:
            return False
        return ticks(self._before.text, after.text)

    def _passed(self, after: Snapshot | None, gone: list[list[str]], chosen: Sequence[str]) -> list[str]:
        """What came and went, and is neither before nor after, nor a list that the action chose from."""
        texts = [each.text for each in (self._before, after) if each is not None]
        parts = (
            [part for part in blocks if not any(part in each for each in texts)]
            for blocks in gone
            if not any(each in part for each in chosen for part in blocks)
        )
        told = dict.fromkeys(
            f"~ came and went: {shortened(' | '.join(passed), _LONGEST_PASSED)}" for passed in parts if passed
        )
        return list(told)[:_MOST_PASSED]

    async def _title(self) -> str | None:
        root = (await self._tab.frames()).root
        if root.session.silent:
            return None  # it hangs, and is not waited for once more
        try:
            world = await root.world()
            self._tab.title = await world.call("documentTitle", returning=str)
        except (ActionError, SessionClosed):
            return None  # it goes on elsewhere already
        return self._tab.title

    async def _read(self, *, keep: bool) -> Snapshot | None:
        self._tab.kept = None
        counts = dict(self._watch.counts)
        try:
            after = await _read(self._tab)
        except SessionClosed:
            return None
        if keep and after is not None:
            self._tab.kept = Kept(after, counts)
        return after

    async def _downloads(self) -> list[Download]:
        watcher = self._tab.downloads
        told = watcher.take()
        if any(each.state == "inProgress" for each in told):
            await watcher.settled(DOWNLOAD_S)
            told += watcher.take()
        latest = {(each.url, each.suggested_name): each for each in told}
        return list(latest.values())

    def _compare(
        self, after: Snapshot | None, navigated: bool, action: str, ref: str | None, outcome: Outcome
    ) -> tuple[list[str], str | None]:
        if after is None or navigated or self._before is None:
            return [], None
        values = _values(ref, outcome)
        before, now = self._before.text, after.text
        for filled, value in values.items():
            before, now = without_value(before, now, filled, value)
        changed = diff.changes(before, now)
        if after.title != self._before.title:
            changed.append(f"~ title: {quoted(self._before.title)} → {quoted(after.title)}")
        changed = [each for each in changed if not says_a_value(each, values)]
        was, focused = diff.focused(self._before.text), diff.focused(after.text)
        expected = focused is not None and action != "focus" and ref_of_focused(focused) in values
        return changed, None if expected or same_element(was, focused) else focused or ""


def _values(ref: str | None, outcome: Outcome) -> dict[str, str | None]:
    """What the elements that were acted on hold now, as the receipt tells it."""
    single = {} if ref is None else {ref: outcome.value}
    return {each.ref: each.value for each in outcome.fields} or single


async def _ended(task: asyncio.Task[Any]) -> None:
    """Cancels what is not done, and lets it put in order what it began, such as the mouse's button."""
    if not task.done():
        task.cancel()
        await asyncio.wait([task])
    if not task.cancelled():
        task.exception()  # nobody asks for it any more


async def _read(tab: Tab) -> Snapshot | None:
    """None when it hangs, crashed, or is loading: the next call will say why. Acting may help. Raises BrowserError."""
    try:
        return await tab.read()
    except ActionError:
        return None


def _where(action: str, ref: str | None, target: str) -> str:
    return " ".join(filter(None, (action, ref, target)))


def _ms_since(begun: float) -> float:
    return round((time.perf_counter() - begun) * 1000, 1)
