"""Prices of tokens, from a data file that the user can replace by one of the same form."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import msgspec

from cdp_agent.errors import SetupError
from cdp_agent.providers.base import Usage

SHIPPED = Path(__file__).with_name("prices.json")
_MILLION = 1_000_000
# Suffixes of a model's dated versions: gpt-4.1-2025-04-14, claude-haiku-4-5-20251001, claude-haiku-4-5@20251001.
_DATE = re.compile(r"(?:[-@](?:\d{4}-\d\d-\d\d|\d{8})|-latest|:latest)$")


class Rate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """US dollars per million tokens. Cache reads and writes without a price cost the same as input."""

    input: float
    output: float
    cached: float | None = None
    cache_write: float | None = None

    def cost(self, usage: Usage) -> float:
        cached = self.input if self.cached is None else self.cached
        written = self.input if self.cache_write is None else self.cache_write
        plain = usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens
        dollars = max(0, plain) * self.input + usage.cached_tokens * cached + usage.cache_write_tokens * written
        return (dollars + usage.output_tokens * self.output) / _MILLION


class LongRate(Rate, frozen=True, kw_only=True):
    """The rate of a whole request whose input is longer than `above` tokens."""

    above: int


class Price(Rate, frozen=True, kw_only=True):
    """The price of a model."""

    long: LongRate | None = None

    def cost(self, usage: Usage) -> float:
        if self.long is not None and usage.input_tokens > self.long.above:
            return self.long.cost(usage)
        return super().cost(usage)


class Prices(msgspec.Struct, frozen=True, kw_only=True):
    """A file of prices: by provider/model, or provider/* for all models of a provider that are not listed."""

    date: str
    source: str
    unit: str = ""
    models: dict[str, Price]

    def price_of(self, provider: str, model: str) -> Price | None:
        """The price, None if it is not known. A dated version of a model has the price of the model."""
        names = (model, _DATE.sub("", model), "*")
        return next((found for name in names if (found := self.models.get(f"{provider}/{name}"))), None)


def cost_of(usage: Usage, price: Price | None) -> float | None:
    """The cost of a request in US dollars: as the provider reported it, else by `price`; None if neither is known."""
    if usage.cost is not None:
        return usage.cost
    if price is None or not (usage.input_tokens or usage.output_tokens):  # without counts the cost is unknown, not 0
        return None
    return price.cost(usage)


@cache
def load_prices(path: Path | None = None) -> Prices:
    """The prices in the user's file, or by default those in the package. Raises SetupError."""
    path = path or SHIPPED
    try:
        return msgspec.json.decode(path.read_bytes(), type=Prices)
    except OSError as error:
        raise SetupError(f"The prices in {path} cannot be read: {error.strerror}.") from error
    except msgspec.DecodeError as error:
        raise SetupError(f"{path} is not a file of prices such as {SHIPPED}: {error}.") from error
