"""What stands for the addresses of links and images: themselves, numbers of a list at the end, or nothing.

https://spec.commonmark.org/0.31.2/#links
"""

from __future__ import annotations

import re
from typing import Literal
from xml.etree.ElementTree import Element

from cdp_agent.page.snapshot.budget import left_out_line

Links = Literal["full", "numbered", "none"]

_START, _END = "\x0e", "\x0f"
"""Around an address, later its number, until all of the text is there. XML cannot contain them, so no page can."""
_MARKED = re.compile(f"{_START}([^{_END}]*){_END}")


def target_of(link: Element, folder: str) -> str:
    """The address that a link leads to; `folder` is the beginning of those that are written without it."""
    below = link.get("r")
    return link.get("h", "") if below is None else folder + below


def place_of(target: str, links: Links) -> str:
    """What stands after the text of a link to `target`: "(address)", a mark for `numbered`, or ""."""
    if links == "none" or not target:
        return ""
    return f"({_destination(target)})" if links == "full" else f"{_START}{target}{_END}"


def _destination(target: str) -> str:
    """A URL in the form for a link's destination."""
    if "(" not in target and ")" not in target:
        return target
    depth = 0
    for char in target:
        depth += (char == "(") - (char == ")")
        if depth < 0:
            break
    return f"<{target}>" if depth else target


def numbered(text: str, numbers: dict[str, int]) -> str:
    """The text with numbers in place of its addresses; `numbers` has those of all so far, and gets further ones."""
    return _MARKED.sub(lambda match: f"{_START}{numbers.setdefault(match[1], len(numbers) + 1)}{_END}", text)


def with_list(text: str, numbers: dict[str, int]) -> str:
    """The text with the list of those addresses whose numbers are in it, before its line about what was left out."""
    used = {match[1] for match in _MARKED.finditer(text)}
    if not used:
        return text
    listed = "\n".join(f"[{number}]: {address}" for address, number in numbers.items() if str(number) in used)
    *blocks, last = _MARKED.sub(r"[\1]", text).split("\n\n")
    return "\n\n".join([*blocks, listed, last] if last.startswith(left_out_line([])) else [*blocks, last, listed])
