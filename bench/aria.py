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

Element = tuple[str, str]
"""Role and name."""

# A line is `- role "name" …`; in Playwright's YAML the whole key may stand in quotes, single or double.
_LINE = re.compile(r"\s*- (?P<key>'(?:[^']|'')*'|\"(?:[^\"\\]|\\.)*\"|.*)")
_KEY = re.compile(r"(?P<role>[a-z]+)(?= |:|$)(?: (?P<name>\"(?:[^\"\\]|\\.)*\"))?")


def interactive(snapshot: str) -> Counter[Element]:
    """How often each role and name is in it; white space in names is collapsed."""
    found: Counter[Element] = Counter()
    for line in snapshot.splitlines():
        element = _element(line)
        if element and element[0] in INTERACTIVE:
            found[element] += 1
    return found


def missing(ours: str, theirs: str) -> list[Element]:
    """What is interactive in theirs and not in ours, as often as it is missing there."""
    return sorted((interactive(theirs) - interactive(ours)).elements())


def _element(line: str) -> Element | None:
    if not (match := _LINE.match(line)):
        return None
    key = match["key"]
    if key.startswith("'"):
        key = key[1:-1].replace("''", "'")
    elif key.startswith('"'):
        key = str(json.loads(key))
    if not (found := _KEY.match(key)):
        return None
    name = json.loads(found["name"]) if found["name"] else ""
    return found["role"], " ".join(str(name).split())
