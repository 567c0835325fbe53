"""Tools that wait, and tools that navigate."""

from __future__ import annotations

import asyncio
from typing import Annotated

import msgspec
from msgspec import Meta

from cdp_agent.page.actions.navigation import can_go_back, opener_of
from cdp_agent.page.page import page_of
from cdp_agent.tools.addresses import allowed_address
from cdp_agent.tools.base import ALWAYS, Arguments, Context, Observation, Ref, tool
from cdp_agent.tools.tabs import tab_id, tabs_result

LONGEST_S = 120
"""The longest wait; during a longer one, the caller could not tell whether anything still happens."""


Leave = Annotated[bool, Meta(description="Lose input.")]


class WaitArguments(Arguments, frozen=True):
    seconds: Annotated[float, Meta(ge=0, le=LONGEST_S, description=f"How long, 0 to {LONGEST_S}.")]


class WaitForArguments(Arguments, frozen=True):
    text: Annotated[str | None, Meta(description="Until this text is on the page.")] = None
    gone: Annotated[str | None, Meta(description="Until this text is gone.")] = None
    selector: Annotated[str | None, Meta(description="Until an element matches this CSS selector.")] = None
    url: Annotated[str | None, Meta(description="Until the page's address contains this.")] = None
    ref: Annotated[Ref | None, Meta(description="Until this element is shown.")] = None
    navigation: Annotated[bool | None, Meta(description="Until the last action has led elsewhere.", extra=ALWAYS)] = (
        None
    )
    idle: Annotated[bool | None, Meta(description="Until the page loads nothing more.")] = None
    timeout_s: Annotated[float, Meta(ge=0.1, le=LONGEST_S, description="Give up after so many seconds.")] = 10


@tool(gives="nothing", by_callers=False, effect="none")
async def wait(args: WaitArguments, context: Context) -> Observation:
    """Wait some seconds. Prefer wait_for when you know what you are waiting for."""
    await asyncio.sleep(args.seconds)
    return Observation(f"Waited {args.seconds:g} seconds.")


@tool(effect="none")
async def wait_for(args: WaitForArguments, context: Context) -> Observation:
    """Wait for a text, element or address, until a text is gone, or the page is idle."""
    receipt = await context.page.wait_for(
        text=args.text,
        gone=args.gone,
        selector=args.selector,
        url=args.url,
        ref=args.ref,
        navigation=bool(args.navigation),
        idle=args.idle,
        timeout_s=args.timeout_s,
    )
    return Observation(receipt.text, receipt)


class GotoArguments(Arguments, frozen=True):
    url: Annotated[str, Meta(min_length=1, description="The address; https:// is added when it has no scheme.")]
    leave: Leave = False


class LeavingArguments(Arguments, frozen=True):
    leave: Leave = False


@tool(page_changing=True, effect="address")
async def goto(args: GotoArguments, context: Context) -> Observation:
    """Open an address. To follow a link, click it."""
    receipt = await context.page.goto(await allowed_address(args.url, context), leave=args.leave)
    return Observation(receipt.text, receipt)


@tool(page_changing=True, effect="none")
async def back(args: LeavingArguments, context: Context) -> Observation:
    """Go back one page."""
    return await go_back(context, leave=args.leave)


async def go_back(context: Context, *, leave: bool = False) -> Observation:
    """Goes back in the tab's history; from the first page of a tab, to the tab that it was opened from.

    Raises ActionError if there is neither.
    """
    opener = opener_of(context.tab)
    if opener is None or await can_go_back(context.tab):
        receipt = await context.page.back(leave=leave)
        return Observation(receipt.text, receipt)
    left, page = tab_id(context.page), page_of(opener)
    done = (
        f"You are back in {tab_id(page)}, from which {left} was opened: no page was before this one. {left} stays open."
    )
    return await tabs_result(done, page, msgspec.structs.replace(context, page=page))


@tool(page_changing=True, by_callers=False, useful_if=lambda context: context.task_has("forward"), effect="none")
async def forward(args: LeavingArguments, context: Context) -> Observation:
    """Go forward again, after going back."""
    receipt = await context.page.forward(leave=args.leave)
    return Observation(receipt.text, receipt)


@tool(page_changing=True, by_callers=False, useful_if=lambda context: context.task_has("reload"), effect="none")
async def reload(args: LeavingArguments, context: Context) -> Observation:
    """Reload the page."""
    receipt = await context.page.reload(leave=args.leave)
    return Observation(receipt.text, receipt)
