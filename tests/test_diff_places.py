"""What tells a changed line apart from those that read like it."""

from __future__ import annotations

import pytest

from cdp_agent.page.snapshot.diff import changes

PEOPLE = """- table:
  - row: Name | Age | Act
  - row: Ada | 36
    - cell:
      - button "Edit" [ref=E1]
      - button "Delete" [ref=E2]
  - row: Bob | 40
    - cell:
      - button "Edit" [ref=E3]
      - button "Delete" [ref=E4]"""
GRID = """- grid "Staff":
  - row:
    - columnheader "Name" [sort=ascending]
    - columnheader "Age"
  - row [ref=E1]:
    - gridcell [ref=E2]: Ada
    - gridcell [ref=E3]: 36
  - row [ref=E4]:
    - gridcell [ref=E5]: Bob
    - gridcell [ref=E6]: 36"""
SELECTABLE = """- table:
  - row: x | Name | Age
  - row:
    - checkbox "Select row" [ref=E1]
    - text: Ada | 36
  - row:
    - checkbox "Select row" [ref=E2]
    - text: Bob | 40"""
NESTED = """- list:
  - listitem: Fruit
    - list:
      - listitem: Apple
        - checkbox [ref=E1]
      - listitem: Pear
        - checkbox [ref=E2]"""
ARTICLES = """- article:
  - heading "Tea" [level=2]
  - button "Like" [ref=E1]
- article:
  - heading "Milk" [level=2]
  - button "Like" [ref=E2]"""
STOCK = """- heading "Tea" [level=3]
- paragraph: Few
- heading "Milk" [level=3]
- paragraph: Few
- term: CPU
- definition: 5
- term: RAM
- definition: 5"""
FRUIT = """- list:
  - listitem: Fruit
    - list:
      - listitem: Ripe
  - listitem: Nuts
    - list:
      - listitem: Ripe"""
GROUPS = """- group "Size":
  - radio "Other" [ref=E1]
- group "Color":
  - radio "Other" [ref=E2]"""
ACTIONS = """- list "People":
  - listitem "Ada":
    - group "Actions":
      - button "Call" [ref=E1]
  - listitem "Bob":
    - group "Actions":
      - button "Call" [ref=E2]"""
TODOS = "- list:\n" + "\n".join(
    f"  - checkbox [ref=E{number}]\n  - text: {name}" for number, name in enumerate(("Milk", "Tea", "Bread"), 1)
)
TOOLS = "\n".join(f'- text: {name}\n- button "Edit" [ref=E{number}]' for number, name in enumerate(("Ada", "Bob"), 1))


