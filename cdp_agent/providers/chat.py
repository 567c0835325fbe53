"""Chat completions, as OpenAI made them and many servers speak them: what all the dialects have in common.

https://platform.openai.com/docs/api-reference/chat and …/chat-streaming. `reasoning_content` is the field of
DeepSeek, llama.cpp and LM Studio, `reasoning` that of OpenRouter, vLLM and Ollama.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from cdp_agent.errors import BadReply
from cdp_agent.providers.base import (
    Assistant,
    Failure,
    FinishReason,
    Forced,
    Image,
    Message,
    ProviderState,
    Reply,
    Request,
    System,
    Text,
    ToolResult,
    ToolSpec,
    Usage,
    User,
)
from cdp_agent.providers.errors import model_error
from cdp_agent.providers.images import data_url, shown_by_the_user
from cdp_agent.providers.json_schemas import can_be_strict
from cdp_agent.providers.reasoning_details import Details
from cdp_agent.providers.stream import ObjectReader, joined
from cdp_agent.providers.tool_calls import Calls

_FINISH: dict[str, FinishReason] = {
    "stop": "stop",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "content_filter": "content_filter",
}


def bearer(key: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}


def encode_chat(request: Request, wire: str) -> dict[str, Any]:
    """The body of a streamed chat completion, without reasoning effort and limit, whose names differ."""
    body: dict[str, Any] = {
        "model": request.model,
        "messages": [_encode_message(each, wire, request.model) for each in shown_by_the_user(request.messages)],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.tools:
        body["tools"] = encode_tools(request.tools)
        body["tool_choice"] = _encode_choice(request)
    if request.output:
        schema = request.output.schema
        output = {"name": request.output.name, "schema": schema, "strict": can_be_strict(schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": output}
    return body


def encode_tools(tools: Sequence[ToolSpec]) -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
        }
        for tool in tools
    ]


def _encode_choice(request: Request) -> str | dict[str, Any]:
    if isinstance(request.tool_choice, Forced):
        return {"type": "function", "function": {"name": request.tool_choice.name}}
    return request.tool_choice


def _encode_message(message: Message, wire: str, model: str) -> dict[str, Any]:
    match message:
        case System(text):
            return {"role": "system", "content": text}
        case User((Text(text),)):
            return {"role": "user", "content": text}
        case User(parts):
            return {"role": "user", "content": [_encode_part(part) for part in parts]}
        case ToolResult(call_id, text):
            return {"role": "tool", "tool_call_id": call_id, "content": text}
        case Assistant(text, calls, state):
            kept = (state.content_for(wire, model) if state else None) or {}
            if not calls:
                return {"role": "assistant", "content": text, **kept}
            functions = [{"name": call.name, "arguments": call.arguments} for call in calls]
            return {
                "role": "assistant",
                "content": text or None,
                **kept,
                "tool_calls": [
                    {"id": call.id, "type": "function", "function": function}
                    for call, function in zip(calls, functions, strict=True)
                ],
            }


def _encode_part(part: Text | Image) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    return {"type": "image_url", "image_url": {"url": data_url(part)}}


def failure(body: bytes) -> Failure:
    """The error that a body tells, in any of the shapes that servers use."""
    try:
        found = msgspec.json.decode(body)
    except msgspec.DecodeError:
        return Failure(" ".join(body.decode(errors="replace").split())[:300])
    return failure_of(found.get("error", found) if isinstance(found, dict) else found)


def failure_of(error: Any) -> Failure:
    if not isinstance(error, dict):
        return Failure(str(error))
    message = error.get("message") or error.get("detail") or msgspec.json.encode(error).decode()
    return Failure(str(message), str(error.get("code") or error.get("type") or ""))


class ChatDecoder:
    """The reply from the bytes of a stream, or of one whole JSON body where a server does not stream.

    What of the reasoning the provider wants back goes into the state, with a `wire` to name it by.
    """

    def __init__(self, provider: str, model: str, content_type: str, *, wire: str | None = None) -> None:
        self._provider = provider
        self._model = model
        self._wire = wire
        self._objects = ObjectReader(provider, content_type)
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._reasoning_field = ""
        self._details = Details()
        self._calls = Calls()
        self._finish: FinishReason | None = None
        self._usage = Usage()
        self._chunks = 0

    def feed(self, data: bytes) -> None:
        for chunk in self._objects.feed(data):
            self._take(chunk)

    def reply(self) -> Reply:
        """The whole reply. Raises BadReply when the stream ended in the middle."""
        for chunk in self._objects.end():
            self._take(chunk)
        if not self._chunks:
            raise BadReply(self._provider, "the answer is not a chat completion: is the base URL right?")
        if self._finish is None and not self._objects.done:
            raise BadReply(self._provider, "the reply broke off before its end.")
        return Reply(
            text=joined(self._text),
            reasoning=joined(self._reasoning),
            tool_calls=self._calls.all(),
            finish_reason=self._finish or "unknown",
            usage=self._usage,
            state=self._state(),
        )

    def _take(self, chunk: dict[str, Any]) -> None:
        if chunk.get("error"):
            raise model_error(self._provider, failure_of(chunk["error"]))
        self._chunks += "choices" in chunk
        self._usage = _usage(chunk.get("usage")) or self._usage
        for choice in (chunk.get("choices") or ())[:1]:  # we ask for one; some servers number it anew each time
            self._take_choice(choice)

    def _take_choice(self, choice: dict[str, Any]) -> None:
        delta = choice.get("delta") or choice.get("message") or {}
        self._text.append(_text(delta.get("content")) or _text(delta.get("refusal")))
        for field in ("reasoning_content", "reasoning"):
            if found := _text(delta.get(field)):
                self._reasoning_field = field
                self._reasoning.append(found)
                break
        self._details.add(delta.get("reasoning_details"))
        for call in delta.get("tool_calls") or ():
            self._calls.add(call)
        if reason := choice.get("finish_reason"):
            self._finish = _FINISH.get(str(reason), "unknown")

    def _state(self) -> ProviderState | None:
        # Only a turn that calls tools goes on where it stopped; in any other one, old reasoning is not wanted.
        if self._wire is None or not self._calls.all():
            return None
        if details := self._details.all():
            return ProviderState(self._wire, self._model, {"reasoning_details": details})
        if self._reasoning:
            return ProviderState(self._wire, self._model, {self._reasoning_field: joined(self._reasoning)})
        return None


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):  # parts, as Mistral sends them
        return "".join(_text(part.get("text")) for part in content if isinstance(part, dict))
    return ""


def _usage(found: Any) -> Usage | None:
    if not isinstance(found, dict):
        return None
    prompt = found.get("prompt_tokens_details") or {}
    completion = found.get("completion_tokens_details") or {}
    return Usage(
        input_tokens=found.get("prompt_tokens") or 0,
        output_tokens=found.get("completion_tokens") or 0,
        cached_tokens=prompt.get("cached_tokens") or 0,
        reasoning_tokens=completion.get("reasoning_tokens") or 0,
        cache_write_tokens=prompt.get("cache_write_tokens") or 0,
        cost=found.get("cost"),
    )
