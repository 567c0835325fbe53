"""What became of a page's lines."""

from __future__ import annotations

import time

import pytest

from cdp_agent.page.snapshot.diff import changes, focused
from tests.tables import table

SHOP = """- heading "Shop" [level=1]
- button "Cart (0)" [ref=E1]
- list [ref=E2]:
  - listitem: Tea
  - listitem: Milk
- textbox "Name" [ref=E3]"""


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        pytest.param(SHOP, [], id="the same"),
        pytest.param(SHOP.replace("(0)", "(1)"), ['~ - button "Cart (0)" → "Cart (1)" [ref=E1]'], id="name"),
        pytest.param(
            SHOP.replace("[ref=E1]", "[disabled] [ref=E1]"),
            ['~ - button "Cart (0)" [ref=E1] (now [disabled])'],
            id="state",
        ),
        pytest.param(
            SHOP.replace("[ref=E3]", "[ref=E3]: Ada"),
            ['~ - textbox "Name" [ref=E3] (now Ada, before empty)'],
            id="value",
        ),
        pytest.param(SHOP + '\n- status "Saved"', ['+ - status "Saved"'], id="added"),
        pytest.param(SHOP.replace('\n- textbox "Name" [ref=E3]', ""), ['- - textbox "Name" [ref=E3]'], id="removed"),
        pytest.param(
            '- textbox "Name" [ref=E3]\n' + SHOP.replace('\n- textbox "Name" [ref=E3]', ""),
            ['~ - textbox "Name" [ref=E3] (moved, now first)'],
            id="moved",
        ),
        pytest.param(
            SHOP.replace("  - listitem: Milk", "  - listitem: Bread"),
            ["~ - listitem (now Bread, before Milk)"],
            id="text without a ref",
        ),
        pytest.param(SHOP.replace("[ref=E3]", "[focused] [ref=E3]"), [], id="focus alone"),
        pytest.param(
            SHOP.replace("[ref=E1]", "[ref=E9]"),
            ["~ rendered anew: E1 is E9"],
            id="rendered anew",
        ),
        pytest.param(SHOP + "\n… left out: iframe E10: it is loading", [], id="what is left out"),
        pytest.param(
            SHOP.replace("- button", "- link"),
            ['~ - button "Cart (0)" [ref=E1] → link "Cart (0)" [ref=E1]'],
            id="another role",
        ),
    ],
)
def test_changes_are_told_line_by_line(after: str, expected: list[str]) -> None:
    assert changes(SHOP, after) == expected


def test_what_is_below_an_added_line_stands_under_it() -> None:
    dialog = '\n- dialog "Sure?" [ref=E4]:\n  - text: It cannot be undone.\n  - button "Delete" [ref=E5]'

    assert changes(SHOP, SHOP + dialog) == [
        '+ - dialog "Sure?" [ref=E4]',
        "+   - text: It cannot be undone.",
        '+   - button "Delete" [ref=E5]',
    ]


def test_what_was_below_a_removed_line_is_counted() -> None:
    dialog = '\n- dialog "Sure?" [ref=E4]:\n  - text: It cannot be undone.\n  - button "Delete" [ref=E5]'

    assert changes(SHOP + dialog, SHOP) == ['- - dialog "Sure?" [ref=E4] (and 2 below it)']


def test_a_list_that_loses_its_only_line_is_itself_no_change() -> None:
    assert changes("- list [ref=E1]:\n  - listitem: Tea", "- list [ref=E1]") == ["- - listitem: Tea"]


def test_a_long_text_is_cut() -> None:
    (told,) = changes("", "- paragraph: " + "word " * 200)

    assert len(told) < 400
    assert told.endswith("…")


def test_a_large_page_is_compared_in_no_time() -> None:
    rows = [f'- row "{number}" [ref=E{number}]' for number in range(10_000)]
    before, after = (
        "\n".join(rows),
        "\n".join([*rows[:100], *rows[101:9_900], '- row "new" [ref=E50000]', *rows[9_900:]]),
    )

    began = time.process_time()
    told = changes(before, after)

    assert told == ['+ - row "new" [ref=E50000] (after row "9899" [ref=E9899])', '- - row "100" [ref=E100]']
    assert time.process_time() - began < 3


def test_the_innermost_focused_line_has_the_focus() -> None:
    text = '- iframe "Form" [focused] [ref=E1]:\n  - textbox "Name" [required] [focused] [ref=E2]: Ada'

    assert focused(text) == 'textbox "Name" [required] [ref=E2]: Ada'
    assert focused(SHOP) is None


