"""What tokens cost, from our file or the user's."""

from pathlib import Path

import pytest

from cdp_agent.errors import SetupError
from cdp_agent.providers.base import Usage
from cdp_agent.providers.prices import LongRate, Price, Prices, cost_of, load_prices
from cdp_agent.providers.services import SERVICES
from tests.tables import table

PRICE = Price(input=2, cached=0.5, cache_write=2.5, output=8, long=LongRate(above=1000, input=4, output=16))


def test_each_kind_of_token_has_its_price() -> None:
    usage = Usage(input_tokens=1000, cached_tokens=600, cache_write_tokens=100, output_tokens=50)

    assert cost_of(usage, PRICE) == pytest.approx((300 * 2 + 600 * 0.5 + 100 * 2.5 + 50 * 8) / 1e6)


def test_a_long_request_costs_more_as_a_whole() -> None:
    assert cost_of(Usage(input_tokens=1001, cached_tokens=1, output_tokens=1), PRICE) == pytest.approx(4020 / 1e6)


def test_what_the_provider_tells_wins() -> None:
    assert cost_of(Usage(1000, 10, cost=0.25), PRICE) == 0.25


@pytest.mark.parametrize(("usage", "price"), [(Usage(5, 5), None), (Usage(), PRICE)], ids=["price", "usage"])
def test_what_is_unknown_is_not_free(usage: Usage, price: Price | None) -> None:
    assert cost_of(usage, price) is None


@table(
    "model",
    ["gpt", "gpt-2025-04-14", "gpt-20250414", "gpt@20250414", "gpt-latest"],
)
def test_a_model_of_a_certain_date_costs_what_the_model_costs(model: str) -> None:
    assert Prices(date="", source="", models={"openai/gpt": PRICE}).price_of("openai", model) is PRICE


def test_all_of_a_provider_can_have_one_price() -> None:
    free = Price(input=0, output=0)
    prices = Prices(date="", source="", models={"ollama/*": free, "ollama/big": PRICE})

    assert [prices.price_of("ollama", "small"), prices.price_of("ollama", "big")] == [free, PRICE]
    assert prices.price_of("openai", "small") is None


def test_the_prices_that_come_with_the_package_say_whence_they_are() -> None:
    prices = load_prices()

    assert prices.date > "2026"
    assert prices.source
    assert {name.partition("/")[0] for name in prices.models} <= set(SERVICES)
    assert all(0 < (price.cached or price.input) <= price.input < price.output for price in prices.models.values())


def test_a_file_of_the_users_takes_their_place(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    path.write_text('{"date":"today","source":"me","models":{"x/y":{"input":1,"output":2}}}')

    assert load_prices(path).models == {"x/y": Price(input=1, output=2)}


@pytest.mark.parametrize(
    ("content", "problem"),
    [(None, "cannot be read"), ("{}", "is not a file of prices"), ("{", "is not a file of prices")],
    ids=["missing", "something else", "no JSON"],
)
def test_a_file_that_is_none_is_told(tmp_path: Path, content: str | None, problem: str) -> None:
    path = tmp_path / "prices.json"
    if content is not None:
        path.write_text(content)

    with pytest.raises(SetupError, match=problem):
        load_prices(path)
