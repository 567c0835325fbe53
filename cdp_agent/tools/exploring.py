"""Tools that find something on the page: by searching, by scrolling, or with a model that reads all of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from cdp_agent.errors import ActionError, BadReply, InvalidArguments, Refused, SetupError
from cdp_agent.page.actions.scroll import Direction
from cdp_agent.page.snapshot.lines import quoted, shortened, unread_lines
from cdp_agent.tools.as_csv import as_csv
from cdp_agent.tools.base import ALWAYS, Arguments, Context, Observation, Ref, tool
from cdp_agent.tools.rows import rows_in

if TYPE_CHECKING:
    from cdp_agent.extract import Extraction, Ungrounded
    from cdp_agent.page.query.find import FindResult
    from cdp_agent.page.query.search import Match, SearchResult

_MOST_LISTED = 10
_LEAST_ROWS = 3
_AMBIGUOUS = re.compile(r'[\s"\[\]\x00-\x1f\x7f-\x9f]')


class SearchPageArguments(Arguments, frozen=True):
    pattern: Annotated[str, Meta(min_length=1, description="What to look for.")]
    regex: Annotated[bool, Meta(description="Take the pattern as a regular expression.")] = False
    case_sensitive: Annotated[bool, Meta(description="Match case.")] = False
    context_chars: Annotated[int, Meta(ge=0, le=500, description="Text to show around each match.")] = 80
    max_results: Annotated[int, Meta(ge=1, le=50, description="How many to show; all are counted.")] = 10
    offset: Annotated[int, Meta(ge=0, description="Skip these.")] = 0


class FindElementsArguments(Arguments, frozen=True):
    selector: Annotated[str, Meta(min_length=1, description="A CSS selector.")]
    within_ref: Annotated[Ref | None, Meta(description="Only inside this element or iframe.")] = None
    attributes: Annotated[
        list[str] | None, Meta(description="Attributes to show, such as href; addresses come out absolute.")
    ] = None
    max_results: Annotated[int, Meta(ge=1, le=100, description="How many to show; all are counted.")] = 20
    offset: Annotated[int, Meta(ge=0, description="Skip these.")] = 0
    include_text: Annotated[bool, Meta(description="Show the text of each.")] = True


class ScrollArguments(Arguments, frozen=True):
    direction: Annotated[
        Direction, Meta(description="bottom follows a list that grows; into_view needs a ref.", extra=ALWAYS)
    ] = "down"
    pages: Annotated[float, Meta(ge=0.1, le=20, description="How far, in viewports.", extra=ALWAYS)] = 1.0
    pixels: Annotated[Annotated[int, Meta(ge=1)] | None, Meta(description="How far in pixels, instead of pages.")] = (
        None
    )
    ref: Annotated[Ref | None, Meta(description="Scroll this, or the box around it, instead of the page.")] = None
    to_text: Annotated[str | None, Meta(description="Scroll that way until this is in view.")] = None


@tool(read_only=True, gives="how often and where the text is, with refs")
async def search_page(args: SearchPageArguments, context: Context) -> Observation:
    """Search names, texts, values and options, also in frames and out of view.

    Where none matches, it tells the nearest spelling.
    """
    result = await context.page.search(
        args.pattern,
        regex=args.regex,
        case_sensitive=args.case_sensitive,
        context_chars=args.context_chars,
        max_results=args.max_results,
        offset=args.offset,
        # A regular expression could find out a secret letter by letter.
        cover=context.secrets.cover if context.secrets else None,
    )
    return Observation(_searched(args, result), result)


@tool(read_only=True, gives="how many there are, and tag, text, attributes and ref of each")
async def find_elements(args: FindElementsArguments, context: Context) -> Observation:
    """List elements by CSS selector, with attributes you name."""
    result = await context.page.find(
        args.selector,
        within=args.within_ref,
        attributes=" ".join(args.attributes or ()).replace(",", " ").split(),  # "href, title" is two
        max_results=args.max_results,
        offset=args.offset,
        include_text=args.include_text,
    )
    return Observation(_found(args, result), result)


@tool(gives="how far it went, and whether that is the end", effect="none")
async def scroll(args: ScrollArguments, context: Context) -> Observation:
    """Scroll, and wait for what loads."""
    moved = await context.page.scroll(
        args.direction, pages=args.pages, pixels=args.pixels, ref=args.ref, to_text=args.to_text
    )
    return Observation(moved.text, moved)


def _searched(args: SearchPageArguments, result: SearchResult) -> str:
    if result.total == 0:
        near = f" Nearest: {', '.join(map(repr, result.near))}" if result.near else ""
        as_text = ", with regex=false" if result.near and args.regex else ""
        lines = [f"No match for {args.pattern!r}.{near}{as_text}{'.' if near else ''}"]
    else:
        count = f"{result.total} match{'es' if result.total > 1 else ''}"
        lines = _part(count, list(map(_match_line, result.matches)), args.offset, result.total)
    return "\n".join(lines + unread_lines(result.unread))


def _part(count: str, lines: list[str], offset: int, total: int) -> list[str]:
    """The lines of a part of what was found, with how much there is, and how to get what follows."""
    if not lines:
        return [f"{count}, none after the first {offset}."]
    end = offset + len(lines)
    more = [f"and {total - end} more: offset={end}"] if end < total else []
    return [f"{count}{f', after the first {offset}' if offset else ''}:", *lines, *more]


def _match_line(match: Match) -> str:
    name = f" {quoted(match.name)}" if match.name else ""
    away = "" if match.in_viewport or not match.ref else ", out of view"
    away = ", closed: click it to open it" if match.closed else away
    ref = f" [ref={match.ref}]" if match.ref else ""
    before, text, after = (each.replace("[ref=", "\\u005bref=") for each in (match.before, match.text, match.after))
    return f"- …{before}«{text}»{after}… in {match.role}{name}{ref}{away}"


def _found(args: FindElementsArguments, result: FindResult) -> str:
    if result.total == 0:
        return "\n".join([f"Nothing matches {shortened(args.selector)}.", *unread_lines(result.unread)])
    listed: list[str] = []
    for element in result.elements:
        text = f" {quoted(element.text)}" if element.text else ""
        attributes = "".join(
            f" {name}={_value(value)}" for name, value in element.attributes.items() if value is not None
        )
        hidden = "" if element.visible else " (not visible)"
        near = f" in {element.near_ref}" if element.near_ref else ""
        listed.append(f"- {element.tag}{text}{attributes} [ref={element.ref}]{near}{hidden}")
    lines = _part(f"{result.total} element{'s' if result.total > 1 else ''}", listed, args.offset, result.total)
    has_none = [
        name
        for name in (result.elements[0].attributes if result.elements else ())
        if all(element.attributes[name] is None for element in result.elements)
    ]
    if has_none:
        lines.append(f"None of them has the attribute {' or '.join(map(shortened, has_none))}.")
    return "\n".join(lines + unread_lines(result.unread))


def _value(value: str) -> str:
    """An attribute's value; in quotes if it could be taken for several values, or for a ref."""
    return quoted(value) if _AMBIGUOUS.search(value) else value


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
    pages: Annotated[int, Meta(ge=1, description="Of a list.")] = 1


