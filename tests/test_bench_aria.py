"""Holding one aria snapshot against another: what is interactive, by role and name."""

from __future__ import annotations

from collections import Counter

from bench import aria

OURS = """\
- heading "Sign in" [level=1]
- textbox "User name" [required] [ref=E1]: ada
- link "Help: first steps" [ref=E2] → /help
- iframe "Payment" [ref=E3]:
  - button "Pay" [ref=E4]
"""


def test_a_snapshot_of_ours_is_read() -> None:
    found = aria.interactive(OURS)

    assert found == Counter({("textbox", "Username"): 1, ("link", "Help:firststeps"): 1, ("button", "Pay"): 1})


def test_playwrights_quoted_lines_are_read() -> None:
    theirs = """\
- generic [ref=e1]:
  - 'link "Help: it''s here" [ref=e2] [cursor=pointer]':
    - /url: /help
  - textbox "User name" [ref=e3]: ada
"""

    assert aria.interactive(theirs) == Counter({("link", "Help:it'shere"): 1, ("textbox", "Username"): 1})


def test_an_element_shown_without_a_name_is_called_by_what_is_in_it() -> None:
    theirs = """\
- link [ref=e1]:
  - img "Logo"
  - generic "Opens the start page" [ref=e2]:
    - text: Home
- button [ref=e3]: Save
"""

    assert aria.interactive(theirs) == Counter({("link", "LogoHome"): 1, ("button", "Save"): 1})


def test_what_is_in_a_combobox_is_its_value_and_not_its_name() -> None:
    theirs = """\
- combobox [ref=e1]:
  - option "Asc" [selected]
"""

    assert aria.interactive(theirs) == Counter({("combobox", ""): 1, ("option", "Asc"): 1})


def test_what_is_there_less_often_is_missing_as_often() -> None:
    theirs = '- button "Pay" [ref=e1]\n- button "Pay" [ref=e2]\n- button "Cancel" [ref=e3]\n'

    assert aria.missing(OURS, theirs) == [("button", "cancel"), ("button", "pay")]


def test_a_name_in_capitals_by_a_style_sheet_is_the_same_name() -> None:
    assert aria.missing('- button "LOG OUT" [ref=E1]\n', '- button "Log out" [ref=e1]\n') == []
