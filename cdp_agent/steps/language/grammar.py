"""Parses a plain-English step into an intent: without a model, and without guessing if the words do not fit."""

from __future__ import annotations

import re

import msgspec

from cdp_agent.steps.language import rules_dialogs, rules_filling, rules_going, rules_pointing, rules_waiting
from cdp_agent.steps.language.intents import Click, FirstOf, Intent, Set, Targets, Wait
from cdp_agent.steps.language.targets import read_target
from cdp_agent.steps.language.words import QUOTE, Quoted, quoted

_LEAD = re.compile(
    r"^\s*(?:(?:step\s*)?\d+\s*[.):]\s+|[-*•]\s+)?"
    r"(?:(?:then|next|now|finally|afterwards|after that|please|first|and|also|lastly)\b,?\s+)*"
    r"(?:you (?:should|must|can) )?(?:find and (?=click))?",
    re.I,
)
# "In the Payment frame, click Pay": the place comes first.
_WHERE_FIRST = re.compile(
    rf"(?P<where>(?:in|on|under|from|inside|within) (?!the (?:page|screen))[^,]+?"
    rf"|(?:for|next to|beside) (?:the )?(?:user |person |row |entry )?(?P<near>{QUOTE}|[^,]+?)),\s*(?P<act>.+)",
    re.I | re.S,
)
_AND = re.compile(r"(?:,\s*|\s+)(?:and then|and|then)\s+(?!$)|[.;]\s+(?!$)|,\s+(?!$)", re.I)
_AT_MOST = re.compile(r"wait (?:for )?(?:up to|at most) (\d+) s(?:ec(?:ond)?s?)? (?=for |until )", re.I)
_SEVERAL = re.compile(r"(?P<verb>(?:un)?(?:select|check|tick|choose|pick|mark))\s+(?P<all>.+)", re.I | re.S)
_VERB = re.compile(
    r"(?:click|tap|press|hit|push|type|enter|fill|write|put|input|append|clear|select|choose|pick|check|uncheck|tick|untick"
    r"|set|open|go|close|expand|collapse|wait|verify|submit|scroll|hover|drag|upload|switch|double-click|right-click|focus"
    r"|search|find|reload|take|accept|dismiss|decline|answer)\b",
    re.I,
)
_OR = re.compile(r",? or (?:else )?(?:alternatively )?", re.I)
_SETTING = re.compile(rf"(?P<target>{QUOTE}|[^:=→]{{1,60}}?)\s*(?::\s|=|->|→)\s*(?P<value>\S.*)", re.S)
_LONGEST_BARE_WORDS = 5
_LONGEST = 1_000
"""In characters; a quoted text counts as one. A longer sentence is no act in plain words, and trying all patterns on it
takes long."""
_MOST_PLACES = 3
# In this order: specific rules come before those that match almost any words.
_RULES = (
    *rules_dialogs.RULES,
    *rules_going.RULES,
    *rules_waiting.RULES,
    *rules_filling.RULES,
    *rules_pointing.RULES,
    *rules_pointing.PRESSING,
    *rules_pointing.CLICKING,
)


def read_step(step: str) -> Intent | None:
    """The meaning of the step; None when it is not one act in known words."""
    sentence, text = _sentence(step)
    return _either(sentence, text) or _read(sentence, text)


def read_bare(step: str) -> Click | Set | None:
    """The meaning of a step without a verb: "Email: ada@example.org", "Next", "The Save button".

    Such words may mean anything, so it counts only if the page has an element with exactly this name.
    """
    sentence, text = _sentence(step)
    if found := _SETTING.fullmatch(sentence):
        return Set(_named(found["target"], text), text.plain(found["value"]))
    if sentence and len(sentence.split()) <= _LONGEST_BARE_WORDS:
        return Click(_named(sentence, text))
    return None


def _named(words: str, text: Quoted) -> Targets:
    return tuple(each for each in read_target(words, text) if each.name)


def split_step(step: str) -> tuple[str, ...]:
    """The acts of a step that has several, each as a step of its own; else the step itself.

    "Select Ada, Bob and click Send" has three. A step is split only if every part is an act in known words: "Click Find
    and replace" is one act. Quoted text is never split.
    """
    sentence, text = _sentence(step)
    parts = _several(sentence)
    if any(_read(_LEAD.sub("", part), text) is None for part in parts):
        return (step,)
    return tuple(_written(part, text) for part in parts) if len(parts) > 1 else (step,)


def _sentence(step: str) -> tuple[str, Quoted]:
    """The step without introductory words and final punctuation ("" if it is too long), and its quoted texts."""
    text = quoted(_LEAD.sub("", step.strip()).strip())
    sentence = text.masked.strip().rstrip(".;!").strip()
    return (sentence if len(sentence) <= _LONGEST else ""), text


def _several(sentence: str) -> list[str]:
    parts: list[str] = []
    for part in _AND.split(sentence):
        acting = _VERB.match(_LEAD.sub("", part))
        if acting or not parts:
            parts.append(part.strip())
        elif (several := _SEVERAL.fullmatch(parts[-1])) and " from " not in sentence:
            parts.append(f"{several['verb']} {part.strip()}")
        else:  # the part continues the one before
            parts[-1] = sentence[sentence.index(parts[-1]) : sentence.index(part) + len(part)]
    return parts


def _written(part: str, text: Quoted) -> str:
    """A part of a masked sentence with its quoted texts restored, in quotation marks."""
    return re.sub(QUOTE, lambda each: f'"{text.plain(each[0])}"', part)


def _read(sentence: str, text: Quoted, places: int = _MOST_PLACES) -> Intent | None:
    """The meaning of one act; up to `places` places ("In the dialog, …") may come before it."""
    found = (rule.read(sentence, text) for rule in _RULES)
    intent = next((intent for intent in found if intent is not None), None)
    if intent is None and places and (bounded := _AT_MOST.match(sentence)):
        waited = _read(f"wait {sentence[bounded.end() :]}", text, places - 1)
        if isinstance(waited, Wait):
            return msgspec.structs.replace(waited, at_most_s=float(bounded[1]))
    if intent is None and places and (turned := _WHERE_FIRST.fullmatch(sentence)):
        where = f"next to {turned['near']}" if turned["near"] else turned["where"]
        return _read(f"{turned['act']} {where}", text, places - 1)
    return intent


def _either(sentence: str, text: Quoted) -> Intent | None:
    """The alternatives of "Click the search button or press Enter"; None unless every one is an act."""
    halves = _OR.split(sentence)
    intents = [intent for half in halves if (intent := _read(half.strip(), text)) is not None]
    return FirstOf(tuple(intents)) if len(halves) > 1 and len(intents) == len(halves) else None
