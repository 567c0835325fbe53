"""A snapshot as a tree of lines, so that a step's words can be compared with what is on the page."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from cdp_agent.page.snapshot.lines import ITEMS, TABLES, Line, parts_in, read_line, unquoted, value_of
from cdp_agent.page.snapshot.snapshot import Snapshot
from cdp_agent.security.quoting import quote

_ROW = re.compile(r" *\| ?(.*)")  # a row of a multi-line value


_LONGEST_PLACE = 40


class OutlineNode(msgspec.Struct, eq=False):
    """A line of a snapshot. `text` is what follows its colon: a value, or the beginning of its text.

    `hints` are words from the markup of the element (class, id and so on), if they were read.
    """

    role: str
    name: str
    text: str
    target: str
    states: dict[str, str]
    ref: str | None
    depth: int
    order: int
    parent: OutlineNode | None = None
    children: list[OutlineNode] = []
    hints: frozenset[str] = frozenset()

    @property
    def disabled(self) -> bool:
        return "disabled" in self.states or any("inert" in each.states for each in (self, *self.ancestors))

    @property
    def ancestors(self) -> Iterator[OutlineNode]:
        """The lines that contain this one, innermost first."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    @property
    def descendants(self) -> Iterator[OutlineNode]:
        """All lines inside this one, in order."""
        for child in self.children:
            yield child
            yield from child.descendants

    @property
    def parts(self) -> list[str]:
        """The separate texts in the line ("a | b"), as they are on the page."""
        is_data = self.role in ("row", "options") or (self.parent is not None and self.parent.role == "row")
        return parts_in(self.text) if is_data else self.text.split(" | ")

    @property
    def words(self) -> str:
        """The name and text of the line, with those of all lines inside."""
        return " ".join(part for node in (self, *self.descendants) for part in (node.name, node.text) if part)

    @property
    def described(self) -> str:
        """The role, name, text and ref, as people read them."""
        line = f"{self.role} {quote(self.name)}" if self.name else self.role
        if self.text and self.text != self.name:
            line += f": {quote(self.text)}"
        return f"{line} ({self.ref})" if self.ref else line

    @property
    def location(self) -> str:
        """The place of the line, in words: its row or entry, the named part of the page, or the heading above it."""
        for ancestor in self.ancestors:
            if ancestor.role in ITEMS and (text := ancestor.name or ancestor.text or ancestor.words):
                return f"in {ancestor.role} {quote(text, _LONGEST_PLACE)}"
            if ancestor.name and ancestor.parent is not None:
                return f"in {ancestor.role} {quote(ancestor.name, _LONGEST_PLACE)}"
            before = [node for node in ancestor.children if node.order < self.order]
            if heading := next((node for node in reversed(before) if node.role == "heading"), None):
                return f"under {quote(heading.name or heading.text, _LONGEST_PLACE)}"
        return ""

    @property
    def described_with_location(self) -> str:
        """`described`, followed by `location`."""
        return f"{self.described} {self.location}".rstrip()


class Outline(msgspec.Struct, frozen=True):
    """All lines of a page in document order; `root` contains them and is not a line itself."""

    root: OutlineNode
    nodes: list[OutlineNode]
    url: str


def outline(snapshot: Snapshot) -> Outline:
    """The snapshot as a tree."""
    root = OutlineNode("page", snapshot.title, "", "", {}, None, -1, -1)
    nodes: list[OutlineNode] = []
    last = root
    for raw in snapshot.text.split("\n"):
        line = read_line(raw)
        if line is None:
            row = _ROW.fullmatch(raw)
            if row is not None:
                last.text += f"\n{row[1]}" if last.text else row[1]
            continue  # else a note on what was left out
        node = _node(line, len(nodes))
        while last.depth >= node.depth and last.parent is not None:
            last = last.parent
        node.parent = last
        last.children.append(node)
        last = node
        nodes.append(node)
    return Outline(root, nodes, snapshot.url)


def _node(line: Line, order: int) -> OutlineNode:
    return OutlineNode(
        role=line.role,
        name=line.name or "",
        text=unquoted(line.text or ""),
        target=line.target,
        ref=None if line.role in TABLES else line.ref,  # by which a table is only named
        states={key: value_of(state) for key, state in line.states.items()},
        depth=line.depth,
        order=order,
        children=[],
    )
