"""What Anthropic answers: https://platform.claude.com/docs/en/build-with-claude/streaming#event-types."""

from __future__ import annotations

from typing import Any

from cdp_agent.errors import BadReply
from cdp_agent.providers.arguments import text_of
from cdp_agent.providers.base import FinishReason, ProviderState, Reply, ToolCall, Usage
from cdp_agent.providers.chat import failure_of
from cdp_agent.providers.errors import model_error
from cdp_agent.providers.stream import ObjectReader, joined

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


class MessageDecoder:
    """The reply from the events of a stream, or from one whole message."""

    def __init__(self, provider: str, model: str, content_type: str) -> None:
        self._provider = provider
        self._model = model
        self._objects = ObjectReader(provider, content_type)
        self._blocks: dict[int, dict[str, Any]] = {}
        self._usage: dict[str, Any] = {}
        self._stop_reason: str | None = None
        self._seen = False
        self._ended = False

    def feed(self, data: bytes) -> None:
        for event in self._objects.feed(data):
            self._take(event)

    def reply(self) -> Reply:
        """The whole reply. Raises BadReply when the stream ended in the middle."""
        for event in self._objects.end():
            self._take(event)
        if not self._seen:
            raise BadReply(self._provider, "the answer is not a message: is the base URL right?")
        if not self._ended:
            raise BadReply(self._provider, "the reply broke off before its end.")
        blocks = [self._blocks[index] for index in sorted(self._blocks)]
        return Reply(
            text=joined([block.get("text") or "" for block in blocks if block.get("type") == "text"]),
            reasoning="\n\n".join(block["thinking"] for block in blocks if block.get("thinking")),
            tool_calls=tuple(_call(block) for block in blocks if block.get("type") == "tool_use"),
            finish_reason=_FINISH.get(str(self._stop_reason), "unknown"),
            usage=_usage(self._usage),
            state=self._state(blocks),
        )

    def _take(self, event: dict[str, Any]) -> None:
        match event.get("type"):
            case "message_start":
                self._begin(event.get("message") or {})
            case "content_block_start":
                self._blocks[event.get("index") or 0] = dict(event.get("content_block") or {})
            case "content_block_delta":
                self._grow(event.get("index") or 0, event.get("delta") or {})
            case "message_delta":
                self._stop_reason = (event.get("delta") or {}).get("stop_reason") or self._stop_reason
                # Only what is told counts: input tokens are told at the beginning, and sometimes again here.
                self._usage |= {name: value for name, value in (event.get("usage") or {}).items() if value is not None}
            case "message_stop":
                self._ended = True
            case "message":
                self._begin(event)
                self._stop_reason = event.get("stop_reason")
                self._ended = True
            case "error":
                raise model_error(self._provider, failure_of(event.get("error") or event))

    def _begin(self, message: dict[str, Any]) -> None:
        self._seen = True
        self._usage = dict(message.get("usage") or {})
        self._blocks = {index: dict(block) for index, block in enumerate(message.get("content") or ())}

    def _grow(self, index: int, delta: dict[str, Any]) -> None:
        if name := _GROWS.get(str(delta.get("type"))):
            block = self._blocks.setdefault(index, {})
            told = delta.get(name) or ""
            block[name] = told if name == "signature" else (block.get(name) or "") + told

    def _state(self, blocks: list[dict[str, Any]]) -> ProviderState | None:
        """The order of the blocks, and what of them nobody else keeps."""
        if not any(block.get("type") in _THOUGHTS for block in blocks):
            return None
        kept: list[dict[str, Any]] = []
        for block in blocks:
            match block.get("type"):
                case "tool_use":
                    kept.append({"type": "tool_use", "id": block.get("id")})
                case "text" if block.get("text"):
                    kept.append({"type": "text", "text": block["text"]})
                case "thinking" | "redacted_thinking":
                    kept.append(block)
        return ProviderState(WIRE, self._model, kept)


def _call(block: dict[str, Any]) -> ToolCall:
    arguments = block.get("partial_json") or text_of(block.get("input"))
    return ToolCall(str(block.get("id") or ""), str(block.get("name") or ""), arguments)


def _usage(found: dict[str, Any]) -> Usage:
    """Anthropic counts what was read from its cache, or written to it, apart from the other input."""
    cached = found.get("cache_read_input_tokens") or 0
    written = found.get("cache_creation_input_tokens") or 0
    return Usage(
        input_tokens=(found.get("input_tokens") or 0) + cached + written,
        output_tokens=found.get("output_tokens") or 0,
        cached_tokens=cached,
        reasoning_tokens=(found.get("output_tokens_details") or {}).get("thinking_tokens") or 0,
        cache_write_tokens=written,
    )
