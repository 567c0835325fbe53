"""The OpenAI wire: what we send, and what we make of bytes in the shapes that servers send them."""

import json
from typing import Any

import pytest

from cdp_agent.errors import AuthenticationError, BadReply, ContextTooLong, ModelError, RateLimited
from cdp_agent.providers.base import (
    Assistant,
    Failure,
    Image,
    Reply,
    Request,
    System,
    Text,
    ToolCall,
    ToolResult,
    ToolSpec,
    Usage,
    User,
)
from cdp_agent.providers.openai import openai
from tests.tables import table

# As api.openai.com sends it: the role first, the call's name before its arguments, usage in a chunk without choices.
OPENAI = "".join(
    f"data: {chunk}\n\n"
    for chunk in (
        '{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1755137921,"model":"gpt-4.1-mini-2025-04-14",'
        '"service_tier":"default","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"role":"assistant",'
        '"content":null,"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"fill",'
        '"arguments":""}}],"refusal":null},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"WuQNX"}',
        '{"id":"chatcmpl-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":'
        '"{\\"ref\\":"}}]},"finish_reason":null}],"usage":null}',
        '{"id":"chatcmpl-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":'
        '"\\"E2\\",\\"value\\":\\"Zoë\\"}"}}]},"finish_reason":null}],"usage":null}',
        '{"id":"chatcmpl-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_b","type":"function",'
        '"function":{"name":"click","arguments":""}}]},"finish_reason":null}],"usage":null}',
        '{"id":"chatcmpl-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":'
        '"{\\"ref\\":\\"E3\\"}"}}]},"finish_reason":null}],"usage":null}',
        '{"id":"chatcmpl-1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"usage":null}',
        '{"id":"chatcmpl-1","choices":[],"usage":{"prompt_tokens":1200,"completion_tokens":30,"total_tokens":1230,'
        '"prompt_tokens_details":{"cached_tokens":1024,"audio_tokens":0},"completion_tokens_details":'
        '{"reasoning_tokens":8,"audio_tokens":0}},"obfuscation":"t9"}',
        "[DONE]",
    )
)
TWO_CALLS = Reply(
    tool_calls=(
        ToolCall("call_a", "fill", '{"ref":"E2","value":"Zoë"}'),
        ToolCall("call_b", "click", '{"ref":"E3"}'),
    ),
    finish_reason="tool_calls",
    usage=Usage(input_tokens=1200, output_tokens=30, cached_tokens=1024, reasoning_tokens=8),
)


def decode(body: str | bytes, size: int = 1_000_000, content_type: str = "text/event-stream") -> Reply:
    decoder = openai.decoder("openai", "gpt-4.1-mini", content_type)
    data = body.encode() if isinstance(body, str) else body
    for start in range(0, len(data), size):
        decoder.feed(data[start : start + size])
    return decoder.reply()


def stream(*deltas: dict[str, Any], finish: str | None = "tool_calls") -> str:
    chunks: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)


def calls(*fragments: dict[str, Any]) -> list[tuple[str, str, str]]:
    reply = decode(stream(*({"tool_calls": [fragment]} for fragment in fragments)))
    return [(call.id, call.name, call.arguments) for call in reply.tool_calls]


@pytest.mark.parametrize("size", [1, 2, 3, 20, 1000, 1_000_000])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_a_stream_gives_the_same_reply_in_pieces_of_any_size(size: int, line_end: str) -> None:
    assert decode(OPENAI.replace("\n", line_end), size) == TWO_CALLS


def test_comments_other_fields_and_a_byte_order_mark_are_passed_over() -> None:
    noisy = "\ufeff: OPENROUTER PROCESSING\n\n" + OPENAI.replace("data:", ": ping\nid: 7\nevent: x\nretry: 10\ndata:")

    assert decode(noisy, 1) == TWO_CALLS


