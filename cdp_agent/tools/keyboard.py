"""Tools of the keyboard."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from cdp_agent.tools.base import ALWAYS, Arguments, Context, Observation, Ref, tool


class PressArguments(Arguments, frozen=True):
    key: Annotated[str, Meta(description="Such as Enter, ArrowDown, a, Control+A, Shift+Tab.", extra=ALWAYS)]
    ref: Annotated[Ref | None, Meta(description="The element to focus first; else what has the focus.")] = None
    repeat: Annotated[int, Meta(ge=1, le=100, description="How many times.")] = 1


class TypeTextArguments(Arguments, frozen=True):
    text: Annotated[str, Meta(min_length=1, description="Line breaks are Enter, tabs the key Tab.", extra=ALWAYS)]


class FocusArguments(Arguments, frozen=True):
    ref: Ref


def _submits(args: PressArguments) -> bool:
    return args.key.rpartition("+")[2].strip().lower() in ("enter", "return", "numpadenter")


@tool(page_changing=_submits, effect="press")
async def press(args: PressArguments, context: Context) -> Observation:
    """Press a key or chord: Enter submits most forms, Escape closes most dialogs."""
    receipt = await context.page.press(args.key, ref=args.ref, repeat=args.repeat)
    return Observation(receipt.text, receipt)


@tool(page_changing=lambda args: "\n" in args.text, effect="type")
async def type_text(args: TypeTextArguments, context: Context) -> Observation:
    """Type into what has the focus and is no field: a terminal, a grid, a canvas. For fields and editors use fill."""
    receipt = await context.page.type(args.text)
    return Observation(receipt.text, receipt)


@tool(by_callers=False, effect="none")
async def focus(args: FocusArguments, context: Context) -> Observation:
    """Move the keyboard focus to an element without clicking it."""
    receipt = await context.page.focus(args.ref)
    return Observation(receipt.text, receipt)
