"""A snapshot within a budget of tokens."""

import pytest

from cdp_agent.page.snapshot import budget
from tests.tables import table


def _rows(count: int) -> str:
    rows = [f'.  - row "Row {number}":\ni    - button "Delete {number}" [ref=E{number}]' for number in range(count)]
    return "\n".join(['v- button "Add" [ref=E9000]', 't- heading "Orders"', ".- table:", *rows])


def test_what_fits_is_left_as_it_is() -> None:
    assert budget.fit('v- button "Add" [ref=E1]\nt- text', 100, []) == '- button "Add" [ref=E1]\n- text'


@table("budget_tokens", [80, 150, 400, 1000, 3000])
def test_the_bound_holds_and_the_last_line_accounts_for_the_rest(budget_tokens: int) -> None:
    text = budget.fit(_rows(500), budget_tokens, [])

    assert budget.tokens(text) <= budget_tokens
    assert text.split("\n")[-1].startswith("… left out: ")


def test_the_viewport_comes_first_and_long_lists_are_folded() -> None:
    text = budget.fit(_rows(180), 280, [])

    assert text.split("\n") == [
        '- button "Add" [ref=E9000]',
        '- heading "Orders"',
        "- table:",
        '  - row "Row 0":',
        '    - button "Delete 0" [ref=E0]',
        '  - row "Row 1":',
        '    - button "Delete 1" [ref=E1]',
        '  - row "Row 2":',
        '    - button "Delete 2" [ref=E2]',
        '  - row "Row 3":',
        '    - button "Delete 3" [ref=E3]',
        '  - row "Row 4":',
        '    - button "Delete 4" [ref=E4]',
        "  … 175 more rows",
        "… left out: 350 lines (175 row, 175 button): search or find one of them, scroll for another part, snapshot"
        " with more budget_tokens (about 4164 for all)",
    ]


def test_text_in_view_comes_before_what_can_be_acted_on_elsewhere_however_often_it_is_alike() -> None:
    seen = [f"t- text: seen {number}" for number in range(10)]
    elsewhere = [f'i- button "Buy {number}" [ref=E{number}]' for number in range(100)]

    text = budget.fit("\n".join([*seen, *elsewhere]), 180, []).split("\n")

    assert text[:10] == [line.removeprefix("t") for line in seen]


def test_every_line_of_the_whole_is_in_the_text_or_counted() -> None:
    whole = _rows(500).count("\n") + 1

    text = budget.fit(_rows(500), 700, []).split("\n")

    left_out = int(text[-1].removeprefix("… left out: ").split(" ")[0])
    assert len([line for line in text if "…" not in line]) + left_out == whole


def test_frames_that_could_not_be_read_are_named_even_when_everything_fits() -> None:
    text = budget.fit('v- button "Add" [ref=E1]', 100, ["iframe E4: its process crashed"])

    assert text == '- button "Add" [ref=E1]\n… left out: iframe E4: its process crashed'


def test_what_can_be_acted_on_in_a_row_comes_with_its_words() -> None:
    rows = [
        f'.  - row:\n.    - text: Order {number} | late\nv    - button "Edit" [ref=E{number}]\n.    - text: paid'
        for number in range(60)
    ]

    shown = budget.fit("\n".join([".- table:", *rows]), 420, []).split("\n")

    edits = [index for index, line in enumerate(shown) if "Edit" in line]
    assert len(edits) > 5
    for index in edits:
        number = shown[index].partition("=E")[2].rstrip("]")
        assert [shown[index - 1], shown[index + 1]] == [f"    - text: Order {number} | late", "    - text: paid"]


def test_the_last_line_names_moves_that_get_the_rest() -> None:
    text = budget.fit(_rows(180), 245, [])

    assert text.rpartition("): ")[2] == (
        "search or find one of them, scroll for another part, snapshot with more budget_tokens (about 4164 for all)"
    )


