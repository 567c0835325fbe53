"""Questions to the user in the middle of a call, and how the call continues with the answer.

A call does not wait for a person. If it needs an answer, it ends before anything is done, and returns the question; the
client then repeats the call with the answer. So no call is kept that may never continue, and the second one can go to
another server: https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NoReturn, cast

import msgspec

from cdp_agent.decisions import (
    ActionProposed,
    FormRequested,
    Paused,
    QuestionAsked,
    UserAnswer,
    UserAsk,
    proposed,
    with_effect,
)
from cdp_agent.errors import ActionError, BlockedByPolicy
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.policy.holding import Act, Held
from cdp_agent.page.query.consequence import described
from cdp_agent.security.quoting import shown_address
from cdp_agent.security.secrets import Secrets
from cdp_agent.session.calls import Call
from cdp_agent.steps.approval.approvals import allowed_unasked
from cdp_agent.steps.approval.policy import AllowedSites, Rules, Ruling, allowing
from cdp_agent.steps.approval.risk import Risk, ref_of, risk_of
from cdp_agent.steps.approval.risky_words import RiskKind

DECLINED = "The user did not allow it, and it was not done. Do not try the same in another way: ask what they want."
ANSWER = "answer"
"""The form field for the answer to a question."""
_UNANSWERED = "The user has not answered yet."
_CANNOT = "this client cannot ask them (elicitation)"

FOR_SITE = "for_site"
"""The form field by which all such is allowed at a site."""

AskHeld = Callable[[ActionProposed], Awaitable[Mapping[str, Any] | None]]
"""Asks the user about an effect that is held, and returns the form that they filled in; None if they declined."""


class UserQuestion(msgspec.Struct, frozen=True):
    """A question to the user, with a key that identifies it."""

    key: str
    ask: ActionProposed | QuestionAsked | FormRequested


class UserAnswers:
    """The user's answers to the questions of one call, and the question that is still to be asked.

    `answers` are the forms that the user has filled in, by the keys of the questions; None for a declined one.
    `rules` determine what needs the user's approval; with None nothing does. Without `can_ask` nobody can be asked.
    `ask_held` asks about what a call has set off. `sites` are those for which the user has allowed something.
    """

    def __init__(
        self,
        answers: Mapping[str, Mapping[str, Any] | None],
        rules: Rules | None,
        secrets: Secrets,
        ask_held: AskHeld,
        sites: AllowedSites,
        *,
        can_ask: bool,
    ) -> None:
        self._sites = sites
        self._answers = answers
        self._rules = rules
        self._secrets = secrets
        self._ask_held = ask_held
        self._can_ask = can_ask
        self.open: UserQuestion | None = None
        """The question that ended the call, if any."""
        self._is_filled_in = False

    async def begin_act(self, call: Call, page: Page) -> Act:
        """The act of the call, if it may be made. Raises ActionError if not, or if the user has to be asked first."""
        assert self._rules is not None  # without rules nothing is asked
        risk = await risk_of(call, page)
        ruling = self._sites.ruling(self._rules, call.name, risk)
        ref = ref_of(call.as_json())
        about = await described(tab_of(page), ref) if ref is not None else ""
        if risk.url != risk.opens:
            about = f"{about} at {shown_address(risk.url)}".strip()
        if ruling.verdict == "deny":
            raise BlockedByPolicy(f'It was not done: the rule "{ruling.why}" says so.')
        if ruling.verdict == "ask" and not self._can_ask:
            raise BlockedByPolicy(
                f"It was not done: {call.name} {about} ({', '.join(risk.kinds)}) needs the user's approval, and "
                f"{_CANNOT}. A rule could allow it: {allowing(call.name, risk)}."
            )
        ask = proposed(
            id=0,
            number=0,
            step="",
            tool=call.name,
            arguments=call.as_json(),
            about=self._secrets.mask(about),
            risks=list(risk.kinds),
            opens=self._secrets.mask(risk.opens),
        )
        if ruling.verdict == "ask":
            form = self._answer_to(ask)
            if form is None:
                raise BlockedByPolicy(DECLINED)
            _note(form, risk, self._sites)
        ask_held = self._ask_held if self._can_ask else None
        effects = _Effects(ask, self._rules, self._secrets, ask_held, self._sites, approved=bool(risk.kinds))
        return Act(effects.is_allowed, frozenset(risk.kinds), effects.why_refused)

    async def ask_user(self, ask: UserAsk) -> UserAnswer:
        """The user's answer, None if they declined. Raises ActionError if they have to be asked first."""
        if isinstance(ask, FormRequested):
            return self._filled_in(ask)
        if isinstance(ask, Paused):
            return None  # a call, unlike a run, cannot be paused
        answer = self._answer_to(ask)
        return None if answer is None else str(answer.get(ANSWER, ""))

    def _answer_to(self, ask: ActionProposed | QuestionAsked) -> Mapping[str, object] | None:
        key = _digest(ask)
        return self._answers[key] if key in self._answers else self._end(key, ask)

    def _filled_in(self, form: FormRequested) -> Mapping[str, Any] | None:
        """The values that were filled in last. If the page refuses some of them, these are requested under a new key.

        Keys do not depend on the fields' values, since in the repeated call these are the ones filled in before.
        """
        begin = _digest([form.description, form.url])
        last = max((_number(key) for key in self._answers if key.startswith(f"{begin}-")), default=0)
        if last == 0 or self._is_filled_in:
            return self._end(f"{begin}-{last + 1}", form)
        self._is_filled_in = True
        return self._answers[f"{begin}-{last}"]

    def _end(self, key: str, ask: ActionProposed | QuestionAsked | FormRequested) -> NoReturn:
        self.open = UserQuestion(key, ask)
        raise ActionError(_UNANSWERED)


