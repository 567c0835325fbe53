"""The package google-genai: what it sends for our requests and reads in streams, for `python -m tests.wires.record`."""

from __future__ import annotations

from typing import Any

import msgspec

from cdp_agent.providers.base import Assistant, Forced, Image, Request, System, Text, ToolResult, User

_GEMINI_BUDGETS = {"none": 0, "low": 1024, "medium": 2048, "high": 4096}


def send(request: Request, address: str) -> None:
    from google import genai  # late: only this one need be installed
    from google.genai import types

    http = types.HttpOptions(api_version="v1beta", base_url=address)
    client = genai.Client(api_key="k", http_options=http, vertexai=False)
    _generate(client, types, request, ids=True)


def send_to_vertex(request: Request, address: str) -> None:
    from google import genai  # late: only this one need be installed
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
                        id=call.id if ids else None, name=call.name, args=msgspec.json.decode(call.arguments)
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


def read(address: str) -> dict[str, Any]:
    from google import genai  # late: only this one need be installed
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
