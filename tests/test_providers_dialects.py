"""Chat completions as OpenRouter and other servers than OpenAI's speak them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from cdp_agent.providers.base import Assistant, Forced, Reply, Request, ToolResult, Usage
from cdp_agent.providers.openai import compatible, openai, openrouter
from tests.wires.cases import ASK, CALLED, SHOWN, TOOLS, cases, encode, plain

CALL = {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "back", "arguments": "{}"}}]}
END: dict[str, Any] = {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}
STOP: dict[str, Any] = {"choices": [{"delta": {}, "finish_reason": "stop"}]}


def decode(wire: Any, *chunks: dict[str, Any]) -> Reply:
    decoder = wire.decoder("p", "m", "text/event-stream")
    decoder.feed("".join(f"data: {json.dumps(each)}\n\n" for each in chunks).encode())
    reply: Reply = decoder.reply()
    return reply


def delta(**fields: Any) -> dict[str, Any]:
    return {"choices": [{"delta": fields}]}


def own_turn(wire: Any, reply: Reply, model: str = "m") -> dict[str, Any]:
    said = Assistant(reply.text, reply.tool_calls, reply.state)
    turn: dict[str, Any] = wire.encode(Request(model, (ASK, said, ToolResult("a", "Done."))))["messages"][1]
    return turn


def test_openrouter_is_told_who_asks_and_asked_for_the_price() -> None:
    assert openrouter.headers("k")["X-Title"] == "cdp-agent"
    assert openrouter.encode(plain("m"))["usage"] == {"include": True}


def test_openrouters_price_and_cache_are_usage() -> None:
    told = {
        "prompt_tokens": 2006,
        "completion_tokens": 300,
        "prompt_tokens_details": {"cached_tokens": 1920, "cache_write_tokens": 64},
        "completion_tokens_details": {"reasoning_tokens": 192},
        "cost": 0.00125,
    }

    assert decode(openrouter, END | {"usage": told}).usage == Usage(2006, 300, 1920, 192, 64, 0.00125)


@pytest.mark.parametrize(
    ("chunk", "usage"),
    [
        ({"usage": {"prompt_tokens": 10, "completion_tokens": 9, "prompt_cache_hit_tokens": 64}}, Usage(10, 9, 64)),
        ({"choices": [{"usage": {"prompt_tokens": 10, "completion_tokens": 9, "cached_tokens": 6}}]}, Usage(10, 9, 6)),
        ({"usage": {"input_tokens": 10, "output_tokens": 9}}, Usage(10, 9)),
        ({"x_groq": {"usage": {"prompt_tokens": 10, "completion_tokens": 9}}}, Usage(10, 9)),
        ({"usage": {"prompt_tokens": 10.0, "completion_tokens": 9, "cost": {"total_cost": 2}}}, Usage(10, 9, cost=2)),
        ({"usage": {"prompt_tokens": -5, "completion_tokens": "many"}}, Usage()),
    ],
    ids=["DeepSeek", "Moonshot", "names of responses", "Groq", "Perplexity", "nonsense"],
)  # fmt: skip
def test_tokens_are_counted_where_each_server_tells_them(chunk: dict[str, Any], usage: Usage) -> None:
    assert decode(compatible, chunk, END).usage == usage


def test_openrouter_gets_the_record_of_its_reasoning_back() -> None:
    reply = decode(
        openrouter,
        delta(
            reasoning="The ", reasoning_details=[{"type": "reasoning.text", "index": 0, "text": "The ", "format": "f"}]
        ),
        delta(reasoning="button.", reasoning_details=[{"type": "reasoning.text", "index": 0, "text": "button."}]),
        delta(reasoning_details=[{"type": "reasoning.text", "index": 0, "signature": "s"}]),
        delta(reasoning_details=[{"type": "reasoning.encrypted", "index": 1, "data": "e", "id": "call"}]),
        delta(**CALL),
        END,
    )

    assert reply.reasoning == "The button."
    assert own_turn(openrouter, reply)["reasoning_details"] == [
        {"type": "reasoning.text", "index": 0, "text": "The button.", "format": "f", "signature": "s"},
        {"type": "reasoning.encrypted", "index": 1, "data": "e", "id": "call"},
    ]


def test_openrouter_is_told_how_hard_to_reason_and_what_to_remember() -> None:
    request = replace(cases("anthropic/claude-sonnet-5")["continued"], reasoning_effort="low", max_output_tokens=9)

    body = openrouter.encode(request)

    assert (body["reasoning"], body["max_tokens"], body["cache_control"]) == (
        {"effort": "low"},
        9,
        {"type": "ephemeral"},
    )
    assert "cache_control" not in openrouter.encode(replace(request, model="openai/gpt-6-luna"))


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_a_turn_that_calls_tools_takes_its_reasoning_along_in_the_servers_field(field: str) -> None:
    reply = decode(compatible, delta(**{field: "Hm, "}), delta(**{field: "back."}), delta(**CALL), END)

    assert own_turn(compatible, reply)[field] == "Hm, back."
    assert field not in own_turn(compatible, reply, "another")


def test_a_turn_without_calls_leaves_its_reasoning() -> None:
    reply = decode(
        compatible, delta(reasoning_content="Hm."), delta(content="Hi."), {"choices": [{"finish_reason": "stop"}]}
    )

    assert reply == Reply("Hi.", "Hm.", finish_reason="stop")


def test_openai_gets_no_reasoning_back() -> None:
    assert decode(openai, delta(reasoning_content="Hm."), delta(**CALL), END).state is None


def test_other_servers_are_forced_to_one_tool_by_getting_no_other() -> None:
    request = replace(plain("m"), tools=TOOLS, tool_choice=Forced("back"), max_output_tokens=9, reasoning_effort="none")

    body = compatible.encode(request)

    assert [tool["function"]["name"] for tool in body["tools"]] == ["back"]
    assert (body["tool_choice"], body["max_tokens"], body["reasoning_effort"]) == ("required", 9, "none")


@pytest.mark.parametrize("wire", ["openai", "openrouter", "compatible"])
def test_what_a_tool_shows_follows_all_results_of_its_turn(wire: str) -> None:
    request = Request("m", (ASK, CALLED, SHOWN, ToolResult("call_b", "Gone back."), Assistant("Well.")))

    roles = [
        message["role"] if isinstance(message.get("content"), str | None) else "images"
        for message in encode(wire, request)["messages"]
    ]

    assert roles == ["user", "assistant", "tool", "tool", "images", "assistant"]
