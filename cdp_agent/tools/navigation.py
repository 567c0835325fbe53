"""Tools that go from page to page."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from cdp_agent.tools.addresses import admitted
from cdp_agent.tools.base import Arguments, Context, Observation, tool


class GotoArguments(Arguments, frozen=True):
    url: Annotated[str, Meta(min_length=1, description="The address; https:// is added when it has no scheme.")]


class NoArguments(Arguments, frozen=True):
    pass


@tool(page_changing=True, effect="address")
async def goto(args: GotoArguments, context: Context) -> Observation:
    """Open an address that you have seen in the task or on a page. To follow a link, click it instead."""
    receipt = await context.page.goto(await admitted(args.url, context))
    return Observation(receipt.text, receipt)


@tool(page_changing=True, effect="none")
async def back(args: NoArguments, context: Context) -> Observation:
    """Go back to the page before this one."""
    receipt = await context.page.back()
    return Observation(receipt.text, receipt)


@tool(page_changing=True, by_callers=False, effect="none")
async def forward(args: NoArguments, context: Context) -> Observation:
    """Go forward again, after going back."""
    receipt = await context.page.forward()
    return Observation(receipt.text, receipt)


@tool(page_changing=True, by_callers=False, effect="none")
async def reload(args: NoArguments, context: Context) -> Observation:
    """Load the page anew."""
    receipt = await context.page.reload()
    return Observation(receipt.text, receipt)
