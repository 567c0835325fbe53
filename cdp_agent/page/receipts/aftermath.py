"""The effects of an action, collected each time the page has settled, until there is nothing more to wait for."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.cdp import page as cdp_page
from cdp_agent.errors import ActionError, SessionClosed
from cdp_agent.page.activity.network import REFUSED
from cdp_agent.page.frames.frames import FrameTree
from cdp_agent.page.policy.holding import Withheld
from cdp_agent.page.policy.rules import Blocked
from cdp_agent.page.refs.locate import locate
from cdp_agent.page.snapshot import diff
from cdp_agent.page.snapshot.lines import FIELDS, line_of, quoted, shortened
from cdp_agent.page.snapshot.snapshot import Snapshot
from cdp_agent.page.tab.dialogs import Dialog
from cdp_agent.page.tab.downloads import Download
from cdp_agent.page.tab.past_views import CachedReading
from cdp_agent.page.tab.tab import Tab

from . import effects
from .compared import differ_only_in_numbers, ref_of_focused, same_element, states_only_value, uncovered, without_value
from .receipts import NewTab, OtherTab, Outcome
from .stability import QUIET, Watch

DOWNLOAD_S = 3.0
LARGE_S = 0.1
"""A page that takes longer to read stays watched between actions, so that each action reads it only once."""
_MINOR_CHANGE = re.compile(r"[+~] *- (?:button|img|generic|textbox|searchbox|combobox)\b")
"""Changes that come with the first letter in a field, and are not the purpose of filling it."""
_PICTURE = re.compile(r"~ - canvas\b.* \[ref=(E\d+)\]: its picture changed$")
FALLBACK_S = 0.4
"""How long to wait for a canvas's elements for screen readers after its picture changed: grids renew them when idle."""
_LOOK_EVERY_S = 0.2
"""How often to look for changes of values, selections and styles, which have no events."""
_ARRIVES_WITHIN_S = 5.0
_LONGEST_TRANSIENT = 120
_MOST_TRANSIENT = 4
"""How many texts that came and went are reported, each of _LONGEST_TRANSIENT characters at most."""


