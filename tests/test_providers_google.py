"""Google's wire, of Gemini and Vertex AI: signatures, thinking, schemas, and what is no reply."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from cdp_agent.errors import BadReply, ModelError, RateLimited
from cdp_agent.providers.base import (
    Assistant,
    Failure,
    ReasoningEffort,
    Reply,
    Request,
    ToolCall,
    ToolResult,
    Usage,
)
from cdp_agent.providers.google import google, vertex
from tests.tables import table
from tests.wires.cases import ASK, CALLED, RESULTS, TOOLS, plain
from tests.wires.sdks import stream
from tests.wires.specs import problems

MODEL = "gemini-3.8-flash"


def decode(*chunks: dict[str, Any]) -> Reply:
    decoder = google.decoder("google", MODEL, "text/event-stream")
    decoder.feed("".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks).encode())
    return decoder.reply()


def chunk(*parts: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}}
    return {"candidates": [candidate | ({"finishReason": finish} if finish else {})]}


def own_parts(reply: Reply, model: str = MODEL) -> list[dict[str, Any]]:
    """How a reply is handed back."""
    said = Assistant(reply.text, reply.tool_calls, reply.state)
    body = google.encode(Request(model, (ASK, said, *(ToolResult(call.id, "Done.") for call in reply.tool_calls))))
    assert problems("gemini/generate", body) == []
    parts: list[dict[str, Any]] = body["contents"][1]["parts"]
    return parts


def documented() -> Reply:
    decoder = google.decoder("google", MODEL, "text/event-stream")
    decoder.feed(stream("google", "documented-reasoning-calls-usage.sse")[0])
    return decoder.reply()


def test_a_signature_goes_back_with_the_part_that_it_signs() -> None:
    assert own_parts(documented()) == [
        {"text": "I fill it, then go back."},
        {
            "functionCall": {"id": "fc_1", "name": "fill", "args": {"ref": "E2", "value": "Zoë 🦊"}},
            "thoughtSignature": "CiQBVKhc7vB+vaaq6rA7Cg==",
        },
        {"functionCall": {"id": "fc_2", "name": "back", "args": {}}},
    ]


def test_a_signature_of_text_may_come_with_no_text() -> None:
    reply = decode(chunk({"text": "Hi."}), chunk({"text": "", "thoughtSignature": "c2ln"}, finish="STOP"))

    assert own_parts(reply) == [{"text": "Hi.", "thoughtSignature": "c2ln"}]


@pytest.mark.parametrize(
    ("model", "signature"), [(MODEL, "skip_thought_signature_validator"), ("gemini-2.5-flash-lite", None)]
)
def test_calls_of_another_model_are_signed_by_nobody_where_that_is_asked_for(model: str, signature: str | None) -> None:
    turn = google.encode(Request(model, (ASK, CALLED, *RESULTS)))["contents"][1]["parts"]

    assert [part.get("thoughtSignature") for part in turn] == [None, signature, None]


def test_calls_without_ids_get_ours_which_google_never_sees() -> None:
    reply = decode(
        chunk({"functionCall": {"name": "back", "args": {}}}, {"functionCall": {"name": "back"}}, finish="STOP")
    )

    assert reply.tool_calls == (ToolCall("google_call_1", "back", "{}"), ToolCall("google_call_2", "back", "{}"))
    assert "google_call" not in json.dumps(own_parts(reply))


def test_vertex_ai_is_sent_no_ids() -> None:
    contents = vertex.encode(Request(MODEL, (ASK, CALLED, *RESULTS)))["contents"]

    assert contents[1]["parts"][2] == {"functionCall": {"name": "back", "args": {}}}
    assert contents[2]["parts"] == [
        {"functionResponse": {"name": "click", "response": {"output": "Clicked E3."}}},
        {"functionResponse": {"name": "back", "response": {"error": "There is no page to go back to."}}},
    ]


def test_the_model_is_in_the_path() -> None:
    assert google.path("gemini-3.8-flash") == "/models/gemini-3.8-flash:streamGenerateContent?alt=sse"
    assert google.headers("k") == {"x-goog-api-key": "k"}


@table(
    ("model", "effort", "expected"),
    [
        (MODEL, None, None),
        (MODEL, "none", {"thinkingLevel": "MINIMAL"}),
        (MODEL, "medium", {"includeThoughts": True, "thinkingLevel": "MEDIUM"}),
        ("gemini-3.1-pro-preview", "none", {"thinkingLevel": "LOW"}),
        ("gemini-3-pro-preview", "medium", {"includeThoughts": True, "thinkingLevel": "HIGH"}),
        ("gemini-2.5-flash-lite", "none", {"thinkingBudget": 0}),
        ("gemini-2.5-pro", "none", {"thinkingBudget": 128}),
        ("gemini-2.5-pro", "high", {"includeThoughts": True, "thinkingBudget": 4096}),
        ("gemma-4-31b-it", "high", None),
    ],
)
def test_effort_is_said_as_the_model_knows_it(
    model: str, effort: ReasoningEffort | None, expected: dict[str, Any] | None
) -> None:
    body = google.encode(replace(plain(model), tools=TOOLS, reasoning_effort=effort))

    assert body.get("generationConfig", {}).get("thinkingConfig") == expected


@pytest.mark.parametrize("reason", ["SAFETY", "PROHIBITED_CONTENT", "RECITATION"])
def test_what_a_filter_withholds_is_said_to_be_withheld(reason: str) -> None:
    assert decode(chunk({"text": "Once"}, finish=reason)).finish_reason == "content_filter"


def test_a_prompt_that_is_blocked_is_a_reply_without_words() -> None:
    reply = decode({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 5}})

    assert reply == Reply(finish_reason="content_filter", usage=Usage(5), refusal="SAFETY")


def test_a_call_that_google_found_malformed_is_not_a_stop() -> None:
    assert decode(chunk(finish="MALFORMED_FUNCTION_CALL")).finish_reason == "unknown"


def test_what_googles_own_tools_read_is_input() -> None:
    told = {"promptTokenCount": 5, "toolUsePromptTokenCount": 3, "candidatesTokenCount": 2, "thoughtsTokenCount": 4}

    assert decode(chunk(finish="STOP") | {"usageMetadata": told}).usage == Usage(8, 6, reasoning_tokens=4)


def test_a_failure_tells_how_long_to_wait() -> None:
    error = {
        "code": 429,
        "message": "You exceeded your current quota",
        "status": "RESOURCE_EXHAUSTED",
        "details": [
            {"@type": "type.googleapis.com/google.rpc.Help", "links": []},
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "32.5s"},
        ],
    }

    assert google.failure(json.dumps([{"error": error}]).encode()) == Failure(
        "You exceeded your current quota", "429", 32.5
    )


@pytest.mark.parametrize(("code", "kind"), [(429, RateLimited), (503, ModelError)])
def test_an_error_inside_of_the_stream_has_its_class(code: int, kind: type[ModelError]) -> None:
    with pytest.raises(kind):
        decode(chunk({"text": "Hi"}), {"error": {"code": code, "message": "No.", "status": "UNAVAILABLE"}})


@pytest.mark.parametrize(
    ("chunks", "message"),
    [
        ((), "google: the answer is not generated content: is the base URL right?"),
        ((chunk({"text": "Once"}),), "google: the reply broke off before its end."),
    ],
    ids=["nothing", "half"],
)
def test_what_is_no_reply_is_a_bad_reply(chunks: tuple[dict[str, Any], ...], message: str) -> None:
    with pytest.raises(BadReply) as caught:
        decode(*chunks)

    assert str(caught.value) == message
