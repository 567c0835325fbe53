"""Everything that happens in a run, as one tagged union.

In JSON the tag is `type`, for example {"type": "agent:step", "timestamp": 1767225600.5, "step": 1}. An event that
corresponds to one of Pilo's has its tag. Pilo's other events (left) are replaced as follows:

    browser:action_started           agent:action, which is emitted just before the action begins
    browser:screenshot_captured_image  the field `image` of browser:screenshot_captured
    system:debug_batch, _tool_drop   ai:generation: actions_requested, actions_executed, batch_truncated_by
    system:debug_compression         agent:observed: page_chars is the whole page, snapshot or changed what is shown
    system:debug_history_size        history:shrunk, and input_tokens of each ai:generation
    system:debug_message             none: everything that a model is sent is in the other events
"""

from __future__ import annotations

from typing import Any, Generic, Literal

import msgspec

from cdp_agent import step_events
from cdp_agent.decisions import FormField
from cdp_agent.event import BaseEvent
from cdp_agent.outcome import AgentResult, Answer_co, BatchCut, Quality, Stats
from cdp_agent.providers.base import FinishReason, ToolCall, Usage


class TaskSetup(BaseEvent, frozen=True, tag="task:setup"):
    """The first event of every run."""

    task: str
    provider: str
    model: str
    url: str | None = None
    guardrails: str | None = None
    browser: str = ""
    vision: bool = False
    has_data: bool = False


class TaskStarted(BaseEvent, frozen=True, tag="task:started"):
    """The plan is made, or left out (""); `url` is where the run begins, None for a blank page."""

    task: str
    success_criteria: str
    plan: str
    action_items: list[str] = []
    url: str | None = None


class PlanRevised(BaseEvent, frozen=True, tag="plan:revised"):
    """The model made another plan."""

    plan: str
    action_items: list[str] = []


class TaskValidated(BaseEvent, frozen=True, tag="task:validated"):
    """The answer was accepted. `not_found`: the parts of it that occur nowhere in what the agent was shown."""

    quality: Quality
    assessment: str
    answer: Any
    not_found: list[str] = []


class TaskValidationError(BaseEvent, frozen=True, tag="task:validation_error"):
    """The answer was not accepted; `quality` is None if the answer did not have the requested form."""

    attempt: int
    quality: Quality | None
    feedback: str


class BrowserReconnected(BaseEvent, frozen=True, tag="browser:reconnected"):
    """Chrome was lost and has been replaced; `url` is where the run goes on."""

    reason: str
    url: str
    tabs: int


class BrowserNavigated(BaseEvent, frozen=True, tag="browser:navigated"):
    """The agent's tab shows another address, or the agent went to another tab."""

    url: str
    title: str


class BrowserScreenshot(BaseEvent, frozen=True, tag="browser:screenshot_captured"):
    """The model gets a picture: `size` is in bytes; `image` is there (as base64 in JSON) only when asked for."""

    size: int
    format: str
    width_px: int
    height_px: int
    image: bytes | None = None


class EndpointConnected(BaseEvent, frozen=True, tag="cdp:endpoint_connected"):
    """A running Chrome was reached at the endpoint of this index (from 0). No address is given, as it may be secret."""

    endpoint_index: int
    total: int


class EndpointCycle(BaseEvent, frozen=True, tag="cdp:endpoint_cycle"):
    """An endpoint could not be reached, and the next one was tried."""

    endpoint_index: int
    total: int
    error: str


class FirewallBlocked(BaseEvent, frozen=True, tag="firewall:blocked"):
    """A rule forbade what the model wanted to do."""

    action: str
    message: str


class AgentWaiting(BaseEvent, frozen=True, tag="agent:waiting"):
    """The model called the tool that waits, for `seconds`."""

    seconds: float


class TaskMetricsIncremental(BaseEvent, frozen=True, tag="task:metrics_incremental"):
    """The usage of the run up to the end of a step."""

    stats: Stats


class TaskMetrics(BaseEvent, frozen=True, tag="task:metrics"):
    """The usage of the whole run."""

    stats: Stats


class AgentStep(BaseEvent, frozen=True, tag="agent:step"):
    """A turn begins: the model is asked what to do next."""


