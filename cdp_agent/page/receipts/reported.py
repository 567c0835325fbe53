"""What Chrome reports by itself while an act runs: new tabs, other tabs, dialogs, downloads, refused requests."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.errors import ActionError, SessionClosed
from cdp_agent.page.policy.rules import Blocked
from cdp_agent.page.tab.tab import Tab

from .baseline import Baseline
from .receipts import NewTab, OtherTab, Receipt
from .stability import settle
from .watch import Watch

DOWNLOAD_S = 3.0
_ARRIVES_WITHIN_S = 5.0


async def wait_for_reports(baseline: Baseline, receipt: Receipt) -> Receipt:
    """Waits for the tabs and downloads that came, and for decisions; returns the receipt with what is new."""
    tab, popups = baseline.tab, new_popups(baseline, receipt)
    for popup in popups:
        log_line("navigation", "a new tab came: {}", popup.url)
        await _wait_for(popup)
    others = {other.target_id: other for other in receipt.other_tabs}
    for other, document in baseline.watch.others.items():
        moved = other.activity.navigating() or other.activity.document.number != document
        if other.closed or (moved and other.target_id not in others and not other.action_lock.locked()):
            await _wait_for(other)
            others[other.target_id] = OtherTab(other.target_id, other.url, other.title, other.closed)
    if tab.downloads.has_unfinished:
        log_line("wait", "a download is not over: waits for it, {:g} s at most", DOWNLOAD_S)
        await tab.downloads.settled(DOWNLOAD_S)
    await tab.decided()  # a download may have been asked about meanwhile
    return with_reports(baseline, msgspec.structs.replace(receipt, other_tabs=list(others.values())), popups)


def new_popups(baseline: Baseline, receipt: Receipt) -> list[Tab]:
    """The tabs that the tab has opened since the act began, and that are not in the receipt yet."""
    listed = {new.target_id for new in receipt.new_tabs}
    return [popup for popup in baseline.tab.popups.after(baseline.watch.last_popup) if popup.target_id not in listed]


def with_reports(baseline: Baseline, receipt: Receipt, popups: Sequence[Tab]) -> Receipt:
    """The receipt with these new tabs, and what else Chrome has reported since.

    It waits for nothing, so that nothing is lost when the act is cut off at its limit.
    """
    tab, new_tabs = baseline.tab, list(receipt.new_tabs)
    for popup in popups:
        new_tabs.append(_new_tab(popup, tab.requested_tabs.since(baseline.watch.tabs_requested), new_tabs))
    dialogs = [*receipt.dialogs, *tab.dialogs.take()]
    for other in tab.related:
        if not other.action_lock.locked():
            dialogs += [msgspec.structs.replace(dialog, tab=other.id) for dialog in other.dialogs.take()]
    downloads = [*receipt.downloads, *tab.downloads.take()]
    if downloads:
        tab.met.add("download")
    return msgspec.structs.replace(
        receipt,
        new_tabs=new_tabs,
        dialogs=dialogs,
        app_requests=receipt.app_requests
        + [app for source in (*popups, tab) for app in source.activity.app_requests.take()],
        downloads=list({(download.url, download.suggested_name): download for download in downloads}.values()),
        blocked=receipt.blocked + tab.request_policy.take(),
        withheld=receipt.withheld + tab.request_policy.take_withheld(),
    )


def without_tabs_of_downloads(tab: Tab, receipt: Receipt) -> list[NewTab]:
    """The new tabs, without those that closed before they had a document, as Chrome's tab for a download does."""
    closed = {popup.target_id for popup in tab.popups if popup.closed} if receipt.downloads else ()
    return [new for new in receipt.new_tabs if new.url or new.target_id not in closed]


def refused(receipt: Receipt) -> Blocked | None:
    """The navigation of the tab that the rules refused, if any."""
    return next((blocked for blocked in receipt.blocked if blocked.tab), None)


def _new_tab(popup: Tab, requested: list[str], others: list[NewTab]) -> NewTab:
    """A new tab. If nothing was loaded in it, it has the first of the addresses `requested` for no other."""
    refused = ""
    if not popup.url and not popup.activity.navigations_begun:
        taken = {other.url for other in others} | {other.not_opened for other in others}
        addresses = (address for address in requested if not address.startswith("javascript:"))
        refused = next((address for address in addresses if address not in taken), "")
    return NewTab(popup.target_id, popup.url, popup.title, refused)


async def _wait_for(tab: Tab) -> None:
    """Waits until the tab's document has loaded."""
    try:
        if not tab.closed:
            watch = await Watch.start(tab)
            await settle(watch, patient=True, navigation_s=_ARRIVES_WITHIN_S)
            await tab.read()
    except (ActionError, SessionClosed):
        pass  # it closed itself, or hangs: only its address can be reported
