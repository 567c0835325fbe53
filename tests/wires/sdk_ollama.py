"""The package ollama: what it sends for our requests, and reads in a stream, for `python -m tests.wires.record`."""

from __future__ import annotations

from typing import Any

import msgspec

from cdp_agent.providers.base import Assistant, Image, Request, System, Text, ToolResult, User


def send(request: Request, address: str) -> None:
    import ollama as sdk  # late: only this one need be installed

    client = sdk.Client(host=address)
    messages: list[Any] = []
    names: dict[str, str] = {}
    for message in request.messages:
        match message:
            case System(text):
                messages.append(sdk.Message(role="system", content=text))
            case User(parts):
                images = [sdk.Image(value=part.data) for part in parts if isinstance(part, Image)]
                words = "\n\n".join(part.text for part in parts if isinstance(part, Text))
                messages.append(sdk.Message(role="user", content=words, images=images or None))
            case ToolResult(call_id, text):
                messages.append(sdk.Message(role="tool", content=text, tool_name=names[call_id]))
            case Assistant(text, calls):
                names |= {call.id: call.name for call in calls}
                functions = [
                    sdk.Message.ToolCall.Function(name=call.name, arguments=msgspec.json.decode(call.arguments))
                    for call in calls
                ]
                own = [sdk.Message.ToolCall(function=function) for function in functions]
                messages.append(sdk.Message(role="assistant", content=text, tool_calls=own or None))
    options: dict[str, Any] = {"num_ctx": 16_384}
    if request.max_output_tokens:
        options["num_predict"] = request.max_output_tokens
    think: Any = None
    if effort := request.reasoning_effort:
        levels = {"none": "low"}.get(effort, effort)
        think = levels if request.model.startswith("gpt-oss") else effort != "none"
    for _ in client.chat(
        model=request.model,
        messages=messages,
        tools=[{"type": "function", "function": msgspec.to_builtins(tool)} for tool in request.tools] or None,
        stream=True,
        format=request.output.schema if request.output else None,
        options=options,
        think=think,
    ):
        pass


def read(address: str) -> dict[str, Any]:
    import ollama as sdk  # late: only this one need be installed

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
