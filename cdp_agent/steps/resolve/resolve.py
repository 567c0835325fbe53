"""Finds the element that a step's words mean: the best match, if it is better than the next by a margin; else none.

A text that the step names near the element has to be in the same row, entry or box, or next to the element in a box.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from cdp_agent.steps.language.intents import Target, Targets
from cdp_agent.steps.language.kinds import DIALOGS, ENTRIES, may_be
from cdp_agent.steps.language.words import mention_score, spelling_score, words_of
from cdp_agent.steps.resolve.naming import ENOUGH, MARGIN, fit_score, has_exact_name, kind_fits
from cdp_agent.steps.resolve.outline import Outline, OutlineNode
from cdp_agent.steps.resolve.regions import Region, entries, part_of
from cdp_agent.steps.resolve.table_cells import cell_at, rows_in

_SHOWN = 5
_NEAR_SPELLING = 0.6


class Found(msgspec.Struct, frozen=True):
    """The element that is meant, and how well it fits (0 to 1)."""

    node: OutlineNode
    score: float


class Unclear(msgspec.Struct, frozen=True):
    """Why no element is meant (none matches, or several match equally well), and the candidates.

    `score` is that of the best of several matches; if it is 0, none matches, and the candidates are only similar.
    """

    why: str
    candidates: tuple[OutlineNode, ...] = ()
    score: float = 0.0

    def __str__(self) -> str:
        others = [node.described_with_location for node in self.candidates if not self.why.startswith(node.described)]
        shown = "; ".join(others[:_SHOWN])
        more = f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else ""
        return f"{self.why}: {shown}{more}." if shown else f"{self.why}."


def resolve(targets: Targets, page: Outline, *, roles: Sequence[str] = ()) -> Found | Unclear:
    """The element that the words mean. `roles` are those that the act can be done to.

    If the words have several readings, all must mean the same element, or one must match far better than the others.
    """
    likely = [target for target in targets if not target.unlikely]
    clear = _of_readings(likely, page, roles)
    if isinstance(clear, Unclear) and not clear.score and len(likely) < len(targets):
        other = _of_readings([target for target in targets if target.unlikely], page, roles)
        clear = other if isinstance(other, Found) or other.score else clear
    if isinstance(clear, Unclear) and not clear.candidates:
        return msgspec.structs.replace(clear, candidates=_similar_elements(targets, page, roles))
    return clear


def _of_readings(targets: Sequence[Target], page: Outline, roles: Sequence[str]) -> Found | Unclear:
    readings = [_resolve(target, page, roles) for target in targets]
    matches = [each for each in readings if isinstance(each, Found)]
    unclear = [each for each in readings if isinstance(each, Unclear)]
    if not matches:
        return max(unclear, key=lambda each: each.score, default=Unclear("It names no element"))
    best = max(matches, key=lambda each: each.score)
    others = [each.node for each in matches if each.node is not best.node and each.score > best.score - MARGIN]
    # The candidates of other readings, unless these match less well.
    others += [node for each in unclear if each.score > best.score - MARGIN for node in each.candidates]
    if others and best.node not in others:
        return Unclear(
            f"It can be read in several ways, as {best.node.described} too", (best.node, *others), best.score
        )
    return best


def _resolve(target: Target, page: Outline, roles: Sequence[str]) -> Found | Unclear:
    scope = _scope(target, page)
    if isinstance(scope, Unclear):
        return scope
    if target.column is not None:
        return _the_cell(target, cell_at(target, scope), roles)
    if target.row is not None:
        rows = rows_in(target.row, scope)
        scope = [node for node in scope if any(ancestor in rows for ancestor in node.ancestors)]
    nodes = [node for node in scope if node.ref is not None and may_be(node.role, target.kind)]
    nodes = [node for node in nodes if not roles or node.role in roles]
    if not target.name:
        return _unnamed(target, nodes, page)
    scored = [(score, node) for node in nodes if (score := fit_score(target, node, roles)) >= ENOUGH]
    if not scored:
        return Unclear(f"Nothing on the page is {target}", _nearest(target, nodes or page.nodes))
    if target.near is not None:
        near = near_text(target.near, [node for _, node in scored], page, side=target.side)
        scored = [(score, node) for score, node in scored if node in near]
        if not scored:
            return Unclear(f"Nothing on the page is {target}")
    top = max(score for score, _ in scored)
    return _pick_by_order(target, _top_candidates(target, scored), top)


def _the_cell(target: Target, cells: list[OutlineNode], roles: Sequence[str]) -> Found | Unclear:
    if roles:
        cells = [cell for cell in cells if cell.ref]
    if len(cells) == 1 and cells[0].ref is None:
        return Unclear(f'{target} is only text: "{cells[0].name}"')
    return Found(cells[0], 1.0) if len(cells) == 1 else _ambiguous(target, cells, 1.0)


def _top_candidates(target: Target, scored: list[tuple[float, OutlineNode]]) -> list[OutlineNode]:
    """The best matches, those hardly worse, and, if none of these has exactly this name, all that have it."""
    top = max(score for score, _ in scored)
    tied = [node for score, node in scored if score > top - MARGIN]
    if not any(has_exact_name(target.name, node) for node in tied):
        tied += [node for _, node in scored if has_exact_name(target.name, node)]
    return tied


def _scope(target: Target, page: Outline) -> list[OutlineNode] | Unclear:
    if target.within is None:
        return page.nodes
    if target.within.kind == "item" and target.within.order and not target.within.name:
        listed = entries(target.within, page)[_order_slice(target.within)]
        return [node for entry in listed for node in entry.descendants] or Unclear(
            f"Nothing on the page is {target.within}"
        )
    part = part_of(target.within, page)
    if isinstance(part, Region):
        return [part.named_by, *part.nodes]
    if not part and len(rows := rows_in(target.within.name, page.nodes)) == 1:
        return list(rows[0].descendants)
    if not part and target.within.name:  # no part of the page has this name: a text near the element may have
        near = near_text(target.within.name, [node for node in page.nodes if node.ref], page)
        if near and target.within.quoted:
            return near
    return Unclear(f"{len(part) or 'No'} parts of the page are {target.within}", part)


def _unnamed(target: Target, nodes: list[OutlineNode], page: Outline) -> Found | Unclear:
    """The element for a target without a name: the only one of its kind, or the n-th."""
    if target.kind is None:
        return Unclear("It names no element")
    is_entry = target.kind == "item" and target.order and target.near is None
    if is_entry and (target.within is None or entries(target, page)):
        return _entry(target, page)
    nodes = [node for node in nodes if kind_fits(target, node)] or nodes
    if target.near is not None:
        nodes = near_text(target.near, nodes, page, holding=target.kind in ("item", "row"), side=target.side)
        if target.side and target.order is None:  # the nearest is meant
            nodes = nodes[:1] if target.side == "after" else nodes[-1:]
    return _pick_by_order(target, nodes, 1.0) if nodes else Unclear(f"Nothing on the page is {target}")


def _entry(target: Target, page: Outline) -> Found | Unclear:
    """The element for "the second result": that entry of the list, or the only link in it."""
    listed = entries(target, page)[_order_slice(target)]
    if not listed:
        return Unclear(f"Nothing on the page is {target}: there is no one list of so many entries")
    usable = [listed[0]] if listed[0].ref else [node for node in listed[0].descendants if node.ref]
    links = _distinct(target, [node for node in usable if node.role == "link"] or usable) if usable else []
    return Found(links[0], 1.0) if len(links) == 1 else _ambiguous(target, links, 1.0)


def _order_slice(target: Target) -> slice:
    """The slice of a list that contains the item with the target's order, or nothing."""
    order = target.order or 0
    return slice(order - 1, order) if order >= 0 else slice(order, order + 1 or None)


