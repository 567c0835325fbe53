"""OpenAI's responses: https://platform.openai.com/docs/api-reference/responses and …/responses-streaming.

Nothing is stored at OpenAI: what a model reasoned comes back to us encrypted, and is handed in again with its turn
(https://platform.openai.com/docs/guides/reasoning#encrypted-reasoning-items).
"""

from __future__ import annotations

from typing import Any, Final

from cdp_agent.errors import BadReply
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
from cdp_agent.providers.chat import bearer, failure, failure_of
from cdp_agent.providers.errors import model_error
from cdp_agent.providers.images import data_url
from cdp_agent.providers.json_schemas import can_be_strict
from cdp_agent.providers.openai_models import effort_for, reasons
from cdp_agent.providers.stream import ObjectReader, joined

__all__ = ["JSON_OUTPUT", "decoder", "encode", "failure", "headers", "path"]

JSON_OUTPUT: Final = True
_WIRE = "openai-responses"
_LEAST_OUTPUT = 16
_INCOMPLETE: dict[str, FinishReason] = {"max_output_tokens": "length", "content_filter": "content_filter"}


def path(model: str) -> str:
    return "/responses"


def headers(key: str | None) -> dict[str, str]:
    return bearer(key)


def encode(request: Request) -> dict[str, Any]:
    """The body of a streamed response that is not stored."""
    body: dict[str, Any] = {
        "model": request.model,
        "input": [item for message in request.messages for item in _items(message, request.model)],
        "stream": True,
        "store": False,
    }
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
                "strict": can_be_strict(tool.parameters),
            }
            for tool in request.tools
        ]
        choice = request.tool_choice
        body["tool_choice"] = {"type": "function", "name": choice.name} if isinstance(choice, Forced) else choice
    if request.output:
        schema = request.output.schema
        output = {"name": request.output.name, "schema": schema, "strict": can_be_strict(schema)}
        body["text"] = {"format": {"type": "json_schema", **output}}
    if request.max_output_tokens is not None:
        body["max_output_tokens"] = max(request.max_output_tokens, _LEAST_OUTPUT)
    if reasons(request.model):
        body["include"] = ["reasoning.encrypted_content"]
    if effort := effort_for(request.model, request.reasoning_effort):
        # Summaries are for verified organisations: who asks for reasoning asks to see it.
        summary = {"summary": "auto"} if request.reasoning_effort != "none" else {}
        body["reasoning"] = {"effort": effort, **summary}
    return body


def _items(message: Message, model: str) -> list[dict[str, Any]]:
    match message:
        case System(text):
            return [{"role": "system", "content": text}]
        case User((Text(text),)):
            return [{"role": "user", "content": text}]
        case User(parts):
            return [{"role": "user", "content": [_part(part) for part in parts]}]
        case ToolResult(call_id, text, images):
            output = [_part(Text(text)), *map(_part, images)] if images else text
            return [{"type": "function_call_output", "call_id": call_id, "output": output}]
        case Assistant():
            return _own_items(message, model)


def _part(part: Text | Image) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "input_text", "text": part.text}
    return {"type": "input_image", "detail": "auto", "image_url": data_url(part)}


def _own_items(message: Assistant, model: str) -> list[dict[str, Any]]:
    """What the model said, with its reasoning where that stood."""
    kept = (message.state.content_for(_WIRE, model) if message.state else None) or []
    calls = {call.id: call for call in message.tool_calls}
    text = message.text
    items: list[dict[str, Any]] = []
    for item in kept:
        if item["type"] == "reasoning":
            items.append(item)
        elif item["type"] == "message" and text:
            items.append({"role": "assistant", "content": text} | item)
            text = ""
        elif item["type"] == "function_call" and (call := calls.pop(item["call_id"], None)):
            items.append(_call_item(call))
    if text:
        items.append({"role": "assistant", "content": text})
    return [*items, *(_call_item(call) for call in calls.values())]


def _call_item(call: ToolCall) -> dict[str, Any]:
    return {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}


def decoder(provider: str, model: str, content_type: str) -> ResponseDecoder:
    return ResponseDecoder(provider, model, content_type)


