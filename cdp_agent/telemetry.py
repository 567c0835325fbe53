"""Runs as spans and metrics of OpenTelemetry, by its conventions for generative AI.

`invoke_agent` is a run. Inside it, `chat` is each request to a model and `execute_tool` each tool call; a `chat` inside
`execute_tool` is a request of the tool itself. Spans go to the providers that the program has set. They contain no
prompts, replies or results, unless the environment variable named by CAPTURE turns that on, and never secrets.
https://github.com/open-telemetry/semantic-conventions-genai
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any
from urllib.parse import urlsplit

import msgspec
from opentelemetry import metrics, trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode
from opentelemetry.util.types import AttributeValue

from cdp_agent.outcome import AgentResult
from cdp_agent.providers.base import (
    Assistant,
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
from cdp_agent.providers.services import Endpoint

CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
AGENT_NAME = "cdp_agent"
_ON = ("true", "1", "span_only", "span_and_event")
_PROVIDERS = {"google": "gcp.gemini", "vertex": "gcp.vertex_ai"}
"""Providers that have another name in the conventions."""
_SECONDS = [0.01 * 2**n for n in range(14)]
_TOKENS = [4**n for n in range(14)]
_OPERATION, _PROVIDER, _MODEL = "gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model"
_ERROR = "error.type"

Attributes = dict[str, AttributeValue]


class Telemetry:
    """The spans and metrics of an agent; the variable named by CAPTURE is read from `environment`."""

    def __init__(self, version: str, environment: Mapping[str, str]) -> None:
        self._tracer = trace.get_tracer(AGENT_NAME, version)
        meter = metrics.get_meter(AGENT_NAME, version)
        self._version = version
        self._has_content = environment.get(CAPTURE, "").strip().lower() in _ON
        self._durations = meter.create_histogram(
            "gen_ai.client.operation.duration", "s", "How long it took.", explicit_bucket_boundaries_advisory=_SECONDS
        )
        self._tokens = meter.create_histogram(
            "gen_ai.client.token.usage", "{token}", "Tokens used.", explicit_bucket_boundaries_advisory=_TOKENS
        )

    def begin(self, task: str, endpoint: Endpoint | None) -> RunSpan:
        """Starts the span of a run, as a child of the current span."""
        named: Attributes = {_OPERATION: "invoke_agent"} | _model_of(endpoint)
        attributes: Attributes = {"gen_ai.agent.name": AGENT_NAME, "gen_ai.agent.version": self._version}
        span = self._tracer.start_span(f"invoke_agent {AGENT_NAME}", attributes=named | attributes)
        self.set_content(span, "gen_ai.input.messages", [_message_of("user", _text_part(task))])
        return RunSpan(self, span, named)

    @contextmanager
    def chat(self, request: Request, endpoint: Endpoint) -> Iterator[Span]:
        """The span of a request to a model; `record_reply` adds the reply."""
        named: Attributes = {_OPERATION: "chat"} | _model_of(endpoint)
        place = urlsplit(endpoint.base_url)
        named |= {"server.address": place.hostname or ""} | ({"server.port": place.port} if place.port else {})
        more: Attributes = {}
        if request.max_output_tokens is not None:
            more["gen_ai.request.max_tokens"] = request.max_output_tokens
        with self._spanned(f"chat {endpoint.model}", SpanKind.CLIENT, named, more) as span:
            system = [_text_part(each.text) for each in request.messages if isinstance(each, System)]
            self.set_content(span, "gen_ai.system_instructions", system)
            rest = [_message(each) for each in request.messages if not isinstance(each, System)]
            self.set_content(span, "gen_ai.input.messages", rest)
            yield span

    def record_reply(self, span: Span, reply: Reply, endpoint: Endpoint) -> None:
        """Adds the reply to the span of a request; `endpoint` was asked first, even where a fallback replied."""
        span.set_attribute("gen_ai.response.finish_reasons", [_finish(reply)])
        span.set_attributes(_usage(reply.usage))
        named = {_OPERATION: "chat"} | _model_of(endpoint)
        for kind, count in (("input", reply.usage.input_tokens), ("output", reply.usage.output_tokens)):
            self._tokens.record(count, {**named, "gen_ai.token.type": kind})
        parts = [_text_part(reply.text)] if reply.text else []
        parts += [_call(each) for each in reply.tool_calls]
        self.set_content(
            span, "gen_ai.output.messages", [{**_message_of("assistant", *parts), "finish_reason": _finish(reply)}]
        )

    @contextmanager
    def tool(self, call: ToolCall, arguments: Mapping[str, object]) -> Iterator[Span]:
        """The span of a tool call, whose arguments must have their secrets masked; `record_result` adds the result."""
        named: Attributes = {_OPERATION: "execute_tool", "gen_ai.tool.name": call.name}
        more: Attributes = {"gen_ai.tool.type": "function", "gen_ai.tool.call.id": call.id}
        with self._spanned(f"execute_tool {call.name}", SpanKind.INTERNAL, named, more) as span:
            self.set_content(span, "gen_ai.tool.call.arguments", arguments)
            yield span

    def record_result(self, span: Span, text: str, error: Exception | None = None) -> None:
        """Adds the result of a tool, or its error, to the span of the call."""
        self.set_content(span, "gen_ai.tool.call.result", text)
        if error is not None:
            fail(span, type(error).__name__)

    def set_content(self, span: Span, name: str, content: object) -> None:
        """Sets an attribute with content, if content is captured: text as it is, anything else as JSON."""
        if self._has_content and content:
            said = content if isinstance(content, str) else msgspec.json.encode(content).decode()
            span.set_attribute(name, said)

    def record_duration(self, began: float, named: Attributes, error: str | None) -> None:
        """Records the duration of an operation that began at `began` (as of `time.perf_counter`)."""
        self._durations.record(time.perf_counter() - began, named if error is None else {**named, _ERROR: error})

    @contextmanager
    def _spanned(self, name: str, kind: SpanKind, named: Attributes, more: Attributes) -> Iterator[Span]:
        began, error = time.perf_counter(), None
        with self._tracer.start_as_current_span(
            name,
            kind=kind,
            attributes=named | more,
            record_exception=False,  # its message may quote a page
            set_status_on_exception=False,
        ) as span:
            try:
                yield span
            except BaseException as raised:
                error = type(raised).__name__
                fail(span, error)
                raise
            finally:
                self.record_duration(began, named, error)


class RunSpan:
    """The span of a run, the parent of the spans of its requests and tool calls."""

    def __init__(self, telemetry: Telemetry, span: Span, named: Attributes) -> None:
        self.telemetry = telemetry
        self._span = span
        self._named = named
        self._began = time.perf_counter()

    def current(self) -> AbstractContextManager[Span]:
        """A context manager inside which new spans are children of the run's span."""
        return trace.use_span(self._span, record_exception=False, set_status_on_exception=False)

    def end(self, result: AgentResult[object] | None) -> None:
        """Ends the span with the result of the run; None if the caller stopped iterating before the end."""
        error = None if result is not None and result.error is None else "aborted"
        if result is not None:
            stats = result.stats
            self._span.set_attributes(
                {
                    "gen_ai.usage.input_tokens": stats.input_tokens,
                    "gen_ai.usage.output_tokens": stats.output_tokens,
                }
            )
            error = result.error.code if result.error is not None else None
            answer = result.answer if isinstance(result.answer, str) else msgspec.json.encode(result.answer).decode()
            message = {
                **_message_of("assistant", _text_part(answer)),
                "finish_reason": "stop" if error is None else "error",
            }
            self.telemetry.set_content(self._span, "gen_ai.output.messages", [message])
        if error is not None:
            fail(self._span, error)
        self._span.end()
        self.telemetry.record_duration(self._began, self._named, error)


