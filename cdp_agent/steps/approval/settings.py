"""How a run by steps goes about it."""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

from cdp_agent.errors import SetupError
from cdp_agent.providers.services import Endpoint
from cdp_agent.steps.approval.approval import Approver
from cdp_agent.steps.approval.policy import AUTO, Rules

Flow = Literal["plan", "iterative"]
PlannerPage = Literal["snapshot", "html", "none"]


class StepSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`rules` say what is done without asking; `face` is who is asked, None for nobody.

    `user` is who is asked what only the user knows: the `face`, unless there is somebody else for that.

    `executor`: the model for steps that code cannot tell, None for none. `planner_page`: as what the planner gets the
    page, beside the picture of a run with `vision`.
    """

    flow: Flow = "plan"
    rules: Rules = AUTO
    face: Approver | None = None
    user: Approver | None = None
    approval_timeout_s: float = 300.0
    executor: Endpoint | None = None
    planner_page: PlannerPage = "snapshot"

    def __post_init__(self) -> None:
        if self.flow not in get_args(Flow):
            raise SetupError(f"flow is {' or '.join(get_args(Flow))}, not {self.flow!r}.")
        if self.planner_page not in get_args(PlannerPage):
            raise SetupError(f"planner_page is one of {', '.join(get_args(PlannerPage))}, not {self.planner_page!r}.")
        if not self.approval_timeout_s > 0:
            raise SetupError(f"approval_timeout_s is more than 0, not {self.approval_timeout_s}.")
