"""Tools that show what a page does not display: its console and its requests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from cdp_agent.page.activity.bodies import ResponseBody
from cdp_agent.page.activity.console import Level
from cdp_agent.page.activity.request_log import RequestInfo
from cdp_agent.page.snapshot.lines import in_line
from cdp_agent.tools.base import CHARS_A_TOKEN, Arguments, Context, Observation, tool


class ReadConsoleArguments(Arguments, frozen=True):
    level: Annotated[Level, Meta(description="error; warning, with errors; or all.")] = "all"
    text: Annotated[str | None, Meta(description="Only messages with this text.")] = None
    max_results: Annotated[int, Meta(ge=1, le=1_000, description="How many to show, the latest; all are counted.")] = 20


class ReadNetworkArguments(Arguments, frozen=True):
    kind: Annotated[str | None, Meta(description="Such as document or api.")] = None
    status: Annotated[str | None, Meta(description="422, 4xx, failed, pending.")] = None
    text: Annotated[str | None, Meta(description="Of the address.")] = None
    headers: Annotated[bool, Meta(description="Theirs.")] = False
    body_of: Annotated[int | None, Meta(description="The answer to it.")] = None
    path: Annotated[str | None, Meta(description="Of JSON: items[].name.")] = None
    max_results: Annotated[int, Meta(ge=1, le=1_000, description="The latest.")] = 20
    budget_tokens: Annotated[int, Meta(ge=0, description="0: all.")] = 1_000


@tool(read_only=True, by_default=False, by_executors=False, gives="messages and uncaught errors, the latest last")
async def read_console(args: ReadConsoleArguments, context: Context) -> Observation:
    """Read what the page has logged since it was opened, and the errors in its scripts.

    Free and instant. Use it when a page does not do what it should.
    """
    found = await context.page.console(level=args.level, text=args.text, max_results=args.max_results)
    return Observation("\n".join(_lines("message", found.total, found.messages, found.unread)), found)


@tool(
    read_only=True,
    by_default=False,
    by_executors=False,
    gives="requests with status, kind, time and size, or the body of one",
)
async def read_network(args: ReadNetworkArguments, context: Context) -> Observation:
    """List the requests of the page, or show the answer to one.

    Free and instant. Use it when something fails to load or to be saved: status "failed" shows what was refused, and
    body_of what the server said.
    """
    if args.body_of is not None:
        body = await context.page.response_body(args.body_of, path=args.path)
        return Observation(_within(body, args.budget_tokens), body)
    result = await context.page.requests(
        kind=args.kind, status=args.status, text=args.text, max_results=args.max_results
    )
    dropped = [f"{result.dropped} earlier ones are not remembered"] if result.dropped else []
    shown = [_with_headers(request) for request in result.requests] if args.headers else result.requests
    return Observation("\n".join(_lines("request", result.total, shown, dropped)), result)


def _with_headers(request: RequestInfo) -> str:
    headers = (in_line(f"{name}: {value}") for name, value in request.response_headers.items())
    return "\n    ".join([str(request), *headers])


def _lines(what: str, total: int, shown: Sequence[object], notes: list[str]) -> list[str]:
    if not total:
        return [f"No {what}.", *notes]
    latest = f", the last {len(shown)} of them" if len(shown) < total else ""
    return [f"{total} {what}{'s' if total > 1 else ''}{latest}:", *(f"- {each}" for each in shown), *notes]


def _within(body: ResponseBody, budget_tokens: int) -> str:
    longest = budget_tokens * CHARS_A_TOKEN
    if body.base64:
        return f"It is no text: {len(body.body) * 3 // 4:,} bytes."
    if not budget_tokens or len(body.body) <= longest:
        return body.body
    return f"{body.body[:longest]}\n… cut here: {len(body.body) - longest:,} characters more."
