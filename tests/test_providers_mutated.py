"""Replies with something wrong in them: each becomes a reply or a ModelError, whatever the wire.

`python -m tests.wires.mutations` tries as many as one likes, and `python -m tests.wires.runs` as many whole runs. Those
that once raised anything else are told here.
"""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

import msgspec
import pytest

from cdp_agent.browser import Browser
from cdp_agent.errors import BadReply, ModelError, Overloaded, QuotaExhausted
from cdp_agent.providers.base import Reply
from tests.wires import runs
from tests.wires.cases import WIRES
from tests.wires.mutations import Mutant, consume, differs, mutants, streams

pytestmark = pytest.mark.slow

EVENTS, JSON, LINES = "text/event-stream", "application/json", "application/x-ndjson"


def whole(wire: str, body: Any) -> Reply | ModelError:
    return consume(wire, Mutant(JSON, [json.dumps(body).encode()]))


def streamed(wire: str, *events: Any) -> Reply | ModelError:
    if wire == "ollama":
        return consume(wire, Mutant(LINES, ["\n".join(map(json.dumps, events)).encode()]))
    return consume(wire, Mutant(EVENTS, ["".join(f"data: {json.dumps(each)}\n\n" for each in events).encode()]))


@pytest.mark.parametrize("wire", WIRES)
def test_a_mutated_reply_is_a_reply_or_a_model_error(wire: str) -> None:
    for mutant in islice(mutants(wire, seed=1), 150):
        consume(wire, mutant)


@pytest.mark.parametrize("wire", WIRES)
def test_a_mutated_stream_is_read_the_same_in_any_framing_and_any_pieces(wire: str) -> None:
    assert [place for place, each in enumerate(islice(streams(wire, seed=1), 60)) if differs(wire, *each)] == []


@pytest.mark.parametrize("pieces", ["together", "alone"])
def test_an_error_that_is_told_is_not_lost_to_what_cannot_be_read_after_it(pieces: str) -> None:
    lines = [b'{"error":"model runner has stopped"}\n', b"<html>\n"]
    error = consume("ollama", Mutant(LINES, [b"".join(lines)] if pieces == "together" else lines))

    assert isinstance(error, ModelError)
    assert str(error) == "x: model runner has stopped"


@pytest.mark.parametrize("wire", ["openai", "anthropic"])  # a run sees replies, whatever the wire
async def test_a_run_that_gets_mutated_replies_ends_with_a_result(
    browser: Browser, wire: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "_LIMITS", msgspec.structs.replace(runs._LIMITS, max_steps=25))

    played = await runs.play(wire, browser, seed=4, mutated=4, at_once=1)

    assert not played.failed
    assert played.sent["taken as replies"]
    assert played.sent["told as errors"]


@pytest.mark.parametrize(
    ("wire", "body", "problem"),
    [
        ("openai", {"choices": ["x"]}, "Expected `object`, got `str` - at `$.choices[0]`"),
        ("openai", {"choices": [{"message": {"tool_calls": [{"function": 5}]}}]}, "choices[0].message.tool_calls[0].f"),
        ("anthropic", {"type": "message", "content": "x"}, "`$.content`"),
        ("anthropic", {"type": "message", "content": [{"type": "text", "text": 5}]}, "`$.text`"),
        ("google", {"candidates": [{"content": {"parts": {}}}]}, "`$.candidates[0].content.parts`"),
        ("openai_responses", {"object": "response", "output": [{"type": "message", "content": "x"}]}, "`$.content`"),
        ("ollama", {"message": "x", "done": True}, "`$.message`"),
    ],
    ids=lambda value: value if isinstance(value, str) and value in WIRES else "",
)
def test_a_bad_reply_says_where_it_is_wrong(wire: str, body: Any, problem: str) -> None:
    error = whole(wire, body)

    assert isinstance(error, BadReply)
    assert "is not what it should be" in str(error)
    assert problem in str(error)


