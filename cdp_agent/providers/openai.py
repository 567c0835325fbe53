"""OpenAI's chat completions, and the many servers that speak the same.

https://platform.openai.com/docs/api-reference/chat and …/chat-streaming. `reasoning_content` is the field of
DeepSeek, llama.cpp and LM Studio, `reasoning` that of OpenRouter and Ollama.
"""

from __future__ import annotations

import base64
from typing import Any, Final

import msgspec

from cdp_agent.errors import BadReply
from cdp_agent.providers.base import (
    Assistant,
    Failure,
    FinishReason,
    Image,
    Message,
    Reply,
    Request,
    System,
    Text,
    ToolCall,
    ToolResult,
    Usage,
    User,
)
from cdp_agent.providers.errors import model_error
from cdp_agent.providers.sse import EventReader
from cdp_agent.providers.strict import can_be_strict

JSON_OUTPUT: Final = True

_FINISH: dict[str, FinishReason] = {
    "stop": "stop",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "content_filter": "content_filter",
}


def path(model: str) -> str:
    return "/chat/completions"


def headers(key: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}


def encode(request: Request) -> dict[str, Any]:
    """The body of a streamed chat completion."""
    body: dict[str, Any] = {
        "model": request.model,
        "messages": [_encode_message(message) for message in request.messages],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                },
            }
            for tool in request.tools
        ]
        body["tool_choice"] = request.tool_choice
    if request.output:
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {
                "name": request.output.name,
                "schema": request.output.schema,
                "strict": can_be_strict(request.output.schema),
            },
        }
    return body


def _encode_message(message: Message) -> dict[str, Any]:
    match message:
        case System(text):
            return {"role": "system", "content": text}
        case User((Text(text),)):
            return {"role": "user", "content": text}
        case User(parts):
            return {"role": "user", "content": [_encode_part(part) for part in parts]}
        case ToolResult(call_id, text):
            return {"role": "tool", "tool_call_id": call_id, "content": text}
        case Assistant(text, ()):
            return {"role": "assistant", "content": text}
        case Assistant(text, calls):
            return {
                "role": "assistant",
                "content": text or None,
                "tool_calls": [
                    {
                        "id": call.id,
                        "type": "function",
                        "function": {"name": call.name, "arguments": call.arguments},
                    }
                    for call in calls
                ],
            }


def _encode_part(part: Text | Image) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    url = f"data:{part.media_type};base64,{base64.b64encode(part.data).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}


def failure(body: bytes) -> Failure:
    """The error that a body tells, in any of the shapes that servers use."""
    try:
        found = msgspec.json.decode(body)
    except msgspec.DecodeError:
        return Failure(" ".join(body.decode(errors="replace").split())[:300])
    return _failure_of(found.get("error", found) if isinstance(found, dict) else found)


def _failure_of(error: Any) -> Failure:
    if not isinstance(error, dict):
        return Failure(str(error))
    message = error.get("message") or error.get("detail") or msgspec.json.encode(error).decode()
    return Failure(str(message), str(error.get("code") or error.get("type") or ""))


def decoder(provider: str, model: str, content_type: str) -> ChatDecoder:
    return ChatDecoder(provider, streamed="json" not in content_type)


class ChatDecoder:
    """The reply from the bytes of a stream, or of one whole JSON body where a server does not stream."""

    def __init__(self, provider: str, *, streamed: bool = True) -> None:
        self._provider = provider
        self._events = EventReader() if streamed else None
        self._body: list[bytes] = []
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls = _Calls()
        self._finish: FinishReason | None = None
        self._usage = Usage()
        self._done = False
        self._chunks = 0

    def feed(self, data: bytes) -> None:
        if self._events is None:
            self._body.append(data)
            return
        for event in self._events.feed(data):
            self._take(event)

    def reply(self) -> Reply:
        """The whole reply. Raises BadReply when the stream ended in the middle."""
        for event in self._events.end() if self._events else [b"".join(self._body)]:
            self._take(event)
        calls = self._calls.all()
        if not self._chunks:
            raise BadReply(self._provider, "the answer is not a chat completion: is the base URL right?")
        if self._finish is None and not self._done:
            raise BadReply(self._provider, "the reply broke off before its end.")
        return Reply(
            text="".join(self._text),
            reasoning="".join(self._reasoning),
            tool_calls=calls,
            finish_reason=self._finish or "unknown",
            usage=self._usage,
        )

    def _take(self, event: bytes) -> None:
        if event.strip() == b"[DONE]":
            self._done = True
            return
        if self._done or not event.strip():
            return
        try:
            chunk = msgspec.json.decode(event)
        except msgspec.DecodeError as error:
            if b"\n" in event:  # some servers forget the empty line between events
                for line in event.splitlines():
                    self._take(line)
                return
            shown = event[:200].decode(errors="replace")
            raise BadReply(self._provider, f"a part of the reply is not JSON: {shown!r}") from error
        if not isinstance(chunk, dict):
            raise BadReply(self._provider, f"a part of the reply is not an object: {str(chunk)[:200]!r}")
        if chunk.get("error"):
            raise model_error(self._provider, _failure_of(chunk["error"]))
        self._chunks += "choices" in chunk
        self._usage = _usage(chunk.get("usage")) or self._usage
        for choice in (chunk.get("choices") or ())[:1]:  # we ask for one; some servers number it anew each time
            self._take_choice(choice)

    def _take_choice(self, choice: dict[str, Any]) -> None:
        delta = choice.get("delta") or choice.get("message") or {}
        self._text.append(_text(delta.get("content")) or _text(delta.get("refusal")))
        self._reasoning.append(_text(delta.get("reasoning_content")) or _text(delta.get("reasoning")))
        for call in delta.get("tool_calls") or ():
            self._calls.add(call)
        if reason := choice.get("finish_reason"):
            self._finish = _FINISH.get(str(reason), "unknown")


class _Call:
    def __init__(self, index: int | None, call_id: str) -> None:
        self.index = index
        self.id = call_id
        self.name = ""
        self.arguments: list[str] = []


class _Calls:
    """Tool calls put together from fragments. Which call a fragment belongs to is told by index, id or order."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []

    def add(self, fragment: Any) -> None:
        if not isinstance(fragment, dict):
            return
        function = fragment.get("function") or {}
        call = self._belongs_to(fragment.get("index"), fragment.get("id") or "", function)
        name = function.get("name") or ""
        if name != call.name:  # some servers repeat the name with every fragment
            call.name += name
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            call.arguments.append(arguments)
        elif arguments is not None:
            call.arguments.append(msgspec.json.encode(arguments).decode())

    def _belongs_to(self, index: int | None, call_id: str, function: dict[str, Any]) -> _Call:
        """The call that a fragment continues, or a new one.

        Some servers send all calls with index 0 and ids of their own, some send no index, some neither.
        """
        last = self._calls[-1] if self._calls else None
        if index is not None:
            last = next((call for call in reversed(self._calls) if call.index == index), None)
            begins = last is not None and bool(call_id and last.id) and call_id != last.id
        elif call_id:
            last = next((call for call in self._calls if call.id == call_id), None)
            begins = False
        else:
            begins = last is not None and bool(function.get("name") and last.name)
        if last is None or begins:
            last = _Call(index, call_id)
            self._calls.append(last)
        last.id = last.id or call_id
        return last

    def all(self) -> tuple[ToolCall, ...]:
        return tuple(
            ToolCall(call.id or f"call_{place}", call.name, "".join(call.arguments))
            for place, call in enumerate(self._calls, 1)
        )


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
    )
