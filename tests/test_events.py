"""Every event survives the way to JSON and back, and has the tag that programs rely on."""

from typing import get_args

import msgspec

from cdp_agent.decisions import FormField, PlanProposed, Reword
from cdp_agent.events import (
    AgentAction,
    AgentExtracted,
    AgentObserved,
    AgentProcessing,
    AgentReasoned,
    AgentStatus,
    AgentStep,
    AgentWaiting,
    AiGeneration,
    AiGenerationError,
    BrowserActionCompleted,
    BrowserNavigated,
    BrowserReconnected,
    BrowserScreenshot,
    EndpointConnected,
    EndpointCycle,
    Event,
    FirewallBlocked,
    FormDataError,
    FormDataRequested,
    HistoryShrunk,
    PlanRevised,
    TaskAborted,
    TaskCompleted,
    TaskMetrics,
    TaskMetricsIncremental,
    TaskSetup,
    TaskStarted,
    TaskValidated,
    TaskValidationError,
)
from cdp_agent.outcome import AgentResult, Stats, TaskError
from cdp_agent.providers.base import ToolCall, Usage
from cdp_agent.step_events import (
    ApprovalAsked,
    ApprovalDecided,
    ApprovalRefused,
    StepChosen,
    StepDone,
    StepNotDone,
    StepResolved,
    StepSkipped,
    StepsPlanned,
    StepsVerified,
)
from tests.tables import table

STATS = Stats(
    steps=2,
    actions=1,
    errors=1,
    generations=2,
    input_tokens=200,
    output_tokens=20,
    cached_tokens=120,
    events=9,
    started=1.0,
    duration_s=2.5,
)
FIELD = FormField(ref="E4", label="City", required=True, error="It is required.")
EVENTS: list[Event] = [
    TaskSetup(timestamp=1.0, step=0, task="Buy it", provider="openai", model="m", url="https://x.org"),
    EndpointCycle(timestamp=1.0, step=0, endpoint_index=0, total=2, error="nothing listens there"),
    EndpointConnected(timestamp=1.0, step=0, endpoint_index=1, total=2),
    AgentProcessing(timestamp=1.0, step=0, operation="planning"),
    TaskStarted(timestamp=1.0, step=0, task="Buy it", success_criteria="It is ours.", plan="1. Pay."),
    PlanRevised(timestamp=1.0, step=0, plan="1. Steal.", action_items=["Steal it"]),
    BrowserNavigated(timestamp=1.0, step=0, url="https://x.org", title="X"),
    AgentStep(timestamp=1.0, step=1),
    AgentObserved(timestamp=1.0, step=1, url="https://x.org", title="X", snapshot='- button "Buy" [ref=E1]'),
    AiGeneration(
        timestamp=1.0,
        step=1,
        text="",
        tool_calls=(ToolCall("a", "click", "{}"),),
        finish_reason="tool_calls",
        usage=Usage(100, 10),
        duration_s=0.5,
        actions_requested=3,
        actions_executed=1,
        batch_truncated_by="page-change",
    ),
    AiGenerationError(timestamp=1.0, step=1, kind="RateLimited", message="Slow down"),
    AgentReasoned(timestamp=1.0, step=1, reasoning="Hm."),
    AgentAction(timestamp=1.0, step=1, action="click", arguments={"ref": "E1"}),
    BrowserActionCompleted(
        timestamp=1.0, step=1, action="click", success=True, text="Clicked.", duration_s=0.1, facts={"changed": []}
    ),
    FirewallBlocked(timestamp=1.0, step=1, action="goto", message="No."),
    AgentWaiting(timestamp=1.0, step=1, seconds=1.5),
    BrowserScreenshot(timestamp=1.0, step=1, size=4, format="jpeg", width_px=2, height_px=1, image=b"\xff\xd8\x00a"),
    AgentExtracted(timestamp=1.0, step=1, data="Three mugs"),
    FormDataRequested(timestamp=1.0, step=1, description="The address", reason="initial", fields=[FIELD]),
    FormDataError(timestamp=1.0, step=1, fields=[FIELD]),
    HistoryShrunk(timestamp=1.0, step=1, tokens_before=100, tokens_after=10),
    BrowserReconnected(timestamp=1.0, step=1, reason="It was killed.", url="https://x.org", tabs=1),
    AgentStatus(timestamp=1.0, step=1, message="Well."),
    TaskValidationError(timestamp=1.0, step=1, attempt=1, quality="partial", feedback="And the price?"),
    TaskValidated(timestamp=1.0, step=1, quality="complete", assessment="Yes.", answer="9 €", not_found=["9"]),
    StepsPlanned(timestamp=1.0, step=0, needs_steps=True, steps=["Click Buy"], message="I buy it."),
    ApprovalAsked(timestamp=1.0, step=0, ask=PlanProposed(id=1, steps=["Click Buy"])),
    ApprovalRefused(timestamp=1.0, step=0, message="Question 2 is over."),
    ApprovalDecided(timestamp=1.0, step=0, id=1, decision=Reword(step="Click Pay")),
    StepChosen(timestamp=1.0, step=1, number=1, instruction="Click Buy"),
    StepResolved(
        timestamp=1.0,
        step=1,
        number=1,
        instruction="Click Buy",
        by="code",
        why="one fits",
        tool="click",
        arguments={"ref": "E1"},
        risks=["pays"],
    ),
    StepDone(timestamp=1.0, step=1, number=1, instruction="Click Buy", tool="click", output="clicked"),
    StepNotDone(timestamp=1.0, step=1, number=2, instruction="Click Pay", error="Which?", attempt=1, candidates=["a"]),
    StepSkipped(timestamp=1.0, step=1, number=2, instruction="Click Pay"),
    StepsVerified(timestamp=1.0, step=2, task_completed=True, message="It is ours."),
    TaskAborted(timestamp=1.0, step=2, reason="Sold out"),
    TaskMetricsIncremental(timestamp=1.0, step=2, stats=STATS),
    TaskMetrics(timestamp=1.0, step=2, stats=STATS),
    TaskCompleted(
        timestamp=1.0, step=2, result=AgentResult(False, "Sold out", TaskError("aborted", "Sold out"), STATS)
    ),
]


def test_the_tags() -> None:
    assert [msgspec.json.decode(msgspec.json.encode(event))["type"] for event in EVENTS] == [
        "task:setup",
        "cdp:endpoint_cycle",
        "cdp:endpoint_connected",
        "agent:processing",
        "task:started",
        "plan:revised",
        "browser:navigated",
        "agent:step",
        "agent:observed",
        "ai:generation",
        "ai:generation:error",
        "agent:reasoned",
        "agent:action",
        "browser:action_completed",
        "firewall:blocked",
        "agent:waiting",
        "browser:screenshot_captured",
        "agent:extracted",
        "interactive:form_data_request",
        "interactive:form_data_error",
        "history:shrunk",
        "browser:reconnected",
        "agent:status",
        "task:validation_error",
        "task:validated",
        "steps:planned",
        "approval:asked",
        "approval:refused",
        "approval:decided",
        "steps:chosen",
        "steps:resolved",
        "steps:completed",
        "steps:failed",
        "steps:skipped",
        "steps:verified",
        "task:aborted",
        "task:metrics_incremental",
        "task:metrics",
        "task:completed",
    ]


def test_every_event_is_here() -> None:
    assert {type(event) for event in EVENTS} == {*get_args(Event)}


@table("event", EVENTS)
def test_an_event_comes_back_as_it_was(event: Event) -> None:
    assert msgspec.json.decode(msgspec.json.encode(event), type=Event) == event
