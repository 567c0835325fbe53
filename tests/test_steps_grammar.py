"""What plain-English steps mean."""

from __future__ import annotations

import pytest

from cdp_agent.steps.language.grammar import read_step
from cdp_agent.steps.language.intents import (
    AnswerDialog,
    Check,
    Click,
    Drag,
    FirstOf,
    Go,
    Intent,
    Look,
    Open,
    Point,
    Press,
    Reference,
    Scroll,
    Select,
    Set,
    Target,
    Type,
    Upload,
    UseTab,
    Wait,
)
from tests.tables import table

SEARCH_FIELD = (Target("search", kind="field"),)
MEANT: list[tuple[str, Intent]] = [
    ("Open https://example.com/x?y=1", Open("https://example.com/x?y=1")),
    ("Go to example.com", Open("example.com")),
    ("Open YouTube.com", Open("YouTube.com")),
    ("Navigate to the website localhost:8000/a", Open("localhost:8000/a")),
    ("Open a new tab with Google.com", Open("Google.com", new_tab=True)),
    ("Open example.com in a new tab", Open("example.com", new_tab=True)),
    ("Open the URL shown in the previous step", Open(Reference("url"))),
    ("Open the address shown in step 2", Open(Reference("url", 2))),
    ("Open the first link found in step 2", Open(Reference("url", 2, 1))),
    ("Open the Last search result from step 1", Open(Reference("url", 1, -1))),
    ("Go back", Go("back")),
    ("Open about:blank without saving", Open("about:blank", leave=True)),
    ("Go to example.com, discarding my changes", Open("example.com", leave=True)),
    ("Go back and lose the unsaved input", Go("back", leave=True)),
    ("Reload the page, but leave anyway", Go("reload", leave=True)),
    ("Close the current tab without saving the changes", UseTab("close", leave=True)),
    ("Accept the dialog", AnswerDialog("accept")),
    ("Accept the confirmation dialog", AnswerDialog("accept")),
    ("Answer the prompt with 'Ada Lovelace'", AnswerDialog("accept", "Ada Lovelace")),
    ("Dismiss the alert", AnswerDialog("dismiss", otherwise=Click((Target("alert"),), to="close"))),
    ("Close the dialog", AnswerDialog("dismiss", otherwise=Click((Target(kind="dialog"),), to="close"))),
    ("Reload the page", Go("reload")),
    ("Open a new tab", UseTab("open")),
    ("Close the current tab", UseTab("close")),
    ("Switch to tab 2", UseTab("switch", "2")),
    ("Switch to the second tab", UseTab("switch", "2")),
    ("Use the tab ID from step 1", UseTab("switch", Reference("tab", 1))),
    ("Type 'cats' into the search box", Type("cats", SEARCH_FIELD)),
    ("Type 'cats' in the search box", Type("cats", SEARCH_FIELD)),
    ("1. Then, please type “cats and dogs” into the search field.", Type("cats and dogs", SEARCH_FIELD)),
    ("Search for 'cats'", Type("cats", SEARCH_FIELD, submit=True)),
    ("Enter 'ada' in User name and press Enter", Type("ada", (Target("User name", kind="field"),), submit=True)),
    ("Type hello world into Message", Type("hello world", (Target("Message", kind="field"),))),
    ("Fill in the Email field with 'a@b.c'", Type("a@b.c", (Target("Email", kind="field"),))),
    ("Fill in the Email box field with 'a@b.c'", Type("a@b.c", (Target("Email", kind="field"),))),
    ("Append ' and dogs' to Notes", Type("and dogs", (Target("Notes", kind="field"),), append=True)),
    ("Clear the search box", Type("", SEARCH_FIELD)),
    ("Type 'don't panic'", Type("don't panic")),
    ("Type the address shown in step 2 into the search box", Type(Reference("url", 2), SEARCH_FIELD)),
    ("Select Oslo in City", Select("Oslo", (Target("City", kind="list"),))),
    ("Select 'Oslo' from the City dropdown", Select("Oslo", (Target("City", kind="list"),))),
    ("Choose option 2 from the Size list", Select("1", (Target("Size", kind="list"),), by="index")),
    ("Type 'x' into New todo", Type("x", (Target("New todo", kind="field"),))),
    ("Type 'x' into the message", Type("x", (Target("message", kind="field"),))),
    ("Type 'x' into the Post title field", Type("x", (Target("Post title", kind="field"),))),
    ("Set Quantity to 3", Set((Target("Quantity"),), "3")),
    ("Choose the 'Express' radio button", Check((Target("Express", quoted=True, kind="radio"),))),
    ("Tick 'Remember me'", Check((Target("Remember me", quoted=True),))),
    ("Uncheck Remember me", Check((Target("Remember me"),), on=False)),
    ("Press Enter", Press("Enter")),
    ("Press the Enter key", Press("Enter", is_key=True)),
    ("Press Ctrl+A", Press("Ctrl+A", is_key=True)),
    ("Press Tab twice", Press("Tab", repeat=2)),
    ("Press the Save button", Click((Target("Save", kind="button"),))),
    ("Click Save", Click((Target("Save"),))),
    ("Click on the search input box", Click(SEARCH_FIELD)),
    ("Click the button labeled 'OK'", Click((Target("OK", quoted=True, kind="button"),))),
    ("Double-click the 'Ada' row", Click((Target("Ada", quoted=True, kind="row"),), "double")),
    ("Right-click the logo image", Click((Target("logo", kind="image"), Target("logo image")), "right")),
    ("Click New message", Click((Target("New message"), Target("New", kind="item")))),
    ("Hover over Products", Point("hover", (Target("Products"),))),
    ("Drag 'A' onto 'B'", Drag((Target("A", quoted=True),), (Target("B", quoted=True),))),
    ("Upload 'cv.pdf'", Upload("cv.pdf")),
    ("Scroll down", Scroll("down")),
    ("Scroll down 300 pixels", Scroll("down", pixels=300)),
    ("Scroll up half a page", Scroll("up", pages=0.5)),
    ("Scroll to the bottom of the page", Scroll("bottom")),
    ("Scroll to 'Terms'", Scroll("into_view", (Target("Terms", quoted=True),))),
    ("Wait 2 seconds", Wait(seconds=2.0)),
    ("Wait until 'Welcome' appears", Wait(text="Welcome")),
    ("Wait for 'Loading' to disappear", Wait(gone="Loading")),
    ("Wait for the page to load", Wait(idle=True)),
    ("Wait until the address contains '/done'", Wait(url="/done")),
    ("Verify that 'Saved' is shown", Wait(text="Saved")),
    ("Check that 'Saved' is shown", Wait(text="Saved")),
    ("Check 'I accept the terms'", Check((Target("I accept the terms", quoted=True),))),
    ("Take a screenshot", Look("screenshot")),
    ("Get the page schema", Look("get_schema")),
    ("Search this page for 'refund'", Look("search_page", "refund")),
    ("Click the search button or press Enter", FirstOf((Click((Target("search", kind="button"),)), Press("Enter")))),
]


