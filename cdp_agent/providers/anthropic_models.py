"""How much Anthropic's models can be told to think: by name, since it differs from one to the next.

https://platform.claude.com/docs/en/build-with-claude/extended-thinking, …/adaptive-thinking and …/effort. Up to 4.5 a
model thinks when it is given a budget; later ones are told to think and how hard, the fifth generation thinks unless
it is told not to, and Fable and Mythos always do.
"""

from __future__ import annotations

import re
from typing import Any

from cdp_agent.providers.base import Request

_BUDGETED = re.compile(r"claude-(?:[123]|instant|(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:-\d{8}|-latest|@|$))")
_THINKS_WHEN_TOLD = re.compile(r"claude-(?:opus|sonnet|haiku)-4-")
_THINKS_ALWAYS = re.compile(r"claude-(?:fable|mythos)")
_BUDGETS = {"low": 1024, "medium": 4096, "high": 16_384}
_LEAST_BUDGET = 1024
_ANSWER_TOKENS = 16_000


def thinks(request: Request) -> bool:
    """Whether the model may think, and so cannot be forced to call a tool."""
    if request.reasoning_effort == "none":
        return _THINKS_ALWAYS.match(request.model) is not None
    if request.reasoning_effort is None:
        return not (_BUDGETED.match(request.model) or _THINKS_WHEN_TOLD.match(request.model))
    return True


def settings(request: Request) -> dict[str, Any]:
    """The parts of a body that say how much to think and to write: `max_tokens` is required, and covers both."""
    limit = request.max_output_tokens or _ANSWER_TOKENS
    effort = request.reasoning_effort
    if effort is None:
        return {"max_tokens": limit}
    if _THINKS_ALWAYS.match(request.model) and effort == "none":
        return {"max_tokens": limit, "output_config": {"effort": "low"}}
    if effort == "none":
        thinks_by_itself = not (_BUDGETED.match(request.model) or _THINKS_WHEN_TOLD.match(request.model))
        return {"max_tokens": limit, **({"thinking": {"type": "disabled"}} if thinks_by_itself else {})}
    if _BUDGETED.match(request.model):
        budget = _BUDGETS[effort]
        if request.max_output_tokens is None:
            return {"max_tokens": budget + limit, "thinking": {"type": "enabled", "budget_tokens": budget}}
        if limit <= _LEAST_BUDGET:  # which must be less than the limit
            return {"max_tokens": limit}
        budget = max(_LEAST_BUDGET, min(budget, limit // 2))
        return {"max_tokens": limit, "thinking": {"type": "enabled", "budget_tokens": budget}}
    return {
        "max_tokens": limit,
        "thinking": {"type": "adaptive", "display": "summarized"},
        "output_config": {"effort": effort},
    }
