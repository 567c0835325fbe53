"""Receipts: the effects of an action as facts, without a model. Nothing is guessed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal

import msgspec

from cdp_agent.action_log import Logged
from cdp_agent.errors import ActionError
from cdp_agent.page.activity.network import ErrorStatus, RequestFailure
from cdp_agent.page.files.contents import is_readable
from cdp_agent.page.policy.holding import Withheld
from cdp_agent.page.policy.rules import Blocked
from cdp_agent.page.refs.locate import Located
from cdp_agent.page.snapshot.lines import LONGEST_TITLE, in_line, quoted, shortened
from cdp_agent.page.tab.dialogs import MOST_UNREPORTED, Dialog
from cdp_agent.page.tab.downloads import Download

from .budget import LONGEST_VALUE, MAX_LISTED
from .stability import QUIET

_DONE = {
    "click": "clicked",
    "fill": "filled",
    "select": "selected in",
    "hover": "hovered over",
    "check": "checked",
    "uncheck": "unchecked",
    "focus": "focused",
    "press": "pressed",
    "type": "typed",
    "drag": "dragged",
    "upload": "uploaded to",
    "move": "moved the mouse to",
    "press_at": "pressed the mouse button at",
    "release_at": "let the mouse button go at",
    "wheel": "turned the wheel",
    "hold": "held",
    "goto": "went to",
    "back": "went back",
    "forward": "went forward",
    "reload": "reloaded",
    "wait_for": "waited for",
    "dialog": "answered the dialog:",
    "evaluate": "evaluated",
    "scroll": "scrolled",
}
ENTER_PRESSED = "Enter was pressed"
"""The note of a field that was filled and submitted."""


class FilledField(msgspec.Struct, frozen=True):
    """One of several fields that were filled in together: its value now, and a note for the reader."""

    ref: str
    target: str
    value: str | None = None
    note: str = ""


class Outcome(msgspec.Struct, frozen=True):
    """What the action's code knows about the result: the value of the field now, and a note for the reader."""

    value: str | None = None
    note: str = ""
    had_effect: bool = False
    """Whether the action has already had an effect, which the note states."""
    nothing_done: bool = False
    """Whether nothing was done, since the element was already in the wanted state."""
    read_again: Callable[[], Awaitable[Outcome]] | None = None
    """Reads the value once the page has settled, with a note if it differs: pages change filled-in values."""
    on_replaced: Callable[[Located], Awaitable[Outcome]] | None = None
    """The same for the element that replaced this one, if this one left the page during the action."""
    fields: Sequence[FilledField] = ()
    """The fields, where several were filled in."""
    suggests: bool = False
    """Whether it was a field for which pages show a list or a calendar, some time later."""
    taken: bool = False
    """Whether the page took the text of a field and emptied it, and so may have submitted it."""
    failure: ActionError | None = None
    """Why the action has failed after all, which is raised once the page is at rest."""
    chosen: Sequence[str] = ()
    """Options of a list that the action opened and closed again, which is no effect to report."""
    unclicked: bool = False
    """Whether no click came of the press, as the note says."""


class ReportedTab(msgspec.Struct, frozen=True):
    """A tab other than the one in which the action was done."""

    target_id: str
    url: str
    title: str


class NewTab(ReportedTab, frozen=True):
    """A tab that the page opened."""

    not_opened: str = ""
    """The address that Chrome refused to open in the tab, which is therefore empty and has no address."""


class OtherTab(ReportedTab, frozen=True):
    """A tab that was already open, and navigated to another document meanwhile or was closed."""

    closed: bool = False


