"""The sessions of one process. Each has a browser, and keeps the settings with which it was opened."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import msgspec

from cdp_agent.browser.attach.connecting import AUTO, same_chromes
from cdp_agent.browser.browser import Browser
from cdp_agent.cli.caller import CommandCaller
from cdp_agent.cli.flags import OF_SESSION, SETTINGS
from cdp_agent.cli.prelaunch import PrelaunchedChrome
from cdp_agent.config import Config, connect_keywords, launch_keywords, page_keywords, trace_of
from cdp_agent.config.sources import Loaded
from cdp_agent.config.values import plain, shown
from cdp_agent.errors import BrowserError, SetupError
from cdp_agent.page.snapshot.shown_pages import ShownPages
from cdp_agent.session.session import OpeningSession, Session

if TYPE_CHECKING:
    from cdp_agent.page.page import Page

NONE_RUNS = "No session runs for this command: begin with `cdp-agent open URL`."


_OF_CHROME = "+"
"""The first character in the name of a host that is attached to a running Chrome; no session name begins with it."""


class SessionInfo(msgspec.Struct, frozen=True):
    """Information on a session: `chrome` is the process id of its Chrome, None if it is only attached to one.

    `endpoint` is the address of the Chrome that it is attached to, or at which its own Chrome listens for other
    programs; `idle_s` is the time since the session was last used.
    """

    name: str
    pid: int
    chrome: int | None
    endpoint: str | None
    tabs: int
    url: str | None
    idle_s: float
    ends_after_s: float


class OpenSession:
    """A session of this process, with the settings with which it was opened."""

    def __init__(self, name: str, session: Session, config: Config, *, listens: bool = False) -> None:
        """`listens`: its Chrome listens on a port for other programs."""
        self.name = name
        self.session = session
        self.config = config
        self.listens = listens
        self.printed: WeakKeyDictionary[Page, ShownPages] = WeakKeyDictionary()
        """What was printed of each tab's pages."""
        self.calls = 0
        self.used = time.monotonic()
        self._checked: Loaded[Config] | None = None
        """The settings that last passed `check`."""

    @property
    def is_idle(self) -> bool:
        return not self.calls and time.monotonic() - self.used > self.config.idle

    def trace(self, config: Config) -> None:
        """Begins a trace of its calls, if the settings ask for one. Raises SetupError."""
        if config.trace is not None:
            from cdp_agent.trace.session_trace import trace_session  # few sessions are traced

            trace_session(self.session, trace_of(config, config.trace), self.name)

    async def about(self, pid: int) -> SessionInfo:
        """Information on the session; `pid` is the process id of its host. Raises BrowserError."""
        browser, page = self.session.browser, self.session.page
        endpoint = ", ".join(shown(SETTINGS["cdp"], (each,)) for each in self.config.cdp) or None
        if self.listens:
            endpoint = endpoint_of(await browser.listening())
        return SessionInfo(
            self.name,
            pid,
            browser.pid,
            endpoint,
            len(browser.pages) if browser.is_ours else sum(map(browser.opened, browser.pages)),
            None if page is None else page.url,
            round(time.monotonic() - self.used, 1),
            self.config.idle,
        )

    def check(self, settings: Loaded[Config]) -> None:
        """Raises SetupError if a flag or a variable differs from the setting with which the session was opened."""
        if settings is self._checked:  # a server passes the same settings for each call
            return
        for name in OF_SESSION - {"dialogs"}:  # which a command may set for itself
            setting = SETTINGS[name]
            source, wanted, has = settings.source(name), getattr(settings.config, name), getattr(self.config, name)
            if name == "cdp":
                wanted, has = (same_chromes(each.cdp, each.profile) for each in (settings.config, self.config))
            if source in (setting.flag, *setting.variables) and wanted != has:
                raise SetupError(
                    f"{source} {shown(setting, plain(wanted))}: the session {self.name!r} was opened with "
                    f"{shown(setting, plain(has))}, for as long as it lasts. Close it first (`cdp-agent close "
                    f"--session {self.name}`), or name another one with --session."
                )
        self._checked = settings


