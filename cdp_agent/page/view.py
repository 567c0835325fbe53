"""What can be read of a tab, each subject in a module of its own. Nothing here changes the page."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from cdp_agent.errors import InvalidArguments
from cdp_agent.page.activity.bodies import ResponseBody, body_of
from cdp_agent.page.activity.console import ConsoleResult, Level
from cdp_agent.page.activity.request_log import RequestsResult, Status
from cdp_agent.page.picture.part import take_element
from cdp_agent.page.picture.pdf import PaperFormat, PdfOptions, print_pdf
from cdp_agent.page.picture.screenshot import screenshot
from cdp_agent.page.picture.video import VideoRecording, record_video
from cdp_agent.page.picture.view import view_of
from cdp_agent.page.picture.view import zoom as zoomed
from cdp_agent.page.query import find as finding
from cdp_agent.page.query import markup, schema
from cdp_agent.page.query.find import FindResult
from cdp_agent.page.query.markup import CleanHtml, outer_html
from cdp_agent.page.query.schema import PageSchema
from cdp_agent.page.refs.locate import locate
from cdp_agent.page.snapshot.refs import parse_ref
from cdp_agent.page.snapshot.snapshot import Snapshot
from cdp_agent.page.tab.saving import HarSaved, save
from cdp_agent.page.tab.tab import Tab

if TYPE_CHECKING:
    from cdp_agent.page.markdown.markdown import Markdown
    from cdp_agent.page.picture.redactions import Spans
    from cdp_agent.page.query.search import SearchResult


class View(Tab):
    """What a program and a model can see of a tab."""

    async def snapshot(self, *, budget_tokens: int | None = None) -> Snapshot:
        """The page as text, every element that matters with a ref, all frames in document order.

        Without a budget it is complete; with one it is at most so many tokens long and its last line accounts for
        what was left out. A ref stays valid as long as its element lives. Frames that could not be read are in
        `omitted`. Raises PageUnresponsive, DocumentGone, BrowserError.
        """
        snapshot = await self.read(budget_tokens)
        self.filled.clear()
        return snapshot

    async def search(
        self,
        pattern: str,
        *,
        regex: bool = False,
        case_sensitive: bool = False,
        context_chars: int = 80,
        max_results: int = 10,
        cover: Callable[[str], str] | None = None,
    ) -> SearchResult:
        """Where the lines of the snapshot match, over all frames: names, texts, values and options.

        `pattern` is a text, whose words may stand in neighbouring cells, in any case unless `case_sensitive`, with
        quotes and dashes of any form; or with `regex` an expression of the `regex` package. `context_chars` are told
        before and after each match, and `max_results` matches at most; `total` counts them all. `cover` may hide parts
        of a text before anything looks into it: it puts as many characters in their place. Raises InvalidArguments for
        a bad pattern, one that takes too long, and values out of range; PageUnresponsive, BrowserError.
        """
        from cdp_agent.page.query import search as searching  # late: 15 ms, half of it the regex package

        tree = await self.frames()
        async with self.reading:
            result = await searching.search(
                tree,
                self.refs,
                pattern,
                regex=regex,
                case_sensitive=case_sensitive,
                context_chars=context_chars,
                max_results=max_results,
                cover=cover,
            )
        self.told |= {parse_ref(match.ref) for match in result.matches if match.ref}
        return result

    async def find(
        self,
        selector: str,
        *,
        within: str | None = None,
        attributes: Sequence[str] = (),
        max_results: int = 20,
        include_text: bool = True,
    ) -> FindResult:
        """The elements that match a CSS selector, closed shadow roots and frames of all processes included.

        `within` is the ref of an element: what is below it, its shadow root and, for an iframe, its document.
        `attributes` names those to be told, `max_results` how many elements at most; `total` counts them all. Raises
        InvalidArguments for a bad selector, with Chrome's reason, and values out of range; StaleRef, PageUnresponsive,
        BrowserError.
        """
        tree = await self.frames()
        scope = await locate(self, within) if within is not None else None
        async with self.reading:
            result = await finding.find(
                tree,
                self.refs,
                selector,
                within=scope,
                attributes=attributes,
                max_results=max_results,
                include_text=include_text,
            )
        self.told |= {parse_ref(ref) for each in result.elements for ref in (each.ref, each.near_ref) if ref}
        return result

    async def markdown(self, *, budget_tokens: int | None = None) -> str:
        """All that a reader sees of the page, as Markdown, all frames in document order.

        With a budget it is at most so many tokens long, the main content first, and its last line says what was cut.
        Raises PageUnresponsive, BrowserError.
        """
        found = await self.contents()
        return found.text if budget_tokens is None else found.within(budget_tokens)

    async def contents(self) -> Markdown:
        """The page as Markdown in blocks, all frames in document order. Raises PageUnresponsive, BrowserError."""
        from cdp_agent.page.markdown import markdown as markdowns  # late: 39 ms, with lxml

        tree = await self.frames()
        async with self.reading:
            return await markdowns.take(tree, self.refs)

    async def console(self, *, level: Level = "all", text: str | None = None, max_results: int = 50) -> ConsoleResult:
        """What the page wrote to its console since its document began, and what it threw that nobody caught.

        `level`: "error", "warning" (and errors) or "all"; `text` a part of the message, whatever the case; of those the
        latest are told, `max_results` at most. Chrome keeps the last 1,000 of each process. Raises InvalidArguments,
        PageUnresponsive, BrowserError.
        """
        return await self.activity.console.messages(
            await self.frames(), level=level, text=text, max_results=max_results
        )

    async def requests(
        self, *, kind: str | None = None, status: Status | None = None, text: str | None = None, max_results: int = 50
    ) -> RequestsResult:
        """The requests that the tab has sent since its document was asked for, those of its frames too.

        `kind` is as Chrome names it ("document", "xhr", "fetch", "script", …), "api" for xhr and fetch; `status` a
        number (422), its class ("4xx"), "failed" or "pending"; `text` a part of "POST https://…", whatever the case; of
        those the latest are told, `max_results` at most. The last 1,000 are remembered. Raises InvalidArguments,
        PageUnresponsive, BrowserError.
        """
        await self.frames()
        return self.activity.requests.log.found(kind=kind, status=status, text=text, max_results=max_results)

    async def response_body(self, number: int) -> ResponseBody:
        """The body that came as the answer to a request of `requests`.

        Raises ActionError where Chrome does not keep it: of each process it keeps 2 MB in all, the latest.
        """
        await self.frames()
        return await body_of(self.activity.requests.log.request(number))

    async def har(
        self,
        path: str | os.PathLike[str],
        *,
        bodies: bool = True,
        credentials: bool = False,
        mask: Callable[[str], str] | None = None,
        max_body_bytes: int = 10_000_000,
    ) -> HarSaved:
        """Writes the requests that the tab has sent since its document was asked for into a HAR 1.2 file.

        With headers, cookies, timings, what was sent and what came, for the user alone (mode 600), in the place of what
        was there. All bodies are `max_body_bytes` long at most, those of the latest requests first. The values of
        cookies, and of headers that let in whoever has them, are in it with `credentials`; `mask` is given every text,
        and returns it as it may be seen. What is not in the file is said in its comments, and in `left_out`. Raises
        ActionError for a file that cannot be written, PageUnresponsive, BrowserError.
        """
        content, requests, left_out = await self.har_content(
            bodies=bodies, credentials=credentials, mask=mask, max_body_bytes=max_body_bytes
        )
        return HarSaved(await save(path, content), requests, len(content), left_out)

    async def har_content(
        self,
        *,
        bodies: bool = True,
        credentials: bool = False,
        mask: Callable[[str], str] | None = None,
        max_body_bytes: int = 10_000_000,
    ) -> tuple[bytes, int, list[str]]:
        """What `har` writes, how many requests are in it, and what is left out."""
        from cdp_agent.page.activity import har_file  # late: few need it, and it brings the email package along

        options = har_file.HarOptions(bodies, credentials, mask, max_body_bytes)
        session = (await self.frames()).root.session
        har, left_out = await har_file.har_of(self.activity, session, self.title, options)
        return await asyncio.to_thread(har_file.written, har, mask), len(har.log.entries), left_out

    async def screenshot(
        self,
        *,
        full_page: bool = False,
        marks: bool = False,
        ref: str | None = None,
        region: Sequence[float] | None = None,
        hidden: Spans | None = None,
    ) -> bytes:
        """A PNG of the viewport, or of the whole page; `marks`: with refs around what can be acted on in the viewport.

        With `ref`, of that element alone, which is scrolled to where it is not all in view; with `region`, of the part
        of the viewport that it names, see `zoom`. The marks are painted onto the picture, not into the page, and so are
        covers over all text in which `hidden` finds something. Raises InvalidArguments, NotInteractable for an element
        that has no place, StaleRef, PageUnresponsive, DocumentGone, BrowserError.
        """
        if region is not None and ref is None and not (full_page or marks):
            return await self.zoom(region, hidden=hidden)
        if ref is None and region is None:
            return await screenshot(self, full_page=full_page, marks=marks, hidden=hidden)
        if region is not None or full_page or marks:
            raise InvalidArguments("Give ref or region alone: full_page and marks are for pictures of the page.")
        return (await take_element(self, await locate(self, ref or ""), hidden=hidden)).data

    async def zoom(self, region: Sequence[float], *, hidden: Spans | None = None) -> bytes:
        """A PNG of a part of the viewport in more pixels, up to four for one, as many as models look at.

        `region` is left, top, right and bottom in CSS pixels. `hidden`: see `screenshot`. Raises InvalidArguments for
        what is no part of it, PageUnresponsive, DocumentGone, BrowserError.
        """
        if len(region) != 4:
            raise InvalidArguments(f"region is left, top, right and bottom, not {len(region)} numbers.")
        share = (await view_of(self)).share
        left, top, right, bottom = (each * share for each in region)
        return (await zoomed(self, left, top, right, bottom, hidden=hidden)).data

    def record_video(
        self,
        path: str | os.PathLike[str],
        *,
        max_width: int | None = None,
        max_height: int | None = None,
        frame_rate: int = 10,
    ) -> AbstractAsyncContextManager[VideoRecording]:
        """Films the tab while the block runs: `async with page.record_video("run.mp4"): …`.

        Chrome makes the film, AV1 in an MP4 file, which is written when the block ends, for the user alone. It is as
        large as the viewport, or no larger than `max_width` and `max_height` in pixels, with `frame_rate` pictures a
        second at most. Nothing is covered in it: it shows whatever the page does, secrets too. Entering raises
        InvalidArguments for a file that cannot be written, SetupError where the Chrome is too old, PageClosed; leaving
        raises ActionError where the tab was closed in the block, so that there is no film.
        """
        return record_video(self, path, max_width=max_width, max_height=max_height, frame_rate=frame_rate)

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
        """The page as a PDF, as its printer would get it, tagged for readers, and written to `path` where one is given.

        `scale` is 0.1 to 2; `page_ranges` such as "1-5, 8"; the templates are HTML, in which Chrome fills elements of
        the classes date, title, url, pageNumber and totalPages. `prefer_css_page_size`: where the page has a paper size
        of its own. `outline`: with bookmarks for its headings. Where `hidden` finds something anywhere in the page
        there is no PDF, as nothing can be covered in one. Raises InvalidArguments, BlockedByPolicy, PageUnresponsive,
        BrowserError.
        """
        options = PdfOptions(
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
        content = await print_pdf(self, options, hidden=hidden)
        if path is not None:
            await save(path, content)
        return content

    async def html(self, selector: str = "html") -> str:
        """The markup of the first element that matches a CSS selector, in any frame.

        Raises ActionError when there is none, InvalidArguments for a bad selector.
        """
        return await outer_html(self, selector)

    async def clean_html(self, ref: str | None = None, *, budget_tokens: int | None = None) -> CleanHtml:
        """The cleaned markup of an element, or of the page, with shadow roots and the documents of its frames inside.

        With a budget it is cut after so many tokens. Raises StaleRef, PageUnresponsive, BrowserError.
        """
        return await markup.clean_html(self, ref, budget_tokens=budget_tokens)

    async def schema(self, *, budget_tokens: int | None = None) -> PageSchema:
        """What can be acted on, as data, all frames in document order; with a budget, as much as so many tokens hold.

        Raises PageUnresponsive or DocumentGone when the tab itself cannot be read, BrowserError.
        """
        tree = await self.frames()
        async with self.reading:
            found = await schema.take(tree, self.refs, budget_tokens=budget_tokens)
        self.told |= {parse_ref(each.id) for each in found.elements}
        return found