class ResponseDecoder:
    """The reply from the events of a stream, or from one whole response.

    Each item of the output is told whole when it is done: what is told of it before need not be put together.
    """

    def __init__(self, provider: str, model: str, content_type: str) -> None:
        self._provider = provider
        self._model = model
        self._objects = ObjectReader(provider, content_type)
        self._items: dict[int, dict[str, Any]] = {}
        self._response: dict[str, Any] = {}
        self._seen = 0

    def feed(self, data: bytes) -> None:
        for event in self._objects.feed(data):
            self._take(event)

    def reply(self) -> Reply:
        """The whole reply. Raises BadReply when the stream ended in the middle."""
        for event in self._objects.end():
            self._take(event)
        if not self._seen:
            raise BadReply(self._provider, "the answer is not a response: is the base URL right?")
        if not self._response:
            raise BadReply(self._provider, "the reply broke off before its end.")
        items = self._response.get("output") or [self._items[index] for index in sorted(self._items)]
        calls = tuple(
            ToolCall(str(item.get("call_id") or item.get("id")), str(item.get("name")), item.get("arguments") or "")
            for item in items
            if item.get("type") == "function_call"
        )
        return Reply(
            text=joined(_texts(items)),
            reasoning="\n\n".join(_thoughts(items)),
            tool_calls=calls,
            finish_reason=self._finish(calls=bool(calls)),
            usage=_usage(self._response.get("usage") or {}),
            state=self._state(items),
        )

    def _take(self, event: dict[str, Any]) -> None:
        kind = str(event.get("type") or "")
        self._seen += kind.startswith("response.") or event.get("object") == "response"
        if kind == "response.output_item.done":
            self._items[event.get("output_index") or 0] = event.get("item") or {}
        elif kind in ("response.completed", "response.incomplete", "response.failed"):
            self._end(event.get("response") or {})
        elif event.get("object") == "response":
            self._end(event)
        elif kind == "error" or event.get("error"):
            raise model_error(self._provider, failure_of(event.get("error") or event))

    def _end(self, response: dict[str, Any]) -> None:
        if response.get("status") == "failed" or response.get("error"):
            raise model_error(self._provider, failure_of(response.get("error") or {"message": "the response failed."}))
        self._response = response

    def _finish(self, *, calls: bool) -> FinishReason:
        if self._response.get("status") == "incomplete":
            details = self._response.get("incomplete_details") or {}
            return _INCOMPLETE.get(str(details.get("reason")), "unknown")
        return "tool_calls" if calls else "stop"

    def _state(self, items: list[dict[str, Any]]) -> ProviderState | None:
        kept: list[dict[str, Any]] = []
        for item in items:
            kind = item.get("type")
            if kind == "reasoning" and item.get("encrypted_content"):
                kept.append({name: item[name] for name in ("type", "id", "summary", "encrypted_content")})
            elif kind == "message":
                phase = {"phase": item["phase"]} if item.get("phase") else {}
                kept.append({"type": "message", **phase})
            elif kind == "function_call":
                kept.append({"type": "function_call", "call_id": item.get("call_id")})
        if not any(item["type"] == "reasoning" or "phase" in item for item in kept):
            return None
        return ProviderState(_WIRE, self._model, kept)


def _texts(items: list[dict[str, Any]]) -> list[str]:
    parts = [part for item in items if item.get("type") == "message" for part in item.get("content") or ()]
    return [str(part.get("text") or part.get("refusal") or "") for part in parts]


def _thoughts(items: list[dict[str, Any]]) -> list[str]:
    """The summaries of what was reasoned; the reasoning itself where a server tells that instead."""
    found = [item for item in items if item.get("type") == "reasoning"]
    return [
        str(part.get("text") or "") for item in found for part in (item.get("summary") or item.get("content") or ())
    ]


def _usage(found: dict[str, Any]) -> Usage:
    inputs = found.get("input_tokens_details") or {}
    outputs = found.get("output_tokens_details") or {}
    return Usage(
        input_tokens=found.get("input_tokens") or 0,
        output_tokens=found.get("output_tokens") or 0,
        cached_tokens=inputs.get("cached_tokens") or 0,
        reasoning_tokens=outputs.get("reasoning_tokens") or 0,
        cache_write_tokens=inputs.get("cache_write_tokens") or 0,
    )
