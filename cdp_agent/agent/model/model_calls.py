"""Asking the model within the run's budget."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import msgspec

from cdp_agent.agent.model.history import has_images
from cdp_agent.errors import ContextTooLong, ModelError, Overloaded, RateLimited, Unsupported
from cdp_agent.events import AgentProcessing, AgentStatus, AiGeneration, AiGenerationError
from cdp_agent.outcome import BatchCut
from cdp_agent.providers.base import Reply, Request

if TYPE_CHECKING:
    from cdp_agent.agent.state.run import Run
    from cdp_agent.providers.client import Client
    from cdp_agent.providers.services import Endpoint


def client_of(run: Run, other: Endpoint | None = None) -> Client:
    """What the run asks its model with, or one that it has besides; the run's fallback takes over for either.

    Every error that the client gets over is told, and counts as one of the run, unless there only was no room.
    """
    from cdp_agent.agent.model.run_client import RunClient  # httpx takes long to import: only a run needs it

    def notice(message: str, error: ModelError) -> None:
        run.tell(AiGenerationError, kind=type(error).__name__, message=str(error))
        run.tell(AgentStatus, message=message)
        if not isinstance(error, Overloaded | RateLimited | Unsupported):  # these say nothing of how the run goes
            run.tally.failed()

    options = run.options
    first = other or run.endpoint
    fallback = run.fallback if run.fallback != first else None
    client = RunClient(first, fallback=fallback, manner=options.manner, prices=run.prices, notice=notice)
    client.run = run
    return client


class Generation(msgspec.Struct, frozen=True):
    """A reply of the model, of which nobody was told yet."""

    reply: Reply
    duration_s: float

    def tell(self, run: Run, requested: int = 0, executed: int = 0, truncated_by: BatchCut = "none") -> None:
        run.tell(
            AiGeneration,
            text=self.reply.text,
            tool_calls=self.reply.tool_calls,
            finish_reason=self.reply.finish_reason,
            usage=self.reply.usage,
            duration_s=self.duration_s,
            actions_requested=requested,
            actions_executed=executed,
            batch_truncated_by=truncated_by,
        )


async def ask(run: Run, request: Request, operation: str, client: Client | None = None) -> Reply:
    """The model's reply. Raises ModelError, when nothing more can be tried, and OverBudget."""
    generation = await generate(run, request, operation, client)
    generation.tell(run)
    return generation.reply


async def generate(run: Run, request: Request, operation: str, client: Client | None = None) -> Generation:
    """The same, to be told when it is known what came of the reply. `client` asks another model than the run's."""
    run.tell(AgentProcessing, operation=operation, has_screenshot=has_images(request.messages))
    began = time.perf_counter()
    try:
        reply = await (client or run.client).ask(request)
    except ModelError as error:
        run.tell(AiGenerationError, kind=type(error).__name__, message=str(error))
        if not isinstance(error, ContextTooLong):
            run.tally.failed()
        raise
    return Generation(reply, time.perf_counter() - began)
