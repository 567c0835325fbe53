"""The browser functions of OpenAI's SDK (`openai.lib.browser`), under its names and with its arguments.

`MEMBERS` contains by name those that a model may be given, except `list_tabs`, which the SDK answers, and file
transfers, which the driver of the browser grants. An argument that is null counts as left out. Elements are given by
their refs, tabs by ids such as t2, and points by the pixels of a whole screenshot.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from cdp_agent.errors import InvalidArguments
from cdp_agent.page.actions import pointing
from cdp_agent.page.picture import view
from cdp_agent.page.snapshot.lines import FIELDS, Line, indent_of, read_line, unquoted
from cdp_agent.tools.base import Arguments, Context, Observation, Ref, Tool, by_name, tool
from cdp_agent.tools.members import anthropic
from cdp_agent.tools.members.anthropic import RefTarget, TabId, in_tab, receipt_result
from cdp_agent.tools.members.reading import part_of_page
from cdp_agent.tools.scripting import evaluated
from cdp_agent.tools.tabs import named_tab, open_tab, tabs_result

ModifierKey = Literal["Control", "Alt", "Meta", "Shift"]
ReadRole = Literal["button", "textbox", "combobox", "checkbox", "radio", "slider", "listbox"]
_WHOLE = 1_000
_LONGEST_LABEL = 250
"""In bytes."""
_LONGEST_VALUE = 500
_ROLES: dict[str, ReadRole] = {
    **dict.fromkeys(("button", "link", "tab", "menuitem", "summary", "generic", "treeitem"), "button"),
    **dict.fromkeys(("textbox", "searchbox", "spinbutton"), "textbox"),
    **dict.fromkeys(("checkbox", "switch", "menuitemcheckbox"), "checkbox"),
    **dict.fromkeys(("radio", "menuitemradio"), "radio"),
    "combobox": "combobox",
    "slider": "slider",
    "listbox": "listbox",
}
_REGIONS = {
    *("banner", "main", "navigation", "contentinfo", "complementary", "search", "form", "region", "dialog", "iframe"),
    *("alertdialog", "article", "table", "list", "group", "tabpanel", "menu", "grid", "tree"),
}


class TargetArguments(Arguments, frozen=True):
    target: Ref
    tab_id: TabId = None


class OpenArguments(Arguments, frozen=True):
    url: Annotated[str, Meta(min_length=1, description="The address.")]
    tab_id: TabId = None


class ReadArguments(Arguments, frozen=True):
    filter: Annotated[Literal["all", "interactive"], Meta(description="What to tell of.")]
    tab_id: TabId = None


class FillOrTypeArguments(Arguments, frozen=True):
    text: str
    target: Ref | None = None
    tab_id: TabId = None


class KeysArguments(Arguments, frozen=True):
    keys: Annotated[list[str], Meta(min_length=1, description="The keys of one combination.")]
    tab_id: TabId = None


class ScrollByArguments(Arguments, frozen=True):
    direction: Literal["up", "down", "left", "right"]
    amount: Annotated[int, Meta(ge=0, description="Pixels.")]
    tab_id: TabId = None


class SelectOptionArguments(Arguments, frozen=True):
    target: Ref
    values: Annotated[list[str], Meta(min_length=1, description="Options as shown, or their values.")]
    tab_id: TabId = None


class NewTabArguments(Arguments, frozen=True):
    url: str | None = None


class WaitForTextArguments(Arguments, frozen=True):
    text: Annotated[str, Meta(min_length=1)]
    timeout_ms: Annotated[int, Meta(ge=1, le=30_000)]
    tab_id: TabId = None


class PixelArguments(Arguments, frozen=True):
    x: int
    y: int
    tab_id: TabId = None


class ClickAtArguments(Arguments, frozen=True):
    x: int
    y: int
    button: Literal["left", "right", "middle"] = "left"
    click_count: Annotated[int, Meta(ge=1, le=3)] = 1
    keys: list[ModifierKey] = []
    tab_id: TabId = None


class SetCheckedArguments(Arguments, frozen=True):
    target: Ref
    checked: bool
    tab_id: TabId = None


class PathPoint(msgspec.Struct, frozen=True):
    x: int
    y: int


class DragPathArguments(Arguments, frozen=True):
    path: Annotated[list[PathPoint], Meta(min_length=2, max_length=100)]
    keys: list[ModifierKey] = []
    tab_id: TabId = None


class HoldKeysArguments(Arguments, frozen=True):
    keys: Annotated[list[str], Meta(min_length=1, max_length=8)]
    duration_ms: Annotated[int, Meta(ge=1, le=3_000)]
    tab_id: TabId = None


class ReadScopedArguments(Arguments, frozen=True):
    depth: Annotated[int, Meta(ge=1, le=32)]
    filter: Literal["all", "interactive"]
    root: Annotated[str | None, Meta(description="A scope that was told; without, the whole page.")] = None
    tab_id: TabId = None


class ReadDiagnosticsArguments(Arguments, frozen=True):
    source: Literal["console", "network"]
    limit: Annotated[int, Meta(ge=1, le=100)]
    tab_id: TabId = None


class RunScriptArguments(Arguments, frozen=True):
    source: Annotated[str, Meta(min_length=1)]
    timeout_ms: Annotated[int, Meta(ge=1, le=30_000)]
    tab_id: TabId = None


class ReadElement(msgspec.Struct, frozen=True, omit_defaults=True):
    """An element that can be acted on; `options` are the labels of the options of a list."""

    ref: str
    role: ReadRole
    label: str
    value: str | None = None
    options: list[str] | None = None
    checked: bool | None = None


class ScopedRead(msgspec.Struct, frozen=True):
    """A part of a page, and the labels of the parts of the page that can be asked for."""

    text: str
    elements: list[ReadElement]
    scopes: list[str]


@tool(page_changing=True, effect="address")
async def navigate(args: OpenArguments, context: Context) -> Observation:
    """Open an address in a tab."""
    return await _call_member(anthropic.navigate, anthropic.NavigateArguments(args.url, args.tab_id), context)


@tool(read_only=True)
async def read_page(args: ReadArguments, context: Context) -> Observation:
    """Read the page, with the refs of what can be acted on."""
    only: Literal["interactive"] | None = "interactive" if args.filter == "interactive" else None
    return await _call_member(
        anthropic.read_page, anthropic.ReadPageArguments(_WHOLE, only, None, args.tab_id), context
    )


@tool(read_only=True)
async def get_page_text(args: anthropic.TabArguments, context: Context) -> Observation:
    """Read what the page says."""
    return await _call_member(anthropic.get_page_text, args, context)


@tool(read_only=True)
async def find(args: anthropic.FindArguments, context: Context) -> Observation:
    """Find elements by a description."""
    return await _call_member(anthropic.find, args, context)


@tool(page_changing=True, effect="click")
async def click(args: TargetArguments, context: Context) -> Observation:
    """Click an element."""
    target = RefTarget(args.target)
    return await _call_member(anthropic.left_click, anthropic.ClickMemberArguments(target, None, args.tab_id), context)


@tool(takes_secrets=True, page_changing=lambda args: args.target is None and "\n" in args.text, effect="type")
async def type_(args: FillOrTypeArguments, context: Context) -> Observation:
    """Fill a field, or type where the focus is."""
    if args.target is not None:
        target = RefTarget(args.target)
        return await _call_member(
            anthropic.form_input, anthropic.FormInputArguments(target, args.text, args.tab_id), context
        )
    if context.secrets.named_in(args.text):
        raise InvalidArguments("A secret goes into a field: give its target.")
    return await _call_member(anthropic.type_, anthropic.TypeMemberArguments(args.text, args.tab_id), context)


@tool(page_changing=True, effect="press")
async def key(args: KeysArguments, context: Context) -> Observation:
    """Press a key or a combination of keys."""
    page = in_tab(args.tab_id, context).page
    return receipt_result(await page.press("+".join(each.strip() or "Space" for each in args.keys)))


@tool(effect="none")
async def scroll(args: ScrollByArguments, context: Context) -> Observation:
    """Scroll the page by some pixels."""
    if args.amount == 0:
        return Observation("scrolled by 0 px")
    moved = await in_tab(args.tab_id, context).page.scroll(args.direction, pixels=args.amount)
    return Observation(moved.text, moved)


@tool(effect="none")
async def select_option(args: SelectOptionArguments, context: Context) -> Observation:
    """Choose options of a list."""
    page = in_tab(args.tab_id, context).page
    if len(args.values) == 1:
        target = RefTarget(args.target)
        choice = anthropic.FormInputArguments(target, args.values[0], args.tab_id)
        return await _call_member(anthropic.form_input, choice, context)
    try:
        return receipt_result(await page.select(args.target, args.values))
    except InvalidArguments as no_such_text:
        try:
            return receipt_result(await page.select(args.target, args.values, by="value"))
        except InvalidArguments:
            raise no_such_text from None  # this error names the options as people see them


@tool(effect="none")
async def hover(args: TargetArguments, context: Context) -> Observation:
    """Move the mouse over an element."""
    return await _call_member(anthropic.hover, anthropic.HoverArguments(RefTarget(args.target), args.tab_id), context)


@tool(read_only=True)
async def screenshot(args: anthropic.TabArguments, context: Context) -> Observation:
    """Take a picture of the viewport."""
    return await _call_member(anthropic.screenshot, args, context)


@tool(read_only=True)
async def zoom(args: anthropic.ZoomArguments, context: Context) -> Observation:
    """Take an enlarged picture of a part of the viewport."""
    return await _call_member(anthropic.zoom, args, context)


@tool(page_changing=True, effect="address")
async def new_tab(args: NewTabArguments, context: Context) -> Observation:
    """Open a tab, which is the active one then."""
    return await open_tab(args.url, context)


@tool(page_changing=True, effect="none")
async def switch_tab(args: anthropic.NamedTabArguments, context: Context) -> Observation:
    """Make a tab the active one."""
    return await tabs_result("", named_tab(args.tab_id, context), context)


@tool(page_changing=True, effect="none")
async def close_tab(args: anthropic.NamedTabArguments, context: Context) -> Observation:
    """Close a tab."""
    return await _call_member(anthropic.close_tab, args, context)


@tool(effect="none")
async def scroll_to(args: TargetArguments, context: Context) -> Observation:
    """Scroll an element into view."""
    return await _call_member(
        anthropic.scroll_to, anthropic.RefTargetArguments(RefTarget(args.target), args.tab_id), context
    )


@tool(read_only=True)
async def wait_for(args: WaitForTextArguments, context: Context) -> Observation:
    """Wait until a text is on the page."""
    page = in_tab(args.tab_id, context).page
    return receipt_result(await page.wait_for(text=" ".join(args.text.split()), timeout_s=args.timeout_ms / 1000))


@tool(effect="none")
async def hover_at(args: PixelArguments, context: Context) -> Observation:
    """Move the mouse to a point."""
    target = anthropic.CoordinateTarget(args.x, args.y)
    return await _call_member(anthropic.mouse_move, anthropic.PointArguments(target, args.tab_id), context)


@tool(effect="none")
async def set_checked(args: SetCheckedArguments, context: Context) -> Observation:
    """Turn a checkbox on or off."""
    target = RefTarget(args.target)
    return await _call_member(
        anthropic.form_input, anthropic.FormInputArguments(target, args.checked, args.tab_id), context
    )


@tool(page_changing=True)
async def click_at(args: ClickAtArguments, context: Context) -> Observation:
    """Click at a point."""
    tab = in_tab(args.tab_id, context).tab
    at = (await view.view_of(tab)).point(args.x, args.y)
    return receipt_result(
        await pointing.click_at(tab, at, button=args.button, count=args.click_count, modifiers=args.keys)
    )


@tool(page_changing=True)
async def drag_path(args: DragPathArguments, context: Context) -> Observation:
    """Drag with the mouse over some points."""
    tab = in_tab(args.tab_id, context).tab
    shown = await view.view_of(tab)
    return receipt_result(
        await pointing.drag_along(tab, [shown.point(each.x, each.y) for each in args.path], modifiers=args.keys)
    )


@tool()
async def hold_keys(args: HoldKeysArguments, context: Context) -> Observation:
    """Hold keys down for some time."""
    tab = in_tab(args.tab_id, context).tab
    return receipt_result(await pointing.hold_keys(tab, args.keys, args.duration_ms / 1000))


@tool(read_only=True)
async def read_page_scoped(args: ReadScopedArguments, context: Context) -> Observation:
    """Read a part of the page, or find out which parts it has."""
    text = (await in_tab(args.tab_id, context).page.snapshot()).text
    scopes = _scopes(text)
    if args.root is not None:
        if args.root not in scopes:
            raise InvalidArguments(f"The page has no part {args.root!r}: read it without a root, which tells of those.")
        text = scopes[args.root]
    only: Literal["interactive"] | None = "interactive" if args.filter == "interactive" else None
    shown = part_of_page(text, only=only, depth=args.depth, ref=None)
    return Observation(shown, ScopedRead(shown, _elements(shown), list(scopes)))


@tool(read_only=True)
async def read_diagnostics(args: ReadDiagnosticsArguments, context: Context) -> Observation:
    """Read what the page wrote to the console, or which requests it made, since it was opened."""
    page = in_tab(args.tab_id, context).page
    if args.source == "console":
        return Observation("\n".join(map(str, (await page.console(max_results=args.limit)).messages)))
    return Observation("\n".join(map(str, (await page.requests(max_results=args.limit)).requests)))


@tool(page_changing=True, effect="script")
async def run_script(args: RunScriptArguments, context: Context) -> Observation:
    """Run JavaScript in the page, and get its value."""
    return await evaluated(args.source, in_tab(args.tab_id, context), args.timeout_ms / 1000)


async def _call_member(member: Tool, args: Arguments, context: Context) -> Observation:
    outcome = await member.run(args, context)
    assert isinstance(outcome, Observation)  # none of these tools ends a task
    return outcome


def _scopes(text: str) -> dict[str, str]:
    """The parts of a snapshot's text that are regions, by their labels: `form "Sign in"`, `list 2`."""
    lines = text.split("\n")
    scopes: dict[str, str] = {}
    times: Counter[str] = Counter()
    for index, raw in enumerate(lines):
        line = read_line(raw)
        if line is None or not line.opens or line.role not in _REGIONS:
            continue
        depth = indent_of(raw)
        end = next((at for at in range(index + 1, len(lines)) if indent_of(lines[at]) <= depth), len(lines))
        name = _cut(f"{line.role} {line.name}" if line.name else line.role, _LONGEST_LABEL - 10)
        times[name] += 1
        label = name if times[name] == 1 else f"{name} {times[name]}"
        scopes[label] = "\n".join(each[depth:] for each in lines[index:end])
    return scopes


