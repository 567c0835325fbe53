"""The chat completions of llama.cpp, LM Studio, vLLM and others, with only the fields that all of them know.

https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md#post-v1chatcompletions-openai-compatible-chat-completions-api
https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html
"""

from __future__ import annotations

from typing import Any, Final

from cdp_agent.providers.base import Forced, Request
from cdp_agent.providers.shared.chat import ChatDecoder, bearer, encode_chat, encode_tools, failure

__all__ = ["JSON_OUTPUT", "decoder", "encode", "failure", "headers", "path"]

JSON_OUTPUT: Final = True
_WIRE = "compatible"


def path(model: str) -> str:
    return "/chat/completions"


def headers(key: str | None) -> dict[str, str]:
    return bearer(key)


def encode(request: Request) -> dict[str, Any]:
    body = encode_chat(request, _WIRE)
    choice = request.tool_choice
    if isinstance(choice, Forced) and request.tools:
        # llama-server treats an object as no choice at all; all servers can require a call to the only tool offered.
        body["tools"] = encode_tools([tool for tool in request.tools if tool.name == choice.name])
        body["tool_choice"] = "required"
    if request.max_output_tokens is not None:
        body["max_tokens"] = request.max_output_tokens
    if request.reasoning_effort is not None:
        body["reasoning_effort"] = request.reasoning_effort
    return body


def decoder(provider: str, model: str, content_type: str) -> ChatDecoder:
    return ChatDecoder(provider, model, content_type, wire=_WIRE)
