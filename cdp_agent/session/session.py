"""A browser with its tabs and tools, which programs, the command line and servers call.

async with Session.launch() as session:
    await session.call("goto", {"url": "https://example.com"})
    outcome = await session.call("click", {"ref": "E12"})
"""

from __future__ import annotations

import asyncio
import functools
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, ParamSpec, Protocol
from uuid import uuid4
from weakref import WeakKeyDictionary

import msgspec

from cdp_agent.browser.browser import Browser, Opening
from cdp_agent.browser.context import BrowserContext
from cdp_agent.browser.opening import Opens
from cdp_agent.browser.politeness import Politeness, Visitor
from cdp_agent.decisions import AskUser, UserAnswer, UserAsk
from cdp_agent.errors import ActionError, BlockedByPolicy, BrowserError, CdpAgentError, DialogOpen, PageUnresponsive
from cdp_agent.page.actions import leaving
from cdp_agent.page.frames.deadline import Deadline
from cdp_agent.page.page import tab_of
from cdp_agent.page.policy.limits import TabLimits
from cdp_agent.page.policy.rules import RequestRules
from cdp_agent.page.tab.dialog_policy import DialogPolicy
from cdp_agent.page.tab.dialogs import dialogs_answered
from cdp_agent.security.fence import all_inert
from cdp_agent.security.secrets import Secrets
from cdp_agent.session.act_hold import ActHold
from cdp_agent.session.calls import (
    Approve,
    Call,
    InvalidCall,
    Permissions,
    ToolOutcome,
    located,
    log_of,
    parse_call,
    perform,
)
from cdp_agent.session.tabs import Tabs, tab_named
from cdp_agent.tools import BUILT_IN
from cdp_agent.tools.addresses import allowed_address
from cdp_agent.tools.asking import USER_TOOLS
from cdp_agent.tools.base import Answer, Context, Observation, Tool, by_name, shorten_middle
from cdp_agent.tools.picturing import Screenshot

if TYPE_CHECKING:
    from cdp_agent.page.page import Page
    from cdp_agent.providers.client import Client


MOST_CALLS = 1_000
TOOL_TIMEOUT_S = 300.0
"""Every tool gives up sooner by itself, unless it asks a person or a model."""
NO_TAB = "No tab of this session is open: open a page first, or name one of the tabs that there are."
_P = ParamSpec("_P")
_log = logging.getLogger(__name__)


class CallMade(msgspec.Struct, frozen=True):
    """A call and its result, both shortened if they are long.

    `arguments` are JSON. `url` is the address of the current tab afterwards, `error` the exception's class name.
    """

    tool: str
    arguments: str
    text: str
    error: str | None
    url: str | None
    duration_ms: float


class WatchedCall(Protocol):
    """Observes one call, in this order. Of an invalid call there is only its end, of a cancelled one there is none."""

    def enters(self, page: Page) -> None:
        """The call has its tab."""

    async def acts(self, call: Call) -> None:
        """The tool is about to be called."""

    def ended(self, outcome: ToolOutcome) -> None:
        """The call has ended with this outcome."""


class CallWatcher(Protocol):
    """Observes the calls of a session."""

    def call(self, name: str) -> WatchedCall:
        """A tool of that name is being called; returns the observer of this call."""

    async def close(self) -> None:
        """The session is about to be closed."""


