"""The events that only a run by plain-English steps has; those of every run are in events.py.

`number` counts the steps of the plan, or the steps chosen one by one, from 1; `instruction` is the step in words.
"""

from __future__ import annotations

from typing import Any, Literal

from cdp_agent.decisions import Ask, Decision
from cdp_agent.event import BaseEvent


class StepsPlanned(BaseEvent, frozen=True, tag="steps:planned"):
    """The steps that were proposed; none where the request is answered at once. `revision` counts corrections."""

    needs_steps: bool
    steps: list[str]
    message: str = ""
    revision: int = 0


class StepChosen(BaseEvent, frozen=True, tag="steps:chosen"):
    """The next step of a run that chooses one step at a time; it may still be skipped or reworded."""

    number: int
    instruction: str
    message: str = ""
    reasoning: str = ""


class ApprovalAsked(BaseEvent, frozen=True, tag="approval:asked"):
    """A question was asked. Either somebody is asked and the run waits, or a rule decides at once."""

    ask: Ask


class ApprovalDecided(BaseEvent, frozen=True, tag="approval:decided"):
    """What was decided, and by whom: somebody asked, a rule or policy (`why` names it), or the time limit."""

    id: int
    decision: Decision
    by: Literal["approver", "policy", "timeout"] = "approver"
    why: str = ""


class ApprovalRefused(BaseEvent, frozen=True, tag="approval:refused"):
    """A submitted decision was refused: it was late, a second one, malformed, or not possible for the question."""

    message: str


class StepResolved(BaseEvent, frozen=True, tag="steps:resolved"):
    """The tool call that a step was resolved to, by code, or by the executor's model where code could not (`why`).

    `reasoning` is that model's explanation.
    """

    number: int
    instruction: str
    by: Literal["code", "model"]
    why: str
    tool: str
    arguments: dict[str, Any]
    about: str = ""
    risks: list[str] = []
    reasoning: str = ""


class StepDone(BaseEvent, frozen=True, tag="steps:completed"):
    """The step is done; `output` is kept for the steps after it."""

    number: int
    instruction: str
    tool: str
    output: str


class StepNotDone(BaseEvent, frozen=True, tag="steps:failed"):
    """The step could not be done; `attempt` counts from 1. `candidates`: the elements that it may have meant."""

    number: int
    instruction: str
    error: str
    attempt: int
    candidates: list[str] = []


class StepSkipped(BaseEvent, frozen=True, tag="steps:skipped"):
    """The step is left out, as decided."""

    number: int
    instruction: str


class StepsVerified(BaseEvent, frozen=True, tag="steps:verified"):
    """The verdict, based on a new view of the page. `not_found`: claims in the message that nothing shown contains."""

    task_completed: bool
    message: str
    not_found: list[str] = []


StepEvent = (
    StepsPlanned
    | StepChosen
    | ApprovalAsked
    | ApprovalDecided
    | ApprovalRefused
    | StepResolved
    | StepDone
    | StepNotDone
    | StepSkipped
    | StepsVerified
)
