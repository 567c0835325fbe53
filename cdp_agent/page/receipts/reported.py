"""What Chrome reports by itself while an act runs: new tabs, other tabs, dialogs, downloads, refused requests."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from cdp_agent.errors import ActionError, SessionClosed
from cdp_agent.page.policy.holding import Withheld
from cdp_agent.page.policy.rules import Blocked
from cdp_agent.page.tab.dialogs import Dialog
from cdp_agent.page.tab.downloads import Download
from cdp_agent.page.tab.tab import Tab

from .baseline import Baseline
from .receipts import NewTab, OtherTab
from .stability import Watch

DOWNLOAD_S = 3.0
_ARRIVES_WITHIN_S = 5.0


class Reported(msgspec.Struct, frozen=True):
    """What Chrome has reported so far since an act began."""

    tabs: dict[Tab, NewTab] = {}
    others: dict[Tab, OtherTab] = {}
    """The tabs that were closed or have loaded another document, except by acts in those tabs."""
    dialogs: list[Dialog] = []
    app_requests: list[str] = []
    downloads: list[Download] = []
    blocked: list[Blocked] = []
    withheld: list[Withheld] = []

    @property
    def is_effect(self) -> bool:
        """Whether any of this may be an effect of the act."""
        return bool(self.tabs or self.others or self.dialogs or self.app_requests or self.downloads or self.withheld)

    @property
    def refused(self) -> Blocked | None:
        """The navigation of the tab that the rules refused, if any."""
        return next((blocked for blocked in self.blocked if blocked.tab), None)

    @property
    def new_tabs(self) -> list[NewTab]:
        """The new tabs, without those that closed before they had a document, as Chrome's tab for a download does."""
        return [new for tab, new in self.tabs.items() if not (self.downloads and tab.closed and not new.url)]

    def with_news(self, baseline: Baseline, others: Mapping[Tab, OtherTab], popups: list[Tab]) -> Reported:
        """This, these `others` and `popups`, and what else was reported since.

        It waits for nothing, so that nothing is lost if the act is cut off at its limit.
        """
        tab, tabs = baseline.tab, dict(self.tabs)
        for popup in popups:
            tabs[popup] = _new_tab(popup, tab.requested_tabs.since(baseline.watch.tabs_requested), list(tabs.values()))
        dialogs = [*self.dialogs, *tab.dialogs.take()]
        for other in tab.related:
            if not other.action_lock.locked():
                dialogs += [msgspec.structs.replace(dialog, tab=other.id) for dialog in other.dialogs.take()]
        app_requests = [request for each in (*popups, tab) for request in each.activity.app_requests.take()]
        downloads = {
            (download.url, download.suggested_name): download for download in (*self.downloads, *tab.downloads.take())
        }
        return Reported(
            tabs,
            dict(others),
            dialogs,
            self.app_requests + app_requests,
            list(downloads.values()),
            self.blocked + tab.request_policy.take(),
            self.withheld + tab.request_policy.take_withheld(),
        )


async def wait_for_reports(baseline: Baseline, reported: Reported) -> Reported:
    """Waits for the tabs and downloads that came, and for decisions; returns `reported` with what is new."""
    tab, popups = baseline.tab, new_popups(baseline, reported)
    for popup in popups:
        await _wait_for(popup)
    others = dict(reported.others)
    for other, document in baseline.watch.others.items():
        moved = other.activity.navigating() or other.activity.document.number != document
        if other.closed or (moved and other not in others and not other.action_lock.locked()):
            await _wait_for(other)
            others[other] = OtherTab(other.target_id, other.url, other.title, other.closed)
    if tab.downloads.has_unfinished:
        await tab.downloads.settled(DOWNLOAD_S)
    await tab.decided()  # a download may have been asked about meanwhile
    return reported.with_news(baseline, others, popups)


def new_popups(baseline: Baseline, reported: Reported) -> list[Tab]:
    """The tabs that the tab has opened since the act began, and that are not reported yet."""
    return [popup for popup in baseline.tab.popups_after(baseline.watch.last_popup) if popup not in reported.tabs]


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
            await watch.settle(patient=True, navigation_s=_ARRIVES_WITHIN_S)
            await tab.read()
    except (ActionError, SessionClosed):
        pass  # it closed itself, or hangs: only its address can be reported
