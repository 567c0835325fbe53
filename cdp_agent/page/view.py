"""What can be read of a tab, each subject in a module of its own. Nothing here changes the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from cdp_agent.page.picture.screenshot import screenshot
from cdp_agent.page.query import find as finding
from cdp_agent.page.query import markup, schema
from cdp_agent.page.query.find import FindResult
from cdp_agent.page.query.markup import CleanHtml, outer_html
from cdp_agent.page.query.schema import PageSchema
from cdp_agent.page.refs.locate import locate
from cdp_agent.page.snapshot.refs import parse_ref
from cdp_agent.page.snapshot.snapshot import Snapshot
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
        """Where the lines of the snapshot match, over all frames; see `search.search`."""
        from cdp_agent.page.query import search as searching  # late: 15 ms, half of it the regex package

        tree = await self.frames()
        await self.adopt_saved()
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
        """The elements that match a CSS selector, over all frames and shadow roots; see `find.find`."""
        tree = await self.frames()
        await self.adopt_saved()
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
        """All that a reader sees of the page, as Markdown; see `contents`.

        With a budget it is at most so many tokens long, the main content first, and its last line says what was cut.
        """
        found = await self.contents()
        return found.text if budget_tokens is None else found.within(budget_tokens)

    async def contents(self) -> Markdown:
        """The page as Markdown in blocks, all frames in document order. Raises PageUnresponsive, BrowserError."""
        from cdp_agent.page.markdown import markdown as markdowns  # late: 39 ms, with lxml

        tree = await self.frames()
        async with self.reading:
            return await markdowns.take(tree, self.refs)

    async def screenshot(self, *, full_page: bool = False, marks: bool = False, hidden: Spans | None = None) -> bytes:
        """A PNG of the viewport, or of the whole page; `marks`: with refs around what can be acted on in the viewport.

        The marks are painted onto the picture, not into the page, and so are covers over all text in which `hidden`
        finds something. Raises PageUnresponsive, DocumentGone, BrowserError.
        """
        return await screenshot(self, full_page=full_page, marks=marks, hidden=hidden)

    async def html(self, selector: str = "html") -> str:
        """The markup of the first element that matches, in any frame. Raises ActionError when there is none."""
        return await outer_html(self, selector)

    async def clean_html(self, ref: str | None = None, *, budget_tokens: int | None = None) -> CleanHtml:
        """The markup of an element or of the page, as a reader of it wants it; see `markup.clean_html`."""
        return await markup.clean_html(self, ref, budget_tokens=budget_tokens)

    async def schema(self, *, budget_tokens: int | None = None) -> PageSchema:
        """What can be acted on, as data, all frames in document order; see `schema.take`."""
        tree = await self.frames()
        await self.adopt_saved()
        async with self.reading:
            found = await schema.take(tree, self.refs, budget_tokens=budget_tokens)
        self.told |= {parse_ref(each.id) for each in found.elements}
        return found