def _pick_by_order(target: Target, tied: list[OutlineNode], score: float) -> Found | Unclear:
    """The tied element with the target's order or, without an order, the only one; else Unclear."""
    if target.order is not None:
        tied = _without_wrappers(tied) if target.name else _outermost(tied)
        place = target.order - 1 if target.order > 0 else len(tied) + target.order
        if 0 <= place < len(tied):
            return Found(tied[place], score)
        return Unclear(f"There are only {len(tied)} of what {target} asks for", tuple(tied), score)
    rivals = _distinct(target, tied)
    if len(rivals) > 1:
        return _ambiguous(target, rivals, score)
    if rivals[0].disabled:
        return Unclear(f"{rivals[0].described} is disabled", (rivals[0],))
    return Found(rivals[0], score)


def _ambiguous(target: Target, nodes: Sequence[OutlineNode], score: float) -> Unclear:
    why = f"{len(nodes)} elements may be {target}" if nodes else f"Nothing on the page is {target}"
    return Unclear(why, tuple(nodes), score if nodes else 0.0)


def _distinct(target: Target, nodes: list[OutlineNode]) -> list[OutlineNode]:
    """The elements without duplicates, which are boxes around a single one, and repeated links (same name and address).

    Elements behind a dialog, disabled ones and those spelt differently are dropped if others are left.
    """
    nodes = _in_dialog(nodes) or nodes
    nodes = _without_wrappers(nodes)
    nodes = [node for node in nodes if not node.disabled] or nodes
    nodes = [node for node in nodes if target.name and has_exact_name(target.name, node)] or nodes
    seen: set[tuple[str, str]] = set()
    different: list[OutlineNode] = []
    for node in nodes:
        key = (node.name, node.target)
        if node.role == "link" and node.target and key in seen:
            continue
        seen.add(key)
        different.append(node)
    return different