class Receipt(Logged, frozen=True, kw_only=True):
    """The effects of an action. `text` is for a model."""

    action: str
    ref: str | None = None
    target: str = ""
    """The element of the action, as the snapshot names it: `button "Add to cart"`."""
    detail: str = ""
    """A further argument of the action: the key, the address, "twice"."""
    note: str = ""
    meanwhile: list[str] = []
    """The changes of the page before the action, since the last snapshot or receipt: lines as in `changed`."""
    value: str | None = None
    fields: list[FilledField] = []
    """The fields, where several were filled in."""
    navigated_to: str | None = None
    """The tab's new address: that of another document, or with `same_document` of the same one."""
    same_document: bool = False
    title: str | None = None
    status: int | None = None
    """The HTTP status of the new document, where there is one."""
    retry_after_s: float | None = None
    """How many seconds the server asks to wait, where that status is an error (Retry-After)."""
    new_tabs: list[NewTab] = []
    other_tabs: list[OtherTab] = []
    """The tabs that opened this one or were opened by it, and that changed or were closed."""
    closed: bool = False
    """Whether the tab is closed."""
    dialogs: list[Dialog] = []
    """The dialogs that were closed, each with its answer."""
    dialog: Dialog | None = None
    """The dialog that is open, and waits for `Page.answer_dialog`."""
    stopped: bool = False
    """Whether `dialog` stopped the action, so that this is only what is known so far."""
    app_requests: list[str] = []
    """The apps that the page asked to open; a Chrome of ours opens none."""
    downloads: list[Download] = []
    changed: list[str] = []
    """Lines: "+ added", "- removed", "~ changed", or "= the page" if most changed. Empty for a new document."""
    focus: str | None = None
    """What has the focus now, if that changed; "" when nothing has it any more."""
    failed_requests: list[RequestFailure] = []
    uncaught: list[str] = []
    """The uncaught exceptions of the page's scripts meanwhile."""
    blocked: list[Blocked] = []
    """Requests that the lists of allowed and denied origins blocked."""
    withheld: list[Withheld] = []
    """Effects of the action that were not approved: requests that were not sent, downloads that were ended."""
    watched_s: float | None = None
    """How long a first change was waited for, after an action whose purpose is to have an effect."""
    unclicked: Literal["", "idle", "acted"] = ""
    """Whether no click came of the press, as the note says, and whether the page did something all the same."""
    settled: str = QUIET
    """"quiet", or why the wait for the page ended."""
    acted_ms: float = 0
    settled_ms: float = 0

    @property
    def text(self) -> str:
        """The receipt in lines for a model."""
        return "\n".join(_lines(self))

    @property
    def error_status(self) -> ErrorStatus | None:
        """The status if it is an error: 400 or more."""
        is_error = self.status is not None and self.status >= 400
        return ErrorStatus(self.status, self.retry_after_s) if self.status is not None and is_error else None

    @property
    def nothing_changed(self) -> bool:
        """Whether the action had no visible effect."""
        return not (
            self.navigated_to
            or self.new_tabs
            or self.other_tabs
            or self.closed
            or self.dialogs
            or self.dialog
            or self.app_requests
            or self.downloads
            or self.withheld
            or self.changed
            or self.focus is not None
        )


def _lines(receipt: Receipt) -> list[str]:
    lines = [_stopped(receipt) if receipt.stopped else _done(receipt)]
    if receipt.note:
        lines.append(f"({receipt.note})")
    lines += [_filled_field(each) for each in receipt.fields]
    if receipt.meanwhile:
        lines += ["changed before that:", *(f"  {line}" for line in receipt.meanwhile)]
    if receipt.navigated_to is not None:
        lines.append(_navigation(receipt))
    lines += [_new_tab(tab) for tab in receipt.new_tabs]
    lines += [_other_tab(tab) for tab in receipt.other_tabs]
    if receipt.closed:
        lines.append("the tab is closed")
    lines += map(_dialog, receipt.dialogs[:MAX_LISTED])
    if len(receipt.dialogs) > MAX_LISTED:
        at_least = "at least " if len(receipt.dialogs) >= MOST_UNREPORTED else ""
        lines.append(f"dialogs: {at_least}{len(receipt.dialogs) - MAX_LISTED} more")
    lines += receipt.app_requests
    lines += [_download(each) for each in receipt.downloads]
    if receipt.changed:
        lines += ["changed:", *(f"  {line}" for line in receipt.changed)]
    if receipt.focus is not None:
        lines.append(f"focus: {receipt.focus or 'nothing'}")
    if receipt.value is not None:
        lines.append(f"value: {_value(receipt.value)}")
    lines += [f"failed: {each}" for each in receipt.failed_requests[:MAX_LISTED]]
    if len(receipt.failed_requests) > MAX_LISTED:
        lines.append(f"failed: {len(receipt.failed_requests) - MAX_LISTED} more")
    lines += [f"uncaught in the page: {each}" for each in receipt.uncaught[:MAX_LISTED]]
    if len(receipt.uncaught) > MAX_LISTED:
        lines.append(f"uncaught in the page: {len(receipt.uncaught) - MAX_LISTED} more")
    lines += _blocked(receipt.blocked)
    lines += _withheld(receipt.withheld)
    if receipt.nothing_changed and receipt.watched_s is not None:
        until = "yet" if receipt.settled != QUIET else f"within {receipt.watched_s:g} s"
        lines.append(f"no change seen {until}")
    if receipt.settled != QUIET and not receipt.closed:
        lines.append(receipt.settled)
    if receipt.dialog is not None:
        lines.append(receipt.dialog.question)
    return lines


