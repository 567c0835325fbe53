"""Parts of a snapshot for members that read only a part, and lines that match a description in words."""

from __future__ import annotations

import re
from typing import Literal

from cdp_agent.page.snapshot.lines import Line, indent_of, read_line

MOST_CHARS = 50_000
"""The most characters that `read_page` returns."""
MOST_FOUND = 20
_INTERACTIVE = {
    *("button", "link", "textbox", "searchbox", "combobox", "spinbutton", "checkbox", "radio", "switch", "slider"),
    *("listbox", "option", "menuitem", "menuitemcheckbox", "menuitemradio", "tab", "treeitem", "summary", "generic"),
}
"""Roles of elements that can be acted on if they have a ref; a generic one has a ref if it listens to the mouse."""
_KINDS: dict[str, set[str]] = {
    "button": {"button", "summary"},
    "link": {"link"},
    "field": {"textbox", "searchbox", "combobox", "spinbutton"},
    "input": {"textbox", "searchbox", "combobox", "spinbutton"},
    "textbox": {"textbox", "searchbox"},
    "box": {"textbox", "searchbox", "combobox", "checkbox"},
    "bar": {"searchbox", "textbox", "navigation"},
    "search": {"searchbox", "search"},
    "dropdown": {"combobox", "listbox"},
    "select": {"combobox", "listbox"},
    "list": {"combobox", "listbox", "list"},
    "checkbox": {"checkbox", "switch"},
    "toggle": {"switch", "checkbox"},
    "radio": {"radio"},
    "tab": {"tab"},
    "menu": {"menuitem", "menu", "menubar"},
    "image": {"img", "image"},
    "icon": {"img", "image", "button"},
    "heading": {"heading"},
    "title": {"heading"},
    "slider": {"slider"},
}
"""The roles that each word for a kind of element stands for."""
_FILLERS = set("the a an to of for in on with and or all any this that element".split())  # noqa: SIM905 (they read as words)
_WORD = re.compile(r"\w+")


def part_of_page(text: str, *, only: Literal["all", "interactive"] | None, depth: int, ref: str | None) -> str:
    """The requested lines of a snapshot's text, MOST_CHARS at most, with a note on what is missing.

    `only` "interactive": what can be acted on, without its containers. `ref`: that element and its contents. `depth`:
    the number of levels, from 1. Raises LookupError when no line has the ref.
    """
    lines = text.split("\n")
    if ref is not None:
        lines = _below(lines, ref)
    shallow = [line for line in lines if indent_of(line) // 2 < depth]
    if only == "interactive":
        shallow = [line.strip() for line in shallow if _is_interactive(line)]
    shown = "\n".join(shallow)
    left_out = "" if len(shallow) == len(lines) or only == "interactive" else _deeper(len(lines) - len(shallow))
    if len(shown) <= MOST_CHARS:
        return shown + left_out
    cut = shown[: shown.rfind("\n", 0, MOST_CHARS - 200)]
    return (
        f"{cut}\n… cut here: {len(shown) - len(cut):,} characters more. Ask for a part, by its ref or a smaller depth."
    )


def matching(text: str, description: str) -> list[str]:
    """The lines of a snapshot's text that fit a description best, MOST_FOUND at most, the best first.

    A line matches by the words that it shares with the description: rare words count most, and words for kinds of
    elements ("button", "search bar") count if the line's role is of that kind.
    """
    wanted = [word for word in _words(description) if word not in _FILLERS] or _words(description)
    kinds = set().union(*(_KINDS.get(word, set()) | _KINDS.get(word.removesuffix("s"), set()) for word in wanted))
    candidates = [(line, raw) for raw in text.split("\n") if (line := read_line(raw)) is not None and line.ref]
    words = [set(_words(_said(line))) for line, _ in candidates]
    scored: list[tuple[float, int]] = []
    for index, (line, _) in enumerate(candidates):
        score = sum(_rarity(word, words) for word in set(wanted) if _has(words[index], word))
        score += 0.5 if line.role in kinds else 0.0
        if score > 0:
            scored.append((score, index))
    scored.sort(key=lambda each: (-each[0], each[1]))
    if scored:  # sharing a kind or a frequent word is no match if others match far better
        least = scored[0][0] / 3
        scored = [each for each in scored if each[0] >= least]
    return [candidates[index][1].strip() for _, index in scored[:MOST_FOUND]]


def role_of(text: str, ref: str) -> str:
    """The role of the element in a snapshot's text; "" if it is not there."""
    return next((line.role for raw in text.split("\n") if (line := read_line(raw)) and line.ref == ref), "")


def _below(lines: list[str], ref: str) -> list[str]:
    index = next((index for index, line in enumerate(lines) if (read := read_line(line)) and read.ref == ref), None)
    if index is None:
        raise LookupError(ref)
    depth = indent_of(lines[index])
    end = next((at for at in range(index + 1, len(lines)) if indent_of(lines[at]) <= depth), len(lines))
    return [line[depth:] for line in lines[index:end]]


def _is_interactive(raw: str) -> bool:
    line = read_line(raw)
    return line is not None and line.ref is not None and line.role in _INTERACTIVE


def _deeper(count: int) -> str:
    return f"\n… {count:,} deeper line{'s' if count > 1 else ''} left out: give a larger depth, or the ref of a part."


def _said(line: Line) -> str:
    states = " ".join(line.states.values())
    return " ".join(filter(None, (line.role, line.name, states, line.target, line.text)))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _has(words: set[str], word: str) -> bool:
    return word in words or (len(word) > 3 and any(each.startswith(word[:-1]) for each in words))


def _rarity(word: str, words: list[set[str]]) -> float:
    return 1.0 / (1 + sum(_has(each, word) for each in words)) + 0.5
