"""Tools that use the mouse, fill in forms, and press keys."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Literal

from msgspec import Meta

from cdp_agent.errors import InvalidArguments
from cdp_agent.page.fields import form
from cdp_agent.page.fields.secret_fill import fill_secret, select_secret
from cdp_agent.page.fields.upload import inside
from cdp_agent.tools.base import ALWAYS, Arguments, Context, Observation, Ref, tool

Pair = Annotated[list[float], Meta(min_length=2, max_length=2)]
_NO_PATH = re.compile(r"(?:data|https?|blob|cdp-agent):", re.IGNORECASE)
_LONGEST_SHOWN = 100
_KEYBOARD = re.compile(r"^ *- (?:application|canvas)\b|\bterminal\b", re.IGNORECASE | re.MULTILINE)
"""What takes keys without being a field."""
_PLACE = "Pixels from its top left corner: right, down."


class ClickArguments(Arguments, frozen=True):
    ref: Ref
    button: Annotated[Literal["left", "right", "middle"], Meta(description="The mouse button.")] = "left"
    count: Annotated[int, Meta(ge=1, le=3, description="2 for a double click.", extra=ALWAYS)] = 1
    at: Annotated[Pair | None, Meta(description=_PLACE, extra=ALWAYS)] = None


class PlaceArguments(Arguments, frozen=True):
    ref: Ref
    at: Annotated[Pair | None, Meta(description=_PLACE)] = None


class DragArguments(Arguments, frozen=True):
    from_ref: Annotated[Ref, Meta(description="What to drag.")]
    to_ref: Annotated[Ref | None, Meta(description="What to drop it on.")] = None
    by: Annotated[Pair | None, Meta(description="Instead of to_ref: pixels right and down.", extra=ALWAYS)] = None
    from_at: Annotated[Pair | None, Meta(description=_PLACE)] = None
    to_at: Annotated[Pair | None, Meta(description=_PLACE)] = None
    hold_s: Annotated[float, Meta(ge=0, le=10, description="Hold still first, where a long press drags.")] = 0


@tool(page_changing=True, effect="click")
async def click(args: ClickArguments, context: Context) -> Observation:
    """Click an element, anything with a ref."""
    place = _pair(args.at)
    receipt = await context.page.click(args.ref, button=args.button, count=args.count, position=place)
    return Observation(receipt.text, receipt)


@tool(effect="none")
async def hover(args: PlaceArguments, context: Context) -> Observation:
    """Hover over an element, to open its menu."""
    receipt = await context.page.hover(args.ref, position=_pair(args.at))
    return Observation(receipt.text, receipt)


@tool(
    page_changing=True,
    useful_if=lambda context: "draggable" in context.tab.met or context.task_has("drag"),
    effect="none",
)
async def drag(args: DragArguments, context: Context) -> Observation:
    """Drag an element onto another or by some pixels.

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


class FillArguments(Arguments, frozen=True):
    ref: Ref
    value: Annotated[str, Meta(description="An empty text clears the field. Dates as 2026-12-31.", extra=ALWAYS)]
    append: Annotated[bool, Meta(description="Add to what is there, instead of replacing it.")] = False
    submit: Annotated[bool, Meta(description="Send it.")] = False


class FieldValue(Arguments, frozen=True):
    ref: Ref
    value: Annotated[str, Meta(description="A text, an option, on or off for a box, or files, one a line.")]


class FormArguments(Arguments, frozen=True):
    fields: Annotated[list[FieldValue], Meta(min_length=1, description="The fields, in order.")]
    submit: Annotated[bool, Meta(description="Click the form's button afterwards.")] = False

    def values(self) -> dict[str, str]:
        """The values by ref. Raises InvalidArguments for a field that is given twice."""
        values = {each.ref: each.value for each in self.fields}
        if len(values) < len(self.fields):
            raise InvalidArguments("A field is there twice: give each ref once.")
        return values


class SelectArguments(Arguments, frozen=True):
    ref: Annotated[Ref, Meta(description="The list, not the option.", extra=ALWAYS)]
    value: Annotated[str, Meta(description="The option's text as shown; several one a line.")]
    by: Annotated[
        Literal["text", "value", "index"],
        Meta(description="What `value` is: the index is from 0."),
    ] = "text"


class CheckArguments(Arguments, frozen=True):
    ref: Ref


class UploadArguments(Arguments, frozen=True):
    ref: Annotated[Ref, Meta(description="A file field, its button, or a drop zone.")]
    files: Annotated[
        list[str],
        Meta(min_length=1, description="Paths where cdp-agent runs.", extra=ALWAYS),
    ]


