"""Waiting for a text, an element, an address, or for the page to finish loading.

Worlds report changes of the page, and the session reports requests, so there is no polling. Only changes without an
observer (values set by script, style sheets) are checked once a second.
"""

from __future__ import annotations

import asyncio
import contextlib
import fnmatch
import time
import unicodedata

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.cdp.connection import Session
from cdp_agent.errors import ActionError, DocumentGone, InvalidArguments, PageUnresponsive, StaleRef
from cdp_agent.page.frames.deadline import Deadline
from cdp_agent.page.frames.frames import Frame
from cdp_agent.page.frames.world import CRASHED_PAGE, World
from cdp_agent.page.receipts.action_runner import ActionRunner
from cdp_agent.page.receipts.dialog_stops import receipt_until_dialog
from cdp_agent.page.receipts.receipts import Outcome, Receipt
from cdp_agent.page.refs.locate import locate
from cdp_agent.page.snapshot.lines import quoted, shortened
from cdp_agent.page.snapshot.snapshot import PassedText
from cdp_agent.page.tab.limit import call_limit
from cdp_agent.page.tab.next_change import BACKSTOP_S, next_change
from cdp_agent.page.tab.tab import Tab

IDLE_S = 0.5
_SHOWN = 3


class _Wanted(msgspec.Struct, frozen=True):
    text: str | None = None
    gone: str | None = None
    selector: str | None = None
    url: str | None = None
    ref: str | None = None
    navigation: bool = False
    idle_s: float | None = None


class _Look(msgspec.Struct, frozen=True):
    """The result of `checkConditions` in page/js."""

    text: bool
    entered: bool
    gone: bool
    selector: bool
    count: int
    wrong: str
    passed: list[PassedText]


async def wait_for(
    tab: Tab,
    *,
    text: str | None = None,
    gone: str | None = None,
    selector: str | None = None,
    url: str | None = None,
    ref: str | None = None,
    navigation: bool = False,
    idle: bool | float | None = None,
    timeout_s: float = 10,
) -> Receipt:
    """Waits until all given conditions hold at the same time, in any frame, and reports what changed meanwhile.

    `text` is visible and `gone` is not, ignoring case and white space; the value of a field that was filled in does not
    count as `text`, and a text that came and went since the caller was last told of such does, as the note says.
    `selector` matches a visible element, also in shadow roots. `url` is a part of the address, or a pattern with `*`.
    The element of `ref` exists and is visible. `navigation`: the page or address differs from the one before the last
    action, and is ready. `idle`: this many seconds (True: half a second) without a request, except streams, polling and
    those that take longer than network.ENDLESS_S; pictures, fonts and films do not count.
    Raises ActionError at the timeout, which states what is there instead; InvalidArguments, BrowserError.
    """
    idle_s = None if idle is None or idle is False else IDLE_S if idle is True else float(idle)
    wanted = _Wanted(_plain(text), _plain(gone), selector, url, ref, navigation, idle_s)
    if wanted == _Wanted():
        raise InvalidArguments(
            "wait_for needs something to wait for: text, gone, selector, ref, url, navigation or idle."
        )
    waiting = _wait(tab, wanted, timeout_s)
    return await receipt_until_dialog(tab, waiting, Receipt(action="wait_for", detail=_described(wanted)))


async def _wait(tab: Tab, wanted: _Wanted, timeout_s: float) -> Receipt:
    async with tab.turn(), tab.drawn() as tree:
        before = tab.activity.before_action
        waiting = _Waiting(tab, wanted, tree.unread_documents)
        async with call_limit(tab, timeout_s, error=lambda: ActionError(waiting.failure(timeout_s))) as limit:
            return await _wait_within(tab, waiting, limit, before)


async def _wait_within(tab: Tab, waiting: _Waiting, limit: Deadline, before: tuple[int, str]) -> Receipt:
    """`before`: the tab's document before the last action."""
    root = (await tab.frames()).root
    was_reported, root.is_reported_slow = root.is_reported_slow, False  # its navigation may be what is waited for
    try:
        runner = await ActionRunner.start(tab, limit)
        tab.activity.before_action = before  # waiting is not an action that could cause a navigation
        await runner.act(_within(waiting, root.session, limit.seconds))
    finally:
        root.is_reported_slow = was_reported and root.navigating_to is not None
    tab.check_open()
    detail = _described(waiting.wanted)
    if waiting.wanted.idle_s is not None and (unanswered := tab.activity.requests.unanswered()):
        detail += f" (not counted, without an answer: {', '.join(unanswered[:_SHOWN])})"
    return await runner.finish("wait_for", Outcome(note=waiting.note), detail=detail)


