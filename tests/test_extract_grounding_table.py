"""Values with schemas and pages, told apart as a reader of the page would: shown ones and invented ones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cdp_agent.extract.grounding import ungrounded

FOLDER = Path(__file__).parent / "grounding"
"""Of each `# page`, with the `@ schema` above them if there is one, `+` are shown values and `-` invented ones."""


def values(name: str) -> Iterator[tuple[str, object, bool, object]]:
    page, schema = "", None
    for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        mark, _, text = line.partition(" ")
        if mark == "#":
            page, schema = text.replace("\\n", "\n"), None
        elif mark == "@":
            schema = json.loads(text)
        else:
            yield page, schema, mark == "+", json.loads(text)


@pytest.mark.parametrize(("name", "most_wrong"), [("first", 0.01), ("second", 0.05)])
@pytest.mark.parametrize("is_shown", [True, False], ids=["shown", "invented"])
def test_values_are_told_apart(name: str, most_wrong: float, is_shown: bool) -> None:
    told = [(page, schema, value) for page, schema, shown, value in values(name) if shown == is_shown]
    wrong = [value for page, schema, value in told if bool(ungrounded(value, page, schema)) == is_shown]

    assert len(wrong) <= most_wrong * len(told), wrong
