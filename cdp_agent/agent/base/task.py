"""What a run is given: its task and limits, and the plan that it follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from cdp_agent.errors import SetupError
from cdp_agent.security.secrets import Secrets

if TYPE_CHECKING:
    from cdp_agent.extract.form import Form


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits at which a run ends, and limits on how much the model is shown, in tokens.

    `max_validations`: how often an answer is judged before it is returned unvalidated. `observation_tokens`: the most
    that is shown of a page at once. `history_tokens`: when the conversation is longer, old observations shrink to a
    line each.

    The budget, unlimited by default: `max_tokens_total` of input and output, `max_cost` in US dollars, `max_seconds`
    from the beginning, not counting the time spent waiting for answers to questions. The time limit interrupts any
    operation; tokens and cost are checked before each request to a model, so the last reply may exceed them.
    """

    max_steps: int = 50
    max_errors_in_a_row: int = 5
    max_errors: int = 15
    max_validations: int = 3
    first_navigation_retries: int = 1
    observation_tokens: int = 10_000
    history_tokens: int = 100_000
    max_tokens_total: int | None = None
    max_cost: float | None = None
    max_seconds: float | None = None

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            least = 0 if name == "first_navigation_retries" else 1
            if name in ("max_cost", "max_seconds"):
                if value is not None and not value > 0:
                    raise SetupError(f"{name} is more than 0, not {value}.")
            elif value is not None and value < least:
                raise SetupError(f"{name} is at least {least}, not {value}.")


class Task(msgspec.Struct, frozen=True):
    """The user's task, validated. `form` is the required form of the answer, None for Markdown."""

    text: str
    url: str | None = None
    input_data: object = None
    guardrails: str | None = None
    form: Form | None = None
    secrets: Secrets = msgspec.field(default_factory=Secrets)


class Plan(msgspec.Struct, frozen=True):
    """The plan that a run follows. `action_items` are short titles for people; `impossible` is why there is no plan."""

    success_criteria: str
    plan: str
    action_items: list[str] = []
    url: str | None = None
    impossible: str = ""

    @property
    def text(self) -> str:
        """The plan as a model reads it."""
        return f"Done when:\n{self.success_criteria}\n\nPlan:\n{self.plan}"
