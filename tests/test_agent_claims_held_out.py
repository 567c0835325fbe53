"""Sentences on saved pages that were written before anybody looked at how they are judged: true ones and false ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_agent_claims_meaning import borne_out

FOLDER = Path(__file__).parent / "claims"
"""Of each `# page` of a text, `+` are true sentences and `-` false ones."""


def sentences(name: str) -> Iterator[tuple[str, bool, str]]:
    page = ""
    for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        mark, _, text = line.partition(" ")
        if mark == "#":
            page = (FOLDER / "pages" / f"{text}.txt").read_text(encoding="utf-8")
        else:
            yield page, mark == "+", text


@pytest.mark.parametrize("kind", [True, False], ids=["true", "false"])
def test_sentences_that_no_rule_was_written_for_are_told_apart(kind: bool) -> None:
    all_sets = (sentence for name in ("first", "second", "third") for sentence in sentences(name))
    told = [(page, sentence) for page, is_true, sentence in all_sets if is_true == kind]
    wrong = [sentence for page, sentence in told if borne_out(page, sentence) != kind]

    assert len(told) >= 180
    assert len(wrong) <= 0.02 * len(told), wrong
