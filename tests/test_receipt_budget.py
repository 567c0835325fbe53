"""Which of many changes a receipt tells: without a browser."""

from __future__ import annotations

from cdp_agent.page.receipts.budget import CHANGES_TOKENS, OPENED_TOKENS, REST, within_budget
from cdp_agent.page.snapshot.budget import tokens

ROWS = [line for number in range(1000) for line in (f"+ - row: Item {number}", f'+   - button "Edit" [ref=E{number}]')]


def test_few_changes_are_told_as_they_are() -> None:
    lines = ['~ - button "Cart (0)" → "Cart (1)" [ref=E1]', "- - text: Empty"]

    assert within_budget(lines) == lines


def test_of_a_thousand_rows_the_first_and_the_last_are_told_and_what_else_changed() -> None:
    told = within_budget(
        [*ROWS, "~ - status (now Loaded, before Loading)", *(line.replace("+", "-") for line in ROWS[::2])]
    )

    assert CHANGES_TOKENS * 0.8 < tokens("\n".join(told)) < CHANGES_TOKENS * 1.1
    assert told[:2] == ROWS[:2]
    assert any(line.startswith("+ … 9") and line.endswith(" more rows") for line in told)
    assert '+   - button "Edit" [ref=E999]' in told
    assert "~ - status (now Loaded, before Loading)" in told
    assert told[-2:] == ["- - row: Item 999", REST]


def test_a_row_comes_with_what_is_in_it() -> None:
    told = within_budget(ROWS)

    assert [line.partition(" ")[2][:8] for line in told[:-4]] == ["- row: I", "  - butt"] * (len(told[:-4]) // 2)


def test_how_to_see_the_rest_is_not_said_of_what_is_gone() -> None:
    told = within_budget([f"- - row: Item {number}" for number in range(1000)])

    assert told[-2].startswith("- … 9")
    assert told[-1] == "- - row: Item 999"


def test_what_opened_comes_first_and_with_all_that_can_be_acted_on() -> None:
    help_text = "A sentence on what this field is for, which is long, as such sentences are."
    fields = [
        line
        for number in range(40)
        for line in (f"+   - paragraph: {help_text}", f'+   - textbox "Field {number}" [ref=E{number}]')
    ]
    dialog = ['+ - dialog "Settings" [modal]', *fields, '+   - button "Save" [ref=E99]']

    told = within_budget(["~ - status (now Open, before Closed)", *ROWS, *dialog])

    assert told[0] == dialog[0]
    assert [line for line in dialog if "[ref=" in line] == [line for line in told if line in dialog and "[ref=" in line]
    assert "~ - status (now Open, before Closed)" in told
    assert tokens("\n".join(told)) < CHANGES_TOKENS + OPENED_TOKENS * 1.1


def test_a_menu_is_told_whole() -> None:
    menu = ["+ - menu", *(f'+   - menuitem "Entry {number}" [ref=E{number}]' for number in range(60))]

    assert within_budget(menu) == menu


def test_of_an_endless_list_of_options_the_first_and_the_last_are_told() -> None:
    options = [f'+   - option "Country {number}" [ref=E{number}]' for number in range(250)]
    told = within_budget(["+ - listbox", *options])

    assert tokens("\n".join(told)) < OPENED_TOKENS * 1.1
    assert told[1:11] == options[:10]
    assert told[-3].startswith("+   … ")
    assert told[-2:] == [options[-1], REST]


def test_a_panel_without_a_role_is_something_that_opened_if_it_has_fields() -> None:
    panel = [f'+ - textbox "Field {number}" [ref=E{number}]' for number in range(40)] + ['+ - button "Save" [ref=E99]']

    assert within_budget(['~ - button "Filters" [ref=E100] (now [expanded])', *panel]) == [
        *panel,
        '~ - button "Filters" [ref=E100] (now [expanded])',
    ]


def test_lines_that_read_alike_are_told_once_with_their_number() -> None:
    gone = [f'- - button "Delete" [ref=E{number}]' for number in range(7)]

    assert within_budget([*gone, "- - text: Ada", "- - text: Ada"]) == [
        '- - button "Delete" (7 times)',
        "- - text: Ada (2 times)",
    ]


def test_what_was_added_with_the_same_head_is_not_the_same() -> None:
    rows = ["+ - listitem", "+   - text: Tea", "+ - listitem", "+   - text: Milk"]

    assert within_budget(rows) == rows


def test_a_page_that_is_shorter_than_its_changes_comes_in_place_of_them() -> None:
    gone = [f'- - link "Old {number}" [ref=E{number}]' for number in range(1, 9)]

    assert within_budget(['+ - heading "Done"', *gone], '- heading "Done"') == ['= - heading "Done"']


def test_a_page_that_is_longer_than_what_is_told_of_it_does_not() -> None:
    page = "\n".join(line[2:] for line in ROWS)

    assert not any(line.startswith("=") for line in within_budget(ROWS, page))
