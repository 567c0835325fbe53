"""One Chrome for as long as it lives. When it goes away, Browser exchanges it for the next one as a whole."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import msgspec

from cdp_agent.browser.attach.connecting import Attempt
from cdp_agent.cdp import browser as cdp_browser
from cdp_agent.cdp import target
from cdp_agent.cdp.connection import Connection, Session
from cdp_agent.page.page import Page
from cdp_agent.page.policy.policy_registry import PolicyRegistry
from cdp_agent.page.tab.dialogs import DialogPolicy
from cdp_agent.page.tab.downloads import DownloadWatcher
from cdp_agent.page.tab.settings import PageSettings

from .context_options import ContextOptions, load
from .liveness import Liveness
from .targets import Targets

if TYPE_CHECKING:
    from cdp_agent.browser.launch.launcher import ChromeProcess

_CLOSE_TABS_S = 1.0


class InstanceOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What the tabs of a Chrome are given. They stay the same when it is exchanged for another one."""

    dialogs: DialogPolicy = msgspec.field(default_factory=DialogPolicy)
    settings: PageSettings = msgspec.field(default_factory=PageSettings)
    own: ContextOptions = ContextOptions()
    new_windows: bool = False
    """Our tabs get windows of their own."""


class Instance:
    """A Chrome that we are connected to: its process if it is ours, its tabs, what they may load, its downloads."""

    version: cdp_browser.Version

    def __init__(
        self,
        connection: Connection,
        options: InstanceOptions | None = None,
        *,
        process: ChromeProcess | None = None,
        downloads: str | os.PathLike[str] | None = None,
    ) -> None:
        """`process`: of a Chrome that we started, and end. `downloads`: the folder where they go, None for its own."""
        self.connection = connection
        self.process = process
        self.downloads = DownloadWatcher(downloads)
        self.attempts: list[Attempt] = []
        """The endpoints that were tried for it, its own last."""
        self._options = options or InstanceOptions()
        self.context: str | None = None
        """The browser context that our tabs are in, None for the usual one."""
        self._guards = PolicyRegistry(connection, self._options.settings.rules, all_ours=process is not None)
        self.targets = Targets(connection, self._make_page, all_ours=process is not None)
        self._liveness = Liveness(connection, (lambda: None) if process is None else process.cpu_s)

    @property
    def session(self) -> Session:
        """The Chrome itself, for what no page has."""
        return self.connection.browser

    async def start(self) -> None:
        """Follows the tabs and puts the settings in force. Raises BrowserError, ProtocolError."""
        own = self._options.own
        await self._guards.begin()
        if self.process is None and own != ContextOptions():
            self.context = await own.context(self.session)
        answers = [
            self.session.post(cdp_browser.GetVersion()),
            self.downloads.watch(self.session, self.context),
            *self.targets.follow(),
        ]
        if self._options.settings.geolocation is not None:
            granted = cdp_browser.GrantPermissions(permissions=["geolocation"], browser_context_id=self.context)
            answers.append(self.session.post(granted))
        self.version, *_ = await asyncio.gather(*answers)
        self._liveness.start()
        if own.state is not None:
            self.targets.origins |= await load(self.new_page, self.session, self.context, own.state)

    async def new_page(self, url: str = "about:blank", *, background: bool = False) -> Page:
        """See Browser.new_page."""
        page = await self.targets.create(
            target.CreateTarget(
                url="about:blank",
                background=background or not self.process or None,
                browser_context_id=self.context,
                new_window=(self._options.new_windows and not background) or None,
            )
        )
        try:
            await page.frames()
            await self._guards.limit(page.guard)
            if url != "about:blank":
                await page.goto(url)
        except asyncio.CancelledError:
            page.begin_closing()
            raise
        except BaseException:
            await asyncio.wait([page.begin_closing()])
            raise
        return page

    async def end(self) -> None:
        """Ends a Chrome of ours; of another one, closes the tabs that we opened and disconnects."""
        self._liveness.stop()
        try:
            if self.process is None:
                await self._close_our_tabs()
        finally:
            if self.process is not None:
                self.session.tell(cdp_browser.Close())
                if self._guards.in_force:  # they hold for as long as we are connected
                    await asyncio.wait([self.connection.closed], timeout=self.process.grace_s)
            await self.connection.close()
            if self.process is not None:
                await self.process.close(grace_s=self.process.grace_s)

    def _make_page(self, info: target.TargetInfo, opener: Page | None) -> Page:
        return Page(
            self.session,
            info,
            dialogs=self._options.dialogs,
            downloads=self.downloads,
            opener=opener,
            settings=self._options.settings,
            guard=self._guards.make(None if opener is None else opener.guard),
        )

    async def _close_our_tabs(self) -> None:
        pages = [page for page in self.targets.open_pages() if page.target_id in self.targets.ours]
        try:
            async with asyncio.timeout(_CLOSE_TABS_S):
                await asyncio.gather(*(page.close() for page in pages), return_exceptions=True)
        except TimeoutError:
            pass  # a tab that will not close must not keep us
        finally:
            for page in pages:
                if not page.closed:  # the answer was lost, or nobody waits for it any more: the tab goes all the same
                    self.session.tell(target.CloseTarget(target_id=page.target_id))
