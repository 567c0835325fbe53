"""The parts of a page that steps refer to: by their names, the headings above them, or their kind."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from cdp_agent.steps.language.intents import Target
from cdp_agent.steps.language.kinds import AREAS, ENTRIES
from cdp_agent.steps.language.words import mention_score, name_score, words_of
from cdp_agent.steps.resolve.naming import ENOUGH, MARGIN
from cdp_agent.steps.resolve.outline import Outline, OutlineNode
from cdp_agent.steps.resolve.table_cells import is_header

_HEADING, _CAPTION, _TEXT, _ROW, _OTHER_KIND = 0.95, 0.9, 0.85, 0.9, 0.85
_ASIDE = ("navigation", "banner", "contentinfo", "complementary", "menubar", "toolbar", "tablist")
_LABELS = ("text", "paragraph", "caption", "generic")
_LABELLED = (*AREAS["listing"], *AREAS["table"], "radiogroup", "group")
_ENTRIES = tuple(role for role in ENTRIES if role not in ("generic", "group", "region"))
_LISTS = ("list", "feed")
_OF_LISTS = {"all", "our", "my", "your", "the", "list", "of", "found"}
"""Words that may be in the name of a list in addition to those for its entries."""
_WHOLE = {**AREAS, "area": ("dialog", "alertdialog", "form", "main", "table", "list", "region"), "listing": ("list",)}


class Region(msgspec.Struct, frozen=True):
    """A part of the page: the line that names it, and all lines in it, in order."""

    named_by: OutlineNode
    nodes: list[OutlineNode]


def part_of(target: Target, page: Outline) -> Region | tuple[OutlineNode, ...]:
    """The part that the words mean; else the lines that name the candidates, none or several."""
    if not target.name:
        return _only(
            [_whole(node) for node in page.nodes if node.children and node.role in _WHOLE.get(_kind(target), ())]
        )
    scored = [(score, part) for score, part in _named(target, page) if score >= ENOUGH]
    if not scored and target.name == "results":
        return _only(_results(page))
    top = max((score for score, _ in scored), default=0.0)
    tied = [part for score, part in scored if score > top - MARGIN]
    if target.order:
        place = target.order - 1 if target.order > 0 else len(tied) + target.order
        return tied[place] if 0 <= place < len(tied) else tuple(part.named_by for part in tied)
    return _only([part for part in tied if not any(_contains(other, part) for other in tied if other is not part)])


def entries(target: Target, page: Outline) -> list[OutlineNode]:
    """The entries of the list that contains the target; [] if no single list can be meant.

    That list is the part that the target is within, else the list named after such entries, else the only list that is
    not navigation.
    """
    within = target.within
    part = part_of(within, page) if within is not None else _list_of(target.listed or "results", page)
    if not isinstance(part, Region):
        return []
    found = [node for node in part.nodes if _is_entry(node)]
    return [node for node in found if not any(each in found for each in node.ancestors)] or _linked_headings(part)


def _is_entry(node: OutlineNode) -> bool:
    """Whether the node is an entry. The snapshot shows a list item with a single element as that element alone."""
    if node.role == "row":
        return not is_header(node)
    return node.role in _ENTRIES or (node.parent is not None and node.parent.role in _LISTS and node.role != "text")


def _list_of(listed: str, page: Outline) -> Region | tuple[OutlineNode, ...]:
    if listed == "results":
        return part_of(Target(listed, kind="area"), page)
    named = [part for score, part in _named(Target(listed, kind="area"), page) if score and _is_list_name(part, listed)]
    named = [part for part in named if not any(_contains(other, part) for other in named if other is not part)]
    return _only(named or _results(page))


def _is_list_name(part: Region, listed: str) -> bool:
    """Whether the part is named after its entries: "All products", "Products (12)", not "Products you have seen"."""
    words = set(words_of(part.named_by.name or part.named_by.text)) - _OF_LISTS
    return {word for word in words if not word[0].isdigit()} == {listed}


def _linked_headings(part: Region) -> list[OutlineNode]:
    """The entries of a part that is not marked up as a list, but has a heading with a link for each entry.

    Only headings of the highest level count.
    """
    headings = [
        node for node in part.nodes if node.role == "heading" and any(each.role == "link" for each in node.descendants)
    ]
    highest = min((node.states.get("level", "2") for node in headings), default="")
    return [node for node in headings if node.states.get("level", "2") == highest]


def _kind(target: Target) -> str:
    return target.kind or "area"


def _only(parts: list[Region]) -> Region | tuple[OutlineNode, ...]:
    return parts[0] if len(parts) == 1 else tuple(part.named_by for part in parts)


def _whole(node: OutlineNode) -> Region:
    return Region(node, list(node.descendants))


def _contains(outer: Region, inner: Region) -> bool:
    """Whether the outer part contains all of the inner one."""
    ids = {id(node) for node in outer.nodes}
    inside = [node for node in inner.nodes if node is not inner.named_by]
    return all(id(node) in ids for node in inside) and (len(outer.nodes) > len(inside) or id(inner.named_by) in ids)


def _named(target: Target, page: Outline) -> Iterator[tuple[float, Region]]:
    kinds = AREAS.get(_kind(target), ())
    for node in page.nodes:
        if node.role == "heading":
            yield _HEADING * name_score(target.name, node.name or node.text), _under(node)
            continue
        if node.children:
            said = max(_own(target, node), _caption(target, node))
            right = target.kind in (None, "area") or target.kind not in AREAS or node.role in kinds
            yield said * (1.0 if right else _OTHER_KIND), _whole(node)
        elif node.role in _LABELS and (follower := _next(node)) is not None and follower.role in _LABELLED:
            yield _TEXT * name_score(target.name, node.text or node.name), _whole(follower)


def _own(target: Target, node: OutlineNode) -> float:
    if node.role == "row":
        return _ROW * mention_score(target.name, node.words)
    if node.role in ("text", "link", "button", "checkbox"):
        return 0.0
    return max(name_score(target.name, node.name), _TEXT * name_score(target.name, node.text))


def _caption(target: Target, node: OutlineNode) -> float:
    first = node.children[0]
    said = first.name or first.text if first.role in ("caption", "legend", "summary") else ""
    return _CAPTION * name_score(target.name, said)


def _under(heading: OutlineNode) -> Region:
    """The part under a heading, up to the next one of the same or a higher level."""
    level = int(heading.states.get("level", "2"))
    around = heading.parent
    following = _after(heading, level)
    while not following and around is not None and around.parent is not None:
        following = _after(around, level)
        around = around.parent
    return Region(heading, following)


def _after(node: OutlineNode, level: int) -> list[OutlineNode]:
    siblings = node.parent.children if node.parent else []
    following: list[OutlineNode] = []
    for sibling in siblings[next((i for i, each in enumerate(siblings) if each is node), len(siblings)) + 1 :]:
        for each in (sibling, *sibling.descendants):
            if each.role == "heading" and int(each.states.get("level", "2")) <= level:
                return following
            following.append(each)
    return following


def _next(node: OutlineNode) -> OutlineNode | None:
    siblings = node.parent.children if node.parent else []
    place = next((i for i, each in enumerate(siblings) if each is node), len(siblings))
    return siblings[place + 1] if place + 1 < len(siblings) else None


def _results(page: Outline) -> list[Region]:
    """Parts that may be results if none has that name: lists of links other than navigation, sibling articles."""
    lists = [node for node in page.nodes if node.role in _LISTS and not _is_aside(node)]
    rich = [node for node in lists if _entries_with_links(node) >= 2]
    lists = rich or [node for node in lists if sum(each.role == "link" for each in node.children) >= 2]
    articles = _articles(page)
    within = [*lists, *(node for part in articles for node in part.nodes)]
    return [*articles, *(_whole(node) for node in lists if not any(ancestor in within for ancestor in node.ancestors))]


def _articles(page: Outline) -> list[Region]:
    by_parent: dict[int, list[OutlineNode]] = {}
    for node in page.nodes:
        if node.role == "article" and not _is_aside(node) and any(each.role == "link" for each in node.descendants):
            by_parent.setdefault(id(node.parent), []).append(node)
    return [
        Region(nodes[0].parent or page.root, [each for node in nodes for each in (node, *node.descendants)])
        for nodes in by_parent.values()
        if len(nodes) >= 2
    ]


def _is_aside(node: OutlineNode) -> bool:
    return any(each.role in _ASIDE for each in (node, *node.ancestors))


def _entries_with_links(node: OutlineNode) -> int:
    return sum(any(each.role == "link" for each in entry.descendants) for entry in node.children if entry.children)
