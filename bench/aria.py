"""Reads what is interactive out of an aria snapshot, ours or Playwright's, to hold one against the other."""

from __future__ import annotations

import json
import re
from collections import Counter

INTERACTIVE = {
    "button",
    "checkbox",
    "combobox",
    "link",
    "listbox",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "option",
    "radio",
    "searchbox",
    "slider",
    "spinbutton",
    "switch",
    "tab",
    "textbox",
    "treeitem",
}

# What is inside these is their value, not their name.
_NAMED_FROM_OUTSIDE = {"combobox", "listbox", "searchbox", "slider", "spinbutton", "textbox"}

Element = tuple[str, str]
"""Role and name; white space is taken out of the name, since each joins the texts of children in its own way."""

# A line is `- role "name" [state] …: text`; in Playwright's YAML all before the colon may stand in quotes.
_LINE = re.compile(r"(?P<indent> *)- (?P<key>'(?:[^']|'')*'|\"(?:[^\"\\]|\\.)*\"|[^\n]*)(?P<rest>.*)")
_KEY = re.compile(
    r"(?P<role>[a-z]+)(?= |:|$)(?: (?P<name>\"(?:[^\"\\]|\\.)*\"))?(?: \[[^\]]*\])*(?: → \S+)?(?:: ?(?P<text>.*))?"
)


class _Node:
    def __init__(self, indent: int, role: str, name: str, text: str) -> None:
        self.indent, self.role, self.name = indent, role, name
        self.inside = [text]


def interactive(snapshot: str) -> Counter[Element]:
    """How often each role and name is in it.

    An element that is shown without a name is called by what is in it: Playwright leaves out a name that its children
    say too.
    """
    found: Counter[Element] = Counter()
    open_nodes: list[_Node] = []
    for line in [*snapshot.splitlines(), "- end"]:
        node = _node(line)
        if node is None:
            continue
        while open_nodes and open_nodes[-1].indent >= node.indent:
            closed = open_nodes.pop()
            if closed.role in INTERACTIVE:
                inside = "" if closed.role in _NAMED_FROM_OUTSIDE else " ".join(closed.inside)
                found[closed.role, "".join((closed.name or inside).split())] += 1
            if open_nodes:
                # A generic element's name is its tooltip, which does not count while it has text.
                by_name = closed.name and not (closed.role == "generic" and any(closed.inside))
                open_nodes[-1].inside += [closed.name] if by_name else closed.inside
        open_nodes.append(node)
    return found


def missing(ours: str, theirs: str) -> list[Element]:
    """What is interactive in theirs and not in ours, as often as it is missing there.

    Names are in lower case: ours are as a style sheet's `text-transform` shows them, Playwright's as they are written.
    """
    return sorted((_in_lower_case(theirs) - _in_lower_case(ours)).elements())


def _in_lower_case(snapshot: str) -> Counter[Element]:
    return Counter((role, name.lower()) for role, name in interactive(snapshot).elements())


def _node(line: str) -> _Node | None:
    if not (match := _LINE.match(line)):
        return None
    key, rest = match["key"], match["rest"]
    if key.startswith("'"):
        key = key[1:-1].replace("''", "'") + rest
    elif key.startswith('"'):
        key = str(json.loads(key)) + rest
    if not (found := _KEY.match(key)):
        return None
    name = str(json.loads(found["name"])) if found["name"] else ""
    text = found["text"] or ""
    if text.startswith('"') and text.endswith('"'):
        text = str(json.loads(text))
    return _Node(len(match["indent"]), found["role"], name, text)
