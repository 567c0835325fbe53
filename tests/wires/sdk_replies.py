"""What the official SDKs make of a stream's bytes: for `python -m tests.wires.record`, which keeps it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Found = dict[str, Any]
"""text, reasoning, calls (name and arguments, as text or as an object), usage in the SDK's own words."""


def openai(address: str) -> Found:
    import openai as sdk

    client = sdk.OpenAI(api_key="k", base_url=f"{address}/v1", max_retries=0)
    reasoning = ""
    with client.chat.completions.stream(model="gpt-6-luna", messages=[{"role": "user", "content": "x"}]) as stream:
        for event in stream:
            if event.type == "chunk" and event.chunk.choices:
                reasoning += (event.chunk.choices[0].delta.model_extra or {}).get("reasoning_content") or ""
        found = stream.current_completion_snapshot
    message = found.choices[0].message
    calls = [[call.function.name, call.function.arguments] for call in message.tool_calls or ()]
    return {
        "text": message.content or "",
        "reasoning": reasoning,
        "calls": calls,
        "finish": found.choices[0].finish_reason,
        "usage": found.usage.model_dump(exclude_none=True) if found.usage else {},
    }


def openai_responses(address: str) -> Found:
    import openai as sdk

    client = sdk.OpenAI(api_key="k", base_url=f"{address}/v1", max_retries=0)
    with client.responses.stream(model="gpt-6-luna", input="x") as stream:
        found = next(event.response for event in stream if event.type in ("response.completed", "response.incomplete"))
    thoughts = [part.text for item in found.output if item.type == "reasoning" for part in item.summary]
    return {
        "text": found.output_text,
        "reasoning": "\n\n".join(thoughts),
        "calls": [[item.name, item.arguments] for item in found.output if item.type == "function_call"],
        "finish": found.incomplete_details.reason if found.incomplete_details else found.status,
        "usage": found.usage.model_dump(exclude_none=True) if found.usage else {},
    }


def anthropic(address: str) -> Found:
    import anthropic as sdk

    client = sdk.Anthropic(api_key="k", base_url=address, max_retries=0)
    with client.messages.stream(
        model="claude-sonnet-5", max_tokens=100, messages=[{"role": "user", "content": "x"}]
    ) as stream:
        found = stream.get_final_message()
    return {
        "text": "".join(block.text for block in found.content if block.type == "text"),
        "reasoning": "\n\n".join(block.thinking for block in found.content if block.type == "thinking"),
        "calls": [[block.name, block.input] for block in found.content if block.type == "tool_use"],
        "finish": found.stop_reason,
        "usage": found.usage.model_dump(exclude_none=True),
    }


def google(address: str) -> Found:
    from google import genai
    from google.genai import types

    http = types.HttpOptions(api_version="v1beta", base_url=address)
    client = genai.Client(api_key="k", http_options=http, vertexai=False)
    text, reasoning, finish = "", "", ""
    calls: list[Any] = []
    usage: dict[str, Any] = {}
    for chunk in client.models.generate_content_stream(model="gemini-3.8-flash", contents="x"):
        if chunk.usage_metadata:
            usage = chunk.usage_metadata.model_dump(exclude_none=True, mode="json", by_alias=True)
        for candidate in chunk.candidates or ():
            finish = str(getattr(candidate.finish_reason, "value", "") or finish)
            for part in (candidate.content.parts if candidate.content else None) or ():
                if part.function_call:
                    calls.append([part.function_call.name, part.function_call.args or {}])
                elif part.thought:
                    reasoning += part.text or ""
                else:
                    text += part.text or ""
    return {"text": text, "reasoning": reasoning, "calls": calls, "finish": finish, "usage": usage}


def ollama(address: str) -> Found:
    import ollama as sdk

    client = sdk.Client(host=address)
    text, reasoning, finish = "", "", ""
    calls: list[Any] = []
    usage: dict[str, Any] = {}
    for chunk in client.chat(model="qwen3:8b", messages=[{"role": "user", "content": "x"}], stream=True):
        text += chunk.message.content or ""
        reasoning += chunk.message.thinking or ""
        calls += [[call.function.name, dict(call.function.arguments)] for call in chunk.message.tool_calls or ()]
        if chunk.done:
            finish = chunk.done_reason or ""
            usage = {"prompt_eval_count": chunk.prompt_eval_count, "eval_count": chunk.eval_count}
    return {"text": text, "reasoning": reasoning, "calls": calls, "finish": finish, "usage": usage}


READERS: dict[str, Callable[[str], Found]] = {
    "openai": openai,
    "openai_responses": openai_responses,
    "anthropic": anthropic,
    "google": google,
    "ollama": ollama,
}
