"""What a command leaves out of a page and of a receipt, since whoever reads it knows that already."""

from __future__ import annotations

import pytest

from cdp_agent.cli.printed import brief
from cdp_agent.page.receipts.receipts import FilledField, Receipt
from cdp_agent.page.snapshot.shown_pages import ShownPages
from cdp_agent.page.snapshot.snapshot import MarkedReading, Snapshot
from cdp_agent.tools.base import Arguments
from cdp_agent.tools.input import (
    CheckArguments,
    ClickArguments,
    FieldValue,
    FillArguments,
    FormArguments,
    SelectArguments,
)

SITE = "https://shop.example"
HEADER = """- banner:
  - link "Shop" [ref=E{0}] → /
  - searchbox "Search products" [ref=E{1}]{2}
  - link "Cart ({3})" [ref=E{4}] → /cart"""
FOOTER = "- contentinfo: Nothing here is sold, and nothing is ever sent to anybody at all."
NOTE = "({} lines as before: cdp-agent snapshot)"


def page(text: str, url: str = SITE) -> Snapshot:
    return Snapshot(text, url, "", [], {})


def after(printed: ShownPages, text: str, url: str = SITE, budget_tokens: int = 2_000) -> tuple[str, dict[str, str]]:
    reading = MarkedReading(page(text, url), [f".{line}" for line in text.split("\n")], [], [])
    return printed.next_page(reading, budget_tokens)[:2]


def header(first: int, *, cart: int = 0, search: str = "") -> str:
    return HEADER.format(first, first + 1, search, cart, first + 2)


def test_a_header_and_a_footer_are_printed_once() -> None:
    printed = ShownPages()
    printed.note_whole_page(page(f"{header(1)}\n- main: One\n{FOOTER}"))

    second = after(printed, f"{header(4)}\n- main: Two\n{FOOTER}")
    third = after(printed, f"{header(7)}\n- main: Three\n{FOOTER}")

    assert second == (f"- main: Two\n{NOTE.format(5)}", {"E1": "E4", "E2": "E5", "E3": "E6"})
    assert third == (f"- main: Three\n{NOTE.format(5)}", {"E1": "E7", "E2": "E8", "E3": "E9"})


def test_a_line_that_changed_is_printed_where_it_stands_and_its_ref_holds_next_time() -> None:
    printed = ShownPages()
    printed.note_whole_page(page(f"{header(1)}\n- main: One\n{FOOTER}"))

    second = after(printed, f"{header(4, cart=2)}\n- main: Two\n{FOOTER}")
    third = after(printed, f"{header(7, cart=2)}\n- main: Three\n{FOOTER}")

    assert second == (
        f'- banner:\n  - link "Cart (2)" [ref=E6] → /cart\n- main: Two\n{NOTE.format(3)}',
        {"E1": "E4", "E2": "E5"},
    )
    assert third == (f"- main: Three\n{NOTE.format(5)}", {"E1": "E7", "E2": "E8", "E6": "E9"})


@pytest.mark.parametrize(
    ("text", "url"),
    [
        (f"{header(4)}\n- main: Two", "https://other.example"),
        (f"{header(4)}\n- main: Two", "about:blank"),
        (f'- iframe "Ad" [ref=E3]:\n  {header(4).replace(chr(10), chr(10) + "  ")}', SITE),
        (f"{header(4)}\n{header(7)}\n- main: Two", SITE),
        ("- main: Two", SITE),
    ],
    ids=["another site", "no site", "in a frame", "twice", "none"],
)
def test_what_is_not_certain_is_printed(text: str, url: str) -> None:
    printed = ShownPages()
    printed.note_whole_page(page(f"{header(1)}\n- main: One"))

    assert after(printed, text, url) == (text, {})


def test_a_line_that_a_receipt_told_a_change_of_is_printed_again() -> None:
    printed = ShownPages()
    printed.note_whole_page(page(f"{header(1)}\n- main: One\n{FOOTER}"))
    printed.forget_changed(f"{header(1, cart=1)}\n- main: One\n{FOOTER}", None)

    told = after(printed, f"{header(4)}\n- main: Two\n{FOOTER}")

    cart = '- banner:\n  - link "Cart (0)" [ref=E6] → /cart'
    assert told == (f"{cart}\n- main: Two\n{NOTE.format(3)}", {"E1": "E4", "E2": "E5"})