def _filled_field(field: FilledField) -> str:
    value = "" if field.value is None else f": {_value(field.value)}"
    return f"{field.ref} {field.target}{value}" + (f" ({field.note})" if field.note else "")


def _new_tab(tab: NewTab) -> str:
    if tab.not_opened:
        return f"new tab: empty, since Chrome refuses to open {in_line(shortened(tab.not_opened))} in it"
    if not tab.url:
        return "new tab: empty, since nothing was opened in it"
    return f"new tab: {quoted(shortened(tab.title, LONGEST_TITLE))} {in_line(shortened(tab.url, LONGEST_VALUE))}"


def _other_tab(tab: OtherTab) -> str:
    what = "another tab was closed" if tab.closed else "another tab navigated"
    return f"{what}: {quoted(shortened(tab.title, LONGEST_TITLE))} {in_line(shortened(tab.url, LONGEST_VALUE))}"


def _dialog(dialog: Dialog) -> str:
    message = quoted(shortened(dialog.message, LONGEST_VALUE))
    what = f"dialog {dialog.kind} {message if dialog.kind != 'beforeunload' else '(whether to leave the page)'}"
    if dialog.answer == "lost":
        of = in_line(shortened(dialog.url, LONGEST_VALUE))
        return f"{what} of {of} was lost, since another frame opened one too: it waits"
    where = "" if dialog.tab is None else f" in tab {dialog.tab}"
    return f"{what}{where} was {dialog.answer}ed" + (f" {dialog.times} times" if dialog.times > 1 else "")


def _value(value: str) -> str:
    if len(value) <= LONGEST_VALUE:
        return quoted(value)
    begins, ends = (quoted(part) for part in (value[: LONGEST_VALUE // 2], value[-50:]))
    return f"{begins} … {ends} ({value.count(chr(10)) + 1} lines, {len(value)} characters)"


def _stopped(receipt: Receipt) -> str:
    element = " ".join(filter(None, (receipt.ref, receipt.target)))
    detail = shortened(receipt.detail, LONGEST_VALUE)
    return f"{' '.join(filter(None, (receipt.action, element, detail)))}: not over yet, since a dialog stopped it"


def _done(receipt: Receipt) -> str:
    done = _DONE.get(receipt.action, receipt.action)
    element = " ".join(filter(None, (receipt.ref, receipt.target)))
    detail = shortened(receipt.detail, LONGEST_VALUE)
    if receipt.action in ("press", "type"):
        return f"{done} {detail}" + (f" in {element}" if element else "")
    return " ".join(filter(None, (done, element, detail)))


def _navigation(receipt: Receipt) -> str:
    address = shortened(receipt.navigated_to or "", LONGEST_VALUE)
    if receipt.same_document:
        return f"the address is now {address}"
    title = f" {quoted(shortened(receipt.title, LONGEST_TITLE))}" if receipt.title else ""
    status = "" if receipt.error_status is None else f" ({receipt.error_status})"
    return f"navigated to {address}{title}{status}"


def _blocked(blocked: list[Blocked]) -> list[str]:
    counts = Counter(each.origin for each in blocked)
    lines = [f"blocked: {n} request{'s' if n > 1 else ''} to {to}" for to, n in counts.most_common(MAX_LISTED)]
    return lines + ([f"blocked: {len(counts) - MAX_LISTED} more origins"] if len(counts) > MAX_LISTED else [])


def _withheld(withheld: list[Withheld]) -> list[str]:
    counts = Counter((each.what, each.why) for each in withheld)
    lines = [
        f"not sent: {in_line(what)}" + (f" ({n} times)" if n > 1 else "") + f": {why}. The rest was done in the page"
        for (what, why), n in counts.most_common(MAX_LISTED)
    ]
    return lines + ([f"not sent: {len(counts) - MAX_LISTED} more"] if len(counts) > MAX_LISTED else [])


def _download(download: Download) -> str:
    name = in_line(download.suggested_name)
    match download.state:
        case "completed":
            size = download.received_bytes
            amount = (
                f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} KB" if size >= 1e3 else f"{size} bytes"
            )
            how = ": read_file reads it" if download.path and is_readable(download.path) else ""
            return f"downloaded {name} ({amount}) to {download.path or 'the folder of the browser'}{how}"
        case "canceled":
            why = f": {in_line(download.why)}" if download.why else ", and Chrome does not say why"
            return f"the download of {name} ended before it was complete{why}"
        case _:
            return f"downloading {name} still"