@tool(
    read_only=True,
    acts_if=lambda args: args.pages > 1,
    needs_model=True,
    gives_rows=True,
    gives="what was asked for: text, or JSON of that schema",
)
async def extract(args: ExtractArguments, context: Context) -> Observation:
    """Get what you describe from the page.

    It costs a model call.
    """
    from cdp_agent.extract import extract as extract_from  # late: imports httpx, which takes long

    if context.model is None:
        raise SetupError("extract needs a model: set CDP_AGENT_MODEL, for example to openai/gpt-6-luna.")
    try:
        extraction = await extract_from(
            context.page, args.description, model=context.model, schema=args.output_schema, pages=args.pages
        )
    except SetupError as error:
        raise InvalidArguments(f"extract: {error}") from error
    except (BadReply, Refused) as error:
        raise ActionError(f"Nothing was extracted. {error}") from error
    return Observation(_extraction_text(extraction), extraction, tuple(extraction.notices), extraction.usage)


def _extraction_text(extraction: Extraction) -> str:
    """The extraction as text for a model."""
    text = extraction.value if isinstance(extraction.value, str) else _compact(msgspec.to_builtins(extraction.value))
    parts = [text]
    if missing := extraction.ungrounded:
        parts.append(f"Not found on the page, so perhaps made up: {_listed(missing)}. Check before you use them.")
    if misplaced := extraction.misplaced:
        parts.append(f"On the page, but not beside the rest of their element: {_listed(misplaced)}. Check them.")
    return "\n\n".join([*parts, *extraction.notices])


def _compact(value: object) -> str:
    """JSON in one line, or a list as CSV, which takes half the tokens, below what is beside it."""
    rows = rows_in(value)
    if rows is None or len(rows.rows) < _LEAST_ROWS:
        return msgspec.json.encode(value).decode()
    others = (
        {name: inner for name, inner in value.items() if not isinstance(inner, list)} if isinstance(value, dict) else {}
    )
    beside = f"{msgspec.json.encode(others).decode()}\n" if others else ""
    return f"{beside}{len(rows.rows):,} elements, as CSV:\n{as_csv(rows.columns, rows.rows)}"


def _listed(values: list[Ungrounded]) -> str:
    listed = ", ".join(
        f"{each.path} = {each.value!r}" if each.path != "$" else repr(each.value) for each in values[:_MOST_LISTED]
    )
    return listed + (f" and {len(values) - _MOST_LISTED} more" if len(values) > _MOST_LISTED else "")
