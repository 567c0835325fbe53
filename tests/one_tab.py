"""The tab in which the tests of a file take turns, but for those that are marked `new_tab`.

A new tab costs Chrome more than most tests do in it: a process, a place among the tabs, and both taken away again. Each
test gets a `Page` of its own all the same, attached anew, to which no ref, reading, setting or rule of the test before
is known. The document before stays until the test opens its own, which is the first thing that it does with the page.
"""

from __future__ import annotations

from cdp_agent.browser import Browser
from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp import target
from cdp_agent.errors import PageClosed, PageUnresponsive
from cdp_agent.page.frames.responsiveness import is_responsive
from cdp_agent.page.page import Page, page_of, tab_of

SHEET = "data:text/html,<!doctype html><title>Sheet</title>"


class OneTab:
    """Gives each test its page, in the tab of the test before where that was left in order."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._page: Page | None = None

    @property
    def target_id(self) -> str | None:
        """None while there is no tab."""
        return None if self._page is None else self._page.target_id

    async def take(self) -> Page:
        """A page as new."""
        if self._page is not None and self._page.url == SHEET:
            await self.give_back()
        if self._page is None:
            self._page = await self._browser.new_page()
        self._browser._instance.ref_counter.next = 1
        return self._page

    async def sheet(self) -> Page:
        """The page of the test before, if that had a sheet too, forgetting what was shown there; else a new one."""
        if self._page is None or self._page.closed or self._page.url != SHEET:
            self._page = await self.take()
            await self._page.goto(SHEET)
        else:
            tab = tab_of(self._page)
            tab.shown = None
            for known in (tab.history, tab.issued_refs, tab.successors):
                known.clear()
            last = tab.refs._by_number[-1:]
            self._browser._instance.ref_counter.next = last[0].end + last[0].shift if last else 1
        return self._page

    async def give_back(self) -> None:
        """Its test is over. A tab that was closed or crashed, hangs or opened others, is of no more use."""
        page, self._page = self._page, None
        if page is None or page.closed:
            return
        try:
            self._page = await self._anew(page)
        except (PageClosed, PageUnresponsive):
            await page.close()

    async def clear(self) -> None:
        """Nothing goes on that runs in its document."""
        if self._page is not None and not self._page.closed:
            root = (await tab_of(self._page).frames()).root
            await root.session.send(cdp_page.Navigate(url="about:blank"))
            await self.give_back()

    async def close(self) -> None:
        if self._page is not None:
            await self._page.close()

    async def _anew(self, page: Page) -> Page:
        tab = tab_of(page)
        session = (await tab.frames()).root.session
        if page.popups or tab.activity.crashed or not await is_responsive(session):
            raise PageUnresponsive("It is not as it was.")
        await session.send(cdp_page.ResetNavigationHistory())
        targets = self._browser._instance.targets
        info = target.TargetInfo(target_id=page.target_id, type="page", title="", url=page.url)
        context = targets.contexts[page.target_id]
        del targets.tabs[page.target_id]
        tab.forget()
        await self._browser.session.send(target.DetachFromTarget(session_id=session.id))
        targets._add(info, context)
        renewed = targets.tabs[page.target_id]
        await renewed.frames()
        return page_of(renewed)
