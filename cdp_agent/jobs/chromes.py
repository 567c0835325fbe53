"""The Chromes that tasks share: as many as needed, each replaced after a while."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from cdp_agent.browser.browser import Browser
from cdp_agent.browser.context import BrowserContext
from cdp_agent.config import Config, connect_keywords, launch_keywords, page_keywords
from cdp_agent.errors import BrowserError
from cdp_agent.jobs.load import memory_of
from cdp_agent.jobs.tasks import JobOptions

_log = logging.getLogger(__name__)


class _SharedChrome:
    """A Chrome, with the number of tasks in it now, and the number of tasks ever begun in it."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.tasks = 0
        self.begun = 0


class Chromes:
    """Opens a Chrome when one is needed, and another one when those that are open are full or use too much memory.

    If the settings name a running Chrome (`cdp`), only that one is used, however many tasks there are.
    """

    def __init__(self, config: Config, options: JobOptions) -> None:
        self._config = config
        self._options = options
        self._chromes: list[_SharedChrome] = []
        self._opening = asyncio.Lock()

    @asynccontextmanager
    async def context(self, downloads: Path | None) -> AsyncIterator[BrowserContext]:
        """A browser context for one task, disposed of afterwards with all its data. Raises BrowserError, SetupError."""
        chrome = await self._taken()
        try:
            taken = page_keywords(self._config)
            keywords: dict[str, Any] = {name: each for name, each in taken.items() if name not in _NOT_PER_CONTEXT}
            if downloads is not None:
                keywords["downloads"] = downloads
            context = await chrome.browser.new_context(isolated=True, **keywords)
            try:
                yield context
            finally:
                try:
                    await context.close()
                except BrowserError as error:  # the Chrome is gone, and its contexts with it
                    _log.debug("a context was not closed: %s", error)
        finally:
            chrome.tasks -= 1
            await self._end_old()

    async def close(self) -> None:
        """Ends the Chromes that we started, and disconnects from others."""
        chromes, self._chromes = self._chromes, []
        await asyncio.gather(*(each.browser.close() for each in chromes))

    async def _taken(self) -> _SharedChrome:
        async with self._opening:
            free = [each for each in self._chromes if self._has_room(each)]
            chrome = min(free, key=lambda each: each.tasks, default=None)
            if chrome is None:
                chrome = _SharedChrome(await self._opened())
                self._chromes.append(chrome)
            elif chrome.browser.gone is not None:
                await chrome.browser.reopen()
            chrome.tasks += 1
            chrome.begun += 1
            return chrome

    async def _opened(self) -> Browser:
        if self._config.cdp:
            return await Browser.connect(self._config.cdp, **connect_keywords(self._config))
        taken = launch_keywords(self._config)
        return await Browser.launch(**{name: each for name, each in taken.items() if name not in _NOT_PER_CHROME})

    def _has_room(self, chrome: _SharedChrome) -> bool:
        return bool(self._config.cdp) or (chrome.tasks < self._options.tasks_per_chrome and not self._is_old(chrome))

    def _is_old(self, chrome: _SharedChrome) -> bool:
        if self._config.cdp:
            return False
        pid = chrome.browser.pid
        grown = pid is not None and (memory_of(pid) or 0.0) > self._options.chrome_memory_mb
        return grown or chrome.begun >= self._options.chrome_tasks

    async def _end_old(self) -> None:
        old = [each for each in self._chromes if not each.tasks and self._is_old(each)]
        self._chromes = [each for each in self._chromes if each not in old]
        await asyncio.gather(*(each.browser.close() for each in old))


_NOT_PER_CONTEXT = ("profile", "downloads")
_NOT_PER_CHROME = ("profile", "downloads", "storage_state")
"""Settings that belong to each task, or that several Chromes cannot share."""
