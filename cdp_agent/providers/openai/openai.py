"""OpenAI's chat completions: https://platform.openai.com/docs/api-reference/chat.

OpenAI's newer models call tools here only without reasoning, so at OpenAI's own address `/responses` is used unless the
model is named `openai-chat/…`. For `openai/…` at another base URL, this wire is used, too.
"""

from __future__ import annotations

import re
from typing import Any, Final

from cdp_agent.providers.base import ReasoningEffort, Request
from cdp_agent.providers.shared.chat import ChatDecoder, bearer, encode_chat, failure

_REASONS = re.compile(r"(?:ft:)?(?:o\d|codex|gpt-(?:[5-9]|\d\d))(?!.*chat)")
_LEAST = (
    (re.compile(r"(?:ft:)?(?:o\d|codex|.*codex)"), "low"),
    (re.compile(r"(?:ft:)?gpt-5(?:-mini|-nano)?(?:-\d{4}-|$|:)"), "minimal"),
)


def reasons(model: str) -> bool:
    """Whether OpenAI's model of this name reasons; others refuse the settings for reasoning.

    https://platform.openai.com/docs/guides/reasoning and the models' own pages.
    """
    return _REASONS.match(model) is not None


def effort_for(model: str, effort: ReasoningEffort | None) -> str | None:
    """The effort as OpenAI names it: for "none", the least that this model accepts. None if it has no such setting."""
    if effort is None or not reasons(model):
        return None
    if effort == "none":
        return next((least for names, least in _LEAST if names.match(model)), "none")
    return effort


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
