"""OpenAI's Responses API: https://platform.openai.com/docs/api-reference/responses and …/responses-streaming.

Nothing is stored at OpenAI: the model's reasoning is returned encrypted, and sent back with its turn
(https://platform.openai.com/docs/guides/reasoning#encrypted-reasoning-items).
"""

from __future__ import annotations

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
from cdp_agent.providers.openai.openai import effort_for, reasons
from cdp_agent.providers.shared.chat import bearer, failure, failure_of, usage_of
from cdp_agent.providers.shared.errors import model_error
from cdp_agent.providers.shared.images import data_url
from cdp_agent.providers.shared.json_schemas import can_be_strict
from cdp_agent.providers.shared.stream import Id, ObjectDecoder, shaped, whole
from cdp_agent.providers.shared.tool_calls import text_of

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
        # Only verified organisations get summaries, so they are requested only along with an effort.
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
    """The items of a model's message, with its reasoning in its place."""
    content = (message.state.content_for(_WIRE, model) if message.state else None) or []
    calls = {call.id: call for call in message.tool_calls}
    text = message.text
    items: list[dict[str, Any]] = []
    for item in content:
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


class _Response(msgspec.Struct, frozen=True):
    status: str | None = None
    output: list[dict[str, Any]] | None = None
    incomplete_details: dict[str, Any] | None = None
    usage: dict[str, Any] | None = None
    error: Any = None


class _Event(_Response, frozen=True):
    """An event of a stream, or a whole response, which has no `type` but an `object`."""

    type: str | None = None
    object: str | None = None
    output_index: int | None = None
    item: dict[str, Any] | None = None
    response: _Response | None = None
    code: Any = None
    message: Any = None


class _Part(msgspec.Struct, frozen=True):
    text: str | None = None
    refusal: str | None = None


class _Item(msgspec.Struct, frozen=True):
    """An item of a response. Summaries are sent back as they came."""

    type: str | None = None
    id: str | None = None
    call_id: Id = None
    name: str | None = None
    arguments: Any = None
    content: list[_Part] | None = None
    summary: list[dict[str, Any]] | None = None
    encrypted_content: str | None = None
    phase: str | None = None

    @property
    def effective_call_id(self) -> str:
        """The id that the result of the call has to name: `call_id`, or `id` if there is none."""
        return str(self.call_id or self.id or "")


class ResponseDecoder(ObjectDecoder[_Event]):
    """The reply from the events of a stream, or from one whole response.

    Each item of the output comes complete when it is done, so its earlier fragments are ignored.
    """

    answer = "a response"

    def __init__(self, provider: str, model: str, content_type: str) -> None:
        super().__init__(provider, model, content_type, _Event)
        self._items: dict[int, dict[str, Any]] = {}
        self._response: _Response | None = None

    @property
    def _is_whole(self) -> bool:
        return self._response is not None

    def _reply(self) -> Reply:
        assert self._response is not None  # it is whole
        output = self._response.output or [self._items[index] for index in sorted(self._items)]
        items = [shaped(self._provider, whole(item), _Item) for item in output]
        calls = tuple(
            ToolCall(item.effective_call_id, item.name or "", text_of(item.arguments or ""))
            for item in items
            if item.type == "function_call"
        )
        return Reply(
            text="".join(_texts(items)),
            reasoning="\n\n".join(_thoughts(items)),
            tool_calls=calls,
            finish_reason=_finish(self._response, calls=bool(calls), refused=_is_refused(items)),
            usage=usage_of(self._response.usage) or Usage(),
            state=self._state(items),
        )

    def _take(self, event: _Event) -> None:
        kind = event.type or ""
        self._seen = self._seen or kind.startswith("response.") or event.object == "response"
        if kind == "response.output_item.done":
            self._items[event.output_index or 0] = event.item or {}
        elif kind in ("response.completed", "response.incomplete", "response.failed"):
            self._end(event.response or _Response())
        elif event.object == "response":
            self._end(event)
        elif kind == "error" or event.error:
            error = event.error or {"code": event.code, "message": event.message}
            raise model_error(self._provider, failure_of(error))

    def _end(self, response: _Response) -> None:
        if response.status == "failed" or response.error:
            raise model_error(self._provider, failure_of(response.error or {"message": "the response failed."}))
        self._response = response

    def _state(self, items: list[_Item]) -> ProviderState | None:
        content: list[dict[str, Any]] = []
        for item in items:
            if item.type == "reasoning" and item.encrypted_content:
                own = {"id": item.id, "summary": item.summary or [], "encrypted_content": item.encrypted_content}
                content.append({"type": "reasoning", **own})
            elif item.type == "message":
                phase = {"phase": item.phase} if item.phase else {}
                content.append({"type": "message", **phase})
            elif item.type == "function_call":
                content.append({"type": "function_call", "call_id": item.effective_call_id})
        if not any(item["type"] == "reasoning" or "phase" in item for item in content):
            return None
        return ProviderState(_WIRE, self._model, content)


def _is_refused(items: list[_Item]) -> bool:
    return any(part.refusal for item in items if item.type == "message" for part in item.content or ())


def _finish(response: _Response, *, calls: bool, refused: bool) -> FinishReason:
    if refused and not calls:
        return "content_filter"
    if response.status == "incomplete":
        return _INCOMPLETE.get(str((response.incomplete_details or {}).get("reason")), "unknown")
    return "tool_calls" if calls else "stop"


def _texts(items: list[_Item]) -> list[str]:
    parts = [part for item in items if item.type == "message" for part in item.content or ()]
    return [part.text or part.refusal or "" for part in parts]


def _thoughts(items: list[_Item]) -> list[str]:
    """The summaries of the reasoning, or the reasoning itself if a server sends that instead."""
    thoughts: list[str] = []
    for item in items:
        if item.type == "reasoning":
            thoughts += [str(part.get("text") or "") for part in item.summary or ()]
            thoughts += [part.text or "" for part in item.content or () if not item.summary]
    return thoughts
