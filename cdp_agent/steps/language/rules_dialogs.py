"""Steps that answer a dialog of the page: a confirm, a prompt, or the question whether to leave."""

from __future__ import annotations

import re

from cdp_agent.steps.language.intents import AnswerDialog, Click, Intent
from cdp_agent.steps.language.patterns import PatternRule, Slots
from cdp_agent.steps.language.targets import read_target
from cdp_agent.steps.language.words import Quoted

_IS_DIALOG = re.compile(
    r"(?:(?:the|this) )?(?:(?:browser|browser's|javascript|page's) )?(?:(?:confirm|confirmation|alert|prompt) )?"
    r"(?:dialog|alert|confirm|confirmation|prompt)(?: box| window)?",
    re.I,
)


def _accept(slots: Slots, text: Quoted) -> Intent | None:
    if not _IS_DIALOG.fullmatch(slots["target"]):
        return None
    return AnswerDialog("accept", text.plain(slots["text"]) if "text" in slots else None)


def _dismiss(slots: Slots, text: Quoted) -> Intent | None:
    """Pages have dialogs and alerts of their own, too, which are elements and are closed by a button in them."""
    if not _IS_DIALOG.fullmatch(slots["target"]):
        return None
    return AnswerDialog("dismiss", otherwise=Click(read_target(slots["target"], text), to="close"))


RULES = (
    PatternRule(
        ("accept|confirm|answer <target> with|by_entering|by_typing [the_text] <text>", "accept|confirm <target>"),
        _accept,
    ),
    PatternRule(("dismiss|close|decline|reject|cancel <target>",), _dismiss),
)
