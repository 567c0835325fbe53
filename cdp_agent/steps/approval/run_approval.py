"""Approval in one run: acts are asked about beforehand where their risks are known, and their effects are held.

The same for runs by steps and for runs of one model, of which each call is an act.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from functools import partial
from typing import TYPE_CHECKING

from cdp_agent.decisions import Execute, Reword, Skip
from cdp_agent.errors import BlockedByPolicy
from cdp_agent.page.page import tab_of
from cdp_agent.page.policy.holding import Act, Hold
from cdp_agent.page.policy.limits import TabLimits, limited
from cdp_agent.page.policy.rules import RequestRules
from cdp_agent.page.query.consequence import described
from cdp_agent.steps.approval.approvals import Approvals, StepAct
from cdp_agent.steps.approval.risk import Risk, ref_of, risk_of
from cdp_agent.steps.resolve.call import StepCall

if TYPE_CHECKING:
    from cdp_agent.agent.state.run import Run
    from cdp_agent.session.calls import Call
    from cdp_agent.steps.approval.settings import StepSettings

SKIPPED = "The user did not allow it, and it was not done. Do not try the same in another way."
_REWORDED = "It was not done. The user wants something else instead: "
_STOPPED = "It was not done: the run ends here."


class RunApproval:
    """Asks about the acts of a run, and about what they cause."""

    def __init__(self, run: Run, settings: StepSettings) -> None:
        self._run = run
        self._rules = settings.rules
        self.approvals = Approvals(run, settings)
        self._limits: TabLimits | None = None
        """Holds requests, downloads and dialogs that acts cause until they are allowed; None if all are."""

    @contextlib.asynccontextmanager
    async def holding(self) -> AsyncIterator[None]:
        """Holds requests, downloads and dialogs that acts cause inside the block, unless the rules allow all."""
        if not self._rules.may_hold:
            yield
            return
        hold = Hold()
        async with limited(RequestRules(hold=hold)) as self._limits:
            try:
                yield
                if self._run.end is None or self._run.end.error is None:
                    await hold.wait_for_late_effects()
            finally:
                await hold.end()

    @contextlib.asynccontextmanager
    async def lifted(self) -> AsyncIterator[None]:
        """A block in which the user acts in the page themselves: nothing is asked or refused."""
        if self._limits is None:
            yield
            return
        await self._limits.hold.wait_for_late_effects()
        with self._limits.lifted():
            yield

    async def begin(self, act: StepAct, risk: Risk) -> None:
        """Attributes requests, downloads and dialogs from now on to this act, which was allowed with its risks.

        Raises BrowserError.
        """
        if self._limits is not None:
            policies = (tab_of(each).request_policy for each in self._run.browser.pages)
            await self._limits.begin(Act(partial(self.approvals.held, act=act), frozenset(risk.kinds)), policies)

    async def begin_call(self, call: Call) -> None:
        """Asks about a model's call if need be, and begins its act. Raises ActionError when it must not be made."""
        if call.tool.read_only:
            return
        run, page = self._run, self._run.tabs.page
        risk = await risk_of(call, page)
        ref = ref_of(call.as_json())
        about = await described(tab_of(page), ref) if ref is not None else ""
        proposed = StepCall(call.name, run.secrets.masked(call.as_json()), run.secrets.mask(about))
        match await self.approvals.act(run.usage.steps, "", proposed, risk):
            case Execute():
                await self.begin(StepAct(run.usage.steps, "", proposed, approved=bool(risk.kinds)), risk)
            case Skip():
                raise BlockedByPolicy(SKIPPED)
            case Reword(step):
                raise BlockedByPolicy(_REWORDED + step)
            case _:
                raise BlockedByPolicy(_STOPPED)
