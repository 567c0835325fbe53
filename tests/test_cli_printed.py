"""What a command leaves out of a page and of a receipt, since whoever reads it knows that already."""

from __future__ import annotations

import pytest

from cdp_agent.cli.printed import PrintedPages, brief
from cdp_agent.page.receipts.receipts import FilledField, Receipt
from cdp_agent.page.snapshot.snapshot import Snapshot
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


def header(first: int, *, cart: int = 0, search: str = "") -> str:
    return HEADER.format(first, first + 1, search, cart, first + 2)


def test_a_header_and_a_footer_are_printed_once() -> None:
    printed = PrintedPages()
    printed.note_whole_page(page(f"{header(1)}\n- main: One\n{FOOTER}"))

    second = printed.without_repeated(page(f"{header(4)}\n- main: Two\n{FOOTER}"))
    third = printed.without_repeated(page(f"{header(7)}\n- main: Three\n{FOOTER}"))

    assert second == (f"- main: Two\n{NOTE.format(5)}", {"E1": "E4", "E2": "E5", "E3": "E6"})
    assert third == (f"- main: Three\n{NOTE.format(5)}", {"E1": "E7", "E2": "E8", "E3": "E9"})


def test_a_line_that_changed_is_printed_where_it_stands_and_its_ref_holds_next_time() -> None:
    printed = PrintedPages()
    printed.note_whole_page(page(f"{header(1)}\n- main: One\n{FOOTER}"))

    second = printed.without_repeated(page(f"{header(4, cart=2)}\n- main: Two\n{FOOTER}"))
    third = printed.without_repeated(page(f"{header(7, cart=2)}\n- main: Three\n{FOOTER}"))

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
        (f"{header(4)}\n  - link [ref=E7]\n- main: Two", SITE),
        ("- main: Two", SITE),
    ],
    ids=["another site", "no site", "in a frame", "another number of lines", "none"],
)
def test_what_is_not_certain_is_printed(text: str, url: str) -> None:
    printed = PrintedPages()
    printed.note_whole_page(page(f"{header(1)}\n- main: One"))

    assert printed.without_repeated(page(text, url)) == (text, {})


def test_a_header_that_a_receipt_told_a_change_of_is_printed_again() -> None:
    printed = PrintedPages()
    printed.note_whole_page(page(f"{header(1)}\n- main: One\n{FOOTER}"))
    printed.forget_changed(f"{header(1, cart=1)}\n- main: One\n{FOOTER}", None)

    told = printed.without_repeated(page(f"{header(4)}\n- main: Two\n{FOOTER}"))

    assert told == (f"{header(4)}\n- main: Two\n{NOTE.format(1).replace('lines', 'line')}", {})


def test_what_was_acted_on_is_printed_again() -> None:
    printed = PrintedPages()
    printed.note_whole_page(page(f"{header(1)}\n- main: One\n{FOOTER}"))
    printed.forget_changed(f"{header(1)}\n- main: One\n{FOOTER}", "E2")

    text, refs = printed.without_repeated(page(f"{header(4)}\n- main: Two\n{FOOTER}"))

    field = '- banner:\n  - searchbox "Search products" [ref=E5]'
    assert (text, refs) == (f"{field}\n- main: Two\n{NOTE.format(3)}", {"E1": "E4", "E3": "E6"})


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