ROWS = """- list [ref=E1]:
  - listitem:
    - text: Tea
    - button "Edit" [ref=E2]
  - listitem:
    - text: Milk
    - button "Edit" [ref=E3]
- paragraph: 2 items"""


def test_the_ref_of_what_was_rendered_anew_and_changed_is_told_once() -> None:
    assert changes('- textbox "Code" [caret=1:1] [ref=E2]: a', '- textbox "Code" [ref=E12]: b') == [
        '~ - textbox "Code" [ref=E12] (now b, before a)',
        "~ rendered anew: E2 is E12",
    ]


def test_what_was_rendered_anew_as_it_was_is_one_line() -> None:
    after = ROWS.replace("E2", "E12").replace("E3", "E13")

    assert changes(ROWS, after) == ["~ rendered anew: E2 is E12, E3 is E13"]


def test_what_changed_in_a_list_that_was_rendered_anew_is_told_beside_it() -> None:
    after = ROWS.replace("E2", "E12").replace("E3", "E13").replace("Milk", "Bread")

    assert changes(ROWS, after) == ["~ - text (now Bread, before Milk)", "~ rendered anew: E2 is E12, E3 is E13"]


def test_a_subtree_that_comes_is_told_whole_though_its_words_were_elsewhere() -> None:
    after = ROWS.replace(
        "- paragraph: 2 items",
        """- listitem:
  - text: Tea
  - button "Edit" [ref=E9]
- paragraph: 3 items""",
    )

    assert changes(ROWS, after) == [
        "+ - listitem",
        "+   - text: Tea",
        '+   - button "Edit" [ref=E9]',
        "~ - paragraph (now 3 items, before 2 items)",
    ]


def test_a_row_between_rows_that_read_alike_is_told_whole() -> None:
    row = '  - listitem:\n    - text: Tea\n    - button "Edit" [ref=E7]\n'
    after = ROWS.replace("- paragraph", row + "- paragraph", 1)

    assert changes(ROWS, after) == ["+ - listitem", "+   - text: Tea", '+   - button "Edit" [ref=E7]']


def test_texts_of_different_things_are_no_pair() -> None:
    before = "- paragraph: one\n- paragraph: two"
    after = "- paragraph: three\n- paragraph: four\n- paragraph: five"

    assert changes(before, after) == [
        "+ - paragraph: three",
        "+ - paragraph: four",
        "+ - paragraph: five",
        "- - paragraph: one",
        "- - paragraph: two",
    ]


def test_regions_that_changed_inside_are_gone_through_by_their_names() -> None:
    before = '- region "Body":\n  - paragraph: One\n- region "Flow":\n  - button "Insert" [ref=E1]'
    after = '- region "Body":\n  - paragraph: Two\n- region "Flow":\n  - button "Insert" [ref=E1]\n  - listbox [ref=E2]'

    assert changes(before, after) == ["~ - paragraph (now Two, before One)", "+ - listbox [ref=E2]"]


def test_a_line_of_the_same_name_is_the_same_whatever_its_states() -> None:
    before = '- listbox [ref=E1]:\n  - option "Oslo" [selected]\n  - option "Bergen"\n  - option "Moss" [disabled]'
    after = '- listbox [ref=E1]:\n  - option "Oslo"\n  - option "Bergen" [selected]\n  - option "Voss"'

    assert changes(before, after) == [
        '~ - option "Oslo" (no longer [selected])',
        '~ - option "Bergen" (now [selected])',
        '~ - option "Moss" → "Voss" (no longer [disabled])',
    ]


def test_a_state_that_became_its_opposite_is_told_once() -> None:
    before = '- button "Bold" [pressed] [ref=E1]\n- button "More" [expanded=false] [sort=none] [ref=E2]'
    after = '- button "Bold" [pressed=false] [ref=E1]\n- button "More" [expanded] [sort=ascending] [ref=E2]'

    assert changes(before, after) == [
        '~ - button "Bold" [ref=E1] (now [pressed=false])',
        '~ - button "More" [ref=E2] (now [expanded]; now [sort=ascending]; no longer [sort=none])',
    ]


def test_of_long_texts_the_part_that_differs_is_told() -> None:
    words = " ".join(f"word{number}" for number in range(200))

    changed = changes(f"- row: Order 7 {words} one {words}", f"- row: Order 7 {words} two {words}")

    assert changed == [
        "~ - row (now Order 7 word0 word1 word2 word3 word4 w…197 word198 word199 two word0 word1 word2 w…, "
        "before …197 word198 word199 one word0 word1 word2 w…)"
    ]


