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
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, ParamSpec, Protocol
from weakref import WeakKeyDictionary

import msgspec

from cdp_agent.browser.browser import Browser, Opening
from cdp_agent.browser.context import BrowserContext
from cdp_agent.browser.opening import Opens
from cdp_agent.decisions import AskUser, UserAnswer, UserAsk
from cdp_agent.errors import ActionError, BlockedByPolicy, BrowserError, CdpAgentError, PageUnresponsive
from cdp_agent.page.frames.deadline import Deadline
from cdp_agent.page.tab.dialogs import DialogPolicy, dialogs_answered
from cdp_agent.providers.base import ToolCall
from cdp_agent.security.secrets import Secrets
from cdp_agent.session.act_hold import ActHold, BeginAct
from cdp_agent.session.calls import ParsedCall, ToolOutcome, log_of, parse_call_on, perform
from cdp_agent.session.tabs import Tabs, tab_named
from cdp_agent.tools import BUILT_IN
from cdp_agent.tools.addresses import allowed_address
from cdp_agent.tools.aliases import resolve_alias
from cdp_agent.tools.asking import USER_TOOLS
from cdp_agent.tools.base import Answer, Context, Observation, Tool, by_name, shorten_middle
from cdp_agent.tools.picturing import Screenshot

if TYPE_CHECKING:
    from typing import TypedDict, Unpack

    from cdp_agent.page.page import Page
    from cdp_agent.providers.client import Client

    class _CallKeywords(TypedDict, total=False):
        """How and where a call is made, see `Session.call` and `Session.perform`."""

        url: str | None
        tab: str | None
        model: Client | None
        folder: str | None
        permissions: Permissions | None
        dialogs: DialogPolicy | None


MOST_CALLS = 1_000
TOOL_TIMEOUT_S = 300.0
"""Every tool gives up sooner by itself, unless it asks a person or a model."""
NO_TAB = "No tab of this session is open: open a page first, or name one of the tabs that there are."
_P = ParamSpec("_P")
_log = logging.getLogger(__name__)

Approve = Callable[[ParsedCall, "Page"], Awaitable[str | None]]
"""Called before each tool call: returns why the call must not be made, or None to allow it."""


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
    """Observes one call. The methods are called in this order; `ended` is not called when the call was cancelled."""

    def enters(self, page: Page) -> None:
        """The call has its tab."""

    async def acts(self, understood: ParsedCall, url: str | None) -> None:
        """The tool is about to be called; `url` was opened for it, if not None."""

    def ended(self, outcome: ToolOutcome) -> None:
        """The call has ended with this outcome."""


class CallWatcher(Protocol):
    """Observes the calls of a session."""

    def call(self, name: str) -> WatchedCall:
        """A tool of that name is being called; returns the observer of this call."""

    async def close(self) -> None:
        """The session is about to be closed."""


class Permissions(msgspec.Struct, frozen=True):
    """What a caller may do.

    `secrets` are the values of placeholders. `upload_folders` are the folders that files may be uploaded from, and
    `schemes` the schemes of addresses that may be opened in addition to those in `allow`; None: no restriction, since
    the caller chooses them. `approve` is called before each call; with `begin_act`, effects of acts are held until they
    are allowed. `ask_user` answers for the user, and without it the tools that ask are not offered.
    """

    secrets: Secrets = msgspec.field(default_factory=Secrets)
    upload_folders: tuple[str, ...] | None = None
    schemes: frozenset[str] | None = None
    approve: Approve | None = None
    ask_user: AskUser | None = None
    begin_act: BeginAct | None = None


