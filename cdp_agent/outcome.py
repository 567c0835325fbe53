"""How a task ended, and what it took: the result that a program gets."""

from __future__ import annotations

import typing
from typing import TYPE_CHECKING, Any, Generic, Literal

import msgspec

if TYPE_CHECKING:
    from typing_extensions import TypeVar  # Python's own knows of no default before 3.13

    Answer_co = TypeVar("Answer_co", covariant=True, default=Any)
else:
    Answer_co = typing.TypeVar("Answer_co", covariant=True)


ErrorCode = Literal[
    "aborted", "max_steps", "max_errors", "max_tokens", "max_cost", "max_seconds", "failed", "stuck", "interrupted"
]

ErrorPlace = Literal["task", "model", "browser", "user"]


class TaskError(msgspec.Struct, frozen=True):
    """Why a task was not done: what failed (`code`), in which part (`where`), and what to do about it (`message`).

    "interrupted": the process died in the middle of the task, and it is not known how much was done. This is noticed
    when a batch or a run is resumed.
    """

    code: ErrorCode
    message: str
    where: ErrorPlace = "task"


class Stats(msgspec.Struct, frozen=True):
    """What a run took. Tokens are the provider's count, or an estimate where it has none.

    Cached ones are part of the input. `cost` is in US dollars, None where not all of it is known.
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


Validation = Literal["passed", "unconfirmed", "forced"]
Quality = Literal["failed", "partial", "complete", "excellent"]
BatchCut = Literal["page-change", "terminal", "error", "limit", "none"]
"""Why no more calls of a reply were run: "limit" where it had more than are run in one turn, "none" where all were run.
"""


class AgentResult(msgspec.Struct, Generic[Answer_co], frozen=True):
    """How a task ended. `error` is None exactly when `success` is true.

    `answer` is Markdown, or of the type that was asked for with `answer=`; None where the run ended without one, or
    with one that does not fit. `validation` is the verdict on it: "passed"; "unconfirmed" where it was refused, but the
    agent gave it again and had been shown every quote, figure and address in it; "forced" where it was never accepted
    or not judged; None where there was nothing to judge.
    """

    success: bool
    answer: Answer_co | None
    error: TaskError | None
    stats: Stats
    validation: Validation | None = None
