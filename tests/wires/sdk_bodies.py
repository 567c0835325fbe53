"""The same requests made with the official SDKs: for `python -m tests.wires.record`, which keeps what they send.

Each function says a request in the words of an SDK's own documentation, with its types where it has them.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import msgspec

from cdp_agent.providers.base import Assistant, Forced, Image, Request, System, Text, ToolResult, User

# What we make of an effort that a model does not have.
_EFFORTS = {("o3", "none"): "low"}
_BUDGETS = {"low": 1024, "medium": 4096, "high": 16_384}
_GEMINI_BUDGETS = {"none": 0, "low": 1024, "medium": 2048, "high": 4096}


def _b64(image: Image) -> str:
    return base64.b64encode(image.data).decode()


def _url(image: Image) -> str:
    return f"data:{image.media_type};base64,{_b64(image)}"


def _arguments(text: str) -> Any:
    return msgspec.json.decode(text)


def openai(request: Request, address: str) -> None:
    import openai as sdk

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


def openai_responses(request: Request, address: str) -> None:
    import openai as sdk

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


def anthropic(request: Request, address: str) -> None:
    import anthropic as sdk

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
                    {"type": "tool_use", "id": call.id, "name": call.name, "input": _arguments(call.arguments)}
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
        return {}
    if effort == "none":
        return {
            "claude-sonnet-5": {"thinking": {"type": "disabled"}},
            "claude-fable-5": {"output_config": {"effort": "low"}},
        }.get(request.model, {})
    if request.model == "claude-haiku-4-5":
        budget = _BUDGETS[effort]
        return {"max_tokens": 16_000 + budget, "thinking": {"type": "enabled", "budget_tokens": budget}}
    return {"thinking": {"type": "adaptive", "display": "summarized"}, "output_config": {"effort": effort}}


def google(request: Request, address: str) -> None:
    from google import genai
    from google.genai import types

    http = types.HttpOptions(api_version="v1beta", base_url=address)
    client = genai.Client(api_key="k", http_options=http, vertexai=False)
    _generate(client, types, request, ids=True)


def vertex(request: Request, address: str) -> None:
    from google import genai
    from google.genai import types

    http = types.HttpOptions(api_version="v1", base_url=address)
    client = genai.Client(api_key="k", http_options=http, vertexai=True)
    _generate(client, types, request, ids=False)


def _generate(client: Any, types: Any, request: Request, *, ids: bool) -> None:
    contents: list[Any] = []
    config: dict[str, Any] = {}
    names: dict[str, str] = {}

    def part_of(part: Text | Image) -> Any:
        if isinstance(part, Text):
            return types.Part.from_text(text=part.text)
        return types.Part.from_bytes(data=part.data, mime_type=part.media_type)

    for message in request.messages:
        match message:
            case System(text):
                config["system_instruction"] = text
            case User(parts):
                contents.append(types.Content(role="user", parts=[part_of(part) for part in parts]))
            case ToolResult(call_id, text, images, is_error):
                response = types.FunctionResponse(
                    id=call_id if ids else None,
                    name=names[call_id],
                    response={"error" if is_error else "output": text},
                )
                shown = [types.Part(function_response=response), *(part_of(image) for image in images)]
                if contents[-1].role == "user":  # the results of one turn are one turn
                    contents[-1].parts.extend(shown)
                else:
                    contents.append(types.Content(role="user", parts=shown))
            case Assistant(text, calls):
                names |= {call.id: call.name for call in calls}
                own = [types.Part.from_text(text=text)] if text else []
                for call in calls:
                    found = types.FunctionCall(
                        id=call.id if ids else None, name=call.name, args=_arguments(call.arguments)
                    )
                    own.append(types.Part(function_call=found))
                contents.append(types.Content(role="model", parts=own))
    if request.tools:
        functions = [
            types.FunctionDeclaration(
                name=tool.name, description=tool.description, parameters_json_schema=tool.parameters
            )
            for tool in request.tools
        ]
        config["tools"] = [types.Tool(function_declarations=functions)]
        forced = [request.tool_choice.name] if isinstance(request.tool_choice, Forced) else None
        mode = "AUTO" if request.tool_choice == "auto" else "ANY"
        calling = types.FunctionCallingConfig(mode=mode, allowed_function_names=forced)
        config["tool_config"] = types.ToolConfig(function_calling_config=calling)
        config["automatic_function_calling"] = types.AutomaticFunctionCallingConfig(disable=True)
    if request.output:
        config["response_mime_type"] = "application/json"
        config["response_json_schema"] = request.output.schema
    if request.max_output_tokens:
        config["max_output_tokens"] = request.max_output_tokens
    if effort := request.reasoning_effort:
        thoughts: dict[str, Any] = {} if effort == "none" else {"include_thoughts": True}
        if request.model.startswith("gemini-2.5"):
            thoughts["thinking_budget"] = _GEMINI_BUDGETS[effort]
        else:
            thoughts["thinking_level"] = "MINIMAL" if effort == "none" else effort.upper()
        config["thinking_config"] = types.ThinkingConfig(**thoughts)
    settings = types.GenerateContentConfig(**config)
    for _ in client.models.generate_content_stream(model=request.model, contents=contents, config=settings):
        pass


def ollama(request: Request, address: str) -> None:
    import ollama as sdk

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
                own = [
                    sdk.Message.ToolCall(
                        function=sdk.Message.ToolCall.Function(name=call.name, arguments=_arguments(call.arguments))
                    )
                    for call in calls
                ]
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


CALLS: dict[str, Callable[[Request, str], None]] = {
    "openai": openai,
    "openai_responses": openai_responses,
    "anthropic": anthropic,
    "google": google,
    "vertex": vertex,
    "ollama": ollama,
}
