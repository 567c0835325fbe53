"""Gets the decisions that a run needs: from its rules if these decide, else by asking."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Literal, cast

import msgspec

from cdp_agent.agent.state.run import End, Run
from cdp_agent.decisions import (
    Approve,
    Ask,
    Continue,
    Decision,
    Decline,
    Execute,
    Fill,
    FormRequested,
    Paused,
    PlanProposed,
    QuestionAsked,
    Respond,
    Retry,
    Skip,
    StepFailed,
    Stop,
    UserAnswer,
    UserAsk,
    proposed,
    with_effect,
    with_nothing_hidden,
)
from cdp_agent.errors import ActionError, BlockedByPolicy
from cdp_agent.events import FormDataError, FormDataRequested
from cdp_agent.outcome import ErrorCode, TaskError
from cdp_agent.page.policy.holding import Held
from cdp_agent.security.secrets import USER_DATA
from cdp_agent.step_events import ApprovalAsked, ApprovalDecided, ApprovalRefused
from cdp_agent.steps.approval.approval import ApprovalQueue, Approver
from cdp_agent.steps.approval.policy import AllowedSites, allowing
from cdp_agent.steps.approval.risk import Risk
from cdp_agent.steps.approval.risky_words import RiskKind

if TYPE_CHECKING:
    from cdp_agent.steps.approval.settings import StepSettings
    from cdp_agent.steps.resolve.call import StepCall

_By = Literal["approver", "policy", "timeout"]
_NOBODY = "Nobody is there to be asked"


class StepAct(msgspec.Struct, frozen=True):
    """The step that is being carried out, for questions about the requests, downloads and dialogs that it causes."""

    number: int
    instruction: str
    call: StepCall
    approved: bool
    """Whether risks were known beforehand, and the step was allowed."""


class Approvals:
    """Gets decisions for one run, and emits the events about them. A `Stop` ends the run."""

    def __init__(self, run: Run, settings: StepSettings) -> None:
        self._run = run
        self._rules = settings.rules
        # Approving a plan approves its steps, except for what cannot be undone.
        self._asks_each = settings.flow == "iterative" and settings.rules.otherwise == "ask"
        self._has_approver = settings.approver is not None
        self._user = settings.user
        self._last = 0
        self._lock = asyncio.Lock()
        self._sites = AllowedSites()
        self._queue: ApprovalQueue | None = None
        if (approver := settings.approver or settings.user) is not None:
            self._queue = ApprovalQueue(approver, timeout_s=settings.approval_timeout_s, notice=self._refused)

    async def plan(self, steps: list[str], message: str) -> Decision:
        """The decision on a plan: Approve, Reject, Edit or Stop."""
        ask = PlanProposed(id=self._next(), steps=steps, message=message)
        if self._rules.otherwise == "allow":
            return self._decided(ask, Approve(), "policy", "plans are carried out without asking")
        return await self._ask(ask, f'{_NOBODY} about the plan: give an approver, or let it be "auto".')

    async def act(self, number: int, instruction: str, call: StepCall, risk: Risk) -> Decision:
        """The decision on a call: Execute, Skip, Reword or Stop. Raises BlockedByPolicy if a rule denies it."""
        ruling = self._sites.ruling(self._rules, call.tool, risk)
        if ruling.verdict == "deny":
            raise BlockedByPolicy(f'It was not done: the rule "{ruling.why}" says so.')
        if not (risk.kinds or self._asks_each or ruling.why.startswith("ask")):
            return Execute()
        ask = proposed(
            id=self._next(),
            number=number,
            step=instruction,
            tool=call.tool,
            arguments=call.arguments,
            about=call.about,
            risks=list(risk.kinds),
            opens=self._run.secrets.mask(risk.opens),
        )
        if ruling.verdict == "allow":
            return self._decided(ask, Execute(), "policy", ruling.why)
        what = f"{call.tool} {call.about}".strip()
        why = f" ({', '.join(risk.kinds)})" if risk.kinds else ""
        return await self._ask_about(
            ask,
            risk,
            f"{_named(number, instruction)} was not done. {_NOBODY} about {what}{why}. What would allow it: "
            f"{allowing(call.tool, risk)}.",
        )

    async def held(self, held: Held, act: StepAct) -> bool:
        """Whether a held request, download or dialog of the step may go on; see page/policy/holding.py."""
        call, risk = act.call, Risk((cast(RiskKind, held.risk),), held.url)
        ask = proposed(
            id=self._next(),
            number=act.number,
            step=act.instruction,
            tool=call.tool,
            arguments=call.arguments,
            about=call.about,
            risks=[],
            opens="",
        )
        ask = with_effect(ask, self._run.secrets.masked(held))
        ruling = self._sites.ruling(self._rules, call.tool, risk)
        if ruling.verdict != "ask":
            allowed = ruling.verdict == "allow"
            self._decided(ask, Execute() if allowed else Skip(), "policy", ruling.why)
            return allowed
        if not self._has_approver and (held.beacon or held.risk == "confirms"):
            allowed = allowed_unasked(held, approved=act.approved)
            self._decided(ask, Execute() if allowed else Skip(), "policy", "nobody is there to be asked")
            return allowed
        why_stopped = (
            f"{_named(act.number, act.instruction)} was done in the page, and {held} was held and not let out. "
            f"{_NOBODY} about it ({held.risk}). What would allow it: {allowing(call.tool, risk)}."
        )
        return isinstance(await self._ask_about(ask, risk, why_stopped), Execute)

    async def failure(
        self,
        number: int,
        instruction: str,
        error: str,
        *,
        retries_left: int,
        can_retry: bool,
        code: ErrorCode = "failed",
    ) -> Decision:
        """The decision on a failed step: Retry, Reword, Skip or Stop.

        If nobody can be asked: Retry while that may help (`can_retry`) and retries are left, else Stop. `code` is the
        code of the run's error, if the run ends with this failure.
        """
        ask = StepFailed(
            id=self._next(), number=number, step=instruction, error=error, retries_left=max(0, retries_left)
        )
        if not self._has_approver and can_retry and retries_left > 0:
            return self._decided(ask, Retry(), "policy", "it may pass")
        if not self._has_approver:
            why = f"Step {number}, {instruction!r}, was not done: {error}"
            if code == "interrupted":
                why = f"Step {number}, {instruction!r}: {error} Look before you give the task once more."
            self._run.fail(code, why)
            return Stop("A step failed, and nobody is there to be asked.")
        return await self._ask(ask, "")

    async def answer(self, question: str) -> Respond | Decline | Stop:
        """Asks the user the planner's question, and returns the answer."""
        decision = await self._ask(
            QuestionAsked(id=self._next(), question=question), f"{_NOBODY}: {question} Say it in the task.", self._user
        )
        assert isinstance(decision, Respond | Decline | Stop)  # the only ones accepted
        return decision

    async def ask_user(self, ask: UserAsk) -> UserAnswer:
        """Asks the user on behalf of a tool, as an `AskUser`. No answer within the time limit counts as declining.

        Raises ActionError if the user ends the run.
        """
        ask = msgspec.structs.replace(ask, id=self._next())
        unanswered = Continue() if isinstance(ask, Paused) else Decline()
        match await self._ask(ask, "", self._user, unanswered=unanswered):
            case Respond(text) | Continue(text):
                self._run.addresses.learn(text)
                return text
            case Fill(values):
                return values
            case Stop(why):
                raise ActionError(f"The user has ended the run. {why}")
            case _:
                return None

    async def _ask_about(self, ask: Ask, risk: Risk, why_stopped: str) -> Decision:
        """The decision on an act or an effect with that risk, which may hold for its whole site."""
        decision = await self._ask(ask, why_stopped)
        if isinstance(decision, Execute) and decision.for_site:
            self._sites.allow(risk)
        return decision

    async def _ask(
        self, ask: Ask, why_stopped: str, approver: Approver | None = None, *, unanswered: Decision | None = None
    ) -> Decision:
        ask = with_nothing_hidden(ask)
        if self._queue is None or (approver is None and not self._has_approver):
            self._run.emit(ApprovalAsked(**self._run.stamp, ask=ask))
            return self._stopped(ask, Stop(why_stopped), "policy")
        async with self._lock:  # a step's effects may be asked about while another question is open
            self._run.emit(ApprovalAsked(**self._run.stamp, ask=ask))
            if isinstance(ask, FormRequested):
                form = {name: getattr(ask, name) for name in ("description", "reason", "fields")}
                self._run.emit(FormDataRequested(**self._run.stamp, **form))
                if refused := [field for field in ask.fields if field.error]:
                    self._run.emit(FormDataError(**self._run.stamp, fields=refused))
            with self._run.waiting():
                decision = await self._queue.decide(ask, approver)
            by: _By = "timeout" if self._queue.unanswered else "approver"
        if by == "timeout" and unanswered is not None:
            decision = unanswered
        if isinstance(decision, Stop):
            return self._stopped(ask, decision, by)
        self._run.emit(ApprovalDecided(**self._run.stamp, id=ask.id, decision=_without_values(decision), by=by))
        return decision

    def _decided(self, ask: Ask, decision: Decision, by: _By, why: str) -> Decision:
        self._run.emit(ApprovalAsked(**self._run.stamp, ask=ask))
        self._run.emit(ApprovalDecided(**self._run.stamp, id=ask.id, decision=decision, by=by, why=why))
        return decision

    def _stopped(self, ask: Ask, decision: Stop, by: _By) -> Stop:
        run = self._run
        run.emit(ApprovalDecided(**run.stamp, id=ask.id, decision=decision, by=by))
        where: Literal["task", "user"] = "user" if by == "approver" else "task"
        run.end = run.end or End(error=TaskError("aborted", decision.why, where))
        return decision

    def _next(self) -> int:
        """The id of the next question; questions that a rule decides get one too."""
        if self._queue is not None:
            return self._queue.next_id
        self._last += 1
        return self._last

    def _refused(self, message: str) -> None:
        self._run.emit(ApprovalRefused(**self._run.stamp, message=message))


def _named(number: int, instruction: str) -> str:
    return f"Step {number}, {instruction!r}," if instruction else f"Step {number}"


def allowed_unasked(held: Held, *, approved: bool) -> bool:
    """Whether an effect is allowed where nobody can be asked; `approved`: its act was, with its risks."""
    return held.risk == "confirms" and approved


def _without_values(decision: Decision) -> Decision:
    """The decision for events: with the fields that the user filled in, but without their values."""
    return Fill(dict.fromkeys(decision.values, USER_DATA)) if isinstance(decision, Fill) else decision
