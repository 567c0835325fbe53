"""Anthropic's responses: https://platform.claude.com/docs/en/build-with-claude/streaming#event-types."""

from __future__ import annotations

from typing import Any

import msgspec

from cdp_agent.providers.base import FinishReason, ProviderState, Reply, ToolCall, Usage
from cdp_agent.providers.shared.chat import failure_of
from cdp_agent.providers.shared.errors import model_error
from cdp_agent.providers.shared.stream import Count, Id, ObjectDecoder, counted, shaped, whole
from cdp_agent.providers.shared.tool_calls import text_of

WIRE = "anthropic"

_FINISH: dict[str, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}
_GROWS = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "signature",
    "input_json_delta": "partial_json",
}
_THOUGHTS = ("thinking", "redacted_thinking")


class _Delta(msgspec.Struct, frozen=True):
    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    partial_json: str | None = None
    stop_reason: str | None = None


class _Message(msgspec.Struct, frozen=True):
    content: list[dict[str, Any]] | None = None
    usage: dict[str, Any] | None = None


class _Event(msgspec.Struct, frozen=True):
    """An event of a stream, or a whole message, which is one of the type "message"."""

    type: str | None = None
    index: int | None = None
    message: _Message | None = None
    content_block: dict[str, Any] | None = None
    delta: _Delta | None = None
    content: list[dict[str, Any]] | None = None
    stop_reason: str | None = None
    usage: dict[str, Any] | None = None
    error: Any = None


class _Block(msgspec.Struct, frozen=True):
    """A complete block of the message. Its original form is kept, too: thoughts are sent back exactly as they came."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    id: Id = None
    name: str | None = None
    input: Any = None
    partial_json: str | None = None


class _OutputDetails(msgspec.Struct, frozen=True):
    thinking_tokens: Count = None


class _Usage(msgspec.Struct, frozen=True):
    input_tokens: Count = None
    output_tokens: Count = None
    cache_read_input_tokens: Count = None
    cache_creation_input_tokens: Count = None
    output_tokens_details: _OutputDetails | None = None


class MessageDecoder(ObjectDecoder[_Event]):
    """The reply from the events of a stream, or from one whole message."""

    answer = "a message"

    def __init__(self, provider: str, model: str, content_type: str) -> None:
        super().__init__(provider, model, content_type, _Event)
        self._blocks: dict[int, dict[str, Any]] = {}
        self._usage: dict[str, Any] = {}
        self._stop_reason: str | None = None
        self._ended = False

    @property
    def _is_whole(self) -> bool:
        return self._ended

    def _reply(self) -> Reply:
        raw_blocks = [whole(self._blocks[index]) for index in sorted(self._blocks)]
        blocks = [shaped(self._provider, block, _Block) for block in raw_blocks]
        return Reply(
            text="".join(block.text or "" for block in blocks if block.type == "text"),
            reasoning="\n\n".join(block.thinking for block in blocks if block.thinking),
            tool_calls=tuple(_call(block) for block in blocks if block.type == "tool_use"),
            finish_reason=_FINISH.get(self._stop_reason or "", "unknown"),
            usage=_usage(self._usage),
            state=self._state(raw_blocks),
        )

    def _take(self, event: _Event) -> None:
        match event.type:
            case "message_start":
                self._begin(event.message or _Message())
            case "content_block_start":
                self._blocks[event.index or 0] = dict(event.content_block or {})
            case "content_block_delta":
                self._grow(event.index or 0, event.delta or _Delta())
            case "message_delta":
                self._stop_reason = (event.delta or _Delta()).stop_reason or self._stop_reason
                # Nulls are skipped: input tokens are reported at the beginning, and only sometimes again here.
                self._usage |= {name: value for name, value in (event.usage or {}).items() if value is not None}
            case "message_stop":
                self._ended = True
            case "message":
                self._begin(_Message(event.content, event.usage))
                self._stop_reason = event.stop_reason
                self._ended = True
            case "error":
                raise model_error(self._provider, failure_of(event.error or "an error without words."))
            case _ if event.error:
                raise model_error(self._provider, failure_of(event.error))

    def _begin(self, message: _Message) -> None:
        self._seen = True
        self._usage = dict(message.usage or {})
        self._blocks = {index: dict(block) for index, block in enumerate(message.content or ())}

    def _grow(self, index: int, delta: _Delta) -> None:
        if name := _GROWS.get(delta.type or ""):
            block = self._blocks.setdefault(index, {})
            before, added = block.get(name), getattr(delta, name) or ""
            block[name] = before + added if isinstance(before, str) and name != "signature" else added

    def _state(self, blocks: list[dict[str, Any]]) -> ProviderState | None:
        """The order of the blocks, and the content of those that are kept nowhere else."""
        if not any(block.get("type") in _THOUGHTS for block in blocks):
            return None
        content: list[dict[str, Any]] = []
        for block in blocks:
            match block.get("type"):
                case "tool_use":
                    content.append({"type": "tool_use", "id": block.get("id")})
                case "text" if block.get("text"):
                    content.append({"type": "text", "text": block["text"]})
                case "thinking" | "redacted_thinking":
                    content.append(block)
        return ProviderState(WIRE, self._model, content)


def _call(block: _Block) -> ToolCall:
    arguments = block.partial_json or text_of(block.input)
    return ToolCall("" if block.id is None else str(block.id), block.name or "", arguments)


def _usage(reported: dict[str, Any]) -> Usage:
    """Anthropic counts what was read from its cache, or written to it, apart from the other input."""
    used = counted(reported, _Usage) or _Usage()
    cached = int(used.cache_read_input_tokens or 0)
    written = int(used.cache_creation_input_tokens or 0)
    details = used.output_tokens_details or _OutputDetails()
    return Usage(
        input_tokens=int(used.input_tokens or 0) + cached + written,
        output_tokens=int(used.output_tokens or 0),
        cached_tokens=cached,
        reasoning_tokens=int(details.thinking_tokens or 0),
        cache_write_tokens=written,
    )
