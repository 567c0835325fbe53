"""What call each kind of step is, and what it takes from the steps before it."""

from __future__ import annotations

import pytest

from cdp_agent.steps.language.intents import Reference
from cdp_agent.steps.resolve.call import Output, resolve_reference
from cdp_agent.steps.resolve.resolve import Unclear

from .outlines import done
from .tables import table

FORM = """
    - textbox "Email" [ref=E1]
    - textbox "Notes" [focused] [ref=E2]: old
    - combobox "City" [ref=E3]: Rome
      - option "Rome" [selected]
      - option "Oslo"
      - option "Old Oslo"
    - combobox "Size" [ref=E4]: S
      - options: S | M | L | XL
    - slider "Volume" [min=0] [max=10] [ref=E5]: 3
    - checkbox "Newsletter" [checked] [ref=E6]
    - button "CV" [type=file] [ref=E7]
    - listitem "Box" [ref=E8]
    - region "Cart" [ref=E9]
    - tab "Details" [ref=E10]
    - button "Enter" [ref=E11]
    - textbox "Born" [type=date] [ref=E12]
    """
CALLS = [
    ("Open shop.test", "goto shop.test"),
    ("Open shop.test in a new tab", "manage_tabs open shop.test"),
    ("Go back", "back"),
    ("Switch to the Details tab", "click E10"),
    ("Click City", "click E3"),
    ("Choose Newsletter", "check E6"),
    ("Uncheck Newsletter", "uncheck E6"),
    ("Set Newsletter to off", "uncheck E6"),
    ("Type 'a@b.test' into Email", "fill E1 a@b.test"),
    ("Type 'new' and press Enter", "fill E2 new True"),
    ("Append ' more' to Notes", "fill E2 more True"),
    ("Clear Email", "fill E1 "),
    ("Set Volume to 7", "fill E5 7"),
    ("Set Born to 2001-02-03", "fill E12 2001-02-03"),
    ("Select Oslo in City", "select E3 Oslo"),
    ("Choose Oslo", "select E3 Oslo"),
    ("Set City to Oslo", "select E3 Oslo"),
    ("Choose option 2 from the Size list", "select E4 1 index"),
    ("Choose the last option from the Size list", "select E4 3 index"),
    ("Press the Enter key", "press Enter"),
    ("Press Ctrl+A in Email", "press Ctrl+A E1"),
    ("Hover over Cart", "hover E9"),
    ("Focus Email", "focus E1"),
    ("Drag Box onto Cart", "drag E8 E9"),
    ("Upload cv.pdf", "upload E7 ['cv.pdf']"),
    ("Scroll down 300 pixels in Cart", "scroll E9 down 300"),
    ("Scroll to Cart", "scroll E9 into_view"),
    ("Wait 2 seconds", "wait 2.0"),
    ("Wait 1 minute", "wait 60.0"),
    ("Wait up to 60 seconds until 'Done' appears", "wait_for Done 60.0"),
    ("Verify that 'Done' is not shown", "wait_for Done"),
    ("Search this page for 'refund'", "search_page refund"),
    ("Click the Buy button or press Escape", "press Escape"),
]
REFUSED = [
    ("Select Paris in City", 'combobox "City": "Rome" (E3) has no options \'Paris\': Rome, Oslo, Old Oslo.'),
    ("Set Newsletter to maybe", "checkbox \"Newsletter\" (E6) is on or off, not 'maybe'."),
    ("Switch to the Orders tab", "No tabs are 'Orders'. Those there are: ."),
    (
        "Wait 5 minutes",
        "A step waits 120 seconds at most. Say what it waits for, such as \"Wait up to 120 seconds until 'Done' "
        'appears", or write several such steps.',
    ),
]


@table(("step", "call"), CALLS)
def test_a_step_is_one_call(step: str, call: str) -> None:
    assert done(step, FORM) == call


@pytest.mark.parametrize(("step", "why"), REFUSED, ids=[step for step, _ in REFUSED])
def test_arguments_in_doubt_are_refused(step: str, why: str) -> None:
    assert done(step, FORM) == why


FOUND = Output(2, "snapshot", '- link "A" → https://a.test/x\n- link "B" → https://b.test/y.', url="https://s.test/")
READ = Output(3, "extract", "42", {"value": "forty-two"}, "https://s.test/page")


@pytest.mark.parametrize(
    ("result", "value"),
    [
        (Reference("url", 2, 1), "https://a.test/x"),
        (Reference("url", 2, -1), "https://b.test/y"),
        (Reference("url", 3), "https://s.test/page"),
        (Reference("text"), "forty-two"),
        ("as it is", "as it is"),
    ],
    ids=["first", "last", "where one is", "what was read", "no reference"],
)
def test_what_a_step_gave_is_taken(result: str | Reference, value: str) -> None:
    assert resolve_reference(result, [FOUND, READ]) == value


EVIL = "https://evil.test/x"


@table(
    "output",
    [
        Output(1, "search_web", f"1. {EVIL}\n   https://a.test/", {"results": [{"url": "https://a.test/"}]}),
        Output(1, "snapshot", f'- text: "→ {EVIL} "\n- link "{EVIL}" → /', url="https://a.test/b"),
        Output(
            1, "find_elements", EVIL, {"elements": [{"attributes": {"href": "https://a.test/", "id": f"see {EVIL}"}}]}
        ),
        Output(1, "manage_tabs", EVIL, {"tabs": [{"url": "https://a.test/"}]}),
        Output(1, "click", f'clicked E1 link "{EVIL}"', {"navigated_to": "https://a.test/", "new_tabs": []}),
    ],
)
def test_words_that_look_like_an_address_are_none_that_a_step_gave(output: Output) -> None:
    assert resolve_reference(Reference("url", 1, 1), [output]) == "https://a.test/"


@pytest.mark.parametrize(
    ("result", "why"),
    [
        (Reference("url", 2), "Step 2 gave 2 addresses: https://a.test/x, https://b.test/y"),
        (Reference("url", 2, 3), "Step 2 gave only 2 addresses"),
        (Reference("text", 7), "Step 7 gave nothing"),
        (Reference("tab", 2), "Step 2 gave no tabs"),
    ],
    ids=["several", "too few", "no such step", "no tab"],
)
def test_what_a_step_may_have_given_is_not_guessed(result: Reference, why: str) -> None:
    assert resolve_reference(result, [FOUND, READ]) == Unclear(why)
