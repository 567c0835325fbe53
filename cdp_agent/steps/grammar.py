"""From a plain-English step to what it means: no model, and no guess where the words do not fit."""

from __future__ import annotations

import re

from cdp_agent.steps import rules_filling, rules_going, rules_pointing, rules_waiting
from cdp_agent.steps.intents import Either, Intent
from cdp_agent.steps.words import Quoted, quoted

_LEAD = re.compile(
    r"^\s*(?:(?:step\s*)?\d+\s*[.):]\s+|[-*•]\s+)?"
    r"(?:(?:then|next|now|finally|afterwards|after that|please|first|and|also|lastly)\b,?\s+)*(?:you (?:should|must|can) )?",
    re.I,
)
_OR = re.compile(r",? or (?:else )?(?:alternatively )?", re.I)
# In this order: what is more special comes before what takes almost any words.
_RULES = (
    *rules_going.RULES,
    *rules_waiting.RULES,
    *rules_filling.RULES,
    *rules_pointing.RULES,
    *rules_pointing.PRESSING,
    *rules_pointing.CLICKING,
)


def read_step(step: str) -> Intent | None:
    """What the step says to do; None when it is not one act in words that are known."""
    text = quoted(_LEAD.sub("", step.strip()).strip())
    sentence = text.masked.strip().rstrip(".;!").strip()
    return _either(sentence, text) or _read(sentence, text)


def _read(sentence: str, text: Quoted) -> Intent | None:
    found = (rule.read(sentence, text) for rule in _RULES)
    return next((intent for intent in found if intent is not None), None)


def _either(sentence: str, text: Quoted) -> Intent | None:
    """ "Click the search button or press Enter": both halves are acts of their own."""
    halves = _OR.split(sentence)
    intents = [intent for half in halves if (intent := _read(half.strip(), text)) is not None]
    return Either(tuple(intents)) if len(halves) > 1 and len(intents) == len(halves) else None
