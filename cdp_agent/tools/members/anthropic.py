"""The members of Anthropic's browser toolset of 2026-08-01, under its names and with its arguments.

https://platform.claude.com/docs/en/agents-and-tools/tool-use/browser-use-tool. `MEMBERS` contains all of them by name.
A tab is given by its id in `list_tabs` (t2), an element by its ref, and a point by the pixels of a whole screenshot.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from cdp_agent.errors import InvalidArguments, NotInteractable
from cdp_agent.page.actions import pointing
from cdp_agent.page.fields.upload import inside
from cdp_agent.page.page import MouseButton
from cdp_agent.page.picture import view
from cdp_agent.page.picture.paint import Picture
from cdp_agent.page.receipts.receipts import Receipt
from cdp_agent.page.tab.tab import Tab
from cdp_agent.tools import inspecting
from cdp_agent.tools.addresses import allowed_address
from cdp_agent.tools.base import Arguments, Context, Observation, Ref, Tool, by_name, tool
from cdp_agent.tools.input import FillArguments, SelectArguments, fill, select
from cdp_agent.tools.inspecting import ReadConsoleArguments, ReadNetworkArguments
from cdp_agent.tools.members.reading import matching, part_of_page, role_of
from cdp_agent.tools.navigation import go_back
from cdp_agent.tools.picturing import Screenshot
from cdp_agent.tools.scripting import evaluated
from cdp_agent.tools.tabs import close_tab as close
from cdp_agent.tools.tabs import named_tab, open_tab, tabs_result

LONGEST_WAIT_S = 30
_TEXT_TOKENS = 12_000

TabId = Annotated[str | None, Meta(description="The tab to act on; the active one when it is left out.")]
Modifiers = Annotated[str | None, Meta(description="Modifier keys to hold meanwhile, such as ctrl+shift.")]

_MOST = 200
"""The most messages or requests in one result: the latest ones."""


class CoordinateTarget(msgspec.Struct, frozen=True, tag_field="type", tag="coordinate"):
    """A point of the viewport, in pixels of a whole screenshot."""

    x: int
    y: int


class RefTarget(msgspec.Struct, frozen=True, tag_field="type", tag="ref"):
    """An element by its ref."""

    ref: Ref


ClickTarget = CoordinateTarget | RefTarget


class TabArguments(Arguments, frozen=True):
    tab_id: TabId = None


class NoInput(Arguments, frozen=True):
    pass


class NavigateArguments(Arguments, frozen=True):
    url: Annotated[str, Meta(min_length=1, description='An address, or "back", "forward" or "reload".')]
    tab_id: TabId = None


class NamedTabArguments(Arguments, frozen=True):
    tab_id: Annotated[str, Meta(description="The tab.")]


class ReadPageArguments(Arguments, frozen=True):
    depth: Annotated[int, Meta(ge=1, description="How many levels of the tree.")] = 15
    filter: Annotated[
        Literal["all", "interactive"] | None, Meta(description='"interactive": only what can be acted on.')
    ] = None
    ref: Annotated[Ref | None, Meta(description="Only this element and what is in it.")] = None
    tab_id: TabId = None


class FindArguments(Arguments, frozen=True):
    query: Annotated[str, Meta(min_length=1, description="What to look for, in words.")]
    tab_id: TabId = None


class FormInputArguments(Arguments, frozen=True):
    target: RefTarget
    value: Annotated[str | float | bool, Meta(description="A boolean for checkboxes, an option for lists.")]
    tab_id: TabId = None


class FileUploadArguments(Arguments, frozen=True):
    target: RefTarget
    paths: Annotated[list[str] | None, Meta(description="Paths of files on this machine.")] = None
    document_ids: Annotated[list[str] | None, Meta(description="Files that were staged elsewhere.")] = None
    tab_id: TabId = None


class RefTargetArguments(Arguments, frozen=True):
    target: RefTarget
    tab_id: TabId = None


class PointArguments(Arguments, frozen=True):
    target: CoordinateTarget
    tab_id: TabId = None


class HoverArguments(Arguments, frozen=True):
    target: ClickTarget
    tab_id: TabId = None


class ClickMemberArguments(Arguments, frozen=True):
    target: ClickTarget
    modifiers: Modifiers = None
    tab_id: TabId = None


class DragMemberArguments(Arguments, frozen=True):
    from_: CoordinateTarget = msgspec.field(name="from")
    target: CoordinateTarget
    tab_id: TabId = None


class ZoomArguments(Arguments, frozen=True):
    region: Annotated[list[int], Meta(min_length=4, max_length=4, description="Left, top, right, bottom.")]
    tab_id: TabId = None


class ScrollMemberArguments(Arguments, frozen=True):
    scroll_direction: Literal["up", "down", "left", "right"]
    target: CoordinateTarget
    scroll_amount: Annotated[int, Meta(ge=1, le=10, description="Notches of the wheel.")] = 3
    tab_id: TabId = None


class TypeMemberArguments(Arguments, frozen=True):
    text: str
    tab_id: TabId = None


class KeyArguments(Arguments, frozen=True):
    text: Annotated[str, Meta(min_length=1, description="A key or chord, or several with spaces between.")]
    repeat: Annotated[int, Meta(ge=1, le=100, description="How many times.")] = 1
    tab_id: TabId = None


class HoldKeyArguments(Arguments, frozen=True):
    duration: Annotated[float, Meta(ge=0, le=pointing.LONGEST_HOLD_S, description="Seconds.")]
    text: Annotated[str, Meta(min_length=1, description="The key or chord to hold.")]
    tab_id: TabId = None


class WaitMemberArguments(Arguments, frozen=True):
    duration: Annotated[float, Meta(ge=0, le=LONGEST_WAIT_S, description="Seconds.")]
    tab_id: TabId = None


class ScriptArguments(Arguments, frozen=True):
    text: Annotated[str, Meta(min_length=1, description="An expression, without `return`.")]
    tab_id: TabId = None


@tool(page_changing=True, effect="address")
async def navigate(args: NavigateArguments, context: Context) -> Observation:
    """Open an address, or go back or forward in the tab's history, or reload."""
    tab_context = in_tab(args.tab_id, context)
    match args.url.strip().lower():
        case "back":
            return await go_back(tab_context)
        case "forward":
            return receipt_result(await tab_context.page.forward())
        case "reload":
            return receipt_result(await tab_context.page.reload())
    return receipt_result(await tab_context.page.goto(await allowed_address(args.url, tab_context)))


