"""The values of an extracted row stand together on the page, and rows are given as often as they are there."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from cdp_agent.extract.grounding import SourcePage
from cdp_agent.extract.rows import RowsChecked, asks_for_some, check_rows
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


def _cards_with_names_last(rows: Rows) -> str:
    return "\n\n".join(
        f"€ {row['price']:.2f}\n\n{row['stock']} left\n\n{row['date']} {row['state']}\n\n[{row['name']}]({row['url']})"
        for row in rows
    )


def _items(rows: Rows) -> str:
    return "\n".join(
        f"- [{row['name']}]({row['url']}) €{row['price']:.2f}, {row['stock']} left, {row['date']}, {row['state']}"
        for row in rows
    )


def _definitions(rows: Rows) -> str:
    fields = "Name\n: [{name}]({url})\n\nPrice\n: {price:.2f}\n\nStock\n: {stock}\n\nDate\n: {date}\n\nState\n: {state}"
    return "\n\n".join(fields.format(**row) for row in rows)


def _tables_of_one(rows: Rows) -> str:
    fields = "|  |  |\n| --- | --- |\n| Name | [{name}]({url}) |\n| Price | {price:.2f} |\n| Stock | {stock} |"
    return "\n\n".join(f"{fields}\n| Date | {{date}} |\n| State | {{state}} |".format(**row) for row in rows)


def _two_tables(rows: Rows) -> str:
    prices = "\n".join(f"| [{row['name']}]({row['url']}) | {row['price']:.2f} |" for row in rows)
    others = "\n".join(f"| {row['name']} | {row['stock']} | {row['date']} | {row['state']} |" for row in rows)
    rule = "| --- | --- | --- | --- |"
    return f"| name | price |\n| --- | --- |\n{prices}\n\n## More\n\n| name | stock | date | state |\n{rule}\n{others}"


PAGES: dict[str, Callable[[Rows], str]] = {
    "table": _table,
    "cards": _cards,
    "cards with names within": _cards_with_names_within,
    "cards with names last": _cards_with_names_last,
    "items": _items,
    "definitions": _definitions,
    "tables of one": _tables_of_one,
    "two tables": _two_tables,
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
        for field, by in [("price", 7), ("price", 1), ("url", 1), ("url", -1), ("date", 3)]
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
def test_small_numbers_of_other_rows_are_misplaced_though_names_have_them(write: Callable[[Rows], str]) -> None:
    wrong = moved("stock", 5)

    assert len(checked(write, wrong).misplaced) >= sum(row != true for row, true in zip(wrong, ROWS, strict=True)) - 1


@table("write", PAGES)
def test_one_wrong_value_is_the_only_one(write: Callable[[Rows], str]) -> None:
    wrong = [*ROWS[:20], {**ROWS[20], "price": ROWS[40]["price"]}, *ROWS[21:]]

    assert [value.path for value in checked(write, wrong).misplaced] == ["$.rows[20].price"]


@table("write", PAGES)
def test_rows_that_are_given_twice_are_told(write: Callable[[Rows], str]) -> None:
    assert checked(write, [*ROWS, *ROWS[:3]]).repeated == ["$.rows[60]", "$.rows[61]", "$.rows[62]"]


def test_of_how_many_rows_of_a_table_some_are_given() -> None:
    assert checked(_table, ROWS[:10]).left_out == ["10 of the 60 rows of the table are in the result."]


def test_a_table_of_two_fields_that_are_all_mixed_up_is_told() -> None:
    wrong = [{"name": row["name"], "price": row["price"]} for row in moved("price", 7)]

    assert len(checked(_table, wrong).misplaced) == len(ROWS)


def test_prices_that_rows_share_are_told_from_those_of_other_rows() -> None:
    rows = [{**row, "price": float(10 + n % 4)} for n, row in enumerate(ROWS)]
    page = SourcePage(_cards(rows))
    wrong = [{**row, "price": rows[n - 1]["price"]} for n, row in enumerate(rows)]

    assert check_rows(rows, page) == RowsChecked([], [], [])
    assert len(check_rows(wrong, page).misplaced) == len(rows)


ORDERS: Rows = [
    {
        "id": 1000 + n,
        "customer": f"Customer {'ABCDEFGHIJ'[n * 7 % 10]}",
        "lines": [{"sku": f"S-{(n * 3 + k) % 7}", "qty": 1 + k, "price": 20 + n + k / 10} for k in range(1 + n % 3)],
    }
    for n in range(12)
]
ORDERS_PAGE = "\n\n".join(
    f"## Order {order['id']}\n\n{order['customer']}\n\n| sku | qty | price |\n| --- | --- | --- |\n"
    + "\n".join(f"| {line['sku']} | {line['qty']} | {line['price']:.2f} |" for line in order["lines"])
    for order in ORDERS
)


def test_rows_within_rows_stand_with_the_one_around_them() -> None:
    page = SourcePage(ORDERS_PAGE)
    of_others = [{**order, "lines": ORDERS[n - 3]["lines"]} for n, order in enumerate(ORDERS)]
    mixed = [
        {**order, "lines": [{**line, "price": order["lines"][k - 1]["price"]} for k, line in enumerate(order["lines"])]}
        for order in ORDERS
    ]

    assert check_rows({"orders": ORDERS}, page) == RowsChecked([], [], [])
    rows_of_others = {value.path.partition("]")[0] for value in check_rows({"orders": of_others}, page).misplaced}
    assert len(rows_of_others) == len(ORDERS)
    wrong = {value.path.rpartition(".")[0] for value in check_rows({"orders": mixed}, page).misplaced}
    assert len(wrong) == sum(len(order["lines"]) for order in ORDERS if len(order["lines"]) > 1)


def test_rows_left_out_of_the_tables_of_several_rows_are_counted_together() -> None:
    fewer = [{**order, "lines": order["lines"][:1]} for order in ORDERS]

    assert check_rows(fewer, SourcePage(ORDERS_PAGE)).left_out == ["12 of the 24 rows of the tables are in the result."]


def test_a_line_above_rows_has_a_value_for_those_without_their_own() -> None:
    days = [f"{1 + n // 3} May" for n in range(60)]
    lines = [
        f"{f'{day}:' if n % 3 == 0 else ''}\n\n- {ROWS[n]['name']}, {ROWS[n]['price']}" for n, day in enumerate(days)
    ]
    rows = [{"name": row["name"], "price": row["price"], "day": day} for row, day in zip(ROWS, days, strict=True)]

    assert check_rows(rows, SourcePage("\n\n".join(lines))) == RowsChecked([], [], [])


RECORDS = {
    "definitions": "# Book\n\nTitle\n: Moby-Dick\n\nPage count\n: 635\n\nYear\n: 1851\n\nPrice\n: 12.50 €",
    "labels": "# Moby-Dick\n\nPage count: 635\n\nYear: 1851\n\nPrice: 12.50 €",
    "table": "|  |  |\n| --- | --- |\n| Page count | 635 |\n| Year | 1851 |\n| Price | 12.50 € |\n| Sold | 1851 |",
}


@table("page", RECORDS.values())
def test_values_of_one_record_stand_after_their_own_labels(page: str) -> None:
    true = {"title": "Moby-Dick", "page_count": 635, "year": 1851, "price": 12.5}
    wrong = {**true, "page_count": 1851, "year": 635}

    assert check_rows(true, SourcePage(page)).misplaced == []
    assert [value.path for value in check_rows(wrong, SourcePage(page)).misplaced] == ["$.page_count", "$.year"]


def test_columns_that_are_taken_for_each_other_are_told() -> None:
    lines = "\n".join(f"| Item {n} | {n + 50} | {n + 20} |" for n in range(20))
    page = SourcePage(f"| Name | Old price | Price |\n| --- | --- | --- |\n{lines}")
    true = [{"name": f"Item {n}", "price": n + 20, "oldPrice": n + 50} for n in range(20)]
    wrong = [{**row, "price": row["oldPrice"], "oldPrice": row["price"]} for row in true]

    assert check_rows(true, page) == RowsChecked([], [], [])
    assert len(check_rows(wrong, page).misplaced) == 2 * len(true)


@table(
    ("description", "is_some"),
    [
        ("All products with their prices", False),
        ("every row of the table", False),
        ("The first ten products", True),
        ("products under 20 €", True),
        ("those that are open", True),
    ],
)
def test_whether_only_some_rows_are_wanted(description: str, is_some: bool) -> None:
    assert asks_for_some(description, {"type": "array"}) == is_some
    assert asks_for_some(description, {"type": "array", "maxItems": 5})


def test_a_heading_has_a_value_for_all_rows_below_it() -> None:
    def in_groups(rows: Rows) -> str:
        head, rule, *lines = _table(rows).split("\n")
        grouped = [line for n in range(0, 60, 10) for line in [f"| Shelf {n // 10 + 1} |", *lines[n : n + 10]]]
        return "\n".join([head, rule, *grouped])

    true = [{**row, "shelf": f"Shelf {n // 10 + 1}"} for n, row in enumerate(ROWS)]
    assert checked(in_groups, true) == RowsChecked([], [], [])

    wrong = [*true[:14], {**true[14], "shelf": "Shelf 5"}, *true[15:]]
    assert [value.path for value in checked(in_groups, wrong).misplaced] == ["$.rows[14].shelf"]