def test_a_list_in_another_order_is_printed() -> None:
    names = [f"- text: Book {number}" for number in range(9)]
    printed = ShownPages()
    printed.note_whole_page(page("\n".join(['- heading "By title"', *names])))
    sorted_anew = "\n".join(['- heading "By age"', *reversed(names)])

    assert after(printed, sorted_anew) == (sorted_anew, {})


def test_what_was_acted_on_is_printed_again() -> None:
    printed = ShownPages()
    printed.note_whole_page(page(f"{header(1)}\n- main: One\n{FOOTER}"))
    printed.forget_changed(f"{header(1)}\n- main: One\n{FOOTER}", "E2")

    text, refs = after(printed, f"{header(4)}\n- main: Two\n{FOOTER}")

    field = '- banner:\n  - searchbox "Search products" [ref=E5]'
    assert (text, refs) == (f"{field}\n- main: Two\n{NOTE.format(3)}", {"E1": "E4", "E3": "E6"})


MENU = [f'- link "Section {number}" [ref=E{number}] → /{number}' for number in range(1, 31)]


def menu(first: int, present: int = 0) -> str:
    """A menu that no landmark names, with the present section marked."""
    links = [line.replace(f"[ref=E{at}]", f"[ref=E{at + first}]") for at, line in enumerate(MENU, 1)]
    if present:
        links[present] = links[present].replace(" [ref", " [current=page] [ref")
    return "\n".join(["- list:", *(f"  {link}" for link in links)])


TABLE = "- table:\n" + "\n".join(f"  - row: Order {number} | paid" for number in range(25))


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        (
            f'{menu(0)}\n- heading "One"',
            f'{menu(40)}\n- heading "Two"',
            f'- heading "Two"\n{NOTE.format(31)}',
        ),
        (
            f'{menu(0)}\n- heading "One"',
            f'{menu(40)}\n- heading "Two"\n- list:\n  - listitem: New',
            f'- heading "Two"\n- list:\n  - listitem: New\n{NOTE.format(31)}',
        ),
        (
            f'- heading "One"\n{menu(0)}',
            f'- heading "Two"\n{menu(40)}',
            f'- heading "Two"\n{NOTE.format(31)}',
        ),
        (
            f"{menu(0, 3)}\n{TABLE}",
            f"{menu(40)}\n{TABLE}",
            f'- list:\n  - link "Section 4" [ref=E44] → /4\n{TABLE}\n{NOTE.format(29)}',
        ),
        (
            f"- main:\n  {menu(0).replace(chr(10), chr(10) + '  ')}",
            *[f"- main:\n  {menu(40).replace(chr(10), chr(10) + '  ')}"] * 2,
        ),
        (f"{TABLE}\n- text: a\n- text: b\n- text: 1", *[f"{TABLE}\n- text: a\n- text: b\n- text: 2"] * 2),
        ("- text: a\n- text: b\n- text: c\n- text: d", *["- text: a\n- text: b\n- text: c\n- text: d"] * 2),
    ],
    ids=[
        "above",
        "above, and another list",
        "below",
        "another present section",
        "in the content",
        "too few",
        "the same page",
    ],
)
def test_a_menu_that_no_landmark_names_is_printed_once(first: str, second: str, told: str) -> None:
    printed = ShownPages()
    printed.note_whole_page(page(first))

    assert after(printed, second)[0] == told


def test_what_was_printed_before_takes_nothing_of_the_budget() -> None:
    printed = ShownPages()
    printed.note_whole_page(page(f"{menu(0)}\n- text: One"))

    text, refs = after(printed, f"{menu(40)}\n{TABLE}", budget_tokens=400)

    assert text.count("- row: ") == 25
    assert refs["E30"] == "E70"