def _elements(text: str) -> list[ReadElement]:
    """The elements in these lines that can be acted on."""
    elements: list[ReadElement] = []
    lines = [read_line(raw) for raw in text.split("\n")]
    for index, line in enumerate(lines):
        if line is not None and line.ref is not None and (role := _ROLES.get(line.role)) is not None:
            elements.append(_element(line, line.ref, role, lines[index + 1 :]))
    return elements


def _element(line: Line, ref: str, role: ReadRole, below: list[Line | None]) -> ReadElement:
    options: list[str] = []
    for inner in below if role in ("combobox", "listbox") else []:
        if inner is None or inner.depth <= line.depth:
            break
        if inner.role == "option" and inner.name:
            options.append(_cut(inner.name, _LONGEST_LABEL))
    has_value = line.role in FIELDS or role == "slider"
    return ReadElement(
        ref=ref,
        role=role,
        label=_cut(line.name or line.role, _LONGEST_LABEL),
        value=_cut(unquoted(line.text or ""), _LONGEST_VALUE) if has_value else None,
        options=options or None,
        checked="checked" in line.states if role in ("checkbox", "radio") else None,
    )


def _cut(text: str, longest: int) -> str:
    """The text on one line, cut to at most `longest` bytes."""
    line = re.sub(r"\s+", " ", text)
    return line.encode("utf-8", "replace")[:longest].decode("utf-8", "ignore")


MEMBERS = by_name(each for each in list(vars().values()) if isinstance(each, Tool) and each.run.__module__ == __name__)
