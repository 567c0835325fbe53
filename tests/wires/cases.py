"""Requests that together use every feature there is, for each wire with the models that show it."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from msgspec.structs import replace

from cdp_agent.providers.anthropic import anthropic
from cdp_agent.providers.base import (
    Assistant,
    Forced,
    Image,
    JsonOutput,
    Request,
    System,
    Text,
    ToolCall,
    ToolResult,
    ToolSpec,
    User,
)
from cdp_agent.providers.google import google, vertex
from cdp_agent.providers.ollama import ollama
from cdp_agent.providers.openai import compatible, openai, openai_responses, openrouter

PNG = b"\x89PNG\r\n\x1a\n"
CLICK = ToolSpec(
    "click",
    "Clicks an element.",
    {
        "type": "object",
        "properties": {
            "ref": {"type": "string", "pattern": "^E[1-9][0-9]*$"},
            "count": {"type": "integer", "minimum": 1, "maximum": 3, "default": 1},
            "button": {"enum": ["left", "right"], "default": "left"},
        },
        "required": ["ref"],
        "additionalProperties": False,
    },
)
BACK = ToolSpec("back", "Goes back.", {"type": "object", "properties": {}, "required": []})
TOOLS = (CLICK, BACK)
STRICT = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "price": {"anyOf": [{"type": "number"}, {"type": "null"}]}},
    "required": ["title", "price"],
    "additionalProperties": False,
}
LOOSE = {
    "type": "object",
    "properties": {
        "items": {"type": "array", "items": {"$ref": "#/$defs/item"}, "minItems": 1},
        "kind": {"const": "list"},
    },
    "required": ["items"],
    "$defs": {"item": {"type": "object", "properties": {"name": {"type": "string", "minLength": 1}}}},
}
SYSTEM = System("Be brief.")
ASK = User((Text("Look at the page."),))
CALLED = Assistant(
    "Two at once.",
    (ToolCall("call_a", "click", '{"ref":"E3"}'), ToolCall("call_b", "back", "{}")),
)
RESULTS = (
    ToolResult("call_a", "Clicked E3."),
    ToolResult("call_b", "There is no page to go back to.", is_error=True),
)
SHOWN = ToolResult("call_a", "Clicked E3.", images=(Image(PNG),))


def plain(model: str) -> Request:
    return Request(model, (SYSTEM, ASK))


def cases(model: str) -> dict[str, Request]:
    """The features that need no particular model."""
    base = plain(model)
    acting = replace(base, tools=TOOLS, tool_choice="required")
    one = Assistant("", CALLED.tool_calls[:1])
    talk = (SYSTEM, ASK, CALLED, *RESULTS, Assistant("Well."), ASK)
    photos = User((Text("What is this?"), Image(PNG), Image(b"\xff\xd8", "image/jpeg")))
    return {
        "text": base,
        "image": replace(base, messages=(SYSTEM, photos)),
        "tools": replace(base, tools=TOOLS),
        "a tool is required": acting,
        "one tool is forced": replace(acting, tool_choice=Forced("back")),
        "results": replace(acting, messages=(SYSTEM, ASK, CALLED, *RESULTS)),
        "results and a turn": replace(acting, messages=talk),
        "a result with an image": replace(acting, messages=(SYSTEM, ASK, one, SHOWN)),
        "a result with an image and a turn": replace(acting, messages=(SYSTEM, ASK, one, SHOWN, ASK)),
        "strict output": replace(base, output=JsonOutput("offer", STRICT)),
        "loose output": replace(base, output=JsonOutput("offers", LOOSE)),
        "a limit": replace(base, max_output_tokens=2000),
        "continued": replace(acting, messages=talk, continued=True),
    }


def efforts(model: str) -> dict[str, Request]:
    return {
        f"effort {effort} of {model}": replace(plain(model), tools=TOOLS, reasoning_effort=effort)
        for effort in ("none", "low", "medium", "high")
    }


MODELS: dict[str, tuple[str, ...]] = {
    "openai": ("gpt-6-luna", "gpt-4.1-mini", "o3"),
    "openai_responses": ("gpt-6-luna", "gpt-4.1-mini", "o3"),
    "anthropic": ("claude-sonnet-5", "claude-opus-4-8", "claude-haiku-4-5", "claude-fable-5"),
    "google": ("gemini-3.8-flash", "gemini-2.5-flash-lite"),
    "vertex": ("gemini-3.8-flash", "gemini-2.5-flash-lite"),
    "ollama": ("qwen3:8b", "gpt-oss:20b"),
    "openrouter": ("anthropic/claude-sonnet-5",),
    "compatible": ("local-model",),
}
WIRES: dict[str, Any] = {
    "openai": openai,
    "openai_responses": openai_responses,
    "anthropic": anthropic,
    "google": google,
    "vertex": vertex,
    "ollama": ollama,
    "openrouter": openrouter,
    "compatible": compatible,
}


def all_cases(wire: str) -> dict[str, Request]:
    """Every request for a wire: all features with its first model, the efforts with each."""
    models = MODELS[wire]
    found = cases(models[0])
    for model in models:
        found |= efforts(model)
    return found


def encode(wire: str, request: Request) -> dict[str, Any]:
    module: ModuleType = WIRES[wire]
    body: dict[str, Any] = module.encode(request)
    return body
