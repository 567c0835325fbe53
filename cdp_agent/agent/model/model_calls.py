"""Sends the requests of a run to its models, within its budget."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import msgspec

from cdp_agent.agent.base.event_log import EventLog
from cdp_agent.agent.base.options import Options
from cdp_agent.agent.model.budget import Budget
from cdp_agent.agent.model.history import has_images
from cdp_agent.errors import ContextTooLong, ModelError, Overloaded, RateLimited, SetupError, Unsupported
from cdp_agent.events import AgentProcessing, AgentStatus, AiGeneration, AiGenerationError
from cdp_agent.outcome import BatchCut
from cdp_agent.providers.base import Reply, Request

if TYPE_CHECKING:
    from cdp_agent.providers.client import Client
    from cdp_agent.providers.services import Endpoint


class Generation(msgspec.Struct, frozen=True):
    """A reply of the model whose event has not been emitted yet."""

    reply: Reply
    duration_s: float

    def tell(self, log: EventLog, requested: int = 0, executed: int = 0, truncated_by: BatchCut = "none") -> None:
        log.emit(
            AiGeneration(
                **log.stamp,
                text=self.reply.text,
                tool_calls=self.reply.tool_calls,
                finish_reason=self.reply.finish_reason,
                usage=self.reply.usage,
                duration_s=self.duration_s,
                actions_requested=requested,
                actions_executed=executed,
                batch_truncated_by=truncated_by,
            )
        )


class ModelCalls:
    """Sends the requests of a run to its models: each counts towards its usage and becomes an event."""

    client: Client
    """The client of the run's own model, for the whole run."""

    def __init__(
        self, endpoint: Endpoint | None, fallback: Endpoint | None, options: Options, budget: Budget, log: EventLog
    ) -> None:
        self._endpoint = endpoint
        self.fallback = fallback
        self.budget = budget
        self._request_options = options.of_requests
        self._log = log

    @property
    def has_model(self) -> bool:
        """Whether there is a model to ask: a run of given steps may have none."""
        return self._endpoint is not None

    @property
    def endpoint(self) -> Endpoint:
        """The endpoint of the run's model. Raises SetupError if there is none."""
        if self._endpoint is None:
            raise SetupError("This needs a model, and none is configured.")
        return self._endpoint

    def client_of(self, other: Endpoint | None = None) -> Client:
        """A client for the run's model, or for `other`; the run's fallback takes over for either.

        Every error that the client recovers from becomes an event, and counts as an error of the run, unless it is
        Overloaded, RateLimited or Unsupported.
        """
        from cdp_agent.agent.model.run_client import RunClient  # late: httpx takes long to import: only a run needs it

        first = other or self.endpoint
        client = RunClient(
            first,
            fallback=self.fallback if self.fallback != first else None,
            request_options=self._request_options,
            prices=self.budget.prices,
            notice=self._notice,
        )
        client.budget, client.secrets, client.recorder = self.budget, self._log.secrets, self._log.recorder
        client.span = self._log.span
        return client

    def _notice(self, message: str, error: ModelError) -> None:
        log = self._log
        log.emit(AiGenerationError(**log.stamp, kind=type(error).__name__, message=str(error)))
        log.emit(AgentStatus(**log.stamp, message=message))
        if not isinstance(error, Overloaded | RateLimited | Unsupported):  # these say nothing about the run's progress
            self.budget.usage.failed()

    async def ask(self, request: Request, operation: str, client: Client | None = None) -> Reply:
        """The model's reply. Raises ModelError when nothing more can be tried, and OverBudget."""
        generation = await self.generate(request, operation, client)
        generation.tell(self._log)
        return generation.reply

    async def generate(self, request: Request, operation: str, client: Client | None = None) -> Generation:
        """The model's reply, whose event is emitted later, once the outcome of its tool calls is known.

        `client` is for another model than the run's. Raises ModelError and OverBudget.
        """
        log = self._log
        log.emit(AgentProcessing(**log.stamp, operation=operation, has_screenshot=has_images(request.messages)))
        began = time.perf_counter()
        try:
            reply = await (client or self.client).ask(request)
        except ModelError as error:
            log.emit(AiGenerationError(**log.stamp, kind=type(error).__name__, message=str(error)))
            if not isinstance(error, ContextTooLong):
                self.budget.usage.failed()
            raise
        duration_s = time.perf_counter() - began
        self.budget.usage.answering_s += duration_s
        return Generation(reply, duration_s)
