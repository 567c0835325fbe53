"""A snapshot as a tree of lines, so that a step's words can be held against what is on the page."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from cdp_agent.page.snapshot import Snapshot

_NAME = r'(?: (?P<name>"(?:[^"\\]|\\.)*"))?'
_STATES = r'(?P<states>(?: \[[^\]"]*(?:"(?:[^"\\]|\\.)*"[^\]"]*)*\])*)'
_LINE = re.compile(
    rf'(?P<indent> *)- (?P<role>[^\s:"]+){_NAME}{_STATES}(?: → (?P<target>\S+))?(?:: ?(?P<text>.*))?', re.S
)
_STATE = re.compile(r'\[(?P<key>[\w-]+)(?:=(?P<value>"(?:[^"\\]|\\.)*"|[^\]]*))?\]')


class Node(msgspec.Struct, eq=False):
    """A line of a snapshot. `text` is what stands behind its colon: a value, or the text it begins with.

    `hints` are what the markup calls it, where that was asked for.
    """

    role: str
    name: str
    text: str
    target: str
    states: dict[str, str]
    ref: str | None
    depth: int
    order: int
    parent: Node | None = None
    children: list[Node] = []
    hints: frozenset[str] = frozenset()

    @property
    def disabled(self) -> bool:
        return "disabled" in self.states

    @property
    def above(self) -> Iterator[Node]:
        """What it stands in, innermost first."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    @property
    def below(self) -> Iterator[Node]:
        """What stands in it, in order."""
        for child in self.children:
            yield child
            yield from child.below

    @property
    def words(self) -> str:
        """All that it says, with what stands in it."""
        return " ".join(part for node in (self, *self.below) for part in (node.name, node.text) if part)

    @property
    def described(self) -> str:
        """The line as a person reads it."""
        told = f'{self.role} "{self.name}"' if self.name else self.role
        if self.text and self.text != self.name:
            told += f": {self.text[:60]}"
        return f"{told} ({self.ref})" if self.ref else told


class Outline(msgspec.Struct, frozen=True):
    """All lines of a page in document order; `root` holds them and is none of them."""

    root: Node
    nodes: list[Node]
    url: str


def outline(snapshot: Snapshot) -> Outline:
    """The snapshot as a tree."""
    root = Node("page", snapshot.title, "", "", {}, None, -1, -1)
    nodes: list[Node] = []
    last = root
    for line in snapshot.text.split("\n"):
        found = _LINE.fullmatch(line)
        if found is None:  # what was left out
            continue
        node = _node(found, len(nodes))
        while last.depth >= node.depth and last.parent is not None:
            last = last.parent
        node.parent = last
        last.children.append(node)
        last = node
        nodes.append(node)
    return Outline(root, nodes, snapshot.url)


def _node(line: re.Match[str], order: int) -> Node:
    states = {each["key"]: _unquoted(each["value"] or "") for each in _STATE.finditer(line["states"])}
    return Node(
        role=line["role"],
        name=_unquoted(line["name"] or ""),
        text=_unquoted(line["text"] or ""),
        target=line["target"] or "",
        ref=states.pop("ref", None),
        states=states,
        depth=len(line["indent"]) // 2,
        order=order,
        children=[],
    )


def _unquoted(text: str) -> str:
    if len(text) > 1 and text.startswith('"') and text.endswith('"'):
        try:
            return str(msgspec.json.decode(text))
        except msgspec.DecodeError:  # text that only looks like it
            return text
    return text
