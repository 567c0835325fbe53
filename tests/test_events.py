"""Every event survives the way to JSON and back, and has the tag that programs rely on."""

from typing import get_args

import msgspec
import pytest

from cdp_agent.events import (
    AgentAction,
    AgentObserved,
    AgentReasoned,
    AgentResult,
    AgentStatus,
    AgentStep,
    AiGeneration,
    AiGenerationError,
    BrowserActionCompleted,
    BrowserNavigated,
    Event,
    Stats,
    TaskAborted,
    TaskCompleted,
    TaskError,
    TaskStarted,
)
from cdp_agent.providers.base import ToolCall, Usage

STATS = Stats(
    steps=2,
    actions=1,
    errors=1,
    generations=2,
    input_tokens=200,
    output_tokens=20,
    cached_tokens=120,
    started=1.0,
    duration_s=2.5,
)
EVENTS: list[Event] = [
    TaskStarted(timestamp=1.0, step=0, task="Buy it", provider="openai", model="m", url="https://x.org"),
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
    ),
    AiGenerationError(timestamp=1.0, step=1, kind="RateLimited", message="Slow down"),
    AgentReasoned(timestamp=1.0, step=1, reasoning="Hm."),
    AgentAction(timestamp=1.0, step=1, action="click", arguments={"ref": "E1"}),
    BrowserActionCompleted(
        timestamp=1.0, step=1, action="click", success=True, text="Clicked.", duration_s=0.1, facts={"changed": []}
    ),
    AgentStatus(timestamp=1.0, step=1, message="Well."),
    TaskAborted(timestamp=1.0, step=2, reason="Sold out"),
    TaskCompleted(
        timestamp=1.0, step=2, result=AgentResult(False, "Sold out", TaskError("aborted", "Sold out"), STATS)
    ),
]


def test_the_tags() -> None:
    assert [msgspec.json.decode(msgspec.json.encode(event))["type"] for event in EVENTS] == [
        "task:started",
        "browser:navigated",
        "agent:step",
        "agent:observed",
        "ai:generation",
        "ai:generation:error",
        "agent:reasoned",
        "agent:action",
        "browser:action_completed",
        "agent:status",
        "task:aborted",
        "task:completed",
    ]


def test_every_event_is_here() -> None:
    assert {type(event) for event in EVENTS} == set(get_args(Event))


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_comes_back_as_it_was(event: Event) -> None:
    assert msgspec.json.decode(msgspec.json.encode(event), type=Event) == event
