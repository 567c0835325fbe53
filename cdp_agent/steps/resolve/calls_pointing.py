"""Calls for the mouse and the keyboard."""

from __future__ import annotations

from cdp_agent.steps.language.intents import Click, Drag, Point, Press, Scroll, Target
from cdp_agent.steps.language.kinds import BOXES
from cdp_agent.steps.language.words import name_score, words_of
from cdp_agent.steps.resolve.call import StepCall, on
from cdp_agent.steps.resolve.calls_filling import choose
from cdp_agent.steps.resolve.outline import Outline, OutlineNode
from cdp_agent.steps.resolve.regions import Region, part_of
from cdp_agent.steps.resolve.resolve import Found, Unclear, resolve

_ENDING = ("close", "x", "dismiss", "cancel")


def click(intent: Click, page: Outline) -> StepCall | Unclear:
    first = intent.target[0]
    if intent.to == "close":
        return close(first, page)
    resolved = resolve(intent.target, page)
    if isinstance(resolved, Unclear):
        if resolved.score or intent.kind != "single" or not first.name or first.kind not in (None, "option"):
            return resolved
        chosen = choose(first.name, None, page)  # "Choose Oslo": the options of a list cannot be clicked
        return resolved if isinstance(chosen, Unclear) else chosen
    return pointed(intent, resolved.node)


def pointed(intent: Click | Point, node: OutlineNode) -> StepCall | Unclear:
    """The call that carries out the intent on this element."""
    if isinstance(intent, Point):
        return on(intent.act, node)
    if intent.kind == "double":
        return on("click", node, count=2)
    return on("click", node, button="right") if intent.kind == "right" else _click_for_purpose(intent.to, node)


def _click_for_purpose(purpose: str, node: OutlineNode) -> StepCall | Unclear:
    """The click for this purpose; Unclear if the element is already expanded or collapsed. A box is checked instead."""
    if purpose == "choose" and node.role in BOXES:
        return on("check", node)
    expanded = node.states.get("expanded")
    if (purpose, expanded) in (("expand", ""), ("collapse", "false")):
        return Unclear(f"{node.described} is {purpose}ed already".replace("eed", "ed"), score=1.0)
    return on("click", node)


def close(target: Target, page: Outline) -> StepCall | Unclear:
    """The click for "Close the dialog" (on its close button) or "Close Settings" (on a button of that name)."""
    if target.name:
        whole = resolve((Target(f"Close {target.name}", True),), page)
        if isinstance(whole, Found):
            return on("click", whole.node)
    part = part_of(target, page)
    if not isinstance(part, Region):
        return Unclear(f"{len(part) or 'No'} parts of the page are {target}", part)
    for name in _ENDING:
        named = [node for node in part.nodes if node.ref and _is_named(node, name)]
        if len(named) == 1:
            return on("click", named[0])
    buttons = tuple(node for node in part.nodes if node.ref and node.role == "button")
    return Unclear(f"Nothing in {target} is called Close", buttons)


def _is_named(node: OutlineNode, name: str) -> bool:
    return node.role in ("button", "link", "generic") and (name,) in (words_of(node.name), words_of(node.text))


def point(intent: Point, page: Outline) -> StepCall | Unclear:
    found = resolve(intent.target, page)
    return found if isinstance(found, Unclear) else pointed(intent, found.node)


def press(intent: Press, page: Outline) -> StepCall | Unclear:
    arguments: dict[str, object] = {"key": intent.key}
    if intent.repeat > 1:
        arguments["repeat"] = intent.repeat
    if intent.target is not None:
        found = resolve(intent.target, page)
        if isinstance(found, Unclear):
            return found
        return StepCall("press", {**arguments, "ref": found.node.ref}, found.node.described)
    named = tuple(each for each in page.nodes if each.ref and name_score(intent.key, each.name, exactly=True) == 1.0)
    if named and not intent.is_key:
        why = f'"{intent.key}" is a key and the name of an element: say "the {intent.key} key", or "click"'
        return Unclear(why, named, 1.0)
    return StepCall("press", arguments)


def scroll(intent: Scroll, page: Outline) -> StepCall | Unclear:
    wanted = {"pixels": intent.pixels, "pages": intent.pages}
    arguments: dict[str, object] = {name: value for name, value in wanted.items() if value is not None}
    arguments = {"direction": intent.direction, **arguments}
    if intent.target is None:
        return StepCall("scroll", arguments)
    found = resolve(intent.target, page)
    return found if isinstance(found, Unclear) else on("scroll", found.node, **arguments)


def drag(intent: Drag, page: Outline) -> StepCall | Unclear:
    dragged, onto = resolve(intent.target, page), resolve(intent.onto, page)
    if isinstance(dragged, Unclear):
        return dragged
    if isinstance(onto, Unclear):
        return onto
    about = f"{dragged.node.described} to {onto.node.described}"
    return StepCall("drag", {"from_ref": dragged.node.ref, "to_ref": onto.node.ref}, about)