@table(("step", "intent"), MEANT)
def test_a_step_means_one_act(step: str, intent: Intent) -> None:
    assert read_step(step) == intent


@table("step", ["Sign in", "Extract the prices of all phones", "Do what is needed", "", "Buy it"])
def test_a_step_in_other_words_means_nothing(step: str) -> None:
    assert read_step(step) is None


@pytest.mark.parametrize(
    "step",
    [
        "In A, " * 2000 + "click x",
        "In A, " * 100 + "click x",
        "wait up to 3 s " * 2000,
        "Click " + "in the " * 2000,
    ],
    ids=["places", "fewer places", "times", "words"],
)
def test_what_goes_on_and_on_means_nothing(step: str) -> None:
    assert read_step(step) is None


def test_two_places_may_stand_before_the_act() -> None:
    assert isinstance(read_step("In the Payment frame, in the row of Ada, click Pay"), Click)


def test_the_place_of_an_element_may_belong_to_its_name() -> None:
    intent = read_step("Click Log in to your account")

    assert isinstance(intent, Click)
    assert intent.target == (
        Target("Log in to your account"),
        Target("Log", within=Target("to your account")),
    )


def test_an_element_may_be_told_by_what_stands_beside_it() -> None:
    intent = read_step("Check the checkbox next to 'Buy milk'")

    assert isinstance(intent, Check)
    assert intent.target[0] == Target(kind="checkbox", near="Buy milk")


def test_an_element_may_be_told_by_its_order_and_its_list() -> None:
    intent = read_step("Click the 3rd item in the 'Fruits' list")

    assert isinstance(intent, Click)
    assert intent.target[0] == Target(kind="item", order=3, within=Target("Fruits", quoted=True, kind="listing"))
