"""Asking the model: what passes is asked again, and what was asked for is what comes back."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, TypeVar

from cdp_agent.errors import BadReply, ContextTooLong, InvalidArguments, ModelError, RateLimited
from cdp_agent.events import AgentProcessing, AiGeneration, AiGenerationError
from cdp_agent.providers.base import Assistant, Message, Reply, Request, System, Text, ToolResult, ToolSpec, User
from cdp_agent.tools.base import Arguments, Tool

if TYPE_CHECKING:
    from cdp_agent.agent.run import Run

_A = TypeVar("_A", bound=Arguments)
_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 30.0
_ATTEMPTS = 3
_PASSING = (408, 429)


async def ask(run: Run, request: Request, operation: str) -> Reply:
    """The model's reply; what may pass is waited for, and counted as an error of the run.

    Raises ModelError: at once for what will not pass (a 4xx other than 408 and 429), else when the run has had enough.
    """
    run.tell(AgentProcessing, operation=operation)
    while True:
        began = time.perf_counter()
        try:
            reply = await run.client.ask(request)
        except ModelError as error:
            run.tell(AiGenerationError, kind=type(error).__name__, message=str(error))
            status = error.status or 0
            if isinstance(error, ContextTooLong) or (400 <= status < 500 and status not in _PASSING):
                raise
            run.tally.failed()
            if run.too_many_errors():
                raise
            await asyncio.sleep(_pause_s(error, run.tally.errors_in_a_row))
            continue
        run.tally.generated(reply.usage)
        run.tell(
            AiGeneration,
            text=reply.text,
            tool_calls=reply.tool_calls,
            finish_reason=reply.finish_reason,
            usage=reply.usage,
            duration_s=time.perf_counter() - began,
        )
        return reply


async def ask_for(run: Run, system: str, question: str, tool: Tool, arguments: type[_A], operation: str) -> _A:
    """The arguments with which the model calls the one tool that it may call. Raises BadReply, other ModelErrors."""
    spec = ToolSpec(tool.name, tool.description, tool.parameters)
    messages: list[Message] = [System(system), User((Text(question),))]
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


def _pause_s(error: ModelError, errors: int) -> float:
    if isinstance(error, RateLimited) and error.retry_after is not None:
        return min(error.retry_after, _LONGEST_PAUSE_S)
    return min(_PAUSE_S * 2.0 ** (errors - 1), _LONGEST_PAUSE_S)