class Aftermath:
    """The effects of an action so far. Created before the action: `before` is the page then, None if unreadable.

    `expects_effect`: having an effect is the action's only purpose. Without `choosers`, file choosers are not
    intercepted.
    """

    def __init__(
        self,
        tab: Tab,
        before: Snapshot | None,
        watch: Watch,
        *,
        expects_effect: bool,
        pictures: effects.Pictures | None,
        choosers: FileChoosers | None,
    ) -> None:
        self._tab = tab
        self._before = before
        self._watch = watch
        self._expects_effect = expects_effect
        self._pictures = pictures or effects.Pictures()
        self._choosers = choosers
        self._others = OtherTabs(tab)
        self._asked_before = tab.requested_tabs.count
        self._document = 0
        """The number of the document in which the page settled."""
        self.after: Snapshot | None = None
        self.settled = QUIET
        self.tabs: list[NewTab] = []
        self.others: list[OtherTab] = []
        self.dialogs: list[Dialog] = []
        self.app_requests: list[str] = []
        self.downloads: dict[tuple[str, str], Download] = {}
        self.blocked: list[Blocked] = []
        self.withheld: list[Withheld] = []
        self.changed: list[str] = []
        self.focus: str | None = None
        self.weak_changes: list[str] = []
        """Weak effects, which may mean nothing: reported only if there are no others."""
        self.has_effect = False
        """Whether there was an effect that is not one of the page's own continuous changes."""

    @property
    def has_left(self) -> bool:
        """Whether the tab is closed, or shows another document, or is navigating to one."""
        return self._tab.closed or self._watch.navigated or self._watch.awaits_server

    async def wait_for_effect(self, rested: float, wait_s: float, *, lists: bool) -> bool:
        """Waits for the next change, if there was no effect yet; False if there is nothing more to wait for.

        Waits until `wait_s` after `rested`, when the page settled. `lists`: the button that clears a field does not
        count as an effect, since it comes with the first letter.
        """
        only_beside = lists and self.changed and all(_MINOR_CHANGE.match(line) for line in self.changed)
        only_pictures = self._only_pictures()
        left_s = rested + (min(wait_s, FALLBACK_S) if only_pictures else wait_s) - time.perf_counter()
        waited_for = not self.has_effect or only_beside or only_pictures
        if not waited_for or self.settled != QUIET or self.has_left or left_s <= 0:
            return False
        log_line("wait", "no effect so far: waits for one, {:.0f} ms more at most", left_s * 1000)
        await self._watch.wait_for_change(min(left_s, max(_LOOK_EVERY_S, 8 * self._tab.read_took_s)))
        return True

    def _only_pictures(self) -> bool:
        """Whether only pictures have changed, one of them a canvas with elements that describe it."""
        pictures = [_PICTURE.match(line) for line in self.changed]
        text = self.after.text if self.after is not None else ""
        return all(pictures) and any(each and line_of(text, each[1]).endswith(":") for each in pictures)

    def navigates_again(self) -> bool:
        """Whether the tab has begun to navigate after it had settled, while it was being read."""
        activity = self._tab.activity
        elsewhere = activity.navigating() is not None or activity.document.number != self._document
        return elsewhere and self.settled == QUIET

    @property
    def address_changed(self) -> bool:
        """Whether the same document has another address."""
        return not self._watch.navigated and self._tab.activity.document.url != self._watch.url

    def unseen_note(self) -> str:
        """A note on canvases (out of view, or in other frames) that may have changed unseen, if nothing else did."""
        if not self._expects_effect or self.has_effect or self.has_left:
            return ""
        if self._watch.unreadable_frames:
            return "whether the picture of a canvas in a frame changed could not be seen: take a screenshot"
        if self._pictures.out_of_view:
            return "whether the picture of a canvas out of view changed could not be seen: scroll to it"
        return ""

    def never_had_document(self, tab: NewTab) -> bool:
        """Whether the tab closed without ever having had a document, as Chrome's tab for a download does."""
        return not tab.url and any(each.closed and each.target_id == tab.target_id for each in self._tab.popups)

    def _refused_tab(self, tab: NewTab) -> NewTab:
        """An empty new tab in which nothing was loaded, with the first requested address that is not yet reported."""
        known = {each.url for each in self.tabs} | {each.not_opened for each in self.tabs}
        asked = (
            each for each in self._tab.requested_tabs.since(self._asked_before) if not each.startswith("javascript:")
        )
        return msgspec.structs.replace(tab, not_opened=next((each for each in asked if each not in known), ""))

    def refused(self) -> Blocked | None:
        """The navigation of the tab that the rules refused, if any."""
        return next((each for each in self.blocked if each.tab), None)

    def chooser_note(self, action: str, ref: str | None) -> str:
        """A note that a file chooser was opened, and what to do about it; "" if none was."""
        if self._choosers is None or not self._choosers.opened or action == "upload":
            return ""
        return f"it opened a file chooser, which was closed: give it files with upload{f' {ref}' if ref else ''}"

    async def observe(
        self,
        action: str,
        outcome: Outcome,
        ref: str | None,
        navigation_s: float,
    ) -> Outcome:
        """Waits until the page has settled, and adds the effects that are visible then. Returns the updated outcome."""
        tab = self._tab
        self.settled = await self._watch.settle(navigation_s=navigation_s, keep=True)
        self._document = tab.activity.document.number
        for popup in tab.popups_after(self._watch.last_popup)[len(self.tabs) :]:
            log_line("navigation", "a new tab came: {}", popup.url)
            new = await arrived(popup)
            self.app_requests += popup.activity.app_requests.take()
            self.tabs.append(new if new.url or popup.activity.navigations_begun else self._refused_tab(new))
        self.others = await self._others.changed()
        self.blocked += tab.request_policy.take()
        self.withheld += tab.request_policy.take_withheld()
        if not self.has_left and self.refused():
            return outcome
        for download in await self._downloads():
            self.downloads[download.url, download.suggested_name] = download
        await tab.decided()  # a download may have been asked about meanwhile
        self.withheld += tab.request_policy.take_withheld()
        self.dialogs += tab.dialogs.take()
        for other in tab.related:
            if not other.action_lock.locked():
                self.dialogs += [msgspec.structs.replace(each, tab=other.id) for each in other.dialogs.take()]
        self.app_requests += tab.activity.app_requests.take()
        if self.has_left:
            return outcome
        first, outcome = outcome, await self._reread(outcome, ref)
        keep = tab.read_took_s > LARGE_S and self.settled == QUIET
        after = self.after = await self._read(keep=keep)
        if self.navigates_again():
            return outcome
        changed, self.focus = self._compare(after, action, ref, outcome)
        self.changed = changed
        has_effect = bool(changed)
        if self._expects_effect:
            has_effect = await self._add_effects(after, action, ref, outcome)
            if has_effect and not changed and await self._changed_meanwhile():
                self.after = await self._read(keep=keep)
                changed, self.focus = self._compare(self.after, action, ref, outcome)
                self.changed = changed + uncovered(changed, self.changed)
        refused = any(each.error == REFUSED for each in tab.activity.requests.failures(self._watch.requests))
        opened = self.tabs or self.others or self.dialogs or self.app_requests
        reported = refused or opened or self.downloads or self.withheld
        has_effect = (
            has_effect or outcome.had_effect or outcome.note != first.note or bool(self.chooser_note(action, ref))
        )
        self.has_effect = has_effect or bool(self.address_changed or reported or self.focus is not None)
        has = "an effect" if self.has_effect else "no effect"
        log_line("change", "lines that changed: {}; {}", len(self.changed), has)
        return outcome

    def give_up(self, settled: str) -> None:
        """Adds the effects that Chrome has reported by itself, when there is no time left; `settled` says why."""
        tab = self._tab
        self.settled = settled
        for popup in tab.popups_after(self._watch.last_popup)[len(self.tabs) :]:
            self.tabs.append(NewTab(popup.target_id, popup.url, popup.title))
        self.blocked += tab.request_policy.take()
        self.withheld += tab.request_policy.take_withheld()
        self.downloads |= {(each.url, each.suggested_name): each for each in tab.downloads.take()}
        self.dialogs += tab.dialogs.take()

    async def _reread(self, outcome: Outcome, ref: str | None) -> Outcome:
        try:
            if outcome.on_replaced is not None and ref is not None:
                return await outcome.on_replaced(await locate(self._tab, ref))
            if outcome.read_again is None:
                return outcome
            now = await outcome.read_again()
        except (ActionError, SessionClosed):
            return outcome  # it navigates, or hangs: the receipt reports that
        note = "; ".join(filter(None, (outcome.note, now.note)))
        return msgspec.structs.replace(now, note=note, chosen=outcome.chosen)

    async def _add_effects(self, after: Snapshot | None, action: str, ref: str | None, outcome: Outcome) -> bool:
        """Adds effects that the lines do not show; returns whether any of them is not one of the page's own changes."""
        tree, refs, hovered = await self._tab.frames(), self._tab.refs, action == "hover"
        found = await effects.effects_now(tree, refs, looks=not self.changed, hovered=hovered)
        has_effect = bool(self.changed) and not self._changes_by_itself(after, found)
        if self.changed and not has_effect:
            found = await effects.effects_now(tree, refs, looks=True, hovered=hovered)
        self.weak_changes = (
            found.lines(weak=True) if action != "fill" and outcome.value is None else []
        )  # entering a value has such effects
        # A key does not move the mouse, so changes of caret and style are its effects.
        lines = found.lines(weak=False) + (
            self.weak_changes if action == "press" and not has_effect and self.focus is None else []
        )
        lines = uncovered(self.changed, lines) + self._transient_texts(after, found.gone, outcome.chosen)
        if self._pictures.boxes and not has_effect and not lines:
            now = await effects.pictures(tree)
            if now.boxes != self._pictures.boxes:
                self._pictures = msgspec.structs.replace(self._pictures, out_of_view=True)
            elif now.seen != self._pictures.seen:
                lines = ["~ canvas: its picture changed"]
        self.changed = self.changed + lines
        return has_effect or bool(lines) or (action == "click" and self._is_field_focused(after, ref))

    async def _changed_meanwhile(self) -> bool:
        """Whether the page changed after it had settled: then an effect may belong to lines that were not read yet."""
        settled = self._watch.latest.count
        return (await self._watch.look()).count != settled

    def _is_field_focused(self, after: Snapshot | None, ref: str | None) -> bool:
        """Whether the field that was clicked has the focus now."""
        now = diff.focused(after.text) if after is not None else None
        if now is None or ref_of_focused(now) != ref or now.partition(" ")[0] not in FIELDS:
            return False
        return self._before is None or not same_element(diff.focused(self._before.text), now)

    def _changes_by_itself(self, after: Snapshot | None, found: effects.Effects) -> bool:
        """Whether all changes are the page's own: in parts that changed before, or only in numbers and not at once."""
        if found.own and not found.others:
            return True
        if found.prompt or not found.others or after is None or self._before is None:
            return False
        return differ_only_in_numbers(self._before.text, after.text)

    def _transient_texts(self, after: Snapshot | None, gone: list[list[str]], chosen: Sequence[str]) -> list[str]:
        """Texts that came and went, and are in neither snapshot, nor in a list that the action chose from."""
        texts = [each.text for each in (self._before, after) if each is not None]
        parts = (
            [part for part in blocks if not any(part in each for each in texts)]
            for blocks in gone
            if not any(each in part for each in chosen for part in blocks)
        )
        lines = dict.fromkeys(
            f"~ came and went: {shortened(' | '.join(passed), _LONGEST_TRANSIENT)}" for passed in parts if passed
        )
        return list(lines)[:_MOST_TRANSIENT]

    async def _read(self, *, keep: bool) -> Snapshot | None:
        self._tab.cached_reading = None
        counts = dict(self._watch.counts)
        try:
            after = await read(self._tab)
        except SessionClosed:
            return None
        if keep and after is not None:
            self._tab.cached_reading = CachedReading(after, counts)
        return after

    async def _downloads(self) -> list[Download]:
        watcher = self._tab.downloads
        downloads = watcher.take()
        if any(each.state == "inProgress" for each in downloads):
            log_line("wait", "a download is not over: waits for it, {:g} s at most", DOWNLOAD_S)
            await watcher.settled(DOWNLOAD_S)
            downloads += watcher.take()
        latest = {(each.url, each.suggested_name): each for each in downloads}
        return list(latest.values())

    def _compare(
        self, after: Snapshot | None, action: str, ref: str | None, outcome: Outcome
    ) -> tuple[list[str], str | None]:
        if after is None or self._before is None:
            return [], None
        values = _values(ref, outcome)
        before, now = self._before.text, after.text
        for filled, value in values.items():
            before, now = without_value(before, now, filled, value)
        changed = diff.changes(before, now)
        if after.title != self._before.title:
            changed.append(f"~ title: {quoted(self._before.title)} → {quoted(after.title)}")
        changed = [each for each in changed if not states_only_value(each, values)]
        was, focused = diff.focused(self._before.text), diff.focused(after.text)
        expected = focused is not None and action != "focus" and ref_of_focused(focused) in values
        return changed, None if expected or same_element(was, focused) else focused or ""