def fail(span: Span, kind: str) -> None:
    """Marks the span as failed with an error of that kind."""
    span.set_attribute(_ERROR, kind)
    span.set_status(Status(StatusCode.ERROR))


def _model_of(endpoint: Endpoint | None) -> Attributes:
    if endpoint is None:
        return {}
    return {_PROVIDER: _PROVIDERS.get(endpoint.provider, endpoint.provider), _MODEL: endpoint.model}


def _usage(usage: Usage) -> Attributes:
    return {
        "gen_ai.usage.input_tokens": usage.input_tokens,
        "gen_ai.usage.output_tokens": usage.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens,
        "gen_ai.usage.cache_creation.input_tokens": usage.cache_write_tokens,
        "gen_ai.usage.reasoning.output_tokens": usage.reasoning_tokens,
    }


def _finish(reply: Reply) -> str:
    return {"tool_calls": "tool_call"}.get(reply.finish_reason, reply.finish_reason)


def _message_of(role: str, *parts: Mapping[str, object]) -> dict[str, Any]:
    return {"role": role, "parts": list(parts)}


def _text_part(text: str) -> dict[str, Any]:
    return {"type": "text", "content": text}


def _call(call: ToolCall) -> dict[str, Any]:
    return {"type": "tool_call", "id": call.id, "name": call.name, "arguments": call.arguments}


def _message(message: Message) -> dict[str, Any]:
    """Without pictures; gen-ai-input-messages.json of https://github.com/open-telemetry/semantic-conventions-genai."""
    match message:
        case User():
            return _message_of("user", *_parts(message.parts))
        case Assistant():
            words = [_text_part(message.text)] if message.text else []
            return _message_of("assistant", *words, *map(_call, message.tool_calls))
        case ToolResult():
            answer = {"type": "tool_call_response", "id": message.call_id, "response": message.text}
            return _message_of("tool", answer)
        case _:
            return _message_of("system", _text_part(message.text))


def _parts(parts: Sequence[Text | Image]) -> list[dict[str, Any]]:
    return [_text_part(each.text) for each in parts if isinstance(each, Text)]
