"""The official SDKs as a second opinion: for the same inputs they send what we send, and read what we read.

What they did is recorded, so that they need not be installed: `python -m tests.wires.record` does it again.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest

from cdp_agent.providers.base import Reply, Usage
from cdp_agent.providers.services import endpoint
from tests.tables import table
from tests.wires.cases import MODELS, WIRES, all_cases, encode
from tests.wires.sdks import differences, in_googles_names, recorded, stream

_ON_SHOW = "a tool's result cannot carry images there: we show them in a message of the user's that follows"
_TURNS = "user and model take turns with us: what the user says follows the tools' results in one message"
_SCHEMA = "we leave out, or say otherwise, what Gemini's documentation does not list"
_BY_NAME = "the SDK's type for tools knows fewer words of JSON Schema, and drops the others"

# Where our body and the SDK's differ, and why. Each place is a pattern for a whole path.
EXPLAINED: dict[str, dict[str, str]] = {
    "openai": {
        r"/messages/4(/.*)?": _ON_SHOW,
        "/response_format/json_schema/strict": "we ask for strictness where the schema allows it",
    },
    "openai_responses": {
        r"/tools/\d/strict": "without it, OpenAI makes every schema strict that it can, and changes it for that",
        "/text/format/strict": "we ask for strictness where the schema allows it",
    },
    "anthropic": {
        "/tool_choice/(type|name)": "a model that may think, as Claude Sonnet 5 does, cannot be forced to call a tool",
        r"/messages/2/content/1|/messages/3": _TURNS,
        "/cache_control|.*/cache_control": "the SDK has Anthropic place one mark; we place four, by turns and by tools",
    },
    "google": {
        "/generationConfig": "the SDK sends it also when it is empty",
        "/systemInstruction/role": "which Google takes no notice of",
        r"/contents/\d/parts/\d/inlineData/data": "the SDK has the base64 of URLs: Google takes both",
        r"/contents/\d/parts/\d/thoughtSignature": "calls that another model made carry the signature that is nobody's",
        r"/contents/2/parts/2|/contents/3": _TURNS,
        r"/tools/0/functionDeclarations/\d/parametersJsonSchema/properties/.*": _SCHEMA,
        "/generationConfig/responseJsonSchema/.*": _SCHEMA,
    },
    "ollama": {
        "/tools": "the SDK sends it also when it is empty",
        r"/tools/\d/function/parameters/.*": _BY_NAME,
        r"/tools/0/function/(name|description)|/tools/1": "a model cannot be forced there: it gets the one tool alone",
        r"/messages/\d/content": "the SDK leaves out empty text; or: " + _ON_SHOW,
        r"/messages/4(/.*)?": _ON_SHOW,
    },
}
EXPLAINED["vertex"] = EXPLAINED["google"]
REQUESTS = recorded("sdk_requests.jsonl")
REPLIES = recorded("sdk_replies.jsonl")


def found_differences(row: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    ours = json.loads(msgspec.json.encode(encode(row["wire"], all_cases(row["wire"])[row["case"]])))
    theirs = in_googles_names(row["body"]) if row["wire"] in ("google", "vertex") else row["body"]
    return list(differences(ours, theirs))


@table("row", REQUESTS)
def test_the_sdk_sends_the_same_body_but_for_what_is_explained(row: dict[str, Any]) -> None:
    explained = EXPLAINED[row["wire"]]

    unexplained = [
        (path, ours, theirs)
        for path, ours, theirs in found_differences(row)
        if not any(re.fullmatch(place, path) for place in explained)
    ]

    assert unexplained == []


# Headers in which ours differ from the SDK's, and why.
HEADERS_EXPLAINED = {
    "anthropic": {
        "authorization": "Anthropic takes the key in either header, and other servers of messages know only x-api-key",
        "x-api-key": "see authorization",
        "anthropic-version": "2023-06-01 keeps its promise; what is new in 2026-10-21 is nothing that we send or read",
    },
}
ADDRESSES = {"openai": "openai-chat", "openai_responses": "openai-responses"}


@table("wire", [*EXPLAINED])
def test_the_sdk_asks_at_the_same_address_with_the_same_headers_but_for_what_is_explained(wire: str) -> None:
    row = next(row for row in REQUESTS if row["wire"] == wire)
    key = None if wire == "ollama" else "k"  # whose SDK had none either

    ours = endpoint(f"{ADDRESSES.get(wire, wire)}/{MODELS[wire][0]}", api_key=key, environment={})

    headers = {name.lower(): value for name, value in ours.wire.headers(ours.key).items()}
    theirs = {name.lower(): value for name, value in row["headers"].items()}
    path = urlsplit(ours.base_url).path + ours.wire.path(ours.model)
    assert path == row["path"]
    assert {path.strip("/") for path, *_ in differences(headers, theirs)} == set(HEADERS_EXPLAINED.get(wire, {}))


def test_every_case_is_recorded() -> None:
    cases = {(wire, name) for wire in EXPLAINED for name in all_cases(wire)}

    assert {(row["wire"], row["case"]) for row in REQUESTS} == cases, "run python -m tests.wires.record"


@table("wire", [*EXPLAINED])
def test_every_explanation_is_needed(wire: str) -> None:
    paths = {path for row in REQUESTS if row["wire"] == wire for path, _, _ in found_differences(row)}

    needless = [place for place in EXPLAINED[wire] if not any(re.fullmatch(place, path) for path in paths)]

    assert needless == []


def read(wire: str, name: str, size: int) -> Reply:
    data, kind = stream(wire, name)
    decoder = WIRES[wire].decoder(wire, MODELS[wire][0], kind)
    for start in range(0, len(data), size):
        decoder.feed(data[start : start + size])
    reply: Reply = decoder.reply()
    return reply


def as_objects(calls: Any) -> list[Any]:
    return [[name, json.loads(each) if isinstance(each, str) else each] for name, each in calls]


def usage_of(wire: str, told: dict[str, Any]) -> Usage:
    """An SDK's usage in our words: cached tokens are part of the input, thoughts of the output."""
    match wire:
        case "openai":
            return Usage(
                told.get("prompt_tokens", 0),
                told.get("completion_tokens", 0),
                told.get("prompt_tokens_details", {}).get("cached_tokens", 0),
                told.get("completion_tokens_details", {}).get("reasoning_tokens", 0),
            )
        case "openai_responses":
            return Usage(
                told["input_tokens"],
                told["output_tokens"],
                told.get("input_tokens_details", {}).get("cached_tokens", 0),
                told.get("output_tokens_details", {}).get("reasoning_tokens", 0),
            )
        case "anthropic":
            cached, written = told.get("cache_read_input_tokens", 0), told.get("cache_creation_input_tokens", 0)
            thoughts = told.get("output_tokens_details", {}).get("thinking_tokens", 0)
            return Usage(told["input_tokens"] + cached + written, told["output_tokens"], cached, thoughts, written)
        case "google":
            thoughts = told.get("thoughtsTokenCount", 0)
            output = told["candidatesTokenCount"] + thoughts
            return Usage(told["promptTokenCount"], output, told.get("cachedContentTokenCount", 0), thoughts)
        case _:
            return Usage(told["prompt_eval_count"], told["eval_count"])


