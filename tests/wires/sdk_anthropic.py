"""The package anthropic: what it sends for our requests, and reads in a stream, for `python -m tests.wires.record`."""

from __future__ import annotations

import base64
from typing import Any

import msgspec

from cdp_agent.providers.base import Assistant, Forced, Image, Request, System, Text, ToolResult, User

_BUDGETS = {"low": 1024, "medium": 4096, "high": 16_384}


def send(request: Request, address: str) -> None:
    import anthropic as sdk  # late: only this one need be installed

    client = sdk.Anthropic(api_key="k", base_url=address, max_retries=0)
    messages: list[dict[str, Any]] = []
    options: dict[str, Any] = {"max_tokens": request.max_output_tokens or 16_000}
    for message in request.messages:
        match message:
            case System(text):
                options["system"] = [{"type": "text", "text": text}]
            case User(parts):
                messages.append({"role": "user", "content": [_anthropic_part(part) for part in parts]})
            case ToolResult(call_id, text, images, is_error):
                content: Any = [_anthropic_part(Text(text)), *map(_anthropic_part, images)] if images else text
                result = {"type": "tool_result", "tool_use_id": call_id, "content": content}
                result |= {"is_error": True} if is_error else {}
                # "All tool results must be in a single user message."
                if messages[-1]["content"][0]["type"] == "tool_result":
                    messages[-1]["content"].append(result)
                else:
                    messages.append({"role": "user", "content": [result]})
            case Assistant(text, calls):
                own = [{"type": "text", "text": text}] if text else []
                uses = [
                    {"type": "tool_use", "id": call.id, "name": call.name, "input": msgspec.json.decode(call.arguments)}
                    for call in calls
                ]
                messages.append({"role": "assistant", "content": [*own, *uses]})
    if request.tools:
        options["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
            for tool in request.tools
        ]
        options["tool_choice"] = (
            {"type": "tool", "name": request.tool_choice.name}
            if isinstance(request.tool_choice, Forced)
            else {"type": "any" if request.tool_choice == "required" else "auto"}
        )
    if request.output:
        schema = sdk.transform_schema(request.output.schema)
        options["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
    options |= _anthropic_effort(request)
    if request.continued:
        options["cache_control"] = {"type": "ephemeral"}
    with client.messages.stream(model=request.model, messages=messages, **options) as stream:
        stream.until_done()


def _anthropic_part(part: Text | Image) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    return {"type": "image", "source": {"type": "base64", "media_type": part.media_type, "data": _b64(part)}}


def _anthropic_effort(request: Request) -> dict[str, Any]:
    effort = request.reasoning_effort
    if effort is None:
        return {"thinking": {"type": "adaptive", "display": "summarized"}}
    if effort == "none":
        return {
            "claude-sonnet-5": {"thinking": {"type": "disabled"}},
            "claude-fable-5": {"output_config": {"effort": "low"}},
        }.get(request.model, {})
    if request.model == "claude-haiku-4-5":
        budget = _BUDGETS[effort]
        return {"max_tokens": 16_000 + budget, "thinking": {"type": "enabled", "budget_tokens": budget}}
    return {"thinking": {"type": "adaptive", "display": "summarized"}, "output_config": {"effort": effort}}


def _b64(image: Image) -> str:
    return base64.b64encode(image.data).decode()


def read(address: str) -> dict[str, Any]:
    import anthropic as sdk  # late: only this one need be installed

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
