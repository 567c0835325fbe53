"""The classes of cdp_agent with calls that block. `python scripts/sync.py` makes this file of the async ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self, overload

from cdp_agent.agent.agent import Agent as AsyncAgent
from cdp_agent.agent.base.options import with_options
from cdp_agent.browser.attach.connecting import AUTO
from cdp_agent.browser.browser import Browser as AsyncBrowser
from cdp_agent.browser.context import BrowserContext as AsyncBrowserContext
from cdp_agent.page.frames.world import CALL_TIMEOUT_S
from cdp_agent.page.page import Locator as AsyncLocator
from cdp_agent.page.page import Page as AsyncPage
from cdp_agent.session.session import TOOL_TIMEOUT_S
from cdp_agent.session.session import Session as AsyncSession
from cdp_agent.sync.background import call, iterate, read
from cdp_agent.sync.wrapper import (
    SyncAgentOptions,
    SyncWrapper,
    approve_call_of,
    ask_user_of,
    async_options,
    closed,
    entered,
    event_of,
    opened,
    sink_of,
    unwrap,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path
    from typing import Any, TypedDict, Unpack

    from cdp_agent.action_log import LogLine
    from cdp_agent.agent.agent import T
    from cdp_agent.agent.base.act_log import ActLog
    from cdp_agent.agent.sinks import Sink
    from cdp_agent.browser.attach.connecting import Attempt
    from cdp_agent.browser.launch.proxy import Proxy
    from cdp_agent.browser.politeness import Politeness
    from cdp_agent.cdp import browser as cdp_browser
    from cdp_agent.events import Event, Progress, TaskCompleted
    from cdp_agent.outcome import AgentResult
    from cdp_agent.page.actions.scroll import Direction, Scrolled
    from cdp_agent.page.activity.bodies import ResponseBody
    from cdp_agent.page.activity.console import ConsoleResult, Level
    from cdp_agent.page.activity.request_log import RequestsResult, Status
    from cdp_agent.page.data.records import Record, Records
    from cdp_agent.page.data.structured import StructuredData
    from cdp_agent.page.data.tables import Tables
    from cdp_agent.page.data.typed import Row
    from cdp_agent.page.files.contents import FileContent
    from cdp_agent.page.get_by import Text
    from cdp_agent.page.locators.target import Target, TargetT
    from cdp_agent.page.markdown.markdown_links import Links
    from cdp_agent.page.page import MouseButton, SelectBy
    from cdp_agent.page.picture.pdf import PaperFormat
    from cdp_agent.page.picture.redactions import Spans
    from cdp_agent.page.picture.video import VideoRecording
    from cdp_agent.page.query.find import FindResult
    from cdp_agent.page.query.markup import CleanHtml
    from cdp_agent.page.query.schema import PageSchema
    from cdp_agent.page.query.search import SearchResult
    from cdp_agent.page.receipts.receipts import Receipt
    from cdp_agent.page.refs.locate import Position
    from cdp_agent.page.snapshot.snapshot import Snapshot
    from cdp_agent.page.tab.dialog_policy import DialogPolicy
    from cdp_agent.page.tab.dialogs import Dialog
    from cdp_agent.page.tab.saving import HarSaved
    from cdp_agent.page.tab.settings import SettingsKeywords, Viewport
    from cdp_agent.providers.client import Client
    from cdp_agent.security.secrets import GivenSecret, Secrets
    from cdp_agent.session.calls import Permissions, ToolOutcome
    from cdp_agent.steps.approval.policy import Approve
    from cdp_agent.sync.wrapper import ApproveCall, Approver, AskUser, StopSignal
    from cdp_agent.tools.base import Tool
    from cdp_agent.trace.options import TraceOptions

    class RunKeywords(TypedDict, total=False):
        """The keyword arguments that `run` and `stream` share, without `answer`."""

        url: str | None
        data: Any
        page: Page | None
        stop: StopSignal | None
        pause: StopSignal | None

    class ResumeOptions(TypedDict, total=False):
        """The `AgentOptions` that are not saved with a run, or may differ when it is resumed."""

        base_url: str | None
        api_key: str | None
        tools: Iterable[Tool]
        secrets: Mapping[str, GivenSecret] | None
        approve: Approve | None
        approver: Approver | None
        ask_user: AskUser | None
        approval_timeout_s: float
        trace: TraceOptions | str | os.PathLike[str] | None
        act_log: ActLog | None
        politeness: Politeness | None
        otel: bool
        environment: Mapping[str, str] | None

    class ResumeKeywords(ResumeOptions, total=False):
        """The keyword arguments of `resume`, without `answer`."""

        stop: StopSignal | None
        pause: StopSignal | None


class BrowserContext(SyncWrapper[AsyncBrowserContext]):
    """A browser context: use it in `with browser.new_context(…)`, or call `context.close()`.

    The popups of its tabs belong to it too. It shares nothing with other contexts except the rules of the whole browser
    (and, where it is not isolated, cookies and storage). An Agent takes it in place of a Browser.
    """

    @property
    def version(self) -> cdp_browser.Version:
        """The product and version of the Chrome, and the version of its protocol."""
        return read(lambda: self._async.version)

    @property
    def attempts(self) -> list[Attempt]:
        """The endpoints that were tried when the browser was opened; the connection is to the last one."""
        return read(lambda: self._async.attempts)

    @property
    def pages(self) -> list[Page]:
        """The open tabs, in the order in which they were opened. A tab costs nothing until it is used."""
        return [Page(each) for each in read(lambda: self._async.pages)]

    def new_page(self, url: str = "about:blank", *, background: bool = False) -> Page:
        """Opens a tab that shows `url`, in the background if asked to or if the Chrome is somebody else's.

        Raises what Page.goto raises, and SetupError for a locale or time zone that Chrome does not know. When it fails
        or is cancelled, no tab is left.
        """
        return Page(call(self._async.new_page(url, background=background)))

    def find_page(self, named: str) -> Page:
        """The open tab with the id `named`, or the only one whose title or address contains that text.

        Raises SetupError, which lists the tabs that match, or the open ones if none does.
        """
        return Page(read(lambda: self._async.find_page(named)))

    def renew_titles(self) -> None:
        """Updates the titles of the tabs. Chrome sends no event when a page changes its title after loading.

        Sends Target.getTargets. Raises PageUnresponsive where a page keeps Chrome busy, BrowserError.
        """
        call(self._async.renew_titles())

    def save_storage_state(self, path: str | os.PathLike[str]) -> None:
        """Writes the cookies, and the local storage of the origins that tabs have shown, to a file (mode 600).

        The format is Playwright's `storageState`. Raises SetupError when the file cannot be written, BrowserError.
        """
        call(self._async.save_storage_state(path))

    @property
    def next_ref(self) -> int:
        """The number of the next ref of an element, in whichever tab of the browser and its contexts it is given."""
        return read(lambda: self._async.next_ref)

    def skip_refs_to(self, number: int) -> None:
        """Has no ref below this number be given from now on, since somebody may remember such refs."""
        read(lambda: self._async.skip_refs_to(number))

    @property
    def id(self) -> str | None:
        """Its `browserContextId`, for commands such as Storage.getCookies; None for Chrome's default context."""
        return read(lambda: self._async.id)

    @property
    def is_ours(self) -> bool:
        """Whether we started this Chrome, and so will end it."""
        return read(lambda: self._async.is_ours)

    def opened(self, page: Page) -> bool:
        """Whether we, or one of our tabs, opened the tab."""
        return read(lambda: self._async.opened(unwrap(page)))

    def keep(self, page: Page) -> None:
        """Keeps the tab open when we disconnect from a Chrome that is not ours."""
        read(lambda: self._async.keep(unwrap(page)))

    @property
    def gone(self) -> str | None:
        """Why the Chrome is gone, or None while we are connected to it."""
        return read(lambda: self._async.gone)

    @property
    def pid(self) -> int | None:
        """The id of the main process of a Chrome that we started; None for any other Chrome."""
        return read(lambda: self._async.pid)

    @property
    def profile(self) -> str | None:
        """The profile folder of a Chrome that we started; None for any other Chrome."""
        return read(lambda: self._async.profile)

    def listening(self, timeout_s: float = 30.0) -> str:
        """The WebSocket address of a Chrome that we started with `--remote-debugging-port` in `args`, once it listens.

        Raises BrowserError when it does not listen within `timeout_s`, or is not ours.
        """
        return call(self._async.listening(timeout_s))

    def reopen(self) -> None:
        """Opens the browser again as it was opened before, after its Chrome was lost. The old tabs do not come back.

        Concurrent calls get the same new Chrome. Raises BrowserError, also when the browser was closed on purpose; it
        can be called again after a failure.
        """
        call(self._async.reopen())

    @property
    def closed(self) -> bool:
        """Whether it was closed, so that no tab can be opened in it any more."""
        return read(lambda: self._async.closed)

    def close(self) -> None:
        """Closes the tabs that we opened in the context. Everything that an isolated context stored is deleted."""
        call(self._async.close())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Browser(BrowserContext):
    """A browser: use `with Browser.launch() as browser`, or `Browser.launch()` and `browser.close()`.

    The object stays the same when `reopen` replaces the Chrome behind it. It is also Chrome's default browser context:
    its `pages` include tabs that other people opened there.
    """

    _async: AsyncBrowser

    def reopen(self) -> None:
        """See BrowserContext.reopen."""
        call(self._async.reopen())

    def close(self) -> None:
        """Ends a Chrome that we started; in any other, closes the tabs that we opened, and disconnects."""
        closed(self._async)

    @staticmethod
    def launch(
        *,
        headless: bool = True,
        executable: str | None = None,
        profile: str | os.PathLike[str] | None = None,
        args: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        viewport: Viewport | tuple[int, int] | None = (1280, 800),
        downloads: str | os.PathLike[str] | None = None,
        dialogs: DialogPolicy | None = None,
        proxy: str | Proxy | None = None,
        storage_state: str | os.PathLike[str] | None = None,
        timeout_s: float = 30.0,
        **settings: Unpack[SettingsKeywords],
    ) -> Browser:
        """A Chrome of our own, of which nothing is left once it is closed, or once this process ends in any way.

        Without a `profile` it gets a temporary one. `args` are added to its command line, `env` to its environment,
        which has only what Chrome may need of ours, such as DISPLAY and proxies. `viewport` is in CSS pixels (None: the
        size of the window). Downloads go to a folder inside the profile, or to `downloads`. `storage_state` is a file
        of cookies and local storage, as `save_storage_state` writes it. For the other settings, see `PageSettings`.
        Raises SetupError for an invalid setting, and BrowserError, with the end of Chrome's stderr, when it does not
        start within `timeout_s`.
        """
        return Browser(
            opened(
                AsyncBrowser.launch(
                    headless=headless,
                    executable=executable,
                    profile=profile,
                    args=args,
                    env=env,
                    viewport=viewport,
                    downloads=downloads,
                    dialogs=dialogs,
                    proxy=proxy,
                    storage_state=storage_state,
                    timeout_s=timeout_s,
                    **settings,
                )
            )
        )

    @staticmethod
    def connect(
        endpoint: str | Sequence[str] = AUTO,
        *,
        profile: str | os.PathLike[str] | None = None,
        headers: Mapping[str, str] | None = None,
        timeout_s: float = 5.0,
        viewport: Viewport | tuple[int, int] | None = None,
        downloads: str | os.PathLike[str] | None = None,
        dialogs: DialogPolicy | None = None,
        proxy: str | Proxy | None = None,
        storage_state: str | os.PathLike[str] | None = None,
        **settings: Unpack[SettingsKeywords],
    ) -> Browser:
        """A running Chrome at `http(s)://host:port` or `ws(s)://…`; several are tried in order, for `timeout_s` each.

        "auto" is the Chrome that the user works with, found in its usual profile folder or in `profile`. `headers` are
        sent with the requests to the endpoint. The Chrome is never ended: only tabs that we opened are closed, and they
        stay in the background. Settings apply to these tabs and their popups: all other tabs keep their size, focus,
        dialogs and downloads, and no rules apply to them. When a page asks for its `geolocation`, Chrome asks its user.
        With a `proxy` or a `storage_state`, our tabs are in their own browser context, like a private window. When the
        Chrome is lost, `reopen` tries the next endpoint. Raises SetupError for an endpoint that is not an address, and
        BrowserError, which says what happened at each endpoint.
        """
        return Browser(
            opened(
                AsyncBrowser.connect(
                    endpoint,
                    profile=profile,
                    headers=headers,
                    timeout_s=timeout_s,
                    viewport=viewport,
                    downloads=downloads,
                    dialogs=dialogs,
                    proxy=proxy,
                    storage_state=storage_state,
                    **settings,
                )
            )
        )

    @property
    def contexts(self) -> list[BrowserContext]:
        """The open contexts that `new_context` created."""
        return [BrowserContext(each) for each in read(lambda: self._async.contexts)]

    def new_context(
        self,
        *,
        isolated: bool = True,
        viewport: Viewport | tuple[int, int] | None = None,
        downloads: str | os.PathLike[str] | None = None,
        dialogs: DialogPolicy | None = None,
        proxy: str | Proxy | None = None,
        storage_state: str | os.PathLike[str] | None = None,
        **settings: Unpack[SettingsKeywords],
    ) -> BrowserContext:
        """Opens a browser context with its own tabs, settings, rules and downloads, on the same connection.

        `isolated`: with its own cookies and storage, like a private window. Otherwise it shares those of the browser,
        and takes neither `proxy` nor `storage_state`. `viewport` is in CSS pixels (None: that of the browser). The
        rules of the browser apply here too. Raises SetupError for an invalid setting, BrowserError.
        """
        return BrowserContext(
            call(
                self._async.new_context(
                    isolated=isolated,
                    viewport=viewport,
                    downloads=downloads,
                    dialogs=dialogs,
                    proxy=proxy,
                    storage_state=storage_state,
                    **settings,
                )
            )
        )


