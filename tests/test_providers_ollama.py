"""Ollama's wire: room for the request, thinking by model, and what is no reply."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from cdp_agent.errors import BadReply, ModelError
from cdp_agent.providers.base import (
    Assistant,
    Forced,
    Image,
    ReasoningEffort,
    Reply,
    Request,
    Text,
    ToolResult,
    User,
)
from cdp_agent.providers.ollama import ollama
from tests.tables import table
from tests.wires.cases import ASK, TOOLS, plain
from tests.wires.sdks import stream

MODEL = "qwen3:8b"


def decode(*lines: dict[str, Any], content_type: str = "application/x-ndjson") -> Reply:
    decoder = ollama.decoder("ollama", MODEL, content_type)
    decoder.feed("".join(json.dumps(line) + "\n" for line in lines).encode())
    return decoder.reply()


def test_a_turn_that_goes_on_takes_its_thoughts_along() -> None:
    decoder = ollama.decoder("ollama", MODEL, "application/x-ndjson")
    decoder.feed(stream("ollama", "documented-reasoning-calls-usage.ndjson")[0])
    reply = decoder.reply()
    said = Assistant(reply.text, reply.tool_calls, reply.state)

    body = ollama.encode(Request(MODEL, (ASK, said, *(ToolResult(call.id, "Done.") for call in reply.tool_calls))))

    assert body["messages"][1:] == [
        {
            "role": "assistant",
            "content": "I fill it, then go back.",
            "thinking": "The field is E2 – „Zoë“.",
            "tool_calls": [
                {"function": {"name": "fill", "arguments": {"ref": "E2", "value": "Zoë 🦊"}}},
                {"function": {"name": "back", "arguments": {}}},
            ],
        },
        {"role": "tool", "content": "Done.", "tool_name": "fill"},
        {"role": "tool", "content": "Done.", "tool_name": "back"},
    ]


@table(
    ("chars", "images", "limit", "length"),
    [
        (100, 0, None, 16_384),
        (40_000, 0, None, 32_768),
        (30_000, 2, None, 32_768),
        (30_000, 0, 10_000, 32_768),
        (150_000, 0, None, 65_536),
        (900_000, 0, None, 131_072),
    ],
)
def test_there_is_room_for_what_is_sent_and_the_answer(chars: int, images: int, limit: int | None, length: int) -> None:
    asked = User((Text("x" * chars), *(Image(b"png"),) * images))

    body = ollama.encode(Request(MODEL, (asked,), max_output_tokens=limit))

    assert body["options"] == {"num_ctx": length, **({"num_predict": limit} if limit else {})}


@table(
    ("model", "effort", "expected"),
    [
        (MODEL, None, None),
        (MODEL, "none", False),
        (MODEL, "high", True),
        ("gpt-oss:20b", "high", "high"),
        ("gpt-oss:20b", "none", "low"),
    ],
)
def test_thinking_is_said_as_the_model_knows_it(
    model: str, effort: ReasoningEffort | None, expected: bool | str | None
) -> None:
    assert ollama.encode(replace(plain(model), reasoning_effort=effort)).get("think") == expected


def test_of_a_forced_tool_the_model_is_told_alone() -> None:
    body = ollama.encode(replace(plain(MODEL), tools=TOOLS, tool_choice=Forced("back")))

    assert [tool["function"]["name"] for tool in body["tools"]] == ["back"]


def test_a_whole_reply_is_read() -> None:
    found = decode(
        {"message": {"content": "Hi."}, "done": True, "done_reason": "stop"}, content_type="application/json"
    )

    assert found == Reply("Hi.", finish_reason="stop")


def test_an_error_inside_of_the_stream_is_raised() -> None:
    with pytest.raises(ModelError, match="ollama: model runner has unexpectedly stopped"):
        decode({"message": {"content": "Hi"}, "done": False}, {"error": "model runner has unexpectedly stopped"})


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ((), "ollama: the answer is not a chat: is the base URL right?"),
        (({"message": {"content": "Once"}, "done": False},), "ollama: the reply broke off before its end."),
    ],
    ids=["nothing", "half"],
)
def test_what_is_no_reply_is_a_bad_reply(lines: tuple[dict[str, Any], ...], message: str) -> None:
    with pytest.raises(BadReply) as caught:
        decode(*lines)

    assert str(caught.value) == message
