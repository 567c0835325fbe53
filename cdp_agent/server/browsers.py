"""The one Chrome of the server, and a browser context in it for each run and each session."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path

import msgspec

from cdp_agent.browser.browser import Browser
from cdp_agent.browser.context import BrowserContext
from cdp_agent.config import Config, connect_keywords, launch_keywords, page_keywords
from cdp_agent.errors import BrowserError, SetupError
from cdp_agent.server.files import HeldFiles
from cdp_agent.server.problems import HttpProblem, bad_request

_log = logging.getLogger(__name__)


class OpenedContext(msgspec.Struct, frozen=True):
    """A browser context, and the folders on this machine that it uses, each with the text that callers see instead."""

    browser: BrowserContext
    folders: dict[str, str]

    def without_paths(self, data: bytes) -> bytes:
        """The JSON without paths of this machine: each folder is replaced by the text that callers see instead."""
        for folder, shown in self.folders.items():
            written, instead = (msgspec.json.encode(each)[1:-1] for each in (folder, shown))
            data = data.replace(written + b"/", instead and instead + b"/").replace(written, instead)
        return data


class Browsers:
    """Opens the configured Chrome when it is first needed, and again if it has gone away."""

    def __init__(self, config: Config, browser: Browser | None = None) -> None:
        """`browser`: a browser that is already open, and stays open afterwards."""
        self._config = config
        self._browser = browser
        self._is_ours = browser is None
        self._opening = asyncio.Lock()
        self._folder: Path | None = None

    async def get(self) -> Browser:
        """The browser. Raises HttpProblem if none can be opened."""
        try:
            return await self.open()
        except (BrowserError, SetupError) as error:
            raise _unavailable(error) from error

    async def open(self) -> Browser:
        """The browser, opened if need be. Raises BrowserError, SetupError."""
        async with self._opening:
            if self._browser is None:
                opening = (
                    Browser.connect(self._config.cdp, **connect_keywords(self._config))
                    if self._config.cdp
                    else Browser.launch(**launch_keywords(self._config))
                )
                self._browser = await opening
            elif self._browser.gone is not None:
                await self._browser.reopen()
            return self._browser

    @asynccontextmanager
    async def context(self, page: Config, files: HeldFiles) -> AsyncIterator[OpenedContext]:
        """A browser context with the settings `page`, whose downloads are added to `files`. Raises HttpProblem."""
        folder = files.folder
        browser = await self._new_context(page, folder)
        uploads = map(str, self._config.upload_folders)
        folders = {each: os.path.basename(each.rstrip("/")) for each in uploads}
        folders |= dict.fromkeys([str(folder), str(folder.resolve()), *filter(None, [browser.profile])], "")
        with files.following(browser.downloads):
            try:
                yield OpenedContext(browser, folders)
            finally:
                try:
                    await browser.close()
                except BrowserError as error:  # without its Chrome, the context is gone too
                    _log.debug("context %s: %s", folder.name, error)

    def files(self, name: str) -> HeldFiles:
        """The files of a new run or session of that name, in a private folder that `discard` deletes."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="cdp-agent-serve-"))
        folder = self._folder / name
        folder.mkdir(mode=0o700)
        return HeldFiles(folder)

    async def discard(self, files: HeldFiles) -> None:
        """Deletes the files; what cannot be deleted now is deleted with the parent folder at the end."""
        await asyncio.to_thread(shutil.rmtree, files.folder, ignore_errors=True)

    async def _new_context(self, page: Config, folder: Path) -> BrowserContext:
        keywords = page_keywords(page)
        keywords = {name: value for name, value in keywords.items() if name not in ("profile", "downloads")}
        browser = await self.get()
        try:
            return await browser.new_context(isolated=True, downloads=folder, **keywords)
        except SetupError as error:
            raise bad_request(str(error)) from error
        except BrowserError as error:
            raise _unavailable(error) from error

    async def close(self) -> None:
        if self._is_ours and self._browser is not None:
            await self._browser.close()
        if self._folder is not None:
            await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)


def _unavailable(error: Exception) -> HttpProblem:
    _log.error("no browser context can be opened: %s", error)  # the message may name files of this machine
    return HttpProblem(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "BrowserError",
        "This server has no Chrome now; its log says why. Try again later.",
        {"Retry-After": "10"},
    )
