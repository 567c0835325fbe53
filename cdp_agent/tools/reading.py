"""Tools that read: the page as it is, all of it by a model, and the web for those who have configured a search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from cdp_agent.errors import ActionError, BadReply, InvalidArguments, Refused, SetupError
from cdp_agent.tools.base import Arguments, Context, Observation, Ref, Tool, tool

if TYPE_CHECKING:
    from cdp_agent.extract import Extraction
    from cdp_agent.websearch import Search

_MOST_LISTED = 10
_NOTHING_OPEN = "(No page is open yet: open one with goto.)"


class SnapshotArguments(Arguments, frozen=True):
    budget_tokens: Annotated[int, Meta(ge=0, description="How long it may be, in tokens; 0 for all of it.")] = 10_000


class GetSchemaArguments(Arguments, frozen=True):
    budget_tokens: Annotated[int, Meta(ge=0, description="How long it may be, in tokens; 0 for all of it.")] = 8_000


class MarkdownArguments(Arguments, frozen=True):
    budget_tokens: Annotated[int, Meta(ge=0, description="How long it may be, in tokens; 0 for all of it.")] = 0


class GetHtmlArguments(Arguments, frozen=True):
    ref: Annotated[Ref | None, Meta(description="The element; without, the whole page.")] = None
    budget_tokens: Annotated[int, Meta(ge=0, description="How long it may be, in tokens; 0 for all of it.")] = 5_000


@tool(read_only=True, gives="all that the page says, with refs")
async def snapshot(args: SnapshotArguments, context: Context) -> Observation:
    """Read the page: every element that matters on a line of its own, with its ref."""
    found = await context.page.snapshot(budget_tokens=args.budget_tokens or None)
    if not found.text and context.page.url == "about:blank":
        return Observation(_NOTHING_OPEN, found)
    return Observation(context.read(found.told), found)


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
    """Read what the page says, as Markdown, without refs."""
    return Observation(context.read(await context.page.markdown(budget_tokens=args.budget_tokens or None)))


@tool(read_only=True, by_default=False, gives="the markup, cut where it is long")
async def get_html(args: GetHtmlArguments, context: Context) -> Observation:
    """Read the markup of an element or the page, without scripts, styles and comments.

    Use it only when all else fails.
    """
    found = await context.page.clean_html(args.ref, budget_tokens=args.budget_tokens or None)
    notice = f"\n… cut here: {found.cut:,} characters more. Ask for an element in it." if found.cut else ""
    return Observation(found.text + notice, found)


class ExtractArguments(Arguments, frozen=True):
    description: Annotated[str, Meta(min_length=1, description="What to take out of the page, in words.")]
    output_schema: Annotated[
        dict[str, Any] | None,
        Meta(
            description="A JSON Schema that the result has to fit; without, it is text. For example "
            '{"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}, "required": '
            '["name"], "additionalProperties": false}}.'
        ),
    ] = None


@tool(read_only=True, needs_model=True, gives="what was asked for: text, or JSON of that schema")
async def extract(args: ExtractArguments, context: Context) -> Observation:
    """Have the whole page read, beyond what the snapshot shows, and get what you describe out of it.

    It costs a model call: use it for what must be put together from much of the page, such as all rows of a long list.
    For what the snapshot shows, or search_page and find_elements can tell, do not.
    """
    from cdp_agent.extract import extract as extract_from  # late: imports httpx, which takes long

    if context.model is None:
        raise SetupError("extract needs a model: set CDP_AGENT_MODEL, for example to openai/gpt-6-luna.")
    try:
        found = await extract_from(context.page, args.description, model=context.model, schema=args.output_schema)
    except SetupError as error:
        raise InvalidArguments(f"extract: {error}") from error
    except (BadReply, Refused) as error:
        raise ActionError(f"Nothing was extracted. {error}") from error
    return Observation(_text(found), found, tuple(found.notices), found.usage)


def _text(found: Extraction) -> str:
    """What a model reads of it."""
    if isinstance(found.value, str):
        text = found.value
    else:
        text = msgspec.json.format(msgspec.json.encode(found.value), indent=1).decode()
    if missing := found.ungrounded:
        listed = ", ".join(f"{each.path} = {each.value!r}" for each in missing[:_MOST_LISTED])
        more = f" and {len(missing) - _MOST_LISTED} more" if len(missing) > _MOST_LISTED else ""
        text += f"\n\nNot found on the page, so perhaps made up: {listed}{more}. Check before you use them."
    return "\n\n".join([text, *found.notices])


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