class Sessions:
    """The sessions of this process, each opened when it is first used."""

    def __init__(self, host: str | None = None, prelaunched: PrelaunchedChrome | None = None) -> None:
        """`host` is the name of this process as a session host; None if it is none.

        `prelaunched` is the Chrome of the first session.
        """
        self._host = host
        self._prelaunched = prelaunched
        self._open: dict[str, OpenSession] = {}
        self._opening: dict[str, asyncio.Lock] = {}
        self._attached: Browser | None = None
        """The connection shared by all sessions that are attached to a running Chrome."""
        self._attached_as = Config()
        """The settings of that connection; sessions with other settings get a browser context of their own."""
        self._attaching = asyncio.Lock()

    @property
    def names(self) -> list[str]:
        """The names of the sessions that are open, or being opened."""
        return sorted({*self._open, *(name for name, lock in self._opening.items() if lock.locked())})

    def find(self, name: str) -> OpenSession | None:
        return self._open.get(name)

    @asynccontextmanager
    async def use(
        self,
        name: str,
        settings: Loaded[Config],
        caller: CommandCaller,
        *,
        may_open: bool = True,
        port: int | None = None,
    ) -> AsyncIterator[OpenSession]:
        """The session of that name, opened if need be; inside the block it is not idle.

        Raises SetupError, BrowserError.
        """
        async with self._opening.setdefault(name, asyncio.Lock()):
            opened = self._open.get(name)
            if opened is None:
                if not may_open:
                    raise BrowserError(NONE_RUNS)
                chrome = host_of("", settings.config)
                if self._host is not None and chrome != (self._host if self._host.startswith(_OF_CHROME) else ""):
                    raise BrowserError(
                        f"Another command began the session {name!r} at the same time, with another Chrome, and that "
                        "came to nothing. Try again."
                    )
                opening = self._attach(name, settings.config, caller) if settings.config.cdp else None
                opened = await (opening or self._launch(name, settings.config, port))
                self._open[name] = opened
            else:
                opened.check(settings)
        opened.calls += 1
        try:
            yield opened
        finally:
            opened.calls -= 1
            opened.used = time.monotonic()

    async def _launch(self, name: str, config: Config, port: int | None) -> OpenSession:
        """A session in a new Chrome, which listens on the port if one is given. Raises BrowserError, SetupError."""
        prelaunched, self._prelaunched = self._prelaunched, None
        ports = () if port is None else (f"--remote-debugging-port={port}", "--remote-debugging-address=127.0.0.1")
        opening = Browser.launch(**{**launch_keywords(config), "args": [*config.args, *ports]})
        if prelaunched is not None and port is None and prelaunched.config == config:
            opening.begin(prelaunched.started)
        elif prelaunched is not None:
            prelaunched.started.forget()
        session = await OpeningSession(opening)
        try:
            if port is not None:
                await session.browser.listening()
        except BaseException:
            await session.close()
            raise
        return OpenSession(name, session, config, listens=port is not None)

    async def _attach(self, name: str, config: Config, caller: CommandCaller) -> OpenSession:
        """A session in a running Chrome, over the shared connection. Raises BrowserError, SetupError."""
        async with self._attaching:
            if self._attached is None:
                if AUTO in config.cdp:
                    from cdp_agent.browser.attach.user_chrome import CONSENT_S  # late: 19 ms, with websockets

                    message = f"Chrome may ask whether to allow it: say yes within {CONSENT_S:g} s.\n"
                    caller.output.write_error(message)
                self._attached = await Browser.connect(config.cdp, **connect_keywords(config))
                self._attached_as = config
            if all(getattr(config, each) == getattr(self._attached_as, each) for each in OF_SESSION - {"cdp", "idle"}):
                return OpenSession(name, Session(self._attached), config)
            keywords = {each: value for each, value in page_keywords(config).items() if each != "profile"}
            isolated = not keywords.keys().isdisjoint(("proxy", "storage_state"))
            context = await self._attached.new_context(isolated=isolated, **keywords)
            return OpenSession(name, Session(context, closes_browser=True), config)

    async def close(self, name: str, *, leave: bool = True) -> bool:
        """Ends the session, and its Chrome if we launched it. Returns False if there is no such session.

        Without `leave`, raises as `Session.close_tabs_with_input`; the session goes on then.
        """
        async with self._opening.setdefault(name, asyncio.Lock()):
            if not leave and (opened := self._open.get(name)) is not None:
                await opened.session.close_tabs_with_input()
            opened = self._open.pop(name, None)
            if opened is not None:
                await opened.session.close()
            if self._attached is not None and set(self.names) <= {name}:
                browser, self._attached = self._attached, None
                await browser.close()
        return opened is not None

    async def close_idle(self) -> None:
        for name in [each.name for each in self._open.values() if each.is_idle]:
            await self.close(name)

    async def close_all(self) -> None:
        await asyncio.gather(*map(self.close, list(self._open)))


def endpoint_of(websocket_url: str) -> str:
    """The address to which other programs connect: http://127.0.0.1:PORT."""
    return f"http://{websocket_url.split('/')[2]}"


def host_of(name: str, config: Config) -> str:
    """The name of a session's host: the session's own name, or for a running Chrome the host that is attached to it.

    So all sessions in that Chrome share one connection, and its user is asked only once.
    """
    if not config.cdp:
        return name
    identity: list[object] = [
        sorted(same_chromes(config.cdp, config.profile)),
        sorted(config.cdp_headers.items()),
    ]
    return f"{_OF_CHROME}{hashlib.sha256(msgspec.json.encode(identity)).hexdigest()[:16]}"
