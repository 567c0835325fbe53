"""Tools that read the page, and one that searches the web if a search is configured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Meta

from cdp_agent.tools.base import Arguments, Context, Observation, Ref, Tool, tool

if TYPE_CHECKING:
    from cdp_agent.websearch import Search

_NOTHING_OPEN = "(No page is open yet: open one with goto.)"
_LEFT_FOR_NOTHING = "(The tab has gone to about:blank, where nothing is: open a page with goto.)"


class SnapshotArguments(Arguments, frozen=True):
    budget_tokens: Annotated[int, Meta(ge=0, description="How long it may be, in tokens; 0 for all of it.")] = 10_000


class GetSchemaArguments(Arguments, frozen=True):
    budget_tokens: Annotated[int, Meta(ge=0, description="How long it may be, in tokens; 0 for all of it.")] = 8_000


class MarkdownArguments(Arguments, frozen=True):
    main: Annotated[bool, Meta(description="The main content alone.")] = False
    links: Annotated[Literal["full", "numbered", "none"], Meta(description="Their addresses.")] = "full"
    budget_tokens: Annotated[int, Meta(ge=0, description="How long it may be, in tokens; 0 for all of it.")] = 0


class GetHtmlArguments(Arguments, frozen=True):
    ref: Annotated[Ref | None, Meta(description="The element; without, the whole page.")] = None
    budget_tokens: Annotated[int, Meta(ge=0, description="How long it may be, in tokens; 0 for all of it.")] = 5_000


@tool(read_only=True, gives="all that the page says, with refs")
async def snapshot(args: SnapshotArguments, context: Context) -> Observation:
    """Read the page: each element that matters on a line, with its ref."""
    view = await context.page.snapshot(budget_tokens=args.budget_tokens or None)
    if not view.text and context.page.url == "about:blank":
        is_first = context.tab.activity.document.number == 0
        return Observation(_NOTHING_OPEN if is_first else _LEFT_FOR_NOTHING, view)
    return Observation(context.read(view.text_or_note), view)


@tool(read_only=True, by_default=False, gives="what can be acted on, as JSON, with refs as ids")
async def get_schema(args: GetSchemaArguments, context: Context) -> Observation:
    """Read what can be acted on, as JSON.

    Of each: id (the ref), type, role, label, placeholder, text, state, location. The location is left, top, width and
    height in pixels of the viewport.
    """
    found = await context.page.schema(budget_tokens=args.budget_tokens or None)
    return Observation(found.text, found)


@tool(read_only=True, by_default=False, by_callers=True, gives="all that the page says, as Markdown")
async def markdown(args: MarkdownArguments, context: Context) -> Observation:
    """Read the page as Markdown, without refs."""
    text = await context.page.markdown(main=args.main, links=args.links, budget_tokens=args.budget_tokens or None)
    return Observation(context.read(text))


@tool(read_only=True, by_default=False, gives="the markup, cut where it is long")
async def get_html(args: GetHtmlArguments, context: Context) -> Observation:
    """Read the markup of an element or the page, without scripts, styles and comments.

    Use it only when all else fails.
    """
    found = await context.page.clean_html(args.ref, budget_tokens=args.budget_tokens or None)
    notice = f"\n… cut here: {found.cut:,} characters more. Ask for an element in it." if found.cut else ""
    return Observation(found.text + notice, found)


class WebSearchArguments(Arguments, frozen=True):
    query: Annotated[str, Meta(min_length=1, description="What to search for, as for a search engine.")]
    max_results: Annotated[int, Meta(ge=1, le=20, description="How many results at most.")] = 10


def searching(search: Search) -> Tool:
    """The tool `web_search` for this search. It ends a batch: its results have to be read before going on."""

    @tool(read_only=True, page_changing=True, by_default=False, gives="title, address and a few words of each result")
    async def web_search(args: WebSearchArguments, context: Context) -> Observation:
        """Search the web: title, address and a few words of each result. Your page stays as it is.

        Open one of the addresses with goto to read it: the few words are no evidence.
        """
        found = await search.find(args.query, browser=context.browser, max_results=args.max_results)
        return Observation(found.text, found)

    return web_search
