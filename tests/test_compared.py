"""What a receipt says of two readings: without a browser."""

from __future__ import annotations

import pytest

from cdp_agent.page.receipts.budget import REST
from cdp_agent.page.receipts.compared import (
    caused_by_page,
    changed_meanwhile,
    compare,
    is_field_focused,
    transient_texts,
    uncovered,
)
from cdp_agent.page.receipts.effects import Causes
from cdp_agent.page.snapshot.snapshot import PassedText, Snapshot
from cdp_agent.page.tab.shown import LastShown
from tests.tables import table


def reading(text: str, title: str = "Shop", url: str = "https://shop.example/") -> Snapshot:
    return Snapshot(text=text, url=url, title=title, omitted=[], frame_urls={})


CAUSES = {
    "only what changes by itself": (Causes(page=2), "- paragraph: a", "- paragraph: b", True),
    "also something else": (Causes(page=2, unknown=1), "- paragraph: a", "- paragraph: b", False),
    "a number, some time later": (Causes(unknown=1), "- paragraph: 12:00", "- paragraph: 12:01", True),
    "a number and the focus": (Causes(unknown=1), "- link: 1", "- link [focused]: 2", True),
    "a number at once": (Causes(action=1), "- paragraph: 1", "- paragraph: 2", False),
    "a number that nobody saw change": (Causes(), "- paragraph: 1", "- paragraph: 2", False),
    "a number of what changes by itself, at once": (Causes(page=1), "- p: 1", "- p: 2", True),
}


@table(("causes", "before", "after", "is_own"), CAUSES)
def test_a_change_is_the_page_s_own(causes: Causes, before: str, after: str, is_own: bool) -> None:
    assert caused_by_page(causes, reading(before), reading(after))[0] is is_own


def test_who_caused_a_change_is_told_with_the_reason() -> None:
    one, two = reading("- paragraph: 1"), reading("- paragraph: 2")
    reasons = [caused_by_page(causes, one, two) for causes in (Causes(page=1), Causes(unknown=1), Causes(action=1))]

    assert reasons == [
        (True, "all of it changed by itself before"),
        (True, "only numbers differ, and not at once, as with a clock"),
        (False, "something changed right after the input, or where nothing had changed before"),
    ]


def test_an_effect_that_a_changed_line_tells_is_not_told_twice() -> None:
    order = '~ - row "Di": now first row; 4 of 4 moved'
    effects = ['~ b: now "Bergen"', '~ b: now "Oslo"', order]

    lines = ['~ - row "P1" (now Bergen, before Oslo)', '~ - grid: first row is now "Di" (4 rows moved)']

    assert uncovered(lines, effects) == ['~ b: now "Oslo"']
    assert uncovered([], effects) == effects


def test_the_title_is_compared_too() -> None:
    changed, _ = compare(reading("- link", "One"), reading("- link", "Two"), {}, focuses=False)

    assert changed == ['~ title: "One" → "Two"']


@pytest.mark.parametrize(
    ("url", "is_whole"),
    [
        ("https://shop.example/#/cart", True),
        ("https://shop.example/cart", True),
        ("https://shop.example/?page=2", False),
    ],
)
def test_of_another_view_of_an_application_more_is_told(url: str, is_whole: bool) -> None:
    old, new = ("\n".join(f"- link [ref=E{at}]: {word} {at}" for at in range(60)) for word in ("Tea", "Milk"))

    changed, _ = compare(reading(old), reading(new.replace("=E", "=E9"), url=url), {}, focuses=False)

    assert (changed[-1] != REST) is is_whole


@pytest.mark.parametrize(
    ("focuses", "focus"), [(False, None), (True, 'textbox "Name" [ref=E1]')], ids=["filling", "focusing"]
)
def test_the_focus_on_what_was_acted_on_is_told_only_if_that_was_the_act(focuses: bool, focus: str | None) -> None:
    before, after = reading('- textbox "Name" [ref=E1]'), reading('- textbox "Name" [focused] [ref=E1]')

    assert compare(before, after, {"E1": None}, focuses=focuses)[1] == focus


def test_a_focus_that_is_gone_is_told() -> None:
    assert compare(reading("- link [focused] [ref=E1]"), reading("- main"), {}, focuses=False)[1] == ""


def test_what_changed_before_an_act_is_told_without_what_changed_again() -> None:
    shown = LastShown(1, "- status: a\n- paragraph: 1")
    before = reading("- status: b\n- paragraph: 2")

    lines = changed_meanwhile(shown, 1, before, ["~ - paragraph (now 3, before 2)"])

    assert lines == ["~ - status (now b, before a)"]


def test_a_page_that_went_elsewhere_before_an_act_is_named() -> None:
    lines = changed_meanwhile(LastShown(1, "- link"), 2, reading("- link"), [])

    assert lines == ['~ the page went to https://shop.example/ "Shop": snapshot it']


def test_texts_that_came_and_went_are_in_no_reading_and_in_no_list_that_was_chosen_from() -> None:
    passed = [PassedText(text, 0, 1) for text in ("Sent | Wait", "Saved", "Red | Green")]

    assert transient_texts(passed, "", "- paragraph: Saved", ["Red"], []) == ["~ came and went: Sent | Wait"]


def test_of_texts_that_took_the_place_of_another_only_the_last_is_told() -> None:
    passed = [PassedText("Saving", 0, 1, next="Saved"), PassedText("Sent", 0, 1, next="Ready | Steady")]
    before = "- status: Ready\n- paragraph: Steady"

    assert transient_texts(passed, before, "- status: Saved", [], []) == ["~ came and went: Sent"]


def test_that_something_was_under_way_is_told_where_nothing_came_of_it() -> None:
    passed = [PassedText("Saving…", 0, 1, busy=True)]

    assert transient_texts(passed, "", "", [], []) == ["~ came and went: Saving…"]
    assert transient_texts(passed, "", "", [], ["+ - row"]) == []


@pytest.mark.parametrize(
    ("before", "after", "is_focused"),
    [
        ("- textbox [ref=E1]", "- textbox [focused] [ref=E1]", True),
        ("- textbox [focused] [ref=E1]", "- textbox [focused] [ref=E1]", False),
        ("- link [ref=E1]", "- link [focused] [ref=E1]", False),
        ("- textbox [ref=E2]", "- textbox [focused] [ref=E2]", False),
    ],
    ids=["now", "before, too", "no field", "another one"],
)
def test_a_field_has_the_focus_now(before: str, after: str, is_focused: bool) -> None:
    assert is_field_focused(reading(before), reading(after), "E1") is is_focused
