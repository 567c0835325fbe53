"""The budget of a run in tokens, money and time, and whether it is used up."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from cdp_agent.agent.base.task import Limits
from cdp_agent.agent.base.usage import UsageMeter
from cdp_agent.errors import CdpAgentError, SetupError
from cdp_agent.outcome import ErrorCode, TaskError
from cdp_agent.providers.base import Usage
from cdp_agent.providers.prices import Prices, cost_of

if TYPE_CHECKING:
    from cdp_agent.providers.services import Endpoint

_TURNS_KEPT = 2
"""What is kept for a last turn, in turns: it asks the model, and then a judge."""
_OPTION = {"max_tokens": "max_tokens_total"}
_COST_REPORTING = ("openrouter",)
"""Providers whose replies state their cost."""


class OverBudget(CdpAgentError):
    """The run may send no more requests to a model: `.error` is the limit that it has reached."""

    def __init__(self, error: TaskError) -> None:
        super().__init__(error.message)
        self.error = error


def check_prices(limits: Limits, prices: Prices, endpoints: Iterable[Endpoint]) -> None:
    """Raises SetupError when there is a limit on the cost, but the price of one of these models is unknown."""
    if limits.max_cost is None:
        return
    for each in endpoints:
        if each.provider not in _COST_REPORTING and prices.price_of(each.provider, each.model) is None:
            raise SetupError(
                f"max_cost needs to know what {each.provider}/{each.model} costs, which the prices of {prices.date} do "
                'not say: give a file of prices of your own (prices=), where "provider/*" names all of a provider.'
            )


class Used(msgspec.Struct, frozen=True):
    """What a turn used. Its tools' time is not in `took_s`: a last turn has none."""

    tokens: int = 0
    cost: float = 0.0
    took_s: float = 0.0


class Budget:
    """The limits of a run and what it has used so far; `usage` is updated during the run."""

    def __init__(self, limits: Limits, usage: UsageMeter, prices: Prices) -> None:
        self.limits = limits
        self.usage = usage
        self.prices = prices

    @property
    def spent(self) -> TaskError | None:
        """The limit on tokens or cost that is reached, as an error, or None. A timeout elsewhere limits the time."""
        limits, usage = self.limits, self.usage
        if limits.max_tokens_total is not None and usage.tokens >= limits.max_tokens_total:
            return TaskError(
                "max_tokens", f"It took {usage.tokens:,} tokens; max_tokens_total is {limits.max_tokens_total:,}."
            )
        if limits.max_cost is not None:
            if usage.unpriced:
                return TaskError("max_cost", "What it costs is not known: a reply did not tell.")
            if usage.cost >= limits.max_cost:
                return TaskError("max_cost", f"It cost {usage.cost:.4f} US dollars; max_cost is {limits.max_cost:g}.")
        return None

    def too_little_left(self, turn: Used, time_left_s: float | None) -> TaskError | None:
        """The limit of which less is left than a last turn and its judge may take, by what the turn before took."""
        limits, usage = self.limits, self.usage
        if limits.max_tokens_total is not None and limits.max_tokens_total - usage.tokens < _TURNS_KEPT * turn.tokens:
            return _little_left("max_tokens", f"It took {usage.tokens:,} of {limits.max_tokens_total:,} tokens")
        if limits.max_cost is not None and limits.max_cost - usage.cost < _TURNS_KEPT * turn.cost:
            return _little_left("max_cost", f"It cost {usage.cost:.4f} of {limits.max_cost:g} US dollars")
        if time_left_s is not None and time_left_s < _TURNS_KEPT * turn.took_s:
            return _little_left("max_seconds", f"Of {limits.max_seconds:g} seconds {time_left_s:.1f} are left")
        return None

    def check(self) -> None:
        """Raises OverBudget when a limit on tokens or cost is reached."""
        if (over := self.spent) is not None:
            raise OverBudget(over)

    def count(self, usage: Usage, endpoint: Endpoint) -> Usage:
        """Adds the usage of a reply from `endpoint`; returns it with its cost, if that is known."""
        cost = cost_of(usage, self.prices.price_of(endpoint.provider, endpoint.model))
        priced = msgspec.structs.replace(usage, cost=cost)
        self.usage.generated(priced)
        return priced


def _little_left(code: ErrorCode, used: str) -> TaskError:
    return TaskError(code, f"{used} ({_OPTION.get(code, code)}): too little for another turn.")


def out_of_time(limits: Limits) -> TaskError:
    return TaskError("max_seconds", f"It took more than {limits.max_seconds:g} seconds (max_seconds).")
