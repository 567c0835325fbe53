"""Which element a step's words mean: the best of the page, if it is better than the next by a margin; else nobody."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from cdp_agent.steps.intents import Target, Targets
from cdp_agent.steps.outline import Node, Outline
from cdp_agent.steps.words import alike

ENOUGH = 0.6
MARGIN = 0.08
_SHOWN = 5

_FIELDS = ("textbox", "searchbox", "combobox", "spinbutton")
_LISTS = ("combobox", "listbox")
_BOXES = ("checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio")
_PRESSED = (
    "button",
    "link",
    "tab",
    "menuitem",
    "treeitem",
    "option",
    "gridcell",
    "disclosure",
    "summary",
    "generic",
    *_BOXES,
)
# What each kind of element may be on a page: meant before all, and meant perhaps.
_ROLES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "radio": (("radio", "menuitemradio"), ("option",)),
    "checkbox": (("checkbox", "menuitemcheckbox"), ("switch",)),
    "switch": (("switch", "checkbox"), ("button",)),
    "list": (_LISTS, ("button", "textbox")),
    "field": (_FIELDS, ("slider", "generic")),
    "slider": (("slider",), ("spinbutton",)),
    "button": (("button",), ("link", "generic", "menuitem", "tab", "switch", "image", "img", "disclosure")),
    "link": (("link",), ("button", "generic", "menuitem")),
    "tab": (("tab",), ("link", "button", "generic", "radio")),
    "menu": (("menuitem", "menuitemcheckbox", "menuitemradio"), ("link", "button", "generic", "option", "listitem", "treeitem")),
    "option": (("option", "radio", "menuitemradio"), ("menuitem", "listitem", "generic", "checkbox", "link", "button")),
    "heading": (("heading",), ("generic", "button", "link")),
    "image": (("img", "image", "graphics-symbol"), ("button", "link", "generic")),
    "row": (("row",), ("listitem",)),
    "cell": (("cell", "gridcell", "columnheader", "rowheader"), ("generic",)),
    "item": (("listitem", "option", "menuitem", "treeitem", "article", "row"), ("link", "button", "generic", "cell")),
    "area": (("region", "form", "group", "dialog", "alertdialog", "list", "table", "grid", "navigation", "iframe"), ("generic",)),
}  # fmt: skip
_UNLIKELY = {"generic": 0.97, "heading": 0.95, "listitem": 0.95, "cell": 0.95, "row": 0.93, "iframe": 0.5}
_SECOND_CHOICE = 0.9
_LESS = {"placeholder": 0.95, "description": 0.8, "beside": 0.9, "inside": 0.88}


class Found(msgspec.Struct, frozen=True):
    """The element that is meant, how well it fits (0 to 1), and how well the next one does."""

    node: Node
    score: float
    runner_up: float = 0.0


class Unclear(msgspec.Struct, frozen=True):
    """No element, or none above the others: why, and those that come into question."""

    why: str
    candidates: tuple[Node, ...] = ()

    def __str__(self) -> str:
        shown = "; ".join(node.described for node in self.candidates[:_SHOWN])
        more = f" and {len(self.candidates) - _SHOWN} more" if len(self.candidates) > _SHOWN else ""
        return f"{self.why}: {shown}{more}." if shown else f"{self.why}."


def resolve(targets: Targets, page: Outline, *, roles: Sequence[str] = ()) -> Found | Unclear:
    """The element that the words mean in any of their readings. `roles` are those that the act can be done to."""
    best: Found | None = None
    unclear: Unclear | None = None
    for target in targets:
        found = _resolve(target, page, roles)
        if isinstance(found, Unclear):
            unclear = unclear if unclear and (unclear.candidates or not found.candidates) else found
        elif best is None or found.score > best.score + MARGIN:
            best = found
    return best or unclear or Unclear("The step names no element")


def _resolve(target: Target, page: Outline, roles: Sequence[str]) -> Found | Unclear:
    scope: Node = page.root
    if target.within is not None:
        area = _area(target.within, page)
        if isinstance(area, Unclear):
            return area
        scope = area
    candidates = [node for node in scope.below if node.ref is not None and _may_be(node, target.kind, roles)]
    if not target.name:
        return _by_place(target, candidates)
    scored = [(score, node) for node in candidates if (score := _score(target, node, roles)) >= ENOUGH]
    scored = [each for each in scored if not each[1].disabled] or scored
    if not scored:
        return Unclear(f"Nothing on the page is {target}", _nearest(target, candidates))
    if target.near is not None:
        scored = _beside(target.near, scored, page)
        if not scored:
            return Unclear(f"Nothing on the page says {target.near!r}")
    scored.sort(key=lambda each: -each[0])
    top = scored[0][0]
    if target.order is not None:
        tied = sorted((node for score, node in scored if score > top - MARGIN), key=lambda node: node.order)
        return _nth(target, tied, top)
    rivals = _rivals([each for each in scored if each[0] > top - MARGIN])
    if len(rivals) > 1:
        return Unclear(f"{len(rivals)} elements may be {target}", tuple(rivals))
    if rivals[0].disabled:
        return Unclear(f"{rivals[0].described} is disabled")
    runner_up = next((score for score, node in scored if node is not rivals[0] and score <= top - MARGIN), 0.0)
    return Found(rivals[0], top, runner_up)


def _may_be(node: Node, kind: str | None, roles: Sequence[str]) -> bool:
    if roles and node.role not in roles:
        return False
    if kind is None:
        return node.role not in ("iframe",)
    first, second = _ROLES[kind]
    return node.role in first or node.role in second


def _score(target: Target, node: Node, roles: Sequence[str]) -> float:
    said: list[tuple[float, str]] = [(1.0, node.name)]
    if node.role not in _FIELDS and node.text:
        said.append((1.0, node.text))
    said += [(_LESS[key], node.states[key]) for key in ("placeholder", "description") if key in node.states]
    if not node.name and node.role in (*_FIELDS, *_BOXES, "slider", "listbox"):
        said.append((_LESS["beside"], _text_before(node)))
    if not node.name and node.children and node.role not in ("table", "list"):
        said.append((_LESS["inside"], node.words))
    if target.kind == "field" and target.name == "search" and node.role == "searchbox":
        return 1.0
    score = max(weight * alike(target.name, words, exactly=target.quoted) for weight, words in said)
    if target.kind is not None:
        return score * (1.0 if node.role in _ROLES[target.kind][0] else _SECOND_CHOICE)
    if not roles and node.role in _FIELDS:
        return score * _SECOND_CHOICE
    return score * _UNLIKELY.get(node.role, 1.0)


def _text_before(node: Node) -> str:
    """The text that stands right before an element that has no name of its own, as the label of a plain form does."""
    siblings = node.parent.children if node.parent else []
    place = siblings.index(node) if node in siblings else 0
    if place == 0:
        return node.parent.text if node.parent and node.parent.children and node.parent.children[0] is node else ""
    before = siblings[place - 1]
    return before.text or before.name if before.ref is None or before.role == "generic" else ""


def _by_place(target: Target, candidates: list[Node]) -> Found | Unclear:
    """An element that has no name in the step: the only one of its kind, or the n-th."""
    if target.kind is None:
        return Unclear("The step names no element")
    first = [node for node in candidates if node.role in _ROLES[target.kind][0]] or candidates
    if target.near is not None:
        ranked = (
            _beside(target.near, [(1.0, node) for node in first], Outline(_root_of(first), [], "")) if first else []
        )
        first = [node for _, node in ranked]
    usable = [node for node in first if not node.disabled] or first
    if target.order is not None:
        return _nth(target, first, 1.0)
    if len(usable) == 1:
        return Found(usable[0], 1.0)
    return Unclear(f"{len(usable) or 'No'} elements are {target}", tuple(usable))


def _nth(target: Target, nodes: list[Node], score: float) -> Found | Unclear:
    order = target.order or 1
    place = order - 1 if order > 0 else len(nodes) + order
    if not 0 <= place < len(nodes):
        return Unclear(f"There are only {len(nodes)} of what {target} asks for", tuple(nodes))
    return Found(nodes[place], score)


def _rivals(tied: list[tuple[float, Node]]) -> list[Node]:
    """Those that really differ: not a box and what it holds, not two links to one address, not what a dialog covers."""
    nodes = [node for _, node in tied]
    in_dialog = [node for node in nodes if any(each.role in ("dialog", "alertdialog") for each in node.above)]
    nodes = in_dialog or nodes
    nodes = [node for node in nodes if not any(node in other.above for other in nodes)] or nodes
    seen: set[tuple[str, str, str]] = set()
    different: list[Node] = []
    for node in sorted(nodes, key=lambda node: node.order):
        key = (node.role, node.name, node.target)
        if node.role == "link" and node.target and key in seen:
            continue
        seen.add(key)
        different.append(node)
    return different


def _beside(near: str, scored: list[tuple[float, Node]], page: Outline) -> list[tuple[float, Node]]:
    """Those of the candidates that share the smallest box with the text `near`."""
    anchors = [
        node
        for node in page.root.below
        if max(alike(near, node.name, exactly=True), alike(near, node.text, exactly=True)) >= ENOUGH
    ]
    best = max(
        (max(alike(near, each.name, exactly=True), alike(near, each.text, exactly=True)) for each in anchors),
        default=0.0,
    )
    anchors = [
        each
        for each in anchors
        if max(alike(near, each.name, exactly=True), alike(near, each.text, exactly=True)) > best - MARGIN
    ]
    if not anchors:
        return []
    closeness: list[tuple[int, float, Node]] = []
    for score, node in scored:
        closeness.append((max(_shared_depth(node, anchor) for anchor in anchors), score, node))
    deepest = max(depth for depth, _, _ in closeness)
    if deepest < 0:
        return scored  # they share no box: being near says nothing
    return [(score, node) for depth, score, node in closeness if depth == deepest]


def _shared_depth(one: Node, other: Node) -> int:
    """The depth of the innermost line that holds both, -1 for none but the page."""
    line = {id(each) for each in (one, *one.above)}
    return next((each.depth for each in (other, *other.above) if id(each) in line), -1)


def _area(target: Target, page: Outline) -> Node | Unclear:
    """The part of the page that the words name: by its name, or by the heading that it begins with."""
    inside: Callable[[Node], bool] = lambda node: bool(node.children)  # noqa: E731
    areas = [node for node in page.root.below if inside(node)]
    kinds = _ROLES[target.kind][0] if target.kind in ("row", "item", "tab", "list", "menu") else ()
    if not target.name:
        named = [
            node
            for node in areas
            if target.kind == "area" and node.role in ("dialog", "alertdialog", "form", "main", "table", "list")
        ]
        return (
            named[0]
            if len(named) == 1
            else Unclear(f"{len(named) or 'No'} parts of the page may be {target}", tuple(named))
        )
    scored = [(_area_score(target, node), node) for node in areas if not kinds or node.role in kinds or not node.ref]
    scored = sorted(((score, node) for score, node in scored if score >= ENOUGH), key=lambda each: -each[0])
    if not scored:
        return Unclear(f"No part of the page is {target}")
    tied = [node for score, node in scored if score > scored[0][0] - MARGIN]
    outer = [node for node in tied if not any(above in tied for above in node.above)]
    return outer[0] if len(outer) == 1 else Unclear(f"{len(outer)} parts of the page may be {target}", tuple(outer))


def _area_score(target: Target, node: Node) -> float:
    begins = next((each for each in node.below), None)
    heading = (
        begins.name or begins.text if begins is not None and begins.role in ("heading", "caption", "legend") else ""
    )
    own = max(alike(target.name, node.name), 0.9 * alike(target.name, heading), 0.85 * alike(target.name, node.text))
    if node.role == "row":
        own = max(own, 0.85 * alike(target.name, node.words, exactly=True))
    return own


def _nearest(target: Target, candidates: list[Node]) -> tuple[Node, ...]:
    """What comes closest, for whoever has to say it better."""
    likeness = [(alike(target.name, node.name), node.order, node) for node in candidates if node.name]
    if target.kind is not None and not any(score for score, _, _ in likeness):
        return tuple(node for node in candidates if node.role in _ROLES[target.kind or ""][0])[:_SHOWN]
    return tuple(node for score, _, node in sorted(likeness, key=lambda each: (-each[0], each[1])) if score)[:_SHOWN]


def _root_of(nodes: list[Node]) -> Node:
    return [nodes[0], *nodes[0].above][-1]