@tool(takes_secrets=True, page_changing=lambda args: bool(args.submit), effect="fill")
async def fill(args: FillArguments, context: Context) -> Observation:
    """Type into a field or editor, replacing what it holds."""
    if not context.secrets.named_in(args.value):
        receipt = await context.page.fill(args.ref, args.value, append=args.append, submit=args.submit)
    else:
        secret = context.secrets.reveal(args.value)
        receipt = await fill_secret(context.tab, args.ref, secret, append=args.append, submit=args.submit)
    return Observation(receipt.text, receipt)


@tool(
    takes_secrets=True,
    page_changing=lambda args: bool(args.submit),
    by_executors=False,
    effect="fill",
)
async def fill_form(args: FormArguments, context: Context) -> Observation:
    """Fill in several fields at once: texts, options, on or off for boxes, files one a line."""
    secrets = context.secrets
    values = {ref: secrets.reveal(value) if secrets.named_in(value) else value for ref, value in args.values().items()}
    receipt = await form.fill_form(context.tab, values, submit=args.submit, allowed=partial(_allowed, context))
    return Observation(receipt.text, receipt)


@tool(takes_secrets=True, effect="none")
async def select(args: SelectArguments, context: Context) -> Observation:
    """Choose an option of a list or combobox by its text; several, one a line."""
    if context.secrets.named_in(args.value):
        receipt = await select_secret(context.tab, args.ref, context.secrets.reveal(args.value), by=args.by)
    else:
        options = [each for each in args.value.splitlines() if each.strip()]
        receipt = await context.page.select(args.ref, options if len(options) > 1 else args.value, by=args.by)
    return Observation(receipt.text, receipt)


@tool(effect="none")
async def check(args: CheckArguments, context: Context) -> Observation:
    """Turn a checkbox, radio button or switch on, if it is off."""
    receipt = await context.page.check(args.ref)
    return Observation(receipt.text, receipt)


@tool(effect="none")
async def uncheck(args: CheckArguments, context: Context) -> Observation:
    """Turn a checkbox or switch off, if it is on."""
    receipt = await context.page.uncheck(args.ref)
    return Observation(receipt.text, receipt)


@tool(
    useful_if=lambda context: (
        context.upload_folders != () and ("file chooser" in context.tab.met or "[type=file]" in context.last_read)
    ),
    effect="upload",
)
async def upload(args: UploadArguments, context: Context) -> Observation:
    """Give files to a file field."""
    if content := next((each for each in args.files if _NO_PATH.match(each)), None):
        raise InvalidArguments(
            f"{content[:_LONGEST_SHOWN]!r} is no path: a file is given by its path on the machine that cdp-agent runs "
            "on, and never by its content or by an address."
        )
    receipt = await context.page.upload(args.ref, _allowed(context, args.files))
    return Observation(receipt.text, receipt)


def _allowed(context: Context, paths: Sequence[str]) -> Sequence[str]:
    """The files that may be uploaded, by their whole paths. Raises InvalidArguments for one that may not be."""
    files = paths if context.folder is None else [context.path(each) for each in paths]
    return files if context.upload_folders is None else inside(files, context.upload_folders)


class PressArguments(Arguments, frozen=True):
    key: Annotated[str, Meta(description="Such as Enter, Control+A, or g i.", extra=ALWAYS)]
    ref: Annotated[Ref | None, Meta(description="The element to focus first; else what has the focus.")] = None
    repeat: Annotated[int, Meta(ge=1, le=100, description="How many times.")] = 1


class TypeTextArguments(Arguments, frozen=True):
    text: Annotated[str, Meta(min_length=1, description="Line breaks are Enter, tabs the key Tab.", extra=ALWAYS)]


class FocusArguments(Arguments, frozen=True):
    ref: Ref


def _submits(args: PressArguments) -> bool:
    last_keys = [chord.rpartition("+")[2].lower() for chord in args.key.split()]
    return not {"enter", "return", "numpadenter"}.isdisjoint(last_keys)


@tool(page_changing=_submits, effect="press")
async def press(args: PressArguments, context: Context) -> Observation:
    """Press a key or chord. Enter submits most forms."""
    receipt = await context.page.press(args.key, ref=args.ref, repeat=args.repeat)
    return Observation(receipt.text, receipt)


@tool(
    page_changing=lambda args: "\n" in args.text,
    useful_if=lambda context: _KEYBOARD.search(context.last_read) is not None,
    effect="type",
)
async def type_text(args: TypeTextArguments, context: Context) -> Observation:
    """Type into a focused terminal, grid or canvas. For fields and editors use fill."""
    receipt = await context.page.type(args.text)
    return Observation(receipt.text, receipt)


@tool(by_callers=False, useful_if=lambda context: context.task_has("focus"), effect="none")
async def focus(args: FocusArguments, context: Context) -> Observation:
    """Move the keyboard focus to an element without clicking it."""
    receipt = await context.page.focus(args.ref)
    return Observation(receipt.text, receipt)