@pytest.mark.parametrize(
    ("before", "old", "new", "told"),
    [
        pytest.param(PEOPLE, "Ada | 36", "Ada | 37", 'row "Ada", under "Age" (now 37, before 36)', id="cell of texts"),
        pytest.param(
            PEOPLE,
            "Name | Age | Act\n  - row: Ada | 36",
            "Name | Age | Act\n  - row: Ida | 37",
            "row (now Ida | 37, before Ada | 36)",
            id="all cells of texts",
        ),
        pytest.param(
            PEOPLE,
            "[ref=E3]",
            "[disabled] [ref=E3]",
            'button "Edit" [ref=E3] in row "Bob", under "Act" (now [disabled])',
            id="button in a cell",
        ),
        pytest.param(
            GRID,
            "[ref=E6]: 36",
            "[ref=E6]: 41",
            'gridcell [ref=E6] in row "Bob", under "Age" (now 41, before 36)',
            id="cell that is a line",
        ),
        pytest.param(GRID, "row [ref=E4]", "row [selected] [ref=E4]", 'row "Bob" [ref=E4] (now [selected])', id="row"),
        pytest.param(
            SELECTABLE, "Ada | 36", "Ada | 37", 'row "Ada", under "Age" (now 37, before 36)', id="text in a row"
        ),
        pytest.param(
            SELECTABLE,
            "[ref=E2]",
            "[checked] [ref=E2]",
            'checkbox "Select row" [ref=E2] in row "Bob", under "x" (now [checked])',
            id="checkbox in a row",
        ),
        pytest.param(
            NESTED, "[ref=E2]", "[checked] [ref=E2]", 'checkbox [ref=E2] in listitem "Pear" (now [checked])', id="item"
        ),
        pytest.param(
            ARTICLES,
            'Like" [ref=E2]',
            'Liked" [ref=E2]',
            'button "Like" → "Liked" [ref=E2] in article "Milk"',
            id="article",
        ),
        pytest.param(
            GROUPS,
            "[ref=E2]",
            "[checked] [ref=E2]",
            'radio "Other" [ref=E2] in group "Color" (now [checked])',
            id="group",
        ),
        pytest.param(
            ACTIONS,
            "[ref=E2]",
            "[disabled] [ref=E2]",
            'button "Call" [ref=E2] in listitem "Bob" (now [disabled])',
            id="in a group that all items have",
        ),
        pytest.param(
            TODOS,
            "[ref=E2]",
            "[checked] [ref=E2]",
            'checkbox [ref=E2] beside "Tea" (now [checked])',
            id="before its text",
        ),
        pytest.param(
            TOOLS,
            "[ref=E2]",
            "[disabled] [ref=E2]",
            'button "Edit" [ref=E2] beside "Bob" (now [disabled])',
            id="after it",
        ),
        pytest.param(
            STOCK,
            'Milk" [level=3]\n- paragraph: Few',
            'Milk" [level=3]\n- paragraph: None',
            'paragraph below "Milk" (now None, before Few)',
            id="below a heading",
        ),
        pytest.param(
            STOCK,
            "RAM\n- definition: 5",
            "RAM\n- definition: 6",
            'definition of "RAM" (now 6, before 5)',
            id="of a term",
        ),
        pytest.param(
            FRUIT,
            "Nuts\n    - list:\n      - listitem: Ripe",
            "Nuts\n    - list:\n      - listitem: Eaten",
            'listitem in listitem "Nuts" (now Eaten, before Ripe)',
            id="an item that read like another",
        ),
        pytest.param(
            f'{PEOPLE}\n- button "Save" [ref=E9]',
            "[ref=E9]",
            "[disabled] [ref=E9]",
            'button "Save" [ref=E9] (now [disabled])',
            id="the only one",
        ),
    ],
)
def test_a_change_comes_with_what_tells_it_apart(before: str, old: str, new: str, told: str) -> None:
    assert changes(before, before.replace(old, new)) == [f"~ - {told}"]


def test_a_long_text_beside_a_control_is_no_place() -> None:
    before = TODOS.replace("Tea", "word " * 20)

    assert changes(before, before.replace("[ref=E2]", "[checked] [ref=E2]")) == [
        "~ - checkbox [ref=E2] (now [checked])"
    ]


def test_a_text_in_quotes_is_quoted_once() -> None:
    before = TODOS.replace("Tea", '"\\"Tea\\""')

    assert changes(before, before.replace("[ref=E2]", "[checked] [ref=E2]")) == [
        '~ - checkbox [ref=E2] beside "\\"Tea\\"" (now [checked])'
    ]


def test_several_cells_of_a_row_are_told_with_their_columns() -> None:
    before = "- table:\n  - row: Name | Age | City\n  - row: Ada | 36 | London"

    assert changes(before, before.replace("36 | London", "37 | Paris")) == [
        '~ - row "Ada" (under "Age" now 37, before 36; under "City" now Paris, before London)'
    ]


def test_a_column_is_not_named_where_the_cells_do_not_match() -> None:
    before = "- table:\n  - row: Name | Details\n  - row: Ada | 36 | London"

    assert changes(before, before.replace("36", "37")) == ['~ - row "Ada" (now 37, before 36)']


def test_a_first_cell_that_many_rows_have_tells_none_apart() -> None:
    before = "- table:\n" + "\n".join(f"  - row: Open | Order {number} | new" for number in range(9))

    assert changes(before, before.replace("Order 7 | new", "Order 7 | paid")) == [
        '~ - row "Order 7" (now paid, before new)'
    ]


def test_a_link_that_went_is_told_with_its_address_if_others_have_its_name() -> None:
    links = [f'- link "Delete" [ref=E{at}] → /d/{at}' for at in range(4)]

    assert changes("\n".join(links), "\n".join(links[:1] + links[2:])) == ['- - link "Delete" [ref=E1] → /d/1']


def test_rows_that_went_are_told_by_what_only_they_have() -> None:
    row = (
        '  - row:\n    - checkbox "Select row" [ref=E{0}]\n    - text: Open | Order {0}\n    - link "Edit" [ref=E1{0}]'
    )
    before = "\n".join(["- table:", "  - row: x | State | Order", *(row.format(number) for number in range(1, 9))])

    assert changes(before, "\n".join(before.split("\n")[:-28])) == [
        f'- - row "Open | Order {number}" (and 3 below it)' for number in range(2, 9)
    ]