def test_text_and_reasoning_are_kept_apart() -> None:
    body = stream(
        {"role": "assistant", "content": "", "reasoning_content": None},
        {"reasoning_content": "Let me "},
        {"reasoning_content": "see."},
        {"content": "Hel"},
        {"content": "lo"},
        finish="stop",
    )

    assert decode(body) == Reply(text="Hello", reasoning="Let me see.", finish_reason="stop")


def test_reasoning_under_its_other_name_is_read() -> None:
    assert decode(stream({"reasoning": "Hm."}, finish="stop")).reasoning == "Hm."


def test_a_refusal_is_text() -> None:
    assert decode(stream({"refusal": "I cannot."}, finish="content_filter")) == Reply(
        text="I cannot.", finish_reason="content_filter"
    )


def test_content_in_parts_is_joined() -> None:
    assert decode(stream({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]})).text == "ab"


@pytest.mark.parametrize(
    ("fragments", "expected"),
    [
        pytest.param(
            [{"id": "a", "function": {"name": "click", "arguments": "{"}}, {"function": {"arguments": "}"}}],
            [("a", "click", "{}")],
            id="no index",
        ),
        pytest.param(
            [
                {"id": "a", "function": {"name": "click", "arguments": "{}"}},
                {"id": "b", "function": {"name": "hover", "arguments": "{}"}},
            ],
            [("a", "click", "{}"), ("b", "hover", "{}")],
            id="no index, two ids",
        ),
        pytest.param(
            [
                {"function": {"name": "click", "arguments": "{}"}},
                {"function": {"name": "click", "arguments": "{ }"}},
            ],
            [("call_1", "click", "{}"), ("call_2", "click", "{ }")],
            id="neither index nor id",
        ),
        pytest.param(
            [
                {"index": 0, "id": "a", "function": {"name": "click", "arguments": "{}"}},
                {"index": 0, "id": "b", "function": {"name": "click", "arguments": "{ }"}},
            ],
            [("a", "click", "{}"), ("b", "click", "{ }")],
            id="every index 0",
        ),
        pytest.param(
            [
                {"index": 0, "id": "a", "function": {"name": "click", "arguments": "{"}},
                {"index": 0, "id": "a", "function": {"name": "click", "arguments": "}"}},
            ],
            [("a", "click", "{}")],
            id="id and name repeated",
        ),
        pytest.param(
            [
                {"index": 0, "id": "a", "function": {"name": "wait", "arguments": ""}},
                {"index": 1, "id": "b", "function": {"name": "back", "arguments": "{"}},
                {"index": 0, "function": {"arguments": "{ }"}},
                {"index": 1, "function": {"arguments": "}"}},
            ],
            [("a", "wait", "{ }"), ("b", "back", "{}")],
            id="interleaved",
        ),
        pytest.param(
            [{"index": 0, "id": "a", "function": {"name": "wait", "arguments": {"seconds": 2}}}],
            [("a", "wait", '{"seconds":2}')],
            id="arguments as an object",
        ),
        pytest.param([{"index": 0, "id": "a", "function": {"name": "back"}}], [("a", "back", "")], id="no arguments"),
    ],
)
def test_tool_calls_are_put_together(fragments: list[dict[str, Any]], expected: list[tuple[str, str, str]]) -> None:
    assert calls(*fragments) == expected


def test_the_end_may_lack_done_and_its_empty_line() -> None:
    assert decode(OPENAI.removesuffix("data: [DONE]\n\n").rstrip("\n")) == TWO_CALLS


def test_done_is_an_end_without_a_finish_reason() -> None:
    assert decode('data: {"choices":[{"delta":{"content":"ok"}}]}\n\ndata: [DONE]\n\n') == Reply(text="ok")


def test_events_without_an_empty_line_between_them_are_read() -> None:
    assert decode(OPENAI.replace("\n\n", "\n")) == TWO_CALLS


def test_choices_numbered_anew_in_each_chunk_are_one_choice() -> None:
    body = (
        'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'
        'data: {"choices":[{"index":1,"delta":{"content":"b"},"finish_reason":"stop"}]}\n\n'
    )

    assert decode(body).text == "ab"


