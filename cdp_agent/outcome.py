"""The result of a task, as a program gets it: the answer or the error, and the usage."""

from __future__ import annotations

import typing
from typing import TYPE_CHECKING, Any, Generic, Literal

import msgspec

if TYPE_CHECKING:
    from typing_extensions import TypeVar  # typing.TypeVar has no `default` before Python 3.13

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
    http_status: int | None = None
    """That of the page at which the run ended, if it is an error (400 or more)."""
    retry_after_s: float | None = None
    """How many seconds the server of that page asks to wait."""


class Stats(msgspec.Struct, frozen=True):
    """The usage of a run. Tokens are as the provider counts them, or an estimate if it does not.

    Cached tokens are part of the input. `cost` is in US dollars, None if not all of it is known.
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


Validation = Literal["passed", "verified", "unconfirmed", "forced"]
Quality = Literal["failed", "partial", "complete", "excellent"]
BatchCut = Literal["page-change", "terminal", "error", "limit", "none"]
"""Why the rest of a reply's calls were not run: "limit" if it had more than one turn allows, "none" if all were run."""


class AgentResult(msgspec.Struct, Generic[Answer_co], frozen=True):
    """How a task ended. `error` is None exactly when `success` is true.

    `answer` is Markdown, or of the type requested with `answer=`; None if the run ended without an answer, or with one
    that does not match. `validation` is the verdict on it: "passed"; "verified" if code read it off the page, so that
    no model judged it (see the option `plan`); "unconfirmed" if something of it was missed, but the agent gave it
    again, pages had shown every quote, figure and address in it, and nothing was judged as failed; "forced" if it was
    never accepted or not judged; None if there was nothing to judge.
    """

    success: bool
    answer: Answer_co | None
    error: TaskError | None
    stats: Stats
    validation: Validation | None = None
