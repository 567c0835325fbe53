"""OpenAI's chat completions: https://platform.openai.com/docs/api-reference/chat.

OpenAI's newer models call tools here only without reasoning, so that its own address is spoken to with `/responses`
unless `openai-chat/…` asks for this. It is also what other servers behind a base URL speak.
"""

from __future__ import annotations

from typing import Any, Final

from cdp_agent.providers.base import Request
from cdp_agent.providers.openai.openai_models import effort_for
from cdp_agent.providers.shared.chat import ChatDecoder, bearer, encode_chat, failure

__all__ = ["JSON_OUTPUT", "decoder", "encode", "failure", "headers", "path"]

JSON_OUTPUT: Final = True


def path(model: str) -> str:
    return "/chat/completions"


def headers(key: str | None) -> dict[str, str]:
    return bearer(key)


def encode(request: Request) -> dict[str, Any]:
    body = encode_chat(request, "openai")
    if request.max_output_tokens is not None:
        body["max_completion_tokens"] = request.max_output_tokens
    if effort := effort_for(request.model, request.reasoning_effort):
        body["reasoning_effort"] = effort
    return body


def decoder(provider: str, model: str, content_type: str) -> ChatDecoder:
    return ChatDecoder(provider, model, content_type)
