"""Approval: asking a question before something is done, and accepting the decision.

Whoever decides (a terminal, a program's callback, a program at the other end of a pipe) gets an `Ask` with an id and
submits a `Decision` for that id. The first valid decision for the open question counts; every other one is refused with
the reason, and changes nothing. If no decision comes, it counts as "stop".
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping

import msgspec

from cdp_agent.decisions import (
    ActionProposed,
    Approve,
    Ask,
    AskUser,
    Continue,
    Decision,
    Decline,
    Edit,
    Execute,
    Fill,
    FormRequested,
    Paused,
    QuestionAsked,
    Respond,
    Retry,
    Reword,
    StepFailed,
    Stop,
    UserAsk,
    kinds_of_decision,
    name_of,
    possible,
)
from cdp_agent.errors import SetupError

Submit = Callable[[int, object], str | None]
"""Submits a decision for the question of that id. Returns None when it counts, else why it does not."""
Approver = Callable[[Ask, Submit], Awaitable[None]]
"""Shows a question to whoever decides, and submits their decisions until one counts or the question is over."""


class ApprovalQueue:
    """Asks questions, one at a time, and takes the decisions that are submitted."""

    def __init__(
        self, approver: Approver, *, timeout_s: float | None, notice: Callable[[str], None] = lambda _: None
    ) -> None:
        self._approver = approver
        self._timeout_s = timeout_s
        self._notice = notice
        self.unanswered = False
        """Whether the last question got no decision."""
        self._last = 0
        self._open: Ask | None = None
        self._decided: asyncio.Future[Decision] | None = None

    @property
    def next_id(self) -> int:
        """A new id for the next question; each access returns another one."""
        self._last += 1
        return self._last

    async def decide(self, ask: Ask, approver: Approver | None = None) -> Decision:
        """Asks the question and returns the decision; `approver`, if given, is used instead of the queue's own.

        `Stop` if there is no decision within the time limit (a `Paused` has none), or the approver ends without one.
        """
        self._last = max(self._last, ask.id)
        self._open, self._decided = ask, asyncio.get_running_loop().create_future()
        showing = asyncio.ensure_future((approver or self._approver)(ask, self.submit))
        either: set[asyncio.Future[None] | asyncio.Future[Decision]] = {showing, self._decided}
        self.unanswered = False
        try:
            timeout_s = None if isinstance(ask, Paused) else self._timeout_s  # the user needs time in the page
            await asyncio.wait(either, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
            if self._decided.done():
                return self._decided.result()
            self.unanswered = True
            if not showing.done():
                return Stop(f"Nobody decided within {self._timeout_s:g} s.")
            if (error := showing.exception()) is not None:
                raise error
            return Stop("Nobody is there to decide.")
        finally:
            self._open = None
            showing.cancel()
            await asyncio.gather(showing, return_exceptions=True)

    def submit(self, ask_id: int, decision: object) -> str | None:
        """Takes a decision, as a struct or as JSON data. Returns None when it counts, else why it does not."""
        problem = self._take(ask_id, decision)
        if problem is not None:
            self._notice(f"A decision was refused: {problem}")
        return problem

    def _take(self, ask_id: int, decision: object) -> str | None:
        ask, decided = self._open, self._decided
        if ask is None or decided is None or ask_id != ask.id:
            return f"Question {ask_id} is over." if 0 < ask_id <= self._last else f"There is no question {ask_id}."
        if decided.done():
            return f"Question {ask_id} is decided already."
        try:
            made: Decision = (
                decision if isinstance(decision, Decision) else msgspec.convert(decision, Decision, strict=True)
            )
        except msgspec.ValidationError as error:
            return f"{str(error).replace('`', '')}. It can be {', '.join(possible(ask))}."
        if isinstance(made, Approve) and isinstance(ask, ActionProposed):
            made = Execute()  # "approve" is accepted for an act, as for a plan
        if not isinstance(made, kinds_of_decision(ask)):
            return f"{name_of(type(made))} is no answer to this. It can be {', '.join(possible(ask))}."
        if isinstance(made, Edit) and not any(step.strip() for step in made.steps):
            return "A plan without steps cannot be carried out: stop instead."
        if isinstance(made, Reword) and not made.step.strip():
            return "A step without words means nothing: say what to do."
        if isinstance(made, Retry) and isinstance(ask, StepFailed) and ask.retries_left < 1:
            return "It was tried again often enough: reword the step, skip it or stop."
        if isinstance(made, Fill) and isinstance(ask, FormRequested):
            refs = [field.ref for field in ask.fields]
            if unknown := [ref for ref in made.values if ref not in refs]:
                return f"The form has no field {unknown[0]}: they are {', '.join(refs)}."
        decided.set_result(made)
        return None


def calling(callback: Callable[[Ask], object]) -> Approver:
    """An `Approver` from a function, sync or async, that takes the question and returns the decision."""

    async def show(ask: Ask, submit: Submit) -> None:
        decision = callback(ask)
        if inspect.isawaitable(decision):
            decision = await decision
        if (problem := submit(ask.id, decision)) is not None:
            submit(ask.id, Stop(f"What approves gave no decision: {problem}"))

    return show


def answering(ask_user: AskUser) -> Approver:
    """An `Approver` from `ask_user`, the async function given to `Agent` that answers for the user."""

    async def show(ask: Ask, submit: Submit) -> None:
        if not isinstance(ask, UserAsk):
            return
        answer = await ask_user(ask)
        decision: object
        if isinstance(ask, Paused) and (answer is None or isinstance(answer, str)):
            decision = Continue(answer or "")
        elif answer is None:
            decision = Decline()
        elif isinstance(ask, QuestionAsked) and isinstance(answer, str):
            decision = Respond(answer)
        elif isinstance(ask, FormRequested) and isinstance(answer, Mapping):
            decision = {"decision": "fill", "values": dict(answer)}
        else:
            wanted = "a mapping of refs to values" if isinstance(ask, FormRequested) else "a text"
            raise SetupError(f"ask_user gives {wanted} or None, not {type(answer).__name__}.")
        if (problem := submit(ask.id, decision)) is not None:
            raise SetupError(f"What ask_user gave cannot be taken: {problem}")

    return show
