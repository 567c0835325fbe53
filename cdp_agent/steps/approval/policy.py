"""What is done without asking, what is asked about, and what is never done: rules by tool, origin and risk."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, get_args

import msgspec

from cdp_agent.decisions import Ask
from cdp_agent.errors import SetupError
from cdp_agent.page.policy.rules import pattern
from cdp_agent.security.origins import origin_of, scheme_of
from cdp_agent.steps.approval.risk import Risk
from cdp_agent.steps.approval.risky_words import RiskKind

Verdict = Literal["allow", "ask", "deny"]
_EFFECTS: tuple[RiskKind, ...] = ("submits", "pays", "sends", "deletes", "downloads", "confirms")
_FORM = 'such as "allow risk=submits origin=shop.example" or "deny tool=upload"'


class Rule(msgspec.Struct, frozen=True):
    """Allows, denies or asks about acts with this tool, at this origin, with this risk; "*" matches any.

    Origins are written as for `allow` and `deny` (see page/policy/rules.py). The risk "none" matches acts without a
    risk.
    """

    verdict: Verdict
    tool: str = "*"
    origin: str = "*"
    risk: RiskKind | Literal["none", "*"] = "*"

    def __post_init__(self) -> None:
        if self.verdict not in get_args(Verdict):
            raise SetupError(f"A rule says {', '.join(get_args(Verdict))}, not {self.verdict!r}: {_FORM}.")
        if self.risk not in (*get_args(RiskKind), "none", "*"):
            raise SetupError(f"{self.risk!r} is no risk: they are {', '.join(get_args(RiskKind))}, and none.")
        pattern(self.origin)

    def matches(self, tool: str, risk: str, url: str) -> bool:
        """Whether the rule applies to an act with this tool and this risk, at this address."""
        if self.tool not in ("*", tool) or self.risk not in ("*", risk):
            return False
        return self.origin == "*" or pattern(self.origin).matches(scheme_of(url), origin_of(url))

    def __str__(self) -> str:
        named = [f"{name}={value}" for name in ("tool", "origin", "risk") if (value := getattr(self, name)) != "*"]
        return " ".join([self.verdict, *named])


class Ruling(msgspec.Struct, frozen=True):
    """The verdict on an act, and the rule or the policy that it comes from."""

    verdict: Verdict
    why: str


class Rules(msgspec.Struct, frozen=True):
    """Rules in order. For each risk of an act the first matching rule applies; the strictest of these verdicts counts.

    If no rule matches: `otherwise` for an act without a risk, "ask" for all other acts.
    """

    rules: tuple[Rule, ...] = ()
    otherwise: Literal["allow", "ask"] = "allow"

    @property
    def may_hold(self) -> bool:
        """Whether a request, download or dialog that an act causes may have to be held, to ask about it or deny it."""

        def is_allowed(kind: RiskKind) -> bool:
            about = next((each for each in self.rules if each.risk in ("*", kind)), None)
            return about is not None and about == Rule("allow", risk=about.risk)

        return not all(is_allowed(kind) for kind in _EFFECTS)

    def ruling(self, tool: str, risk: Risk) -> Ruling:
        """The verdict of these rules on the act."""
        found = [self._about(tool, kind, risk.url) for kind in risk.kinds or ("none",)]
        return max(found, key=lambda each: get_args(Verdict).index(each.verdict))

    def _about(self, tool: str, kind: str, url: str) -> Ruling:
        tools = (tool, "upload") if kind == "uploads" else (tool,)  # a form that takes files is filled in by fill_form
        rule = next((each for each in self.rules if any(each.matches(name, kind, url) for name in tools)), None)
        if rule is not None:
            return Ruling(rule.verdict, str(rule))
        if kind == "none":
            return Ruling(self.otherwise, "every act is asked about" if self.otherwise == "ask" else "it is no risk")
        return Ruling("ask", "its tool does not declare what it sets off" if kind == "undeclared" else f"it {kind}")


class AllowedSites:
    """What somebody has allowed for a whole site, as long as a run or a session lasts."""

    def __init__(self) -> None:
        self._allowed: set[tuple[str, str]] = set()

    def allow(self, risk: Risk) -> None:
        """Allows acts and effects with these risks at this site."""
        self._allowed |= _at_site(risk)

    def ruling(self, rules: Rules, tool: str, risk: Risk) -> Ruling:
        """The verdict of the rules, where what they would ask about may have been allowed for its site."""
        ruling, here = rules.ruling(tool, risk), _at_site(risk)
        is_allowed = ruling.verdict == "ask" and bool(here) and here <= self._allowed
        return Ruling("allow", "it was allowed for this site") if is_allowed else ruling


def _at_site(risk: Risk) -> set[tuple[str, str]]:
    """Each risk with its origin; none where there is no origin."""
    origin = origin_of(risk.url)
    return set() if origin is None else {(str(origin), kind) for kind in risk.kinds or ("none",)}


ASK, AUTO = Rules(otherwise="ask"), Rules()
ALLOW_ALL = Rules((Rule("allow"),))
"""For given steps: whoever wrote them has approved them."""
Approve = Literal["ask", "auto"] | Rules | Callable[[Ask], object]
"""What needs approval; see `AgentOptions.approve`."""


def rules_from(texts: Iterable[str], otherwise: Literal["allow", "ask"] = "allow") -> Rules:
    """Parses rules as written on the command line: "deny tool=click risk=pays origin=*". Raises SetupError."""
    return Rules(tuple(map(_read, texts)), otherwise)


def _read(text: str) -> Rule:
    verdict, *rest = text.split()
    given = dict(word.partition("=")[::2] for word in rest)
    if unknown := [name for name, value in given.items() if name not in ("tool", "origin", "risk") or not value]:
        raise SetupError(f"{text!r} is no rule, for {unknown[0]!r}: write it {_FORM}.")
    return Rule(verdict, **given)  # type: ignore[arg-type]  # Rule checks the values


def allowing(tool: str, risk: Risk) -> str:
    """The narrowest rules that would allow the act, as text: one for each risk."""
    origin = origin_of(risk.url)
    where = {"origin": str(origin)} if origin is not None else {}
    return ", ".join(f'"{Rule("allow", tool=tool, risk=kind, **where)}"' for kind in risk.kinds or ("none",))
