"""Tools that end the task."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from cdp_agent.tools.base import Answer, Arguments, Context, tool


class DoneArguments(Arguments, frozen=True):
    result: Annotated[str, Meta(min_length=1, description="The whole answer to the task, in Markdown; never raw JSON.")]


class AbortArguments(Arguments, frozen=True):
    reason: Annotated[
        str, Meta(min_length=1, description="What was tried, what stood in the way, and what was found anyway.")
    ]


@tool(read_only=True, terminal=True, gives="the end of the task")
async def done(args: DoneArguments, context: Context) -> Answer:
    """End the task with its answer, once the pages you saw show that all of it is done."""
    return Answer(args.result, success=True)


@tool(read_only=True, terminal=True, gives="the end of the task")
async def abort(args: AbortArguments, context: Context) -> Answer:
    """Give the task up, only when it cannot be done in any way. With a partial answer, call done instead."""
    return Answer(args.reason, success=False)