def _in_dialog(nodes: list[OutlineNode]) -> list[OutlineNode]:
    """The elements in the dialog that has the focus: those behind it cannot be used."""
    return [node for node in nodes if any(each.role in DIALOGS and _has_focus(each) for each in node.ancestors)]


def _has_focus(dialog: OutlineNode) -> bool:
    return any("focused" in node.states for node in (dialog, *dialog.descendants))


def _without_wrappers(nodes: list[OutlineNode]) -> list[OutlineNode]:
    return [node for node in nodes if not any(_wraps(node, other) for other in nodes if other is not node)]


def _wraps(node: OutlineNode, other: OutlineNode) -> bool:
    """Whether `node` only wraps `other`: it has no other element in it, and another role unless both are generic."""
    if node.role == other.role and node.role != "generic":
        return False
    return any(each is node for each in other.ancestors) and all(
        each is other or each.ref is None or any(ancestor is other for ancestor in each.ancestors)
        for each in node.descendants
    )


def _outermost(nodes: list[OutlineNode]) -> list[OutlineNode]:
    return [node for node in nodes if not any(any(ancestor is each for each in nodes) for ancestor in node.ancestors)]


def _similar_elements(targets: Sequence[Target], page: Outline, roles: Sequence[str]) -> tuple[OutlineNode, ...]:
    """The elements that share the most words with the targets, location included; else those of a fitting kind."""
    wanted = {word for each in targets for said in (each.name, each.near, each.row) for word in words_of(said or "")}
    usable = [node for node in page.nodes if node.ref and (node.role in roles if roles else node.role != "iframe")]
    scored = [(len(wanted & set(words_of(f"{node.name} {node.text[:200]} {node.location}"))), node) for node in usable]
    top = max((score for score, _ in scored), default=0)
    kinds = {each.kind for each in targets}
    similar = (
        [node for score, node in scored if score == top]
        if top
        else [node for node in usable if any(kind and may_be(node.role, kind) for kind in kinds)]
    )
    return tuple(similar or usable)


def _nearest(target: Target, nodes: Sequence[OutlineNode]) -> tuple[OutlineNode, ...]:
    """The elements with the most similar names, as suggestions for a better wording."""
    likeness = [
        (max((spelling_score(target.name, each) for each in (node.name, node.text[:100]) if each), default=0.0), node)
        for node in nodes
        if node.ref is not None
    ]
    close = [each for each in likeness if each[0] >= _NEAR_SPELLING or mention_score(target.name, each[1].name)]
    return tuple(node for _, node in sorted(close, key=lambda each: (-each[0], each[1].order)))[:_SHOWN]


