"""Tools of the mouse and the keyboard."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from cdp_agent.tools.base import ALWAYS, Arguments, Context, Observation, Ref, tool

Pair = Annotated[list[float], Meta(min_length=2, max_length=2)]
PLACE_WORDS = "Pixels from its left top corner: right, down."


class ClickArguments(Arguments, frozen=True):
    ref: Ref
    button: Annotated[Literal["left", "right", "middle"], Meta(description="The mouse button.")] = "left"
    count: Annotated[int, Meta(ge=1, le=3, description="2 for a double click.", extra=ALWAYS)] = 1
    at: Annotated[Pair | None, Meta(description=PLACE_WORDS, extra=ALWAYS)] = None


class PlaceArguments(Arguments, frozen=True):
    ref: Ref
    at: Annotated[Pair | None, Meta(description=PLACE_WORDS)] = None


class DragArguments(Arguments, frozen=True):
    from_ref: Annotated[Ref, Meta(description="What to drag.")]
    to_ref: Annotated[Ref | None, Meta(description="What to drop it on.")] = None
    by: Annotated[Pair | None, Meta(description="Instead of to_ref: pixels to the right and down.", extra=ALWAYS)] = (
        None
    )
    from_at: Annotated[Pair | None, Meta(description=PLACE_WORDS)] = None
    to_at: Annotated[Pair | None, Meta(description=PLACE_WORDS)] = None
    hold_s: Annotated[float, Meta(ge=0, le=10, description="Hold still first, where a long press drags.")] = 0


@tool(page_changing=True, effect="click")
async def click(args: ClickArguments, context: Context) -> Observation:
    """Click an element: a link, a button, an option, anything that has a ref."""
    place = _pair(args.at)
    receipt = await context.page.click(args.ref, button=args.button, count=args.count, position=place)
    return Observation(receipt.text, receipt)


@tool(effect="none")
async def hover(args: PlaceArguments, context: Context) -> Observation:
    """Move the mouse over an element, to open its menu."""
    receipt = await context.page.hover(args.ref, position=_pair(args.at))
    return Observation(receipt.text, receipt)


@tool(page_changing=True, effect="none")
async def drag(args: DragArguments, context: Context) -> Observation:
    """Drag an element with the mouse, onto another or by some pixels.

    On canvases and drawings, from and to a place in them: to_ref may be from_ref.
    """
    receipt = await context.page.drag(
        args.from_ref,
        args.to_ref,
        by=_pair(args.by),
        position=_pair(args.from_at),
        to_position=_pair(args.to_at),
        hold_s=args.hold_s,
    )
    return Observation(receipt.text, receipt)


def _pair(numbers: list[float] | None) -> tuple[float, float] | None:
    return (numbers[0], numbers[1]) if numbers is not None else None


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