def test_what_went_without_words_of_its_own_is_told_by_those_below() -> None:
    rows = [f'- row:\n  - checkbox "Select row {n}" [ref=E{n}]\n  - text: Person {n} | 4{n}' for n in range(1, 4)]

    assert changes("\n".join(rows), rows[0]) == [
        '- - row "Person 2" (and 2 below it)',
        '- - row "Person 3" (and 2 below it)',
    ]
    assert changes('- list:\n  - listitem:\n    - button "Remove milk" [ref=E1]\n- text: x', "- text: x") == [
        '- - list (and 2 below it: "Remove milk")'
    ]


def test_a_thing_that_gets_a_text_beside_what_is_in_it_had_none_before() -> None:
    before = '- generic [ref=E1]:\n  - combobox "Region" [ref=E2]'

    assert changes(before, before.replace("E1]:", "E1]: Sweden")) == [
        "~ - generic [ref=E1] (now Sweden, before no text of its own)"
    ]


def test_a_line_that_the_caret_has_left_is_no_change() -> None:
    before = "- textbox [ref=E1]:\n  - paragraph: One\n  - paragraph [caret]: Two"
    after = "- textbox [ref=E1]:\n  - paragraph: One\n  - paragraph: Two\n  - paragraph [caret]"

    assert changes(before, after) == ["+ - paragraph [caret]"]


def test_texts_beside_different_things_are_not_one_text_that_changed() -> None:
    before = """\
- list:
  - listitem:
    - checkbox [checked] [ref=E16]
    - text: ~~Buy milk~~
    - button "✖" [ref=E18]
  - checkbox [ref=E17]
  - text: Call Bob
- text: 1 item left"""
    after = """\
- list:
  - checkbox [checked] [ref=E20]
  - text: ~~Buy milk~~
- text: Nothing left"""

    assert changes(before, after) == [
        "~ - text (now Nothing left, before 1 item left)",
        '- - button "✖" [ref=E18]',
        "- - checkbox [ref=E17]",
        "- - text: Call Bob",
        "~ rendered anew: E16 is E20",
    ]


FIELDS_AND_A_TABLE = """\
- button "A" [ref=E1]
- textbox "B" [required] [ref=E2]: x
- table:
  - row: a | b
- list [ref=E4]:
  - link "l" [ref=E5]"""
BEHIND_A_DIALOG = """\
- button "A" [inert] [ref=E1]
- textbox "B" [required] [inert] [ref=E2]: x
- table [inert]:
  - row: a | b
- list [inert] [ref=E4]:
  - link "l" [ref=E5]
- dialog "D" [modal]:
  - button "OK" [focused] [ref=E9]"""


def test_what_a_dialog_shuts_off_is_counted_beside_the_dialog() -> None:
    assert changes(FIELDS_AND_A_TABLE, BEHIND_A_DIALOG) == [
        '+ - dialog "D" [modal]',
        '+   - button "OK" [ref=E9]',
        "~ now [inert]: 4 lines, with all that is below them",
    ]
    assert changes(BEHIND_A_DIALOG, FIELDS_AND_A_TABLE) == [
        '- - dialog "D" [modal] (and 1 below it)',
        "~ no longer [inert]: 4 lines, with all that is below them",
    ]


def test_a_link_that_is_gone_is_told_without_where_it_led() -> None:
    before = '- link "Learn" [ref=E1] → https://shop.test:80/learn#a:b: more\n- text: see [1] → next'

    assert changes(before, "") == ['- - link "Learn" [ref=E1]: more', "- - text: see [1] → next"]


def test_many_that_were_disabled_are_one_line_after_what_came() -> None:
    before = "\n".join(f'- button "{n}" [ref=E{n}]' for n in range(1, 15))
    after = "\n".join(f'- button "{n}" [disabled] [ref=E{n}]' for n in range(1, 15)) + '\n- dialog "D"'

    refs = ", ".join(f"E{n}" for n in range(1, 13))
    assert changes(before, after) == ['+ - dialog "D"', f"~ now [disabled]: {refs}, and 2 more"]
    assert changes(after, before) == ['- - dialog "D"', f"~ no longer [disabled]: {refs}, and 2 more"]
    tip = '- tooltip "T"'
    assert changes(f"{tip}\n{before}", f"{tip} [disabled]\n{after}")[1:] == [f"~ now [disabled]: {refs}, and 3 more"]