def _values(ref: str | None, outcome: Outcome) -> dict[str, str | None]:
    """The values of the elements that were acted on, as in the receipt."""
    single = {} if ref is None else {ref: outcome.value}
    return {each.ref: each.value for each in outcome.fields} or single


async def read(tab: Tab) -> Snapshot | None:
    """A snapshot; None if the page hangs, crashed, or is loading: the next call reports that. Raises BrowserError."""
    try:
        return await tab.read()
    except ActionError as error:
        log_line("reading", "the page could not be read: {}", str(error))
        return None


class FileChoosers:
    """File choosers that an action opens. Nobody could answer them, so Chrome does not show them until `stop`."""

    def __init__(self, tree: FrameTree) -> None:
        self.opened = False
        self._sessions = {frame.session for frame in tree.all()}
        self._stops = [session.on(cdp_page.FileChooserOpened, self._note) for session in self._sessions]
        self._intercept(True)

    def stop(self) -> None:
        """Lets Chrome show file choosers again."""
        for stop in self._stops:
            stop()
        self._intercept(False)

    def _note(self, _: cdp_page.FileChooserOpened) -> None:
        self.opened = True

    def _intercept(self, enabled: bool) -> None:
        for session in self._sessions:
            session.tell(cdp_page.SetInterceptFileChooserDialog(enabled=enabled))


