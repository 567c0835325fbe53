"""The settings of a run by steps, and how they are derived from the arguments of `Agent`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import msgspec

from cdp_agent.decisions import Ask, AskUser
from cdp_agent.errors import SetupError
from cdp_agent.providers.services import Endpoint
from cdp_agent.steps.approval.approval import Approver, answering, calling
from cdp_agent.steps.approval.policy import ALLOW_ALL, ASK, AUTO, Rules

Flow = Literal["plan", "iterative"]
PlannerPage = Literal["snapshot", "html", "none"]
Approve = Literal["ask", "auto"] | Rules | Callable[[Ask], object]


class StepSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a run by steps.

    `rules` decide what is done without asking. `approver` is asked about the rest, None for nobody; `user` is asked
    what only the user knows, by default the approver. `executor`: the model for steps that code cannot resolve, None
    for none. `planner_page`: the form in which the planner gets the page, in addition to a picture with `vision`.
    """

    flow: Flow = "plan"
    rules: Rules = AUTO
    approver: Approver | None = None
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


class StepOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The arguments of `Agent` on approval, questions and runs by steps."""

    approve: Approve | None
    approver: Approver | None
    ask_user: AskUser | None
    approval_timeout_s: float
    flow: Flow = "plan"
    planner_page: PlannerPage = "snapshot"
    executor: Endpoint | None = None

    def settings(self, *, by_hand: bool) -> StepSettings:
        """The settings for these arguments. Steps written `by_hand` need no approval unless `approve` asks for it.

        Raises SetupError.
        """
        rules, approver = self._rules(by_hand), self.approver
        if callable(self.approve):
            approver = calling(self.approve)
        if self.approve == "ask" and approver is None:
            raise SetupError('approve="ask" needs somebody to ask: give a function (approve=) or an approver.')
        return StepSettings(
            flow=self.flow,
            rules=rules,
            approver=approver,
            user=answering(self.ask_user) if self.ask_user is not None else approver,
            approval_timeout_s=self.approval_timeout_s,
            executor=self.executor,
            planner_page=self.planner_page,
        )

    def _rules(self, by_hand: bool) -> Rules:
        match self.approve:
            case Rules() as rules:
                return rules
            case None:
                return ALLOW_ALL if by_hand else AUTO
            case "auto":
                return AUTO
            case "ask":
                return ASK
            case approve if callable(approve):
                return ASK
            case other:
                raise SetupError(f'approve is "ask", "auto", Rules or a function, not {other!r}.')
