"""Google's responses: https://ai.google.dev/api/generate-content#generatecontentresponse."""

from __future__ import annotations

from typing import Any

import msgspec

from cdp_agent.providers.base import Failure, FinishReason, ProviderState, Reply, ToolCall, Usage
from cdp_agent.providers.shared.chat import failure_of as plain_failure_of
from cdp_agent.providers.shared.errors import model_error
from cdp_agent.providers.shared.stream import Count, Id, ObjectDecoder, counted, joined
from cdp_agent.providers.shared.tool_calls import text_of

WIRE = "google"
OWN_ID = "google_call_"
"""The beginning of the ids that we assign to calls without one."""

_FINISH: dict[str, FinishReason] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    **dict.fromkeys(
        (
            "SAFETY",
            "RECITATION",
            "LANGUAGE",
            "BLOCKLIST",
            "PROHIBITED_CONTENT",
            "SPII",
            "IMAGE_SAFETY",
            "MODEL_ARMOR",
        ),
        "content_filter",
    ),
}


class _FunctionCall(msgspec.Struct, frozen=True):
    id: Id = None
    name: str | None = None
    args: Any = None


class _Part(msgspec.Struct, frozen=True, rename="camel"):
    text: str | None = None
    thought: bool | None = None
    thought_signature: str | None = None
    function_call: _FunctionCall | None = None


class _Content(msgspec.Struct, frozen=True):
    parts: list[_Part] | None = None


class _Candidate(msgspec.Struct, frozen=True, rename="camel"):
    content: _Content | None = None
    finish_reason: str | None = None


class _Feedback(msgspec.Struct, frozen=True, rename="camel"):
    block_reason: str | None = None


class _Chunk(msgspec.Struct, frozen=True, rename="camel"):
    candidates: list[_Candidate] | None = None
    prompt_feedback: _Feedback | None = None
    usage_metadata: dict[str, Any] | None = None
    error: Any = None


class _Usage(msgspec.Struct, frozen=True, rename="camel"):
    prompt_token_count: Count = None
    tool_use_prompt_token_count: Count = None
    candidates_token_count: Count = None
    thoughts_token_count: Count = None
    cached_content_token_count: Count = None


class ContentDecoder(ObjectDecoder[_Chunk]):
    """The reply from the chunks of a stream, each of which is a complete response object with the new content."""

    answer = "generated content"

    def __init__(self, provider: str, model: str, content_type: str) -> None:
        super().__init__(provider, model, content_type, _Chunk)
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls: list[ToolCall] = []
        self._signatures: dict[str, str] = {}
        self._text_signature = ""
        self._finish: str | None = None
        self._blocked: str | None = None
        self._usage: dict[str, Any] = {}

    @property
    def _is_whole(self) -> bool:
        return self._finish is not None or self._blocked is not None

    def _reply(self) -> Reply:
        return Reply(
            text=joined(self._text),
            reasoning=joined(self._reasoning),
            tool_calls=tuple(self._calls),
            finish_reason=(finish := self._finish_reason()),
            usage=_usage(self._usage),
            state=self._state(),
            refusal=joined([self._finish or self._blocked or ""]) if finish == "content_filter" else "",
        )

    def _take(self, chunk: _Chunk) -> None:
        if chunk.error:
            raise model_error(self._provider, failure_of(chunk.error))
        fields = (chunk.candidates, chunk.usage_metadata, chunk.prompt_feedback)
        self._seen = self._seen or any(each is not None for each in fields)
        self._usage = chunk.usage_metadata or self._usage
        if chunk.prompt_feedback is not None:
            self._blocked = chunk.prompt_feedback.block_reason or self._blocked
        for candidate in (chunk.candidates or ())[:1]:
            for part in (candidate.content or _Content()).parts or ():
                self._take_part(part)
            self._finish = candidate.finish_reason or self._finish

    def _take_part(self, part: _Part) -> None:
        signature = joined([part.thought_signature or ""])
        if call := part.function_call:
            call_id = joined([str(call.id or f"{OWN_ID}{len(self._calls) + 1}")])
            self._calls.append(ToolCall(call_id, joined([call.name or ""]), joined([text_of(call.args)])))
            if signature:
                self._signatures[call_id] = signature
            return
        (self._reasoning if part.thought else self._text).append(part.text or "")
        self._text_signature = signature or self._text_signature

    def _finish_reason(self) -> FinishReason:
        if self._blocked and not self._finish:
            return "content_filter"
        if self._calls and _FINISH.get(self._finish or "", "stop") == "stop":
            return "tool_calls"  # for which Google reports STOP
        return _FINISH.get(self._finish or "", "unknown")

    def _state(self) -> ProviderState | None:
        content: dict[str, Any] = {}
        if self._signatures:
            content["calls"] = self._signatures
        if self._text_signature:
            content["text"] = self._text_signature
        return ProviderState(WIRE, self._model, content) if content else None


def failure_of(error: object) -> Failure:
    """The failure in an error, with the wait of a RetryInfo: https://google.aip.dev/193#http11json-representation."""
    failure = plain_failure_of(error)
    details = error.get("details") if isinstance(error, dict) else None
    waits = [each.get("retryDelay") for each in details if isinstance(each, dict)] if isinstance(details, list) else []
    return msgspec.structs.replace(failure, retry_after=next((_seconds(str(each)) for each in waits if each), None))


def _seconds(delay: str) -> float | None:
    try:
        return max(0.0, float(delay.removesuffix("s")))
    except ValueError:
        return None


def _usage(reported: dict[str, Any]) -> Usage:
    """The usage. Google counts thoughts apart from other output, and its own tools' input apart from other input."""
    used = counted(reported, _Usage) or _Usage()
    thoughts = int(used.thoughts_token_count or 0)
    return Usage(
        input_tokens=int(used.prompt_token_count or 0) + int(used.tool_use_prompt_token_count or 0),
        output_tokens=int(used.candidates_token_count or 0) + thoughts,
        cached_tokens=int(used.cached_content_token_count or 0),
        reasoning_tokens=thoughts,
    )
