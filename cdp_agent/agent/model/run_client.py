"""The client of a run: it checks the budget before each request, and masks secrets in both directions."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import msgspec

from cdp_agent.agent.model.budget import Budget
from cdp_agent.errors import BadReply, ModelError
from cdp_agent.providers.base import Reply, Request
from cdp_agent.providers.client import Client
from cdp_agent.providers.shared.estimate import counted_or_estimated, estimated_usage
from cdp_agent.security.secrets import Secrets

if TYPE_CHECKING:
    from cdp_agent.providers.services import Endpoint
    from cdp_agent.telemetry import RunSpan
    from cdp_agent.trace.recorder import Recorder


class RunClient(Client):
    """The client that all parts of a run use; requests made by a tool are counted, too."""

    budget: Budget
    secrets: Secrets
    recorder: Recorder | None = None
    span: RunSpan | None = None

    async def ask(self, request: Request) -> Reply:
        """See `Client.ask`. Also raises OverBudget."""
        self.budget.check()
        masked = msgspec.structs.replace(request, messages=self.secrets.masked(request.messages))
        if self.span is None:
            return await self._recorded(masked)
        telemetry = self.span.telemetry
        with telemetry.chat(masked, self.endpoint) as span:
            reply = await self._recorded(masked)
            telemetry.record_reply(span, reply, self.endpoint)
        return reply

    async def _recorded(self, masked: Request) -> Reply:
        recorder = self.recorder
        if recorder is None:
            return self.secrets.masked(await super().ask(masked))
        number, began = recorder.asked(masked, self.endpoint.provider), time.perf_counter()
        try:
            reply = self.secrets.masked(await super().ask(masked))
        except ModelError as error:
            recorder.failed(number, error, time.perf_counter() - began)
            raise
        recorder.replied(number, reply, time.perf_counter() - began)
        return reply

    def counted(self, request: Request, reply: Reply, endpoint: Endpoint) -> Reply:
        """Adds the reply's usage to the budget, estimated if its provider reports none; returns the reply with it."""
        usage = self.budget.count(counted_or_estimated(request, reply), endpoint)
        return msgspec.structs.replace(reply, usage=usage)

    def lost(self, request: Request, error: BadReply, endpoint: Endpoint) -> None:
        """Counts a reply that could not be read, with an estimate of its tokens, so that the budget holds."""
        self.budget.count(estimated_usage(request, error.received_bytes), endpoint)