def _number(key: str) -> int:
    """The number in the key of a form, 0 for a key that a client made up."""
    number = key.rpartition("-")[2]
    return int(number) if number.isdecimal() and len(number) < 4 else 0


def _digest(value: object) -> str:
    return hashlib.sha256(msgspec.json.encode(value)).hexdigest()[:16]


class _Effects:
    """What an act sets off is decided by the rules, else by asking; `ask_held` is None if nobody can be asked."""

    def __init__(
        self,
        act: ActionProposed,
        rules: Rules,
        secrets: Secrets,
        ask_held: AskHeld | None,
        sites: AllowedSites,
        *,
        approved: bool,
    ) -> None:
        self._sites = sites
        self._act = act
        self._rules = rules
        self._secrets = secrets
        self._ask_held = ask_held
        self._approved = approved

    async def is_allowed(self, held: Held) -> bool:
        """See page/policy/holding.py."""
        verdict = self._ruling(held).verdict
        if verdict != "ask":
            return verdict == "allow"
        if self._ask_held is None:
            return allowed_unasked(held, approved=self._approved)
        form = await self._ask_held(with_effect(self._act, self._secrets.masked(held)))
        if form is not None:
            _note(form, _risk(held), self._sites)
        return form is not None

    def why_refused(self, held: Held) -> str:
        """What the model is told of an effect that was refused."""
        ruling = self._ruling(held)
        if ruling.verdict == "deny":
            return f'the rule "{ruling.why}" says so'
        if self._ask_held is None:
            could = allowing(self._act.tool, _risk(held))
            return f"it {held.risk}, which needs the user's approval, and {_CANNOT}. A rule could allow it: {could}"
        return "the user did not allow it. Do not try the same in another way"

    def _ruling(self, held: Held) -> Ruling:
        return self._sites.ruling(self._rules, self._act.tool, _risk(held))


def _note(form: Mapping[str, object], risk: Risk, sites: AllowedSites) -> None:
    """Allows all such at a site if the user has said so in the form by which they allowed one."""
    if form.get(FOR_SITE) is True:
        sites.allow(risk)


def _risk(held: Held) -> Risk:
    return Risk((cast(RiskKind, held.risk),), held.url)
