"""Anthropic's wire: marks for the cache, thinking, what comes back of a model's own turn, and what is no reply."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from cdp_agent.errors import BadReply, ModelError, RateLimited
from cdp_agent.providers.anthropic import anthropic
from cdp_agent.providers.base import (
    Assistant,
    Failure,
    ProviderState,
    ReasoningEffort,
    Reply,
    Request,
    ToolCall,
    ToolResult,
    Usage,
)
from tests.tables import table
from tests.wires.cases import ASK, CALLED, RESULTS, SYSTEM, TOOLS, cases, plain
from tests.wires.sdks import stream
from tests.wires.specs import problems

MODEL = "claude-sonnet-5"
MARK = {"cache_control": {"type": "ephemeral"}}


def decode(body: bytes | str, content_type: str = "text/event-stream", model: str = MODEL) -> Reply:
    decoder = anthropic.decoder("anthropic", model, content_type)
    decoder.feed(body.encode() if isinstance(body, str) else body)
    return decoder.reply()


def documented() -> Reply:
    return decode(stream("anthropic", "documented-reasoning-calls-usage.sse")[0])


def own_turn(reply: Reply, model: str = MODEL, text: str | None = None) -> list[dict[str, Any]]:
    """How a reply is handed back."""
    said = Assistant(reply.text if text is None else text, reply.tool_calls, reply.state)
    results = [ToolResult(call.id, "Done.") for call in reply.tool_calls]
    body = anthropic.encode(Request(model, (ASK, said, *results), TOOLS))
    assert problems("anthropic/messages", body) == []
    content: list[dict[str, Any]] = body["messages"][1]["content"]
    return content


def test_what_a_model_thought_comes_back_signed_and_in_its_place() -> None:
    assert own_turn(documented()) == [
        {"type": "thinking", "thinking": "The field is E2 – „Zoë“.", "signature": "EqQBCgIYAhIM1gbcDa9GJwZA2b3h=="},
        {"type": "redacted_thinking", "data": "EmwKAhgBEgy3va3pzix/LafPsn4a"},
        {"type": "text", "text": "I fill it, then go back."},
        {"type": "tool_use", "id": "toolu_1", "name": "fill", "input": {"ref": "E2", "value": "Zoë 🦊"}},
        {"type": "tool_use", "id": "toolu_2", "name": "back", "input": {}},
    ]


def test_the_thoughts_of_another_model_are_left_out() -> None:
    kinds = [block["type"] for block in own_turn(documented(), "claude-opus-4-8")]

    assert kinds == ["text", "tool_use", "tool_use"]


def test_a_text_that_was_changed_is_sent_as_it_is_now() -> None:
    texts = [block["text"] for block in own_turn(documented(), text="I fill it.") if block["type"] == "text"]

    assert texts == ["I fill it."]


def test_texts_and_calls_keep_their_order_around_thoughts() -> None:
    state = ProviderState(
        "anthropic",
        MODEL,
        [
            {"type": "text", "text": "One. "},
            {"type": "tool_use", "id": "a"},
            {"type": "thinking", "thinking": "Hm.", "signature": "s"},
            {"type": "text", "text": "Two."},
            {"type": "tool_use", "id": "gone"},
        ],
    )

    found = own_turn(Reply("One. Two.", tool_calls=(ToolCall("a", "back", "{}"),), state=state))

    assert [block.get("text") or block["type"] for block in found] == ["One. ", "tool_use", "thinking", "Two."]


def test_four_marks_are_set_where_a_later_request_begins_the_same() -> None:
    body = anthropic.encode(cases(MODEL)["continued"])

    marked = [
        *(f"tool {tool['name']}" for tool in body["tools"] if "cache_control" in tool),
        *("system" for block in body["system"] if "cache_control" in block),
        *(
            f"{place}: {block['type']}"
            for place, message in enumerate(body["messages"])
            for block in message["content"]
            if "cache_control" in block
        ),
    ]
    assert marked == ["tool back", "system", "2: tool_result", "4: text"]


def test_nothing_is_marked_where_nothing_follows() -> None:
    assert "cache_control" not in json.dumps(anthropic.encode(cases(MODEL)["results and a turn"]))


@table(
    ("model", "effort", "limit", "expected"),
    [
        ("claude-haiku-4-5", None, None, {"max_tokens": 16_000}),
        (
            "claude-sonnet-5",
            None,
            None,
            {"max_tokens": 16_000, "thinking": {"type": "adaptive", "display": "summarized"}},
        ),
        ("claude-sonnet-5", "none", None, {"max_tokens": 16_000, "thinking": {"type": "disabled"}}),
        ("claude-opus-4-8", "none", 500, {"max_tokens": 500}),
        ("claude-fable-5", "none", None, {"max_tokens": 16_000, "output_config": {"effort": "low"}}),
        ("claude-opus-5-5", "none", None, {"max_tokens": 16_000, "output_config": {"effort": "low"}}),
        (
            "claude-opus-4-6",
            "high",
            None,
            {
                "max_tokens": 16_000,
                "thinking": {"type": "adaptive", "display": "summarized"},
                "output_config": {"effort": "high"},
            },
        ),
        (
            "claude-haiku-4-5-20251001",
            "low",
            None,
            {"max_tokens": 17_024, "thinking": {"type": "enabled", "budget_tokens": 1024}},
        ),
        (
            "claude-haiku-4-5",
            "high",
            4000,
            {"max_tokens": 4000, "thinking": {"type": "enabled", "budget_tokens": 2000}},
        ),
        ("claude-haiku-4-5", "high", 1000, {"max_tokens": 1000}),
    ],
)
def test_effort_is_said_as_the_model_knows_it(
    model: str, effort: ReasoningEffort | None, limit: int | None, expected: dict[str, Any]
) -> None:
    body = anthropic.encode(replace(plain(model), reasoning_effort=effort, max_output_tokens=limit))

    assert {name: body[name] for name in ("max_tokens", "thinking", "output_config") if name in body} == expected
    assert problems("anthropic/messages", body) == []


@table(
    ("model", "effort", "expected"),
    [
        ("claude-opus-4-8", None, {"type": "any"}),
        ("claude-opus-4-8", "low", {"type": "auto"}),
        ("claude-sonnet-5", None, {"type": "auto"}),
        ("claude-sonnet-5", "none", {"type": "any"}),
        ("claude-fable-5", "none", {"type": "auto"}),
        ("claude-opus-5-5", "none", {"type": "auto"}),
    ],
)
def test_a_model_that_may_think_is_not_forced_to_call(
    model: str, effort: ReasoningEffort | None, expected: dict[str, str]
) -> None:
    request = replace(plain(model), tools=TOOLS, tool_choice="required", reasoning_effort=effort)

    assert anthropic.encode(request)["tool_choice"] == expected


def test_ids_of_other_models_are_made_fit_and_used_once() -> None:
    call = ToolCall("call.1", "back", "{}")
    turn = (Assistant("", (call,)), ToolResult("call.1", "Done."))

    messages = anthropic.encode(Request(MODEL, (ASK, *turn, *turn)))["messages"]

    assert [block.get("id") or block["tool_use_id"] for each in messages[1:] for block in each["content"]] == [
        "call_1",
        "call_1",
        "call_1_2",
        "call_1_2",
    ]


def test_arguments_that_are_no_object_are_shown_to_the_model_as_it_wrote_them() -> None:
    said = Assistant("", (ToolCall("a", "click", '{"ref": "E'),))

    blocks = anthropic.encode(Request(MODEL, (ASK, said)))["messages"][1]["content"]

    assert blocks[0]["input"] == {"INVALID_JSON": '{"ref": "E'}


def test_a_schema_that_cannot_be_enforced_is_left_to_the_prompt() -> None:
    request = cases(MODEL)["strict output"]
    assert request.output is not None
    anything = replace(request, output=replace(request.output, schema={"type": "object", "additionalProperties": True}))

    assert "output_config" not in anthropic.encode(anything)


def test_a_server_that_does_not_stream_is_read() -> None:
    message = {
        "type": "message",
        "content": [{"type": "text", "text": "Hi."}, {"type": "tool_use", "id": "t", "name": "back", "input": {}}],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 5, "output_tokens": 2},
    }

    assert decode(json.dumps(message), "application/json") == Reply(
        "Hi.", tool_calls=(ToolCall("t", "back", "{}"),), finish_reason="tool_calls", usage=Usage(5, 2)
    )


def test_the_key_and_the_version_are_headers() -> None:
    assert anthropic.headers("k") == {"anthropic-version": "2023-06-01", "x-api-key": "k"}
    assert anthropic.headers(None) == {"anthropic-version": "2023-06-01"}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("", "anthropic: the answer is not a message: is the base URL right?"),
        ('data: {"type": "message_start", "message": {}}\n\n', "anthropic: the reply broke off before its end."),
    ],
)
def test_what_is_no_reply_is_a_bad_reply(body: str, message: str) -> None:
    with pytest.raises(BadReply) as caught:
        decode(body)

    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("kind", "expected"), [("rate_limit_error", RateLimited), ("invalid_request_error", ModelError)]
)
def test_an_error_inside_of_the_stream_has_its_class(kind: str, expected: type[ModelError]) -> None:
    event = {"type": "error", "error": {"type": kind, "message": "No."}}

    with pytest.raises(expected):
        decode(f"event: error\ndata: {json.dumps(event)}\n\n")


def test_a_failure_names_its_kind() -> None:
    body = b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"r"}'

    assert anthropic.failure(body) == Failure("Overloaded", "overloaded_error")


def test_results_of_one_turn_are_one_message() -> None:
    messages = anthropic.encode(Request(MODEL, (SYSTEM, ASK, CALLED, *RESULTS)))["messages"]

    assert messages[2]["content"] == [
        {"type": "tool_result", "tool_use_id": "call_a", "content": "Clicked E3."},
        {
            "type": "tool_result",
            "tool_use_id": "call_b",
            "content": "There is no page to go back to.",
            "is_error": True,
        },
    ]


@pytest.mark.parametrize(("model", "thinks"), [("claude-haiku-4-5", False), ("claude-sonnet-5", True)])
def test_a_turn_that_another_model_began_is_ended_without_a_budget_for_thoughts(model: str, thinks: bool) -> None:
    request = Request(model, (ASK, CALLED, *RESULTS), TOOLS, reasoning_effort="low")

    assert ("thinking" in anthropic.encode(request)) is thinks


@table(
    ("model", "kept"),
    [("claude-sonnet-5", True), ("claude-opus-4-8", True), ("claude-opus-5-5", False), ("claude-fable-5-1", False)],
)
def test_thoughts_that_are_bound_to_what_came_before_are_left_out_when_that_changed(model: str, kept: bool) -> None:
    decoder = anthropic.decoder("anthropic", model, "text/event-stream")
    decoder.feed(stream("anthropic", "documented-reasoning-calls-usage.sse")[0])
    reply = decoder.reply()
    assert reply.state is not None

    blocks = own_turn(replace(reply, state=replace(reply.state, displaced=True)), model)

    assert ("thinking" in [block["type"] for block in blocks]) is kept