def test_one_thing_that_is_shut_off_is_named_with_what_else_became_of_it() -> None:
    before = '- main:\n  - text: hello\n- button "A" [ref=E1]'
    after = '- main [inert]:\n  - text: hello\n- button "A" [disabled] [ref=E1]\n- link "new" [inert] [ref=E2]'

    assert changes(before, after) == [
        '~ - button "A" [ref=E1] (now [disabled])',
        '+ - link "new" [inert] [ref=E2]',
        "~ now [inert]: main",
    ]


ARTICLES = """- main:
  - article:
    - button "more" [description="More actions"] [ref=E1]
    - heading "Tea" [level=2]
    - paragraph: Leaves.
  - article:
    - button "more" [ref=E2]
    - heading "Milk" [level=2]
    - paragraph: White."""


def test_what_comes_before_others_and_tells_their_common_description_changes_none_of_them() -> None:
    first = """- main:
  - article:
    - button "more" [description="More actions"] [ref=E9]
    - heading "Bread" [level=2]
"""
    after = first + ARTICLES.removeprefix("- main:\n").replace(' [description="More actions"]', "")
    come = [
        "+ - article",
        '+   - button "more" [description="More actions"] [ref=E9]',
        '+   - heading "Bread" [level=2]',
    ]

    assert changes(ARTICLES, after) == come
    assert changes(after, ARTICLES) == ['- - article "Bread" (and 2 below it)']


def test_a_description_that_went_over_to_another_one_is_told() -> None:
    before = '- button "A" [description="Save"] [ref=E1]\n- button "B" [ref=E2]'
    after = '- button "A" [ref=E1]\n- button "B" [description="Save"] [ref=E2]'

    assert changes(before, after) == ['~ - button "A" [ref=E1] (no longer [description="Save"])']
    assert changes(after, before) == ['~ - button "A" [ref=E1] (now [description="Save"])']


def test_what_still_holds_what_it_held_is_the_same_though_its_words_changed() -> None:
    rows = ["- listitem:\n  - text: Tea\n  - link [ref=E1]", "- listitem:\n  - text: Milk\n  - link [ref=E2]"]
    new = "- listitem:\n  - text: Bread\n  - link [ref=E3]"

    assert changes("\n".join(rows), "\n".join([new, rows[0].replace("Tea", "Green tea"), rows[1]])) == [
        "+ - listitem",
        "+   - text: Bread",
        "+   - link [ref=E3]",
        "~ - text (now Green tea, before Tea)",
    ]


_SHOP_AND = SHOP.replace("[ref=E3]", "[ref=E3]{}")


@table(
    ("before", "after", "expected"),
    [
        ("", ":\n  | Ada\n  | Berg", ["(now of several lines, before empty)", "+ | Ada", "+ | Berg"]),
        (":\n  | Ada\n  | Berg", "", ["(now empty, before of several lines)", "- | Ada", "- | Berg"]),
        (
            ":\n  | Ada\n  | Berg",
            ":\n  - paragraph: Ada",
            ["(now no text of its own, before of several lines)", "+ - paragraph: Ada", "- | Ada", "- | Berg"],
        ),
        (":\n  | Ada\n  | Berg", ":\n  | Ada\n  | B.\n  | Berg", ["(its lines changed)", "+ | B."]),
    ],
)
def test_the_lines_of_a_value_follow_what_has_it(before: str, after: str, expected: list[str]) -> None:
    head, *lines = expected

    assert changes(_SHOP_AND.format(before), _SHOP_AND.format(after)) == [f'~ - textbox "Name" [ref=E3] {head}', *lines]


def test_a_ref_that_is_lost_takes_nothing_along_that_is_still_there() -> None:
    tree = '- tree [ref=E1]:\n  - treeitem "Fruit" [ref=E2]\n  - group:\n    - treeitem "Pear" [ref=E3]'
    selected = tree.replace("tree [ref=E1]", "tree").replace('"Pear"', '"Pear" [selected]')
    taken_apart = '- treeitem "Fruit" [ref=E2]'

    assert changes(tree, selected) == [
        "~ - tree (no longer [ref=E1])",
        '~ - treeitem "Pear" [ref=E3] (now [selected])',
    ]
    assert changes(tree, taken_apart) == ['- - tree [ref=E1] (and 2 below it: "Pear")']


def test_of_classes_those_are_told_that_are_others() -> None:
    row = '- generic [class="row row-open"] [ref=E1]'

    assert changes(row, row.replace("row-open", "row-shut")) == [
        '~ - generic [ref=E1] (class now "row-shut"; class no longer "row-open")'
    ]
    assert changes(row, row.replace('"row row-open"', "row")) == ['~ - generic [ref=E1] (class no longer "row-open")']


