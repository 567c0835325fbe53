"""Scores how well an element fits what a step calls it: by its name, text, hints, or a label next to it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from cdp_agent.page.snapshot.lines import FIELDS
from cdp_agent.steps.language.intents import Target
from cdp_agent.steps.language.kinds import AREAS, BOXES, ELEMENTS, is_primary_role
from cdp_agent.steps.language.words import is_part, name_score, normal, words_of
from cdp_agent.steps.resolve.outline import OutlineNode

ENOUGH = 0.6
"""The lowest score of a match."""
MARGIN = 0.08
"""Elements whose score is below the best by less than this may be meant as well."""
_UNLIKELY = {"generic": 0.97, "heading": 0.95, "listitem": 0.95, "cell": 0.95, "row": 0.93}
_SECOND_CHOICE = 0.9
_PLACEHOLDER, _DESCRIPTION, _BESIDE, _INSIDE, _HINT, _TYPE = 0.95, 0.8, 0.9, 0.88, 0.85, 0.85
_CHOICES = ("option", "options", "group")
_HINTS = ("class", "id", "icon", "name")
_VALUED = (*FIELDS, "slider", "listbox")
_LABELLED = (*_VALUED, *BOXES)
_WORDS_IN_HINT = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
# What an icon shows, and the names that such buttons have.
_ICON_NAMES = {
    "x": ("close", "dismiss", "remove"),
    "cross": ("close", "dismiss", "x"),
    "close": ("x", "dismiss"),
    "trash": ("delete", "remove", "bin"),
    "trash can": ("delete", "remove", "trash"),
    "bin": ("delete", "remove", "trash"),
    "gear": ("settings", "preferences", "options"),
    "cog": ("settings", "preferences", "options"),
    "pencil": ("edit", "rename"),
    "magnifier": ("search", "find"),
    "magnifying glass": ("search", "find"),
    "hamburger": ("menu", "navigation"),
    "plus": ("add", "new", "+"),
    "heart": ("like", "favorite", "favourite"),
    "floppy disk": ("save",),
    "bell": ("notifications",),
}
_AS_SEEN = 0.7
_SEARCH = 0.9


def fit_score(target: Target, node: OutlineNode, roles: Sequence[str]) -> float:
    """How well the element matches the target, from 0 to 1. `roles` are those that the act can be done to."""
    score = max((weight * _called(target, said) for weight, said in _possible_names(node)), default=0.0)
    if score < ENOUGH:
        score = max(score, _icon_score(target, node), _HINT if normal(target.name) in node.hints else 0.0)
    if target.kind == "field" and _is_search_field(target, node):
        score = max(score, _SEARCH)
    if target.kind is not None:
        return score * (1.0 if is_primary_role(node.role, target.kind) else _SECOND_CHOICE)
    if not roles and node.role in FIELDS:
        return score * _SECOND_CHOICE
    return score * _UNLIKELY.get(node.role, 1.0)


def has_exact_name(name: str, node: OutlineNode) -> bool:
    """Whether the name or the text of the element is exactly `name`."""
    return name.strip() in (node.name.strip(), node.text.strip())


def _called(target: Target, said: str) -> float:
    score = name_score(target.name, said, exactly=target.quoted)
    return score if score > 0.95 or is_part(target.name, said) else 0.0


def _possible_names(node: OutlineNode) -> Iterator[tuple[float, str]]:
    """The texts that people may call an element by, each with its weight."""
    yield 1.0, node.name
    if node.role not in _VALUED and node.text:
        yield 1.0, node.text
        if node.role == "row":
            yield from ((1.0, cell) for cell in node.parts)
    if "placeholder" in node.states:
        yield _PLACEHOLDER, node.states["placeholder"]
    if "description" in node.states:
        yield _DESCRIPTION, node.states["description"]
    if node.name:
        return
    if node.role in _LABELLED:
        labels = [label for label in _labels(node) if label]
        yield from ((_BESIDE, label) for label in labels)
        if not labels:
            yield _TYPE, node.states.get("type", "")
    elif node.children and node.role not in ("table", "list"):
        yield _INSIDE, node.words
    if not node.text:
        yield from ((_HINT, hint) for hint in _hints(node))


def _labels(node: OutlineNode) -> Iterator[str]:
    """The texts that label a field in a plain form: right before it, and for a checkbox and the like also after it."""
    siblings = node.parent.children if node.parent else [node]
    place = next(index for index, each in enumerate(siblings) if each is node)
    if place:
        yield _plain_texts(siblings[place - 1])[-1]
    elif node.parent:
        yield next((part for part in reversed(node.parent.parts) if part), "")
    if node.role in BOXES and place + 1 < len(siblings):
        yield _plain_texts(siblings[place + 1])[0]


def _plain_texts(node: OutlineNode) -> list[str]:
    if node.ref is not None and node.role != "generic":
        return [""]
    return node.parts if node.text else [node.name]


def _hints(node: OutlineNode) -> Iterator[str]:
    """The words of the element's class, id, icon or name, which may be the only clue to an icon's meaning."""
    for key in _HINTS:
        for each in node.states.get(key, "").split():
            words = words_of_hint(each)
            yield from words if len(words) < 4 else ()
            yield " ".join(words)


def words_of_hint(hint: str) -> list[str]:
    """The words that a class or an id consists of: new and todo, for "newTodo" and "new-todo"."""
    return [word.lower() for word in _WORDS_IN_HINT.findall(hint)]


def _icon_score(target: Target, node: OutlineNode) -> float:
    """The score of an element that is called by what its icon shows: "x" for Close, "trash can" for Delete."""
    if target.kind not in (None, "image", "button", "link") or node.role not in (
        "button",
        "link",
        "generic",
        "menuitem",
    ):
        return 0.0
    names = _ICON_NAMES.get(normal(target.name), ())
    return _AS_SEEN if names and words_of(node.name)[:1] in [(name,) for name in names] else 0.0


def _is_search_field(target: Target, node: OutlineNode) -> bool:
    if normal(target.name) != "search" or node.role not in FIELDS:
        return False
    return node.role == "searchbox" or any(each.role == "search" for each in node.ancestors)


def kind_fits(target: Target, node: OutlineNode) -> bool:
    """Whether the element's role is a primary one of the kind that the step names."""
    if target.kind == "field" and node.role == "combobox" and any(each.role in _CHOICES for each in node.children):
        return False  # it is chosen from, not typed into
    return target.kind in (*ELEMENTS, *AREAS) and is_primary_role(node.role, target.kind or "")