HALVES = ("\ud83d", "\ude00")


@pytest.mark.parametrize(
    ("wire", "events"),
    [
        (
            "openai",
            [
                *({"choices": [{"delta": {"content": half}}]} for half in HALVES),
                {"choices": [{"delta": {}, "finish_reason": "stop"}]},
            ],
        ),
        (
            "anthropic",
            [
                {"type": "message_start", "message": {}},
                {"type": "content_block_start", "content_block": {"type": "text", "text": ""}},
                *({"type": "content_block_delta", "delta": {"type": "text_delta", "text": half}} for half in HALVES),
                {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
                {"type": "message_stop"},
            ],
        ),
        (
            "google",
            [
                *({"candidates": [{"content": {"parts": [{"text": half}]}}]} for half in HALVES),
                {"candidates": [{"finishReason": "STOP"}]},
            ],
        ),
        ("ollama", [*({"message": {"content": half}} for half in HALVES), {"done": True, "done_reason": "stop"}]),
    ],
    ids=["openai", "anthropic", "google", "ollama"],
)
def test_a_character_that_was_cut_between_deltas_is_whole_again(wire: str, events: list[Any]) -> None:
    assert streamed(wire, *events) == Reply(text="😀", finish_reason="stop")


def test_half_a_character_in_arguments_that_are_an_object_is_written_as_unreadable() -> None:
    function = {"name": "fill", "arguments": {"value": "a\ud83d", "\ud83d": 1}}
    reply = streamed("ollama", {"message": {"tool_calls": [{"function": function}]}}, {"done": True})

    assert isinstance(reply, Reply)
    assert reply.tool_calls[0].arguments == '{"value":"a�","�":1}'


@pytest.mark.parametrize("wire", WIRES)
def test_json_that_is_nested_too_deep_is_a_bad_reply(wire: str) -> None:
    deep = b'data: {"error": ' + b"[" * 5000 + b"]" * 5000 + b"}\n\n"

    assert isinstance(consume(wire, Mutant(EVENTS, [deep])), BadReply)


def test_arguments_that_are_nested_too_deep_are_refused_and_a_later_request_can_be_written() -> None:
    function = {"name": "click", "arguments": "[" * 3000}
    reply = whole("ollama", {"message": {"tool_calls": [{"function": function}]}, "done": True})

    assert isinstance(reply, Reply)


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        (
            {"choices": [{"finish_reason": "error", "error": {"code": 502, "message": "Provider disconnected"}}]},
            ModelError,
            "x: Provider disconnected",
        ),
        (
            {"choices": [{"finish_reason": "error", "message": {"content": "Half an ans"}}]},
            ModelError,
            "x: the model's server broke the reply off with an error.",
        ),
        ({"object": "error", "message": "The engine is overloaded.", "code": 503}, Overloaded, "x: The engine is"),
        ({"detail": "Internal trouble"}, ModelError, "x: Internal trouble"),
        (
            {"choices": None, "base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}},
            QuotaExhausted,
            "x: insufficient balance",
        ),
        ({"error": {"message": {"message": "In it"}}}, ModelError, "x: In it"),
        ({"error": {"message": "No", "code": "9" * 5000}}, ModelError, "x: No"),
    ],
    ids=["choice", "finish reason only", "vLLM", "FastAPI", "MiniMax", "nested", "a giant code"],
)
def test_an_error_inside_of_a_good_answer_is_raised(body: Any, kind: type[ModelError], words: str) -> None:
    error = whole("openai", body)

    assert type(error) is kind
    assert str(error).startswith(words)


@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_a_call_that_was_cut_off_is_none(reason: str) -> None:
    call = {"id": "c", "function": {"name": "fill", "arguments": '{"ref":"E3","value":"te'}}
    reply = whole("openai", {"choices": [{"message": {"tool_calls": [call]}, "finish_reason": reason}]})

    assert reply == Reply(finish_reason=reason)  # type: ignore[arg-type]  # one of the two
