"""Which elements are beside a text: in its row, entry or box, or next to it among others in one box."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from cdp_agent.steps.language.kinds import ENTRIES
from cdp_agent.steps.language.words import mentions
from cdp_agent.steps.resolve.naming import MARGIN
from cdp_agent.steps.resolve.outline import Outline, OutlineNode


def beside(
    near: str,
    nodes: Sequence[OutlineNode],
    page: Outline,
    *,
    holding: bool = False,
    side: Literal["after", "before"] | None = None,
) -> list[OutlineNode]:
    """Those of `nodes` that are beside the text `near`, in order; with `holding`, those that contain it.

    With a `side` only those that come after it, or before it.
    """
    found: list[OutlineNode] = []
    for anchor in _anchors(near, page):
        there = [node for node in nodes if side is None or (node.order > anchor.order) == (side == "after")]
        found += _holding(anchor, there) if holding else _with(anchor, there)
    return [node for node in nodes if any(node is each for each in found)]


def _anchors(near: str, page: Outline) -> list[OutlineNode]:
    """The lines that say it; of those that say it and more, none when there are some that say nothing else."""
    scored = [(max(mentions(near, node.name), _mentions_in_parts(near, node)), node) for node in page.nodes]
    top = max((score for score, _ in scored), default=0.0)
    return [node for score, node in scored if score and (score > top - MARGIN or top < 1.0)]


def _mentions_in_parts(near: str, node: OutlineNode) -> float:
    return max(mentions(near, part) for part in (node.text, *node.parts))


def _holding(anchor: OutlineNode, nodes: Sequence[OutlineNode]) -> list[OutlineNode]:
    """The innermost of `nodes` that contains the text."""
    around = [node for node in nodes if node is anchor or any(node is above for above in anchor.above)]
    return around[-1:]


def _with(anchor: OutlineNode, nodes: Sequence[OutlineNode]) -> list[OutlineNode]:
    around = {id(each) for each in (anchor, *anchor.above)}
    others = [node for node in nodes if id(node) not in around]
    for box in (anchor, *anchor.above):
        inside = [node for node in others if box is node.parent or any(box is above for above in node.above)]
        if inside:
            return inside if box is anchor else _next_to(anchor, box, inside)
    return []


def _next_to(anchor: OutlineNode, box: OutlineNode, inside: list[OutlineNode]) -> list[OutlineNode]:
    """Of what is in the same box as the text: not what is in another entry, nor what belongs to another such text."""
    mine = _child(box, anchor)
    branches = [(_child(box, node), node) for node in inside]
    branches = [(branch, node) for branch, node in branches if not _is_other_entry(mine, branch, node)]
    alike = [place for place, each in enumerate(box.children) if each.role == mine.role and not _is_one(each, branches)]
    home = next(place for place, each in enumerate(box.children) if each is mine)
    places = [(next(i for i, each in enumerate(box.children) if each is branch), node) for branch, node in branches]
    if len(alike) < 2 or not places:
        return [node for _, node in places]
    leading = any(place < alike[0] for place, _ in places)
    trailing = any(place > alike[-1] for place, _ in places)
    after = [
        node for place, node in places if home < place < min((each for each in alike if each > home), default=1 << 30)
    ]
    before = [node for place, node in places if max((each for each in alike if each < home), default=-1) < place < home]
    if trailing and not leading:
        return after
    return before if leading and not trailing else [*before, *after]


def _is_one(each: OutlineNode, branches: list[tuple[OutlineNode, OutlineNode]]) -> bool:
    return any(each is branch for branch, _ in branches)


def _child(box: OutlineNode, node: OutlineNode) -> OutlineNode:
    """The line right below the box on the way to the node."""
    while node.parent is not box and node.parent is not None:
        node = node.parent
    return node


def _is_other_entry(mine: OutlineNode, branch: OutlineNode, node: OutlineNode) -> bool:
    return branch is not node and branch.role == mine.role and mine.role in ENTRIES
