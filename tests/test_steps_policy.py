"""What rules say of acts, and how they are written."""

from __future__ import annotations

import pytest

from cdp_agent.errors import SetupError
from cdp_agent.steps.approval.policy import ALLOW_ALL, ASK, AUTO, Rule, Rules, Ruling, allowing, rules_from
from cdp_agent.steps.approval.risk import Risk
from tests.tables import table

SHOP = "https://shop.example/cart"
NONE, SUBMITS, BOTH = Risk((), SHOP), Risk(("submits",), SHOP), Risk(("submits", "pays"), SHOP)


def test_auto_asks_about_risks_alone() -> None:
    assert AUTO.ruling("click", NONE) == Ruling("allow", "it is no risk")
    assert AUTO.ruling("click", SUBMITS) == Ruling("ask", "it submits")


def test_ask_asks_about_everything_and_allow_all_about_nothing() -> None:
    assert ASK.ruling("click", NONE) == Ruling("ask", "every act is asked about")
    assert ALLOW_ALL.ruling("click", BOTH) == Ruling("allow", "allow")


def test_the_first_rule_that_is_about_it_counts() -> None:
    rules = rules_from(["deny tool=upload", "allow risk=submits origin=shop.example", "deny risk=submits", "ask"])

    assert rules.ruling("click", SUBMITS).why == "allow origin=shop.example risk=submits"
    assert rules.ruling("click", Risk(("submits",), "https://other.example/")).verdict == "deny"
    assert rules.ruling("upload", Risk(("uploads",), SHOP)).verdict == "deny"
    assert rules.ruling("fill_form", Risk(("uploads",), SHOP)).verdict == "deny"
    assert rules.ruling("click", NONE) == Ruling("ask", "ask")


def test_of_several_risks_the_strictest_counts() -> None:
    rules = rules_from(["allow risk=submits"])

    assert rules.ruling("click", BOTH) == Ruling("ask", "it pays")
    assert rules_from(["allow risk=submits", "deny risk=pays"]).ruling("click", BOTH).verdict == "deny"


def test_a_rule_for_acts_without_risk() -> None:
    assert rules_from(["deny tool=goto risk=none"]).ruling("goto", NONE).verdict == "deny"


@table(
    ("text", "problem"),
    [
        ("maybe", "not 'maybe'"),
        ("allow risk=theft", "'theft' is no risk"),
        ("allow origin=https://a.example/path", "is no origin"),
        ("allow when=now", "for 'when'"),
        ("allow tool=", "for 'tool'"),
    ],
)
def test_what_is_no_rule_is_told(text: str, problem: str) -> None:
    with pytest.raises(SetupError, match=problem):
        rules_from([text])


def test_what_would_allow_an_act_is_named_and_does_allow_it() -> None:
    named = allowing("click", BOTH)

    assert named == (
        '"allow tool=click origin=https://shop.example risk=submits", '
        '"allow tool=click origin=https://shop.example risk=pays"'
    )
    assert rules_from(named.strip('"').split('", "')).ruling("click", BOTH).verdict == "allow"


def test_rules_are_the_same_in_python() -> None:
    assert rules_from(["allow tool=click"]) == Rules((Rule("allow", tool="click"),))
