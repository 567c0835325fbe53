"""The settings of a run by steps, and how they are derived from the options of an agent."""

from __future__ import annotations

from typing import get_args

import msgspec

from cdp_agent.agent.base.agent_settings import Flow, PlannerPage
from cdp_agent.agent.base.options import AgentOptions
from cdp_agent.errors import SetupError
from cdp_agent.providers.services import Endpoint
from cdp_agent.steps.approval.approval import Approver, answering, calling
from cdp_agent.steps.approval.policy import ALLOW_ALL, ASK, AUTO, Approve, Rules


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


def step_settings(options: AgentOptions, executor: Endpoint | None, *, by_hand: bool) -> StepSettings:
    """The settings for these options. Steps written `by_hand` need no approval unless `approve` asks for it.

    Raises SetupError.
    """
    approver = calling(options.approve) if callable(options.approve) else options.approver
    if options.approve == "ask" and approver is None:
        raise SetupError('approve="ask" needs somebody to ask: give a function (approve=) or an approver.')
    return StepSettings(
        flow=options.flow,
        rules=_rules(options.approve, by_hand),
        approver=approver,
        user=answering(options.ask_user) if options.ask_user is not None else approver,
        approval_timeout_s=options.approval_timeout_s,
        executor=executor,
        planner_page=options.planner_page,
    )


def _rules(approve: Approve | None, by_hand: bool) -> Rules:
    match approve:
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
