"""How alike two names are."""

from __future__ import annotations

import pytest

from cdp_agent.steps.language.words import mention_score, name_score, quoted
from tests.tables import table


@table(
    ("wanted", "name", "score"),
    [
        ("Save", "save…", 1.0),
        ("e-mail", "E mail", 0.97),
        ("Malmo", "Malmö", 0.97),
        ("x", "×", 1.0),
        ("Terms and conditions", "Terms & Conditions", 1.0),
        ("Search", "Search the docs", 0.84),
        ("docs", "Search the docs", 0.74),
        ("the search docs", "Search the docs", 0.77),
        ("Serach", "Search", 0.75),
        ("Result", "Results", 0.75),
        ("save", "Don't save", 0.0),
        ("order", "Cancel order", 0.0),
        ("select all", "Deselect all", 0.0),
        ("Sort ascending", "Sort descending", 0.0),
        ("Item 1", "Item 2", 0.0),
        ("C", "C++", 0.0),
        ("Maria", "Marie", 0.0),
        ("", "Save", 0.0),
    ],
)
def test_names_are_as_alike_as_their_words(wanted: str, name: str, score: float) -> None:
    assert round(name_score(wanted, name), 2) == score


def test_a_quoted_name_is_spelt_as_it_is() -> None:
    assert (name_score("Serach", "Search", exactly=True), name_score("Search", "Search", exactly=True)) == (0.0, 1.0)


def test_a_text_mentions_whole_words_only() -> None:
    assert (mention_score("Ada", "Ada has not paid") > 0, mention_score("Ada", "Adamant")) == (True, 0.0)


@pytest.mark.parametrize(
    ("text", "quotes"),
    [
        ("Type 'don't panic'", ["don't panic"]),
        ("Ada's 'x' and \"y\"", ["x", "y"]),
        ("„Hallo“ «salut» `code` ‘it’s’", ["Hallo", "salut", "code", "it’s"]),
    ],
)
def test_what_is_quoted_is_found_in_any_quotation_marks(text: str, quotes: list[str]) -> None:
    assert quoted(text).quotes == quotes
