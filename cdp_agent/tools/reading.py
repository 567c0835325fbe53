"""Tools that read the page and leave it as it is."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from cdp_agent.tools.base import Arguments, Context, Observation, tool


class SnapshotArguments(Arguments, frozen=True):
    budget_tokens: Annotated[
        int, Meta(ge=0, description="How long it may be, in tokens; 0 for all of it, however long.")
    ] = 10_000


@tool(read_only=True)
async def snapshot(args: SnapshotArguments, context: Context) -> Observation:
    """The page as text: every element that matters on a line of its own, with its ref."""
    found = await context.page.snapshot(budget_tokens=args.budget_tokens or None)
    return Observation(found.text, found)
