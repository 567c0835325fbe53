"""The border to the model: no request goes out beyond the run's budget, and no secret in either direction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from cdp_agent.agent.model.budget import OverBudget, spent
from cdp_agent.errors import BadReply
from cdp_agent.providers.base import Reply, Request, Usage
from cdp_agent.providers.client import Client
from cdp_agent.providers.prices import cost_of
from cdp_agent.providers.shared.estimate import counted_or_estimated, estimated_usage

if TYPE_CHECKING:
    from cdp_agent.agent.state.run import Run
    from cdp_agent.providers.services import Endpoint


class RunClient(Client):
    """Asks for a run, whoever of it asks: what a tool asks by itself counts as everything else does."""

    run: Run

    async def ask(self, request: Request) -> Reply:
        """See `Client.ask`. Raises OverBudget, too."""
        run = self.run
        if (over := spent(run.limits, run.tally)) is not None:
            raise OverBudget(over)
        masked = msgspec.structs.replace(request, messages=run.secrets.masked(request.messages))
        return run.secrets.masked(await super().ask(masked))

    def counted(self, request: Request, reply: Reply, endpoint: Endpoint) -> Reply:
        """The reply as it counts in the run: by its provider's figures, or by an estimate."""
        usage = self._priced(counted_or_estimated(request, reply), endpoint)
        self.run.tally.generated(usage)
        return msgspec.structs.replace(reply, usage=usage)

    def lost(self, request: Request, error: BadReply, endpoint: Endpoint) -> None:
        """Counts a reply that could not be read by an estimate, so that the budget holds."""
        self.run.tally.generated(self._priced(estimated_usage(request, error.received_bytes), endpoint))

    def _priced(self, usage: Usage, endpoint: Endpoint) -> Usage:
        cost = cost_of(usage, self.run.prices.price_of(endpoint.provider, endpoint.model))
        return msgspec.structs.replace(usage, cost=cost)
