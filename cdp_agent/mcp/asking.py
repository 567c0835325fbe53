"""Questions to the user in the middle of a call, and how the call continues with the answer.

A call does not wait for a person. If it needs an answer, it ends before anything is done, and returns the question; the
client then repeats the call with the answer. So no call is kept that may never continue, and the second one can go to
another server: https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, NoReturn

import msgspec

from cdp_agent.decisions import ActionProposed, FormRequested, Paused, QuestionAsked, UserAnswer, UserAsk
from cdp_agent.errors import ActionError
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.query.consequence import consequence
from cdp_agent.session.calls import ParsedCall
from cdp_agent.steps.approval.policy import Rules, allowing
from cdp_agent.steps.approval.risk import Risk, risk_of

DECLINED = "The user did not allow it, and it was not done. Do not try the same in another way: ask what they want."
ANSWER = "answer"
"""The form field for the answer to a question."""
_UNANSWERED = "The user has not answered yet."


class UserQuestion(msgspec.Struct, frozen=True):
    """A question to the user, with a key that identifies it."""

    key: str
    ask: ActionProposed | QuestionAsked | FormRequested


class UserAnswers:
    """The user's answers to the questions of one call, and the question that is still to be asked.

    `given` are the forms that the user has filled in, by the keys of the questions; None for a declined one.
    `rules` determine what needs the user's approval; with None nothing does. Without `can_ask` nobody can be asked.
    """

    def __init__(self, given: Mapping[str, Mapping[str, Any] | None], rules: Rules | None, *, can_ask: bool) -> None:
        self._given = given
        self._rules = rules
        self._can_ask = can_ask
        self.open: UserQuestion | None = None
        """The question that ended the call, if any."""
        self._is_filled_in = False

    async def approve(self, understood: ParsedCall, page: Page) -> str | None:
        """Why the call must not be made, None if it may be. Raises ActionError if the user has to be asked first."""
        if self._rules is None:
            return None
        tool = understood.tool
        risk = await risk_of(tool, understood.arguments, page)
        ruling = self._rules.ruling(tool.name, risk)
        if ruling.verdict == "allow":
            return None
        if ruling.verdict == "deny":
            return f'It was not done: the rule "{ruling.why}" says so.'
        about = await _about(understood, page)
        if not self._can_ask:
            return (
                f"It was not done: {tool.name} {about} ({', '.join(risk.kinds)}) needs the user's approval, and this "
                f"client cannot ask them (elicitation). A rule could allow it: {allowing(tool.name, risk)}."
            )
        return None if self._answer(_proposed(understood, about, risk)) is not None else DECLINED

    async def ask_user(self, ask: UserAsk) -> UserAnswer:
        """The user's answer, None if they declined. Raises ActionError if they have to be asked first."""
        if isinstance(ask, FormRequested):
            return self._filled_in(ask)
        if isinstance(ask, Paused):
            return None  # a call, unlike a run, cannot be paused
        answer = self._answer(ask)
        return None if answer is None else str(answer.get(ANSWER, ""))

    def _answer(self, ask: ActionProposed | QuestionAsked) -> Mapping[str, object] | None:
        key = _digest(ask)
        return self._given[key] if key in self._given else self._end(key, ask)

    def _filled_in(self, form: FormRequested) -> Mapping[str, Any] | None:
        """The values that were filled in last. If the page refuses some of them, these are requested under a new key.

        Keys do not depend on the fields' values, since in the repeated call these are the ones filled in before.
        """
        begin = _digest([form.description, form.url])
        last = max((_number(key) for key in self._given if key.startswith(f"{begin}-")), default=0)
        if last == 0 or self._is_filled_in:
            return self._end(f"{begin}-{last + 1}", form)
        self._is_filled_in = True
        return self._given[f"{begin}-{last}"]

    def _end(self, key: str, ask: ActionProposed | QuestionAsked | FormRequested) -> NoReturn:
        self.open = UserQuestion(key, ask)
        raise ActionError(_UNANSWERED)


def _number(key: str) -> int:
    """The number in the key of a form, 0 for a key that a client made up."""
    number = key.rpartition("-")[2]
    return int(number) if number.isdecimal() and len(number) < 4 else 0


def _digest(value: object) -> str:
    return hashlib.sha256(msgspec.json.encode(value)).hexdigest()[:16]


def _proposed(understood: ParsedCall, about: str, risk: Risk) -> ActionProposed:
    return ActionProposed(
        id=0,
        number=0,
        step="",
        tool=understood.tool.name,
        arguments=understood.as_json(),
        about=f"{about} at {risk.url}".strip(),
        risks=list(risk.kinds),
    )


async def _about(understood: ParsedCall, page: Page) -> str:
    """The role and name of the element that the call acts on; "" if there is none."""
    for ref in understood.tool.refs_in(understood.arguments):
        found = await consequence(tab_of(page), ref)
        if found is not None:
            return f'{found.role} "{found.name}"'
    return ""
