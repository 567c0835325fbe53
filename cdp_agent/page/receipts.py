"""What an action did, as facts: no model is asked, and what is not known is not said."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import msgspec

from cdp_agent.errors import ActionError, DocumentGone, SessionClosed

from . import diff
from .dialogs import Dialog
from .downloads import Download
from .locate import Located, locate
from .network import Failure
from .settle import QUIET, Watch
from .snapshot import Snapshot

if TYPE_CHECKING:
    from .page import Page

DOWNLOAD_S = 3.0
_POPUP_S = 5.0
_DONE = {
    "click": "clicked",
    "fill": "filled",
    "select": "selected in",
    "hover": "hovered over",
    "check": "checked",
    "uncheck": "unchecked",
    "focus": "focused",
    "press": "pressed",
    "drag": "dragged",
    "upload": "uploaded to",
    "goto": "went to",
    "back": "went back",
    "forward": "went forward",
    "reload": "reloaded",
    "wait_for": "waited for",
}
# Of these one expects that something comes of them, so that settling waits a little for it.
_EXPECTANT = {"click", "press", "drag", "select", "check", "uncheck", "upload"}
_MAX_TOLD = 5


class Outcome(msgspec.Struct, frozen=True):
    """What whoever acted knows of it: the value that a field has now, and anything a reader should know."""

    value: str | None = None
    note: str = ""


class NewTab(msgspec.Struct, frozen=True):
    """A tab that the page opened."""

    target_id: str
    url: str
    title: str


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """What came of an action. `text` is what a model reads of it."""

    action: str
    ref: str | None = None
    target: str = ""
    """What was acted on, as the snapshot names it: `button "Add to cart"`; or a key, or an address."""
    note: str = ""
    value: str | None = None
    navigated_to: str | None = None
    """The tab's new address: of another document, or of the same one when `same_document`."""
    same_document: bool = False
    title: str | None = None
    status: int | None = None
    """The HTTP status of the new document, where there is one."""
    new_tabs: list[NewTab] = []
    closed: bool = False
    """The tab is gone."""
    dialogs: list[Dialog] = []
    downloads: list[Download] = []
    changed: list[str] = []
    """Lines of the page: "+ added", "- removed", "~ changed". Of a new document none."""
    focus: str | None = None
    """What has the focus now, when that changed; "" when nothing has it any more."""
    failed_requests: list[Failure] = []
    settled: str = QUIET
    """"quiet", or why the page was not waited for any longer."""
    acted_ms: float = 0
    settled_ms: float = 0

    @property
    def text(self) -> str:
        """The receipt in lines for a model."""
        return "\n".join(_lines(self))

    @property
    def nothing_changed(self) -> bool:
        """Nothing that could be seen came of it."""
        return not (
            self.navigated_to
            or self.new_tabs
            or self.closed
            or self.dialogs
            or self.downloads
            or self.changed
            or self.focus is not None
        )


Do = Callable[[Located], Awaitable[Outcome]]


async def perform(page: Page, action: str, ref: str, do: Do, *, detail: str = "") -> Receipt:
    """Locates the element, lets `do` act on it, waits until the page is settled, and tells what came of it.

    `detail` is what else the action was given, such as the key. Raises what `do` raises, StaleRef, PageUnresponsive,
    BrowserError.
    """
    async with page.acting:
        at = await locate(page, ref)
        recorder = await Recorder.start(page)
        name = recorder.name_of(at.ref)
        target = " ".join(filter(None, (detail, name)))
        outcome = await recorder.act(do(at))
        if at.note:
            outcome = Outcome(outcome.value, "; ".join(filter(None, (at.note, outcome.note))))
        return await recorder.finish(action, at.ref, target, outcome)


async def perform_unaimed(page: Page, action: str, do: Callable[[], Awaitable[Outcome]], *, detail: str) -> Receipt:
    """The same for an action without an element, such as a key for whatever has the focus."""
    async with page.acting:
        recorder = await Recorder.start(page)
        outcome = await recorder.act(do())
        return await recorder.finish(action, None, detail, outcome)


