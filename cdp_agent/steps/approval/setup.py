"""From what a program says of approval, the user and models to the settings of a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import msgspec

from cdp_agent.decisions import Ask, AskUser
from cdp_agent.errors import SetupError
from cdp_agent.providers.services import Endpoint
from cdp_agent.steps.approval.approval import Approver, answering, calling
from cdp_agent.steps.approval.policy import ALLOW_ALL, ASK, AUTO, Rules
from cdp_agent.steps.approval.settings import Flow, PlannerPage, StepSettings

Approve = Literal["ask", "auto"] | Rules | Callable[[Ask], Any]


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """What a program says of whom a run asks, and of one by steps; see `Agent`."""

    approve: Approve | None
    approver: Approver | None
    ask_user: AskUser | None
    approval_timeout_s: float
    flow: Flow = "plan"
    planner_page: PlannerPage = "snapshot"
    executor: Endpoint | None = None

    def settings(self, *, by_hand: bool) -> StepSettings:
        """What it means; steps that were written `by_hand` need no approval but where it is asked for.

        Raises SetupError.
        """
        rules, face = self._rules(by_hand), self.approver
        if callable(self.approve):
            face = calling(self.approve)
        if self.approve == "ask" and face is None:
            raise SetupError('approve="ask" needs somebody to ask: give a function (approve=) or an approver.')
        return StepSettings(
            flow=self.flow,
            rules=rules,
            face=face,
            user=answering(self.ask_user) if self.ask_user is not None else face,
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