class AgentObserved(BaseEvent, frozen=True, tag="agent:observed"):
    """What the model is shown of the page, as the lines that programs read: all, what is new, or what changed."""

    url: str
    title: str
    snapshot: str = ""
    changed: list[str] = []
    page_chars: int = 0
    """The length of the whole page as text, in characters."""


class AgentProcessing(BaseEvent, frozen=True, tag="agent:processing"):
    """The model is asked: for a plan ("planning"), what to do next ("action"), or to judge ("validation")."""

    operation: str
    has_screenshot: bool = False


class AiGeneration(BaseEvent, frozen=True, tag="ai:generation"):
    """A reply of the model, unchanged.

    In a turn it is emitted after the reply's tool calls, however they ended, and states how many calls the reply had,
    how many were carried out, and why the rest were not.
    """

    text: str
    tool_calls: tuple[ToolCall, ...]
    finish_reason: FinishReason
    usage: Usage
    duration_s: float
    actions_requested: int = 0
    actions_executed: int = 0
    batch_truncated_by: BatchCut = "none"


class AiGenerationError(BaseEvent, frozen=True, tag="ai:generation:error"):
    """The model gave no reply (`kind` is the error's class), or one without a tool call."""

    kind: str
    message: str


class AgentReasoned(BaseEvent, frozen=True, tag="agent:reasoned"):
    """The reasons that the model gave, if any."""

    reasoning: str


class AgentAction(BaseEvent, frozen=True, tag="agent:action"):
    """The model called a tool; `arguments` are the parsed ones, empty if they were invalid."""

    action: str
    arguments: dict[str, Any]


class BrowserActionCompleted(BaseEvent, frozen=True, tag="browser:action_completed"):
    """The result of a tool: `text` is what the model reads, `facts` the same as data for programs."""

    action: str
    success: bool
    text: str
    duration_s: float
    facts: dict[str, Any] | None = None


class AgentExtracted(BaseEvent, frozen=True, tag="agent:extracted"):
    """Data that a tool extracted from a page with a model's help."""

    data: str


class FormDataRequested(BaseEvent, frozen=True, tag="interactive:form_data_request"):
    """The user is asked to fill in fields of the page; the question itself, with its id, is an `approval:asked`."""

    description: str
    reason: Literal["initial", "validation_error"]
    fields: list[FormField]


class FormDataError(BaseEvent, frozen=True, tag="interactive:form_data_error"):
    """The values that the user gave for these fields were refused. `FormField.error` says why; the values are in no
    event.
    """

    fields: list[FormField]


class HistoryShrunk(BaseEvent, frozen=True, tag="history:shrunk"):
    """The conversation grew too long: each earlier observation was replaced by one line."""

    tokens_before: int
    tokens_after: int


class AgentStatus(BaseEvent, frozen=True, tag="agent:status"):
    """A message for whoever follows the run."""

    message: str


class TaskAborted(BaseEvent, frozen=True, tag="task:aborted"):
    """The model gave the task up, or the run was stopped."""

    reason: str


class TaskCompleted(BaseEvent, Generic[Answer_co], frozen=True, tag="task:completed"):
    """The last event of every run, however it ended."""

    result: AgentResult[Answer_co]


Progress = (
    TaskSetup
    | TaskMetrics
    | TaskMetricsIncremental
    | BrowserScreenshot
    | EndpointConnected
    | EndpointCycle
    | FirewallBlocked
    | AgentWaiting
    | TaskStarted
    | PlanRevised
    | BrowserNavigated
    | BrowserReconnected
    | AgentStep
    | AgentObserved
    | AgentProcessing
    | AiGeneration
    | AiGenerationError
    | AgentReasoned
    | AgentAction
    | BrowserActionCompleted
    | AgentExtracted
    | FormDataRequested
    | FormDataError
    | HistoryShrunk
    | AgentStatus
    | TaskValidated
    | TaskValidationError
    | TaskAborted
    | step_events.StepEvent
)
"""The events before the end of a run."""
Event = Progress | TaskCompleted
"""Any event of a run. `Progress | TaskCompleted[T]` also states the type of the answer."""


def without_image(event: Event) -> Event:
    """The same event, without the picture in it."""
    return msgspec.structs.replace(event, image=None) if isinstance(event, BrowserScreenshot) else event
