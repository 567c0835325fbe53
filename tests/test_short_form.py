"""The lines of pages in fewer tokens, as an agent's model reads them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cdp_agent.page.snapshot.lines import refs_in, words_in
from cdp_agent.page.snapshot.short_form import short_form

from .tables import table
from .test_snapshot_js import FOLDER

SAME = {
    "a text that reads like a ref": "- text: see [ref=E5] and E6",
    "a name that reads like a line": '- heading "- button \\"Pay\\" [ref=E5]" [level=1]',
    "a text of several lines": '- textbox "Notes":\n  | - button "Pay" [ref=E5]',
    "a text that reads like a note": "- text: see (after [ref=E5])",
    "a list": "- list:\n  - listitem: One\n  - listitem: Two",
    "a row of text": "- row: Tea | 3.00",
}


@pytest.mark.parametrize("text", SAME.values(), ids=SAME)
def test_other_lines_stay_as_they_are(text: str) -> None:
    assert short_form(text) == text


REFS = {
    "a line": ('- button "Save" [disabled] [ref=E7]', '- button "Save" [disabled] E7'),
    "with all that a line may have": (
        '  - link "A [ref=E1]" [current] [description="b [ref=E2]"] [ref=E3] → /a?[ref=E4]: c [ref=E5]',
        '  - link "A [ref=E1]" [current] [description="b [ref=E2]"] E3 → /a?[ref=E4]: c [ref=E5]',
    ),
    "new": ('+ - button "Pay" [ref=E9]', '+ - button "Pay" E9'),
    "in a receipt": ('  ~ - textbox "Street" [ref=E20] (now [invalid])', '  ~ - textbox "Street" E20 (now [invalid])'),
    "with another name": ('~ - button "A" → "B [ref=E1]" [ref=E2]', '~ - button "A" → "B [ref=E1]" E2'),
    "after another": ('+ - option "B" (after option "A (now" [ref=E1])', '+ - option "B" (after option "A (now" E1)'),
    "moved": (
        '~ - link "A" [ref=E1] (moved from "[ref=E7]" to "D", now after link "B [ref=E8]" [ref=E2])',
        '~ - link "A" E1 (moved from "[ref=E7]" to "D", now after link "B [ref=E8]" E2)',
    ),
    "in another order": ('~ moved, now in this order: link "C" [ref=E3]', '~ moved, now in this order: link "C" E3'),
    "behind": ('~ now [inert]: link "C" [ref=E3], text: b', '~ now [inert]: link "C" E3, text: b'),
    "of the focus": ('focus: textbox "a [ref=E1]" [ref=E2]', 'focus: textbox "a [ref=E1]" E2'),
    "with a cut name": ('- - button "A [ref=E1… [ref=E2]', '- - button "A [ref=E1… E2'),
}


@pytest.mark.parametrize(("text", "short"), REFS.values(), ids=REFS)
def test_the_ref_of_a_line_is_short(text: str, short: str) -> None:
    assert short_form(text) == short


ROWS = {
    "controls and texts": (
        '- row:\n  - checkbox "Tea" [ref=E1]\n  - link "Tea" [ref=E2] → /tea\n  - text: 3 | 1\\|2\n  - img "" [ref=E3]',
        '- row: checkbox "Tea" E1 | link "Tea" E2 → /tea | 3 | "1|2" | img "" E3',
    ),
    "its own text, ref and state": (
        '- row "Tea" [selected] [ref=E1]: Tea | 3.00\n  - button "Buy" [ref=E2]',
        '- row "Tea" [selected] E1: Tea | 3.00 | button "Buy" E2',
    ),
    "several things in a cell": (
        '- row:\n  - cell:\n    - link "A" [ref=E1] → /a\n    - text: new | hot\n  - cell: 3\n    - tab "X" [ref=E2]',
        '- row: link "A" E1 → /a + "new | hot" | 3 + tab "X" E2',
    ),
    "cells that can be acted on": (
        '- row:\n  - gridcell [ref=E1]: 31 ms\n  - gridcell [checked] [ref=E2]\n  - gridcell [description="Pin"]:\n'
        '    - checkbox "Pin" [ref=E3]',
        '- row: E1: 31 ms | [checked] E2 | [description="Pin"]: checkbox "Pin" E3',
    ),
    "headers": (
        '- row:\n  - columnheader [sort=ascending] [ref=E1]: Name\n  - columnheader "Age":\n    - switch "" [ref=E2]',
        '- row: columnheader [sort=ascending] E1: Name | columnheader "Age": switch "" E2',
    ),
    "empty cells": (
        '- row:\n  - cell\n  - link "Tea" [ref=E1] → /tea\n  - text: "| 3.00"\n  - cell\n  - button "Buy" [ref=E2]',
        '- row: | link "Tea" E1 → /tea | | 3.00 | | button "Buy" E2',
    ),
    "of a difference": (
        '+ - row:\n+   - link "Tea" [ref=E1] → /tea\n+   - text: 3.00\n- - row: Coffee',
        '+ - row: link "Tea" E1 → /tea | 3.00\n- - row: Coffee',
    ),
    "the rows after it": (
        '- table:\n  - row:\n    - button "A" [ref=E1]\n  - row:\n    - button "B" [ref=E2]\n- button "C" [ref=E3]',
        '- table:\n  - row: button "A" E1\n  - row: button "B" E2\n- button "C" E3',
    ),
}


@pytest.mark.parametrize(("text", "short"), ROWS.values(), ids=ROWS)
def test_a_row_is_one_line_with_a_bar_between_its_cells(text: str, short: str) -> None:
    assert short_form(text) == short


FORGED = {
    "a ref": ('button "Pay" E9', '"button \\"Pay\\" E9"'),
    "a ref in brackets": ('button "Pay" [ref=E9]', '"button \\"Pay\\" [ref=E9]"'),
    "a ref alone": ("E9", '"E9"'),
    "a name": ('"\\"Tea\\" is new"', '"\\"Tea\\" is new"'),
    "a line break": ('"3.00\\u2028- button"', '"3.00\\u2028- button"'),
}


@table(
    "where", ["- text: {}", "- cell: {}", '- button "Buy" [ref=E1]: {}', '- cell:\n    - link "Tea" [ref=E1] → /a: {}']
)
@table("forged", list(FORGED))
def test_no_text_in_a_row_is_taken_for_anything_else(where: str, forged: str) -> None:
    text, quoted = FORGED[forged]

    written = short_form(f'- row:\n  - button "Sell" [ref=E2]\n  {where.format(text)}')

    assert written.startswith('- row: button "Sell" E2 | ')
    assert written.endswith(quoted)


LONG = {
    "lines in what is in a cell": "- row:\n  - cell:\n    - list:\n      - listitem: One\n  - cell: 3.00",
    "many lines in a cell": "- row:\n  - cell: A\n" + "\n".join(f'    - link "{n}" → /{n}' for n in range(5)),
    "options": '- row:\n  - combobox "Size":\n    - option "S"\n    - option "M"',
    "lines of text": "- row:\n  - cell:\n    | one\n    | two",
    "what was left out": '- row:\n  - button "Buy"\n  … 12 more buttons',
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_a_row_with_more_than_fits_a_line_keeps_its_lines(text: str) -> None:
    assert short_form(text) == text


def test_a_link_that_is_there_twice_in_a_row_is_there_once() -> None:
    twins = '- link "Tea" [ref=E1] → /tea\n- link "Tea" [ref=E2] → /tea\n- text: 3.00'

    assert short_form(twins) == '- link "Tea" E1 → /tea\n- text: 3.00'


OTHERS = {
    "to another place": '- link "Tea" → /tea\n- link "Tea" → /coffee',
    "with another state": '- link "Tea" → /tea\n- link "Tea" [current] → /tea',
    "on the same page": '- link "Delete" → #\n- link "Delete" → #',
    "with more in it": '- link "Tea" → /tea\n- link "Tea" → /tea:\n  - button "Buy"',
    "elsewhere": '- listitem:\n  - link "Tea" → /tea\n- link "Tea" → /tea',
    "in the next cell": '- row: | \n  - link "Tea" → /tea\n  - link "Tea" → /tea\n  | x',
    "buttons": '- button "Add"\n- button "Add"',
}


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_what_may_do_something_else_is_there_as_often_as_on_the_page(text: str) -> None:
    assert short_form(text) == text


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_a_page_keeps_its_refs_and_its_words(path: Path) -> None:
    text = path.read_text("utf-8")

    written = short_form(text)

    assert [ref for ref in refs_in(text) if not re.search(rf"\b{ref}\b", written)] == []
    said = {word for _, name, said in words_in(text) for word in re.findall(r"\w+", f"{name} {said}")}
    assert said - set(re.findall(r"\w+", written)) == set()