def _rows(*texts: str, first: int) -> str:
    return "\n".join(f"- checkbox [ref=E{first + at}]\n- text: {text}" for at, text in enumerate(texts))


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        pytest.param(
            ("Milk", "Tea"), ["- - checkbox [ref=E1]", "- - text: Salt", "~ rendered anew: E2 is E11, E3 is E12"]
        ),
        pytest.param(
            ("Salt", "Milk", "Tea", "Rice"),
            ["+ - checkbox [ref=E14]", "+ - text: Rice", "~ rendered anew: E1 is E11, E2 is E12, E3 is E13"],
        ),
    ],
    ids=["one gone", "one more"],
)
def test_controls_alike_that_were_rendered_anew_are_told_apart_by_what_they_stand_beside(
    after: tuple[str, ...], expected: list[str]
) -> None:
    assert changes(_rows("Salt", "Milk", "Tea", first=1), _rows(*after, first=11)) == expected


def test_a_control_beside_something_else_is_another_one() -> None:
    rows = "- list:\n  - text: Milk{}\n  - text: Tea{}"
    button = '\n  - button "✖" [ref=E{}]'

    assert changes(rows.format(button.format(1), ""), rows.format("", button.format(2))) == [
        '+ - button "✖" [ref=E2]',
        '- - button "✖" [ref=E1]',
    ]


def test_a_wrapper_that_comes_around_what_was_there_is_nothing_of_its_own() -> None:
    before = "- list:\n  - checkbox [ref=E1]\n  - text: Milk\n  - checkbox [ref=E2]\n  - text: Tea"
    after = (
        "- list:\n  - listitem:\n    - checkbox [checked] [ref=E1]\n    - text: ~~Milk~~\n"
        '    - button "✖" [ref=E3]\n  - checkbox [ref=E2]\n  - text: Tea'
    )

    assert changes(before, after) == [
        '~ - checkbox [ref=E1] beside "~~Milk~~" (now [checked])',
        "~ - text (now ~~Milk~~, before Milk)",
        '+ - button "✖" [ref=E3]',
    ]


def test_texts_that_change_one_after_another_are_told_as_they_were() -> None:
    before = "- textbox [ref=E1]:\n  - paragraph: Hello\n  - paragraph: World"

    assert changes(before, before.replace("Hello", "**Hello**").replace("World", "**World**")) == [
        "~ - paragraph (now **Hello**, before Hello)",
        "~ - paragraph (now **World**, before World)",
    ]


def _lists(*lists: str) -> str:
    return "\n".join(
        "\n".join(["- heading", "- list:", *(f'  - link "{name}" [ref=E{ord(name)}]' for name in names)])
        for names in lists
    )


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        pytest.param(("CAB", "XYZ"), ['~ - link "C" [ref=E67] (moved, now first in list)'], id="in its list"),
        pytest.param(
            ("BC", "XAYZ"), ['~ - link "A" [ref=E65] (moved, now after link "X" [ref=E88])'], id="into another list"
        ),
        pytest.param(("ABC", "XYZ"), [], id="nowhere"),
        pytest.param(
            ("CBA", "ZYX"),
            [
                '~ moved, now in this order: link "C" [ref=E67], link "B" [ref=E66], link "Z" [ref=E90], '
                'link "Y" [ref=E89]'
            ],
            id="several",
        ),
    ],
)
def test_what_moved_is_told_with_its_new_place(after: tuple[str, ...], expected: list[str]) -> None:
    assert changes(_lists("ABC", "XYZ"), _lists(*after)) == expected


def test_a_list_of_which_one_thing_is_left_is_none_that_went() -> None:
    before = '- list:\n  - link "A" [ref=E1]\n  - link "B" [ref=E2]\n- list:\n  - link "C" [ref=E3]\n  - text: D'
    after = '- link "B" [ref=E2]\n- list:\n  - link "C" [ref=E3]\n  - text: D\n  - link "A" [ref=E1]'

    assert changes(before, after) == ['~ - link "A" [ref=E1] (moved, now after text: D)']


@pytest.mark.parametrize("is_growing", [True, False], ids=["growing", "shrinking"])
def test_the_time_for_a_page_grows_with_its_length_alone(is_growing: bool) -> None:
    def page(buttons: int) -> str:
        return "\n".join(f'- button "Like" [ref=E{number}]' for number in range(1, buttons + 1))

    def took_s(buttons: int) -> float:
        pages = page(10), page(buttons)
        began = time.process_time()
        changes(*(pages if is_growing else pages[::-1]))
        return time.process_time() - began

    assert took_s(8_000) < 24 * took_s(1_000)  # 64 times as long, if each line were compared with all
