"""What the names of OpenAI's models tell of them: which of them reason, and how little of it they can be told.

https://platform.openai.com/docs/guides/reasoning and the models' own pages.
"""

from __future__ import annotations

import re

from cdp_agent.providers.base import ReasoningEffort

_REASONS = re.compile(r"(?:ft:)?(?:o\d|codex|gpt-(?:[5-9]|\d\d))(?!.*chat)")
_LEAST = (
    (re.compile(r"(?:ft:)?(?:o\d|codex|.*codex)"), "low"),
    (re.compile(r"(?:ft:)?gpt-5(?:-mini|-nano)?(?:-\d{4}-|$|:)"), "minimal"),
)


def reasons(model: str) -> bool:
    """Whether OpenAI's model of this name is one that reasons, which alone take the settings for it."""
    return _REASONS.match(model) is not None


def effort_for(model: str, effort: ReasoningEffort | None) -> str | None:
    """The effort in OpenAI's word for it: for "none", the least that this model takes. None where it takes none."""
    if effort is None or not reasons(model):
        return None
    if effort == "none":
        return next((least for names, least in _LEAST if names.match(model)), "none")
    return effort
