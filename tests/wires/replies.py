"""Replies as each provider sends them, streamed or whole: with calls of tools, or with words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from tests.wires.mutations import Recorded

_EVENTS, _WHOLE = "text/event-stream", "application/json"


class Call(NamedTuple):
    name: str
    arguments: dict[str, Any]


def calling(wire: str, calls: Sequence[Call], *, whole: bool = False) -> Recorded:
    """A reply that calls tools, as that provider streams one, or as the one body of an answer without streaming."""
    written_down = [(f"call_{place}", call.name, json.dumps(call.arguments)) for place, call in enumerate(calls)]
    match wire:
        case "anthropic":
            if whole:
                uses = [
                    {"type": "tool_use", "id": f"call_{place}", "name": call.name, "input": call.arguments}
                    for place, call in enumerate(calls)
                ]
                return _whole_message(uses, "tool_use")
            blocks = [
                event
                for place, (call_id, name, arguments) in enumerate(written_down)
                for event in _block(
                    place,
                    {"type": "tool_use", "id": call_id, "name": name, "input": {}},
                    {"type": "input_json_delta", "partial_json": arguments},
                )
            ]
            return _message(blocks, "tool_use")
        case "google" | "vertex":
            return _candidate([{"functionCall": {"name": each.name, "args": each.arguments}} for each in calls], whole)
        case "ollama":
            return _chat_of_ollama({"tool_calls": [{"function": each._asdict()} for each in calls]}, whole)
        case "openai_responses":
            items = [
                {"type": "function_call", "id": f"f{call_id}", "call_id": call_id, "name": name, "arguments": arguments}
                for call_id, name, arguments in written_down
            ]
            return _response(items, whole)
        case _:
            made = [
                {"index": place, "id": call_id, "function": {"name": name, "arguments": arguments}}
                for place, (call_id, name, arguments) in enumerate(written_down)
            ]
            return (
                _whole_completion({"tool_calls": made}) if whole else _completion({"tool_calls": [one]} for one in made)
            )


def saying(wire: str, text: str, *, whole: bool = False) -> Recorded:
    """The same for a reply of words."""
    match wire:
        case "anthropic" if whole:
            return _whole_message([{"type": "text", "text": text}], "end_turn")
        case "anthropic":
            block = _block(0, {"type": "text", "text": ""}, {"type": "text_delta", "text": text})
            return _message(block, "end_turn")
        case "google" | "vertex":
            return _candidate([{"text": text}], whole)
        case "ollama":
            return _chat_of_ollama({"content": text}, whole)
        case "openai_responses":
            content = [{"type": "output_text", "text": text}]
            return _response([{"type": "message", "role": "assistant", "content": content}], whole)
        case _:
            return _whole_completion({"content": text}) if whole else _completion([{"content": text}])


def _block(index: int, start: dict[str, Any], delta: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        {"type": "content_block_delta", "index": index, "delta": delta},
        {"type": "content_block_stop", "index": index},
    ]


def _message(blocks: list[dict[str, Any]], stop_reason: str) -> Recorded:
    start = {"type": "message_start", "message": {"role": "assistant", "usage": {"input_tokens": 100}}}
    delta = {"type": "message_delta", "delta": {"stop_reason": stop_reason}, "usage": {"output_tokens": 10}}
    return Recorded(_EVENTS, [start, *blocks, delta, {"type": "message_stop"}])


def _whole_message(content: list[dict[str, Any]], stop_reason: str) -> Recorded:
    usage = {"input_tokens": 100, "output_tokens": 10}
    message = {"type": "message", "role": "assistant", "content": content, "stop_reason": stop_reason, "usage": usage}
    return Recorded(_WHOLE, [message])


def _candidate(parts: list[dict[str, Any]], whole: bool) -> Recorded:
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 10}
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}
    return Recorded(_WHOLE if whole else _EVENTS, [{"candidates": [candidate], "usageMetadata": usage}])


def _chat_of_ollama(message: dict[str, Any], whole: bool) -> Recorded:
    said = {"message": {"role": "assistant", **message}}
    end = {"done": True, "done_reason": "stop", "prompt_eval_count": 100, "eval_count": 10}
    if whole:
        return Recorded(_WHOLE, [said | end])
    return Recorded("application/x-ndjson", [said | {"done": False}, end])


def _response(items: list[dict[str, Any]], whole: bool) -> Recorded:
    done = [{"type": "response.output_item.done", "output_index": at, "item": each} for at, each in enumerate(items)]
    usage = {"input_tokens": 100, "output_tokens": 10}
    response = {"object": "response", "status": "completed", "output": items, "usage": usage}
    if whole:
        return Recorded(_WHOLE, [response])
    return Recorded(_EVENTS, [*done, {"type": "response.completed", "response": response}])


def _completion(deltas: Iterable[dict[str, Any]]) -> Recorded:
    chunks: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    reason = "tool_calls" if any("tool_calls" in each["choices"][0]["delta"] for each in chunks) else "stop"
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
    chunks.append({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 10}})
    return Recorded(_EVENTS, chunks)


def _whole_completion(message: dict[str, Any]) -> Recorded:
    reason = "tool_calls" if "tool_calls" in message else "stop"
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": reason}
    return Recorded(_WHOLE, [{"choices": [choice], "usage": {"prompt_tokens": 100, "completion_tokens": 10}}])
