"""The tab in which the tests of this process take turns, but for those that are marked `new_tab`.

A new tab costs Chrome more than most tests do in it: a process, a place among the tabs, and both taken away again. Each
test gets a `Page` of its own all the same, attached anew, to which no ref, reading, setting or rule of the test before
is known, at a blank document: nothing of the test before runs on, listens, is stored or has a title. It costs a test
15 ms of a quiet machine.
"""

from __future__ import annotations

import asyncio
from typing import ClassVar

from cdp_agent.browser import Browser
from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp import target
from cdp_agent.cdp.types import Command, Empty
from cdp_agent.errors import PageClosed, PageUnresponsive
from cdp_agent.page.frames.responsiveness import is_responsive
from cdp_agent.page.page import Page, page_of, tab_of
from cdp_agent.page.tab.dialog_policy import DialogPolicy

_BLANK = "about:blank"
_LEFT_WITHIN_S = 5.0
_STORED = "cookies,local_storage,indexeddb,cache_storage,service_workers,file_systems"
"""What tests store. To clear "all", caches of files and shaders too, takes Chrome twice the time."""


class _ClearDataForOrigin(Command[Empty], frozen=True):
    method: ClassVar[str] = "Storage.clearDataForOrigin"
    origin: str
    storage_types: str


def _is_blank(event: cdp_page.FrameNavigated) -> bool:
    return event.frame.url == _BLANK and event.frame.parent_id is None


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
        if self._page is None:
            self._page = await self._browser.new_page()
        session = (await tab_of(self._page).frames()).root.session
        await session.send(cdp_page.ResetNavigationHistory())
        await session.send(_ClearDataForOrigin(origin="*", storage_types=_STORED))
        self._browser._instance.ref_counter.next = 1
        return self._page

    async def give_back(self) -> None:
        """Its test is over. A tab that was closed or crashed, hangs, opened others or is limited, is of no more use."""
        page, self._page = self._page, None
        if page is None or page.closed:
            return
        try:
            self._page = await self._anew(page)
        except (PageClosed, PageUnresponsive, TimeoutError):
            await page.close()

    async def close(self) -> None:
        if self._page is not None:
            await self._page.close()

    async def _anew(self, page: Page) -> Page:
        tab = tab_of(page)
        session = (await tab.frames()).root.session
        limited = tab.request_policy.tab_rules  # of a run: they stay until its pages are gone
        if page.popups or limited or tab.activity.crashed or not await is_responsive(session):
            raise PageUnresponsive("It is not as it was.")
        page.set_dialogs(DialogPolicy.all("accept"))  # a page may ask whether to leave it
        async with asyncio.timeout(_LEFT_WITHIN_S), session.expect(cdp_page.FrameNavigated, _is_blank) as blank:
            await session.send(cdp_page.Navigate(url=_BLANK))
            await blank
        targets = self._browser._instance.targets
        info = target.TargetInfo(
            page.target_id, "page", title="", url=_BLANK, browser_context_id=tab.request_policy.group.context
        )
        context = targets.contexts[page.target_id]
        del targets.tabs[page.target_id]
        tab.forget()
        await self._browser.session.send(target.DetachFromTarget(session_id=session.id))
        targets._add(info, context)
        return page_of(targets.tabs[page.target_id])