class OtherTabs:
    """The tabs that opened a tab or were opened by it, as they were when an action in it began."""

    def __init__(self, tab: Tab) -> None:
        self._documents = {
            each: each.activity.document.number
            for each in tab.related
            if not (each.action_lock.locked() or each.activity.navigating())
        }
        self._changed: dict[Tab, OtherTab] = {}

    async def changed(self) -> list[OtherTab]:
        """The tabs that were closed or have loaded another document since, except by actions in those tabs."""
        for each, number in self._documents.items():
            moves = each.activity.navigating() or each.activity.document.number != number
            if each.closed or (moves and each not in self._changed and not each.action_lock.locked()):
                await _wait_for(each)
                self._changed[each] = OtherTab(each.target_id, each.url, each.title, each.closed)
        return list(self._changed.values())


async def arrived(popup: Tab) -> NewTab:
    """A new tab, once its document has loaded."""
    await _wait_for(popup)
    return NewTab(popup.target_id, popup.url, popup.title)


async def _wait_for(tab: Tab) -> None:
    try:
        if not tab.closed:
            watch = await Watch.start(tab)
            await watch.settle(patient=True, navigation_s=_ARRIVES_WITHIN_S)
            await tab.read()
    except (ActionError, SessionClosed):
        pass  # it closed itself, or hangs: only its address can be reported
