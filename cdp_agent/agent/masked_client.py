"""The border to the model: no secret goes out in a request, and none stays in what comes back."""

from __future__ import annotations

import msgspec

from cdp_agent.providers.base import Reply, Request
from cdp_agent.providers.client import Client
from cdp_agent.secrets import Secrets


class MaskedClient(Client):
    """Asks with all of the run's `secrets` masked, whoever of the run asks."""

    secrets = Secrets()

    async def ask(self, request: Request) -> Reply:
        """See `Client.ask`."""
        masked = msgspec.structs.replace(request, messages=self.secrets.masked(request.messages))
        return self.secrets.masked(await super().ask(masked))
