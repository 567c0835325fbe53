"""What was taken from a page and is nowhere on it."""

from __future__ import annotations

import time

import pytest

from cdp_agent.extract.grounding import Ungrounded, ungrounded
from tests.tables import table

PAGE = """\
# Flights

| From | Price | Day |
| --- | --- | --- |
| Oslo – Bergen | €1.299,00 | 4 March 2025 |
| **Log**out | $2,500 | Mar 5th, 2025<br>12:30 |

Smith , John O’Neil, 12 345,67 kr, 1.5 million, 12% of \\*stars\\*, C++ 7, −5 °C, version 1.2.3, 1 024, 東京都
[Foo](https://example.org/a_b?c=1)
"""

GROUNDED = [
    *("Oslo - Bergen", "OSLO", "Logout", "4 March 2025", "2025-03-04", "2025-03-05", "12:30", "Smith, John"),
    *("O'Neil", "*stars*", "C++", "https://example.org/a_b?c=1", "東京", "version 1.2.3", "€1.299,00", "€1,299.00"),
    *("1299 EUR", "$2500", "2.500", "", 1299, 1299.0, 2500, 12345.67, 1_500_000, 12, 0.12, 5, -5, 1024, 7, None, True),
]
INVENTED = ["Osl", "Bergen – Oslo", "2025-03-06", "C#", "€1.300,00", "Trondheim", 1298, 299, 45, 99.5, 10**400]


@table("value", GROUNDED)
def test_what_is_on_the_page_is_found_however_it_is_written(value: object) -> None:
    assert ungrounded({"a": value}, PAGE) == []


@table("value", INVENTED)
def test_what_is_not_is_told(value: str | float) -> None:
    assert ungrounded([value], PAGE) == [Ungrounded("$[0]", value)]


def test_a_text_that_the_page_begins_with_is_found() -> None:
    assert ungrounded("C++", "C++ since 1985") == []


@pytest.mark.parametrize("page", ["½ " + "7" * 20_000, "7" * 20_000 + "½"], ids=["after", "before"])
def test_digits_without_an_end_beside_a_fraction_are_read_at_once(page: str) -> None:
    begun = time.process_time()

    assert ungrounded("tea", page) == [Ungrounded("$", "tea")]
    assert time.process_time() - begun < 5  # to look at each digit from each other one took a minute


def test_each_invented_value_has_its_path() -> None:
    found = ungrounded({"flights": [{"to": "Bergen", "price": 1299}, {"to": "Paris", "seats": [9]}]}, PAGE)

    assert found == [Ungrounded("$.flights[1].to", "Paris"), Ungrounded("$.flights[1].seats[0]", 9)]


def test_the_keys_of_a_map_are_data_and_those_that_the_schema_names_are_not() -> None:
    prices = {"type": "object", "additionalProperties": {"type": "number"}}
    schema = {"type": "object", "properties": {"prices": prices}}

    assert ungrounded({"prices": {"Bergen": 1299, "Paris": 1299}}, PAGE, schema) == [
        Ungrounded("$.prices.Paris", "Paris")
    ]