async def _within(waiting: _Waiting, session: Session, timeout_s: float) -> Outcome:
    try:
        async with Deadline.on(session, timeout_s):
            await waiting.wait_until_met()
    except TimeoutError as error:
        raise ActionError(await waiting.failure_message(timeout_s)) from error
    return Outcome()


class _Waiting:
    def __init__(self, tab: Tab, wanted: _Wanted, unread_documents: int) -> None:
        self._tab = tab
        self._unread_documents = unread_documents
        self.wanted = wanted
        self._busy_at = asyncio.get_running_loop().time()
        self._missing: list[str] = []
        self.note = ""
        """That the text which was waited for is gone again."""

    async def wait_until_met(self) -> None:
        """Waits until all conditions hold."""
        loop = asyncio.get_running_loop()
        while True:
            begun = loop.time()
            self._tab.check_open()
            if self._tab.activity.crashed and not self._tab.activity.navigating():
                raise PageUnresponsive(CRASHED_PAGE)
            looks = await self._look()
            missing = self._what_is_missing([look for _, look in looks]) + await self._missing_element()
            if missing != self._missing:
                log_line("wait", "{}", "; ".join(missing) or "all that was waited for is there")
            self._missing = missing
            if not self._missing or self._has_passed([look for _, look in looks]):
                return
            took_s = loop.time() - begun
            await self._next_event(looks)
            # A page that changes all the time must not be busy all the time with being read.
            await asyncio.sleep(3 * took_s)

    def _has_passed(self, looks: list[_Look]) -> bool:
        """Whether nothing is missing but a text that came and went, of which the caller was not told: it is now."""
        for look in looks:
            self._tab.note_passed(look.passed)
        text, shown = self.wanted.text, self._tab.shown
        if text is None or len(self._missing) > 1 or any(look.text for look in looks):
            return False
        passing = next((passing for passing in shown.passed if text.lower() in passing.text.lower()), None)
        if passing is None:
            return False
        self.note = f"it is gone again: {passing}"
        others = tuple(other for other in shown.passed if other is not passing)
        self._tab.shown = msgspec.structs.replace(shown, passed=others)
        return True

    def failure(self, timeout_s: float) -> str:
        """What is missing at the timeout, and where the tab is."""
        missing = "; ".join(self._missing) or "the page does not answer"
        where = f"{shortened(self._tab.url)} {quoted(self._tab.title)}"
        return f"Waited {timeout_s:g} s in vain: {missing}. The page is {where}."

    async def failure_message(self, timeout_s: float) -> str:
        """The message at the timeout: what is missing, and what is on the page instead."""
        tab, wanted = self._tab, self.wanted
        sentences = [self.failure(timeout_s)]
        try:
            lines = [line.strip() for line in (await tab.read()).text.split("\n")]
        except ActionError as error:
            return " ".join([*sentences, str(error)])
        if wanted.text is not None:
            close = _close(wanted.text, lines)
            sentences.append(f"Close to it: {'; '.join(close)}." if close else "Nothing like it is there.")
        if wanted.gone is not None and (there := [line for line in lines if wanted.gone.lower() in line.lower()]):
            sentences.append(f"It is in: {'; '.join(shortened(line) for line in there[:_SHOWN])}.")
        return " ".join(sentences)

    async def _missing_element(self) -> list[str]:
        """Messages if the element of `ref` is missing: checked separately, since it may have to be found again."""
        ref = self.wanted.ref
        if ref is None:
            return []
        try:
            at = await locate(self._tab, ref)
            shown = await at.world.call("isShownNow", at.local, returning=bool)
        except (StaleRef, DocumentGone):
            return [f"there is no {ref} any more"]
        return [] if shown else [f"{ref} is not shown"]

    async def _look(self) -> list[tuple[World, _Look]]:
        wanted = self.wanted
        if wanted.text is None and wanted.gone is None and wanted.selector is None:
            return []
        conditions = {"text": _lower(wanted.text), "gone": _lower(wanted.gone), "selector": wanted.selector}
        tree = await self._tab.frames()
        if tree.unread_documents != self._unread_documents:
            self._unread_documents = tree.unread_documents
            with contextlib.suppress(ActionError):  # it is being replaced, as below
                await self._tab.read()  # which finds the frames of another origin in this process

        async def look(frame: Frame) -> tuple[World, _Look] | None:
            try:
                world = await frame.world()
                return world, await world.call("checkConditions", conditions, time.monotonic(), returning=_Look)
            except ActionError:
                return None  # its document is being replaced: the navigation wakes us

        looks = await asyncio.gather(*(look(frame) for frame in tree.all()))
        answered = [answer for answer in looks if answer is not None]
        for _, checked in answered:
            if checked.wrong:
                raise InvalidArguments(f"{wanted.selector!r} is no CSS selector: {checked.wrong}")
        return answered

    def _what_is_missing(self, looks: list[_Look]) -> list[str]:
        wanted, activity = self.wanted, self._tab.activity
        missing: list[str] = []
        if wanted.text is not None and not any(look.text for look in looks):
            where = " but where it was filled in" if any(look.entered for look in looks) else ""
            missing.append(f'there is no text "{wanted.text}"{where}')
        if wanted.gone is not None and not all(look.gone for look in looks):
            missing.append(f'the text "{wanted.gone}" is still there')
        if wanted.selector is not None and not any(look.selector for look in looks):
            missing.append(f"nothing that is shown matches {wanted.selector}")
        if wanted.url is not None and not _matches(self._tab.url, wanted.url):
            missing.append(f"the address is not {wanted.url}")
        if wanted.navigation and (self._now_at() == activity.before_action or activity.navigating()):
            missing.append("the page has not gone elsewhere since the last action, or is not there yet")
        if wanted.idle_s is not None and (pending := self._pending()):
            missing.append(f"the page is loading {', '.join(pending[:_SHOWN])}")
        return missing

    def _now_at(self) -> tuple[int, str]:
        document = self._tab.activity.document
        return document.number, document.url

    def _pending(self) -> list[str]:
        activity = self._tab.activity
        pending = [*activity.requests.keeping_busy(), *activity.frames_navigating().values()]
        if address := activity.navigating():
            pending.append(address)
        now = asyncio.get_running_loop().time()
        if pending:
            self._busy_at = now
            return pending
        assert self.wanted.idle_s is not None
        quiet_s = min(now - self._busy_at, activity.requests.quiet_s())
        return [] if quiet_s >= self.wanted.idle_s else ["something still, a moment ago"]

    async def _next_event(self, looks: list[tuple[World, _Look]]) -> None:
        wait_s = BACKSTOP_S if self.wanted.idle_s is None else max(0.005, self._left_idle_s())
        await next_change(self._tab, [(world, look.count) for world, look in looks], wait_s)

    def _left_idle_s(self) -> float:
        assert self.wanted.idle_s is not None
        now = asyncio.get_running_loop().time()
        left = self.wanted.idle_s - min(now - self._busy_at, self._tab.activity.requests.quiet_s())
        return min(BACKSTOP_S, left if left > 0 else BACKSTOP_S)


