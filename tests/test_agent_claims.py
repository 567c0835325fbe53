"""What of an answer can be looked up is looked up."""

import pytest

from cdp_agent.agent.judge.claims import Checked, FoundClaim, check
from cdp_agent.extract.claims import claims
from tests.tables import table

SHOWN = """Address: https://shop.org/mugs/1
- heading "Enamel mug, blue" [level=1]
- paragraph: Price € 1,299.00, in stock since 4 March 2025
- link "Terms" [ref=E4] → https://shop.org/terms
Order FF-39718-Z is on its way"""

URL = "https://shop.org/mugs/1"


@table(
    ("answer", "found"),
    [
        ("Nothing to see.", []),
        ("1. First\n2. Second", []),
        ("It costs **€ 1,299.00**, not 5.", ["€ 1,299.00", "5"]),
        (
            "Due Nov 22nd, 2026 at 2:30 PM, 5–10 kg, call +47 22 33 44 55.",
            ["Nov 22nd, 2026", "2:30 PM", "5–10 kg", "+47 22 33 44 55"],
        ),
        ('It is called "Enamel mug" and “FF-1”.', ["Enamel mug", "FF-1"]),
        ("See https://x.org/a?b=1. Then (https://x.org/2).", ["https://x.org/a?b=1", "https://x.org/2"]),
        ("Order FF-39718-Z, FF-39718-Z", ["FF-39718-Z"]),
    ],
)
def test_quotes_numbers_and_addresses_are_claims(answer: str, found: list[str]) -> None:
    assert [str(claim) for claim in claims(answer)] == found


def test_each_claim_is_shown_with_its_line_or_is_missing() -> None:
    answer = 'Order FF-39718-Z: "Enamel mug, blue" for 1299 at https://shop.org/terms/, 17 left, "fragile".'

    assert check(answer, SHOWN) == Checked(
        [
            FoundClaim("FF-39718-Z", "Order FF-39718-Z is on its way", URL),
            FoundClaim("Enamel mug, blue", '- heading "Enamel mug, blue"', URL),
            FoundClaim("1299", "- paragraph: Price € 1,299.00, in stock since 4 March 2025", URL),
            FoundClaim("https://shop.org/terms/", '- link "Terms" → https://shop.org/terms', URL),
        ],
        ["17", "fragile"],
    )


def test_data_is_checked_leaf_by_leaf() -> None:
    checked = check({"order": "FF-39718-Z", "price": 1299, "left": 17}, SHOWN)

    assert checked.missing == ["$.left: 17"]
    assert FoundClaim("FF-39718-Z", "Order FF-39718-Z is on its way", URL) in checked.found


@pytest.mark.parametrize(
    ("claim", "shown"),
    [
        ("137", '- button "Pay" [ref=E137]'),
        ("2", '- heading "Mugs" [level=2]'),
        ("3", "- link: Next → /mugs?page=%3Dlast"),
        ("777", '{"777": "mug"}'),
        ("12", "Version v12 of E12"),
    ],
    ids=["a ref", "a level", "an escape in an address", "a key of JSON", "a part of a name"],
)
def test_what_no_page_says_bears_nothing_out(claim: str, shown: str) -> None:
    assert check(claim, shown).missing == [claim]


def test_a_link_is_known_by_its_whole_address() -> None:
    shown = 'Address: https://shop.org/mugs/1\n- link "Next" → ../cups?page=2'

    assert check("See https://shop.org/cups?page=2.", shown).missing == []
    assert check("See https://shop.org/cups?page=3.", shown).missing == ["https://shop.org/cups?page=3"]


def test_what_the_schema_gives_to_choose_from_is_not_looked_for() -> None:
    schema = {"type": "object", "properties": {"state": {"enum": ["in_stock", "sold_out"]}}}

    assert check({"state": "in_stock"}, SHOWN, schema) == Checked([], [])


@pytest.mark.parametrize(("answer", "shown"), [("It is 2.0.1.", "- text: lib v2.0.1"), ("v2.0.1", "- text: lib 2.0.1")])
def test_a_version_is_one_with_and_without_its_letter(answer: str, shown: str) -> None:
    assert check(answer, shown).missing == []
    assert check(answer, shown.replace("2.0.1", "2.0.10")).missing != []


@pytest.mark.timeout(10)
@pytest.mark.parametrize("part", ["a://", "](", "漢字"])
def test_what_goes_on_without_end_is_read_once(part: str) -> None:
    """Reading on to the end from each of its places would take minutes to hours."""
    endless = part * 50_000

    assert claims(endless) == []
    assert check("Order FF-39718-Z", f"{SHOWN}\n{endless}").missing == []


def test_a_claim_may_stand_on_two_rows_of_a_text() -> None:
    shown = "- text:\n  | Your ticket to Emily\n  | Dickinson's house costs\n  |\n  | € 12 and\n- paragraph: more"

    assert check("Emily Dickinson's house costs € 12", shown).unsupported is None
    assert check("It is € 13 for Emily Brown", shown).missing == ["€ 13", "Emily Brown"]