@tool(read_only=True)
async def list_tabs(args: NoInput, context: Context) -> Observation:
    """List the open tabs."""
    return await tabs_result("", context.page, context)


@tool(page_changing=True, effect="none")
async def new_tab(args: NoInput, context: Context) -> Observation:
    """Open a new, empty tab, which is the active one then."""
    return await open_tab(None, context)


@tool(page_changing=True, effect="none")
async def switch_tab(args: NamedTabArguments, context: Context) -> Observation:
    """Make a tab the active one."""
    return await tabs_result("", named_tab(args.tab_id, context), context)


@tool(page_changing=True, effect="none")
async def close_tab(args: NamedTabArguments, context: Context) -> Observation:
    """Close a tab."""
    return await close(named_tab(args.tab_id, context), context)


@tool(read_only=True)
async def read_page(args: ReadPageArguments, context: Context) -> Observation:
    """Read the page as a tree of its elements, with refs that later actions take."""
    tab_context = in_tab(args.tab_id, context)
    snapshot = await tab_context.page.snapshot()
    try:
        shown = part_of_page(snapshot.text, only=args.filter, depth=args.depth, ref=args.ref)
    except LookupError as error:
        raise InvalidArguments(f"No line of the page has the ref {args.ref}: read the page without one.") from error
    whole = shown == snapshot.text and tab_context.page is context.page
    return Observation(tab_context.read(shown), snapshot if whole else None)


@tool(read_only=True)
async def get_page_text(args: TabArguments, context: Context) -> Observation:
    """Read what the page says as text, the main content first."""
    tab_context = in_tab(args.tab_id, context)
    return Observation(tab_context.read(await tab_context.page.markdown(budget_tokens=_TEXT_TOKENS)))


@tool(read_only=True)
async def find(args: FindArguments, context: Context) -> Observation:
    """Find elements that a description fits, with their refs, the best first."""
    snapshot = await in_tab(args.tab_id, context).page.snapshot()
    found = matching(snapshot.text, args.query)
    return Observation("\n".join(found) or "Nothing on the page fits that. Use other words, or read the page.")


@tool(takes_secrets=True, effect="fill")
async def form_input(args: FormInputArguments, context: Context) -> Observation:
    """Set the value of a field, a checkbox or a list."""
    tab_context, ref = in_tab(args.tab_id, context), args.target.ref
    if isinstance(args.value, bool):
        return receipt_result(await (tab_context.page.check(ref) if args.value else tab_context.page.uncheck(ref)))
    value = args.value if isinstance(args.value, str) else f"{args.value:g}"
    is_list = role_of((await tab_context.page.snapshot()).text, ref) in ("combobox", "listbox")
    if is_list and (chosen := await _chosen(ref, value, tab_context)) is not None:
        return chosen
    return _observed(await fill.run(FillArguments(ref, value), tab_context))