class Page(SyncWrapper[AsyncPage]):
    """A tab: reads its page and acts in it. Actions return a `Receipt`, `scroll` a `Scrolled`.

    Every method that calls into the page may raise PageUnresponsive, DocumentGone and BrowserError. An action that
    brings up a confirm, a prompt or a beforeunload stops there, unless `dialogs` says how to answer it: its receipt has
    the `dialog`. Until `answer_dialog`, every other call raises DialogOpen; so do `evaluate` and `scroll` at a dialog.
    """

    def get_by_role(
        self,
        role: str,
        *,
        name: Text | None = None,
        exact: bool = False,
        checked: bool | None = None,
        disabled: bool | None = None,
        expanded: bool | None = None,
        level: int | None = None,
        pressed: bool | None = None,
        selected: bool | None = None,
    ) -> Locator:
        """The elements with a role, and a name that contains `name`, both as snapshots show them.

        `exact`: it is the whole name, in its case. States are those that a line shows in brackets.
        """
        return Locator(
            read(
                lambda: self._async.get_by_role(
                    role,
                    name=name,
                    exact=exact,
                    checked=checked,
                    disabled=disabled,
                    expanded=expanded,
                    level=level,
                    pressed=pressed,
                    selected=selected,
                )
            )
        )

    def get_by_label(self, text: Text, *, exact: bool = False) -> Locator:
        """Fields by the text of their label, aria-label or aria-labelledby."""
        return Locator(read(lambda: self._async.get_by_label(text, exact=exact)))

    def get_by_text(self, text: Text, *, exact: bool = False) -> Locator:
        """The smallest elements that contain a text."""
        return Locator(read(lambda: self._async.get_by_text(text, exact=exact)))

    def get_by_placeholder(self, text: Text, *, exact: bool = False) -> Locator:
        """Fields by the text that stands in them while they are empty."""
        return Locator(read(lambda: self._async.get_by_placeholder(text, exact=exact)))

    def get_by_alt_text(self, text: Text, *, exact: bool = False) -> Locator:
        """Pictures by their alternative text."""
        return Locator(read(lambda: self._async.get_by_alt_text(text, exact=exact)))

    def get_by_title(self, text: Text, *, exact: bool = False) -> Locator:
        """Elements by their title, which browsers show as a tooltip."""
        return Locator(read(lambda: self._async.get_by_title(text, exact=exact)))

    def get_by_test_id(self, test_id: Text) -> Locator:
        """Elements by their `data-testid`, whether they are shown or not."""
        return Locator(read(lambda: self._async.get_by_test_id(test_id)))

    def locator(self, selector: str) -> Locator:
        """Elements by a CSS selector, in all frames and shadow roots, open or closed, whether they are shown or not."""
        return Locator(read(lambda: self._async.locator(selector)))

    def snapshot(self, *, budget_tokens: int | None = None) -> Snapshot:
        """The page as text, with a ref for each relevant element, all frames in document order.

        Without a budget it is complete; with one it has at most `budget_tokens` tokens, and its last line states what
        was left out. A ref stays valid as long as its element exists. Frames that could not be read are in `omitted`.
        """
        return call(self._async.snapshot(budget_tokens=budget_tokens))

    def search(
        self,
        pattern: str,
        *,
        regex: bool = False,
        case_sensitive: bool = False,
        context_chars: int = 80,
        max_results: int = 10,
        offset: int = 0,
        cover: Callable[[str], str] | None = None,
    ) -> SearchResult:
        """Searches the lines of the snapshot in all frames: names, texts, values and options.

        `pattern` is plain text: its words may be in neighbouring cells, quotes and dashes match in any form, and case
        is ignored unless `case_sensitive`. With `regex` it is an expression of the `regex` package. Each match has
        `context_chars` before and after it; at most `max_results` are returned, those after the first `offset`, and
        `total` counts all. `cover` may mask parts of a text before it is searched, without changing its length. Raises
        InvalidArguments for an invalid pattern, one that takes too long, and values out of range.
        """
        return call(
            self._async.search(
                pattern,
                regex=regex,
                case_sensitive=case_sensitive,
                context_chars=context_chars,
                max_results=max_results,
                offset=offset,
                cover=cover,
            )
        )

    def find(
        self,
        selector: str,
        *,
        within: Target | None = None,
        attributes: Sequence[str] = (),
        max_results: int = 20,
        offset: int = 0,
        include_text: bool = True,
    ) -> FindResult:
        """The elements that match a CSS selector, including closed shadow roots and frames of all processes.

        `within` is the ref of an element to search in, including its shadow root and, for an iframe, its document.
        `attributes` names the attributes to return; at most `max_results` elements are returned, those after the first
        `offset`, and `total` counts all. Raises InvalidArguments for an invalid selector, with Chrome's reason, and
        values out of range; StaleRef.
        """
        return call(
            self._async.find(
                selector,
                within=within,
                attributes=attributes,
                max_results=max_results,
                offset=offset,
                include_text=include_text,
            )
        )

    def markdown(self, *, main: bool = False, links: Links = "full", budget_tokens: int | None = None) -> str:
        """The visible content of the page as Markdown, all frames in document order.

        `main`: the main content alone, by what the page declares and by where its text is; a line at the end says what
        is around it. `links`: their addresses "full", as numbers of a list at the end ("numbered"), or left out
        ("none"). With a budget it has at most `budget_tokens` tokens, main content first, and its last line states what
        was cut. Raises InvalidArguments.
        """
        return call(self._async.markdown(main=main, links=links, budget_tokens=budget_tokens))

    def tables(self, ref: Target | None = None, *, pages: int = 1) -> Tables:
        """The tables and grids with data in all frames, read by code: `columns` by their headers, `rows` as dicts.

        `ref` is that of a table, or of an element with tables. Links are in columns of their own. `total` is how many
        rows there are, if the page says that, and `more` what leads to others. Frames that could not be read are in
        `unread`. Raises InvalidArguments and StaleRef for `ref`.

        With `pages`, the rows of up to so many pages of the table that goes on: by its next links, what loads more, or
        scrolling, where each screen counts. It stays at the last one. `notices` says how many were read, why no more,
        and what failed. Nothing is sent by a form for it.
        """
        return call(self._async.tables(ref, pages=pages))

    @overload
    def records(self, ref: Target | None = None, *, as_type: None = None, pages: int = 1) -> Records[Record]: ...

    @overload
    def records(self, ref: Target | None = None, *, as_type: type[Row], pages: int = 1) -> Records[Row]: ...

    def records(self, ref: Target | None = None, *, as_type: type[Any] | None = None, pages: int = 1) -> Records[Any]:
        """What repeats on the page, or in the element `ref`, as dicts: rows, cards, items of a list, pairs of a <dl>.

        Fields are called by `itemprop`, term, label or class; links, sources of images and data attributes are fields,
        too. `fields` are their names; frames that could not be read are in `unread`. `total`, `more`, `pages` and
        `notices`: as of `tables`. Raises InvalidArguments and StaleRef for `ref`.

        With `as_type` each is a value of that type: of msgspec, a dataclass, a TypedDict, or a model of pydantic. A
        field is that of the same name, whatever its case, spaces and underscores; a number is read with its currency
        and separators of thousands. Raises InvalidArguments that names the records that do not fit.
        """
        return call(self._async.records(ref, as_type=as_type, pages=pages))

    def read_file(
        self, name: str | None = None, *, offset: int = 0, limit: int = 1000, sheet: str | None = None
    ) -> FileContent:
        """What is in a file that was downloaded in the browser context: a PDF, CSV, TSV, XLSX, JSON, NDJSON or a text.

        `name` is its name or path, as receipts have it; None: the file that the tab shows, else the last download.
        `limit` rows, pages or lines after the first `offset` are read, of a workbook those of each `sheet`, within
        20 s. A first row names the columns of a table. Raises InvalidArguments for a name that no download has;
        ActionError where nothing can be read, which says what to install for PDF and XLSX (the extra `files`).
        """
        return call(self._async.read_file(name, offset=offset, limit=limit, sheet=sheet))

    def structured_data(self) -> StructuredData:
        """What the page states for programs, in all frames: JSON-LD, microdata, <meta>, the state of its scripts."""
        return call(self._async.structured_data())

    def console(self, *, level: Level = "all", text: str | None = None, max_results: int = 50) -> ConsoleResult:
        """The console messages and uncaught exceptions of the page since its document began.

        `level` is "error", "warning" (includes errors) or "all"; `text` is a part of the message, ignoring case. The
        latest `max_results` are returned. Chrome keeps the last 1,000 of each process. Raises InvalidArguments.
        """
        return call(self._async.console(level=level, text=text, max_results=max_results))

    def requests(
        self, *, kind: str | None = None, status: Status | None = None, text: str | None = None, max_results: int = 50
    ) -> RequestsResult:
        """The requests that the tab has sent since its document was requested, including those of its frames.

        `kind` is Chrome's name ("document", "xhr", "fetch", "script", …), or "api" for xhr and fetch; `status` a number
        (422), a class ("4xx"), "failed" or "pending"; `text` a part of "POST https://…", ignoring case. The latest
        `max_results` are returned, with their response headers. The last 1,000 are kept. Raises InvalidArguments.
        """
        return call(self._async.requests(kind=kind, status=status, text=text, max_results=max_results))

    def response_body(self, number: int, *, path: str | None = None) -> ResponseBody:
        """The response body of a request in `requests`, by its `number`, or the part of its JSON at the `path`.

        A path is like `items[].name`: names from the outermost on, `[]` for each element, `[2]` for one, `[0:10]` for
        some. Raises ActionError if Chrome has not kept it: it keeps the latest 2 MB of each process, and no body over
        200 KB, but for the tab's document itself, such as a PDF; InvalidArguments for a path that leads nowhere.
        """
        return call(self._async.response_body(number, path=path))

    def har(
        self,
        path: str | os.PathLike[str],
        *,
        bodies: bool = True,
        credentials: bool = False,
        mask: Callable[[str], str] | None = None,
        max_body_bytes: int = 10000000,
    ) -> HarSaved:
        """Writes the requests that the tab has sent since its document was requested to a HAR 1.2 file.

        It contains headers, cookies, timings and bodies, is readable by the user alone (mode 600), and replaces an
        existing file. All bodies together have at most `max_body_bytes`, those of the latest requests first. Values of
        cookies and of headers with credentials are included only with `credentials`; `mask` is called with every text,
        and returns the text to write instead. The file's comments and `left_out` state what is missing. Raises
        ActionError if the file cannot be written.
        """
        return call(
            self._async.har(path, bodies=bodies, credentials=credentials, mask=mask, max_body_bytes=max_body_bytes)
        )

    def screenshot(
        self,
        *,
        full_page: bool = False,
        marks: bool = False,
        ref: Target | None = None,
        region: Sequence[float] | None = None,
        hidden: Spans | None = None,
    ) -> bytes:
        """A PNG of the viewport, the whole page, an element (`ref`), or a part of the viewport (`region`, see `zoom`).

        `marks` adds boxes and refs around interactive elements. The element of `ref` is scrolled into view if
        necessary. Text in which `hidden` finds something is masked. Marks and masks are painted onto the picture, not
        into the page. Raises InvalidArguments, NotInteractable for an element without layout, StaleRef.
        """
        return call(self._async.screenshot(full_page=full_page, marks=marks, ref=ref, region=region, hidden=hidden))

    def zoom(self, region: Sequence[float], *, hidden: Spans | None = None) -> bytes:
        """A PNG of a part of the viewport, enlarged up to four times, but no larger than models can use.

        `region` is left, top, right and bottom in CSS pixels. `hidden`: see `screenshot`. Raises InvalidArguments for a
        region that is not in the viewport.
        """
        return call(self._async.zoom(region, hidden=hidden))

    def record_video(
        self,
        path: str | os.PathLike[str],
        *,
        max_width: int | None = None,
        max_height: int | None = None,
        frame_rate: int = 10,
    ) -> AbstractContextManager[VideoRecording]:
        """Records a video of the tab while the block runs: `with page.record_video("run.mp4"): …`.

        Chrome makes the video, AV1 in an MP4 file, which is written when the block ends, readable by the user alone. It
        has the size of the viewport, but at most `max_width` and `max_height` pixels, and at most `frame_rate` frames a
        second. Nothing is masked in it: it shows everything on the page, even secrets. Entering raises InvalidArguments
        for a file that cannot be written, SetupError if Chrome is too old, PageClosed; leaving raises ActionError
        if the tab was closed in the block, so that there is no video.
        """
        return entered(
            read(
                lambda: self._async.record_video(
                    path, max_width=max_width, max_height=max_height, frame_rate=frame_rate
                )
            )
        )

    def pdf(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        format: PaperFormat = "a4",
        landscape: bool = False,
        scale: float = 1.0,
        margin_cm: float = 1.0,
        print_background: bool = True,
        page_ranges: str = "",
        header_template: str = "",
        footer_template: str = "",
        prefer_css_page_size: bool = False,
        outline: bool = False,
        hidden: Spans | None = None,
    ) -> bytes:
        """The page as a tagged (accessible) PDF, as it would be printed; written to `path` if one is given.

        `scale` is 0.1 to 2; `page_ranges` is like "1-5, 8"; the templates are HTML, in which Chrome fills elements of
        the classes date, title, url, pageNumber and totalPages. `prefer_css_page_size` uses the paper size that the
        page's CSS sets, if any. `outline` adds bookmarks for headings. Raises InvalidArguments, and BlockedByPolicy if
        `hidden` finds something anywhere in the page, since nothing can be masked in a PDF.
        """
        return call(
            self._async.pdf(
                path,
                format=format,
                landscape=landscape,
                scale=scale,
                margin_cm=margin_cm,
                print_background=print_background,
                page_ranges=page_ranges,
                header_template=header_template,
                footer_template=footer_template,
                prefer_css_page_size=prefer_css_page_size,
                outline=outline,
                hidden=hidden,
            )
        )

    def html(self, selector: str = "html") -> str:
        """The markup of the first element that matches a CSS selector, in any frame.

        Raises ActionError if there is none, InvalidArguments for an invalid selector.
        """
        return call(self._async.html(selector))

    def clean_html(self, ref: Target | None = None, *, budget_tokens: int | None = None) -> CleanHtml:
        """The cleaned markup of an element or the page, with shadow roots and frames, cut after `budget_tokens`."""
        return call(self._async.clean_html(ref, budget_tokens=budget_tokens))

    def schema(self, *, budget_tokens: int | None = None) -> PageSchema:
        """The interactive elements as data, all frames in document order; with a budget, as many as fit."""
        return call(self._async.schema(budget_tokens=budget_tokens))

    @property
    def target_id(self) -> str:
        """The target id of the tab in Chrome."""
        return read(lambda: self._async.target_id)

    @property
    def number(self) -> int:
        """The number of the tab among all that the browser has had, from 1."""
        return read(lambda: self._async.number)

    @property
    def title(self) -> str:
        """The title of the page in the tab."""
        return read(lambda: self._async.title)

    @property
    def url(self) -> str:
        """The address of the page in the tab."""
        return read(lambda: self._async.url)

    @property
    def opener(self) -> Page | None:
        """The tab that opened this one, or None."""
        return Page(found) if (found := read(lambda: self._async.opener)) is not None else None

    @property
    def popups(self) -> list[Page]:
        """The tabs that this one opened, in order; of those that are closed, only the last few."""
        return [Page(each) for each in read(lambda: self._async.popups)]

    @property
    def closed(self) -> bool:
        """Whether the tab was closed or its session has ended, so that it can no longer be used."""
        return read(lambda: self._async.closed)

    @property
    def dialog(self) -> Dialog | None:
        """The open dialog that waits for an answer, of this tab or of one that it opened or that opened it."""
        return read(lambda: self._async.dialog)

    @property
    def log(self) -> list[LogLine]:
        """What the last ten actions in the tab decided, waited for, sent and read, oldest first; see docs/debugging.md.

        A receipt and an error have the lines of their own action. A program's secrets are masked.
        """
        return read(lambda: self._async.log)

    def answer_dialog(self, accept: bool, text: str | None = None) -> Receipt:
        """Answers the open `dialog`, with `text` for a prompt, and returns the receipt of the action that it stopped.

        `Receipt.dialog` is the next one, if any. Raises ActionError if none is open, and what the action raises.
        """
        return call(self._async.answer_dialog(accept, text))

    def set_dialogs(self, policy: DialogPolicy) -> None:
        """Sets how the dialogs of the tab are answered from now on, in place of the browser's `dialogs`."""
        read(lambda: self._async.set_dialogs(policy))

    def close(self) -> None:
        """Closes the tab, even if its page asks for confirmation (`beforeunload`): what was not sent is lost.

        The tab is closed even if the call is cancelled.
        """
        call(self._async.close())

    def evaluate(self, function_or_expression: str, *arguments: object, timeout_s: float = CALL_TIMEOUT_S) -> Any:
        """The JSON value of a JavaScript function, called with JSON `arguments`, or of an expression or statements.

        Runs in the page's main world and awaits promises; undefined is None, a date is its `toJSON`. Raises ScriptError
        if it throws or gives what is no JSON value, such as an element or NaN; PageUnresponsive after `timeout_s`.
        """
        return call(self._async.evaluate(function_or_expression, timeout_s=timeout_s))

    def goto(self, url: str, *, timeout_s: float | None = None, leave: bool = False) -> Receipt:
        """Opens an address and waits until the page has settled.

        `timeout_s` defaults to the browser's `navigation_timeout_s`. `leave`: even if the page asks whether to, and
        something would be lost that was filled in and not sent. Raises NavigationFailed, BlockedByPolicy.
        """
        return call(self._async.goto(url, timeout_s=timeout_s, leave=leave))

    def back(self, *, leave: bool = False) -> Receipt:
        """Goes back in the tab's history. Raises ActionError if there is no earlier page, else as `goto`."""
        return call(self._async.back(leave=leave))

    def forward(self, *, leave: bool = False) -> Receipt:
        """Goes forward in the tab's history. Raises ActionError if there is no later page, else as `goto`."""
        return call(self._async.forward(leave=leave))

    def reload(self, *, leave: bool = False) -> Receipt:
        """Reloads the page, even after it crashed. Raises as `goto`."""
        return call(self._async.reload(leave=leave))

    def click(
        self,
        ref: Target,
        *,
        button: MouseButton = "left",
        count: int = 1,
        position: Position | None = None,
        modifiers: Sequence[str] = (),
    ) -> Receipt:
        """Clicks the element with the mouse, `count` 2 for a double click. Raises NotInteractable, StaleRef.

        `position` is for canvases, drawings and maps: CSS pixels right of and below the element's top left corner.
        `modifiers` are keys held during the click: "Control", "Shift", "Alt", "Meta".
        """
        return call(self._async.click(ref, button=button, count=count, position=position, modifiers=modifiers))

    def hover(self, ref: Target, *, position: Position | None = None) -> Receipt:
        """Moves the mouse over the element, or to a position in it as in `click`. Raises NotInteractable, StaleRef."""
        return call(self._async.hover(ref, position=position))

    def drag(
        self,
        from_ref: Target,
        to_ref: Target | None = None,
        *,
        by: Position | None = None,
        position: Position | None = None,
        to_position: Position | None = None,
        hold_s: float = 0.0,
    ) -> Receipt:
        """Drags an element with the mouse and drops it on another one, elsewhere in the same one, or at a distance.

        Positions are as in `click`; they default to the middle of each element. `by` is the distance in CSS pixels to
        the right and down, instead of `to_ref`. `hold_s` is how many seconds to hold still after the press and before
        the drop, for lists that are sorted after a long press. Raises NotInteractable, StaleRef, InvalidArguments.
        """
        return call(
            self._async.drag(from_ref, to_ref, by=by, position=position, to_position=to_position, hold_s=hold_s)
        )

    def fill(self, ref: Target, text: str, *, append: bool = False, submit: bool = False) -> Receipt:
        """Replaces the text of a field, or appends to it; `submit` then sends it. `Receipt.value` is the new text.

        It presses Enter; where that only adds a line, it takes that away and clicks the button that sends the text.

        Raises NotInteractable, also if nothing sends it, StaleRef, and InvalidArguments for a text that the field does
        not accept, or that is not what it then holds, in whatever format, or of over a million characters.
        """
        return call(self._async.fill(ref, text, append=append, submit=submit))

    def fill_form(self, values: Mapping[TargetT, str], *, submit: bool = False) -> Receipt:
        """Fills in several fields, by their refs, and waits for the page once; `Receipt.fields` has the result of each.

        The value for a list is the text of an option, for a check box "on" or "off", for a radio button "on". `submit`
        then clicks the form's submit button. Raises as `fill`, `select`, `check` and `click`; the message names the
        fields that were already filled.
        """
        return call(self._async.fill_form(values, submit=submit))

    def select(self, ref: Target, option: str | Sequence[str], *, by: SelectBy = "text") -> Receipt:
        """Chooses an option of a list, native or not, `by` its text, value or index; several if the list allows it.

        Raises NotInteractable, StaleRef, and InvalidArguments, which names the existing options.
        """
        return call(self._async.select(ref, option, by=by))

    def check(self, ref: Target) -> Receipt:
        """Checks a checkbox, radio button or switch, unless it is checked. Raises NotInteractable, StaleRef."""
        return call(self._async.check(ref))

    def uncheck(self, ref: Target) -> Receipt:
        """Unchecks a checkbox or switch if it is checked. Raises as `check`; InvalidArguments for a radio button."""
        return call(self._async.uncheck(ref))

    def focus(self, ref: Target) -> Receipt:
        """Moves the keyboard focus to the element. Raises NotInteractable, StaleRef."""
        return call(self._async.focus(ref))

    def press(self, key: str, *, ref: Target | None = None, repeat: int = 1) -> Receipt:
        """Presses a key or chord ("Enter", "Control+A") `repeat` times where the focus is, or in an element.

        Several keys, separated by spaces ("g i", "Control+K Control+S"), are pressed one after the other.

        Raises InvalidArguments for a key that does not exist, NotInteractable, StaleRef.
        """
        return call(self._async.press(key, ref=ref, repeat=repeat))

    def type(self, text: str, *, ref: Target | None = None) -> Receipt:
        """Types where the focus is, or into an element, one key per character; a line break presses Enter.

        For elements that handle keys themselves: terminals, grids, canvases. Replaces no text; `fill` is for fields.
        Where the first key opens a field, as in a grid, the others wait for it. Raises InvalidArguments for more than a
        million characters, and for a field that then holds something that does not mean what was typed.
        """
        return call(self._async.type(text, ref=ref))

    def upload(self, ref: Target, paths: Sequence[str]) -> Receipt:
        """Gives files to a file field, to an element that opens a file chooser, or to where files are dropped.

        Raises InvalidArguments for a file that does not exist, NotInteractable, StaleRef.
        """
        return call(self._async.upload(ref, paths))

    def scroll(
        self,
        direction: Direction = "down",
        *,
        pages: float = 1.0,
        pixels: int | None = None,
        ref: Target | None = None,
        to_text: str | None = None,
    ) -> Scrolled:
        """Scrolls the page, or the element of `ref` or the nearest box around it, and waits for content this loads.

        `direction` is up, down, left, right, top, bottom, or into_view with `ref`; "bottom" and "top" go on while more
        is loaded. `pages` is in viewports of the scrolling box (0.1 to 20); `pixels`, in CSS pixels, is one move
        instead. With `to_text` that text is brought into view: where it is already, else by scrolling in the direction
        until it is there, even in a list that renders only visible rows; downwards it starts again from the top at the
        end. That an end is reached is told only if nothing more came there for 1.4 s. Raises ActionError if the text
        is not found, or not within 30 s: then the same call goes on; InvalidArguments, StaleRef.
        """
        return call(self._async.scroll(direction, pages=pages, pixels=pixels, ref=ref, to_text=to_text))

    def wait_for(
        self,
        *,
        text: str | None = None,
        gone: str | None = None,
        selector: str | None = None,
        url: str | None = None,
        ref: str | None = None,
        navigation: bool = False,
        idle: bool | float | None = None,
        timeout_s: float = 10,
    ) -> Receipt:
        """Waits until all given conditions hold at the same time, in any frame; the receipt has the changes meanwhile.

        `text` is visible, `gone` is not, ignoring case and white space; `selector` matches a visible element, also in
        shadow roots; `url` is a part of the address, or a pattern with `*`; the element of `ref` exists and is visible.
        `navigation`: the page or address differs from the one before the last action. `idle`: this many seconds (True:
        half a second) without a request, except those that never end. A `text` that came and went since the last
        receipt counts as well, and `Receipt.note` says so. Raises ActionError after `timeout_s` seconds, which states
        what is there instead; InvalidArguments, BrowserError.
        """
        return call(
            self._async.wait_for(
                text=text,
                gone=gone,
                selector=selector,
                url=url,
                ref=ref,
                navigation=navigation,
                idle=idle,
                timeout_s=timeout_s,
            )
        )


