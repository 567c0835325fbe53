"""Tools that end the task."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from cdp_agent.tools.base import ALWAYS, Answer, Arguments, Context, tool


class DoneArguments(Arguments, frozen=True):
    result: Annotated[str, Meta(min_length=1, description="In Markdown; never raw JSON.", extra=ALWAYS)]


class AbortArguments(Arguments, frozen=True):
    reason: Annotated[
        str, Meta(min_length=1, description="What was tried and found, and what stood in the way.", extra=ALWAYS)
    ]


@tool(read_only=True, terminal=True, gives="the end of the task")
async def done(args: DoneArguments, context: Context) -> Answer:
    """End the task with its whole answer."""
    return Answer(args.result, success=True)


@tool(read_only=True, terminal=True, gives="the end of the task")
async def abort(args: AbortArguments, context: Context) -> Answer:
    """Give the task up."""
    return Answer(args.reason, success=False)
