"""Chat completions, which OpenAI defined and many servers support: what all the dialects have in common.

https://platform.openai.com/docs/api-reference/chat and …/chat-streaming. `reasoning_content` is the field of
DeepSeek, llama.cpp and LM Studio, `reasoning` that of OpenRouter, vLLM and Ollama.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

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
from cdp_agent.providers.shared.errors import model_error
from cdp_agent.providers.shared.images import data_url, shown_by_the_user
from cdp_agent.providers.shared.json_reading import decode
from cdp_agent.providers.shared.json_schemas import can_be_strict
from cdp_agent.providers.shared.stream import Count, ObjectDecoder, counted, joined, whole
from cdp_agent.providers.shared.tool_calls import Calls, Fragment

_FINISH: dict[str, FinishReason] = {
    "stop": "stop",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "content_filter": "content_filter",
    "sensitive": "content_filter",  # Zhipu's
}
_MESSAGES = ("message", "detail", "msg", "error_msg", "status_msg", "error")
_CODES = ("code", "type", "error_code", "status_code", "error_type")
_MOST_DOLLARS = 1_000_000
_GROWING = ("text", "summary", "data")


def bearer(key: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}


def encode_chat(request: Request, wire: str) -> dict[str, Any]:
    """The body of a streamed chat completion, without the reasoning effort and the output limit, whose names differ."""
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
            own_fields = (state.content_for(wire, model) if state else None) or {}
            if not calls:
                return {"role": "assistant", "content": text, **own_fields}
            functions = [{"name": call.name, "arguments": call.arguments} for call in calls]
            return {
                "role": "assistant",
                "content": text or None,
                **own_fields,
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
    """The error in a body, in any of the shapes that servers use."""
    return failure_of(error_in(body))


def error_in(body: bytes) -> Any:
    """The error part of a body: an object, or the text of a body that is not JSON."""
    words = body.decode(errors="replace")
    try:
        decoded = decode(words)
    except ValueError:
        decoded = None
    if isinstance(decoded, list) and decoded:
        decoded = decoded[0]
    if isinstance(decoded, dict):
        return decoded.get("error") or decoded
    return " ".join(words.split())[:300] if decoded is None else decoded


def failure_of(error: object) -> Failure:
    """The failure from an error object that was found in a reply or in a body."""
    if not isinstance(error, dict):
        return Failure(str(error))
    message = next((found for name in _MESSAGES if (found := error.get(name))), None)
    code = next((found for name in _CODES if (found := error.get(name))), "")
    if isinstance(message, dict):  # an error in an error
        return failure_of(message)
    return Failure(str(message or msgspec.json.encode(whole(error)).decode()), str(code))


class _Part(msgspec.Struct, frozen=True):
    text: str | None = None


class _Delta(msgspec.Struct, frozen=True):
    """The part of the message in a chunk; Mistral sends `content` as a list of parts."""

    content: str | list[_Part | str] | None = None
    refusal: str | None = None
    reasoning_content: str | list[_Part | str] | None = None
    reasoning: str | list[_Part | str] | None = None
    reasoning_details: Any = None
    tool_calls: list[Fragment] | None = None


class _Choice(msgspec.Struct, frozen=True):
    delta: _Delta | None = None
    message: _Delta | None = None
    finish_reason: str | None = None
    error: Any = None
    usage: Any = None


class _Groq(msgspec.Struct, frozen=True):
    usage: Any = None


class _Chunk(msgspec.Struct, frozen=True):
    choices: list[_Choice] | None = None
    usage: Any = None
    error: Any = None
    x_groq: _Groq | None = None
    object: Any = None
    code: Any = None
    message: Any = None
    detail: Any = None
    base_resp: Any = None


class _Details(msgspec.Struct, frozen=True):
    cached_tokens: Count = None
    cache_write_tokens: Count = None
    reasoning_tokens: Count = None


class _Usage(msgspec.Struct, frozen=True):
    """The usage in a body. `input_tokens` etc. are the names in the Responses API, and in some chat completions.

    `prompt_cache_hit_tokens` is DeepSeek's, `cached_tokens` Moonshot's; `cost` is OpenRouter's and others'.
    """

    prompt_tokens: Count = None
    completion_tokens: Count = None
    prompt_tokens_details: _Details | None = None
    completion_tokens_details: _Details | None = None
    input_tokens: Count = None
    output_tokens: Count = None
    input_tokens_details: _Details | None = None
    output_tokens_details: _Details | None = None
    prompt_cache_hit_tokens: Count = None
    cached_tokens: Count = None
    cost: Any = None


_NOTHING = _Delta()


class _Reasoning:
    """OpenRouter's record of a model's reasoning, which it wants back while tools are used.

    https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning-blocks
    The entries of `reasoning_details`, each put together from the fragments of its type and index.
    """

    def __init__(self) -> None:
        self._entries: dict[tuple[str, str], dict[str, Any]] = {}

    def add(self, fragments: object) -> None:
        for fragment in fragments if isinstance(fragments, list) else ():
            if not isinstance(fragment, dict):
                continue
            entry = self._entries.setdefault((str(fragment.get("type")), str(fragment.get("index"))), {})
            for name, value in fragment.items():
                before = entry.get(name)
                if name in _GROWING and isinstance(value, str) and isinstance(before, str):
                    entry[name] = before + value
                elif value is not None or name not in entry:
                    entry[name] = value

    def all(self) -> list[dict[str, Any]]:
        return list(self._entries.values())


class ChatDecoder(ObjectDecoder[_Chunk]):
    """The reply from the bytes of a stream, or of one whole JSON body if a server does not stream.

    The reasoning that the provider wants back is put into the state, under the name of the `wire`.
    """

    answer = "a chat completion"

    def __init__(self, provider: str, model: str, content_type: str, *, wire: str | None = None) -> None:
        super().__init__(provider, model, content_type, _Chunk)
        self._wire = wire
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._reasoning_field = ""
        self._details = _Reasoning()
        self._calls = Calls()
        self._refused = False
        self._finish: FinishReason | None = None
        self._usage = Usage()

    @property
    def _is_whole(self) -> bool:
        return self._finish is not None or self._objects.done

    def _reply(self) -> Reply:
        return Reply(
            text=joined(self._text),
            reasoning=joined(self._reasoning),
            tool_calls=self._calls.all(),
            finish_reason="content_filter" if self._refused else self._finish or "unknown",
            usage=self._usage,
            state=self._state(),
        )

    def _take(self, chunk: _Chunk) -> None:
        if error := _error_in(chunk):
            raise model_error(self._provider, failure_of(error))
        self._seen = self._seen or chunk.choices is not None
        self._count(chunk.usage)
        if chunk.x_groq:
            self._count(chunk.x_groq.usage)
        for choice in (chunk.choices or ())[:1]:  # we ask for one; some servers change its index each time
            self._take_choice(choice)

    def _take_choice(self, choice: _Choice) -> None:
        if choice.error:
            raise model_error(self._provider, failure_of(choice.error))
        self._count(choice.usage)  # where Moonshot reports it
        delta = choice.delta
        if delta is None or delta == _NOTHING:
            delta = choice.message or _NOTHING
        self._text.append(_content_text(delta.content) or delta.refusal or "")
        self._refused = self._refused or bool(delta.refusal)
        for field in ("reasoning_content", "reasoning"):
            if reasoning := _content_text(getattr(delta, field)):
                self._reasoning_field = field
                self._reasoning.append(reasoning)
                break
        self._details.add(delta.reasoning_details)
        for call in delta.tool_calls or ():
            self._calls.add(call)
        if choice.finish_reason == "error":
            raise model_error(self._provider, Failure("the model's server broke the reply off with an error."))
        if choice.finish_reason:
            self._finish = _FINISH.get(choice.finish_reason, "unknown")

    def _count(self, usage: object) -> None:
        if usage is not None:
            self._usage = usage_of(usage) or self._usage

    def _state(self) -> ProviderState | None:
        # Reasoning is sent back only with tool calls, since the turn goes on after them; else it is not wanted.
        if self._wire is None or not self._calls.all():
            return None
        if details := self._details.all():
            return ProviderState(self._wire, self._model, {"reasoning_details": whole(details)})
        if self._reasoning:
            return ProviderState(self._wire, self._model, {self._reasoning_field: joined(self._reasoning)})
        return None


def _error_in(chunk: _Chunk) -> Any:
    """An error in place of a part of the reply, in the form of OpenAI, older vLLM, FastAPI or MiniMax."""
    if chunk.error or chunk.choices is not None:
        return chunk.error
    if chunk.object == "error" or chunk.detail:
        return {"code": chunk.code, "message": chunk.message or chunk.detail}
    return chunk.base_resp


def _content_text(content: str | list[_Part | str] | None) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    return "".join(part if isinstance(part, str) else part.text or "" for part in content)


def usage_of(reported: object) -> Usage | None:
    """The usage of a chat completion or a response; None if it cannot be read."""
    usage = counted(reported, _Usage)
    if usage is None:
        return None
    read = usage.prompt_tokens_details or usage.input_tokens_details or _Details()
    written = usage.completion_tokens_details or usage.output_tokens_details or _Details()
    return Usage(
        input_tokens=int(usage.prompt_tokens or usage.input_tokens or 0),
        output_tokens=int(usage.completion_tokens or usage.output_tokens or 0),
        cached_tokens=int(read.cached_tokens or usage.prompt_cache_hit_tokens or usage.cached_tokens or 0),
        reasoning_tokens=int(written.reasoning_tokens or 0),
        cache_write_tokens=int(read.cache_write_tokens or 0),
        cost=_cost(usage.cost),
    )


def _cost(cost: object) -> float | None:
    """The cost in US dollars, if reported; Perplexity reports its parts and their sum."""
    if isinstance(cost, dict):
        cost = cost.get("total_cost")
    return float(cost) if isinstance(cost, int | float) and 0 <= cost < _MOST_DOLLARS else None
