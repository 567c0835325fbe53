"""Everything that happens in a run, as one tagged union. Only the agent makes these; whoever wants them iterates.

In JSON the tag is `type`, for example {"type": "agent:step", "timestamp": 1767225600.5, "step": 1}.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from cdp_agent.providers.base import FinishReason, ToolCall, Usage


class TaskError(msgspec.Struct, frozen=True):
    """Why a task was not done: what failed, in whose hands (`where`), and what to do about it (`message`)."""

    code: Literal["aborted", "max_steps", "max_errors", "failed"]
    message: str
    where: Literal["task", "model", "browser"] = "task"


class Stats(msgspec.Struct, frozen=True):
    """What a run took. Tokens are the provider's count; cached ones are part of the input."""

    steps: int
    actions: int
    errors: int
    generations: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    started: float
    duration_s: float


class AgentResult(msgspec.Struct, frozen=True):
    """How a task ended. `answer` is Markdown; `error` is None exactly when `success` is true."""

    success: bool
    answer: str
    error: TaskError | None
    stats: Stats


class _Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """`timestamp` is in Unix seconds; `step` counts from 1, and is 0 before the first."""

    timestamp: float
    step: int


class TaskStarted(_Event, frozen=True, tag="task:started"):
    task: str
    provider: str
    model: str
    url: str | None = None
    guardrails: str | None = None


class BrowserNavigated(_Event, frozen=True, tag="browser:navigated"):
    """The agent's tab shows another address, or the agent went to another tab."""

    url: str
    title: str


class AgentStep(_Event, frozen=True, tag="agent:step"):
    """A turn begins: the model is asked what to do next."""


class AgentObserved(_Event, frozen=True, tag="agent:observed"):
    """What of the page the model gets to see, word for word."""

    url: str
    title: str
    snapshot: str


class AiGeneration(_Event, frozen=True, tag="ai:generation"):
    """A reply of the model, as it came."""

    text: str
    tool_calls: tuple[ToolCall, ...]
    finish_reason: FinishReason
    usage: Usage
    duration_s: float


class AiGenerationError(_Event, frozen=True, tag="ai:generation:error"):
    """The model gave no reply (`kind` is the error's class), or one without a tool call."""

    kind: str
    message: str


class AgentReasoned(_Event, frozen=True, tag="agent:reasoned"):
    reasoning: str


class AgentAction(_Event, frozen=True, tag="agent:action"):
    """The model called a tool; `arguments` are as they were understood, empty where they did not fit."""

    action: str
    arguments: dict[str, Any]


class BrowserActionCompleted(_Event, frozen=True, tag="browser:action_completed"):
    """What came of a tool: `text` is what the model reads of it, `facts` the same for programs."""

    action: str
    success: bool
    text: str
    duration_s: float
    facts: dict[str, Any] | None = None


class AgentStatus(_Event, frozen=True, tag="agent:status"):
    message: str


class TaskAborted(_Event, frozen=True, tag="task:aborted"):
    """The model gave the task up."""

    reason: str


class TaskCompleted(_Event, frozen=True, tag="task:completed"):
    """The last event of every run, however it ended."""

    result: AgentResult


Event = (
    TaskStarted
    | BrowserNavigated
    | AgentStep
    | AgentObserved
    | AiGeneration
    | AiGenerationError
    | AgentReasoned
    | AgentAction
    | BrowserActionCompleted
    | AgentStatus
    | TaskAborted
    | TaskCompleted
)