def _plain(text: str | None) -> str | None:
    if text is None:
        return None
    plain = " ".join(unicodedata.normalize("NFC", text).split())
    if not plain:
        raise InvalidArguments("The text to wait for is empty.")
    return plain


def _lower(text: str | None) -> str | None:
    return None if text is None else text.lower()


def _matches(address: str, wanted: str) -> bool:
    if "*" not in wanted:
        return wanted in address
    # Only the star is special: brackets and question marks are literal in addresses.
    pattern = wanted.replace("[", "[[]").replace("?", "[?]")
    return fnmatch.fnmatchcase(address, pattern)


def _described(wanted: _Wanted) -> str:
    parts = [
        wanted.text is not None and f'text "{wanted.text}"',
        wanted.gone is not None and f'text "{wanted.gone}" to be gone',
        wanted.selector is not None and f"an element that matches {wanted.selector}",
        wanted.ref is not None and f"{wanted.ref} to be shown",
        wanted.url is not None and f"the address {wanted.url}",
        wanted.navigation and "another page",
        wanted.idle_s is not None and "the page to be idle",
    ]
    return " and ".join(part for part in parts if part)


def _close(text: str, lines: list[str]) -> list[str]:
    """The lines that share the most words with the text, at least half of them."""
    words = set(text.lower().split())
    shared = [(len(words & set(line.lower().replace('"', " ").split())), line) for line in lines]
    best = sorted((each for each in shared if each[0] * 2 >= len(words)), key=lambda each: -each[0])
    return [shortened(line) for _, line in best[:_SHOWN]]
