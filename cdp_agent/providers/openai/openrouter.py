"""OpenRouter's chat completions: https://openrouter.ai/docs/api-reference/chat-completion."""

from __future__ import annotations

from typing import Any, Final

from cdp_agent.providers.base import Request
from cdp_agent.providers.shared.chat import ChatDecoder, bearer, encode_chat, failure

__all__ = ["JSON_OUTPUT", "decoder", "encode", "failure", "headers", "path"]

JSON_OUTPUT: Final = True
_WIRE = "openrouter"


def path(model: str) -> str:
    return "/chat/completions"


def headers(key: str | None) -> dict[str, str]:
    """The headers, with the name of our app, which OpenRouter shows in its rankings:
    https://openrouter.ai/docs/app-attribution.
    """
    return {**bearer(key), "HTTP-Referer": "https://pypi.org/project/cdp-agent/", "X-Title": "cdp-agent"}


def encode(request: Request) -> dict[str, Any]:
    body = encode_chat(request, _WIRE)
    body["usage"] = {"include": True}
    if request.max_output_tokens is not None:
        body["max_tokens"] = request.max_output_tokens
    if request.reasoning_effort is not None:
        body["reasoning"] = {"effort": request.reasoning_effort}
    if request.continued and request.model.startswith("anthropic/"):  # others are cached without this
        body["cache_control"] = {"type": "ephemeral"}
    return body


def decoder(provider: str, model: str, content_type: str) -> ChatDecoder:
    return ChatDecoder(provider, model, content_type, wire=_WIRE)
