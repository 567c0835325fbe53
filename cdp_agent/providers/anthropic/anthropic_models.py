"""How much Anthropic's models can be told to think: by name, since it differs from one to the next.

https://platform.claude.com/docs/en/build-with-claude/thinking and …/effort. Up to 4.5 a model thinks when it is given a
budget; later ones are told to think and how hard; Opus 5 and Sonnet 5 think unless they are told not to; all others,
those that are not known here among them, always do.
"""

from __future__ import annotations

import re
from typing import Any

from cdp_agent.providers.base import Request

_BUDGETED = re.compile(r"claude-(?:[123]|instant|(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:-\d{8}|-latest|@|$))")
_THINKS_WHEN_TOLD = re.compile(r"claude-(?:opus|sonnet|haiku)-4-")
_THINKS_UNLESS_TOLD = re.compile(r"claude-(?:opus|sonnet)-5(?:-\d{8}|@|$)")
_UNBOUND = re.compile(r"claude-(?:fable|mythos)-(?:5(?:-\d{8}|@|$)|preview)")
_BUDGETS = {"low": 1024, "medium": 4096, "high": 16_384}
_SHOWN = {"type": "adaptive", "display": "summarized"}
_LEAST_BUDGET = 1024
_ANSWER_TOKENS = 16_000


def thinks(request: Request) -> bool:
    """Whether the model may think, and so cannot be forced to call a tool."""
    if request.reasoning_effort in (None, "none") and _is_old(request.model):
        return False
    return request.reasoning_effort != "none" or _THINKS_UNLESS_TOLD.match(request.model) is None


def is_bound(model: str) -> bool:
    """Whether the model takes its thoughts back only after the very words that came before them.

    https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/prefix-checks
    """
    return not (_is_old(model) or _THINKS_UNLESS_TOLD.match(model) or _UNBOUND.match(model))


def _is_old(model: str) -> bool:
    """Whether it is one of those that think only when they are told to."""
    return bool(_BUDGETED.match(model) or _THINKS_WHEN_TOLD.match(model))


def settings(request: Request) -> dict[str, Any]:
    """The parts of a body that say how much to think and to write: `max_tokens` is required, and covers both."""
    limit = request.max_output_tokens or _ANSWER_TOKENS
    effort = request.reasoning_effort
    if effort in (None, "none") and _is_old(request.model):
        return {"max_tokens": limit}
    if effort is None:  # which says how hard to think as the model has it, but has it shown
        return {"max_tokens": limit, "thinking": _SHOWN}
    if effort == "none" and _THINKS_UNLESS_TOLD.match(request.model):
        return {"max_tokens": limit, "thinking": {"type": "disabled"}}
    if effort == "none":
        return {"max_tokens": limit, "output_config": {"effort": "low"}}
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
        "thinking": _SHOWN,
        "output_config": {"effort": effort},
    }