@pytest.mark.parametrize(("rows", "slack"), [(180, 1.0), (5_000, 1.1)], ids=["counted", "estimated"])
def test_the_number_of_tokens_that_is_told_is_enough_for_all(rows: int, slack: float) -> None:
    cut = budget.fit(_rows(rows), 200, [])

    told = int(cut.rpartition("(about ")[2].removesuffix(" for all)"))

    assert "left out" not in budget.fit(_rows(rows), int(told * slack), [])


def test_a_dialog_comes_before_all_that_it_shuts_off() -> None:
    around = [
        f'v- button "B {i}" [inert] [ref=E{i}]\nt- text: words beside it, that nobody can act on' for i in range(40)
    ]
    dialog = '.- dialog "Rename" [modal]:\nv  - textbox "Name" [ref=E50]\nt  - text: Sure?\nv  - button "OK" [ref=E51]'
    kept = [
        '- dialog "Rename" [modal]:',
        '  - textbox "Name" [ref=E50]',
        "  - text: Sure?",
        '  - button "OK" [ref=E51]',
    ]

    for place in (0, 20, 40):
        text = budget.fit("\n".join([*around[:place], dialog, *around[place:]]), 200, [])

        assert [each for each in text.split("\n") if each in kept] == kept
        assert budget.tokens(text) <= 200


def test_a_dialog_in_a_frame_shuts_off_nothing_outside_of_the_frame() -> None:
    frame = ".- iframe [ref=E1]:\n" + "\n".join(f'v  - button "F {i}" [inert] [ref=E{i + 10}]' for i in range(40))
    dialog = '.  - dialog "D" [modal]:\nv    - button "OK" [ref=E2]'
    page = '.- main:\nv  - button "Outside" [ref=E3]\n.  - text: of the page'

    text = budget.fit(f"{frame}\n{dialog}\n{page}", 170, [])

    assert [each for each in ('button "Outside"', "of the page", 'button "OK"') if each not in text] == []


TABLE = "\n".join([".- table:", *(f".  - row: Order {number} | paid | 12.50 EUR" for number in range(25))])
LINKS = [f'v- link "Section {number}" [ref=E{number}] → /section/{number}' for number in range(60)]
AROUND = {
    "a landmark": "\n".join([".- navigation:", *(f"v  {line[1:]}" for line in LINKS)]),
    "a landmark in a landmark": "\n".join([".- banner:", ".  - navigation:", *(f"v    {line[1:]}" for line in LINKS)]),
    "links in a row": "\n".join(LINKS),
    "a list of links": "\n".join([".- list:", *(f"v  {line[1:]}" for line in LINKS)]),
    "below the content": "\n".join([".- contentinfo:", *(f"i  {line[1:]}" for line in LINKS)]),
}


@table("around", [*AROUND])
def test_content_comes_before_navigation_which_gets_a_fifth_of_the_room(around: str) -> None:
    pieces = [TABLE, AROUND[around]] if around == "below the content" else [AROUND[around], TABLE]

    text = budget.fit("\n".join(pieces), 700, [])

    assert text.count("- row: ") == 25
    assert 3 < text.count("- link ") < 20
    assert budget.tokens(text) <= 700


def test_navigation_takes_no_room_from_a_content_that_fits() -> None:
    text = budget.fit(f'{AROUND["a landmark"]}\n{TABLE}\nv- link "Next" [ref=E999]', budget.tokens(TABLE) * 8 // 5, [])

    assert text.count("- row: ") == 25
    assert '- link "Next"' in text


def test_links_are_content_where_a_page_says_so_or_has_nothing_else() -> None:
    in_main = "\n".join([".- main:", *(f"v  {line[1:]}" for line in LINKS), TABLE.replace(".", ".  ", 1)])

    assert budget.fit(in_main, 700, []).count("- link ") > 20
    assert budget.fit("\n".join(LINKS), 700, []).count("- link ") > 20
