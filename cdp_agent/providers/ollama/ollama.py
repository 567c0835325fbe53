"""Ollama's own chat API: https://docs.ollama.com/api/chat.

Its OpenAI-compatible API has no parameter for the context length, and silently cuts off what does not fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from cdp_agent.providers.base import (
    Assistant,
    FinishReason,
    Forced,
    Image,
    Message,
    ProviderState,
    Reply,
    Request,
    System,
    Text,
    ToolCall,
    ToolResult,
    Usage,
    User,
)
from cdp_agent.providers.shared.chat import bearer, encode_tools, failure, failure_of
from cdp_agent.providers.shared.errors import model_error
from cdp_agent.providers.shared.estimate import estimated_tokens
from cdp_agent.providers.shared.images import base64_of, shown_by_the_user
from cdp_agent.providers.shared.stream import Count, Id, ObjectDecoder, counted, joined
from cdp_agent.providers.shared.tool_calls import Function, object_of, text_of

__all__ = ["JSON_OUTPUT", "decoder", "encode", "failure", "headers", "path"]

JSON_OUTPUT: Final = True
_WIRE = "ollama"

# Each change of the context length reloads the model, so there are only a few lengths.
_CONTEXTS = (16_384, 32_768, 65_536, 131_072)
_ANSWER_TOKENS = 4_096
_FINISH: dict[str, FinishReason] = {"stop": "stop", "length": "length"}


def path(model: str) -> str:
    return "/chat"


def headers(key: str | None) -> dict[str, str]:
    return bearer(key)


def encode(request: Request) -> dict[str, Any]:
    """The body of a streamed chat. Ollama cannot force a tool call; a forced tool is the only one offered."""
    names: dict[str, str] = {}
    messages = [_message(each, names, request.model) for each in shown_by_the_user(request.messages)]
    options: dict[str, Any] = {"num_ctx": _context(request)}
    if request.max_output_tokens is not None:
        options["num_predict"] = request.max_output_tokens
    body: dict[str, Any] = {"model": request.model, "messages": messages, "stream": True, "options": options}
    choice = request.tool_choice
    tools = [each for each in request.tools if not isinstance(choice, Forced) or each.name == choice.name]
    if tools:
        body["tools"] = encode_tools(tools)
    if request.output:
        body["format"] = request.output.schema
    if request.reasoning_effort is not None:
        body["think"] = _think(request.model, request.reasoning_effort)
    return body


def _think(model: str, effort: str) -> bool | str:
    if "gpt-oss" in model:  # the only one that has levels, and always thinks
        return "low" if effort == "none" else effort
    return effort != "none"


def _context(request: Request) -> int:
    """The context length to reserve, in tokens."""
    needed = estimated_tokens(request) + (request.max_output_tokens or _ANSWER_TOKENS)
    return next((length for length in _CONTEXTS if length >= needed), _CONTEXTS[-1])


def _message(message: Message, names: dict[str, str], model: str) -> dict[str, Any]:
    match message:
        case System(text):
            return {"role": "system", "content": text}
        case User(parts):
            images = [base64_of(part) for part in parts if isinstance(part, Image)]
            words = "\n\n".join(part.text for part in parts if isinstance(part, Text))
            return {"role": "user", "content": words, **({"images": images} if images else {})}
        case ToolResult(call_id, text):
            return {"role": "tool", "content": text, "tool_name": names.get(call_id, call_id)}
        case Assistant(text, calls, state):
            names.update({call.id: call.name for call in calls})
            kept = (state.content_for(_WIRE, model) if state else None) or {}
            return {"role": "assistant", "content": text, **kept, **_own_calls(calls)}


def _own_calls(calls: Sequence[ToolCall]) -> dict[str, Any]:
    found = [{"function": {"name": call.name, "arguments": object_of(call)}} for call in calls]
    return {"tool_calls": found} if found else {}


def decoder(provider: str, model: str, content_type: str) -> OllamaDecoder:
    return OllamaDecoder(provider, model, content_type)


class _Call(msgspec.Struct, frozen=True):
    id: Id = None
    function: Function | None = None


class _Said(msgspec.Struct, frozen=True):
    content: str | None = None
    thinking: str | None = None
    tool_calls: list[_Call] | None = None


class _Line(msgspec.Struct, frozen=True):
    message: _Said | None = None
    done: bool | None = None
    done_reason: str | None = None
    prompt_eval_count: Any = None
    eval_count: Any = None
    error: Any = None


class _Usage(msgspec.Struct, frozen=True):
    prompt_eval_count: Count = None
    eval_count: Count = None


class OllamaDecoder(ObjectDecoder[_Line]):
    """The reply from the lines of a stream; the last one has `done`."""

    answer = "a chat"

    def __init__(self, provider: str, model: str, content_type: str) -> None:
        # A whole reply is one such line as well.
        super().__init__(provider, model, "application/x-ndjson" if "json" in content_type else content_type, _Line)
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls: list[ToolCall] = []
        self._end: _Line | None = None

    @property
    def _is_whole(self) -> bool:
        return self._end is not None

    def _reply(self) -> Reply:
        assert self._end is not None  # it is whole
        reasoning = joined(self._reasoning)
        finish = _FINISH.get(self._end.done_reason or "", "unknown")
        used = counted(msgspec.to_builtins(self._end), _Usage) or _Usage()
        return Reply(
            text=joined(self._text),
            reasoning=reasoning,
            tool_calls=tuple(self._calls),
            finish_reason="tool_calls" if self._calls and finish != "length" else finish,
            usage=Usage(int(used.prompt_eval_count or 0), int(used.eval_count or 0)),
            state=ProviderState(_WIRE, self._model, {"thinking": reasoning}) if reasoning and self._calls else None,
        )

    def _take(self, line: _Line) -> None:
        if line.error:
            raise model_error(self._provider, failure_of(line.error))
        if line.message is not None:
            self._seen = True
            self._text.append(line.message.content or "")
            self._reasoning.append(line.message.thinking or "")
            for call in line.message.tool_calls or ():
                self._take_call(call)
        if line.done:
            self._end = line

    def _take_call(self, call: _Call) -> None:
        function = call.function or Function()
        call_id = joined([str(call.id or f"call_{len(self._calls) + 1}")])
        self._calls.append(ToolCall(call_id, joined([function.name or ""]), joined([text_of(function.arguments)])))