def test_a_server_that_does_not_stream_is_read() -> None:
    body = json.dumps(
        {
            "object": "chat.completion",
            "choices": [
                {
                    "message": {
                        "role": "assistant",
                        "content": None,
                        "tool_calls": [{"id": "a", "function": {"name": "back", "arguments": "{}"}}],
                    },
                    "finish_reason": "tool_calls",
                }
            ],
            "usage": {"prompt_tokens": 5, "completion_tokens": 2},
        },
        indent=1,
    )

    assert decode(body, 7, "application/json; charset=utf-8") == Reply(
        tool_calls=(ToolCall("a", "back", "{}"),), finish_reason="tool_calls", usage=Usage(5, 2)
    )


@table(
    ("error", "kind"),
    [
        ({"message": "Rate limit reached", "code": "rate_limit_exceeded"}, RateLimited),
        ({"message": "Slow down", "code": 429}, RateLimited),
        ({"message": "Provider returned error", "code": 502}, ModelError),
        ({"message": "the request exceeds the available context size", "code": 400}, ContextTooLong),
        ({"message": "Invalid API key"}, AuthenticationError),
        ("server error", ModelError),
    ],
)
def test_an_error_inside_of_the_stream_has_its_class(error: object, kind: type[ModelError]) -> None:
    with pytest.raises(ModelError) as caught:
        decode(stream({"content": "Hal"}, finish=None) + f"data: {json.dumps({'error': error})}\n\n")

    assert type(caught.value) is kind


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("", "openai: the answer is not a chat completion: is the base URL right?"),
        ("<html>Log in</html>", "openai: the answer is not a chat completion: is the base URL right?"),
        ("\n\n".join(OPENAI.split("\n\n")[:3]) + "\n\n", "openai: the reply broke off before its end."),
        ("data: {nope}\n\n", "openai: a part of the reply is not JSON: '{nope}'"),
        ("data: [1]\n\n", "openai: a part of the reply is not an object: '[1]'"),
    ],
    ids=["nothing", "a web page", "half", "nonsense", "an array"],
)
def test_what_is_no_reply_is_a_bad_reply(body: str, message: str) -> None:
    with pytest.raises(BadReply) as caught:
        decode(body)

    assert str(caught.value) == message


def test_a_request_is_encoded_whole() -> None:
    request = Request(
        model="gpt-4.1-mini",
        messages=(
            System("Be brief."),
            User((Text("Look"), Image(b"\x89PNG", "image/png"))),
            Assistant("", (ToolCall("call_a", "click", '{"ref":"E3"}'),)),
            ToolResult("call_a", "Clicked."),
            Assistant("Well."),
            User((Text("Go on."),)),
        ),
        tools=(ToolSpec("click", "Click it.", {"type": "object", "properties": {}}),),
        tool_choice="required",
    )

    assert openai.encode(request) == {
        "model": "gpt-4.1-mini",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "Look"},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}},
                ],
            },
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "call_a", "type": "function", "function": {"name": "click", "arguments": '{"ref":"E3"}'}}
                ],
            },
            {"role": "tool", "tool_call_id": "call_a", "content": "Clicked."},
            {"role": "assistant", "content": "Well."},
            {"role": "user", "content": "Go on."},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "click",
                    "description": "Click it.",
                    "parameters": {"type": "object", "properties": {}},
                },
            }
        ],
        "tool_choice": "required",
    }


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            b'{"error":{"message":"No such model","type":"x","code":"model_not_found"}}',
            Failure("No such model", "model_not_found"),
        ),
        (b'{"error":"model not loaded"}', Failure("model not loaded")),
        (b'{"detail":"Not Found"}', Failure("Not Found")),
        (b"<h1>502\n Bad Gateway</h1>", Failure("<h1>502 Bad Gateway</h1>")),
        (b"", Failure("")),
    ],
    ids=["object", "text", "detail", "html", "empty"],
)
def test_a_failure_is_read_in_any_shape(body: bytes, expected: Failure) -> None:
    assert openai.failure(body) == expected
