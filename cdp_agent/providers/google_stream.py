"""What Google answers: https://ai.google.dev/api/generate-content#generatecontentresponse."""

from __future__ import annotations

from typing import Any

from cdp_agent.errors import BadReply
from cdp_agent.providers.arguments import text_of
from cdp_agent.providers.base import Failure, FinishReason, ProviderState, Reply, ToolCall, Usage
from cdp_agent.providers.errors import model_error
from cdp_agent.providers.stream import ObjectReader, joined

WIRE = "google"
OWN_ID = "google_call_"
"""How the ids begin that we give to calls which come without."""

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


class ContentDecoder:
    """The reply from the chunks of a stream, each of which is a whole response with what came since the last."""

    def __init__(self, provider: str, model: str, content_type: str) -> None:
        self._provider = provider
        self._model = model
        self._objects = ObjectReader(provider, content_type)
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls: list[ToolCall] = []
        self._signatures: dict[str, str] = {}
        self._text_signature = ""
        self._finish: str | None = None
        self._blocked = False
        self._usage: dict[str, Any] = {}
        self._seen = 0

    def feed(self, data: bytes) -> None:
        for chunk in self._objects.feed(data):
            self._take(chunk)

    def reply(self) -> Reply:
        """The whole reply. Raises BadReply when the stream ended in the middle."""
        for chunk in self._objects.end():
            self._take(chunk)
        if not self._seen:
            raise BadReply(self._provider, "the answer is not generated content: is the base URL right?")
        if self._finish is None and not self._blocked:
            raise BadReply(self._provider, "the reply broke off before its end.")
        return Reply(
            text=joined(self._text),
            reasoning=joined(self._reasoning),
            tool_calls=tuple(self._calls),
            finish_reason=self._finish_reason(),
            usage=_usage(self._usage),
            state=self._state(),
        )

    def _take(self, chunk: dict[str, Any]) -> None:
        if chunk.get("error"):
            raise model_error(self._provider, failure_of(chunk["error"]))
        self._seen += any(name in chunk for name in ("candidates", "usageMetadata", "promptFeedback"))
        self._usage = chunk.get("usageMetadata") or self._usage
        if (chunk.get("promptFeedback") or {}).get("blockReason"):
            self._blocked = True
        for candidate in (chunk.get("candidates") or ())[:1]:
            for part in (candidate.get("content") or {}).get("parts") or ():
                self._take_part(part)
            self._finish = candidate.get("finishReason") or self._finish

    def _take_part(self, part: dict[str, Any]) -> None:
        signature = part.get("thoughtSignature")
        if call := part.get("functionCall"):
            found = ToolCall(
                str(call.get("id") or f"{OWN_ID}{len(self._calls) + 1}"),
                str(call.get("name") or ""),
                text_of(call.get("args")),
            )
            self._calls.append(found)
            if signature:
                self._signatures[found.id] = signature
            return
        (self._reasoning if part.get("thought") else self._text).append(part.get("text") or "")
        self._text_signature = signature or self._text_signature

    def _finish_reason(self) -> FinishReason:
        if self._blocked and not self._finish:
            return "content_filter"
        if self._calls and _FINISH.get(str(self._finish), "stop") == "stop":
            return "tool_calls"  # which Google calls STOP
        return _FINISH.get(str(self._finish), "unknown")

    def _state(self) -> ProviderState | None:
        kept: dict[str, Any] = {}
        if self._signatures:
            kept["calls"] = self._signatures
        if self._text_signature:
            kept["text"] = self._text_signature
        return ProviderState(WIRE, self._model, kept) if kept else None


def failure_of(error: Any) -> Failure:
    """https://google.aip.dev/193#http11json-representation, with the wait that a RetryInfo asks for."""
    if not isinstance(error, dict):
        return Failure(str(error))
    waits = [each.get("retryDelay") for each in error.get("details") or () if isinstance(each, dict)]
    seconds = next((str(each).removesuffix("s") for each in waits if each), "")
    try:
        retry_after = float(seconds) if seconds else None
    except ValueError:
        retry_after = None
    return Failure(str(error.get("message") or error.get("status") or error), str(error.get("code") or ""), retry_after)


def _usage(found: dict[str, Any]) -> Usage:
    """Google counts thoughts apart from the other output, and what tools of its own read from the other input."""
    thoughts = found.get("thoughtsTokenCount") or 0
    return Usage(
        input_tokens=(found.get("promptTokenCount") or 0) + (found.get("toolUsePromptTokenCount") or 0),
        output_tokens=(found.get("candidatesTokenCount") or 0) + thoughts,
        cached_tokens=found.get("cachedContentTokenCount") or 0,
        reasoning_tokens=thoughts,
    )
