"""Google's generateContent, of the Gemini API and of Vertex AI: https://ai.google.dev/api/generate-content.

Signatures are sent back with the parts that they belong to: https://ai.google.dev/gemini-api/docs/thought-signatures.
"""

from __future__ import annotations

import re
from typing import Any, Final
from urllib.parse import quote

from cdp_agent.providers.base import (
    Assistant,
    Failure,
    Forced,
    Image,
    Message,
    ReasoningEffort,
    Request,
    System,
    Text,
    ToolResult,
    User,
)
from cdp_agent.providers.google.google_stream import OWN_ID, WIRE, ContentDecoder, failure_of
from cdp_agent.providers.shared.chat import error_in
from cdp_agent.providers.shared.images import base64_of
from cdp_agent.providers.shared.json_schemas import for_gemini
from cdp_agent.providers.shared.tool_calls import object_of

_NEVER_THINKS = re.compile(r"(?:gemini-(?:1|2\.0)|gemma|learnlm)")
_BUDGETED = re.compile(r"gemini-2\.5")
_BUDGETS = {"low": 1024, "medium": 2048, "high": 4096}
_LEAST_OF_PRO = 128


def thinking(model: str, effort: ReasoningEffort | None) -> dict[str, Any] | None:
    """The thinkingConfig; None if the model decides, or cannot think. For "none", the least that the model supports.

    https://ai.google.dev/gemini-api/docs/thinking
    """
    if effort is None or _NEVER_THINKS.match(model):
        return None
    if _BUDGETED.match(model):
        if effort == "none":
            return {"thinkingBudget": _LEAST_OF_PRO if "pro" in model else 0}
        return {"includeThoughts": True, "thinkingBudget": _BUDGETS[effort]}
    if effort == "none":
        return {"thinkingLevel": "LOW" if "pro" in model else "MINIMAL"}
    if effort == "medium" and model.startswith("gemini-3-pro"):  # which has no MEDIUM
        return {"includeThoughts": True, "thinkingLevel": "HIGH"}
    return {"includeThoughts": True, "thinkingLevel": effort.upper()}


def wants_signatures(model: str) -> bool:
    """Whether the model refuses a function call without a signature, as Gemini 3 and later do."""
    return not (_NEVER_THINKS.match(model) or _BUDGETED.match(model))


JSON_OUTPUT: Final = True

# For calls that another model made: https://ai.google.dev/gemini-api/docs/thought-signatures#faqs
_DUMMY_SIGNATURE = "skip_thought_signature_validator"


def path(model: str) -> str:
    return f"/models/{quote(model)}:streamGenerateContent?alt=sse"


def headers(key: str | None) -> dict[str, str]:
    return {"x-goog-api-key": key} if key else {}


def encode(request: Request) -> dict[str, Any]:
    """The body of a streamed generation; the model is part of the path."""
    body: dict[str, Any] = {"contents": _contents(request)}
    if system := [{"text": each.text} for each in request.messages if isinstance(each, System)]:
        body["systemInstruction"] = {"parts": system}
    if request.tools:
        functions = [
            {
                "name": tool.name,
                "description": tool.description,
                "parametersJsonSchema": for_gemini(tool.parameters),
            }
            for tool in request.tools
        ]
        body["tools"] = [{"functionDeclarations": functions}]
        body["toolConfig"] = {"functionCallingConfig": _choice(request)}
    settings: dict[str, Any] = {}
    if request.max_output_tokens is not None:
        settings["maxOutputTokens"] = request.max_output_tokens
    if request.output:
        settings["responseMimeType"] = "application/json"
        settings["responseJsonSchema"] = for_gemini(request.output.schema)
    if found := thinking(request.model, request.reasoning_effort):
        settings["thinkingConfig"] = found
    if settings:
        body["generationConfig"] = settings
    return body


def _choice(request: Request) -> dict[str, Any]:
    if isinstance(request.tool_choice, Forced):
        return {"mode": "ANY", "allowedFunctionNames": [request.tool_choice.name]}
    return {"mode": "ANY" if request.tool_choice == "required" else "AUTO"}


def _contents(request: Request) -> list[dict[str, Any]]:
    """The messages, user and model in turns; the results of one turn's calls are one user message."""
    names: dict[str, str] = {}
    turns: list[dict[str, Any]] = []
    for message in request.messages:
        if isinstance(message, Assistant):
            names |= {call.id: call.name for call in message.tool_calls}
        role = "model" if isinstance(message, Assistant) else "user"
        parts = _parts(message, request.model, names)
        if not parts:
            continue
        if turns and turns[-1]["role"] == role:
            turns[-1]["parts"] += parts
        else:
            turns.append({"role": role, "parts": parts})
    return turns


def _parts(message: Message, model: str, names: dict[str, str]) -> list[dict[str, Any]]:
    match message:
        case System():
            return []
        case User(parts):
            return [_part(part) for part in parts if part != Text("")]
        case ToolResult(call_id, text, images, is_error):
            response: dict[str, Any] = {
                "name": names.get(call_id, call_id),
                "response": {"error" if is_error else "output": text},
            }
            return [{"functionResponse": _id(call_id) | response}, *(_part(image) for image in images)]
        case Assistant():
            return _own_parts(message, model)


def _part(part: Text | Image) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"text": part.text}
    return {"inlineData": {"mimeType": part.media_type, "data": base64_of(part)}}


def _own_parts(message: Assistant, model: str) -> list[dict[str, Any]]:
    """The parts of a model's message, each with its signature."""
    content = (message.state.content_for(WIRE, model) if message.state else None) or {}
    parts: list[dict[str, Any]] = []
    if message.text or content.get("text"):
        signature = {"thoughtSignature": content["text"]} if content.get("text") else {}
        parts.append({"text": message.text, **signature})
    signatures: dict[str, str] = content.get("calls") or {}
    for call in message.tool_calls:
        signed = signatures.get(call.id)
        if not signatures and call is message.tool_calls[0] and wants_signatures(model):
            signed = _DUMMY_SIGNATURE
        part: dict[str, Any] = {"functionCall": _id(call.id) | {"name": call.name, "args": object_of(call)}}
        parts.append(part | ({"thoughtSignature": signed} if signed else {}))
    return parts


def _id(call_id: str) -> dict[str, str]:
    """A call's id, if Google assigned it."""
    return {} if call_id.startswith(OWN_ID) else {"id": call_id}


def failure(body: bytes) -> Failure:
    """The error in a body, which is an object or a list with one."""
    return failure_of(error_in(body))


def decoder(provider: str, model: str, content_type: str) -> ContentDecoder:
    return ContentDecoder(provider, model, content_type)
