"""What an action does to other tabs: those that it opens, and those that it leads elsewhere or closes."""

from __future__ import annotations

from cdp_agent.errors import ActionError, SessionClosed
from cdp_agent.page.tab.tab import Tab

from .receipts import NewTab, OtherTab
from .stability import Watch

_ARRIVES_WITHIN_S = 5.0


class OtherTabs:
    """Those that opened a tab or were opened by it, as they were when an action in it began."""

    def __init__(self, tab: Tab) -> None:
        self._documents = {
            each: each.activity.document.number
            for each in tab.related
            if not (each.acting.locked() or each.activity.navigating())
        }
        self._led: dict[Tab, OtherTab] = {}

    async def led(self) -> list[OtherTab]:
        """Those that went to another document since, once that is there, or were closed; not what others did."""
        for each, number in self._documents.items():
            moves = each.activity.navigating() or each.activity.document.number != number
            if each.closed or (moves and each not in self._led and not each.acting.locked()):
                await _wait_for(each)
                self._led[each] = OtherTab(each.target_id, each.url, each.title, each.closed)
        return list(self._led.values())


async def arrived(popup: Tab) -> NewTab:
    """A new tab, once its document is there."""
    await _wait_for(popup)
    return NewTab(popup.target_id, popup.url, popup.title)


async def _wait_for(tab: Tab) -> None:
    try:
        if not tab.closed:
            watch = await Watch.start(tab)
            await watch.settle(patient=True, navigation_s=_ARRIVES_WITHIN_S)
            await tab.read()
    except (ActionError, SessionClosed):
        pass  # it closed itself, or hangs: its address is all there is to tell
