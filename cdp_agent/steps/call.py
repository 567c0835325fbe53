"""From what a step means to the tool call that does it, on the page as it is: no model, and never a guess."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from cdp_agent.steps.intents import (
    Check,
    Click,
    Drag,
    Either,
    Go,
    Intent,
    Look,
    Open,
    Point,
    Press,
    Result,
    Scroll,
    Select,
    Set,
    Tab,
    Targets,
    Type,
    Upload,
    Wait,
)
from cdp_agent.steps.outline import Node, Outline
from cdp_agent.steps.resolve import ENOUGH, MARGIN, Found, Unclear, resolve
from cdp_agent.steps.words import alike

FIELDS = ("textbox", "searchbox", "combobox", "spinbutton", "slider", "generic")
LISTS = ("combobox", "listbox")
BOXES = ("checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio")
_ON = ("on", "yes", "true", "checked", "enabled", "ticked", "1")
_OFF = ("off", "no", "false", "unchecked", "disabled", "unticked", "0")
_URL = re.compile(r"https?://[^\s\"'<>)\]]+")


class Call(msgspec.Struct, frozen=True):
    """A tool by its name with its arguments, and what of the page it is about."""

    tool: str
    arguments: dict[str, Any]
    about: str = ""


class Output(msgspec.Struct, frozen=True):
    """What a step gave: the tool that it became, what that said, and the same as facts."""

    step: int
    tool: str
    text: str
    facts: Any = None


def call_for(intent: Intent, page: Outline, outputs: Sequence[Output]) -> Call | Unclear:
    """The call that does it; or why that cannot be said without a model."""
    make: Callable[[Any, Outline, Sequence[Output]], Call | Unclear] = _MAKERS[type(intent)]
    return make(intent, page, outputs)


def needs_page(intent: Intent) -> bool:
    """Whether the page has to be looked at to know what is meant."""
    return isinstance(intent, Click | Type | Select | Set | Check | Point | Drag | Upload | Either) or (
        isinstance(intent, Press | Scroll) and (intent.target is not None or isinstance(intent, Press))
    )


def _open(intent: Open, page: Outline, outputs: Sequence[Output]) -> Call | Unclear:
    url = _given(intent.url, outputs)
    if isinstance(url, Unclear):
        return url
    if intent.new_tab:
        return Call("manage_tabs", {"action": "open", "url": url})
    return Call("goto", {"url": url})


def _go(intent: Go, page: Outline, outputs: Sequence[Output]) -> Call:
    return Call(intent.where, {})


def _tab(intent: Tab, page: Outline, outputs: Sequence[Output]) -> Call | Unclear:
    arguments: dict[str, Any] = {"action": intent.act}
    if intent.which is not None:
        which = _given(intent.which, outputs)
        if isinstance(which, Unclear):
            return which
        arguments["tab"] = which
    return Call("manage_tabs", arguments)


def _click(intent: Click, page: Outline, outputs: Sequence[Output]) -> Call | Unclear:
    found = resolve(intent.target, page)
    if isinstance(found, Unclear):
        if found.candidates or intent.kind != "single" or not intent.target[0].name:
            return found
        chosen = _choose(intent.target[0].name, None, page)  # "Choose Oslo": the options of a list cannot be clicked
        return found if isinstance(chosen, Unclear) else chosen
    arguments: dict[str, Any] = {"ref": found.node.ref}
    if intent.kind == "double":
        arguments["count"] = 2
    if intent.kind == "right":
        arguments["button"] = "right"
    return Call("click", arguments, found.node.described)


def _type(intent: Type, page: Outline, outputs: Sequence[Output]) -> Call | Unclear:
    text = _given(intent.text, outputs)
    if isinstance(text, Unclear):
        return text
    field = _the_field(page) if intent.target is None else _resolved(intent.target, page, FIELDS)
    if isinstance(field, Unclear):
        return field
    arguments: dict[str, Any] = {"ref": field.ref, "value": text}
    if intent.append:
        arguments["append"] = True
    if intent.submit:
        arguments["submit"] = True
    return Call("fill", arguments, field.described)


def _select(intent: Select, page: Outline, outputs: Sequence[Output]) -> Call | Unclear:
    if intent.by == "index" and intent.target is not None:
        found = _resolved(intent.target, page, LISTS)
        if isinstance(found, Unclear):
            return found
        arguments = {"ref": found.ref, "value": _place(intent.option, found), "by": "index"}
        return Call("select", arguments, found.described)
    chosen = _choose(intent.option, intent.target, page)
    if not isinstance(chosen, Unclear) or intent.target is None:
        return chosen
    # What is chosen from need not be a list: options that can be clicked, in the part of the page of that name.
    named = _options_within(intent.option, intent.target)
    found_option = resolve(named, page)
    return chosen if isinstance(found_option, Unclear) else _turn(found_option.node, on=True, else_click=True)


def _options_within(option: str, target: Targets) -> Targets:
    return tuple(msgspec.structs.replace(each, name=option, kind=None, within=each) for each in target)


def _set(intent: Set, page: Outline, outputs: Sequence[Output]) -> Call | Unclear:
    node = _resolved(intent.target, page, (*FIELDS, *LISTS, *BOXES))
    if isinstance(node, Unclear):
        return node
    value = intent.value.strip().lower()
    if node.role in BOXES:
        if value not in (*_ON, *_OFF):
            return Unclear(f"{node.described} is on or off, not {intent.value!r}")
        return _turn(node, on=value in _ON)
    if _options(node):
        return _option_of(node, intent.value)
    return Call("fill", {"ref": node.ref, "value": intent.value}, node.described)


def _check(intent: Check, page: Outline, outputs: Sequence[Output]) -> Call | Unclear:
    found = resolve(intent.target, page, roles=BOXES)
    if isinstance(found, Unclear):
        return found
    return _turn(found.node, on=intent.on)


def _turn(node: Node, *, on: bool, else_click: bool = False) -> Call:
    if node.role not in BOXES and else_click:
        return Call("click", {"ref": node.ref}, node.described)
    return Call("check" if on else "uncheck", {"ref": node.ref}, node.described)


def _press(intent: Press, page: Outline, outputs: Sequence[Output]) -> Call | Unclear:
    arguments: dict[str, Any] = {"key": intent.key}
    about = ""
    if intent.target is not None:
        node = _resolved(intent.target, page)
        if isinstance(node, Unclear):
            return node
        arguments["ref"], about = node.ref, node.described
    elif not intent.surely:
        named = tuple(each for each in page.nodes if each.ref and alike(intent.key, each.name, exactly=True) == 1.0)
        if named:
            return Unclear(
                f'"{intent.key}" is a key and the name of an element: say "the {intent.key} key", or "click"', named
            )
    if intent.repeat > 1:
        arguments["repeat"] = intent.repeat
    return Call("press", arguments, about)


def _point(intent: Point, page: Outline, outputs: Sequence[Output]) -> Call | Unclear:
    node = _resolved(intent.target, page)
    return node if isinstance(node, Unclear) else Call(intent.act, {"ref": node.ref}, node.described)


def _scroll(intent: Scroll, page: Outline, outputs: Sequence[Output]) -> Call | Unclear:
    arguments: dict[str, Any] = {"direction": intent.direction}
    if intent.pixels is not None:
        arguments["pixels"] = intent.pixels
    if intent.pages is not None:
        arguments["pages"] = intent.pages
    if intent.target is None:
        return Call("scroll", arguments)
    node = _resolved(intent.target, page)
    if isinstance(node, Unclear):
        return node
    return Call("scroll", {**arguments, "ref": node.ref}, node.described)


def _drag(intent: Drag, page: Outline, outputs: Sequence[Output]) -> Call | Unclear:
    dragged, onto = _resolved(intent.target, page), _resolved(intent.onto, page)
    if isinstance(dragged, Unclear):
        return dragged
    if isinstance(onto, Unclear):
        return onto
    return Call("drag", {"from_ref": dragged.ref, "to_ref": onto.ref}, f"{dragged.described} to {onto.described}")


def _upload(intent: Upload, page: Outline, outputs: Sequence[Output]) -> Call | Unclear:
    takers = [node for node in page.nodes if node.ref and node.states.get("type") == "file"]
    if intent.target is not None:
        node = _resolved(intent.target, page)
        if isinstance(node, Unclear):
            return node
    elif len(takers) == 1:
        node = takers[0]
    else:
        return Unclear(f"{len(takers) or 'No'} elements of the page take files", tuple(takers))
    return Call("upload", {"ref": node.ref, "files": [intent.file]}, node.described)


def _wait(intent: Wait, page: Outline, outputs: Sequence[Output]) -> Call:
    if intent.seconds is not None:
        return Call("wait", {"seconds": intent.seconds})
    wanted = {"text": intent.text, "gone": intent.gone, "url": intent.url, "idle": intent.idle or None}
    return Call("wait_for", {name: value for name, value in wanted.items() if value is not None})


def _look(intent: Look, page: Outline, outputs: Sequence[Output]) -> Call:
    return Call(intent.how, {"pattern": intent.pattern} if intent.how == "search_page" else {})


def _first_that_can(intent: Either, page: Outline, outputs: Sequence[Output]) -> Call | Unclear:
    found = [call_for(each, page, outputs) for each in intent.intents]
    return next((each for each in found if not isinstance(each, Unclear)), found[0])


_MAKERS: dict[type, Callable[[Any, Outline, Sequence[Output]], Call | Unclear]] = {
    Open: _open,
    Go: _go,
    Tab: _tab,
    Click: _click,
    Type: _type,
    Select: _select,
    Set: _set,
    Check: _check,
    Press: _press,
    Point: _point,
    Scroll: _scroll,
    Drag: _drag,
    Upload: _upload,
    Wait: _wait,
    Look: _look,
    Either: _first_that_can,
}


def _resolved(target: Targets, page: Outline, roles: Sequence[str] = ()) -> Node | Unclear:
    found = resolve(target, page, roles=roles)
    return found.node if isinstance(found, Found) else found


def _the_field(page: Outline) -> Node | Unclear:
    """The field that a step means which names none: the one with the focus, else the only one."""
    fields = [node for node in page.nodes if node.ref and node.role in FIELDS[:4] and not node.disabled]
    focused = [node for node in fields if "focused" in node.states]
    if len(focused) == 1:
        return focused[0]
    if len(fields) == 1:
        return fields[0]
    return Unclear(
        "No field has the focus, and the step names none" if fields else "The page has no field", tuple(fields)
    )


def _choose(option: str, target: Targets | None, page: Outline) -> Call | Unclear:
    """The option of the list that is meant; of the only list that has it, where the step names none."""
    if target is not None:
        found = _resolved(target, page, LISTS)
        return found if isinstance(found, Unclear) else _option_of(found, option)
    having = [
        node
        for node in page.nodes
        if node.ref and node.role in LISTS and not isinstance(_option_of(node, option), Unclear)
    ]
    if len(having) == 1:
        return _option_of(having[0], option)
    return Unclear(f"{len(having) or 'No'} lists of the page have an option {option!r}", tuple(having))


def _options(node: Node) -> list[str]:
    """The options that the snapshot shows of a list: a line each, or all in one line."""
    lines = [each.name for each in node.below if each.role == "option"]
    return lines or [part for each in node.children if each.role == "options" for part in each.text.split(" | ")]


def _option_of(node: Node, option: str) -> Call | Unclear:
    options = _options(node)
    if not options:  # they come when it is opened: select() looks for itself
        return Call("select", {"ref": node.ref, "value": option}, node.described)
    scored = sorted(((alike(option, each, exactly=True), each) for each in dict.fromkeys(options)), reverse=True)
    best = [each for score, each in scored if score >= ENOUGH and score > scored[0][0] - MARGIN]
    if len(best) == 1:
        return Call("select", {"ref": node.ref, "value": best[0]}, node.described)
    shown = ", ".join(best or options[:10])
    return Unclear(f"{node.described} has {len(best) or 'no'} options {option!r}: {shown}")


def _place(number: str, node: Node) -> str:
    return str(len(_options(node)) - 1) if number == "-1" else number


def _given(value: str | Result, outputs: Sequence[Output]) -> str | Unclear:
    """What an earlier step gave, when the step refers to one and there is no doubt what it is."""
    if isinstance(value, str):
        return value
    if not outputs:
        return Unclear("The step refers to an earlier one, and there is none")
    step = outputs[-1].step if value.step is None else value.step
    output = next((each for each in reversed(outputs) if each.step == step), None)
    if output is None:
        return Unclear(f"Step {step} gave nothing")
    if value.what == "text":
        return output.text
    if value.what == "tab":
        ids = sorted({str(each) for each in _values(output.facts, ("tab", "tab_id", "active_tab"))})
        return ids[0] if len(ids) == 1 else Unclear(f"Step {step} gave {len(ids) or 'no'} tabs")
    urls = list(dict.fromkeys(_URL.findall(output.text)))
    return (
        urls[0] if len(urls) == 1 else Unclear(f"Step {step} gave {len(urls) or 'no'} addresses: {', '.join(urls[:5])}")
    )


def _values(facts: Any, keys: Sequence[str]) -> list[Any]:
    if not isinstance(facts, dict):
        return []
    return [facts[key] for key in keys if isinstance(facts.get(key), str | int)]
