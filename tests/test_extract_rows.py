"""The values of an extracted row stand together on the page, and rows are given as often as they are there."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from cdp_agent.extract.grounding import SourcePage
from cdp_agent.extract.rows import RowsChecked, check_rows
from tests.tables import table

Rows = list[dict[str, Any]]
_RANDOM = random.Random(7)
STATES = ["open", "closed", "on hold"]
ROWS: Rows = [
    {
        "name": f"Product {n} {_RANDOM.choice(['red', 'blue'])}",
        "price": 100 + n + _RANDOM.randint(10, 99) / 100,
        "stock": _RANDOM.randint(0, 40),
        "date": f"2026-{_RANDOM.randint(1, 12):02}-{_RANDOM.randint(1, 28):02}",
        "state": _RANDOM.choice(STATES),
        "url": f"https://shop.example/p/{n}",
    }
    for n in range(60)
]


def _table(rows: Rows) -> str:
    lines = [
        f"| [{row['name']}]({row['url']}) | € {row['price']:.2f} | {row['stock']} | {row['date']} | {row['state']} |"
        for row in rows
    ]
    return "\n".join(["| name | price | stock | date | state |", "| --- | --- | --- | --- | --- |", *lines])


def _cards(rows: Rows) -> str:
    return "\n\n".join(
        f"### [{row['name']}]({row['url']})\n\n€ {row['price']:.2f}\n\nStock: {row['stock']}\n\n{row['date']}\n\n"
        f"{row['state']}"
        for row in rows
    )


def _cards_with_names_within(rows: Rows) -> str:
    return "\n\n".join(
        f"{row['date']}\n\n**{row['name']}**\n\n{row['price']:.2f} kr\n\n"
        f"{row['stock']} left, {row['state']}, [more]({row['url']})"
        for row in rows
    )


PAGES: dict[str, Callable[[Rows], str]] = {
    "table": _table,
    "cards": _cards,
    "cards with names within": _cards_with_names_within,
}


def moved(field: str, by: int = 1) -> Rows:
    return [{**row, field: ROWS[(n + by) % len(ROWS)][field]} for n, row in enumerate(ROWS)]


def checked(write: Callable[[Rows], str], rows: Rows) -> RowsChecked:
    return check_rows({"rows": rows}, SourcePage(f"https://shop.example/ Shop\n\n# Shop\n\n{write(ROWS)}\n\nEnd"))


@table("write", PAGES)
def test_true_rows_are_as_they_should_be(write: Callable[[Rows], str]) -> None:
    assert checked(write, ROWS) == RowsChecked([], [], [])
    assert checked(write, ROWS[::2]).misplaced == []


@table(
    ("write", "field", "by"),
    [
        (write, field, by)
        for write in PAGES.values()
        for field, by in [("price", 7), ("url", 1), ("url", -1), ("date", 3)]
    ],
)
def test_values_of_other_rows_are_misplaced(write: Callable[[Rows], str], field: str, by: int) -> None:
    wrong = moved(field, by)

    misplaced = checked(write, wrong).misplaced

    expected = [f"$.rows[{n}].{field}" for n, row in enumerate(wrong) if row != ROWS[n]]
    assert [value.path for value in misplaced] == expected


@table("write", PAGES)
def test_states_that_are_swapped_are_misplaced(write: Callable[[Rows], str]) -> None:
    wrong = [{**row, "state": STATES[STATES.index(row["state"]) - 1]} for row in ROWS]

    assert len(checked(write, wrong).misplaced) == len(ROWS)


@table("write", PAGES)
def test_one_wrong_value_is_the_only_one(write: Callable[[Rows], str]) -> None:
    wrong = [*ROWS[:20], {**ROWS[20], "price": ROWS[40]["price"]}, *ROWS[21:]]

    assert [value.path for value in checked(write, wrong).misplaced] == ["$.rows[20].price"]


@table("write", PAGES)
def test_rows_that_are_given_twice_are_told(write: Callable[[Rows], str]) -> None:
    assert checked(write, [*ROWS, *ROWS[:3]]).repeated == ["$.rows[60]", "$.rows[61]", "$.rows[62]"]


def test_of_how_many_rows_of_a_table_some_are_given() -> None:
    assert checked(_table, ROWS[:10]).left_out == ["10 of the 60 rows of the table are in the result."]


def test_a_heading_has_a_value_for_all_rows_below_it() -> None:
    def in_groups(rows: Rows) -> str:
        head, rule, *lines = _table(rows).split("\n")
        grouped = [line for n in range(0, 60, 10) for line in [f"| Shelf {n // 10 + 1} |", *lines[n : n + 10]]]
        return "\n".join([head, rule, *grouped])

    true = [{**row, "shelf": f"Shelf {n // 10 + 1}"} for n, row in enumerate(ROWS)]
    assert checked(in_groups, true) == RowsChecked([], [], [])

    wrong = [*true[:14], {**true[14], "shelf": "Shelf 5"}, *true[15:]]
    assert [value.path for value in checked(in_groups, wrong).misplaced] == ["$.rows[14].shelf"]