class Session:
    """One browser, or a context of one, its tabs and its tools.

    Calls in the same tab run one after another, calls in different tabs at the same time.

    A call is made in the current tab: the one that earlier calls led to, by `manage_tabs` or by a click that opened a
    tab. `tools` are those that can be called; the default is all built-in ones. For `secrets`, `upload_folders`,
    `schemes`, `approve` and `ask_user` see Permissions. A call times out after `timeout_s`, not counting the time that
    somebody takes to answer. `page` is the tab to begin in, which stays open; without it, the first call opens one.
    `politeness` limits the load on the origins that it visits, together with all others that have the same one.
    """

    def __init__(
        self,
        browser: BrowserContext,
        *,
        tools: Mapping[str, Tool] | None = None,
        secrets: Secrets | None = None,
        upload_folders: tuple[str, ...] | None = None,
        schemes: frozenset[str] | None = None,
        approve: Approve | None = None,
        ask_user: AskUser | None = None,
        timeout_s: float = TOOL_TIMEOUT_S,
        page: Page | None = None,
        politeness: Politeness | None = None,
        closes_browser: bool = False,
    ) -> None:
        """`closes_browser`: the browser is closed with the session; otherwise only the tabs that calls were made in."""
        self._browser = browser
        self._closes_browser = closes_browser
        self._tools = {name: each for name, each in (tools or BUILT_IN).items() if not each.terminal}
        secrets = Secrets() if secrets is None else secrets
        self._permissions = Permissions(secrets, upload_folders, schemes, approve, ask_user)
        self._timeout_s = timeout_s
        self._given_page = page
        self._tabs = None if page is None else Tabs(browser, page)
        self._busy: WeakKeyDictionary[Page, asyncio.Lock] = WeakKeyDictionary()
        self._current_tab_lock = asyncio.Lock()
        self.calls: deque[CallMade] = deque(maxlen=MOST_CALLS)
        """The last calls that came as JSON or as values by name, oldest first."""
        self.watcher: CallWatcher | None = None
        """Observes all calls."""
        self._act_hold = ActHold()
        self._visitor = None if politeness is None else Visitor(uuid4().hex, politeness)
        self._visits = TabLimits(RequestRules(gate=self._visitor))
        self._lost: str | None = None
        """Why Chrome is gone, until another one is open."""
        self._chrome_count = 1

    @property
    def browser(self) -> BrowserContext:
        """The browser, or the context of one, that the session works in."""
        return self._browser

    @property
    def tools(self) -> Mapping[str, Tool]:
        """The tools that can be called, by name."""
        return self._tools_for(self._permissions)

    @property
    def secrets(self) -> Secrets:
        """The values of placeholders."""
        return self._permissions.secrets

    def _tools_for(self, permissions: Permissions) -> Mapping[str, Tool]:
        return self._tools if permissions.ask_user is None else {**self._tools, **by_name(USER_TOOLS)}

    @property
    def page(self) -> Page | None:
        """The current tab; None before the first call, or when it was closed."""
        return None if self._tabs is None or self._tabs.page.closed else self._tabs.page

    async def call(
        self,
        name: str,
        arguments: Mapping[str, object] | str | None = None,
        *,
        tab: str | None = None,
        model: Client | None = None,
        permissions: Permissions | None = None,
        dialogs: DialogPolicy | None = None,
    ) -> ToolOutcome:
        """Calls a tool by its name, or by a name that models use for it; `arguments` as a mapping or as JSON.

        `tab` is another tab than the current one, for this call alone: its id (t2, as `manage_tabs` lists them, or
        Chrome's own), or a part of its title or address. `model` is for tools that ask one; `permissions` replace those
        of the session, `dialogs` its way to answer dialogs. Errors in the arguments, of the page or of Chrome are not
        raised, but are in the outcome; after Chrome went away, the next call starts a new one.
        """
        call = parse_call(name, arguments or {}, self._tools_for(permissions or self._permissions))
        if isinstance(call, Call):
            call = msgspec.structs.replace(call, tab=tab, model=model, permissions=permissions, dialogs=dialogs)
        return await self.perform(call)

    async def perform(self, call: Call | InvalidCall) -> ToolOutcome:
        """Makes a call that has been parsed already, see `call`."""
        watched = None if self.watcher is None else self.watcher.call(call.name)
        if isinstance(call, Call):
            outcome = await self._call_tool(call, watched)
        else:
            outcome = ToolOutcome.failed(call.error, 0.0)
        outcome = all_inert(outcome)
        if watched is not None:
            watched.ended(outcome)
        if call.source is not None:
            self.calls.append(
                CallMade(
                    call.name,
                    shorten_middle(call.source),
                    shorten_middle(outcome.text),
                    None if outcome.error is None else outcome.error.type,
                    None if self.page is None else self.page.url,
                    outcome.duration_ms,
                )
            )
        return outcome

    async def _call_tool(self, call: Call, watched: WatchedCall | None) -> ToolOutcome:
        permitted, tool = call.permissions or self._permissions, call.tool
        began, chrome_count = time.perf_counter(), self._chrome_count
        navigates = call.url is not None or tool.effect == "address"
        looks = tool.read_only and not tool.ref_names and not navigates and call.tab is None
        try:
            back = await self._recover_tab(navigates=navigates, looks=looks)
            chrome_count = self._chrome_count
            async with self._tab(call.tab, navigates=navigates, reads=tool.read_only) as page:
                if watched is not None:
                    watched.enters(page)
                began = time.perf_counter()
                context = Context(
                    page,
                    self.browser,
                    call.model,
                    secrets=permitted.secrets,
                    upload_folders=permitted.upload_folders,
                    schemes=permitted.schemes,
                    ask_user=permitted.ask_user,
                    folder=call.folder,
                )
                with dialogs_answered(call.dialogs):
                    outcome = await self._in_time(call, context, permitted, watched)
                # The result is about this tab: a tab that has just opened is entered by the next call.
                stays = tool.read_only and not page.closed
                moved = back if stays else await self._follow(outcome, page, named=call.tab is not None)
        except CdpAgentError as error:
            if isinstance(error, BrowserError) and chrome_count == self._chrome_count:
                self._lost = self._lost or str(error)
            _log.debug("a call failed: %s", error)
            return ToolOutcome.failed(error, _since(began))
        if isinstance(outcome, ActionError):
            return ToolOutcome.failed(outcome, _since(began), moved)
        text = "\n".join(filter(None, (outcome.text, moved)))
        pictures = (outcome.value.image,) if isinstance(outcome.value, Screenshot) and outcome.value.image else ()
        value = permitted.secrets.masked(outcome.value)
        return ToolOutcome(text, value, pictures, None, _since(began), log_of(value), outcome.meanwhile)

    async def _in_time(
        self, call: Call, context: Context, permitted: Permissions, watched: WatchedCall | None
    ) -> Observation | ActionError:
        deadline = Deadline(self._timeout_s, self._act_hold.pause, error=self._out_of_time)
        try:
            async with deadline, AsyncExitStack() as acts:
                if (ask_user := context.ask_user) is not None:

                    async def ask(question: UserAsk) -> UserAnswer:
                        with deadline.paused():
                            return await ask_user(question)

                    context = msgspec.structs.replace(context, ask_user=ask)
                if call.url is not None:
                    await context.page.goto(await allowed_address(call.url, context))
                call = await located(call, context.page)
                if permitted.approve is not None:
                    with deadline.paused():
                        why = await permitted.approve(call, context.page)
                    if why:
                        return BlockedByPolicy(why)
                begin_act = permitted.begin_act or self._act_hold.begin_unasked
                if begin_act is not None and not call.tool.read_only:
                    act, pages = await begin_act(call, context.page), self.browser.pages
                    await acts.enter_async_context(self._act_hold.act(act, context.page, pages))
                if watched is not None:
                    await watched.acts(call)
                outcome = await perform(call, context)
        except ActionError as error:
            return error
        assert not isinstance(outcome, Answer), "terminal tools are left out"
        return outcome

    def _out_of_time(self) -> PageUnresponsive:
        return PageUnresponsive(
            f"It took longer than {self._timeout_s:g} s and was given up. Look at the page as it is now."
        )

    async def _recover_tab(self, *, navigates: bool, looks: bool = False) -> str | None:
        """Replaces Chrome or the current tab if it is gone.

        That is raised as an error, unless the call opens an address anyway (`navigates`). For a call that only looks at
        a tab (`looks`), a tab that has opened is entered, and a change of tabs is returned as a text instead. Raises
        BrowserError, ActionError.
        """
        async with self._current_tab_lock:
            page = None if self._tabs is None else self._tabs.page
            gone = self._lost or self.browser.gone
            if gone is not None:
                self._lost = gone
                await self.browser.reopen()
                self._lost = None
            elif page is not None and not page.closed and page not in self.browser.pages:
                gone = "it was exchanged by another session"
            if gone is not None:
                self._tabs = None
                self._chrome_count += 1
                if not navigates:
                    was_at = "" if page is None else f" It was at {page.url}"
                    raise BrowserError(f"Chrome had gone away ({gone}). In a new one, open the page again.{was_at}")
            elif self._tabs is not None and (looks or self._tabs.page.closed):
                moved = await self._tabs.follow()
                if looks:
                    return moved
                if not navigates:
                    raise ActionError(f"{moved} Look at it first: refs of the closed one mean nothing here.")
        return None

    @asynccontextmanager
    async def _tab(self, named: str | None, *, navigates: bool, reads: bool) -> AsyncIterator[Page]:
        """The tab for a call, locked until its end. Raises SetupError when no tab has that name, ActionError."""
        while True:
            page = (
                await tab_named(self.browser, named) if named else await self._current(navigates=navigates, reads=reads)
            )
            async with self._busy.setdefault(page, asyncio.Lock()):
                # The previous call may have led to another tab.
                if named or self._tabs is None or self._tabs.page is page:
                    if self._visitor is not None:
                        await self._visits.apply_to(tab_of(page).request_policy)
                    yield page
                    return

    async def _current(self, *, navigates: bool, reads: bool) -> Page:
        async with self._current_tab_lock:
            if self._tabs is None and not navigates and not self.browser.is_ours:
                pages = self.browser.pages
                if not reads or not pages:
                    raise ActionError(NO_TAB)
                return pages[-1]  # somebody else's: it may be read, and is left as it is
            if self._tabs is None:
                self._tabs = Tabs(self.browser, await self.browser.new_page())
            return self._tabs.page

    async def _follow(self, outcome: Observation | ActionError, page: Page, *, named: bool) -> str | None:
        """Goes to the tab that the call led to; returns a text if that is another tab."""
        tabs = self._tabs
        if tabs is None or (named and page is not tabs.page):
            return None
        if isinstance(outcome, Observation) and outcome.tab is not None:
            tabs.go_to(outcome.tab)
        return await tabs.follow()

    @asynccontextmanager
    async def lead(self, tab: str | None = None) -> AsyncIterator[Tabs]:
        """Locks the current tab, or `tab`, for a caller that acts in it for a while, such as an agent.

        Unless `tab` is given, the tab that the caller ended in is current afterwards. Raises SetupError, BrowserError.
        """
        await self._recover_tab(navigates=True)
        async with self._tab(tab, navigates=True, reads=False) as page:
            tabs = self._tabs
            if tabs is None or page is not tabs.page:
                tabs = Tabs(self.browser, page)
            try:
                yield tabs
            finally:
                await self._set_current(tabs, named=tab is not None)

    async def _set_current(self, tabs: Tabs, *, named: bool) -> None:
        pages = self.browser.pages
        if self.browser.gone is not None or not pages:
            return  # the next call finds out
        if tabs.page not in pages and not any(each in pages for each in tabs.visited):
            self._tabs = Tabs(self.browser, pages[-1])  # Chrome was replaced meanwhile
        else:
            await tabs.follow()
            self._tabs = self._tabs if named else tabs

    async def close(self) -> None:
        """Closes the tabs that calls were made in, and their popups, or the browser if the session opened it."""
        if self.watcher is not None:
            watcher, self.watcher = self.watcher, None
            await watcher.close()
        await self._act_hold.end()
        await self._visits.end()
        if self._visitor is not None:
            await self._visitor.leave()
        if self._closes_browser:
            await self.browser.close()
            return
        for page in self._pages_to_close():
            if self.browser.gone is None:
                await page.close()

    async def close_tabs_with_input(self) -> None:
        """Closes the tabs in which something was filled in: to be called before `close` where nothing is to be lost.

        Raises ActionError if a page asks whether to leave it with something that was filled in and not sent; it stays.
        A tab that hangs is left to `close`.
        """
        pages = self._pages_to_close() if self.browser.gone is None else []
        for tab in [tab for page in pages if (tab := tab_of(page)).unsent.has_entered and not tab.closed]:
            try:
                await leaving.close(tab, leave=False)
            except PageUnresponsive as error:
                if isinstance(error, DialogOpen):
                    raise
                _log.debug("a tab is closed whatever it holds: %s", error)

    def _pages_to_close(self) -> list[Page]:
        pages = [] if self._tabs is None else list(self._tabs.visited)
        for page in pages:  # grows meanwhile
            pages += [popup for popup in page.popups if popup not in pages]
        return [page for page in pages if page is not self._given_page and self.browser.opened(page)]

    @staticmethod
    def _opened_by(open_: Callable[_P, Opening]) -> Callable[_P, OpeningSession]:
        @functools.wraps(open_)
        def begin(*args: _P.args, **keywords: _P.kwargs) -> OpeningSession:
            return OpeningSession(open_(*args, **keywords))

        return begin

    launch = staticmethod(_opened_by(Browser.launch))
    connect = staticmethod(_opened_by(Browser.connect))


class OpeningSession(Opens[Session]):
    """A session that is being opened: `await` it, or use it in `async with`, which closes it at the end."""

    def __init__(self, opening: Opening) -> None:
        super().__init__()
        self._opening = opening

    async def _opened(self) -> Session:
        return Session(await self._opening, closes_browser=True)


def _since(began: float) -> float:
    return round((time.perf_counter() - began) * 1000, 1)
