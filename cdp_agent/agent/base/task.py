"""What a run is given: its task, limits and options, and the plan that it follows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from cdp_agent.errors import SetupError
from cdp_agent.page.policy.rules import RequestRules, rules_of
from cdp_agent.providers.request_options import RequestOptions
from cdp_agent.security.secrets import Secrets

if TYPE_CHECKING:
    from cdp_agent.extract.form import Form

BatchPolicy = Literal["conservative", "observed"]
Toolset = Literal["own", "vendor"]


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


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How a run carries out its task.

    `max_actions_per_step`: how many tool calls of one reply are run at most. `batch_policy`: a page-changing call, such
    as a click, ends such a batch always ("conservative"), or only when its receipt shows that more than its own target
    changed ("observed"). `replan`: the model may revise its plan. `vision`: the model is shown pictures, which the
    events contain, too, with `images_in_events`. `checkpoint`: the folder where the state of the run is written after
    each step, so that it can be resumed. `trace`: the folder for a trace of the run. `manner`: the options of its
    requests. `fallback_model` takes over when the run's model fails; `prices` is a price file of the user's. `search`
    is the web search engine, at `search_base_url` if given. `toolset`: "vendor" for the browser tools that the model's
    vendor has defined, instead of ours. `allow_evaluate`: the model may run JavaScript in the page.
    """

    limits: Limits = Limits()
    max_actions_per_step: int = 1
    batch_policy: BatchPolicy = "conservative"
    replan: bool = False
    vision: bool = False
    images_in_events: bool = False
    checkpoint: Path | None = None
    trace: Path | None = None
    search: str | None = None
    search_base_url: str | None = None
    allow_evaluate: bool = False
    toolset: Toolset = "own"
    manner: RequestOptions = RequestOptions()
    fallback_model: str | None = None
    fallback_base_url: str | None = None
    prices: Path | None = None
    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()
    upload_folders: tuple[str, ...] | None = ()
    """None: any file, since the author of the steps chose the files."""

    @property
    def rules(self) -> RequestRules | None:
        """The rules on what the run's tabs may load, None without any."""
        return rules_of(allow=self.allow, deny=self.deny)

    def __post_init__(self) -> None:
        self.rules  # noqa: B018 (raises SetupError)
        if self.max_actions_per_step < 1:
            raise SetupError(f"max_actions_per_step is at least 1, not {self.max_actions_per_step}.")
        if self.batch_policy not in ("conservative", "observed"):
            raise SetupError(f"batch_policy is conservative or observed, not {self.batch_policy!r}.")


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
