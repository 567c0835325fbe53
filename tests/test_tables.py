"""A table of a test is checked to its end, and what fails says in which row."""

from __future__ import annotations

import pytest

from tests.tables import table


def test_all_rows_are_checked_and_one_that_fails_is_named() -> None:
    checked = []

    @table("b", {"the first": 1, "the second": 2})
    @table("a", [1, 2])
    def check(a: int, b: int) -> None:
        checked.append((a, b))
        assert (a, b) != (2, 2)

    with pytest.raises(AssertionError) as failed:
        check()

    assert checked == [(1, 1), (2, 1), (1, 2), (2, 2)]
    assert failed.value.__notes__ == ["In the row 2.", "In the row 'the second'."]
