"""How a task ended, and what it took: what a program that gave the task gets back."""

from __future__ import annotations

from typing import Any, Literal

import msgspec


class TaskError(msgspec.Struct, frozen=True):
    """Why a task was not done: what failed, in whose hands (`where`), and what to do about it (`message`)."""

    code: Literal["aborted", "max_steps", "max_errors", "max_tokens", "max_cost", "max_seconds", "failed", "stuck"]
    message: str
    where: Literal["task", "model", "browser", "user"] = "task"


class Stats(msgspec.Struct, frozen=True):
    """What a run took. Tokens are the provider's count; cached ones are part of the input.

    `cost` is in US dollars, None where not all of it is known.
    """

    steps: int
    actions: int
    errors: int
    generations: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    events: int
    started: float
    duration_s: float
    cost: float | None = None


Validation = Literal["passed", "forced"]
Quality = Literal["failed", "partial", "complete", "excellent"]
BatchCut = Literal["page_change", "terminal", "error", "none"]


class AgentResult(msgspec.Struct, frozen=True):
    """How a task ended. `error` is None exactly when `success` is true.

    `answer` is Markdown, or what the caller asked for with `answer=`. `validation` says whether it was judged as good,
    or is given without that because the judge never accepted one; None when there was nothing to judge.
    """

    success: bool
    answer: Any
    error: TaskError | None
    stats: Stats
    validation: Validation | None = None