class Locator(SyncWrapper[AsyncLocator]):
    """Elements of a page by what they are. It does nothing until it is used, and then looks at the page as it is.

    `str(locator)` is its text form, which is taken wherever a ref is. What acts needs one element: it waits for it, for
    the browser's `action_timeout_s` or 5 s, and raises AmbiguousLocator if several fit, NoMatch if none comes.
    """

    def get_by_role(
        self,
        role: str,
        *,
        name: Text | None = None,
        exact: bool = False,
        checked: bool | None = None,
        disabled: bool | None = None,
        expanded: bool | None = None,
        level: int | None = None,
        pressed: bool | None = None,
        selected: bool | None = None,
    ) -> Locator:
        """The elements with a role, and a name that contains `name`, both as snapshots show them.

        `exact`: it is the whole name, in its case. States are those that a line shows in brackets.
        """
        return Locator(
            read(
                lambda: self._async.get_by_role(
                    role,
                    name=name,
                    exact=exact,
                    checked=checked,
                    disabled=disabled,
                    expanded=expanded,
                    level=level,
                    pressed=pressed,
                    selected=selected,
                )
            )
        )

    def get_by_label(self, text: Text, *, exact: bool = False) -> Locator:
        """Fields by the text of their label, aria-label or aria-labelledby."""
        return Locator(read(lambda: self._async.get_by_label(text, exact=exact)))

    def get_by_text(self, text: Text, *, exact: bool = False) -> Locator:
        """The smallest elements that contain a text."""
        return Locator(read(lambda: self._async.get_by_text(text, exact=exact)))

    def get_by_placeholder(self, text: Text, *, exact: bool = False) -> Locator:
        """Fields by the text that stands in them while they are empty."""
        return Locator(read(lambda: self._async.get_by_placeholder(text, exact=exact)))

    def get_by_alt_text(self, text: Text, *, exact: bool = False) -> Locator:
        """Pictures by their alternative text."""
        return Locator(read(lambda: self._async.get_by_alt_text(text, exact=exact)))

    def get_by_title(self, text: Text, *, exact: bool = False) -> Locator:
        """Elements by their title, which browsers show as a tooltip."""
        return Locator(read(lambda: self._async.get_by_title(text, exact=exact)))

    def get_by_test_id(self, test_id: Text) -> Locator:
        """Elements by their `data-testid`, whether they are shown or not."""
        return Locator(read(lambda: self._async.get_by_test_id(test_id)))

    def locator(self, selector: str) -> Locator:
        """Elements by a CSS selector, in all frames and shadow roots, open or closed, whether they are shown or not."""
        return Locator(read(lambda: self._async.locator(selector)))

    def filter(self, *, has_text: Text | None = None, has: Locator | None = None) -> Locator:
        """Those that contain a text, or what another locator means."""
        return Locator(read(lambda: self._async.filter(has_text=has_text, has=unwrap(has))))

    def near(self, text: Text) -> Locator:
        """Those that share the smallest box with a text: the row, card or form in which it stands."""
        return Locator(read(lambda: self._async.near(text)))

    def nth(self, index: int) -> Locator:
        """The one at that place, from 0; from the end if it is negative."""
        return Locator(read(lambda: self._async.nth(index)))

    @property
    def first(self) -> Locator:
        """The first of them."""
        return Locator(read(lambda: self._async.first))

    @property
    def last(self) -> Locator:
        """The last of them."""
        return Locator(read(lambda: self._async.last))

    def count(self) -> int:
        """How many there are now."""
        return call(self._async.count())

    def all(self) -> list[Locator]:
        """A locator of each that there is now, by its place."""
        return [Locator(each) for each in call(self._async.all())]

    def ref(self) -> str:
        """The ref of the element, waited for. Raises AmbiguousLocator, NoMatch."""
        return call(self._async.ref())

    def text(self) -> str:
        """The text of the element as it is shown. Raises AmbiguousLocator, NoMatch, as all that follow."""
        return call(self._async.text())

    def value(self) -> str | None:
        """What the field holds; None for a secret."""
        return call(self._async.value())

    def attribute(self, name: str) -> str | None:
        """The value of an attribute, an address made absolute; None if it has none."""
        return call(self._async.attribute(name))

    def box(self) -> tuple[float, float, float, float]:
        """Left, top, width and height, in CSS pixels of its frame's viewport."""
        return call(self._async.box())

    def is_visible(self) -> bool:
        """Whether there is such an element now, and it is shown. Does not wait."""
        return call(self._async.is_visible())

    def wait(self, *, timeout_s: float = 10) -> Locator:
        """Waits until there is such an element. Raises WaitTimeout, AmbiguousLocator."""
        return Locator(call(self._async.wait(timeout_s=timeout_s)))

    def click(
        self,
        *,
        button: MouseButton = "left",
        count: int = 1,
        position: Position | None = None,
        modifiers: Sequence[str] = (),
    ) -> Receipt:
        """Clicks the element with the mouse, `count` 2 for a double click. Raises NotInteractable, StaleRef.

        `position` is for canvases, drawings and maps: CSS pixels right of and below the element's top left corner.
        `modifiers` are keys held during the click: "Control", "Shift", "Alt", "Meta".
        """
        return call(self._async.click(button=button, count=count, position=position, modifiers=modifiers))

    def hover(self, *, position: Position | None = None) -> Receipt:
        """Moves the mouse over the element, or to a position in it as in `click`. Raises NotInteractable, StaleRef."""
        return call(self._async.hover(position=position))

    def drag(
        self,
        to_ref: Target | None = None,
        *,
        by: Position | None = None,
        position: Position | None = None,
        to_position: Position | None = None,
        hold_s: float = 0.0,
    ) -> Receipt:
        """Drags an element with the mouse and drops it on another one, elsewhere in the same one, or at a distance.

        Positions are as in `click`; they default to the middle of each element. `by` is the distance in CSS pixels to
        the right and down, instead of `to_ref`. `hold_s` is how many seconds to hold still after the press and before
        the drop, for lists that are sorted after a long press. Raises NotInteractable, StaleRef, InvalidArguments.
        """
        return call(self._async.drag(to_ref, by=by, position=position, to_position=to_position, hold_s=hold_s))

    def fill(self, text: str, *, append: bool = False, submit: bool = False) -> Receipt:
        """Replaces the text of a field, or appends to it; `submit` then sends it. `Receipt.value` is the new text.

        It presses Enter; where that only adds a line, it takes that away and clicks the button that sends the text.

        Raises NotInteractable, also if nothing sends it, StaleRef, and InvalidArguments for a text that the field does
        not accept, or that is not what it then holds, in whatever format, or of over a million characters.
        """
        return call(self._async.fill(text, append=append, submit=submit))

    def select(self, option: str | Sequence[str], *, by: SelectBy = "text") -> Receipt:
        """Chooses an option of a list, native or not, `by` its text, value or index; several if the list allows it.

        Raises NotInteractable, StaleRef, and InvalidArguments, which names the existing options.
        """
        return call(self._async.select(option, by=by))

    def check(self) -> Receipt:
        """Checks a checkbox, radio button or switch, unless it is checked. Raises NotInteractable, StaleRef."""
        return call(self._async.check())

    def uncheck(self) -> Receipt:
        """Unchecks a checkbox or switch if it is checked. Raises as `check`; InvalidArguments for a radio button."""
        return call(self._async.uncheck())

    def focus(self) -> Receipt:
        """Moves the keyboard focus to the element. Raises NotInteractable, StaleRef."""
        return call(self._async.focus())

    def upload(self, paths: Sequence[str]) -> Receipt:
        """Gives files to a file field, to an element that opens a file chooser, or to where files are dropped.

        Raises InvalidArguments for a file that does not exist, NotInteractable, StaleRef.
        """
        return call(self._async.upload(paths))