class Session:
    """One browser, or a context of one, its tabs and its tools.

    Calls in the same tab run one after another, calls in different tabs at the same time.

    A call is made in the current tab: the one that earlier calls led to, by `manage_tabs` or by a click that opened a
    tab. `tools` are those that can be called; the default is all built-in ones. For `secrets`, `upload_folders`,
    `schemes`, `approve` and `ask_user` see Permissions. A call times out after `timeout_s`, not counting the time that
    somebody takes to answer. `page` is the tab to begin in, which stays open; without it, the first call opens one.
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
        """The last calls, oldest first."""
        self.watcher: CallWatcher | None = None
        """Observes all calls."""
        self._act_hold = ActHold()
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
        text = arguments if isinstance(arguments, str) else msgspec.json.encode(arguments or {}).decode()
        asked = ToolCall("", name, text)
        tools = self._tools_for(permissions or self._permissions)
        tool = tools.get(resolve_alias(name, {}, tools)[0])
        outcome = await self._call_watched(
            name if tool is None else tool.name,
            lambda page: parse_call_on(page, asked, tools),
            tool,
            tab=tab,
            model=model,
            permissions=permissions,
            dialogs=dialogs,
        )
        self.calls.append(
            CallMade(
                name if tool is None else tool.name,
                shorten_middle(text),
                shorten_middle(outcome.text),
                None if outcome.error is None else outcome.error.type,
                None if self.page is None else self.page.url,
                outcome.duration_ms,
            )
        )
        return outcome

    async def perform(
        self,
        understood: ParsedCall,
        *,
        url: str | None = None,
        tab: str | None = None,
        model: Client | None = None,
        folder: str | None = None,
        dialogs: DialogPolicy | None = None,
    ) -> ToolOutcome:
        """Like `call`, for arguments that are already parsed; opens `url` first. Relative paths start at `folder`."""

        async def known(page: Page) -> ParsedCall:
            return understood

        tool = understood.tool
        keywords: _CallKeywords = {"url": url, "tab": tab, "model": model, "folder": folder, "dialogs": dialogs}
        return await self._call_watched(tool.name, known, tool, **keywords)

    async def _call_watched(
        self,
        name: str,
        parse_call: Callable[[Page], Awaitable[ParsedCall | ActionError]],
        tool: Tool | None,
        **keywords: Unpack[_CallKeywords],
    ) -> ToolOutcome:
        if self.watcher is None:
            return await self._call_tool(parse_call, tool, **keywords)
        watched = self.watcher.call(name)
        outcome = await self._call_tool(parse_call, tool, watched=watched, **keywords)
        watched.ended(outcome)
        return outcome

    async def _call_tool(
        self,
        parse_call: Callable[[Page], Awaitable[ParsedCall | ActionError]],
        tool: Tool | None,
        *,
        url: str | None = None,
        tab: str | None = None,
        model: Client | None = None,
        folder: str | None = None,
        permissions: Permissions | None = None,
        dialogs: DialogPolicy | None = None,
        watched: WatchedCall | None = None,
    ) -> ToolOutcome:
        permitted = permissions or self._permissions
        began, chrome_count = time.perf_counter(), self._chrome_count
        navigates = url is not None or (tool is not None and tool.effect == "address")
        reads = tool is not None and tool.read_only
        looks = tool is not None and tool.read_only and not tool.ref_names and not navigates and tab is None
        try:
            back = await self._recover_tab(navigates=navigates, looks=looks)
            chrome_count = self._chrome_count
            async with self._tab(tab, navigates=navigates, reads=reads) as page:
                if watched is not None:
                    watched.enters(page)
                began = time.perf_counter()
                context = Context(
                    page,
                    self.browser,
                    model,
                    secrets=permitted.secrets,
                    upload_folders=permitted.upload_folders,
                    schemes=permitted.schemes,
                    ask_user=permitted.ask_user,
                    folder=folder,
                )
                with dialogs_answered(dialogs):
                    outcome = await self._in_time(parse_call, context, url, permitted, watched)
                # The result is about this tab: a tab that has just opened is entered by the next call.
                stays = reads and not page.closed
                moved = back if stays else await self._follow(outcome, page, named=tab is not None)
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
        return ToolOutcome(text, value, pictures, None, _since(began), log_of(value))

    async def _in_time(
        self,
        parse_call: Callable[[Page], Awaitable[ParsedCall | ActionError]],
        context: Context,
        url: str | None,
        permitted: Permissions,
        watched: WatchedCall | None,
    ) -> Observation | ActionError:
        deadline = Deadline(self._timeout_s, self._act_hold.pause, error=self._out_of_time)
        try:
            async with deadline, AsyncExitStack() as acts:
                if (ask_user := context.ask_user) is not None:

                    async def ask(asked: UserAsk) -> UserAnswer:
                        with deadline.paused():
                            return await ask_user(asked)

                    context = msgspec.structs.replace(context, ask_user=ask)
                if url is not None:
                    await context.page.goto(await allowed_address(url, context))
                understood = await parse_call(context.page)
                if isinstance(understood, ActionError):
                    return understood
                if permitted.approve is not None:
                    with deadline.paused():
                        why = await permitted.approve(understood, context.page)
                    if why:
                        return BlockedByPolicy(why)
                begin_act = permitted.begin_act or self._act_hold.begin_unasked
                if begin_act is not None and not understood.tool.read_only:
                    act, pages = await begin_act(understood, context.page), self.browser.pages
                    await acts.enter_async_context(self._act_hold.act(act, context.page, pages))
                if watched is not None:
                    await watched.acts(understood, url)
                outcome = await perform(understood, context)
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
        if self._closes_browser:
            await self.browser.close()
            return
        pages = [] if self._tabs is None else list(self._tabs.visited)
        for page in pages:  # grows meanwhile
            pages += [popup for popup in page.popups if popup not in pages]
        for page in pages:
            if page is not self._given_page and self.browser.gone is None and self.browser.opened(page):
                await page.close()

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
