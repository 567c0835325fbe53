"""One question to the model of an extraction, and its answer in the form that is wanted."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

from cdp_agent.errors import AuthenticationError, BadReply, CdpAgentError, ContextTooLong, QuotaExhausted
from cdp_agent.providers.base import (
    Assistant,
    JsonOutput,
    Message,
    Reply,
    Request,
    System,
    Text,
    ToolCall,
    ToolResult,
    ToolSpec,
    Usage,
    User,
)
from cdp_agent.providers.client import Client

from . import prompts
from .form import Form
from .schema import listed

ANSWER_TOKENS = 6_000
"""How long an answer is to be at most: all models that are in use can write as much."""
FATAL = (AuthenticationError, ContextTooLong, QuotaExhausted)
"""Errors that other questions would have as well."""
_ATTEMPTS = 3
_AT_ONCE = 4


T = TypeVar("T")


async def at_once(questions: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """The results of all, a few of which run at a time. An error ends them all."""
    free = asyncio.Semaphore(_AT_ONCE)

    async def run(question: Coroutine[Any, Any, T]) -> T:
        async with free:
            return await question

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(run(question)) for question in questions]
    except* CdpAgentError as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]


class CutOff(BadReply):
    """The answer ended at the model's length limit: what was asked for is too much for one answer."""


class Asker:
    """Asks a model; `calls` is how often, and `usage` are the tokens of that."""

    def __init__(self, client: Client) -> None:
        self.calls = 0
        self.usage = Usage()
        self._client = client

    async def ask(self, form: Form | None, question: str) -> object:
        """The answer to a question. Raises CutOff, and BadReply if it does not fit even after it was sent back."""
        messages: list[Message] = [System(prompts.system(form.sent if form else None)), User((Text(question),))]
        reply = await self._call(form, messages)
        if form is None:
            if not reply.text.strip():
                raise self.bad("the answer is empty.")
            return reply.text.strip()
        for attempts_left in reversed(range(_ATTEMPTS)):
            # In a thread, since a thousand rows take a tenth of a second, in which nothing else would go on.
            value, problems = await asyncio.to_thread(form.read, _answer_text(reply))
            if not problems:
                return value
            if attempts_left:
                messages += _objection(reply, prompts.repair(listed(problems), by_tool=not self._gives_json))
                reply = await self._call(form, messages)
        raise self.bad(f"the answer does not fit the schema: {listed(problems)}")

    def bad(self, message: str) -> BadReply:
        """The error for an answer that is of no use."""
        return BadReply(self._client.endpoint.provider, message)

    @property
    def _gives_json(self) -> bool:
        """Whether the provider can enforce a JSON form of the answer; if not, the answer is a tool's argument."""
        return self._client.endpoint.wire.JSON_OUTPUT

    async def _call(self, form: Form | None, messages: list[Message]) -> Reply:
        model = self._client.endpoint.model
        request = Request(model, tuple(messages))
        if form is not None and self._gives_json:
            request = Request(model, tuple(messages), output=JsonOutput(prompts.SCHEMA_NAME, form.sent))
        elif form is not None:
            tool = ToolSpec(prompts.TOOL_NAME, prompts.TOOL_DESCRIPTION, form.sent)
            request = Request(model, tuple(messages), (tool,), "required")
        reply = await self._client.ask(request)
        self.calls += 1
        self.usage += reply.usage
        if reply.finish_reason == "length":
            raise CutOff(self._client.endpoint.provider, "the answer was cut off at the model's length limit.")
        return reply


def _answer_text(reply: Reply) -> str:
    return reply.tool_calls[0].arguments if reply.tool_calls else reply.text


def _objection(reply: Reply, words: str) -> list[Message]:
    """The model's reply and the objection to it, as messages."""
    if not reply.tool_calls:
        # Some providers refuse a message without any content.
        return [Assistant(reply.text or "(nothing)", state=reply.state), User((Text(words),))]
    call: ToolCall = reply.tool_calls[0]
    return [Assistant(reply.text, (call,), reply.state), ToolResult(call.id, words)]