class Recorder:
    """Takes down what happens from `start` to `finish`."""

    def __init__(self, page: Page, before: Snapshot | None, watch: Watch) -> None:
        self._page = page
        self._before = before
        self._watch = watch
        self._begun = time.perf_counter()
        self._acted_ms = 0.0

    @classmethod
    async def start(cls, page: Page) -> Recorder:
        """Reads the page as it is, and watches from now on. Raises BrowserError."""
        watch = await Watch.start(page)
        try:
            before = await page.read()
        except ActionError:
            before = None  # it hangs, crashed, or is loading: acting may help
        return cls(page, before, watch)

    def name_of(self, ref: str) -> str:
        """What the snapshot calls it: `button "Add to cart"`."""
        line = line_of(self._before.text, ref) if self._before is not None else ""
        return line.partition(" [")[0].partition(": ")[0].removesuffix(":")

    async def act(self, doing: Awaitable[Outcome]) -> Outcome:
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

    async def finish(self, action: str, ref: str | None, target: str, outcome: Outcome, **settle: float) -> Receipt:
        """Waits until the page is settled, and tells what came of it. Raises BrowserError."""
        page, activity = self._page, self._page.activity
        begun = time.perf_counter()
        settled = await self._watch.settle(patient=action in _EXPECTANT, **settle)
        tabs = [await _arrived(each) for each in page.popups[self._watch.popups :]]
        downloads = await self._downloads()
        settled_ms = _ms_since(begun)
        navigated = self._watch.navigated
        moved = not navigated and activity.document.url != self._watch.url
        after = None if page.closed else await self._read()
        changed, focus = self._compare(after, navigated, action, ref, outcome)
        return Receipt(
            action=action,
            ref=ref,
            target=target,
            note=outcome.note,
            value=outcome.value,
            navigated_to=page.url if navigated or moved else None,
            same_document=moved,
            title=after.title if after is not None and navigated else None,
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
            settled=settled,
            acted_ms=self._acted_ms,
            settled_ms=settled_ms,
        )

    async def _read(self) -> Snapshot | None:
        try:
            return await self._page.read()
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
            changed = []  # `value` says it
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


def _lines(receipt: Receipt) -> list[str]:
    done = _DONE.get(receipt.action, receipt.action)
    lines = [" ".join(filter(None, (done, receipt.ref, receipt.target)))]
    if receipt.note:
        lines.append(f"({receipt.note})")
    if receipt.navigated_to is not None:
        lines.append(_navigation(receipt))
    lines += [f'new tab: "{tab.title}" {tab.url}' for tab in receipt.new_tabs]
    if receipt.closed:
        lines.append("the tab is closed")
    lines += [f'dialog {each.kind} "{each.message}" was {each.answer}ed' for each in receipt.dialogs]
    lines += [_download(each) for each in receipt.downloads]
    if receipt.changed:
        lines += ["changed:", *(f"  {line}" for line in receipt.changed)]
    if receipt.focus is not None:
        lines.append(f"focus: {receipt.focus or 'nothing'}")
    if receipt.value is not None:
        lines.append(f"value: {msgspec.json.encode(receipt.value).decode()}")
    lines += [f"failed: {each}" for each in receipt.failed_requests[:_MAX_TOLD]]
    if len(receipt.failed_requests) > _MAX_TOLD:
        lines.append(f"failed: {len(receipt.failed_requests) - _MAX_TOLD} more")
    if receipt.nothing_changed and receipt.value is None:
        lines.append("nothing changed" if receipt.settled == QUIET else "nothing changed yet")
    if receipt.settled != QUIET and not receipt.closed:
        lines.append(receipt.settled)
    return lines


def _navigation(receipt: Receipt) -> str:
    if receipt.same_document:
        return f"the address is now {receipt.navigated_to}"
    title = f' "{receipt.title}"' if receipt.title else ""
    status = f" (HTTP {receipt.status})" if receipt.status is not None and receipt.status >= 400 else ""
    return f"navigated to {receipt.navigated_to}{title}{status}"


def _download(download: Download) -> str:
    match download.state:
        case "completed":
            size = download.received_bytes
            amount = (
                f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} KB" if size >= 1e3 else f"{size} bytes"
            )
            return f"downloaded {download.suggested_name} ({amount}) to {download.path or 'the folder of the browser'}"
        case "canceled":
            return f"the download of {download.suggested_name} was cancelled"
        case _:
            return f"downloading {download.suggested_name} still"