async def _chosen(ref: str, value: str, tab_context: Context) -> Observation | None:
    """Chooses an option of a list by its text, else by its value; None for a field that takes typed text."""
    try:
        return _observed(await select.run(SelectArguments(ref, value), tab_context))
    except NotInteractable as error:
        if error.why != "wrong_element":
            raise
        return None
    except InvalidArguments as no_such_text:
        if tab_context.secrets.named_in(value):
            raise
        try:
            return _observed(await select.run(SelectArguments(ref, value, "value"), tab_context))
        except InvalidArguments:
            raise no_such_text from None  # this error names the options as people see them


@tool(effect="upload")
async def file_upload(args: FileUploadArguments, context: Context) -> Observation:
    """Give files to a file field."""
    if args.document_ids:
        raise InvalidArguments("No files are staged here, so that document_ids name none: give paths.")
    if not args.paths:
        raise InvalidArguments("Give the paths of the files to upload.")
    tab_context = in_tab(args.tab_id, context)
    paths = [context.path(each) for each in args.paths]
    if context.upload_folders is not None:
        paths = inside(paths, context.upload_folders)
    return receipt_result(await tab_context.page.upload(args.target.ref, paths))


@tool(effect="none")
async def scroll_to(args: RefTargetArguments, context: Context) -> Observation:
    """Scroll an element into view."""
    moved = await in_tab(args.tab_id, context).page.scroll("into_view", ref=args.target.ref)
    return Observation(moved.text, moved)


@tool(read_only=True)
async def screenshot(args: TabArguments, context: Context) -> Observation:
    """Take a picture of the viewport."""
    tab = in_tab(args.tab_id, context).tab
    return _pictured(await view.take_view(tab, hidden=context.secrets.spans if context.secrets else None))


@tool(read_only=True)
async def zoom(args: ZoomArguments, context: Context) -> Observation:
    """Take an enlarged picture of a part of the viewport."""
    tab = in_tab(args.tab_id, context).tab
    hidden = context.secrets.spans if context.secrets else None
    left, top, right, bottom = args.region
    return _pictured(await view.zoom(tab, left, top, right, bottom, hidden=hidden))


@tool(page_changing=True, effect="click")
async def left_click(args: ClickMemberArguments, context: Context) -> Observation:
    """Click an element or a point."""
    return await _click(args, context)


@tool(page_changing=True, effect="click")
async def right_click(args: ClickMemberArguments, context: Context) -> Observation:
    """Click with the right mouse button."""
    return await _click(args, context, button="right")


@tool(page_changing=True, effect="click")
async def middle_click(args: ClickMemberArguments, context: Context) -> Observation:
    """Click with the middle mouse button."""
    return await _click(args, context, button="middle")


@tool(page_changing=True, effect="click")
async def double_click(args: ClickMemberArguments, context: Context) -> Observation:
    """Click twice."""
    return await _click(args, context, count=2)


@tool(page_changing=True, effect="click")
async def triple_click(args: ClickMemberArguments, context: Context) -> Observation:
    """Click three times, which selects a line or a paragraph."""
    return await _click(args, context, count=3)


@tool(effect="none")
async def hover(args: HoverArguments, context: Context) -> Observation:
    """Move the mouse over an element or to a point."""
    tab_context = in_tab(args.tab_id, context)
    if isinstance(args.target, RefTarget):
        return receipt_result(await tab_context.page.hover(args.target.ref))
    return receipt_result(await pointing.move_to(tab_context.tab, await _point(tab_context.tab, args.target)))


@tool(page_changing=True)
async def left_click_drag(args: DragMemberArguments, context: Context) -> Observation:
    """Drag from one point to another."""
    tab = in_tab(args.tab_id, context).tab
    path = [await _point(tab, args.from_), await _point(tab, args.target)]
    return receipt_result(await pointing.drag_along(tab, path))


@tool()
async def left_mouse_down(args: PointArguments, context: Context) -> Observation:
    """Press the left mouse button at a point and keep it down."""
    tab = in_tab(args.tab_id, context).tab
    return receipt_result(await pointing.press_at(tab, await _point(tab, args.target)))


@tool(page_changing=True)
async def left_mouse_up(args: PointArguments, context: Context) -> Observation:
    """Let the left mouse button go at a point."""
    tab = in_tab(args.tab_id, context).tab
    return receipt_result(await pointing.release_at(tab, await _point(tab, args.target)))