def test_lines_that_came_and_read_alike_are_told_by_what_they_follow() -> None:
    field = '- textbox "{}" [ref={}]'
    before = "\n".join([field.format("Name", "E1"), field.format("Mail", "E2")])
    after = "\n".join(f"{line}\n- text: Required" for line in before.split("\n"))

    assert changes(before, after) == [
        '+ - text: Required (after textbox "Name" [ref=E1])',
        '+ - text: Required (after textbox "Mail" [ref=E2])',
    ]
    assert [line[0] for line in changes(after, before)] == ["-", "-"]


def test_a_button_that_came_into_a_row_is_told_with_the_row() -> None:
    after = PEOPLE + '\n      - button "Edit" [ref=E9]'

    assert changes(PEOPLE, after) == ['+ - button "Edit" [ref=E9] (in row "Bob", under "Act")']


def test_a_container_of_all_that_reads_alike_is_no_place() -> None:
    before = '- button "Open" [ref=E9]\n- dialog "Draw":\n  - img [ref=E1]\n  - heading "All"\n  - img [ref=E2]'

    assert changes(before, before.replace("- img", "- img [disabled]")) == [
        "~ - img [ref=E1] (now [disabled])",
        "~ - img [ref=E2] (now [disabled])",
    ]


def test_what_comes_around_something_names_it() -> None:
    before = '- table:\n  - row:\n    - button "Name" [ref=E1]\n    - text: Age\n  - row: Ada | 36'
    header = '    - columnheader [sort=ascending]:\n      - button "Name" [ref=E1]'

    assert changes(before, before.replace('    - button "Name" [ref=E1]', header)) == [
        '+ - columnheader [sort=ascending] (around button "Name" [ref=E1])'
    ]


BOARD = """- heading "To do" [level=2]
- list:
  - listitem: Write
  - listitem: Test
- heading "Doing" [level=2]
- listitem: Plan
- heading "Done" [level=2]
- list:
  - listitem: Ship
  - listitem: Pay"""
AFTERWARDS = """- heading "To do" [level=2]
- listitem: Test
- heading "Doing" [level=2]
- listitem: Plan
- heading "Done" [level=2]
- list:
  - listitem: Write
  - listitem: Ship
  - listitem: Pay"""


def test_a_card_that_was_moved_to_another_column_is_told_with_both() -> None:
    assert changes(BOARD, AFTERWARDS) == ['~ - listitem: Write (moved from "To do" to "Done", now first in list)']


CARD = '- article "Login" [ref=E1]'
LARGE_ITEMS = {
    name: ["    - listitem:", f'      - heading "{name}" [level=4]', "      - paragraph: today"]
    for name in ("Test", "Login")
}
HEADED = '- heading "{}" [level=2]'
EMPTY_COLUMNS = [
    pytest.param(
        [
            [HEADED.format("To do"), CARD, HEADED.format("Doing")],
            [HEADED.format("To do"), HEADED.format("Doing"), CARD],
        ],
        f'{CARD[2:]} (moved from "To do" to "Doing", now after heading "Doing" [level=2])',
        id="headed",
    ),
    pytest.param(
        [
            ['- region "To do":', f"  {CARD}", '- region "Doing"'],
            ['- region "To do"', '- region "Doing":', f"  {CARD}"],
        ],
        f'{CARD[2:]} (moved from "To do" to "Doing", now first in region "Doing")',
        id="named",
    ),
    pytest.param(
        [
            ['- region "To do":', "  - list:", *LARGE_ITEMS["Test"], *LARGE_ITEMS["Login"], '- region "Doing"'],
            ['- region "To do":', *(each[2:] for each in LARGE_ITEMS["Test"]), '- region "Doing":']
            + [each[2:] for each in LARGE_ITEMS["Login"]],
        ],
        'listitem "Login" (moved from "To do" to "Doing", now first in region "Doing")',
        id="a list is left out around one item",
    ),
    pytest.param(
        [
            [HEADED.format("To do"), "- generic [ref=E1]:", '  - heading "Login" [level=3]', HEADED.format("Doing")],
            [HEADED.format("To do"), HEADED.format("Doing"), "- generic [ref=E1]:", '  - heading "Login" [level=3]'],
        ],
        'generic "Login" [ref=E1] (moved from "To do" to "Doing", now after heading "Doing" [level=2])',
        id="with a heading of its own",
    ),
]


