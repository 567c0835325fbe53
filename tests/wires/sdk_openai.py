"""The package openai: what it sends for our requests, and reads in a stream, for `python -m tests.wires.record`."""

from __future__ import annotations

import base64
from typing import Any

import msgspec

from cdp_agent.providers.base import Assistant, Forced, Image, Request, System, Text, ToolResult, User

# What we make of an effort that a model does not have.
_EFFORTS = {("o3", "none"): "low"}


def send_chat(request: Request, address: str) -> None:
    import openai as sdk  # late: only this one need be installed

    client = sdk.OpenAI(api_key="k", base_url=f"{address}/v1", max_retries=0)
    messages: list[dict[str, Any]] = []
    for message in request.messages:
        match message:
            case System(text):
                messages.append({"role": "system", "content": text})
            case User((Text(text),)):
                messages.append({"role": "user", "content": text})
            case User(parts):
                messages.append({"role": "user", "content": [_chat_part(part) for part in parts]})
            case ToolResult(call_id, text):
                messages.append({"role": "tool", "tool_call_id": call_id, "content": text})
            case Assistant(text, calls):
                own = [
                    {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
                    for call in calls
                ]
                messages.append({"role": "assistant", "content": text or None, **({"tool_calls": own} if own else {})})
    options: dict[str, Any] = {}
    if request.tools:
        options["tools"] = [{"type": "function", "function": msgspec.to_builtins(tool)} for tool in request.tools]
        options["tool_choice"] = (
            {"type": "function", "function": {"name": request.tool_choice.name}}
            if isinstance(request.tool_choice, Forced)
            else request.tool_choice
        )
    if request.output:
        options["response_format"] = {"type": "json_schema", "json_schema": msgspec.to_builtins(request.output)}
    if request.max_output_tokens:
        options["max_completion_tokens"] = request.max_output_tokens
    if request.reasoning_effort and request.model != "gpt-4.1-mini":
        options["reasoning_effort"] = _EFFORTS.get((request.model, request.reasoning_effort), request.reasoning_effort)
    with client.chat.completions.stream(
        model=request.model, messages=messages, stream_options={"include_usage": True}, **options
    ) as stream:
        stream.until_done()


def _chat_part(part: Text | Image) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    return {"type": "image_url", "image_url": {"url": _url(part)}}


def send_response(request: Request, address: str) -> None:
    import openai as sdk  # late: only this one need be installed

    client = sdk.OpenAI(api_key="k", base_url=f"{address}/v1", max_retries=0)
    items: list[dict[str, Any]] = []
    for message in request.messages:
        match message:
            case System(text):
                items.append({"role": "system", "content": text})
            case User((Text(text),)):
                items.append({"role": "user", "content": text})
            case User(parts):
                items.append({"role": "user", "content": [_input_part(part) for part in parts]})
            case ToolResult(call_id, text, images):
                output = [_input_part(Text(text)), *map(_input_part, images)] if images else text
                items.append({"type": "function_call_output", "call_id": call_id, "output": output})
            case Assistant(text, calls):
                items += [{"role": "assistant", "content": text}] if text else []
                for call in calls:
                    shown = {"call_id": call.id, "name": call.name, "arguments": call.arguments}
                    items.append({"type": "function_call", **shown})
    options: dict[str, Any] = {}
    if request.tools:
        options["tools"] = [{"type": "function", **msgspec.to_builtins(tool)} for tool in request.tools]
        options["tool_choice"] = (
            {"type": "function", "name": request.tool_choice.name}
            if isinstance(request.tool_choice, Forced)
            else request.tool_choice
        )
    if request.output:
        options["text"] = {"format": {"type": "json_schema", **msgspec.to_builtins(request.output)}}
    if request.max_output_tokens:
        options["max_output_tokens"] = request.max_output_tokens
    if request.model != "gpt-4.1-mini":
        options["include"] = ["reasoning.encrypted_content"]
        if request.reasoning_effort:
            effort = _EFFORTS.get((request.model, request.reasoning_effort), request.reasoning_effort)
            summary = {"summary": "auto"} if request.reasoning_effort != "none" else {}
            options["reasoning"] = {"effort": effort, **summary}
    with client.responses.stream(model=request.model, input=items, store=False, **options) as stream:
        stream.until_done()


def _input_part(part: Text | Image) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "input_text", "text": part.text}
    return {"type": "input_image", "detail": "auto", "image_url": _url(part)}


def _b64(image: Image) -> str:
    return base64.b64encode(image.data).decode()


def _url(image: Image) -> str:
    return f"data:{image.media_type};base64,{_b64(image)}"


def read_chat(address: str) -> dict[str, Any]:
    import openai as sdk  # late: only this one need be installed

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


def read_response(address: str) -> dict[str, Any]:
    import openai as sdk  # late: only this one need be installed

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