class Session(SyncWrapper[AsyncSession]):
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
        approve: ApproveCall | None = None,
        ask_user: AskUser | None = None,
        timeout_s: float = TOOL_TIMEOUT_S,
        page: Page | None = None,
        politeness: Politeness | None = None,
        closes_browser: bool = False,
    ) -> None:
        """`closes_browser`: the browser is closed with the session; otherwise only the tabs that calls were made in."""
        super().__init__(
            AsyncSession(
                unwrap(browser),
                tools=tools,
                secrets=secrets,
                upload_folders=upload_folders,
                schemes=schemes,
                approve=approve_call_of(approve, Page),
                ask_user=ask_user_of(ask_user),
                timeout_s=timeout_s,
                page=unwrap(page),
                politeness=politeness,
                closes_browser=closes_browser,
            )
        )

    @property
    def browser(self) -> BrowserContext:
        """The browser, or the context of one, that the session works in."""
        return BrowserContext(read(lambda: self._async.browser))

    @property
    def tools(self) -> Mapping[str, Tool]:
        """The tools that can be called, by name."""
        return read(lambda: self._async.tools)

    @property
    def secrets(self) -> Secrets:
        """The values of placeholders."""
        return read(lambda: self._async.secrets)

    @property
    def page(self) -> Page | None:
        """The current tab; None before the first call, or when it was closed."""
        return Page(found) if (found := read(lambda: self._async.page)) is not None else None

    def call(
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
        return call(self._async.call(name, arguments, tab=tab, model=model, permissions=permissions, dialogs=dialogs))

    def close(self) -> None:
        """Closes the tabs that calls were made in, and their popups, or the browser if the session opened it."""
        closed(self._async)

    def close_tabs_with_input(self) -> None:
        """Closes the tabs in which something was filled in: to be called before `close` where nothing is to be lost.

        Raises ActionError if a page asks whether to leave it with something that was filled in and not sent; it stays.
        A tab that hangs is left to `close`.
        """
        call(self._async.close_tabs_with_input())

    @staticmethod
    def launch(
        *,
        headless: bool = True,
        executable: str | None = None,
        profile: str | os.PathLike[str] | None = None,
        args: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        viewport: Viewport | tuple[int, int] | None = (1280, 800),
        downloads: str | os.PathLike[str] | None = None,
        dialogs: DialogPolicy | None = None,
        proxy: str | Proxy | None = None,
        storage_state: str | os.PathLike[str] | None = None,
        timeout_s: float = 30.0,
        **settings: Unpack[SettingsKeywords],
    ) -> Session:
        """A Chrome of our own, of which nothing is left once it is closed, or once this process ends in any way.

        Without a `profile` it gets a temporary one. `args` are added to its command line, `env` to its environment,
        which has only what Chrome may need of ours, such as DISPLAY and proxies. `viewport` is in CSS pixels (None: the
        size of the window). Downloads go to a folder inside the profile, or to `downloads`. `storage_state` is a file
        of cookies and local storage, as `save_storage_state` writes it. For the other settings, see `PageSettings`.
        Raises SetupError for an invalid setting, and BrowserError, with the end of Chrome's stderr, when it does not
        start within `timeout_s`.
        """
        return Session.of(
            opened(
                AsyncSession.launch(
                    headless=headless,
                    executable=executable,
                    profile=profile,
                    args=args,
                    env=env,
                    viewport=viewport,
                    downloads=downloads,
                    dialogs=dialogs,
                    proxy=proxy,
                    storage_state=storage_state,
                    timeout_s=timeout_s,
                    **settings,
                )
            )
        )

    @staticmethod
    def connect(
        endpoint: str | Sequence[str] = AUTO,
        *,
        profile: str | os.PathLike[str] | None = None,
        headers: Mapping[str, str] | None = None,
        timeout_s: float = 5.0,
        viewport: Viewport | tuple[int, int] | None = None,
        downloads: str | os.PathLike[str] | None = None,
        dialogs: DialogPolicy | None = None,
        proxy: str | Proxy | None = None,
        storage_state: str | os.PathLike[str] | None = None,
        **settings: Unpack[SettingsKeywords],
    ) -> Session:
        """A running Chrome at `http(s)://host:port` or `ws(s)://…`; several are tried in order, for `timeout_s` each.

        "auto" is the Chrome that the user works with, found in its usual profile folder or in `profile`. `headers` are
        sent with the requests to the endpoint. The Chrome is never ended: only tabs that we opened are closed, and they
        stay in the background. Settings apply to these tabs and their popups: all other tabs keep their size, focus,
        dialogs and downloads, and no rules apply to them. When a page asks for its `geolocation`, Chrome asks its user.
        With a `proxy` or a `storage_state`, our tabs are in their own browser context, like a private window. When the
        Chrome is lost, `reopen` tries the next endpoint. Raises SetupError for an endpoint that is not an address, and
        BrowserError, which says what happened at each endpoint.
        """
        return Session.of(
            opened(
                AsyncSession.connect(
                    endpoint,
                    profile=profile,
                    headers=headers,
                    timeout_s=timeout_s,
                    viewport=viewport,
                    downloads=downloads,
                    dialogs=dialogs,
                    proxy=proxy,
                    storage_state=storage_state,
                    **settings,
                )
            )
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Agent(SyncWrapper[AsyncAgent]):
    """Carries out tasks in a browser: a model plans, then acts step by step, and its answer is judged at the end.

    The keywords are the fields of `AgentOptions`. `model` is provider/name, for example "openai/gpt-6-luna". With
    `planner` instead, the task is carried out in steps of plain English: the planner returns a plan (`flow="plan"`) or
    one step at a time ("iterative").

    Raises SetupError for an unknown provider, a missing key, two tools with the same name, a limit on the cost of a
    model whose price is not known.
    """

    @with_options(SyncAgentOptions)
    def __init__(self, browser: BrowserContext, options: SyncAgentOptions) -> None:
        super().__init__(AsyncAgent(unwrap(browser), **async_options(options)))

    @overload
    def run(
        self, task: str, *, answer: None = None, on_event: Sink | None = None, **keywords: Unpack[RunKeywords]
    ) -> AgentResult[str]: ...

    @overload
    def run(
        self, task: str, *, answer: type[T], on_event: Sink | None = None, **keywords: Unpack[RunKeywords]
    ) -> AgentResult[T]: ...

    @overload
    def run(
        self, task: str, *, answer: Any, on_event: Sink | None = None, **keywords: Unpack[RunKeywords]
    ) -> AgentResult[Any]: ...

    def run(
        self,
        task: str,
        *,
        url: str | None = None,
        data: Any = None,
        answer: Any = None,
        page: Page | None = None,
        stop: StopSignal | None = None,
        pause: StopSignal | None = None,
        on_event: Sink | None = None,
    ) -> AgentResult[Any]:
        """Carries out the task and returns its result, also when it failed or was stopped.

        `on_event` is called with every event; for the other arguments see `stream`. Cancelling this call (also by
        `asyncio.timeout`) ends the run and raises `CancelledError`.
        """
        return call(
            self._async.run(
                task,
                url=url,
                data=data,
                answer=answer,
                page=unwrap(page),
                stop=event_of(stop),
                pause=event_of(pause),
                on_event=sink_of(on_event),
            )
        )

    @overload
    def stream(
        self, task: str, *, answer: None = None, **keywords: Unpack[RunKeywords]
    ) -> Generator[Progress | TaskCompleted[str], None, None]: ...

    @overload
    def stream(
        self, task: str, *, answer: type[T], **keywords: Unpack[RunKeywords]
    ) -> Generator[Progress | TaskCompleted[T], None, None]: ...

    @overload
    def stream(self, task: str, *, answer: Any, **keywords: Unpack[RunKeywords]) -> Generator[Event, None, None]: ...

    def stream(
        self,
        task: str,
        *,
        url: str | None = None,
        data: Any = None,
        answer: Any = None,
        page: Page | None = None,
        stop: StopSignal | None = None,
        pause: StopSignal | None = None,
    ) -> Generator[Event, None, None]:
        """Carries out the task and yields its events; the last one is `TaskCompleted`, with the result.

        The run begins at `url`, in a new tab or in `page`, which stays open afterwards. `data` is JSON data for the
        model to use. `answer` is the form of the answer: a type that msgspec can decode, which is then the type of the
        result's `answer`, or a JSON Schema; by default it is Markdown. When `stop` is set, the run ends within a
        second, as its result states; when the iterating task is cancelled, it ends as fast, without a result. When
        `pause` is set, the run pauses after its current turn or step: the user is asked with a `Paused` and may act in
        the window, and the model is then told how the page has changed. `pause` is cleared afterwards; if nobody can
        be asked, it has no effect. Raises SetupError at once for an empty task, a bad address, data that is not JSON,
        an invalid schema; later failures are in the result.
        """
        return iterate(
            read(
                lambda: self._async.stream(
                    task,
                    url=url,
                    data=data,
                    answer=answer,
                    page=unwrap(page),
                    stop=event_of(stop),
                    pause=event_of(pause),
                )
            )
        )

    def do(
        self,
        steps: Iterable[str],
        *,
        url: str | None = None,
        page: Page | None = None,
        stop: StopSignal | None = None,
        pause: StopSignal | None = None,
        on_event: Sink | None = None,
    ) -> AgentResult[str]:
        """Carries out these steps and returns the result of the run; see `stream_steps`."""
        return call(
            self._async.do(
                steps,
                url=url,
                page=unwrap(page),
                stop=event_of(stop),
                pause=event_of(pause),
                on_event=sink_of(on_event),
            )
        )

    def stream_steps(
        self,
        steps: Iterable[str],
        *,
        url: str | None = None,
        page: Page | None = None,
        stop: StopSignal | None = None,
        pause: StopSignal | None = None,
    ) -> Generator[Progress | TaskCompleted[str], None, None]:
        """Carries out steps in plain English, one act each, without a planner; see `stream`.

        Code finds what each step means on the current page. A step that it cannot resolve is given to the executor's
        model; without one, it fails, and the error lists the candidates. The answer is the output of the last step. The
        steps need no approval, unless `approve` says otherwise. Raises SetupError when there are no steps.
        """
        return iterate(
            read(
                lambda: self._async.stream_steps(
                    steps, url=url, page=unwrap(page), stop=event_of(stop), pause=event_of(pause)
                )
            )
        )

    @overload
    @staticmethod
    def resume(
        browser: BrowserContext, folder: Path, *, answer: type[T], **keywords: Unpack[ResumeKeywords]
    ) -> Generator[Progress | TaskCompleted[T], None, None]: ...

    @overload
    @staticmethod
    def resume(
        browser: BrowserContext, folder: Path, *, answer: Any = None, **keywords: Unpack[ResumeKeywords]
    ) -> Generator[Event, None, None]: ...

    @staticmethod
    def resume(
        browser: BrowserContext,
        folder: Path,
        *,
        answer: Any = None,
        stop: StopSignal | None = None,
        pause: StopSignal | None = None,
        **options: Unpack[ResumeOptions],
    ) -> Generator[Event, None, None]:
        """Continues a run from its checkpoint `folder`, in new tabs; see `stream`.

        The model is asked at the same address as before, or at `base_url`. Where the answer had a type, pass it again
        as `answer`: without it the answer is JSON. `approve`, `approver` and `ask_user` are not stored and have to be
        passed again; a risky step that was under way is asked about, not repeated. Raises SetupError when the folder
        contains no run, or the run's answer had another form.
        """
        return iterate(
            read(
                lambda: AsyncAgent.resume(
                    unwrap(browser),
                    folder,
                    answer=answer,
                    stop=event_of(stop),
                    pause=event_of(pause),
                    **async_options(options),
                )
            )
        )
