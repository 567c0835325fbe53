"""The tab that the agent is in: it follows tabs that its tab opens, and goes back when one closes."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakSet

from cdp_agent.page.actions.navigation import opener_of
from cdp_agent.page.page import tab_of

if TYPE_CHECKING:
    from cdp_agent.browser.context import BrowserContext
    from cdp_agent.page.page import Page


_MOST_FOLLOWED = 3
"""How many tabs may be opened at once, of which the last is followed."""


class Tabs:
    """The tabs that the agent has been in, the current one last. Other tabs are left alone."""

    def __init__(self, browser: BrowserContext, *visited: Page) -> None:
        self._browser = browser
        self.visited = list(visited)
        self._known = WeakSet(browser.pages)

    @property
    def page(self) -> Page:
        return self.visited[-1]

    def go_to(self, page: Page) -> None:
        """Makes this the current tab."""
        self._known.update(self._browser.pages)
        self.visited = [*(each for each in self.visited if each is not page and not each.closed), page]

    async def follow(self) -> str | None:
        """Switches to the tab that the last action opened, or away from one that it closed.

        It stays if there are many: a page that opens tabs in a loop would take it along from one to the next.
        Returns a text about that for the model; None if the current tab is the same as before.
        """
        pages = list(self._browser.pages)
        opened = [each for each in pages if each not in self._known and each.opener in self.visited]
        self._known.update(pages)
        if len(opened) > _MOST_FOLLOWED and not self.page.closed:
            tabs = f"{len(opened)} tabs were opened, t{opened[0].number} to t{opened[-1].number}"
            return f"{tabs}. You are still in t{self.page.number}."
        if opened:
            self.visited.append(opened[-1])
            opener = opener_of(tab_of(self.page))
            back = "" if opener is None else f": back leads to t{opener.number}"
            if len(opened) == 1:
                return f"A new tab was opened, t{self.page.number}, and you are in it now{back}."
            names = " and ".join(f"t{each.number}" for each in opened)
            return f"New tabs were opened, {names}, and you are in t{self.page.number} now{back}."
        if not self.page.closed:
            return None
        if left := [each for each in self.visited if not each.closed]:
            self.visited = left
            return "Your tab was closed. You are back in the one before it."
        self.visited = [await self._browser.new_page()]
        return "Your tab was closed. You are in a new, blank one."


async def tab_named(browser: BrowserContext, name: str) -> Page:
    """The tab of that id ("t2" or Chrome's own), or the only one whose title or address contains `name`.

    Raises SetupError, whose message lists the tabs, and BrowserError.
    """
    number = name.strip().lower().removeprefix("t")
    if number.isdigit() and (found := [page for page in browser.pages if page.number == int(number)]):
        return found[0]
    await browser.renew_titles()
    return browser.find_page(name)
