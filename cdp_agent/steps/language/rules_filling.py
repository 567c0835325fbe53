"""Steps that fill in forms: typing, choosing, ticking, uploading."""

from __future__ import annotations

import re

import msgspec

from cdp_agent.steps.language.intents import Check, Intent, Reference, Select, Set, Targets, Type, Upload
from cdp_agent.steps.language.patterns import PatternRule, Slots
from cdp_agent.steps.language.references import read_reference
from cdp_agent.steps.language.targets import read_target
from cdp_agent.steps.language.words import Quoted

_ENTER = "type|enter|input|write|put|insert|key_in|paste [in]"
_TYPE = f"{_ENTER} [the] [text|word|words|value|string|phrase|query|name|number|date|username|password]"
_DESCRIBED = re.compile(r"(?:the|an?|your|my|their|his|her|its|that|this|each|all|both|any)(?:\s|$)", re.I)
_FIELD_WORDS = re.compile(r"(?:field|box|bar|input|area|editor|combo ?box)$", re.I)
_LIST_WORDS = re.compile(r"(?:drop-?down|list|select|combo ?box|menu|picker)$", re.I)
_CLICKED_WORDS = re.compile(r"(?:radio(?: button)?|check ?box|button|link|tab|row|switch|toggle)s?$", re.I)
_BOX_WORDS = re.compile(r"\b(?:check ?box|tick ?box|radio(?: button| option)?|switch|toggle)(?:es|s)?\b", re.I)
_PLACES = {"first": "0", "second": "1", "third": "2", "fourth": "3", "fifth": "4", "last": "-1"}
_PLACE = re.compile(rf"(?:the )?(?:(?:option )?(?:number |#|no\. ?)?(\d+)|({'|'.join(_PLACES)}) option)", re.I)


def _typed(words: str, text: Quoted) -> str | Reference:
    return read_reference(words) or text.plain(words)


def _type_unquoted_into(slots: Slots, text: Quoted) -> Intent | None:
    """None for "Type the number of blocks into the box", which states what to find out, not what to type."""
    words = slots.get("text", "")
    return None if _DESCRIBED.match(words) and read_reference(words) is None else _type(slots, text)


def _type(slots: Slots, text: Quoted) -> Intent:
    target = read_target(slots["target"], text, "field")
    return Type(_typed(slots["text"], text), target, submit="submit" in slots)


def _type_unquoted(slots: Slots, text: Quoted) -> Intent | None:
    """The intent of "Type hello in the message box"; the target must be called a field: "in" may belong to the text."""
    return _type_unquoted_into(slots, text) if _FIELD_WORDS.search(slots["target"]) else None


def _type_reference(slots: Slots, text: Quoted) -> Intent | None:
    return _type(slots, text) if read_reference(slots["text"]) else None


def _append(slots: Slots, text: Quoted) -> Intent:
    return Type(text.plain(slots["text"]), read_target(slots["target"], text, "field"), append=True)


def _clear(slots: Slots, text: Quoted) -> Intent | None:
    return None if _BOX_WORDS.search(slots["target"]) else Type("", read_target(slots["target"], text, "field"))


def _type_here(slots: Slots, text: Quoted) -> Intent:
    return Type(text.plain(slots["text"]), submit="submit" in slots)


def _search(slots: Slots, text: Quoted) -> Intent | None:
    words = slots.get("target", "the search field")
    if re.fullmatch(r"(?:the |this )?(?:page|site|website)", words, re.I):
        words = "the search field"
    if re.match(r"(?:the|this) page\b", slots["text"], re.I):
        return None
    return Type(text.plain(slots["text"]), read_target(words, text, "field"), submit=True)


def _select(slots: Slots, text: Quoted) -> Intent | None:
    option = re.sub(r"^the ", "", slots["option"], flags=re.I)
    if _CLICKED_WORDS.search(option):
        return None
    target = read_target(slots["target"], text, "list")
    if place := _PLACE.fullmatch(slots["option"]):
        return Select(str(int(place[1]) - 1) if place[1] else _PLACES[place[2].lower()], target, by="index")
    return Select(re.sub(r"\s+(?:option|value|entry)$", "", text.plain(option), flags=re.I), target)


