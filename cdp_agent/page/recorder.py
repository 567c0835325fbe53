"""Carries an action out and takes down what came of it: the page before, what was set in motion, the page after."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from cdp_agent.errors import ActionError, BlockedByPolicy, DocumentGone, SessionClosed

from . import diff
from .downloads import Download
from .locate import Located, locate
from .receipts import NewTab, Outcome, Receipt
from .settle import NAVIGATION_S, QUIET, Watch
from .snapshot import Snapshot
from .tab import Kept

if TYPE_CHECKING:
    from .page import Page

DOWNLOAD_S = 3.0
LARGE_S = 0.1
"""A page that takes longer to read than this is watched from one action to the next, not to read it twice for each."""
_POPUP_S = 5.0
_LEAVING_S = 0.1
# Of these one expects that something comes of them, so that settling waits a little for it.
_EXPECTANT = {"click", "press", "drag", "select", "check", "uncheck", "upload"}

Do = Callable[[Located], Coroutine[Any, Any, Outcome]]


async def perform(page: Page, action: str, ref: str, do: Do, *, detail: str = "") -> Receipt:
    """Locates the element, lets `do` act on it, waits until the page is settled, and tells what came of it.

    `detail` is what else the action was given, such as the key. Raises what `do` raises, StaleRef, PageUnresponsive,
    BrowserError.
    """
    async with page.acting:
        at = await locate(page, ref)
        recorder = await Recorder.start(page)
        target = recorder.name_of(at.ref)
        outcome = await recorder.act(recorder.while_here(do(at)))
        if at.note:
            outcome = Outcome(outcome.value, "; ".join(filter(None, (at.note, outcome.note))))
        return await recorder.finish(action, outcome, ref=at.ref, target=target, detail=detail)


async def perform_unaimed(
    page: Page, action: str, do: Callable[[], Coroutine[Any, Any, Outcome]], *, detail: str
) -> Receipt:
    """The same for an action without an element, such as a key for whatever has the focus."""
    async with page.acting:
        recorder = await Recorder.start(page)
        outcome = await recorder.act(recorder.while_here(do()))
        return await recorder.finish(action, outcome, detail=detail)


class Recorder:
    """Takes down what happens from `start` to `finish`."""

    def __init__(self, page: Page, before: Snapshot | None, watch: Watch) -> None:
        self._page = page
        self._before = before
        self._watch = watch
        page.activity.before_action = (watch.document, watch.url)
        self._begun = time.perf_counter()
        self._acted_ms = 0.0

    @classmethod
    async def start(cls, page: Page) -> Recorder:
        """Reads the page as it is, and watches from now on. Raises BrowserError."""
        watch = await Watch.start(page)
        if (kept := page.kept) is not None and kept.counts == watch.counts:
            return cls(page, kept.snapshot, watch)
        try:
            before = await page.read()
        except ActionError:
            before = None  # it hangs, crashed, or is loading: acting may help
        return cls(page, before, watch)

    def name_of(self, ref: str) -> str:
        """What the snapshot calls it: `button "Add to cart"`."""
        line = line_of(self._before.text, ref) if self._before is not None else ""
        return line.partition(" [")[0].partition(": ")[0].removesuffix(":")

    async def act(self, doing: Coroutine[Any, Any, Outcome]) -> Outcome:
        """Lets it be done. That the page goes away meanwhile is what some actions are for."""
        self._begun = time.perf_counter()
        try:
            outcome = await doing
        except (DocumentGone, SessionClosed):
            outcome = Outcome()
        except BaseException:
            self._watch.stop()
            raise
        self._acted_ms = _ms_since(self._begun)
        return outcome

    async def while_here(self, doing: Coroutine[Any, Any, Outcome]) -> Outcome:
        """Chrome answers nothing about a document that is being left, so what is asked of it then is given up."""
        activity = self._page.activity
        acting = asyncio.ensure_future(doing)
        try:
            while not acting.done():
                stirring = asyncio.ensure_future(activity.stir(None))
                await asyncio.wait([acting, stirring], return_when=asyncio.FIRST_COMPLETED)
                stirring.cancel()
                if activity.navigating():
                    await asyncio.wait([acting], timeout=_LEAVING_S)
                    break
            return acting.result() if acting.done() else Outcome()
        finally:
            acting.cancel()

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
        page, activity = self._page, self._page.activity
        begun = time.perf_counter()
        patient, keep = action in _EXPECTANT, page.read_took_s > LARGE_S
        settled = await self._watch.settle(patient=patient, navigation_s=navigation_s, keep=keep)
        tabs = [await _arrived(each) for each in page.popups[self._watch.popups :]]
        blocked = page.guard.take()
        if not self._watch.navigated and (refused := next((each for each in blocked if each.tab), None)):
            self._watch.stop()
            raise BlockedByPolicy(f"{_where(action, ref, target)} leads elsewhere: {refused}")
        downloads = await self._downloads()
        settled_ms = _ms_since(begun)
        navigated = self._watch.navigated
        moved = not navigated and activity.document.url != self._watch.url
        after = None if page.closed or navigated else await self._read(keep=keep and settled == QUIET)
        changed, focus = self._compare(after, navigated, action, ref, outcome)
        return Receipt(
            action=action,
            ref=ref,
            target=target,
            detail=detail,
            note=outcome.note,
            value=outcome.value,
            navigated_to=page.url if navigated or moved else None,
            same_document=moved,
            title=await self._title() if navigated else None,
            status=activity.requests.status(activity.document.loader_id) if navigated else None,
            new_tabs=tabs,
            closed=page.closed,
            dialogs=page.dialogs.take(),
            downloads=downloads,
            changed=changed,
            focus=focus,
            failed_requests=[
                each
                for each in activity.requests.failures(self._watch.requests)
                if not (navigated and each.is_document_of(page.url))  # `status` says it
            ],
            blocked=blocked,
            settled=settled,
            acted_ms=self._acted_ms,
            settled_ms=settled_ms,
        )

    async def _title(self) -> str | None:
        try:
            world = await (await self._page.frames()).root.world()
            self._page.title = await world.call("documentTitle", returning=str)
        except (ActionError, SessionClosed):
            return None  # it goes on elsewhere already
        return self._page.title

    async def _read(self, *, keep: bool) -> Snapshot | None:
        self._page.kept = None
        try:
            counts = dict(self._watch.counts)
            after = await self._page.read()
            if keep:
                self._page.kept = Kept(after, counts)
            return after
        except (ActionError, SessionClosed):
            return None  # `settled` says why, or the next call will

    async def _downloads(self) -> list[Download]:
        watcher = self._page.downloads
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
        changed = diff.changes(self._before.text, after.text)
        if outcome.value is not None and len(changed) == 1 and f"[ref={ref}]" in changed[0] and changed[0][0] == "~":
            changed = [] if " ".join(outcome.value.split()) in changed[0] else changed  # `value` says it
        was, now = diff.focused(self._before.text), diff.focused(after.text)
        expected = now is not None and ref is not None and action != "focus" and diff.ref_of(now) == ref
        return changed, None if expected or _same_element(was, now) else now or ""


def line_of(text: str, ref: str) -> str:
    """The line of a snapshot that has the ref, without indent and dash; "" when there is none."""
    at = text.find(f"[ref={ref}]")
    if at < 0:
        return ""
    end = text.find("\n", at)
    return text[text.rfind("\n", 0, at) + 1 : end if end >= 0 else len(text)].strip().removeprefix("- ")


def _where(action: str, ref: str | None, target: str) -> str:
    return " ".join(filter(None, (action, ref, target)))


def _same_element(one: str | None, other: str | None) -> bool:
    def key(line: str | None) -> str | None:
        ref = line and diff.ref_of(line)
        return ref or line

    return key(one) == key(other)


async def _arrived(popup: Page) -> NewTab:
    """A new tab, once its document is there."""
    try:
        if not popup.closed:
            watch = await Watch.start(popup)
            await watch.settle(patient=True, navigation_s=_POPUP_S)
            await popup.read()
    except (ActionError, SessionClosed):
        pass  # it closed itself, or hangs: its address is all there is to tell
    return NewTab(popup.target_id, popup.url, popup.title)


def _ms_since(begun: float) -> float:
    return round((time.perf_counter() - begun) * 1000, 1)
