"""The wire of OpenAI's responses: reasoning that comes back encrypted, effort by model, and what is no reply."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from cdp_agent.errors import BadReply, ContextTooLong, ModelError, RateLimited
from cdp_agent.providers.base import Assistant, ReasoningEffort, Reply, Request, ToolCall, ToolResult, Usage
from cdp_agent.providers.openai import openai, openai_responses
from tests.tables import table
from tests.wires.cases import ASK, TOOLS, plain
from tests.wires.sdks import stream
from tests.wires.specs import problems

MODEL = "gpt-6-luna"


def decode(body: bytes | str, content_type: str = "text/event-stream") -> Reply:
    decoder = openai_responses.decoder("openai", MODEL, content_type)
    decoder.feed(body.encode() if isinstance(body, str) else body)
    return decoder.reply()


def own_items(model: str) -> list[dict[str, Any]]:
    """How the documented reply is handed back to a model."""
    reply = decode(stream("openai_responses", "documented-reasoning-calls-usage.sse")[0])
    said = Assistant(reply.text, reply.tool_calls, reply.state)
    results = [ToolResult(call.id, "Done.") for call in reply.tool_calls]
    body = openai_responses.encode(Request(model, (ASK, said, *results), TOOLS))
    assert problems("openai/responses", body) == []
    items: list[dict[str, Any]] = body["input"][1:-2]
    return items


def test_what_a_model_reasoned_comes_back_encrypted_and_in_its_place() -> None:
    assert own_items(MODEL) == [
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [
                {"type": "summary_text", "text": "**Looking**\n\nThe field is E2."},
                {"type": "summary_text", "text": "**Going**\n\nThen back."},
            ],
            "encrypted_content": "gAAAAABo+encrypted/==",
        },
        {"role": "assistant", "content": "I fill it – „Zoë“.", "type": "message", "phase": "commentary"},
        {"type": "function_call", "call_id": "call_1", "name": "fill", "arguments": '{"ref":"E2","value":"Zoë"}'},
        {"type": "function_call", "call_id": "call_2", "name": "back", "arguments": "{}"},
    ]


def test_the_reasoning_of_another_model_is_left_out() -> None:
    assert [item.get("type", item.get("role")) for item in own_items("gpt-6.1-sol")] == [
        "assistant",
        "function_call",
        "function_call",
    ]


@table(
    ("model", "effort", "expected"),
    [
        ("gpt-6-luna", None, {"include": ["reasoning.encrypted_content"]}),
        (
            "gpt-6-luna",
            "high",
            {"include": ["reasoning.encrypted_content"], "reasoning": {"effort": "high", "summary": "auto"}},
        ),
        ("gpt-6-luna", "none", {"include": ["reasoning.encrypted_content"], "reasoning": {"effort": "none"}}),
        ("o3", "none", {"include": ["reasoning.encrypted_content"], "reasoning": {"effort": "low"}}),
        ("gpt-4.1-mini", "high", {}),
    ],
)
def test_effort_is_said_as_the_model_knows_it(
    model: str, effort: ReasoningEffort | None, expected: dict[str, Any]
) -> None:
    body = openai_responses.encode(replace(plain(model), reasoning_effort=effort))

    assert {name: body[name] for name in ("include", "reasoning") if name in body} == expected


@table(
    ("model", "expected"),
    [
        ("gpt-5-mini", "minimal"),
        ("gpt-5.6-terra", "none"),
        ("gpt-5-codex", "low"),
        ("o4-mini", "low"),
        ("gpt-4o", None),
    ],
)
def test_no_effort_is_the_least_that_a_model_takes(model: str, expected: str | None) -> None:
    body = openai.encode(replace(plain(model), reasoning_effort="none"))

    assert body.get("reasoning_effort") == expected


def test_the_limit_is_at_least_what_openai_takes() -> None:
    assert openai_responses.encode(replace(plain(MODEL), max_output_tokens=1))["max_output_tokens"] == 16


def test_nothing_is_stored_at_openai() -> None:
    assert openai_responses.encode(plain(MODEL))["store"] is False


def test_a_server_that_does_not_stream_is_read() -> None:
    response = {
        "object": "response",
        "status": "completed",
        "output": [
            {"type": "message", "content": [{"type": "refusal", "refusal": "I cannot."}]},
            {"type": "function_call", "call_id": "c", "name": "back", "arguments": "{}"},
        ],
        "usage": {"input_tokens": 5, "output_tokens": 2},
    }

    assert decode(json.dumps(response), "application/json") == Reply(
        "I cannot.", tool_calls=(ToolCall("c", "back", "{}"),), finish_reason="tool_calls", usage=Usage(5, 2)
    )


def test_items_told_only_when_they_were_done_are_read() -> None:
    item = {"type": "message", "content": [{"type": "output_text", "text": "Hi."}]}
    events = (
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"status": "completed", "output": []}},
    )

    assert decode("".join(f"data: {json.dumps(event)}\n\n" for event in events)) == Reply("Hi.", finish_reason="stop")


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        ({"type": "error", "code": "rate_limit_exceeded", "message": "Slow down"}, RateLimited),
        (
            {
                "type": "response.failed",
                "response": {"status": "failed", "error": {"code": "server_error", "message": "Sorry"}},
            },
            ModelError,
        ),
        (
            {
                "type": "response.failed",
                "response": {
                    "status": "failed",
                    "error": {"code": "context_length_exceeded", "message": "Your input exceeds the context window"},
                },
            },
            ContextTooLong,
        ),
    ],
    ids=["error", "failed", "too long"],
)
def test_an_error_inside_of_the_stream_has_its_class(event: dict[str, Any], kind: type[ModelError]) -> None:
    with pytest.raises(kind):
        decode(f"data: {json.dumps(event)}\n\n")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("", "openai: the answer is not a response: is the base URL right?"),
        ('data: {"type": "response.created"}\n\n', "openai: the reply broke off before its end."),
    ],
)
def test_what_is_no_reply_is_a_bad_reply(body: str, message: str) -> None:
    with pytest.raises(BadReply) as caught:
        decode(body)

    assert str(caught.value) == message
