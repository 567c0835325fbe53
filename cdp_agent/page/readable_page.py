"""What can be read of a tab, for its public class; what can be done in it is in page.py."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, overload

from cdp_agent.page import parts
from cdp_agent.page.activity.bodies import ResponseBody, document_or_body_of
from cdp_agent.page.activity.console import ConsoleResult, Level
from cdp_agent.page.activity.request_log import RequestsResult, Status
from cdp_agent.page.files.contents import FileContent, FileWindow
from cdp_agent.page.locators.target import Target, ref_of
from cdp_agent.page.snapshot.budget import is_whole
from cdp_agent.page.snapshot.snapshot import Snapshot
from cdp_agent.page.tab.tab import Tab

if TYPE_CHECKING:
    from cdp_agent.page.data.records import Record, Records
    from cdp_agent.page.data.structured import StructuredData
    from cdp_agent.page.data.tables import Tables
    from cdp_agent.page.data.typed import Row
    from cdp_agent.page.markdown.markdown_links import Links
    from cdp_agent.page.picture.pdf import PaperFormat
    from cdp_agent.page.picture.redactions import Spans
    from cdp_agent.page.picture.video import VideoRecording
    from cdp_agent.page.query.find import FindResult
    from cdp_agent.page.query.markup import CleanHtml
    from cdp_agent.page.query.schema import PageSchema
    from cdp_agent.page.query.search import SearchResult
    from cdp_agent.page.tab.saving import HarSaved


class ReadablePage:
    """A tab whose page can be read: as text, as pictures, and what it has sent and logged."""

    def __init__(self, tab: Tab) -> None:
        """Called only by `page_of`."""
        self._tab = tab

    async def snapshot(self, *, budget_tokens: int | None = None) -> Snapshot:
        """The page as text, with a ref for each relevant element, all frames in document order.

        Without a budget it is complete; with one it has at most `budget_tokens` tokens, and its last line states what
        was left out. A ref stays valid as long as its element exists. Frames that could not be read are in `omitted`.
        """
        snapshot = await self._tab.read(budget_tokens)
        self._tab.note_shown(snapshot.text if is_whole(snapshot.text) else None)
        return snapshot

    async def search(
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
        from cdp_agent.page.query.search import search  # late: 15 ms, half of it the regex package

        return await search(
            self._tab,
            pattern,
            regex=regex,
            case_sensitive=case_sensitive,
            context_chars=context_chars,
            max_results=max_results,
            offset=offset,
            cover=cover,
        )

    async def find(
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
        return await parts.find.find(
            self._tab,
            selector,
            within=await ref_of(self._tab, within),
            attributes=attributes,
            max_results=max_results,
            offset=offset,
            include_text=include_text,
        )

    async def markdown(self, *, main: bool = False, links: Links = "full", budget_tokens: int | None = None) -> str:
        """The visible content of the page as Markdown, all frames in document order.

        `main`: the main content alone, by what the page declares and by where its text is; a line at the end says what
        is around it. `links`: their addresses "full", as numbers of a list at the end ("numbered"), or left out
        ("none"). With a budget it has at most `budget_tokens` tokens, main content first, and its last line states what
        was cut. Raises InvalidArguments.
        """
        from cdp_agent.page.markdown import markdown  # late: 6 ms, with its parser

        found = await markdown.take(self._tab, markdown.Writing(main, links, budget_tokens is not None))
        return found.text if budget_tokens is None else found.within(budget_tokens)

    async def tables(self, ref: Target | None = None, *, pages: int = 1) -> Tables:
        """The tables and grids with data in all frames, read by code: `columns` by their headers, `rows` as dicts.

        `ref` is that of a table, or of an element with tables. Links are in columns of their own. `total` is how many
        rows there are, if the page says that, and `more` what leads to others. Frames that could not be read are in
        `unread`. Raises InvalidArguments and StaleRef for `ref`.

        With `pages`, the rows of up to so many pages of the table that goes on: by its next links, what loads more, or
        scrolling, where each screen counts. It stays at the last one. `notices` says how many were read, why no more,
        and what failed. Nothing is sent by a form for it.
        """
        from cdp_agent.page.actions import reading_on  # late, as markdown

        return await reading_on.tables(self._tab, await ref_of(self._tab, ref), pages)

    @overload
    async def records(self, ref: Target | None = None, *, as_type: None = None, pages: int = 1) -> Records[Record]: ...

    @overload
    async def records(self, ref: Target | None = None, *, as_type: type[Row], pages: int = 1) -> Records[Row]: ...

    async def records(
        self, ref: Target | None = None, *, as_type: type[Any] | None = None, pages: int = 1
    ) -> Records[Any]:
        """What repeats on the page, or in the element `ref`, as dicts: rows, cards, items of a list, pairs of a <dl>.

        Fields are called by `itemprop`, term, label or class; links, sources of images and data attributes are fields,
        too. `fields` are their names; frames that could not be read are in `unread`. `total`, `more`, `pages` and
        `notices`: as of `tables`. Raises InvalidArguments and StaleRef for `ref`.

        With `as_type` each is a value of that type: of msgspec, a dataclass, a TypedDict, or a model of pydantic. A
        field is that of the same name, whatever its case, spaces and underscores; a number is read with its currency
        and separators of thousands. Raises InvalidArguments that names the records that do not fit.
        """
        from cdp_agent.page.actions import reading_on  # late, as markdown

        return await reading_on.records(self._tab, await ref_of(self._tab, ref), pages, as_type)

    async def read_file(
        self, name: str | None = None, *, offset: int = 0, limit: int = 1_000, sheet: str | None = None
    ) -> FileContent:
        """What is in a file that was downloaded in the browser context: a PDF, CSV, TSV, XLSX, JSON, NDJSON or a text.

        `name` is its name or path, as receipts have it; None: the file that the tab shows, else the last download.
        `limit` rows, pages or lines after the first `offset` are read, of a workbook those of each `sheet`, within
        20 s. A first row names the columns of a table. Raises InvalidArguments for a name that no download has;
        ActionError where nothing can be read, which says what to install for PDF and XLSX (the extra `files`).
        """
        from cdp_agent.page.data.files import file_of  # late, as markdown

        return await file_of(self._tab, name, FileWindow(offset, limit, sheet))

    async def structured_data(self) -> StructuredData:
        """What the page states for programs, in all frames: JSON-LD, microdata, <meta>, the state of its scripts."""
        from cdp_agent.page.data import structured  # late, as markdown

        return await structured.structured_data(self._tab)

    async def console(self, *, level: Level = "all", text: str | None = None, max_results: int = 50) -> ConsoleResult:
        """The console messages and uncaught exceptions of the page since its document began.

        `level` is "error", "warning" (includes errors) or "all"; `text` is a part of the message, ignoring case. The
        latest `max_results` are returned. Chrome keeps the last 1,000 of each process. Raises InvalidArguments.
        """
        tree = await self._tab.frames()
        return await self._tab.activity.console.messages(tree, level=level, text=text, max_results=max_results)

    async def requests(
        self, *, kind: str | None = None, status: Status | None = None, text: str | None = None, max_results: int = 50
    ) -> RequestsResult:
        """The requests that the tab has sent since its document was requested, including those of its frames.

        `kind` is Chrome's name ("document", "xhr", "fetch", "script", …), or "api" for xhr and fetch; `status` a number
        (422), a class ("4xx"), "failed" or "pending"; `text` a part of "POST https://…", ignoring case. The latest
        `max_results` are returned, with their response headers. The last 1,000 are kept. Raises InvalidArguments.
        """
        await self._tab.frames()
        return self._tab.activity.requests.log.found(kind=kind, status=status, text=text, max_results=max_results)

    async def response_body(self, number: int, *, path: str | None = None) -> ResponseBody:
        """The response body of a request in `requests`, by its `number`, or the part of its JSON at the `path`.

        A path is like `items[].name`: names from the outermost on, `[]` for each element, `[2]` for one, `[0:10]` for
        some. Raises ActionError if Chrome has not kept it: it keeps the latest 2 MB of each process, and no body over
        200 KB, but for the tab's document itself, such as a PDF; InvalidArguments for a path that leads nowhere.
        """
        root = (await self._tab.frames()).root
        body = await document_or_body_of(self._tab.activity.requests.log.request(number), root)
        return body if path is None else body.part(path)

    async def har(
        self,
        path: str | os.PathLike[str],
        *,
        bodies: bool = True,
        credentials: bool = False,
        mask: Callable[[str], str] | None = None,
        max_body_bytes: int = 10_000_000,
    ) -> HarSaved:
        """Writes the requests that the tab has sent since its document was requested to a HAR 1.2 file.

        It contains headers, cookies, timings and bodies, is readable by the user alone (mode 600), and replaces an
        existing file. All bodies together have at most `max_body_bytes`, those of the latest requests first. Values of
        cookies and of headers with credentials are included only with `credentials`; `mask` is called with every text,
        and returns the text to write instead. The file's comments and `left_out` state what is missing. Raises
        ActionError if the file cannot be written.
        """
        content, requests, left_out = await parts.saving.har_content(
            self._tab, bodies=bodies, credentials=credentials, mask=mask, max_body_bytes=max_body_bytes
        )
        return parts.saving.HarSaved(await parts.saving.save(path, content), requests, len(content), left_out)

    async def screenshot(
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
        at = await ref_of(self._tab, ref)
        return await parts.view.take(self._tab, full_page=full_page, marks=marks, ref=at, region=region, hidden=hidden)

    async def zoom(self, region: Sequence[float], *, hidden: Spans | None = None) -> bytes:
        """A PNG of a part of the viewport, enlarged up to four times, but no larger than models can use.

        `region` is left, top, right and bottom in CSS pixels. `hidden`: see `screenshot`. Raises InvalidArguments for a
        region that is not in the viewport.
        """
        return (await parts.view.zoom_to(self._tab, region, hidden=hidden)).data

    def record_video(
        self,
        path: str | os.PathLike[str],
        *,
        max_width: int | None = None,
        max_height: int | None = None,
        frame_rate: int = 10,
    ) -> AbstractAsyncContextManager[VideoRecording]:
        """Records a video of the tab while the block runs: `async with page.record_video("run.mp4"): …`.

        Chrome makes the video, AV1 in an MP4 file, which is written when the block ends, readable by the user alone. It
        has the size of the viewport, but at most `max_width` and `max_height` pixels, and at most `frame_rate` frames a
        second. Nothing is masked in it: it shows everything on the page, even secrets. Entering raises InvalidArguments
        for a file that cannot be written, SetupError if Chrome is too old, PageClosed; leaving raises ActionError
        if the tab was closed in the block, so that there is no video.
        """
        return parts.video.record_video(
            self._tab, path, max_width=max_width, max_height=max_height, frame_rate=frame_rate
        )

    async def pdf(
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
        options = parts.pdf.PdfOptions(
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
        )
        return await parts.pdf.print_pdf(self._tab, options, path, hidden=hidden)

    async def html(self, selector: str = "html") -> str:
        """The markup of the first element that matches a CSS selector, in any frame.

        Raises ActionError if there is none, InvalidArguments for an invalid selector.
        """
        return await parts.markup.outer_html(self._tab, selector)

    async def clean_html(self, ref: Target | None = None, *, budget_tokens: int | None = None) -> CleanHtml:
        """The cleaned markup of an element or the page, with shadow roots and frames, cut after `budget_tokens`."""
        return await parts.markup.clean_html(self._tab, await ref_of(self._tab, ref), budget_tokens=budget_tokens)

    async def schema(self, *, budget_tokens: int | None = None) -> PageSchema:
        """The interactive elements as data, all frames in document order; with a budget, as many as fit."""
        return await parts.schema.take(self._tab, budget_tokens=budget_tokens)