@tool(effect="none")
async def mouse_move(args: PointArguments, context: Context) -> Observation:
    """Move the mouse to a point."""
    tab = in_tab(args.tab_id, context).tab
    return receipt_result(await pointing.move_to(tab, await _point(tab, args.target)))


@tool(effect="none")
async def scroll(args: ScrollMemberArguments, context: Context) -> Observation:
    """Turn the wheel at a point."""
    tab = in_tab(args.tab_id, context).tab
    at, pixels = await _point(tab, args.target), args.scroll_amount * pointing.NOTCH_PX
    return receipt_result(await pointing.turn_wheel(tab, at, args.scroll_direction, pixels=pixels))


@tool(page_changing=lambda args: "\n" in args.text, effect="type")
async def type_(args: TypeMemberArguments, context: Context) -> Observation:
    """Type a text where the focus is."""
    return receipt_result(await in_tab(args.tab_id, context).page.type(args.text))


@tool(page_changing=True, effect="press")
async def key(args: KeyArguments, context: Context) -> Observation:
    """Press a key or chord, or several one after another."""
    tab_context = in_tab(args.tab_id, context)
    chords = args.text.split() or ["Space"]
    for chord in chords:
        await pointing.keys_of(tab_context.tab, chord)  # raises before anything is pressed
    return receipt_result(await tab_context.page.press(" ".join(chords), repeat=args.repeat))


@tool()
async def hold_key(args: HoldKeyArguments, context: Context) -> Observation:
    """Hold a key or chord down for some time."""
    tab = in_tab(args.tab_id, context).tab
    return receipt_result(await pointing.hold_keys(tab, await pointing.keys_of(tab, args.text), args.duration))


@tool(effect="none")
async def wait(args: WaitMemberArguments, context: Context) -> Observation:
    """Wait some seconds."""
    in_tab(args.tab_id, context)
    await asyncio.sleep(args.duration)
    return Observation("")


@tool(page_changing=True, effect="script")
async def javascript_exec(args: ScriptArguments, context: Context) -> Observation:
    """Run JavaScript in the page, and get the value of its last expression."""
    return await evaluated(args.text, in_tab(args.tab_id, context))


@tool(read_only=True)
async def read_console(args: TabArguments, context: Context) -> Observation:
    """Read what the page has written to the console since it was opened, and the errors in its scripts."""
    asked = ReadConsoleArguments(max_results=_MOST)
    return _observed(await inspecting.read_console.run(asked, in_tab(args.tab_id, context)))


@tool(read_only=True)
async def read_network(args: TabArguments, context: Context) -> Observation:
    """Read which requests the page has made since it was asked for."""
    asked = ReadNetworkArguments(max_results=_MOST)
    return _observed(await inspecting.read_network.run(asked, in_tab(args.tab_id, context)))


def in_tab(tab_id: str | None, context: Context) -> Context:
    """The context for the tab with this id. Raises InvalidArguments if there is none."""
    return msgspec.structs.replace(context, page=named_tab(tab_id, context)) if tab_id else context


async def _click(
    args: ClickMemberArguments, context: Context, *, button: MouseButton = "left", count: int = 1
) -> Observation:
    tab_context = in_tab(args.tab_id, context)
    modifiers = [] if not args.modifiers else (await pointing.keys_of(tab_context.tab, f"{args.modifiers}+a"))[:-1]
    if isinstance(args.target, RefTarget):
        return receipt_result(
            await tab_context.page.click(args.target.ref, button=button, count=count, modifiers=modifiers)
        )
    at = await _point(tab_context.tab, args.target)
    return receipt_result(await pointing.click_at(tab_context.tab, at, button=button, count=count, modifiers=modifiers))


async def _point(tab: Tab, target: CoordinateTarget) -> pointing.Point:
    """The point in CSS pixels: a screenshot of a large viewport is scaled down."""
    return (await view.view_of(tab)).point(target.x, target.y)


def receipt_result(receipt: Receipt) -> Observation:
    """The receipt as the result of a tool."""
    return Observation(receipt.text, receipt)


def _observed(outcome: object) -> Observation:
    assert isinstance(outcome, Observation)  # none of these tools ends a task
    return outcome


def _pictured(picture: Picture) -> Observation:
    size = f"A picture of {picture.width_px} x {picture.height_px} pixels."
    return Observation(size, Screenshot(None, len(picture.data), picture.data))


MEMBERS = by_name(each for each in list(vars().values()) if isinstance(each, Tool) and each.run.__module__ == __name__)
