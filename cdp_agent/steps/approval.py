"""Approval: what is asked before something is done, what may be decided, and what counts as a decision.

Whoever decides (a terminal, a program's callback, a program at the other end of a pipe) gets an `Ask` with an id and
hands in a `Decision` for that id. The first valid one for the question that is open counts; every other one is answered
with why it does not, and changes nothing. A decision that never comes is "stop".
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec


class PlanProposed(msgspec.Struct, frozen=True, kw_only=True, tag="plan"):
    """The steps of a plan. They are approved, rejected with a correction, or edited."""

    id: int
    steps: list[str]
    message: str = ""


class ActionProposed(msgspec.Struct, frozen=True, kw_only=True, tag="action"):
    """One act, before it is done: `about` is the element, `risks` why it is asked about."""

    id: int
    number: int
    step: str
    tool: str
    arguments: dict[str, Any]
    about: str = ""
    risks: list[str] = []


class QuestionAsked(msgspec.Struct, frozen=True, kw_only=True, tag="question"):
    """Something that only the user knows."""

    id: int
    question: str


class StepFailed(msgspec.Struct, frozen=True, kw_only=True, tag="failed"):
    """A step that could not be done; earlier ones stay done."""

    id: int
    number: int
    step: str
    error: str
    retries_left: int


class Approve(msgspec.Struct, frozen=True, tag_field="decision", tag="approve"):
    """The plan is carried out as it is."""


class Reject(msgspec.Struct, frozen=True, tag_field="decision", tag="reject", forbid_unknown_fields=True):
    """Another plan is made from the same view of the page; `correction` says what was wrong."""

    correction: str


class Edit(msgspec.Struct, frozen=True, tag_field="decision", tag="edit", forbid_unknown_fields=True):
    """These steps are carried out instead: reordered, reworded, dropped, added."""

    steps: list[str]


class Execute(msgspec.Struct, frozen=True, tag_field="decision", tag="execute"):
    """The act is done."""


class Skip(msgspec.Struct, frozen=True, tag_field="decision", tag="skip"):
    """The act is left out, and the run goes on."""


class Reword(msgspec.Struct, frozen=True, tag_field="decision", tag="reword", forbid_unknown_fields=True):
    """This step is done instead."""

    step: str


class Retry(msgspec.Struct, frozen=True, tag_field="decision", tag="retry"):
    """The step that failed is tried again."""


class Reply(msgspec.Struct, frozen=True, tag_field="decision", tag="answer", forbid_unknown_fields=True):
    """What the user answers."""

    text: str


class Stop(msgspec.Struct, frozen=True, tag_field="decision", tag="stop"):
    """Nothing more is done."""

    why: str = "It was stopped by the user."


Ask = PlanProposed | ActionProposed | QuestionAsked | StepFailed
Decision = Approve | Reject | Edit | Execute | Skip | Reword | Retry | Reply | Stop
_POSSIBLE: dict[type, tuple[type, ...]] = {
    PlanProposed: (Approve, Reject, Edit, Stop),
    ActionProposed: (Execute, Skip, Reword, Stop),
    QuestionAsked: (Reply, Stop),
    StepFailed: (Retry, Reword, Skip, Stop),
}

Submit = Callable[[int, Any], str | None]
"""Hands in a decision for the question of that id: None when it counts, else why it does not."""
Face = Callable[[Ask, Submit], Awaitable[None]]
"""Shows a question to whoever decides, and hands in what they say, until it counts or the question is over."""


def possible(ask: Ask) -> list[str]:
    """The decisions that can be made, by their names in JSON."""
    return [_name(each) for each in _POSSIBLE[type(ask)]]


class Desk:
    """Where questions are put, one at a time, and where decisions are handed in."""

    def __init__(self, face: Face, *, timeout_s: float, notice: Callable[[str], None] = lambda _: None) -> None:
        self._face = face
        self._timeout_s = timeout_s
        self._notice = notice
        self._last = 0
        self._open: Ask | None = None
        self._decided: asyncio.Future[Decision] | None = None

    @property
    def next_id(self) -> int:
        """The id of the next question."""
        self._last += 1
        return self._last

    async def decide(self, ask: Ask) -> Decision:
        """What is decided: `Stop` when that takes longer than the time limit, or when nobody is left to decide."""
        self._open, self._decided = ask, asyncio.get_running_loop().create_future()
        showing = asyncio.ensure_future(self._face(ask, self.submit))
        either: set[asyncio.Future[Any]] = {showing, self._decided}
        try:
            await asyncio.wait(either, timeout=self._timeout_s, return_when=asyncio.FIRST_COMPLETED)
            if self._decided.done():
                return self._decided.result()
            if not showing.done():
                return Stop(f"Nobody decided within {self._timeout_s:g} s.")
            if (error := showing.exception()) is not None:
                raise error
            return Stop("Nobody is there to decide.")
        finally:
            self._open = None
            showing.cancel()
            await asyncio.gather(showing, return_exceptions=True)

    def submit(self, ask_id: int, decision: Any) -> str | None:
        """Takes a decision, as one of the structs or as JSON data. None when it counts, else why it does not."""
        problem = self._take(ask_id, decision)
        if problem is not None:
            self._notice(f"A decision was refused: {problem}")
        return problem

    def _take(self, ask_id: int, decision: Any) -> str | None:
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
        if not isinstance(made, _POSSIBLE[type(ask)]):
            return f"{_name(type(made))} is no answer to this. It can be {', '.join(possible(ask))}."
        if isinstance(made, Edit) and not any(step.strip() for step in made.steps):
            return "A plan without steps cannot be carried out: stop instead."
        decided.set_result(made)
        return None


def calling(callback: Callable[[Ask], Any]) -> Face:
    """The face of a program: a function, or an async one, that is given the question and returns the decision."""

    async def show(ask: Ask, submit: Submit) -> None:
        decision = callback(ask)
        if inspect.isawaitable(decision):
            decision = await decision
        if (problem := submit(ask.id, decision)) is not None:
            submit(ask.id, Stop(f"What approves gave no decision: {problem}"))

    return show


def _name(kind: type) -> str:
    return str(kind.__struct_config__.tag)  # type: ignore[attr-defined]  # every one is a tagged struct
