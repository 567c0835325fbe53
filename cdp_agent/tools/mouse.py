"""Tools that point at an element."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from cdp_agent.tools.base import Arguments, Context, Observation, Ref, tool


class ClickArguments(Arguments, frozen=True):
    ref: Ref
    button: Annotated[Literal["left", "right", "middle"], Meta(description="The mouse button.")] = "left"
    count: Annotated[int, Meta(ge=1, le=3, description="2 for a double click.")] = 1


class ElementArguments(Arguments, frozen=True):
    ref: Ref


class DragArguments(Arguments, frozen=True):
    from_ref: Annotated[Ref, Meta(description="The ref of the element to drag.")]
    to_ref: Annotated[Ref, Meta(description="The ref of the element to drop it on.")]


@tool(page_changing=True)
async def click(args: ClickArguments, context: Context) -> Observation:
    """Click an element: a link, a button, an option, a tab, anything on the page that has a ref."""
    receipt = await context.page.click(args.ref, button=args.button, count=args.count)
    return Observation(receipt.text, receipt)


@tool()
async def hover(args: ElementArguments, context: Context) -> Observation:
    """Move the mouse over an element, for menus and hints that open on hovering."""
    receipt = await context.page.hover(args.ref)
    return Observation(receipt.text, receipt)


@tool(page_changing=True)
async def drag(args: DragArguments, context: Context) -> Observation:
    """Drag one element with the mouse and drop it on another."""
    receipt = await context.page.drag(args.from_ref, args.to_ref)
    return Observation(receipt.text, receipt)