def near_text(
    near: str,
    nodes: Sequence[OutlineNode],
    page: Outline,
    *,
    holding: bool = False,
    side: Literal["after", "before"] | None = None,
) -> list[OutlineNode]:
    """The elements of `nodes` next to the text `near`, in order; with `holding`, those that contain it.

    With a `side`, only those after the text, or before it.
    """
    near_nodes: list[OutlineNode] = []
    for anchor in _anchors(near, page):
        there = [node for node in nodes if side is None or (node.order > anchor.order) == (side == "after")]
        near_nodes += _containing(anchor, there) if holding else _near_anchor(anchor, there)
    return [node for node in nodes if any(node is each for each in near_nodes)]


def _anchors(near: str, page: Outline) -> list[OutlineNode]:
    """The lines that contain the text `near`; if some contain nothing else, only those."""
    scored = [(max(mention_score(near, node.name), _mentions_in_parts(near, node)), node) for node in page.nodes]
    top = max((score for score, _ in scored), default=0.0)
    return [node for score, node in scored if score and (score > top - MARGIN or top < 1.0)]


def _mentions_in_parts(near: str, node: OutlineNode) -> float:
    return max(mention_score(near, part) for part in (node.text, *node.parts))


def _containing(anchor: OutlineNode, nodes: Sequence[OutlineNode]) -> list[OutlineNode]:
    """The innermost of `nodes` that contains the text."""
    around = [node for node in nodes if node is anchor or any(node is ancestor for ancestor in anchor.ancestors)]
    return around[-1:]


def _near_anchor(anchor: OutlineNode, nodes: Sequence[OutlineNode]) -> list[OutlineNode]:
    around = {id(each) for each in (anchor, *anchor.ancestors)}
    others = [node for node in nodes if id(node) not in around]
    for box in (anchor, *anchor.ancestors):
        inside = [node for node in others if box is node.parent or any(box is ancestor for ancestor in node.ancestors)]
        if inside:
            return inside if box is anchor else _next_to(anchor, box, inside)
    return []


def _next_to(anchor: OutlineNode, box: OutlineNode, inside: list[OutlineNode]) -> list[OutlineNode]:
    """The elements in the same box as the text, except those in another entry or belonging to another such text."""
    anchor_branch = _child(box, anchor)
    branches = [(_child(box, node), node) for node in inside]
    branches = [(branch, node) for branch, node in branches if not _is_other_entry(anchor_branch, branch, node)]
    peers = [
        index
        for index, child in enumerate(box.children)
        if child.role == anchor_branch.role and not _is_one(child, branches)
    ]
    home = next(index for index, child in enumerate(box.children) if child is anchor_branch)
    places = [(next(i for i, child in enumerate(box.children) if child is branch), node) for branch, node in branches]
    if len(peers) < 2 or not places:
        return [node for _, node in places]
    leading = any(index < peers[0] for index, _ in places)
    trailing = any(index > peers[-1] for index, _ in places)
    after = [
        node for index, node in places if home < index < min((peer for peer in peers if peer > home), default=1 << 30)
    ]
    before = [node for index, node in places if max((peer for peer in peers if peer < home), default=-1) < index < home]
    if trailing and not leading:
        return after
    return before if leading and not trailing else [*before, *after]


def _is_one(each: OutlineNode, branches: list[tuple[OutlineNode, OutlineNode]]) -> bool:
    return any(each is branch for branch, _ in branches)


def _child(box: OutlineNode, node: OutlineNode) -> OutlineNode:
    """The child of the box that is the node or contains it."""
    while node.parent is not box and node.parent is not None:
        node = node.parent
    return node


def _is_other_entry(anchor_branch: OutlineNode, branch: OutlineNode, node: OutlineNode) -> bool:
    return branch is not node and branch.role == anchor_branch.role and anchor_branch.role in ENTRIES
