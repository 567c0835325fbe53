"""Steps that go somewhere: addresses, back and forward, tabs."""

from __future__ import annotations

import re

import msgspec

from cdp_agent.steps.language.intents import Go, Intent, Open, Reference, UseTab
from cdp_agent.steps.language.patterns import PatternRule, Slots
from cdp_agent.steps.language.references import read_address, read_reference
from cdp_agent.steps.language.words import Quoted

_TAB_PLACES = {"first": "1", "original": "1", "second": "2", "third": "3", "other": "next", "new": "last"}


def _back(slots: Slots, text: Quoted) -> Intent:
    return Go("back")


def _forward(slots: Slots, text: Quoted) -> Intent:
    return Go("forward")


def _reload(slots: Slots, text: Quoted) -> Intent:
    return Go("reload")


def _new_tab(slots: Slots, text: Quoted) -> Intent | None:
    if "url" not in slots:
        return UseTab("open")
    address = read_address(slots["url"], text)
    return None if address is None else Open(address, new_tab=True)


def _open(slots: Slots, text: Quoted) -> Intent | None:
    address = read_address(slots["url"], text)
    return None if address is None else Open(address)


def _close_tab(slots: Slots, text: Quoted) -> Intent:
    return UseTab("close", _which(slots["which"], text) if "which" in slots else None)


def _switch_tab(slots: Slots, text: Quoted) -> Intent:
    return UseTab("switch", _which(slots["which"], text))


def _use_tab(slots: Slots, text: Quoted) -> Intent | None:
    result = read_reference(slots["which"])
    return UseTab("switch", result) if result is not None and result.what == "tab" else None


def _list_tabs(slots: Slots, text: Quoted) -> Intent:
    return UseTab("list")


def _which(words: str, text: Quoted) -> str | Reference:
    """A tab by its number, its place, a part of its title or address, or by the step that opened it."""
    if result := read_reference(words):
        return result
    plain = re.sub(r"^(?:with|titled|named|called|number|id) ", "", text.plain(words), flags=re.I)
    return _TAB_PLACES.get(plain.lower(), re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", plain))


class _LeavingRule(msgspec.Struct, frozen=True):
    """Reads sentences of other rules that end by saying that what was filled in and not sent may be lost."""

    rules: tuple[PatternRule, ...]

    def read(self, masked: str, text: Quoted) -> Intent | None:
        """The intent of the sentence; None if it does not end so, or nothing is left by it."""
        going = _LEAVING.sub("", masked)
        intents = (rule.read(going, text) for rule in self.rules) if going != masked else iter(())
        match next(filter(None, intents), None):
            case Open(new_tab=False) | Go() | UseTab("close") as intent:
                return msgspec.structs.replace(intent, leave=True)
        return None


_LEAVING = re.compile(
    r",?\s+(?:and\s+|but\s+)?(?:leave\s+(?:it\s+)?anyway|without\s+(?:saving|sending)(?:\s+(?:it|anything))?"
    r"|(?:without\s+(?:saving|sending)|discard(?:ing)?|los(?:e|ing))(?:\s+(?:the|my|all|any|unsaved))*"
    r"\s+(?:changes|edits|input|text|draft))$",
    re.I,
)

_RULES = (
    PatternRule(
        (
            "[go|navigate|move|return] back|backwards [one|a page] [to the previous|last page]",
            "return to the previous page",
        ),
        _back,
    ),
    PatternRule(("[go|navigate|move] forward|forwards [one|a page] [to the next page]",), _forward),
    PatternRule(("reload|refresh [the|this] [current] [page|tab|site]",), _reload),
    PatternRule(
        (
            "open|create [up] a|another [new] [blank] [browser] tab",
            "open|create [up] a|another [new] [browser] tab with|at|for|to|on|showing|and_go_to|and_open [the] <url>",
            "open|load|visit <url> in a|another [new|separate] [browser] tab",
        ),
        _new_tab,
    ),
    PatternRule(
        ("go|navigate|browse|head|return [directly|back] to <url>", "open|visit|load|launch [up] <url>"), _open
    ),
    PatternRule(
        (
            "close [the|this] [current|active] [browser] tab",
            "close [the] [browser] tab <which>",
            'close [the] <"which"> tab',
        ),
        _close_tab,
    ),
    PatternRule(
        (
            "switch|change|go|return|move [back|over] to [the] [browser] tab <which>",
            "switch|change|go|return|move [back|over] to [the] <which> [browser] tab",
        ),
        _switch_tab,
    ),
    PatternRule(("use [the] <which>",), _use_tab),
    PatternRule(("list [all] [the] [open] tabs",), _list_tabs),
)
RULES = (_LeavingRule(_RULES), *_RULES)
