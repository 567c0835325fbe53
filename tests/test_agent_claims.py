"""What of an answer can be looked up is looked up."""

import pytest

from cdp_agent.agent.claims import Checked, Found, check, claims

SHOWN = """- heading "Enamel mug, blue" [level=1]
- paragraph: Price € 1,299.00, in stock since 4 March 2025
- link "Terms" [ref=E4] → https://shop.org/terms
Order FF-39718-Z is on its way"""


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("Nothing to see.", []),
        ("1. First\n2. Second", []),
        ("It costs **€ 1,299.00**, not 5.", ["1,299.00", "5"]),
        ('It is called "Enamel mug" and “FF-1”.', ["Enamel mug", "FF-1"]),
        ("See https://x.org/a?b=1. Then (https://x.org/2).", ["https://x.org/a?b=1", "https://x.org/2"]),
        ("Order FF-39718-Z, FF-39718-Z", ["FF-39718-Z"]),
    ],
)
def test_quotes_numbers_and_addresses_are_claims(answer: str, found: list[str]) -> None:
    assert claims(answer) == found


def test_each_claim_is_shown_with_its_line_or_is_missing() -> None:
    answer = 'Order FF-39718-Z: "Enamel mug, blue" for 1299 at https://shop.org/terms/, 17 left, "fragile".'

    assert check(answer, SHOWN) == Checked(
        [
            Found("FF-39718-Z", "Order FF-39718-Z is on its way"),
            Found("Enamel mug, blue", '- heading "Enamel mug, blue" [level=1]'),
            Found("1299", ""),
            Found("https://shop.org/terms/", ""),
        ],
        ["17", "fragile"],
    )


def test_data_is_checked_leaf_by_leaf() -> None:
    checked = check({"order": "FF-39718-Z", "price": 1299, "left": 17}, SHOWN)

    assert checked.missing == ["$.left: 17"]
    assert Found("FF-39718-Z", "Order FF-39718-Z is on its way") in checked.found
