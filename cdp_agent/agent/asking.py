"""Asking the model within the run's budget: what was asked for is what comes back."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

import msgspec

from cdp_agent.agent.budget import OverBudget, spent
from cdp_agent.agent.history import has_images
from cdp_agent.errors import BadReply, ContextTooLong, InvalidArguments, ModelError, Unsupported
from cdp_agent.events import AgentProcessing, AgentStatus, AiGeneration, AiGenerationError
from cdp_agent.outcome import BatchCut
from cdp_agent.providers.base import Assistant, Image, Message, Reply, Request, System, Text, ToolResult, ToolSpec, User
from cdp_agent.tools.base import Arguments, Tool

if TYPE_CHECKING:
    from cdp_agent.agent.run import Run
    from cdp_agent.providers.client import Client
    from cdp_agent.providers.services import Endpoint

_A = TypeVar("_A", bound=Arguments)
_ATTEMPTS = 3


def client_of(run: Run, other: Endpoint | None = None) -> Client:
    """What the run asks its model with, or one that it has besides; the run's fallback takes over for either.

    Every error that the client gets over is told, and counts as one of the run.
    """
    from cdp_agent.agent.masked_client import MaskedClient  # httpx takes long to import: only a run needs it

    def notice(message: str, error: ModelError) -> None:
        run.tell(AiGenerationError, kind=type(error).__name__, message=str(error))
        run.tell(AgentStatus, message=message)
        if not isinstance(error, Unsupported):
            run.tally.failed()

    options = run.options
    first = other or run.endpoint
    fallback = run.fallback if run.fallback != first else None
    client = MaskedClient(first, fallback=fallback, manner=options.manner, prices=run.prices, notice=notice)
    client.secrets = run.secrets
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
    if (over := spent(run.limits, run.tally)) is not None:
        raise OverBudget(over)
    run.tell(AgentProcessing, operation=operation, has_screenshot=has_images(request.messages))
    began = time.perf_counter()
    try:
        reply = await (client or run.client).ask(request)
    except ModelError as error:
        run.tell(AiGenerationError, kind=type(error).__name__, message=str(error))
        if not isinstance(error, ContextTooLong):
            run.tally.failed()
        raise
    run.tally.generated(reply.usage)
    return Generation(reply, time.perf_counter() - began)


async def ask_for(
    run: Run,
    system: str,
    question: str,
    tool: Tool,
    arguments: type[_A],
    operation: str,
    *,
    picture: Image | None = None,
) -> _A:
    """The arguments with which the model calls the one tool that it may call. Raises BadReply, other ModelErrors."""
    spec = ToolSpec(tool.name, tool.description, tool.parameters)
    messages: list[Message] = [System(system), User((Text(question), *([picture] if picture else ())))]
    problem = ""
    for _ in range(_ATTEMPTS):
        reply = await ask(run, Request(run.endpoint.model, tuple(messages), (spec,), "required"), operation)
        call = next((each for each in reply.tool_calls if each.name.strip() == tool.name), None)
        if call is None:
            problem = f"it did not call {tool.name}."
            run.tell(AiGenerationError, kind="NoToolCall", message=f"{operation}: {problem}")
            messages += [Assistant(reply.text or "(nothing)"), User((Text(f"Answer by calling {tool.name}."),))]
            continue
        try:
            found = tool.parse(call.arguments)
        except InvalidArguments as error:
            problem = str(error)
            run.tell(AiGenerationError, kind="BadReply", message=f"{operation}: {problem}")
            messages += [Assistant(reply.text, (call,), reply.state), ToolResult(call.id, problem)]
            continue
        assert isinstance(found, arguments)  # the tool's own
        return found
    raise BadReply(run.endpoint.provider, f"{operation} failed {_ATTEMPTS} times: {problem}")
