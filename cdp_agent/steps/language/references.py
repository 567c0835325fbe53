"""References of a step to earlier steps, and addresses: "the URL shown in step 2", "google.com"."""

from __future__ import annotations

import re
from typing import Literal

from cdp_agent.steps.language.intents import Reference
from cdp_agent.steps.language.words import Quoted

_STEP = r"(?:(?:the )?step (?P<step>\d+)|(?:the )?(?:previous|last|preceding|earlier) step)"
_WHAT = {
    "url": "url|address|search result|link|web ?page|web ?site|page|site",
    "tab": "tab(?: id)?",
    "text": "text|value|name|number|result|output|code|title|answer",
}
_ORDERS = {"first": 1, "second": 2, "third": 3, "last": -1}
_GIVEN = (
    "(?:that )?(?:is |was )?"
    "(?:shown|found|given|returned|extracted|opened|created|highlighted|mentioned|listed|copied|read|displayed) "
)
_KINDS = "|".join(f"(?P<{kind}>{words})" for kind, words in _WHAT.items())
_REFERENCE = re.compile(
    rf"\[?(?:the )?(?:(?P<order>first|second|third|last|only) )?(?:{_KINDS})?\]?"
    rf" ?(?:{_GIVEN})?(?:by |from |in |of |at |during )?{_STEP}\]?",
    re.I,
)
_ADDRESS = re.compile(
    r"(?:https?|file|data|about|chrome):\S+"
    r"|(?:localhost|\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?(?:/\S*)?"
    r"|[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?#]\S*)?",
    re.I,
)
_BEFORE_ADDRESS = re.compile(r"^(?:the )?(?:url|address|web ?site|site|page)\s*:?\s+", re.I)
_AFTER_ADDRESS = re.compile(r"\s+(?:web ?site|home ?page|page|site)$", re.I)


def read_reference(words: str) -> Reference | None:
    """The part of an earlier step's output that the words refer to, None when they refer to none."""
    match = _REFERENCE.fullmatch(words.strip())
    if match is None:
        return None
    kinds: tuple[Literal["url", "tab", "text"], ...] = ("url", "tab", "text")
    what: Literal["url", "tab", "text"] = next((kind for kind in kinds if match[kind]), "text")
    order = _ORDERS.get((match["order"] or "").lower())
    return Reference(what, int(match["step"]) if match["step"] else None, order)


def read_address(words: str, text: Quoted) -> str | Reference | None:
    """The address that the words state, or refer to; None when they do neither."""
    if result := read_reference(words):
        return result
    plain = _BEFORE_ADDRESS.sub("", text.plain(words)).strip("<> ")
    plain = _AFTER_ADDRESS.sub("", plain)
    return plain if _ADDRESS.fullmatch(plain) else None
