"""How much Google's models can be told to think: https://ai.google.dev/gemini-api/docs/thinking."""

from __future__ import annotations

import re
from typing import Any

from cdp_agent.providers.base import ReasoningEffort

_NEVER_THINKS = re.compile(r"(?:gemini-(?:1|2\.0)|gemma|learnlm)")
_BUDGETED = re.compile(r"gemini-2\.5")
_BUDGETS = {"low": 1024, "medium": 2048, "high": 4096}
_LEAST_OF_PRO = 128


def thinking(model: str, effort: ReasoningEffort | None) -> dict[str, Any] | None:
    """The thinkingConfig; None where the model decides, or has no thoughts. For "none", the least it can do."""
    if effort is None or _NEVER_THINKS.match(model):
        return None
    if _BUDGETED.match(model):
        if effort == "none":
            return {"thinkingBudget": _LEAST_OF_PRO if "pro" in model else 0}
        return {"includeThoughts": True, "thinkingBudget": _BUDGETS[effort]}
    if effort == "none":
        return {"thinkingLevel": "LOW" if "pro" in model else "MINIMAL"}
    if effort == "medium" and model.startswith("gemini-3-pro"):  # which knows no middle
        return {"includeThoughts": True, "thinkingLevel": "HIGH"}
    return {"includeThoughts": True, "thinkingLevel": effort.upper()}


def wants_signatures(model: str) -> bool:
    """Whether a function call without a signature is refused, which begins with Gemini 3."""
    return not (_NEVER_THINKS.match(model) or _BUDGETED.match(model))
