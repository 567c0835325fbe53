"""Calls that fill in forms: text, options, checkboxes, files."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from cdp_agent.page.snapshot.lines import FIELDS
from cdp_agent.steps.language.intents import Check, Select, Set, Target, Targets, Type, Upload
from cdp_agent.steps.language.kinds import BOXES, LISTS
from cdp_agent.steps.language.words import is_part, name_score
from cdp_agent.steps.resolve.call import Output, StepCall, on, resolve_reference
from cdp_agent.steps.resolve.naming import ENOUGH, MARGIN
from cdp_agent.steps.resolve.outline import Outline, OutlineNode
from cdp_agent.steps.resolve.resolve import Unclear, resolve

_VALUED = (*FIELDS, "slider")
_ON = ("on", "yes", "true", "checked", "enabled", "ticked", "1")
_OFF = ("off", "no", "false", "unchecked", "disabled", "unticked", "0")


def type_text(intent: Type, page: Outline, outputs: Sequence[Output]) -> StepCall | Unclear:
    text = resolve_reference(intent.text, outputs)
    if isinstance(text, Unclear):
        return text
    field = _the_field(page) if intent.target is None else _resolved(intent.target, page, _VALUED)
    if isinstance(field, Unclear):
        return field
    said = {"append": intent.append, "submit": intent.submit}
    return on("fill", field, value=text, **{name: value for name, value in said.items() if value})


def select(intent: Select, page: Outline) -> StepCall | Unclear:
    if intent.by == "index" and intent.target is not None:
        node = _resolved(intent.target, page, LISTS)
        if isinstance(node, Unclear):
            return node
        place = str(len(_options(node)) - 1) if intent.option == "-1" else intent.option
        return on("select", node, value=place, by="index")
    chosen = choose(intent.option, intent.target, page)
    if not isinstance(chosen, Unclear) or intent.target is None or chosen.score:
        return chosen
    # The options need not be in a list: they may be elements to click, in a part of the page with that name.
    clicked = resolve(_options_within(intent.option, intent.target), page)
    if isinstance(clicked, Unclear):
        return clicked if clicked.score else chosen
    return _set_checked(clicked.node, on=True) if clicked.node.role in BOXES else on("click", clicked.node)


def choose(option: str, target: Targets | None, page: Outline) -> StepCall | Unclear:
    """The call that chooses an option in the list `target`, or, without one, in the only list with that option."""
    if target is not None:
        found = _resolved(target, page, LISTS)
        return found if isinstance(found, Unclear) else _option_of(found, option)
    lists = [node for node in page.nodes if node.ref and node.role in LISTS and not node.disabled and _options(node)]
    having = [node for node in lists if not isinstance(_option_of(node, option), Unclear)]
    if len(having) == 1:
        return _option_of(having[0], option)
    return Unclear(
        f"{len(having) or 'No'} lists of the page have an option {option!r}", tuple(having), float(bool(having))
    )


def set_value(intent: Set, page: Outline) -> StepCall | Unclear:
    node = _resolved(intent.target, page, (*_VALUED, *LISTS, *BOXES))
    if isinstance(node, Unclear):
        return node
    value = intent.value.strip().lower()
    if node.role in BOXES:
        if value in (*_ON, *_OFF):
            return _set_checked(node, on=value in _ON)
        return Unclear(f"{node.described} is on or off, not {intent.value!r}", score=1.0)
    return _option_of(node, intent.value) if _options(node) else on("fill", node, value=intent.value)


def check(intent: Check, page: Outline) -> StepCall | Unclear:
    node = _resolved(intent.target, page, BOXES)
    return node if isinstance(node, Unclear) else _set_checked(node, on=intent.on)


def upload(intent: Upload, page: Outline) -> StepCall | Unclear:
    takers = [node for node in page.nodes if node.ref and node.states.get("type") == "file"]
    if intent.target is None:
        why = f"{len(takers) or 'No'} elements of the page take files"
        node = takers[0] if len(takers) == 1 else Unclear(why, tuple(takers), float(bool(takers)))
    else:
        node = _file_field(intent.target, takers, page)
    return node if isinstance(node, Unclear) else on("upload", node, files=[intent.file])


def _file_field(target: Targets, takers: list[OutlineNode], page: Outline) -> OutlineNode | Unclear:
    """The file field that the words mean; people may call it a field, a button, or by the file to choose."""
    if len(takers) == 1 and not any(each.name for each in target):
        return takers[0]
    readings = tuple(
        msgspec.structs.replace(each, kind=None) if each.kind in ("field", "list") else each for each in target
    )
    return _resolved(readings, page, ("button", "link", "generic"))


def _resolved(target: Targets, page: Outline, roles: Sequence[str]) -> OutlineNode | Unclear:
    found = resolve(target, page, roles=roles)
    return found if isinstance(found, Unclear) else found.node


def _set_checked(node: OutlineNode, *, on: bool) -> StepCall:
    return StepCall("check" if on else "uncheck", {"ref": node.ref}, node.described)


def _the_field(page: Outline) -> OutlineNode | Unclear:
    """The field for a step that names none: the one with the focus, else the only one."""
    fields = [node for node in page.nodes if node.ref and node.role in FIELDS and not node.disabled]
    focused = [node for node in fields if "focused" in node.states]
    if len(focused) == 1:
        return focused[0]
    if len(fields) == 1:
        return fields[0]
    why = "No field has the focus, and the step names none" if fields else "The page has no field"
    return Unclear(why, tuple(fields), float(bool(fields)))


def _options_within(option: str, target: Targets) -> Targets:
    return tuple(
        Target(option, within=msgspec.structs.replace(part, kind=None if part.kind == "list" else part.kind))
        for part in target
        if part.name
    )


def _options(node: OutlineNode) -> list[str]:
    """The options that the snapshot shows for a list: one on each line, or all on one line."""
    lines = [each.name for each in node.descendants if each.role == "option"]
    return lines or [part for each in node.children if each.role == "options" for part in each.parts]


def _option_of(node: OutlineNode, option: str) -> StepCall | Unclear:
    options = _options(node)
    if not options:  # they appear when the list is opened: the tool finds them
        return on("select", node, value=option)
    named = [each for each in dict.fromkeys(options) if is_part(option, each)]
    scored = sorted(((name_score(option, each, exactly=True), each) for each in named), reverse=True)
    best = [each for score, each in scored if score >= ENOUGH and score > scored[0][0] - MARGIN]
    best = [each for each in best if each.strip() == option.strip()] or best
    if len(best) == 1:
        return on("select", node, value=best[0])
    shown = ", ".join(best or options[:10])
    return Unclear(f"{node.described} has {len(best) or 'no'} options {option!r}: {shown}", score=float(bool(best)))