@pytest.mark.parametrize(("pages", "told"), EMPTY_COLUMNS)
def test_the_last_card_of_a_column_that_was_moved_to_an_empty_one_is_told_with_both(
    pages: list[list[str]], told: str
) -> None:
    before, after = map("\n".join, pages)

    assert changes(before, after) == [f"~ - {told}"]


def test_a_card_that_was_moved_to_another_named_list_is_told_with_both() -> None:
    card, lists = '  - listitem "A" [ref=E1]\n', '- list "To do":\n{}{}- list "Done":\n{}{}'
    others = [f'  - listitem "{name}" [ref=E{at}]\n' for at, name in ((2, "B"), (3, "C"))]
    before, after = lists.format(card, *others, ""), lists.format("", *others, card)

    assert changes(before, after) == [
        '~ - listitem "A" [ref=E1] (moved from "To do" to "Done", now after listitem "C" [ref=E3])'
    ]


def _table(*rows: str, header: str = "Name | Age") -> str:
    return "\n".join(['- table "Staff":', *(f"  - row: {row}" for row in (header, *rows))])


ROWS = ("Ada | 36", "Bob | 40", "Cy | 36", "Di | 20")


@pytest.mark.parametrize(
    ("after", "told"),
    [
        pytest.param(
            _table(*reversed(ROWS)),
            ['~ - table "Staff": first row below "Name | Age" is now "Di | 20" (4 rows moved)'],
            id="sorted",
        ),
        pytest.param(
            _table(*ROWS[2:]),
            [
                '~ - table "Staff": first row below "Name | Age" is now "Cy | 36" (2 rows went)',
                "- - row: Ada | 36",
                "- - row: Bob | 40",
            ],
            id="filtered",
        ),
        pytest.param(
            _table("Eve | 1", "Fay | 2"),
            [
                '~ - table "Staff": first row below "Name | Age" is now "Eve | 1" (2 rows came, 4 went)',
                *("+ - row: Eve | 1", "+ - row: Fay | 2"),
                *(f"- - row: {row}" for row in ROWS),
            ],
            id="another page",
        ),
        pytest.param(_table(*ROWS, "Eve | 1", "Fay | 2"), ["+ - row: Eve | 1", "+ - row: Fay | 2"], id="more below"),
        pytest.param(
            _table(ROWS[1], ROWS[0], *ROWS[2:]),
            ["~ - row: Bob | 40 (moved, now after row: Name | Age)"],
            id="one moved",
        ),
    ],
)
def test_the_first_row_is_named_if_several_came_went_or_moved(after: str, told: list[str]) -> None:
    assert changes(_table(*ROWS), after) == told


def test_of_rows_whose_cells_were_written_anew_in_their_places_the_first_is_named() -> None:
    row = '  - row:\n    - text: {}\n    - button "Edit" [ref=E{}]'
    before, after = (
        "\n".join(["- table:", *(row.format(name, number) for number, name in enumerate(names))])
        for names in (["Di", "Cy", "Bob", "Ada"], ["Ada", "Bob", "Cy", "Di"])
    )

    assert changes(before, after)[0] == '~ - table: first row is now "Ada" (4 rows moved)'


def test_a_first_row_that_stayed_below_column_headers_is_named_with_the_next() -> None:
    rows = GRID.split("\n")
    more = ["  - row [ref=E7]:\n    - gridcell [ref=E8]: Cy\n    - gridcell [ref=E9]: 50"]
    before, after = "\n".join([*rows, *more]), "\n".join([*rows[:7], *more, *rows[7:]])
    other = "  - row [ref=E10]:\n    - gridcell [ref=E11]: Di\n    - gridcell [ref=E12]: 51"

    assert changes(before, f"{after}\n{other}\n{other.replace('Di', 'Eve').replace('E1', 'E2')}")[0] == (
        '~ - grid "Staff": first row is still "Ada | 36", the next one is now "Cy | 50" (1 row moved, 2 came)'
    )


def test_long_addresses_and_states_are_shortened() -> None:
    line = f'- link "To" [description="{"word " * 40}"] [ref=E1] → /a?{"q=1&" * 90}'

    (told,) = changes("", line)

    assert len(told) < 250
    assert told.startswith('+ - link "To" [description="word word')
    assert "[ref=E1] → /a?q=1&q=1" in told
