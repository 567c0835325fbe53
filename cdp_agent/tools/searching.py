"""The tool that searches the web, for those who have configured a search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from cdp_agent.tools.base import Arguments, Context, Observation, Tool, tool

if TYPE_CHECKING:
    from cdp_agent.websearch import Search


class WebSearchArguments(Arguments, frozen=True):
    query: Annotated[str, Meta(min_length=1, description="What to search for, as for a search engine.")]
    max_results: Annotated[int, Meta(ge=1, le=20, description="How many results at most.")] = 10


def searching(search: Search) -> Tool:
    """The tool `web_search` for this search. It ends a batch: what it finds has to be read before going on."""

    @tool(read_only=True, page_changing=True, by_default=False, gives="title, address and a few words of each result")
    async def web_search(args: WebSearchArguments, context: Context) -> Observation:
        """Search the web: title, address and a few words of each result. Your page stays as it is.

        Open one of the addresses with goto to read it: the few words are no evidence.
        """
        found = await search.find(args.query, browser=context.browser, max_results=args.max_results)
        return Observation(found.text, found)

    return web_search