def test_what_the_budget_cut_off_was_not_printed() -> None:
    printed = ShownPages()
    printed.note_whole_page(page("- text: One"))
    cut, _ = after(
        printed,
        f"- main:\n  - text: Two\n- navigation:\n  {menu(0).replace(chr(10), chr(10) + '  ')}",
        budget_tokens=300,
    )

    told, _ = after(printed, f"- main:\n  - text: Three\n- navigation:\n  {menu(40).replace(chr(10), chr(10) + '  ')}")

    shown = cut.count("- link ")
    assert 3 < shown < 28
    assert told.count("- link ") == 30 - shown


TICKED = ['~ - radio "Card" [ref=E1] (no longer [checked])', '~ - radio "Invoice" [ref=E2] (now [checked])']


@pytest.mark.parametrize(
    ("receipt", "arguments", "told"),
    [
        (
            Receipt(action="fill", ref="E2", target='textbox "City"', value="Oslo"),
            FillArguments("E2", "Oslo"),
            'filled E2 textbox "City"',
        ),
        (
            Receipt(action="fill", ref="E2", target='textbox "City"', value="OSLO"),
            FillArguments("E2", "Oslo"),
            'filled E2 textbox "City"\nvalue: "OSLO"',
        ),
        (
            Receipt(action="fill", ref="E2", value="tea", note="Enter was pressed", navigated_to=f"{SITE}/s?q=tea"),
            FillArguments("E2", "tea", submit=True),
            "filled E2\nnavigated to /s?q=tea",
        ),
        (
            Receipt(action="fill", ref="E2", value="a\nb", note='button "Save" was clicked', navigated_to=f"{SITE}/s"),
            FillArguments("E2", "a\nb", submit=True),
            'filled E2\n(button "Save" was clicked)\nnavigated to /s',
        ),
        (
            Receipt(action="fill", ref="E2", value="tea", note="the page changed it since"),
            FillArguments("E2", "tea"),
            'filled E2\n(the page changed it since)\nvalue: "tea"',
        ),
        (
            Receipt(action="select", ref="E2", value="Oslo", changed=["+ - text: Post"]),
            SelectArguments("E2", "Oslo"),
            "selected in E2\nchanged:\n  + - text: Post",
        ),
        (
            Receipt(action="select", ref="E2", value="Oslo"),
            SelectArguments("E2", "0", by="index"),
            'selected in E2\nvalue: "Oslo"',
        ),
        (
            Receipt(action="check", ref="E2", changed=TICKED),
            CheckArguments("E2"),
            f"checked E2\nchanged:\n  {TICKED[0]}",
        ),
        (
            Receipt(
                action="fill",
                detail="5 fields",
                fields=[
                    FilledField("E2", 'textbox "City"', "Oslo"),
                    FilledField("E3", 'textbox "Code"', "NO"),
                    FilledField("E4", 'textbox "Key"', None, "filled, 7 characters"),
                    FilledField("E5", 'checkbox "Terms"'),
                    FilledField("E6", 'checkbox "News"', None, "it was checked before"),
                ],
                changed=['~ - checkbox "Terms" [ref=E5] (now [checked])', "+ - text: Post"],
            ),
            FormArguments(
                [FieldValue(f"E{n}", each) for n, each in enumerate(["Oslo", "no", "hunter2", "on", "on"], 2)]
            ),
            'filled 5 fields\nE3 textbox "Code": "NO"\nE4 textbox "Key" (filled, 7 characters)\n'
            'E6 checkbox "News" (it was checked before)\nchanged:\n  + - text: Post',
        ),
        (
            Receipt(action="click", ref="E2", navigated_to="https://other.example/", title="Other"),
            ClickArguments("E2"),
            'clicked E2\nnavigated to https://other.example/ "Other"',
        ),
    ],
    ids=[
        "a value",
        "another value",
        "a submission",
        "a submission by a button",
        "a note",
        "an option",
        "other options",
        "a box",
        "a form",
        "another site",
    ],
)
def test_a_receipt_tells_what_is_not_known(receipt: Receipt, arguments: Arguments, told: str) -> None:
    assert brief(receipt, arguments, f"{SITE}/before") == told