def _change_list(slots: Slots, text: Quoted) -> Intent | None:
    return _select(slots, text) if _LIST_WORDS.search(slots["target"]) else None


def _check(slots: Slots, text: Quoted) -> Intent | None:
    if re.match(r"(?:that|if|whether|for)\b", slots["target"], re.I):
        return None
    return Check(_box(slots, text))


def _choose_box(slots: Slots, text: Quoted) -> Intent | None:
    return Check(_box(slots, text)) if _BOX_WORDS.search(slots["target"]) else None


def _uncheck(slots: Slots, text: Quoted) -> Intent:
    return Check(_box(slots, text), on=False)


def _box(slots: Slots, text: Quoted) -> Targets:
    """The readings of the target; here "the Newsletter box" is a checkbox, not a field."""
    targets = read_target(slots["target"], text)
    return tuple(msgspec.structs.replace(each, kind="checkbox") if each.kind == "field" else each for each in targets)


def _clear_box(slots: Slots, text: Quoted) -> Intent | None:
    return _uncheck(slots, text) if _BOX_WORDS.search(slots["target"]) else None


def _set(slots: Slots, text: Quoted) -> Intent | None:
    if _DESCRIBED.match(slots["value"]):
        return None
    return Set(read_target(slots["target"], text), text.plain(slots["value"]))


def _upload(slots: Slots, text: Quoted) -> Intent:
    return Upload(text.plain(slots["file"]), read_target(slots["target"], text) if "target" in slots else None)


RULES = (
    PatternRule(("append <text> to|into|onto <target>", "add <text> to|at the end of <target>"), _append),
    PatternRule(
        (
            "clear|empty|erase [out] <target>",
            "delete|remove [all] [the] text|content|contents|value in|of|from <target>",
        ),
        _clear,
    ),
    PatternRule(
        (f"{_TYPE} <text> into|in|to|on <target> [<!submit>]",),
        _type_reference,
    ),
    PatternRule(
        (
            f'{_TYPE} <"text"> into|in|to|on|inside|at|within|as|for <target> [<!submit>]',
            'in|into <target> type|enter|write|put|input <"text"> [<!submit>]',
            'fill_in|fill_out|fill|complete|populate <target> with|as|using <"text"> [<!submit>]',
        ),
        _type,
    ),
    PatternRule(("fill_in|fill_out|fill|complete|populate <target> with|as|using <text>",), _type_unquoted_into),
    PatternRule((f"{_ENTER} <text> into <target> [<!submit>]",), _type_unquoted_into),
    PatternRule((f"{_ENTER} <text> in|to <target>",), _type_unquoted),
    PatternRule((f'{_TYPE} <"text"> [<!submit>]',), _type_here),
    PatternRule(("search [for] <text> in|on|using|with <target>", "search [for] <text>"), _search),
    PatternRule(
        (
            "select|choose|pick [the] [option|value|item|entry] <option> in|from|under|as|for|within|on <target>",
            "from|in <target> select|choose|pick [the] [option] <option>",
        ),
        _select,
    ),
    PatternRule(("change|switch|set <target> to <option>",), _change_list),
    PatternRule(("select|choose|pick|mark|activate <target>",), _choose_box),
    PatternRule(("check|tick|enable|turn_on|switch_on [off] <target>",), _check),
    PatternRule(("clear <target>",), _clear_box),
    PatternRule(
        ("uncheck|un-check|untick|unmark|disable|deactivate|turn_off|switch_off|deselect|unselect <target>",), _uncheck
    ),
    PatternRule(("set|change|update|adjust <target> to|as|= <value>",), _set),
    PatternRule(("upload|attach [the] [file] <.file> [to|into|in|as|for|with|using <target>]",), _upload),
)
