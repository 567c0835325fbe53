"""Numbers for elements: never given twice, and good in another process too."""

from __future__ import annotations

from typing import Any, cast

import pytest

from cdp_agent.errors import InvalidArguments
from cdp_agent.page.frames.world import Handle, World
from cdp_agent.page.snapshot.refs import RefTable, parse_ref
from tests.tables import table


def world() -> World:
    return World(cast(Any, None), "F", 1, Handle("1"))


def test_a_world_keeps_its_own_numbers() -> None:
    table, only = RefTable(), world()
    table.claim(only, 1, 4)

    assert [table.number(only, local) for local in (1, 2, 3)] == [1, 2, 3]
    assert table.locate(2) == (only, 2)
    assert table.next == 4


def test_numbers_that_two_worlds_chose_are_shifted() -> None:
    table, first, second = RefTable(), world(), world()
    table.claim(first, 1, 4)
    table.claim(second, 1, 3)

    assert [table.number(second, local) for local in (1, 2)] == [4, 5]
    assert table.locate(5) == (second, 2)
    assert table.write(second, "- button [ref=\x012]") == "- button [ref=E5]"


def test_a_number_that_was_never_given_names_nothing() -> None:
    table, only = RefTable(), world()
    table.claim(only, 3, 5)

    assert [table.locate(number) for number in (1, 5, 99)] == [None, None, None]


def test_numbers_of_documents_that_have_gone_were_given_and_keep_nothing() -> None:
    table = RefTable()
    for number in range(100):
        table.claim(world(), 1 + 2 * number, 3 + 2 * number)  # nobody else holds it
    last = world()
    table.claim(last, 201, 203)

    assert [table.locate(number) for number in (1, 100, 202, 203)] == [None, None, (last, 202), None]
    assert [table.was_given(number) for number in (0, 1, 100, 202, 203)] == [False, True, True, True, False]
    assert len(table._by_number) == 2


@table("text", ["", "12", "E", "Ex", "E1 E2", "E1234567890", None, 12])
def test_what_is_no_ref_is_refused(text: Any) -> None:
    with pytest.raises(InvalidArguments):
        parse_ref(text)