FINISHES = {
    **dict.fromkeys(("stop", "end_turn", "STOP", "completed"), "stop"),
    **dict.fromkeys(("tool_calls", "tool_use", "FUNCTION_CALL"), "tool_calls"),
    **dict.fromkeys(("length", "max_tokens", "MAX_TOKENS", "max_output_tokens"), "length"),
}


@table("size", [1, 3, 20])
@table("row", REPLIES)
def test_the_sdk_reads_the_same_in_a_stream(row: dict[str, Any], size: int) -> None:
    wire, theirs = row["wire"], row["reply"]

    ours = read(wire, row["stream"], size)

    finish = FINISHES[theirs["finish"]]
    assert (
        ours.text,
        ours.reasoning,
        as_objects((call.name, call.arguments) for call in ours.tool_calls),
        ours.finish_reason,
        ours.usage,
    ) == (
        theirs["text"].encode("utf-16", "surrogatepass").decode("utf-16"),  # aimock cuts characters in two
        theirs["reasoning"],
        as_objects(theirs["calls"]),
        "tool_calls" if theirs["calls"] and finish == "stop" else finish,  # which several providers call a stop
        usage_of(wire, theirs["usage"]),
    )


def test_the_sdks_still_do_what_is_recorded() -> None:
    python = os.environ.get("CDP_AGENT_TEST_SDKS")
    if python is None:
        pytest.skip("CDP_AGENT_TEST_SDKS names no Python with the SDKs: see tests/wires/record.py")

    done = subprocess.run(
        [python, "-m", "tests.wires.record", "--check"],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert done.returncode == 0, done.stderr
